//! FSE from the encoder's side (RFC 8878, 4.1): distributions, their descriptions, and the way of symbols through a table.

use std::collections::BTreeSet;

use crate::data::Lcg;

/// A normalised distribution. -1 is "less than 1".
#[derive(Clone, Debug)]
pub struct Distribution {
    accuracy_log: u32,
    probabilities: Vec<i16>,
}

impl Distribution {
    /// One of the format's own.
    pub fn predefined(accuracy_log: u32, probabilities: &[i16]) -> Self {
        Self { accuracy_log, probabilities: probabilities.to_vec() }
    }

    /// One in which all of these symbols are, and perhaps others up to `symbol_max`; the rest is chosen.
    pub fn over(symbols: &[u8], symbol_max: u8, accuracy_log_max: u32, choices: &mut Lcg) -> Self {
        let mut present: BTreeSet<u8> = symbols.iter().copied().collect();
        // A table is for two symbols at least.
        while present.len() < 2 || choices.below(4) == 0 {
            present.insert(u8::try_from(choices.below(usize::from(symbol_max) + 1)).unwrap());
        }
        let smallest = (present.len().next_power_of_two().ilog2()).max(5);
        let accuracy_log = smallest + u32::try_from(choices.below((accuracy_log_max - smallest) as usize + 1)).unwrap();
        let mut probabilities = vec![0; usize::from(*present.last().unwrap()) + 1];
        let mut left = (1usize << accuracy_log) - present.len();
        for (index, &symbol) in present.iter().enumerate() {
            let last = index + 1 == present.len();
            let more = if last { left } else { choices.skewed(left + 1) };
            left -= more;
            let one = if more == 0 && choices.below(2) == 0 { -1 } else { 1 };
            probabilities[usize::from(symbol)] = i16::try_from(more).unwrap() + one;
        }
        Self { accuracy_log, probabilities }
    }

    /// `FSE_Table_Description` (RFC 8878, 4.1.1).
    pub fn describe(&self) -> Vec<u8> {
        let mut bits = ForwardBits::default();
        bits.put(self.accuracy_log - 5, 4);
        let mut remaining = 1i32 << self.accuracy_log;
        let mut at = 0;
        while remaining > 0 {
            let probability = self.probabilities[at];
            put_probability(&mut bits, i32::from(probability), remaining);
            remaining -= i32::from(probability).abs();
            at += 1;
            if probability == 0 {
                let zeros = self.probabilities[at..].iter().take_while(|&&probability| probability == 0).count();
                (0..zeros / 3).for_each(|_| bits.put(3, 2));
                bits.put(u32::try_from(zeros % 3).unwrap(), 2);
                at += zeros;
            }
        }
        bits.0.chunks(8).map(|byte| byte.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit))).collect()
    }
}

/// Of the values that can still be, the smaller ones take a bit less.
fn put_probability(bits: &mut ForwardBits, probability: i32, remaining: i32) {
    let value = (probability + 1).unsigned_abs();
    let largest = remaining.unsigned_abs() + 1;
    let size = largest.ilog2() + 1;
    let short = (1 << size) - 1 - largest;
    if value < short {
        bits.put(value, size - 1);
    } else if value < 1 << (size - 1) {
        bits.put(value, size);
    } else {
        bits.put(value + short, size);
    }
}

/// Bits in the order they are read in, the lowest of a byte first.
#[derive(Default)]
struct ForwardBits(Vec<bool>);

impl ForwardBits {
    fn put(&mut self, value: u32, count: u32) {
        self.0.extend((0..count).map(|bit| value >> bit & 1 == 1));
    }
}

#[derive(Clone, Copy, Debug)]
struct State {
    symbol: u8,
    bits: u32,
    baseline: usize,
}

/// A decoding table.
#[derive(Clone, Debug)]
pub struct Table {
    pub accuracy_log: u32,
    states: Vec<State>,
}

/// How a decoder goes through a table: its first state, and the fields of bits that it reads to come to each next one.
#[derive(Clone, Debug)]
pub struct Way {
    pub first: u64,
    pub updates: Vec<(u64, u32)>,
}

impl Table {
    /// The table of one symbol, of no bits.
    pub fn single(symbol: u8) -> Self {
        Self { accuracy_log: 0, states: vec![State { symbol, bits: 0, baseline: 0 }] }
    }

    /// RFC 8878, 4.1.1: symbols of "less than 1" from the end, the others spread in steps.
    pub fn of(distribution: &Distribution) -> Self {
        let Distribution { accuracy_log, probabilities } = distribution;
        let size = 1usize << accuracy_log;
        let mut symbols = vec![None; size];
        let mut high = size;
        let numbered = || probabilities.iter().enumerate().map(|(n, &p)| (u8::try_from(n).unwrap(), p));
        for (symbol, _) in numbered().filter(|&(_, probability)| probability == -1) {
            high -= 1;
            symbols[high] = Some(symbol);
        }
        let mut position = 0;
        for (symbol, probability) in numbered() {
            for _ in 0..probability.max(0) {
                symbols[position] = Some(symbol);
                loop {
                    position = (position + (size >> 1) + (size >> 3) + 3) % size;
                    if position < high {
                        break;
                    }
                }
            }
        }
        let mut next: Vec<usize> = probabilities.iter().map(|p| usize::from(p.unsigned_abs())).collect();
        let state = |symbol: Option<u8>| {
            let symbol = symbol.unwrap();
            let number = &mut next[usize::from(symbol)];
            let bits = accuracy_log - number.ilog2();
            let baseline = (*number << bits) - size;
            *number += 1;
            State { symbol, bits, baseline }
        };
        Self { accuracy_log: *accuracy_log, states: symbols.into_iter().map(state).collect() }
    }

    pub fn has(&self, symbol: u8) -> bool {
        self.states.iter().any(|state| state.symbol == symbol)
    }

    /// The way of these symbols, of which there is one at least. `open`: the update after the last one would take bits.
    pub fn way(&self, symbols: &[u8], open: bool, choices: &mut Lcg) -> Way {
        let (&last, before) = symbols.split_last().unwrap();
        let ends: Vec<usize> = (0..self.states.len())
            .filter(|&at| self.states[at].symbol == last && (!open || self.states[at].bits > 0))
            .collect();
        let mut of_symbol = vec![Vec::new(); 256];
        for (at, state) in self.states.iter().enumerate() {
            of_symbol[usize::from(state.symbol)].push(at);
        }
        let mut next = ends[choices.below(ends.len())];
        let mut updates = Vec::new();
        for &symbol in before.iter().rev() {
            // The states of a symbol share all next states out among them.
            let leads = |&&at: &&usize| {
                let State { bits, baseline, .. } = self.states[at];
                (baseline..baseline + (1 << bits)).contains(&next)
            };
            let &at = of_symbol[usize::from(symbol)].iter().find(leads).unwrap();
            updates.push(((next - self.states[at].baseline) as u64, self.states[at].bits));
            next = at;
        }
        updates.reverse();
        Way { first: next as u64, updates }
    }
}
