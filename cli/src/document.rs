//! The JSON documents. Keys are stable: more may be added, none changes its meaning.
//!
//! Frames are written as they are found, so a document of any number of frames takes no memory.

use std::io::{self, Write};

use serde::Serialize;
use zvet::{Decode, FrameReport, Level, Report, SizeRange, StreamVerdict};

/// A frame, as an element of `frames`.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Frame {
    Zstd {
        offset: u64,
        compressed_size: u64,
        complete: bool,
        header_size: usize,
        window_size: u64,
        single_segment: bool,
        content_size: Option<u64>,
        dictionary_id: Option<u32>,
        checksum: Option<String>,
        blocks: Blocks,
        decoded_size: Range,
        decode: DecodeMode,
    },
    Skippable {
        offset: u64,
        compressed_size: u64,
        complete: bool,
        header_size: usize,
        variant: u8,
    },
}

#[derive(Debug, Serialize)]
struct Blocks {
    raw: u64,
    rle: u64,
    compressed: u64,
}

#[derive(Debug, Serialize)]
struct Range {
    low: u64,
    high: u64,
}

#[derive(Debug, Serialize)]
#[serde(tag = "mode", rename_all = "lowercase")]
enum DecodeMode {
    Parallel { proof: String },
    Serial { reason: String },
}

#[derive(Debug, Serialize)]
struct Totals {
    frames: u64,
    skippable: u64,
    blocks: u64,
    decoded_size: Range,
    window_max: u64,
    memory: u64,
}

#[derive(Debug, Serialize)]
struct Error {
    rule: Option<&'static str>,
    offset: Option<u64>,
    frame: Option<u64>,
    block: Option<u64>,
    message: String,
}

/// What is said of an input besides its frames.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    size: Option<u64>,
    verdict: String,
    level: String,
    totals: Totals,
    error: Option<Error>,
}

/// A line of `--json-lines`: a frame with its file and index, or at the end `{ "file": ..., "kind": "summary", ... }`.
#[derive(Debug, Serialize)]
struct FrameLine<'a> {
    file: &'a str,
    frame: u64,
    #[serde(flatten)]
    report: Frame,
}

#[derive(Debug, Serialize)]
struct SummaryLine<'a> {
    file: &'a str,
    kind: &'static str,
    #[serde(flatten)]
    summary: &'a Summary,
}

/// Writes the document of one input: begin, each frame, end. An error of writing stays, and is told at the end.
#[derive(Debug)]
pub(crate) struct Writer<W> {
    to: W,
    form: Form,
    file: String,
    frames: u64,
    written: io::Result<()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Document,
    Lines,
}

impl<W: Write> Writer<W> {
    pub(crate) fn begin(to: W, form: Form, file: String) -> Self {
        Self { to, form, file, frames: 0, written: Ok(()) }
    }

    /// Whether nothing more can be written.
    pub(crate) fn failed(&self) -> bool {
        self.written.is_err()
    }

    pub(crate) fn frame(&mut self, report: &FrameReport) {
        if self.written.is_ok() {
            self.written = self.write_frame(Frame::from(report));
        }
    }

    pub(crate) fn end(&mut self, summary: &Summary) -> io::Result<()> {
        std::mem::replace(&mut self.written, Ok(()))?;
        match self.form {
            Form::Document => {
                self.begin_document()?;
                let summary = serde_json::to_string(summary)?;
                // The document goes on where its frames end.
                self.to.write_all(b"],")?;
                self.to.write_all(&summary.as_bytes()[1..])?;
            }
            Form::Lines => {
                let line = SummaryLine { file: &self.file, kind: "summary", summary };
                serde_json::to_writer(&mut self.to, &line)?;
            }
        }
        self.to.write_all(b"\n")?;
        self.to.flush()
    }

