//! Dictionaries (RFC 8878, 5): formatted ones, which have an id and tables, and raw content.

use std::fmt;
use std::sync::Arc;

use zvet_core::entropy::{self, DictionaryShape, Workspace};
use zvet_core::{ErrorKind, FrameHeader};

/// A dictionary that frames may name, or be decoded with. Clones are cheap.
#[derive(Clone, PartialEq, Eq)]
pub struct Dictionary {
    bytes: Arc<[u8]>,
    shape: DictionaryShape,
    id: Option<u32>,
}

impl Dictionary {
    /// A dictionary from the bytes of its file: formatted where they begin with the magic number, else raw content.
    ///
    /// # Errors
    /// [`DictionaryError`] for a formatted dictionary that is not one.
    pub fn new(bytes: &[u8]) -> Result<Self, DictionaryError> {
        let parsed = entropy::Dictionary::parse(bytes, &mut Workspace::new()).map_err(DictionaryError::Malformed)?;
        let dictionary = Self { bytes: bytes.into(), shape: parsed.shape(), id: parsed.id() };
        crate::engine::ruzstd::check_dictionary(&dictionary)?;
        Ok(dictionary)
    }

    /// A dictionary that is nothing but content, whatever it begins with.
    #[must_use]
    pub fn raw(bytes: &[u8]) -> Self {
        Self { bytes: bytes.into(), shape: entropy::Dictionary::raw(bytes).shape(), id: None }
    }

    /// Whether it is a clone of the other.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.bytes, &other.bytes)
    }

    fn view(&self) -> entropy::Dictionary<'_> {
        entropy::Dictionary::of_shape(&self.bytes, self.shape)
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
        f.debug_struct("Dictionary").field("id", &self.id).field("size", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// The dictionaries of [`Settings`](crate::Settings), as the core asks for them.
#[derive(Clone, Debug, Default)]
pub(crate) struct AtHand(pub(crate) Vec<Dictionary>);

impl AtHand {
    /// The dictionary that a frame is decoded with: that which it names, or for a frame that names none, the first.
    pub(crate) fn for_frame(&self, header: &FrameHeader) -> Option<&Dictionary> {
        match header.dictionary_id() {
            Some(id) => self.0.iter().find(|dictionary| dictionary.id() == Some(id)),
            None => self.0.first(),
        }
    }
}

impl entropy::Dictionaries for AtHand {
    fn for_frame(&self, header: &FrameHeader) -> Option<entropy::Dictionary<'_>> {
        self.for_frame(header).map(Dictionary::view)
    }
}

/// Why a formatted dictionary is none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DictionaryError {
    /// Its id, tables or offsets are not valid.
    Malformed(ErrorKind),
    /// It is valid, and the engine does not take it.
    Engine(String),
}

impl fmt::Display for DictionaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(kind) => write!(f, "the dictionary is malformed: {kind} ({})", kind.rule()),
            Self::Engine(why) => write!(f, "the dictionary is valid, but ruzstd does not take it: {why}"),
        }
    }
}

impl std::error::Error for DictionaryError {}
