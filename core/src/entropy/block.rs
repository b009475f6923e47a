//! Blocks of one frame, one after the other.

use super::dictionary::Dictionary;
use super::history::{History, REPEAT_OFFSETS};
use super::huffman::Huffman;
use super::sequences::Tables;
use super::{Checked, Depth, Fault, literals, sequences};
use crate::{ErrorKind, FrameHeader};

/// The tables of a frame. One workspace serves any number of frames, one at a time.
#[derive(Clone, Debug)]
pub struct Workspace {
    huffman: Huffman,
    tables: Tables,
}

impl Workspace {
    /// How large it is: 9,240 bytes, on targets of 32 and of 64 bits.
    pub const SIZE: usize = size_of::<Self>();

    /// A workspace.
    #[must_use]
    pub const fn new() -> Self {
        Self { huffman: Huffman::new(), tables: Tables::new() }
    }

    /// Reads the tables of a dictionary, and returns how many bytes they take.
    pub(super) fn read_dictionary(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        let tree_size = self.huffman.read(bytes)?;
        let tables = bytes.get(tree_size..).unwrap_or_default();
        Ok(tree_size.saturating_add(self.tables.read_dictionary(tables)?))
    }
}

const _: () = assert!(Workspace::SIZE == 9_240, "the workspace is not as large as it says");

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}

/// What lives on from block to block of a frame, besides tables.
#[derive(Clone, Debug)]
pub(super) struct FrameState {
    history: History,
    /// Whether there is a Huffman tree to be used again.
    tree: bool,
    /// Whether a dictionary was given: then what is missing is missing for good.
    dictionary_given: bool,
    block_maximum_size: u32,
}

impl FrameState {
    /// A frame at its first block. The workspace forgets the frame before.
    pub(super) fn new(header: &FrameHeader, dictionary: Option<Dictionary<'_>>, workspace: &mut Workspace) -> Self {
        workspace.tables.reset();
        let mut tree = false;
        let (mut content_size, mut repeat_offsets) = (0, REPEAT_OFFSETS);
        if let Some(dictionary) = dictionary {
            content_size = dictionary.content_size();
            repeat_offsets = dictionary.repeat_offsets();
            // They were read before, when the dictionary was parsed.
            tree = workspace.read_dictionary(dictionary.tables()).is_ok();
        }
        Self {
            history: History::new(header.window_size(), content_size, repeat_offsets),
            tree,
            dictionary_given: dictionary.is_some(),
            block_maximum_size: header.block_maximum_size(),
        }
    }

    /// What the frame has made so far.
    pub(super) const fn made(&self) -> u64 {
        self.history.made()
    }

    /// Takes a raw or RLE block of this size.
    pub(super) const fn plain(&mut self, size: u32) {
        self.history.add(size as u64);
    }

    /// Checks a compressed block.
    ///
    /// # Errors
    /// The first rule that it breaks; D02 where it takes a dictionary to tell.
    pub(super) fn compressed(&mut self, block: &[u8], workspace: &mut Workspace, depth: Depth) -> Result<(), Fault> {
        let Workspace { huffman, tables } = workspace;
        let maximum = self.block_maximum_size;
        let result = literals::check(block, maximum, huffman, &mut self.tree, depth).and_then(|literals| {
            let section = block.get(literals.size..).unwrap_or_default();
            sequences::check(section, literals.count, maximum, tables, &mut self.history, &mut Checked)
                .map_err(|fault| Fault { at: fault.at.saturating_add(literals.size), ..fault })
        });
        match result {
            Ok(made) => {
                self.history.add(u64::from(made));
                Ok(())
            }
            Err(fault) => Err(self.undecided(fault)),
        }
    }

    /// What is missing may be in a dictionary, if none was given.
    fn undecided(&self, fault: Fault) -> Fault {
        match fault.kind {
            ErrorKind::TreelessFirst | ErrorKind::RepeatFirst | ErrorKind::OffsetBeforeFrame { .. }
                if !self.dictionary_given =>
            {
                Fault { kind: ErrorKind::NeedsDictionary, ..fault }
            }
            _ => fault,
        }
    }
}
