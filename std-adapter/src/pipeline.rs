//! The pipeline under the reader and the verifier: one thread splits, workers decode, the consumer takes frames in order.
//!
//! A frame is held in a slot, from the first byte read of it to the last byte of its output taken, and there is one slot
//! more than there are workers. Splitter, workers and consumer hand slots round, so none is ever made anew, and the
//! splitter waits while all are in use. A frame that does not fit a slot is decoded on the splitter's thread, chunk by
//! chunk; nothing is split meanwhile, and after it the workers go on.
//!
//! Whoever goes away closes its channels, and the others leave at their next turn: at the latest after the read or the
//! block that they are in.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use zvet_core::{Budget, Class, Decode, ErrorKind, Frame, Proof, Reason, SizeRange, Skippable};

use crate::content::Content;
use crate::dictionary::Dictionary;
use crate::engine::Guarded;
use crate::error::Error;
use crate::report::{FrameReport, Report, Tally, ZstandardReport, classify};
use crate::settings::Settings;
use crate::source::Source;
use crate::split::{Piece, SerialFrame, Splitter, reserve_within};

/// Output of serial frames is handed on in pieces of this size.
const CHUNK_SIZE: usize = 256 << 10;
/// One is filled while the other is taken.
const CHUNKS: usize = 2;
/// What is looked at past the room of a frame, to know that there is nothing.
const PROBE_SIZE: usize = 1;

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
    Whole { frame: Frame, proof: Proof, decoded: Receiver<Decoded> },
    Serial { chunks: Receiver<Chunk>, reason: Reason },
    Skippable(Skippable),
    SteppedOver(Frame, zvet_core::Error),
    End { result: Result<(), Error>, unfinished: Option<FrameReport>, offset: u64 },
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
        result: Result<u64, Error>,
        offset: u64,
    },
}

/// A source whose reads fail once the pipeline is to stop.
#[derive(Debug)]
pub(crate) struct Stoppable<S> {
    source: S,
    stop: Arc<AtomicBool>,
}

/// Skipping may be reading, so it is done in pieces.
const SKIP_SIZE: u64 = 1 << 20;

impl<S> Stoppable<S> {
    fn go_on(&self) -> io::Result<()> {
        if self.stop.load(Ordering::Relaxed) { Err(io::Error::other("stopped")) } else { Ok(()) }
    }
}

impl<S: Source> Source for Stoppable<S> {
    fn fill(&mut self) -> io::Result<&[u8]> {
        self.go_on()?;
        self.source.fill()
    }

