//! The splitter's thread.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, sync_channel};
use std::sync::{Arc, Mutex};

use zvet_core::Frame;

use super::outbox::{Attended, BATCH_CONTENT, Outbox};
use super::serial::Serial;
use super::whole::Decoding;
use super::{Gone, Item, Job, Slot, is_undecided, lock};
use crate::engine::Guarded;
use crate::error::Error;
use crate::settings::Settings;
use crate::source::Source;
use crate::split::{Piece, Splitter};

/// Splits the stream, and decodes what does not go to a worker: small frames, and those that do not fit a slot.
#[derive(Debug)]
pub(crate) struct Splitting<S> {
    pub(super) splitter: Splitter<Attended<S>>,
    pub(super) step_over: bool,
    pub(super) settings: Arc<Settings>,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) slots: Receiver<Slot>,
    pub(super) chunks: Receiver<Vec<u8>>,
    pub(super) to_workers: Sender<Job>,
    pub(super) outbox: Arc<Mutex<Outbox>>,
}

impl<S: Source> Splitting<S> {
    /// Splits to the end of the stream, or until nobody wants more.
    pub(crate) fn run(mut self) {
        // Gone means that the consumer stopped, and has nobody to tell.
        let _ = self.split();
    }

    fn split(&mut self) -> Result<(), Gone> {
        let mut engine = Guarded::new(&self.settings);
        let mut small = Vec::new();
        let mut slot = self.free_slot()?;
        loop {
            let item = match self.splitter.next_piece() {
                Ok(Some(Piece::Whole(whole))) if is_small(&whole.frame) => {
                    let (frame, proof) = (whole.frame, whole.proof);
                    let decoding = Decoding { settings: &self.settings, stop: &self.stop };
                    let result = decoding.run(&mut engine, &frame, whole.bytes, &mut small);
                    Item::Small { frame, proof, result: result.map(|size| small[..size].to_vec()) }
                }
                Ok(Some(Piece::Whole(whole))) => {
                    let (frame, proof) = (whole.frame, whole.proof);
                    slot.input = std::mem::take(whole.bytes);
                    let (reply, decoded) = sync_channel(1);
                    self.to_workers.send(Job { frame, slot, reply }).map_err(|_| Gone)?;
                    lock(&self.outbox).put(Item::Whole { frame, proof, decoded })?;
                    slot = self.free_slot()?;
                    continue;
                }
                Ok(Some(Piece::Serial(serial))) => {
                    let (to_consumer, chunks) = sync_channel(1);
                    lock(&self.outbox).put(Item::Serial { chunks })?;
                    let decoding =
                        Serial { chunks: &self.chunks, to_consumer, stop: &self.stop, step_over: self.step_over };
                    match decoding.run(serial, &mut engine)? {
                        Some(error) if !(self.step_over && is_undecided(&error)) => return Ok(()),
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

    fn end(&self, result: Result<(), Error>) -> Item {
        Item::End { result, unfinished: self.splitter.unfinished(), offset: self.splitter.offset() }
    }

    fn free_slot(&mut self) -> Result<Slot, Gone> {
        let mut slot = self.slots.recv().map_err(|_| Gone)?;
        self.splitter.lend(std::mem::take(&mut slot.input));
        Ok(slot)
    }
}

/// Whether decoding the frame takes less than handing it to a worker.
fn is_small(frame: &Frame) -> bool {
    const INPUT: u64 = 2 << 10;
    frame.compressed_size <= INPUT && frame.decoded_size().high <= BATCH_CONTENT as u64
}
