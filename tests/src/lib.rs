//! What the tests and the fuzz targets share: bytes of frames, walks, the corpus, other tools, and what must hold.

pub mod bytes;
pub mod compare;
pub mod corpus;
pub mod cut;
pub mod data;
pub mod decode;
pub mod driver;
pub mod inside;
pub mod libzstd;
pub mod mix;
pub mod model;
pub mod offset_codes;
pub mod properties;
pub mod vectors;
pub mod walk;
pub mod zstd;

use std::path::PathBuf;

/// The workspace's folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}
