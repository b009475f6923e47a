//! The writer.

use std::fmt;
use std::io::{self, Read, Write};

use super::error::{EncodeError, ReadFromError};
use super::framer::{Framer, Place};
use super::pool::{Chunk, Done, Pool};
use super::settings::EncodeSettings;
use super::sink::Sink;

/// Encodes what is written to it on several threads, as a stream of frames that decode beside each other.
///
/// - Each frame is a single segment of at most [`EncodeSettings::frame_size`] bytes that declares its size. Neither the
///   number of workers nor how the content comes in pieces changes the stream, unless [`flush`](Write::flush) is
///   called.
/// - No content at all makes one empty frame.
/// - The first error stays: every later call returns it.
/// - The stream is complete when [`finish`](Self::finish) or [`close`](Self::close) returned `Ok`. Until then the last
///   byte of the last frame is held back, so that what a writer leaves that was dropped, or whose process ended, is
///   truncated for every decoder. (What was flushed is complete up to there; and so it may be where a sink fails right
///   between two frames.)
/// - Content is held until its frame is full, and a frame until it is its turn: they come to the sink with later
///   writes, at the latest with `flush` or `finish`.
/// - Memory is bounded by [`EncodeSettings::peak_memory`]. A sink that blocks blocks the caller.
/// - The sink is written to on the caller's thread. Short and interrupted writes go on. An error of the sink, that it
///   would block among them, is the end of the stream.
/// - Dropping it writes nothing, and waits for the frame that each worker is in.
///
/// ```
/// use std::io::{Cursor, Read, Write};
/// use zvet::source::Stream;
/// use zvet::{ParallelReader, ParallelWriter};
///
/// let mut writer = ParallelWriter::new(Vec::new());
/// writer.write_all(b"hello, world")?;
/// let (stream, report) = writer.finish()?;
/// assert_eq!((report.frames, report.content_size, report.compressed_size), (1, 12, stream.len() as u64));
///
/// let mut content = String::new();
/// ParallelReader::new(Stream::new(Cursor::new(stream)))?.read_to_string(&mut content)?;
/// assert_eq!(content, "hello, world");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ParallelWriter<W> {
    sink: Sink<W>,
    state: State,
    frame_size: usize,
    /// The chunk that is being filled.
    chunk: Chunk,
    /// Where that is in the stream.
    place: Place,
    encoding: Encoding,
}

/// Who encodes.
#[derive(Debug)]
enum Encoding {
    /// The caller's thread.
    Inline(Framer),
    /// Others, and chunks that came back from them.
    Threads { pool: Pool, spare: Vec<Chunk> },
}

#[derive(Debug)]
enum State {
    Open,
    Failed(EncodeError),
    Closed,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodeReport {
    /// Frames.
    pub frames: u64,
    /// Bytes of content.
    pub content_size: u64,
    /// Bytes of the stream.
    pub compressed_size: u64,
}

impl<W: Write> ParallelWriter<W> {
    /// Encodes with the default [`EncodeSettings`].
    #[must_use]
    pub fn new(sink: W) -> Self {
        Self::unchecked(sink, &EncodeSettings::default())
    }

    /// Encodes with settings of the caller's.
    ///
    /// # Errors
    /// Those of [`EncodeSettings::check`]. Threads are started later, when there is work for them.
    pub fn with_settings(sink: W, settings: &EncodeSettings) -> Result<Self, EncodeError> {
        settings.check()?;
        Ok(Self::unchecked(sink, settings))
    }

    fn unchecked(sink: W, settings: &EncodeSettings) -> Self {
        let encoding = match settings.workers.get() {
            1 => Encoding::Inline(Framer::new(settings)),
            _ => Encoding::Threads { pool: Pool::new(settings), spare: Vec::new() },
        };
        Self {
            sink: Sink::new(sink),
            state: State::Open,
            frame_size: settings.frame_size,
            chunk: Chunk::default(),
            place: Place::default(),
            encoding,
        }
    }

