//! Keeps an engine's faults from being anybody else's.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};

use zvet_core::{Block, Event, Frame, Location, Walker};

use super::{Engine, EngineError, EngineMaker, Progress, catch_panic};
use crate::dictionary::Dictionary;
use crate::error::{EngineFault, EngineFaultKind, Error};

thread_local! {
    static IN_ENGINE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside of an engine. A panic there is caught and becomes an error of the frame, so a panic
/// hook may want to keep quiet about it.
#[must_use]
pub fn in_engine() -> bool {
    IN_ENGINE.get()
}

pub(super) fn flagged<T>(f: impl FnOnce() -> T) -> T {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            IN_ENGINE.set(false);
        }
    }
    IN_ENGINE.set(true);
    let _reset = Reset;
    f()
}

/// An engine that is replaced when it fails, and whose faults carry the place of the block that it was at.
pub(crate) struct Guarded {
    make: EngineMaker,
    engine: Option<Box<dyn Engine>>,
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guarded").field(&self.engine).finish()
    }
}

impl Guarded {
    pub(crate) fn new(make: EngineMaker) -> Self {
        Self { make, engine: None }
    }

    /// Begins a frame whose bytes are those of `input`.
    pub(crate) fn start<'a>(
        &'a mut self,
        frame: &Frame,
        dictionary: Option<&Dictionary>,
        input: &'a mut (dyn Read + 'a),
    ) -> Result<Running<'a>, Error> {
        let input = Tracked { input, walker: Walker::new(), base: *frame, block: None, made: 0 };
        let mut running = Running { guarded: self, input };
        running.run(|engine, input| engine.start(&frame.header, dictionary, input))?;
        Ok(running)
    }
}

/// An engine that is at work on a frame.
pub(crate) struct Running<'a> {
    guarded: &'a mut Guarded,
    input: Tracked<'a>,
}

impl Running<'_> {
    /// Decodes further into `output`.
    pub(crate) fn decode(&mut self, output: &mut [u8]) -> Result<Progress, Error> {
        let room = output.len();
        let progress = self.run(|engine, input| engine.decode(input, output))?;
        // An engine that says so is broken, and what it wrote is not to be relied on.
        if progress.written > room { Err(self.overrun()) } else { Ok(progress) }
    }

    /// The fault of a frame that goes on past its room.
    pub(crate) fn overrun(&self) -> Error {
        self.fault(EngineFaultKind::Overrun, self.name(), String::new())
    }

    fn name(&self) -> &'static str {
        self.guarded.engine.as_ref().map_or("the engine", |engine| engine.name())
    }

    fn run<T>(&mut self, f: impl FnOnce(&mut dyn Engine, &mut dyn Read) -> Result<T, EngineError>) -> Result<T, Error> {
        let Guarded { make, engine } = &mut *self.guarded;
        let input = &mut self.input;
        let result = catch_panic(|| f(engine.get_or_insert_with(|| make()).as_mut(), input));
        let (kind, message) = match result {
            Ok(Ok(value)) => return Ok(value),
            Ok(Err(EngineError::Input(error))) => {
                self.guarded.engine = None;
                return Err(Error::read(self.input.location().offset, error));
            }
            Ok(Err(EngineError::Corrupt(message))) => (EngineFaultKind::Corrupt, message),
            // Past the window no dictionary is in reach, whichever it is.
            Ok(Err(EngineError::NeedsDictionary(message))) if self.input.is_past_window() => {
                (EngineFaultKind::Corrupt, message)
            }
            Ok(Err(EngineError::NeedsDictionary(message))) => (EngineFaultKind::NeedsDictionary, message),
            Err(message) => (EngineFaultKind::Panicked, message),
        };
        let fault = self.fault(kind, self.name(), message);
        self.guarded.engine = None;
        Err(fault)
    }

    fn fault(&self, kind: EngineFaultKind, engine: &'static str, message: String) -> Error {
        Error::Engine(EngineFault { at: self.input.location(), kind, engine, message })
    }
}

/// The bytes of a frame on their way to an engine, walked again to know which block it is at.
struct Tracked<'a> {
    input: &'a mut (dyn Read + 'a),
    walker: Walker,
    base: Frame,
    block: Option<Block>,
    /// What the frame makes at least, up to that block; what a compressed one makes does not count.
    made: u64,
}

impl Tracked<'_> {
    /// The block whose header was read last, or the frame.
    fn location(&self) -> Location {
        let at = self.base.location();
        self.block.map_or(at, |block| Location { offset: at.offset + block.offset, block: Some(block.index), ..at })
    }
}

impl Tracked<'_> {
    /// Whether the frame has certainly made more than its window.
    fn is_past_window(&self) -> bool {
        self.made > self.base.header.window_size()
    }
}

impl Read for Tracked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buffer)?;
        let mut rest = &buffer[..n];
        // The bytes were walked before and hold no error.
        while let Ok(step) = self.walker.push(rest) {
            rest = &rest[step.consumed..];
            match step.event {
                Some(Event::Block(block)) => {
                    self.block = Some(block);
                    self.made = self.walker.frame().map_or(self.made, |frame| frame.content.low);
                }
                Some(_) => {}
                None => break,
            }
        }
        Ok(n)
    }
}
