//! The parallel reader: order, errors, engines that fail, and stopping.

use std::io::{self, BufRead, Read};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use zvet::engine::{Engine, EngineError, Progress, Ruzstd};
use zvet::format::FrameHeader;
use zvet::source::{Source, Stream};
use zvet::{
    Bounds, Decode, Dictionary, EngineChoice, Error, FrameReport, Level, Limits, ParallelReader, Piece, Proof, Reason,
    Settings, Splitter, StreamVerdict, verify,
};
use zvet_tests::bytes::{
    W_128K, W_128M, block_header, compressed, compressed_rle, frame, hello, huffman_literals, raw, raw_literals, rle,
    sequences, single_segment_header, sized_header, skippable, unsized_header,
};
use zvet_tests::decode::{decode, ended, with_workers};

fn rule(error: &Error) -> &'static str {
    error.rule().unwrap_or("none")
}

/// How each frame of a stream is decoded.
fn modes(stream: &[u8], settings: &Settings) -> Vec<Option<Decode>> {
    let mut modes = Vec::new();
    let report = verify(stream, Level::Content, settings, &mut |frame| {
        modes.push(if let FrameReport::Zstandard(report) = frame { Some(report.decode) } else { None });
    });
    assert_eq!(report.verdict, StreamVerdict::Valid, "{report:?}");
    modes
}

/// A frame whose content is a run of one byte in pieces, made in one of several ways.
fn run_frame(way: u8, byte: u8, pieces: u32) -> (Vec<u8>, Vec<u8>) {
    let size = 5000;
    let total = size * pieces;
    let content = vec![byte; total as usize];
    let blocks = |make: fn(bool, u8, u32) -> Vec<u8>| -> Vec<Vec<u8>> {
        let last = if pieces == 0 { vec![raw(true, b"")] } else { Vec::new() };
        (0..pieces).map(|piece| make(piece + 1 == pieces, byte, size)).chain(last).collect()
    };
    let stream = match way % 6 {
        0 => frame(&unsized_header(W_128K), &blocks(compressed_rle)),
        1 => frame(&sized_header(W_128K, total), &blocks(compressed_rle)),
        2 => frame(&single_segment_header(u64::from(total)), &blocks(rle)),
        // Over the window bound of the test: decoded alone.
        3 => frame(&unsized_header(W_128M), &blocks(compressed_rle)),
        4 => frame(&unsized_header(W_128K), &blocks(|last, byte, size| raw(last, &vec![byte; size as usize]))),
        _ => return (skippable(way & 15, &content), Vec::new()),
    };
    (stream, content)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mix_of_frames_decodes_in_order(
        frames in prop::collection::vec((any::<u8>(), any::<u8>(), 0u32..6), 1..40),
        workers in 1usize..9,
        bound in prop::sample::select(vec![4u64 << 10, 20 << 10, 1 << 20]),
    ) {
        let (mut stream, mut content) = (Vec::new(), Vec::new());
        for (way, byte, pieces) in frames {
            let (frame, decoded) = run_frame(way, byte, pieces);
            stream.extend(frame);
            content.extend(decoded);
        }
        let bounds = Bounds { window: 1 << 20, output: bound, input: bound, blocks: 4 };
        let settings = Settings { bounds, ..with_workers(workers) };
        let (output, result) = decode(&stream, &settings);
        prop_assert!(result.is_ok(), "{:?}", result);
        prop_assert!(output == content);
    }

    #[test]
    fn damage_anywhere_gives_the_same_error_for_any_number_of_workers(
        frames in prop::collection::vec((any::<u8>(), any::<u8>(), 0u32..4), 1..8),
        at in any::<prop::sample::Index>(),
        flip in 1u8..=255,
    ) {
        let mut stream: Vec<u8> = frames.into_iter().flat_map(|(way, byte, pieces)| run_frame(way, byte, pieces).0).collect();
        let at = at.index(stream.len());
        stream[at] ^= flip;
        let bounds = Bounds { window: 1 << 20, output: 10 << 10, input: 10 << 10, blocks: 4 };
        let one = decode(&stream, &Settings { bounds, ..with_workers(1) });
        for workers in [2, 5] {
            let several = decode(&stream, &Settings { bounds, ..with_workers(workers) });
            prop_assert_eq!(ended(&one), ended(&several));
            prop_assert!(one.0 == several.0, "what was delivered before the error differs");
        }
    }
}

