//! Bit readers. Forward ones are for table descriptions (RFC 8878, 4.1.1), backward ones for all coded streams
//! (RFC 8878, 4.1 and 4.2.2).

/// Reads bits from the first byte on, the lowest bit of a byte first. Bits past the end are zero, and are counted: whether
/// there were any is asked at the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForwardBits<'a> {
    bytes: &'a [u8],
    /// How many bits were read.
    position: usize,
}

impl<'a> ForwardBits<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// The next `count` bits, at most 24, without reading them.
    #[expect(clippy::arithmetic_side_effects, reason = "at most 7 and 24")]
    pub(super) fn peek(&self, count: u32) -> u32 {
        let rest = self.bytes.get(self.position / 8..).unwrap_or_default();
        let mut word = [0; 4];
        for (to, &from) in word.iter_mut().zip(rest) {
            *to = from;
        }
        (u32::from_le_bytes(word) >> (self.position % 8)) & ((1 << count) - 1)
    }

    pub(super) fn skip(&mut self, count: u32) {
        self.position = self.position.saturating_add(count as usize);
    }

    pub(super) fn read(&mut self, count: u32) -> u32 {
        let bits = self.peek(count);
        self.skip(count);
        bits
    }

    /// How many bytes were read, the last of them perhaps in part; `None` where that is more than there are.
    pub(super) fn bytes_read(&self) -> Option<usize> {
        let read = self.position.div_ceil(8);
        (read <= self.bytes.len()).then_some(read)
    }
}

/// Reads bits from the last byte to the first, from below the highest set bit of the last byte on: that bit is the end
/// mark. Bits past the first byte are zero, and drive [`left`](Self::left) below zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct BackwardBits<'a> {
    bytes: &'a [u8],
    /// How many bits are left to be read.
    left: i32,
    /// The bits that come next, from the highest bit down: 57 of them at least after [`refill`](Self::refill), where
    /// there are as many.
    next: u64,
}

impl<'a> BackwardBits<'a> {
    /// A reader of a stream; `None` where there is no end mark, because there is no byte or the last one is zero.
    ///
    /// Streams are parts of a block, so 128 KiB at most.
    #[expect(clippy::arithmetic_side_effects, reason = "a block has far fewer than 2^31 bits")]
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let &last = bytes.last()?;
        let mark = last.checked_ilog2()?;
        let whole = i32::try_from(bytes.len() - 1).ok()?.checked_mul(8)?;
        let mut bits = Self { bytes, left: whole + mark as i32, next: 0 };
        bits.refill();
        Some(bits)
    }

    /// How many bits are left; below zero where more were read than there are.
    pub(super) const fn left(&self) -> i32 {
        self.left
    }

    /// Sees to it that at least 57 of the bits left can be read.
    #[inline(always)]
    #[expect(clippy::arithmetic_side_effects, reason = "shifts of 0 to 7; the end is within the bytes")]
    pub(super) fn refill(&mut self) {
        let left = usize::try_from(self.left).unwrap_or(0);
        let end = left.div_ceil(8);
        self.next = self.word_before(end) << (end * 8 - left);
    }

    /// The eight bytes before `end`; zeros where there are fewer.
    #[inline(always)]
    fn word_before(&self, end: usize) -> u64 {
        match end.checked_sub(8).and_then(|start| self.bytes.get(start..)?.first_chunk::<8>()) {
            Some(&word) => u64::from_le_bytes(word),
            None => self.short_word(end),
        }
    }

    #[cold]
    #[inline(never)]
    fn short_word(&self, end: usize) -> u64 {
        let mut word = [0; 8];
        for (to, &from) in word.iter_mut().rev().zip(self.bytes.iter().take(end).rev()) {
            *to = from;
        }
        u64::from_le_bytes(word)
    }

    /// The next `count` bits, at most 57 since the last refill, without reading them.
    #[inline(always)]
    #[expect(clippy::arithmetic_side_effects, reason = "the count is at most 63, and masked to be")]
    pub(super) const fn peek(&self, count: u32) -> u64 {
        // In two steps, since a shift by 64 is none.
        (self.next >> 1) >> (63 - (count & 63))
    }

    #[inline(always)]
    #[expect(clippy::arithmetic_side_effects, reason = "a stream has fewer than 2^21 bits, and is given up below zero")]
    pub(super) const fn skip(&mut self, count: u32) {
        self.next <<= count & 63;
        self.left -= count as i32;
    }

    /// Reads `count` bits, at most 57 in all since the last refill.
    #[inline(always)]
    pub(super) const fn read(&mut self, count: u32) -> u64 {
        let bits = self.peek(count);
        self.skip(count);
        bits
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::cast_sign_loss, reason = "tests")]
mod tests {
    use super::{BackwardBits, ForwardBits};

    #[test]
    fn forward_bits_come_lowest_first_and_end_with_zeros() {
        let mut bits = ForwardBits::new(&[0b1010_0101, 0b0000_0011]);
        assert_eq!([bits.read(4), bits.read(4), bits.read(1), bits.read(7)], [0b0101, 0b1010, 1, 1]);
        assert_eq!(bits.bytes_read(), Some(2));
        assert_eq!(bits.read(3), 0);
        assert_eq!(bits.bytes_read(), None);
    }

    #[test]
    fn backward_bits_begin_below_the_end_mark() {
        assert!(BackwardBits::new(&[]).is_none());
        assert!(BackwardBits::new(&[7, 0]).is_none());
        assert_eq!(BackwardBits::new(&[1]).unwrap().left(), 0);
        let mut bits = BackwardBits::new(&[0b1100_0001, 0b0001_0110]).unwrap();
        assert_eq!(bits.left(), 12);
        assert_eq!([bits.read(4), bits.read(3), bits.read(5)], [0b0110, 0b110, 0b00001]);
        assert_eq!(bits.left(), 0);
        assert_eq!(bits.read(2), 0);
        assert_eq!(bits.left(), -2);
    }

    #[test]
    fn backward_bits_of_any_size_are_read_whole() {
        let bytes: [u8; 40] = core::array::from_fn(|n| (n * 37 + 11) as u8 | 1);
        for size in 1..=bytes.len() {
            let bytes = &bytes[..size];
            let mut bits = BackwardBits::new(bytes).unwrap();
            // Bit by bit against the definition.
            for at in (0..bits.left()).rev() {
                bits.refill();
                assert_eq!(bits.read(1), u64::from(bytes[at as usize / 8] >> (at % 8) & 1), "{size} {at}");
            }
            assert_eq!(bits.left(), 0);
        }
    }
}
