//! Huffman trees of literals (RFC 8878, 4.2.1), and the streams coded with them (4.2.2).

use super::bits::BackwardBits;
use super::fse::{Distribution, Table};
use crate::ErrorKind;

/// `Max_Number_of_Bits` is at most this.
const BITS_MAX: u32 = 11;
/// Weights that a description can hold: that of the last symbol is not stored.
const WEIGHTS_MAX: usize = 255;
/// The accuracy of the weights' own table.
const WEIGHTS_ACCURACY_MAX: u32 = 6;

/// A decoding table, as large as the deepest tree asks for.
#[derive(Clone, Debug)]
pub(super) struct Huffman {
    /// Symbol, and in the high byte how many bits its code has; by the code and what follows it.
    entries: [u16; 1 << BITS_MAX],
    /// `Max_Number_of_Bits` of the tree at hand.
    depth: u8,
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
        Self { entries: [0; 1 << BITS_MAX], depth: 0 }
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
        self.build(weights)?;
        Ok(size.saturating_add(1))
    }

    #[expect(clippy::arithmetic_side_effects, reason = "at most 256 weights of at most 11: sums are below 2^19")]
    fn build(&mut self, mut weights: Weights) -> Result<(), ErrorKind> {
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
        weights.put(missing.ilog2() as u8 + 1);
        if weights.all().iter().filter(|&&weight| weight == 1).nth(1).is_none() {
            return Err(ErrorKind::HuffmanWeights);
        }
        // Codes are given out by weight, and among equal ones by symbol.
        let mut starts = [0usize; BITS_MAX as usize + 2];
        for &weight in weights.all() {
            if let Some(start) = starts.get_mut(usize::from(weight) + 1) {
                *start += (1 << weight) >> 1;
            }
        }
        let mut start = 0;
        for next in &mut starts {
            start += *next;
            *next = start;
        }
        for (symbol, &weight) in weights.all().iter().enumerate().filter(|&(_, &weight)| weight > 0) {
            let Some(start) = starts.get_mut(usize::from(weight)) else { continue };
            let width = (1usize << weight) >> 1;
            let bits = (depth + 1 - u32::from(weight)) as u16;
            if let Some(entries) = self.entries.get_mut(*start..*start + width) {
                entries.fill(bits << 8 | symbol as u16);
            }
            *start += width;
        }
        self.depth = depth as u8;
        Ok(())
    }

    /// The next symbol of a stream.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the index is masked to the table")]
    fn next(&self, bits: &mut BackwardBits<'_>) -> u8 {
        let entry = self.entries[bits.peek(u32::from(self.depth)) as usize & ((1 << BITS_MAX) - 1)];
        bits.skip(u32::from(entry >> 8));
        entry as u8
    }

    /// Runs a stream of `count` symbols to its end.
    ///
    /// # Errors
    /// L11, unless the symbols take all of its bits and no more.
    pub(super) fn run(&self, stream: &[u8], count: usize, mut symbol: impl FnMut(u8)) -> Result<(), ErrorKind> {
        let mut bits = BackwardBits::new(stream).ok_or(ErrorKind::LiteralsStream)?;
        // Five codes of eleven bits fit a refill.
        for _ in 0..count / 5 {
            bits.refill();
            for _ in 0..5 {
                symbol(self.next(&mut bits));
            }
            if bits.left() < 0 {
                return Err(ErrorKind::LiteralsStream);
            }
        }
        bits.refill();
        for _ in 0..count % 5 {
            symbol(self.next(&mut bits));
        }
        if bits.left() == 0 { Ok(()) } else { Err(ErrorKind::LiteralsStream) }
    }

    /// Runs four streams of `counts` symbols side by side: the processor works on one while another waits.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(super) fn run_four(&self, streams: [&[u8]; 4], each: usize, last: usize) -> Result<(), ErrorKind> {
        let broken = ErrorKind::LiteralsStream;
        let [one, two, three, four] = streams.map(BackwardBits::new);
        let (Some(mut one), Some(mut two), Some(mut three), Some(mut four)) = (one, two, three, four) else {
            return Err(broken);
        };
        for _ in 0..last / 5 {
            one.refill();
            two.refill();
            three.refill();
            four.refill();
            for _ in 0..5 {
                self.next(&mut one);
                self.next(&mut two);
                self.next(&mut three);
                self.next(&mut four);
            }
            if one.left() | two.left() | three.left() | four.left() < 0 {
                return Err(broken);
            }
        }
        let done = last.saturating_sub(last % 5);
        for (bits, count) in [(&mut one, each), (&mut two, each), (&mut three, each), (&mut four, last)] {
            for _ in done..count {
                bits.refill();
                self.next(bits);
            }
            if bits.left() != 0 {
                return Err(broken);
            }
        }
        Ok(())
    }
}

/// Weights that are coded with FSE: one stream, two states that take turns (RFC 8878, 4.2.1.2).
fn read_coded_weights(bytes: &[u8], weights: &mut Weights) -> Result<(), ErrorKind> {
    let mut table = Table::<{ 1 << WEIGHTS_ACCURACY_MAX }>::new();
    let (distribution, size) = Distribution::parse(bytes, BITS_MAX as u8, WEIGHTS_ACCURACY_MAX)
        .map_err(|_| ErrorKind::HuffmanWeightsStream)?;
    table.build(&distribution);
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