#[test]
fn a_frame_whose_last_block_crosses_the_bound_is_decoded_alone_and_the_next_beside_others() {
    let bounds = Bounds { output: 10_000, ..Bounds::SNAPSHOT };
    let settings = Settings { bounds, ..with_workers(2) };
    let fits = frame(&unsized_header(W_128K), &[rle(false, 1, 5000), rle(true, 1, 5000)]);
    let crosses = frame(&unsized_header(W_128K), &[rle(false, 2, 5000), rle(false, 2, 5000), rle(true, 2, 1)]);
    let stream = [fits.clone(), crosses, fits].concat();
    let parallel = Some(Decode::Parallel(Proof::Bound));
    assert_eq!(modes(&stream, &settings), [parallel, Some(Decode::Serial(Reason::Output)), parallel]);
    let (output, result) = decode(&stream, &settings);
    result.unwrap();
    assert_eq!(output, [vec![1; 10_000], vec![2; 10_001], vec![1; 10_000]].concat());
}

#[test]
fn a_small_frame_with_a_window_of_128_mib_is_decoded_alone() {
    let stream = [hello(), frame(&unsized_header(W_128M), &[raw(true, b"small")]), hello()].concat();
    let modes = modes(&stream, &with_workers(2));
    assert_eq!(modes[1], Some(Decode::Serial(Reason::Window)));
    assert!(matches!(modes[2], Some(Decode::Parallel(_))));
    assert_eq!(decode(&stream, &with_workers(2)).0, b"hello, worldsmallhello, world");
}

#[test]
fn a_frame_that_declares_100_bytes_and_carries_256_mib_of_blocks_is_not_buffered() {
    // Empty compressed blocks make nothing, so that only the frame's input gives it away.
    let block = zvet_tests::bytes::compressed(false, &[0, 0]);
    let start = frame(&sized_header(W_128K, 100), &[]);
    let endless = start.into_iter().chain(block.into_iter().cycle().take(256 << 20));
    let source = Stream::new(Bytes(endless));
    let mut splitter = Splitter::new(source, &Settings { bounds: Bounds::SNAPSHOT, ..Settings::default() });
    let Some(Piece::Serial(serial)) = splitter.next_piece().unwrap() else { panic!("it is held whole") };
    assert_eq!(serial.reason(), Some(Reason::Blocks));
    assert!(serial.offset() <= 16 << 20);
}

/// A reader of an iterator's bytes.
struct Bytes<I>(I);

impl<I: Iterator<Item = u8>> Read for Bytes<I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut n = 0;
        for (to, from) in buffer.iter_mut().zip(&mut self.0) {
            *to = from;
            n += 1;
        }
        Ok(n)
    }
}

#[test]
fn a_block_over_128_kib_is_refused_before_its_content_is_read() {
    let stream = frame(&unsized_header(W_128M), &[zvet_tests::bytes::block_header(true, 0, 131_073).to_vec()]);
    let (_, result) = decode(&stream, &with_workers(2));
    assert_eq!(rule(&result.unwrap_err()), "B03");
}

#[test]
fn an_unfit_frame_is_read_from_its_first_byte() {
    let unfit = frame(&unsized_header(W_128K), &[rle(false, 1, 5000), raw(false, &[2; 300]), rle(true, 3, 5000)]);
    let stream = [hello(), unfit.clone(), hello()].concat();
    for output in [0, 5000, 5300] {
        let bounds = Bounds { output, ..Bounds::SNAPSHOT };
        let settings = Settings { bounds, ..Settings::default() };
        let mut splitter = Splitter::new(&stream[..], &settings);
        let mut serials = 0;
        while let Some(piece) = splitter.next_piece().unwrap() {
            if let Piece::Serial(mut serial) = piece {
                let mut bytes = Vec::new();
                let offset = serial.frame().offset;
                serial.read_to_end(&mut bytes).unwrap();
                let frame = *serial.frame();
                assert_eq!(frame.compressed_size, bytes.len() as u64);
                assert_eq!(bytes, stream[usize::try_from(offset).unwrap()..][..bytes.len()]);
                serials += 1;
            }
        }
        assert!(serials >= 1);
    }
}

#[test]
fn what_is_left_of_an_unfit_frame_is_skipped() {
    let unfit = frame(&unsized_header(W_128M), &[raw(false, &[2; 300]), raw(true, &[2; 300])]);
    let stream = [unfit, hello()].concat();
    let mut splitter = Splitter::new(&stream[..], &Settings::default());
    assert!(matches!(splitter.next_piece().unwrap(), Some(Piece::Serial(_))));
    assert!(matches!(splitter.next_piece().unwrap(), Some(Piece::Whole(_))));
    assert!(splitter.next_piece().unwrap().is_none());
}

