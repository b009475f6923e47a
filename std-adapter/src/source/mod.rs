//! Where the bytes of a stream come from. One that can seek skips what nobody needs to see.

use std::io::{self, Read};

#[cfg(feature = "mmap")]
mod mapped;
mod seekable;
mod stream;

#[cfg(feature = "mmap")]
pub use mapped::Mapped;
pub use seekable::Seekable;
pub use stream::Stream;

/// A stream of bytes, read once from front to back.
pub trait Source {
    /// The bytes that come next; reads some if there are none at hand. Empty at the end of the stream.
    ///
    /// # Errors
    /// Those of the reader below; an interrupted read is tried again.
    fn fill(&mut self) -> io::Result<&[u8]>;

    /// Whether more bytes can be had without waiting for them. A source that does not know says no: then what was found so
    /// far is handed on before each read.
    fn is_ready(&self) -> bool {
        false
    }

    /// Drops the first `n` of the bytes that [`fill`](Self::fill) gave.
    fn consume(&mut self, n: usize);

    /// Reads into `buffer`, past the bytes at hand straight from below. 0 only at the end, or for an empty buffer.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let at_hand = self.fill()?;
        let n = at_hand.len().min(buffer.len());
        buffer[..n].copy_from_slice(&at_hand[..n]);
        self.consume(n);
        Ok(n)
    }

    /// Drops up to `n` of the next bytes, after one read at the most, and returns how many: 0 only at the end, or for 0.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    fn skip(&mut self, n: u64) -> io::Result<u64> {
        let at_hand = self.fill()?.len();
        let dropped = usize::try_from(n).map_or(at_hand, |n| n.min(at_hand));
        self.consume(dropped);
        Ok(dropped as u64)
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn fill(&mut self) -> io::Result<&[u8]> {
        (**self).fill()
    }
    fn is_ready(&self) -> bool {
        (**self).is_ready()
    }
    fn consume(&mut self, n: usize) {
        (**self).consume(n);
    }
    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (**self).read_some(buffer)
    }
    fn skip(&mut self, n: u64) -> io::Result<u64> {
        (**self).skip(n)
    }
}

/// A slice is a source that touches only what is looked at.
impl Source for &[u8] {
    fn fill(&mut self) -> io::Result<&[u8]> {
        Ok(self)
    }
    fn is_ready(&self) -> bool {
        true
    }
    fn consume(&mut self, n: usize) {
        *self = &self[n..];
    }
    fn skip(&mut self, n: u64) -> io::Result<u64> {
        let n = usize::try_from(n).map_or(self.len(), |n| n.min(self.len()));
        self.consume(n);
        Ok(n as u64)
    }
}

/// Bytes read ahead.
#[derive(Debug, Default)]
struct ReadAhead {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl ReadAhead {
    fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }

    fn consume(&mut self, n: usize) {
        self.start = self.start.saturating_add(n).min(self.end);
    }

    /// Moves bytes at hand to `to`.
    fn take(&mut self, to: &mut [u8]) -> usize {
        let n = self.bytes().len().min(to.len());
        to[..n].copy_from_slice(&self.bytes()[..n]);
        self.consume(n);
        n
    }

    /// Reads up to `size` bytes where none are at hand.
    fn refill(&mut self, reader: &mut impl Read, size: usize) -> io::Result<()> {
        if self.buffer.len() < size {
            self.buffer.resize(size, 0);
        }
        self.start = 0;
        self.end = 0;
        self.end = retrying(|| reader.read(&mut self.buffer[..size]))?;
        Ok(())
    }
}

fn retrying<T>(mut read: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match read() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

const READ_AHEAD: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor, Read};

    use super::{Seekable, Source, Stream};

    /// Gives one byte at a time, and an interruption before each.
    struct Trickle<'a>(&'a [u8], bool);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let n = buffer.len().min(1);
            self.0.read(&mut buffer[..n])
        }
    }

    /// Skips in as many steps as it takes.
    fn skip(source: &mut impl Source, n: u64) -> u64 {
        let mut left = n;
        while let step @ 1.. = source.skip(left).unwrap() {
            left -= step;
        }
        n - left
    }

    fn holds_its_contract(mut source: impl Source) {
        assert_eq!(source.fill().unwrap()[0], 0);
        source.consume(1);
        assert_eq!(skip(&mut source, 9), 9);
        assert_eq!(source.fill().unwrap()[0], 10);
        let mut buffer = [0; 4];
        let n = source.read_some(&mut buffer).unwrap();
        assert_eq!(buffer[..n], [10, 11, 12, 13][..n]);
        assert_eq!(skip(&mut source, 1000), 90 - n as u64, "a skip past the end tells how far it came");
        assert!(source.fill().unwrap().is_empty());
        assert_eq!(source.skip(1).unwrap(), 0);
        assert_eq!(source.read_some(&mut buffer).unwrap(), 0);
    }

    #[test]
    fn every_source_holds_its_contract() {
        let bytes: Vec<u8> = (0..100).collect();
        holds_its_contract(&bytes[..]);
        holds_its_contract(Stream::new(&bytes[..]));
        holds_its_contract(Stream::new(Trickle(&bytes, false)));
        holds_its_contract(Seekable::new(Cursor::new(&bytes)).unwrap());
        holds_its_contract(Box::new(&bytes[..]) as Box<dyn Source>);
    }

    #[test]
    fn a_file_that_shrinks_is_an_error_and_one_that_grows_is_read_on() {
        use std::io::Write;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 1000]).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let mut source = Seekable::new(file.try_clone().unwrap()).unwrap();
        assert_eq!(source.fill().unwrap()[0], 7);
        file.set_len(500).unwrap();
        assert_eq!(skip(&mut source, 900), 900);
        assert_eq!(source.fill().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);

        let mut source = Seekable::new(file.try_clone().unwrap()).unwrap();
        let start = source.size();
        file.set_len(2000).unwrap();
        assert_eq!(skip(&mut source, start + 300), start + 300);
        assert_eq!(source.fill().unwrap()[0], 0);
    }

    #[cfg(feature = "mmap")]
    #[test]
    #[expect(unsafe_code, reason = "nobody else has the file")]
    fn a_mapped_file_holds_the_contract() {
        use std::io::Write;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&(0..100).collect::<Vec<u8>>()).unwrap();
        // SAFETY: the file is this test's own.
        holds_its_contract(unsafe { super::Mapped::new(&file) }.unwrap());
    }

    #[test]
    fn a_seekable_source_begins_where_its_reader_is() {
        let mut reader = Cursor::new([1, 2, 3]);
        reader.set_position(2);
        let mut source = Seekable::new(reader).unwrap();
        assert_eq!(source.fill().unwrap(), [3]);
    }
}
