//! What is compared: one after the other, round by round.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Ways to decode, the first of which the others are compared with.
pub(crate) struct Race<'a> {
    ways: Vec<(String, Box<dyn FnMut() -> u64 + 'a>)>,
}

/// How fast a way is.
pub(crate) struct Speed {
    pub(crate) name: String,
    /// In MB/s of content.
    pub(crate) rate: f64,
    /// To the first way.
    pub(crate) ratio: f64,
}

impl<'a> Race<'a> {
    pub(crate) fn new() -> Self {
        Self { ways: Vec::new() }
    }

    /// A way, which returns how much content it made.
    pub(crate) fn add(&mut self, name: impl Into<String>, run: impl FnMut() -> u64 + 'a) {
        self.ways.push((name.into(), Box::new(run)));
    }

    /// Runs all of them once, to warm up, and then so many rounds.
    pub(crate) fn run(mut self, rounds: usize) -> Vec<Speed> {
        let mut rates = vec![Vec::new(); self.ways.len()];
        for round in 0..=rounds {
            for ((_, run), rates) in self.ways.iter_mut().zip(&mut rates) {
                let start = Instant::now();
                let size = black_box(run());
                let rate = megabytes_per_second(size, start.elapsed());
                if round > 0 {
                    rates.push(rate);
                }
            }
        }
        let first = rates[0].clone();
        let named = self.ways.into_iter().zip(rates);
        named
            .map(|((name, _), rates)| {
                let ratio = median(rates.iter().zip(&first).map(|(rate, first)| rate / first).collect());
                Speed { name, rate: median(rates), ratio }
            })
            .collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
pub(crate) fn megabytes_per_second(size: u64, time: Duration) -> f64 {
    size as f64 / 1e6 / time.as_secs_f64()
}

pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

impl Speed {
    /// The rate and the ratio.
    pub(crate) fn figures(&self) -> String {
        format!("{:.0} x{:.2}", self.rate, self.ratio)
    }
}

/// A line for each.
pub(crate) fn print(speeds: &[Speed]) {
    for speed in speeds {
        println!("  {:<44} {:>8.0} MB/s {:>8}", speed.name, speed.rate, format!("x{:.2}", speed.ratio));
    }
}
