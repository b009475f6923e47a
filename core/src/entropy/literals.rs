//! `Literals_Section` (RFC 8878, 3.1.1.3.1).

use super::huffman::Huffman;
use super::{Depth, Fault};
use crate::ErrorKind;

/// `Literals_Section_Header`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    kind: Kind,
    size: usize,
    regenerated_size: u32,
    /// Of Huffman-coded literals.
    compressed_size: u32,
    four_streams: bool,
}

/// `Literals_Block_Type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Raw,
    Rle,
    Compressed,
    Treeless,
}

impl Header {
    /// # Errors
    /// L01 where the block ends inside of it.
    fn parse(block: &[u8]) -> Result<Self, ErrorKind> {
        let mut word = [0; 8];
        for (to, &from) in word.iter_mut().zip(block).take(5) {
            *to = from;
        }
        let word = u64::from_le_bytes(word);
        let field = |from: u32, bits: u32| (word.wrapping_shr(from) & 1u64.wrapping_shl(bits).wrapping_sub(1)) as u32;
        let kind = match field(0, 2) {
            0 => Kind::Raw,
            1 => Kind::Rle,
            2 => Kind::Compressed,
            _ => Kind::Treeless,
        };
        let coded = matches!(kind, Kind::Compressed | Kind::Treeless);
        let (size, regenerated_size, compressed_size) = match (coded, field(2, 2)) {
            (false, 0 | 2) => (1, field(3, 5), 0),
            (false, 1) => (2, field(4, 12), 0),
            (false, _) => (3, field(4, 20), 0),
            (true, 0 | 1) => (3, field(4, 10), field(14, 10)),
            (true, 2) => (4, field(4, 14), field(18, 14)),
            (true, _) => (5, field(4, 18), field(22, 18)),
        };
        if block.len() < size {
            return Err(ErrorKind::LiteralsHeader);
        }
        let four_streams = coded && field(2, 2) != 0;
        Ok(Self { kind, size, regenerated_size, compressed_size, four_streams })
    }
}

/// Literals that were checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Literals {
    /// How many there are.
    pub(super) count: u32,
    /// How much of the block they take.
    pub(super) size: usize,
}

/// Checks the literals at the front of a block. `tree` is the tree of the frame so far, if there is one.
///
/// # Errors
/// L01 to L11.
pub(super) fn check(
    block: &[u8],
    block_maximum_size: u32,
    huffman: &mut Huffman,
    tree: &mut bool,
    depth: Depth,
) -> Result<Literals, Fault> {
    let header = Header::parse(block).map_err(|kind| Fault { at: 0, kind })?;
    let at_header = |kind| Fault { at: 0, kind };
    let count = header.regenerated_size;
    if count > block_maximum_size {
        return Err(at_header(ErrorKind::LiteralsTooMany { size: count, maximum: block_maximum_size }));
    }
    let body = block.get(header.size..).unwrap_or_default();
    let stored = match header.kind {
        Kind::Raw => count,
        Kind::Rle => 1,
        Kind::Compressed | Kind::Treeless => header.compressed_size,
    };
    let stored = usize::try_from(stored).unwrap_or(usize::MAX);
    let Some(mut body) = body.get(..stored) else { return Err(at_header(ErrorKind::LiteralsSize)) };
    let mut at = header.size;
    let size = at.saturating_add(stored);
    match header.kind {
        Kind::Raw | Kind::Rle => return Ok(Literals { count, size }),
        Kind::Compressed => {
            let tree_size = huffman.read(body).map_err(|kind| Fault { at, kind })?;
            *tree = true;
            body = body.get(tree_size..).unwrap_or_default();
            at = at.saturating_add(tree_size);
        }
        Kind::Treeless if !*tree => return Err(at_header(ErrorKind::TreelessFirst)),
        Kind::Treeless => {}
    }
    if header.four_streams {
        four_streams(body, count, huffman, depth).map_err(|kind| Fault { at, kind })?;
    } else {
        if body.is_empty() {
            return Err(Fault { at, kind: ErrorKind::LiteralsWithoutStream });
        }
        if depth == Depth::Streams {
            huffman.run(body, count as usize, |_| {}).map_err(|kind| Fault { at, kind })?;
        }
    }
    Ok(Literals { count, size })
}

/// `Jump_Table` and four streams: each of the first three has a quarter of the literals, rounded up.
fn four_streams(body: &[u8], count: u32, huffman: &Huffman, depth: Depth) -> Result<(), ErrorKind> {
    if count < 6 {
        return Err(ErrorKind::LiteralsTooFew { size: count });
    }
    let broken = ErrorKind::JumpTable;
    let (&jump, mut rest) = body.split_first_chunk::<6>().ok_or(broken)?;
    let [a0, a1, b0, b1, c0, c1] = jump;
    let mut streams = [&[][..]; 4];
    let [one, two, three, four] = &mut streams;
    for (stream, size) in [(one, [a0, a1]), (two, [b0, b1]), (three, [c0, c1])] {
        (*stream, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(size))).ok_or(broken)?;
    }
    *four = rest;
    if streams.iter().any(|stream| stream.is_empty()) {
        return Err(broken);
    }
    if depth == Depth::Sizes {
        return Ok(());
    }
    let each = count.div_ceil(4) as usize;
    let last = (count as usize).saturating_sub(each.saturating_mul(3));
    huffman.run_four(streams, each, last, |_, _| {})
}
