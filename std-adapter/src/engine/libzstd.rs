//! libzstd, the reference decoder: in C, for those who accept that.

use std::fmt;
use std::io::Read;
use std::ops::Range;

use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, get_error_name};
use zvet_core::FrameHeader;
use zvet_core::consts::{BLOCK_SIZE_MAX, DICTIONARY_MAGIC_NUMBER, FRAME_HEADER_SIZE_MAX};

use super::{Engine, EngineError, Progress, header, in_pieces};
use crate::dictionary::Dictionary;

/// libzstd as an engine, by the [`zstd-safe`](https://docs.rs/zstd-safe) crate. Whole frames are decoded in place.
pub struct Libzstd {
    context: DCtx<'static>,
    /// The dictionary that the context has loaded.
    held: Option<Dictionary>,
    input: Box<[u8]>,
    /// What of the input was read and not decoded.
    unread: Range<usize>,
    streamed_window: u64,
}

/// How much is read at a time of a frame that comes in pieces.
const INPUT_SIZE: usize = 64 << 10;
/// What was allocated for windows of up to this size is kept for the next frame.
const KEPT_WINDOW_MAX: u64 = 16 << 20;
/// The context with its tables, and what it buffers besides the window.
const CONTEXT: u64 = 1 << 20;

impl fmt::Debug for Libzstd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Libzstd").finish_non_exhaustive()
    }
}

impl Default for Libzstd {
    fn default() -> Self {
        Self::new()
    }
}

impl Libzstd {
    /// A decoder without buffers.
    ///
    /// # Panics
    /// Where there is no memory for its context.
    #[must_use]
    pub fn new() -> Self {
        Self { context: DCtx::create(), held: None, input: Box::default(), unread: 0..0, streamed_window: 0 }
    }

    /// Makes the context ready for a frame. What was streamed with a large window is not kept.
    fn reset(&mut self, dictionary: Option<&Dictionary>) -> Result<(), EngineError> {
        if self.streamed_window > KEPT_WINDOW_MAX {
            *self = Self::new();
        }
        self.streamed_window = 0;
        self.context.reset(ResetDirective::SessionOnly).map_err(into_engine_error)?;
        match (dictionary, &self.held) {
            (None, None) => {}
            (None, Some(_)) => {
                self.context.disable_dictionary().map_err(into_engine_error)?;
                self.held = None;
            }
            (Some(dictionary), Some(held)) if held.is_same(dictionary) => {}
            (Some(dictionary), _) => {
                self.context.load_dictionary(&content(dictionary)).map_err(into_engine_error)?;
                self.held = Some(dictionary.clone());
            }
        }
        Ok(())
    }
}

/// The dictionary as libzstd tells formatted ones from raw content. Raw content that begins with the magic number gets a byte
/// before it, which no offset reaches: those within the frame and its dictionary were checked.
fn content(dictionary: &Dictionary) -> std::borrow::Cow<'_, [u8]> {
    let bytes = dictionary.bytes();
    if dictionary.id().is_none() && bytes.starts_with(&DICTIONARY_MAGIC_NUMBER.to_le_bytes()) {
        [&[0], bytes].concat().into()
    } else {
        bytes.into()
    }
}

impl Engine for Libzstd {
    fn name(&self) -> &'static str {
        "libzstd"
    }

    fn is_strict(&self) -> bool {
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
        self.reset(dictionary)?;
        self.context.decompress(output, frame).map_err(into_engine_error)
    }

    fn start(
        &mut self,
        header: &FrameHeader,
        dictionary: Option<&Dictionary>,
        input: &mut dyn Read,
    ) -> Result<(), EngineError> {
        self.reset(dictionary)?;
        self.streamed_window = header.window_size();
        self.context
            .set_parameter(DParameter::WindowLogMax(header::WINDOW_LOG_MAX.into()))
            .map_err(into_engine_error)?;
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
        loop {
            let reads = self.unread.is_empty();
            if reads {
                // At the end of the frame there is nothing to read, and may be output that is left.
                self.unread = 0..input.read(&mut self.input).map_err(EngineError::Input)?;
            }
            let mut from = InBuffer::around(&self.input[self.unread.clone()]);
            let mut to = OutBuffer::around(&mut *output);
            let hint = self.context.decompress_stream(&mut to, &mut from).map_err(into_engine_error)?;
            let (consumed, written, done) = (from.pos(), to.pos(), hint == 0);
            self.unread.start += consumed;
            // The header alone gets nowhere, and without room for output nothing does.
            if reads || done || written > 0 || consumed == 0 {
                return Ok(Progress { written, done });
            }
        }
    }

    fn let_go(&mut self) {
        if self.held.is_some() || self.streamed_window > 0 {
            *self = Self::new();
        }
    }

    /// The window, two blocks more, and a block of input.
    fn memory(&self, window_size: u64) -> u64 {
        window_size.min(header::WINDOW_MAX).saturating_add(3 * u64::from(BLOCK_SIZE_MAX)).saturating_add(CONTEXT)
    }

    fn whole_memory(&self, window_size: u64) -> u64 {
        if window_size > header::WINDOW_MAX { self.memory(window_size) } else { CONTEXT }
    }
}

fn into_engine_error(code: zstd_safe::ErrorCode) -> EngineError {
    EngineError::Corrupt(get_error_name(code).to_owned())
}
