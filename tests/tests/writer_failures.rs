//! What a `ParallelWriter` does when its sink or its encoder fails, when it is closed, and when nobody finishes it.

use std::cell::RefCell;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use zvet::encoder::{Encoder, EncoderError, Ruzstd, max_frame_size};
use zvet::{
    EncodeError, EncodeSettings, EncoderChoice, EncoderFaultKind, Level, ParallelWriter, Settings, StreamVerdict,
    verify,
};
use zvet_tests::bytes::{frame, raw, single_segment_header, skippable};
use zvet_tests::data::Shape;

const KIB: usize = 1 << 10;

fn settings(frame_size: usize, workers: usize) -> EncodeSettings {
    let workers = NonZeroUsize::new(workers).unwrap();
    EncodeSettings { encoder: EncoderChoice::ruzstd(), frame_size, workers, ..EncodeSettings::default() }
}

fn encode(content: &[u8], settings: &EncodeSettings) -> Vec<u8> {
    let mut writer = ParallelWriter::with_settings(Vec::new(), settings).unwrap();
    writer.write_all(content).unwrap();
    writer.finish().unwrap().0
}

/// Encoders whose frames `make` makes, for tests that tell whether one is left: each holds a clone of `alive`.
fn encoders(
    alive: &Arc<()>,
    make: impl Fn(&[u8], &mut Vec<u8>) -> Result<(), EncoderError> + Send + Sync + Clone + 'static,
) -> EncoderChoice {
    let alive = Arc::downgrade(alive);
    EncoderChoice::custom("test", 1..=1, 1, move |_| {
        Ok(Custom { _alive: alive.upgrade().expect("the test holds it"), make: make.clone() })
    })
}

struct Custom<F> {
    _alive: Arc<()>,
    make: F,
}

impl<F: FnMut(&[u8], &mut Vec<u8>) -> Result<(), EncoderError> + Send> Encoder for Custom<F> {
    fn name(&self) -> &'static str {
        "test"
    }

    fn encode(&mut self, content: &[u8], frame: &mut Vec<u8>) -> Result<(), EncoderError> {
        (self.make)(content, frame)
    }

    fn memory(&self, _: u64) -> u64 {
        4 << 20
    }
}

fn as_ruzstd(content: &[u8], frame: &mut Vec<u8>) -> Result<(), EncoderError> {
    Ruzstd::new(true).encode(content, frame)
}

/// Asserts that nobody holds the encoders any more: their threads are gone.
#[track_caller]
fn assert_nobody_left(alive: &Arc<()>) {
    assert_eq!(Arc::strong_count(alive), 1, "an encoder is left, and its thread with it");
}

/// How a sink fails.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Error(io::ErrorKind),
    TakesNothing,
    TakesTooMuch,
}

/// A sink that takes so many bytes, a few at a time and with interruptions, and then fails; and remembers what it took.
#[derive(Debug)]
struct Faulty {
    room: usize,
    step: usize,
    fault: Fault,
    taken: Arc<Mutex<Vec<u8>>>,
    calls: usize,
}

