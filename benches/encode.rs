//! How fast `ParallelWriter` encodes with each encoder, beside libzstd 1.5.7 at the same level on as many threads, in
//! the same run. `cargo bench -p zvet-benches --bench encode`; `ZVET_BENCH_FILES` may name files of real data, with `:`
//! between them.

use std::fs::File;
use std::io::{Read, Write, sink};
use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use zstd::bulk::Compressor;
use zvet::{EncodeSettings, EncoderChoice, ParallelWriter};
use zvet_tests::data::Shape;

const FRAME: usize = 4 << 20;
/// How many frames of each kind: some for each of two workers.
const FRAMES: usize = 6;
const ROUNDS: usize = 5;
const LEVELS: [i32; 3] = [1, 3, 9];
const WORKERS: [usize; 2] = [1, 2];

fn main() {
    // Tests of all targets run this, too, and do not ask for figures.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    println!("MB/s of content, its ratio, and the speed as a share of libzstd's on as many threads");
    println!(
        "{:<12} {:>5} {:>7} {:>22} {:>22} {:>22} {:>22}",
        "data", "level", "workers", "libzstd alone", "mzstd", "libzstd", "ruzstd (level 1)"
    );
    for (name, shape) in [("image", Shape::Image), ("log", Shape::Log), ("binary", Shape::Binary)] {
        measure(name, &shape.data(FRAME * FRAMES, 1));
    }
    let files = std::env::var("ZVET_BENCH_FILES").unwrap_or_default();
    for path in files.split(':').filter(|path| !path.is_empty()) {
        let mut data = Vec::new();
        File::open(path).unwrap().take((FRAME * FRAMES) as u64).read_to_end(&mut data).unwrap();
        measure(path.rsplit('/').next().unwrap_or(path), &data);
    }
}

/// What encodes, and returns how many bytes that makes.
type Encode<'a> = Box<dyn Fn() -> u64 + 'a>;

fn measure(name: &str, data: &[u8]) {
    for level in LEVELS {
        for workers in WORKERS {
            let zvet = |encoder: EncoderChoice| -> Encode<'_> {
                let level = if encoder.levels().contains(&level) { level } else { encoder.default_level() };
                let workers = NonZeroUsize::new(workers).unwrap();
                let settings = EncodeSettings {
                    level: Some(level),
                    frame_size: FRAME,
                    workers,
                    encoder,
                    ..EncodeSettings::default()
                };
                Box::new(move || {
                    let mut writer = ParallelWriter::with_settings(sink(), &settings).unwrap();
                    writer.write_all(data).unwrap();
                    writer.finish().unwrap().1.compressed_size
                })
            };
            let contestants: [Encode<'_>; 4] = [
                Box::new(move || libzstd(data, level, workers)),
                zvet(EncoderChoice::mzstd()),
                zvet(EncoderChoice::libzstd()),
                zvet(EncoderChoice::ruzstd()),
            ];
            let mut times = [const { Vec::new() }; 4];
            let mut sizes = [0; 4];
            // One after the other, so that what slows the machine down slows all of them.
            for _ in 0..ROUNDS {
                for ((encode, times), size) in contestants.iter().zip(&mut times).zip(&mut sizes) {
                    let start = Instant::now();
                    *size = encode();
                    times.push(start.elapsed());
                }
            }
            let times = times.map(median);
            print!("{name:<12} {level:>5} {workers:>7}");
            for (time, size) in times.iter().zip(sizes) {
                print!(" {:>22}", figures(data.len(), size, *time, times[0]));
            }
            println!();
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures to be read")]
fn figures(content_size: usize, size: u64, time: Duration, reference: Duration) -> String {
    let speed = content_size as f64 / 1e6 / time.as_secs_f64();
    let (ratio, share) = (content_size as f64 / size as f64, reference.as_secs_f64() / time.as_secs_f64());
    format!("{speed:.0} ({ratio:.2}) {share:.2}")
}

/// libzstd on so many threads, each with a context of its own that is used again, with the window that zvet gives it.
fn libzstd(data: &[u8], level: i32, workers: usize) -> u64 {
    let frames: Vec<_> = data.chunks(FRAME).collect();
    thread::scope(|scope| {
        let threads: Vec<_> = frames
            .chunks(frames.len().div_ceil(workers))
            .map(|frames| {
                scope.spawn(move || {
                    let mut compressor = Compressor::new(level).unwrap();
                    compressor.include_checksum(true).unwrap();
                    compressor.window_log(FRAME.ilog2()).unwrap();
                    let mut frame = Vec::with_capacity(zstd::zstd_safe::compress_bound(FRAME));
                    frames
                        .iter()
                        .map(|content| compressor.compress_to_buffer(content, &mut frame).unwrap() as u64)
                        .sum::<u64>()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
