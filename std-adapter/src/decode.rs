//! [`ParallelReader`]: the content of a stream behind [`Read`].

use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use crate::error::Error;
use crate::pipeline::{Consumer, Filled, Pipeline};
use crate::placing::Placing;
use crate::report::{FrameReport, Level, Report, Tally, Totals};
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
/// - Dropping it stops the threads: the splitter after the read that it is in, workers after the frame that
///   they decode.
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
        Self::start(source, settings, false, None)
    }

    /// A reader whose content goes to a file: it gives only what the workers do not write themselves.
    pub(crate) fn placing(
        source: impl Source + Send + 'static,
        settings: &Settings,
        placing: &Arc<Placing>,
    ) -> io::Result<Self> {
        Self::start(source, settings, false, Some(placing))
    }

    /// `step_over` is for verifying, see [`Pipeline::new`].
    pub(crate) fn start(
        source: impl Source + Send + 'static,
        settings: &Settings,
        step_over: bool,
        placing: Option<&Arc<Placing>>,
    ) -> io::Result<Self> {
        let pipeline = Pipeline::new(source, settings, Tally::new(Level::Content), step_over, placing);
        let mut reader = Self { consumer: Some(pipeline.consumer), threads: Vec::new(), observe: Box::new(|_| {}) };
        // Where one cannot be started, those that were end with the splitting, which goes away before the reader.
        let Pipeline { splitting, working, .. } = pipeline;
        for worker in working {
            reader.threads.push(spawn("zvet-worker", || worker.run())?);
        }
        reader.threads.push(spawn("zvet-splitter", || splitting.run())?);
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

    /// As [`into_report`](Self::into_report), without waiting for the threads: they end by themselves at their next turn. A
    /// splitter that is in a read of an idle source is in it until that returns.
    #[must_use]
    pub fn abandon(mut self) -> Option<Report> {
        self.threads.clear();
        self.close()
    }

    /// Sums over the frames so far: those that were told of.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.consumer.as_ref().map_or_else(Totals::default, Consumer::totals)
    }

    /// Writes all that is left of the content, without a copy in between, and returns how much that was. The stream was then
    /// read to its end.
    ///
    /// # Errors
    /// The first error of the stream, as reading has it, or that of writing.
    pub fn copy_to(&mut self, writer: &mut (impl Write + ?Sized)) -> io::Result<u64> {
        let mut copied = 0;
        loop {
            let content = self.fill_buf()?;
            if content.is_empty() {
                return Ok(copied);
            }
            writer.write_all(content)?;
            let size = content.len();
            copied += size as u64;
            self.consume(size);
        }
    }

    /// What there is of the output, and where in the content it begins.
    pub(crate) fn output(&self) -> (&[u8], u64) {
        self.consumer.as_ref().map_or((&[], 0), |consumer| (consumer.output(), consumer.place()))
    }

    pub(crate) fn fill(&mut self) -> Result<usize, Error> {
        let mut observe = std::mem::replace(&mut self.observe, Box::new(|_| {}));
        let filled = self.fill_observing(&mut observe);
        self.observe = observe;
        filled
    }

    /// Sees to it that there is output, and returns how much; 0 at the end.
    pub(crate) fn fill_observing(&mut self, observe: &mut dyn FnMut(&FrameReport)) -> Result<usize, Error> {
        let Some(consumer) = &mut self.consumer else {
            // A thread panicked, and that was passed on.
            return Err(Error::Unopened(Arc::new(io::Error::other("the reader is broken"))));
        };
        match consumer.fill(observe)? {
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

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    Builder::new().name(name.to_owned()).spawn(run).map_err(|error| thread_error(&error))
}

/// Says that it is a thread that could not be started.
pub(crate) fn thread_error(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot start a thread: {error}"))
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
