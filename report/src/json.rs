//! The JSON documents. Keys are stable: more may be added, none changes its meaning.
//!
//! Frames are written as they are found, so a document of any number of frames takes no memory. Numbers are exact.

use core::fmt::{self, Display, Write};

use zvet_core::consts::SKIPPABLE_HEADER_SIZE;
use zvet_core::{Decode, SizeRange};

use crate::fault::Fault;
use crate::report::{FrameReport, Level, Report, StreamVerdict, Totals, ZstandardReport};

/// What is written of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One document: `{"file":...,"frames":[...],"size":...}`.
    Document,
    /// A line for each frame, with its file and index, and at the end `{"file":...,"kind":"summary",...}`.
    Lines,
}

/// What is said of an input besides its frames.
#[derive(Clone, Debug)]
pub struct Summary<E> {
    /// Its size in bytes, where it is known.
    pub size: Option<u64>,
    /// [`StreamVerdict::name`], or the word of whoever has a verdict of another kind.
    pub verdict: &'static str,
    /// How deep it was checked.
    pub level: Level,
    /// Sums over its frames.
    pub totals: Totals,
    /// Why it is not valid.
    pub error: Option<E>,
}

impl<E> Summary<E> {
    /// `size` is that of the input, where it is known; else it is known once the stream was valid to its end.
    #[must_use]
    pub fn of(report: Report<E>, size: Option<u64>) -> Self {
        let walked = matches!(report.verdict, StreamVerdict::Valid).then_some(report.size);
        let Report { level, verdict, error, totals, .. } = report;
        Self { size: size.or(walked), verdict: verdict.name(), level, totals, error }
    }
}

/// Writes what is said of one input: each frame, then the end. Whoever calls it brings the file's name, if it has one, and
/// what is written to; the same ones each time.
#[derive(Clone, Copy, Debug)]
pub struct Writer {
    form: Form,
    frames: u64,
}

impl Writer {
    /// A writer before the first frame.
    #[must_use]
    pub const fn new(form: Form) -> Self {
        Self { form, frames: 0 }
    }

    /// Writes a frame.
    ///
    /// # Errors
    /// That of `to`, after which there is no going on.
    pub fn frame(&mut self, to: &mut dyn Write, file: Option<&str>, report: &FrameReport) -> fmt::Result {
        match self.form {
            Form::Document => {
                if self.frames == 0 {
                    begin(to, file)?;
                } else {
                    to.write_str(",")?;
                }
                to.write_str("{")?;
                write_frame(to, report)?;
            }
            Form::Lines => {
                write_file(to, file)?;
                write!(to, "\"frame\":{},", self.frames)?;
                write_frame(to, report)?;
                to.write_str("\n")?;
            }
        }
        self.frames += 1;
        Ok(())
    }

    /// Writes the end.
    ///
    /// # Errors
    /// That of `to`.
    pub fn end<E: Fault>(&self, to: &mut dyn Write, file: Option<&str>, summary: &Summary<E>) -> fmt::Result {
        match self.form {
            Form::Document => {
                if self.frames == 0 {
                    begin(to, file)?;
                }
                to.write_str("],")?;
            }
            Form::Lines => {
                write_file(to, file)?;
                to.write_str("\"kind\":\"summary\",")?;
            }
        }
        write_summary(to, summary)?;
        to.write_str("\n")
    }
}

/// What comes before the frames of a document.
fn begin(to: &mut dyn Write, file: Option<&str>) -> fmt::Result {
    write_file(to, file)?;
    to.write_str("\"frames\":[")
}

/// The start of an object, and its file.
fn write_file(to: &mut dyn Write, file: Option<&str>) -> fmt::Result {
    match file {
        Some(file) => write!(to, "{{\"file\":{},", Text(file)),
        None => to.write_str("{"),
    }
}

/// A frame's keys, to the end of its object.
fn write_frame(to: &mut dyn Write, report: &FrameReport) -> fmt::Result {
    match report {
        FrameReport::Zstandard(report) => write_zstandard(to, report),
        FrameReport::Skippable { frame, compressed_size, complete } => {
            write_place(to, "skippable", frame.offset, *compressed_size, *complete)?;
            write!(to, "\"header_size\":{SKIPPABLE_HEADER_SIZE},\"variant\":{}}}", frame.variant)
        }
    }
}

