use std::io;

use super::Source;

/// A memory-mapped file: a walk touches only the pages that hold headers.
///
/// A mapped file that another process truncates takes this process down (SIGBUS), so this is for files that nobody
/// else writes to. Reading with [`Seekable`](super::Seekable) has no such danger and is as fast for a walk.
#[derive(Debug)]
pub struct Mapped {
    map: memmap2::Mmap,
    position: usize,
}

impl Mapped {
    /// Maps a file from its start to its end.
    ///
    /// # Safety
    /// The file must not be truncated or written to by anyone while it is mapped.
    ///
    /// # Errors
    /// Those of mapping it.
    #[expect(unsafe_code, reason = "mapping a file is a promise that only the caller can make")]
    pub unsafe fn new(file: &std::fs::File) -> io::Result<Self> {
        // SAFETY: the caller promises that nobody changes the file.
        let map = unsafe { memmap2::Mmap::map(file) }?;
        Ok(Self { map, position: 0 })
    }
}

impl Source for Mapped {
    fn fill(&mut self) -> io::Result<&[u8]> {
        Ok(&self.map[self.position..])
    }
    fn is_ready(&self) -> bool {
        true
    }
    fn consume(&mut self, n: usize) {
        self.position += n;
    }
    fn skip(&mut self, n: u64) -> io::Result<u64> {
        let left = self.map.len() - self.position;
        let n = usize::try_from(n).map_or(left, |n| n.min(left));
        self.position += n;
        Ok(n as u64)
    }
}