impl Write for Faulty {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let mut taken = self.taken.lock().unwrap();
        let n = bytes.len().min(self.step).min(self.room - taken.len());
        if n > 0 {
            taken.extend(&bytes[..n]);
            return Ok(n);
        }
        match self.fault {
            Fault::Error(kind) => Err(io::Error::new(kind, "the disk is on fire")),
            Fault::TakesNothing => Ok(0),
            Fault::TakesTooMuch => Ok(bytes.len() + 1),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.calls += 1;
        if self.calls.is_multiple_of(2) { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }
}

/// Asserts that a stream that was not finished is one for nobody.
#[track_caller]
fn assert_incomplete(stream: &[u8]) {
    let report = verify(stream, Level::Envelope, &Settings::default(), &mut |_| {});
    assert_eq!(report.verdict, StreamVerdict::Invalid, "{} bytes look complete", stream.len());
    let error = report.error.unwrap();
    assert!(stream.is_empty() || error.is_truncated(), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_first_error_of_a_sink_stays_and_nobody_is_left(
        size in 1usize..60_000,
        frame_size in 1024usize..8000,
        workers in 1usize..=8,
        at in 0.0f64..1.0,
        step in 1usize..5000,
        fault in prop_oneof![
            prop_oneof![
                Just(io::ErrorKind::StorageFull),
                Just(io::ErrorKind::BrokenPipe),
                Just(io::ErrorKind::WouldBlock),
            ].prop_map(Fault::Error),
            Just(Fault::TakesNothing),
            Just(Fault::TakesTooMuch),
        ],
        piece in 1usize..10_000,
    ) {
        let content = Shape::Log.data(size, 1);
        let whole = encode(&content, &settings(frame_size, 1));
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let room = (whole.len() as f64 * at) as usize;
        let alive = Arc::new(());
        let taken = Arc::new(Mutex::new(Vec::new()));
        let settings = EncodeSettings { encoder: encoders(&alive, as_ruzstd), ..settings(frame_size, workers) };
        let sink = Faulty { room, step, fault, taken: taken.clone(), calls: 0 };
        let mut writer = ParallelWriter::with_settings(sink, &settings).unwrap();
        let mut first = None;
        for piece in content.chunks(piece) {
            if let Err(error) = writer.write_all(piece) {
                first = Some(error);
                break;
            }
        }
        let first = match first {
            Some(error) => error.downcast::<EncodeError>().unwrap(),
            None => writer.close().unwrap_err(),
        };
        let EncodeError::Write { offset, source } = &first else { panic!("{first:?}") };
        prop_assert_eq!(*offset, room as u64);
        let kind = match fault {
            Fault::Error(kind) => kind,
            Fault::TakesNothing => io::ErrorKind::WriteZero,
            Fault::TakesTooMuch => io::ErrorKind::Other,
        };
        prop_assert_eq!(source.kind(), kind);
        prop_assert_eq!(&*taken.lock().unwrap(), &whole[..room]);
        // Whatever is called then, in whatever order, it is that error.
        for _ in 0..2 {
            let said = [
                writer.write(b"more").unwrap_err(),
                writer.write(b"").unwrap_err(),
                writer.flush().unwrap_err(),
                writer.close().unwrap_err().into(),
                writer.read_from(&mut &b"more"[..]).unwrap_err().into(),
            ];
            for error in said {
                prop_assert_eq!(error.kind(), kind);
                prop_assert_eq!(error.to_string(), first.to_string());
            }
        }
        prop_assert_eq!(writer.finish().unwrap_err().to_string(), first.to_string());
        prop_assert_eq!(taken.lock().unwrap().len(), room, "nothing is written after an error");
        assert_nobody_left(&alive);
        // Only a sink that stops right between two frames can leave what looks complete.
        let ends = content.chunks(frame_size).scan(0, |end, chunk| {
            *end += encode(chunk, &self::settings(frame_size, 1)).len();
            Some(*end)
        });
        if !ends.into_iter().any(|end| end == room) {
            assert_incomplete(&whole[..room]);
        }
    }

    #[test]
    fn a_stream_that_was_not_finished_never_looks_complete(
        size in 0usize..40_000,
        frame_size in 1024usize..8000,
        workers in 1usize..=4,
        piece in 1usize..10_000,
        abandoned in any::<bool>(),
    ) {
        let content = Shape::Log.data(size, 2);
        let whole = encode(&content, &settings(frame_size, 1));
        let alive = Arc::new(());
        let taken = Arc::new(Mutex::new(Vec::new()));
        let sink = Faulty { room: usize::MAX, step: usize::MAX, fault: Fault::TakesNothing, taken: taken.clone(), calls: 0 };
        let settings = EncodeSettings { encoder: encoders(&alive, as_ruzstd), ..settings(frame_size, workers) };
        let mut writer = ParallelWriter::with_settings(sink, &settings).unwrap();
        for piece in content.chunks(piece) {
            writer.write_all(piece).unwrap();
            assert_incomplete(&taken.lock().unwrap());
        }
        if abandoned {
            let _sink = writer.abandon();
        } else {
            drop(writer);
            assert_nobody_left(&alive);
        }
        let taken = taken.lock().unwrap();
        assert_incomplete(&taken);
        prop_assert!(whole.starts_with(&taken));
    }
}

#[test]
fn a_write_after_close_is_a_typed_error_and_closing_twice_is_harmless() {
    for workers in [1, 3] {
        let mut writer = ParallelWriter::with_settings(Vec::new(), &settings(KIB, workers)).unwrap();
        writer.write_all(&[7; 5000]).unwrap();
        let report = writer.close().unwrap();
        let stream = writer.get_ref().clone();
        for _ in 0..2 {
            let error = writer.write(b"more").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(matches!(error.downcast::<EncodeError>(), Ok(EncodeError::Closed)));
            assert!(writer.write(b"").is_err());
            assert!(writer.read_from(&mut &b""[..]).is_err());
            assert_eq!(writer.close().unwrap(), report);
            writer.flush().unwrap();
        }
        let (sink, last) = writer.finish().unwrap();
        assert_eq!((sink, last), (stream.clone(), report));
        assert_eq!(stream, encode(&[7; 5000], &settings(KIB, 1)));
    }
}

#[test]
fn an_error_of_flushing_the_sink_is_an_error_of_the_stream() {
    struct Unflushable;
    impl Write for Unflushable {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::Error::new(io::ErrorKind::StorageFull, "full"))
        }
    }
    for workers in [1, 2] {
        let writer = || ParallelWriter::with_settings(Unflushable, &settings(KIB, workers)).unwrap();
        assert!(matches!(writer().finish(), Err(EncodeError::Write { offset: 13, .. })));
        let mut writer = writer();
        assert_eq!(writer.flush().unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(writer.write(b"more").is_err());
    }
}

#[test]
fn a_sink_that_panicked_is_not_called_again() {
    struct Panicking(Arc<AtomicUsize>);
    impl Write for Panicking {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            self.0.fetch_add(1, Ordering::SeqCst);
            panic!("the sink panics: this is a test");
        }
        fn flush(&mut self) -> io::Result<()> {
            unreachable!()
        }
    }
    for workers in [1, 2] {
        let calls = Arc::new(AtomicUsize::new(0));
        let mut writer = ParallelWriter::with_settings(Panicking(calls.clone()), &settings(KIB, workers)).unwrap();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            writer.write_all(&vec![0; 100_000]).unwrap();
            writer.flush().unwrap();
        }));
        assert!(panicked.is_err());
        assert!(writer.write_all(&vec![0; 100_000]).and_then(|()| writer.flush()).is_err());
        assert!(writer.finish().is_err());
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn an_encoder_that_fails_is_said_with_frame_and_offset_after_the_frames_before_it() {
    let content = Shape::Log.data(20 * KIB, 1);
    let before = encode(&content[..7 * KIB], &settings(KIB, 1));
    for (kind, message) in [(EncoderFaultKind::Failed, "on purpose"), (EncoderFaultKind::Panicked, "a panic")] {
        for workers in [1, 2, 5] {
            let alive = Arc::new(());
            let bad = content[7 * KIB..8 * KIB].to_vec();
            let encoder = encoders(&alive, move |content, frame| match kind {
                _ if content != bad => as_ruzstd(content, frame),
                EncoderFaultKind::Panicked => panic!("a panic"),
                _ => Err(EncoderError::new("on purpose")),
            });
            let settings = EncodeSettings { encoder, ..settings(KIB, workers) };
            let mut writer = ParallelWriter::with_settings(Vec::new(), &settings).unwrap();
            let result = writer.write_all(&content).and_then(|()| Ok(writer.close().map(|_| ())?));
            let EncodeError::Encoder(fault) = result.unwrap_err().downcast::<EncodeError>().unwrap() else {
                panic!("it is the encoder's fault");
            };
            assert_eq!((fault.kind, fault.frame, fault.offset), (kind, 7, 7 * KIB as u64));
            assert_eq!((fault.encoder, &*fault.message), ("test", message));
            assert!(writer.close().is_err() && writer.write(b"more").is_err());
            // The last byte of the last good frame is held back for good.
            assert_eq!(writer.get_ref()[..], before[..before.len() - 1], "{workers} workers");
            drop(writer);
            assert_nobody_left(&alive);
        }
    }
}

