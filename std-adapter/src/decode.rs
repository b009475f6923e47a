//! [`ParallelReader`]: the content of a stream behind [`Read`].

use std::fmt;
use std::io::{self, BufRead, Read};
use std::panic::resume_unwind;
use std::thread::{Builder, JoinHandle};

use crate::error::Error;
use crate::pipeline::{Consumer, Filled, Pipeline};
use crate::report::{FrameReport, Level, Report, Tally};
use crate::settings::Settings;
use crate::source::Source;

/// Decodes a stream on several threads, and gives its content in order.
///
/// - Every frame is checked before its content is given: declared size and checksum of a frame that is held whole. Of a
///   serial frame the content comes as it is decoded, and what its checksum says comes at its end.
/// - The first error stays: no later read succeeds.
/// - Content is complete only when a read returns 0, or [`finish`](Self::finish) a report. A caller that knows the size
///   and stops there has not seen what the rest of the stream says.
/// - Memory is bounded by [`Settings::peak_memory`], whatever the stream.
/// - Dropping it stops the threads: the splitter after the read that it is in, workers after their block.
///
/// ```
/// use std::io::Read;
/// use zvet::ParallelReader;
///
/// let stream = &b"\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x00hello, world"[..];
/// let mut content = String::new();
/// ParallelReader::new(stream)?.read_to_string(&mut content)?;
/// assert_eq!(content, "hello, world");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ParallelReader {
    /// `None` only while it is dropped.
    consumer: Option<Consumer>,
    threads: Vec<JoinHandle<()>>,
    observe: Box<dyn FnMut(&FrameReport) + Send>,
}

impl fmt::Debug for ParallelReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParallelReader").field("threads", &self.threads.len()).finish_non_exhaustive()
    }
}

impl ParallelReader {
    /// Decodes with the default [`Settings`].
    ///
    /// # Errors
    /// As [`with_settings`](Self::with_settings).
    pub fn new(source: impl Source + Send + 'static) -> io::Result<Self> {
        Self::with_settings(source, &Settings::default())
    }

    /// Decodes with settings of the caller's.
    ///
    /// # Errors
    /// Those of starting a thread.
    pub fn with_settings(source: impl Source + Send + 'static, settings: &Settings) -> io::Result<Self> {
        let Pipeline { splitting, working, consumer } =
            Pipeline::new(source, settings, Tally::new(Level::Content), false);
        let mut reader = Self { consumer: Some(consumer), threads: Vec::new(), observe: Box::new(|_| {}) };
        for worker in working {
            reader.threads.push(Builder::new().name("zvet-worker".to_owned()).spawn(|| worker.run())?);
        }
        reader.threads.push(Builder::new().name("zvet-splitter".to_owned()).spawn(|| splitting.run())?);
        Ok(reader)
    }

    /// Tells of each frame as its end, or the error that cuts it short, is known: before the content of one that is held
    /// whole, after that of a serial one.
    pub fn observe(&mut self, observe: impl FnMut(&FrameReport) + Send + 'static) {
        self.observe = Box::new(observe);
    }

    /// Decodes what was not read yet, checks all of it, and returns the report on the stream.
    ///
    /// # Errors
    /// The first error of the stream.
    ///
    /// # Panics
    /// Passes on a panic of a thread of its own, which is a bug in zvet.
    pub fn finish(mut self) -> Result<Report, Error> {
        loop {
            match self.fill()? {
                0 => break,
                n => self.consume(n),
            }
        }
        Ok(self.into_report().expect("the stream was read to its end"))
    }

    /// Stops, and returns the report on the stream; `None` where it was read neither to its end nor to an error, so that
    /// nothing can be said of the whole.
    ///
    /// # Panics
    /// As [`finish`](Self::finish).
    #[must_use]
    pub fn into_report(mut self) -> Option<Report> {
        self.close()
    }

    /// Sees to it that there is output, and returns how much; 0 at the end.
    fn fill(&mut self) -> Result<usize, Error> {
        let Some(consumer) = &mut self.consumer else { return Ok(0) };
        match consumer.fill(&mut self.observe)? {
            Filled::Output => Ok(consumer.output().len()),
            Filled::End => Ok(0),
            Filled::Lost => {
                self.close();
                unreachable!("a thread that is gone before the end of the stream has panicked");
            }
        }
    }

    /// Stops the threads, waits for them, and passes a panic of theirs on.
    fn close(&mut self) -> Option<Report> {
        let consumer = self.consumer.take()?;
        consumer.stop();
        let report = consumer.report();
        for thread in self.threads.drain(..) {
            if let Err(panic) = thread.join()
                && !std::thread::panicking()
            {
                resume_unwind(panic);
            }
        }
        report
    }
}

impl BufRead for ParallelReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        Ok(self.consumer.as_ref().map_or(&[], Consumer::output))
    }

    fn consume(&mut self, n: usize) {
        if let Some(consumer) = &mut self.consumer {
            consumer.consume(n);
        }
    }
}

impl Read for ParallelReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let output = self.fill_buf()?;
        let n = output.len().min(buffer.len());
        buffer[..n].copy_from_slice(&output[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl Drop for ParallelReader {
    fn drop(&mut self) {
        self.close();
    }
}
