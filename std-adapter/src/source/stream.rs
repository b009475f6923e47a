use std::io::{self, Read};

use super::{READ_AHEAD, ReadAhead, Source, retrying};

/// A reader that cannot seek: a pipe, a socket. Reads 64 KiB ahead.
#[derive(Debug)]
pub struct Stream<R> {
    reader: R,
    ahead: ReadAhead,
}

impl<R: Read> Stream<R> {
    /// A stream from where the reader is to its end.
    pub fn new(reader: R) -> Self {
        Self { reader, ahead: ReadAhead::default() }
    }
}

impl<R: Read> Source for Stream<R> {
    fn fill(&mut self) -> io::Result<&[u8]> {
        if self.ahead.is_empty() {
            self.ahead.refill(&mut self.reader, READ_AHEAD)?;
        }
        Ok(self.ahead.bytes())
    }

    fn is_ready(&self) -> bool {
        !self.ahead.is_empty()
    }

    fn consume(&mut self, n: usize) {
        self.ahead.consume(n);
    }

    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.ahead.is_empty() {
            return Ok(self.ahead.take(buffer));
        }
        retrying(|| self.reader.read(buffer))
    }
}
