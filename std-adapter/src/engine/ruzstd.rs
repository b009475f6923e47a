//! ruzstd, the reference engine: pure Rust, and careful about memory.
//!
//! What it does not check, and who does: reserved header bit, block sizes against the window, declared size, content
//! checksum, trailing bytes (zvet, around every engine). It is lax inside compressed blocks; `SPEC-NOTES.md` says where.

use std::fmt;
use std::io::Read;

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, Dictionary as Parsed, FrameDecoder};
use zvet_core::consts::{BLOCK_SIZE_MAX, DICTIONARY_MAGIC_NUMBER, FRAME_HEADER_SIZE_MAX, MAGIC_SIZE};
use zvet_core::{FrameHeader, WindowDescriptor};

use super::{Engine, EngineError, Progress, catch_panic};
use crate::dictionary::{Dictionary, DictionaryError};

/// The [`ruzstd`](https://docs.rs/ruzstd) crate as an engine.
pub struct Ruzstd {
    decoder: FrameDecoder,
    /// The dictionary that the decoder holds under [`HELD_ID`] or its own id.
    held: Option<(Dictionary, u32)>,
    /// The ring buffer is kept from frame to frame up to this window; a larger one is not kept.
    kept_window: u64,
}

/// The largest window that ruzstd takes: 3.5 TiB, or 2 GiB where addresses have 32 bits, as it holds windows in a `usize`.
const LARGEST_WINDOW: WindowDescriptor = WindowDescriptor(if usize::BITS > 32 { 0xFE } else { (31 - 10) << 3 });
/// Rings of up to this size are worth keeping. ruzstd asks for the whole window at once when it reuses a decoder.
const KEPT_WINDOW_MAX: u64 = 16 << 20;

/// And of up to this size for frames of other readers.
const RESTING_WINDOW_MAX: u64 = 128 << 10;

/// `Content_Checksum_flag` in the descriptor.
const CHECKSUM_FLAG: u8 = 1 << 2;

/// The id under which raw content is given to ruzstd, which knows only formatted dictionaries. No frame asks for it by
/// name: raw content is forced on frames that name none.
const HELD_ID: u32 = u32::MAX;

impl fmt::Debug for Ruzstd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ruzstd").field("held", &self.held).finish_non_exhaustive()
    }
}

impl Default for Ruzstd {
    fn default() -> Self {
        Self::new()
    }
}

impl Ruzstd {
    /// A decoder without buffers.
    #[must_use]
    pub fn new() -> Self {
        Self { decoder: FrameDecoder::new(), held: None, kept_window: 0 }
    }

    /// Sees to it that the decoder holds the dictionary, and returns its id there.
    fn hold(&mut self, dictionary: &Dictionary) -> Result<u32, EngineError> {
        if let Some((held, id)) = &self.held
            && held.is_same(dictionary)
        {
            return Ok(*id);
        }
        let parsed = parse(dictionary).map_err(|error| EngineError::Corrupt(error.to_string()))?;
        let id = parsed.id;
        self.decoder.add_dict(parsed).map_err(into_engine_error)?;
        self.held = Some((dictionary.clone(), id));
        Ok(id)
    }
}

