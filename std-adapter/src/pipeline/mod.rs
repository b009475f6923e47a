//! The pipeline under the reader and the verifier: one thread splits, workers decode, the consumer takes frames in order.
//!
//! A frame is held in a slot, from the first byte read of it to the last byte of its output taken, and there is one slot
//! more than there are workers. (Small frames cost less than handing them over: the splitter decodes them itself, and
//! hands them on in batches.) Splitter, workers and consumer hand slots round, so none is ever made anew, and the
//! splitter waits while all are in use. A frame that does not fit a slot is decoded on the splitter's thread, chunk by
//! chunk; nothing is split meanwhile, and after it the workers go on.
//!
//! Whoever goes away closes its channels, and the others leave at their next turn: at the latest after the read or the
//! block that they are in.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zvet_core::{Budget, Class, Frame, Proof, Reason, Skippable};

use crate::error::{EngineFaultKind, Error};
use crate::report::{FrameReport, Tally};
use crate::settings::Settings;
use crate::source::Source;
use crate::split::Splitter;

mod consumer;
mod outbox;
mod serial;
mod splitting;
mod whole;

pub(crate) use consumer::{Consumer, Filled};
use outbox::{Attended, Outbox};
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
    /// `step_over` is for verifying: frames that must not be decoded are walked over instead of ending the stream.
    pub(crate) fn new(source: S, settings: &Settings, tally: Tally, step_over: bool) -> Self {
        let workers = settings.workers.get();
        let stop = Arc::new(AtomicBool::new(false));
        let settings = Arc::new(settings.clone());
        let (free_slots, slots) = channel();
        for _ in 0..=workers {
            free_slots.send(Slot::default()).expect("the other end is in this function");
        }
        let (free_chunks, chunks) = channel();
        for _ in 0..serial::CHUNKS {
            free_chunks.send(Vec::new()).expect("the other end is in this function");
        }
        let (to_workers, jobs) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        // With the frame that is read and the one that is taken, that makes one more than there are workers.
        let (to_consumer, items) = sync_channel(workers - 1);
        let outbox = Arc::new(Mutex::new(Outbox { items: Vec::new(), content: 0, to_consumer }));
        let attended = Attended { source, stop: Arc::clone(&stop), outbox: Arc::clone(&outbox) };
        let splitter = Splitter::new(attended, &settings);
        let splitting = Splitting {
            splitter: if step_over { splitter.stepping_over() } else { splitter },
            step_over,
            settings: Arc::clone(&settings),
            stop: Arc::clone(&stop),
            slots,
            chunks,
            to_workers,
            outbox,
        };
        let working = (0..workers)
            .map(|_| Working { jobs: Arc::clone(&jobs), settings: Arc::clone(&settings), stop: Arc::clone(&stop) })
            .collect();
        let consumer = Consumer {
            batches: items,
            batch: Vec::new().into_iter(),
            free_slots,
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

/// Room for one frame.
#[derive(Debug, Default)]
struct Slot {
    input: Vec<u8>,
    /// Its length is that of the largest output so far, so that it is zeroed only once.
    output: Vec<u8>,
}

/// A frame for a worker.
#[derive(Debug)]
struct Job {
    frame: Frame,
    slot: Slot,
    reply: SyncSender<Decoded>,
}

/// What a worker made of it: how much output is in the slot.
#[derive(Debug)]
struct Decoded {
    slot: Slot,
    result: Result<usize, Error>,
}

/// What the splitter tells the consumer, in the order of the stream.
#[derive(Debug)]
enum Item {
    Whole {
        frame: Frame,
        proof: Proof,
        decoded: Receiver<Decoded>,
    },
    /// A small frame, with its content.
    Small {
        frame: Frame,
        proof: Proof,
        result: Result<Vec<u8>, Error>,
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
    /// Output, and how much of the stream was read to make it.
    Output {
        bytes: Vec<u8>,
        frame: Frame,
        offset: u64,
    },
    End {
        frame: Frame,
        complete: bool,
        reason: Reason,
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