    /// Encodes all that a reader has, which is read right into place, and returns how much that was. The stream stays
    /// open.
    ///
    /// # Errors
    /// The reader's, after which the writer may go on with what comes next, or the writer's.
    pub fn read_from(&mut self, reader: &mut (impl Read + ?Sized)) -> Result<u64, ReadFromError> {
        let mut size = 0;
        loop {
            self.attempt(Self::make_room)?;
            let room = &mut self.chunk.content[self.chunk.filled..];
            let n = match reader.read(room) {
                Ok(0) => return Ok(size),
                Ok(n) if n <= room.len() => n,
                Ok(_) => {
                    return Err(ReadFromError::Read(io::Error::other(
                        "it says that it read more than there is room for",
                    )));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(ReadFromError::Read(error)),
            };
            size += n as u64;
            self.attempt(|writer| writer.filled(n))?;
        }
    }

    /// Completes the stream, flushes the sink, and waits for the threads. Closing again changes nothing, and returns
    /// the same. After that, writing is [`EncodeError::Closed`].
    ///
    /// # Errors
    /// The first error of the stream.
    ///
    /// # Panics
    /// Passes on a panic of a thread of its own, which is a bug in zvet.
    pub fn close(&mut self) -> Result<EncodeReport, EncodeError> {
        if !matches!(self.state, State::Closed) {
            let completed = self.attempt(|writer| {
                if writer.place.frame == 0 {
                    // No content at all is one empty frame.
                    writer.end_frame()?;
                }
                writer.write_through()
            });
            if let Encoding::Threads { pool, spare } = &mut self.encoding {
                pool.close();
                spare.clear();
            }
            self.chunk = Chunk::default();
            completed?;
            self.state = State::Closed;
        }
        Ok(self.report())
    }

    /// Completes the stream as [`close`](Self::close) does, and returns the sink with a report.
    ///
    /// # Errors
    /// As [`close`](Self::close). The sink is dropped then; who wants it back closes first, and then
    /// [abandons](Self::abandon).
    ///
    /// # Panics
    /// As [`close`](Self::close).
    pub fn finish(mut self) -> Result<(W, EncodeReport), EncodeError> {
        let report = self.close()?;
        Ok((self.sink.into_inner(), report))
    }

    /// Gives up on what was not written yet, and returns the sink. Threads are not waited for: they end by themselves
    /// after the frame that each is in.
    #[must_use]
    pub fn abandon(mut self) -> W {
        if let Encoding::Threads { pool, .. } = &mut self.encoding {
            pool.detach();
        }
        self.sink.into_inner()
    }

    /// The sink.
    pub fn get_ref(&self) -> &W {
        self.sink.get_ref()
    }

    /// Sums so far: frames that were begun, their content, and what the sink took.
    #[must_use]
    pub fn report(&self) -> EncodeReport {
        let Place { frame, offset } = self.place;
        EncodeReport { frames: frame, content_size: offset, compressed_size: self.sink.written() }
    }

    /// Does something if all went well so far. What goes wrong stays.
    fn attempt<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T, EncodeError>) -> Result<T, EncodeError> {
        match &self.state {
            State::Open => {}
            State::Failed(error) => return Err(error.clone()),
            State::Closed => return Err(EncodeError::Closed),
        }
        f(self).inspect_err(|error| {
            self.state = State::Failed(error.clone());
            if let Encoding::Threads { pool, .. } = &mut self.encoding {
                pool.stop();
            }
        })
    }

    /// Takes some of a buffer, at least a byte.
    fn take_some(&mut self, buffer: &[u8]) -> Result<usize, EncodeError> {
        if self.chunk.filled == 0
            && let Encoding::Inline(framer) = &mut self.encoding
            && let Some(content) = buffer.get(..self.frame_size)
        {
            // A whole frame need not be copied first.
            framer.frame(content, &mut self.chunk.frame, self.place)?;
            self.count(content.len());
            self.sink.frame(&mut self.chunk.frame)?;
            return Ok(content.len());
        }
        self.make_room()?;
        let room = &mut self.chunk.content[self.chunk.filled..];
        let n = room.len().min(buffer.len());
        room[..n].copy_from_slice(&buffer[..n]);
        self.filled(n)?;
        Ok(n)
    }