#[test]
fn f09_content_that_is_not_of_the_declared_size_is_an_error() {
    for declared in [4999, 5001] {
        for window in [W_128K, W_128M] {
            let stream = frame(&sized_header(window, declared), &[compressed_rle(true, 7, 5000)]);
            let (output, result) = decode(&stream, &with_workers(2));
            assert_eq!(rule(&result.unwrap_err()), "F09");
            assert!(output.len() <= 5000);
        }
    }
}

#[test]
fn f09_content_past_the_declared_size_is_the_streams_fault_and_not_the_engines() {
    // Only the inside of blocks shows it, and more of them come after the one that makes too much.
    let blocks = |last: Vec<u8>| vec![compressed_rle(false, 7, 5000), compressed_rle(false, 7, 5000), last];
    for window in [W_128K, W_128M] {
        let whole = frame(&sized_header(window, 4999), &blocks(raw(true, b"")));
        let broken = frame(&sized_header(window, 4999), &blocks(compressed(true, b"ab")));
        let truncated = &whole[..whole.len() - 1];
        for (stream, rule, at) in [(&whole[..], "F09", 0), (&broken, "S01", 31), (truncated, "F12", 28)] {
            for level in [Level::Entropy, Level::Content] {
                let error = verify(stream, level, &with_workers(2), &mut |_| {}).error.unwrap();
                assert_eq!((error.rule(), error.location().unwrap().offset), (Some(rule), at), "{level}: {error}");
            }
            let error = decode(stream, &with_workers(2)).1.unwrap_err();
            assert_eq!(self::rule(&error), rule, "{error}");
        }
    }
}

#[test]
fn d02_stops_a_reader_before_a_later_fault_however_a_frame_is_held() {
    // Treeless literals first, and then a block past the declared size, a reserved block type, or nothing.
    let treeless = compressed(false, &[0x33, 0x40, 0, 15, 0]);
    for (after, rule, at) in [(raw(true, &[0; 101]), "F09", 18), (vec![7, 0, 0], "B02", 18), (Vec::new(), "F12", 18)] {
        let stream = frame(&sized_header(W_128K, 100), &[treeless.clone(), after]);
        for bounds in [Bounds::SNAPSHOT, Bounds { window: 0, ..Bounds::SNAPSHOT }] {
            let settings = Settings { bounds, ..with_workers(2) };
            let error = decode(&stream, &settings).1.unwrap_err();
            assert!(error.to_string().starts_with("frame 0, block 0, byte 13: "), "{error}");
            assert_eq!(self::rule(&error), "D02", "{error}");
            // For a verifier the later fault outweighs it.
            let error = verify(&stream[..], Level::Content, &settings, &mut |_| {}).error.unwrap();
            assert_eq!((error.rule(), error.location().unwrap().offset), (Some(rule), at), "{error}");
        }
    }
}

#[test]
fn of_two_faults_in_a_block_the_first_is_told_however_its_frame_is_held() {
    // Eight literals and eight bits too many, and a sequence that takes fifteen of them.
    let both = [huffman_literals(8, &[0, 0, 1]), sequences(1, [15, 0, 0], &[1])].concat();
    for blocks in [
        vec![compressed(true, &both)],
        vec![compressed(false, &both), raw(true, b"")],
        vec![raw(false, b"before"), compressed(true, &both)],
        vec![raw(false, b"before"), compressed(false, &both), rle(true, 0, 4000)],
    ] {
        let stream = [hello(), frame(&unsized_header(W_128K), &blocks), hello()].concat();
        for output in [0, 5, 100, 2000, 200_000, 16 << 20] {
            let settings = Settings { bounds: Bounds { output, ..Bounds::SNAPSHOT }, ..with_workers(2) };
            let error = decode(&stream, &settings).1.unwrap_err();
            assert_eq!(rule(&error), "L11", "{output}: {error}");
            for level in [Level::Entropy, Level::Content] {
                let error = verify(&stream[..], level, &settings, &mut |_| {}).error.unwrap();
                assert_eq!(rule(&error), "L11", "{output}, {level}: {error}");
            }
        }
    }
}

#[test]
fn f10_a_wrong_checksum_is_an_error_of_the_frame_and_none_of_its_content_was_given() {
    let checked = |window: u8, checksum: [u8; 4]| {
        [frame(&[4, window], &[raw(true, b"hello, world")]), checksum.to_vec()].concat()
    };
    // The low half of XXH64 of "hello, world".
    let right = {
        let stream = checked(W_128K, [0; 4]);
        let error = decode(&stream, &with_workers(1)).1.unwrap_err();
        match error {
            Error::Format(error) => match error.kind {
                zvet::format::ErrorKind::Checksum { computed, .. } => computed.to_le_bytes(),
                other => panic!("{other}"),
            },
            other => panic!("{other}"),
        }
    };
    let good = checked(W_128K, right);
    let stream = [good.clone(), checked(W_128K, [0; 4])].concat();
    let (output, result) = decode(&stream, &with_workers(2));
    assert_eq!(output, b"hello, world");
    let error = result.unwrap_err();
    assert_eq!(rule(&error), "F10");
    let place = (good.len() * 2 - 4) as u64;
    assert!(error.to_string().starts_with(&format!("frame 1, byte {place}: ")), "{error}");

    let (_, result) = decode(&[good, checked(W_128M, right), checked(W_128M, [0; 4])].concat(), &with_workers(2));
    let error = result.unwrap_err();
    assert_eq!(rule(&error), "F10");
    assert!(error.to_string().starts_with("frame 2, "), "{error}");
}

