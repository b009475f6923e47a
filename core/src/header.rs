//! Magic numbers and `Frame_Header` (RFC 8878, 3.1.1.1): which fields there are, and what they say.

use core::num::NonZeroU32;

use crate::consts::{BLOCK_SIZE_MAX, FRAME_HEADER_SIZE_MAX, MAGIC_NUMBER, MAGIC_SIZE, SKIPPABLE_MAGIC_NUMBER};
use crate::{ErrorKind, Foreign};

/// What a parser says of bytes that come in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status<T> {
    /// All of it was there.
    Complete(T),
    /// Nothing is wrong so far, and more is needed.
    Partial {
        /// How many bytes there must be, counted from the start, before more can be said.
        needed: usize,
    },
}

/// The magic number that opens a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Magic {
    /// A Zstandard frame.
    Zstandard,
    /// A skippable frame, with the variant: 0 for 0x184D2A50 to 15 for 0x184D2A5F.
    Skippable(u8),
}

impl Magic {
    /// Tells whether four bytes open a frame, and which kind of frame.
    #[must_use]
    pub const fn of(bytes: [u8; MAGIC_SIZE]) -> Option<Self> {
        let number = u32::from_le_bytes(bytes);
        if number == MAGIC_NUMBER {
            Some(Self::Zstandard)
        } else if number & !0xF == SKIPPABLE_MAGIC_NUMBER {
            Some(Self::Skippable((number & 0xF) as u8))
        } else {
            None
        }
    }

    /// Whether `bytes` are how some magic number begins. Bytes past the fourth are not looked at.
    #[must_use]
    pub fn may_begin_with(bytes: &[u8]) -> bool {
        let zstandard = MAGIC_NUMBER.to_le_bytes();
        let skippable = SKIPPABLE_MAGIC_NUMBER.to_le_bytes();
        let variant_masks = [0xF0, 0xFF, 0xFF, 0xFF];
        bytes.iter().zip(zstandard).all(|(&byte, magic)| byte == magic)
            || bytes.iter().zip(variant_masks).zip(skippable).all(|((&byte, mask), magic)| byte & mask == magic)
    }
}

/// `Frame_Header_Descriptor` (RFC 8878, 3.1.1.1.1): the byte that tells which other fields there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Descriptor(pub u8);

impl Descriptor {
    const CONTENT_SIZE_SHIFT: u32 = 6;
    const SINGLE_SEGMENT: u8 = 1 << 5;
    const UNUSED: u8 = 1 << 4;
    const RESERVED: u8 = 1 << 3;
    const CONTENT_CHECKSUM: u8 = 1 << 2;
    const DICTIONARY_ID_MASK: u8 = 3;

    /// `Single_Segment_flag`: no window descriptor, and a content size that is the window, too.
    #[must_use]
    pub const fn single_segment(self) -> bool {
        self.0 & Self::SINGLE_SEGMENT != 0
    }

    /// `Unused_bit`: to be ignored.
    #[must_use]
    pub const fn unused_bit(self) -> bool {
        self.0 & Self::UNUSED != 0
    }

    /// `Reserved_bit`: must be zero.
    #[must_use]
    pub const fn reserved_bit(self) -> bool {
        self.0 & Self::RESERVED != 0
    }

    /// `Content_Checksum_flag`: four bytes follow the last block.
    #[must_use]
    pub const fn content_checksum(self) -> bool {
        self.0 & Self::CONTENT_CHECKSUM != 0
    }

    /// Size of `Window_Descriptor`: 0 or 1.
    #[must_use]
    pub const fn window_descriptor_size(self) -> usize {
        if self.single_segment() { 0 } else { 1 }
    }

    /// `DID_Field_Size`: 0, 1, 2 or 4.
    #[must_use]
    pub const fn dictionary_id_size(self) -> usize {
        match self.0 & Self::DICTIONARY_ID_MASK {
            0 => 0,
            1 => 1,
            2 => 2,
            _ => 4,
        }
    }

    /// `FCS_Field_Size`: 0, 1, 2, 4 or 8.
    #[must_use]
    pub const fn content_size_size(self) -> usize {
        match self.0 >> Self::CONTENT_SIZE_SHIFT {
            0 => self.single_segment() as usize,
            1 => 2,
            2 => 4,
            _ => 8,
        }
    }

    /// Size of the whole header with its magic number: 6 to 18.
    #[must_use]
    #[expect(clippy::arithmetic_side_effects, reason = "4 + 1 + at most 1 + 4 + 8")]
    pub const fn header_size(self) -> usize {
        MAGIC_SIZE + 1 + self.window_descriptor_size() + self.dictionary_id_size() + self.content_size_size()
    }
}

/// `Window_Descriptor` (RFC 8878, 3.1.1.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WindowDescriptor(pub u8);

impl WindowDescriptor {
    /// `Exponent`, 0 to 31.
    #[must_use]
    pub const fn exponent(self) -> u8 {
        self.0 >> 3
    }

    /// `Mantissa`, 0 to 7.
    #[must_use]
    pub const fn mantissa(self) -> u8 {
        self.0 & 7
    }

    /// `Window_Size`, 1 KiB to 3.75 TiB.
    #[must_use]
    #[expect(clippy::arithmetic_side_effects, reason = "2^41 and seven eighths of it fit 64 bits with room to spare")]
    pub const fn window_size(self) -> u64 {
        let base = 1u64 << (10 + self.exponent() as u32);
        base + (base / 8) * self.mantissa() as u64
    }
}

