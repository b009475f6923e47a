//! What sequences refer to: repeat offsets (RFC 8878, 3.1.1.5), and how far back there is something.

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

    /// The offset of a sequence whose match begins `in_block` bytes into its block.
    ///
    /// # Errors
    /// S09 for an offset of 0, S10 for one past what there is.
    #[inline(always)]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a value over 3 less 3; an offset is compared before it is taken from"
    )]
    pub(super) fn sequence(&mut self, value: u64, literals_length: u32, in_block: u64) -> Result<u64, ErrorKind> {
        let [first, second, third] = self.repeat_offsets;
        let shifted = value + u64::from(literals_length == 0);
        let (offset, repeat_offsets) = if value > 3 {
            (value - 3, [value - 3, first, second])
        } else {
            match shifted {
                1 => (first, [first, second, third]),
                2 => (second, [second, first, third]),
                3 => (third, [third, first, second]),
                _ => (first.wrapping_sub(1), [first.wrapping_sub(1), first, second]),
            }
        };
        if offset == 0 {
            return Err(ErrorKind::ZeroOffset);
        }
        self.repeat_offsets = repeat_offsets;
        let made = self.made.saturating_add(in_block);
        if offset <= made.min(self.window) { Ok(offset) } else { self.far(offset, made) }
    }

    /// An offset past what the frame made, or past its window. A dictionary is in reach until the frame has made more than
    /// its window.
    #[cold]
    #[inline(never)]
    fn far(&self, offset: u64, made: u64) -> Result<u64, ErrorKind> {
        if offset <= made || made > self.window {
            return Err(ErrorKind::OffsetTooFar { offset, reach: made.min(self.window) });
        }
        let before = offset.saturating_sub(made);
        if before <= self.dictionary {
            Ok(offset)
        } else if self.dictionary > 0 {
            Err(ErrorKind::OffsetTooFar { offset, reach: made.saturating_add(self.dictionary) })
        } else {
            Err(ErrorKind::OffsetBeforeFrame { offset, made })
        }
    }
}
