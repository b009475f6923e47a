//! What a call leaves for JavaScript to take: text, and records of blocks.

use core::fmt;

use zvet_core::{Block, BlockKind};

/// The longest name that an input may have, in bytes of UTF-8.
pub(crate) const NAME_SIZE_MAX: usize = 4096;
/// What the longest line takes: a name of control characters, each of which takes six bytes, and the keys.
const LINE_SIZE_MAX: usize = 6 * NAME_SIZE_MAX + 2048;
/// Room for the lines of a push, and the last frame and the summary.
const TEXT_SIZE: usize = 4 * LINE_SIZE_MAX;

/// Text of a fixed room.
#[derive(Debug)]
pub(crate) struct Text<const SIZE: usize> {
    bytes: [u8; SIZE],
    size: usize,
}

impl<const SIZE: usize> Text<SIZE> {
    pub(crate) const fn new() -> Self {
        Self { bytes: [0; SIZE], size: 0 }
    }

    pub(crate) const fn clear(&mut self) {
        self.size = 0;
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or_default()
    }

    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

impl<const SIZE: usize> fmt::Write for Text<SIZE> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.size..).and_then(|rest| rest.get_mut(..text.len()));
        room.ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.size += text.len();
        Ok(())
    }
}

/// A block, as `js/session.js` reads it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct BlockRecord {
    offset: u64,
    frame: u64,
    index: u64,
    /// `Block_Size`.
    size: u32,
    /// `Block_Type`, and 4 more for the last block of its frame.
    kind: u32,
}

impl BlockRecord {
    const NONE: Self = Self { offset: 0, frame: 0, index: 0, size: 0, kind: 0 };

    const fn of(block: &Block) -> Self {
        let kind = match block.header.kind {
            BlockKind::Raw => 0,
            BlockKind::Rle => 1,
            BlockKind::Compressed => 2,
        };
        let last = if block.header.last { 4 } else { 0 };
        Self {
            offset: block.offset,
            frame: block.frame,
            index: block.index,
            size: block.header.size,
            kind: kind | last,
        }
    }
}

const BLOCKS_MAX: usize = 1024;

/// What is to be taken before the next call.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) text: Text<TEXT_SIZE>,
    blocks: [BlockRecord; BLOCKS_MAX],
    block_count: usize,
}

impl Output {
    #[expect(clippy::large_stack_arrays, reason = "it is a static's first value, and never on a stack")]
    pub(crate) const fn new() -> Self {
        Self { text: Text::new(), blocks: [BlockRecord::NONE; BLOCKS_MAX], block_count: 0 }
    }

    pub(crate) const fn clear(&mut self) {
        self.text.clear();
        self.block_count = 0;
    }

    /// Whether there is room for whatever one event may bring, and for the end.
    pub(crate) const fn has_room(&self) -> bool {
        self.text.size + 3 * LINE_SIZE_MAX <= TEXT_SIZE && self.block_count < BLOCKS_MAX
    }

    /// Writes text.
    pub(crate) fn write(&mut self, write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) {
        let written = write(&mut self.text);
        debug_assert!(written.is_ok(), "whoever writes asks for room first");
    }

    pub(crate) fn block(&mut self, block: &Block) {
        if let Some(place) = self.blocks.get_mut(self.block_count) {
            *place = BlockRecord::of(block);
            self.block_count += 1;
        }
    }

    pub(crate) fn blocks(&self) -> &[BlockRecord] {
        self.blocks.get(..self.block_count).unwrap_or_default()
    }
}
