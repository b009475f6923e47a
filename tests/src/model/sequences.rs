//! `Sequences_Section` from the encoder's side (RFC 8878, 3.1.1.3.2), and what its sequences make.

use arbitrary::Arbitrary;

use super::fse::{Distribution, Table, Way};
use super::{several, size};
use crate::bytes::Bits;
use crate::data::Lcg;

/// Sequences. Those for which there is no room, or nothing to match, are left out.
#[derive(Arbitrary, Clone, Debug)]
pub struct Sequences {
    #[arbitrary(with = several::<12, Sequence>)]
    pub sequences: Vec<Sequence>,
    /// All of them, again and again.
    pub times: u16,
    /// The `Compression_Mode`s that are wanted, for literals lengths, offsets and match lengths.
    pub modes: [Mode; 3],
    /// The count in a longer form than needed.
    pub longer: bool,
    pub seed: u32,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Sequence {
    pub literals: u8,
    pub offset: Offset,
    pub length: u16,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Offset {
    /// A repeat offset, 1 to 3.
    Repeat(u8),
    New(u32),
}

#[derive(Arbitrary, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Predefined,
    Rle,
    Fse,
    Repeat,
}

/// A sequence as it is stored: literals length, offset value, match length.
pub type Stored = (usize, u64, usize);

/// What lives on from block to block of a frame.
#[derive(Clone, Debug)]
pub struct Tables([Option<Table>; 3]);

impl Tables {
    pub fn none() -> Self {
        Self([None, None, None])
    }
}

/// Repeat offsets (RFC 8878, 3.1.1.5).
#[derive(Clone, Copy, Debug)]
pub struct RepeatOffsets(pub [u64; 3]);

impl RepeatOffsets {
    /// The offset that a value stands for, and the offsets after it.
    fn next(self, value: u64, no_literals: bool) -> (u64, Self) {
        let [first, second, third] = self.0;
        let offset = match (value, no_literals) {
            (1, false) => return (first, self),
            (1, true) | (2, false) => return (second, Self([second, first, third])),
            (2, true) | (3, false) => third,
            (3, true) => first.saturating_sub(1),
            _ => value - 3,
        };
        (offset, Self([offset, first, second]))
    }
}

impl Sequences {
    /// Executes the sequences on the end of `content`, which is all that the frame made; returns them as they are stored.
    /// The block makes `most` at most, all literals included.
    pub fn execute(
        &self,
        mut literals: &[u8],
        content: &mut Vec<u8>,
        window: u64,
        most: usize,
        offsets: &mut RepeatOffsets,
    ) -> Vec<Stored> {
        let mut room = most - literals.len();
        let mut stored = Vec::new();
        let times = 1 + size(self.times) % 8192;
        // So many of them only have room where they are short.
        let short = times > 1000;
        for sequence in self.sequences.iter().cycle().take((self.sequences.len() * times).min(34_000)) {
            if room < 3 {
                break;
            }
            let (mut now, mut later) = literals.split_at(usize::from(sequence.literals).min(literals.len()));
            if content.is_empty() && now.is_empty() {
                let Some(split) = literals.split_at_checked(1) else { break };
                (now, later) = split;
            }
            let reach = ((content.len() + now.len()) as u64).min(window);
            let value = sequence.offset.value(*offsets, reach, now.is_empty());
            let length = if short { 3 } else { (3 + size(sequence.length)).min(room) };
            content.extend_from_slice(now);
            literals = later;
            let offset;
            (offset, *offsets) = offsets.next(value, now.is_empty());
            let from = content.len() - usize::try_from(offset).unwrap();
            (0..length).for_each(|at| content.push(content[from + at]));
            room -= length;
            stored.push((now.len(), value, length));
        }
        content.extend_from_slice(literals);
        stored
    }

