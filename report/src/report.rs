//! What is said of a stream: frame by frame as it is walked, and in sum.

use core::fmt;

use zvet_core::{Bounds, Class, Decode, Frame, Reason, SizeRange, Skippable};

use crate::fault::Fault;

/// How deep a stream is checked. Each level includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Frames, headers, block headers and sizes. Three bytes a block are looked at.
    Envelope,
    /// All inside of compressed blocks: section headers, tables, every bitstream to its exact end, every offset, the exact
    /// size. What passes decodes: only a checksum can still fail.
    Entropy,
    /// The decoded content, against declared sizes and checksums.
    Content,
}

impl Level {
    /// `envelope`, `entropy`, `content`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Envelope => "envelope",
            Self::Entropy => "entropy",
            Self::Content => "content",
        }
    }
}

/// Its name.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StreamVerdict {
    /// Valid at the level it was checked at, and within the limits.
    Valid,
    /// Not a valid stream.
    Invalid,
    /// Valid as far as it was read, and over a limit.
    OverLimit,
    /// Undecidable without a dictionary that was not given.
    NeedsDictionary,
    /// It could not be read, or the engine that decodes it broke down: nothing is known of it.
    Unreadable,
}

impl StreamVerdict {
    /// `valid`, `invalid`, `over-limit`, `needs-dictionary`, `unreadable`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::OverLimit => "over-limit",
            Self::NeedsDictionary => "needs-dictionary",
            Self::Unreadable => "unreadable",
        }
    }
}

/// Its name.
impl fmt::Display for StreamVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl StreamVerdict {
    /// What an error makes of the stream.
    #[must_use]
    pub fn of(error: &impl Fault) -> Self {
        match error.class() {
            Some(Class::OverLimit) => Self::OverLimit,
            Some(Class::NeedsDictionary) => Self::NeedsDictionary,
            Some(_) => Self::Invalid,
            None => Self::Unreadable,
        }
    }

    /// Which of two outweighs the other: unreadable, invalid, over a limit, needs a dictionary, valid.
    fn weight(self) -> u8 {
        match self {
            Self::Valid => 0,
            Self::NeedsDictionary => 1,
            Self::OverLimit => 2,
            Self::Invalid => 3,
            Self::Unreadable => 4,
        }
    }
}

/// A frame of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameReport {
    /// A Zstandard frame.
    Zstandard(ZstandardReport),
    /// A skippable frame.
    Skippable {
        /// The frame.
        frame: Skippable,
        /// How much of it was there.
        compressed_size: u64,
        /// Whether it was there to its end.
        complete: bool,
    },
}

/// What is said of a Zstandard frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZstandardReport {
    /// The frame.
    pub frame: Frame,
    /// How much of it was there: its whole size where it is complete.
    pub compressed_size: u64,
    /// Whether it was there to its end. One that is not was cut short by the error of the report.
    pub complete: bool,
    /// What it decodes to: exact once it was decoded.
    pub decoded_size: SizeRange,
    /// How it may be decoded.
    pub decode: Decode,
}

impl ZstandardReport {
    /// The report on a frame that was there to its end.
    #[must_use]
    pub const fn complete(frame: Frame, decode: Decode) -> Self {
        let (compressed_size, decoded_size) = (frame.compressed_size, frame.decoded_size());
        Self { frame, compressed_size, complete: true, decoded_size, decode }
    }

    /// The report on a frame that was cut short at an offset of the stream.
    #[must_use]
    pub fn incomplete(frame: Frame, offset: u64, decode: Decode) -> Self {
        let compressed_size = frame.compressed_size.min(offset.saturating_sub(frame.offset));
        Self { compressed_size, complete: false, ..Self::complete(frame, decode) }
    }

    /// What decoding the frame takes in memory, in bytes: its window and, when it is held whole, its input and output; when
    /// it is not, two blocks. What an engine takes besides is for the engine to say.
    #[must_use]
    pub fn memory(&self) -> u64 {
        let window = self.frame.header.window_size();
        match self.decode {
            Decode::Parallel(_) => {
                window.saturating_add(self.frame.compressed_size).saturating_add(self.decoded_size.high)
            }
            Decode::Serial(_) => window.saturating_add(2 * u64::from(self.frame.header.block_maximum_size())),
        }
    }
}