/// `Content_Checksum` of some bytes, by what an encoder that is trusted makes of them.
fn checksum(content: &[u8]) -> [u8; 4] {
    let mut frame = Vec::new();
    as_ruzstd(content, &mut frame).unwrap();
    frame.last_chunk().copied().unwrap()
}

#[test]
fn a_frame_of_the_wrong_shape_is_never_written() {
    let content = b"some content, and not much of it";
    let size = content.len() as u64;
    let good = [&frame(&[0x24, 32], &[raw(true, content)])[..], &checksum(content)].concat();
    let checked = |header: &[u8], blocks: &[Vec<u8>]| [&frame(header, blocks)[..], &[0; 4]].concat();
    let wrong: [(&str, Vec<u8>); 12] = [
        ("nothing", Vec::new()),
        ("no frame", b"plain text".to_vec()),
        ("truncated", good[..good.len() - 1].to_vec()),
        ("followed by a byte", [&good[..], b"x"].concat()),
        ("two frames", good.repeat(2)),
        ("a skippable frame", skippable(0, content)),
        ("a skippable frame before it", [skippable(0, b""), good.clone()].concat()),
        ("without checksum", frame(&single_segment_header(size), &[raw(true, content)])),
        ("not a single segment", checked(&[0x84, 0, 32, 0, 0, 0], &[raw(true, content)])),
        ("of another size", checked(&[0x24, 31], &[raw(true, &content[1..])])),
        ("of too few bytes", checked(&[0x24, 32], &[raw(true, &content[1..])])),
        ("too large", checked(&[0x24, 32], &[vec![raw(false, b""); 40].concat(), raw(true, content)])),
    ];
    for (what, bytes) in wrong {
        let alive = Arc::new(());
        let encoder = encoders(&alive, move |_, frame| {
            frame.extend(&bytes);
            Ok(())
        });
        let settings = EncodeSettings { encoder, ..settings(KIB, 1) };
        let mut writer = ParallelWriter::with_settings(Vec::new(), &settings).unwrap();
        writer.write_all(content).unwrap();
        match writer.close().unwrap_err() {
            EncodeError::Encoder(fault) => assert_eq!(fault.kind, EncoderFaultKind::WrongFrame, "{what}"),
            error => panic!("{what}: {error}"),
        }
        assert!(writer.get_ref().is_empty(), "{what}");
    }
    // The same way, what is right passes. An encoder that takes the buffer for its own is wrong as well.
    for (takes, passes) in [(false, true), (true, false)] {
        let (alive, good) = (Arc::new(()), good.clone());
        let encoder = encoders(&alive, move |content, frame| {
            assert!(frame.capacity() - frame.len() >= max_frame_size(content.len()), "there is room");
            if takes {
                frame.clear();
            }
            frame.extend(&good);
            Ok(())
        });
        let settings = EncodeSettings { encoder, ..settings(KIB, 1) };
        let mut writer = ParallelWriter::with_settings(Vec::new(), &settings).unwrap();
        writer.write_all(content).unwrap();
        assert_eq!(writer.close().is_ok(), passes);
    }
}

