//! The splitter's thread.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use zvet_core::{Bounds, Frame};

use super::outbox::{Attended, BATCH_CONTENT, Outbox};
use super::pace::Pace;
use super::serial::Serial;
use super::{Gone, Item, Job, Returned, is_undecided, lock};
use crate::engine::Guarded;
use crate::error::Error;
use crate::settings::{Policy, Settings};
use crate::slots::{Slot, Slots};
use crate::source::Source;
use crate::split::{Piece, Splitter};

/// Splits the stream, and decodes what does not go to a worker: small frames, and those that do not fit a slot.
#[derive(Debug)]
pub(crate) struct Splitting<S> {
    pub(super) splitter: Splitter<Attended<S>>,
    pub(super) step_over: bool,
    pub(super) settings: Arc<Settings>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) room: Room,
    /// What the frame that is split is held in: its buffer for input is with the splitter.
    pub(super) slot: Option<Slot>,
    /// Where in the file the next content goes: `None` where it goes to none, or where that is known only later.
    pub(super) place: Option<u64>,
    pub(super) chunks: Receiver<Vec<u8>>,
    pub(super) to_workers: Sender<Job>,
    pub(super) outbox: Arc<Mutex<Outbox>>,
    pub(super) pace: Arc<Pace>,
}

impl<S: Source> Splitting<S> {
    /// Splits to the end of the stream, or until nobody wants more.
    pub(crate) fn run(mut self) {
        // Gone means that the consumer stopped, and has nobody to tell.
        let _ = self.split();
        if let Some(slot) = &mut self.slot {
            slot.input = self.splitter.take_back();
        }
    }

    fn split(&mut self) -> Result<(), Gone> {
        let mut engine = Guarded::new(&self.settings);
        let mut small = Vec::new();
        let mut streaming = self.settings.adaptive;
        let mut sticks = false;
        loop {
            if self.slot.is_none() {
                let own = self.room.own();
                if own.is_none() {
                    // Others may want a shared one while nothing comes in here.
                    self.splitter.await_input();
                }
                let mut slot = own.map_or_else(|| self.room.slot(), Ok)?;
                self.splitter.lend(std::mem::take(&mut slot.input));
                self.slot = Some(slot);
            }
            if self.settings.adaptive {
                streaming = self.pace.input_is_slow(streaming);
            }
            self.splitter.stream_all(streaming || sticks);
            let item = match self.splitter.next_piece() {
                Ok(Some(Piece::Whole(whole))) if is_small(&whole.frame) => {
                    let (frame, proof) = (whole.frame, whole.proof);
                    let started = Instant::now();
                    let result = engine.decode_whole(&frame, whole.bytes, &mut small, &self.stop);
                    self.pace.note_decoded(frame.compressed_size, started.elapsed());
                    self.pace.note_read(frame.compressed_size);
                    self.advance(result.as_ref().ok().map(|&size| size as u64));
                    if let Ok(size) = result {
                        lock(&self.outbox).put_content(&small[..size]);
                    }
                    Item::Small { frame, proof, result }
                }
                Ok(Some(Piece::Whole(whole))) => {
                    let (frame, proof) = (whole.frame, whole.proof);
                    let mut slot = self.slot.take().expect("there is one for every frame");
                    slot.input = std::mem::take(whole.bytes);
                    let (reply, decoded) = sync_channel(1);
                    self.pace.note_read(frame.compressed_size);
                    self.to_workers.send(Job { frame, slot, place: self.place, reply }).map_err(|_| Gone)?;
                    self.advance(frame.decoded_size().exact());
                    lock(&self.outbox).put(Item::Whole { frame, proof, decoded })?;
                    continue;
                }
                Ok(Some(Piece::Serial(serial))) => {
                    // One that is decoded as it is read by choice may well have fit.
                    sticks |= self.settings.policy == Policy::Sticky && serial.reason().is_some();
                    let (to_consumer, chunks) = sync_channel(1);
                    lock(&self.outbox).put(Item::Serial { chunks })?;
                    let decoding =
                        Serial { chunks: &self.chunks, to_consumer, stop: &self.stop, step_over: self.step_over };
                    let (started, waited) = (Instant::now(), self.pace.reading_time());
                    let ended = decoding.run(serial, &mut engine)?;
                    let waited = self.pace.reading_time().saturating_sub(waited);
                    self.pace.note_decoded(ended.input, started.elapsed().saturating_sub(waited));
                    self.pace.note_read(ended.input);
                    self.advance(ended.result.as_ref().ok().copied());
                    match ended.result {
                        Err(error) if !(self.step_over && is_undecided(&error)) => return Ok(()),
                        _ => continue,
                    }
                }
                Ok(Some(Piece::Skippable(frame))) => Item::Skippable(frame),
                Ok(Some(Piece::SteppedOver(frame, error))) => Item::SteppedOver(frame, error),
                Ok(None) => self.end(Ok(())),
                Err(error) => self.end(Err(error)),
            };
            let last = match &item {
                Item::End { .. } => true,
                Item::Small { result: Err(error), .. } => !(self.step_over && is_undecided(error)),
                _ => false,
            };
            lock(&self.outbox).put(item)?;
            if last {
                return Ok(());
            }
        }
    }

    /// Goes on to the place after content of this size, if it is known.
    fn advance(&mut self, size: Option<u64>) {
        self.place = self.place.and_then(|place| place.checked_add(size?));
    }

    fn end(&self, result: Result<(), Error>) -> Item {
        Item::End { result, unfinished: self.splitter.unfinished(), offset: self.splitter.offset() }
    }
}

/// The slots that frames of this pipeline may be held in.
#[derive(Debug)]
pub(super) struct Room {
    own: Option<Slot>,
    returned: Receiver<Returned>,
    shared: Slots,
    /// How many of the shared ones are in use here, and may be.
    taken: usize,
    workers: usize,
    bounds: Bounds,
}

impl Room {
    pub(super) fn new(returned: Receiver<Returned>, settings: &Settings) -> Self {
        Self {
            own: Some(settings.slots.own(&settings.bounds)),
            returned,
            shared: settings.slots.clone(),
            taken: 0,
            workers: settings.workers.get(),
            bounds: settings.bounds,
        }
    }

    /// The pipeline's own slot, if it is free.
    fn own(&mut self) -> Option<Slot> {
        while let Ok(returned) = self.returned.try_recv() {
            self.take_back(returned);
        }
        self.own.take()
    }

    /// A free slot: the pipeline's own, or one of those that are shared. Where there is none it waits for one that it handed out:
    /// its own one is among them.
    fn slot(&mut self) -> Result<Slot, Gone> {
        loop {
            if let Some(own) = self.own() {
                return Ok(own);
            }
            if self.taken < self.workers
                && let Some(slot) = self.shared.take(&self.bounds)
            {
                self.taken += 1;
                return Ok(slot);
            }
            let returned = self.returned.recv().map_err(|_| Gone)?;
            self.take_back(returned);
        }
    }

    fn take_back(&mut self, returned: Returned) {
        match returned {
            Returned::Own(slot) => self.own = Some(slot),
            Returned::Shared => self.taken -= 1,
        }
    }
}

/// Whether decoding the frame takes less than handing it to a worker.
fn is_small(frame: &Frame) -> bool {
    const INPUT: u64 = 2 << 10;
    frame.compressed_size <= INPUT && frame.decoded_size().high <= BATCH_CONTENT as u64
}
