//! What the tests share: bytes of frames, walks, the corpus, and other tools.

pub mod bytes;
pub mod corpus;
pub mod vectors;
pub mod walk;
pub mod zstd;

use std::path::PathBuf;

/// The workspace's folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}
