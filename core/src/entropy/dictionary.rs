//! Dictionaries (RFC 8878, 5), as far as checking needs them: tables, repeat offsets and the size of the content.

use super::block::Workspace;
use super::history::REPEAT_OFFSETS;
use crate::consts::DICTIONARY_MAGIC_NUMBER;
use crate::{ErrorKind, FrameHeader};

/// A dictionary, borrowed from the bytes of its file.
#[derive(Clone, Copy, Debug)]
pub struct Dictionary<'a> {
    id: Option<u32>,
    /// The Huffman tree and what follows it; empty for raw content.
    tables: &'a [u8],
    repeat_offsets: [u32; 3],
    content_size: u64,
}

/// What there is to know of a dictionary besides its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DictionaryShape {
    id: Option<u32>,
    repeat_offsets: [u32; 3],
    content_size: u64,
}

/// Magic number and id.
const HEADER_SIZE: usize = 8;

impl<'a> Dictionary<'a> {
    /// Content alone, whatever it begins with.
    #[must_use]
    pub const fn raw(bytes: &'a [u8]) -> Self {
        Self { id: None, tables: &[], repeat_offsets: [1, 4, 8], content_size: bytes.len() as u64 }
    }

    /// Parses a dictionary: formatted where it begins with the magic number, else raw content. The workspace is used and
    /// left as it comes.
    ///
    /// # Errors
    /// K03, or what is wrong with its tables.
    pub fn parse(bytes: &'a [u8], workspace: &mut Workspace) -> Result<Self, ErrorKind> {
        let Some((magic, rest)) = bytes.split_first_chunk::<4>() else { return Ok(Self::raw(bytes)) };
        if u32::from_le_bytes(*magic) != DICTIONARY_MAGIC_NUMBER {
            return Ok(Self::raw(bytes));
        }
        let id = rest.first_chunk().map_or(0, |&id| u32::from_le_bytes(id));
        if id == 0 {
            return Err(ErrorKind::Dictionary);
        }
        let tables = bytes.get(HEADER_SIZE..).ok_or(ErrorKind::Dictionary)?;
        let tables_size = workspace.read_dictionary(tables)?;
        let (offsets, content) =
            tables.get(tables_size..).and_then(<[u8]>::split_first_chunk::<12>).ok_or(ErrorKind::Dictionary)?;
        let mut repeat_offsets = [0; 3];
        for (to, from) in repeat_offsets.iter_mut().zip(offsets.as_chunks::<4>().0) {
            *to = u32::from_le_bytes(*from);
        }
        let content_size = content.len() as u64;
        let in_reach = |&offset: &u32| offset > 0 && u64::from(offset) <= content_size;
        if !repeat_offsets.iter().all(in_reach) {
            return Err(ErrorKind::Dictionary);
        }
        Ok(Self { id: Some(id), tables, repeat_offsets, content_size })
    }

    /// `Dictionary_ID`; `None` for raw content.
    #[must_use]
    pub const fn id(&self) -> Option<u32> {
        self.id
    }

    /// What parsing found, to view the same bytes as a dictionary again without parsing them.
    #[must_use]
    pub const fn shape(&self) -> DictionaryShape {
        DictionaryShape { id: self.id, repeat_offsets: self.repeat_offsets, content_size: self.content_size }
    }

    /// The dictionary of this shape, in the bytes that it was found in. In others it is a dictionary that is none.
    #[must_use]
    pub fn of_shape(bytes: &'a [u8], shape: DictionaryShape) -> Self {
        let DictionaryShape { id, repeat_offsets, content_size } = shape;
        let tables = if id.is_some() { bytes.get(HEADER_SIZE..).unwrap_or_default() } else { &[] };
        Self { id, tables, repeat_offsets, content_size }
    }

    pub(super) const fn tables(&self) -> &'a [u8] {
        self.tables
    }

    pub(super) const fn content_size(&self) -> u64 {
        self.content_size
    }

    pub(super) fn repeat_offsets(&self) -> [u64; 3] {
        if self.id.is_some() { self.repeat_offsets.map(u64::from) } else { REPEAT_OFFSETS }
    }
}

/// The dictionaries at hand.
pub trait Dictionaries {
    /// The one that a frame is decoded with: that which it names, or for a frame that names none, the first.
    fn for_frame(&self, header: &FrameHeader) -> Option<Dictionary<'_>>;
}

/// None.
impl Dictionaries for () {
    fn for_frame(&self, _header: &FrameHeader) -> Option<Dictionary<'_>> {
        None
    }
}

impl Dictionaries for &[Dictionary<'_>] {
    fn for_frame(&self, header: &FrameHeader) -> Option<Dictionary<'_>> {
        match header.dictionary_id() {
            Some(id) => self.iter().find(|dictionary| dictionary.id == Some(id)).copied(),
            None => self.first().copied(),
        }
    }
}
