//! The inside of compressed blocks: what decodes, and to how much, without decoding it.
//!
//! The pieces read like their sections of the format: `bits`, `fse` and `huffman` are the entropy coders (RFC 8878,
//! 4), `literals` and `sequences` the two sections of a block (3.1.1.3), `history` what lives on from block to block
//! of a frame, `block` ties them, and `walk` runs them as blocks arrive.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "fields of at most 20 bits, by the format"
)]
#![expect(clippy::inline_always, reason = "these are the loops over bits, and measured to want it")]

mod bits;
mod block;
mod dictionary;
mod fse;
mod history;
mod huffman;
mod literals;
mod sequences;
mod walk;

pub use block::Workspace;
pub use dictionary::{Dictionaries, Dictionary, DictionaryShape};
pub use walk::EntropyWalker;

use crate::ErrorKind;

/// How deep the inside of blocks is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// Headers, tables and sequences: enough for exact sizes. The streams of literals are stepped over.
    Sizes,
    /// All of it: streams of literals are run to their exact end.
    Streams,
}

/// A broken rule inside of a block, and where: counted from the start of the block's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) kind: ErrorKind,
}

/// What becomes of sequences as they are decoded.
pub(crate) trait Sink {
    /// The next literals, this many.
    fn literals(&mut self, length: u32);
    /// A match.
    fn copy(&mut self, offset: u64, length: u32);
}

/// Only checks are wanted.
pub(crate) struct Checked;

impl Sink for Checked {
    #[inline(always)]
    fn literals(&mut self, _length: u32) {}
    #[inline(always)]
    fn copy(&mut self, _offset: u64, _length: u32) {}
}
