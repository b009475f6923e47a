//! Keeps an engine's faults from being anybody else's.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};

use zvet_core::entropy::Depth;
use zvet_core::{Block, Event, Frame, Location};

use super::{Engine, EngineError, EngineMaker, Progress, catch_panic};
use crate::dictionary::AtHand;
use crate::error::{EngineFault, EngineFaultKind, Error};
use crate::events::{Inside, inside};
use crate::settings::Settings;

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
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IN_ENGINE.set(self.0);
        }
    }
    let _restore = Restore(IN_ENGINE.replace(true));
    f()
}

/// An engine that is replaced when it fails, and whose faults carry the place of the block that it was at.
pub(crate) struct Guarded {
    make: EngineMaker,
    engine: Option<Box<dyn Engine>>,
    dictionaries: AtHand,
    /// What looks at every block before the engine gets it; made when there is a first one.
    inside: Option<Inside>,
}

impl fmt::Debug for Guarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Guarded").field(&self.engine).finish()
    }
}

impl Guarded {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            make: settings.engine.maker(),
            engine: None,
            dictionaries: settings.dictionaries_at_hand(),
            inside: None,
        }
    }

    /// Begins a frame whose bytes are those of `input`.
    pub(crate) fn start<'a>(&'a mut self, frame: &Frame, input: &'a mut (dyn Read + 'a)) -> Result<Running<'a>, Error> {
        let Self { make, engine, dictionaries, inside: inner } = self;
        let inside = inner.get_or_insert_with(|| inside(Depth::Streams, dictionaries.clone()));
        inside.restart();
        let input = Vetted { input, inside, base: *frame, block: None, size: None, read: 0, fault: None };
        let mut running = Running { make, engine, input };
        let dictionary = dictionaries.for_frame(&frame.header);
        running.run(|engine, input| engine.start(&frame.header, dictionary, input))?;
        Ok(running)
    }
}

/// An engine that is at work on a frame.
pub(crate) struct Running<'a> {
    make: &'a EngineMaker,
    engine: &'a mut Option<Box<dyn Engine>>,
    input: Vetted<'a>,
}

impl Running<'_> {
    /// Decodes further into `output`.
    pub(crate) fn decode(&mut self, output: &mut [u8]) -> Result<Progress, Error> {
        let room = output.len();
        let read = self.input.read;
        let progress = self.run(|engine, input| engine.decode(input, output))?;
        // An engine that says it wrote more than it was given room for, or that goes nowhere, is broken.
        let stuck = progress.written == 0 && !progress.done && self.input.read == read && room > 0;
        if progress.written > room || stuck {
            let fault = self.fault(EngineFaultKind::WrongOutput, self.name(), String::new());
            *self.engine = None;
            return Err(fault);
        }
        Ok(progress)
    }

    /// The frame as it was when it was begun.
    pub(crate) fn frame(&self) -> &Frame {
        &self.input.base
    }

    /// The exact size of the frame's content, once all of its bytes were read.
    pub(crate) fn exact_size(&self) -> Option<u64> {
        self.input.size
    }

    /// The engine.
    pub(crate) fn name(&self) -> &'static str {
        self.engine.as_ref().map_or("the engine", |engine| engine.name())
    }

    fn run<T>(&mut self, f: impl FnOnce(&mut dyn Engine, &mut dyn Read) -> Result<T, EngineError>) -> Result<T, Error> {
        let Self { make, engine, input } = self;
        let result = catch_panic(|| f(engine.get_or_insert_with(|| make()).as_mut(), input));
        let name = self.name();
        // What was found in the frame's bytes is the cause of whatever an engine that did not get them says.
        let fault = self.input.fault.take();
        let (kind, message) = match result {
            Ok(Ok(value)) if fault.is_none() => return Ok(value),
            Ok(Ok(_)) => (EngineFaultKind::Unsupported, String::new()),
            Ok(Err(EngineError::Input(error))) => (EngineFaultKind::Unsupported, error.to_string()),
            Ok(Err(EngineError::Corrupt(message))) => (EngineFaultKind::Unsupported, message),
            Err(message) => (EngineFaultKind::Panicked, message),
        };
        *self.engine = None;
        Err(fault.map_or_else(|| self.fault(kind, name, message), Error::Format))
    }

    fn fault(&self, kind: EngineFaultKind, engine: &'static str, message: String) -> Error {
        Error::Engine(EngineFault { at: self.input.location(), kind, engine, message })
    }
}

/// The bytes of a frame on their way to an engine: every block is checked before the engine gets the last of it.
struct Vetted<'a> {
    input: &'a mut (dyn Read + 'a),
    inside: &'a mut Inside,
    base: Frame,
    block: Option<Block>,
    size: Option<u64>,
    /// How many bytes the engine read.
    read: u64,
    fault: Option<zvet_core::Error>,
}

impl Vetted<'_> {
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
            let step = self.inside.push(rest)?;
            rest = &rest[step.consumed..];
            if let Some(error) = self.inside.undecided() {
                return Err(error);
            }
            match step.event {
                Some(Event::Block(block)) => self.block = Some(block),
                Some(Event::FrameEnd(frame)) => self.size = frame.exact_size,
                Some(_) => {}
                None => return Ok(()),
            }
        }
    }
}

impl Read for Vetted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(buffer)?;
        self.read += n as u64;
        self.check(&buffer[..n]).map_err(|error| {
            let error = zvet_core::Error::new(self.in_stream(error.at), error.kind);
            self.fault = Some(error);
            io::Error::new(io::ErrorKind::InvalidData, error)
        })?;
        Ok(n)
    }
}
