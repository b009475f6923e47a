//! What a person reads of an input: a line, and for `inspect` a table of its frames.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use zvet::{Bounds, Decode, FrameReport, Proof, Reason, Report, StreamVerdict, ZstandardReport};

use crate::document::verdict_name;
use crate::size::Human;

/// The line that says it all: verdict and sums, or the error.
pub(crate) fn write_summary(to: &mut impl Write, file: &str, report: &Report) -> io::Result<()> {
    let verdict = verdict_name(report.verdict);
    match &report.error {
        Some(error) => writeln!(to, "{file}: {verdict}: {error}"),
        None => writeln!(to, "{file}: {verdict}, {}", Sums(report)),
    }
}

struct Sums<'a>(&'a Report);

impl fmt::Display for Sums<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { totals, size, .. } = self.0;
        let plural = |n: u64| if n == 1 { "" } else { "s" };
        write!(f, "{} frame{}", totals.frames, plural(totals.frames))?;
        if totals.skippable > 0 {
            write!(f, " and {} skippable", totals.skippable)?;
        }
        write!(f, ", {} block{}, {}", totals.blocks, plural(totals.blocks), Human(*size))?;
        match totals.decoded_size.exact() {
            Some(size) => write!(f, " -> {}", Human(size))?,
            None => write!(f, " -> {} to {}", Human(totals.decoded_size.low), Human(totals.decoded_size.high))?,
        }
        if totals.frames > 0 {
            write!(f, ", window {}, {} of memory a frame", Human(totals.window_max), Human(totals.memory))?;
        }
        Ok(())
    }
}

/// More frames than this are counted, not shown: the table comes after the line that needs the whole stream, so its rows
/// are kept until then.
const ROWS_MAX: u64 = 10_000;

/// The table of an input's frames.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: String,
    frames: u64,
}

impl Table {
    pub(crate) fn frame(&mut self, report: &FrameReport, bounds: &Bounds) {
        let index = self.frames;
        self.frames += 1;
        if index >= ROWS_MAX {
            return;
        }
        let row = match report {
            FrameReport::Zstandard(report) => zstandard_row(index, report, bounds),
            FrameReport::Skippable { frame, compressed_size, complete } => {
                let what = format!("skippable (magic 184D2A5{:X}){}", frame.variant, cut_short(*complete));
                format!("{index:>6}  {:>12}  {:>10}  {what}", frame.offset, Human(*compressed_size))
            }
        };
        writeln!(self.rows, "{row}").expect("a string takes what it is given");
    }

    pub(crate) fn write(&self, to: &mut impl Write, report: &Report) -> io::Result<()> {
        if self.frames == 0 {
            return Ok(());
        }
        writeln!(
            to,
            "{:>6}  {:>12}  {:>10}  {:>12}  {:>10}  {:>16}  {:>8}  {:>10}  decode",
            "frame", "offset", "size", "decoded", "window", "raw/rle/compr.", "checksum", "dictionary"
        )?;
        to.write_all(self.rows.as_bytes())?;
        if self.frames > ROWS_MAX {
            writeln!(to, "... and {} more frames; --json-lines shows all", self.frames - ROWS_MAX)?;
        }
        if report.error.is_some() && report.verdict != StreamVerdict::Valid {
            writeln!(to, "up to there: {}", Sums(report))?;
        }
        Ok(())
    }
}

fn zstandard_row(index: u64, report: &ZstandardReport, bounds: &Bounds) -> String {
    let frame = &report.frame;
    let decoded = match report.decoded_size.exact() {
        Some(size) => Human(size).to_string(),
        None => format!("<= {}", Human(report.decoded_size.high)),
    };
    let blocks = format!("{}/{}/{}", frame.blocks.raw, frame.blocks.rle, frame.blocks.compressed);
    let checksum = match (frame.checksum, frame.header.content_checksum()) {
        (Some(checksum), _) => format!("{checksum:08x}"),
        (None, true) => "missing".to_owned(),
        (None, false) => "none".to_owned(),
    };
    let dictionary = frame.header.dictionary_id().map_or_else(|| "none".to_owned(), |id| id.to_string());
    format!(
        "{index:>6}  {:>12}  {:>10}  {decoded:>12}  {:>10}  {blocks:>16}  {checksum:>8}  {dictionary:>10}  {}{}",
        frame.offset,
        Human(report.compressed_size),
        Human(frame.header.window_size()),
        Why { report, bounds },
        cut_short(report.complete)
    )
}

fn cut_short(complete: bool) -> &'static str {
    if complete { "" } else { ", cut short by the error" }
}

/// How a frame may be decoded, and why so.
struct Why<'a> {
    report: &'a ZstandardReport,
    bounds: &'a Bounds,
}

impl fmt::Display for Why<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { report, bounds } = self;
        let header = &report.frame.header;
        match report.decode {
            Decode::Parallel(Proof::Bound) => f.write_str("parallel (bound by its blocks)"),
            Decode::Parallel(Proof::Declared) => f.write_str("parallel (declared size)"),
            Decode::Parallel(proof) => write!(f, "parallel ({proof})"),
            Decode::Serial(Reason::Window) => {
                write!(f, "serial (window {} > {})", Human(header.window_size()), Human(bounds.window))
            }
            Decode::Serial(Reason::Output) => match header.content_size() {
                Some(size) => write!(f, "serial (output {} > {})", Human(size), Human(bounds.output)),
                None => write!(f, "serial (no proof that its output is <= {})", Human(bounds.output)),
            },
            Decode::Serial(Reason::Input) => {
                write!(f, "serial (input {} > {})", Human(report.frame.compressed_size), Human(bounds.input))
            }
            Decode::Serial(Reason::Blocks) => {
                write!(f, "serial ({} blocks > {})", report.frame.blocks.total(), bounds.blocks)
            }
            Decode::Serial(Reason::Dictionary) => f.write_str("serial (its dictionary was not given)"),
            Decode::Serial(reason) => write!(f, "serial ({reason})"),
        }
    }
}
