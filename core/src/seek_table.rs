//! The seek table of the seekable format (`contrib/seekable_format` of facebook/zstd, version 0.1.0): what it says of a
//! stream, and whether that is so.
//!
//! The table is the content of a skippable frame at the end of the stream. Decoders skip it, so a stream whose table is wrong
//! may well be valid: what is wrong with a table is a [`SeekTableError`] and not an [`Error`](crate::Error).

use core::fmt;

use crate::consts::SKIPPABLE_HEADER_SIZE;
use crate::{Event, Magic, SizeRange, Status};

/// `Seekable_Magic_Number`, the last four bytes of a table and of its stream.
pub const SEEKABLE_MAGIC_NUMBER: u32 = 0x8F92_EAB1;

/// Size of `Seek_Table_Footer`.
pub const SEEK_TABLE_FOOTER_SIZE: usize = 9;

/// Which of the magic numbers of skippable frames a table has: 0x184D2A5E.
pub const SEEK_TABLE_VARIANT: u8 = 0xE;

const CHECKSUM_FLAG: u8 = 1 << 7;
const RESERVED_BITS: u8 = 0b0111_1100;
const ENTRY_SIZE: usize = 8;
const CHECKED_ENTRY_SIZE: usize = 12;

/// A seek table, in bytes that are borrowed.
///
/// ```
/// use zvet_core::{Event, SeekAudit, SeekTable, Status, Walker};
///
/// let stream = b"\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x00hello, world\
///     \x5e\x2a\x4d\x18\x11\x00\x00\x00\x15\x00\x00\x00\x0c\x00\x00\x00\x01\x00\x00\x00\x00\xb1\xea\x92\x8f";
/// // What is read from the end of a file may be too little at first.
/// let Status::Partial { needed } = SeekTable::find(&stream[stream.len() - 9..])? else { unreachable!() };
/// let Status::Complete(table) = SeekTable::find(&stream[stream.len() - needed..])? else { unreachable!() };
/// let entry = table.entries().find(|entry| entry.contains(7)).unwrap();
/// assert_eq!((entry.offset, entry.compressed_size, entry.decoded_offset), (0, 21, 0));
///
/// let (mut walker, mut audit, mut rest) = (Walker::new(), SeekAudit::new(table), &stream[..]);
/// while let (consumed, Some(event)) = { let step = walker.push(rest)?; (step.consumed, step.event) } {
///     rest = &rest[consumed..];
///     audit.observe(&event)?;
/// }
/// audit.finish()?;
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeekTable<'a> {
    entries: &'a [u8],
    checksums: bool,
}

/// A frame as a seek table has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeekEntry {
    /// Which frame of the stream, counted from 0, skippable ones included.
    pub index: u32,
    /// Where the frame begins: the sum of the compressed sizes before.
    pub offset: u64,
    /// `Compressed_Size`, the size of the whole frame in the stream.
    pub compressed_size: u32,
    /// Where its content begins in that of the stream: the sum of the decompressed sizes before.
    pub decoded_offset: u64,
    /// `Decompressed_Size`; 0 for a skippable frame.
    pub decoded_size: u32,
    /// `Checksum`, the low half of the XXH64 of the frame's content.
    pub checksum: Option<u32>,
}

impl SeekEntry {
    /// Whether the byte at this offset of the stream's content is the frame's.
    #[must_use]
    pub const fn contains(&self, decoded_offset: u64) -> bool {
        match decoded_offset.checked_sub(self.decoded_offset) {
            Some(inside) => inside < self.decoded_size as u64,
            None => false,
        }
    }
}

