//! The format's numbers under the format's names. Sizes are in bytes.

/// `Magic_Number` of a Zstandard frame, little-endian in the stream (RFC 8878, 3.1.1).
pub const MAGIC_NUMBER: u32 = 0xFD2F_B528;

/// The first of the sixteen magic numbers of skippable frames, 0x184D2A50 to 0x184D2A5F (RFC 8878, 3.1.2).
pub const SKIPPABLE_MAGIC_NUMBER: u32 = 0x184D_2A50;

/// Magic number of a formatted dictionary: a dictionary file is not a frame (RFC 8878, 5).
pub const DICTIONARY_MAGIC_NUMBER: u32 = 0xEC30_A437;

/// Size of a magic number.
pub const MAGIC_SIZE: usize = 4;

/// Size of the smallest frame header with its magic number: descriptor and one more byte.
pub const FRAME_HEADER_SIZE_MIN: usize = 6;

/// Size of the largest frame header with its magic number: 4 + 1 + 1 + 4 + 8.
pub const FRAME_HEADER_SIZE_MAX: usize = 18;

/// Size of `Block_Header` (RFC 8878, 3.1.1.2).
pub const BLOCK_HEADER_SIZE: usize = 3;

/// Size of `Content_Checksum` (RFC 8878, 3.1.1).
pub const CHECKSUM_SIZE: usize = 4;

/// Size of the header of a skippable frame: magic number and `Frame_Size` (RFC 8878, 3.1.2).
pub const SKIPPABLE_HEADER_SIZE: usize = 8;

/// The constant half of `Block_Maximum_Size`: the other one is `Window_Size` (RFC 8878, 3.1.1.2.4).
pub const BLOCK_SIZE_MAX: u32 = 128 << 10;

/// The smallest `Window_Size` that a window descriptor can express: 1 KiB (RFC 8878, 3.1.1.1.2).
pub const WINDOW_SIZE_MIN: u64 = 1 << 10;

/// The largest `Window_Size` that a window descriptor can express: 3.75 TiB (RFC 8878, 3.1.1.1.2).
pub const WINDOW_SIZE_MAX: u64 = (1 << 41) + 7 * (1 << 38);
