//! The command line.

use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use zvet::{Bounds, Dictionary, EncodeSettings, EncoderChoice, EngineChoice, Level, Limits, Ratio, Settings, Slots};

use crate::input::shown;
use crate::outcome::complain;
use crate::size::{Human, parse_size};

const EXIT_CODES: &str = "\
Exit codes, of several inputs the worst in the order 2, 1, 3, 4, 0:
  0  every input is valid and within the limits
  1  an input is not a valid zstd stream
  2  usage, or an input could not be read or an output not written
  3  valid as far as read, but over a limit
  4  undecidable without a dictionary that was not given";

const ENCODE_EXIT_CODES: &str = "\
Exit codes:
  0  every input is encoded
  2  usage, or an input could not be read or an output not written";

/// Inspect, verify and decode zstd streams that you do not trust
#[derive(Debug, Parser)]
#[command(name = "zvet", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the frames of a stream without decoding: offsets, sizes, windows, and how each may be decoded
    #[command(after_help = EXIT_CODES)]
    Inspect(InspectArgs),
    /// Check a stream, and say the first thing that is wrong with it
    #[command(after_help = EXIT_CODES)]
    Verify(VerifyArgs),
    /// Decode a stream on all cores, and check it to its end
    #[command(after_help = EXIT_CODES)]
    Decode(DecodeArgs),
    /// Encode on all cores, into frames that decode beside each other
    #[command(after_help = ENCODE_EXIT_CODES)]
    Encode(EncodeArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    /// Compute the exact size of every frame, the unsized ones included: reads all, decodes nothing
    #[arg(long)]
    pub(crate) exact: bool,
    /// Print one JSON document for each input
    #[arg(long)]
    pub(crate) json: bool,
    /// Print a JSON object for each frame as it is found, and one for the input
    #[arg(long, conflicts_with = "json")]
    pub(crate) json_lines: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    /// How deep to check
    #[arg(long, value_enum, default_value_t = LevelArg::Content)]
    pub(crate) level: LevelArg,
    /// Print one JSON document for each input
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct DecodeArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) engines: EngineArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Leave holes in files for runs of zeros: they take no room, where the file system can do that
    #[arg(long, conflicts_with = "stdout")]
    pub(crate) sparse: bool,
    /// Decode frames as they arrive while that keeps up with the input: for downloads
    #[arg(long)]
    pub(crate) adaptive: bool,
    /// Leave the inside of blocks to the engine if it is a strict one: faster, and not for strangers' input
    #[arg(long)]
    pub(crate) trust_engine: bool,
    /// Print one JSON document for each input; not together with standard output
    #[arg(long, conflicts_with = "stdout")]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct EncodeArgs {
    /// Inputs; `-` or nothing is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How hard to compress: 1 to 22, or below 0 to be faster [default: 3, and 1 for ruzstd, which has no other]
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    pub(crate) level: Option<i32>,
    /// The most content of a frame, 1KiB to 16320KiB: more compresses better, less keeps more cores busy
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "8MiB")]
    pub(crate) frame_size: u64,
    /// Write no checksums of the content
    #[arg(long)]
    pub(crate) no_checksum: bool,
    /// What encodes [default: the first of these that is built in]
    #[arg(long, value_enum, value_name = "ENCODER")]
    pub(crate) encoder: Option<EncoderArg>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Print one JSON document for each input; not together with standard output
    #[arg(long, conflicts_with = "stdout")]
    pub(crate) json: bool,
    /// Encode this many frames at a time, 1 to 512 [default: the number of cores]
    #[arg(long, value_name = "COUNT", value_parser = parse_workers)]
    pub(crate) workers: Option<NonZeroUsize>,
    /// Print only what could not be read or written
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Say on standard error what memory the settings take at most, and what became of each input
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Show no progress on the terminal
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// Where outputs go.
#[derive(Debug, ClapArgs)]
pub(crate) struct OutputArgs {
    /// Write to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "stdout")]
    pub(crate) output: Option<PathBuf>,
    /// Write to standard output
    #[arg(short = 'c', long)]
    pub(crate) stdout: bool,
    /// Overwrite files, and write to a terminal
    #[arg(short, long)]
    pub(crate) force: bool,
}

