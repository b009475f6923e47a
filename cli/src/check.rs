//! `zvet inspect` and `zvet verify`.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use zvet::{FrameReport, Level, Report, Settings};

use crate::args::{CommonArgs, InspectArgs, VerifyArgs};
use crate::document::{Form, Writer};
use crate::input;
use crate::outcome::{Outcome, complain};
use crate::progress::{self, Watched};
use crate::table::{Table, write_summary};

pub(crate) fn inspect(args: &InspectArgs) -> Outcome {
    let style = match (args.json, args.json_lines) {
        (true, _) => Style::Json(Form::Document),
        (_, true) => Style::Json(Form::Lines),
        _ => Style::Table,
    };
    check_all(&args.common, Level::Envelope, style)
}

pub(crate) fn verify(args: &VerifyArgs) -> Outcome {
    let style = if args.json { Style::Json(Form::Document) } else { Style::Line };
    check_all(&args.common, args.level.into(), style)
}

#[derive(Clone, Copy, Debug)]
enum Style {
    Table,
    Line,
    Json(Form),
}

fn check_all(common: &CommonArgs, level: Level, style: Style) -> Outcome {
    let settings = match common.settings() {
        Ok(settings) => settings,
        Err(error) => {
            complain(&error);
            return Outcome::Failed;
        }
    };
    let mut worst = Outcome::Valid;
    for path in common.inputs() {
        match check(&path, common, level, style, &settings) {
            Ok(outcome) => worst = worst.max(outcome),
            Err(error) => {
                // A reader that went away had enough.
                if error.kind() != io::ErrorKind::BrokenPipe {
                    complain(&format!("standard output: {error}"));
                }
                return Outcome::Failed;
            }
        }
    }
    worst
}

/// Checks one input. Errors are those of writing to standard output.
fn check(path: &Path, common: &CommonArgs, level: Level, style: Style, settings: &Settings) -> io::Result<Outcome> {
    let file = input::name(path);
    let mut stdout: Box<dyn Write> =
        if common.quiet { Box::new(io::sink()) } else { Box::new(BufWriter::new(io::stdout())) };
    let (bar, opened) = match input::open(path) {
        Ok(input) => (progress::bar(&file, input.size, common.shows_progress()), Ok(input)),
        Err(error) => (progress::bar(&file, None, false), Err(error)),
    };
    let size = opened.as_ref().ok().and_then(|input| input.size);
    let run = |observe: &mut dyn FnMut(&FrameReport)| match opened {
        Ok(input) => {
            let source = Watched { source: input.source, bar: bar.clone() };
            zvet::verify(source, level, settings, observe)
        }
        Err(error) => {
            complain(&format!("{file}: {error}"));
            Report::unreadable(level, error)
        }
    };
    let report = match style {
        Style::Json(form) => {
            let mut writer = Writer::begin(&mut stdout, form, file.clone())?;
            let mut written = Ok(());
            let report = run(&mut |frame| {
                if written.is_ok() {
                    written = writer.frame(frame);
                }
            });
            written?;
            writer.end(&report, size.or(Some(report.size)))?;
            report
        }
        Style::Line | Style::Table => {
            let mut table = Table::default();
            let tabled = matches!(style, Style::Table);
            let report = run(&mut |frame| {
                if tabled {
                    table.frame(frame, &settings.bounds);
                }
            });
            bar.finish_and_clear();
            write_summary(&mut stdout, &file, &report)?;
            table.write(&mut stdout, &report)?;
            report
        }
    };
    bar.finish_and_clear();
    stdout.flush()?;
    Ok(report.verdict.into())
}