    /// The section of sequences that were executed.
    pub fn encode(&self, stored: &[Stored], tables: &mut Tables) -> Vec<u8> {
        encode(stored, self.modes, self.longer, tables, &mut Lcg(u64::from(self.seed)))
    }
}

impl Offset {
    /// An offset value that reaches something.
    fn value(self, offsets: RepeatOffsets, reach: u64, no_literals: bool) -> u64 {
        match self {
            Self::Repeat(which) => {
                let value = u64::from(which % 3) + 1;
                let (offset, _) = offsets.next(value, no_literals);
                if (1..=reach).contains(&offset) { value } else { 1 + 3 }
            }
            Self::New(distance) => u64::from(distance) % reach + 1 + 3,
        }
    }
}

/// A section of sequences; modes that cannot be become `FSE_Compressed_Mode`.
pub fn encode(stored: &[Stored], modes: [Mode; 3], longer: bool, tables: &mut Tables, choices: &mut Lcg) -> Vec<u8> {
    let mut section = count(stored.len(), longer);
    if stored.is_empty() {
        return section;
    }
    let fields: Vec<[Field; 3]> = stored
        .iter()
        .map(|&(literals, offset, length)| {
            [LITERALS_LENGTHS.field(literals), offset_field(offset), MATCH_LENGTHS.field(length)]
        })
        .collect();
    let kinds = [&LITERALS_LENGTHS, &OFFSETS, &MATCH_LENGTHS];
    let (mut byte, mut descriptions, mut ways) = (0, Vec::new(), Vec::new());
    for (at, (kind, mode)) in kinds.into_iter().zip(modes).enumerate() {
        let codes: Vec<u8> = fields.iter().map(|fields| fields[at].code).collect();
        let (mode, description) = kind.table(&codes, mode, &mut tables.0[at], choices);
        byte = byte << 2 | mode as u8;
        descriptions.extend(description);
        let table = tables.0[at].as_ref().unwrap();
        ways.push((table.way(&codes, false, choices), table.accuracy_log));
    }
    section.push(byte << 2);
    section.extend(descriptions);
    section.extend(stream(&fields, &ways));
    section
}

/// `Number_of_Sequences`.
fn count(count: usize, longer: bool) -> Vec<u8> {
    let [low, high, ..] = count.to_le_bytes();
    match count {
        0..128 if !longer => vec![low],
        0..0x7F00 => vec![high | 0x80, low],
        _ => {
            let [low, high, ..] = (count - 0x7F00).to_le_bytes();
            vec![255, low, high]
        }
    }
}

/// The fields in the order they are read in: first states, then of each sequence what is beside its codes, and updates.
fn stream(fields: &[[Field; 3]], ways: &[(Way, u32)]) -> Vec<u8> {
    let mut read: Vec<(u64, u32)> = ways.iter().map(|(way, accuracy_log)| (way.first, *accuracy_log)).collect();
    for (at, [literals, offset, length]) in fields.iter().enumerate() {
        read.extend([offset, length, literals].map(|field| (field.extra, field.bits)));
        if at + 1 < fields.len() {
            // Literals length, match length, offset.
            read.extend([0, 2, 1].map(|kind: usize| ways[kind].0.updates[at]));
        }
    }
    read.iter().rev().fold(Bits::default(), |bits, &(value, count)| bits.put(value, count)).finish()
}

/// A code, and what is read beside it.
#[derive(Clone, Copy, Debug)]
struct Field {
    code: u8,
    extra: u64,
    bits: u32,
}

fn offset_field(value: u64) -> Field {
    let bits = value.ilog2();
    Field { code: u8::try_from(bits).unwrap(), extra: value - (1 << bits), bits }
}

/// What the format says of a kind of code.
struct Kind {
    /// The first length of code 0, how many codes stand for one length each, and the bits of the others.
    first: usize,
    plain: usize,
    bits: &'static [u32],
    symbol_max: u8,
    accuracy_log_max: u32,
    predefined: (u32, &'static [i16]),
}

static LITERALS_LENGTHS: Kind = Kind {
    first: 0,
    plain: 16,
    bits: &[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    symbol_max: 35,
    accuracy_log_max: 9,
    predefined: (
        6,
        &[
            4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1,
            -1,
        ],
    ),
};

/// As far as decoders go that are compared with.
static OFFSETS: Kind = Kind {
    first: 0,
    plain: 0,
    bits: &[],
    symbol_max: 31,
    accuracy_log_max: 8,
    predefined: (5, &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1]),
};

static MATCH_LENGTHS: Kind = Kind {
    first: 3,
    plain: 32,
    bits: &[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    symbol_max: 52,
    accuracy_log_max: 9,
    predefined: (
        6,
        &[
            1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
            1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
        ],
    ),
};

impl Kind {
    /// The code of a length.
    fn field(&self, length: usize) -> Field {
        let (mut baseline, mut code) = (self.first, 0);
        for bits in std::iter::repeat_n(0, self.plain).chain(self.bits.iter().copied()) {
            if length < baseline + (1 << bits) {
                return Field { code, extra: (length - baseline) as u64, bits };
            }
            baseline += 1 << bits;
            code += 1;
        }
        panic!("no code for a length of {length}");
    }

    /// Sets the table that a mode asks for; the mode, and what describes the table.
    fn table(&self, codes: &[u8], mode: Mode, table: &mut Option<Table>, choices: &mut Lcg) -> (Mode, Vec<u8>) {
        let predefined = self.predefined.1.len();
        match mode {
            Mode::Predefined if codes.iter().all(|&code| usize::from(code) < predefined) => {
                *table = Some(Table::of(&Distribution::predefined(self.predefined.0, self.predefined.1)));
                (mode, Vec::new())
            }
            Mode::Rle if codes.iter().all(|&code| code == codes[0]) => {
                *table = Some(Table::single(codes[0]));
                (mode, vec![codes[0]])
            }
            Mode::Repeat if table.as_ref().is_some_and(|table| codes.iter().all(|&code| table.has(code))) => {
                (mode, Vec::new())
            }
            _ => {
                let distribution = Distribution::over(codes, self.symbol_max, self.accuracy_log_max, choices);
                *table = Some(Table::of(&distribution));
                (Mode::Fse, distribution.describe())
            }
        }
    }
}
