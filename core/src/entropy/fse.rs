//! FSE tables (RFC 8878, 4.1): their description, and the table that is built from it.

use super::bits::ForwardBits;
use crate::ErrorKind;

/// The largest alphabet: match length codes, 0 to 52; offset codes, 0 to 63.
pub(super) const SYMBOLS_MAX: usize = 64;

/// A normalised distribution: what a table is built from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distribution {
    /// The probability of each symbol; -1 is "less than 1".
    probabilities: [i16; SYMBOLS_MAX],
    symbols: usize,
    accuracy_log: u32,
}

impl Distribution {
    /// One of the format's own distributions.
    pub(super) const fn predefined(of_symbols: &[i8], accuracy_log: u32) -> Self {
        let mut probabilities = [0; SYMBOLS_MAX];
        let mut rest = of_symbols;
        let mut to: &mut [i16] = &mut probabilities;
        while let ([probability, others @ ..], [first, more @ ..]) = (rest, to) {
            *first = *probability as i16;
            rest = others;
            to = more;
        }
        Self { probabilities, symbols: of_symbols.len(), accuracy_log }
    }

    /// A distribution of no symbols, to be read into.
    pub(super) const fn new() -> Self {
        Self { probabilities: [0; SYMBOLS_MAX], symbols: 0, accuracy_log: 0 }
    }

    /// Reads a description into one that is new, and returns how many bytes it takes. Symbols are 0 to `symbol_max`.
    ///
    /// # Errors
    /// S05 for the accuracy, S06 for all else.
    pub(super) fn read(&mut self, bytes: &[u8], symbol_max: u8, accuracy_log_max: u32) -> Result<usize, ErrorKind> {
        let mut bits = ForwardBits::new(bytes);
        if bytes.is_empty() {
            return Err(ErrorKind::FseTable);
        }
        let accuracy_log = bits.read(4).saturating_add(5);
        if accuracy_log > accuracy_log_max {
            return Err(ErrorKind::AccuracyLog { accuracy_log: accuracy_log as u8, maximum: accuracy_log_max as u8 });
        }
        self.accuracy_log = accuracy_log;
        // How much of the table is not given to a symbol yet. No probability is larger, so that this ends at 0.
        let mut remaining = 1i32.wrapping_shl(accuracy_log);
        while remaining > 0 {
            let probability = read_probability(&mut bits, remaining);
            self.give(probability, symbol_max)?;
            remaining = remaining.saturating_sub(i32::from(probability.unsigned_abs() as i16));
            if probability == 0 {
                self.give_zeros(&mut bits, symbol_max)?;
            }
        }
        let size = bits.bytes_read().ok_or(ErrorKind::FseTable)?;
        let present = self.present().iter().filter(|&&probability| probability != 0).count();
        if present < 2 {
            return Err(ErrorKind::FseTable);
        }
        Ok(size)
    }

    fn give(&mut self, probability: i16, symbol_max: u8) -> Result<(), ErrorKind> {
        if self.symbols > usize::from(symbol_max) {
            return Err(ErrorKind::FseTable);
        }
        let place = self.probabilities.get_mut(self.symbols).ok_or(ErrorKind::FseTable)?;
        *place = probability;
        self.symbols = self.symbols.saturating_add(1);
        Ok(())
    }

    /// A probability of zero is followed by how many more there are, in pieces of up to three.
    fn give_zeros(&mut self, bits: &mut ForwardBits<'_>, symbol_max: u8) -> Result<(), ErrorKind> {
        loop {
            let zeros = bits.read(2);
            for _ in 0..zeros {
                self.give(0, symbol_max)?;
            }
            if zeros < 3 {
                return Ok(());
            }
        }
    }

    fn present(&self) -> &[i16] {
        self.probabilities.get(..self.symbols).unwrap_or_default()
    }
}

/// Reads one probability. Of the values that can still be, the smaller ones take a bit less.
#[expect(clippy::arithmetic_side_effects, reason = "the accuracy log is at most 9, so all is far below 2^15")]
fn read_probability(bits: &mut ForwardBits<'_>, remaining: i32) -> i16 {
    // -1 to `remaining` are possible, stored one higher: 0 to remaining + 1.
    let largest = remaining.unsigned_abs() + 1;
    let size = largest.ilog2() + 1;
    let short = (1 << size) - 1 - largest;
    let low_mask = (1 << (size - 1)) - 1;
    let value = bits.peek(size);
    let value = if value & low_mask < short {
        bits.skip(size - 1);
        value & low_mask
    } else {
        bits.skip(size);
        if value > low_mask { value - short } else { value }
    };
    value as i16 - 1
}