    fn write_frame(&mut self, frame: Frame) -> io::Result<()> {
        match self.form {
            Form::Document => {
                self.begin_document()?;
                if self.frames > 0 {
                    self.to.write_all(b",")?;
                }
                serde_json::to_writer(&mut self.to, &frame)?;
            }
            Form::Lines => {
                let line = FrameLine { file: &self.file, frame: self.frames, report: frame };
                serde_json::to_writer(&mut self.to, &line)?;
                self.to.write_all(b"\n")?;
                // Whoever reads an endless pipe wants each frame as it is found.
                self.to.flush()?;
            }
        }
        self.frames += 1;
        Ok(())
    }

    fn begin_document(&mut self) -> io::Result<()> {
        if self.frames > 0 {
            return Ok(());
        }
        self.to.write_all(b"{\"file\":")?;
        serde_json::to_writer(&mut self.to, &self.file)?;
        self.to.write_all(b",\"frames\":[")
    }
}

impl From<&FrameReport> for Frame {
    fn from(report: &FrameReport) -> Self {
        match report {
            FrameReport::Zstandard(report) => {
                let frame = &report.frame;
                let header = &frame.header;
                Self::Zstd {
                    offset: frame.offset,
                    compressed_size: report.compressed_size,
                    complete: report.complete,
                    header_size: header.header_size(),
                    window_size: header.window_size(),
                    single_segment: header.single_segment(),
                    content_size: header.content_size(),
                    dictionary_id: header.dictionary_id(),
                    checksum: frame.checksum.map(|checksum| format!("{checksum:08x}")),
                    blocks: Blocks {
                        raw: frame.blocks.raw,
                        rle: frame.blocks.rle,
                        compressed: frame.blocks.compressed,
                    },
                    decoded_size: report.decoded_size.into(),
                    decode: match report.decode {
                        Decode::Parallel(proof) => DecodeMode::Parallel { proof: proof.to_string() },
                        Decode::Serial(reason) => DecodeMode::Serial { reason: reason.to_string() },
                    },
                }
            }
            FrameReport::Skippable { frame, compressed_size, complete } => Self::Skippable {
                offset: frame.offset,
                compressed_size: *compressed_size,
                complete: *complete,
                header_size: zvet::format::consts::SKIPPABLE_HEADER_SIZE,
                variant: frame.variant,
            },
        }
    }
}

impl From<SizeRange> for Range {
    fn from(range: SizeRange) -> Self {
        Self { low: range.low, high: range.high }
    }
}

impl Summary {
    /// `size` is that of the input, where it is known; else it is known once the stream was valid to its end.
    pub(crate) fn of(report: &Report, size: Option<u64>) -> Self {
        let walked = (report.verdict == StreamVerdict::Valid).then_some(report.size);
        Self {
            size: size.or(walked),
            verdict: report.verdict.to_string(),
            level: report.level.to_string(),
            totals: Totals::from(&report.totals),
            error: report.error.as_ref().map(|error| {
                let at = error.location();
                Error {
                    rule: error.rule(),
                    offset: at.map(|at| at.offset),
                    frame: at.map(|at| at.frame),
                    block: at.and_then(|at| at.block),
                    message: error.message(),
                }
            }),
        }
    }

    /// The verdict on a stream whose content could not be written: there is none.
    pub(crate) fn unwritten(totals: &zvet::Totals, size: Option<u64>, message: String) -> Self {
        let error = Error { rule: None, offset: None, frame: None, block: None, message };
        Self {
            size,
            verdict: "unwritten".to_owned(),
            level: Level::Content.to_string(),
            totals: totals.into(),
            error: Some(error),
        }
    }
}

impl From<&zvet::Totals> for Totals {
    fn from(totals: &zvet::Totals) -> Self {
        Self {
            frames: totals.frames,
            skippable: totals.skippable,
            blocks: totals.blocks,
            decoded_size: totals.decoded_size.into(),
            window_max: totals.window_max,
            memory: totals.memory,
        }
    }
}
