//! `Block_Header` (RFC 8878, 3.1.1.2): three bytes, and the limits on the sizes in them.

use crate::consts::BLOCK_HEADER_SIZE;
use crate::{ErrorKind, SizeRange};

/// `Block_Type`, without the reserved one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// `Raw_Block`: the content as it is.
    Raw,
    /// `RLE_Block`: one byte, repeated `Block_Size` times.
    Rle,
    /// `Compressed_Block`: literals and sequences.
    Compressed,
}

/// `Block_Header`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockHeader {
    /// `Last_Block`: the frame ends after this block.
    pub last: bool,
    /// `Block_Type`.
    pub kind: BlockKind,
    /// `Block_Size`, 0 to 2^21 - 1: what is stored of a raw or compressed block, what is regenerated of an RLE block.
    pub size: u32,
}

impl BlockHeader {
    /// Reads the three bytes. The size is not yet compared with `Block_Maximum_Size`: see [`check`](Self::check).
    ///
    /// # Errors
    /// [`ErrorKind::ReservedBlockType`] (B02).
    pub const fn parse(bytes: [u8; BLOCK_HEADER_SIZE]) -> Result<Self, ErrorKind> {
        let [b0, b1, b2] = bytes;
        let bits = u32::from_le_bytes([b0, b1, b2, 0]);
        let kind = match (bits >> 1) & 3 {
            0 => BlockKind::Raw,
            1 => BlockKind::Rle,
            2 => BlockKind::Compressed,
            _ => return Err(ErrorKind::ReservedBlockType),
        };
        Ok(Self { last: bits & 1 == 1, kind, size: bits >> 3 })
    }

    /// Holds the block to the frame's `Block_Maximum_Size`, which bounds what is stored and what is regenerated of
    /// blocks of every type (RFC 8878, 3.1.1.2.3 and 3.1.1.2.4).
    ///
    /// # Errors
    /// [`ErrorKind::BlockTooLarge`] (B03), or [`ErrorKind::BlockTooSmall`] (B05): a compressed block holds at least one
    /// byte of literals header and one of sequences header.
    pub const fn check(self, block_maximum_size: u32) -> Result<(), ErrorKind> {
        let stored = self.content_size();
        let size = if self.size > stored { self.size } else { stored };
        if size > block_maximum_size {
            return Err(ErrorKind::BlockTooLarge { size, maximum: block_maximum_size });
        }
        if matches!(self.kind, BlockKind::Compressed) && self.size < 2 {
            return Err(ErrorKind::BlockTooSmall { size: self.size });
        }
        Ok(())
    }

    /// Size of `Block_Content` in the stream: 1 for an RLE block, whatever its `Block_Size`.
    #[must_use]
    pub const fn content_size(self) -> u32 {
        match self.kind {
            BlockKind::Raw | BlockKind::Compressed => self.size,
            BlockKind::Rle => 1,
        }
    }

    /// What the block regenerates: exactly its size when raw or RLE, up to `Block_Maximum_Size` when compressed.
    #[must_use]
    pub const fn regenerated_size(self, block_maximum_size: u32) -> SizeRange {
        match self.kind {
            BlockKind::Raw | BlockKind::Rle => SizeRange::exactly(self.size as u64),
            BlockKind::Compressed => SizeRange { low: 0, high: block_maximum_size as u64 },
        }
    }
}

/// A block of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Which frame of the stream, counted from 0, skippable ones included.
    pub frame: u64,
    /// Which block of the frame, counted from 0.
    pub index: u64,
    /// Where its header begins.
    pub offset: u64,
    /// Its header, checked.
    pub header: BlockHeader,
}

/// How many blocks of each type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlockCounts {
    /// `Raw_Block`s.
    pub raw: u64,
    /// `RLE_Block`s.
    pub rle: u64,
    /// `Compressed_Block`s.
    pub compressed: u64,
}

impl BlockCounts {
    /// Blocks of every type.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.raw.saturating_add(self.rle).saturating_add(self.compressed)
    }

    /// Counts a block.
    pub(crate) const fn count(&mut self, kind: BlockKind) {
        let n = match kind {
            BlockKind::Raw => &mut self.raw,
            BlockKind::Rle => &mut self.rle,
            BlockKind::Compressed => &mut self.compressed,
        };
        *n = n.saturating_add(1);
    }
}
