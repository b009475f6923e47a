//! The consumer's end: output in the order of the stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use zvet_core::{Budget, Decode, Frame, Proof, SizeRange};

use super::outbox::Batch;
use super::{Chunk, Decoded, Item, Returned, is_undecided};
use crate::error::Error;
use crate::report::{FrameReport, Report, Tally, Totals, ZstandardReport, classify};
use crate::settings::Settings;
use crate::slots::Slot;

/// What the consumer is taking output from.
#[derive(Debug)]
pub(super) enum Current {
    Nothing,
    Whole {
        slot: Slot,
        taken: usize,
        size: usize,
    },
    /// The content of the batch up to there.
    Small {
        end: usize,
    },
    Serial {
        chunks: Receiver<Chunk>,
        bytes: Vec<u8>,
        taken: usize,
        filled: usize,
    },
}

/// The consumer's end: output in the order of the stream.
#[derive(Debug)]
pub(crate) struct Consumer {
    pub(super) batches: Receiver<Batch>,
    pub(super) batch: Batch,
    pub(super) free_batches: Sender<Batch>,
    pub(super) returned: Sender<Returned>,
    pub(super) free_chunks: Sender<Vec<u8>>,
    pub(super) current: Current,
    pub(super) budget: Budget,
    pub(super) tally: Tally,
    pub(super) settings: Arc<Settings>,
    pub(super) dictionary_ids: Vec<u32>,
    pub(super) step_over: bool,
    pub(super) failed: Option<Error>,
    pub(super) ended: bool,
    pub(super) size: u64,
    pub(super) stop: Arc<AtomicBool>,
}

/// What [`Consumer::fill`] came to.
#[derive(Debug)]
pub(crate) enum Filled {
    /// There is output.
    Output,
    /// The stream is at its end, and complete.
    End,
    /// A thread of the pipeline is gone that should not be: it panicked.
    Lost,
}

impl Consumer {
    /// Output that is there to be taken.
    pub(crate) fn output(&self) -> &[u8] {
        match &self.current {
            Current::Nothing => &[],
            Current::Whole { slot, taken, size } => &slot.output[*taken..*size],
            Current::Small { end } => &self.batch.content[self.batch.taken..*end],
            Current::Serial { bytes, taken, filled, .. } => &bytes[*taken..*filled],
        }
    }

    /// Where in the content the output begins: after all that was taken, or written to its place.
    pub(crate) fn place(&self) -> u64 {
        self.budget.output() - self.output().len() as u64
    }

    /// Takes output.
    pub(crate) fn consume(&mut self, n: usize) {
        match &mut self.current {
            Current::Nothing => {}
            Current::Whole { taken, size, .. } => *taken = (*taken + n).min(*size),
            Current::Small { end } => self.batch.taken = (self.batch.taken + n).min(*end),
            Current::Serial { taken, filled, .. } => *taken = (*taken + n).min(*filled),
        }
    }

    /// Sees to it that there is output, waiting for it if need be. Frames are told to `observe` as their end is known.
    pub(crate) fn fill(&mut self, observe: &mut dyn FnMut(&FrameReport)) -> Result<Filled, Error> {
        while self.output().is_empty() {
            if let Some(error) = &self.failed {
                return Err(error.clone());
            }
            if self.ended {
                return Ok(Filled::End);
            }
            let more = match self.advance(observe) {
                Ok(more) => more,
                Err(error) => return Err(self.fail(error)),
            };
            if !matches!(more, Filled::Output) {
                return Ok(more);
            }
        }
        Ok(Filled::Output)
    }

    pub(crate) fn totals(&self) -> Totals {
        self.tally.totals()
    }

    /// The report on the stream, if it came to its end or to an error. Closes this end: the other threads find it gone.
    pub(crate) fn report(self) -> Option<Report> {
        (self.ended || self.failed.is_some()).then(|| self.tally.finish(self.size))
    }