/// What is wrong with a seek table. The ids of its rules begin with T.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SeekTableError {
    /// T01: the bytes do not end with a footer that has the magic number.
    NoFooter,
    /// T02: reserved bits of the descriptor are set.
    ReservedBits {
        /// `Seek_Table_Descriptor`.
        descriptor: u8,
    },
    /// T03: the entries and the footer are not what the table's frame holds.
    TableSize {
        /// `Number_Of_Frames`.
        frames: u32,
        /// What so many entries and the footer take, in bytes.
        expected: u64,
        /// What there is.
        found: u64,
    },
    /// T04: no header of a skippable frame with the magic number of tables is before the entries.
    NoFrame,
    /// T05: an entry is not about the frame that there is.
    EntryFrame {
        /// The entry.
        entry: SeekEntry,
        /// Where the frame begins.
        offset: u64,
        /// The frame's size in the stream.
        compressed_size: u64,
    },
    /// T06: a frame does not decode to the size that its entry says.
    EntryDecodedSize {
        /// The entry.
        entry: SeekEntry,
        /// What the frame decodes to.
        decoded_size: SizeRange,
    },
    /// T07: a frame without an entry, or an entry without a frame.
    FrameCount {
        /// Frames of the stream, as far as they were seen, without that of the table.
        frames: u64,
        /// Entries.
        entries: u64,
    },
    /// T08: the table is not the last frame of the stream.
    NotLast,
}

impl SeekTableError {
    /// The stable id of the rule.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::NoFooter => "T01",
            Self::ReservedBits { .. } => "T02",
            Self::TableSize { .. } => "T03",
            Self::NoFrame => "T04",
            Self::EntryFrame { .. } => "T05",
            Self::EntryDecodedSize { .. } => "T06",
            Self::FrameCount { .. } => "T07",
            Self::NotLast => "T08",
        }
    }
}

/// `frame 3 decodes to 10 bytes, and its entry says 11 (T06)`.
impl fmt::Display for SeekTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NoFooter => f.write_str("no seek table: the footer or its magic number is missing"),
            Self::ReservedBits { descriptor } => write!(f, "reserved bits of the descriptor {descriptor:#04x} are set"),
            Self::TableSize { frames, expected, found } => {
                write!(f, "a seek table of {frames} frames takes {expected} bytes, and there are {found}")
            }
            Self::NoFrame => f.write_str("no skippable frame of a seek table begins where this one must"),
            Self::EntryFrame { entry, offset, compressed_size } => write!(
                f,
                "frame {} begins at byte {offset} and has {compressed_size} bytes, and its entry says {} and {}",
                entry.index, entry.offset, entry.compressed_size
            ),
            Self::EntryDecodedSize { entry, decoded_size } => write!(
                f,
                "frame {} decodes to {decoded_size} bytes, and its entry says {}",
                entry.index, entry.decoded_size
            ),
            Self::FrameCount { frames, entries } => {
                write!(f, "the stream has {frames} frames so far, and the seek table {entries} entries")
            }
            Self::NotLast => f.write_str("the seek table is not the last frame of the stream"),
        }?;
        write!(f, " ({})", self.rule())
    }
}

impl core::error::Error for SeekTableError {}

/// `Seek_Table_Footer`.
#[derive(Clone, Copy)]
struct Footer {
    frames: u32,
    checksums: bool,
}

impl Footer {
    fn parse(table: &[u8]) -> Result<Self, SeekTableError> {
        let &[f0, f1, f2, f3, descriptor, ref magic @ ..] =
            table.last_chunk::<SEEK_TABLE_FOOTER_SIZE>().ok_or(SeekTableError::NoFooter)?;
        if u32::from_le_bytes(*magic) != SEEKABLE_MAGIC_NUMBER {
            return Err(SeekTableError::NoFooter);
        }
        if descriptor & RESERVED_BITS != 0 {
            return Err(SeekTableError::ReservedBits { descriptor });
        }
        Ok(Self { frames: u32::from_le_bytes([f0, f1, f2, f3]), checksums: descriptor & CHECKSUM_FLAG != 0 })
    }

    /// Size of entries and footer.
    #[expect(clippy::arithmetic_side_effects, reason = "2^32 entries of 12 bytes are far below 2^64")]
    const fn table_size(self) -> u64 {
        self.frames as u64 * entry_size(self.checksums) as u64 + SEEK_TABLE_FOOTER_SIZE as u64
    }
}

