//! Keeps an engine's faults from being anybody else's.

use std::cell::Cell;
use std::fmt;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};

use zvet_core::consts::{CHECKSUM_SIZE, MAGIC_SIZE};
use zvet_core::entropy::Depth;
use zvet_core::{Event, Frame, FrameHeader, Location, Status};

use super::running::{CHECKSUM_FLAG, Looking, Vetted};
use super::{Engine, EngineChoice, EngineError, Running, catch_panic};
use crate::content::Content;
use crate::dictionary::AtHand;
use crate::error::{EngineFault, EngineFaultKind, Error};
use crate::events::{Inside, inside};
use crate::settings::Settings;
use crate::slots::Slots;

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

/// An engine that is replaced when it fails, and gets nothing that zvet finds wrong. It comes from the pool of the settings'
/// slots, and goes back there unless it failed.
pub(crate) struct Guarded {
    choice: EngineChoice,
    second_opinion: Option<EngineChoice>,
    trusted: bool,
    output_max: u64,
    slots: Slots,
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
            choice: settings.engine.clone(),
            second_opinion: settings.second_opinion.clone(),
            trusted: settings.trust_engine,
            output_max: settings.bounds.output,
            slots: settings.slots.clone(),
            engine: None,
            dictionaries: settings.dictionaries_at_hand(),
            inside: None,
        }
    }

    /// Decodes a frame that is held whole into the front of `output`, and returns how much that is. Of what `output` then
    /// holds nothing is good where that is an error.
    pub(crate) fn decode_whole(
        &mut self,
        frame: &Frame,
        bytes: &mut Vec<u8>,
        output: &mut Vec<u8>,
        stop: &AtomicBool,
    ) -> Result<usize, Error> {
        let undeclared = frame.header.content_size().is_none() && self.engine().wants_declared_size();
        let trusted = self.trusted && self.engine().is_strict() && !undeclared;
        let exact = if trusted { None } else { Some(self.vet(frame, bytes, stop)?) };
        // Every proof says that it fits the bound, so it fits a usize.
        let room = usize::try_from(exact.unwrap_or(frame.decoded_size().high)).unwrap_or(usize::MAX);
        make_room(output, room, self.output_max);
        if let (true, Some(size)) = (undeclared, exact) {
            declare_size(bytes, &frame.header, size);
        }
        let size = match self.run_whole(frame, bytes, &mut output[..room], stop) {
            Ok(size) => size,
            Err(error) => {
                // What is wrong with the frame is the cause, if something is.
                if trusted {
                    self.vet(frame, bytes, stop)?;
                }
                return Err(error);
            }
        };
        let mut content = Content::of(frame, self.engine().name());
        content.take(&output[..size], frame, room as u64)?;
        let exact = exact.or(frame.decoded_size().exact());
        match content.finish(frame, exact) {
            Err(Error::Engine(fault)) => {
                // It is not for other frames.
                self.engine = None;
                if trusted {
                    self.vet(frame, bytes, stop)?;
                }
                Err(Error::Engine(fault))
            }
            finished => finished.map(|_| size),
        }
    }

    /// Looks through a whole frame at the level `Entropy`, and returns its exact size.
    fn vet(&mut self, frame: &Frame, bytes: &[u8], stop: &AtomicBool) -> Result<u64, Error> {
        /// How much is looked through before it is asked whether to stop.
        const PIECE: usize = 1 << 20;
        let inside = inside_of(&mut self.inside, &self.dictionaries);
        let base = frame.location();
        let in_stream = |error: zvet_core::Error| {
            let at = Location { offset: base.offset + error.at.offset, frame: base.frame, ..error.at };
            Error::Format(zvet_core::Error::new(at, error.kind))
        };
        for mut piece in bytes.chunks(PIECE) {
            if stop.load(Ordering::Relaxed) {
                return Err(stopped(frame));
            }
            loop {
                let pushed = inside.push(piece);
                // A block that is left undecided comes before what the same push finds wrong.
                if let Some(error) = inside.undecided() {
                    return Err(in_stream(error));
                }
                let pushed = pushed.map_err(in_stream)?;
                piece = &piece[pushed.consumed..];
                match pushed.event {
                    Some(Event::FrameEnd(Frame { exact_size: Some(size), .. })) => return Ok(size),
                    Some(_) => {}
                    None => break,
                }
            }
        }
        // The splitter gives whole frames alone.
        inside.finish().map_err(in_stream)?;
        let message = "the walk through a whole frame has no end".to_owned();
        Err(Error::Engine(EngineFault { at: base, kind: EngineFaultKind::Panicked, engine: "zvet", message }))
    }

    fn run_whole(
        &mut self,
        frame: &Frame,
        bytes: &mut [u8],
        output: &mut [u8],
        stop: &AtomicBool,
    ) -> Result<usize, Error> {
        let room = output.len();
        let mut engine = self.take_engine();
        let name = engine.name();
        let dictionary = self.dictionaries.for_frame(&frame.header);
        let result = catch_panic(|| {
            let bytes = WithoutChecksum::of(frame, bytes);
            // The header as it is now.
            let header = match FrameHeader::parse(bytes.get()) {
                Ok(Status::Complete(header)) => header,
                _ => frame.header,
            };
            engine.decode_frame(&header, dictionary, bytes.get(), output, &|| stop.load(Ordering::Relaxed))
        });
        let (kind, message) = match result {
            Ok(Ok(size)) if size <= room => {
                self.engine = Some(engine);
                return Ok(size);
            }
            Ok(Ok(_)) => (EngineFaultKind::WrongOutput, String::new()),
            Ok(Err(_)) if stop.load(Ordering::Relaxed) => return Err(stopped(frame)),
            Ok(Err(error)) => fault_of(error),
            Err(message) => (EngineFaultKind::Panicked, message),
        };
        Err(Error::Engine(EngineFault { at: frame.location(), kind, engine: name, message }))
    }

    /// Begins a frame whose bytes are those of `input`.
    pub(crate) fn start<'a>(&'a mut self, frame: &Frame, input: &'a mut (dyn Read + 'a)) -> Result<Running<'a>, Error> {
        let engine = self.engine();
        let (name, trusted) = (engine.name(), self.trusted && self.engine().is_strict());
        let Self { engine, dictionaries, inside: inner, .. } = self;
        let looking =
            if trusted { Looking::Headers(Box::default()) } else { Looking::Inside(inside_of(inner, dictionaries)) };
        let dictionary = dictionaries.for_frame(&frame.header);
        let mut running = Running::new(engine, name, Vetted::new(input, looking, *frame));
        running.run(|engine, input| engine.start(&frame.header, dictionary, input))?;
        Ok(running)
    }

    fn engine(&mut self) -> &mut dyn Engine {
        if self.engine.is_none() {
            self.engine = Some(self.take_engine());
        }
        self.engine.as_mut().expect("there is one now").as_mut()
    }

    fn take_engine(&mut self) -> Box<dyn Engine> {
        self.engine.take().unwrap_or_else(|| self.slots.engine(&self.choice, self.second_opinion.as_ref()))
    }
}

