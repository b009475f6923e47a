//! How fast zvet looks inside of blocks, as shares of the time that libzstd 1.5.7 takes to decode the same frames in
//! memory. `cargo bench -p zvet-benches`; `ZVET_BENCH_FILES` may name files of real data, with `:` between them.

use std::fmt::Display;
use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::time::{Duration, Instant};

use zstd::bulk::{Compressor, Decompressor};
use zvet_core::entropy::{Depth, EntropyWalker, Workspace};
use zvet_core::{Event, Walker};
use zvet_tests::data::Shape;

const FRAME: usize = 8 << 20;
/// How many frames of each kind.
const FRAMES: usize = 2;
const ROUNDS: usize = 7;
/// The envelope is so fast that one walk cannot be timed.
const WALKS: u32 = 200;

fn main() {
    // Tests of all targets run this, too, and do not ask for figures.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    println!(
        "{:<28} {:>5} {:>9} {:>14} {:>14} {:>14} {:>9} {:>9}",
        "data", "level", "stored", "libzstd", "sizes", "entropy", "blocks", "ns/block"
    );
    for (name, shape) in
        [("text", Shape::Text), ("log", Shape::Log), ("binary", Shape::Binary), ("image", Shape::Image)]
    {
        measure(name, &shape.data(FRAME * FRAMES, 1));
    }
    let files = std::env::var("ZVET_BENCH_FILES").unwrap_or_default();
    for path in files.split(':').filter(|path| !path.is_empty()) {
        let mut data = Vec::new();
        File::open(path).unwrap().take((FRAME * FRAMES) as u64).read_to_end(&mut data).unwrap();
        measure(path, &data);
    }
}

fn measure(name: &str, data: &[u8]) {
    for level in [1, 3, 19] {
        let mut compressor = Compressor::new(level).unwrap();
        let frames: Vec<_> = data.chunks(FRAME).map(|frame| compressor.compress(frame).unwrap()).collect();
        let mut decompressor = Decompressor::new().unwrap();
        let mut output = vec![0; FRAME];
        let mut workspace = Workspace::new();
        let mut times = [const { Vec::new() }; 4];
        // One after the other, so that what slows the machine down slows all of them.
        for _ in 0..ROUNDS {
            let [decode, sizes, streams, envelope] = &mut times;
            decode.push(time(|| {
                frames
                    .iter()
                    .map(|frame| decompressor.decompress_to_buffer(frame, &mut output[..]).unwrap() as u64)
                    .sum()
            }));
            sizes.push(time(|| frames.iter().map(|frame| inside(frame, Depth::Sizes, &mut workspace)).sum()));
            streams.push(time(|| frames.iter().map(|frame| inside(frame, Depth::Streams, &mut workspace)).sum()));
            envelope.push(time(|| (0..WALKS).map(|_| frames.iter().map(|frame| blocks(frame)).sum::<u64>()).sum()));
        }
        let [decode, sizes, streams, envelope] = times.map(median);
        let blocks: u64 = frames.iter().map(|frame| blocks(frame)).sum();
        let stored: usize = frames.iter().map(Vec::len).sum();
        let share = |time: Duration| with_share(time, time.as_secs_f64() / decode.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
        let per_block = envelope.as_secs_f64() * 1e9 / (blocks * u64::from(WALKS)) as f64;
        let name = name.rsplit('/').next().unwrap_or(name);
        println!(
            "{name:<28} {level:>5} {stored:>9} {:>14} {:>14} {:>14} {blocks:>9} {per_block:>9.1}",
            milliseconds(decode),
            share(sizes),
            share(streams),
        );
    }
}

fn milliseconds(time: Duration) -> impl Display {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn with_share(time: Duration, share: f64) -> impl Display {
    format!("{:.2} ms {share:.2}", time.as_secs_f64() * 1e3)
}

fn time(work: impl FnOnce() -> u64) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The exact size of a frame.
fn inside(frame: &[u8], depth: Depth, workspace: &mut Workspace) -> u64 {
    let mut walker = EntropyWalker::new(depth, workspace, [], ());
    let (mut rest, mut size) = (black_box(frame), None);
    loop {
        let step = walker.push(rest).unwrap();
        rest = &rest[step.consumed..];
        match step.event {
            Some(Event::FrameEnd(frame)) => size = frame.exact_size,
            Some(_) => {}
            None => break,
        }
    }
    walker.finish().unwrap();
    size.unwrap()
}

/// How many blocks a frame has.
fn blocks(frame: &[u8]) -> u64 {
    let mut walker = Walker::new();
    let (mut rest, mut blocks) = (black_box(frame), 0);
    loop {
        let step = walker.push(rest).unwrap();
        rest = &rest[step.consumed..];
        match step.event {
            Some(Event::FrameEnd(frame)) => blocks += frame.blocks.total(),
            Some(_) => {}
            None => break,
        }
        let content = usize::try_from(walker.skippable()).unwrap().min(rest.len());
        walker.skipped(content as u64);
        rest = &rest[content..];
    }
    walker.finish().unwrap();
    blocks
}
