//! The walk with a look inside of compressed blocks.

use core::borrow::BorrowMut;

use super::block::{FrameState, Workspace};
use super::dictionary::Dictionaries;
use super::{Depth, Fault};
use crate::consts::BLOCK_HEADER_SIZE;
use crate::{Block, BlockKind, Class, Error, ErrorKind, Event, Frame, Location, SizeRange, Skippable, Step, Walker};

/// A [`Walker`] that checks the inside of compressed blocks as they arrive, too, and knows the exact size of what every
/// frame decodes to: [`Frame::exact_size`] in [`Event::FrameEnd`].
///
/// The protocol is that of [`Walker`]. Memory is the caller's: a [`Workspace`], and room for one block of input, at most
/// 128 KiB ([`Frame::header`] says how much a frame's blocks may have). A block that is pushed whole is checked where it
/// is, without a copy.
///
/// A frame that takes a dictionary to tell ([`undecided`](Self::undecided)) is walked on without.
#[derive(Debug)]
pub struct EntropyWalker<W, B, D = ()> {
    walker: Walker,
    workspace: W,
    buffer: B,
    dictionaries: D,
    depth: Depth,
    /// The frame at hand, while it is checked.
    state: Option<FrameState>,
    /// The compressed block whose content is awaited.
    awaited: Option<Block>,
    /// How much of it is in the buffer.
    filled: usize,
    undecided: Option<Error>,
    failed: Option<Error>,
}

impl<W: BorrowMut<Workspace>, B: AsMut<[u8]>, D: Dictionaries> EntropyWalker<W, B, D> {
    /// A walker at the start of a stream.
    #[must_use]
    pub const fn new(depth: Depth, workspace: W, buffer: B, dictionaries: D) -> Self {
        Self {
            walker: Walker::new(),
            workspace,
            buffer,
            dictionaries,
            depth,
            state: None,
            awaited: None,
            filled: 0,
            undecided: None,
            failed: None,
        }
    }

    /// Goes back to the start of a stream, another one.
    pub fn restart(&mut self) {
        self.walker = Walker::new();
        self.state = None;
        self.awaited = None;
        self.filled = 0;
        self.undecided = None;
        self.failed = None;
    }