impl Engine for Ruzstd {
    fn name(&self) -> &'static str {
        "ruzstd"
    }

    fn start(
        &mut self,
        header: &FrameHeader,
        dictionary: Option<&Dictionary>,
        input: &mut dyn Read,
    ) -> Result<(), EngineError> {
        let window = header.window_size();
        // A new decoder grows its ring as it decodes; a used one would allocate the window that the header claims.
        if window.max(self.kept_window) > KEPT_WINDOW_MAX {
            *self = Self::new();
        }
        self.kept_window = window;
        self.decoder.set_max_window_size(u64::MAX);
        let forced = dictionary.map(|dictionary| self.hold(dictionary)).transpose()?;
        let mut bytes = [0; FRAME_HEADER_SIZE_MAX];
        let mut bytes = &mut bytes[..header.header_size()];
        input.read_exact(bytes).map_err(EngineError::Input)?;
        let rewritten = window > LARGEST_WINDOW.window_size();
        if rewritten {
            // It decodes the same with the largest window that it does take, and needs nothing else of the header.
            bytes = &mut bytes[..MAGIC_SIZE + 2];
            bytes[MAGIC_SIZE] &= CHECKSUM_FLAG;
            bytes[MAGIC_SIZE + 1] = LARGEST_WINDOW.0;
        }
        self.decoder.reset(&*bytes).map_err(into_engine_error)?;
        match forced {
            Some(id) if rewritten || header.dictionary_id() != Some(id) => {
                self.decoder.force_dict(id).map_err(into_engine_error)
            }
            _ => Ok(()),
        }
    }

    fn decode(&mut self, input: &mut dyn Read, output: &mut [u8]) -> Result<Progress, EngineError> {
        if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            self.decoder.decode_blocks(input, BlockDecodingStrategy::UptoBlocks(1)).map_err(into_engine_error)?;
        }
        let written = self.decoder.read(output).map_err(EngineError::Input)?;
        Ok(Progress { written, done: self.decoder.is_finished() && self.decoder.can_collect() == 0 })
    }

    fn let_go(&mut self) {
        if self.held.is_some() || self.kept_window > RESTING_WINDOW_MAX {
            *self = Self::new();
        }
    }

    /// The ring buffer has the next power of two, two blocks more, and half of that again while it grows; literals,
    /// sequences, tables and a block of input come to less than 3 MiB.
    fn memory(&self, window_size: u64) -> u64 {
        let ring =
            window_size.checked_next_power_of_two().unwrap_or(u64::MAX).saturating_add(2 * u64::from(BLOCK_SIZE_MAX));
        ring.saturating_add(ring / 2).saturating_add(3 << 20)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn into_engine_error(error: FrameDecoderError) -> EngineError {
    EngineError::Corrupt(error.to_string())
}

/// Whether ruzstd takes the dictionary.
pub(crate) fn check_dictionary(dictionary: &Dictionary) -> Result<(), DictionaryError> {
    parse(dictionary).map(|_| ())
}

fn parse(dictionary: &Dictionary) -> Result<Parsed, DictionaryError> {
    let formatted;
    let bytes = if dictionary.id().is_some() {
        dictionary.bytes()
    } else {
        formatted = format_raw(dictionary.bytes());
        &formatted
    };
    let parsed =
        catch_panic(|| Parsed::decode_dict(bytes)).and_then(|parsed| parsed.map_err(|error| error.to_string()));
    let mut parsed = parsed.map_err(DictionaryError::Engine)?;
    if dictionary.id().is_none() {
        // Raw content has no tables: a frame that refers to some is damaged.
        parsed.huf.table.reset();
        parsed.fse.offsets.reset();
        parsed.fse.match_lengths.reset();
        parsed.fse.literal_lengths.reset();
    }
    Ok(parsed)
}

/// Raw content in the format of a dictionary, with the repeat offsets that a frame without one begins with. The tables
/// are there because the format asks for them, and are taken out again.
fn format_raw(content: &[u8]) -> Vec<u8> {
    // Two symbols of one bit each, as directly stored weights.
    const HUFFMAN: [u8; 2] = [128, 0x10];
    // Accuracy 5, and two symbols that share its 32 states.
    const FSE: [u8; 2] = [0x10, 0x3F];
    const REPEAT_OFFSETS: [u32; 3] = [1, 4, 8];
    let mut bytes = Vec::with_capacity(content.len() + 64);
    bytes.extend(DICTIONARY_MAGIC_NUMBER.to_le_bytes());
    bytes.extend(HELD_ID.to_le_bytes());
    bytes.extend(HUFFMAN);
    for _ in ["offsets", "match lengths", "literal lengths"] {
        bytes.extend(FSE);
    }
    bytes.extend(REPEAT_OFFSETS.iter().flat_map(|offset| offset.to_le_bytes()));
    bytes.extend(content);
    bytes
}

#[cfg(test)]
mod tests {
    use super::{Dictionary, HELD_ID, parse};

    #[test]
    fn raw_content_reaches_ruzstd_whole() {
        for content in [&b""[..], b"a", b"the content of a dictionary"] {
            let parsed = parse(&Dictionary::raw(content)).unwrap();
            assert_eq!(parsed.id, HELD_ID);
            assert_eq!(parsed.dict_content, content);
            assert_eq!(parsed.offset_hist, [1, 4, 8]);
        }
    }

    #[test]
    fn formatted_dictionaries_that_are_none_are_refused() {
        for bytes in [&b"\x37\xA4\x30\xEC"[..], b"\x37\xA4\x30\xEC\0\0\0\0", b"\x37\xA4\x30\xEC\x01\0\0\0\x10\x01"] {
            assert!(Dictionary::new(bytes).is_err(), "{bytes:02x?}");
        }
    }
}
