//! The dictionaries at hand.

use zvet_core::FrameHeader;
use zvet_core::entropy::{self, Dictionary};

/// How many there may be.
pub(crate) const DICTIONARIES_MAX: usize = 16;

/// Dictionaries whose bytes lie beside the module's own memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dictionaries {
    dictionaries: [Option<Dictionary<'static>>; DICTIONARIES_MAX],
    count: usize,
}

impl Dictionaries {
    pub(crate) const NONE: Self = Self { dictionaries: [None; DICTIONARIES_MAX], count: 0 };

    /// Adds one, and says whether there was room.
    pub(crate) fn add(&mut self, dictionary: Dictionary<'static>) -> bool {
        let Some(place) = self.dictionaries.get_mut(self.count) else { return false };
        *place = Some(dictionary);
        self.count += 1;
        true
    }

    pub(crate) fn ids(&self) -> Ids {
        let mut ids = Ids { ids: [0; DICTIONARIES_MAX], count: 0 };
        let known = self.dictionaries.iter().flatten().filter_map(Dictionary::id);
        for (place, id) in ids.ids.iter_mut().zip(known) {
            *place = id;
            ids.count += 1;
        }
        ids
    }
}

impl entropy::Dictionaries for Dictionaries {
    fn for_frame(&self, header: &FrameHeader) -> Option<Dictionary<'_>> {
        let mut dictionaries = self.dictionaries.iter().flatten();
        match header.dictionary_id() {
            Some(id) => dictionaries.find(|dictionary| dictionary.id() == Some(id)).copied(),
            None => dictionaries.next().copied(),
        }
    }
}

/// The ids of dictionaries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids {
    ids: [u32; DICTIONARIES_MAX],
    count: usize,
}

impl AsRef<[u32]> for Ids {
    fn as_ref(&self) -> &[u32] {
        self.ids.get(..self.count).unwrap_or_default()
    }
}