#[test]
fn the_first_error_stays() {
    let stream = [hello(), b"trailing".to_vec()].concat();
    let mut reader =
        ParallelReader::with_settings(io::Cursor::new(stream).into_inner().leak() as &[u8], &with_workers(1)).unwrap();
    let mut output = Vec::new();
    let first = reader.read_to_end(&mut output).unwrap_err().to_string();
    assert_eq!(output, b"hello, world");
    for _ in 0..3 {
        assert_eq!(reader.read(&mut [0; 8]).unwrap_err().to_string(), first);
        assert_eq!(reader.fill_buf().unwrap_err().to_string(), first);
    }
    let report = reader.into_report().unwrap();
    assert_eq!(report.verdict, StreamVerdict::Invalid);
    assert_eq!(report.error.unwrap().rule(), Some("F01"));
}

#[test]
fn finishing_reads_to_the_end_and_finds_what_is_wrong_there() {
    let mut reader = ParallelReader::new(Stream::new(io::Cursor::new([hello(), hello()].concat()))).unwrap();
    reader.read_exact(&mut [0; 12]).unwrap();
    let report = reader.finish().unwrap();
    assert_eq!((report.totals.frames, report.totals.decoded_size.exact()), (2, Some(24)));

    let mut reader = ParallelReader::new(Stream::new(io::Cursor::new([hello(), vec![0]].concat()))).unwrap();
    reader.read_exact(&mut [0; 12]).unwrap();
    assert_eq!(reader.finish().unwrap_err().rule(), Some("F01"));
}

#[test]
fn a_reader_that_is_not_read_to_its_end_has_no_report() {
    let mut reader = ParallelReader::new(Stream::new(io::Cursor::new([hello(), hello()].concat()))).unwrap();
    reader.read_exact(&mut [0; 12]).unwrap();
    assert!(reader.into_report().is_none());
}

#[test]
fn truncated_streams_end_with_unexpected_eof() {
    let stream = [hello(), hello()].concat();
    for size in [1, 10, 22, 30, 41] {
        let (_, result) = decode(&stream[..size], &with_workers(2));
        assert_eq!(io::Error::from(result.unwrap_err()).kind(), io::ErrorKind::UnexpectedEof, "at {size}");
    }
}

#[test]
fn f13_no_input_is_an_error_unless_it_is_allowed() {
    let (_, result) = decode(b"", &with_workers(1));
    assert_eq!(rule(&result.unwrap_err()), "F13");
    let allowing = Settings { allow_empty: true, ..with_workers(1) };
    let (output, result) = decode(b"", &allowing);
    result.unwrap();
    assert!(output.is_empty());
    assert_eq!(verify(&b""[..], Level::Envelope, &allowing, &mut |_| {}).verdict, StreamVerdict::Valid);
    // Truncation is none the less an error.
    let (_, result) = decode(b"\x28", &allowing);
    assert_eq!(rule(&result.unwrap_err()), "F12");
}

#[test]
fn x02_output_stops_at_the_limit() {
    let frames = |header: &[u8]| frame(header, &[compressed_rle(true, 0, 5000)]).repeat(4);
    for header in [unsized_header(W_128K), unsized_header(W_128M)] {
        let limits = Limits { output: 12_000, ..Limits::SNAPSHOT };
        let (output, result) = decode(&frames(&header), &Settings { limits, ..with_workers(2) });
        assert_eq!(rule(&result.unwrap_err()), "X02");
        assert!(output.len() <= 12_000);
    }
}

