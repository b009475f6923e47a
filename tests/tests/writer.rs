//! What a `ParallelWriter` writes: the same whoever encodes and however content comes, all of it parallel, and decoded
//! by others to the same bytes. What it does when something fails is in `writer_failures.rs`.

use std::io::{Cursor, Read, Write};
use std::num::NonZeroUsize;

use proptest::prelude::*;
use zvet::source::Stream;
use zvet::{
    Decode, EncodeError, EncodeReport, EncodeSettings, EncoderChoice, FrameReport, Level, ParallelReader,
    ParallelWriter, Settings, StreamVerdict, ZstandardReport, verify,
};
use zvet_tests::data::Shape;
use zvet_tests::zstd;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const BLOCK: usize = 128 * KIB;
const FRAME_SIZE_MAX: usize = 16 * MIB - 64 * KIB;

fn settings(encoder: EncoderChoice, frame_size: usize, workers: usize) -> EncodeSettings {
    let workers = NonZeroUsize::new(workers).unwrap();
    EncodeSettings { encoder, frame_size, workers, ..EncodeSettings::default() }
}

/// Writes content in pieces of these sizes, again and again.
fn encode_in(content: &[u8], pieces: &[usize], settings: &EncodeSettings) -> (Vec<u8>, EncodeReport) {
    let mut writer = ParallelWriter::with_settings(Vec::new(), settings).unwrap();
    let mut rest = content;
    let mut sizes = pieces.iter().cycle();
    while !rest.is_empty() {
        let piece = (*sizes.next().unwrap()).min(rest.len());
        writer.write_all(&rest[..piece]).unwrap();
        rest = &rest[piece..];
    }
    writer.finish().unwrap()
}

fn encode(content: &[u8], settings: &EncodeSettings) -> Vec<u8> {
    encode_in(content, &[usize::MAX], settings).0
}

fn decode(stream: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    let source = Stream::new(Cursor::new(stream.to_vec()));
    ParallelReader::new(source).unwrap().read_to_end(&mut content).unwrap();
    content
}

/// The frames of a stream, which must be valid to the inside of its blocks.
fn frames(stream: &[u8]) -> Vec<ZstandardReport> {
    let mut frames = Vec::new();
    let report = verify(stream, Level::Entropy, &Settings::default(), &mut |frame| match frame {
        FrameReport::Zstandard(report) => frames.push(*report),
        skippable @ FrameReport::Skippable { .. } => panic!("there are only frames with content: {skippable:?}"),
    });
    assert_eq!(report.verdict, StreamVerdict::Valid, "{report:?}");
    frames
}

/// Asserts that a stream is what is promised of it.
#[track_caller]
fn assert_promised(stream: &[u8], content: &[u8], settings: &EncodeSettings) {
    let frames = frames(stream);
    let sizes: Vec<u64> = frames.iter().filter_map(|report| report.frame.header.content_size()).collect();
    let expected: Vec<u64> = match content {
        [] => vec![0],
        content => content.chunks(settings.frame_size).map(|chunk| chunk.len() as u64).collect(),
    };
    assert_eq!(sizes, expected, "each frame declares the size of its content");
    for ZstandardReport { frame, decode, .. } in frames {
        assert!(frame.header.single_segment(), "{frame:?}");
        assert!(matches!(decode, Decode::Parallel(_)), "{decode:?}");
        assert_eq!(frame.checksum.is_some(), settings.checksum, "{frame:?}");
        assert_eq!(frame.header.dictionary_id(), None);
    }
    assert!(decode(stream) == content, "it decodes to other content");
}

fn encoders() -> Vec<EncoderChoice> {
    let encoders = EncoderChoice::built_in();
    assert_eq!(encoders.len(), 3, "all are built in here");
    encoders
}

#[test]
fn no_content_is_one_empty_frame() {
    for encoder in encoders() {
        for workers in [1, 2] {
            for checksum in [true, false] {
                let settings = EncodeSettings { checksum, ..settings(encoder.clone(), MIB, workers) };
                let (stream, report) = encode_in(b"", &[1], &settings);
                assert_promised(&stream, b"", &settings);
                assert_eq!((report.frames, report.content_size), (1, 0));
                let checksum = if checksum { &[0x99, 0xE9, 0xD8, 0x51][..] } else { &[] };
                let flags = if checksum.is_empty() { 0x20 } else { 0x24 };
                assert_eq!(stream, [&[0x28, 0xB5, 0x2F, 0xFD, flags, 0, 1, 0, 0], checksum].concat(), "{encoder:?}");
            }
        }
    }
}