impl FrameReport {
    /// Where the frame begins.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        match self {
            Self::Zstandard(report) => report.frame.offset,
            Self::Skippable { frame, .. } => frame.offset,
        }
    }

    /// The report on a skippable frame that was there to its end.
    #[must_use]
    pub const fn complete_skippable(frame: Skippable) -> Self {
        Self::Skippable { frame, compressed_size: frame.compressed_size(), complete: true }
    }

    /// The report on a skippable frame that was cut short at an offset of the stream.
    #[must_use]
    pub const fn incomplete_skippable(frame: Skippable, offset: u64) -> Self {
        Self::Skippable { frame, compressed_size: offset.saturating_sub(frame.offset), complete: false }
    }
}

/// How a frame may be decoded, with the dictionaries of these ids at hand.
#[must_use]
pub fn classify(bounds: &Bounds, dictionary_ids: &[u32], frame: &Frame) -> Decode {
    match frame.check_dictionary(dictionary_ids) {
        Ok(()) => bounds.classify(frame),
        Err(_) => Decode::Serial(Reason::Dictionary),
    }
}

/// Sums over the frames of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Zstandard frames.
    pub frames: u64,
    /// Skippable frames.
    pub skippable: u64,
    /// Blocks.
    pub blocks: u64,
    /// What the stream decodes to.
    pub decoded_size: SizeRange,
    /// The largest window.
    pub window_max: u64,
    /// The most that decoding one frame takes, see [`ZstandardReport::memory`].
    pub memory: u64,
}

impl Totals {
    const NONE: Self =
        Self { frames: 0, skippable: 0, blocks: 0, decoded_size: SizeRange::exactly(0), window_max: 0, memory: 0 };
}

/// What is said of a stream as a whole. `E` is what may be wrong with it: the core's error where it is only walked.
#[derive(Clone, Debug)]
pub struct Report<E> {
    /// How deep it was checked.
    pub level: Level,
    /// What it is.
    pub verdict: StreamVerdict,
    /// Why it is not valid. Where there are several reasons, this is the weightiest: what is invalid outweighs what is
    /// over a limit, and that what needs a dictionary.
    pub error: Option<E>,
    /// How many bytes of it were walked: all of them where it is valid.
    pub size: u64,
    /// Sums over its frames.
    pub totals: Totals,
}

impl<E: Fault + Clone> Report<E> {
    /// The report on a stream that could not even be opened.
    #[must_use]
    pub fn unreadable(level: Level, error: E) -> Self {
        let mut tally = Tally::new(level);
        tally.error(error);
        tally.finish(0)
    }
}

/// Gathers a report while a stream is walked.
#[derive(Debug)]
pub struct Tally<E> {
    report: Report<E>,
}

impl<E: Fault + Clone> Tally<E> {
    /// Nothing was seen, and nothing is wrong.
    #[must_use]
    pub const fn new(level: Level) -> Self {
        let totals = Totals::NONE;
        Self { report: Report { level, verdict: StreamVerdict::Valid, error: None, size: 0, totals } }
    }

    /// Adds a frame, also one that an error cut short.
    pub fn frame(&mut self, report: &FrameReport) {
        let totals = &mut self.report.totals;
        match report {
            FrameReport::Zstandard(report) => {
                totals.frames += 1;
                totals.blocks = totals.blocks.saturating_add(report.frame.blocks.total());
                totals.decoded_size = totals.decoded_size.plus(report.decoded_size);
                totals.window_max = totals.window_max.max(report.frame.header.window_size());
                totals.memory = totals.memory.max(report.memory());
            }
            FrameReport::Skippable { .. } => totals.skippable += 1,
        }
    }

    /// Notes an error. The weightiest stays, of equals the first.
    pub fn error(&mut self, error: E) {
        let verdict = StreamVerdict::of(&error);
        if verdict.weight() > self.report.verdict.weight() {
            self.report.verdict = verdict;
            self.report.error = Some(error);
        }
    }

    /// Sums over the frames so far.
    #[must_use]
    pub const fn totals(&self) -> Totals {
        self.report.totals
    }

    /// The report on a stream of which this many bytes were walked.
    #[must_use]
    pub fn finish(&self, size: u64) -> Report<E> {
        Report { size, ..self.report.clone() }
    }
}
