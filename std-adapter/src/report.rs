//! What is said of a stream that is read and decoded: the types of `zvet-report`, with the errors of this crate.

pub use zvet_report::{FrameReport, Level, StreamVerdict, Totals, ZstandardReport};
pub(crate) use zvet_report::{about_one_frame, classify};

use crate::error::Error;

/// What is said of a stream as a whole.
pub type Report = zvet_report::Report<Error>;

/// Gathers a report while a stream is decoded.
pub(crate) type Tally = zvet_report::Tally<Error>;

/// The report on a stream whose content could not be written, as far as it was read.
pub(crate) fn unwritten(report: Option<Report>, totals: Totals, error: Error) -> Report {
    let report = report.unwrap_or_else(|| Tally::new(Level::Content).finish(0));
    Report { verdict: StreamVerdict::Unreadable, error: Some(error), totals, ..report }
}
