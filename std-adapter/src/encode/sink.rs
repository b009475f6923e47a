//! What frames are written to. The last byte of each frame is held back until there is more: a stream that was not
//! finished ends within a frame, and no decoder takes it for complete.

use std::io::{self, Write};
use std::sync::Arc;

use super::error::EncodeError;
use super::framer::FRONT;

/// A sink, and what was written to it.
#[derive(Debug)]
pub(super) struct Sink<W> {
    inner: W,
    /// The last byte of the last frame.
    held: Option<u8>,
    /// How many bytes the sink took.
    written: u64,
    /// Whether it is being called: it stays set where it panicked, and then nobody knows what it took.
    busy: bool,
}

impl<W: Write> Sink<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, held: None, written: 0, busy: false }
    }

    /// Writes what was held back and a frame, which comes after [`FRONT`] bytes, but for its last byte.
    pub(super) fn frame(&mut self, frame: &mut [u8]) -> Result<(), EncodeError> {
        let Some((&mut last, rest)) = frame.split_last_mut() else { return Ok(()) };
        let bytes = match self.held {
            Some(held) => {
                rest[FRONT - 1] = held;
                &rest[FRONT - 1..]
            }
            None => &rest[FRONT..],
        };
        self.write_all(bytes)?;
        self.held = Some(last);
        Ok(())
    }

    /// Writes what was held back, so that the stream is complete as it is, and flushes the sink.
    pub(super) fn flush(&mut self) -> Result<(), EncodeError> {
        if let Some(held) = self.held {
            self.write_all(&[held])?;
            self.held = None;
        }
        loop {
            match self.call(Write::flush) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result.map_err(|error| self.failed(error)),
            }
        }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), EncodeError> {
        while !bytes.is_empty() {
            let error = match self.call(|sink| sink.write(bytes)) {
                Ok(0) => io::Error::new(io::ErrorKind::WriteZero, "it takes no more"),
                Ok(n) if n > bytes.len() => io::Error::other("it says that it took more than there was"),
                Ok(n) => {
                    self.written += n as u64;
                    bytes = &bytes[n..];
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => error,
            };
            return Err(self.failed(error));
        }
        Ok(())
    }

    fn call<T>(&mut self, f: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.busy {
            return Err(io::Error::other("it panicked"));
        }
        self.busy = true;
        let result = f(&mut self.inner);
        self.busy = false;
        result
    }

    fn failed(&self, source: io::Error) -> EncodeError {
        EncodeError::Write { offset: self.written, source: Arc::new(source) }
    }

    /// How many bytes the sink took.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    pub(super) fn get_ref(&self) -> &W {
        &self.inner
    }

    pub(super) fn into_inner(self) -> W {
        self.inner
    }
}