/// A decoding table of up to `N` states. Its entries are packed: see [`Entry`].
#[derive(Clone, Debug)]
pub(super) struct Table<const N: usize> {
    entries: [Entry; N],
    accuracy_log: u8,
}

/// What a state says, packed: the symbol, how many more bits belong to it, and how to come to the next state.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry(u32);

impl Entry {
    const BITS_SHIFT: u32 = 16;
    const SYMBOL_SHIFT: u32 = 20;
    const EXTRA_SHIFT: u32 = 26;

    const fn new(symbol: u8, extra: u8, bits: u32, baseline: u32) -> Self {
        let (symbol, extra) = ((symbol as u32) << Self::SYMBOL_SHIFT, (extra as u32) << Self::EXTRA_SHIFT);
        Self(baseline | bits << Self::BITS_SHIFT | extra | symbol)
    }

    /// At most 63.
    #[inline(always)]
    pub(super) const fn symbol(self) -> u8 {
        (self.0 >> Self::SYMBOL_SHIFT) as u8 & 63
    }

    /// How many bits to read for what the symbol is a code of: at most 63.
    #[inline(always)]
    pub(super) const fn extra(self) -> u32 {
        self.0 >> Self::EXTRA_SHIFT
    }

    /// How many bits to read for the next state: at most 9.
    #[inline(always)]
    pub(super) const fn bits(self) -> u32 {
        (self.0 >> Self::BITS_SHIFT) & 15
    }

    /// What is added to them.
    #[inline(always)]
    pub(super) const fn baseline(self) -> u32 {
        self.0 & 0xFFFF
    }
}

impl<const N: usize> Table<N> {
    pub(super) const fn new() -> Self {
        assert!(N.is_power_of_two(), "states are masked");
        Self { entries: [Entry(0); N], accuracy_log: 0 }
    }

    /// How many bits the first state takes.
    #[inline(always)]
    pub(super) const fn accuracy_log(&self) -> u32 {
        self.accuracy_log as u32
    }

    #[inline(always)]
    #[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "the state is masked to the table")]
    pub(super) const fn entry(&self, state: u32) -> Entry {
        self.entries[state as usize & (N - 1)]
    }

    /// A table of one state that always says the same symbol and reads no bits (`RLE_Mode`).
    pub(super) fn set_single(&mut self, symbol: u8, extra: &[u8; SYMBOLS_MAX]) {
        self.accuracy_log = 0;
        if let Some(first) = self.entries.first_mut() {
            *first = Entry::new(symbol, extra_of(extra, symbol), 0, 0);
        }
    }

    /// Builds the table (RFC 8878, 4.1.1). The distribution's accuracy is one that the table has room for. `extra` says how
    /// many more bits belong to each symbol.
    #[expect(clippy::arithmetic_side_effects, reason = "positions are masked to the table, whose size is at most 2^9")]
    pub(super) fn build(&mut self, distribution: &Distribution, extra: &[u8; SYMBOLS_MAX]) {
        let size = 1usize << distribution.accuracy_log;
        let mask = size - 1;
        self.accuracy_log = distribution.accuracy_log as u8;
        let Some(entries) = self.entries.get_mut(..size) else { return };
        // How many states each symbol has been given, counted on from its probability when states are numbered.
        let mut next = [0u16; SYMBOLS_MAX];
        let mut high = size;
        for (symbol, (&probability, next)) in distribution.present().iter().zip(&mut next).enumerate() {
            *next = probability.unsigned_abs();
            if probability == -1 {
                high -= 1;
                if let Some(entry) = entries.get_mut(high) {
                    *entry = Entry::new(symbol as u8, 0, 0, 0);
                }
            }
        }
        let step = (size >> 1) + (size >> 3) + 3;
        let mut position = 0;
        for (symbol, &probability) in distribution.present().iter().enumerate() {
            for _ in 0..probability.max(0) {
                if let Some(entry) = entries.get_mut(position) {
                    *entry = Entry::new(symbol as u8, 0, 0, 0);
                }
                position = (position + step) & mask;
                // Position 0 is below, since there is a symbol to be placed.
                while position >= high {
                    position = (position + step) & mask;
                }
            }
        }
        for entry in entries.iter_mut() {
            let symbol = entry.symbol();
            let Some(next) = next.get_mut(usize::from(symbol)) else { continue };
            let state = u32::from(*next);
            *next += 1;
            let bits = distribution.accuracy_log - state.max(1).ilog2();
            *entry = Entry::new(symbol, extra_of(extra, symbol), bits, (state << bits) - size as u32);
        }
    }
}

fn extra_of(extra: &[u8; SYMBOLS_MAX], symbol: u8) -> u8 {
    extra.get(usize::from(symbol)).copied().unwrap_or(0)
}
