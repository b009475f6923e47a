//! Frame headers for engines that take no window over 2 GiB, or 1 GiB where addresses have 32 bits.

use std::io::Read;

use zvet_core::FrameHeader;
use zvet_core::consts::{FRAME_HEADER_SIZE_MAX, MAGIC_SIZE};

use super::EngineError;

/// What libzstd has for its largest window (`ZSTD_WINDOWLOG_MAX`).
pub(super) const WINDOW_LOG_MAX: u8 = if usize::BITS > 32 { 31 } else { 30 };
/// The largest window that libzstd, and what follows it, takes.
pub(super) const WINDOW_MAX: u64 = 1 << WINDOW_LOG_MAX;
/// `Window_Descriptor` of that window.
const DESCRIPTOR: u8 = (WINDOW_LOG_MAX - 10) << 3;

/// Reads a frame's header into `bytes`, and returns how much of them an engine is to be given for it: of a window over
/// [`WINDOW_MAX`], a header that asks for that one and declares nothing else. What such a frame really refers to is seldom
/// that far.
pub(super) fn read(
    header: &FrameHeader,
    input: &mut dyn Read,
    bytes: &mut [u8; FRAME_HEADER_SIZE_MAX],
) -> Result<usize, EngineError> {
    let size = header.header_size();
    input.read_exact(&mut bytes[..size]).map_err(EngineError::Input)?;
    if header.window_size() <= WINDOW_MAX {
        return Ok(size);
    }
    bytes[MAGIC_SIZE] = 0;
    bytes[MAGIC_SIZE + 1] = DESCRIPTOR;
    Ok(MAGIC_SIZE + 2)
}
