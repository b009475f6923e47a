//! `zvet decode`.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufWriter, Write};
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
use crate::table::doubt;
use crate::target::Outputs;

pub(crate) fn decode(args: &DecodeArgs) -> Outcome {
    let inputs = args.common.inputs();
    let usable = args.common.settings(&args.engines).and_then(|settings| {
        OUTPUTS.check(&inputs, &args.output, args.json)?;
        Ok(settings)
    });
    let settings = match usable {
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
    if let End::Read(report) = &end
        && let Some(doubt) = doubt(report, settings).filter(|_| !args.common.quiet)
    {
        complain(&format!("{file}: {doubt}"));
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
