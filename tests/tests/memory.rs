//! Memory is what it is said to be, whatever the stream. One test alone in its process, since memory is the process'.

use std::io::{self, Read};
use std::thread;
use std::time::Instant;

use peak_alloc::PeakAlloc;
use zvet::source::Stream;
use zvet::{Bounds, EngineChoice, Level, Limits, ParallelReader, Settings, Slots, StreamVerdict, verify};
use zvet_tests::bytes::{
    W_16M, W_128K, W_128M, compressed, compressed_rle, frame, raw, rle, single_segment_header, sized_header, skippable,
    unsized_header,
};

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// A reader of a start and then of a piece again and again, which takes no memory for it.
struct Repeated {
    start: Vec<u8>,
    piece: Vec<u8>,
    position: usize,
    size: usize,
}

impl Read for Repeated {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.size - self.position;
        let rest = match self.position.checked_sub(self.start.len()) {
            None => &self.start[self.position..],
            Some(after) => &self.piece[after % self.piece.len()..],
        };
        let n = rest.len().min(buffer.len()).min(left);
        buffer[..n].copy_from_slice(&rest[..n]);
        self.position += n;
        Ok(n)
    }
}

/// How much more memory than before `run` takes at most.
fn peak(run: impl FnOnce()) -> u64 {
    ALLOCATED.reset_peak_usage();
    let before = ALLOCATED.current_usage();
    run();
    (ALLOCATED.peak_usage() - before) as u64
}

#[test]
fn memory_stays_under_what_is_stated_for_hostile_and_ordinary_streams() {
    let empty = compressed(false, &[0, 0]);
    let big = compressed_rle(false, 7, 131_072);
    // Pieces of some size, so that reading them is quick.
    let many = |piece: &[u8]| piece.repeat((64 << 10) / piece.len() + 1);
    let hostile = [
        ("declares 1 TiB", frame(&single_segment_header(1 << 40), &[]), many(&rle(false, 0, 131_072)), 1 << 16),
        (
            "declares 16 MiB in few bytes",
            vec![],
            frame(&sized_header(W_16M, 16 << 20), &vec![big.clone(); 128]),
            1 << 16,
        ),
        ("RLE bomb of 2 GiB", frame(&unsized_header(W_128K), &[]), many(&rle(false, 0, 131_072)), 64 << 10),
        // Windows five times over, so that whatever holds them has grown.
        ("RLE bomb, window of 128 MiB", frame(&unsized_header(W_128M), &[]), many(&rle(false, 0, 131_072)), 20 << 10),
        ("RLE bomb, window of 16 MiB", frame(&unsized_header(W_16M), &[]), many(&rle(false, 0, 131_072)), 3 << 10),
        ("declares 100 bytes, 16 MiB of blocks", frame(&sized_header(W_128K, 100), &[]), many(&empty), 16 << 20),
        ("skippable frame of 256 MiB", vec![0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0x10], vec![0; 64 << 10], 128 << 20),
        ("many empty skippable frames", vec![], many(&skippable(0, b"")), 16 << 20),
        ("many empty frames", vec![], many(&frame(&unsized_header(0), &[rle(true, 0, 0)])), 4 << 20),
        ("small bombs", vec![], many(&frame(&unsized_header(W_128K), &[rle(true, 0, 131_072)])), 32 << 10),
        ("frames of 16 MiB by their blocks", vec![], frame_of(&unsized_header(W_16M), &big, 128), 12 << 10),
        ("frames over 16 MiB", vec![], frame_of(&unsized_header(W_16M), &big, 129), 12 << 10),
        (
            "frames of much input",
            vec![],
            frame_of(&unsized_header(W_16M), &raw(false, &vec![1; 131_072]), 127),
            100 << 20,
        ),
        (
            "frames of too much input",
            vec![],
            frame_of(&unsized_header(W_16M), &raw(false, &vec![1; 131_072]), 128),
            50 << 20,
        ),
        ("frames whose last header comes when their buffer is full", vec![], brimful(), 150 << 20),
        ("noise", vec![0x28, 0xB5, 0x2F, 0xFD, 0, W_16M], (0..=255).cycle().take(7777).collect(), 8 << 20),
    ];
    let narrow = Limits { window: 16 << 20, ..Limits::SNAPSHOT };
    let engine = |name: &str| EngineChoice::named(name).unwrap();
    let with = |workers: usize, limits, name| Settings {
        workers: workers.try_into().unwrap(),
        limits,
        engine: engine(name),
        ..Settings::default()
    };
    let all = [
        with(1, Limits::SNAPSHOT, "ruzstd"),
        with(4, Limits::SNAPSHOT, "mzstd"),
        with(4, narrow, "libzstd"),
        // What is held whole must not hide what is not.
        Settings { bounds: Bounds::EMBEDDED, ..with(1, Limits::SNAPSHOT, "mzstd") },
        Settings { bounds: Bounds::EMBEDDED, second_opinion: Some(engine("ruzstd")), ..with(1, narrow, "mzstd") },
        Settings { bounds: Bounds::EMBEDDED, second_opinion: Some(engine("mzstd")), ..with(1, narrow, "ruzstd") },
        Settings { second_opinion: Some(engine("ruzstd")), ..with(1, narrow, "mzstd") },
        Settings { adaptive: true, ..with(2, narrow, "mzstd") },
    ];
    for settings in &all {
        let promised = settings.peak_memory();
        // What was kept is not there at first, as when a process begins.
        let settings = || Settings { slots: Slots::new(settings.workers.get()), ..settings.clone() };
        for (what, start, piece, size) in &hostile {
            let source =
                || Stream::new(Repeated { start: start.clone(), piece: piece.clone(), position: 0, size: *size });
            let started = Instant::now();
            let mut verdict = StreamVerdict::Valid;
            let input = source();
            let verified = peak(|| verdict = verify(input, Level::Content, &settings(), &mut |_| {}).verdict);
            let input = source();
            let envelope = peak(|| drop(verify(input, Level::Envelope, &settings(), &mut |_| {})));
            let input = source();
            let decoding = peak(|| {
                let mut reader = ParallelReader::with_settings(input, &settings()).unwrap();
                let _ = io::copy(&mut reader, &mut io::sink());
            });
            println!(
                "{:?}, {what}: {verdict:?}, verify {verified}, decode {decoding}, promised {promised}, envelope {envelope}, {:?}",
                settings().engine,
                started.elapsed()
            );
            assert!(verified <= promised, "{what}: verifying took {verified}, promised are {promised}");
            assert!(decoding <= promised, "{what}: decoding took {decoding}, promised are {promised}");
            assert!(envelope <= 256 << 10, "{what}: the envelope took {envelope}");
        }
    }
    what_is_kept_does_not_grow_from_reader_to_reader(
        &frame_of(&unsized_header(W_128K), &big, 6),
        &frame_of(&unsized_header(W_16M), &big, 600),
    );
    eight_readers_hold_a_frame_each_and_one_for_each_slot(&frame_of(&unsized_header(W_16M), &big, 128));
}