/// What decodes.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct EngineArgs {
    /// Decode with this engine: mzstd, ruzstd, or libzstd where it is built in [default: mzstd]
    #[arg(long, value_name = "ENGINE", value_parser = engine_names(), hide_possible_values = true)]
    pub(crate) engine: Option<String>,
    /// Decode with a second engine, too, and compare what they make
    #[arg(long, value_name = "ENGINE", value_parser = engine_names(), hide_possible_values = true)]
    pub(crate) second_opinion: Option<String>,
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct CommonArgs {
    /// Inputs; `-` or nothing is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What is allowed, and what is decoded in parallel, as a preset to start from
    #[arg(long, value_enum, value_name = "PRESET", default_value_t = Preset::Snapshot, help_heading = "Limits")]
    pub(crate) limits: Preset,
    /// Refuse windows over this size (128MiB, 2GiB, none, ...)
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    pub(crate) max_window: Option<u64>,
    /// Refuse more output than this from one input
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    pub(crate) max_output: Option<u64>,
    /// Refuse more output than 1 MiB (16 MiB with `--limits web`) and this many times the input, at any point of it
    #[arg(long, value_name = "FACTOR", value_parser = parse_factor, help_heading = "Limits")]
    pub(crate) max_ratio: Option<u64>,
    /// Refuse more frames than this in one input, skippable ones included
    #[arg(long, value_name = "COUNT", value_parser = parse_count, help_heading = "Limits")]
    pub(crate) max_frames: Option<u64>,
    /// Frames with a larger window than this are decoded alone
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Bounds of frames that are decoded in parallel")]
    pub(crate) bound_window: Option<u64>,
    /// Frames that decode to more than this are decoded alone
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Bounds of frames that are decoded in parallel")]
    pub(crate) bound_output: Option<u64>,
    /// Frames that take more of the input than this are decoded alone
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Bounds of frames that are decoded in parallel")]
    pub(crate) bound_input: Option<u64>,
    /// Frames with more blocks than this are decoded alone
    #[arg(long, value_name = "COUNT", value_parser = parse_count, help_heading = "Bounds of frames that are decoded in parallel")]
    pub(crate) bound_blocks: Option<u64>,
    /// A dictionary that frames may need; may be given several times
    #[arg(short = 'D', long = "dictionary", value_name = "FILE")]
    pub(crate) dictionaries: Vec<PathBuf>,
    /// Decode this many frames at a time, 1 to 512 [default: the number of cores]
    #[arg(long, value_name = "COUNT", value_parser = parse_workers)]
    pub(crate) workers: Option<NonZeroUsize>,
    /// Take an empty input for a valid stream of no frames
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Print only what could not be read or written, and let the exit code tell the rest
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Say on standard error what memory the settings take at most
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Show no progress on the terminal
    #[arg(long)]
    pub(crate) no_progress: bool,
}