    /// As [`Walker::push`].
    ///
    /// # Errors
    /// The first rule that the stream breaks; X05 for a block that is pushed in pieces and has no room in the buffer.
    pub fn push(&mut self, input: &[u8]) -> Result<Step, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.advance(input).inspect_err(|&error| self.failed = Some(error))
    }

    fn advance(&mut self, input: &[u8]) -> Result<Step, Error> {
        let mut consumed = 0;
        if let Some(block) = self.awaited {
            let left = usize::try_from(self.walker.skippable()).unwrap_or(usize::MAX);
            let (now, _) = input.split_at(left.min(input.len()));
            consumed = now.len();
            let whole = self.filled == 0 && now.len() == left;
            if !whole {
                self.gather(block, now)?;
            }
            // Passed before it is checked: all of a block at fault was there, however it was cut.
            self.walker.skipped(now.len() as u64);
            if now.len() < left {
                return Ok(Step { consumed, event: None });
            }
            if whole {
                self.check(block, now)?;
            } else {
                self.check_gathered(block)?;
            }
            self.awaited = None;
            self.filled = 0;
        }
        let step = self.walker.push(input.get(consumed..).unwrap_or_default())?;
        let event = step.event.map(|event| self.observe(event)).transpose()?;
        Ok(Step { consumed: consumed.saturating_add(step.consumed), event })
    }

    fn observe(&mut self, event: Event) -> Result<Event, Error> {
        match event {
            Event::FrameStart(frame) => {
                let dictionary = self.dictionaries.for_frame(&frame.header);
                let unknown = frame.header.dictionary_id().is_some() && dictionary.is_none();
                let workspace = self.workspace.borrow_mut();
                self.state = (!unknown).then(|| FrameState::new(&frame.header, dictionary, workspace));
            }
            Event::Block(block) => match (&mut self.state, block.header.kind) {
                (Some(_), BlockKind::Compressed) => self.awaited = Some(block),
                (Some(state), _) => state.plain(block.header.size),
                (None, _) => {}
            },
            Event::FrameEnd(frame) => {
                if let Some(state) = self.state.take() {
                    let made = state.made();
                    if let Some(declared) = frame.header.content_size()
                        && declared != made
                    {
                        let content = SizeRange::exactly(made);
                        return Err(Error::new(frame.location(), ErrorKind::ContentSize { declared, content }));
                    }
                    return Ok(Event::FrameEnd(Frame { exact_size: Some(made), ..frame }));
                }
            }
            Event::SkippableStart(_) | Event::SkippableEnd(_) => {}
        }
        Ok(event)
    }

    fn gather(&mut self, block: Block, now: &[u8]) -> Result<(), Error> {
        // Nothing is not a piece: the block may still come whole.
        if now.is_empty() {
            return Ok(());
        }
        let buffer = self.buffer.as_mut();
        if usize::try_from(block.header.size).unwrap_or(usize::MAX) > buffer.len() {
            let kind = ErrorKind::BlockOverBuffer { size: block.header.size, buffer: buffer.len() as u64 };
            return Err(Error::new(location(&block, None), kind));
        }
        if let Some((room, _)) = buffer.get_mut(self.filled..).and_then(|rest| rest.split_at_mut_checked(now.len())) {
            room.copy_from_slice(now);
        }
        self.filled = self.filled.saturating_add(now.len());
        Ok(())
    }

    fn check_gathered(&mut self, block: Block) -> Result<(), Error> {
        let Self { state, workspace, buffer, depth, filled, undecided, .. } = self;
        let content = buffer.as_mut().get(..*filled).unwrap_or_default();
        check(state, workspace.borrow_mut(), *depth, block, content, undecided)
    }

    fn check(&mut self, block: Block, content: &[u8]) -> Result<(), Error> {
        let Self { state, workspace, depth, undecided, .. } = self;
        check(state, workspace.borrow_mut(), *depth, block, content, undecided)
    }

    /// As [`Walker::skippable`]; content of compressed blocks must be seen.
    #[must_use]
    pub const fn skippable(&self) -> u64 {
        if self.awaited.is_some() { 0 } else { self.walker.skippable() }
    }

    /// As [`Walker::skipped`].
    pub fn skipped(&mut self, bytes: u64) -> u64 {
        if self.awaited.is_some() { 0 } else { self.walker.skipped(bytes) }
    }

    /// As [`Walker::finish`].
    ///
    /// # Errors
    /// As [`Walker::finish`].
    pub fn finish(&self) -> Result<(), Error> {
        match self.failed {
            Some(error) => Err(error),
            None => self.walker.finish(),
        }
    }

    /// Takes the reason (D02) why a frame could not be decided without a dictionary. It was walked on without a look
    /// inside of its blocks, and the size of what it decodes to is not exact.
    pub const fn undecided(&mut self) -> Option<Error> {
        self.undecided.take()
    }

    /// What the blocks of the frame at hand make, as far as they were checked; `None` between frames, and in one that is
    /// not looked into.
    #[must_use]
    pub fn made(&self) -> Option<u64> {
        self.state.as_ref().map(FrameState::made)
    }

    /// As [`Walker::offset`].
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.walker.offset()
    }

    /// As [`Walker::frame`].
    #[must_use]
    pub const fn frame(&self) -> Option<&Frame> {
        self.walker.frame()
    }

    /// As [`Walker::skippable_frame`].
    #[must_use]
    pub const fn skippable_frame(&self) -> Option<&Skippable> {
        self.walker.skippable_frame()
    }

    /// How many bytes of content come next, seen or not.
    #[must_use]
    pub const fn content_left(&self) -> u64 {
        self.walker.skippable()
    }
}

/// Checks a block; one that leaves its frame undecided ends the checks of the frame.
fn check(
    state: &mut Option<FrameState>,
    workspace: &mut Workspace,
    depth: Depth,
    block: Block,
    content: &[u8],
    undecided: &mut Option<Error>,
) -> Result<(), Error> {
    let Some(frame) = state else { return Ok(()) };
    let Err(fault) = frame.compressed(content, workspace, depth) else { return Ok(()) };
    let error = Error::new(location(&block, Some(fault)), fault.kind);
    if fault.kind.class() == Class::NeedsDictionary {
        *state = None;
        undecided.get_or_insert(error);
        return Ok(());
    }
    Err(error)
}

fn location(block: &Block, fault: Option<Fault>) -> Location {
    let inside = fault.map_or(0, |fault| BLOCK_HEADER_SIZE.saturating_add(fault.at) as u64);
    Location { offset: block.offset.saturating_add(inside), frame: block.frame, block: Some(block.index) }
}
