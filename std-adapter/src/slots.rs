//! Decode slots: what the readers of a process share, so that many of them take no more memory than a few.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use zvet_core::Bounds;

use crate::engine::{Engine, EngineChoice, Pair};

/// Slots for frames that are decoded beside others, shared by all readers that are given clones of it.
///
/// A reader has one slot of its own, so that it always makes progress, and takes from these as long as there are some, up to as
/// many as it has workers. So `n` readers hold at most `n + count` frames, however many workers each has. What a frame is held
/// in and what decodes it is kept for the next one, of whichever reader: warm, a frame costs no allocation that grows with it.
///
/// What is kept while nobody decodes is at most one more than `count` buffers for input, as many for output, none larger than
/// [`KEPT_MAX`](Self::KEPT_MAX), and `count` engines with their tables, a megabyte or three each, without windows or
/// dictionaries; [`trim`](Self::trim) lets go of it.
#[derive(Clone)]
pub struct Slots(Arc<Shared>);

struct Shared {
    count: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    in_use: usize,
    inputs: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
    engines: Vec<KeptEngine>,
}

struct KeptEngine {
    choice: EngineChoice,
    second_opinion: Option<EngineChoice>,
    engine: Box<dyn Engine>,
}

impl Slots {
    /// The largest buffer that is kept for later, in bytes: as large as the default bounds.
    pub const KEPT_MAX: usize = 16 << 20;

    /// So many slots. With none, each reader has its own one.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self(Arc::new(Shared { count, state: Mutex::default() }))
    }

    /// The slots that all readers of the process share unless they are given others: as many as there are cores.
    #[must_use]
    pub fn of_process() -> Self {
        static OF_PROCESS: OnceLock<Slots> = OnceLock::new();
        OF_PROCESS.get_or_init(|| Self::new(thread::available_parallelism().map_or(1, NonZeroUsize::get))).clone()
    }

    /// How many slots there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.count
    }

    /// How many of them hold a frame.
    #[must_use]
    pub fn in_use(&self) -> usize {
        self.state().in_use
    }

    /// Lets go of what is kept for later.
    pub fn trim(&self) {
        let kept = {
            let State { inputs, outputs, engines, .. } = &mut *self.state();
            (std::mem::take(inputs), std::mem::take(outputs), std::mem::take(engines))
        };
        // Others need not wait for that.
        drop(kept);
    }

    /// A slot of the reader's own.
    pub(crate) fn own(&self, bounds: &Bounds) -> Slot {
        self.slot(&mut self.state(), bounds, false)
    }

    /// One of the shared slots, if one is free.
    pub(crate) fn take(&self, bounds: &Bounds) -> Option<Slot> {
        let state = &mut *self.state();
        if state.in_use >= self.0.count {
            return None;
        }
        state.in_use += 1;
        Some(self.slot(state, bounds, true))
    }

    fn slot(&self, state: &mut State, bounds: &Bounds, shared: bool) -> Slot {
        let input = fitting(&mut state.inputs, bounds.input);
        let output = fitting(&mut state.outputs, bounds.output);
        Slot { input, output, shared, slots: self.clone() }
    }

    /// An engine that was kept, or a new one.
    pub(crate) fn engine(&self, choice: &EngineChoice, second_opinion: Option<&EngineChoice>) -> Box<dyn Engine> {
        let kept = {
            let engines = &mut self.state().engines;
            engines.iter().position(|kept| kept.is_of(choice, second_opinion)).map(|at| engines.remove(at))
        };
        if let Some(kept) = kept {
            return kept.engine;
        }
        match second_opinion {
            Some(second) => Box::new(Pair::new(choice.make(), second.make())),
            None => choice.make(),
        }
    }

    /// Keeps an engine that did not fail, without what is large in it. Where there are enough, the oldest one goes.
    pub(crate) fn keep_engine(
        &self,
        choice: &EngineChoice,
        second_opinion: Option<&EngineChoice>,
        mut engine: Box<dyn Engine>,
    ) {
        if self.0.count == 0 {
            return;
        }
        engine.let_go();
        let (choice, second_opinion) = (choice.clone(), second_opinion.cloned());
        let oldest = {
            let engines = &mut self.state().engines;
            engines.push(KeptEngine { choice, second_opinion, engine });
            (engines.len() > self.0.count).then(|| engines.remove(0))
        };
        drop(oldest);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptEngine {
    fn is_of(&self, choice: &EngineChoice, second_opinion: Option<&EngineChoice>) -> bool {
        self.choice.is_same(choice)
            && match (&self.second_opinion, second_opinion) {
                (None, None) => true,
                (Some(one), Some(other)) => one.is_same(other),
                _ => false,
            }
    }
}

/// A kept buffer that is no larger than a reader may hold, or none yet.
fn fitting(buffers: &mut Vec<Vec<u8>>, bound: u64) -> Vec<u8> {
    let fits = |buffer: &Vec<u8>| buffer.capacity() as u64 <= bound;
    buffers.iter().rposition(fits).map_or_else(Vec::new, |at| buffers.swap_remove(at))
}

/// [`Slots::of_process`].
impl Default for Slots {
    fn default() -> Self {
        Self::of_process()
    }
}

impl fmt::Debug for Slots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots").field("count", &self.count()).field("in_use", &self.in_use()).finish_non_exhaustive()
    }
}

