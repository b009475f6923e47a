//! A model of a stream: an encoder that is driven by choices instead of data, so that a stream may have anything that the
//! format allows. It knows what the stream decodes to, and where everything is.
//!
//! A [`Stream`] is made by `arbitrary`, for fuzz targets and property tests alike. [`Stream::build`] makes a valid stream of
//! any of them: a choice that cannot be becomes one that can. [`Stream::build_with`] puts a single [`Fault`] into it, and
//! says which rule it breaks and where.
//!
//! The tables of the format are written down here again, on purpose: what is compared with them does not share them.

mod fault;
mod fse;
mod huffman;
mod literals;
mod sequences;

use arbitrary::{Arbitrary, Result, Unstructured};

pub use fault::{Expected, FAULTS, Fault, FaultKind};
use huffman::Tree;
pub use literals::{Kind as LiteralsKind, Literals};
pub use sequences::{Mode, Offset, Sequence, Sequences};
use sequences::{RepeatOffsets, Tables};
use zvet_core::{Descriptor, WindowDescriptor};

use crate::bytes::{MAGIC, block_header, skippable};
use crate::data::Lcg;

/// What all frames together make at most: models are for speed.
const OUTPUT_MAX: usize = 256 << 10;
const BLOCK_MAX: usize = 128 << 10;
/// The window of 128 MiB, which is the most that zvet and libzstd allow by default.
const WINDOW_MAX: u8 = 17 << 3;

/// A stream.
#[derive(Arbitrary, Clone, Debug)]
pub struct Stream {
    #[arbitrary(with = several::<4, Frame>)]
    pub frames: Vec<Frame>,
}

/// A frame.
#[derive(Clone, Debug)]
pub enum Frame {
    Zstandard(Zstandard),
    Skippable { variant: u8, content: Vec<u8> },
}

/// A Zstandard frame.
#[derive(Arbitrary, Clone, Debug, Default)]
pub struct Zstandard {
    pub header: Header,
    #[arbitrary(with = several::<8, Block>)]
    pub blocks: Vec<Block>,
}

/// What is free in a frame header.
#[derive(Arbitrary, Clone, Copy, Debug, Default)]
pub struct Header {
    pub window_descriptor: u8,
    pub single_segment: bool,
    /// `Frame_Content_Size_flag`, or the nearest that can hold the size.
    pub content_size_flag: u8,
    /// `Dictionary_ID_flag`; the id is 0.
    pub dictionary_id_flag: u8,
    pub unused_bit: bool,
    pub checksum: bool,
}

/// A block.
#[derive(Clone, Debug)]
pub enum Block {
    /// So much of bytes that follow from a seed.
    Raw {
        count: u16,
        seed: u8,
    },
    Rle {
        byte: u8,
        count: u16,
    },
    Compressed {
        literals: Literals,
        sequences: Sequences,
    },
}

/// A stream that was built.
#[derive(Clone, Debug, Default)]
pub struct Built {
    pub bytes: Vec<u8>,
    /// What it decodes to.
    pub content: Vec<u8>,
    pub frames: Vec<FramePlace>,
}

/// Where a frame is.
#[derive(Clone, Debug)]
pub struct FramePlace {
    pub offset: usize,
    pub end: usize,
    /// Where each block begins.
    pub blocks: Vec<usize>,
    /// Where the last block ends.
    pub blocks_end: usize,
    /// Of a Zstandard frame: how much it makes.
    pub content_size: Option<usize>,
}

/// Up to `MOST` of them; none once the choices are used up.
fn several<'a, const MOST: usize, T: Arbitrary<'a>>(choices: &mut Unstructured<'a>) -> Result<Vec<T>> {
    let count = choices.int_in_range(0..=MOST)?;
    let mut several = Vec::new();
    while several.len() < count && !choices.is_empty() {
        several.push(choices.arbitrary()?);
    }
    Ok(several)
}

/// One of five is skippable.
impl<'a> Arbitrary<'a> for Frame {
    fn arbitrary(choices: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match choices.int_in_range(0..=4)? {
            0 => Self::Skippable { variant: choices.arbitrary()?, content: choices.arbitrary()? },
            _ => Self::Zstandard(choices.arbitrary()?),
        })
    }
}