    fn consume(&mut self, n: usize) {
        self.source.consume(n);
    }

    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.go_on()?;
        self.source.read_some(buffer)
    }

    fn skip(&mut self, n: u64) -> io::Result<u64> {
        let mut skipped = 0;
        while skipped < n {
            self.go_on()?;
            let piece = (n - skipped).min(SKIP_SIZE);
            let there = self.source.skip(piece)?;
            skipped += there;
            if there < piece {
                break;
            }
        }
        Ok(skipped)
    }
}

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
        for _ in 0..CHUNKS {
            free_chunks.send(Vec::new()).expect("the other end is in this function");
        }
        let (to_workers, jobs) = channel();
        let jobs = Arc::new(Mutex::new(jobs));
        let (to_consumer, items) = sync_channel(workers + 1);
        let splitter = Splitter::new(Stoppable { source, stop: Arc::clone(&stop) }, &settings);
        let splitting = Splitting {
            splitter: if step_over { splitter.stepping_over() } else { splitter },
            step_over,
            settings: Arc::clone(&settings),
            stop: Arc::clone(&stop),
            slots,
            chunks,
            to_workers,
            to_consumer,
        };
        let working = (0..workers)
            .map(|_| Working { jobs: Arc::clone(&jobs), settings: Arc::clone(&settings), stop: Arc::clone(&stop) })
            .collect();
        let consumer = Consumer {
            items,
            free_slots,
            free_chunks,
            current: Current::Nothing,
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

/// The splitter's thread.
#[derive(Debug)]
pub(crate) struct Splitting<S> {
    splitter: Splitter<Stoppable<S>>,
    step_over: bool,
    settings: Arc<Settings>,
    stop: Arc<AtomicBool>,
    slots: Receiver<Slot>,
    chunks: Receiver<Vec<u8>>,
    to_workers: Sender<Job>,
    to_consumer: SyncSender<Item>,
}

/// The other side has gone: nobody wants the rest.
#[derive(Debug)]
struct Gone;

impl<S: Source> Splitting<S> {
    /// Splits to the end of the stream, or until nobody wants more.
    pub(crate) fn run(mut self) {
        // Gone means that the consumer stopped, and has nobody to tell.
        let _ = self.split();
    }

    fn split(&mut self) -> Result<(), Gone> {
        let mut engine = None;
        let mut slot = self.free_slot()?;
        loop {
            let item = match self.splitter.next_piece() {
                Ok(Some(Piece::Whole(whole))) => {
                    let (frame, proof) = (whole.frame, whole.proof);
                    slot.input = std::mem::take(whole.bytes);
                    let (reply, decoded) = sync_channel(1);
                    self.to_workers.send(Job { frame, slot, reply }).map_err(|_| Gone)?;
                    self.to_consumer.send(Item::Whole { frame, proof, decoded }).map_err(|_| Gone)?;
                    slot = self.free_slot()?;
                    continue;
                }
                Ok(Some(Piece::Serial(serial))) => {
                    let (to_consumer, chunks) = sync_channel(1);
                    let item = Item::Serial { chunks, reason: serial.reason() };
                    self.to_consumer.send(item).map_err(|_| Gone)?;
                    let engine = engine.get_or_insert_with(|| Guarded::new(self.settings.engine.maker()));
                    let decoding = Serial {
                        dictionary: self.settings.dictionary_for(&serial.frame().header),
                        chunks: &self.chunks,
                        to_consumer,
                        stop: &self.stop,
                    };
                    match decoding.run(serial, engine)? {
                        Some(error) if !(self.step_over && is_undecided(&error)) => return Ok(()),
                        _ => continue,
                    }
                }
                Ok(Some(Piece::Skippable(frame))) => Item::Skippable(frame),
                Ok(Some(Piece::SteppedOver(frame, error))) => Item::SteppedOver(frame, error),
                Ok(None) => self.end(Ok(())),
                Err(error) => self.end(Err(error)),
            };
            let end = matches!(item, Item::End { .. });
            self.to_consumer.send(item).map_err(|_| Gone)?;
            if end {
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

/// A serial frame on its way through an engine.
struct Serial<'a> {
    dictionary: Option<&'a Dictionary>,
    chunks: &'a Receiver<Vec<u8>>,
    to_consumer: SyncSender<Chunk>,
    stop: &'a AtomicBool,
}

impl Serial<'_> {
    /// Decodes the frame chunk by chunk, and returns the error that it ended with, if any.
    fn run<S: Source>(self, mut serial: SerialFrame<'_, S>, engine: &mut Guarded) -> Result<Option<Error>, Gone> {
        let result = self.decode(&mut serial, engine)?;
        // What reading the frame found wrong is the cause of what the engine then says.
        let result = serial.fault().map_or(result, Err);
        let result = result.and_then(|content| {
            let frame = serial.skip_to_end()?;
            content.finish(&frame)
        });
        let error = result.as_ref().err().cloned();
        let end = Chunk::End { frame: *serial.frame(), result, offset: serial.offset() };
        self.to_consumer.send(end).map_err(|_| Gone)?;
        Ok(error)
    }

    fn decode<S: Source>(
        &self,
        serial: &mut SerialFrame<'_, S>,
        engine: &mut Guarded,
    ) -> Result<Result<Content, Error>, Gone> {
        let begun = *serial.frame();
        let mut content = Content::of(&begun);
        // The walk is shared by the engine, which reads, and by this loop, which asks how far it is.
        let shared = std::cell::RefCell::new(serial);
        let mut input = SharedRead(&shared);
        let mut running = match engine.start(&begun, self.dictionary, &mut input) {
            Ok(running) => running,
            Err(error) => return Ok(Err(error)),
        };
        let mut done = false;
        while !done {
            let mut bytes = self.chunks.recv().map_err(|_| Gone)?;
            bytes.resize(CHUNK_SIZE, 0);
            let mut filled = 0;
            while !done && filled < CHUNK_SIZE {
                if self.stop.load(Ordering::Relaxed) {
                    return Err(Gone);
                }
                let progress = match running.decode(&mut bytes[filled..]) {
                    Ok(progress) => progress,
                    Err(error) => return Ok(Err(error)),
                };
                let new = filled..filled + progress.written;
                let high = shared.borrow().frame().content.high;
                if let Err(error) = content.take(&bytes[new], &begun, high, &running) {
                    return Ok(Err(error));
                }
                filled += progress.written;
                done = progress.done;
            }
            bytes.truncate(filled);
            let (frame, offset) = (*shared.borrow().frame(), shared.borrow().offset());
            self.to_consumer.send(Chunk::Output { bytes, frame, offset }).map_err(|_| Gone)?;
        }
        Ok(Ok(content))
    }
}

/// A reader that somebody else looks at between reads.
struct SharedRead<'a, R>(&'a std::cell::RefCell<R>);

impl<R: io::Read> io::Read for SharedRead<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.borrow_mut().read(buffer)
    }
}