/// Holds encoders up until it is opened.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        drop(self.0.1.wait_while(self.0.0.lock().unwrap(), |open| !*open).unwrap());
    }
}

/// Waits until nothing has come for a while, and returns how much has.
fn settled(progress: &Receiver<usize>) -> usize {
    let mut all = 0;
    while let Ok(n) = progress.recv_timeout(Duration::from_millis(500)) {
        all += n;
    }
    all
}

#[test]
fn there_are_never_more_than_two_chunks_for_each_worker() {
    for workers in [2, 3] {
        let (alive, gate) = (Arc::new(()), Gate::default());
        let held = gate.clone();
        let encoder = encoders(&alive, move |content, frame| {
            held.pass();
            as_ruzstd(content, frame)
        });
        let settings = EncodeSettings { encoder, ..settings(KIB, workers) };
        let (accepted, progress) = channel();
        let writing = thread::spawn(move || {
            let mut writer = ParallelWriter::with_settings(Vec::new(), &settings).unwrap();
            for _ in 0..1000 {
                writer.write_all(&[1; 100]).unwrap();
                accepted.send(100).unwrap();
            }
            writer.finish().unwrap().1
        });
        let taken = settled(&progress);
        let most = 2 * workers * KIB;
        assert!((most - 100..=most).contains(&taken), "{taken} bytes were taken while nothing was encoded");
        gate.open();
        assert_eq!(writing.join().unwrap().content_size, 100_000);
        assert_nobody_left(&alive);
    }
}

