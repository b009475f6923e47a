//! What is said of a zstd stream: its verdict, a report on each frame, totals, and all of it as JSON.
//!
//! Like the core it is `no_std`, allocates nothing, reads nothing and writes nowhere: the command, the library and the
//! module for JavaScript say the same of a stream because they all ask here.
//!
//! - [`Walk`] is a walker, with or without a look inside of blocks.
//! - [`Audit`] takes the events of a walk, holds them to limits and bounds, and tells of every frame.
//! - [`Report`] is what is known at the end, [`Tally`] what gathers it where frames are not walked but decoded.
//! - [`json`] writes the documents.
//!
//! ```
//! use zvet_core::entropy::{Depth, Workspace};
//! use zvet_core::{Bounds, Error, Limits};
//! use zvet_report::{Audit, Level, StreamVerdict, Walk};
//!
//! let stream = b"\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x00hello, world";
//! // A stream that is pushed whole needs no room to gather blocks in.
//! let mut walk = Walk::inside(Depth::Streams, Workspace::new(), [0; 0], ());
//! let mut audit = Audit::<Error, _>::new(Level::Entropy, Bounds::SNAPSHOT, Limits::SNAPSHOT, []);
//! let mut rest = &stream[..];
//! loop {
//!     let step = walk.push(rest)?;
//!     rest = &rest[step.consumed..];
//!     let Some(event) = step.event else { break };
//!     audit.event(&event, walk.insight(), &mut |frame| assert_eq!(frame.offset(), 0))?;
//! }
//! walk.finish(false)?;
//! let report = audit.report(walk.offset());
//! assert_eq!((report.verdict, report.size), (StreamVerdict::Valid, 21));
//! # Ok::<(), Error>(())
//! ```
#![no_std]

mod audit;
mod fault;
pub mod json;
mod report;
mod walk;

pub use audit::{Audit, about_one_frame};
pub use fault::Fault;
pub use report::{FrameReport, Level, Report, StreamVerdict, Tally, Totals, ZstandardReport, classify};
pub use walk::{Insight, Walk};
