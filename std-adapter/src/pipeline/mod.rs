//! The pipeline under the reader and the verifier: one thread splits, workers decode, the consumer takes frames in order.
//!
//! A frame is held in a slot, from the first byte read of it to the last byte of its output taken. There is one slot of the
//! pipeline's own, and as many more as there are workers, shared with the other pipelines of the process ([`crate::slots`]):
//! the splitter waits while none is free. (Small frames cost less than handing them over: the splitter decodes them itself,
//! and hands them on in batches.) A frame that does not fit a slot is decoded on the splitter's thread, chunk by chunk;
//! nothing is split meanwhile, and after it the workers go on.
//!
//! Where the content goes to a file, workers write frames whose place is known themselves ([`crate::placing`]).
//!
//! Whoever goes away closes its channels, and the others leave at their next turn: at the latest after the read or the
//! frame that they are in, or the block where a frame is decoded as it is read.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zvet_core::{Budget, Class, Frame, Proof, Reason, Skippable};

use crate::error::{EngineFaultKind, Error};
use crate::placing::Placing;
use crate::report::{FrameReport, Tally};
use crate::settings::Settings;
use crate::slots::Slot;
use crate::source::Source;
use crate::split::Splitter;

mod consumer;
mod outbox;
mod pace;
mod serial;
mod splitting;
mod whole;

pub(crate) use consumer::{Consumer, Filled};
use outbox::{Attended, Batch, Outbox};
use pace::Pace;
use splitting::Splitting;
use whole::Working;

/// The parts of a pipeline, each to be run on its own thread.
#[derive(Debug)]
pub(crate) struct Pipeline<S> {
    pub(crate) splitting: Splitting<S>,
    pub(crate) working: Vec<Working>,
    pub(crate) consumer: Consumer,
}

impl<S: Source> Pipeline<S> {
    /// `step_over` is for verifying: frames that must not be decoded are walked over instead of ending the stream. `placing`
    /// is the file that the content goes to, if it is one.
    pub(crate) fn new(
        source: S,
        settings: &Settings,
        tally: Tally,
        step_over: bool,
        placing: Option<&Arc<Placing>>,
    ) -> Self {
        let workers = settings.workers.get();
        let stop = Arc::new(AtomicBool::new(false));
        let pace = Arc::new(Pace::default());
        let settings = Arc::new(settings.clone());
        let (returned, slots) = channel();
        let (free_chunks, chunks) = channel();
        for _ in 0..serial::CHUNKS {
            free_chunks.send(Vec::new()).expect("the other end is in this function");
        }
        let (to_workers, jobs) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        // With the frame that is read and the one that is taken, that makes one more than there are workers.
        let (to_consumer, batches) = sync_channel(workers - 1);
        let (free_batches, batches_back) = channel();
        let outbox = Arc::new(Mutex::new(Outbox { batch: Batch::default(), free: batches_back, to_consumer }));
        let attended = Attended {
            source,
            stop: Arc::clone(&stop),
            outbox: Arc::clone(&outbox),
            pace: settings.adaptive.then(|| Arc::clone(&pace)),
        };
        let splitter = Splitter::new(attended, &settings);
        let splitting = Splitting {
            splitter: if step_over { splitter.stepping_over() } else { splitter },
            step_over,
            stop: Arc::clone(&stop),
            room: splitting::Room::new(slots, &settings),
            slot: None,
            place: placing.map(|_| 0),
            chunks,
            to_workers,
            outbox,
            pace: Arc::clone(&pace),
            settings: Arc::clone(&settings),
        };
        let working = (0..workers)
            .map(|_| Working {
                jobs: Arc::clone(&jobs),
                settings: Arc::clone(&settings),
                stop: Arc::clone(&stop),
                placing: placing.cloned(),
                pace: Arc::clone(&pace),
            })
            .collect();
        let consumer = Consumer {
            batches,
            batch: Batch::default(),
            free_batches,
            returned,
            free_chunks,
            current: consumer::Current::Nothing,
            budget: Budget::new(settings.limits),
            tally,
            dictionary_ids: settings.dictionary_ids(),
            settings,
            step_over,
            failed: None,
            ended: false,
            size: 0,
            stop,
        };
        Self { splitting, working, consumer }
    }
}

/// What became of a slot whose output was taken.
#[derive(Debug)]
enum Returned {
    /// It is the pipeline's own.
    Own(Slot),
    /// It is free for all.
    Shared,
}

/// A frame for a worker.
#[derive(Debug)]
struct Job {
    frame: Frame,
    slot: Slot,
    /// Where in the file its content goes, if it is known.
    place: Option<u64>,
    reply: SyncSender<Decoded>,
}

/// What a worker made of it: how much content is in the slot.
#[derive(Debug)]
struct Decoded {
    slot: Slot,
    result: Result<usize, Error>,
    /// The content was written to its place.
    placed: bool,
}

/// What the splitter tells the consumer, in the order of the stream.
#[derive(Debug)]
enum Item {
    Whole {
        frame: Frame,
        proof: Proof,
        decoded: Receiver<Decoded>,
    },
    /// A small frame. So much of the batch's content is its.
    Small {
        frame: Frame,
        proof: Proof,
        result: Result<usize, Error>,
    },
    Serial {
        chunks: Receiver<Chunk>,
    },
    Skippable(Skippable),
    SteppedOver(Frame, zvet_core::Error),
    End {
        result: Result<(), Error>,
        unfinished: Option<FrameReport>,
        offset: u64,
    },
}

/// A piece of a serial frame.
#[derive(Debug)]
enum Chunk {
    /// Output in the front of the bytes, and how much of the stream was read to make it.
    Output {
        bytes: Vec<u8>,
        filled: usize,
        frame: Frame,
        offset: u64,
    },
    End {
        frame: Frame,
        complete: bool,
        reason: Option<Reason>,
        result: Result<u64, Error>,
        offset: u64,
    },
}

/// The other side has gone: nobody wants the rest.
#[derive(Debug)]
struct Gone;

/// Whether an error is about one frame, and leaves open what the stream is: it takes a dictionary to tell, or another
/// engine.
fn is_undecided(error: &Error) -> bool {
    match error {
        Error::Engine(fault) => fault.kind == EngineFaultKind::Unsupported,
        error => error.class() == Some(Class::NeedsDictionary),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
