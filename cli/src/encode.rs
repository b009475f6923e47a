//! `zvet encode`.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;
use zvet::source::Source;
use zvet::{EncodeError, EncodeReport, EncodeSettings, ParallelWriter, ReadFromError};

use crate::args::EncodeArgs;
use crate::input::{self, Input};
use crate::outcome::{Outcome, complain};
use crate::output::{Output, remove_when_interrupted};
use crate::progress::Progress;
use crate::size::Human;
use crate::target::{Outputs, Target};

const OUTPUTS: Outputs = Outputs { name, verb: "encodes", what: "encoded content" };

/// As the zstd command does, whatever the name: what ends in `.zst` is encoded again.
#[expect(clippy::unnecessary_wraps, reason = "other commands have inputs that cannot be named after")]
fn name(path: &Path) -> Result<PathBuf, String> {
    let mut name = path.as_os_str().to_owned();
    name.push(".zst");
    Ok(name.into())
}

pub(crate) fn encode(args: &EncodeArgs) -> Outcome {
    let inputs = args.inputs();
    let usable = args.settings().and_then(|settings| {
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
        worst = worst.max(encode_one(&path, args, &settings));
    }
    worst
}

/// Why an input was not encoded, as it is said.
#[derive(Debug)]
enum Failure {
    /// It could not be read, or there is no name for its output.
    Unreadable(String),
    /// Its output could not be written; `None` where the reader of it went away.
    Unwritten(Option<String>),
}

fn encode_one(path: &Path, args: &EncodeArgs, settings: &EncodeSettings) -> Outcome {
    let mut report = None;
    let target = OUTPUTS.target(path, &args.output);
    let result = match &target {
        Ok(target) => run(path, target, args, settings, &mut report),
        Err(message) => Err(Failure::Unreadable(format!("{}: {message}", input::shown(path)))),
    };
    let (verdict, message) = match &result {
        Ok(()) => ("encoded", None),
        Err(Failure::Unreadable(message)) => ("unreadable", Some(message.as_str())),
        Err(Failure::Unwritten(message)) => ("unwritten", message.as_deref()),
    };
    if let Some(message) = message {
        complain(message);
    }
    let outcome = if result.is_ok() { Outcome::Valid } else { Outcome::Failed };
    if let (true, Ok(()), Some(report)) = (args.verbose, &result, &report) {
        complain(&format!("{}: {}", input::shown(path), sums(report)));
    }
    if !args.json || args.quiet {
        return outcome;
    }
    let error = result.as_ref().err().map(|_| message.unwrap_or("nobody reads the output"));
    let document = Document {
        file: input::name(path),
        output: target.ok().and_then(|target| match target {
            Target::File(path) => Some(input::name(&path)),
            Target::Stdout => None,
        }),
        encoder: settings.encoder.name(),
        level: settings.effective_level(),
        frame_size: settings.frame_size,
        checksum: settings.checksum,
        frames: report.map_or(0, |report| report.frames),
        content_size: report.map_or(0, |report| report.content_size),
        compressed_size: report.map_or(0, |report| report.compressed_size),
        verdict,
        error: error.map(|message| Message { message }),
    };
    match document.print() {
        Ok(()) => outcome,
        Err(error) => {
            if error.kind() != io::ErrorKind::BrokenPipe {
                complain(&format!("standard output: {error}"));
            }
            Outcome::Failed
        }
    }
}

fn run(
    path: &Path,
    target: &Target,
    args: &EncodeArgs,
    settings: &EncodeSettings,
    report: &mut Option<EncodeReport>,
) -> Result<(), Failure> {
    let file = input::shown(path);
    let unreadable = |error: io::Error| Failure::Unreadable(format!("{file}: {error}"));
    let unwritten = |what: &str, error: &io::Error| {
        Failure::Unwritten((error.kind() != io::ErrorKind::BrokenPipe).then(|| format!("{what}: {error}")))
    };
    let Input { source, size, metadata } = input::open(path).map_err(unreadable)?;
    if target.is_input(path) {
        return Err(Failure::Unreadable(format!("{file}: the output is the input itself")));
    }
    let to = target.shown();
    let output = target.create(args.output.force, metadata).map_err(|error| unwritten(&to, &error))?;
    let writing = format!("{file}: writing {to}");
    let progress = Progress::new(&file, size, args.shows_progress());
    let source = Reading { source: progress.watch(source), left: size.unwrap_or(0) };
    let encoded = copy(source, output, settings, report);
    progress.finish();
    let output = encoded.map_err(|error| match error {
        ReadFromError::Read(error) => unreadable(error),
        ReadFromError::Encode(EncodeError::Write { source, .. }) => unwritten(&writing, &source),
        ReadFromError::Encode(error) => Failure::Unwritten(Some(format!("{file}: {error}"))),
    })?;
    output.complete().map_err(|error| unwritten(&writing, &error))
}

/// Encodes a source to an output, and says how far that came.
fn copy(
    mut source: Reading,
    output: Output,
    settings: &EncodeSettings,
    report: &mut Option<EncodeReport>,
) -> Result<Output, ReadFromError> {
    let mut writer = ParallelWriter::with_settings(output, settings)?;
    let written = writer.read_from(&mut source).and_then(|_| Ok(writer.close()?));
    *report = Some(writer.report());
    // What failed is to be said now, and not after the frames that threads are in.
    let output = writer.abandon();
    written.map(|_| output)
}

/// A source as a reader. What was said to be there must be.
struct Reading {
    source: Box<dyn Source + Send>,
    left: u64,
}

impl Read for Reading {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read_some(buffer)?;
        if read == 0 && !buffer.is_empty() && self.left > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file shrank while it was read"));
        }
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}

/// `3 frames, 20.0 MiB -> 4.0 MiB`.
fn sums(report: &EncodeReport) -> String {
    let EncodeReport { frames, content_size, compressed_size, .. } = *report;
    let plural = if frames == 1 { "" } else { "s" };
    format!("{frames} frame{plural}, {} -> {}", Human(content_size), Human(compressed_size))
}

/// The JSON document of one input.
#[derive(Debug, Serialize)]
struct Document<'a> {
    file: String,
    output: Option<String>,
    encoder: &'static str,
    level: i32,
    frame_size: usize,
    checksum: bool,
    frames: u64,
    content_size: u64,
    compressed_size: u64,
    verdict: &'static str,
    error: Option<Message<'a>>,
}

#[derive(Debug, Serialize)]
struct Message<'a> {
    message: &'a str,
}

impl Document<'_> {
    fn print(&self) -> io::Result<()> {
        use std::io::Write;
        let mut stdout = io::stdout();
        serde_json::to_writer(&mut stdout, self)?;
        stdout.write_all(b"\n")?;
        stdout.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read};

    use super::Reading;

    #[test]
    fn a_file_that_shrinks_is_an_error_and_one_that_grows_is_read_on() {
        let read = |left| {
            let mut content = Vec::new();
            Reading { source: Box::new(&b"content"[..]), left }.read_to_end(&mut content).map(|_| content)
        };
        assert_eq!(read(8).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        for left in [0, 6, 7] {
            assert_eq!(read(left).unwrap(), b"content");
        }
    }
}
