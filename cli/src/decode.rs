//! `zvet decode`.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zvet::{Level, ParallelReader, Report, Settings, StreamVerdict, Totals};

use crate::args::DecodeArgs;
use crate::document::{Form, Summary, Writer};
use crate::input::{self, Input};
use crate::outcome::{Outcome, complain};
use crate::output::{Output, remove_when_interrupted};
use crate::progress::Progress;
use crate::target::Outputs;

pub(crate) fn decode(args: &DecodeArgs) -> Outcome {
    let inputs = args.common.inputs();
    let usable = args.common.settings().and_then(|settings| {
        OUTPUTS.check(&inputs, &args.output, args.json)?;
        Ok(settings)
    });
    let settings = match usable {
        Ok(settings) => settings,
        Err(error) => {
            complain(&error);
            return Outcome::Failed;
        }
    };
    remove_when_interrupted();
    let mut worst = Outcome::Valid;
    for path in inputs {
        worst = worst.max(decode_one(&path, args, &settings));
    }
    worst
}

const OUTPUTS: Outputs = Outputs { name, verb: "decodes", what: "decoded content" };

fn name(path: &Path) -> Result<PathBuf, String> {
    match path.extension().and_then(OsStr::to_str) {
        Some("zst" | "zstd") => Ok(path.with_extension("")),
        Some("tzst") => Ok(path.with_extension("tar")),
        _ => Err("the name is not NAME.zst, NAME.zstd or NAME.tzst; use --output or --stdout".to_owned()),
    }
}

/// What an input came to.
enum End {
    /// The stream was read to its end or to an error.
    Read(Report),
    /// The output could not be written; `None` where its reader went away.
    Unwritten(Totals, Option<String>),
}

fn decode_one(path: &Path, args: &DecodeArgs, settings: &Settings) -> Outcome {
    let file = input::shown(path);
    let document = if args.json && !args.common.quiet { Some(Document::begin(&input::name(path))) } else { None };
    let mut size = None;
    let end = run(path, args, settings, document.as_ref(), &mut size);
    let (outcome, message) = match &end {
        End::Read(report) => {
            let said = match &report.error {
                Some(error) if report.verdict == StreamVerdict::Unreadable => Some(error.to_string()),
                Some(error) if !args.common.quiet => Some(format!("{}: {error}", report.verdict)),
                _ => None,
            };
            (report.verdict.into(), said.map(|said| format!("{file}: {said}")))
        }
        End::Unwritten(_, message) => (Outcome::Failed, message.clone()),
    };
    if let Some(message) = message {
        complain(&message);
    }
    let summary = match end {
        End::Read(report) => Summary::of(&report, size),
        End::Unwritten(totals, message) => {
            Summary::unwritten(&totals, size, message.unwrap_or_else(|| "nobody reads the output".to_owned()))
        }
    };
    match document.map(|document| document.end(&summary)) {
        Some(Err(error)) => {
            if error.kind() != io::ErrorKind::BrokenPipe {
                complain(&format!("standard output: {error}"));
            }
            Outcome::Failed
        }
        _ => outcome,
    }
}

fn run(
    path: &Path,
    args: &DecodeArgs,
    settings: &Settings,
    document: Option<&Document>,
    size: &mut Option<u64>,
) -> End {
    let unopened = |error| End::Read(Report::unreadable(Level::Content, error));
    let unwritten = |totals, to: &str, error: &io::Error| {
        let message = (error.kind() != io::ErrorKind::BrokenPipe).then(|| format!("{to}: {error}"));
        End::Unwritten(totals, message)
    };
    let Input { source, size: input_size, metadata } = match input::open(path) {
        Ok(input) => input,
        Err(error) => return unopened(error),
    };
    *size = input_size;
    let target = match OUTPUTS.target(path, &args.output) {
        Ok(target) => target,
        Err(message) => return unopened(io::Error::new(io::ErrorKind::InvalidInput, message)),
    };
    if target.is_input(path) {
        return unopened(io::Error::new(io::ErrorKind::InvalidInput, "the output is the input itself"));
    }
    let to = target.shown();
    let output = target.create(args.output.force, metadata);
    let mut output = match output {
        Ok(output) => output,
        Err(error) => return unwritten(Totals::default(), &to, &error),
    };
    let progress = Progress::new(&input::shown(path), input_size, args.common.shows_progress());
    let mut reader = match ParallelReader::with_settings(progress.watch(source), settings) {
        Ok(reader) => reader,
        Err(error) => return unopened(error),
    };
    if let Some(document) = document {
        document.observe(&mut reader);
    }
    let copied = copy(&mut reader, &mut output);
    progress.finish();
    let totals = reader.totals();
    let writing = format!("{}: writing {to}", input::shown(path));
    // What is wrong is to be said now, and not when an idle input goes on.
    match (copied, reader.abandon()) {
        (Err(Copying::Writing(error)), _) => unwritten(totals, &writing, &error),
        (Ok(()), Some(report)) => match output.complete() {
            Ok(()) => End::Read(report),
            Err(error) => unwritten(totals, &writing, &error),
        },
        (_, Some(report)) => End::Read(report),
        (Ok(()) | Err(Copying::Reading), None) => unreachable!("a stream that was read to an end has a report"),
    }
}

/// Which side of a copy failed. What failed to be read is in the report.
enum Copying {
    Reading,
    Writing(io::Error),
}

fn copy(reader: &mut ParallelReader, output: &mut Output) -> Result<(), Copying> {
    loop {
        let content = reader.fill_buf().map_err(|_| Copying::Reading)?;
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
struct Document(Arc<Mutex<Writer<Box<dyn Write + Send>>>>);

impl Document {
    fn begin(file: &str) -> Self {
        let stdout: Box<dyn Write + Send> = Box::new(BufWriter::new(io::stdout()));
        Self(Arc::new(Mutex::new(Writer::begin(stdout, Form::Document, file.to_owned()))))
    }

    fn observe(&self, reader: &mut ParallelReader) {
        let document = self.clone();
        reader.observe(move |frame| document.lock().frame(frame));
    }

    fn end(self, summary: &Summary) -> io::Result<()> {
        self.lock().end(summary)
    }

    fn lock(&self) -> MutexGuard<'_, Writer<Box<dyn Write + Send>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
