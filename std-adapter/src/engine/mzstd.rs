//! mzstd: safe Rust at the speed of libzstd. It holds blocks to all rules that libzstd holds them to.

use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use mzstd::dictionary::{DecodeDictionary, DictionaryContent};
use mzstd::{
    DecodeError, DecodeLimits, DecodeOperation, DecoderConfig, DecoderSessionOwned, DecoderStatus, Decompressor,
    FrameMode, RetentionPolicy,
};
use zvet_core::FrameHeader;
use zvet_core::consts::{BLOCK_SIZE_MAX, FRAME_HEADER_SIZE_MAX};

use super::{Engine, EngineError, Progress, header, in_pieces};
use crate::dictionary::Dictionary;

/// The [`mzstd`](https://docs.rs/mzstd) crate as an engine. Whole frames are decoded in place.
pub struct Mzstd {
    state: State,
    /// The dictionary that was prepared last.
    held: Option<(Dictionary, Arc<DecodeDictionary>)>,
    /// What stands for no dictionary: one of no content.
    none: Arc<DecodeDictionary>,
    input: Box<[u8]>,
    /// What of the input was read and not decoded.
    unread: Range<usize>,
    streamed_window: u64,
}

enum State {
    Idle(Decompressor),
    Streaming(DecoderSessionOwned<Arc<DecodeDictionary>>),
    /// Only while one becomes the other.
    Between,
}

/// How much is read at a time of a frame that comes in pieces.
const INPUT_SIZE: usize = 64 << 10;
/// What was allocated for windows of up to this size is kept for the next frame.
const KEPT_WINDOW_MAX: u64 = 16 << 20;
/// What is kept for other readers: tables, and no window.
const RESTING_MAX: usize = 1 << 20;
/// Tables, literals and sequences of a block, and one block's content.
const TABLES: u64 = 1 << 20;

impl fmt::Debug for Mzstd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mzstd").finish_non_exhaustive()
    }
}

impl Default for Mzstd {
    fn default() -> Self {
        Self::new()
    }
}

impl Mzstd {
    /// A decoder without buffers.
    ///
    /// # Panics
    /// Never: any content is a dictionary of raw content.
    #[must_use]
    pub fn new() -> Self {
        let none = DecodeDictionary::new(b"", DictionaryContent::Raw).expect("any content will do");
        Self {
            state: State::Idle(decompressor()),
            held: None,
            none: Arc::new(none),
            input: Box::default(),
            unread: 0..0,
            streamed_window: 0,
        }
    }

    /// The decoder at rest. What was streamed with a large window is not kept.
    fn idle(&mut self) -> &mut Decompressor {
        self.state = match std::mem::replace(&mut self.state, State::Between) {
            State::Idle(decompressor) => State::Idle(decompressor),
            State::Streaming(session) if self.streamed_window <= KEPT_WINDOW_MAX => {
                State::Idle(session.into_decompressor())
            }
            State::Streaming(_) | State::Between => State::Idle(decompressor()),
        };
        match &mut self.state {
            State::Idle(decompressor) => decompressor,
            State::Streaming(_) | State::Between => unreachable!("it was just made idle"),
        }
    }

    fn prepared(&mut self, dictionary: &Dictionary) -> Result<Arc<DecodeDictionary>, EngineError> {
        if let Some((held, prepared)) = &self.held
            && held.is_same(dictionary)
        {
            return Ok(prepared.clone());
        }
        let content = if dictionary.id().is_some() { DictionaryContent::Zstd } else { DictionaryContent::Raw };
        let prepared = DecodeDictionary::new(dictionary.bytes(), content)
            .map_err(|error| EngineError::Corrupt(error.to_string()))?;
        let prepared = Arc::new(prepared);
        self.held = Some((dictionary.clone(), prepared.clone()));
        Ok(prepared)
    }
}

