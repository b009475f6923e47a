//! `zvet inspect` and `zvet verify`.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use zvet::source::Source;
use zvet::{Error, FrameReport, Level, Report, Settings, StreamVerdict, verify_detached};

use crate::args::{CommonArgs, EngineArgs, InspectArgs, VerifyArgs};
use crate::document::{Form, Writer, summary};
use crate::input;
use crate::outcome::{Outcome, complain};
use crate::progress::Progress;
use crate::table::{Table, doubt, write_summary};

pub(crate) fn inspect(args: &InspectArgs) -> Outcome {
    let style = match (args.json, args.json_lines) {
        (true, _) => Style::Json(Form::Document),
        (_, true) => Style::Json(Form::Lines),
        _ => Style::Table,
    };
    check_all(&args.common, &EngineArgs::default(), What::Inspect { exact: args.exact }, style)
}

pub(crate) fn verify(args: &VerifyArgs) -> Outcome {
    let style = if args.json { Style::Json(Form::Document) } else { Style::Line };
    check_all(&args.common, &args.engines, What::Verify(args.level.into()), style)
}

/// What is done with an input.
#[derive(Clone, Copy, Debug)]
enum What {
    Inspect { exact: bool },
    Verify(Level),
}

impl What {
    fn level(self) -> Level {
        match self {
            Self::Inspect { .. } => Level::Envelope,
            Self::Verify(level) => level,
        }
    }

    fn run(
        self,
        source: impl Source + Send + 'static,
        settings: &Settings,
        observe: &mut dyn FnMut(&FrameReport),
    ) -> Report {
        match self {
            Self::Inspect { exact } => zvet::inspect(source, exact, settings, observe),
            Self::Verify(level) => verify_detached(source, level, settings, observe),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Table,
    Line,
    Json(Form),
}

fn check_all(common: &CommonArgs, engines: &EngineArgs, what: What, style: Style) -> Outcome {
    let settings = match common.settings(engines) {
        Ok(settings) => settings,
        Err(error) => {
            complain(&error);
            return Outcome::Failed;
        }
    };
    let mut worst = Outcome::Valid;
    for path in common.inputs() {
        match check(&path, common, what, style, &settings) {
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
fn check(path: &Path, common: &CommonArgs, what: What, style: Style, settings: &Settings) -> io::Result<Outcome> {
    let shown = input::shown(path);
    let stdout: Box<dyn Write> =
        if common.quiet { Box::new(io::sink()) } else { Box::new(BufWriter::new(io::stdout())) };
    let run = Run { path, shown: &shown, what, settings, shows_progress: common.shows_progress() };
    let report = match style {
        Style::Json(form) => as_json(&run, form, stdout)?,
        Style::Line | Style::Table => as_text(&run, style == Style::Table, stdout)?,
    };
    if let Some(doubt) = doubt(&report, settings).filter(|_| !common.quiet) {
        complain(&format!("{shown}: {doubt}"));
    }
    Ok(report.verdict.into())
}

fn as_json(run: &Run<'_>, form: Form, stdout: impl Write) -> io::Result<Report> {
    let mut writer = Writer::begin(stdout, form, input::name(run.path));
    let unread = Arc::new(AtomicBool::new(false));
    let (report, size) = run.run(Some(&unread), &mut |frame| {
        writer.frame(frame);
        if writer.failed() {
            unread.store(true, Ordering::Relaxed);
        }
    });
    writer.end(&summary(report.clone(), size))?;
    run.complain_of_reading(&report);
    Ok(report)
}

fn as_text(run: &Run<'_>, tabled: bool, mut stdout: impl Write) -> io::Result<Report> {
    let mut table = Table::default();
    let (report, _) = run.run(None, &mut |frame| {
        if tabled {
            table.frame(frame, &run.settings.bounds);
        }
    });
    if report.verdict != StreamVerdict::Unreadable {
        write_summary(&mut stdout, run.shown, &report)?;
    }
    table.write(&mut stdout, &report)?;
    stdout.flush()?;
    run.complain_of_reading(&report);
    Ok(report)
}

/// What is to be done with an input.
struct Run<'a> {
    path: &'a Path,
    shown: &'a str,
    what: What,
    settings: &'a Settings,
    shows_progress: bool,
}

impl Run<'_> {
    /// Returns the report, and the size of the input where it is known. `unread` stops it.
    fn run(&self, unread: Option<&Arc<AtomicBool>>, observe: &mut dyn FnMut(&FrameReport)) -> (Report, Option<u64>) {
        let input = match input::open(self.path) {
            Ok(input) => input,
            Err(error) => return (Report::unreadable(self.what.level(), Error::unopened(error)), None),
        };
        let progress = Progress::new(self.shown, input.size, self.shows_progress);
        let source = progress.watch(input.source);
        let report = match unread {
            Some(unread) => {
                let source = WhileRead { source, unread: Arc::clone(unread) };
                self.what.run(source, self.settings, observe)
            }
            None => self.what.run(source, self.settings, observe),
        };
        progress.finish();
        (report, input.size)
    }

    /// What could not be read is said on standard error, too, whatever else is.
    fn complain_of_reading(&self, report: &Report) {
        if let Some(error) = &report.error
            && report.verdict == StreamVerdict::Unreadable
        {
            complain(&format!("{}: {error}", self.shown));
        }
    }
}

/// A source that ends when nobody reads what is found in it any more.
struct WhileRead<S> {
    source: S,
    unread: Arc<AtomicBool>,
}

impl<S> WhileRead<S> {
    fn go_on(&self) -> io::Result<()> {
        if self.unread.load(Ordering::Relaxed) { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }
}

impl<S: Source> Source for WhileRead<S> {
    fn fill(&mut self) -> io::Result<&[u8]> {
        self.go_on()?;
        self.source.fill()
    }

    fn is_ready(&self) -> bool {
        self.source.is_ready()
    }

    fn consume(&mut self, n: usize) {
        self.source.consume(n);
    }

    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.go_on()?;
        self.source.read_some(buffer)
    }

    fn skip(&mut self, n: u64) -> io::Result<u64> {
        self.go_on()?;
        self.source.skip(n)
    }
}
