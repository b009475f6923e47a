//! The JSON documents on their way to standard output. What is in them is for [`zvet::json`] to say.

use std::fmt::{self, Display};
use std::io::{self, Write};

use zvet::format::{Class, Location};
pub(crate) use zvet::json::Form;
use zvet::{Fault, FrameReport, Level, Report, json};

/// What is said of an input besides its frames.
pub(crate) type Summary = json::Summary<Cause>;

/// Why there is no good word for an input.
#[derive(Debug)]
pub(crate) enum Cause {
    /// What is wrong with it.
    Stream(zvet::Error),
    /// Its content could not be written.
    Unwritten(String),
}

impl Cause {
    fn stream(&self) -> Option<&zvet::Error> {
        match self {
            Self::Stream(error) => Some(error),
            Self::Unwritten(_) => None,
        }
    }
}

impl Fault for Cause {
    fn class(&self) -> Option<Class> {
        self.stream()?.class()
    }

    fn rule(&self) -> Option<&'static str> {
        self.stream()?.rule()
    }

    fn location(&self) -> Option<Location> {
        self.stream()?.location()
    }

    fn message(&self) -> impl Display + '_ {
        match self {
            Self::Stream(error) => error.message(),
            Self::Unwritten(message) => message.clone(),
        }
    }
}

/// What is said of a stream. `size` is that of the input, where it is known.
pub(crate) fn summary(report: Report, size: Option<u64>) -> Summary {
    let json::Summary { size, verdict, level, totals, error } = json::Summary::of(report, size);
    Summary { size, verdict, level, totals, error: error.map(Cause::Stream) }
}

/// The verdict on a stream whose content could not be written: there is none.
pub(crate) fn unwritten(totals: zvet::Totals, size: Option<u64>, message: String) -> Summary {
    Summary { size, verdict: "unwritten", level: Level::Content, totals, error: Some(Cause::Unwritten(message)) }
}

/// Writes the document of one input: begin, each frame, end. An error of writing stays, and is told at the end.
#[derive(Debug)]
pub(crate) struct Writer<W> {
    to: W,
    form: Form,
    file: String,
    json: json::Writer,
    written: io::Result<()>,
}

impl<W: Write> Writer<W> {
    pub(crate) fn begin(to: W, form: Form, file: String) -> Self {
        Self { to, form, file, json: json::Writer::new(form), written: Ok(()) }
    }

    /// Whether nothing more can be written.
    pub(crate) fn failed(&self) -> bool {
        self.written.is_err()
    }

    pub(crate) fn frame(&mut self, report: &FrameReport) {
        if self.written.is_ok() {
            self.written = self.write_frame(report);
        }
    }

    pub(crate) fn end(&mut self, summary: &Summary) -> io::Result<()> {
        std::mem::replace(&mut self.written, Ok(()))?;
        let Self { to, file, json, .. } = self;
        write(to, |to| json.end(to, Some(file), summary))?;
        self.to.flush()
    }

    fn write_frame(&mut self, report: &FrameReport) -> io::Result<()> {
        let Self { to, file, json, .. } = self;
        write(to, |to| json.frame(to, Some(file), report))?;
        match self.form {
            // Whoever reads an endless pipe wants each frame as it is found.
            Form::Lines => self.to.flush(),
            Form::Document => Ok(()),
        }
    }
}

/// Writes text as bytes, and keeps the error that formatting forgets.
struct Bytes<'a, W> {
    to: &'a mut W,
    written: io::Result<()>,
}

impl<W: Write> fmt::Write for Bytes<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.written = self.to.write_all(text.as_bytes());
        if self.written.is_ok() { Ok(()) } else { Err(fmt::Error) }
    }
}

fn write<W: Write>(to: &mut W, text: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) -> io::Result<()> {
    let mut bytes = Bytes { to, written: Ok(()) };
    let result = text(&mut bytes);
    bytes.written.and(result.map_err(io::Error::other))
}