#[test]
fn sizes_around_blocks_and_frames_are_kept_by_every_encoder() {
    let frame_size = 2 * BLOCK;
    for encoder in encoders() {
        let settings = settings(encoder, frame_size, 2);
        for size in [
            1,
            2,
            255,
            256,
            257,
            65_535 + 256,
            65_536 + 256,
            BLOCK - 1,
            BLOCK,
            BLOCK + 1,
            frame_size - 1,
            frame_size,
            frame_size + 1,
            3 * frame_size,
        ] {
            for shape in [Shape::Text, Shape::Noise, Shape::Runs] {
                let content = shape.data(size, 3);
                assert_promised(&encode(&content, &settings), &content, &settings);
            }
        }
    }
}

#[test]
fn no_frame_ends_with_an_empty_block() {
    for encoder in encoders() {
        for shape in Shape::ALL {
            let content = shape.data(2 * BLOCK, 1);
            let stream =
                encode(&content, &EncodeSettings { checksum: false, ..settings(encoder.clone(), 2 * BLOCK, 1) });
            assert_ne!(stream[stream.len() - 3..], [1, 0, 0], "{encoder:?}, {shape:?}");
        }
    }
}

#[test]
fn frames_of_the_largest_size_are_parallel_whatever_their_content() {
    for encoder in encoders() {
        let settings = EncodeSettings { level: Some(1), ..settings(encoder, FRAME_SIZE_MAX, 1) };
        for shape in [Shape::Noise, Shape::Log] {
            let content = shape.data(FRAME_SIZE_MAX + 5, 1);
            assert_promised(&encode(&content, &settings), &content, &settings);
        }
    }
}

#[test]
fn every_shape_is_kept_at_the_default_settings() {
    for shape in Shape::ALL {
        let content = shape.data(9 * MIB, 1);
        let (stream, report) = encode_in(&content, &[100_000], &EncodeSettings::default());
        assert_promised(&stream, &content, &EncodeSettings::default());
        assert_eq!(
            (report.frames, report.content_size, report.compressed_size),
            (2, content.len() as u64, stream.len() as u64)
        );
        assert!(shape == Shape::Noise || stream.len() < content.len() * 3 / 4, "{shape:?} compresses");
    }
}

#[test]
fn settings_out_of_range_are_errors_that_say_what_there_is() {
    let wrong = |settings: &EncodeSettings| ParallelWriter::with_settings(Vec::new(), settings).unwrap_err();
    for (encoder, level) in
        [(EncoderChoice::ruzstd(), 3), (EncoderChoice::mzstd(), 23), (EncoderChoice::libzstd(), -131_073)]
    {
        let levels = encoder.levels();
        let error = wrong(&EncodeSettings { level: Some(level), ..settings(encoder, MIB, 1) });
        assert!(matches!(&error, EncodeError::Level { level: l, levels: all, .. } if *l == level && *all == levels));
        assert!(error.to_string().contains(&levels.end().to_string()), "{error}");
    }
    for size in [0, 1023, FRAME_SIZE_MAX + 1, 16 * MIB, usize::MAX] {
        let settings = settings(EncoderChoice::default(), size, 1);
        assert!(matches!(wrong(&settings), EncodeError::FrameSize(s) if s == size));
    }
    for size in [1024, FRAME_SIZE_MAX] {
        settings(EncoderChoice::default(), size, 1).check().unwrap();
    }
}

#[test]
fn level_0_is_the_default_as_in_zstd() {
    let content = Shape::Text.data(300_000, 1);
    for encoder in [EncoderChoice::mzstd(), EncoderChoice::libzstd()] {
        let of = |level| encode(&content, &EncodeSettings { level, ..settings(encoder.clone(), MIB, 1) });
        assert_eq!(encoder.default_level(), 3);
        assert!(of(Some(0)) == of(None) && of(Some(3)) == of(None) && of(Some(19)) != of(None));
    }
}

/// What libzstd makes of content that it has whole, with a window that covers it.
fn libzstd(content: &[u8], level: i32, checksum: bool) -> Vec<u8> {
    use ::zstd::zstd_safe::{CCtx, CParameter};
    let mut encoder = CCtx::create();
    encoder.set_parameter(CParameter::CompressionLevel(level)).unwrap();
    encoder.set_parameter(CParameter::WindowLog(content.len().next_power_of_two().ilog2().max(10))).unwrap();
    encoder.set_parameter(CParameter::ChecksumFlag(checksum)).unwrap();
    let mut frame = Vec::with_capacity(content.len() + content.len() / 64 + 1000);
    encoder.compress2(&mut frame, content).unwrap();
    frame
}

