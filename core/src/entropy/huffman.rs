//! Huffman trees of literals (RFC 8878, 4.2.1), and the streams coded with them (4.2.2).

use super::bits::BackwardBits;
use super::fse::{Distribution, SYMBOLS_MAX, Table};
use crate::ErrorKind;

/// `Max_Number_of_Bits` is at most this.
const BITS_MAX: u32 = 11;
/// So many codes fit the 57 bits of a refill.
const CODES_OF_REFILL: usize = 5;
/// Weights that a description can hold: that of the last symbol is not stored.
const WEIGHTS_MAX: usize = 255;
/// The accuracy of the weights' own table.
const WEIGHTS_ACCURACY_MAX: u32 = 6;

/// A decoding table, as large as the deepest tree asks for: then its index is a shift by a constant.
#[derive(Clone, Debug)]
pub(super) struct Huffman {
    /// How many bits a code has, and in the high byte its symbol; by the code and what follows it.
    entries: [u16; 1 << BITS_MAX],
}

/// The weights of a tree.
struct Weights {
    weights: [u8; WEIGHTS_MAX + 1],
    count: usize,
}

impl Weights {
    fn push(&mut self, weight: u8) -> Result<(), ErrorKind> {
        if self.count >= WEIGHTS_MAX {
            return Err(ErrorKind::HuffmanWeightsStream);
        }
        self.put(weight);
        Ok(())
    }

    fn put(&mut self, weight: u8) {
        if let Some(place) = self.weights.get_mut(self.count) {
            *place = weight;
            self.count = self.count.saturating_add(1);
        }
    }

    fn all(&self) -> &[u8] {
        self.weights.get(..self.count).unwrap_or_default()
    }
}

impl Huffman {
    pub(super) const fn new() -> Self {
        Self { entries: [0; 1 << BITS_MAX] }
    }

