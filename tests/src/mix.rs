//! Streams of frames of many kinds, with what they decode to.

use zvet::format::consts::MAGIC_NUMBER;

use crate::bytes::{W_1K, W_128K, W_128M, compressed_rle, frame, raw, rle, sized_header, skippable, unsized_header};
use crate::data::Shape;

/// A kind of frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Made by libzstd, with its size and a checksum.
    Sized,
    /// Made by libzstd without its size.
    Unsized,
    /// Made by libzstd with the dictionary of the mix, which it does not name: it is raw content.
    Dictionary,
    /// No content, by libzstd.
    Empty,
    /// RLE blocks without a declared size.
    Rle,
    /// Compressed blocks that declare less than block count x block maximum.
    Declared,
    /// A window of 128 MiB, and little content.
    Wide,
    /// Skippable.
    Skippable,
    /// Raw blocks, the last one empty.
    EmptyEnd,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Sized,
        Self::Unsized,
        Self::Dictionary,
        Self::Empty,
        Self::Rle,
        Self::Declared,
        Self::Wide,
        Self::Skippable,
        Self::EmptyEnd,
    ];

    /// A frame of this kind, and its content.
    pub fn frame(self, size: usize, seed: u64, dictionary: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let shape = Shape::ALL[usize::try_from(seed % Shape::ALL.len() as u64).unwrap()];
        let byte = seed.to_le_bytes()[0];
        let run = |pieces: usize| vec![byte; pieces * 5000];
        let pieces = size % 5 + 1;
        let blocks = |make: fn(bool, u8, u32) -> Vec<u8>| -> Vec<Vec<u8>> {
            (1..=pieces).map(|piece| make(piece == pieces, byte, 5000)).collect()
        };
        match self {
            Self::Sized => {
                let content = shape.data(size, seed);
                (compress(&content, true, None), content)
            }
            Self::Unsized => {
                let content = shape.data(size, seed);
                (compress(&content, false, None), content)
            }
            Self::Dictionary => {
                let from = dictionary.len() / 3;
                let content = [&dictionary[from..from + size.min(from)], &shape.data(size / 4, seed)].concat();
                (compress(&content, size.is_multiple_of(2), Some(dictionary)), content)
            }
            Self::Empty => (compress(b"", size.is_multiple_of(2), None), Vec::new()),
            Self::Rle => (frame(&unsized_header(W_128K), &blocks(rle)), run(pieces)),
            Self::Declared => {
                let declared = u32::try_from(pieces * 5000).unwrap();
                (frame(&sized_header(W_128K, declared), &blocks(compressed_rle)), run(pieces))
            }
            Self::Wide => (frame(&unsized_header(W_128M), &blocks(compressed_rle)), run(pieces)),
            Self::Skippable => (skippable(byte & 15, &run(pieces)), Vec::new()),
            Self::EmptyEnd => {
                let content = shape.data(size.min(1024), seed);
                (frame(&unsized_header(W_1K), &[raw(false, &content), raw(true, b"")]), content)
            }
        }
    }
}

fn compress(content: &[u8], sized: bool, dictionary: Option<&[u8]>) -> Vec<u8> {
    let mut compressor = match dictionary {
        Some(dictionary) => zstd::bulk::Compressor::with_dictionary(3, dictionary),
        None => zstd::bulk::Compressor::new(3),
    }
    .unwrap();
    compressor.include_contentsize(sized).unwrap();
    compressor.include_checksum(true).unwrap();
    let frame = compressor.compress(content).unwrap();
    assert_eq!(frame[..4], MAGIC_NUMBER.to_le_bytes());
    frame
}

/// A dictionary of raw content for mixes.
pub fn dictionary() -> Vec<u8> {
    Shape::Text.data(20_000, 99)
}