/// Asserts that mzstd makes, frame by frame, the bytes of libzstd.
fn assert_as_libzstd(content: &[u8], frame_size: usize, level: i32, what: &str) {
    for checksum in [true, false] {
        let settings =
            EncodeSettings { level: Some(level), checksum, ..settings(EncoderChoice::mzstd(), frame_size, 1) };
        let stream = encode(content, &settings);
        let mut rest = &stream[..];
        for (n, chunk) in content.chunks(frame_size).enumerate() {
            let expected = libzstd(chunk, level, checksum);
            let (frame, after) = rest.split_at_checked(expected.len()).unwrap_or((rest, &[]));
            assert!(frame == expected, "{what}, level {level}, frame {n} of {} bytes", chunk.len());
            rest = after;
        }
        assert!(rest.is_empty(), "{what}");
    }
}

#[test]
fn mzstd_is_byte_identical_to_libzstd_at_every_level() {
    assert_eq!(::zstd::zstd_safe::version_number(), 10_507, "what mzstd promises is of 1.5.7");
    // The last frame is of an odd size, in another class of the level's parameters.
    let size = 300 * KIB + 12_345;
    let levels = (-7..=22).filter(|&level| level != 0).chain([-131_072, -1000, -100, -20]);
    for level in levels {
        // The levels that search longest get less to do, and still every shape.
        let size = if level > 15 { size / 2 } else { size };
        for shape in Shape::ALL {
            assert_as_libzstd(&shape.data(size, 7), 256 * KIB, level, &format!("{shape:?}"));
        }
    }
}

#[test]
fn mzstd_is_byte_identical_to_libzstd_for_odd_sizes() {
    let sizes = [
        1,
        2,
        3,
        7,
        8,
        63,
        255,
        256,
        257,
        1023,
        1024,
        1025,
        16_383,
        16_385,
        65_791,
        65_793,
        BLOCK - 1,
        BLOCK,
        BLOCK + 1,
        2 * BLOCK + 1,
        256 * KIB - 1,
    ];
    for size in sizes {
        for shape in [Shape::Text, Shape::Binary, Shape::Noise, Shape::Runs] {
            for level in [-5, 1, 3, 6, 9, 13, 16, 19] {
                assert_as_libzstd(&shape.data(size, 5), MIB, level, &format!("{shape:?} of {size}"));
            }
        }
    }
}

#[test]
fn mzstd_is_byte_identical_to_libzstd_for_large_frames() {
    for (shape, level) in [(Shape::Image, 3), (Shape::Log, 1), (Shape::Binary, 5), (Shape::Records, 9)] {
        assert_as_libzstd(&shape.data(8 * MIB + 1000, 11), 8 * MIB, level, &format!("{shape:?}"));
    }
}

#[test]
fn libzstd_within_is_libzstd_alone() {
    for shape in Shape::ALL {
        let content = shape.data(150_000, 2);
        for level in [-3, 3, 12] {
            let settings = EncodeSettings { level: Some(level), ..settings(EncoderChoice::libzstd(), MIB, 1) };
            assert!(encode(&content, &settings) == libzstd(&content, level, true), "{shape:?}, level {level}");
        }
    }
}

#[test]
fn encoders_are_used_again_and_make_the_same_frames() {
    for encoder in encoders() {
        let settings = settings(encoder, 64 * KIB, 1);
        // Frames of several shapes and sizes after each other, on one encoder, and each on one of its own.
        let mut writer = ParallelWriter::with_settings(Vec::new(), &settings).unwrap();
        let mut alone = Vec::new();
        for (n, shape) in Shape::ALL.iter().cycle().take(30).enumerate() {
            let content = shape.data(1 + n * 2011 % (64 * KIB), n as u64);
            writer.write_all(&content).unwrap();
            writer.flush().unwrap();
            alone.extend(encode(&content, &settings));
        }
        assert!(writer.finish().unwrap().0 == alone, "{settings:?}");
    }
}

#[test]
fn the_zstd_command_decodes_what_is_written() {
    if zstd::command().is_none() {
        return eprintln!("no zstd command here");
    }
    for encoder in encoders() {
        for shape in Shape::ALL {
            for size in [0, 1, 3 * MIB + 17] {
                let content = shape.data(size, 9);
                let stream = encode(&content, &settings(encoder.clone(), MIB, 2));
                assert!(zstd::pipe(&["-d"], &stream) == content, "{encoder:?}, {shape:?}, {size}");
            }
        }
    }
}