    /// Sees to it that there is a chunk with room, and writes what is ready.
    fn make_room(&mut self) -> Result<(), EncodeError> {
        self.write_ready()?;
        if !self.chunk.content.is_empty() {
            return Ok(());
        }
        loop {
            if let Encoding::Threads { pool, spare } = &mut self.encoding {
                if let Some(chunk) = spare.pop() {
                    self.chunk = chunk;
                    return Ok(());
                }
                if pool.is_full() {
                    self.write_oldest()?;
                    continue;
                }
            }
            // The system gives zeros, and takes no memory for those that are never touched.
            self.chunk.content = vec![0; self.frame_size];
            return Ok(());
        }
    }

    /// Takes note of more content in the chunk.
    fn filled(&mut self, n: usize) -> Result<(), EncodeError> {
        self.chunk.filled += n;
        if self.chunk.filled == self.frame_size { self.end_frame() } else { Ok(()) }
    }

    /// Makes a frame of the chunk, or lets it be made.
    fn end_frame(&mut self) -> Result<(), EncodeError> {
        let (place, filled) = (self.place, self.chunk.filled);
        match &mut self.encoding {
            Encoding::Inline(framer) => {
                let Chunk { content, frame, .. } = &mut self.chunk;
                framer.frame(&content[..filled], frame, place)?;
                self.count(filled);
                self.chunk.filled = 0;
                self.sink.frame(&mut self.chunk.frame)
            }
            Encoding::Threads { pool, .. } => {
                pool.submit(std::mem::take(&mut self.chunk), place)?;
                self.count(filled);
                Ok(())
            }
        }
    }

    fn count(&mut self, content_size: usize) {
        self.place.frame += 1;
        self.place.offset += content_size as u64;
    }

    /// Writes the frames that are made, as far as it is their turn, without waiting.
    fn write_ready(&mut self) -> Result<(), EncodeError> {
        while let Encoding::Threads { pool, .. } = &mut self.encoding
            && let Some(done) = pool.take_ready()
        {
            self.write_done(done)?;
        }
        Ok(())
    }

    /// Waits for the oldest frame, and writes it; `false` if there is none.
    fn write_oldest(&mut self) -> Result<bool, EncodeError> {
        let Encoding::Threads { pool, .. } = &mut self.encoding else { return Ok(false) };
        let Some(done) = pool.take() else { return Ok(false) };
        self.write_done(done)?;
        Ok(true)
    }

    fn write_done(&mut self, done: Done) -> Result<(), EncodeError> {
        let Done { mut chunk, result } = done;
        result?;
        self.sink.frame(&mut chunk.frame)?;
        chunk.filled = 0;
        if let Encoding::Threads { spare, .. } = &mut self.encoding {
            spare.push(chunk);
        }
        Ok(())
    }

    /// Ends the frame at hand, waits for all frames, and writes them and what was held back.
    fn write_through(&mut self) -> Result<(), EncodeError> {
        if self.chunk.filled > 0 {
            self.end_frame()?;
        }
        while self.write_oldest()? {}
        self.sink.flush()
    }
}

impl<W: Write> Write for ParallelWriter<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        Ok(self.attempt(|writer| if buffer.is_empty() { Ok(0) } else { writer.take_some(buffer) })?)
    }

    /// Ends the frame at hand, waits until all that was written before is in the sink, and flushes that: a decoder on
    /// the other side then has all of it. The stream goes on with another frame, so flushing often makes small frames,
    /// which compress worse. Without new content it makes none. A closed stream was flushed.
    fn flush(&mut self) -> io::Result<()> {
        match self.state {
            State::Closed => Ok(()),
            _ => Ok(self.attempt(Self::write_through)?),
        }
    }
}

impl<W> fmt::Debug for ParallelWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParallelWriter")
            .field("state", &self.state)
            .field("encoding", &self.encoding)
            .finish_non_exhaustive()
    }
}