#[test]
fn a_dropped_writer_waits_for_the_frames_at_hand_and_not_for_those_that_wait() {
    let (alive, gate, begun) = (Arc::new(()), Gate::default(), Arc::new(AtomicUsize::new(0)));
    let (held, counter) = (gate.clone(), begun.clone());
    let encoder = encoders(&alive, move |content, frame| {
        counter.fetch_add(1, Ordering::SeqCst);
        held.pass();
        as_ruzstd(content, frame)
    });
    let settings = EncodeSettings { encoder, ..settings(KIB, 2) };
    let mut writer = ParallelWriter::with_settings(Vec::new(), &settings).unwrap();
    writer.write_all(&[1; 4 * KIB]).unwrap();
    while begun.load(Ordering::SeqCst) < 2 {
        thread::sleep(Duration::from_millis(1));
    }
    let dropping = thread::spawn(move || drop(writer));
    thread::sleep(Duration::from_millis(50));
    assert!(!dropping.is_finished(), "it waits for its threads");
    gate.open();
    dropping.join().unwrap();
    assert_nobody_left(&alive);
    assert_eq!(begun.load(Ordering::SeqCst), 2, "the two chunks that waited were not encoded");
}

#[test]
fn an_abandoned_writer_does_not_wait() {
    let (alive, gate) = (Arc::new(()), Gate::default());
    let held = gate.clone();
    let encoder = encoders(&alive, move |content, frame| {
        held.pass();
        as_ruzstd(content, frame)
    });
    let settings = EncodeSettings { encoder, ..settings(KIB, 2) };
    let mut writer = ParallelWriter::with_settings(Vec::new(), &settings).unwrap();
    writer.write_all(&[1; 4 * KIB]).unwrap();
    assert!(writer.abandon().is_empty());
    gate.open();
    let start = Instant::now();
    while Arc::strong_count(&alive) > 1 {
        assert!(start.elapsed() < Duration::from_secs(10), "its threads end by themselves");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn encoders_and_threads_are_made_when_there_is_work_and_used_again() {
    for (workers, frames, most) in [(1, 50, 1), (8, 1, 1), (8, 3, 3), (4, 50, 4)] {
        let made = Arc::new(AtomicUsize::new(0));
        let threads = Arc::new(Mutex::new(std::collections::HashSet::new()));
        let (counter, ids) = (made.clone(), threads.clone());
        let alive = Arc::new(());
        let held = alive.clone();
        let encoder = EncoderChoice::custom("test", 1..=1, 1, move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
            let ids = ids.clone();
            Ok(Custom {
                _alive: held.clone(),
                make: move |content: &[u8], frame: &mut Vec<u8>| {
                    ids.lock().unwrap().insert(thread::current().id());
                    as_ruzstd(content, frame)
                },
            })
        });
        let settings = EncodeSettings { encoder, ..settings(KIB, workers) };
        encode(&vec![3; frames * KIB], &settings);
        assert!((1..=most).contains(&made.load(Ordering::SeqCst)), "{workers} workers, {frames} frames: {made:?}");
        let threads = threads.lock().unwrap();
        assert_eq!(threads.len(), made.load(Ordering::SeqCst));
        assert_eq!(threads.contains(&thread::current().id()), workers == 1, "one worker is the caller's thread");
    }
}

#[test]
fn a_sink_of_one_thread_is_enough() {
    struct Local<'a>(&'a Rc<RefCell<Vec<u8>>>);
    impl Write for Local<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.borrow_mut().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    // It is neither `Send` nor `'static`.
    let taken = Rc::new(RefCell::new(Vec::new()));
    let mut writer = ParallelWriter::with_settings(Local(&taken), &settings(KIB, 3)).unwrap();
    writer.write_all(&[5; 10_000]).unwrap();
    writer.finish().unwrap();
    assert_eq!(*taken.borrow(), encode(&[5; 10_000], &settings(KIB, 1)));
}

#[test]
fn an_error_of_a_reader_is_not_one_of_the_writer() {
    struct Failing;
    impl io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::new(io::ErrorKind::ConnectionReset, "gone"))
        }
    }
    struct Lying;
    impl io::Read for Lying {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            Ok(buffer.len() + 1)
        }
    }
    for workers in [1, 2] {
        let mut writer = ParallelWriter::with_settings(Vec::new(), &settings(KIB, workers)).unwrap();
        writer.write_all(b"before, ").unwrap();
        let error = writer.read_from(&mut Failing).unwrap_err();
        assert_eq!(io::Error::from(error).kind(), io::ErrorKind::ConnectionReset);
        assert!(writer.read_from(&mut Lying).is_err());
        writer.write_all(b"after").unwrap();
        assert_eq!(writer.finish().unwrap().0, encode(b"before, after", &settings(KIB, 1)));
    }
}
