//! One conformance test over all engines: what they must do to be worth the choice.

use std::io::{self, Read};

use proptest::prelude::*;
use sha2::{Digest, Sha256};
use zvet::engine::{Engine, EngineError, Progress, Ruzstd};
use zvet::format::{FrameHeader, Location};
use zvet::{Bounds, Dictionary, EngineChoice, Error, Level, Limits, Settings, StreamVerdict, verify};
use zvet_tests::bytes::{compressed, frame, hello, one_match, raw, rle, unsized_header};
use zvet_tests::corpus::cases;
use zvet_tests::data::Shape;
use zvet_tests::decode::decode;

/// libzstd asks for memory for a window at once. For the largest ones there may not be so much in a row where addresses have
/// 32 bits.
fn lacks_room(engine: &str) -> bool {
    engine == "libzstd" && usize::BITS == 32
}

fn engines() -> impl Iterator<Item = (&'static str, EngineChoice)> {
    EngineChoice::names().map(|name| (name, EngineChoice::named(name).unwrap()))
}

/// Frames that are held whole, and frames that come in pieces.
const WAYS: [Bounds; 2] = [Bounds::SNAPSHOT, Bounds { output: 0, window: 0, input: 0, blocks: 0 }];

/// What an error says, and where.
fn said(error: &Error) -> (Option<&'static str>, Option<Location>) {
    (error.rule(), error.location())
}

