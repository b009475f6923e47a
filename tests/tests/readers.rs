//! Readers under load: random mixes, many at once, closed at random, slow sources, and what a finished one guarantees.

use std::io::{self, Read};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use zvet::source::Stream;
use zvet::{
    Bounds, Decode, Dictionary, EngineChoice, Error, FrameReport, Level, Limits, ParallelReader, Policy, Proof, Reason,
    Settings, Slots, StreamVerdict, verify,
};
use zvet_tests::bytes::{W_128K, W_128M, block_header, frame, hello, raw, rle, sized_header, unsized_header};
use zvet_tests::data::Shape;
use zvet_tests::decode::{Decoded, decode, ended, with_workers};
use zvet_tests::mix::{self, Kind};

/// A plain serial decode: one worker, and every frame decoded as it is read.
fn serially(stream: &[u8], settings: &Settings) -> Decoded {
    let bounds = Bounds { window: 0, output: 0, input: 0, blocks: 0 };
    decode(stream, &Settings { bounds, workers: 1.try_into().unwrap(), ..settings.clone() })
}

fn mixed(kinds: &[(Kind, usize, u64)], dictionary: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut stream, mut content) = (Vec::new(), Vec::new());
    for &(kind, size, seed) in kinds {
        let (frame, decoded) = kind.frame(size, seed, dictionary);
        stream.extend(frame);
        content.extend(decoded);
    }
    (stream, content)
}

/// Bounds under which some frames of a mix are held whole and others are not.
fn bounds() -> impl Strategy<Value = Bounds> {
    (prop::sample::select(vec![4u64 << 10, 20 << 10, 1 << 20]), 1u64..100).prop_map(|(size, blocks)| Bounds {
        window: 1 << 20,
        output: size,
        input: size,
        blocks,
    })
}

fn frames() -> impl Strategy<Value = Vec<(Kind, usize, u64)>> {
    prop::collection::vec((prop::sample::select(&Kind::ALL[..]), 0usize..20_000, any::<u64>()), 1..30)
}

