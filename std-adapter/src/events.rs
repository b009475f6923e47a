//! The walk over a [`Source`]: reads what the walker must see, and skips the rest.

use zvet_core::consts::BLOCK_SIZE_MAX;
use zvet_core::entropy::{Depth, EntropyWalker, Workspace};
use zvet_core::{Bounds, ErrorKind, Event, Frame, Skippable, Step, Walker};

use crate::dictionary::AtHand;
use crate::error::Error;
use crate::report::{FrameReport, ZstandardReport, classify};
use crate::source::Source;

/// The events of a source's stream.
#[derive(Debug)]
pub struct Events<S> {
    source: S,
    walker: Walk,
    allow_empty: bool,
}

/// The walker, with or without a look inside of blocks.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of them in a walk")]
enum Walk {
    Envelope(Walker),
    Inside(Box<Inside>),
}

/// A walker that looks inside of blocks, with memory of its own.
pub(crate) type Inside = EntropyWalker<Box<Workspace>, Vec<u8>, AtHand>;

/// A walker that looks inside of blocks.
pub(crate) fn inside(depth: Depth, dictionaries: AtHand) -> Inside {
    EntropyWalker::new(depth, Box::default(), vec![0; BLOCK_SIZE_MAX as usize], dictionaries)
}

impl Walk {
    fn push(&mut self, input: &[u8]) -> Result<Step, zvet_core::Error> {
        match self {
            Self::Envelope(walker) => walker.push(input),
            Self::Inside(walker) => walker.push(input),
        }
    }

    fn skippable(&self) -> u64 {
        match self {
            Self::Envelope(walker) => walker.skippable(),
            Self::Inside(walker) => walker.skippable(),
        }
    }

    fn skipped(&mut self, bytes: u64) {
        match self {
            Self::Envelope(walker) => walker.skipped(bytes),
            Self::Inside(walker) => walker.skipped(bytes),
        };
    }

    fn finish(&self) -> Result<(), zvet_core::Error> {
        match self {
            Self::Envelope(walker) => walker.finish(),
            Self::Inside(walker) => walker.finish(),
        }
    }

    fn offset(&self) -> u64 {
        match self {
            Self::Envelope(walker) => walker.offset(),
            Self::Inside(walker) => walker.offset(),
        }
    }

    fn frame(&self) -> Option<&Frame> {
        match self {
            Self::Envelope(walker) => walker.frame(),
            Self::Inside(walker) => walker.frame(),
        }
    }

    fn skippable_frame(&self) -> Option<&Skippable> {
        match self {
            Self::Envelope(walker) => walker.skippable_frame(),
            Self::Inside(walker) => walker.skippable_frame(),
        }
    }
}

impl<S: Source> Events<S> {
    /// The events of a stream from where the source is.
    pub fn new(source: S) -> Self {
        Self { source, walker: Walk::Envelope(Walker::new()), allow_empty: false }
    }

    /// The same with a look inside of compressed blocks: sizes of frames are exact.
    pub(crate) fn looking_inside(source: S, depth: Depth, dictionaries: AtHand) -> Self {
        Self { source, walker: Walk::Inside(Box::new(inside(depth, dictionaries))), allow_empty: false }
    }

    /// Takes the reason why a frame could not be decided without a dictionary.
    pub(crate) fn undecided(&mut self) -> Option<zvet_core::Error> {
        match &mut self.walker {
            Walk::Envelope(_) => None,
            Walk::Inside(walker) => walker.undecided(),
        }
    }

    /// What the blocks of the frame at hand make, if they are looked into.
    pub(crate) fn made(&self) -> Option<u64> {
        match &self.walker {
            Walk::Envelope(_) => None,
            Walk::Inside(walker) => walker.made(),
        }
    }

    /// Takes no input at all for a stream of no frames, instead of an error.
    pub(crate) fn allow_empty(self, allow_empty: bool) -> Self {
        Self { allow_empty, ..self }
    }

    /// The next event; `None` at the end of a complete stream. Content is skipped.
    ///
    /// # Errors
    /// The first rule that the stream breaks, or that of the source.
    pub fn next_event(&mut self) -> Result<Option<Event>, Error> {
        self.pass_content()?;
        self.step(None)
    }

    /// How many bytes of the stream were walked.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.walker.offset()
    }

    /// The frame that is being walked, as far as it is known. After an error it is the one at fault.
    #[must_use]
    pub fn frame(&self) -> Option<&Frame> {
        self.walker.frame()
    }

    /// The frame that an error cut short, as far as it was there.
    pub(crate) fn unfinished(&self, bounds: &Bounds, dictionary_ids: &[u32]) -> Option<FrameReport> {
        let offset = self.walker.offset();
        if let Some(frame) = self.walker.frame() {
            let decode = classify(bounds, dictionary_ids, frame);
            return Some(FrameReport::Zstandard(ZstandardReport::incomplete(*frame, offset, decode)));
        }
        self.walker.skippable_frame().map(|frame| FrameReport::incomplete_skippable(*frame, offset))
    }

    /// Whether the next read does not wait.
    pub(crate) fn is_ready(&self) -> bool {
        self.source.is_ready()
    }

    /// How many bytes of content come next.
    pub(crate) fn content_left(&self) -> usize {
        usize::try_from(self.walker.skippable()).unwrap_or(usize::MAX)
    }

    /// Walks on over headers to the next event, and puts their bytes to `hold`. No content may be left.
    pub(crate) fn step(&mut self, mut hold: Option<&mut Vec<u8>>) -> Result<Option<Event>, Error> {
        loop {
            // What can be said without input must not wait for bytes that come later, or that cannot be read.
            if !self.source.is_ready()
                && let Some(event) = self.walker.push(&[])?.event
            {
                return Ok(Some(event));
            }
            let offset = self.walker.offset();
            let bytes = self.source.fill().map_err(|error| Error::read(offset, error))?;
            let at_end = bytes.is_empty();
            let step = self.walker.push(bytes)?;
            if let Some(hold) = &mut hold {
                hold.extend_from_slice(&bytes[..step.consumed]);
            }
            self.source.consume(step.consumed);
            if step.event.is_some() {
                return Ok(step.event);
            }
            if at_end {
                return match self.walker.finish() {
                    Err(error) if self.allow_empty && matches!(error.kind, ErrorKind::Empty) => Ok(None),
                    result => result.map(|()| None).map_err(Error::from),
                };
            }
        }
    }

    /// Passes over the content that comes next, as far as nobody needs to see it.
    pub(crate) fn pass_content(&mut self) -> Result<(), Error> {
        while let size @ 1.. = self.walker.skippable() {
            let offset = self.walker.offset();
            let skipped = self.source.skip(size).map_err(|error| Error::read(offset, error))?;
            if skipped == 0 {
                return Ok(self.walker.finish()?);
            }
            self.walker.skipped(skipped);
        }
        Ok(())
    }

    /// Reads some of the content that comes next, at least one byte.
    pub(crate) fn read_content(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let room = self.content_left().min(buffer.len());
        let offset = self.walker.offset();
        let n = self.source.read_some(&mut buffer[..room]).map_err(|error| Error::read(offset, error))?;
        if n == 0 {
            self.walker.finish()?;
        }
        self.walker.skipped(n as u64);
        Ok(n)
    }
}