#[test]
fn x01_and_d01_stop_a_reader_and_are_stepped_over_by_a_verifier() {
    let wide = frame(&unsized_header(W_128M | 1), &[raw(true, b"wide")]);
    let named = frame(&[0x21, 7, 5], &[raw(true, b"named")]);
    for (unfit, id, verdict) in
        [(wide, "X01", StreamVerdict::OverLimit), (named, "D01", StreamVerdict::NeedsDictionary)]
    {
        let stream = [hello(), unfit, hello()].concat();
        let (output, result) = decode(&stream, &with_workers(2));
        assert_eq!(output, b"hello, world");
        assert_eq!(rule(&result.unwrap_err()), id);
        for level in [Level::Envelope, Level::Content] {
            let report = verify(&stream[..], level, &with_workers(2), &mut |_| {});
            assert_eq!((report.verdict, report.totals.frames), (verdict, 3));
            // A fault after it outweighs it.
            let damaged = [&stream[..], &[0]].concat();
            let report = verify(&damaged[..], level, &with_workers(2), &mut |_| {});
            assert_eq!(report.verdict, StreamVerdict::Invalid);
            assert_eq!(report.error.unwrap().rule(), Some("F01"));
        }
    }
}

#[test]
fn a_source_that_fails_keeps_its_kind() {
    struct Failing(usize);
    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::Error::new(io::ErrorKind::ConnectionReset, "the peer went away"));
            }
            self.0 -= 1;
            buffer[..21].copy_from_slice(&hello());
            Ok(21)
        }
    }
    let mut reader = ParallelReader::with_settings(Stream::new(Failing(2)), &with_workers(1)).unwrap();
    let mut output = Vec::new();
    let error = reader.read_to_end(&mut output).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    assert_eq!(output, b"hello, worldhello, world");
    assert_eq!(error.to_string(), "reading at byte 42: the peer went away");
    let report = verify(Stream::new(Failing(2)), Level::Content, &with_workers(1), &mut |_| {});
    assert_eq!(report.verdict, StreamVerdict::Unreadable);
}

/// An engine that does something wrong when it comes to a frame of this window.
struct Broken {
    engine: Ruzstd,
    what: Fault,
    armed: bool,
}

/// 4.5 KiB.
const W_ODD: u8 = 2 << 3 | 1;

#[derive(Clone, Copy, Debug)]
enum Fault {
    PanicAtStart,
    Panic,
    ClaimMore,
    WriteLess,
    WriteMore,
    StopEarly,
    Stuck,
    Refuse,
}

impl Engine for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }
    fn start(
        &mut self,
        header: &FrameHeader,
        dictionary: Option<&Dictionary>,
        input: &mut dyn Read,
    ) -> Result<(), EngineError> {
        self.armed = header.window_size() == 4608;
        assert!(!(self.armed && matches!(self.what, Fault::PanicAtStart)), "at the start");
        self.engine.start(header, dictionary, input)
    }
    fn decode(&mut self, input: &mut dyn Read, output: &mut [u8]) -> Result<Progress, EngineError> {
        if self.armed {
            match self.what {
                Fault::Stuck => return Ok(Progress { written: 0, done: false }),
                Fault::StopEarly => return Ok(Progress { written: 0, done: true }),
                _ => {}
            }
        }
        let progress = self.engine.decode(input, output)?;
        if !self.armed {
            return Ok(progress);
        }
        match self.what {
            Fault::Panic => panic!("in the middle"),
            Fault::ClaimMore => Ok(Progress { written: output.len() + 1, ..progress }),
            Fault::WriteLess => Ok(Progress { written: progress.written.saturating_sub(1), ..progress }),
            Fault::WriteMore => Ok(Progress { written: output.len(), done: false }),
            Fault::Refuse => Err(EngineError::Corrupt("it does not like it".to_owned())),
            Fault::PanicAtStart | Fault::StopEarly | Fault::Stuck => unreachable!(),
        }
    }
    fn memory(&self, window_size: u64) -> u64 {
        self.engine.memory(window_size)
    }
}

/// Decodes a frame that the engine goes wrong at between good ones: held whole by a worker, held whole and small, and
/// serial. Each time the frame alone fails.
fn assert_engine_fails(what: Fault, header: &[u8], rule_id: &str) {
    let engine = EngineChoice::custom(move || Broken { engine: Ruzstd::new(), what, armed: false });
    let bounds = [Bounds::SNAPSHOT, Bounds { window: 4000, ..Bounds::SNAPSHOT }];
    for (content, bounds) in [(vec![7; 4500], bounds[0]), (vec![7; 12], bounds[0]), (vec![7; 4500], bounds[1])] {
        let header = match header {
            [0x80, _] => sized_header(W_ODD, u32::try_from(content.len()).unwrap()),
            other => other.to_vec(),
        };
        let odd = frame(&header, &[raw(false, &content[..5]), raw(true, &content[5..])]);
        let settings = Settings { engine: engine.clone(), bounds, ..with_workers(2) };
        let (output, result) = decode(&[hello(), odd, hello()].concat(), &settings);
        let error = result.unwrap_err();
        assert_eq!(rule(&error), rule_id, "{what:?}: {error}");
        assert!(error.to_string().starts_with("frame 1, "), "{what:?}: {error}");
        assert!(output.starts_with(b"hello, world"));
        assert!(output[12..].iter().all(|&byte| byte == 7), "what is wrong was given out");
        // The engine's faults are its own: other frames are fine.
        let (output, result) = decode(&[hello(), hello()].concat(), &settings);
        result.unwrap();
        assert_eq!(output, b"hello, worldhello, world");
    }
}

