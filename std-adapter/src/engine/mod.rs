//! What decodes. An engine is never trusted: zvet checks what goes in and what comes out.
//!
//! | engine | built | inside of blocks it checks | memory for a window of `w` that is streamed |
//! | --- | --- | --- | --- |
//! | [`Ruzstd`] | always | not all: it is lax, and for some invalid streams makes other bytes than anyone else | 1.5 `w` |
//! | [`Mzstd`] | feature `mzstd` | all that libzstd does | 6 `w` |
//! | [`Libzstd`] | feature `libzstd` | all that the reference decoder does | `w` |
//!
//! Whatever the engine, zvet looks through every frame at the level `Entropy` before the engine gets it, unless the caller
//! trusts a strict engine with that ([`Settings::trust_engine`](crate::Settings::trust_engine)). Of the content it
//! compares size and checksum in any case.

use std::fmt;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use zvet_core::FrameHeader;

use crate::dictionary::Dictionary;

mod choice;
mod guard;
#[cfg(any(feature = "mzstd", feature = "libzstd"))]
mod header;
#[cfg(feature = "libzstd")]
mod libzstd;
#[cfg(feature = "mzstd")]
mod mzstd;
mod pair;
mod running;
pub(crate) mod ruzstd;

#[cfg(feature = "libzstd")]
pub use self::libzstd::Libzstd;
#[cfg(feature = "mzstd")]
pub use self::mzstd::Mzstd;
pub use self::ruzstd::Ruzstd;
pub use choice::EngineChoice;
pub(crate) use guard::Guarded;
pub use guard::in_engine;
pub(crate) use pair::Pair;
pub(crate) use running::Running;

/// A decoder of single frames, used for one after the other.
///
/// What zvet does around it, whatever it does itself: the frame's headers, sizes and end are checked before, the
/// declared size and the content checksum after; a panic becomes an error of the frame, and the engine that had it is
/// dropped, as is one that returned an error.
///
/// Frames come without their content checksum, and say so in their header.
pub trait Engine: Send {
    /// Its name, for messages.
    fn name(&self) -> &'static str;

    /// Whether it refuses every frame whose blocks are not valid, as libzstd does. The inside of blocks may be left to such
    /// an engine where the caller trusts it.
    fn is_strict(&self) -> bool {
        false
    }

    /// Whether it decodes a whole frame in place only where the frame declares its size. Frames then do, by a header that zvet
    /// makes of the exact size.
    fn wants_declared_size(&self) -> bool {
        false
    }

    /// Decodes a whole frame into the front of `output`, and returns how much it wrote. There is as much room as the frame may
    /// make; one that makes more is an error. `is_stopped` may be asked now and then: nobody wants the rest once it says so.
    ///
    /// # Errors
    /// [`EngineError`].
    fn decode_frame(
        &mut self,
        header: &FrameHeader,
        dictionary: Option<&Dictionary>,
        frame: &[u8],
        output: &mut [u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<usize, EngineError> {
        in_pieces(self, header, dictionary, frame, output, is_stopped)
    }

    /// Begins a frame that comes in pieces. `input` is at its magic number, and ends with the frame.
    ///
    /// # Errors
    /// [`EngineError`].
    fn start(
        &mut self,
        header: &FrameHeader,
        dictionary: Option<&Dictionary>,
        input: &mut dyn Read,
    ) -> Result<(), EngineError>;

    /// Decodes the frame further, into `output`, which may be empty. Returns after a block or so, even if it wrote nothing, so
    /// that a caller can stop in between.
    ///
    /// # Errors
    /// [`EngineError`].
    fn decode(&mut self, input: &mut dyn Read, output: &mut [u8]) -> Result<Progress, EngineError>;

    /// Lets go of dictionaries, windows and whatever else is large, before it is kept for frames of other readers.
    fn let_go(&mut self) {}

    /// The most memory, in bytes, that it takes to decode frames of windows of up to this size in pieces.
    fn memory(&self, window_size: u64) -> u64;

    /// The most memory, in bytes, that it takes to decode whole frames of windows of up to this size, besides their input and
    /// output.
    fn whole_memory(&self, window_size: u64) -> u64 {
        self.memory(window_size)
    }
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
    /// The frame makes more output than there is room for.
    TooMuch,
    /// It comes to no end.
    Stuck,
    /// Another engine makes other content of the frame.
    Disagrees(&'static str),
}

impl EngineError {
    fn stopped() -> Self {
        Self::Input(io::Error::other("stopped"))
    }
}

/// Decodes a whole frame as one that comes in pieces.
fn in_pieces<E: Engine + ?Sized>(
    engine: &mut E,
    header: &FrameHeader,
    dictionary: Option<&Dictionary>,
    mut frame: &[u8],
    output: &mut [u8],
    is_stopped: &dyn Fn() -> bool,
) -> Result<usize, EngineError> {
    engine.start(header, dictionary, &mut frame)?;
    let mut filled = 0;
    loop {
        if is_stopped() {
            return Err(EngineError::stopped());
        }
        // One byte more than there may be shows whether there is more.
        let mut probe = [0];
        let full = filled == output.len();
        let left = frame.len();
        let to = if full { &mut probe[..] } else { &mut output[filled..] };
        let room = to.len();
        let progress = engine.decode(&mut frame, to)?;
        if progress.written > room || (full && progress.written > 0) {
            return Err(EngineError::TooMuch);
        }
        filled += progress.written;
        if progress.done {
            return Ok(filled);
        }
        if progress.written == 0 && frame.len() == left {
            return Err(EngineError::Stuck);
        }
    }
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
