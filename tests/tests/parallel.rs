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
    compressed_rle, frame, hello, raw, rle, single_segment_header, sized_header, skippable, unsized_header,
};

const W_128K: u8 = 7 << 3;
const W_128M: u8 = 17 << 3;

fn with_workers(workers: usize) -> Settings {
    Settings { workers: workers.try_into().unwrap(), ..Settings::default() }
}

fn decode(stream: &[u8], settings: &Settings) -> (Vec<u8>, io::Result<()>) {
    let mut output = Vec::new();
    let mut reader = ParallelReader::with_settings(Stream::new(io::Cursor::new(stream.to_vec())), settings).unwrap();
    let result = reader.read_to_end(&mut output).map(drop);
    (output, result)
}

fn rule(error: &io::Error) -> &'static str {
    error.get_ref().and_then(|error| error.downcast_ref::<Error>()).and_then(Error::rule).unwrap_or("none")
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
            prop_assert_eq!(one.1.as_ref().map_err(ToString::to_string), several.1.as_ref().map_err(ToString::to_string));
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
    assert_eq!(serial.reason(), Reason::Blocks);
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
fn f10_a_wrong_checksum_is_an_error_of_the_frame_and_none_of_its_content_was_given() {
    let checked = |window: u8, checksum: [u8; 4]| {
        [frame(&[4, window], &[raw(true, b"hello, world")]), checksum.to_vec()].concat()
    };
    // The low half of XXH64 of "hello, world".
    let right = {
        let stream = checked(W_128K, [0; 4]);
        let error = decode(&stream, &with_workers(1)).1.unwrap_err();
        let error = error.get_ref().unwrap().downcast_ref::<Error>().unwrap().clone();
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
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::UnexpectedEof, "at {size}");
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

/// An engine that does something wrong when it comes to the frame with this content size.
struct Broken {
    engine: Ruzstd,
    what: Fault,
    at: u64,
    armed: bool,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    PanicAtStart,
    Panic,
    ClaimMore,
    WriteLess,
    WriteMore,
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
        self.armed = header.content_size() == Some(self.at);
        assert!(!(self.armed && matches!(self.what, Fault::PanicAtStart)), "at the start");
        self.engine.start(header, dictionary, input)
    }
    fn decode(&mut self, input: &mut dyn Read, output: &mut [u8]) -> Result<Progress, EngineError> {
        let progress = self.engine.decode(input, output)?;
        if !self.armed {
            return Ok(progress);
        }
        match self.what {
            Fault::Panic => panic!("in the middle"),
            Fault::ClaimMore => Ok(Progress { written: output.len() + 1, ..progress }),
            Fault::WriteLess => Ok(Progress { written: progress.written.saturating_sub(1), ..progress }),
            Fault::WriteMore => Ok(Progress { written: output.len(), done: false }),
            Fault::PanicAtStart => unreachable!(),
        }
    }
    fn memory(&self, window_size: u64) -> u64 {
        self.engine.memory(window_size)
    }
}

#[test]
fn an_engine_that_panics_or_lies_fails_its_frame_and_nothing_else() {
    let odd = frame(&[0x20, 5], &[raw(true, b"odd 5")]);
    for (what, id) in [
        (Fault::PanicAtStart, "C02"),
        (Fault::Panic, "C02"),
        (Fault::ClaimMore, "C03"),
        (Fault::WriteLess, "F09"),
        (Fault::WriteMore, "F09"),
    ] {
        let engine = EngineChoice::custom(move || Broken { engine: Ruzstd::new(), what, at: 5, armed: false });
        for bounds in [Bounds::SNAPSHOT, Bounds { output: 4, ..Bounds::SNAPSHOT }] {
            let settings = Settings { engine: engine.clone(), bounds, ..with_workers(2) };
            let (output, result) = decode(&[hello(), odd.clone(), hello()].concat(), &settings);
            let error = result.unwrap_err();
            assert_eq!(rule(&error), id, "{what:?}: {error}");
            assert!(error.to_string().starts_with("frame 1, "), "{error}");
            assert!(output.starts_with(b"hello, world"));
            // The engine's faults are its own: other frames are fine.
            let (output, result) = decode(&[hello(), hello()].concat(), &settings);
            result.unwrap();
            assert_eq!(output, b"hello, worldhello, world");
        }
    }
}

#[test]
fn c01_the_place_of_a_block_that_does_not_decode_is_told() {
    let bad = zvet_tests::bytes::compressed(true, &[0x03, 0xFF, 0xFF]);
    for window in [W_128K, W_128M] {
        let stream = [hello(), frame(&unsized_header(window), &[raw(false, b"abc"), bad.clone()])].concat();
        let (_, result) = decode(&stream, &with_workers(2));
        let error = result.unwrap_err();
        assert_eq!(rule(&error), "C01");
        assert!(error.to_string().starts_with("frame 1, block 1, byte 33: ruzstd cannot decode the block"), "{error}");
    }
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
    // A skippable frame of 4 GiB from a pipe that never ends, byte by byte.
    let alive = Arc::new(AtomicBool::new(true));
    let reads = Arc::new(AtomicUsize::new(0));
    let start = [&[0x50, 0x2A, 0x4D, 0x18][..], &u32::MAX.to_le_bytes(), &[0; 4096]].concat();
    let pause = Duration::from_millis(5);
    let source = Slow { stream: start, position: 0, pause, alive: alive.clone(), reads: reads.clone() };
    let reader = ParallelReader::with_settings(source, &with_workers(1)).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    let before = reads.load(Ordering::SeqCst);
    drop(reader);
    assert!(!alive.load(Ordering::SeqCst));
    assert!(reads.load(Ordering::SeqCst) <= before + 45, "a skip is not read to its end");
}

#[test]
fn no_more_frames_are_held_than_workers_and_one() {
    /// Counts frames that were read and not yet taken.
    struct Counting {
        frames: Vec<u8>,
        position: usize,
        taken: Arc<AtomicUsize>,
        most: Arc<Mutex<usize>>,
    }
    impl Source for Counting {
        fn fill(&mut self) -> io::Result<&[u8]> {
            let read = self.position / hello().len();
            let held = read.saturating_sub(self.taken.load(Ordering::SeqCst));
            let mut most = self.most.lock().unwrap();
            *most = (*most).max(held);
            let end = (self.position + 7).min(self.frames.len());
            Ok(&self.frames[self.position..end])
        }
        fn consume(&mut self, n: usize) {
            self.position += n;
        }
    }
    for workers in [1, 2, 4] {
        let (taken, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(0)));
        let source = Counting { frames: hello().repeat(200), position: 0, taken: taken.clone(), most: most.clone() };
        let mut reader = ParallelReader::with_settings(source, &with_workers(workers)).unwrap();
        for _ in 0..200 {
            reader.read_exact(&mut [0; 12]).unwrap();
            taken.fetch_add(1, Ordering::SeqCst);
        }
        // The frame that is being taken counts until the next is asked for.
        let most = *most.lock().unwrap();
        assert!(most <= workers + 1, "{most} frames were held with {workers} workers");
    }
}