/// Room for one frame.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) input: Vec<u8>,
    /// Its length is that of the largest output so far, so that it is zeroed only once.
    pub(crate) output: Vec<u8>,
    shared: bool,
    slots: Slots,
}

impl Slot {
    /// Whether other readers wait for it.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared
    }
}

/// Gives its buffers, and itself where it is shared, to whoever comes next.
impl Drop for Slot {
    fn drop(&mut self) {
        let (input, output) = (std::mem::take(&mut self.input), std::mem::take(&mut self.output));
        let kept_max = self.slots.count() + 1;
        let mut rest = [Vec::new(), Vec::new()];
        {
            let State { in_use, inputs, outputs, .. } = &mut *self.slots.state();
            *in_use -= usize::from(self.shared);
            for ((buffer, kept), rest) in [(input, inputs), (output, outputs)].into_iter().zip(&mut rest) {
                if (1..=Slots::KEPT_MAX).contains(&buffer.capacity()) && kept.len() < kept_max {
                    kept.push(buffer);
                } else {
                    *rest = buffer;
                }
            }
        }
        // Others need not wait for that.
        drop(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::{Bounds, Slots};
    use crate::decode::ParallelReader;
    use crate::engine::EngineChoice;
    use crate::settings::Settings;

    #[test]
    fn no_more_slots_are_taken_than_there_are_and_all_come_back() {
        let slots = Slots::new(2);
        let own = slots.own(&Bounds::SNAPSHOT);
        let taken: Vec<_> = (0..3).filter_map(|_| slots.take(&Bounds::SNAPSHOT)).collect();
        assert_eq!((taken.len(), slots.in_use()), (2, 2));
        drop(own);
        assert_eq!(slots.in_use(), 2);
        drop(taken);
        assert_eq!(slots.in_use(), 0);
        assert!(slots.take(&Bounds::SNAPSHOT).is_some());
    }

    #[test]
    fn a_buffer_serves_the_next_frame_unless_it_is_larger_than_its_reader_may_hold() {
        let slots = Slots::new(1);
        let mut slot = slots.own(&Bounds::SNAPSHOT);
        slot.input = Vec::with_capacity(1 << 20);
        slot.output = vec![0; Slots::KEPT_MAX + 1];
        drop(slot);
        assert_eq!(slots.own(&Bounds::EMBEDDED).input.capacity(), 0);
        let slot = slots.own(&Bounds::SNAPSHOT);
        assert_eq!((slot.input.capacity(), slot.output.capacity()), (1 << 20, 0));
        drop(slot);
        slots.trim();
        assert_eq!(slots.own(&Bounds::SNAPSHOT).input.capacity(), 0);
    }

    #[test]
    fn what_a_reader_read_its_frames_into_serves_the_next_reader() {
        const SIZE: u32 = 100_000;
        let mut stream = b"\x28\xb5\x2f\xfd\xa0".to_vec();
        stream.extend(SIZE.to_le_bytes());
        stream.extend_from_slice(&(SIZE << 3 | 1).to_le_bytes()[..3]);
        stream.resize(stream.len() + SIZE as usize, 7);
        // Without shared ones, it is the reader's own slot that comes back.
        for (count, cut) in [(0, 0), (0, 1), (2, 0)] {
            let settings = Settings { workers: 1.try_into().unwrap(), slots: Slots::new(count), ..Settings::default() };
            let input = std::io::Cursor::new(stream[..stream.len() - cut].to_vec());
            let reader = ParallelReader::with_settings(crate::source::Stream::new(input), &settings).unwrap();
            assert_eq!(reader.finish().is_ok(), cut == 0);
            let largest = settings.slots.state().inputs.iter().map(Vec::capacity).max();
            assert!(largest >= Some(stream.len()), "{count} slots, {cut} bytes missing: {largest:?}");
        }
    }

    #[test]
    fn engines_are_kept_for_the_same_choice_and_no_more_than_there_are_slots() {
        let slots = Slots::new(1);
        let (one, other) = (EngineChoice::ruzstd(), EngineChoice::custom(crate::engine::Ruzstd::new));
        let engines = [slots.engine(&one, None), slots.engine(&one, None)];
        for engine in engines {
            slots.keep_engine(&one, None, engine);
        }
        let kept = || slots.state().engines.len();
        assert_eq!(kept(), 1);
        drop(slots.engine(&other, None));
        drop(slots.engine(&one, Some(&other)));
        assert_eq!(kept(), 1, "it is of another choice");
        drop(slots.engine(&one, None));
        assert_eq!(kept(), 0);
    }
}
