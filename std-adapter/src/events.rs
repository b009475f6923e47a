//! The walk over a [`Source`]: reads what the walker must see, and skips the rest.

use zvet_core::{Bounds, ErrorKind, Event, Frame, Walker};

use crate::error::Error;
use crate::report::{FrameReport, ZstandardReport, classify};
use crate::source::Source;

/// The events of a source's stream.
#[derive(Debug)]
pub struct Events<S> {
    source: S,
    walker: Walker,
    allow_empty: bool,
}

impl<S: Source> Events<S> {
    /// The events of a stream from where the source is.
    pub fn new(source: S) -> Self {
        Self { source, walker: Walker::new(), allow_empty: false }
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

    /// How many bytes of content come next.
    pub(crate) fn content_left(&self) -> usize {
        usize::try_from(self.walker.skippable()).unwrap_or(usize::MAX)
    }

    /// Walks on over headers to the next event, and puts their bytes to `hold`. No content may be left.
    pub(crate) fn step(&mut self, mut hold: Option<&mut Vec<u8>>) -> Result<Option<Event>, Error> {
        loop {
            // What can be said without input must not wait for bytes that come later.
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

    /// Passes over the content that comes next.
    pub(crate) fn pass_content(&mut self) -> Result<(), Error> {
        let size = self.walker.skippable();
        if size == 0 {
            return Ok(());
        }
        let offset = self.walker.offset();
        let skipped = self.source.skip(size).map_err(|error| Error::read(offset, error))?;
        self.walker.skipped(skipped);
        if skipped < size { Ok(self.walker.finish()?) } else { Ok(()) }
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
