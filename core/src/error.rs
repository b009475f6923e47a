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
#[non_exhaustive]
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
#[non_exhaustive]
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
    /// L01: the block ends inside of the header of its literals.
    LiteralsHeader,
    /// L02: more literals than the block maximum.
    LiteralsTooMany {
        /// `Regenerated_Size`.
        size: u32,
        /// The frame's `Block_Maximum_Size`.
        maximum: u32,
    },
    /// L03: literals take more room than the block has.
    LiteralsSize,
    /// L04: Huffman-coded literals without a stream.
    LiteralsWithoutStream,
    /// L05: four streams for fewer than six literals.
    LiteralsTooFew {
        /// `Regenerated_Size`.
        size: u32,
    },
    /// L06: the jump table leaves a stream without bytes, or takes more than there are.
    JumpTable,
    /// L07: treeless literals, and no tree before.
    TreelessFirst,
    /// L08: the block ends inside of the description of its Huffman tree.
    HuffmanTree,
    /// L09: weights that make no tree, or one deeper than 11 bits, or one without two symbols of weight 1.
    HuffmanWeights,
    /// L10: FSE-coded weights whose table or stream is broken, or which are more than 255.
    HuffmanWeightsStream,
    /// L11: a stream of literals that has no end mark, or more or fewer bits than its literals take.
    LiteralsStream,
    /// S01: the block ends inside of the header of its sequences.
    SequencesHeader,
    /// S01: bytes follow the count of no sequences.
    AfterNoSequences,
    /// S02: reserved bits of the compression modes are set.
    ReservedModes,
    /// S03: a table is to be used again, and there is none before.
    RepeatFirst,
    /// S04: the one symbol of a table is past its alphabet.
    RleSymbol {
        /// The symbol.
        symbol: u8,
        /// The last one of the alphabet.
        maximum: u8,
    },
    /// S05: a table of more states than its kind may have.
    AccuracyLog {
        /// `Accuracy_Log`.
        accuracy_log: u8,
        /// The most there may be.
        maximum: u8,
    },
    /// S06: probabilities that do not make a table.
    FseTable,
    /// S07: a stream of sequences that has no end mark, or more or fewer bits than its sequences take.
    SequencesStream,
    /// S08: a sequence takes more literals than are left.
    LiteralsLength {
        /// What it takes.
        length: u32,
        /// What is left.
        left: u32,
    },
    /// S09: an offset of zero.
    ZeroOffset,
    /// S10: an offset past what the frame has made, its window, or its dictionary.
    OffsetTooFar {
        /// The offset.
        offset: u64,
        /// How far back there is something.
        reach: u64,
    },
    /// S10: an offset to before the frame.
    OffsetBeforeFrame {
        /// The offset.
        offset: u64,
        /// What the frame has made.
        made: u64,
    },
    /// S11: a compressed block makes more than the block maximum.
    BlockMakesTooMuch {
        /// The frame's `Block_Maximum_Size`.
        maximum: u32,
    },
    /// K03: a formatted dictionary that is none.
    Dictionary,
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
    /// X05: a block that is larger than the buffer that it must be gathered in.
    BlockOverBuffer {
        /// `Block_Size`.
        size: u32,
        /// The buffer's size.
        buffer: u64,
    },
    /// D02: a block refers to what comes before its frame. No dictionary was given, and without one there is no telling
    /// whether the frame is damaged.
    NeedsDictionary,
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
            Self::LiteralsHeader => "L01",
            Self::LiteralsTooMany { .. } => "L02",
            Self::LiteralsSize => "L03",
            Self::LiteralsWithoutStream => "L04",
            Self::LiteralsTooFew { .. } => "L05",
            Self::JumpTable => "L06",
            Self::TreelessFirst => "L07",
            Self::HuffmanTree => "L08",
            Self::HuffmanWeights => "L09",
            Self::HuffmanWeightsStream => "L10",
            Self::LiteralsStream => "L11",
            Self::SequencesHeader | Self::AfterNoSequences => "S01",
            Self::ReservedModes => "S02",
            Self::RepeatFirst => "S03",
            Self::RleSymbol { .. } => "S04",
            Self::AccuracyLog { .. } => "S05",
            Self::FseTable => "S06",
            Self::SequencesStream => "S07",
            Self::LiteralsLength { .. } => "S08",
            Self::ZeroOffset => "S09",
            Self::OffsetTooFar { .. } | Self::OffsetBeforeFrame { .. } => "S10",
            Self::BlockMakesTooMuch { .. } => "S11",
            Self::Dictionary => "K03",
            Self::WindowOverLimit { .. } => "X01",
            Self::OutputOverLimit { .. } => "X02",
            Self::RatioOverLimit { .. } => "X03",
            Self::FramesOverLimit { .. } => "X04",
            Self::BlockOverBuffer { .. } => "X05",
            Self::UnknownDictionary { .. } => "D01",
            Self::NeedsDictionary => "D02",
        }
    }

    /// What the error says of the stream.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::WindowOverLimit { .. }
            | Self::OutputOverLimit { .. }
            | Self::RatioOverLimit { .. }
            | Self::FramesOverLimit { .. }
            | Self::BlockOverBuffer { .. } => Class::OverLimit,
            Self::UnknownDictionary { .. } | Self::NeedsDictionary => Class::NeedsDictionary,
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
                write!(f, "a block takes or makes {size} bytes, over the frame's block maximum of {maximum}")
            }
            Self::BlockTooSmall { size } => write!(
                f,
                "a compressed block of {size} byte{} is too small to be one",
                if size == 1 { "" } else { "s" }
            ),
            Self::LiteralsHeader => f.write_str("the block ends inside of the header of its literals"),
            Self::LiteralsTooMany { size, maximum } => {
                write!(f, "{size} literals are over the frame's block maximum of {maximum}")
            }
            Self::LiteralsSize => f.write_str("the literals take more room than the block has"),
            Self::LiteralsWithoutStream => f.write_str("the Huffman-coded literals have no stream"),
            Self::LiteralsTooFew { size } => {
                write!(f, "four streams of literals for {size} of them: six are the fewest")
            }
            Self::JumpTable => f.write_str("the jump table does not fit the streams of literals"),
            Self::TreelessFirst => f.write_str("treeless literals, and no Huffman tree before"),
            Self::HuffmanTree => f.write_str("the block ends inside of its Huffman tree"),
            Self::HuffmanWeights => f.write_str("the weights make no Huffman tree"),
            Self::HuffmanWeightsStream => f.write_str("the coded weights of the Huffman tree are broken"),
            Self::LiteralsStream => f.write_str("a stream of literals does not end where its literals do"),
            Self::SequencesHeader => f.write_str("the block ends inside of the header of its sequences"),
            Self::AfterNoSequences => f.write_str("bytes follow the count of no sequences"),
            Self::ReservedModes => f.write_str("reserved bits of the compression modes are set"),
            Self::RepeatFirst => f.write_str("a table is to be used again, and there is none before"),
            Self::RleSymbol { symbol, maximum } => write!(f, "code {symbol} is past the last one, {maximum}"),
            Self::AccuracyLog { accuracy_log, maximum } => {
                write!(f, "a table with an accuracy log of {accuracy_log}: the largest is {maximum}")
            }
            Self::FseTable => f.write_str("the probabilities do not make a table"),
            Self::SequencesStream => f.write_str("the stream of sequences does not end where they do"),
            Self::LiteralsLength { length, left } => {
                write!(f, "a sequence takes {length} literals, and {left} are left")
            }
            Self::ZeroOffset => f.write_str("a match with an offset of 0"),
            Self::OffsetTooFar { offset, reach } => {
                write!(f, "a match with an offset of {offset}, and {reach} bytes are in reach")
            }
            Self::OffsetBeforeFrame { offset, made } => {
                write!(f, "a match with an offset of {offset}, {made} bytes into the frame")
            }
            Self::BlockMakesTooMuch { maximum } => {
                write!(f, "the block makes more than the frame's block maximum of {maximum}")
            }
            Self::Dictionary => f.write_str("no id but 0, or cut short, or repeat offsets past its content"),
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
            Self::BlockOverBuffer { size, buffer } => {
                write!(f, "the block of {size} bytes has no room in a buffer of {buffer}")
            }
            Self::NeedsDictionary => f.write_str(
                "the block refers to what is not in its frame: it is damaged, or needs a dictionary that was not given",
            ),
            Self::UnknownDictionary { id } => write!(f, "the frame needs dictionary {id}, which was not given"),
        }
    }
}