fn write_place(to: &mut dyn Write, kind: &str, offset: u64, compressed_size: u64, complete: bool) -> fmt::Result {
    write!(to, "\"kind\":\"{kind}\",\"offset\":{offset},\"compressed_size\":{compressed_size},\"complete\":{complete},")
}

fn write_zstandard(to: &mut dyn Write, report: &ZstandardReport) -> fmt::Result {
    let ZstandardReport { frame, compressed_size, complete, decoded_size, decode } = report;
    let (header, blocks) = (&frame.header, &frame.blocks);
    write_place(to, "zstd", frame.offset, *compressed_size, *complete)?;
    write!(
        to,
        "\"header_size\":{},\"window_size\":{},\"single_segment\":{},\"content_size\":{},\"dictionary_id\":{},\"checksum\":",
        header.header_size(),
        header.window_size(),
        header.single_segment(),
        OrNull(header.content_size()),
        OrNull(header.dictionary_id()),
    )?;
    match frame.checksum {
        Some(checksum) => write!(to, "\"{checksum:08x}\"")?,
        None => to.write_str("null")?,
    }
    write!(
        to,
        ",\"blocks\":{{\"raw\":{},\"rle\":{},\"compressed\":{}}},\"decoded_size\":{},\"decode\":",
        blocks.raw,
        blocks.rle,
        blocks.compressed,
        Range(*decoded_size),
    )?;
    match decode {
        Decode::Parallel(proof) => write!(to, "{{\"mode\":\"parallel\",\"proof\":\"{proof}\"}}}}"),
        Decode::Serial(reason) => write!(to, "{{\"mode\":\"serial\",\"reason\":\"{reason}\"}}}}"),
    }
}

/// A summary's keys, to the end of its object.
fn write_summary<E: Fault>(to: &mut dyn Write, summary: &Summary<E>) -> fmt::Result {
    let Summary { size, verdict, level, totals, error } = summary;
    write!(
        to,
        "\"size\":{},\"verdict\":\"{verdict}\",\"level\":\"{level}\",\"totals\":{{\"frames\":{},\"skippable\":{},\"blocks\":{},",
        OrNull(*size),
        totals.frames,
        totals.skippable,
        totals.blocks,
    )?;
    write!(
        to,
        "\"decoded_size\":{},\"window_max\":{},\"memory\":{}}},\"error\":",
        Range(totals.decoded_size),
        totals.window_max,
        totals.memory,
    )?;
    match error {
        Some(error) => write_error(to, error)?,
        None => to.write_str("null")?,
    }
    to.write_str("}")
}

fn write_error(to: &mut dyn Write, error: &impl Fault) -> fmt::Result {
    let at = error.location();
    write!(
        to,
        "{{\"rule\":{},\"offset\":{},\"frame\":{},\"block\":{},\"message\":{}}}",
        OrNull(error.rule().map(Text)),
        OrNull(at.map(|at| at.offset)),
        OrNull(at.map(|at| at.frame)),
        OrNull(at.and_then(|at| at.block)),
        Text(error.message()),
    )
}

struct OrNull<T>(Option<T>);

impl<T: Display> Display for OrNull<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("null"),
        }
    }
}

struct Range(SizeRange);

impl Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{\"low\":{},\"high\":{}}}", self.0.low, self.0.high)
    }
}

/// A string (RFC 8259, 7): quotation marks, backslashes and control characters are escaped, the rest is as it is.
struct Text<T>(T);

impl<T: Display> Display for Text<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        write!(Escaping(f), "{}", self.0)?;
        f.write_str("\"")
    }
}

struct Escaping<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some((plain, escaped, after)) = split_at_escaped(rest) {
            self.0.write_str(plain)?;
            match escaped {
                b'"' => self.0.write_str("\\\"")?,
                b'\\' => self.0.write_str("\\\\")?,
                b'\n' => self.0.write_str("\\n")?,
                b'\r' => self.0.write_str("\\r")?,
                b'\t' => self.0.write_str("\\t")?,
                0x08 => self.0.write_str("\\b")?,
                0x0C => self.0.write_str("\\f")?,
                control => write!(self.0, "\\u{control:04x}")?,
            }
            rest = after;
        }
        self.0.write_str(rest)
    }
}

/// The first character that is to be escaped, and what is before and after it. All of them are of one byte.
fn split_at_escaped(text: &str) -> Option<(&str, u8, &str)> {
    let at = text.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')?;
    Some((text.get(..at)?, *text.as_bytes().get(at)?, text.get(at + 1..)?))
}
