//! The walk over a stream: a state machine that is pushed bytes and answers with events.

use crate::Foreign;
use crate::block::{Block, BlockCounts, BlockHeader};
use crate::consts::{BLOCK_HEADER_SIZE, CHECKSUM_SIZE, FRAME_HEADER_SIZE_MAX, MAGIC_SIZE, SKIPPABLE_HEADER_SIZE};
use crate::error::{Error, ErrorKind, Location, Part};
use crate::header::{FrameHeader, Magic, Status};
use crate::size::SizeRange;
use crate::skippable::Skippable;

/// What one [`push`](Walker::push) did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// How many bytes of the input are done with.
    pub consumed: usize,
    /// What was found. `None`: nothing more can be said without more input, and all of it is consumed.
    pub event: Option<Event>,
}

/// What a walk finds, in the order of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A frame header. Nothing is known yet of the frame's blocks.
    FrameStart(Frame),
    /// A block header that is within the frame's limits. Its content comes next.
    Block(Block),
    /// The end of a frame, checksum included.
    FrameEnd(Frame),
    /// The header of a skippable frame. Its content comes next.
    SkippableStart(Skippable),
    /// The end of a skippable frame.
    SkippableEnd(Skippable),
}

/// A Zstandard frame: as far as it was walked, or whole in [`Event::FrameEnd`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Which frame of the stream, counted from 0, skippable ones included.
    pub index: u64,
    /// Where its magic number begins.
    pub offset: u64,
    /// Its header.
    pub header: FrameHeader,
    /// Its size in the stream, as far as it is known: header and checksum, and all blocks whose header was read.
    pub compressed_size: u64,
    /// Its blocks so far.
    pub blocks: BlockCounts,
    /// What its blocks so far regenerate; exact when all of them are raw or RLE. This does not rely on the declared
    /// size.
    pub content: SizeRange,
    /// `Content_Checksum`, once it was read.
    pub checksum: Option<u32>,
    /// What its blocks regenerate, where the inside of them was looked at; known at the end of the frame.
    pub exact_size: Option<u64>,
}

impl Frame {
    /// What the frame decodes to, if it is valid: the size that it declares, else the exact size of its blocks, else what
    /// its blocks bound it to.
    #[must_use]
    pub const fn decoded_size(&self) -> SizeRange {
        match (self.header.content_size(), self.exact_size) {
            (Some(size), _) | (None, Some(size)) => SizeRange::exactly(size),
            (None, None) => self.content,
        }
    }

    /// Whether the frame can be decoded as far as dictionaries go: it names none, or one of those at hand.
    ///
    /// A frame that names none may still have been made with one. That shows only inside of its blocks.
    ///
    /// # Errors
    /// D01, at the frame.
    pub fn check_dictionary(&self, ids: &[u32]) -> Result<(), Error> {
        match self.header.dictionary_id() {
            Some(id) if !ids.contains(&id) => Err(Error::new(self.location(), ErrorKind::UnknownDictionary { id })),
            _ => Ok(()),
        }
    }

    /// Where it begins, as the place of an error.
    #[must_use]
    pub const fn location(&self) -> Location {
        Location { offset: self.offset, frame: self.index, block: None }
    }
}

/// Walks one stream: is pushed bytes, and answers with events. The [example](crate) is at the top of the crate.
///
/// - Call [`push`](Self::push) with what there is; drop the `consumed` bytes; handle the event; push again.
/// - A step without an event has consumed all of its input: more is needed, which is no error.
/// - What the walker does not need to see ([`skippable`](Self::skippable)) may be jumped over and reported with
///   [`skipped`](Self::skipped).
/// - At the end of the input, push (nothing, if need be) until there is no event, then call [`finish`](Self::finish): it
///   alone tells a complete stream from a truncated one.
/// - Events and errors do not depend on how the input was cut. The first error stays.
#[derive(Clone, Debug)]
pub struct Walker {
    state: State,
    /// Bytes consumed so far. Saturates: a stream of 2^64 bytes is not one that can be pushed.
    offset: u64,
    /// Which frame is being walked, or comes next.
    index: u64,
    /// Where that frame began.
    start: u64,
    /// A header that arrives in pieces.
    gathered: [u8; FRAME_HEADER_SIZE_MAX],
    filled: u8,
    frame: Option<Frame>,
}

const _: () = assert!(size_of::<Walker>() < 256, "the walker's state has grown past what it promises");

