//! Frames byte by byte.

/// Magic number of a frame.
pub const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// `Window_Descriptor` of 1 KiB.
pub const W_1K: u8 = 0;
/// Of 128 KiB.
pub const W_128K: u8 = 7 << 3;
/// Of 2 MiB.
pub const W_2M: u8 = 11 << 3;
/// Of 16 MiB.
pub const W_16M: u8 = 14 << 3;
/// Of 64 MiB.
pub const W_64M: u8 = 16 << 3;
/// Of 128 MiB.
pub const W_128M: u8 = 17 << 3;

/// A raw block.
pub fn raw(last: bool, content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len()).unwrap();
    [&block_header(last, 0, size)[..], content].concat()
}

/// An RLE block.
pub fn rle(last: bool, byte: u8, size: u32) -> Vec<u8> {
    [&block_header(last, 1, size)[..], &[byte]].concat()
}

/// A compressed block.
pub fn compressed(last: bool, content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len()).unwrap();
    [&block_header(last, 2, size)[..], content].concat()
}

/// A compressed block that makes `size` bytes from RLE literals, without sequences. `size` is at least 4,096.
pub fn compressed_rle(last: bool, byte: u8, size: u32) -> Vec<u8> {
    assert!((4096..1 << 20).contains(&size), "only the three-byte form is made here");
    let header = (size << 4) | 0b1101;
    let [b0, b1, b2, _] = header.to_le_bytes();
    compressed(last, &[b0, b1, b2, byte, 0])
}

/// `Block_Header` of any type and size.
pub fn block_header(last: bool, kind: u8, size: u32) -> [u8; 3] {
    let [b0, b1, b2, _] = (size << 3 | u32::from(kind) << 1 | u32::from(last)).to_le_bytes();
    [b0, b1, b2]
}

/// A frame: magic number, header fields from the descriptor on, and blocks.
pub fn frame(header: &[u8], blocks: &[Vec<u8>]) -> Vec<u8> {
    [&MAGIC[..], header, &blocks.concat()].concat()
}

/// Header of a frame without declared size, with this window descriptor.
pub fn unsized_header(window_descriptor: u8) -> [u8; 2] {
    [0, window_descriptor]
}

/// Header of a frame with a declared size of four bytes and this window descriptor.
pub fn sized_header(window_descriptor: u8, size: u32) -> Vec<u8> {
    [&[0x80, window_descriptor][..], &size.to_le_bytes()].concat()
}

/// Header of a single-segment frame with a declared size of eight bytes.
pub fn single_segment_header(size: u64) -> Vec<u8> {
    [&[0xE0][..], &size.to_le_bytes()].concat()
}

/// A skippable frame.
pub fn skippable(variant: u8, content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len()).unwrap().to_le_bytes();
    [&[0x50 | variant, 0x2A, 0x4D, 0x18][..], &size, content].concat()
}

/// A frame of twelve bytes, `hello, world`.
pub fn hello() -> Vec<u8> {
    frame(&[0x20, 12], &[raw(true, b"hello, world")])
}

/// Bits as the format's backward streams hold them: what is put last is read first.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    bits: Vec<bool>,
}

impl Bits {
    /// Puts a field of `count` bits before those that are read later: put fields in the reverse of the order they are
    /// read in.
    #[must_use]
    pub fn put(mut self, value: u64, count: u32) -> Self {
        self.bits.extend((0..count).map(|bit| value.checked_shr(bit).unwrap_or(0) & 1 == 1));
        self
    }

    /// The bytes, with the end mark above the last bit put.
    pub fn finish(mut self) -> Vec<u8> {
        self.bits.push(true);
        self.bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit))).collect()
    }
}

/// Raw literals: fewer than 32.
pub fn raw_literals(literals: &[u8]) -> Vec<u8> {
    assert!(literals.len() < 32, "only the one-byte form is made here");
    [&[u8::try_from(literals.len()).unwrap() << 3][..], literals].concat()
}

/// A sequences section of sequences that all have these codes, for literals length, offset and match length, with the
/// stream of their extra bits.
pub fn sequences(count: u8, [literals_length, offset, match_length]: [u8; 3], stream: &[u8]) -> Vec<u8> {
    // RLE_Mode for all three.
    [&[count, 0b0101_0100, literals_length, offset, match_length][..], stream].concat()
}

/// Literals that are Huffman-coded with two symbols of one bit each: 0 and 1, in one stream.
pub fn huffman_literals(count: u16, stream: &[u8]) -> Vec<u8> {
    coded_literals(2, 0, count, &[&[128, 0x10][..], stream].concat())
}

/// Literals of a type and size format, with fields of 10 bits.
pub fn coded_literals(kind: u32, format: u32, count: u16, body: &[u8]) -> Vec<u8> {
    let size = u32::try_from(body.len()).unwrap();
    let [b0, b1, b2, _] = (kind | format << 2 | u32::from(count) << 4 | size << 14).to_le_bytes();
    [&[b0, b1, b2][..], body].concat()
}

/// A block of these literals and no sequences.
pub fn only(literals: &[u8]) -> Vec<u8> {
    [literals, &[0]].concat()
}

/// Four streams behind their jump table.
pub fn four_streams(streams: [&[u8]; 4]) -> Vec<u8> {
    let sizes = streams[..3].iter().flat_map(|stream| u16::try_from(stream.len()).unwrap().to_le_bytes());
    sizes.chain(streams.concat()).collect()
}

/// A block of these raw literals, and sequences after them.
pub fn block(literals: &[u8], sequences: &[u8]) -> Vec<u8> {
    [raw_literals(literals), sequences.to_vec()].concat()
}

/// Two literals and one sequence of them: a match of this offset and of three bytes.
pub fn one_match(offset: u64) -> Vec<u8> {
    let value = offset + 3;
    let code = value.ilog2();
    let stream = Bits::default().put(value - (1 << code), code).finish();
    block(b"ab", &sequences(1, [2, u8::try_from(code).unwrap(), 0], &stream))
}

/// The bytes that these digits stand for; spaces are for the reader.
///
/// # Panics
/// For anything but pairs of digits.
#[must_use]
pub fn from_hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect()
}
