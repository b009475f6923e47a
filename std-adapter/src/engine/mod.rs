//! What decodes. An engine is never trusted: zvet checks what goes in and what comes out.

use std::fmt;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use zvet_core::FrameHeader;

use crate::dictionary::Dictionary;

mod guard;
pub(crate) mod ruzstd;

pub use self::ruzstd::Ruzstd;
pub use guard::in_engine;
pub(crate) use guard::{Guarded, Running};

/// A decoder of single frames.
///
/// What zvet does around it, whatever it does itself: the frame's headers, sizes and end are checked before, the
/// declared size and the content checksum after; a panic becomes an error of the frame, and the engine that had it is
/// dropped, as is one that returned an error.
pub trait Engine: Send {
    /// Its name, for messages.
    fn name(&self) -> &'static str;

    /// Begins a frame. `input` is at its magic number, and ends with the frame.
    ///
    /// # Errors
    /// [`EngineError`].
    fn start(
        &mut self,
        header: &FrameHeader,
        dictionary: Option<&Dictionary>,
        input: &mut dyn Read,
    ) -> Result<(), EngineError>;

    /// Decodes the frame further, into `output`. Returns after a block or so, even if it wrote nothing, so that a caller
    /// can stop in between.
    ///
    /// # Errors
    /// [`EngineError`].
    fn decode(&mut self, input: &mut dyn Read, output: &mut [u8]) -> Result<Progress, EngineError>;

    /// The most memory, in bytes, that it takes for frames of windows of up to this size.
    fn memory(&self, window_size: u64) -> u64;
}

/// How far an engine came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many bytes it wrote.
    pub written: usize,
    /// Whether the frame is at its end, with all of its output written.
    pub done: bool,
}

/// Why an engine stopped.
#[derive(Debug)]
#[non_exhaustive]
pub enum EngineError {
    /// Its input could not be read.
    Input(io::Error),
    /// A block is not valid, in its own words.
    Corrupt(String),
}

/// Makes engines: one for each worker, and new ones for those that failed.
pub(crate) type EngineMaker = std::sync::Arc<dyn Fn() -> Box<dyn Engine> + Send + Sync>;

impl fmt::Debug for dyn Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Runs `f`, and turns a panic into its message.
pub(crate) fn catch_panic<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(|| guard::flagged(f))).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
    })
}
