//! Names for what a stream is when it is not zstd. Only ever a hint in an error: nothing is decoded on its strength.

use core::fmt;

use crate::consts::{DICTIONARY_MAGIC_NUMBER, MAGIC_SIZE};
use crate::{BlockHeader, FrameHeader, Status};

/// What bytes that are no frame look like, judged by their first 18.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Foreign {
    /// Nothing that is known here.
    Unknown,
    /// Zero bytes, as padding leaves them.
    Zeros,
    /// A zstd frame of a version before 0.8, by the minor version: 1 to 7. RFC 8878 begins with 0.8.
    LegacyZstd(u8),
    /// A zstd dictionary.
    ZstdDictionary,
    /// A zstd frame whose magic number is stored the other way round.
    SwappedZstd,
    /// What may be a zstd frame without its magic number (`ZSTD_f_zstd1_magicless`).
    MagiclessZstd,
    /// gzip.
    Gzip,
    /// zlib.
    Zlib,
    /// xz.
    Xz,
    /// LZMA alone.
    Lzma,
    /// lzip.
    Lzip,
    /// LZ4 frames, the legacy ones included.
    Lz4,
    /// lzop.
    Lzop,
    /// bzip2.
    Bzip2,
    /// Snappy framing.
    Snappy,
    /// Unix compress.
    Compress,
    /// ZIP.
    Zip,
    /// 7z.
    SevenZip,
    /// Text.
    Text,
}

impl Foreign {
    /// Recognises bytes by their signature; fewer than 18 may be given, and fewer are then known.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        match *bytes {
            [0x1F, 0x8B, ..] => Self::Gzip,
            [0x1F, 0x9D, ..] => Self::Compress,
            [0xFD, b'7', b'z', b'X', ..] => Self::Xz,
            [0x5D, 0, 0, ..] => Self::Lzma,
            [b'L', b'Z', b'I', b'P', ..] => Self::Lzip,
            [0x04, 0x22, 0x4D, 0x18, ..] | [0x02, 0x21, 0x4C, 0x18, ..] => Self::Lz4,
            [0x89, b'L', b'Z', b'O', ..] => Self::Lzop,
            [b'B', b'Z', b'h', ..] => Self::Bzip2,
            [0xFF, 0x06, 0x00, 0x00, ..] => Self::Snappy,
            [b'P', b'K', 3, 4, ..] => Self::Zip,
            [b'7', b'z', 0xBC, 0xAF, ..] => Self::SevenZip,
            [0xFD, 0x2F, 0xB5, 0x28, ..] => Self::SwappedZstd,
            // v0.1 was stored big-endian; v0.2 to v0.7 count up to the number of today, 8.
            [0xFD, 0x2F, 0xB5, 0x1E, ..] => Self::LegacyZstd(1),
            [version @ 0x22..=0x27, 0xB5, 0x2F, 0xFD, ..] => Self::LegacyZstd(version & 0xF),
            [b0, b1, b2, b3, ..] if u32::from_le_bytes([b0, b1, b2, b3]) == DICTIONARY_MAGIC_NUMBER => {
                Self::ZstdDictionary
            }
            [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..] => Self::Zlib,
            [] => Self::Unknown,
            _ if bytes.iter().all(|&byte| byte == 0) => Self::Zeros,
            _ if bytes.iter().all(|&byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')) => Self::Text,
            _ if looks_magicless(bytes) => Self::MagiclessZstd,
            _ => Self::Unknown,
        }
    }
}

/// Whether the bytes parse as a frame header without its magic number and a first block. Text never does (a block
/// header of printable bytes is far over 128 KiB); of random bytes, about one in thirty.
fn looks_magicless(bytes: &[u8]) -> bool {
    let Ok(Status::Complete(header)) = FrameHeader::parse_after_magic(bytes) else { return false };
    let block = bytes.get(header.header_size().saturating_sub(MAGIC_SIZE)..).and_then(<[u8]>::first_chunk);
    let Some(Ok(block)) = block.map(|&bytes| BlockHeader::parse(bytes)) else { return false };
    !header.descriptor().unused_bit()
        && header.window_size() <= 1 << 31
        && block.check(header.block_maximum_size()).is_ok()
}

impl Foreign {
    /// How many bytes [`of`](Self::of) looks at.
    pub const SIGNATURE_SIZE: usize = 18;
}

/// A noun phrase: `gzip`, `a zstd dictionary`.
impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "nothing known",
            Self::Zeros => "zero bytes",
            Self::LegacyZstd(version) => return write!(f, "legacy zstd v0.{version}, older than RFC 8878"),
            Self::ZstdDictionary => "a zstd dictionary",
            Self::SwappedZstd => "zstd with its magic number byte-swapped",
            Self::MagiclessZstd => "a zstd frame without its magic number",
            Self::Gzip => "gzip",
            Self::Zlib => "zlib",
            Self::Xz => "xz",
            Self::Lzma => "LZMA",
            Self::Lzip => "lzip",
            Self::Lz4 => "LZ4",
            Self::Lzop => "lzop",
            Self::Bzip2 => "bzip2",
            Self::Snappy => "Snappy",
            Self::Compress => "Unix compress",
            Self::Zip => "ZIP",
            Self::SevenZip => "7z",
            Self::Text => "text",
        })
    }
}