/// Most are compressed.
impl<'a> Arbitrary<'a> for Block {
    fn arbitrary(choices: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match choices.int_in_range(0..=6)? {
            0 => Self::Raw { count: choices.arbitrary()?, seed: choices.arbitrary()? },
            1 => Self::Rle { byte: choices.arbitrary()?, count: choices.arbitrary()? },
            _ => Self::Compressed { literals: choices.arbitrary()?, sequences: choices.arbitrary()? },
        })
    }
}

/// Small numbers are likelier, and there are larger ones than 16 bits hold.
fn size(choice: u16) -> usize {
    (usize::from(choice) * 2) >> (choice % 17)
}

impl Stream {
    /// The stream's bytes, what they decode to, and where everything is.
    pub fn build(&self) -> Built {
        let mut built = Built::default();
        // A stream is one frame at least.
        let none = [Frame::Zstandard(Zstandard::default())];
        let frames = if self.frames.is_empty() { &none[..] } else { &self.frames };
        for frame in frames {
            built.add(frame, None);
        }
        built
    }
}

impl Built {
    fn add(&mut self, frame: &Frame, insert: Option<&mut fault::Insert>) {
        let offset = self.bytes.len();
        match frame {
            Frame::Skippable { variant, content } => {
                self.bytes.extend(skippable(variant & 15, content));
                let end = self.bytes.len();
                let place = FramePlace { offset, end, blocks: Vec::new(), blocks_end: end, content_size: None };
                self.frames.push(place);
            }
            Frame::Zstandard(frame) => {
                let room = OUTPUT_MAX.saturating_sub(self.content.len());
                let encoded = Encoded::of(frame, room, insert);
                self.bytes.extend(MAGIC);
                self.bytes.extend(&encoded.header);
                let mut blocks = Vec::new();
                for (at, block) in encoded.blocks.iter().enumerate() {
                    blocks.push(self.bytes.len());
                    let last = at + 1 == encoded.blocks.len();
                    self.bytes.extend(block_header(last, block.kind, u32::try_from(block.size).unwrap()));
                    self.bytes.extend(&block.content);
                }
                let blocks_end = self.bytes.len();
                if frame.header.checksum {
                    let hash = twox_hash::XxHash64::oneshot(0, &encoded.content);
                    self.bytes.extend(&hash.to_le_bytes()[..4]);
                }
                let content_size = Some(encoded.content.len());
                self.content.extend(encoded.content);
                let end = self.bytes.len();
                self.frames.push(FramePlace { offset, end, blocks, blocks_end, content_size });
            }
        }
    }
}

/// A frame's header and blocks.
struct Encoded {
    header: Vec<u8>,
    blocks: Vec<EncodedBlock>,
    content: Vec<u8>,
}

/// A block before it is known whether it is the last one.
#[derive(Clone, Debug)]
struct EncodedBlock {
    kind: u8,
    /// `Block_Size`.
    size: usize,
    content: Vec<u8>,
}

impl EncodedBlock {
    fn raw(content: &[u8]) -> Self {
        Self { kind: 0, size: content.len(), content: content.to_vec() }
    }

    fn rle(byte: u8, size: usize) -> Self {
        Self { kind: 1, size, content: vec![byte] }
    }

    fn compressed(content: Vec<u8>) -> Self {
        Self { kind: 2, size: content.len(), content }
    }
}

/// A frame on its way.
struct State {
    window: u64,
    block_maximum: usize,
    room: usize,
    content: Vec<u8>,
    tree: Option<Tree>,
    tables: Tables,
    offsets: RepeatOffsets,
}

