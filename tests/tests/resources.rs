//! Time is linear in the input, allocations and memory do not grow with it, and reads are as few as they can be:
//! for streams of as many small things as fit. `memory.rs` has the memory of threads.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cpu_time::ProcessTime;
use zvet::source::{Seekable, Stream};
use zvet::{Level, ParallelReader, Settings, StreamVerdict, inspect, verify};
use zvet_tests::bytes::{
    Bits, W_1K, W_128K, block_header, compressed, frame, hello, raw, raw_literals, rle, sequences, skippable,
    unsized_header,
};

/// One of these tests at a time: they measure.
static ALONE: Mutex<()> = Mutex::new(());

/// A frame of so many blocks like this one, and a last one that is empty.
fn of_blocks(window: u8, block: &[u8], count: usize) -> Vec<u8> {
    frame(&unsized_header(window), &[block.repeat(count), raw(true, b"")])
}

/// A block of no input to speak of and 43,690 sequences: a table for nothing and three bytes each make 128 KiB less 2.
fn many_sequences() -> Vec<u8> {
    let body = [raw_literals(b""), vec![0xFF, 0xAA, 0x2B, 0x54, 0, 0, 0, 1]].concat();
    compressed(false, &body)
}

/// The same with sequences that take bits: an offset of one to four, and so a stream of two bits for each.
fn many_sequences_of_bits() -> Vec<u8> {
    const COUNT: u32 = 43_690;
    let stream = (0..COUNT).fold(Bits::default(), |bits, _| bits.put(1, 2)).finish();
    let mut section = sequences(1, [0, 2, 0], &stream);
    let [low, high, _, _] = (COUNT - 0x7F00).to_le_bytes();
    section.splice(0..1, [0xFF, low, high]);
    compressed(false, &[raw_literals(b""), section].concat())
}

/// A kind of stream: its name, how it is made of so many, and how many. Eight times as many are about a MiB, or as much
/// output as is decoded in some tenths of a second.
type Kind = (&'static str, fn(usize) -> Vec<u8>, usize);

const KINDS: [Kind; 14] = [
    ("empty skippable frames", |n| skippable(0, b"").repeat(n), 16_000),
    ("tiny skippable frames", |n| skippable(5, b"x").repeat(n), 14_000),
    ("empty frames", |n| frame(&unsized_header(W_1K), &[raw(true, b"")]).repeat(n), 4000),
    ("tiny frames", |n| hello().repeat(n), 4000),
    ("tiny frames between skippable ones", |n| [hello(), skippable(0, b"")].concat().repeat(n), 3000),
    (
        "tiny frames of compressed blocks",
        |n| frame(&unsized_header(W_1K), &[compressed(true, b"\x08x\0")]).repeat(n),
        3000,
    ),
    ("empty raw blocks", |n| of_blocks(W_1K, &raw(false, b""), n), 8000),
    ("RLE blocks of nothing", |n| of_blocks(W_1K, &rle(false, 0, 0), n), 8000),
    ("compressed blocks of nothing", |n| of_blocks(W_1K, &compressed(false, &[0, 0]), n), 8000),
    ("tiny raw blocks", |n| of_blocks(W_1K, &raw(false, b"x"), n), 8000),
    ("compressed blocks that might make much", |n| of_blocks(W_128K, &compressed(false, b"\x08x\0"), n), 7000),
    ("RLE blocks of 128 KiB", |n| of_blocks(W_128K, &rle(false, 7, 128 << 10), n), 40),
    ("blocks of 43,690 sequences", |n| after_some(n, &many_sequences()), 12),
    ("blocks of 43,690 sequences with bits", |n| after_some(n, &many_sequences_of_bits()), 12),
];

/// Blocks that refer to what came before.
fn after_some(count: usize, block: &[u8]) -> Vec<u8> {
    of_blocks(W_128K, &[raw(false, &[1; 100]), block.repeat(count)].concat(), 1)
}

fn settings() -> Settings {
    Settings { workers: NonZeroUsize::new(2).unwrap(), ..Settings::default() }
}

/// A way through a stream.
type Way = (&'static str, fn(&'static [u8]));

const WAYS: [Way; 6] = [
    ("inspect", |stream| valid(inspect(stream, false, &settings(), &mut |_| {}).verdict)),
    ("inspect --exact", |stream| valid(inspect(stream, true, &settings(), &mut |_| {}).verdict)),
    ("envelope", |stream| valid(verify(stream, Level::Envelope, &settings(), &mut |_| {}).verdict)),
    ("entropy", |stream| valid(verify(stream, Level::Entropy, &settings(), &mut |_| {}).verdict)),
    ("content", |stream| valid(verify(stream, Level::Content, &settings(), &mut |_| {}).verdict)),
    ("reader", |stream| {
        let mut reader = ParallelReader::with_settings(Stream::new(stream), &settings()).unwrap();
        io::copy(&mut reader, &mut io::sink()).unwrap();
        valid(reader.finish().unwrap().verdict);
    }),
];

fn valid(verdict: StreamVerdict) {
    assert_eq!(verdict, StreamVerdict::Valid);
}

/// What a run takes of the processor, in all threads: how busy the machine is otherwise matters little.
fn timed(run: impl FnOnce()) -> Duration {
    let started = ProcessTime::now();
    run();
    started.elapsed()
}

