//! One error type: where, and which rule. Rule ids are stable; `SPEC-NOTES.md` lists them.

use core::fmt;

use crate::{Foreign, SizeRange};

/// Where in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The byte at which the broken field begins; where input is missing, the size of what there is.
    pub offset: u64,
    /// Which frame, counted from 0, skippable ones included.
    pub frame: u64,
    /// Which block of the frame, counted from 0; `None` outside of blocks.
    pub block: Option<u64>,
}

/// `frame 3, block 17, byte 6699`.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {}, ", self.frame)?;
        if let Some(block) = self.block {
            write!(f, "block {block}, ")?;
        }
        write!(f, "byte {}", self.offset)
    }
}

/// The first rule that a stream breaks, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Error {
    /// Where.
    pub at: Location,
    /// What.
    pub kind: ErrorKind,
}

impl Error {
    /// An error at a place.
    #[must_use]
    pub const fn new(at: Location, kind: ErrorKind) -> Self {
        Self { at, kind }
    }

    /// The stable id of the rule: `B02`.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        self.kind.rule()
    }

    /// What the error says of the stream.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.kind.class()
    }
}

/// `frame 3, block 17, byte 6699: block type 3 is reserved (B02)`.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.at, self.kind, self.rule())
    }
}

impl core::error::Error for Error {}

/// What an error says of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// It is not a valid stream.
    Invalid,
    /// It may well be valid, and asks for more than the caller allows.
    OverLimit,
    /// Nothing can be said without a dictionary.
    NeedsDictionary,
}

/// The part of a stream in which its input ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A magic number.
    Magic,
    /// A frame header.
    FrameHeader,
    /// A block header: the last block is still to come.
    BlockHeader,
    /// The content of a block.
    BlockContent,
    /// The content checksum.
    Checksum,
    /// The header of a skippable frame.
    SkippableHeader,
    /// The content of a skippable frame.
    SkippableContent,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Magic => "magic number",
            Self::FrameHeader => "frame header",
            Self::BlockHeader => "block header",
            Self::BlockContent => "block content",
            Self::Checksum => "content checksum",
            Self::SkippableHeader => "skippable frame header",
            Self::SkippableContent => "skippable frame content",
        })
    }
}

/// Which rule is broken, with the values that broke it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// F01: bytes follow a frame that are no frame.
    TrailingBytes {
        /// What they look like.
        looks_like: Foreign,
    },
    /// F02: the stream does not begin with a frame.
    NotZstd {
        /// What it looks like.
        looks_like: Foreign,
    },
    /// F04: `Reserved_bit` of the descriptor is set.
    ReservedBit,
    /// F09: the blocks cannot make, or did not make, what `Frame_Content_Size` declares.
    ContentSize {
        /// What the header declares.
        declared: u64,
        /// What the blocks make: up to the block at fault, or, in the last block, all of them.
        content: SizeRange,
    },
    /// F10: `Content_Checksum` is not that of the content.
    Checksum {
        /// What the frame says.
        stored: u32,
        /// What the content has.
        computed: u32,
    },
    /// F12: the input ends inside a frame.
    Truncated {
        /// Where it ends.
        part: Part,
        /// How many bytes of that part are missing. More may be missing after it.
        missing: u64,
    },
    /// F13: there is no input at all.
    Empty,
    /// B02: `Block_Type` 3.
    ReservedBlockType,
    /// B03: a block stores or regenerates more than `Block_Maximum_Size`.
    BlockTooLarge {
        /// Its size.
        size: u32,
        /// The frame's `Block_Maximum_Size`.
        maximum: u32,
    },
    /// B05: a compressed block of fewer than two bytes.
    BlockTooSmall {
        /// Its size.
        size: u32,
    },
    /// X01: a window larger than [`Limits::window`](crate::Limits::window).
    WindowOverLimit {
        /// `Window_Size` of the frame.
        window: u64,
        /// The limit.
        limit: u64,
    },
    /// X02: more output than [`Limits::output`](crate::Limits::output).
    OutputOverLimit {
        /// The output so far, with what the frame at hand is known to make.
        output: u64,
        /// The limit.
        limit: u64,
    },
    /// X03: more output for its input than [`Limits::ratio`](crate::Limits::ratio).
    RatioOverLimit {
        /// The output so far.
        output: u64,
        /// What the input so far allows.
        limit: u64,
    },
    /// X04: more frames than [`Limits::frames`](crate::Limits::frames).
    FramesOverLimit {
        /// The limit.
        limit: u64,
    },
    /// D01: the frame names a dictionary that was not given.
    UnknownDictionary {
        /// `Dictionary_ID` of the frame.
        id: u32,
    },
}

