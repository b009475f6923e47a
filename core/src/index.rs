//! A frame index of fixed capacity, for targets without a heap.

use core::fmt;

use crate::{Event, SizeRange};

/// One frame of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// Where it begins.
    pub offset: u64,
    /// Its size in the stream.
    pub compressed_size: u64,
    /// What it decodes to; exactly 0 for a skippable frame.
    pub decoded_size: SizeRange,
    /// Whether it is a skippable frame.
    pub skippable: bool,
}

/// The index has no room for a frame. Frames before it are kept, and the count goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexFull {
    /// How many frames the index holds.
    pub capacity: usize,
    /// How many frames had no room so far, this one included.
    pub missed: u64,
}

impl fmt::Display for IndexFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the index holds {} frames, and {} more had no room", self.capacity, self.missed)
    }
}

impl core::error::Error for IndexFull {}

/// The first `N` frames of a stream, and how many more there were.
///
/// ```
/// use zvet_core::{FrameIndex, Walker};
///
/// let stream = *b"\x50\x2a\x4d\x18\x00\x00\x00\x00\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00";
/// let mut walker = Walker::new();
/// let mut index = FrameIndex::<8>::new();
/// let mut at = 0;
/// while let (consumed, Some(event)) = { let step = walker.push(&stream[at..])?; (step.consumed, step.event) } {
///     at += consumed;
///     index.record(&event)?;
/// }
/// walker.finish()?;
/// assert_eq!(index.entries().len(), 2);
/// assert_eq!(index.entries()[1].offset, 8);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FrameIndex<const N: usize> {
    entries: heapless::Vec<IndexEntry, N>,
    missed: u64,
}

impl<const N: usize> FrameIndex<N> {
    /// An index of no frames.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: heapless::Vec::new(), missed: 0 }
    }

    /// Enters the frame that an event ends; other events are ignored.
    ///
    /// # Errors
    /// [`IndexFull`] for every frame past the capacity.
    pub fn record(&mut self, event: &Event) -> Result<(), IndexFull> {
        let entry = match event {
            Event::FrameEnd(frame) => IndexEntry {
                offset: frame.offset,
                compressed_size: frame.compressed_size,
                decoded_size: frame.decoded_size(),
                skippable: false,
            },
            Event::SkippableEnd(frame) => IndexEntry {
                offset: frame.offset,
                compressed_size: frame.compressed_size(),
                decoded_size: SizeRange::exactly(0),
                skippable: true,
            },
            _ => return Ok(()),
        };
        self.entries.push(entry).map_err(|_| {
            self.missed = self.missed.saturating_add(1);
            IndexFull { capacity: N, missed: self.missed }
        })
    }

    /// The frames, in the order of the stream.
    #[must_use]
    pub fn entries(&self) -> &[IndexEntry] {
        &self.entries
    }

    /// How many frames had no room.
    #[must_use]
    pub const fn missed(&self) -> u64 {
        self.missed
    }

    /// Whether every frame that was recorded is there.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.missed == 0
    }
}
