//! A source that is slow: decoding as the input comes, in parallel, and whichever keeps up.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use zvet::source::Stream;
use zvet::{ParallelReader, Settings, Slots};
use zvet_tests::data::Shape;

use crate::data::{Bytes, Content, FRAME, Frames, LEVEL};
use crate::options::Options;
use crate::race::{median, megabytes_per_second};
use crate::zvets::{Way, cores};

/// In MB/s of input.
const RATES: [u32; 3] = [100, 300, 1000];

pub(crate) fn run(options: &Options) {
    println!(
        "\nadaptive: frames of 8 MiB, level {LEVEL}, {} workers; `tail` is from the last byte of input to the last of content",
        cores()
    );
    for (name, shape) in [("text", Shape::Text), ("binary", Shape::Binary)] {
        let frames = Frames::of(&Content::of(name, shape, 2 * options.content).bytes, FRAME, LEVEL);
        for rate in RATES {
            measure(name, &frames, rate, options.rounds);
        }
    }
}

/// A reader of content, made of a slow source.
type Open = Box<dyn Fn(Slow) -> Box<dyn BufRead>>;

fn measure(name: &str, frames: &Frames, rate: u32, rounds: usize) {
    let mut ways: Vec<(String, Open)> = vec![("libzstd, as it is read, on one thread".into(), Box::new(libzstd))];
    for way in Way::of_default() {
        for (kind, adaptive) in [("in parallel", false), ("adaptive", true)] {
            let settings = Settings { adaptive, ..way.settings(cores(), Slots::new(cores())) };
            ways.push((format!("zvet {}, {kind}", way.vetting()), Box::new(move |slow| zvet(slow, &settings))));
        }
    }
    let mut times = vec![(Vec::new(), Vec::new(), Vec::new()); ways.len()];
    for _ in 0..rounds {
        let mut first = None;
        for ((_, open), (totals, ratios, tails)) in ways.iter().zip(&mut times) {
            let (total, tail) = decode(open, frames, rate);
            totals.push(total.as_secs_f64());
            ratios.push(first.get_or_insert(total).as_secs_f64() / total.as_secs_f64());
            tails.push(tail.as_secs_f64());
        }
    }
    let arriving = time_of(frames.stream.len(), rate);
    let content = megabytes_per_second(frames.content_size as u64, arriving);
    println!(
        "\n{name}, {rate} MB/s of input, which is {content:.0} MB/s of content: it arrives in {:.1} ms",
        arriving.as_secs_f64() * 1e3
    );
    for ((name, _), (totals, ratios, tails)) in ways.iter().zip(times) {
        let [total, tail] = [totals, tails].map(|times| median(times) * 1e3);
        println!("  {name:<40} {total:>9.1} ms {:>8} {tail:>9.2} ms tail", format!("x{:.2}", median(ratios)));
    }
}

fn libzstd(slow: Slow) -> Box<dyn BufRead> {
    // As much at a time as zvet hands on of such a frame.
    Box::new(io::BufReader::with_capacity(256 << 10, zstd::stream::read::Decoder::new(slow).unwrap()))
}

fn zvet(slow: Slow, settings: &Settings) -> Box<dyn BufRead> {
    Box::new(ParallelReader::with_settings(Stream::new(slow), settings).unwrap())
}

/// How long all of it took, and how long what came after the input did.
fn decode(open: &Open, frames: &Frames, rate: u32) -> (Duration, Duration) {
    let begun = Instant::now();
    let input_ended = Arc::new(AtomicU64::new(0));
    let bytes = frames.stream.clone();
    let mut content = open(Slow { bytes, position: 0, rate, begun, ended: input_ended.clone() });
    let (mut size, mut last) = (0, Duration::ZERO);
    loop {
        let n = content.fill_buf().unwrap().len();
        if n == 0 {
            break;
        }
        content.consume(n);
        size += n;
        last = begun.elapsed();
    }
    assert_eq!(size, frames.content_size);
    (last, last.saturating_sub(Duration::from_nanos(input_ended.load(Relaxed))))
}

/// How long so many bytes take to arrive, at so many MB/s: bytes in a microsecond.
fn time_of(bytes: usize, rate: u32) -> Duration {
    Duration::from_micros(bytes as u64 / u64::from(rate))
}

/// Bytes that arrive so many in a second, whether they are read or not.
struct Slow {
    bytes: Bytes,
    position: usize,
    /// In MB/s.
    rate: u32,
    begun: Instant,
    /// When the last byte was read, in nanoseconds after the beginning.
    ended: Arc<AtomicU64>,
}

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        /// Fewer are not waited for.
        const PIECE: usize = 64 << 10;
        let left = (self.bytes.len() - self.position).min(buffer.len());
        let due = self.position + left.min(PIECE);
        if let Some(wait) = time_of(due, self.rate).checked_sub(self.begun.elapsed()) {
            thread::sleep(wait);
        }
        let arrived = self.begun.elapsed().as_micros() * u128::from(self.rate);
        let arrived = usize::try_from(arrived).unwrap_or(usize::MAX);
        let n = arrived.clamp(due, self.position + left) - self.position;
        buffer[..n].copy_from_slice(&self.bytes[self.position..self.position + n]);
        self.position += n;
        if n > 0 && self.position == self.bytes.len() {
            self.ended.store(u64::try_from(self.begun.elapsed().as_nanos()).unwrap(), Relaxed);
        }
        Ok(n)
    }
}
