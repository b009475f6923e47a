//! What the caller sets: bounds, limits, workers, dictionaries, engine.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;

use zvet_core::{Bounds, Limits};

use crate::dictionary::{AtHand, Dictionary};
use crate::engine::{Engine, EngineMaker, Ruzstd};

/// How streams are verified and decoded. The default is the `SNAPSHOT` preset on all cores, without dictionaries, with
/// ruzstd.
///
/// ```
/// use zvet::{Bounds, Limits, Settings};
///
/// let settings = Settings { bounds: Bounds::WEB, limits: Limits::WEB, ..Settings::default() };
/// ```
#[derive(Clone)]
pub struct Settings {
    /// What may be held of one frame to be decoded beside others.
    pub bounds: Bounds,
    /// What is decoded at all.
    pub limits: Limits,
    /// How many frames are decoded at the same time.
    pub workers: NonZeroUsize,
    /// Dictionaries at hand. A frame is decoded with the one that it names. A frame that names none is decoded with the
    /// first, as the zstd command does with the one that it is given: such a frame does not say whether it was made with
    /// a dictionary, so none should be given for streams of frames that were not.
    pub dictionaries: Vec<Dictionary>,
    /// Whether no input at all is a valid stream of no frames. The format wants at least one frame.
    pub allow_empty: bool,
    /// What decodes.
    pub engine: EngineChoice,
}

/// What makes the engines that decode: one for each worker.
#[derive(Clone)]
pub struct EngineChoice(EngineMaker);

impl EngineChoice {
    /// Engines of your own.
    pub fn custom<E: Engine + 'static>(make: impl Fn() -> E + Send + Sync + 'static) -> Self {
        Self(Arc::new(move || Box::new(make())))
    }

    pub(crate) fn maker(&self) -> EngineMaker {
        self.0.clone()
    }
}

/// [`Ruzstd`].
impl Default for EngineChoice {
    fn default() -> Self {
        Self::custom(Ruzstd::new)
    }
}

impl fmt::Debug for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EngineChoice").field(&(self.0)().name()).finish()
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            bounds: Bounds::default(),
            limits: Limits::default(),
            workers: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            dictionaries: Vec::new(),
            allow_empty: false,
            engine: EngineChoice::default(),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("bounds", &self.bounds)
            .field("limits", &self.limits)
            .field("workers", &self.workers)
            .field("dictionaries", &self.dictionaries)
            .field("allow_empty", &self.allow_empty)
            .field("engine", &self.engine)
            .finish()
    }
}

/// Buffers besides frames and windows: read-ahead, chunks of serial output, threads' own.
const FIXED_MEMORY: u64 = 4 << 20;
/// For each worker: a batch of small frames on its way, and what looks at blocks before its engine gets them.
const WORKER_MEMORY: u64 = 512 << 10;

impl Settings {
    /// The most memory, in bytes, that decoding or verifying any stream takes with these settings:
    ///
    /// `(workers + 1) x (bounds.input + bounds.output) + bounds.input / 2 + workers x (engine(bounds.window) + 512 KiB)
    /// + engine(limits.window) + 4 MiB`
    ///
    /// where `engine(window)` is what the engine says it needs for that window. For ruzstd that is one and a half times
    /// the next power of two. Half an input is for the one buffer that may be moved while it grows. Dictionaries come on
    /// top: their size, once for each worker and twice more.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        let workers = self.workers.get() as u64;
        let engine = (self.engine.0)();
        let frame = self.bounds.input.saturating_add(self.bounds.output);
        let dictionaries: u64 = self.dictionaries.iter().map(|dictionary| dictionary.bytes().len() as u64).sum();
        frame
            .saturating_mul(workers.saturating_add(1))
            .saturating_add(self.bounds.input / 2)
            .saturating_add(engine.memory(self.bounds.window).saturating_add(WORKER_MEMORY).saturating_mul(workers))
            .saturating_add(engine.memory(self.limits.window))
            .saturating_add(dictionaries.saturating_mul(workers.saturating_add(2)))
            .saturating_add(FIXED_MEMORY)
    }

    /// The ids of the dictionaries at hand.
    pub(crate) fn dictionary_ids(&self) -> Vec<u32> {
        self.dictionaries.iter().filter_map(Dictionary::id).collect()
    }

    pub(crate) fn dictionaries_at_hand(&self) -> AtHand {
        AtHand(self.dictionaries.clone())
    }
}