#[test]
fn time_is_linear_in_the_input_for_streams_of_many_small_things() {
    const TIMES: usize = 8;
    /// What is quadratic takes eight times as long, what is linear as long.
    const FACTOR: u32 = 2;
    const ATTEMPTS: usize = 6;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (kind, make, count) in KINDS {
        let few: &'static [u8] = make(count).leak();
        let many: &'static [u8] = make(count * TIMES).leak();
        for (way, run) in WAYS {
            // The same work twice: some input eight times over, and eight times as much input at once.
            let (mut least_of_few, mut least_of_many) = (Duration::MAX, Duration::MAX);
            let linear = (0..ATTEMPTS).any(|_| {
                least_of_few = least_of_few.min(timed(|| (0..TIMES).for_each(|_| run(few))));
                least_of_many = least_of_many.min(timed(|| run(many)));
                least_of_many <= least_of_few * FACTOR
            });
            println!("{kind}, {way}: {least_of_few:?} in pieces, {least_of_many:?} at once");
            assert!(linear, "{kind}, {way}: {least_of_few:?} for pieces, {least_of_many:?} at once");
        }
    }
}

#[test]
fn a_verifier_in_one_thread_allocates_the_same_whatever_the_size_of_its_input() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (kind, make, count) in KINDS {
        let few: &'static [u8] = make(count / 4).leak();
        let many: &'static [u8] = make(count).leak();
        for (way, run) in &WAYS[..4] {
            // What is made once in a process is no part of it.
            run(few);
            let few = allocation_counter::measure(|| run(few));
            let many = allocation_counter::measure(|| run(many));
            assert_eq!(many.count_total, few.count_total, "{kind}, {way}: allocations");
            assert_eq!(many.bytes_max, few.bytes_max, "{kind}, {way}: bytes at most");
            assert_eq!((few.count_current, many.count_current), (0, 0), "{kind}, {way}: kept");
            assert!(many.bytes_max < 256 << 10, "{kind}, {way}: {} bytes", many.bytes_max);
        }
    }
}

/// A file that counts what is asked of it.
#[derive(Clone, Default)]
struct Calls {
    reads: Arc<AtomicUsize>,
    bytes: Arc<AtomicUsize>,
    seeks: Arc<AtomicUsize>,
}

struct Counting {
    file: Cursor<&'static [u8]>,
    calls: Calls,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.calls.reads.fetch_add(1, Ordering::Relaxed);
        self.calls.bytes.fetch_add(n, Ordering::Relaxed);
        Ok(n)
    }
}

impl Seek for Counting {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.calls.seeks.fetch_add(1, Ordering::Relaxed);
        self.file.seek(to)
    }
}

fn counting(stream: &'static [u8]) -> (Counting, Calls) {
    let calls = Calls::default();
    (Counting { file: Cursor::new(stream), calls: calls.clone() }, calls)
}

fn get(calls: &AtomicUsize) -> u64 {
    calls.load(Ordering::Relaxed) as u64
}

#[test]
fn pipes_are_read_in_pieces_of_64_kib_however_small_their_frames_and_blocks() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (kind, make, count) in KINDS {
        let stream: &'static [u8] = make(count).leak();
        let least = stream.len().div_ceil(64 << 10) as u64;
        for level in [Level::Envelope, Level::Entropy, Level::Content] {
            let (source, calls) = counting(stream);
            valid(verify(Stream::new(source), level, &settings(), &mut |_| {}).verdict);
            // The end is asked for once or twice. What a block is read to its end with is no read ahead.
            let reads = get(&calls.reads);
            assert!(reads <= 2 * least + 2, "{kind} at level {level}: {reads} reads, for {least} times 64 KiB");
            assert_eq!(get(&calls.bytes), stream.len() as u64, "{kind} at level {level}");
        }
    }
}

#[test]
fn files_of_small_things_are_read_once_and_without_a_seek_for_each() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for (kind, make, count) in KINDS {
        let stream: &'static [u8] = make(count).leak();
        let (source, calls) = counting(stream);
        valid(inspect(Seekable::new(source).unwrap(), false, &settings(), &mut |_| {}).verdict);
        let (reads, seeks, bytes) = (get(&calls.reads), get(&calls.seeks), get(&calls.bytes));
        let size = stream.len() as u64;
        println!("{kind}: {size} bytes, {reads} reads of {bytes} bytes, {seeks} seeks");
        // Reads of under a page are for headers between things that are larger.
        assert!(reads <= size / 4096 + 16, "{kind}: {reads} reads of {size} bytes");
        assert!(seeks <= size / 4096 + 16, "{kind}: {seeks} seeks in {size} bytes");
        assert!(bytes <= size, "{kind}: {bytes} bytes were read of {size}");
    }
}

#[test]
fn of_files_of_large_blocks_only_the_headers_are_read() {
    const BLOCKS: usize = 64;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let block = [&block_header(false, 0, 128 << 10)[..], &vec![7; 128 << 10]].concat();
    let stream: &'static [u8] = of_blocks(W_128K, &block, BLOCKS).leak();
    let (source, calls) = counting(stream);
    valid(inspect(Seekable::new(source).unwrap(), false, &settings(), &mut |_| {}).verdict);
    let (reads, seeks, bytes) = (get(&calls.reads), get(&calls.seeks), get(&calls.bytes));
    println!("{reads} reads of {bytes} bytes, {seeks} seeks");
    let headers = BLOCKS as u64 + 2;
    assert!(reads <= 2 * headers && seeks <= 2 * headers, "{reads} reads, {seeks} seeks for {headers} headers");
    assert!(bytes <= headers * 4096, "{bytes} bytes for {headers} headers");
}