#[derive(Clone, Copy, Debug)]
enum State {
    Magic,
    /// No magic number: what follows is read only to give it a name.
    Foreign,
    FrameHeader {
        size: u8,
    },
    BlockHeader,
    /// At least one byte is left.
    BlockContent {
        left: u32,
        last: bool,
    },
    Checksum,
    FrameEnd,
    SkippableHeader {
        variant: u8,
    },
    SkippableContent {
        frame: Skippable,
        left: u32,
    },
    SkippableEnd(Skippable),
    Failed(Error),
}

impl Default for Walker {
    fn default() -> Self {
        Self::new()
    }
}

impl Walker {
    /// A walker at the start of a stream.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: State::Magic,
            offset: 0,
            index: 0,
            start: 0,
            gathered: [0; FRAME_HEADER_SIZE_MAX],
            filled: 0,
            frame: None,
        }
    }

    /// Takes the next bytes of the stream and goes on to the next event, or to their end.
    ///
    /// # Errors
    /// The first rule that the stream breaks; the same one again ever after.
    pub fn push(&mut self, input: &[u8]) -> Result<Step, Error> {
        let mut rest = input;
        let event = self.advance(&mut rest)?;
        Ok(Step { consumed: input.len().saturating_sub(rest.len()), event })
    }

    /// How many of the bytes that come next the walker does not need to see: content of blocks and skippable frames.
    #[must_use]
    pub const fn skippable(&self) -> u64 {
        match self.state {
            State::BlockContent { left, .. } | State::SkippableContent { left, .. } => left as u64,
            _ => 0,
        }
    }

    /// Goes on as if `bytes` bytes had been pushed, at most [`skippable`](Self::skippable) of them, and returns how many
    /// it took. That they exist is the caller's word: one that seeks must compare with the size of its input.
    pub fn skipped(&mut self, bytes: u64) -> u64 {
        let taken = bytes.min(self.skippable());
        self.offset = self.offset.saturating_add(taken);
        let after = |left: u32| left.saturating_sub(u32::try_from(taken).unwrap_or(u32::MAX));
        match self.state {
            State::BlockContent { left, last } => self.expect_content(after(left), last),
            State::SkippableContent { frame, left } => self.expect_skippable_content(after(left), frame),
            _ => {}
        }
        taken
    }

    /// Ends the stream here.
    ///
    /// # Errors
    /// The error that the walk stopped at; else F12 inside a frame, with what is missing; F01 or F02 for the last bytes
    /// where they are too few for a magic number; F13 where there were none at all.
    pub fn finish(&self) -> Result<(), Error> {
        let (part, size) = match self.state {
            State::Failed(error) => return Err(error),
            State::FrameEnd | State::SkippableEnd(_) => return Ok(()),
            State::Magic if self.filled == 0 && self.index > 0 => return Ok(()),
            State::Magic if self.filled == 0 => return Err(self.error(ErrorKind::Empty)),
            State::Magic if Magic::may_begin_with(self.gathered()) => (Part::Magic, MAGIC_SIZE as u64),
            State::Magic | State::Foreign => return Err(self.foreign()),
            State::FrameHeader { size } => (Part::FrameHeader, u64::from(size)),
            State::BlockHeader => (Part::BlockHeader, BLOCK_HEADER_SIZE as u64),
            State::BlockContent { left, .. } => (Part::BlockContent, u64::from(left)),
            State::Checksum => (Part::Checksum, CHECKSUM_SIZE as u64),
            State::SkippableHeader { .. } => (Part::SkippableHeader, SKIPPABLE_HEADER_SIZE as u64),
            State::SkippableContent { left, .. } => (Part::SkippableContent, u64::from(left)),
        };
        let missing = size.saturating_sub(u64::from(self.filled));
        Err(self.error(ErrorKind::Truncated { part, missing }))
    }

    /// How many bytes of the stream were consumed.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// How many frames ended so far, skippable ones included: the index of the one that is walked or comes next.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.index
    }

    /// The frame that is being walked, as far as it is known. After an error it is the frame at fault.
    #[must_use]
    pub const fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// The skippable frame that is being walked.
    #[must_use]
    pub const fn skippable_frame(&self) -> Option<&Skippable> {
        match &self.state {
            State::SkippableContent { frame, .. } | State::SkippableEnd(frame) => Some(frame),
            _ => None,
        }
    }

    /// Where the walk is: the place of what an outer check finds wrong here.
    #[must_use]
    pub fn location(&self) -> Location {
        Location { offset: self.offset, frame: self.index, block: self.block() }
    }

    fn advance(&mut self, rest: &mut &[u8]) -> Result<Option<Event>, Error> {
        loop {
            match self.state {
                State::Magic => {
                    let Some(magic) = self.gather::<MAGIC_SIZE>(rest) else { return Ok(None) };
                    self.start = self.offset.saturating_sub(MAGIC_SIZE as u64);
                    self.state = match Magic::of(magic) {
                        Some(Magic::Zstandard) => State::FrameHeader { size: 5 },
                        Some(Magic::Skippable(variant)) => State::SkippableHeader { variant },
                        None => State::Foreign,
                    };
                }
                State::Foreign => {
                    if self.gather_to(Foreign::SIGNATURE_SIZE, rest) {
                        let error = self.foreign();
                        return Err(self.fail(error));
                    }
                    return Ok(None);
                }
                State::FrameHeader { size } => {
                    if !self.gather_to(usize::from(size), rest) {
                        return Ok(None);
                    }
                    if let Some(event) = self.frame_header()? {
                        return Ok(Some(event));
                    }
                }
                State::BlockHeader => {
                    let Some(bytes) = self.gather::<BLOCK_HEADER_SIZE>(rest) else { return Ok(None) };
                    self.filled = 0;
                    return self.block_header(bytes).map(Some);
                }
                State::BlockContent { left, last } => {
                    let left = self.pass(left, rest);
                    self.expect_content(left, last);
                    if left > 0 {
                        return Ok(None);
                    }
                }
                State::Checksum => {
                    let Some(bytes) = self.gather::<CHECKSUM_SIZE>(rest) else { return Ok(None) };
                    self.filled = 0;
                    if let Some(frame) = &mut self.frame {
                        frame.checksum = Some(u32::from_le_bytes(bytes));
                    }
                    self.state = State::FrameEnd;
                }
                State::FrameEnd => {
                    self.next_frame();
                    // There always is a frame in this state.
                    let Some(frame) = self.frame.take() else { continue };
                    return Ok(Some(Event::FrameEnd(frame)));
                }
                State::SkippableHeader { variant } => {
                    let Some(header) = self.gather::<SKIPPABLE_HEADER_SIZE>(rest) else { return Ok(None) };
                    let [_, _, _, _, size @ ..] = header;
                    let content_size = u32::from_le_bytes(size);
                    let frame = Skippable { index: self.index, offset: self.start, variant, content_size };
                    self.filled = 0;
                    self.expect_skippable_content(content_size, frame);
                    return Ok(Some(Event::SkippableStart(frame)));
                }
                State::SkippableContent { frame, left } => {
                    let left = self.pass(left, rest);
                    self.expect_skippable_content(left, frame);
                    if left > 0 {
                        return Ok(None);
                    }
                }
                State::SkippableEnd(frame) => {
                    self.next_frame();
                    return Ok(Some(Event::SkippableEnd(frame)));
                }
                State::Failed(error) => return Err(error),
            }
        }
    }

    /// Parses the header as far as it was gathered: an event when it is whole.
    fn frame_header(&mut self) -> Result<Option<Event>, Error> {
        match FrameHeader::parse(self.gathered()) {
            Ok(Status::Complete(header)) => {
                let checksum_size = if header.content_checksum() { CHECKSUM_SIZE } else { 0 };
                let frame = Frame {
                    index: self.index,
                    offset: self.start,
                    header,
                    compressed_size: (header.header_size() as u64).saturating_add(checksum_size as u64),
                    blocks: BlockCounts::default(),
                    content: SizeRange::default(),
                    checksum: None,
                    exact_size: None,
                };
                self.frame = Some(frame);
                self.filled = 0;
                self.state = State::BlockHeader;
                Ok(Some(Event::FrameStart(frame)))
            }
            Ok(Status::Partial { needed }) => {
                self.state = State::FrameHeader { size: u8::try_from(needed).unwrap_or(u8::MAX) };
                Ok(None)
            }
            Err(kind) => {
                let at = self.start.saturating_add(MAGIC_SIZE as u64);
                Err(self.fail(Error::new(Location { offset: at, frame: self.index, block: None }, kind)))
            }
        }
    }

    fn block_header(&mut self, bytes: [u8; BLOCK_HEADER_SIZE]) -> Result<Event, Error> {
        let at = Location {
            offset: self.offset.saturating_sub(BLOCK_HEADER_SIZE as u64),
            frame: self.index,
            block: self.block(),
        };
        let checked = match &mut self.frame {
            Some(frame) => frame.admit(bytes),
            // Not reached: a block header is only ever looked for inside of a frame.
            None => Err(ErrorKind::ReservedBlockType),
        };
        let header = checked.map_err(|kind| self.fail(Error::new(at, kind)))?;
        self.expect_content(header.content_size(), header.last);
        Ok(Event::Block(Block { frame: at.frame, index: at.block.unwrap_or(0), offset: at.offset, header }))
    }

    fn expect_content(&mut self, left: u32, last: bool) {
        let checksum = self.frame.is_some_and(|frame| frame.header.content_checksum());
        self.state = match (left, last) {
            (1.., _) => State::BlockContent { left, last },
            (0, false) => State::BlockHeader,
            (0, true) if checksum => State::Checksum,
            (0, true) => State::FrameEnd,
        };
    }

    fn expect_skippable_content(&mut self, left: u32, frame: Skippable) {
        self.state = match left {
            1.. => State::SkippableContent { frame, left },
            0 => State::SkippableEnd(frame),
        };
    }

    /// Gathers a field of fixed size. The bytes before it that belong to it may already be there.
    fn gather<const N: usize>(&mut self, rest: &mut &[u8]) -> Option<[u8; N]> {
        if self.gather_to(N, rest) { self.gathered.first_chunk().copied() } else { None }
    }

    fn gather_to(&mut self, size: usize, rest: &mut &[u8]) -> bool {
        let filled = usize::from(self.filled);
        let room = self.gathered.get_mut(filled..size).unwrap_or_default();
        let taken = room.len().min(rest.len());
        let (now, later) = rest.split_at(taken);
        for (to, &from) in room.iter_mut().zip(now) {
            *to = from;
        }
        *rest = later;
        self.offset = self.offset.saturating_add(taken as u64);
        let filled = filled.saturating_add(taken);
        self.filled = u8::try_from(filled).unwrap_or(u8::MAX);
        filled >= size
    }

    fn gathered(&self) -> &[u8] {
        self.gathered.get(..usize::from(self.filled)).unwrap_or_default()
    }

    /// Consumes up to `left` bytes unseen, and returns how many are still to come.
    fn pass(&mut self, left: u32, rest: &mut &[u8]) -> u32 {
        let taken = rest.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        *rest = rest.get(taken..).unwrap_or_default();
        self.offset = self.offset.saturating_add(taken as u64);
        left.saturating_sub(u32::try_from(taken).unwrap_or(u32::MAX))
    }

    fn next_frame(&mut self) {
        self.state = State::Magic;
        self.filled = 0;
        self.index = self.index.saturating_add(1);
        self.start = self.offset;
    }

    /// The block that is being walked, or comes next.
    fn block(&self) -> Option<u64> {
        let blocks = self.frame.as_ref()?.blocks.total();
        match self.state {
            State::BlockHeader => Some(blocks),
            State::BlockContent { .. } => Some(blocks.saturating_sub(1)),
            _ => None,
        }
    }

    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(self.location(), kind)
    }

    /// No magic number where a frame must begin: after a frame that is F01, at the start of the stream F02.
    fn foreign(&self) -> Error {
        let looks_like = Foreign::of(self.gathered());
        let at =
            Location { offset: self.offset.saturating_sub(u64::from(self.filled)), frame: self.index, block: None };
        Error::new(
            at,
            if self.index == 0 { ErrorKind::NotZstd { looks_like } } else { ErrorKind::TrailingBytes { looks_like } },
        )
    }

    fn fail(&mut self, error: Error) -> Error {
        self.state = State::Failed(error);
        error
    }
}

impl Frame {
    /// Takes one more block into the frame, if the rules allow it.
    fn admit(&mut self, bytes: [u8; BLOCK_HEADER_SIZE]) -> Result<BlockHeader, ErrorKind> {
        let block = BlockHeader::parse(bytes)?;
        let maximum = self.header.block_maximum_size();
        block.check(maximum)?;
        let content = self.content.plus(block.regenerated_size(maximum));
        if let Some(declared) = self.header.content_size() {
            let exceeded = content.low > declared;
            let fallen_short = block.last && content.high < declared;
            if exceeded || fallen_short {
                return Err(ErrorKind::ContentSize { declared, content });
            }
        }
        self.content = content;
        self.blocks.count(block.kind);
        let stored = (BLOCK_HEADER_SIZE as u64).saturating_add(u64::from(block.content_size()));
        self.compressed_size = self.compressed_size.saturating_add(stored);
        Ok(block)
    }
}