impl Encoded {
    /// Encodes a frame that makes `room` bytes at most.
    fn of(frame: &Zstandard, room: usize, mut insert: Option<&mut fault::Insert>) -> Self {
        let header = frame.header;
        let window_descriptor = WindowDescriptor(header.window_descriptor % (WINDOW_MAX + 1));
        // The window of a single segment is all of it.
        let window = if header.single_segment { u64::MAX } else { window_descriptor.window_size() };
        let mut state = State {
            window,
            block_maximum: usize::try_from(window).map_or(BLOCK_MAX, |window| window.min(BLOCK_MAX)),
            room,
            content: Vec::new(),
            tree: None,
            tables: Tables::none(),
            offsets: RepeatOffsets([1, 4, 8]),
        };
        let mut blocks = Vec::new();
        let count = frame.blocks.len();
        for at in 0..=count {
            if let Some(insert) = insert.take_if(|insert| insert.before == at) {
                blocks.extend(insert.blocks(blocks.len(), &mut state));
            }
            if at < count {
                blocks.push(frame.blocks[at].encode(&mut state));
            }
        }
        let stored = blocks.iter().map(|block| block.content.len()).max().unwrap_or(0);
        if header.single_segment && stored > state.content.len().min(BLOCK_MAX) {
            // No block of a frame may store more than the frame makes.
            let missing = stored - state.content.len();
            state.content.resize(stored, b'-');
            blocks.push(EncodedBlock::rle(b'-', missing));
        }
        if blocks.is_empty() {
            blocks.push(EncodedBlock::raw(&[]));
        }
        Self { header: header.encode(window_descriptor, state.content.len()), blocks, content: state.content }
    }
}

impl Header {
    /// The bytes from the descriptor on.
    fn encode(self, window: WindowDescriptor, content_size: usize) -> Vec<u8> {
        let fits = |flag: u8| match flag {
            0 => !self.single_segment || content_size < 256,
            1 => (256..256 + 65_536).contains(&content_size),
            _ => true,
        };
        let wanted = self.content_size_flag & 3;
        let flag = (wanted..4).chain([2]).find(|&flag| fits(flag)).unwrap();
        let bit = |set: bool, bit: u8| u8::from(set) << bit;
        let descriptor = Descriptor(
            flag << 6
                | bit(self.single_segment, 5)
                | bit(self.unused_bit, 4)
                | bit(self.checksum, 2)
                | self.dictionary_id_flag & 3,
        );
        let size = content_size as u64 - if flag == 1 { 256 } else { 0 };
        let mut bytes = vec![descriptor.0];
        bytes.extend((!self.single_segment).then_some(window.0));
        bytes.extend(&[0; 4][..[0, 1, 2, 4][usize::from(self.dictionary_id_flag & 3)]]);
        let width = [usize::from(self.single_segment), 2, 4, 8][usize::from(flag)];
        bytes.extend(&size.to_le_bytes()[..width]);
        bytes
    }
}

impl Block {
    fn encode(&self, state: &mut State) -> EncodedBlock {
        let most = state.block_maximum.min(state.room);
        let before = state.content.len();
        let block = match self {
            Self::Raw { count, seed } => {
                let mut bytes = Lcg(u64::from(*seed));
                state.content.extend((0..size(*count).min(most)).map(|_| bytes.next_number().to_le_bytes()[0]));
                EncodedBlock::raw(&state.content[before..])
            }
            Self::Rle { byte, count } => {
                let count = size(*count).min(most);
                state.content.resize(before + count, *byte);
                EncodedBlock::rle(*byte, count)
            }
            Self::Compressed { literals, sequences } => compressed(literals, sequences, most, state),
        };
        state.room -= state.content.len() - before;
        block
    }
}

/// A compressed block; a raw one of nothing where it would take more than a block may store.
fn compressed(literals: &Literals, sequences: &Sequences, most: usize, state: &mut State) -> EncodedBlock {
    let before = (state.content.len(), state.tree.clone(), state.tables.clone(), state.offsets);
    let (mut section, decoded) = literals.encode(most, &mut state.tree);
    let stored = sequences.execute(&decoded, &mut state.content, state.window, most, &mut state.offsets);
    section.extend(sequences.encode(&stored, &mut state.tables));
    if section.len() > state.block_maximum {
        state.content.truncate(before.0);
        (_, state.tree, state.tables, state.offsets) = before;
        return EncodedBlock::raw(&[]);
    }
    EncodedBlock::compressed(section)
}
