//! Two engines, of which the second must make the same content as the first.

use std::collections::VecDeque;
use std::hash::Hasher;
use std::io::{self, Read};

use twox_hash::XxHash64;
use zvet_core::FrameHeader;

use super::{Engine, EngineError, Progress};
use crate::dictionary::Dictionary;

/// An engine, and a second opinion on all that it decodes.
pub(crate) struct Pair {
    first: Box<dyn Engine>,
    second: Box<dyn Engine>,
    /// What the second one made, to be compared.
    scratch: Vec<u8>,
    unshared: Unshared,
    /// What each of them made of a frame that comes in pieces.
    made: [Made; 2],
    /// The second one is at the end of the frame.
    second_done: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    First,
    Second,
}

impl Who {
    fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// What the second one makes at a time of a frame that comes in pieces.
const SCRATCH_SIZE: usize = 128 << 10;

/// Content, as far as it is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Digest {
    size: u64,
    hash: u64,
}

/// Content that is made piece by piece.
struct Made {
    size: u64,
    hash: XxHash64,
}

impl Made {
    fn new() -> Self {
        Self { size: 0, hash: XxHash64::with_seed(0) }
    }

    fn take(&mut self, content: &[u8]) {
        self.size += content.len() as u64;
        self.hash.write(content);
    }

    fn digest(&self) -> Digest {
        Digest { size: self.size, hash: self.hash.finish() }
    }
}

impl Pair {
    pub(crate) fn new(first: Box<dyn Engine>, second: Box<dyn Engine>) -> Self {
        let unshared = Unshared { bytes: VecDeque::new(), behind: Who::First };
        let made = [Made::new(), Made::new()];
        Self { first, second, scratch: Vec::new(), unshared, made, second_done: false }
    }

    fn of_second(&self, error: EngineError) -> EngineError {
        match error {
            EngineError::Corrupt(message) => EngineError::Corrupt(format!("{}: {message}", self.second.name())),
            error => error,
        }
    }

    fn disagree(&self) -> EngineError {
        EngineError::Disagrees(self.second.name())
    }
}

impl Engine for Pair {
    fn name(&self) -> &'static str {
        self.first.name()
    }

    fn is_strict(&self) -> bool {
        self.first.is_strict() || self.second.is_strict()
    }

    fn wants_declared_size(&self) -> bool {
        self.first.wants_declared_size() || self.second.wants_declared_size()
    }

    fn decode_frame(
        &mut self,
        header: &FrameHeader,
        dictionary: Option<&Dictionary>,
        frame: &[u8],
        output: &mut [u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<usize, EngineError> {
        let size = self.first.decode_frame(header, dictionary, frame, output, is_stopped)?;
        if size > output.len() {
            return Ok(size);
        }
        if self.scratch.len() < output.len() {
            self.scratch = Vec::new();
            self.scratch = vec![0; output.len()];
        }
        let scratch = &mut self.scratch[..output.len()];
        match self.second.decode_frame(header, dictionary, frame, scratch, is_stopped) {
            Ok(other) if other == size && scratch[..size] == output[..size] => Ok(size),
            Ok(_) | Err(EngineError::TooMuch) => Err(self.disagree()),
            Err(error) => Err(self.of_second(error)),
        }
    }

    fn start(
        &mut self,
        header: &FrameHeader,
        dictionary: Option<&Dictionary>,
        input: &mut dyn Read,
    ) -> Result<(), EngineError> {
        self.unshared.bytes.clear();
        self.made = [Made::new(), Made::new()];
        self.second_done = false;
        if self.scratch.len() < SCRATCH_SIZE {
            self.scratch.resize(SCRATCH_SIZE, 0);
        }
        self.first.start(header, dictionary, &mut self.unshared.shared(input, Who::First))?;
        let started = self.second.start(header, dictionary, &mut self.unshared.shared(input, Who::Second));
        started.map_err(|error| self.of_second(error))
    }

    /// Each of the two makes what it can of the bytes that were read, at its own pace: one may hold back a window of what it
    /// made. So what they made is compared at the end of the frame, by its size and its hash.
    fn decode(&mut self, input: &mut dyn Read, output: &mut [u8]) -> Result<Progress, EngineError> {
        let progress = loop {
            let mut shared = self.unshared.shared(input, Who::First);
            let progress = self.first.decode(&mut shared, output)?;
            // What the second one read before is no progress of the input's, and there may be more of it.
            if progress.written > 0 || progress.done || shared.count == 0 || shared.fresh {
                break progress;
            }
        };
        self.made[0].take(output.get(..progress.written).ok_or(EngineError::TooMuch)?);
        while !self.second_done && (progress.done || self.unshared.waits_for(Who::Second)) {
            let mut shared = self.unshared.shared(input, Who::Second);
            let other = self.second.decode(&mut shared, &mut self.scratch);
            let idle = shared.count == 0;
            let other = other.map_err(|error| self.of_second(error))?;
            self.made[1].take(self.scratch.get(..other.written).ok_or_else(|| self.disagree())?);
            self.second_done = other.done;
            if idle && other.written == 0 && !other.done {
                if progress.done {
                    return Err(self.disagree());
                }
                break;
            }
        }
        if progress.done && self.made[0].digest() != self.made[1].digest() {
            return Err(self.disagree());
        }
        Ok(progress)
    }

    fn let_go(&mut self) {
        self.first.let_go();
        self.second.let_go();
        self.scratch = Vec::new();
        self.unshared.bytes = VecDeque::new();
    }

    fn memory(&self, window_size: u64) -> u64 {
        self.first.memory(window_size).saturating_add(self.second.memory(window_size))
    }

    fn whole_memory(&self, window_size: u64) -> u64 {
        self.first.whole_memory(window_size).saturating_add(self.second.whole_memory(window_size))
    }
}

/// What one of two readers read of their input, and the other did not yet.
struct Unshared {
    bytes: VecDeque<u8>,
    behind: Who,
}

impl Unshared {
    /// Whether there are bytes that this one did not read, and the other did.
    fn waits_for(&self, who: Who) -> bool {
        self.behind == who && !self.bytes.is_empty()
    }

    /// The input as one of them reads it.
    fn shared<'a>(&'a mut self, input: &'a mut dyn Read, who: Who) -> Shared<'a> {
        Shared { unshared: self, input, who, count: 0, fresh: false }
    }
}

/// One input for two readers. What one reads ahead waits for the other.
struct Shared<'a> {
    unshared: &'a mut Unshared,
    input: &'a mut dyn Read,
    who: Who,
    /// How much was read.
    count: usize,
    /// Some of it nobody had read before.
    fresh: bool,
}

impl Read for Shared<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Unshared { bytes, behind } = &mut *self.unshared;
        let n = if *behind == self.who && !bytes.is_empty() {
            bytes.read(buffer)?
        } else {
            let n = self.input.read(buffer)?;
            self.fresh |= n > 0;
            bytes.extend(&buffer[..n]);
            *behind = self.who.other();
            n
        };
        self.count += n;
        Ok(n)
    }
}