fn settings_for(dictionary: &[u8]) -> Settings {
    Settings { dictionaries: vec![Dictionary::raw(dictionary)], ..Settings::default() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mix_decodes_to_its_content_however_it_is_decoded(
        frames in frames(),
        bounds in bounds(),
        workers in 1usize..9,
        slots in 0usize..9,
        adaptive in any::<bool>(),
        policy in prop::sample::select(vec![Policy::Resume, Policy::Sticky]),
        engine in prop::sample::select(EngineChoice::names().collect::<Vec<_>>()),
        trust_engine in any::<bool>(),
    ) {
        let dictionary = mix::dictionary();
        let (stream, content) = mixed(&frames, &dictionary);
        let (engine, slots) = (EngineChoice::named(engine).unwrap(), Slots::new(slots));
        let workers = workers.try_into().unwrap();
        let settings = Settings { bounds, workers, slots, adaptive, policy, engine, trust_engine, ..settings_for(&dictionary) };
        let (output, result) = decode(&stream, &settings);
        prop_assert!(result.is_ok(), "{:?}", result);
        prop_assert!(output == content);
        prop_assert_eq!(settings.slots.in_use(), 0);
    }

    #[test]
    fn a_damaged_mix_gives_the_error_of_a_serial_decode_and_no_byte_of_a_failing_frame_that_is_held(
        frames in frames(),
        bounds in bounds(),
        workers in 1usize..9,
        at in any::<prop::sample::Index>(),
        flip in 1u8..=255,
        cut in any::<bool>(),
    ) {
        let dictionary = mix::dictionary();
        let (mut stream, _) = mixed(&frames, &dictionary);
        let at = at.index(stream.len());
        if cut {
            stream.truncate(at);
        } else {
            stream[at] ^= flip;
        }
        let settings = Settings { bounds, workers: workers.try_into().unwrap(), ..settings_for(&dictionary) };
        let serial = serially(&stream, &settings);
        let decoded = decode(&stream, &settings);
        prop_assert_eq!(ended(&decoded), ended(&serial));
        match decoded {
            (output, Ok(_)) => prop_assert!(output == serial.0),
            (output, Err(_)) => prop_assert!(serial.0.starts_with(&output), "more was given than a serial decode gives"),
        }
    }

    #[test]
    fn limits_stop_a_mix_where_they_stop_a_serial_decode(
        frames in frames(),
        workers in 1usize..9,
        output_limit in 0u64..100_000,
        frames_limit in 1u64..40,
    ) {
        let dictionary = mix::dictionary();
        let (stream, content) = mixed(&frames, &dictionary);
        let limits = Limits { output: output_limit, frames: frames_limit, ..Limits::SNAPSHOT };
        let settings = Settings { limits, workers: workers.try_into().unwrap(), ..settings_for(&dictionary) };
        let (output, result) = decode(&stream, &settings);
        let (_, serial) = serially(&stream, &settings);
        prop_assert_eq!(result.as_ref().err().and_then(Error::rule), serial.as_ref().err().and_then(Error::rule));
        prop_assert!(output.len() as u64 <= output_limit && content.starts_with(&output));
        prop_assert!(result.is_err() || output == content);
    }
}

#[test]
fn thousands_of_frames_of_each_kind_decode_in_order() {
    let dictionary = mix::dictionary();
    for kind in Kind::ALL {
        let frames: Vec<_> = (0..2000).map(|n| (kind, 200 + n % 7, n as u64)).collect();
        let (stream, content) = mixed(&frames, &dictionary);
        let (output, result) =
            decode(&stream, &Settings { workers: 4.try_into().unwrap(), ..settings_for(&dictionary) });
        result.unwrap();
        assert!(output == content, "{kind:?}");
    }
}

#[test]
fn a_sticky_reader_decodes_alone_from_the_first_frame_that_does_not_fit_and_tells_what_would_have_fit() {
    let one = frame(&unsized_header(W_128K), &[raw(false, &[1; 5000]), raw(true, b"end")]);
    let wide = frame(&unsized_header(W_128M), &[raw(true, b"wide")]);
    let stream = [one.clone(), wide, one].concat();
    for policy in [Policy::Resume, Policy::Sticky] {
        let settings = Settings { policy, ..with_workers(2) };
        let mut modes = Vec::new();
        let report = verify(&stream[..], Level::Content, &settings, &mut |frame| {
            let FrameReport::Zstandard(report) = frame else { panic!() };
            modes.push(report.decode);
        });
        assert_eq!(report.verdict, StreamVerdict::Valid);
        let parallel = Decode::Parallel(Proof::Bound);
        assert_eq!(modes, [parallel, Decode::Serial(Reason::Window), parallel], "what may be done, whatever is");
        // A frame that is cut: of one that is decoded alone its content comes.
        let cut = &stream[..stream.len() - 1];
        let (output, result) = decode(cut, &settings);
        assert!(result.unwrap_err().is_truncated());
        assert_eq!(output.len() > 5003 + 4, policy == Policy::Sticky, "{}", output.len());
    }
}

#[test]
#[should_panic(expected = "a fault of the source's own")]
fn a_panic_of_the_source_is_passed_on() {
    struct Panicking;
    impl Read for Panicking {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("a fault of the source's own");
        }
    }
    let mut reader = ParallelReader::with_settings(Stream::new(Panicking), &with_workers(2)).unwrap();
    let _ = reader.read(&mut [0; 8]);
}

/// A source that gives one piece after another, each when it is told to.
struct Gate {
    stream: Vec<u8>,
    position: usize,
    open: Arc<(Mutex<usize>, Condvar)>,
}

impl Read for Gate {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (open, opened) = &*self.open;
        let open = opened
            .wait_while(open.lock().unwrap(), |open| *open == self.position && *open < self.stream.len())
            .unwrap();
        let n = (*open - self.position).min(buffer.len());
        buffer[..n].copy_from_slice(&self.stream[self.position..][..n]);
        self.position += n;
        Ok(n)
    }
}

