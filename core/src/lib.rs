//! The zstd format without std: walk, check and classify frames from untrusted bytes.
//!
//! Bytes go in, events come out. Nothing here reads, allocates, panics or decodes, and the memory is that of one
//! [`Walker`] (under 256 bytes), and of a workspace where the caller lends one, whatever the input says.
//!
//! - [`Walker`] finds every frame, skippable frame and block of a stream pushed in pieces of any size, and stops at the
//!   first rule that is broken with its offset, frame, block and rule id ([`Error`]).
//! - [`entropy::EntropyWalker`] does the same with a look inside of compressed blocks: tables, every bitstream to its exact
//!   end, every offset, and the exact size of what a frame decodes to. It takes a workspace of under 10 KiB and room for one
//!   block; nothing is decoded.
//! - [`Bounds`] tell which frames may be held whole and decoded beside others ([`Decode`]).
//! - [`Limits`] tell what may be decoded at all; a [`Budget`] spends them.
//! - [`FrameHeader`] and [`BlockHeader`] parse the two headers on their own.
//! - [`SeekTable`] parses the table of the seekable format, and a [`SeekAudit`] holds it to the frames that there are.
//! - `FrameIndex` (feature `heapless`) keeps the frames of a stream where there is no heap.
//!
//! Sizes are in bytes, offsets count from the start of the stream, and both are `u64` on every target. The sections
//! named in the documentation are those of RFC 8878; the words are those of the format document (`Window_Size`,
//! `Block_Maximum_Size`, `Frame_Content_Size`, ...). `SPEC-NOTES.md` in the repository lists every rule id.
//!
//! ```
//! use zvet_core::{Event, Walker};
//!
//! // A frame that declares 12 bytes and holds them in one raw block.
//! let stream = b"\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x00hello, world";
//! let mut walker = Walker::new();
//! let mut rest = &stream[..];
//! loop {
//!     let step = walker.push(rest)?;
//!     rest = &rest[step.consumed..];
//!     match step.event {
//!         Some(Event::FrameEnd(frame)) => assert_eq!(frame.decoded_size().exact(), Some(12)),
//!         Some(_) => {}
//!         None => break, // all input is consumed
//!     }
//! }
//! walker.finish()?; // truncated, trailing and empty input end here
//! # Ok::<(), zvet_core::Error>(())
//! ```
#![no_std]

mod block;
pub mod consts;
pub mod entropy;
mod error;
mod foreign;
mod header;
#[cfg(feature = "heapless")]
mod index;
mod limits;
mod seek_table;
mod size;
mod skippable;
mod verdict;
mod walk;

pub use block::{Block, BlockCounts, BlockHeader, BlockKind};
pub use error::{Class, Error, ErrorKind, Location, Part};
pub use foreign::Foreign;
pub use header::{Descriptor, FrameHeader, Magic, Status, WindowDescriptor};
#[cfg(feature = "heapless")]
pub use index::{FrameIndex, IndexEntry, IndexFull};
pub use limits::{Bounds, Budget, Limits, Ratio};
pub use seek_table::{
    SEEK_TABLE_FOOTER_SIZE, SEEK_TABLE_VARIANT, SEEKABLE_MAGIC_NUMBER, SeekAudit, SeekEntries, SeekEntry, SeekTable,
    SeekTableError,
};
pub use size::SizeRange;
pub use skippable::Skippable;
pub use verdict::{Decode, Proof, Reason};
pub use walk::{Event, Frame, Step, Walker};
