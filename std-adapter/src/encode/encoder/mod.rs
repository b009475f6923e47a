//! What encodes. An encoder is not trusted with the shape of its frames: zvet walks over each before it is written.

use std::fmt;

#[cfg(feature = "libzstd")]
mod libzstd;
#[cfg(feature = "mzstd")]
mod mzstd;
mod ruzstd;
#[cfg(any(feature = "mzstd", feature = "libzstd"))]
mod tables;

#[cfg(feature = "libzstd")]
pub use self::libzstd::Libzstd;
#[cfg(feature = "mzstd")]
pub use self::mzstd::Mzstd;
pub use self::ruzstd::Ruzstd;

/// An encoder of single frames. One is made for each worker, and used for one frame after the other.
///
/// What zvet does around it: each frame must be a single segment that declares the size of its content, with a checksum
/// where one is asked for, in [`max_frame_size`] bytes; a panic becomes an error; an encoder that failed is dropped.
pub trait Encoder: Send {
    /// Its name, for messages.
    fn name(&self) -> &'static str;

    /// Appends a frame of all of `content` to `frame`, which has room for [`max_frame_size`] bytes.
    ///
    /// # Errors
    /// [`EncoderError`].
    fn encode(&mut self, content: &[u8], frame: &mut Vec<u8>) -> Result<(), EncoderError>;

    /// The most memory, in bytes, that it takes for content of up to this size, besides content and frame.
    fn memory(&self, content_size: u64) -> u64;
}

impl fmt::Debug for dyn Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The size, in bytes, of the largest frame that an encoder may make of content of this size: a 256th more, and 64
/// bytes. An encoder that stores what it cannot compress stays below.
#[must_use]
pub const fn max_frame_size(content_size: usize) -> usize {
    content_size.saturating_add(content_size / 256).saturating_add(64)
}

/// Why an encoder stopped, in its own words.
#[derive(Debug)]
pub struct EncoderError(String);

impl EncoderError {
    /// An error of this message.
    pub fn new(message: impl fmt::Display) -> Self {
        Self(message.to_string())
    }
}

impl fmt::Display for EncoderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EncoderError {}
