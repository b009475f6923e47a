//! mzstd: zstd 1.5.7's encoder in safe Rust, byte for byte.

use std::fmt;

use mzstd::{CompressionParams, Compressor, EncoderConfig, Level};

use super::tables::{memory_of_level, window_log};
use super::{Encoder, EncoderError};

/// The [`mzstd`](https://docs.rs/mzstd) crate as an encoder.
pub struct Mzstd {
    /// It keeps its tables from frame to frame.
    compressor: Compressor,
}

impl fmt::Debug for Mzstd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mzstd").field("config", self.compressor.config()).finish_non_exhaustive()
    }
}

impl Mzstd {
    /// An encoder of this level, from -131072 to 22 (0 is 3), for content of up to `content_size` bytes: windows cover
    /// all of it.
    ///
    /// # Errors
    /// A level that there is not, or content of more than 2 GiB.
    pub fn new(level: i32, checksum: bool, content_size: usize) -> Result<Self, EncoderError> {
        let params = CompressionParams::default().with_window_log(window_log(content_size));
        let level = Level::try_from(level).map_err(EncoderError::new)?;
        let config = EncoderConfig::new().with_level(level).with_checksum(checksum).with_params(params);
        Ok(Self { compressor: Compressor::new(config).map_err(EncoderError::new)? })
    }
}

impl Encoder for Mzstd {
    fn name(&self) -> &'static str {
        "mzstd"
    }

    fn encode(&mut self, content: &[u8], frame: &mut Vec<u8>) -> Result<(), EncoderError> {
        self.compressor.compress_into(content, frame).map_err(EncoderError::new)?;
        Ok(())
    }

    /// The level's tables, and what goes with a block.
    fn memory(&self, content_size: u64) -> u64 {
        memory_of_level(self.compressor.config().level().get(), content_size)
    }
}