#[test]
fn an_adaptive_reader_gives_content_while_its_frame_is_still_arriving() {
    let stream = frame(&unsized_header(W_128K), &[rle(false, b'a', 100_000), raw(true, &vec![b'b'; 100_000])]);
    let open = Arc::new((Mutex::new(stream.len() - 50_000), Condvar::new()));
    let gate = Gate { stream: stream.clone(), position: 0, open: open.clone() };
    let settings = Settings { adaptive: true, ..with_workers(2) };
    let mut reader = ParallelReader::with_settings(Stream::new(gate), &settings).unwrap();
    let mut content = vec![0; 100_000];
    // Without the rest of the frame this would wait for ever if it were held whole.
    reader.read_exact(&mut content).unwrap();
    assert_eq!(content, vec![b'a'; 100_000]);
    *open.0.lock().unwrap() = stream.len();
    open.1.notify_all();
    reader.read_to_end(&mut content).unwrap();
    assert_eq!(content.len(), 200_000);
}

#[test]
fn an_adaptive_reader_goes_parallel_where_input_is_fast_and_sticks_to_that() {
    // Slow to decode, at once there: soon frames are held whole, so that one that fails gives nothing.
    let content = Shape::Text.data(1 << 20, 3);
    let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
    compressor.include_checksum(true).unwrap();
    let good = compressor.compress(&content).unwrap();
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    let stream = [good.repeat(12), bad].concat();
    for policy in [Policy::Resume, Policy::Sticky] {
        let settings = Settings { adaptive: true, policy, engine: EngineChoice::ruzstd(), ..with_workers(2) };
        // A machine that stands still while something is read makes the input look slow.
        let goes_parallel = || {
            let (output, result) = decode(&stream, &settings);
            assert_eq!(result.unwrap_err().rule(), Some("F10"));
            output == content.repeat(12)
        };
        assert!((0..5).any(|_| goes_parallel()), "{policy:?}");
    }
}

#[test]
fn readers_that_share_slots_all_finish_though_one_of_them_is_never_read() {
    let slots = Slots::new(2);
    let content = Shape::Log.data(300_000, 1);
    let stream = zstd::bulk::compress(&content, 3).unwrap().repeat(6);
    let settings = Settings { slots: slots.clone(), workers: 4.try_into().unwrap(), ..Settings::default() };
    let source = |stream: &[u8]| Stream::new(io::Cursor::new(stream.to_vec()));
    // It takes what shared slots there are, and keeps them.
    let mut idle = ParallelReader::with_settings(source(&stream), &settings).unwrap();
    idle.read_exact(&mut [0]).unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while slots.in_use() < 2 {
        assert!(Instant::now() < deadline, "the idle reader takes {} slots", slots.in_use());
        thread::sleep(Duration::from_millis(1));
    }
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let mut output = Vec::new();
                ParallelReader::with_settings(source(&stream), &settings).unwrap().read_to_end(&mut output).unwrap();
                assert!(output == content.repeat(6));
            });
        }
    });
    assert_eq!(slots.in_use(), 2);
    drop(idle);
    assert_eq!(slots.in_use(), 0);
}

#[test]
fn a_reader_whose_source_is_idle_holds_no_shared_slot() {
    let slots = Slots::new(2);
    let one = frame(&unsized_header(W_128K), &[raw(true, &vec![1; 50_000])]);
    let open = Arc::new((Mutex::new(one.len()), Condvar::new()));
    let stream = one.repeat(2);
    let size = stream.len();
    let gate = Gate { stream, position: 0, open: open.clone() };
    let settings = Settings { slots: slots.clone(), ..with_workers(2) };
    let mut reader = ParallelReader::with_settings(Stream::new(gate), &settings).unwrap();
    // The first frame is in the reader's own slot until the next is asked for.
    reader.read_exact(&mut vec![0; 50_000]).unwrap();
    thread::sleep(Duration::from_millis(50));
    assert_eq!(slots.in_use(), 0);
    *open.0.lock().unwrap() = size;
    open.1.notify_all();
    reader.read_exact(&mut vec![0; 50_000]).unwrap();
    reader.finish().unwrap();
    assert_eq!(slots.in_use(), 0);
}

