//! Two engines, of which the second must make the same content as the first.

use std::collections::VecDeque;
use std::io::{self, Read};

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

/// The second one is not left behind further than this, in bytes of input, once there is nothing to compare.
const LAG_MAX: usize = 256 << 10;

impl Pair {
    pub(crate) fn new(first: Box<dyn Engine>, second: Box<dyn Engine>) -> Self {
        let unshared = Unshared { bytes: VecDeque::new(), behind: Who::First };
        Self { first, second, scratch: Vec::new(), unshared, second_done: false }
    }

    /// Lets the second one decode further, to `scratch[filled..end]`, and past the end of the frame's content into a single byte
    /// that should stay unused. Returns how much it wrote.
    fn second_further(&mut self, input: &mut dyn Read, filled: usize, end: usize) -> Result<usize, EngineError> {
        let mut probe = [0];
        let to = if filled == end { &mut probe[..] } else { &mut self.scratch[filled..end] };
        let mut shared = self.unshared.shared(input, Who::Second);
        let progress = self.second.decode(&mut shared, to);
        let idle = shared.count == 0;
        let progress = progress.map_err(|error| self.of_second(error))?;
        self.second_done = progress.done;
        if progress.written == 0 && !progress.done && idle {
            return Err(self.disagree());
        }
        Ok(progress.written)
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
        self.second_done = false;
        self.first.start(header, dictionary, &mut self.unshared.shared(input, Who::First))?;
        let started = self.second.start(header, dictionary, &mut self.unshared.shared(input, Who::Second));
        started.map_err(|error| self.of_second(error))
    }

    fn decode(&mut self, input: &mut dyn Read, output: &mut [u8]) -> Result<Progress, EngineError> {
        let progress = loop {
            let mut shared = self.unshared.shared(input, Who::First);
            let progress = self.first.decode(&mut shared, output)?;
            // What the second one read before is no progress of the input's, and there may be more of it.
            if progress.written > 0 || progress.done || shared.count == 0 || shared.fresh {
                break progress;
            }
        };
        let made = output.get(..progress.written).ok_or(EngineError::TooMuch)?;
        if self.scratch.len() < made.len() {
            self.scratch.resize(made.len(), 0);
        }
        // The second one goes on until it made as much; at the end of the frame it must be at its end, too.
        let mut filled = 0;
        while !self.second_done && (filled < made.len() || progress.done) {
            filled += self.second_further(input, filled, made.len())?;
            if filled > made.len() {
                return Err(self.disagree());
            }
        }
        if filled != made.len() || self.scratch[..filled] != *made {
            return Err(self.disagree());
        }
        // Blocks that make nothing must not pile up for it. Those that make something wait until there is room for that.
        while !self.second_done && self.unshared.behind == Who::Second && self.unshared.bytes.len() > LAG_MAX {
            let mut shared = self.unshared.shared(input, Who::Second);
            let progress = self.second.decode(&mut shared, &mut []);
            let idle = shared.count == 0;
            let progress = progress.map_err(|error| self.of_second(error))?;
            self.second_done = progress.done;
            if idle {
                break;
            }
        }
        Ok(progress)
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
