//! What can go wrong with a stream once it is read and decoded.

use std::fmt;
use std::io;
use std::sync::Arc;

use zvet_core::{Class, ErrorKind, Location};
use zvet_report::Fault;

/// Why a stream could not be walked, verified or decoded. Clones are cheap.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The stream breaks a rule of the format, is over a limit, or needs a dictionary.
    Format(zvet_core::Error),
    /// The engine that decodes does not accept a block.
    Engine(EngineFault),
    /// The source could not be opened, or its work not be started.
    Unopened(Arc<io::Error>),
    /// The output could not be written.
    Unwritten(Arc<io::Error>),
    /// The source could not be read.
    Read {
        /// How many bytes of the stream were read before.
        offset: u64,
        /// What reading it said.
        source: Arc<io::Error>,
    },
}

/// A block that an engine does not accept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EngineFault {
    /// The block.
    pub at: Location,
    /// What kind of fault.
    pub kind: EngineFaultKind,
    /// The engine.
    pub engine: &'static str,
    /// What the engine said.
    pub message: String,
}

/// What kind of fault an engine found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EngineFaultKind {
    /// C01: the engine does not decode a block that is valid: a limit of its own.
    Unsupported,
    /// C02: the engine panicked: a fault of its own, or for want of memory.
    Panicked,
    /// C03: the engine's output is not what the frame's blocks make, or it comes to no end.
    WrongOutput,
    /// C04: another engine makes other content of the frame.
    Disagreement,
    /// C05: the engine finds the block invalid, and was trusted to look alone.
    Refused,
}

impl Error {
    /// What the error says of the stream; `None` where it could not be read, or the engine broke down.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        match self {
            Self::Format(error) => Some(error.class()),
            Self::Engine(EngineFault { kind: EngineFaultKind::Unsupported, .. }) => Some(Class::OverLimit),
            Self::Engine(EngineFault { kind: EngineFaultKind::Refused, .. }) => Some(Class::Invalid),
            // These say something of the engine, and nothing of the stream.
            Self::Engine(_) | Self::Unopened(_) | Self::Unwritten(_) | Self::Read { .. } => None,
        }
    }

    /// The stable id of the rule that is broken; `None` where the stream could not be read.
    #[must_use]
    pub fn rule(&self) -> Option<&'static str> {
        match self {
            Self::Format(error) => Some(error.rule()),
            Self::Engine(fault) => Some(fault.kind.rule()),
            Self::Unopened(_) | Self::Unwritten(_) | Self::Read { .. } => None,
        }
    }

    /// Where in the stream; `None` where the stream could not be read.
    #[must_use]
    pub fn location(&self) -> Option<Location> {
        match self {
            Self::Format(error) => Some(error.at),
            Self::Engine(fault) => Some(fault.at),
            Self::Unopened(_) | Self::Unwritten(_) | Self::Read { .. } => None,
        }
    }

    /// Whether the input ended too early: more of it may complete the stream.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        matches!(self, Self::Format(error) if matches!(error.kind, ErrorKind::Truncated { .. }))
    }

    /// What is wrong, without place and rule id.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Format(error) => error.kind.to_string(),
            Self::Engine(fault) => fault.phrase(),
            Self::Unopened(source) | Self::Unwritten(source) | Self::Read { source, .. } => source.to_string(),
        }
    }

    /// That of a source that could not be opened.
    #[must_use]
    pub fn unopened(source: io::Error) -> Self {
        Self::Unopened(Arc::new(source))
    }

    pub(crate) fn read(offset: u64, source: io::Error) -> Self {
        Self::Read { offset, source: Arc::new(source) }
    }
}

impl Fault for Error {
    fn class(&self) -> Option<Class> {
        self.class()
    }

    fn rule(&self) -> Option<&'static str> {
        self.rule()
    }

    fn location(&self) -> Option<Location> {
        self.location()
    }

    fn message(&self) -> impl fmt::Display + '_ {
        self.message()
    }
}

impl EngineFaultKind {
    /// The stable id of the rule.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::Unsupported => "C01",
            Self::Panicked => "C02",
            Self::WrongOutput => "C03",
            Self::Disagreement => "C04",
            Self::Refused => "C05",
        }
    }
}

impl EngineFault {
    fn phrase(&self) -> String {
        let Self { engine, message, .. } = self;
        let part = if self.at.block.is_some() { "block" } else { "frame" };
        match self.kind {
            EngineFaultKind::Unsupported => format!("{engine} cannot decode the {part}, though it is valid: {message}"),
            EngineFaultKind::Panicked => format!("{engine} panicked on the {part}: {message}"),
            EngineFaultKind::WrongOutput => format!("the output of {engine} is not what the frame's blocks make"),
            EngineFaultKind::Disagreement => format!("{engine} and {message} make different content of the frame"),
            EngineFaultKind::Refused => format!("{engine} finds the {part} invalid: {message}"),
        }
    }
}

impl From<zvet_core::Error> for Error {
    fn from(error: zvet_core::Error) -> Self {
        Self::Format(error)
    }
}

/// `frame 3, block 17, byte 6699: block type 3 is reserved (B02)`.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(error) => error.fmt(f),
            Self::Engine(fault) => write!(f, "{}: {} ({})", fault.at, fault.phrase(), fault.kind.rule()),
            Self::Unopened(source) => source.fmt(f),
            Self::Unwritten(source) => write!(f, "writing the output: {source}"),
            Self::Read { offset, source } => write!(f, "reading at byte {offset}: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Format(error) => Some(error),
            Self::Engine(_) => None,
            Self::Unopened(source) | Self::Unwritten(source) | Self::Read { source, .. } => Some(source),
        }
    }
}

/// The kind is `UnexpectedEof` for a truncated stream, that of the source where reading failed, else `InvalidData`.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Unopened(source) | Error::Unwritten(source) | Error::Read { source, .. } => source.kind(),
            _ if error.is_truncated() => io::ErrorKind::UnexpectedEof,
            _ => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}
