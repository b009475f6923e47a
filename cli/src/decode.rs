//! `zvet decode`.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zvet::{Level, ParallelReader, Report, Settings, StreamVerdict};

use crate::args::DecodeArgs;
use crate::document::{Form, Writer, verdict_name};
use crate::input::{self, Input};
use crate::outcome::{Outcome, complain};
use crate::output::Output;
use crate::progress::{self, Watched};

pub(crate) fn decode(args: &DecodeArgs) -> Outcome {
    let inputs = args.common.inputs();
    let settings = match args.common.settings().and_then(|settings| usable(args, &inputs).map(|()| settings)) {
        Ok(settings) => settings,
        Err(error) => {
            complain(&error);
            return Outcome::Failed;
        }
    };
    let mut worst = Outcome::Valid;
    for path in inputs {
        let outcome = decode_one(&path, args, &settings).unwrap_or_else(|message| {
            if let Some(message) = message {
                complain(&message);
            }
            Outcome::Failed
        });
        worst = worst.max(outcome);
    }
    worst
}

/// Where an input's content goes.
#[derive(Debug, PartialEq, Eq)]
enum Target {
    Stdout,
    File(PathBuf),
}

fn usable(args: &DecodeArgs, inputs: &[PathBuf]) -> Result<(), String> {
    if args.output.is_some() && inputs.len() > 1 {
        return Err("--output is for one input; use --stdout to join several".to_owned());
    }
    let to_stdout = inputs.iter().filter_map(|path| target(path, args).ok()).any(|target| target == Target::Stdout);
    if to_stdout && args.json {
        return Err("--json and the decoded content cannot both go to standard output".to_owned());
    }
    if to_stdout && !args.force && io::stdout().is_terminal() {
        return Err("not writing decoded content to a terminal; --force does it all the same".to_owned());
    }
    Ok(())
}

fn target(path: &Path, args: &DecodeArgs) -> Result<Target, String> {
    match &args.output {
        Some(output) if output == Path::new("-") => return Ok(Target::Stdout),
        Some(output) => return Ok(Target::File(output.clone())),
        None if args.stdout || input::is_stdin(path) => return Ok(Target::Stdout),
        None => {}
    }
    match path.extension().and_then(OsStr::to_str) {
        Some("zst" | "zstd") => Ok(Target::File(path.with_extension(""))),
        Some("tzst") => Ok(Target::File(path.with_extension("tar"))),
        _ => Err(format!("{}: the name does not end in .zst; use --output or --stdout", path.display())),
    }
}

/// Decodes one input. Errors are of reading or writing, with nothing to say where a reader went away.
fn decode_one(path: &Path, args: &DecodeArgs, settings: &Settings) -> Result<Outcome, Option<String>> {
    let file = input::name(path);
    let said = |error: &io::Error| Some(format!("{file}: {error}"));
    let target = target(path, args)?;
    let Input { source, size, metadata } = input::open(path).map_err(|error| said(&error))?;
    let (mut output, to) = match target {
        Target::Stdout => (Output::Stdout(io::stdout()), "standard output".to_owned()),
        Target::File(target) => {
            let to = target.display().to_string();
            let output = Output::create(&target, args.force, metadata.as_ref());
            (output.map_err(|error| Some(format!("{to}: {error}")))?, to)
        }
    };
    let bar = progress::bar(&file, size, args.common.shows_progress());
    let source = Watched { source, bar: bar.clone() };
    let mut reader = ParallelReader::with_settings(source, settings).map_err(|error| said(&error))?;
    let document = if args.json && !args.common.quiet { Some(Document::begin(&file, &mut reader)?) } else { None };
    let copied = copy(&mut reader, &mut output);
    bar.finish_and_clear();
    let report = match (copied, reader.into_report()) {
        // The report of a stream that could not be read says so, too.
        (Ok(()) | Err(Copying::Reading(_)), Some(report)) => report,
        (Err(Copying::Writing(error)), _) if error.kind() == io::ErrorKind::BrokenPipe => return Err(None),
        (Err(Copying::Writing(error)), _) => {
            Report::unreadable(Level::Content, io::Error::new(error.kind(), format!("writing {to}: {error}")))
        }
        (Err(Copying::Reading(error)), None) => return Err(said(&error)),
        (Ok(()), None) => unreachable!("a stream that was read to its end has a report"),
    };
    if let Some(document) = document {
        document.end(&report, size)?;
    }
    match &report.error {
        Some(error) if report.verdict == StreamVerdict::Unreadable => {
            return Err(Some(format!("{file}: {}", error.message())));
        }
        Some(error) if !args.common.quiet => complain(&format!("{file}: {}: {error}", verdict_name(report.verdict))),
        Some(_) => {}
        None => output.complete().map_err(|error| Some(format!("{to}: {error}")))?,
    }
    Ok(report.verdict.into())
}

/// Which side of a copy failed.
enum Copying {
    Reading(io::Error),
    Writing(io::Error),
}

fn copy(reader: &mut ParallelReader, output: &mut Output) -> Result<(), Copying> {
    loop {
        let content = reader.fill_buf().map_err(Copying::Reading)?;
        if content.is_empty() {
            return output.flush().map_err(Copying::Writing);
        }
        output.write_all(content).map_err(Copying::Writing)?;
        let n = content.len();
        reader.consume(n);
    }
}

/// A JSON document that is written while its input is decoded.
#[derive(Clone)]
struct Document(Arc<Mutex<DocumentState>>);

struct DocumentState {
    writer: Writer<Box<dyn Write + Send>>,
    written: io::Result<()>,
}

impl Document {
    fn begin(file: &str, reader: &mut ParallelReader) -> Result<Self, Option<String>> {
        let stdout: Box<dyn Write + Send> = Box::new(BufWriter::new(io::stdout()));
        let writer = Writer::begin(stdout, Form::Document, file.to_owned()).map_err(|error| on_stdout(&error))?;
        let document = Self(Arc::new(Mutex::new(DocumentState { writer, written: Ok(()) })));
        let observing = document.clone();
        reader.observe(move |frame| {
            let mut state = observing.lock();
            if state.written.is_ok() {
                state.written = state.writer.frame(frame);
            }
        });
        Ok(document)
    }

    fn end(self, report: &Report, size: Option<u64>) -> Result<(), Option<String>> {
        let mut state = self.lock();
        let written = std::mem::replace(&mut state.written, Ok(()));
        written.and_then(|()| state.writer.end(report, size.or(Some(report.size)))).map_err(|error| on_stdout(&error))
    }

    fn lock(&self) -> MutexGuard<'_, DocumentState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn on_stdout(error: &io::Error) -> Option<String> {
    (error.kind() != io::ErrorKind::BrokenPipe).then(|| format!("standard output: {error}"))
}
