//! The offset codes that a stream's tables have. Codes past 31 are valid and past what other decoders take (SPEC-NOTES.md,
//! 3.13), so they are looked for on their own, in streams that are valid.

use zvet_core::{BlockKind, Event};

use crate::walk::walk;

/// The largest offset code in any table of a stream, as far as it is valid; 0 where no block describes one.
pub fn largest(stream: &[u8]) -> u8 {
    let (events, _) = walk(stream);
    let in_block = |event: &Event| match event {
        Event::Block(block) if block.header.kind == BlockKind::Compressed => {
            let start = usize::try_from(block.offset).unwrap() + 3;
            largest_of_block(stream.get(start..start + block.header.size as usize)?)
        }
        _ => None,
    };
    events.iter().filter_map(in_block).max().unwrap_or(0)
}

fn largest_of_block(block: &[u8]) -> Option<u8> {
    let section = block.get(literals_size(block)..)?;
    let (count, at) = match *section.first()? {
        count @ 0..=127 => (usize::from(count), 1),
        high @ 128..=254 => (usize::from(high & 127) << 8 | usize::from(*section.get(1)?), 2),
        255 => (usize::MAX, 3),
    };
    if count == 0 {
        return None;
    }
    let modes = *section.get(at)?;
    let mut rest = section.get(at + 1..)?;
    match modes >> 6 {
        1 => rest = rest.get(1..)?,
        2 => rest = rest.get(description(rest)?.1..)?,
        _ => {}
    }
    match modes >> 4 & 3 {
        1 => rest.first().copied(),
        2 => Some(description(rest)?.0),
        _ => None,
    }
}

/// Size of `Literals_Section`.
pub fn literals_size(block: &[u8]) -> usize {
    let mut word = [0; 8];
    word.iter_mut().zip(block).take(5).for_each(|(to, &from)| *to = from);
    let word = u64::from_le_bytes(word);
    let field = |from: u32, bits: u32| usize::try_from(word >> from & ((1 << bits) - 1)).unwrap();
    let (kind, format) = (field(0, 2), field(2, 2));
    let (header, bits) = match (kind, format) {
        (0 | 1, 0 | 2) => (1, 5),
        (0 | 1, 1) => (2, 12),
        (0 | 1, _) => (3, 20),
        (_, 0 | 1) => (3, 10),
        (_, 2) => (4, 14),
        _ => (5, 18),
    };
    let stored = match kind {
        0 => field(if bits == 5 { 3 } else { 4 }, bits),
        1 => 1,
        _ => field(4 + bits, bits),
    };
    header + stored
}

/// The last symbol of a description of an FSE table, and how many bytes the description takes.
fn description(bytes: &[u8]) -> Option<(u8, usize)> {
    let bit = |at: u32| bytes.get(at as usize / 8).map_or(0, |byte| u32::from(byte >> (at % 8) & 1));
    let field = |at: u32, count: u32| (0..count).fold(0, |field, place| field | bit(at + place) << place);
    let (mut at, mut left, mut symbols) = (4, 32u32 << field(0, 4), 0u32);
    while left > 0 {
        // Values of 0 to left + 1, of which the first ones take a bit less.
        let values = left + 2;
        let bits = (values - 1).ilog2() + 1;
        let shorter = (1 << bits) - values;
        let mut value = field(at, bits - 1);
        if value < shorter {
            at += bits - 1;
        } else {
            value = field(at, bits);
            value -= if value >= 1 << (bits - 1) { shorter } else { 0 };
            at += bits;
        }
        symbols += 1;
        match value {
            0 => left -= 1,
            1 => loop {
                let zeros = field(at, 2);
                at += 2;
                symbols += zeros;
                if zeros < 3 {
                    break;
                }
            },
            _ => left = left.checked_sub(value - 1)?,
        }
    }
    Some((u8::try_from(symbols.checked_sub(1)?).ok()?, at.div_ceil(8) as usize))
}

#[cfg(test)]
mod tests {
    use super::largest;
    use crate::bytes::from_hex;

    #[test]
    fn codes_of_tables_are_found() {
        // A described table with code 32; one with codes 0 and 1; one code; predefined tables; no sequences.
        for (stream, code) in [
            ("28b52ffd 00 00 f50000 10616201202108822008218410420821841042082184104208217e111616", 32),
            ("28b52ffd 00 00 450000 106162 01 20 103f 01", 1),
            ("28b52ffd 00 00 450000 1061620154020200", 2),
            ("28b52ffd 00 00 450000 1061620100888b05", 0),
            ("28b52ffd 00 00 150000 0000", 0),
        ] {
            assert_eq!(largest(&from_hex(stream)), code, "{stream}");
        }
    }
}