/// An engine that did not fail may serve another reader.
impl Drop for Guarded {
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take() {
            self.slots.keep_engine(&self.choice, self.second_opinion.as_ref(), engine);
        }
    }
}

/// What looks inside of blocks, ready for a frame.
fn inside_of<'a>(inner: &'a mut Option<Inside>, dictionaries: &AtHand) -> &'a mut Inside {
    let inside = inner.get_or_insert_with(|| inside(Depth::Streams, dictionaries.clone()));
    inside.restart();
    inside
}

fn stopped(frame: &Frame) -> Error {
    Error::read(frame.offset, std::io::Error::other("stopped"))
}

/// What an engine's error is, and its message.
pub(super) fn fault_of(error: EngineError) -> (EngineFaultKind, String) {
    match error {
        EngineError::Input(error) => (EngineFaultKind::Unsupported, error.to_string()),
        EngineError::Corrupt(message) => (EngineFaultKind::Unsupported, message),
        EngineError::TooMuch | EngineError::Stuck => (EngineFaultKind::WrongOutput, String::new()),
        EngineError::Disagrees(other) => (EngineFaultKind::Disagreement, other.to_owned()),
    }
}

/// Makes a frame's header declare this size.
fn declare_size(bytes: &mut Vec<u8>, header: &FrameHeader, size: u64) {
    /// `Frame_Content_Size_Flag` for a field of eight bytes.
    const FLAG: u8 = 3 << 6;
    let field = size.to_le_bytes();
    bytes.reserve_exact(field.len());
    bytes.splice(header.header_size()..header.header_size(), field);
    bytes[MAGIC_SIZE] |= FLAG;
}

/// A frame's bytes without its content checksum, which zvet checks itself; the flag in its header says so meanwhile.
struct WithoutChecksum<'a> {
    bytes: &'a mut [u8],
    has_checksum: bool,
}

impl<'a> WithoutChecksum<'a> {
    fn of(frame: &Frame, bytes: &'a mut [u8]) -> Self {
        let has_checksum = frame.header.content_checksum();
        if has_checksum {
            bytes[MAGIC_SIZE] &= !CHECKSUM_FLAG;
        }
        Self { bytes, has_checksum }
    }

    fn get(&self) -> &[u8] {
        let size = self.bytes.len() - if self.has_checksum { CHECKSUM_SIZE } else { 0 };
        &self.bytes[..size]
    }
}

impl Drop for WithoutChecksum<'_> {
    fn drop(&mut self) {
        if self.has_checksum {
            self.bytes[MAGIC_SIZE] |= CHECKSUM_FLAG;
        }
    }
}

/// Sees to it that there is room for so much output. What was there is dropped first, so that at no time there is both.
pub(crate) fn make_room(output: &mut Vec<u8>, room: usize, limit: u64) {
    if output.len() < room {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let size = (output.len() * 2).min(limit).max(room);
        *output = Vec::new();
        *output = vec![0; size];
    }
}