    /// Asks the other threads to stop at their next turn.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(crate) fn fail(&mut self, error: Error) -> Error {
        self.stop();
        self.tally.error(error.clone());
        self.failed = Some(error.clone());
        error
    }

    /// Goes one item on; there may or may not be output then.
    fn advance(&mut self, observe: &mut dyn FnMut(&FrameReport)) -> Result<Filled, Error> {
        match std::mem::replace(&mut self.current, Current::Nothing) {
            Current::Nothing | Current::Small { .. } => {}
            Current::Whole { slot, .. } => {
                let returned = if slot.is_shared() {
                    drop(slot);
                    Returned::Shared
                } else {
                    Returned::Own(slot)
                };
                // The splitter may be gone at the end of the stream.
                let _ = self.returned.send(returned);
            }
            Current::Serial { chunks, bytes, .. } => {
                let _ = self.free_chunks.send(bytes);
                return self.next_chunk(chunks, observe);
            }
        }
        let Some(item) = self.next_item() else { return Ok(Filled::Lost) };
        match item {
            Item::Whole { frame, proof, decoded } => {
                let Ok(Decoded { slot, result, placed }) = decoded.recv() else { return Ok(Filled::Lost) };
                self.size = frame.offset + frame.compressed_size;
                self.observe_whole(&frame, proof, result.as_ref().ok().copied(), observe);
                let size = match result {
                    Ok(size) => size,
                    Err(error) => {
                        // The slot goes back.
                        self.current = Current::Whole { slot, taken: 0, size: 0 };
                        return self.step_over(error);
                    }
                };
                self.budget.spend(frame.location(), size as u64, self.size)?;
                self.current = Current::Whole { slot, taken: if placed { size } else { 0 }, size };
            }
            Item::Small { frame, proof, result } => {
                self.size = frame.offset + frame.compressed_size;
                self.observe_whole(&frame, proof, result.as_ref().ok().copied(), observe);
                let size = match result {
                    Ok(size) => size,
                    Err(error) => return self.step_over(error),
                };
                self.budget.spend(frame.location(), size as u64, self.size)?;
                self.current = Current::Small { end: self.batch.taken + size };
            }
            Item::Serial { chunks } => return self.next_chunk(chunks, observe),
            Item::Skippable(frame) => {
                self.size = frame.offset + frame.compressed_size();
                self.observe(&FrameReport::complete_skippable(frame), observe);
            }
            Item::SteppedOver(frame, error) => {
                self.size = frame.offset + frame.compressed_size;
                let decode = classify(&self.settings.bounds, &self.dictionary_ids, &frame);
                self.observe(&FrameReport::Zstandard(ZstandardReport::complete(frame, decode)), observe);
                if !self.step_over {
                    return Err(error.into());
                }
                self.tally.error(error.into());
            }
            Item::End { result, unfinished, offset } => {
                self.size = offset;
                if let Some(report) = unfinished {
                    self.observe(&report, observe);
                }
                self.ended = true;
                return result.map(|()| Filled::End);
            }
        }
        Ok(Filled::Output)
    }

    /// The next item in the order of the stream; `None` when the splitter is gone.
    fn next_item(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.batch.items.pop_front() {
                return Some(item);
            }
            let mut done = std::mem::replace(&mut self.batch, self.batches.recv().ok()?);
            done.content.clear();
            done.taken = 0;
            // The splitter may be gone at the end of the stream.
            let _ = self.free_batches.send(done);
        }
    }

    fn next_chunk(&mut self, chunks: Receiver<Chunk>, observe: &mut dyn FnMut(&FrameReport)) -> Result<Filled, Error> {
        match chunks.recv() {
            Ok(Chunk::Output { bytes, filled, frame, offset }) => {
                self.size = offset;
                self.budget.spend(frame.location(), filled as u64, offset)?;
                self.current = Current::Serial { chunks, bytes, taken: 0, filled };
                Ok(Filled::Output)
            }
            Ok(Chunk::End { frame, complete, reason, result, offset }) => {
                self.size = offset;
                let mut report = if complete {
                    // Of several reasons, the one that a walk through the whole frame would give.
                    let decode = classify(&self.settings.bounds, &self.dictionary_ids, &frame);
                    ZstandardReport::complete(frame, decode)
                } else {
                    let decode = match reason {
                        Some(reason) => Decode::Serial(reason),
                        None => classify(&self.settings.bounds, &self.dictionary_ids, &frame),
                    };
                    ZstandardReport::incomplete(frame, offset, decode)
                };
                if let Ok(size) = result {
                    report.decoded_size = SizeRange::exactly(size);
                }
                self.observe(&FrameReport::Zstandard(report), observe);
                match result {
                    Ok(_) => Ok(Filled::Output),
                    Err(error) => self.step_over(error),
                }
            }
            Err(_) => Ok(Filled::Lost),
        }
    }

    /// Goes on after an error that leaves open whether the stream is valid, if that is wanted.
    fn step_over(&mut self, error: Error) -> Result<Filled, Error> {
        if self.step_over && is_undecided(&error) {
            self.tally.error(error);
            Ok(Filled::Output)
        } else {
            Err(error)
        }
    }

    /// Tells of a frame that was held whole, with the size of its content if it was decoded.
    fn observe_whole(
        &mut self,
        frame: &Frame,
        proof: Proof,
        size: Option<usize>,
        observe: &mut dyn FnMut(&FrameReport),
    ) {
        let mut report = ZstandardReport::complete(*frame, Decode::Parallel(proof));
        if let Some(size) = size {
            report.decoded_size = SizeRange::exactly(size as u64);
        }
        self.observe(&FrameReport::Zstandard(report), observe);
    }

    fn observe(&mut self, report: &FrameReport, observe: &mut dyn FnMut(&FrameReport)) {
        self.tally.frame(report);
        observe(report);
    }
}

/// Whoever takes no more wants no more done.
impl Drop for Consumer {
    fn drop(&mut self) {
        self.stop();
    }
}
