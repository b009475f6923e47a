//! Content that goes to a file: written at its place, in whatever order.

use std::fs::File;
use std::io;
use std::sync::{PoisonError, RwLock};

/// A file, and how content is written to it.
#[derive(Debug)]
pub(crate) struct Placing {
    file: File,
    /// Runs of zeros become holes.
    sparse: bool,
    /// Its size can be set.
    regular: bool,
    /// Nothing is written any more.
    closed: RwLock<bool>,
}

/// Holes are made of whole units of this size, at multiples of it: what file systems allocate.
const UNIT: usize = 4096;
static ZEROS: [u8; UNIT] = [0; UNIT];

impl Placing {
    /// Makes ready to write: a regular file is emptied, so that nothing of what was in it shows where nothing is written.
    /// Elsewhere, on devices, zeros are written like anything else.
    pub(crate) fn new(file: File, sparse: bool) -> io::Result<Self> {
        let regular = file.metadata()?.is_file();
        if regular {
            file.set_len(0)?;
            // A file that is opened to append takes everything at its end, wherever it should go.
            write_all_at(&file, &[0], 1)?;
            if file.metadata()?.len() != 2 {
                let why = "the file is opened to append, and cannot be written in places";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
            }
            file.set_len(0)?;
        }
        Ok(Self { file, sparse: sparse && regular, regular, closed: RwLock::new(false) })
    }

    /// Writes content to its place.
    pub(crate) fn write(&self, content: &[u8], place: u64) -> io::Result<()> {
        // Whoever closes waits for those who write.
        let closed = self.closed.read().unwrap_or_else(PoisonError::into_inner);
        if *closed {
            return Err(io::Error::other("stopped"));
        }
        if self.sparse { self.write_sparsely(content, place) } else { write_all_at(&self.file, content, place) }
    }

    fn write_sparsely(&self, content: &[u8], place: u64) -> io::Result<()> {
        // What is not written yet begins here.
        let mut start = 0;
        let mut at = 0;
        while at < content.len() {
            let unit = unit_at(content, place, at);
            let end = at + unit.len();
            if unit == &ZEROS[..unit.len()] {
                write_all_at(&self.file, &content[start..at], place + start as u64)?;
                start = end;
            }
            at = end;
        }
        write_all_at(&self.file, &content[start..], place + start as u64)
    }

    /// Nothing is written from here on. Returns once nobody writes.
    pub(crate) fn close(&self) {
        *self.closed.write().unwrap_or_else(PoisonError::into_inner) = true;
    }

    /// Gives a complete file its size: what ends in a hole has none yet.
    pub(crate) fn complete(&self, size: u64) -> io::Result<()> {
        if self.regular { self.file.set_len(size) } else { Ok(()) }
    }
}

/// The content from there to the end of the file's unit.
fn unit_at(content: &[u8], place: u64, at: usize) -> &[u8] {
    let before = usize::try_from((place + at as u64) % UNIT as u64).unwrap_or(0);
    let end = (at + UNIT - before).min(content.len());
    &content[at..end]
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], place: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, place)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, place) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => {
                bytes = &bytes[n..];
                place += n as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(not(any(unix, windows)))]
fn write_all_at(_file: &File, bytes: &[u8], _place: u64) -> io::Result<()> {
    if bytes.is_empty() { Ok(()) } else { Err(io::ErrorKind::Unsupported.into()) }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::{Placing, UNIT};

    #[test]
    fn sparse_content_is_the_same_wherever_its_zeros_are() {
        for place in [0, 1, UNIT as u64 - 1, UNIT as u64, 3 * UNIT as u64 + 7] {
            for (zeros, size) in
                [(0..0, 5), (0..UNIT, 3 * UNIT), (5..4 * UNIT, 4 * UNIT), (0..9, 9), (UNIT..3 * UNIT, 5 * UNIT)]
            {
                let mut content = vec![7; size];
                content[zeros].fill(0);
                let mut file = tempfile::tempfile().unwrap();
                std::io::Write::write_all(&mut file, &vec![0xEE; 10 * UNIT]).unwrap();
                let placing = Placing::new(file.try_clone().unwrap(), true).unwrap();
                placing.write(&content, place).unwrap();
                placing.complete(place + size as u64).unwrap();
                let mut written = Vec::new();
                std::io::Seek::rewind(&mut file).unwrap();
                file.read_to_end(&mut written).unwrap();
                let place = usize::try_from(place).unwrap();
                assert_eq!(written.len(), place + size);
                assert!(written[..place].iter().all(|&byte| byte == 0), "what was there shows");
                assert_eq!(written[place..], content);
            }
        }
    }

    #[test]
    fn nothing_is_written_to_what_is_closed() {
        let placing = Placing::new(tempfile::tempfile().unwrap(), false).unwrap();
        placing.close();
        assert!(placing.write(b"late", 0).is_err());
        assert_eq!(placing.file.metadata().unwrap().len(), 0);
    }
}
