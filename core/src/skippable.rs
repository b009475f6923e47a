//! Skippable frames (RFC 8878, 3.1.2): a magic number of sixteen, a size of 32 bits, and opaque content.

use crate::consts::SKIPPABLE_HEADER_SIZE;

/// A skippable frame of a stream. Its content is never looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Skippable {
    /// Which frame of the stream, counted from 0, Zstandard frames included.
    pub index: u64,
    /// Where its magic number begins.
    pub offset: u64,
    /// Which of the sixteen magic numbers: 0 for 0x184D2A50 to 15 for 0x184D2A5F.
    pub variant: u8,
    /// `Frame_Size`: the size of the content alone, 0 to 2^32 - 1.
    pub content_size: u32,
}

impl Skippable {
    /// Size of the whole frame: up to 2^32 + 7, which is why this is not 32 bits.
    #[must_use]
    pub const fn compressed_size(self) -> u64 {
        (self.content_size as u64).saturating_add(SKIPPABLE_HEADER_SIZE as u64)
    }
}
