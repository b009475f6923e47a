//! [`FileDecoder`]: the content of a stream in a file, written by all workers at once.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead};
use std::sync::Arc;

use crate::decode::ParallelReader;
use crate::error::Error;
use crate::placing::Placing;
use crate::report::{FrameReport, Report, unwritten};
use crate::settings::Settings;
use crate::source::Source;

/// Decodes a stream into a file. Frames whose place is known, since what comes before them declares its size or was walked
/// through, are written by the worker that decoded them, in whatever order; the others in the order of the stream.
///
/// What was in the file is gone. Its size is set last: until then, and after an error, it holds any part of the content, with
/// holes. So it should have a name that nobody takes for a finished file's, as `zvet decode` sees to.
///
/// No byte of a frame that fails is written, unless the frame is decoded as it is read.
///
/// ```
/// use zvet::{FileDecoder, Settings, StreamVerdict};
///
/// let file = tempfile::tempfile()?;
/// let stream = &b"\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x00hello, world"[..];
/// let report = FileDecoder::new(stream, file.try_clone()?, true, &Settings::default())?.run();
/// assert_eq!(report.verdict, StreamVerdict::Valid);
/// assert_eq!(file.metadata()?.len(), 12);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct FileDecoder {
    reader: ParallelReader,
    placing: Arc<Placing>,
}

impl fmt::Debug for FileDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileDecoder").finish_non_exhaustive()
    }
}

impl FileDecoder {
    /// Begins to decode into a file that can be written at any offset. With `sparse`, runs of zeros become holes, of whole
    /// units of 4 KiB, if it is a regular file; elsewhere zeros are written, since what was there would show.
    ///
    /// # Errors
    /// Those of emptying the file and of starting a thread.
    pub fn new(
        source: impl Source + Send + 'static,
        file: File,
        sparse: bool,
        settings: &Settings,
    ) -> io::Result<Self> {
        let placing = Arc::new(Placing::new(file, sparse)?);
        let reader = ParallelReader::placing(source, settings, &placing)?;
        Ok(Self { reader, placing })
    }

    /// As [`ParallelReader::observe`].
    pub fn observe(&mut self, observe: impl FnMut(&FrameReport) + Send + 'static) {
        self.reader.observe(observe);
    }

    /// Decodes to the end of the stream or to the first error, which is in the report: [`Error::Unwritten`] where the file could
    /// not be written. Once it returns nothing more is written; a thread that is in a read of an idle source ends by itself
    /// when the read does.
    #[must_use]
    pub fn run(mut self) -> Report {
        let written = self.write();
        self.placing.close();
        let totals = self.reader.totals();
        match (written, self.reader.abandon()) {
            (Err(error @ Error::Unwritten(_)), report) => unwritten(report, totals, error),
            (_, Some(report)) => report,
            (_, None) => unreachable!("what was read to its end or to an error has a report"),
        }
    }

    /// Writes what the workers do not.
    fn write(&mut self) -> Result<(), Error> {
        let unwritten = |error| Error::Unwritten(Arc::new(error));
        while self.reader.fill()? > 0 {
            let (content, place) = self.reader.output();
            self.placing.write(content, place).map_err(unwritten)?;
            let size = content.len();
            self.reader.consume(size);
        }
        self.placing.complete(self.reader.output().1).map_err(unwritten)
    }
}
