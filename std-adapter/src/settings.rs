//! What the caller sets: bounds, limits, workers, dictionaries, engine.

use std::num::NonZeroUsize;
use std::thread;

use zvet_core::{Bounds, Limits};

use crate::dictionary::{AtHand, Dictionary};
use crate::engine::{Engine, EngineChoice};
use crate::slots::Slots;

/// How streams are verified and decoded. The default is the `SNAPSHOT` preset on all cores, without dictionaries, with
/// the engine that [`EngineChoice`] prefers.
///
/// ```
/// use zvet::{Bounds, Limits, Settings};
///
/// let settings = Settings { bounds: Bounds::WEB, limits: Limits::WEB, ..Settings::default() };
/// ```
#[derive(Clone, Debug)]
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
    /// A second engine that decodes all of it, too: where its content differs, that is an error (C04). Of a frame that is decoded
    /// as it is read, that is known at its end, as its checksum is.
    pub second_opinion: Option<EngineChoice>,
    /// Leaves the inside of blocks to the engine, if it is a strict one, instead of looking there first: about twice as fast, and
    /// what libzstd accepts is accepted. A frame that the engine refuses is then looked at, to tell what is wrong; one that is
    /// decoded as it is read has the engine's word for it (C05). Not for input that may be made to deceive; verifying does
    /// not ask for it.
    pub trust_engine: bool,
    /// What becomes of the frames after one that is decoded alone.
    pub policy: Policy,
    /// Decodes frames as they are read while that keeps up with the input, and in parallel otherwise.
    ///
    /// For a source that is slower than decoding on one thread, such as a download: content comes as it arrives, and at the end
    /// of the input there is a block to be decoded and no more, where a frame that is held whole is decoded only once it is
    /// there. (ruzstd holds a window of it back all the same.) For sources that are faster, files above all, it makes no difference but for the first frame. Frames that
    /// are decoded as they are read give content before their checksum is known, as all such frames do.
    pub adaptive: bool,
    /// What frames are held in that are decoded beside others: shared by all readers of the process unless it is set.
    pub slots: Slots,
}

/// What becomes of the frames after one that is decoded alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Policy {
    /// They are decoded in parallel again where they fit.
    #[default]
    Resume,
    /// They are decoded alone, too: from the first frame that does not fit, the stream is decoded on one thread, and its content
    /// comes as it is read.
    Sticky,
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
            second_opinion: None,
            trust_engine: false,
            policy: Policy::default(),
            adaptive: false,
            slots: Slots::default(),
        }
    }
}

/// Buffers besides frames and windows: read-ahead, chunks of serial output, threads' own.
const FIXED_MEMORY: u64 = 4 << 20;
/// For each worker: a batch of small frames on its way, and what looks at blocks before its engine gets them.
const WORKER_MEMORY: u64 = 512 << 10;

impl Settings {
    /// The most memory, in bytes, that decoding or verifying any stream takes with these settings:
    ///
    /// `(workers + 1) x (bounds.input + bounds.output) + bounds.input / 2 + workers x (whole(bounds.window) + 512 KiB)
    /// + stream(limits.window) + 4 MiB`
    ///
    /// where `whole(window)` and `stream(window)` are what the engine says it needs to decode frames of such a window that are
    /// held whole, and as they are read: [`Engine::whole_memory`](crate::engine::Engine::whole_memory) and
    /// [`Engine::memory`](crate::engine::Engine::memory). Half an input is for the one buffer that may be moved while it
    /// grows. Where there are fewer slots than workers, they count instead. A second opinion adds what its engine needs and an
    /// output for each worker. Dictionaries come on top: their size, once for each engine and once more.
    #[must_use]
    pub fn peak_memory(&self) -> u64 {
        self.peak_memory_of(1)
    }

    /// As [`peak_memory`](Self::peak_memory), for so many readers at the same time that share their slots: they hold one frame
    /// each, and one more for each slot. What the slots keep for later comes on top where other readers left it ([`Slots`]).
    #[must_use]
    pub fn peak_memory_of(&self, readers: usize) -> u64 {
        let (readers, workers) = (readers as u64, self.workers.get() as u64);
        let engines = self.engines();
        let whole = engines.iter().map(|engine| engine.whole_memory(self.bounds.window)).fold(0, u64::saturating_add);
        let stream = engines.iter().map(|engine| engine.memory(self.limits.window)).fold(0, u64::saturating_add);
        let compared = if self.second_opinion.is_some() { self.bounds.output } else { 0 };
        let dictionaries: u64 = self.dictionaries.iter().map(|dictionary| dictionary.bytes().len() as u64).sum();
        let copies = (engines.len() as u64).saturating_mul(workers.saturating_add(1)).saturating_add(1);

        let frame = self.bounds.input.saturating_add(self.bounds.output);
        let frames = readers.saturating_add(readers.saturating_mul(workers).min(self.slots.count() as u64));
        let worker = whole.saturating_add(compared).saturating_add(WORKER_MEMORY);
        let reader = (self.bounds.input / 2)
            .saturating_add(worker.saturating_mul(workers))
            .saturating_add(stream)
            .saturating_add(compared)
            .saturating_add(dictionaries.saturating_mul(copies))
            .saturating_add(FIXED_MEMORY);
        frame.saturating_mul(frames).saturating_add(reader.saturating_mul(readers))
    }

    fn engines(&self) -> Vec<Box<dyn Engine>> {
        let second = self.second_opinion.iter();
        std::iter::once(&self.engine).chain(second).map(EngineChoice::make).collect()
    }

    /// The ids of the dictionaries at hand.
    pub(crate) fn dictionary_ids(&self) -> Vec<u32> {
        self.dictionaries.iter().filter_map(Dictionary::id).collect()
    }

    pub(crate) fn dictionaries_at_hand(&self) -> AtHand {
        AtHand(self.dictionaries.clone())
    }
}