    /// Reads `Huffman_Tree_Description` and builds its table; returns how many bytes it takes.
    ///
    /// # Errors
    /// L08 where it does not fit, L09 and L10 for the weights.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        let (&header, rest) = bytes.split_first().ok_or(ErrorKind::HuffmanTree)?;
        let mut weights = Weights { weights: [0; WEIGHTS_MAX + 1], count: 0 };
        let size = if header < 128 {
            let size = usize::from(header);
            read_coded_weights(rest.get(..size).ok_or(ErrorKind::HuffmanTree)?, &mut weights)?;
            size
        } else {
            let count = usize::from(header).saturating_sub(127);
            let size = count.div_ceil(2);
            let packed = rest.get(..size).ok_or(ErrorKind::HuffmanTree)?;
            for weight in packed.iter().flat_map(|byte| [byte >> 4, byte & 0xF]).take(count) {
                weights.push(weight)?;
            }
            size
        };
        self.build(&mut weights)?;
        Ok(size.saturating_add(1))
    }

    #[expect(clippy::arithmetic_side_effects, reason = "at most 256 weights of at most 11: sums are below 2^19")]
    fn build(&mut self, weights: &mut Weights) -> Result<(), ErrorKind> {
        let mut sum = 0u32;
        for &weight in weights.all() {
            if u32::from(weight) > BITS_MAX {
                return Err(ErrorKind::HuffmanWeights);
            }
            sum += (1 << weight) >> 1;
        }
        // The last symbol completes the sum to the next power of two.
        let depth = sum.checked_ilog2().ok_or(ErrorKind::HuffmanWeights)? + 1;
        let missing = (1 << depth) - sum;
        if depth > BITS_MAX || !u32::is_power_of_two(missing) {
            return Err(ErrorKind::HuffmanWeights);
        }
        weights.put(missing.trailing_zeros() as u8 + 1);
        if weights.all().iter().filter(|&&weight| weight == 1).nth(1).is_none() {
            return Err(ErrorKind::HuffmanWeights);
        }
        // Codes are given out by weight, and among equal ones by symbol.
        let mut starts = [0usize; BITS_MAX as usize + 2];
        for &weight in weights.all() {
            if let Some(start) = starts.get_mut(usize::from(weight) + 1) {
                *start += ((1 << weight) >> 1) << (BITS_MAX - depth);
            }
        }
        let mut start = 0;
        for next in &mut starts {
            start += *next;
            *next = start;
        }
        for (symbol, &weight) in weights.all().iter().enumerate().filter(|&(_, &weight)| weight > 0) {
            let Some(start) = starts.get_mut(usize::from(weight)) else { continue };
            let bits = depth + 1 - u32::from(weight);
            let width = 1usize << (BITS_MAX - bits);
            if let Some(entries) = self.entries.get_mut(*start..*start + width) {
                entries.fill((symbol as u16) << 8 | bits as u16);
            }
            *start += width;
        }
        Ok(())
    }

    /// The next symbol of what lies ahead. The low byte of `taken` comes to be how many bits were taken of it.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the index has as many bits as the table")]
    fn next(&self, ahead: &mut u64, taken: &mut u32) -> u8 {
        let entry = self.entries[(*ahead >> (u64::BITS - BITS_MAX)) as usize];
        *ahead = ahead.wrapping_shl(u32::from(entry));
        *taken = taken.wrapping_add(u32::from(entry));
        (entry >> 8) as u8
    }

    /// Runs a stream of `count` symbols to its end.
    ///
    /// # Errors
    /// L11, unless the symbols take all of its bits and no more.
    pub(super) fn run(&self, stream: &[u8], count: usize, symbol: impl FnMut(u8)) -> Result<(), ErrorKind> {
        self.run_rest(BackwardBits::new(stream).ok_or(ErrorKind::LiteralsStream)?, count, symbol)
    }

    fn run_rest(&self, mut bits: BackwardBits<'_>, count: usize, mut symbol: impl FnMut(u8)) -> Result<(), ErrorKind> {
        let mut left = count;
        while left > 0 {
            let some = left.min(CODES_OF_REFILL);
            bits.refill();
            let (mut ahead, mut taken) = (bits.ahead(), 0);
            for _ in 0..some {
                symbol(self.next(&mut ahead, &mut taken));
            }
            bits.skip(taken & 0xFF);
            if bits.left() < 0 {
                return Err(ErrorKind::LiteralsStream);
            }
            left = left.saturating_sub(some);
        }
        if bits.left() == 0 { Ok(()) } else { Err(ErrorKind::LiteralsStream) }
    }

    /// Runs four streams side by side, since the processor works on one while another waits: three of `each` symbols, and
    /// one of `last`, which is no more.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(super) fn run_four(
        &self,
        streams: [&[u8]; 4],
        each: usize,
        last: usize,
        mut symbol: impl FnMut(usize, u8),
    ) -> Result<(), ErrorKind> {
        let broken = ErrorKind::LiteralsStream;
        let [one, two, three, four] = streams.map(BackwardBits::new);
        let (Some(mut one), Some(mut two), Some(mut three), Some(mut four)) = (one, two, three, four) else {
            return Err(broken);
        };
        for _ in 0..last / CODES_OF_REFILL {
            one.refill();
            two.refill();
            three.refill();
            four.refill();
            let (mut a, mut b, mut c, mut d) = (one.ahead(), two.ahead(), three.ahead(), four.ahead());
            let mut taken = [0; 4];
            for _ in 0..CODES_OF_REFILL {
                symbol(0, self.next(&mut a, &mut taken[0]));
                symbol(1, self.next(&mut b, &mut taken[1]));
                symbol(2, self.next(&mut c, &mut taken[2]));
                symbol(3, self.next(&mut d, &mut taken[3]));
            }
            one.skip(taken[0] & 0xFF);
            two.skip(taken[1] & 0xFF);
            three.skip(taken[2] & 0xFF);
            four.skip(taken[3] & 0xFF);
        }
        // A stream that has run out stays so, and is found out at its end.
        let done = last.saturating_sub(last % CODES_OF_REFILL);
        for (stream, (bits, count)) in [(one, each), (two, each), (three, each), (four, last)].into_iter().enumerate() {
            self.run_rest(bits, count.saturating_sub(done), |found| symbol(stream, found))?;
        }
        Ok(())
    }
}