impl ErrorKind {
    /// The stable id of the rule.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::TrailingBytes { .. } => "F01",
            Self::NotZstd { .. } => "F02",
            Self::ReservedBit => "F04",
            Self::ContentSize { .. } => "F09",
            Self::Checksum { .. } => "F10",
            Self::Truncated { .. } => "F12",
            Self::Empty => "F13",
            Self::ReservedBlockType => "B02",
            Self::BlockTooLarge { .. } => "B03",
            Self::BlockTooSmall { .. } => "B05",
            Self::WindowOverLimit { .. } => "X01",
            Self::OutputOverLimit { .. } => "X02",
            Self::RatioOverLimit { .. } => "X03",
            Self::FramesOverLimit { .. } => "X04",
            Self::UnknownDictionary { .. } => "D01",
        }
    }

    /// What the error says of the stream.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::WindowOverLimit { .. }
            | Self::OutputOverLimit { .. }
            | Self::RatioOverLimit { .. }
            | Self::FramesOverLimit { .. } => Class::OverLimit,
            Self::UnknownDictionary { .. } => Class::NeedsDictionary,
            _ => Class::Invalid,
        }
    }
}

/// One phrase, without place and rule id: `block type 3 is reserved`.
impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TrailingBytes { looks_like: Foreign::Unknown } => {
                f.write_str("the bytes after the last frame are not a frame")
            }
            Self::TrailingBytes { looks_like } => {
                write!(f, "the bytes after the last frame are not a frame: they look like {looks_like}")
            }
            Self::NotZstd { looks_like: Foreign::Unknown } => f.write_str("not zstd: no magic number"),
            Self::NotZstd { looks_like } => write!(f, "not zstd: looks like {looks_like}"),
            Self::ReservedBit => f.write_str("the reserved bit of the frame header is set"),
            Self::ContentSize { declared, content } => {
                write!(f, "the frame declares {declared} bytes and holds ")?;
                match content.exact() {
                    Some(size) => write!(f, "{size}"),
                    None if content.low > declared => write!(f, "at least {}", content.low),
                    None => write!(f, "at most {}", content.high),
                }
            }
            Self::Checksum { stored, computed } => {
                write!(f, "the content checksum is {stored:08x}, but the content has {computed:08x}")
            }
            Self::Truncated { part, missing } => {
                let s = if missing == 1 { "" } else { "s" };
                write!(f, "the input ends in the middle of a frame: {missing} byte{s} of {part} missing")
            }
            Self::Empty => f.write_str("the input is empty: not even one frame"),
            Self::ReservedBlockType => f.write_str("block type 3 is reserved"),
            Self::BlockTooLarge { size, maximum } => {
                write!(f, "a block of {size} bytes is over the frame's block maximum of {maximum}")
            }
            Self::BlockTooSmall { size } => write!(
                f,
                "a compressed block of {size} byte{} is too small to be one",
                if size == 1 { "" } else { "s" }
            ),
            Self::WindowOverLimit { window, limit } => {
                write!(f, "the window of {window} bytes is over the limit of {limit}")
            }
            Self::OutputOverLimit { output, limit } => {
                write!(f, "the output of at least {output} bytes is over the limit of {limit}")
            }
            Self::RatioOverLimit { output, limit } => {
                write!(f, "the output of at least {output} bytes is over the {limit} that its input allows")
            }
            Self::FramesOverLimit { limit } => write!(f, "the stream has more than {limit} frames"),
            Self::UnknownDictionary { id } => write!(f, "the frame needs dictionary {id}, which was not given"),
        }
    }
}
