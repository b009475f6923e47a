//! The walk over a [`Source`]: reads what the walker must see, and skips the rest.

use zvet_core::consts::BLOCK_SIZE_MAX;
use zvet_core::entropy::{Depth, EntropyWalker, Workspace};
use zvet_core::{Decode, Event, Frame};
use zvet_report::Insight;

use crate::dictionary::AtHand;
use crate::error::Error;
use crate::report::FrameReport;
use crate::source::Source;

/// The events of a source's stream.
#[derive(Debug)]
pub struct Events<S> {
    source: S,
    walker: Walk,
    allow_empty: bool,
}

/// The walker, with or without a look inside of blocks.
type Walk = zvet_report::Walk<Box<Workspace>, Vec<u8>, AtHand>;

/// A walker that looks inside of blocks, with memory of its own.
pub(crate) type Inside = EntropyWalker<Box<Workspace>, Vec<u8>, AtHand>;

/// A walker that looks inside of blocks.
pub(crate) fn inside(depth: Depth, dictionaries: AtHand) -> Inside {
    EntropyWalker::new(depth, Box::default(), vec![0; BLOCK_SIZE_MAX as usize], dictionaries)
}

impl<S: Source> Events<S> {
    /// The events of a stream from where the source is.
    pub fn new(source: S) -> Self {
        Self { source, walker: Walk::envelope(), allow_empty: false }
    }

    /// The same with a look inside of compressed blocks: sizes of frames are exact.
    pub(crate) fn looking_inside(source: S, depth: Depth, dictionaries: AtHand) -> Self {
        Self { source, walker: Walk::Inside(inside(depth, dictionaries)), allow_empty: false }
    }

    /// What was found inside of blocks since the last call.
    pub(crate) fn insight(&mut self) -> Insight {
        self.walker.insight()
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
    pub(crate) fn unfinished(&self, classify: impl FnOnce(&Frame) -> Decode) -> Option<FrameReport> {
        self.walker.unfinished(classify)
    }

    /// Reads what comes next, if nothing is at hand.
    pub(crate) fn await_input(&mut self) -> Result<(), Error> {
        let offset = self.walker.offset();
        self.source.fill().map(drop).map_err(|error| Error::read(offset, error))
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
                return self.walker.finish(self.allow_empty).map(|()| None).map_err(Error::from);
            }
        }
    }

    /// Passes over the content that comes next, as far as nobody needs to see it.
    pub(crate) fn pass_content(&mut self) -> Result<(), Error> {
        while let size @ 1.. = self.walker.skippable() {
            let offset = self.walker.offset();
            let skipped = self.source.skip(size).map_err(|error| Error::read(offset, error))?;
            if skipped == 0 {
                return Ok(self.walker.finish(false)?);
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
            self.walker.finish(false)?;
        }
        self.walker.skipped(n as u64);
        Ok(n)
    }
}
