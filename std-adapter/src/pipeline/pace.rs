//! Whether it is the input that takes time, or decoding: what [`crate::Settings::adaptive`] asks.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long reading and decoding took lately, on whatever threads, and of how much input.
#[derive(Debug, Default)]
pub(super) struct Pace {
    reading: AtomicU64,
    decoding: AtomicU64,
    read: AtomicU64,
    decoded: AtomicU64,
}

/// What is known is halved once it is of so much input, so that what was long ago counts less and less.
const LATELY: u64 = 8 << 20;

impl Pace {
    /// Reads, and notes how long that took.
    pub(super) fn reading<T>(pace: Option<&Self>, read: impl FnOnce() -> T) -> T {
        let Some(pace) = pace else { return read() };
        let start = Instant::now();
        let result = read();
        add(&pace.reading, nanoseconds(start.elapsed()));
        result
    }

    /// How long reads took so far, since the last halving.
    pub(super) fn reading_time(&self) -> Duration {
        Duration::from_nanos(self.reading.load(Ordering::Relaxed))
    }

    /// Notes that so much input was read.
    pub(super) fn note_read(&self, input: u64) {
        add(&self.read, input);
    }

    /// Notes that decoding so much input took so long.
    pub(super) fn note_decoded(&self, input: u64, time: Duration) {
        add(&self.decoding, nanoseconds(time));
        add(&self.decoded, input);
    }

    /// Whether one thread that decodes while it reads keeps up with the input. Asked between frames: before anything is known
    /// it says yes, since then the first content comes soonest. While frames are decoded as they are read, waiting for
    /// input must be a tenth of the time at least; else it must take a quarter longer to read a frame than to decode it.
    pub(super) fn input_is_slow(&self, streaming: bool) -> bool {
        let (reading, decoding) = (self.reading.load(Ordering::Relaxed), self.decoding.load(Ordering::Relaxed));
        let (read, decoded) = (self.read.load(Ordering::Relaxed), self.decoded.load(Ordering::Relaxed));
        if decoded == 0 || read == 0 {
            return true;
        }
        // Times for as much input, so that frames that are under way do not count for one side alone.
        let reading = u128::from(reading) * u128::from(decoded);
        let decoding = u128::from(decoding) * u128::from(read);
        let slow = if streaming { reading * 9 > decoding } else { reading * 4 > decoding * 5 };
        if read > LATELY {
            for counter in [&self.reading, &self.decoding, &self.read, &self.decoded] {
                let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count / 2));
            }
        }
        slow
    }
}

fn add(counter: &AtomicU64, more: u64) {
    counter.fetch_add(more, Ordering::Relaxed);
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LATELY, Pace};

    /// So many frames of 1 MiB, each of which takes so many milliseconds to read and to decode.
    fn after(pace: &Pace, frames: u64, reading: u64, decoding: u64) {
        for _ in 0..frames {
            pace.reading.fetch_add(reading * 1_000_000, std::sync::atomic::Ordering::Relaxed);
            pace.note_read(1 << 20);
            pace.note_decoded(1 << 20, Duration::from_millis(decoding));
        }
    }

    #[test]
    fn input_counts_as_slow_until_something_is_known() {
        assert!(Pace::default().input_is_slow(true));
    }

    #[test]
    fn frames_are_streamed_while_reading_them_takes_longer_than_decoding_them() {
        let pace = Pace::default();
        after(&pace, 3, 10, 5);
        assert!(pace.input_is_slow(false));
        let pace = Pace::default();
        after(&pace, 3, 5, 5);
        assert!(!pace.input_is_slow(false));
        // One thread that reads and decodes waits only for what decoding leaves.
        assert!(pace.input_is_slow(true));
        let pace = Pace::default();
        after(&pace, 30, 1, 20);
        assert!(!pace.input_is_slow(true));
    }

    #[test]
    fn what_was_long_ago_is_forgotten() {
        let pace = Pace::default();
        after(&pace, 100, 50, 5);
        assert!(pace.input_is_slow(false));
        for _ in 0..8 {
            after(&pace, LATELY >> 20, 1, 5);
            pace.input_is_slow(false);
        }
        assert!(!pace.input_is_slow(false));
    }
}