#[test]
fn c01_an_engine_that_refuses_a_valid_block_makes_the_stream_over_its_limit() {
    assert_engine_fails(Fault::Refuse, &unsized_header(W_ODD), "C01");
    let engine = EngineChoice::custom(move || Broken { engine: Ruzstd::new(), what: Fault::Refuse, armed: false });
    let stream = [hello(), frame(&unsized_header(W_ODD), &[raw(false, b"abc"), raw(true, &[1; 4000])])].concat();
    let report = verify(&stream[..], Level::Content, &Settings { engine, ..with_workers(2) }, &mut |_| {});
    assert_eq!(report.verdict, StreamVerdict::OverLimit);
    let message = report.error.unwrap().to_string();
    let expected = "frame 1, byte 21: broken cannot decode the frame, though it is valid: it does not like it (C01)";
    assert_eq!(message, expected);
    // It is about one frame: what comes after it is looked at.
    let engine = EngineChoice::custom(move || Broken { engine: Ruzstd::new(), what: Fault::Refuse, armed: false });
    let damaged = [stream, hello(), vec![0]].concat();
    let report = verify(&damaged[..], Level::Content, &Settings { engine, ..with_workers(2) }, &mut |_| {});
    assert_eq!((report.verdict, report.totals.frames), (StreamVerdict::Invalid, 3));
}

#[test]
fn c02_an_engine_that_panics_fails_its_frame_and_nothing_else() {
    assert_engine_fails(Fault::PanicAtStart, &unsized_header(W_ODD), "C02");
    assert_engine_fails(Fault::Panic, &unsized_header(W_ODD), "C02");
}

#[test]
fn c03_an_engine_whose_output_is_not_what_the_blocks_make_is_not_believed() {
    for what in [Fault::ClaimMore, Fault::WriteLess, Fault::StopEarly, Fault::Stuck] {
        assert_engine_fails(what, &unsized_header(W_ODD), "C03");
    }
    for what in [Fault::WriteLess, Fault::WriteMore, Fault::StopEarly] {
        assert_engine_fails(what, &[0x80, W_ODD], "C03");
    }
}

#[test]
fn the_place_of_a_block_that_does_not_decode_is_told() {
    let bad = zvet_tests::bytes::compressed(true, &[0x03, 0xFF, 0xFF]);
    for (window, size) in [(W_128K, 3), (W_128K, 3000), (W_128M, 3)] {
        let stream = [hello(), frame(&unsized_header(window), &[raw(false, &vec![b'a'; size]), bad.clone()])].concat();
        let error = decode(&stream, &with_workers(2)).1.unwrap_err();
        assert_eq!(rule(&error), "L03");
        // The block's content begins three bytes after its header.
        let place = format!("frame 1, block 1, byte {}: ", 21 + 6 + 3 + size + 3);
        assert!(error.to_string().starts_with(&place), "{error}");
    }
}

/// A frame of one compressed block with a match that begins before it.
fn before_the_frame(window: u8) -> Vec<u8> {
    // Two raw literals, and a sequence of them, an offset of 28 and a length of 10.
    frame(&unsized_header(window), &[zvet_tests::bytes::compressed(true, &[0x10, b'1', b'2', 1, 0, 0xBF, 0x4D, 0x2C])])
}

#[test]
fn d02_frames_that_need_a_dictionary_are_stepped_over_by_a_verifier_however_many() {
    for window in [W_128K, W_128M] {
        let stream = [hello(), before_the_frame(window).repeat(5), hello(), before_the_frame(window), hello()].concat();
        let mut frames = Vec::new();
        let report = verify(&stream[..], Level::Content, &with_workers(2), &mut |frame| frames.push(*frame));
        assert_eq!(report.verdict, StreamVerdict::NeedsDictionary);
        assert_eq!(report.error.unwrap().rule(), Some("D02"));
        assert_eq!((report.totals.frames, frames.len()), (9, 9));
        let complete = |frame: &FrameReport| matches!(frame, FrameReport::Zstandard(report) if report.complete);
        assert!(frames.iter().all(complete), "{frames:?}");
        let (output, result) = decode(&stream, &with_workers(2));
        assert_eq!((rule(&result.unwrap_err()), &output[..]), ("D02", &b"hello, world"[..]));
    }
}