#[test]
fn no_more_frames_are_held_by_many_readers_than_one_each_and_the_shared_slots() {
    /// How many frames of a reader were begun, and of how many all content was taken.
    #[derive(Default)]
    struct Frames {
        begun: AtomicUsize,
        taken: AtomicUsize,
    }
    struct Counting {
        stream: Vec<u8>,
        frame_size: usize,
        position: usize,
        reader: usize,
        all: Arc<Vec<Frames>>,
        most: Arc<AtomicUsize>,
    }
    impl Read for Counting {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.all[self.reader].begun.store(self.position.div_ceil(self.frame_size), Ordering::SeqCst);
            let held = |frames: &Frames| {
                let begun = frames.begun.load(Ordering::SeqCst);
                begun.saturating_sub(frames.taken.load(Ordering::SeqCst))
            };
            self.most.fetch_max(self.all.iter().map(held).sum(), Ordering::SeqCst);
            let n = buffer.len().min(500).min(self.stream.len() - self.position);
            buffer[..n].copy_from_slice(&self.stream[self.position..][..n]);
            self.position += n;
            Ok(n)
        }
    }
    const READERS: usize = 6;
    let (slots, most) = (Slots::new(3), Arc::new(AtomicUsize::new(0)));
    let all: Arc<Vec<Frames>> = Arc::new((0..READERS).map(|_| Frames::default()).collect());
    let one = frame(&unsized_header(W_128K), &[raw(true, &vec![1; 50_000])]);
    thread::scope(|scope| {
        for reader in 0..READERS {
            let settings = Settings { slots: slots.clone(), workers: 8.try_into().unwrap(), ..Settings::default() };
            let (stream, frame_size, all) = (one.repeat(20), one.len(), all.clone());
            let source = Counting { stream, frame_size, position: 0, reader, all: all.clone(), most: most.clone() };
            scope.spawn(move || {
                let mut content = ParallelReader::with_settings(Stream::new(source), &settings).unwrap();
                for _ in 0..20 {
                    content.read_exact(&mut vec![0; 50_000]).unwrap();
                    all[reader].taken.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    let most = most.load(Ordering::SeqCst);
    assert!((2..=READERS + slots.count()).contains(&most), "{most} frames were held");
}

#[test]
fn closing_while_blocked_returns_once_the_read_does_and_abandoning_at_once() {
    let open = Arc::new((Mutex::new(hello().len()), Condvar::new()));
    let stream = [hello(), hello()].concat();
    let source = || Stream::new(Gate { stream: stream.clone(), position: 0, open: open.clone() });
    let mut reader = ParallelReader::with_settings(source(), &with_workers(2)).unwrap();
    reader.read_exact(&mut [0; 12]).unwrap();
    let started = Instant::now();
    assert!(reader.abandon().is_none());
    assert!(started.elapsed() < Duration::from_secs(5));

    let mut reader = ParallelReader::with_settings(source(), &with_workers(2)).unwrap();
    reader.read_exact(&mut [0; 12]).unwrap();
    let opening = {
        let (open, size) = (open.clone(), stream.len());
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            *open.0.lock().unwrap() = size;
            open.1.notify_all();
        })
    };
    drop(reader);
    opening.join().unwrap();
}

#[test]
fn a_reader_that_was_read_to_its_declared_size_cannot_hide_a_bad_last_checksum() {
    let content = Shape::Binary.data(40_000, 1);
    let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
    compressor.include_checksum(true).unwrap();
    let good = compressor.compress(&content).unwrap();
    let mut bad = good.clone();
    *bad.last_mut().unwrap() ^= 1;
    // Held whole, nothing of it is given; decoded as it is read, all of it is, and what is wrong comes at the end.
    for (bounds, given) in [(Bounds::SNAPSHOT, 40_000), (Bounds { output: 100, ..Bounds::SNAPSHOT }, 80_000)] {
        let stream = [&good[..], &bad].concat();
        let settings = Settings { bounds, ..with_workers(2) };
        let mut reader =
            ParallelReader::with_settings(Stream::new(io::Cursor::new(stream.clone())), &settings).unwrap();
        let mut output = vec![0; given];
        reader.read_exact(&mut output).unwrap();
        assert!(output == content.repeat(given / 40_000));
        let error = reader.finish().unwrap_err();
        assert_eq!((error.rule(), error.location().unwrap().frame), (Some("F10"), 1));
        assert_eq!(error.location().unwrap().offset, stream.len() as u64 - 4);
    }
}

#[test]
fn a_source_that_ends_inside_the_last_checksum_is_truncated_whoever_asks() {
    let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
    compressor.include_checksum(true).unwrap();
    let whole = compressor.compress(b"some content").unwrap();
    for missing in 1..=4 {
        for bounds in [Bounds::SNAPSHOT, Bounds { output: 1, ..Bounds::SNAPSHOT }] {
            let stream = [&whole[..], &whole[..whole.len() - missing]].concat();
            let settings = Settings { bounds, ..with_workers(2) };
            let reader =
                ParallelReader::with_settings(Stream::new(io::Cursor::new(stream.clone())), &settings).unwrap();
            let error = reader.finish().unwrap_err();
            assert!(error.is_truncated(), "{error}");
            assert_eq!(error.location().unwrap().offset, stream.len() as u64);
        }
    }
}

#[test]
fn a_frame_of_unknown_size_that_only_the_walk_bounds_goes_to_a_worker() {
    // Blocks that make little: three of them could make more than the bound.
    let content = Shape::Text.data(3000, 1);
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), 3).unwrap();
    for piece in content.chunks(1000) {
        io::Write::write_all(&mut encoder, piece).unwrap();
        io::Write::flush(&mut encoder).unwrap();
    }
    let stream = encoder.finish().unwrap();
    let settings = Settings { bounds: Bounds { output: 3000, ..Bounds::SNAPSHOT }, ..with_workers(2) };
    let mut modes = Vec::new();
    verify(&stream[..], Level::Content, &settings, &mut |frame| {
        let FrameReport::Zstandard(report) = frame else { panic!() };
        modes.push(report.decode);
    });
    assert_eq!(modes, [Decode::Parallel(Proof::Walked)]);
    assert_eq!(decode(&stream, &settings).0, content);
}

#[test]
fn copying_gives_all_of_the_content_and_the_first_error_of_either_side() {
    struct Full(usize);
    impl io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let n = bytes.len().min(self.0);
            self.0 -= n;
            if n == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(n) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let stream = [hello(), frame(&unsized_header(W_128M), &[raw(true, b"!")])].concat();
    let reader = |stream: &[u8]| ParallelReader::new(Stream::new(io::Cursor::new(stream.to_vec()))).unwrap();
    let mut output = Vec::new();
    assert_eq!(reader(&stream).copy_to(&mut output).unwrap(), 13);
    assert_eq!(output, b"hello, world!");
    assert_eq!(reader(&stream).copy_to(&mut Full(5)).unwrap_err().kind(), io::ErrorKind::StorageFull);
    let damaged = [&stream[..], b"x"].concat();
    let mut output = Vec::new();
    assert_eq!(reader(&damaged).copy_to(&mut output).unwrap_err().kind(), io::ErrorKind::InvalidData);
    assert_eq!(output, b"hello, world!");
}

#[test]
fn sizes_that_lie_are_refused_by_every_engine_however_the_frame_is_decoded() {
    for (declared, blocks) in
        [(100, vec![rle(true, 1, 101)]), (100, vec![rle(true, 1, 99)]), (100, vec![block_header(true, 3, 0).to_vec()])]
    {
        for engine in EngineChoice::names() {
            for (window, trust_engine) in [(W_128K, false), (W_128M, false), (W_128K, true), (W_128M, true)] {
                let stream = frame(&sized_header(window, declared), &blocks);
                let settings =
                    Settings { engine: EngineChoice::named(engine).unwrap(), trust_engine, ..with_workers(2) };
                let (output, result) = decode(&stream, &settings);
                let rule = result.unwrap_err().rule().unwrap();
                assert!(["F09", "B02"].contains(&rule), "{engine}: {rule}");
                assert!(output.len() <= 100);
            }
        }
    }
}
