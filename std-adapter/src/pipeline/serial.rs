//! Frames that do not fit a slot: decoded as they are read, chunk by chunk.

use std::cell::RefCell;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};

use super::{Chunk, Gone, is_undecided};
use crate::content::Content;
use crate::engine::{Guarded, Running};
use crate::error::Error;
use crate::source::Source;
use crate::split::SerialFrame;

/// Output of serial frames is handed on in pieces of this size.
const CHUNK_SIZE: usize = 256 << 10;
/// One is filled while the other is taken.
pub(super) const CHUNKS: usize = 2;

/// A serial frame on its way through an engine.
pub(super) struct Serial<'a> {
    pub(super) chunks: &'a Receiver<Vec<u8>>,
    pub(super) to_consumer: SyncSender<Chunk>,
    pub(super) stop: &'a AtomicBool,
    /// Frames that are left undecided are walked to their end.
    pub(super) step_over: bool,
}

/// What a serial frame came to: the size of its content, and of its bytes.
pub(super) struct SerialEnd {
    pub(super) result: Result<u64, Error>,
    pub(super) input: u64,
}

/// What decoding came to: the content, and the exact size that the frame's blocks make.
type Decoded = Result<(Content, Option<u64>), Error>;

impl Serial<'_> {
    /// Decodes the frame chunk by chunk.
    pub(super) fn run<S: Source>(
        self,
        mut serial: SerialFrame<'_, S>,
        engine: &mut Guarded,
    ) -> Result<SerialEnd, Gone> {
        let begun = serial.frame().offset;
        let decoded = self.decode(&mut serial, engine)?;
        // What reading the frame found wrong is the cause of what the engine then says.
        let mut result = match serial.fault() {
            Some(fault) => Err(fault),
            None => decoded.and_then(|(content, exact)| {
                let frame = serial.skip_to_end()?;
                content.finish(&frame, exact)
            }),
        };
        if self.step_over
            && result.as_ref().is_err_and(is_undecided)
            && let Err(error) = serial.skip_to_end()
        {
            result = Err(error);
        }
        let ended = SerialEnd { result: result.clone(), input: serial.offset() - begun };
        // A frame that would have fit is told of as one that fits.
        let exact_size = result.as_ref().ok().copied();
        let end = Chunk::End {
            frame: zvet_core::Frame { exact_size, ..*serial.frame() },
            complete: serial.is_at_end(),
            reason: serial.reason(),
            result,
            offset: serial.offset(),
        };
        self.to_consumer.send(end).map_err(|_| Gone)?;
        Ok(ended)
    }

    fn decode<S: Source>(&self, serial: &mut SerialFrame<'_, S>, engine: &mut Guarded) -> Result<Decoded, Gone> {
        let begun = *serial.frame();
        // The walk is shared by the engine, which reads, and by this loop, which asks how far it is.
        let shared = RefCell::new(serial);
        let mut input = SharedRead(&shared);
        let mut running = match engine.start(&begun, &mut input) {
            Ok(running) => running,
            Err(error) => return Ok(Err(error)),
        };
        let mut content = Content::of(&begun, running.name());
        loop {
            let mut bytes = self.chunks.recv().map_err(|_| Gone)?;
            // It is zeroed once, and goes round as it is.
            bytes.resize(CHUNK_SIZE, 0);
            let mut filled = 0;
            let done = loop {
                if self.stop.load(Ordering::Relaxed) {
                    return Err(Gone);
                }
                let high = || shared.borrow().frame().content.high;
                match self.more(&mut running, &mut content, &mut bytes[filled..], &high) {
                    Ok((written, done)) => {
                        filled += written;
                        // What is there must not wait for input that may be long in coming.
                        let waits = filled > 0 && !shared.borrow().is_ready();
                        if done || filled == CHUNK_SIZE || waits {
                            break Ok(done);
                        }
                    }
                    Err(error) => break Err(error),
                }
            };
            // What was decoded before a fault is good, and the buffer goes round in any case.
            let (frame, offset) = (*shared.borrow().frame(), shared.borrow().offset());
            self.to_consumer.send(Chunk::Output { bytes, filled, frame, offset }).map_err(|_| Gone)?;
            match done {
                Ok(false) => {}
                Ok(true) => return Ok(running.finish().map(|exact| (content, exact))),
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    /// Decodes further into `output`, and returns how much was written and whether that was the last of it. `high` tells what
    /// the frame's blocks so far may make.
    fn more(
        &self,
        running: &mut Running<'_>,
        content: &mut Content,
        output: &mut [u8],
        high: &dyn Fn() -> u64,
    ) -> Result<(usize, bool), Error> {
        let progress = running.decode(output).map_err(|error| running.blame(error, self.stop))?;
        let taken = content.take(&output[..progress.written], running.frame(), high());
        taken.map_err(|error| running.blame(error, self.stop))?;
        Ok((progress.written, progress.done))
    }
}

/// A reader that somebody else looks at between reads.
struct SharedRead<'a, R>(&'a RefCell<R>);

impl<R: io::Read> io::Read for SharedRead<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.borrow_mut().read(buffer)
    }
}