#[test]
fn d02_gives_way_to_a_fault_that_comes_after_it() {
    for window in [W_128K, W_128M] {
        let mut frame = before_the_frame(window);
        let header = frame.len() - 11;
        frame[header] &= !1;
        frame.extend(zvet_tests::bytes::block_header(true, 3, 0));
        for stream in
            [frame.clone(), [before_the_frame(window), frame].concat(), [before_the_frame(window), vec![0]].concat()]
        {
            let mut frames = 0;
            let report = verify(&stream[..], Level::Content, &with_workers(2), &mut |_| frames += 1);
            assert_eq!(report.verdict, StreamVerdict::Invalid, "{report:?}");
            assert_eq!(report.totals.frames, frames);
            let inspected = zvet::inspect(&stream[..], false, &with_workers(1), &mut |_| {});
            assert_eq!(inspected.totals.frames, frames, "each frame is told of once");
        }
    }
}

#[test]
fn a_splitter_that_refused_once_refuses_for_good() {
    let wide = frame(&unsized_header(W_128M | 1), &[raw(true, b"wide")]);
    let stream = [wide, hello()].concat();
    let mut splitter = Splitter::new(&stream[..], &Settings::default());
    let first = splitter.next_piece().unwrap_err().to_string();
    for _ in 0..3 {
        assert_eq!(splitter.next_piece().unwrap_err().to_string(), first);
    }
    let broken =
        frame(&unsized_header(W_128M), &[raw(false, b"x"), zvet_tests::bytes::block_header(true, 3, 0).to_vec()]);
    let stream = [broken, hello()].concat();
    let mut splitter = Splitter::new(&stream[..], &Settings::default());
    let Some(Piece::Serial(mut serial)) = splitter.next_piece().unwrap() else { panic!() };
    assert!(serial.read_to_end(&mut Vec::new()).is_err());
    assert!(serial.read(&mut [0; 8]).is_err());
    assert_eq!(splitter.next_piece().unwrap_err().rule(), Some("B02"));
}

/// A source that tells when it is dropped, and blocks for a while in each read.
struct Slow {
    stream: Vec<u8>,
    position: usize,
    pause: Duration,
    alive: Arc<AtomicBool>,
    reads: Arc<AtomicUsize>,
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.alive.store(false, Ordering::SeqCst);
    }
}

impl Source for Slow {
    fn fill(&mut self) -> io::Result<&[u8]> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(self.pause);
        let end = (self.position + 100).min(self.stream.len());
        Ok(&self.stream[self.position..end])
    }
    fn consume(&mut self, n: usize) {
        self.position += n;
    }
}

#[test]
fn dropping_a_reader_stops_its_threads_wherever_they_are() {
    let frames: Vec<u8> = [hello(), frame(&unsized_header(W_128M), &[raw(true, b"serial")])].concat().repeat(2000);
    for taken in [0, 1, 12, 13, 500, 5000] {
        for pause in [Duration::ZERO, Duration::from_millis(1)] {
            let alive = Arc::new(AtomicBool::new(true));
            let reads = Arc::new(AtomicUsize::new(0));
            let source =
                Slow { stream: frames.clone(), position: 0, pause, alive: alive.clone(), reads: reads.clone() };
            let mut reader = ParallelReader::with_settings(source, &with_workers(3)).unwrap();
            if pause.is_zero() || taken < 100 {
                reader.read_exact(&mut vec![0; taken]).unwrap();
            }
            let start = Instant::now();
            drop(reader);
            assert!(start.elapsed() < Duration::from_secs(5), "it took {:?}", start.elapsed());
            assert!(!alive.load(Ordering::SeqCst), "the splitter is gone, and its source with it");
        }
    }
}

#[test]
fn a_stopped_reader_finishes_at_most_the_read_that_it_is_in() {
    // A skippable frame of 4 GiB from a pipe that gives 100 bytes at a time, for hours.
    let alive = Arc::new(AtomicBool::new(true));
    let reads = Arc::new(AtomicUsize::new(0));
    let start = [&[0x50, 0x2A, 0x4D, 0x18][..], &u32::MAX.to_le_bytes(), &vec![0; 64 << 20]].concat();
    let pause = Duration::from_millis(5);
    let source = Slow { stream: start, position: 0, pause, alive: alive.clone(), reads: reads.clone() };
    let reader = ParallelReader::with_settings(source, &with_workers(1)).unwrap();
    while reads.load(Ordering::SeqCst) < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let before = reads.load(Ordering::SeqCst);
    drop(reader);
    assert!(!alive.load(Ordering::SeqCst));
    let after = reads.load(Ordering::SeqCst);
    assert!(after <= before + 5, "{after} reads, {before} of them before");
}

