//! Single faults: what they do to a stream, and what is expected of who reads it.

use arbitrary::Arbitrary;
use zvet::Level;
use zvet_core::Location;

use super::huffman::Tree;
use super::sequences::{Mode, Stored, Tables, encode};
use super::{Built, EncodedBlock, Frame, State, Stream, Zstandard};
use crate::bytes::{Bits, block, coded_literals, four_streams, one_match, only, raw_literals, sequences};
use crate::data::Lcg;

/// A fault, and its place in a stream: whichever frame and block come to that.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    pub frame: u8,
    pub block: u8,
    pub seed: u32,
}

/// What is to be found.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    pub rule: &'static str,
    /// The rule where a dictionary was given, that has nothing of what is missing.
    pub with_dictionary: &'static str,
    pub at: Location,
    /// The first level that sees it.
    pub level: Level,
}

macro_rules! faults {
    ($($(#[$doc:meta])* $rule:literal $kind:ident,)*) => {
        /// A kind of fault.
        #[derive(Arbitrary, Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FaultKind {
            $($(#[$doc])* $kind,)*
        }

        /// Every kind of fault, with the id of the rule that it breaks where a dictionary was given. Without one, some are
        /// D02.
        pub const FAULTS: &[(&str, FaultKind)] = &[$(($rule, FaultKind::$kind),)*];
    };
}

faults! {
    "F01" TrailingBytes,
    "F02" NotZstd,
    "F04" ReservedBit,
    /// One that the headers of blocks show, or only their inside.
    "F09" DeclaredSize,
    "F10" Checksum,
    "F12" Truncated,
    "F13" Empty,
    "B02" ReservedBlockType,
    "B03" BlockTooLarge,
    "B05" BlockTooSmall,
    "L01" LiteralsHeader,
    "L02" LiteralsTooMany,
    "L03" LiteralsSize,
    "L04" LiteralsWithoutStream,
    "L05" LiteralsTooFew,
    "L06" JumpTable,
    "L07" TreelessFirst,
    "L08" HuffmanTree,
    "L09" HuffmanWeights,
    "L10" HuffmanWeightsStream,
    "L11" LiteralsStream,
    "S01" SequencesHeader,
    "S01" AfterNoSequences,
    "S02" ReservedModes,
    "S03" RepeatFirst,
    "S04" RleSymbol,
    "S05" AccuracyLog,
    "S06" FseTable,
    "S07" SequencesStream,
    "S08" LiteralsLength,
    "S09" ZeroOffset,
    "S10" OffsetPastWindow,
    "S10" OffsetBeforeFrame,
    "S11" BlockMakesTooMuch,
    "D01" UnknownDictionary,
    "X01" WindowOverLimit,
}

use FaultKind::{
    AccuracyLog, AfterNoSequences, BlockMakesTooMuch, BlockTooLarge, BlockTooSmall, Checksum, DeclaredSize, Empty,
    FseTable, HuffmanTree, HuffmanWeights, HuffmanWeightsStream, JumpTable, LiteralsHeader, LiteralsLength,
    LiteralsSize, LiteralsStream, LiteralsTooFew, LiteralsTooMany, LiteralsWithoutStream, NotZstd, OffsetBeforeFrame,
    OffsetPastWindow, RepeatFirst, ReservedBit, ReservedBlockType, ReservedModes, RleSymbol, SequencesHeader,
    SequencesStream, TrailingBytes, TreelessFirst, Truncated, UnknownDictionary, WindowOverLimit, ZeroOffset,
};

impl FaultKind {
    fn rule(self) -> &'static str {
        FAULTS.iter().find(|(_, kind)| *kind == self).unwrap().0
    }

    /// Whether it is in a block that is put between the others of a frame.
    fn is_in_a_block(self) -> bool {
        matches!(self.rule().as_bytes()[0], b'B' | b'L' | b'S')
    }

    /// Whether a dictionary may have what is missing.
    fn is_for_a_dictionary(self) -> bool {
        matches!(self, TreelessFirst | RepeatFirst | OffsetBeforeFrame)
    }

    fn level(self) -> Level {
        match self.rule().as_bytes()[0] {
            b'L' | b'S' => Level::Entropy,
            _ if self == Checksum => Level::Content,
            _ => Level::Envelope,
        }
    }
}

impl Stream {
    /// The stream with a single fault, and what is to be found.
    pub fn build_with(&self, fault: Fault) -> (Built, Expected) {
        let mut choices = Lcg(u64::from(fault.seed));
        let kind = fault.kind;
        let mut frames = self.frames.clone();
        let of_zstandard = !matches!(kind, TrailingBytes | NotZstd | Truncated | Empty);
        if frames.is_empty() || of_zstandard && !frames.iter().any(|frame| matches!(frame, Frame::Zstandard(_))) {
            frames.push(Frame::Zstandard(Zstandard::default()));
        }
        let suitable: Vec<usize> =
            (0..frames.len()).filter(|&at| !of_zstandard || matches!(frames[at], Frame::Zstandard(_))).collect();
        let target = suitable[usize::from(fault.frame) % suitable.len()];
        if let Frame::Zstandard(frame) = &mut frames[target] {
            prepare(frame, kind);
        }
        let mut built = Built::default();
        let mut insert = None;
        for (at, frame) in frames.iter().enumerate() {
            if at == target && kind.is_in_a_block() {
                let before = match (kind.is_for_a_dictionary(), frame) {
                    (false, Frame::Zstandard(frame)) => usize::from(fault.block) % (frame.blocks.len() + 1),
                    _ => 0,
                };
                insert = Some(Insert { kind, before, choices: Lcg(choices.next_number()), found: None });
                built.add(frame, insert.as_mut());
            } else {
                built.add(frame, None);
            }
        }
        let (offset, block, level) = match insert.and_then(|insert| insert.found) {
            Some((block, inside)) => {
                let header = built.frames[target].blocks[block];
                (header + inside.map_or(0, |inside| 3 + inside), Some(block as u64), kind.level())
            }
            None => built.break_frame(kind, target, &mut choices),
        };
        let frame = if kind == NotZstd || kind == Empty { 0 } else { target as u64 };
        let frame = if kind == TrailingBytes { built.frames.len() as u64 } else { frame };
        let with_dictionary = kind.rule();
        let rule = if kind.is_for_a_dictionary() { "D02" } else { with_dictionary };
        let at = Location { offset: offset as u64, frame, block };
        (built, Expected { rule, with_dictionary, at, level })
    }
}

/// Gives a frame the fields that a fault is in.
fn prepare(frame: &mut Zstandard, kind: FaultKind) {
    let header = &mut frame.header;
    match kind {
        DeclaredSize => header.content_size_flag = 3,
        Checksum => header.checksum = true,
        UnknownDictionary => header.dictionary_id_flag = (header.dictionary_id_flag & 3).max(1),
        OffsetPastWindow => header.window_descriptor = 0,
        _ => {}
    }
    header.single_segment &= matches!(kind, Checksum | UnknownDictionary | ReservedBit | Truncated);
}

/// Field sizes by a flag of two bits.
const ID_SIZES: [usize; 4] = [0, 1, 2, 4];

impl Built {
    /// Breaks what is no block. The byte, the block and the level of the fault.
    fn break_frame(&mut self, kind: FaultKind, target: usize, choices: &mut Lcg) -> (usize, Option<u64>, Level) {
        let place = self.frames[target].clone();
        let (start, level) = (place.offset, kind.level());
        // Of a frame with a window descriptor.
        let id = start + 6;
        match kind {
            TrailingBytes | NotZstd => {
                let garbage: &[&[u8]] = &[
                    b"\0",
                    b"\0\0\0\0\0\0\0\0",
                    b"zstd",
                    b"\x28\xb5\x2f\xfe\0\0\0\0",
                    b"\x28\x00",
                    b"\x60\x2a\x4d\x18",
                ];
                let garbage = garbage[choices.below(garbage.len())];
                if kind == NotZstd {
                    self.bytes.splice(0..0, garbage.iter().copied());
                    return (0, None, level);
                }
                self.bytes.extend(garbage);
                (self.bytes.len() - garbage.len(), None, level)
            }
            Empty => {
                self.bytes.clear();
                (0, None, level)
            }
            Truncated => {
                let end = start + 1 + choices.below(place.end - start - 1);
                self.bytes.truncate(end);
                let blocks = place.blocks.iter().filter(|&&block| block <= end).count() as u64;
                let in_blocks = blocks > 0 && end < place.blocks_end;
                (end, in_blocks.then(|| blocks - 1), level)
            }
            ReservedBit => {
                self.bytes[start + 4] |= 8;
                (start + 4, None, level)
            }
            DeclaredSize => {
                let size = place.content_size.unwrap() as u64;
                let declared = match choices.below(4) {
                    0 => size + 1,
                    1 => size.wrapping_sub(1),
                    2 => u64::MAX,
                    _ => size / 2 + u64::from(size == 0),
                };
                let at = id + ID_SIZES[usize::from(self.bytes[start + 4] & 3)];
                self.bytes[at..at + 8].copy_from_slice(&declared.to_le_bytes());
                match self.block_that_shows(declared, target) {
                    Some(block) => (place.blocks[block], Some(block as u64), level),
                    None => (start, None, Level::Entropy),
                }
            }
            Checksum => {
                self.bytes[place.blocks_end + choices.below(4)] ^= 1 << choices.below(8);
                (place.blocks_end, None, level)
            }
            UnknownDictionary => {
                let single_segment = self.bytes[start + 4] & 0x20 != 0;
                self.bytes[id - usize::from(single_segment)] = 1 + u8::try_from(choices.below(255)).unwrap();
                (start, None, level)
            }
            WindowOverLimit => {
                self.bytes[start + 5] = 137 + u8::try_from(choices.below(256 - 137)).unwrap();
                (start, None, level)
            }
            _ => unreachable!("{kind:?} is in a block"),
        }
    }

    /// The block whose header shows that a declared size is wrong.
    fn block_that_shows(&self, declared: u64, target: usize) -> Option<usize> {
        let FramePlaces { window, headers } = self.headers(target);
        let (mut low, mut high) = (0u64, 0u64);
        headers.iter().position(|header| {
            let size = u64::from(header >> 3);
            let compressed = header >> 1 & 3 == 2;
            low += if compressed { 0 } else { size };
            high += if compressed { window.min(128 << 10) } else { size };
            low > declared || header & 1 == 1 && high < declared
        })
    }

    fn headers(&self, target: usize) -> FramePlaces {
        let place = &self.frames[target];
        let header = |&at: &usize| u32::from_le_bytes([self.bytes[at], self.bytes[at + 1], self.bytes[at + 2], 0]);
        let window = zvet_core::WindowDescriptor(self.bytes[place.offset + 5]).window_size();
        FramePlaces { window, headers: place.blocks.iter().map(header).collect() }
    }
}

struct FramePlaces {
    window: u64,
    headers: Vec<u32>,
}

/// A block with a fault, to be put before another one.
pub(super) struct Insert {
    pub(super) before: usize,
    kind: FaultKind,
    choices: Lcg,
    /// Which block of the frame it became, and at which byte of its content the fault is; `None`: in its header.
    found: Option<(usize, Option<usize>)>,
}

impl Insert {
    pub(super) fn blocks(&mut self, blocks_before: usize, state: &mut State) -> Vec<EncodedBlock> {
        let mut blocks = Vec::new();
        if self.kind == OffsetPastWindow {
            // As much as the window, which is 1 KiB.
            blocks.push(EncodedBlock::rle(b'w', 1024));
            state.content.resize(state.content.len() + 1024, b'w');
            state.room = state.room.saturating_sub(1024);
        }
        let maximum = state.block_maximum;
        let (block, inside) = match self.kind {
            ReservedBlockType => (EncodedBlock { kind: 3, size: self.choices.below(1000), content: Vec::new() }, None),
            BlockTooLarge => {
                let kind = u8::try_from(self.choices.below(3)).unwrap();
                let size = maximum + 1 + self.choices.skewed((1 << 21) - maximum - 1);
                (EncodedBlock { kind, size, content: Vec::new() }, None)
            }
            BlockTooSmall => (EncodedBlock::compressed(vec![0; self.choices.below(2)]), None),
            kind => {
                let (content, inside) = broken(kind, maximum, &mut self.choices);
                (EncodedBlock::compressed(content), Some(inside))
            }
        };
        self.found = Some((blocks_before + blocks.len(), inside));
        blocks.push(block);
        blocks
    }
}

/// A tree of two symbols of one bit each.
const TREE: [u8; 2] = [128, 0x10];

/// The content of a compressed block with a fault, and the byte that is to be told.
fn broken(kind: FaultKind, maximum: usize, choices: &mut Lcg) -> (Vec<u8>, usize) {
    let mut one_of = |of: &[(&[u8], usize)]| {
        let (bytes, at) = of[choices.below(of.len())];
        (bytes.to_vec(), at)
    };
    let with_tree = |count, body: &[u8]| only(&coded_literals(2, 1, count, &[&TREE[..], body].concat()));
    // Two raw literals take three bytes, the count one, and the modes one.
    let after_literals = |(section, at): (Vec<u8>, usize)| (block(b"ab", &section), 3 + at);
    match kind {
        LiteralsHeader => one_of(&[(&[0x0C, 0], 0), (&[2, 0], 0), (&[0x0A, 0, 0], 0), (&[0x0F, 0, 0, 0], 0)]),
        LiteralsTooMany => {
            let word = 1 | 3 << 2 | (maximum + 1 + choices.skewed((1 << 20) - 1 - maximum)) << 4;
            ([&word.to_le_bytes()[..3], b"x\0"].concat(), 0)
        }
        LiteralsSize => one_of(&[(b"\x28hell", 0), (&[5, 0], 0), (&[2, 0, 4, 128, 0x10], 0)]),
        LiteralsWithoutStream => (only(&coded_literals(2, 0, 4, &TREE)), 5),
        LiteralsTooFew => (with_tree(5, &four_streams([&[4], &[4], &[2], &[1]])), 5),
        JumpTable => {
            let (streams, _) = one_of(&[
                (&[0, 0, 1, 0, 1, 0, 4, 4, 4], 0),
                (&[1, 0, 1, 0, 2, 0, 4, 4, 4, 4], 0),
                (&[1, 0, 255, 255, 1, 0, 4, 4, 4, 4], 0),
                (&[1, 0, 1, 0, 1], 0),
            ]);
            (with_tree(8, &streams), 5)
        }
        TreelessFirst => (only(&coded_literals(3, 0, 3, &[0b1111])), 0),
        HuffmanTree => {
            let (tree, _) = one_of(&[(&[132, 0x11, 0x11], 0), (&[5, 0x11, 0x11], 0), (&[255], 0)]);
            (only(&coded_literals(2, 0, 3, &tree)), 3)
        }
        HuffmanWeights => {
            let trees: &[(&[u8], usize)] = &[
                (&[128, 0x20], 0),
                (&[130, 0x22, 0x20], 0),
                (&[128, 0xC0], 0),
                (&[128, 0], 0),
                (&[130, 0x41, 0x10], 0),
            ];
            let (tree, _) = one_of(trees);
            (only(&coded_literals(2, 0, 0, &[&tree[..], &[1]].concat())), 3)
        }
        HuffmanWeightsStream => {
            // No table; one of accuracy 7; one without a stream; one whose stream has no end mark.
            let (weights, _) =
                one_of(&[(&[0], 0), (&[3, 0x12, 0x3F, 1], 0), (&[2, 0x10, 0x3F], 0), (&[3, 0x10, 0x3F, 0], 0)]);
            (only(&coded_literals(2, 0, 0, &[&weights[..], &[1]].concat())), 3)
        }
        LiteralsStream => literals_stream(choices),
        SequencesHeader => {
            after_literals(one_of(&[(&[], 0), (&[1], 0), (&[0x80], 0), (&[255, 0], 0), (&[1, 0x54], 2)]))
        }
        AfterNoSequences => after_literals(one_of(&[(&[0, 0], 1), (&[0x80, 0, 7], 2)])),
        ReservedModes => after_literals((vec![1, 0x54 | u8::try_from(1 + choices.below(3)).unwrap(), 2, 2, 0, 4], 1)),
        RepeatFirst => after_literals((vec![1, 3 << (2 * (1 + choices.below(3))), 0, 1], 2)),
        RleSymbol => after_literals(one_of(&[(&[1, 0x40, 36, 1], 2), (&[1, 0x10, 64, 1], 2), (&[1, 0x04, 53, 1], 2)])),
        AccuracyLog => after_literals(one_of(&[(&[1, 0x80, 5, 1], 2), (&[1, 0x20, 4, 1], 2), (&[1, 0x08, 15, 1], 2)])),
        // One symbol of all 32 states, and a description that the block cuts short.
        FseTable => after_literals(one_of(&[(&[1, 0x80, 0xF0, 3, 0, 1], 2), (&[1, 0x20, 0x10], 2)])),
        SequencesStream => {
            let stream = match choices.below(4) {
                0 => vec![0],
                1 => Bits::default().put(0, 1).finish(),
                2 => Bits::default().put(0, 3).finish(),
                _ => [Bits::default().put(0, 2).finish(), vec![0]].concat(),
            };
            after_literals((sequences(1, [2, 2, 0], &stream), 5))
        }
        LiteralsLength => after_literals((sequences(1, [3, 2, 0], &Bits::default().put(0, 2).finish()), 5)),
        // An offset of 1, and then the first repeat offset less one.
        ZeroOffset => executed(&[(1, 4, 3), (0, 3, 3)]),
        BlockMakesTooMuch => executed(&[(2, 4, maximum - 1 + choices.below(3))]),
        OffsetPastWindow => (one_match(1025 + choices.skewed(100_000) as u64), 8),
        OffsetBeforeFrame => (one_match(50_000 + choices.skewed(1 << 20) as u64), 8),
        _ => unreachable!("{kind:?} is not inside of a block"),
    }
}

/// Two literals and these sequences, by the predefined tables.
fn executed(stored: &[Stored]) -> (Vec<u8>, usize) {
    let section = encode(stored, [Mode::Predefined; 3], false, &mut Tables::none(), &mut Lcg(0));
    ([raw_literals(b"ab"), section].concat(), 5)
}

/// Literals that are one more or one less than those in their stream.
fn literals_stream(choices: &mut Lcg) -> (Vec<u8>, usize) {
    let tree = Tree::chosen(2 + choices.skewed(60), choices.below(2) == 0, choices);
    let count = 1 + choices.below(50);
    let literals: Vec<u8> = (0..count).map(|_| tree.symbols[choices.below(tree.symbols.len())]).collect();
    let told = if choices.below(2) == 0 { count + 1 } else { count - 1 };
    let body = [&tree.description[..], &tree.stream(&literals)].concat();
    let section = coded_literals(2, 0, u16::try_from(told).unwrap(), &body);
    (only(&section), 3 + tree.description.len())
}
