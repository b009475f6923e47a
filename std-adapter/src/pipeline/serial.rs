//! Frames that do not fit a slot: decoded as they are read, chunk by chunk.

use std::cell::RefCell;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};

use super::{Chunk, Gone};
use crate::content::Content;
use crate::dictionary::Dictionary;
use crate::engine::Guarded;
use crate::error::Error;
use crate::source::Source;
use crate::split::SerialFrame;

/// Output of serial frames is handed on in pieces of this size.
const CHUNK_SIZE: usize = 256 << 10;
/// One is filled while the other is taken.
pub(super) const CHUNKS: usize = 2;
/// A serial frame on its way through an engine.
pub(super) struct Serial<'a> {
    pub(super) dictionary: Option<&'a Dictionary>,
    pub(super) chunks: &'a Receiver<Vec<u8>>,
    pub(super) to_consumer: SyncSender<Chunk>,
    pub(super) stop: &'a AtomicBool,
}

impl Serial<'_> {
    /// Decodes the frame chunk by chunk, and returns the error that it ended with, if any.
    pub(super) fn run<S: Source>(
        self,
        mut serial: SerialFrame<'_, S>,
        engine: &mut Guarded,
    ) -> Result<Option<Error>, Gone> {
        let result = self.decode(&mut serial, engine)?;
        // What reading the frame found wrong is the cause of what the engine then says.
        let result = serial.fault().map_or(result, Err);
        let result = result.and_then(|content| {
            let frame = serial.skip_to_end()?;
            content.finish(&frame)
        });
        let error = result.as_ref().err().cloned();
        let end = Chunk::End { frame: *serial.frame(), result, offset: serial.offset() };
        self.to_consumer.send(end).map_err(|_| Gone)?;
        Ok(error)
    }

    fn decode<S: Source>(
        &self,
        serial: &mut SerialFrame<'_, S>,
        engine: &mut Guarded,
    ) -> Result<Result<Content, Error>, Gone> {
        let begun = *serial.frame();
        let mut content = Content::of(&begun);
        // The walk is shared by the engine, which reads, and by this loop, which asks how far it is.
        let shared = RefCell::new(serial);
        let mut input = SharedRead(&shared);
        let mut running = match engine.start(&begun, self.dictionary, &mut input) {
            Ok(running) => running,
            Err(error) => return Ok(Err(error)),
        };
        let mut done = false;
        while !done {
            let mut bytes = self.chunks.recv().map_err(|_| Gone)?;
            bytes.resize(CHUNK_SIZE, 0);
            let mut filled = 0;
            while !done && filled < CHUNK_SIZE {
                if self.stop.load(Ordering::Relaxed) {
                    return Err(Gone);
                }
                let progress = match running.decode(&mut bytes[filled..]) {
                    Ok(progress) => progress,
                    Err(error) => return Ok(Err(error)),
                };
                let new = filled..filled + progress.written;
                let high = shared.borrow().frame().content.high;
                if let Err(error) = content.take(&bytes[new], &begun, high, &running) {
                    return Ok(Err(error));
                }
                filled += progress.written;
                done = progress.done;
            }
            bytes.truncate(filled);
            let (frame, offset) = (*shared.borrow().frame(), shared.borrow().offset());
            self.to_consumer.send(Chunk::Output { bytes, frame, offset }).map_err(|_| Gone)?;
        }
        Ok(Ok(content))
    }
}

/// A reader that somebody else looks at between reads.
struct SharedRead<'a, R>(&'a RefCell<R>);

impl<R: io::Read> io::Read for SharedRead<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.borrow_mut().read(buffer)
    }
}
