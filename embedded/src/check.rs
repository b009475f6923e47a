//! The check of an update image: first what its headers say, then all inside of its blocks.

use zvet_core::entropy::{Depth, EntropyWalker, Workspace};
use zvet_core::{Budget, Class, Error, ErrorKind, Event, FrameIndex, Limits, Walker};

/// What is kept of an image: its first frames.
pub type Index = FrameIndex<8>;

/// Walks the envelope of an image that comes in pieces of any size, and enters its frames in an index. Only headers are
/// looked at.
///
/// # Errors
/// Why the image is not to be used. What is invalid outweighs what is over a limit, and that what needs a dictionary.
#[inline(never)]
pub fn envelope<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    limits: Limits,
    index: &mut Index,
) -> Result<(), Error> {
    let mut walker = Walker::new();
    let mut judge = Judge::new(limits);
    for mut piece in pieces {
        loop {
            let step = walker.push(piece)?;
            piece = piece.get(step.consumed..).unwrap_or_default();
            let Some(event) = step.event else { break };
            judge.observe(&event, None)?;
            // A full index is no fault of the image: it counts what it has no room for.
            let _ = index.record(&event);
        }
    }
    walker.finish()?;
    judge.verdict()
}

/// Checks an image that comes in pieces of any size to the last bit of its blocks: what passes can only have a wrong
/// checksum still. A block that does not come in one piece is gathered in the buffer. For an image in one piece whose
/// [`envelope`] is valid, the buffer may be empty: no block is cut short.
///
/// # Errors
/// As [`envelope`], and X05 where a block has no room in the buffer.
#[inline(never)]
pub fn entropy<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    limits: Limits,
    workspace: &mut Workspace,
    buffer: &mut [u8],
    index: &mut Index,
) -> Result<(), Error> {
    let mut walker = EntropyWalker::new(Depth::Streams, workspace, buffer, ());
    let mut judge = Judge::new(limits);
    for mut piece in pieces {
        loop {
            let step = walker.push(piece)?;
            piece = piece.get(step.consumed..).unwrap_or_default();
            if let Some(error) = walker.undecided() {
                judge.refuse(error);
            }
            let Some(event) = step.event else { break };
            judge.observe(&event, walker.made())?;
            let _ = index.record(&event);
        }
    }
    walker.finish()?;
    judge.verdict()
}

/// Holds events to the limits, and remembers why an image is refused while it looks for what is worse.
struct Judge {
    budget: Budget,
    refused: Option<Error>,
}

impl Judge {
    fn new(limits: Limits) -> Self {
        Self { budget: Budget::new(limits), refused: None }
    }

    /// # Errors
    /// A limit that the image is over, whatever comes later.
    fn observe(&mut self, event: &Event, made: Option<u64>) -> Result<(), Error> {
        if let (Event::Block(block), Some(made)) = (event, made)
            && let Err(error) = self.budget.made_before(block, made)
        {
            return Err(self.refuse(error));
        }
        if let Event::FrameStart(frame) = event
            && let Err(error) = frame.check_dictionary(&[])
        {
            self.refuse(error);
        }
        if let Err(error) = self.budget.observe(event) {
            let refused = self.refuse(error);
            // Of limits, this one alone is about one frame.
            if !matches!(error.kind, ErrorKind::WindowOverLimit { .. }) {
                return Err(refused);
            }
        }
        Ok(())
    }

    /// Notes an error, and returns the weightiest so far, of equals the first.
    fn refuse(&mut self, error: Error) -> Error {
        match self.refused {
            Some(before) if before.class() == error.class() || before.class() == Class::OverLimit => before,
            _ => *self.refused.insert(error),
        }
    }

    fn verdict(self) -> Result<(), Error> {
        self.refused.map_or(Ok(()), Err)
    }
}