const fn entry_size(checksums: bool) -> usize {
    if checksums { CHECKED_ENTRY_SIZE } else { ENTRY_SIZE }
}

impl<'a> SeekTable<'a> {
    /// Parses a table: the content of a skippable frame, whole.
    ///
    /// # Errors
    /// T01 to T03.
    pub fn parse(content: &'a [u8]) -> Result<Self, SeekTableError> {
        let footer = Footer::parse(content)?;
        let (expected, found) = (footer.table_size(), content.len() as u64);
        if expected != found {
            return Err(SeekTableError::TableSize { frames: footer.frames, expected, found });
        }
        let entries = content.len().saturating_sub(SEEK_TABLE_FOOTER_SIZE);
        Ok(Self { entries: content.get(..entries).unwrap_or_default(), checksums: footer.checksums })
    }

    /// Finds the table at the end of a stream, in the stream's last bytes: [`SEEK_TABLE_FOOTER_SIZE`] of them tell how many
    /// are needed.
    ///
    /// # Errors
    /// T01 to T04.
    pub fn find(tail: &'a [u8]) -> Result<Status<Self>, SeekTableError> {
        let footer = Footer::parse(tail)?;
        let table_size = footer.table_size();
        // `Frame_Size` has 32 bits.
        if table_size > u64::from(u32::MAX) {
            let found = u64::from(u32::MAX);
            return Err(SeekTableError::TableSize { frames: footer.frames, expected: table_size, found });
        }
        let needed = usize::try_from(table_size.saturating_add(SKIPPABLE_HEADER_SIZE as u64)).unwrap_or(usize::MAX);
        let Some(start) = tail.len().checked_sub(needed) else { return Ok(Status::Partial { needed }) };
        let frame = tail.get(start..).unwrap_or_default();
        let (&[m0, m1, m2, m3, size @ ..], content) =
            frame.split_first_chunk::<SKIPPABLE_HEADER_SIZE>().ok_or(SeekTableError::NoFrame)?;
        if Magic::of([m0, m1, m2, m3]) != Some(Magic::Skippable(SEEK_TABLE_VARIANT)) {
            return Err(SeekTableError::NoFrame);
        }
        let found = u64::from(u32::from_le_bytes(size));
        if found != table_size {
            return Err(SeekTableError::TableSize { frames: footer.frames, expected: table_size, found });
        }
        Self::parse(content).map(Status::Complete)
    }

    /// `Number_Of_Frames`.
    #[must_use]
    pub const fn frames(&self) -> usize {
        self.entries().remaining()
    }

    /// Whether entries have checksums.
    #[must_use]
    pub const fn checksums(&self) -> bool {
        self.checksums
    }

    /// Size of the table: the content of its skippable frame.
    #[must_use]
    pub const fn content_size(&self) -> usize {
        self.entries.len().saturating_add(SEEK_TABLE_FOOTER_SIZE)
    }

    /// The frames, in the order of the stream.
    #[must_use]
    pub const fn entries(&self) -> SeekEntries<'a> {
        SeekEntries { rest: self.entries, checksums: self.checksums, index: 0, offset: 0, decoded_offset: 0 }
    }
}

/// The entries of a [`SeekTable`].
#[derive(Clone, Debug)]
pub struct SeekEntries<'a> {
    rest: &'a [u8],
    checksums: bool,
    index: u32,
    offset: u64,
    decoded_offset: u64,
}

impl SeekEntries<'_> {
    #[expect(clippy::arithmetic_side_effects, reason = "an entry has a size that is not zero")]
    const fn remaining(&self) -> usize {
        self.rest.len() / entry_size(self.checksums)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*field)
    }
}

impl Iterator for SeekEntries<'_> {
    type Item = SeekEntry;

    fn next(&mut self) -> Option<SeekEntry> {
        let compressed_size = u32::from_le_bytes(self.take()?);
        let decoded_size = u32::from_le_bytes(self.take()?);
        let checksum = if self.checksums { Some(u32::from_le_bytes(self.take()?)) } else { None };
        let Self { index, offset, decoded_offset, .. } = *self;
        // Sums of fewer than 2^32 numbers below 2^32: none of them saturates.
        self.index = index.saturating_add(1);
        self.offset = offset.saturating_add(u64::from(compressed_size));
        self.decoded_offset = decoded_offset.saturating_add(u64::from(decoded_size));
        Some(SeekEntry { index, offset, compressed_size, decoded_offset, decoded_size, checksum })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining(), Some(self.remaining()))
    }
}