#[test]
fn no_more_frames_are_held_than_workers_and_one() {
    /// Counts frames that were read and not yet taken.
    struct Counting {
        frames: Vec<u8>,
        position: usize,
        size: usize,
        taken: Arc<AtomicUsize>,
        most: Arc<Mutex<usize>>,
    }
    impl Source for Counting {
        fn fill(&mut self) -> io::Result<&[u8]> {
            let read = self.position / self.size;
            let held = read.saturating_sub(self.taken.load(Ordering::SeqCst));
            let mut most = self.most.lock().unwrap();
            *most = (*most).max(held);
            let end = (self.position + 700).min(self.frames.len());
            Ok(&self.frames[self.position..end])
        }
        fn consume(&mut self, n: usize) {
            self.position += n;
        }
    }
    // Small ones, which the splitter decodes, and ones for workers.
    for content in [12, 5000] {
        let one = frame(&unsized_header(W_128K), &[raw(true, &vec![1; content])]);
        for workers in [1, 2, 4] {
            let (taken, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(0)));
            let (frames, size) = (one.repeat(100), one.len());
            let source = Counting { frames, position: 0, size, taken: taken.clone(), most: most.clone() };
            let mut reader = ParallelReader::with_settings(source, &with_workers(workers)).unwrap();
            for _ in 0..100 {
                reader.read_exact(&mut vec![0; content]).unwrap();
                taken.fetch_add(1, Ordering::SeqCst);
            }
            // The frame that is being taken counts until the next is asked for.
            let most = *most.lock().unwrap();
            assert!(most <= workers + 1, "{most} frames were held with {workers} workers");
        }
    }
}

#[test]
fn a_fault_in_a_block_comes_before_a_limit_that_its_frame_is_over() {
    // Reserved bits in a block of a frame that at its end is over the ratio.
    let broken = zvet_tests::bytes::compressed(false, &[0x10, b'a', b'b', 1, 0x57, 2, 2, 0, 0b101]);
    let mut blocks = vec![broken];
    blocks.extend((0..41).map(|n| zvet_tests::bytes::compressed(n == 40, &[0, 0])));
    let stream = frame(&single_segment_header(4 << 20), &blocks);
    let limits = Limits { ratio: Some(zvet::Ratio { slack: 1 << 20, factor: 1 }), ..Limits::SNAPSHOT };
    for bounds in [Bounds::SNAPSHOT, Bounds { input: 10, ..Bounds::SNAPSHOT }] {
        let settings = Settings { limits, bounds, ..with_workers(2) };
        let report = verify(&stream[..], Level::Content, &settings, &mut |_| {});
        assert_eq!(report.error.unwrap().rule(), Some("S02"));
    }
}

#[test]
fn a_frame_that_may_make_too_much_and_needs_a_dictionary_is_walked_to_its_end() {
    const BLOCKS: usize = 300;
    // Of several sizes, so that one is not taken for another.
    let valid = |n: usize| compressed(false, &[&raw_literals(&b"literals"[..=n % 8])[..], &[0]].concat());
    // Treeless literals, and no tree before.
    let needy = compressed(false, &[0x13, 0x40, 0, 1, 0]);
    let last = raw(true, b"");
    let broken = block_header(true, 3, 0).to_vec();
    // The bound on output is passed by what 128 blocks may make.
    for at in [0, 1, 126, 127, 128, 129, 200, BLOCKS - 1] {
        let mut blocks: Vec<_> = (0..BLOCKS).map(valid).collect();
        blocks[at].clone_from(&needy);
        for (end, found) in [(&last, "D02"), (&broken, "B02")] {
            let stream = frame(&unsized_header(W_128K), &[&blocks[..], std::slice::from_ref(end)].concat());
            let stream = [hello(), stream, if found == "D02" { hello() } else { Vec::new() }].concat();
            let said = |level| format!("{:?}", verify(&stream[..], level, &with_workers(2), &mut |_| {}).error);
            let report = verify(&stream[..], Level::Content, &with_workers(2), &mut |_| {});
            assert_eq!(report.error.as_ref().and_then(Error::rule), Some(found), "block {at}: {:?}", report.error);
            assert_eq!(said(Level::Content), said(Level::Entropy), "block {at}");
            // What decodes stops at the first thing that it cannot decode, in the order of the stream.
            let (_, result) = decode(&stream, &with_workers(2));
            let error = result.unwrap_err();
            assert!(rule(&error) == "D02" || rule(&error) == found, "block {at}: {error}");
        }
    }
}
