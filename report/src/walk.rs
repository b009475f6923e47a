//! A walker of either depth.

use core::borrow::BorrowMut;

use zvet_core::entropy::{Depth, Dictionaries, EntropyWalker, Workspace};
use zvet_core::{Decode, Error, ErrorKind, Frame, Skippable, Step, Walker};

use crate::report::{FrameReport, ZstandardReport};

/// A walker, with or without a look inside of blocks. The protocol is that of [`Walker`].
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of them in a walk")]
pub enum Walk<W, B, D = ()> {
    /// Frames and headers.
    Envelope(Walker),
    /// And the inside of compressed blocks.
    Inside(EntropyWalker<W, B, D>),
}

/// What a look inside of blocks found beside an event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Insight {
    /// What the blocks of the frame at hand make, if they are looked into.
    pub made: Option<u64>,
    /// Why a frame could not be decided without a dictionary. It is told once.
    pub undecided: Option<Error>,
}

impl<W, B, D> Walk<W, B, D>
where
    W: BorrowMut<Workspace>,
    B: AsMut<[u8]>,
    D: Dictionaries,
{
    /// A walk over frames and headers.
    #[must_use]
    pub const fn envelope() -> Self {
        Self::Envelope(Walker::new())
    }

    /// A walk that looks inside of blocks, too.
    #[must_use]
    pub const fn inside(depth: Depth, workspace: W, buffer: B, dictionaries: D) -> Self {
        Self::Inside(EntropyWalker::new(depth, workspace, buffer, dictionaries))
    }

    /// As [`Walker::push`].
    ///
    /// # Errors
    /// The first rule that the stream breaks.
    pub fn push(&mut self, input: &[u8]) -> Result<Step, Error> {
        match self {
            Self::Envelope(walker) => walker.push(input),
            Self::Inside(walker) => walker.push(input),
        }
    }

    /// As [`Walker::skippable`].
    #[must_use]
    pub const fn skippable(&self) -> u64 {
        match self {
            Self::Envelope(walker) => walker.skippable(),
            Self::Inside(walker) => walker.skippable(),
        }
    }

    /// As [`Walker::skipped`].
    pub fn skipped(&mut self, bytes: u64) -> u64 {
        match self {
            Self::Envelope(walker) => walker.skipped(bytes),
            Self::Inside(walker) => walker.skipped(bytes),
        }
    }

    /// As [`Walker::finish`]; where `allow_empty` is set, no input at all is a stream of no frames.
    ///
    /// # Errors
    /// As [`Walker::finish`].
    pub fn finish(&self, allow_empty: bool) -> Result<(), Error> {
        let result = match self {
            Self::Envelope(walker) => walker.finish(),
            Self::Inside(walker) => walker.finish(),
        };
        match result {
            Err(error) if allow_empty && matches!(error.kind, ErrorKind::Empty) => Ok(()),
            result => result,
        }
    }

    /// How many bytes of the stream were walked.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        match self {
            Self::Envelope(walker) => walker.offset(),
            Self::Inside(walker) => walker.offset(),
        }
    }

    /// As [`Walker::frame`].
    #[must_use]
    pub const fn frame(&self) -> Option<&Frame> {
        match self {
            Self::Envelope(walker) => walker.frame(),
            Self::Inside(walker) => walker.frame(),
        }
    }

    const fn skippable_frame(&self) -> Option<&Skippable> {
        match self {
            Self::Envelope(walker) => walker.skippable_frame(),
            Self::Inside(walker) => walker.skippable_frame(),
        }
    }

    /// What was found inside of blocks since the last call. To be asked at each event.
    pub fn insight(&mut self) -> Insight {
        match self {
            Self::Envelope(_) => Insight::default(),
            Self::Inside(walker) => Insight { made: walker.made(), undecided: walker.undecided() },
        }
    }

    /// The frame that an error cut short, as far as it was there. `classify` says how it may be decoded.
    pub fn unfinished(&self, classify: impl FnOnce(&Frame) -> Decode) -> Option<FrameReport> {
        let offset = self.offset();
        if let Some(frame) = self.frame() {
            return Some(FrameReport::Zstandard(ZstandardReport::incomplete(*frame, offset, classify(frame))));
        }
        self.skippable_frame().map(|frame| FrameReport::incomplete_skippable(*frame, offset))
    }
}
