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
    /// The bytes up to the end of the word.
    bytes: &'a [u8],
    /// The last eight of these bytes, with zeros below where there are fewer. What comes next is in its high bits.
    word: u64,
    /// How many bits before the end of the word were read.
    used: u32,
}

/// Masks of 0 to 63 bits. To look one up takes less than to shift it there.
static MASKS: [u64; 64] = masks();

const fn masks() -> [u64; 64] {
    let mut masks = [0; 64];
    let mut rest: &mut [u64] = &mut masks;
    let mut mask = 0;
    while let [place, more @ ..] = rest {
        *place = mask;
        mask = mask << 1 | 1;
        rest = more;
    }
    masks
}

impl<'a> BackwardBits<'a> {
    /// A reader of a stream; `None` where there is no end mark, because there is no byte or the last one is zero.
    ///
    /// Streams are parts of a block, so 128 KiB at most.
    pub(super) fn new(bytes: &'a [u8]) -> Option<Self> {
        let &last = bytes.last()?;
        let mark = last.checked_ilog2()?;
        let mut bits = Self { bytes, word: 0, used: 8u32.saturating_sub(mark) };
        bits.refill();
        Some(bits)
    }

    /// How many bits are left; below zero where more were read than there are.
    #[inline(always)]
    #[expect(clippy::arithmetic_side_effects, reason = "a block has far fewer than 2^31 bits")]
    pub(super) const fn left(&self) -> i32 {
        self.bytes.len() as i32 * 8 - self.used as i32
    }

    /// Sees to it that at least 57 of the bits left can be read.
    #[inline(always)]
    pub(super) fn refill(&mut self) {
        let end = self.bytes.len().wrapping_sub((self.used / 8) as usize);
        match self.bytes.get(..end).map(|bytes| (bytes, bytes.last_chunk::<8>())) {
            Some((bytes, Some(&word))) => {
                self.bytes = bytes;
                self.word = u64::from_le_bytes(word);
                self.used %= 8;
            }
            // By value: a reader that is lent to a function is kept in memory, not in registers.
            _ => *self = Self::short(self.bytes, self.used),
        }
    }

    /// The reader, refilled, where fewer than eight bytes are left.
    #[cold]
    #[inline(never)]
    fn short(bytes: &'a [u8], used: u32) -> Self {
        let read = bytes.len().min((used / 8) as usize);
        let bytes = bytes.get(..bytes.len().saturating_sub(read)).unwrap_or_default();
        let mut word = [0; 8];
        for (to, &from) in word.iter_mut().rev().zip(bytes.iter().rev()) {
            *to = from;
        }
        Self { bytes, word: u64::from_le_bytes(word), used: used.saturating_sub((read as u32).wrapping_mul(8)) }
    }

    /// What comes next, from the highest bit on: 57 bits where there are as many, and the lowest ones zero.
    #[inline(always)]
    pub(super) const fn ahead(&self) -> u64 {
        self.word.wrapping_shl(self.used)
    }

    /// The last `count` of `to` bits from the end of the word on.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the index is masked to the table")]
    fn last_of(&self, to: u32, count: u32) -> u64 {
        self.word.rotate_left(to) & MASKS[(count & 63) as usize]
    }

    #[inline(always)]
    pub(super) const fn skip(&mut self, count: u32) {
        self.used = self.used.wrapping_add(count);
    }

    /// Reads `count` bits, at most 57 in all since the last refill.
    #[inline(always)]
    pub(super) fn read(&mut self, count: u32) -> u64 {
        self.skip(count);
        self.last_of(self.used, count)
    }

    /// Reads three times, `all` bits together: what follows need not wait for sums of one and two.
    #[inline(always)]
    pub(super) fn read_three(&mut self, [one, two, three]: [u32; 3], all: u32) -> [u64; 3] {
        let to_one = self.used.wrapping_add(one);
        let read_two = self.last_of(to_one.wrapping_add(two), two);
        let read_one = self.last_of(to_one, one);
        self.skip(all);
        [read_one, read_two, self.last_of(self.used, three)]
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
    fn bits_read_at_once_are_those_read_one_by_one() {
        let bytes: [u8; 24] = core::array::from_fn(|n| (n * 91 + 5) as u8 | 1);
        for size in 1..=bytes.len() {
            for before in 0..8 {
                for counts in [[0, 0, 0], [9, 9, 8], [26, 31, 0], [0, 1, 56], [57, 0, 0], [3, 0, 54]] {
                    let mut bits = BackwardBits::new(&bytes[..size]).unwrap();
                    bits.skip(before);
                    bits.refill();
                    let ahead = bits.ahead();
                    let mut one_by_one = bits;
                    let read = bits.read_three(counts, counts.iter().sum());
                    let mut place = 64;
                    for (count, read) in counts.into_iter().zip(read) {
                        let by_one = (0..count).fold(0, |sum, _| {
                            one_by_one.refill();
                            sum << 1 | one_by_one.read(1)
                        });
                        assert_eq!(read, by_one, "{size} {before} {counts:?}");
                        place -= count;
                        let seen = ahead.checked_shr(place).unwrap_or(0) & ((1 << count) - 1);
                        assert_eq!(read, seen, "{size} {before} {counts:?}");
                    }
                    assert_eq!(bits.left(), one_by_one.left());
                }
            }
        }
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
