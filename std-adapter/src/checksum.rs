//! `Content_Checksum` (RFC 8878, 3.1.1): the low 32 bits of XXH64 with seed 0 over a frame's content.

use std::fmt;
use std::hash::Hasher;

use twox_hash::XxHash64;

/// The checksum of content that comes in pieces.
pub(crate) struct ContentChecksum(XxHash64);

impl ContentChecksum {
    pub(crate) fn new() -> Self {
        Self(XxHash64::with_seed(0))
    }

    pub(crate) fn update(&mut self, content: &[u8]) {
        self.0.write(content);
    }

    #[expect(clippy::cast_possible_truncation, reason = "the format keeps the low half")]
    pub(crate) fn finish(&self) -> u32 {
        self.0.finish() as u32
    }
}

impl fmt::Debug for ContentChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentChecksum({:08x})", self.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::ContentChecksum;

    #[test]
    fn f10_checksum_of_no_content_is_the_one_that_encoders_write() {
        assert_eq!(ContentChecksum::new().finish().to_le_bytes(), [0x99, 0xE9, 0xD8, 0x51]);
    }

    #[test]
    fn f10_checksum_does_not_depend_on_pieces() {
        let content: Vec<u8> = (0..1000u32).flat_map(u32::to_le_bytes).collect();
        let mut whole = ContentChecksum::new();
        whole.update(&content);
        let mut pieces = ContentChecksum::new();
        content.chunks(7).for_each(|piece| pieces.update(piece));
        assert_eq!(whole.finish(), pieces.finish());
    }
}
