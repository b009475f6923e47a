//! [`ParallelWriter`]: content into a stream of frames that decode beside each other.
//!
//! Content is cut into chunks, and each becomes a frame of its own: a single segment that declares its size. With one
//! worker the caller's thread encodes. With more, chunks go to threads and come back in order, and never are there more
//! than two for each worker, the one that is being filled included. The sink is written to on the caller's thread
//! alone: it need not be `Send`, its errors come from the call that met them, and a writer that is dropped never waits
//! for it.

pub mod encoder;
mod error;
mod framer;
mod pool;
mod settings;
mod sink;
mod writer;

pub use error::{EncodeError, EncoderFault, EncoderFaultKind, ReadFromError};
pub use settings::{EncodeSettings, EncoderChoice, EncoderOptions};
pub use writer::{EncodeReport, ParallelWriter};
