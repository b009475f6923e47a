//! What the caller allows. [`Bounds`] are for decoding frames beside each other; [`Limits`] are for decoding at all.

use crate::block::Block;
use crate::consts::BLOCK_HEADER_SIZE;
use crate::error::{Error, ErrorKind, Location};
use crate::verdict::{Decode, Proof, Reason};
use crate::walk::{Event, Frame};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// How much of one frame may be held whole, to be decoded beside others. A frame past them is decoded alone, as a
/// stream. Start from a preset and set what differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The largest `Window_Size`, in bytes.
    pub window: u64,
    /// The largest decoded frame, in bytes.
    pub output: u64,
    /// The largest frame in the stream, in bytes.
    pub input: u64,
    /// The most blocks in a frame.
    pub blocks: u64,
}

impl Bounds {
    const fn of_size(size: u64, blocks: u64) -> Self {
        Self { window: size, output: size, input: size, blocks }
    }

    /// 16 MiB of window, output and input, 65,536 blocks: an encoder of today splits 16 MiB into 25,000 at most.
    pub const SNAPSHOT: Self = Self::of_size(16 * MIB, 65_536);
    /// As [`SNAPSHOT`](Self::SNAPSHOT).
    pub const CLI: Self = Self::SNAPSHOT;
    /// 8 MiB of window, output and input, 32,768 blocks.
    pub const WEB: Self = Self::of_size(8 * MIB, 32_768);
    /// 128 KiB of window, output and input, 512 blocks.
    pub const EMBEDDED: Self = Self::of_size(128 * KIB, 512);
    /// As [`SNAPSHOT`](Self::SNAPSHOT): bounds cost speed, never validity. (What a ratio limits is what is handed on: a frame
    /// that is held is judged whole, a serial one as it comes.)
    pub const UNLIMITED: Self = Self::SNAPSHOT;

    /// What rules out, for good, that the frame be held whole. More blocks never make it fit again, so a caller that
    /// holds a frame while it arrives may stop at the first reason.
    #[must_use]
    pub const fn ruled_out(&self, frame: &Frame) -> Option<Reason> {
        let least = match frame.header.content_size() {
            Some(declared) => declared,
            None => frame.content.low,
        };
        if frame.header.window_size() > self.window {
            Some(Reason::Window)
        } else if least > self.output {
            Some(Reason::Output)
        } else if frame.compressed_size > self.input {
            Some(Reason::Input)
        } else if frame.blocks.total() > self.blocks {
            Some(Reason::Blocks)
        } else {
            None
        }
    }

    /// How a whole frame may be decoded: the cheapest proof that it fits, or the first reason that it does not.
    #[must_use]
    pub const fn classify(&self, frame: &Frame) -> Decode {
        if let Some(reason) = self.ruled_out(frame) {
            Decode::Serial(reason)
        } else if frame.content.high <= self.output {
            Decode::Parallel(Proof::Bound)
        } else if frame.header.content_size().is_some() {
            Decode::Parallel(Proof::Declared)
        } else if let Some(size) = frame.exact_size
            && size <= self.output
        {
            Decode::Parallel(Proof::Walked)
        } else {
            Decode::Serial(Reason::Output)
        }
    }
}

/// As [`SNAPSHOT`](Self::SNAPSHOT).
impl Default for Bounds {
    fn default() -> Self {
        Self::SNAPSHOT
    }
}

/// How much output some input may make: `slack + factor x input`, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// What any input may make.
    pub slack: u64,
    /// What every byte of input adds.
    pub factor: u64,
}

impl Ratio {
    /// What `input` bytes may make. Saturates.
    #[must_use]
    pub const fn allowed(self, input: u64) -> u64 {
        self.slack.saturating_add(self.factor.saturating_mul(input))
    }
}

/// What may be decoded at all. A stream past them is refused, valid or not. Start from a preset and set what differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest `Window_Size`, in bytes; it is what decoding takes in memory.
    pub window: u64,
    /// The most output of the whole stream, in bytes.
    pub output: u64,
    /// The most output for its input, at every point of the stream: a stream that begins with much output for little input is
    /// refused there, whatever comes later.
    pub ratio: Option<Ratio>,
    /// The most frames, skippable ones included.
    pub frames: u64,
}

impl Limits {
    /// Window 128 MiB. Output and ratio are free: a zeroed image legally shrinks 32,768 times, and memory does not grow
    /// with it.
    pub const SNAPSHOT: Self = Self { window: 128 * MIB, ..Self::UNLIMITED };
    /// Window 128 MiB, as the zstd command.
    pub const CLI: Self = Self::SNAPSHOT;
    /// Window 8 MiB (RFC 9659), output 256 MiB, ratio 16 MiB + 1,024 x input, 65,536 frames.
    pub const WEB: Self = Self {
        window: 8 * MIB,
        output: 256 * MIB,
        ratio: Some(Ratio { slack: 16 * MIB, factor: 1024 }),
        frames: 65_536,
    };
    /// Window 128 KiB, output 16 MiB, ratio 1 MiB + 1,024 x input, 4,096 frames.
    pub const EMBEDDED: Self =
        Self { window: 128 * KIB, output: 16 * MIB, ratio: Some(Ratio { slack: MIB, factor: 1024 }), frames: 4096 };
    /// None: any valid stream passes, and memory is what its window asks for.
    pub const UNLIMITED: Self = Self { window: u64::MAX, output: u64::MAX, ratio: None, frames: u64::MAX };
}