/// Weights that are coded with FSE: one stream, two states that take turns (RFC 8878, 4.2.1.2).
fn read_coded_weights(bytes: &[u8], weights: &mut Weights) -> Result<(), ErrorKind> {
    let mut table = Table::<{ 1 << WEIGHTS_ACCURACY_MAX }>::new();
    let mut distribution = Distribution::new();
    let size =
        distribution.read(bytes, BITS_MAX as u8, WEIGHTS_ACCURACY_MAX).map_err(|_| ErrorKind::HuffmanWeightsStream)?;
    table.build(&distribution, &[0; SYMBOLS_MAX]);
    let mut bits = bytes.get(size..).and_then(BackwardBits::new).ok_or(ErrorKind::HuffmanWeightsStream)?;
    let mut state = bits.read(table.accuracy_log()) as u32;
    let mut other = bits.read(table.accuracy_log()) as u32;
    if bits.left() < 0 {
        return Err(ErrorKind::HuffmanWeightsStream);
    }
    loop {
        let entry = table.entry(state);
        weights.push(entry.symbol())?;
        bits.refill();
        state = entry.baseline().saturating_add(bits.read(entry.bits()) as u32);
        // An update past the end of the stream is the last one: the other state still has a symbol.
        if bits.left() < 0 {
            return weights.push(table.entry(other).symbol());
        }
        core::mem::swap(&mut state, &mut other);
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]
mod tests {
    use super::Huffman;
    use crate::ErrorKind;

    /// Weights 2, 1 and 1 are stored, and 3 completes them.
    const TREE: [u8; 3] = [127 + 3, 0x21, 0x10];
    /// The codes of its symbols: bits and how many.
    const CODES: [(u32, u32); 4] = [(0b01, 2), (0b000, 3), (0b001, 3), (0b1, 1)];
    const MOST: usize = 200;

    /// Symbols of every kind, in no order that repeats soon.
    fn symbols() -> [u8; MOST] {
        core::array::from_fn(|n| (n * n / 3 % 4) as u8)
    }

    /// The stream of these symbols, in a buffer, and its size: what is read first is highest.
    fn stream(symbols: &[u8]) -> ([u8; MOST], usize) {
        let (mut bytes, mut bits) = ([0; MOST], 0);
        let mut put = |bit: u32| {
            bytes[bits / 8] |= (bit as u8) << (bits % 8);
            bits += 1;
        };
        for &symbol in symbols.iter().rev() {
            let (code, size) = CODES[usize::from(symbol)];
            (0..size).for_each(|bit| put(code >> bit & 1));
        }
        put(1);
        (bytes, bits.div_ceil(8))
    }

    fn tree() -> Huffman {
        let mut huffman = Huffman::new();
        assert_eq!(huffman.read(&TREE), Ok(TREE.len()));
        huffman
    }

    #[test]
    fn a_stream_has_its_symbols_in_order_and_ends_with_the_last() {
        let huffman = tree();
        for count in 0..MOST {
            let symbols = &symbols()[..count];
            let (bytes, size) = stream(symbols);
            let mut left = symbols.iter();
            assert_eq!(huffman.run(&bytes[..size], count, |symbol| assert_eq!(left.next(), Some(&symbol))), Ok(()));
            assert_eq!(left.next(), None);
            for other in [count.wrapping_sub(1), count + 1] {
                let result = huffman.run(&bytes[..size], other.min(MOST), |_| {});
                assert_eq!(result, Err(ErrorKind::LiteralsStream), "{other} of {count}");
            }
        }
    }

    #[test]
    fn four_streams_have_their_symbols_in_order_and_each_ends_with_its_last() {
        let huffman = tree();
        let symbols = symbols();
        for (each, last) in [(1, 0), (2, 1), (5, 5), (6, 4), (30, 27), (49, 49), (50, 50)] {
            let parts = [0, 1, 2, 3].map(|n| &symbols[n * each..][..if n < 3 { each } else { last }]);
            let streams = parts.map(stream);
            let run = |sizes: [usize; 4], each, last, symbol: &mut dyn FnMut(usize, u8)| {
                let streams = [0, 1, 2, 3].map(|n| &streams[n].0[..sizes[n]]);
                huffman.run_four(streams, each, last, symbol)
            };
            let sizes = streams.map(|(_, size)| size);
            let mut left = parts.map(<[u8]>::iter);
            let mut next = |stream: usize, symbol| assert_eq!(left[stream].next(), Some(&symbol));
            assert_eq!(run(sizes, each, last, &mut next), Ok(()));
            assert!(left.iter().all(|left| left.len() == 0));
            // A stream that is cut short, and streams that hold less or more.
            for n in 0..4 {
                let mut shorter = sizes;
                shorter[n] -= 1;
                assert_eq!(run(shorter, each, last, &mut |_, _| {}), Err(ErrorKind::LiteralsStream), "{n}");
            }
            let fewer_last = if last > 0 { (each, last - 1) } else { (each + 1, last) };
            for (each, last) in [(each + 1, last), (each - 1, last.min(each - 1)), fewer_last] {
                let result = run(sizes, each, last, &mut |_, _| {});
                assert_eq!(result, Err(ErrorKind::LiteralsStream), "{each}, {last}");
            }
        }
    }
}
