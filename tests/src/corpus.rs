//! The corpus and what is expected of it.

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

/// A line of `corpus/MANIFEST.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub path: String,
    pub made: String,
    pub envelope: String,
    pub content: String,
    pub rule: Option<String>,
    pub offset: Option<u64>,
    pub frame: Option<u64>,
    pub block: Option<u64>,
    pub decoded_size: Option<u64>,
    pub sha256: Option<String>,
    pub dictionary: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Manifest {
    file: Vec<Case>,
}

/// The corpus' folder.
pub fn folder() -> PathBuf {
    crate::root().join("corpus")
}

/// All cases of the corpus.
pub fn cases() -> Vec<Case> {
    let text = fs::read_to_string(folder().join("MANIFEST.toml")).unwrap();
    toml::from_str::<Manifest>(&text).unwrap().file
}

impl Case {
    /// The file's bytes.
    pub fn bytes(&self) -> Vec<u8> {
        fs::read(folder().join(&self.path)).unwrap_or_else(|error| panic!("{}: {error}", self.path))
    }

    /// The dictionary's bytes.
    pub fn dictionary(&self) -> Option<Vec<u8>> {
        self.dictionary.as_ref().map(|path| fs::read(folder().join(path)).unwrap())
    }
}