/// A worker's thread.
#[derive(Debug)]
pub(crate) struct Working {
    jobs: Arc<Mutex<Receiver<Job>>>,
    settings: Arc<Settings>,
    stop: Arc<AtomicBool>,
}

impl Working {
    /// Decodes frames until there are no more.
    pub(crate) fn run(self) {
        let mut engine = Guarded::new(self.settings.engine.maker());
        loop {
            let job = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(Job { frame, mut slot, reply }) = job else { return };
            let result = self.decode(&mut engine, &frame, &mut slot);
            // Nobody waits for it where the consumer stopped.
            let _ = reply.send(Decoded { slot, result });
        }
    }

    fn decode(&self, engine: &mut Guarded, frame: &Frame, slot: &mut Slot) -> Result<usize, Error> {
        let high = frame.decoded_size().high;
        // Both proofs say that it fits the bound, so it fits a usize.
        let room = usize::try_from(high).unwrap_or(usize::MAX);
        if slot.output.len() < room {
            let more = room - slot.output.len();
            reserve_within(&mut slot.output, more, self.settings.bounds.output);
            slot.output.resize(room, 0);
        }
        let mut content = Content::of(frame);
        let mut input = &slot.input[..];
        let mut running = engine.start(frame, self.settings.dictionary_for(&frame.header), &mut input)?;
        let mut filled = 0;
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Error::read(frame.offset, io::Error::other("stopped")));
            }
            let mut probe = [0; PROBE_SIZE];
            let full = filled == room;
            let to = if full { &mut probe[..] } else { &mut slot.output[filled..room] };
            let progress = running.decode(to)?;
            content.take(&to[..progress.written], frame, high, &running)?;
            filled += progress.written;
            if progress.done {
                break;
            }
        }
        content.finish(frame)?;
        Ok(filled)
    }
}

/// What the consumer is taking output from.
#[derive(Debug)]
enum Current {
    Nothing,
    Whole { slot: Slot, taken: usize, size: usize },
    Serial { chunks: Receiver<Chunk>, reason: Reason, bytes: Vec<u8>, taken: usize },
}