/// `Frame_Header` (RFC 8878, 3.1.1.1), parsed from its magic number on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameHeader {
    descriptor: Descriptor,
    window: Option<WindowDescriptor>,
    dictionary_id: Option<NonZeroU32>,
    content_size: Option<u64>,
}

impl FrameHeader {
    /// Reads a frame header from its magic number on. Bytes after it are not looked at.
    ///
    /// With fewer than 5 bytes `needed` is 5, after that it is the whole size.
    ///
    /// # Errors
    /// [`ErrorKind::NotZstd`] (F02) as soon as a byte of the magic number is wrong, a skippable frame included;
    /// [`ErrorKind::ReservedBit`] (F04). A window of any size is parsed: whether it is too large is for
    /// [`Limits`](crate::Limits) to say.
    pub fn parse(bytes: &[u8]) -> Result<Status<Self>, ErrorKind> {
        let magic = MAGIC_NUMBER.to_le_bytes();
        if bytes.iter().zip(magic).any(|(&byte, magic)| byte != magic) {
            return Err(ErrorKind::NotZstd { looks_like: Foreign::of(bytes) });
        }
        Self::parse_after_magic(bytes.get(MAGIC_SIZE..).unwrap_or_default())
    }

    /// As [`parse`](Self::parse), from the descriptor on. What is `needed` is counted from the magic number all the same.
    pub(crate) fn parse_after_magic(bytes: &[u8]) -> Result<Status<Self>, ErrorKind> {
        let Some((&descriptor, fields)) = bytes.split_first() else {
            return Ok(Status::Partial { needed: MAGIC_SIZE.saturating_add(1) });
        };
        let descriptor = Descriptor(descriptor);
        if descriptor.reserved_bit() {
            return Err(ErrorKind::ReservedBit);
        }
        let header = Self::from_fields(descriptor, &mut Fields(fields));
        Ok(header.map_or(Status::Partial { needed: descriptor.header_size() }, Status::Complete))
    }

    fn from_fields(descriptor: Descriptor, fields: &mut Fields<'_>) -> Option<Self> {
        let window = match descriptor.window_descriptor_size() {
            0 => None,
            _ => Some(WindowDescriptor(fields.take::<1>()?[0])),
        };
        let dictionary_id = match descriptor.dictionary_id_size() {
            0 => 0,
            1 => u32::from(fields.take::<1>()?[0]),
            2 => u32::from(u16::from_le_bytes(fields.take()?)),
            _ => u32::from_le_bytes(fields.take()?),
        };
        let content_size = match descriptor.content_size_size() {
            0 => None,
            1 => Some(u64::from(fields.take::<1>()?[0])),
            // The two-byte form has no use for sizes that fit one byte.
            2 => Some(u64::from(u16::from_le_bytes(fields.take()?)).saturating_add(256)),
            4 => Some(u64::from(u32::from_le_bytes(fields.take()?))),
            _ => Some(u64::from_le_bytes(fields.take()?)),
        };
        Some(Self { descriptor, window, dictionary_id: NonZeroU32::new(dictionary_id), content_size })
    }

    /// The descriptor as it was read.
    #[must_use]
    pub const fn descriptor(&self) -> Descriptor {
        self.descriptor
    }

    /// Size of the header with its magic number: 6 to 18.
    #[must_use]
    pub const fn header_size(&self) -> usize {
        self.descriptor.header_size()
    }

    /// `Single_Segment_flag`.
    #[must_use]
    pub const fn single_segment(&self) -> bool {
        self.descriptor.single_segment()
    }

    /// `Content_Checksum_flag`.
    #[must_use]
    pub const fn content_checksum(&self) -> bool {
        self.descriptor.content_checksum()
    }

    /// `Window_Descriptor`; `None` in a single-segment frame.
    #[must_use]
    pub const fn window_descriptor(&self) -> Option<WindowDescriptor> {
        self.window
    }

    /// `Window_Size`: 1 KiB to 3.75 TiB, or the content size of a single-segment frame, 0 to 2^64 - 1.
    #[must_use]
    pub const fn window_size(&self) -> u64 {
        match (self.window, self.content_size) {
            (Some(window), _) => window.window_size(),
            (None, Some(size)) => size,
            // Not reached: a frame without a window descriptor has a content size.
            (None, None) => 0,
        }
    }

    /// `Block_Maximum_Size`: the smaller of `Window_Size` and 128 KiB (RFC 8878, 3.1.1.2.4).
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "smaller than 128 KiB in that branch")]
    pub const fn block_maximum_size(&self) -> u32 {
        let window = self.window_size();
        if window < BLOCK_SIZE_MAX as u64 { window as u32 } else { BLOCK_SIZE_MAX }
    }

    /// `Dictionary_ID`. A zero in the stream means the same as no field: `None`.
    #[must_use]
    pub const fn dictionary_id(&self) -> Option<u32> {
        match self.dictionary_id {
            Some(id) => Some(id.get()),
            None => None,
        }
    }

    /// `Frame_Content_Size`. Zero is a size, and so is 2^64 - 1; only a field that is not there is `None`.
    #[must_use]
    pub const fn content_size(&self) -> Option<u64> {
        self.content_size
    }
}

const _: () = assert!(Descriptor(0xFF).header_size() < FRAME_HEADER_SIZE_MAX);
const _: () = assert!(Descriptor(0xC3).header_size() == FRAME_HEADER_SIZE_MAX);

/// What is left of the header's fields.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }
}
