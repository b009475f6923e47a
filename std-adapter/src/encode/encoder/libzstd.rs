//! libzstd, in C, for those who accept it.

use std::fmt;
use std::io::Cursor;

use zstd_safe::{CCtx, CParameter, get_error_name};

use super::tables::{memory_of_level, window_log};
use super::{Encoder, EncoderError};

/// libzstd, through the [`zstd-safe`](https://docs.rs/zstd-safe) crate, as an encoder.
pub struct Libzstd {
    /// It keeps its tables from frame to frame.
    context: CCtx<'static>,
    level: i32,
}

impl fmt::Debug for Libzstd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Libzstd").field("level", &self.level).finish_non_exhaustive()
    }
}

impl Libzstd {
    /// An encoder of this level, from -131072 to 22 (0 is 3), for content of up to `content_size` bytes: windows cover
    /// all of it.
    ///
    /// # Errors
    /// No memory, a level that there is not, or content of more than 2 GiB.
    pub fn new(level: i32, checksum: bool, content_size: usize) -> Result<Self, EncoderError> {
        let mut context = CCtx::try_create().ok_or_else(|| EncoderError::new("no memory for a context"))?;
        for parameter in [
            CParameter::CompressionLevel(level),
            CParameter::WindowLog(window_log(content_size)),
            CParameter::ChecksumFlag(checksum),
        ] {
            context.set_parameter(parameter).map_err(named)?;
        }
        Ok(Self { context, level })
    }
}

impl Encoder for Libzstd {
    fn name(&self) -> &'static str {
        "libzstd"
    }

    fn encode(&mut self, content: &[u8], frame: &mut Vec<u8>) -> Result<(), EncoderError> {
        let end = frame.len() as u64;
        let mut room = Cursor::new(std::mem::take(frame));
        room.set_position(end);
        let result = self.context.compress2(&mut room, content);
        *frame = room.into_inner();
        result.map(|_| ()).map_err(named)
    }

    /// The level's tables, and what goes with a block.
    fn memory(&self, content_size: u64) -> u64 {
        memory_of_level(self.level, content_size)
    }
}

fn named(code: zstd_safe::ErrorCode) -> EncoderError {
    EncoderError::new(get_error_name(code))
}

#[cfg(test)]
mod tests {
    use super::{Encoder, Libzstd};
    use crate::encode::encoder::max_frame_size;

    /// C allocates where no allocator of Rust's counts, so it is asked.
    #[test]
    fn a_context_takes_no_more_memory_than_it_says() {
        for content_size in [1 << 10, 100 << 10, 200 << 10, 1 << 20, 8 << 20] {
            // Bytes of a few bits each that come in no order.
            let content: Vec<u8> = (0..content_size as u64).map(|n| (n * n / 7).to_le_bytes()[1] >> 3).collect();
            // Tables are taken whole whatever the content, so the levels that search longest get little of it.
            for level in (-5..=22).chain([-131_072]) {
                let content = if level > 5 { &content[..content_size.min(300 << 10)] } else { &content[..] };
                let mut encoder = Libzstd::new(level, true, content_size).unwrap();
                let mut frame = Vec::with_capacity(max_frame_size(content.len()));
                encoder.encode(content, &mut frame).unwrap();
                let (taken, promised) = (encoder.context.sizeof() as u64, encoder.memory(content.len() as u64));
                assert!(taken <= promised, "level {level}, {content_size} bytes: {taken} of {promised}");
            }
        }
    }
}