// That of the trait compares the two sizes of the hint, and could panic.
impl ExactSizeIterator for SeekEntries<'_> {
    fn len(&self) -> usize {
        self.remaining()
    }
}

/// Holds a seek table to the frames of a stream that is walked from its first byte. Checksums are not looked at: that takes
/// the content.
#[derive(Clone, Debug)]
pub struct SeekAudit<'a> {
    table: SeekTable<'a>,
    left: SeekEntries<'a>,
    frames: u64,
    ended: bool,
}

impl<'a> SeekAudit<'a> {
    /// An audit at the start of the stream.
    #[must_use]
    pub const fn new(table: SeekTable<'a>) -> Self {
        Self { table, left: table.entries(), frames: 0, ended: false }
    }

    /// Takes an event of the walk. What a frame decodes to is compared as far as it is known.
    ///
    /// # Errors
    /// T05 to T08.
    pub fn observe(&mut self, event: &Event) -> Result<(), SeekTableError> {
        let (offset, compressed_size, decoded_size) = match event {
            Event::FrameEnd(frame) => (frame.offset, frame.compressed_size, frame.decoded_size()),
            Event::SkippableEnd(frame) => {
                let content_size = self.table.content_size() as u64;
                let last = self.left.remaining() == 0 && !self.ended;
                if last && frame.variant == SEEK_TABLE_VARIANT && u64::from(frame.content_size) == content_size {
                    self.ended = true;
                    return Ok(());
                }
                (frame.offset, frame.compressed_size(), SizeRange::exactly(0))
            }
            _ => return Ok(()),
        };
        if self.ended {
            return Err(SeekTableError::NotLast);
        }
        self.frames = self.frames.saturating_add(1);
        let entry = self.left.next().ok_or_else(|| self.frame_count())?;
        if entry.offset != offset || u64::from(entry.compressed_size) != compressed_size {
            return Err(SeekTableError::EntryFrame { entry, offset, compressed_size });
        }
        if !decoded_size.contains(u64::from(entry.decoded_size)) {
            return Err(SeekTableError::EntryDecodedSize { entry, decoded_size });
        }
        Ok(())
    }

    /// Says at the end of the stream whether the table was all right.
    ///
    /// # Errors
    /// T07 for entries that are left, T08 where the stream does not end with the table.
    pub fn finish(&self) -> Result<(), SeekTableError> {
        match (self.left.remaining(), self.ended) {
            (1.., _) => Err(self.frame_count()),
            (0, false) => Err(SeekTableError::NotLast),
            (0, true) => Ok(()),
        }
    }

    fn frame_count(&self) -> SeekTableError {
        SeekTableError::FrameCount { frames: self.frames, entries: self.table.frames() as u64 }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]
mod tests {
    use super::{SeekAudit, SeekTable, SeekTableError};
    use crate::{Status, Walker};

    /// A frame of twelve bytes, an empty one, and a skippable one.
    const FRAMES: &[u8] = b"\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x00hello, world\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00\
        \x50\x2a\x4d\x18\x03\x00\x00\x00abc";
    /// Its table with its frame: 21, 9 and 11 bytes make 12, 0 and 0.
    const TABLE: &[u8] = b"\x5e\x2a\x4d\x18\x21\x00\x00\x00\
        \x15\x00\x00\x00\x0c\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00\x0b\x00\x00\x00\x00\x00\x00\x00\
        \x03\x00\x00\x00\x00\xb1\xea\x92\x8f";

