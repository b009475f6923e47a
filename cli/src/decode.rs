//! `zvet decode`.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zvet::source::Source;
use zvet::{FileDecoder, FrameReport, Level, ParallelReader, Report, Settings, StreamVerdict, Totals};

use crate::args::DecodeArgs;
use crate::document::{Form, Summary, Writer, summary, unwritten};
use crate::input::{self, Input};
use crate::outcome::{Outcome, complain};
use crate::output::{Output, remove_when_interrupted};
use crate::progress::Progress;

pub(crate) fn decode(args: &DecodeArgs) -> Outcome {
    let inputs = args.common.inputs();
    let settings =
        match args.common.settings(&args.engines).and_then(|settings| usable(args, &inputs).map(|()| settings)) {
            Ok(settings) => Settings { trust_engine: args.trust_engine, adaptive: args.adaptive, ..settings },
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

/// Where an input's content goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Target {
    Stdout,
    File(PathBuf),
}

fn usable(args: &DecodeArgs, inputs: &[PathBuf]) -> Result<(), String> {
    if args.output.is_some() && inputs.len() > 1 {
        return Err("--output is for one input; use --stdout to join several".to_owned());
    }
    let mut targets = HashSet::new();
    for path in inputs {
        // A name that is none is said when its turn comes.
        let Ok(target) = target(path, args) else { continue };
        if target != Target::Stdout && !targets.insert(target.clone()) {
            return Err(format!("{}: another input decodes to the same file", input::shown(path)));
        }
        targets.insert(target);
    }
    let to_stdout = targets.contains(&Target::Stdout);
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
        End::Read(report) => summary(report, size),
        End::Unwritten(totals, message) => {
            unwritten(totals, size, message.unwrap_or_else(|| "nobody reads the output".to_owned()))
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
    let unopened = |error| End::Read(Report::unreadable(Level::Content, zvet::Error::unopened(error)));
    let unwritten = |totals, to: &str, error: &io::Error| {
        let message = (error.kind() != io::ErrorKind::BrokenPipe).then(|| format!("{to}: {error}"));
        End::Unwritten(totals, message)
    };
    let Input { source, size: input_size, metadata } = match input::open(path) {
        Ok(input) => input,
        Err(error) => return unopened(error),
    };
    *size = input_size;
    let target = match target(path, args) {
        Ok(target) => target,
        Err(message) => return unopened(io::Error::new(io::ErrorKind::InvalidInput, message)),
    };
    if let Target::File(target) = &target
        && is_same_file(path, target)
    {
        return unopened(io::Error::new(io::ErrorKind::InvalidInput, "the output is the input itself"));
    }
    let (output, to) = match target {
        Target::Stdout => (Ok(Output::Stdout(io::stdout())), "standard output".to_owned()),
        Target::File(target) => {
            let to = input::shown(&target);
            (Output::create(&target, args.force, metadata), to)
        }
    };
    let mut output = match output {
        Ok(output) => output,
        Err(error) => return unwritten(Totals::default(), &to, &error),
    };
    let progress = Progress::new(&input::shown(path), input_size, args.common.shows_progress());
    let decoded = match decode_to(progress.watch(source), &mut output, args.sparse, settings, document) {
        Ok(decoded) => decoded,
        Err(error) => return unopened(error),
    };
    progress.finish();
    let writing = format!("{}: writing {to}", input::shown(path));
    let completed = match decoded {
        Decoded::Read(report) if report.error.is_some() => return End::Read(report),
        Decoded::Read(report) => match output.complete() {
            Ok(()) => Ok(report),
            Err(error) => Err((report.totals, error)),
        },
        Decoded::Unwritten(totals, error) => Err((totals, error)),
    };
    match completed {
        Ok(report) => End::Read(report),
        Err((totals, error)) => unwritten(totals, &writing, &error),
    }
}

/// What decoding came to: what is wrong with the input is in its report.
enum Decoded {
    Read(Report),
    Unwritten(Totals, io::Error),
}

/// Decodes to the output. Errors are those of beginning to.
fn decode_to(
    source: impl Source + Send + 'static,
    output: &mut Output,
    sparse: bool,
    settings: &Settings,
    document: Option<&Document>,
) -> io::Result<Decoded> {
    if let Some(file) = output.file() {
        let mut decoder = FileDecoder::new(source, file?, sparse, settings)?;
        if let Some(document) = document {
            decoder.observe(document.observer());
        }
        return Ok(into_file(decoder));
    }
    let mut reader = ParallelReader::with_settings(source, settings)?;
    if let Some(document) = document {
        reader.observe(document.observer());
    }
    Ok(copy(reader, output))
}

/// Lets all workers write.
fn into_file(decoder: FileDecoder) -> Decoded {
    let report = decoder.run();
    match &report.error {
        Some(zvet::Error::Unwritten(error)) => {
            Decoded::Unwritten(report.totals, io::Error::new(error.kind(), Arc::clone(error)))
        }
        _ => Decoded::Read(report),
    }
}

/// Writes in the order of the stream.
fn copy(mut reader: ParallelReader, output: &mut Output) -> Decoded {
    let written = loop {
        let Ok(content) = reader.fill_buf() else { break Ok(()) };
        if content.is_empty() {
            break output.flush();
        }
        if let Err(error) = output.write_all(content) {
            break Err(error);
        }
        let size = content.len();
        reader.consume(size);
    };
    let totals = reader.totals();
    // What is wrong is to be said now, and not when an idle input goes on.
    match (written, reader.abandon()) {
        (Err(error), _) => Decoded::Unwritten(totals, error),
        (Ok(()), Some(report)) => Decoded::Read(report),
        (Ok(()), None) => unreachable!("a stream that was read to an end has a report"),
    }
}

/// Whether both paths lead to one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
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

    fn observer(&self) -> impl FnMut(&FrameReport) + Send + 'static {
        let document = self.clone();
        move |frame| document.lock().frame(frame)
    }

    fn end(self, summary: &Summary) -> io::Result<()> {
        self.lock().end(summary)
    }

    fn lock(&self) -> MutexGuard<'_, Writer<Box<dyn Write + Send>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
