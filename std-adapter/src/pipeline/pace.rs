//! Whether it is the input that takes time, or decoding: what [`crate::Settings::adaptive`] asks.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long reading and decoding took lately, on whatever threads, and of how much input.
// A lock, since not every target has atomics of 64 bits, and the four are halved together.
#[derive(Debug, Default)]
pub(super) struct Pace(Mutex<Counters>);

/// Times in nanoseconds, sizes in bytes of input.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    reading: u64,
    decoding: u64,
    read: u64,
    decoded: u64,
}

/// What is known is halved once it is of so much input, so that what was long ago counts less and less.
const LATELY: u64 = 8 << 20;

impl Pace {
    /// Reads, and notes how long that took.
    pub(super) fn reading<T>(pace: Option<&Self>, read: impl FnOnce() -> T) -> T {
        let Some(pace) = pace else { return read() };
        let start = Instant::now();
        let result = read();
        pace.note_reading(start.elapsed());
        result
    }

    /// How long reads took so far, since the last halving.
    pub(super) fn reading_time(&self) -> Duration {
        Duration::from_nanos(self.counters().reading)
    }

    /// Notes that so much input was read.
    pub(super) fn note_read(&self, input: u64) {
        let mut counters = self.counters();
        counters.read = counters.read.saturating_add(input);
    }

    /// Notes that decoding so much input took so long.
    pub(super) fn note_decoded(&self, input: u64, time: Duration) {
        let mut counters = self.counters();
        counters.decoding = counters.decoding.saturating_add(nanoseconds(time));
        counters.decoded = counters.decoded.saturating_add(input);
    }

    /// Whether one thread that decodes while it reads keeps up with the input. Asked between frames: before anything is known
    /// it says yes, since then the first content comes soonest. While frames are decoded as they are read, waiting for
    /// input must be a tenth of the time at least; else it must take a quarter longer to read a frame than to decode it.
    pub(super) fn input_is_slow(&self, streaming: bool) -> bool {
        let mut counters = self.counters();
        let Counters { reading, decoding, read, decoded } = *counters;
        if decoded == 0 || read == 0 {
            return true;
        }
        if read > LATELY {
            *counters = Counters { reading: reading / 2, decoding: decoding / 2, read: read / 2, decoded: decoded / 2 };
        }
        // Times for as much input, so that frames that are under way do not count for one side alone.
        let reading = u128::from(reading) * u128::from(decoded);
        let decoding = u128::from(decoding) * u128::from(read);
        if streaming { reading * 9 > decoding } else { reading * 4 > decoding * 5 }
    }

    fn note_reading(&self, time: Duration) {
        let mut counters = self.counters();
        counters.reading = counters.reading.saturating_add(nanoseconds(time));
    }

    fn counters(&self) -> MutexGuard<'_, Counters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
            pace.note_reading(Duration::from_millis(reading));
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