/// The engines that are built in.
fn engine_names() -> PossibleValuesParser {
    EngineChoice::names().collect::<Vec<_>>().into()
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum EncoderArg {
    /// zstd's levels in safe Rust (cargo feature `mzstd`)
    Mzstd,
    /// zstd's levels in C (cargo feature `libzstd`)
    Libzstd,
    /// level 1 in safe Rust
    Ruzstd,
}

impl EncoderArg {
    fn choice(self) -> Result<EncoderChoice, String> {
        let name = match self {
            Self::Mzstd => "mzstd",
            Self::Libzstd => "libzstd",
            Self::Ruzstd => "ruzstd",
        };
        let choice = EncoderChoice::built_in().into_iter().find(|choice| choice.name() == name);
        choice.ok_or_else(|| format!("{name} is not built in: it is a cargo feature of zvet-cli"))
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum LevelArg {
    /// frames, headers, block headers and sizes; reads only headers
    Envelope,
    /// all inside of compressed blocks: what passes decodes, and only a checksum can still fail
    Entropy,
    /// the decoded content: declared sizes and checksums
    Content,
}

impl From<LevelArg> for Level {
    fn from(level: LevelArg) -> Self {
        match level {
            LevelArg::Envelope => Self::Envelope,
            LevelArg::Entropy => Self::Entropy,
            LevelArg::Content => Self::Content,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Preset {
    /// windows of up to 128 MiB; frames of up to 16 MiB in parallel
    Snapshot,
    /// the same: 128 MiB is what the zstd command allows
    Cli,
    /// windows of up to 8 MiB, output 256 MiB, and 16 MiB and 1,024 times the input, 65,536 frames; frames of up to 8 MiB in parallel
    Web,
    /// windows of up to 128 KiB, output 16 MiB, and 1 MiB and 1,024 times the input, 4,096 frames; frames of up to 128 KiB in parallel
    Embedded,
    /// no limits, and memory is what the stream's window asks for; frames of up to 16 MiB in parallel
    Unlimited,
}

impl Preset {
    fn bounds_and_limits(self) -> (Bounds, Limits) {
        match self {
            Self::Snapshot => (Bounds::SNAPSHOT, Limits::SNAPSHOT),
            Self::Cli => (Bounds::CLI, Limits::CLI),
            Self::Web => (Bounds::WEB, Limits::WEB),
            Self::Embedded => (Bounds::EMBEDDED, Limits::EMBEDDED),
            Self::Unlimited => (Bounds::UNLIMITED, Limits::UNLIMITED),
        }
    }
}

/// Each worker is a thread with buffers of its own.
const WORKERS_MAX: usize = 512;

fn parse_factor(text: &str) -> Result<u64, String> {
    parse_count(text).ok().filter(|&factor| factor > 0).ok_or_else(|| "not a number from 1 on, or none".to_owned())
}

fn parse_count(text: &str) -> Result<u64, String> {
    if text == "none" {
        return Ok(u64::MAX);
    }
    text.parse().map_err(|_| "not a number, or none".to_owned())
}

fn parse_workers(text: &str) -> Result<NonZeroUsize, String> {
    let workers = text.parse().ok().filter(|workers: &NonZeroUsize| workers.get() <= WORKERS_MAX);
    workers.ok_or_else(|| format!("not a number from 1 to {WORKERS_MAX}"))
}

/// The largest dictionary that is read.
const DICTIONARY_MAX: u64 = 128 << 20;

fn read_dictionary(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(DICTIONARY_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > DICTIONARY_MAX {
        return Err(io::Error::other("a dictionary of more than 128 MiB"));
    }
    Ok(bytes)
}

/// What any input may decode to under `--max-ratio`, however small it is, where the limits do not say.
const RATIO_SLACK: u64 = 1 << 20;

impl CommonArgs {
    /// The settings that the arguments ask for.
    ///
    /// # Errors
    /// What is wrong with a dictionary.
    pub(crate) fn settings(&self, engines: &EngineArgs) -> Result<Settings, String> {
        let (mut bounds, mut limits) = self.limits.bounds_and_limits();
        let set = |field: &mut u64, value: Option<u64>| *field = value.unwrap_or(*field);
        set(&mut bounds.window, self.bound_window);
        set(&mut bounds.output, self.bound_output);
        set(&mut bounds.input, self.bound_input);
        set(&mut bounds.blocks, self.bound_blocks);
        set(&mut limits.window, self.max_window);
        set(&mut limits.output, self.max_output);
        set(&mut limits.frames, self.max_frames);
        if let Some(factor) = self.max_ratio {
            let slack = limits.ratio.map_or(RATIO_SLACK, |ratio| ratio.slack);
            limits.ratio = (factor < u64::MAX).then_some(Ratio { slack, factor });
        }
        let dictionaries = self.dictionaries.iter().map(|path| {
            let said = |error: String| format!("{}: {error}", shown(path));
            let bytes = read_dictionary(path).map_err(|error| said(error.to_string()))?;
            Dictionary::new(&bytes).map_err(|error| said(error.to_string()))
        });
        let dictionaries = dictionaries.collect::<Result<_, _>>()?;
        let defaults = Settings::default();
        let workers = self.workers.unwrap_or(defaults.workers);
        let named = |name: &Option<String>| name.as_deref().and_then(EngineChoice::named);
        let engine = named(&engines.engine).unwrap_or_default();
        if engines.second_opinion.as_deref() == Some(engine.name()) {
            return Err(format!(
                "--second-opinion {0}: {0} decodes already; another engine has another opinion",
                engine.name()
            ));
        }
        let settings = Settings {
            bounds,
            limits,
            workers,
            dictionaries,
            allow_empty: self.allow_empty,
            engine,
            second_opinion: named(&engines.second_opinion),
            slots: Slots::new(workers.get()),
            ..defaults
        };
        if self.verbose {
            say_memory(settings.peak_memory(), workers);
        }
        Ok(settings)
    }

    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        or_stdin(&self.files)
    }

    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && !self.no_progress
    }
}

impl EncodeArgs {
    /// The settings that the arguments ask for.
    ///
    /// # Errors
    /// Which of them cannot be.
    pub(crate) fn settings(&self) -> Result<EncodeSettings, String> {
        let defaults = EncodeSettings::default();
        let settings = EncodeSettings {
            level: self.level,
            frame_size: usize::try_from(self.frame_size).unwrap_or(usize::MAX),
            checksum: !self.no_checksum,
            workers: self.workers.unwrap_or(defaults.workers),
            encoder: self.encoder.map_or(Ok(defaults.encoder), EncoderArg::choice)?,
        };
        settings.check().map_err(|error| error.to_string())?;
        if self.verbose {
            say_memory(settings.peak_memory(), settings.workers);
        }
        Ok(settings)
    }

    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        or_stdin(&self.files)
    }

    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && !self.no_progress
    }
}

/// The inputs, standard input where none is named.
fn or_stdin(files: &[PathBuf]) -> Vec<PathBuf> {
    if files.is_empty() { vec![PathBuf::from("-")] } else { files.to_owned() }
}

fn say_memory(memory: u64, workers: NonZeroUsize) {
    complain(&format!("{} of memory at most, with {workers} workers", Human(memory)));
}
