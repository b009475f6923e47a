//! What a person reads of an input: a line, and for `inspect` a table of its frames.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use zvet::{
    Bounds, Decode, Error, FrameReport, Level, Proof, Reason, Report, Settings, SizeRange, Totals, ZstandardReport,
};

use crate::size::Human;

/// The line that says it all: verdict and sums, or the error.
pub(crate) fn write_summary(to: &mut impl Write, file: &str, report: &Report) -> io::Result<()> {
    let verdict = report.verdict;
    if let Some(error) = &report.error {
        return writeln!(to, "{file}: {verdict}: {error}");
    }
    write!(to, "{file}: {verdict}, {}, {}", Sums(&report.totals), Human(report.size))?;
    if report.totals.frames > 0 {
        write!(to, " -> {}", Decoded(report.totals.decoded_size))?;
        let (window, memory) = (report.totals.window_max, report.totals.memory);
        write!(to, ", window {}, memory per frame {}", Human(window), Human(memory))?;
    }
    writeln!(to)
}

/// What may be wrong in place of the stream, where it was looked into with dictionaries: a wrong one shows as a fault inside
/// of a block, or in what the frame makes.
pub(crate) fn doubt(report: &Report, settings: &Settings) -> Option<&'static str> {
    let rule = report.error.as_ref().and_then(Error::rule)?;
    let inside = rule.starts_with(['L', 'S']) || matches!(rule, "F09" | "F10" | "C05");
    (inside && report.level > Level::Envelope && !settings.dictionaries.is_empty())
        .then_some("it may be the dictionary that is wrong; a frame that names none gets the first one given")
}

/// `2 frames and 1 skippable, 7 blocks`.
struct Sums<'a>(&'a Totals);

impl fmt::Display for Sums<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals { frames, skippable, blocks, .. } = *self.0;
        match (frames, skippable) {
            (0, 1..) => return write!(f, "{skippable} skippable frame{}", plural(skippable)),
            (_, 0) => write!(f, "{frames} frame{}", plural(frames))?,
            _ => write!(f, "{frames} frame{} and {skippable} skippable", plural(frames))?,
        }
        write!(f, ", {blocks} block{}", plural(blocks))
    }
}

fn plural(n: u64) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// `8.0 MiB`, `0 B to 1.5 MiB`.
struct Decoded(SizeRange);

impl fmt::Display for Decoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.exact() {
            Some(size) => Human(size).fmt(f),
            None => write!(f, "{} to {}", Human(self.0.low), Human(self.0.high)),
        }
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
                let cut = if *complete { "" } else { ", cut short" };
                let what = format!("skippable (magic 184D2A5{:X}){cut}", frame.variant);
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
            let more = self.frames - ROWS_MAX;
            writeln!(to, "... and {more} more frame{}; --json-lines shows all", plural(more))?;
        }
        if report.error.is_some() {
            writeln!(to, "in all: {}", Sums(&report.totals))?;
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
        "{index:>6}  {:>12}  {:>10}  {decoded:>12}  {:>10}  {blocks:>16}  {checksum:>8}  {dictionary:>10}  {}",
        frame.offset,
        Human(report.compressed_size),
        Human(frame.header.window_size()),
        Why { report, bounds },
    )
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
        if !report.complete {
            return f.write_str("cut short");
        }
        match report.decode {
            Decode::Parallel(Proof::Bound) => f.write_str("parallel (bound by its blocks)"),
            Decode::Parallel(Proof::Declared) => f.write_str("parallel (declared size)"),
            Decode::Parallel(Proof::Walked) => f.write_str("parallel (exact size)"),
            Decode::Parallel(proof) => write!(f, "parallel ({proof})"),
            Decode::Serial(Reason::Window) => {
                write!(f, "serial (window {} > {})", Human(header.window_size()), Human(bounds.window))
            }
            Decode::Serial(Reason::Output) if report.decoded_size.low > bounds.output => {
                let least = if report.decoded_size.exact().is_some() { "" } else { "of at least " };
                write!(f, "serial (output {least}{} > {})", Human(report.decoded_size.low), Human(bounds.output))
            }
            Decode::Serial(Reason::Output) => {
                write!(f, "serial (no proof that its output is <= {})", Human(bounds.output))
            }
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
