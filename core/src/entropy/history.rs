//! What sequences refer to: repeat offsets (RFC 8878, 3.1.1.5), and how far back there is something.

use core::hint::select_unpredictable;

use crate::ErrorKind;

/// Starting values of the repeat offsets.
pub(super) const REPEAT_OFFSETS: [u64; 3] = [1, 4, 8];

/// The history of a frame.
#[derive(Clone, Debug)]
pub(super) struct History {
    repeat_offsets: [u64; 3],
    /// What the blocks before made.
    made: u64,
    window: u64,
    /// Content of the dictionary, which lies before the frame.
    dictionary: u64,
}

impl History {
    pub(super) const fn new(window: u64, dictionary: u64, repeat_offsets: [u64; 3]) -> Self {
        Self { repeat_offsets, made: 0, window, dictionary }
    }

    pub(super) const fn made(&self) -> u64 {
        self.made
    }

    /// Adds what a block made. Saturates, far past what can be.
    pub(super) const fn add(&mut self, size: u64) {
        self.made = self.made.saturating_add(size);
    }

    /// The repeat offsets, to be kept at hand while sequences are run.
    pub(super) const fn repeat_offsets(&self) -> RepeatOffsets {
        RepeatOffsets(self.repeat_offsets)
    }

    /// Takes the repeat offsets back.
    pub(super) const fn keep(&mut self, repeat_offsets: RepeatOffsets) {
        self.repeat_offsets = repeat_offsets.0;
    }

    /// Holds an offset to what there is for a match that begins `in_block` bytes into its block.
    ///
    /// # Errors
    /// S09 for an offset of 0, S10 for one past what there is.
    #[inline(always)]
    pub(super) fn check(&self, offset: u64, in_block: u64) -> Result<(), ErrorKind> {
        // No frame comes near 2^64 bytes: a block makes 128 KiB at most.
        let made = self.made.wrapping_add(in_block);
        // An offset of 0 wraps past all.
        if offset.wrapping_sub(1) < made.min(self.window) { Ok(()) } else { self.far(offset, made) }
    }

    /// An offset past what the frame made, or past its window. A dictionary is in reach until the frame has made more than
    /// its window.
    #[cold]
    #[inline(never)]
    fn far(&self, offset: u64, made: u64) -> Result<(), ErrorKind> {
        if offset == 0 {
            return Err(ErrorKind::ZeroOffset);
        }
        if offset <= made || made > self.window {
            return Err(ErrorKind::OffsetTooFar { offset, reach: made.min(self.window) });
        }
        let before = offset.saturating_sub(made);
        if before <= self.dictionary {
            Ok(())
        } else if self.dictionary > 0 {
            Err(ErrorKind::OffsetTooFar { offset, reach: made.saturating_add(self.dictionary) })
        } else {
            Err(ErrorKind::OffsetBeforeFrame { offset, made })
        }
    }
}

/// Repeat offsets (RFC 8878, 3.1.1.5).
#[derive(Clone, Copy, Debug)]
pub(super) struct RepeatOffsets([u64; 3]);

impl RepeatOffsets {
    /// The offset that a value stands for. Which of them it is cannot be predicted, so there is no branch on it.
    #[inline(always)]
    pub(super) fn next(&mut self, value: u64, literals_length: u32) -> u64 {
        let [first, second, third] = self.0;
        // 0 to 3 for a repeat offset: the last one is the first less one.
        let which = value.wrapping_sub(u64::from(literals_length != 0));
        let repeated = select_unpredictable(which == 0, first, second);
        let repeated = select_unpredictable(which == 2, third, repeated);
        let repeated = select_unpredictable(which == 3, first.wrapping_sub(1), repeated);
        let offset = select_unpredictable(value > 3, value.wrapping_sub(3), repeated);
        self.0 =
            [offset, select_unpredictable(which == 0, second, first), select_unpredictable(which <= 1, third, second)];
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::RepeatOffsets;

    #[test]
    fn repeat_offsets_move_as_the_table_of_the_format_says() {
        for (value, literals_length, after) in [
            (1, 1, [10, 20, 30]),
            (2, 1, [20, 10, 30]),
            (3, 1, [30, 10, 20]),
            (4, 1, [1, 10, 20]),
            (1, 0, [20, 10, 30]),
            (2, 0, [30, 10, 20]),
            (3, 0, [9, 10, 20]),
            (4, 0, [1, 10, 20]),
            (u64::MAX, 0, [u64::MAX - 3, 10, 20]),
        ] {
            let mut offsets = RepeatOffsets([10, 20, 30]);
            assert_eq!(offsets.next(value, literals_length), after[0]);
            assert_eq!(offsets.0, after, "{value} after {literals_length} literals");
        }
        assert_eq!(RepeatOffsets([1, 4, 8]).next(3, 0), 0, "which S09 refuses");
    }
}