fn decompressor() -> Decompressor {
    let limits = DecodeLimits::default().with_max_window_log(header::WINDOW_LOG_MAX);
    // What may be decoded at all was said before an engine is asked.
    let limits = limits.unwrap_or_default();
    Decompressor::new(DecoderConfig::default().with_frame_mode(FrameMode::Single).with_limits(limits))
}

impl Engine for Mzstd {
    fn name(&self) -> &'static str {
        "mzstd"
    }

    fn is_strict(&self) -> bool {
        true
    }

    fn wants_declared_size(&self) -> bool {
        true
    }

    fn decode_frame(
        &mut self,
        header: &FrameHeader,
        dictionary: Option<&Dictionary>,
        frame: &[u8],
        output: &mut [u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<usize, EngineError> {
        if header.window_size() > header::WINDOW_MAX {
            return in_pieces(self, header, dictionary, frame, output, is_stopped);
        }
        let prepared = dictionary.map(|dictionary| self.prepared(dictionary)).transpose()?;
        let decompressor = self.idle();
        let decoded = match &prepared {
            Some(prepared) => decompressor.decompress_with_dictionary_to_slice(&**prepared, frame, output),
            None => decompressor.decompress_to_slice(frame, output),
        };
        decoded.map_err(into_engine_error)
    }

    fn start(
        &mut self,
        header: &FrameHeader,
        dictionary: Option<&Dictionary>,
        input: &mut dyn Read,
    ) -> Result<(), EngineError> {
        let prepared = match dictionary {
            Some(dictionary) => self.prepared(dictionary)?,
            None => self.none.clone(),
        };
        self.idle();
        if let State::Idle(decompressor) = std::mem::replace(&mut self.state, State::Between) {
            self.state = State::Streaming(decompressor.into_session_with_dictionary(prepared));
        }
        self.streamed_window = header.window_size();
        if self.input.is_empty() {
            self.input = vec![0; INPUT_SIZE].into();
        }
        let mut bytes = [0; FRAME_HEADER_SIZE_MAX];
        let size = header::read(header, input, &mut bytes)?;
        self.input[..size].copy_from_slice(&bytes[..size]);
        self.unread = 0..size;
        Ok(())
    }

    fn decode(&mut self, input: &mut dyn Read, output: &mut [u8]) -> Result<Progress, EngineError> {
        let State::Streaming(session) = &mut self.state else { return Err(EngineError::Stuck) };
        loop {
            let reads = self.unread.is_empty();
            if reads {
                // At the end of the frame there is nothing to read, and may be output that is left.
                self.unread = 0..input.read(&mut self.input).map_err(EngineError::Input)?;
            }
            let progress = session
                .process(&self.input[self.unread.clone()], output, DecodeOperation::Process)
                .map_err(|failure| into_engine_error(failure.into_error()))?;
            self.unread.start += progress.consumed;
            let done = progress.status == DecoderStatus::Finished;
            // The header alone gets nowhere, and without room for output nothing does.
            if reads || done || progress.produced > 0 || progress.consumed == 0 {
                return Ok(Progress { written: progress.produced, done });
            }
        }
    }

    fn let_go(&mut self) {
        self.held = None;
        self.unread = 0..0;
        self.idle().trim(RetentionPolicy::Bounded { max_bytes: RESTING_MAX });
    }

    /// Twice the window is held before what is out of reach is dropped, in a vector that doubles as it grows, and for a moment
    /// beside the one that it grew from.
    fn memory(&self, window_size: u64) -> u64 {
        let history = window_size
            .clamp(BLOCK_SIZE_MAX.into(), header::WINDOW_MAX)
            .saturating_mul(2)
            .saturating_add(BLOCK_SIZE_MAX.into());
        history.saturating_mul(3).saturating_add(TABLES)
    }

    fn whole_memory(&self, window_size: u64) -> u64 {
        if window_size > header::WINDOW_MAX { self.memory(window_size) } else { TABLES }
    }
}

fn into_engine_error(error: DecodeError) -> EngineError {
    match error {
        DecodeError::OutputTooSmall { .. } => EngineError::TooMuch,
        error => EngineError::Corrupt(error.to_string()),
    }
}