#[test]
fn what_is_flushed_is_decodable_and_the_stream_goes_on() {
    for workers in [1, 3] {
        let settings = settings(EncoderChoice::default(), 10 * KIB, workers);
        let sink = Shared::default();
        let mut writer = ParallelWriter::with_settings(sink.clone(), &settings).unwrap();
        let content = Shape::Log.data(100_000, 1);
        // Nothing was written, so there is nothing to flush.
        writer.flush().unwrap();
        assert_eq!(sink.bytes(), b"");
        let mut ends = Vec::new();
        for (n, piece) in content.chunks(33_333).enumerate() {
            writer.write_all(piece).unwrap();
            writer.flush().unwrap();
            let stream = sink.bytes();
            assert!(decode(&stream) == content[..content.len().min((n + 1) * 33_333)], "all of it so far");
            ends.push(stream.len());
            writer.flush().unwrap();
            assert_eq!(sink.bytes().len(), stream.len(), "a second flush has nothing to do");
        }
        let (_, report) = writer.finish().unwrap();
        assert_eq!(Some(&sink.bytes().len()), ends.last(), "a finish after a flush adds nothing");
        // Three pieces of 33,333 bytes, each in four frames, and one of a byte.
        assert_eq!(report.frames, 13);
    }
}

#[test]
fn frames_come_to_the_sink_before_the_end() {
    let settings = settings(EncoderChoice::default(), 100 * KIB, 2);
    let sink = Shared::default();
    let mut writer = ParallelWriter::with_settings(sink.clone(), &settings).unwrap();
    let content = Shape::Text.data(100 * KIB * 10, 1);
    writer.write_all(&content).unwrap();
    // Four chunks may be on their way, and the frame of each has more than one byte.
    let stream = sink.bytes();
    let there = verify(&stream[..], Level::Envelope, &Settings::default(), &mut |_| {});
    assert!(there.totals.frames >= 5, "{there:?}");
}

#[test]
fn what_is_read_from_a_reader_is_what_is_written() {
    struct Odd<'a>(&'a [u8], usize);
    impl Read for Odd<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 += 1;
            if self.1.is_multiple_of(3) {
                return Err(std::io::ErrorKind::Interrupted.into());
            }
            let n = buffer.len().min(1 + self.1 * 7 % 5000);
            self.0.read(&mut buffer[..n])
        }
    }
    for workers in [1, 2, 5] {
        let settings = settings(EncoderChoice::default(), 64 * KIB, workers);
        for size in [0, 1, 64 * KIB, 500_000] {
            let content = Shape::Log.data(size, 1);
            let mut writer = ParallelWriter::with_settings(Vec::new(), &settings).unwrap();
            assert_eq!(writer.read_from(&mut Odd(&content, 0)).unwrap(), size as u64);
            assert_eq!(writer.read_from(&mut &b""[..]).unwrap(), 0);
            writer.write_all(b"and more").unwrap();
            let (stream, _) = writer.finish().unwrap();
            assert!(stream == encode(&[&content[..], b"and more"].concat(), &settings), "{workers} workers, {size}");
        }
    }
}

#[test]
fn a_writer_works_behind_what_std_has() {
    let content = Shape::Text.data(300_000, 1);
    let settings = settings(EncoderChoice::default(), 64 * KIB, 2);
    let mut buffered = std::io::BufWriter::new(ParallelWriter::with_settings(Vec::new(), &settings).unwrap());
    std::io::copy(&mut &content[..], &mut buffered).unwrap();
    let (stream, _) = buffered.into_inner().unwrap().finish().unwrap();
    assert!(stream == encode(&content, &settings));
}

/// A sink that others can look at.
#[derive(Clone, Debug, Default)]
struct Shared(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl Shared {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn the_stream_depends_on_content_and_settings_alone(
        shape in proptest::sample::select(&Shape::ALL[..]),
        size in 0usize..400_000,
        seed in any::<u64>(),
        frame_size in prop_oneof![1024usize..5000, 5000usize..200_000, Just(BLOCK), Just(2 * BLOCK)],
        pieces in proptest::collection::vec(prop_oneof![1usize..100, 1usize..100_000], 1..8),
        workers in 1usize..=8,
        encoder in 0usize..3,
        level in prop_oneof![-10i32..0, 1i32..12],
        checksum in any::<bool>(),
    ) {
        let encoder = encoders().swap_remove(encoder);
        let level = (encoder.name() != "ruzstd").then_some(level);
        let content = shape.data(size, seed);
        let settings = EncodeSettings { level, checksum, ..settings(encoder, frame_size, workers) };
        let (stream, report) = encode_in(&content, &pieces, &settings);
        assert_promised(&stream, &content, &settings);
        prop_assert_eq!(report.frames, size.div_ceil(frame_size).max(1) as u64);
        prop_assert_eq!((report.content_size, report.compressed_size), (size as u64, stream.len() as u64));
        let inline = EncodeSettings { workers: NonZeroUsize::MIN, ..settings };
        prop_assert!(encode(&content, &inline) == stream);
    }
}