/// The consumer's end: output in the order of the stream.
#[derive(Debug)]
pub(crate) struct Consumer {
    items: Receiver<Item>,
    free_slots: Sender<Slot>,
    free_chunks: Sender<Vec<u8>>,
    current: Current,
    budget: Budget,
    tally: Tally,
    settings: Arc<Settings>,
    dictionary_ids: Vec<u32>,
    step_over: bool,
    failed: Option<Error>,
    ended: bool,
    size: u64,
    stop: Arc<AtomicBool>,
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
            Current::Serial { bytes, taken, .. } => &bytes[*taken..],
        }
    }

    /// Takes output.
    pub(crate) fn consume(&mut self, n: usize) {
        match &mut self.current {
            Current::Nothing => {}
            Current::Whole { taken, size, .. } => *taken = (*taken + n).min(*size),
            Current::Serial { taken, bytes, .. } => *taken = (*taken + n).min(bytes.len()),
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
            Current::Nothing => {}
            Current::Whole { slot, .. } => {
                // The splitter may be gone at the end of the stream.
                let _ = self.free_slots.send(slot);
            }
            Current::Serial { chunks, reason, bytes, .. } => {
                let _ = self.free_chunks.send(bytes);
                return self.next_chunk(chunks, reason, observe);
            }
        }
        let Ok(item) = self.items.recv() else { return Ok(Filled::Lost) };
        match item {
            Item::Whole { frame, proof, decoded } => {
                let Ok(Decoded { slot, result }) = decoded.recv() else { return Ok(Filled::Lost) };
                self.size = frame.offset + frame.compressed_size;
                let mut report = ZstandardReport::complete(frame, Decode::Parallel(proof));
                if let Ok(size) = result {
                    report.decoded_size = SizeRange::exactly(size as u64);
                }
                self.observe(&FrameReport::Zstandard(report), observe);
                let size = match result {
                    Ok(size) => size,
                    Err(error) => {
                        // The slot goes back.
                        self.current = Current::Whole { slot, taken: 0, size: 0 };
                        return self.step_over(error);
                    }
                };
                self.budget.spend(frame.location(), size as u64, self.size)?;
                self.current = Current::Whole { slot, taken: 0, size };
            }
            Item::Serial { chunks, reason } => return self.next_chunk(chunks, reason, observe),
            Item::Skippable(frame) => {
                self.size = frame.offset + frame.compressed_size();
                self.observe(&FrameReport::complete_skippable(frame), observe);
            }
            Item::SteppedOver(frame, error) => {
                self.size = frame.offset + frame.compressed_size;
                let decode = classify(&self.settings.bounds, &self.dictionary_ids, &frame);
                self.observe(&FrameReport::Zstandard(ZstandardReport::complete(frame, decode)), observe);
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

    fn next_chunk(
        &mut self,
        chunks: Receiver<Chunk>,
        reason: Reason,
        observe: &mut dyn FnMut(&FrameReport),
    ) -> Result<Filled, Error> {
        match chunks.recv() {
            Ok(Chunk::Output { bytes, frame, offset }) => {
                self.size = offset;
                self.budget.spend(frame.location(), bytes.len() as u64, offset)?;
                self.current = Current::Serial { chunks, reason, bytes, taken: 0 };
                Ok(Filled::Output)
            }
            Ok(Chunk::End { frame, result, offset }) => {
                self.size = offset;
                let decode = Decode::Serial(reason);
                let broken_off = result.as_ref().is_err_and(|error| !is_about_content(error));
                let report = match result {
                    Ok(size) => {
                        let decoded_size = SizeRange::exactly(size);
                        ZstandardReport { decoded_size, ..ZstandardReport::complete(frame, decode) }
                    }
                    Err(_) if broken_off => ZstandardReport::incomplete(frame, offset, decode),
                    Err(_) => ZstandardReport::complete(frame, decode),
                };
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

    fn observe(&mut self, report: &FrameReport, observe: &mut dyn FnMut(&FrameReport)) {
        self.tally.frame(report);
        observe(report);
    }
}

/// Whether an error leaves open what the stream is.
fn is_undecided(error: &Error) -> bool {
    error.class() == Some(Class::NeedsDictionary)
}

/// Whether an error came after the frame was walked to its end.
fn is_about_content(error: &Error) -> bool {
    matches!(error, Error::Format(error) if matches!(error.kind, ErrorKind::Checksum { .. }))
}
