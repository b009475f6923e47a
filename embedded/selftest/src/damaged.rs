//! Streams of the corpus with bytes changed.

use core::fmt::Write;

use zvet_core::Limits;
use zvet_embedded::check::{self, Index};

use crate::Memory;
use crate::corpus::CASES;

/// Larger streams are left out.
pub(crate) const SIZE_MAX: usize = 16 << 10;
/// How often each one is damaged.
const TIMES: u32 = 24;

/// Checks damaged streams, whole and in pieces, which must say the same; returns how many they are, and a digest of all
/// that was said.
pub(crate) fn digest(memory: &mut Memory) -> (u32, u64) {
    let Memory { workspace, block, stream } = memory;
    let mut random = Random(0x5EED);
    let mut digest = Digest(0xCBF2_9CE4_8422_2325);
    let mut streams = 0;
    for case in CASES.iter().filter(|case| (1..=SIZE_MAX).contains(&case.stream.len())) {
        for _ in 0..TIMES {
            let stream = &mut stream[..case.stream.len()];
            stream.copy_from_slice(case.stream);
            for _ in 0..=random.below(3) {
                let at = random.below(stream.len());
                stream[at] = random.below(256).to_le_bytes()[0];
            }
            let stream = &stream[..stream.len() - if random.below(4) == 0 { random.below(stream.len()) } else { 0 }];
            let size = 1 + random.below(stream.len());

            let mut index = Index::new();
            let envelope = check::envelope([stream], Limits::SNAPSHOT, &mut index);
            let mut cut = Index::new();
            assert_eq!(check::envelope(stream.chunks(size), Limits::SNAPSHOT, &mut cut), envelope);
            assert_eq!(cut.entries(), index.entries());

            let mut exact = Index::new();
            let entropy = check::entropy([stream], Limits::SNAPSHOT, workspace, block, &mut exact);
            let mut cut = Index::new();
            assert_eq!(check::entropy(stream.chunks(size), Limits::SNAPSHOT, workspace, block, &mut cut), entropy);
            assert_eq!(cut.entries(), exact.entries());

            // All that there is to know of them is in what is written for people to debug.
            let _ = write!(digest, "{envelope:?} {index:?} {entropy:?} {exact:?}");
            streams += 1;
        }
    }
    (streams, digest.0)
}

/// FNV-1a.
struct Digest(u64);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
        Ok(())
    }
}

/// xorshift.
struct Random(u32);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as usize % end
    }
}
