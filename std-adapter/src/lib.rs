//! Vet zstd streams before anyone trusts them, and decode what passed on every core, in a memory that is stated.
//!
//! - [`verify`] and [`verify_detached`] walk a stream at a [`Level`], tell of every frame, and return a [`Report`].
//! - [`ParallelReader`] decodes a stream on several threads behind [`std::io::Read`], in order.
//! - [`FileDecoder`] decodes a stream into a file, each frame at its place.
//! - [`ParallelWriter`] encodes on several threads behind [`std::io::Write`], into frames that decode beside each other.
//! - [`Settings`] hold the bounds, limits, dictionaries and workers of both;
//!   [`Settings::peak_memory`] says what they take at most.
//! - [`Splitter`] gives the frames of a stream one by one, for pipelines of your own, and [`Events`] what the walk finds.
//! - [`source`] has what bytes come from: pipes, files, slices.
//! - [`engine`] has what decodes. An engine is never trusted: zvet checks headers, sizes, checksums and the end of the
//!   stream itself.
//! - [`json`] writes what was found as the documents that the command prints.
//!
//! The format alone, without std, is the crate `zvet-core`; what is needed of it is re-exported here.

mod checksum;
mod content;
mod decode;
mod dictionary;
mod encode;
pub mod engine;
mod error;
mod events;
mod file;
mod pipeline;
mod placing;
mod report;
mod settings;
mod slots;
pub mod source;
mod split;
mod verify;

pub use decode::ParallelReader;
pub use dictionary::{Dictionary, DictionaryError};
pub use encode::{
    EncodeError, EncodeReport, EncodeSettings, EncoderChoice, EncoderFault, EncoderFaultKind, EncoderOptions,
    ParallelWriter, ReadFromError, encoder,
};
pub use engine::EngineChoice;
pub use error::{EngineFault, EngineFaultKind, Error};
pub use events::Events;
pub use file::FileDecoder;
pub use report::{FrameReport, Level, Report, StreamVerdict, Totals, ZstandardReport};
pub use settings::{Policy, Settings};
pub use slots::Slots;
pub use split::{Piece, SerialFrame, Splitter, Whole};
pub use verify::{inspect, verify, verify_detached};
pub use zvet_core::{
    self as format, BlockCounts, Bounds, Class, Decode, Event, Foreign, Frame, Limits, Proof, Ratio, Reason, SizeRange,
    Skippable,
};
pub use zvet_report::{Fault, json};
