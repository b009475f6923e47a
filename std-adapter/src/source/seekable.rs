use std::io::{self, Read, Seek, SeekFrom};

use super::{READ_AHEAD, ReadAhead, Source, retrying};

/// A reader that can seek: a file. Skipping costs nothing, and little is read ahead after a skip, so that a walk reads
/// a few bytes a block.
#[derive(Debug)]
pub struct Seekable<R> {
    reader: R,
    ahead: ReadAhead,
    /// Where the reader is: the end of the bytes at hand.
    position: u64,
    size: u64,
    /// How much to read ahead next: little after a skip, and more while reading goes on without one.
    next_read: usize,
}

/// A block header and the one or two that may follow a tiny block.
const FIRST_READ: usize = 32;
/// Less than this is read sooner than skipped, where as much would be read next: else a file of tiny frames or blocks
/// takes a seek for each.
const PAGE: u64 = 4096;

impl<R: Read + Seek> Seekable<R> {
    /// A stream from where the reader is to its end.
    ///
    /// # Errors
    /// Those of seeking: the size of the stream is found by it.
    pub fn new(mut reader: R) -> io::Result<Self> {
        let position = reader.stream_position()?;
        let size = reader.seek(SeekFrom::End(0))?;
        reader.seek(SeekFrom::Start(position))?;
        Ok(Self { reader, ahead: ReadAhead::default(), position, size, next_read: FIRST_READ })
    }

    /// How many bytes come, from where the source is to the end of the stream.
    pub fn size(&self) -> u64 {
        self.size.saturating_sub(self.position) + self.ahead.bytes().len() as u64
    }
}

impl<R: Read + Seek> Seekable<R> {
    /// An end that is before what was skipped is none: the file was cut meanwhile.
    fn check_end(&mut self) -> io::Result<()> {
        self.size = self.reader.seek(SeekFrom::End(0))?;
        if self.size < self.position {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file shrank while it was read"));
        }
        self.reader.seek(SeekFrom::Start(self.position))?;
        Ok(())
    }
}

impl<R: Read + Seek> Source for Seekable<R> {
    fn fill(&mut self) -> io::Result<&[u8]> {
        if self.ahead.is_empty() {
            self.ahead.refill(&mut self.reader, self.next_read)?;
            if self.ahead.is_empty() {
                self.check_end()?;
            }
            self.position += self.ahead.bytes().len() as u64;
            self.next_read = (self.next_read * 2).min(READ_AHEAD);
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
        let n = retrying(|| self.reader.read(buffer))?;
        self.position += n as u64;
        Ok(n)
    }

    fn skip(&mut self, n: u64) -> io::Result<u64> {
        let at_hand = self.ahead.bytes().len() as u64;
        if n <= at_hand {
            self.ahead.consume(usize::try_from(n).unwrap_or(usize::MAX));
            return Ok(n);
        }
        self.ahead.consume(usize::MAX);
        let beyond = n - at_hand;
        if beyond < PAGE.min(self.next_read as u64) {
            let dropped = self.fill()?.len().min(usize::try_from(beyond).unwrap_or(usize::MAX));
            self.ahead.consume(dropped);
            return Ok(at_hand + dropped as u64);
        }
        let wanted = self.position.saturating_add(beyond);
        if wanted > self.size {
            // It may have grown.
            self.check_end()?;
        }
        let to = wanted.min(self.size);
        let skipped = at_hand + (to - self.position);
        self.reader.seek(SeekFrom::Start(to))?;
        self.position = to;
        self.next_read = FIRST_READ;
        Ok(skipped)
    }
}
