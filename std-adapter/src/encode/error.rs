//! What can go wrong while a stream is written.

use std::fmt;
use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::settings::{FRAME_SIZE_MAX, FRAME_SIZE_MIN};

/// Why a stream could not be written. The first one stays. Clones are cheap.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EncodeError {
    /// A level that the encoder does not have.
    Level {
        /// The level.
        level: i32,
        /// The encoder.
        encoder: &'static str,
        /// The levels that it has.
        levels: RangeInclusive<i32>,
    },
    /// A frame size, in bytes, out of its range.
    FrameSize(usize),
    /// A thread could not be started.
    Unstarted(Arc<io::Error>),
    /// The encoder failed.
    Encoder(EncoderFault),
    /// The sink could not be written.
    Write {
        /// How many bytes of the stream it took before.
        offset: u64,
        /// What it said.
        source: Arc<io::Error>,
    },
    /// The stream was closed before.
    Closed,
}

/// A frame that an encoder could not make.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EncoderFault {
    /// Which frame of the stream, counted from 0.
    pub frame: u64,
    /// Where its content begins in the whole content, in bytes.
    pub offset: u64,
    /// What kind of fault.
    pub kind: EncoderFaultKind,
    /// The encoder.
    pub encoder: &'static str,
    /// What the encoder said, or what is wrong with its frame.
    pub message: String,
}

/// What kind of fault an encoder had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncoderFaultKind {
    /// It returned an error.
    Failed,
    /// It panicked.
    Panicked,
    /// Its frame is not what it should be: of one segment, with its size, its checksum, and an end.
    WrongFrame,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Level { level, encoder, levels } if levels.start() == levels.end() => {
                write!(f, "{encoder} has no level {level}: it has level {} alone", levels.start())
            }
            Self::Level { level, encoder, levels } => {
                write!(f, "{encoder} has no level {level}: it has {} to {}", levels.start(), levels.end())
            }
            Self::FrameSize(size) => {
                write!(f, "frames of {size} bytes of content: from {FRAME_SIZE_MIN} to {FRAME_SIZE_MAX} is possible")
            }
            Self::Unstarted(source) => write!(f, "cannot start a thread: {source}"),
            Self::Encoder(fault) => fault.fmt(f),
            Self::Write { offset, source } => write!(f, "writing at byte {offset}: {source}"),
            Self::Closed => f.write_str("the stream is closed"),
        }
    }
}

impl fmt::Display for EncoderFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frame, offset, kind, encoder, message } = self;
        write!(f, "frame {frame}, from byte {offset} of the content: {encoder} ")?;
        match kind {
            EncoderFaultKind::Failed => write!(f, "failed: {message}"),
            EncoderFaultKind::Panicked => write!(f, "panicked: {message}"),
            EncoderFaultKind::WrongFrame => write!(f, "made a wrong frame: {message}"),
        }
    }
}

impl std::error::Error for EncodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unstarted(source) | Self::Write { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// The kind is that of the sink where writing failed, `InvalidInput` for what the caller did wrong, else `Other`.
impl From<EncodeError> for io::Error {
    fn from(error: EncodeError) -> Self {
        let kind = match &error {
            EncodeError::Unstarted(source) | EncodeError::Write { source, .. } => source.kind(),
            EncodeError::Level { .. } | EncodeError::FrameSize(_) | EncodeError::Closed => io::ErrorKind::InvalidInput,
            EncodeError::Encoder(_) => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

/// Which side of a copy failed.
#[derive(Debug)]
pub enum ReadFromError {
    /// The reader. The writer may go on.
    Read(io::Error),
    /// The writer.
    Encode(EncodeError),
}

impl fmt::Display for ReadFromError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "reading the content: {error}"),
            Self::Encode(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadFromError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            Self::Encode(error) => Some(error),
        }
    }
}

impl From<EncodeError> for ReadFromError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

impl From<ReadFromError> for io::Error {
    fn from(error: ReadFromError) -> Self {
        match error {
            ReadFromError::Read(error) => error,
            ReadFromError::Encode(error) => error.into(),
        }
    }
}