/// As [`SNAPSHOT`](Self::SNAPSHOT).
impl Default for Limits {
    fn default() -> Self {
        Self::SNAPSHOT
    }
}

/// [`Limits`], and what a stream has spent of them so far.
///
/// A walk that does not decode calls [`observe`](Self::observe) with each event: then the budget is spent by what is
/// certain without decoding. A decoder calls [`open`](Self::open) for each frame and [`spend`](Self::spend) for output,
/// before it hands the output on.
///
/// After [`ErrorKind::WindowOverLimit`] a caller that only looks may go on: it is about one frame, and the other limits
/// are still counted.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    limits: Limits,
    frames: u64,
    output: u64,
    /// What the frame at hand makes for certain, as far as that is known before its end.
    certain: u64,
}

impl Budget {
    /// A budget of which nothing is spent.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { limits, frames: 0, output: 0, certain: 0 }
    }

    /// Output that was spent so far, in bytes.
    #[must_use]
    pub const fn output(&self) -> u64 {
        self.output
    }

    /// Counts a frame, and holds what its header says to the limits. The declared size must fit in what is left, but is
    /// spent only as it is made.
    ///
    /// # Errors
    /// X04, X02 and X01, in this order, at the frame.
    pub fn open(&mut self, frame: &Frame) -> Result<(), Error> {
        let at = frame.location();
        self.certain = 0;
        self.count_frame(at)?;
        let output = self.output.saturating_add(frame.header.content_size().unwrap_or(0));
        if output > self.limits.output {
            return Err(Error::new(at, ErrorKind::OutputOverLimit { output, limit: self.limits.output }));
        }
        let window = frame.header.window_size();
        if window > self.limits.window {
            return Err(Error::new(at, ErrorKind::WindowOverLimit { window, limit: self.limits.window }));
        }
        Ok(())
    }

    /// Counts a frame of any kind.
    ///
    /// # Errors
    /// X04.
    fn count_frame(&mut self, at: Location) -> Result<(), Error> {
        self.frames = self.frames.saturating_add(1);
        if self.frames > self.limits.frames {
            return Err(Error::new(at, ErrorKind::FramesOverLimit { limit: self.limits.frames }));
        }
        Ok(())
    }

    /// Spends `output` more bytes, of the output that the first `input` bytes of the stream make.
    ///
    /// # Errors
    /// X02 and X03.
    pub fn spend(&mut self, at: Location, output: u64, input: u64) -> Result<(), Error> {
        self.output = self.output.saturating_add(output);
        self.check(at, self.output, input)
    }

    fn check(&self, at: Location, output: u64, input: u64) -> Result<(), Error> {
        if output > self.limits.output {
            return Err(Error::new(at, ErrorKind::OutputOverLimit { output, limit: self.limits.output }));
        }
        match self.limits.ratio.map(|ratio| ratio.allowed(input)) {
            Some(limit) if output > limit => Err(Error::new(at, ErrorKind::RatioOverLimit { output, limit })),
            _ => Ok(()),
        }
    }

    /// Holds what a frame made before a block to the limits, if that is known: `made` is what
    /// [`EntropyWalker::made`](crate::entropy::EntropyWalker::made) says at the block. To be called before
    /// [`observe`](Self::observe).
    ///
    /// # Errors
    /// X02 and X03.
    pub fn made_before(&mut self, block: &Block, made: u64) -> Result<(), Error> {
        // A raw or RLE block is counted there already.
        let before = made.saturating_sub(block.header.regenerated_size(0).low);
        self.certain = self.certain.max(before);
        let at = Location { offset: block.offset, frame: block.frame, block: Some(block.index) };
        self.check(at, self.output.saturating_add(self.certain), block.offset)
    }

    /// Counts what an event makes certain: frames, windows and declared sizes at their header, raw and RLE blocks at
    /// theirs, the declared or exact size at the end of the frame.
    ///
    /// # Errors
    /// As [`open`](Self::open) and [`spend`](Self::spend).
    pub fn observe(&mut self, event: &Event) -> Result<(), Error> {
        match event {
            Event::FrameStart(frame) => self.open(frame),
            Event::SkippableStart(frame) => {
                self.count_frame(Location { offset: frame.offset, frame: frame.index, block: None })
            }
            Event::Block(block) => {
                self.certain = self.certain.saturating_add(block.header.regenerated_size(0).low);
                let at = Location { offset: block.offset, frame: block.frame, block: Some(block.index) };
                let stored = (BLOCK_HEADER_SIZE as u64).saturating_add(u64::from(block.header.content_size()));
                self.check(at, self.output.saturating_add(self.certain), block.offset.saturating_add(stored))
            }
            Event::FrameEnd(frame) => {
                self.certain = 0;
                let size = frame.decoded_size().low;
                self.spend(frame.location(), size, frame.offset.saturating_add(frame.compressed_size))
            }
            Event::SkippableEnd(_) => Ok(()),
        }
    }
}