/// Readers one after the other, of frames that are held and of one that is not, keep nothing that the next may not have.
fn what_is_kept_does_not_grow_from_reader_to_reader(held: &[u8], streamed: &[u8]) {
    let slots = Slots::new(2);
    let bounds = Bounds { output: 1 << 20, input: 1 << 20, ..Bounds::SNAPSHOT };
    let limits = Limits { window: 16 << 20, ..Limits::SNAPSHOT };
    for name in EngineChoice::names() {
        let engine = EngineChoice::named(name).unwrap();
        let settings = Settings {
            workers: 2.try_into().unwrap(),
            slots: slots.clone(),
            bounds,
            limits,
            engine,
            ..Settings::default()
        };
        for reader in 0..5 {
            let stream: Vec<u8> = [held.repeat(6), streamed.to_vec()].concat();
            let taken = peak(|| {
                let mut reader =
                    ParallelReader::with_settings(Stream::new(&stream[..].to_vec().leak()[..]), &settings).unwrap();
                io::copy(&mut reader, &mut io::sink()).unwrap();
            });
            let promised = settings.peak_memory() + stream.len() as u64;
            assert!(taken <= promised, "{name}, reader {reader} took {taken}, promised are {promised}");
        }
        let before = ALLOCATED.current_usage();
        slots.trim();
        let kept = before - ALLOCATED.current_usage();
        println!("{name}: {kept} kept for later");
        assert!(kept <= 3 * (2 << 20) + 2 * (4 << 20), "{name} keeps {kept}");
    }
}

/// Eight readers at the same time, of four workers each, that share two slots.
fn eight_readers_hold_a_frame_each_and_one_for_each_slot(frame: &[u8]) {
    const READERS: usize = 8;
    let slots = Slots::new(2);
    let limits = Limits { window: 16 << 20, ..Limits::SNAPSHOT };
    let settings = Settings { workers: 4.try_into().unwrap(), slots, limits, ..Settings::default() };
    let (promised, alone) = (settings.peak_memory_of(READERS), settings.peak_memory());
    let taken = peak(|| {
        thread::scope(|scope| {
            for _ in 0..READERS {
                let piece = frame.to_vec();
                let input = Stream::new(Repeated { start: vec![], size: piece.len() * 12, piece, position: 0 });
                scope.spawn(|| {
                    let mut reader = ParallelReader::with_settings(input, &settings).unwrap();
                    assert_eq!(io::copy(&mut reader, &mut io::sink()).unwrap(), 12 * (16 << 20));
                });
            }
        });
    });
    let before = ALLOCATED.current_usage();
    settings.slots.trim();
    let kept = before - ALLOCATED.current_usage();
    println!("eight readers took {taken}, promised {promised}; alone each may take {alone}; kept for later {kept}");
    assert!(taken <= promised, "eight readers took {taken}, promised are {promised}");
    assert!(promised < READERS as u64 * alone, "they share nothing");
}

fn frame_of(header: &[u8], block: &[u8], blocks: usize) -> Vec<u8> {
    let mut stream = frame(header, &vec![block.to_vec(); blocks]);
    let last = stream.len() - block.len();
    stream[last] |= 1;
    stream
}

/// A frame that fills its buffer exactly before a block header that still fits the bound of 16 MiB.
fn brimful() -> Vec<u8> {
    let mut blocks = vec![raw(false, &vec![1; 131_072]); 127];
    let left = (16 << 20) - 6 - blocks.iter().map(Vec::len).sum::<usize>();
    blocks.insert(0, raw(false, &vec![1; left - 3 - 3]));
    blocks.push(raw(true, b""));
    let stream = frame(&unsized_header(W_16M), &blocks);
    assert_eq!(stream.len(), 16 << 20);
    stream
}