    /// A stream of these parts in a buffer, and its size.
    fn joined<const N: usize>(parts: [&[u8]; N]) -> ([u8; 256], usize) {
        let (mut stream, mut size) = ([0; 256], 0);
        for part in parts {
            stream[size..size + part.len()].copy_from_slice(part);
            size += part.len();
        }
        (stream, size)
    }

    fn audit(stream: &[u8], table: &[u8]) -> Result<(), SeekTableError> {
        let mut audit = SeekAudit::new(SeekTable::parse(table).unwrap());
        let (mut walker, mut rest) = (Walker::new(), stream);
        loop {
            let step = walker.push(rest).unwrap();
            rest = &rest[step.consumed..];
            match step.event {
                Some(event) => audit.observe(&event)?,
                None => return audit.finish(),
            }
        }
    }

    /// The content of the table with one byte changed.
    fn changed(at: usize, byte: u8) -> [u8; 33] {
        let mut table: [u8; 33] = TABLE[8..].try_into().unwrap();
        table[at] = byte;
        table
    }

    #[test]
    fn entries_have_the_offsets_of_their_frames() {
        let table = SeekTable::parse(&TABLE[8..]).unwrap();
        let mut entries = table.entries().map(|entry| (entry.index, entry.offset, entry.decoded_offset));
        assert_eq!([(); 3].map(|()| entries.next().unwrap()), [(0, 0, 0), (1, 21, 12), (2, 30, 12)]);
        assert_eq!((entries.next(), table.frames(), table.content_size()), (None, 3, 33));
        let found = |at| table.entries().find(|entry| entry.contains(at)).map(|entry| entry.index);
        assert_eq!([found(0), found(11), found(12)], [Some(0), Some(0), None]);
        let last = table.entries().last().unwrap();
        assert!(!last.contains(11) && !last.contains(12), "it holds nothing");

        let mut entries = table.entries();
        for left in [3, 2, 1, 0] {
            assert_eq!((entries.len(), entries.size_hint()), (left, (left, Some(left))));
            entries.next();
        }
    }

    #[test]
    fn entries_have_checksums_where_the_descriptor_says_so() {
        let entry = b"\x15\x00\x00\x00\x0c\x00\x00\x00\x04\x03\x02\x01";
        let footer = b"\x01\x00\x00\x00\x80\xb1\xea\x92\x8f";
        let (bytes, size) = joined([entry, footer]);
        let with = SeekTable::parse(&bytes[..size]).unwrap();
        assert!(with.checksums());
        assert_eq!(with.entries().next().unwrap().checksum, Some(0x0102_0304));
        let without = SeekTable::parse(&TABLE[8..]).unwrap();
        assert!(!without.checksums());
        assert_eq!(without.entries().next().unwrap().checksum, None);
    }

    /// The rule that a table breaks by itself.
    fn broken(table: &[u8]) -> Option<&'static str> {
        SeekTable::parse(table).map_err(|error| error.rule()).err()
    }

    /// The smallest table.
    const EMPTY: &[u8] = b"\0\0\0\0\0\xb1\xea\x92\x8f";

    #[test]
    fn t01_a_table_ends_with_its_footer() {
        assert_eq!(broken(EMPTY), None);
        assert_eq!(broken(&EMPTY[1..]), Some("T01"));
        assert_eq!(broken(b""), Some("T01"));
        assert_eq!(broken(&changed(32, 0x8E)), Some("T01"));
    }

    #[test]
    fn t02_reserved_bits_of_the_descriptor_are_zero_and_unused_ones_are_ignored() {
        for (bits, rule) in [(0b11, None), (4, Some("T02")), (0x40, Some("T02"))] {
            assert_eq!(broken(&changed(28, bits)), rule, "{bits:#x}");
        }
    }

    #[test]
    fn t03_a_table_has_the_size_of_its_entries() {
        // Checksums that are not there; one entry more; bytes before.
        assert_eq!(broken(&changed(28, 0x80)), Some("T03"));
        assert_eq!(broken(&changed(24, 4)), Some("T03"));
        assert_eq!(broken(&TABLE[7..]), Some("T03"));
        // So many that a product of 32 bits would wrap around to the right size.
        assert_eq!(broken(&changed(27, 0x20)), Some("T03"));
    }

