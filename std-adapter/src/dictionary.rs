//! Dictionaries (RFC 8878, 5): formatted ones, which have an id and tables, and raw content.

use std::fmt;
use std::sync::Arc;

use zvet_core::consts::DICTIONARY_MAGIC_NUMBER;

/// A dictionary that frames may name, or be decoded with. Clones are cheap.
#[derive(Clone, PartialEq, Eq)]
pub struct Dictionary {
    id: Option<u32>,
    bytes: Arc<[u8]>,
}

impl Dictionary {
    /// A dictionary from the bytes of its file: formatted where they begin with the magic number, else raw content.
    ///
    /// # Errors
    /// [`DictionaryError`] for a formatted dictionary that is not one.
    pub fn new(bytes: &[u8]) -> Result<Self, DictionaryError> {
        let Some((magic, rest)) = bytes.split_first_chunk::<4>() else { return Ok(Self::raw(bytes)) };
        if u32::from_le_bytes(*magic) != DICTIONARY_MAGIC_NUMBER {
            return Ok(Self::raw(bytes));
        }
        let id = rest.first_chunk().map(|&id| u32::from_le_bytes(id)).ok_or(DictionaryError::Truncated)?;
        if id == 0 {
            return Err(DictionaryError::ZeroId);
        }
        let dictionary = Self { id: Some(id), bytes: bytes.into() };
        crate::engine::ruzstd::check_dictionary(&dictionary)?;
        Ok(dictionary)
    }

    /// A dictionary that is nothing but content, whatever it begins with.
    #[must_use]
    pub fn raw(bytes: &[u8]) -> Self {
        Self { id: None, bytes: bytes.into() }
    }

    /// `Dictionary_ID`; `None` for raw content.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// The bytes as they were given.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dictionary").field("id", &self.id).field("size", &self.bytes.len()).finish()
    }
}

/// Why a formatted dictionary is none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DictionaryError {
    /// It ends before its id.
    Truncated,
    /// Its id is 0, which means none.
    ZeroId,
    /// Its tables or offsets are not valid.
    Malformed(String),
}

impl fmt::Display for DictionaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("the dictionary ends before its id"),
            Self::ZeroId => f.write_str("the dictionary has the id 0, which means none"),
            Self::Malformed(why) => write!(f, "the dictionary is malformed: {why}"),
        }
    }
}

impl std::error::Error for DictionaryError {}