#[test]
fn all_engines_are_built_for_these_tests_and_the_fastest_safe_one_is_the_default() {
    let names: Vec<_> = EngineChoice::names().collect();
    assert_eq!(names, ["mzstd", "libzstd", "ruzstd"]);
    assert_eq!(format!("{:?}", EngineChoice::default()), r#"EngineChoice("mzstd")"#);
    assert!(EngineChoice::named("gzip").is_none());
}

#[test]
fn every_engine_decodes_every_valid_file_of_the_corpus_to_its_bytes() {
    for (name, engine) in engines() {
        let mut decoded = 0;
        for case in cases() {
            let Some(hash) = &case.sha256 else { continue };
            if lacks_room(name) && case.path.starts_with("bytes/x01-") {
                continue;
            }
            let dictionaries: Vec<_> =
                case.dictionary().map(|bytes| Dictionary::new(&bytes).unwrap()).into_iter().collect();
            for bounds in WAYS {
                for trust_engine in [false, true] {
                    let settings = Settings {
                        engine: engine.clone(),
                        limits: Limits::UNLIMITED,
                        dictionaries: dictionaries.clone(),
                        bounds,
                        trust_engine,
                        ..Settings::default()
                    };
                    let (output, result) = decode(&case.bytes(), &settings);
                    result.unwrap_or_else(|error| panic!("{name}, {}, {bounds:?}, {trust_engine}: {error}", case.path));
                    assert_eq!(&zvet_tests::hex(&Sha256::digest(&output)), hash, "{name}, {}", case.path);
                    decoded += 1;
                }
            }
        }
        assert!(decoded > 300, "{decoded}");
    }
}

#[test]
fn every_engine_gives_the_same_error_at_the_same_place_for_every_invalid_file_of_the_corpus() {
    for case in cases().into_iter().filter(|case| case.content != "valid") {
        for bounds in WAYS {
            let expected =
                decode(&case.bytes(), &Settings { engine: EngineChoice::ruzstd(), bounds, ..Settings::default() });
            let expected_error = expected.1.unwrap_err();
            for (name, engine) in engines() {
                let settings = Settings { engine, bounds, ..Settings::default() };
                let (output, result) = decode(&case.bytes(), &settings);
                let error = result.unwrap_err();
                assert_eq!(said(&error), said(&expected_error), "{name}, {}, {bounds:?}: {error}", case.path);
                // What comes before the fault may be cut elsewhere.
                let common = output.len().min(expected.0.len());
                assert_eq!(output[..common], expected.0[..common], "{name}, {}", case.path);
            }
        }
    }
}

#[test]
fn a_trusted_engine_that_refuses_a_frame_is_told_what_is_wrong_with_it_where_it_is_held_whole() {
    let mut told = 0;
    for case in cases().into_iter().filter(|case| case.content == "invalid") {
        let vetted = decode(&case.bytes(), &Settings::default()).1.unwrap_err();
        for (name, engine) in engines() {
            for bounds in WAYS {
                let settings = Settings { engine: engine.clone(), bounds, trust_engine: true, ..Settings::default() };
                let (output, result) = decode(&case.bytes(), &settings);
                match result {
                    Ok(_) => {
                        // What libzstd accepts and zvet does not; they make what libzstd makes of it.
                        let libzstd = zstd::decode_all(&case.bytes()[..]);
                        assert!(name != "ruzstd", "{}: ruzstd is not strict, and never trusted", case.path);
                        assert_eq!(libzstd.ok(), Some(output), "{name}, {}", case.path);
                    }
                    Err(error) if error.rule() == Some("C05") => {
                        assert_eq!(StreamVerdict::of(&error), StreamVerdict::Invalid);
                        assert_eq!(bounds, WAYS[1], "{name}, {}: {error}", case.path);
                    }
                    Err(error) => {
                        assert_eq!(said(&error), said(&vetted), "{name}, {}, {bounds:?}: {error}", case.path);
                        told += 1;
                    }
                }
            }
        }
    }
    assert!(told > 500, "{told}");
}

#[test]
fn c05_a_frame_that_is_decoded_as_it_is_read_has_the_word_of_the_engine_that_is_trusted() {
    // A block whose sequences are not there.
    let broken = frame(&unsized_header(7 << 3), &[raw(false, b"before"), compressed(true, &[0x10, b'1', b'2', 1, 0])]);
    let stream = [hello(), broken].concat();
    for (name, engine) in engines() {
        for (bounds, trust_engine) in [(WAYS[0], true), (WAYS[1], true), (WAYS[1], false)] {
            let settings = Settings { engine: engine.clone(), bounds, trust_engine, ..Settings::default() };
            let error = decode(&stream, &settings).1.unwrap_err();
            // Where it is held, or where nobody is trusted, zvet says what is wrong.
            let alone = trust_engine && bounds == WAYS[1] && name != "ruzstd";
            assert_eq!(error.rule(), Some(if alone { "C05" } else { "S07" }), "{name}, {bounds:?}: {error}");
            assert_eq!(error.location().unwrap().block, Some(1), "{name}: {error}");
            assert_eq!(StreamVerdict::of(&error), StreamVerdict::Invalid);
        }
    }
}

#[test]
fn verifying_trusts_no_engine() {
    for case in cases().into_iter().filter(|case| case.content == "invalid") {
        let settings = Settings { trust_engine: true, ..Settings::default() };
        let report = verify(&case.bytes()[..], Level::Content, &settings, &mut |_| {});
        assert_eq!(report.verdict, StreamVerdict::Invalid, "{}", case.path);
        assert!(!report.error.unwrap().rule().unwrap().starts_with('C'), "{}", case.path);
    }
}

#[test]
fn an_engine_changes_dictionaries_from_frame_to_frame() {
    let texts = [Shape::Text.data(9000, 5), Shape::Log.data(9000, 6)];
    // Raw content that begins as a formatted dictionary does is raw content all the same.
    let disguised = [&[0x37, 0xA4, 0x30, 0xEC, 1, 0, 0, 0][..], &texts[1]].concat();
    for (name, engine) in engines() {
        for bounds in WAYS {
            for raw_content in [&texts[0], &disguised] {
                let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
                let plain = compressor.compress(&texts[1][..4000]).unwrap();
                let content = &raw_content[1000..5000];
                let with = with_prefix(raw_content, content);
                let settings = Settings {
                    engine: engine.clone(),
                    bounds,
                    dictionaries: vec![Dictionary::raw(raw_content)],
                    ..Settings::default()
                };
                for _ in 0..3 {
                    let (output, result) = decode(&[&with[..], &plain, &with].concat(), &settings);
                    result.unwrap_or_else(|error| panic!("{name}, {bounds:?}: {error}"));
                    assert_eq!(output, [content, &texts[1][..4000], content].concat(), "{name}");
                }
                // The same engines, kept, without a dictionary.
                let (output, result) = decode(&plain, &Settings { dictionaries: Vec::new(), ..settings });
                result.unwrap();
                assert_eq!(output, &texts[1][..4000], "{name}");
            }
        }
    }
}

/// A frame whose content is a copy of part of what comes before it: one match of two literals' worth into the dictionary.
fn with_prefix(dictionary: &[u8], content: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::with_ref_prefix(Vec::new(), 3, dictionary).unwrap();
    io::Write::write_all(&mut encoder, content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn windows_over_what_an_engine_takes_decode_where_nothing_refers_that_far() {
    for (name, engine) in engines() {
        if lacks_room(name) {
            continue;
        }
        for descriptor in [21 << 3, 21 << 3 | 1, 22 << 3, 31 << 3 | 7] {
            let checked = frame(&[4, descriptor], &[raw(false, b"hello, "), raw(true, b"world")]);
            let stream = [hello(), checked, checksum_of(b"hello, world"), hello()].concat();
            for bounds in [WAYS[1], Bounds { window: u64::MAX, ..Bounds::SNAPSHOT }] {
                let limits = Limits::UNLIMITED;
                let settings = Settings { engine: engine.clone(), limits, bounds, ..Settings::default() };
                let (output, result) = decode(&stream, &settings);
                result.unwrap_or_else(|error| panic!("{name}, {descriptor}: {error}"));
                assert_eq!(output, b"hello, worldhello, worldhello, world", "{name}");
            }
        }
    }
}

#[test]
fn a_frame_with_the_largest_window_is_decoded_with_the_dictionary_that_it_names() {
    let bytes = std::fs::read(zvet_tests::corpus::folder().join("dict/trained.dict")).unwrap();
    let dictionary = Dictionary::new(&bytes).unwrap();
    let id = dictionary.id().unwrap().to_le_bytes();
    // Two literals, and a match of three bytes that begins ten bytes before the frame.
    let header = [&[3, 0xFF][..], &id].concat();
    let stream = frame(&header, &[compressed(true, &one_match(12))]);
    let content = [b"ab", &bytes[bytes.len() - 10..][..3]].concat();
    for (name, engine) in engines() {
        if lacks_room(name) {
            continue;
        }
        for bounds in [WAYS[1], Bounds { window: u64::MAX, ..Bounds::SNAPSHOT }] {
            let dictionaries = vec![dictionary.clone()];
            let settings = Settings {
                engine: engine.clone(),
                limits: Limits::UNLIMITED,
                bounds,
                dictionaries,
                ..Settings::default()
            };
            let (output, result) = decode(&stream, &settings);
            result.unwrap_or_else(|error| panic!("{name}, {bounds:?}: {error}"));
            assert_eq!(output, content, "{name}, {bounds:?}");
        }
    }
}

/// The content checksum that libzstd stores.
fn checksum_of(content: &[u8]) -> Vec<u8> {
    let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
    compressor.include_checksum(true).unwrap();
    let frame = compressor.compress(content).unwrap();
    frame[frame.len() - 4..].to_vec()
}

#[test]
fn c04_a_second_opinion_that_differs_is_an_error_and_nothing_is_given() {
    /// Makes one byte other than it should.
    struct Wrong(Ruzstd);
    impl Engine for Wrong {
        fn name(&self) -> &'static str {
            "wrong"
        }
        fn start(
            &mut self,
            header: &FrameHeader,
            dictionary: Option<&Dictionary>,
            input: &mut dyn Read,
        ) -> Result<(), EngineError> {
            self.0.start(header, dictionary, input)
        }
        fn decode(&mut self, input: &mut dyn Read, output: &mut [u8]) -> Result<Progress, EngineError> {
            let progress = self.0.decode(input, output)?;
            output[..progress.written].iter_mut().filter(|byte| **byte == b'w').for_each(|byte| *byte = b'W');
            Ok(progress)
        }
        fn memory(&self, window_size: u64) -> u64 {
            self.0.memory(window_size)
        }
    }
    let stream = [frame(&unsized_header(7 << 3), &[rle(true, b'a', 5000)]), hello()].concat();
    for bounds in WAYS {
        for (name, engine) in engines() {
            for second in EngineChoice::names().filter_map(EngineChoice::named) {
                let settings =
                    Settings { engine: engine.clone(), bounds, second_opinion: Some(second), ..Settings::default() };
                decode(&stream, &settings).1.unwrap_or_else(|error| panic!("{name}, {bounds:?}: {error}"));
            }
            let wrong = Some(EngineChoice::custom(|| Wrong(Ruzstd::new())));
            let settings = Settings { engine, bounds, second_opinion: wrong, ..Settings::default() };
            let (output, result) = decode(&stream, &settings);
            let error = result.unwrap_err();
            assert_eq!(error.rule(), Some("C04"), "{error}");
            assert_eq!(error.location().unwrap().frame, 1);
            assert!(error.to_string().contains(&format!("{name} and wrong make different content")), "{error}");
            assert_eq!(output, [b'a'; 5000]);
            assert_eq!(StreamVerdict::of(&error), StreamVerdict::Unreadable, "it says nothing of the stream");
        }
    }
}

/// Any engine, with any for a second opinion, makes this content of a stream whose frames it decodes as they are read.
fn pairs_make(stream: &[u8], content: &[u8]) {
    for (name, engine) in engines() {
        for (second, opinion) in engines() {
            let (engine, second_opinion) = (engine.clone(), Some(opinion));
            let settings = Settings { engine, bounds: WAYS[1], second_opinion, ..Settings::default() };
            let (output, result) = decode(stream, &settings);
            result.unwrap_or_else(|error| panic!("{name}, then {second}: {error}"));
            assert!(output == content, "{name}, then {second}");
        }
    }
}

#[test]
fn engines_that_hold_back_their_output_have_a_second_opinion_all_the_same() {
    // Twice its window, and no block that is not raw: ruzstd gives nothing before a window is full.
    let content = Shape::Noise.data(2 << 20, 1);
    let blocks: Vec<_> = content
        .chunks(100_000)
        .map(|piece| raw(piece.as_ptr_range().end == content.as_ptr_range().end, piece))
        .collect();
    let stream = frame(&unsized_header(10 << 3), &blocks);
    pairs_make(&stream, &content);
}

#[test]
fn blocks_that_make_nothing_do_not_pile_up_for_a_second_opinion() {
    // 6 MiB of empty blocks in a frame that is decoded as it is read; fewer where the processor is played by another.
    let blocks = vec![raw(false, b""); if usize::BITS > 32 { 2 << 20 } else { 64 << 10 }];
    let stream = frame(&unsized_header(7 << 3), &[blocks.concat(), raw(true, b"end")]);
    pairs_make(&stream, b"end");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_engines_and_pairs_of_them_make_what_libzstd_was_given(
        shape in prop::sample::select(&Shape::ALL[..]),
        size in 0usize..400_000,
        seed in any::<u64>(),
        level in prop::sample::select(vec![-5, 1, 3, 7, 13, 19]),
        sized in any::<bool>(),
        checksum in any::<bool>(),
        window_log in prop::sample::select(vec![10u32, 15, 21, 27]),
    ) {
        let content = shape.data(size, seed);
        let mut compressor = zstd::bulk::Compressor::new(level).unwrap();
        compressor.include_contentsize(sized).unwrap();
        compressor.include_checksum(checksum).unwrap();
        compressor.window_log(window_log).unwrap();
        let stream = compressor.compress(&content).unwrap();
        for bounds in WAYS {
            for (name, engine) in engines() {
                for second_opinion in [None, EngineChoice::named("mzstd"), EngineChoice::named("ruzstd")] {
                    let settings = Settings { engine: engine.clone(), bounds, second_opinion, ..Settings::default() };
                    let (output, result) = decode(&stream, &settings);
                    prop_assert!(result.is_ok(), "{}: {:?}", name, result);
                    prop_assert!(output == content, "{}", name);
                }
            }
        }
    }
}
