//! A stream into frames: each whole in a buffer where it fits the bounds, else as a stream of its own bytes.

use std::io::{self, Read};

use zvet_core::consts::FRAME_HEADER_SIZE_MAX;
use zvet_core::entropy::Depth;
use zvet_core::{Bounds, Budget, Decode, Event, Frame, Location, Proof, Reason, Skippable, Step};

use crate::dictionary::AtHand;
use crate::error::Error;
use crate::events::{Events, Inside, inside};
use crate::report::{FrameReport, about_one_frame, classify};
use crate::settings::Settings;
use crate::source::Source;

/// Splits a stream into frames, and never holds more of it than [`Bounds::input`].
#[derive(Debug)]
pub struct Splitter<S> {
    events: Events<S>,
    budget: Budget,
    bounds: Bounds,
    dictionary_ids: Vec<u32>,
    step_over: bool,
    /// No frame is held whole, whatever fits.
    streams_all: bool,
    /// The frame at hand, as far as it is held.
    held: Vec<u8>,
    /// A frame was given out as a stream, and may not have been read to its end.
    streaming: bool,
    /// What walks through frames that no cheaper proof holds for.
    sizes: Inside,
    /// How much of what is held went through it.
    sized: usize,
    dictionaries: AtHand,
    failed: Option<Error>,
}

/// A frame of a stream.
#[derive(Debug)]
pub enum Piece<'a, S> {
    /// A whole frame that may be decoded beside others.
    Whole(Whole<'a>),
    /// A frame that does not fit, or is not known to: to be decoded alone as it is read.
    Serial(SerialFrame<'a, S>),
    /// A skippable frame. Its content was skipped.
    Skippable(Skippable),
    /// A frame that must not be decoded, which was walked to its end; see [`Splitter::stepping_over`].
    SteppedOver(Frame, zvet_core::Error),
}

/// A whole frame.
#[derive(Debug)]
pub struct Whole<'a> {
    /// The frame.
    pub frame: Frame,
    /// What shows that its output fits.
    pub proof: Proof,
    /// Its bytes. They may be swapped for another buffer, which then serves the next frame.
    pub bytes: &'a mut Vec<u8>,
}

impl<S: Source> Splitter<S> {
    /// Splits a stream under the bounds, limits and dictionaries of the settings.
    pub fn new(source: S, settings: &Settings) -> Self {
        Self {
            events: Events::new(source).allow_empty(settings.allow_empty),
            budget: Budget::new(settings.limits),
            bounds: settings.bounds,
            dictionary_ids: settings.dictionary_ids(),
            step_over: false,
            streams_all: false,
            held: Vec::new(),
            streaming: false,
            sized: 0,
            sizes: inside(Depth::Sizes, settings.dictionaries_at_hand()),
            dictionaries: settings.dictionaries_at_hand(),
            failed: None,
        }
    }

    /// Walks over frames whose window is over the limit or whose dictionary is not at hand, instead of stopping at them:
    /// for a verifier, which still wants to know about the rest.
    #[must_use]
    pub fn stepping_over(self) -> Self {
        Self { step_over: true, ..self }
    }

    /// Whether the frames that come next are given out as streams, even those that fit.
    pub(crate) fn stream_all(&mut self, streams_all: bool) {
        self.streams_all = streams_all;
    }

    /// Waits until there is input for the next frame, or none any more. What goes wrong is told by the next piece.
    pub(crate) fn await_input(&mut self) {
        if self.failed.is_none()
            && let Err(error) = self.events.await_input()
        {
            self.failed = Some(error);
        }
    }

    /// Lends a buffer for the next frame.
    pub(crate) fn lend(&mut self, buffer: Vec<u8>) {
        self.held = buffer;
        self.held.clear();
    }

    /// Takes back the buffer that was lent last.
    pub(crate) fn take_back(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }

    /// How many bytes of the stream were walked.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.events.offset()
    }

    /// The frame that an error cut short, as far as it was there.
    #[must_use]
    pub fn unfinished(&self) -> Option<FrameReport> {
        self.events.unfinished(|frame| classify(&self.bounds, &self.dictionary_ids, frame))
    }

    /// The next frame; `None` at the end of a complete stream. What is left of a [`SerialFrame`] is skipped.
    ///
    /// # Errors
    /// The first rule that the stream breaks, the first limit that it is over, or that of the source; the same one again
    /// ever after.
    pub fn next_piece(&mut self) -> Result<Option<Piece<'_, S>>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        match self.next_found() {
            Ok(None) => Ok(None),
            Ok(Some(Found::Whole(frame, proof))) => {
                Ok(Some(Piece::Whole(Whole { frame, proof, bytes: &mut self.held })))
            }
            Ok(Some(Found::Serial(frame, reason, ended))) => Ok(Some(self.serial(frame, reason, ended))),
            Ok(Some(Found::Skippable(frame))) => Ok(Some(Piece::Skippable(frame))),
            Ok(Some(Found::SteppedOver(frame, error))) => Ok(Some(Piece::SteppedOver(frame, error))),
            Err(error) => {
                let fault = self.events.frame().and_then(|frame| self.earlier_fault(frame));
                let error = fault.unwrap_or(error);
                self.failed = Some(error.clone());
                Err(error)
            }
        }
    }

    /// The fault inside of blocks that are held, which came before the one that ended the walk. That a dictionary is wanted
    /// is one, too, unless what must not be decoded is walked over.
    fn earlier_fault(&self, frame: &Frame) -> Option<Error> {
        if self.held.is_empty() || self.streaming || frame.check_dictionary(&self.dictionary_ids).is_err() {
            return None;
        }
        let mut inside = inside(Depth::Streams, self.dictionaries.clone());
        let Held { undecided, fault, .. } = walk_held(&mut inside, frame, &self.held);
        undecided.filter(|_| !self.step_over).or(fault)
    }

    fn next_found(&mut self) -> Result<Option<Found>, Error> {
        while self.streaming {
            self.events.pass_content()?;
            self.stream_step(false)?;
        }
        self.held.clear();
        self.sizes.restart();
        self.sized = 0;
        let mut refused: Option<zvet_core::Error> = None;
        let mut holding = true;
        loop {
            if holding {
                self.hold_content()?;
            } else {
                self.events.pass_content()?;
            }
            reserve_within(&mut self.held, FRAME_HEADER_SIZE_MAX, self.bounds.input);
            let Some(event) = self.events.step(holding.then_some(&mut self.held))? else { return Ok(None) };
            let verdict = self.budget.observe(&event);
            if let (Some(refused), Err(_)) = (refused, verdict) {
                // The first limit that it is over is the one to be told.
                return Err(refused.into());
            }
            match event {
                Event::FrameStart(frame) => {
                    match verdict.and_then(|()| frame.check_dictionary(&self.dictionary_ids)) {
                        Ok(()) => {}
                        Err(error) if self.step_over && about_one_frame(&error) => {
                            refused = Some(error);
                            holding = false;
                            continue;
                        }
                        Err(error) => return Err(error.into()),
                    }
                    let reason = self.bounds.ruled_out(&frame);
                    if reason.is_some() || self.streams_all {
                        return Ok(Some(Found::Serial(frame, reason, None)));
                    }
                }
                Event::Block(_) => {
                    verdict?;
                    if refused.is_none()
                        && let Some(&frame) = self.events.frame()
                        && let Some(reason) = self.ruled_out(&frame)?
                    {
                        return Ok(Some(Found::Serial(frame, Some(reason), None)));
                    }
                }
                Event::FrameEnd(frame) => {
                    if let Err(error) = verdict {
                        if let Some(fault) = self.earlier_fault(&frame) {
                            return Err(fault);
                        }
                        // The frame is there to be told of, and nothing comes after it.
                        self.failed = Some(error.into());
                        return Ok(Some(Found::SteppedOver(frame, error)));
                    }
                    if let Some(error) = refused {
                        return Ok(Some(Found::SteppedOver(frame, error)));
                    }
                    return self.classify(frame).map(Some);
                }
                Event::SkippableStart(_) => {
                    verdict?;
                    holding = false;
                }
                Event::SkippableEnd(frame) => return Ok(Some(Found::Skippable(frame))),
            }
        }
    }

    /// How a frame that is held whole is decoded: where no cheaper proof holds, by its exact size.
    fn classify(&mut self, frame: Frame) -> Result<Found, Error> {
        Ok(match self.bounds.classify(&frame) {
            Decode::Parallel(proof) => Found::Whole(frame, proof),
            Decode::Serial(Reason::Output) => {
                // Streams of literals were stepped over, and may have a fault before the one that was found.
                let earlier = |splitter: &Self, fault| splitter.earlier_fault(&frame).unwrap_or(fault);
                let exact_size = self.walk_sizes(&frame).map_err(|fault| earlier(self, fault))?;
                let frame = Frame { exact_size, ..frame };
                match self.bounds.classify(&frame) {
                    Decode::Parallel(proof) => Found::Whole(frame, proof),
                    Decode::Serial(reason) => Found::Serial(frame, Some(reason), Some(frame)),
                }
            }
            Decode::Serial(reason) => Found::Serial(frame, Some(reason), Some(frame)),
        })
    }

    /// As [`Bounds::ruled_out`], and where the cheaper proofs do not hold, by what the blocks so far make. To be told early
    /// is to hold less.
    fn ruled_out(&mut self, frame: &Frame) -> Result<Option<Reason>, Error> {
        let unproven = frame.header.content_size().is_none() && frame.content.high > self.bounds.output;
        let reason = self.bounds.ruled_out(frame);
        if reason.is_some() || !unproven {
            return Ok(reason);
        }
        self.walk_sizes(frame)?;
        Ok(self.sizes.made().is_some_and(|made| made > self.bounds.output).then_some(Reason::Output))
    }

    /// Walks through what is held and was not walked through yet. The exact size where that is the end of the frame, unless it
    /// takes a dictionary to tell.
    fn walk_sizes(&mut self, frame: &Frame) -> Result<Option<u64>, Error> {
        let new = self.held.get(self.sized..).unwrap_or_default();
        self.sized = self.held.len();
        let Held { exact_size, fault, .. } = walk_held(&mut self.sizes, frame, new);
        fault.map_or(Ok(exact_size), Err)
    }

    fn serial(&mut self, frame: Frame, reason: Option<Reason>, ended: Option<Frame>) -> Piece<'_, S> {
        self.streaming = ended.is_none();
        Piece::Serial(SerialFrame { splitter: self, frame, reason, position: 0, ended, fault: None })
    }

    /// A step inside of a frame that is given out as a stream.
    fn stream_step(&mut self, hold: bool) -> Result<Option<Frame>, Error> {
        let event = self.events.step(hold.then_some(&mut self.held))?;
        if let Some(event) = &event {
            self.budget.observe(event)?;
        }
        Ok(match event {
            Some(Event::FrameEnd(frame)) => {
                self.streaming = false;
                Some(frame)
            }
            _ => None,
        })
    }

    /// Reads content that is held.
    fn hold_content(&mut self) -> Result<(), Error> {
        let size = self.events.content_left();
        let mut filled = self.held.len();
        let end = filled + size;
        // The bound on the frame's input was checked when the block's header was read.
        reserve_within(&mut self.held, size, self.bounds.input);
        self.held.resize(end, 0);
        while filled < end {
            match self.events.read_content(&mut self.held[filled..]) {
                Ok(read) => filled += read,
                Err(error) => {
                    // What is held is what was read.
                    self.held.truncate(filled);
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// A [`Piece`] without what it borrows.
enum Found {
    Whole(Frame, Proof),
    Serial(Frame, Option<Reason>, Option<Frame>),
    Skippable(Skippable),
    SteppedOver(Frame, zvet_core::Error),
}

/// What a walk through the blocks of a frame that is held came to, as far as it is there.
#[derive(Default)]
struct Held {
    /// Its exact size, if that was its end.
    exact_size: Option<u64>,
    /// The first block that takes a dictionary to tell. It is walked past: what is held of the frame later comes after it.
    undecided: Option<Error>,
    /// What ended the walk before.
    fault: Option<Error>,
}

/// Walks through the blocks of a frame that is held, as far as it is.
fn walk_held(inside: &mut Inside, frame: &Frame, held: &[u8]) -> Held {
    let mut rest = held;
    let mut found = Held::default();
    let in_stream = |error: zvet_core::Error| {
        let at = Location { offset: frame.offset + error.at.offset, frame: frame.index, ..error.at };
        Error::Format(zvet_core::Error::new(at, error.kind))
    };
    loop {
        let step = inside.push(rest);
        if let Some(error) = inside.undecided() {
            found.undecided.get_or_insert(in_stream(error));
        }
        match step {
            Err(error) => {
                found.fault = Some(in_stream(error));
                return found;
            }
            Ok(Step { event: Some(Event::FrameEnd(frame)), .. }) => {
                found.exact_size = frame.exact_size;
                return found;
            }
            Ok(Step { event: None, .. }) => return found,
            Ok(Step { consumed, .. }) => rest = &rest[consumed..],
        }
    }
}

/// Makes room for `more` bytes. Doubles, as a vector does, but not past `limit`, so that a bound on what is held is one
/// on what is allocated, too.
pub(crate) fn reserve_within(buffer: &mut Vec<u8>, more: usize, limit: u64) {
    let needed = buffer.len() + more;
    if needed > buffer.capacity() {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let capacity = (buffer.capacity() * 2).min(limit).max(needed);
        buffer.reserve_exact(capacity - buffer.len());
    }
}

/// The bytes of one frame, from its magic number to its end and no further. Nothing of what was read to find that it
/// does not fit is lost.
///
/// The frame's rules are checked as it is read. A broken one ends the stream with an error; [`fault`](Self::fault) has
/// the particulars.
#[derive(Debug)]
pub struct SerialFrame<'a, S> {
    splitter: &'a mut Splitter<S>,
    frame: Frame,
    reason: Option<Reason>,
    /// How much of what is held was read.
    position: usize,
    ended: Option<Frame>,
    fault: Option<Error>,
}

impl<S: Source> SerialFrame<'_, S> {
    /// The frame, as far as it is known: whole once it was read to its end.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        self.ended.as_ref().or_else(|| self.splitter.events.frame()).unwrap_or(&self.frame)
    }

    /// Why it is not held whole; `None` where nothing speaks against it.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// Whether the frame was walked to its end.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.ended.is_some()
    }

    /// Whether the next read does not wait for input.
    pub(crate) fn is_ready(&self) -> bool {
        self.position < self.splitter.held.len() || self.ended.is_some() || self.splitter.events.is_ready()
    }

    /// Takes the error that reading ended with.
    pub fn fault(&mut self) -> Option<Error> {
        self.fault.take()
    }

    /// How many bytes of the stream were walked.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.splitter.events.offset()
    }

    /// Walks to the end of the frame without reading it.
    ///
    /// # Errors
    /// As [`Splitter::next_piece`].
    pub fn skip_to_end(&mut self) -> Result<Frame, Error> {
        self.walk_to_end().inspect_err(|error| self.splitter.failed = Some(error.clone()))
    }

    fn walk_to_end(&mut self) -> Result<Frame, Error> {
        loop {
            if let Some(frame) = self.ended {
                return Ok(frame);
            }
            self.splitter.events.pass_content()?;
            self.ended = self.splitter.stream_step(false)?;
        }
    }

    fn read_on(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        loop {
            let held = &self.splitter.held[self.position..];
            if !held.is_empty() {
                let n = held.len().min(buffer.len());
                buffer[..n].copy_from_slice(&held[..n]);
                self.position += n;
                return Ok(n);
            }
            if self.ended.is_some() || buffer.is_empty() {
                return Ok(0);
            }
            self.splitter.held.clear();
            self.position = 0;
            if self.splitter.events.content_left() > 0 {
                return self.splitter.events.read_content(buffer);
            }
            self.ended = self.splitter.stream_step(true)?;
        }
    }
}

impl<S: Source> Read for SerialFrame<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone().into());
        }
        self.read_on(buffer).map_err(|error| {
            self.splitter.failed = Some(error.clone());
            self.fault = Some(error.clone());
            error.into()
        })
    }
}
