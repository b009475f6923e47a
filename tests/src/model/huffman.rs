//! Huffman trees from the encoder's side (RFC 8878, 4.2).

use super::fse::{Distribution, Table};
use crate::bytes::Bits;
use crate::data::Lcg;

const DEPTH_MAX: u8 = 11;

/// A tree, and what describes it.
#[derive(Clone, Debug)]
pub struct Tree {
    pub symbols: Vec<u8>,
    pub description: Vec<u8>,
    /// Code and its bits, by symbol.
    codes: Vec<(u64, u32)>,
}

impl Tree {
    /// A tree that is chosen, with so many symbols or fewer; its weights are coded, if that can be, or stored as they are.
    pub fn chosen(symbols: usize, coded: bool, choices: &mut Lcg) -> Self {
        if coded {
            let weights = weights(symbols.clamp(2, 256), 256, choices);
            if let Some(description) = describe_coded(&weights, choices) {
                return Self::of(&weights, description);
            }
        }
        let weights = weights(symbols.clamp(2, 129), 129, choices);
        let description = describe_stored(&weights);
        Self::of(&weights, description)
    }

    fn of(weights: &[u8], description: Vec<u8>) -> Self {
        let depth = (weights.iter().map(|&weight| 1u32 << weight >> 1).sum::<u32>()).ilog2();
        let mut codes = vec![(0, 0); weights.len()];
        let mut position = 0u64;
        for weight in 1..=DEPTH_MAX {
            for (symbol, _) in weights.iter().enumerate().filter(|&(_, &other)| other == weight) {
                codes[symbol] = (position >> (weight - 1), depth + 1 - u32::from(weight));
                position += 1 << (weight - 1);
            }
        }
        let symbols = (0..=255).zip(weights).filter(|&(_, &weight)| weight > 0).map(|(symbol, _)| symbol).collect();
        Self { symbols, description, codes }
    }

    /// One stream of these literals.
    pub fn stream(&self, literals: &[u8]) -> Vec<u8> {
        let put = |bits: Bits, &literal: &u8| {
            let (code, count) = self.codes[usize::from(literal)];
            bits.put(code, count)
        };
        literals.iter().rev().fold(Bits::default(), put).finish()
    }
}

/// Weights of so many symbols out of the first `alphabet`: leaves that are split until there are enough.
fn weights(symbols: usize, alphabet: usize, choices: &mut Lcg) -> Vec<u8> {
    let mut leaves = vec![1u8, 1];
    // Some trees are as flat as can be, some as deep.
    let deep = choices.below(3);
    while leaves.len() < symbols {
        let at = match deep {
            0 => leaves.len() - 1,
            1 => 0,
            _ => choices.below(leaves.len()),
        };
        let at = if leaves[at] < DEPTH_MAX { at } else { (0..leaves.len()).min_by_key(|&at| leaves[at]).unwrap() };
        let depth = leaves.remove(at) + 1;
        leaves.extend([depth, depth]);
    }
    let depth = *leaves.iter().max().unwrap();
    let mut free: Vec<usize> = (0..alphabet).collect();
    let mut weights = vec![0; alphabet];
    for leaf in leaves {
        weights[free.swap_remove(choices.below(free.len()))] = depth + 1 - leaf;
    }
    weights.truncate(weights.iter().rposition(|&weight| weight > 0).unwrap() + 1);
    weights
}

/// Half a byte for each weight but the last.
fn describe_stored(weights: &[u8]) -> Vec<u8> {
    let listed = &weights[..weights.len() - 1];
    let packed = listed.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0));
    [u8::try_from(listed.len() + 127).unwrap()].into_iter().chain(packed).collect()
}

/// Two states that take turns (RFC 8878, 4.2.1.2); `None` where there are too few weights for that, or too many bytes.
fn describe_coded(weights: &[u8], choices: &mut Lcg) -> Option<Vec<u8>> {
    let listed = &weights[..weights.len() - 1];
    if listed.len() < 2 {
        return None;
    }
    let distribution = Distribution::over(listed, DEPTH_MAX, 6, choices);
    let table = Table::of(&distribution);
    let every_other = |from: usize| listed[from..].iter().copied().step_by(2).collect::<Vec<_>>();
    // The update of the last symbol but one must find no bits.
    let even = table.way(&every_other(0), listed.len().is_multiple_of(2), choices);
    let odd = table.way(&every_other(1), !listed.len().is_multiple_of(2), choices);
    let mut fields = vec![(even.first, table.accuracy_log), (odd.first, table.accuracy_log)];
    fields.extend((0..listed.len() - 2).map(|at| [&even, &odd][at % 2].updates[at / 2]));
    let stream = fields.iter().rev().fold(Bits::default(), |bits, &(value, count)| bits.put(value, count)).finish();
    let body = [distribution.describe(), stream].concat();
    let size = u8::try_from(body.len()).ok().filter(|&size| size < 128)?;
    Some([&[size][..], &body].concat())
}
