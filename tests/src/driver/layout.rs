//! The layout of a frame that was made by a compressor, read apart from zvet.

use zvet::Bounds;

/// What decides how a frame is decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    window: u64,
    blocks: u64,
}

impl Layout {
    /// That of a valid frame.
    pub(super) fn of(frame: &[u8], content_size: u64) -> Self {
        let descriptor = frame[4];
        let single_segment = descriptor & 0x20 != 0;
        let window = if single_segment {
            content_size
        } else {
            let base = 1u64 << (10 + (frame[5] >> 3));
            base + base / 8 * u64::from(frame[5] & 7)
        };
        let dictionary_id = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let content_size = [usize::from(single_segment), 2, 4, 8][usize::from(descriptor >> 6)];
        let mut at = 5 + usize::from(!single_segment) + dictionary_id + content_size;
        let mut blocks = 0;
        loop {
            let header = u32::from_le_bytes([frame[at], frame[at + 1], frame[at + 2], 0]);
            blocks += 1;
            at += 3 + if header >> 1 & 3 == 1 { 1 } else { header as usize >> 3 };
            if header & 1 == 1 {
                return Self { window, blocks };
            }
        }
    }

    /// The bounds that a frame is over, by their names in `Reason`: none where it may be decoded beside others.
    pub(super) fn over(self, bounds: &Bounds, compressed_size: u64, content_size: u64) -> Vec<&'static str> {
        [
            ("window", self.window > bounds.window),
            ("output", content_size > bounds.output),
            ("input", compressed_size > bounds.input),
            ("blocks", self.blocks > bounds.blocks),
        ]
        .into_iter()
        .filter_map(|(name, over)| over.then_some(name))
        .collect()
    }
}
