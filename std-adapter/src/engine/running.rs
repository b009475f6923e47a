//! A frame that comes in pieces, on its way through an engine.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use zvet_core::consts::{BLOCK_HEADER_SIZE, MAGIC_SIZE};
use zvet_core::{Block, Event, Frame, Location, Step, Walker};

use super::guard::fault_of;
use super::{Engine, EngineError, Progress, catch_panic};
use crate::error::{EngineFault, EngineFaultKind, Error};
use crate::events::Inside;

/// `Content_Checksum_flag` in the frame header's descriptor.
pub(super) const CHECKSUM_FLAG: u8 = 1 << 2;

/// An engine that is at work on a frame.
pub(crate) struct Running<'a> {
    engine: &'a mut Option<Box<dyn Engine>>,
    name: &'static str,
    input: Vetted<'a>,
}

impl<'a> Running<'a> {
    pub(super) fn new(engine: &'a mut Option<Box<dyn Engine>>, name: &'static str, input: Vetted<'a>) -> Self {
        Self { engine, name, input }
    }

    /// Decodes further into `output`.
    pub(crate) fn decode(&mut self, output: &mut [u8]) -> Result<Progress, Error> {
        let room = output.len();
        let read = self.input.read;
        let progress = self.run(|engine, input| engine.decode(input, output))?;
        // An engine that says it wrote more than it was given room for, or that goes nowhere, is broken.
        let stuck = progress.written == 0 && !progress.done && self.input.read == read && room > 0;
        if progress.written > room || stuck {
            *self.engine = None;
            return Err(self.fault(EngineFaultKind::WrongOutput, String::new()));
        }
        Ok(progress)
    }

    /// The frame as it was when it was begun.
    pub(crate) fn frame(&self) -> &Frame {
        &self.input.base
    }

    /// Reads what the engine left of the frame, and returns the exact size of its content; `None` where nobody looked inside of
    /// its blocks.
    pub(crate) fn finish(&mut self) -> Result<Option<u64>, Error> {
        let mut rest = [0; 64];
        loop {
            let read = self.input.read_on(&mut rest);
            if let Some(fault) = self.input.fault.take() {
                return Err(Error::Format(fault));
            }
            match read {
                Ok(0) => return Ok(self.input.size),
                Ok(_) => {}
                Err(error) => return Err(Error::read(self.input.base.offset, error)),
            }
        }
    }

    /// What is wrong where an engine fails, or makes too much: what the rest of the frame's bytes show, or else `error`. That
    /// blocks make more than the frame declares is known only at its end, and until then looks like a fault of the engine.
    pub(crate) fn blame(&mut self, error: Error, stop: &AtomicBool) -> Error {
        if !self.is_vetted() || !matches!(error, Error::Engine(_)) {
            return error;
        }
        let mut unseen = [0; 4096];
        while !stop.load(Ordering::Relaxed) && matches!(self.input.read_on(&mut unseen), Ok(1..)) {}
        // Whoever is at fault, the engine is not for other frames.
        *self.engine = None;
        self.input.fault.take().map_or(error, Error::Format)
    }

    /// Whether zvet looks at the blocks before the engine gets them.
    pub(crate) fn is_vetted(&self) -> bool {
        matches!(self.input.looking, Looking::Inside(_))
    }

    /// The engine.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn run<T>(
        &mut self,
        f: impl FnOnce(&mut dyn Engine, &mut dyn Read) -> Result<T, EngineError>,
    ) -> Result<T, Error> {
        let Self { engine, input, .. } = self;
        let Some(running) = engine else { return Err(self.fault(EngineFaultKind::Panicked, String::new())) };
        let result = catch_panic(|| f(running.as_mut(), input));
        // What was found in the frame's bytes is the cause of whatever an engine that did not get them says.
        let fault = self.input.fault.take();
        let (kind, message) = match result {
            Ok(Ok(value)) if fault.is_none() => return Ok(value),
            Ok(Ok(_)) => (EngineFaultKind::Unsupported, String::new()),
            Ok(Err(EngineError::Corrupt(message))) if !self.is_vetted() => (EngineFaultKind::Refused, message),
            Ok(Err(error)) => fault_of(error),
            Err(message) => (EngineFaultKind::Panicked, message),
        };
        *self.engine = None;
        Err(fault.map_or_else(|| self.fault(kind, message), Error::Format))
    }

    fn fault(&self, kind: EngineFaultKind, message: String) -> Error {
        Error::Engine(EngineFault { at: self.input.location(), kind, engine: self.name, message })
    }
}