    #[test]
    fn t04_a_table_is_found_at_the_end_of_its_stream() {
        let (stream, size) = joined([FRAMES, TABLE]);
        let stream = &stream[..size];
        for from in 0..size {
            let tail = &stream[from..];
            match SeekTable::find(tail) {
                Ok(Status::Complete(table)) => assert!(tail.len() >= 41 && table.frames() == 3),
                Ok(Status::Partial { needed }) => assert_eq!((needed, tail.len() < 41), (41, true)),
                Err(error) => assert_eq!((error.rule(), tail.len() < 9), ("T01", true)),
            }
        }
        for (at, rule) in [(0, "T04"), (3, "T04"), (4, "T03"), (7, "T03")] {
            let mut broken: [u8; 41] = TABLE.try_into().unwrap();
            broken[at] ^= 1;
            assert_eq!(SeekTable::find(&broken).unwrap_err().rule(), rule, "{at}");
        }
        let endless = b"\xff\xff\xff\xff\x80\xb1\xea\x92\x8f";
        assert_eq!(SeekTable::find(endless).unwrap_err().rule(), "T03", "no skippable frame has such a size");
    }

    /// The rule that a table breaks beside the frames of its stream.
    fn beside_frames(table: &[u8]) -> Option<&'static str> {
        let (stream, size) = joined([FRAMES, TABLE]);
        audit(&stream[..size], table).map_err(|error| error.rule()).err()
    }

    /// The rule that the right table breaks beside other frames.
    fn beside(parts: [&[u8]; 3]) -> Option<&'static str> {
        let (stream, size) = joined(parts);
        audit(&stream[..size], &TABLE[8..]).map_err(|error| error.rule()).err()
    }

    #[test]
    fn t05_compressed_sizes_are_those_of_the_frames() {
        assert_eq!(beside_frames(&TABLE[8..]), None);
        assert_eq!(beside_frames(&changed(0, 20)), Some("T05"));
        assert_eq!(beside_frames(&changed(11, 1)), Some("T05"));
        assert_eq!(beside([&FRAMES[..30], TABLE, b""]), Some("T05"), "the table has no entry of its own");
    }

    #[test]
    fn t06_decompressed_sizes_are_those_of_the_frames() {
        assert_eq!(beside_frames(&changed(4, 13)), Some("T06"));
        assert_eq!(beside_frames(&changed(20, 1)), Some("T06"), "a skippable frame has no content");
    }

    #[test]
    fn t07_there_is_an_entry_for_every_frame_and_a_frame_for_every_entry() {
        assert_eq!(beside([FRAMES, &FRAMES[21..30], TABLE]), Some("T07"));
        assert_eq!(beside([&FRAMES[..30], b"", b""]), Some("T07"));
    }

    #[test]
    fn t08_the_table_is_the_last_frame() {
        assert_eq!(beside([FRAMES, b"", b""]), Some("T08"), "no table");
        assert_eq!(beside([FRAMES, TABLE, &FRAMES[21..30]]), Some("T08"), "a frame after it");
        assert_eq!(beside([FRAMES, TABLE, TABLE]), Some("T08"), "another one after it");
    }

    #[test]
    fn sizes_that_are_not_known_are_held_to_what_is() {
        // A compressed block in a window of 1 KiB: 0 to 1,024 bytes.
        let frame = b"\x28\xb5\x2f\xfd\x00\x00\x15\x00\x00\x00\x00";
        for (decoded_size, rule) in [(0, None), (1024, None), (1025, Some("T06"))] {
            let mut table = *b"\x0b\0\0\0\0\0\0\0\x01\0\0\0\x00\xb1\xea\x92\x8f";
            table[4..8].copy_from_slice(&u32::to_le_bytes(decoded_size));
            let (stream, size) = joined([frame, b"\x5e\x2a\x4d\x18\x11\0\0\0", &table]);
            assert_eq!(audit(&stream[..size], &table).map_err(|error| error.rule()).err(), rule);
        }
    }
}