/// How far zvet looks at a frame's bytes itself.
pub(super) enum Looking<'a> {
    Inside(&'a mut Inside),
    /// The engine is trusted to look inside of blocks.
    Headers(Box<Walker>),
}

impl Looking<'_> {
    fn push(&mut self, bytes: &[u8]) -> Result<Step, zvet_core::Error> {
        match self {
            Self::Inside(inside) => inside.push(bytes),
            Self::Headers(walker) => walker.push(bytes),
        }
    }

    fn undecided(&mut self) -> Option<zvet_core::Error> {
        match self {
            Self::Inside(inside) => inside.undecided(),
            Self::Headers(_) => None,
        }
    }
}

/// The bytes of a frame on their way to an engine: every block is checked before the engine gets the last of it. The content
/// checksum, which zvet checks itself, is kept back.
pub(super) struct Vetted<'a> {
    input: &'a mut (dyn Read + 'a),
    looking: Looking<'a>,
    base: Frame,
    block: Option<Block>,
    size: Option<u64>,
    /// How many bytes were read.
    read: u64,
    fault: Option<zvet_core::Error>,
}

impl<'a> Vetted<'a> {
    pub(super) fn new(input: &'a mut (dyn Read + 'a), looking: Looking<'a>, base: Frame) -> Self {
        Self { input, looking, base, block: None, size: None, read: 0, fault: None }
    }

    /// The block whose header was read last, or the frame.
    fn location(&self) -> Location {
        let at = self.base.location();
        self.block.map_or(at, |block| self.in_stream(Location { offset: block.offset, block: Some(block.index), ..at }))
    }

    /// A place in the frame as one in the stream.
    fn in_stream(&self, at: Location) -> Location {
        let base = self.base.location();
        Location { offset: base.offset + at.offset, frame: base.frame, ..at }
    }

    fn check(&mut self, mut rest: &[u8]) -> Result<(), zvet_core::Error> {
        loop {
            let step = self.looking.push(rest);
            // A block that is left undecided comes before what the same push finds wrong.
            if let Some(error) = self.looking.undecided() {
                return Err(error);
            }
            let step = step?;
            rest = &rest[step.consumed..];
            match step.event {
                Some(Event::Block(block)) => self.block = Some(block),
                Some(Event::FrameEnd(frame)) => self.size = frame.exact_size,
                Some(_) => {}
                None => return Ok(()),
            }
        }
    }

    /// Reads on and checks; the checksum is there, too.
    fn read_on(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buffer)?;
        self.read += n as u64;
        self.check(&buffer[..n]).map_err(|error| {
            let error = zvet_core::Error::new(self.in_stream(error.at), error.kind);
            self.fault = Some(error);
            io::Error::new(io::ErrorKind::InvalidData, error)
        })?;
        Ok(n)
    }

    /// Where the frame's blocks end, once that is known.
    fn blocks_end(&self) -> Option<u64> {
        let block = self.block.filter(|block| block.header.last)?;
        Some(block.offset + BLOCK_HEADER_SIZE as u64 + u64::from(block.header.content_size()))
    }
}

impl Read for Vetted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let before = self.read;
        let n = self.read_on(buffer)?;
        if !self.base.header.content_checksum() {
            return Ok(n);
        }
        if let Some(descriptor) = (MAGIC_SIZE as u64).checked_sub(before)
            && let Some(byte) = usize::try_from(descriptor).ok().and_then(|at| buffer[..n].get_mut(at))
        {
            *byte &= !CHECKSUM_FLAG;
        }
        let end = self.blocks_end().unwrap_or(u64::MAX);
        Ok(usize::try_from(end.saturating_sub(before)).map_or(n, |room| n.min(room)))
    }
}
