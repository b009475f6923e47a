//! `Sequences_Section` (RFC 8878, 3.1.1.3.2) and the execution of sequences as far as it needs no bytes (3.1.1.4).

use super::bits::BackwardBits;
use super::fse::{Distribution, SYMBOLS_MAX, Table};
use super::history::History;
use super::{Fault, Sink};
use crate::ErrorKind;

/// Literals length codes 16 to 35 (RFC 8878, table 15): bits to read.
const LITERALS_LENGTH_BITS: [u8; 20] = [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
/// Match length codes 32 to 52 (RFC 8878, table 16): bits to read.
const MATCH_LENGTH_BITS: [u8; 21] = [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

/// Where the lengths of each code begin, from the first one on: codes without bits stand for one length each.
const fn baselines(first: u32, plain: usize, bits: &[u8]) -> [u32; SYMBOLS_MAX] {
    let mut baselines = [0; SYMBOLS_MAX];
    let mut baseline = first;
    let mut code = 0;
    let mut left = bits;
    let mut rest: &mut [u32] = &mut baselines;
    while let [place, more @ ..] = rest {
        *place = baseline;
        let bits = match left {
            _ if code < plain => 0,
            [bits, others @ ..] => {
                left = others;
                *bits as u32
            }
            [] => break,
        };
        baseline = baseline.wrapping_add(1u32.wrapping_shl(bits));
        code = code.wrapping_add(1);
        rest = more;
    }
    baselines
}

/// How many bits each code reads besides: none for the plain ones.
const fn extra_bits(plain: usize, bits: &[u8]) -> [u8; SYMBOLS_MAX] {
    let mut all = [0; SYMBOLS_MAX];
    let (_, coded) = all.split_at_mut(plain);
    let (coded, _) = coded.split_at_mut(bits.len());
    coded.copy_from_slice(bits);
    all
}

/// Literals length codes below this stand for one length each, and so do match length codes below [`MATCH_LENGTHS_PLAIN`].
const LITERALS_LENGTHS_PLAIN: usize = 16;
const MATCH_LENGTHS_PLAIN: usize = 32;

static LITERALS_LENGTHS: [u32; SYMBOLS_MAX] = baselines(0, LITERALS_LENGTHS_PLAIN, &LITERALS_LENGTH_BITS);
static MATCH_LENGTHS: [u32; SYMBOLS_MAX] = baselines(3, MATCH_LENGTHS_PLAIN, &MATCH_LENGTH_BITS);

static LITERALS_LENGTH_EXTRA: [u8; SYMBOLS_MAX] = extra_bits(LITERALS_LENGTHS_PLAIN, &LITERALS_LENGTH_BITS);
static MATCH_LENGTH_EXTRA: [u8; SYMBOLS_MAX] = extra_bits(MATCH_LENGTHS_PLAIN, &MATCH_LENGTH_BITS);
/// An offset code is the number of its bits.
static OFFSET_EXTRA: [u8; SYMBOLS_MAX] = {
    let mut extra = [0; SYMBOLS_MAX];
    let mut rest: &mut [u8] = &mut extra;
    let mut code = 0;
    while let [place, more @ ..] = rest {
        *place = code;
        code = code.wrapping_add(1);
        rest = more;
    }
    extra
};

static DEFAULT_LITERALS_LENGTHS: Distribution = Distribution::predefined(
    &[4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
    6,
);
static DEFAULT_MATCH_LENGTHS: Distribution = Distribution::predefined(
    &[
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
    6,
);
static DEFAULT_OFFSETS: Distribution = Distribution::predefined(
    &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
    5,
);

/// What a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// No block of the frame has given it, and no dictionary.
    Nothing,
    Predefined,
    Described,
}

/// A table with what is known of it.
#[derive(Clone, Debug)]
struct Kept<const N: usize> {
    table: Table<N>,
    origin: Origin,
}

/// What the format says of a kind of code.
struct Codes {
    symbol_max: u8,
    accuracy_log_max: u32,
    predefined: &'static Distribution,
    /// How many more bits belong to a code.
    extra: &'static [u8; SYMBOLS_MAX],
}

static LITERALS_LENGTH_CODES: Codes =
    Codes { symbol_max: 35, accuracy_log_max: 9, predefined: &DEFAULT_LITERALS_LENGTHS, extra: &LITERALS_LENGTH_EXTRA };
/// The format has no largest offset code. 63 is as far as 64 bits go, and past any window.
static OFFSET_CODES: Codes =
    Codes { symbol_max: 63, accuracy_log_max: 8, predefined: &DEFAULT_OFFSETS, extra: &OFFSET_EXTRA };
static MATCH_LENGTH_CODES: Codes =
    Codes { symbol_max: 52, accuracy_log_max: 9, predefined: &DEFAULT_MATCH_LENGTHS, extra: &MATCH_LENGTH_EXTRA };

impl<const N: usize> Kept<N> {
    const fn new() -> Self {
        Self { table: Table::new(), origin: Origin::Nothing }
    }

    /// Makes the table that a `Compression_Mode` asks for, and returns how many bytes its description takes.
    fn set(&mut self, mode: u8, bytes: &[u8], codes: &Codes) -> Result<usize, ErrorKind> {
        match mode & 3 {
            0 => {
                if self.origin != Origin::Predefined {
                    self.table.build(codes.predefined, codes.extra);
                    self.origin = Origin::Predefined;
                }
                Ok(0)
            }
            1 => {
                let &symbol = bytes.first().ok_or(ErrorKind::SequencesHeader)?;
                if symbol > codes.symbol_max {
                    return Err(ErrorKind::RleSymbol { symbol, maximum: codes.symbol_max });
                }
                self.table.set_single(symbol, codes.extra);
                self.origin = Origin::Described;
                Ok(1)
            }
            2 => {
                let mut distribution = Distribution::new();
                let size = distribution.read(bytes, codes.symbol_max, codes.accuracy_log_max)?;
                self.table.build(&distribution, codes.extra);
                self.origin = Origin::Described;
                Ok(size)
            }
            _ if self.origin == Origin::Nothing => Err(ErrorKind::RepeatFirst),
            _ => Ok(0),
        }
    }

    fn describe(&mut self, bytes: &[u8], codes: &Codes) -> Result<usize, ErrorKind> {
        self.set(2, bytes, codes)
    }
}

/// The tables of sequences, which live on from block to block.
#[derive(Clone, Debug)]
pub(super) struct Tables {
    literals_lengths: Kept<512>,
    offsets: Kept<256>,
    match_lengths: Kept<512>,
}

impl Tables {
    pub(super) const fn new() -> Self {
        Self { literals_lengths: Kept::new(), offsets: Kept::new(), match_lengths: Kept::new() }
    }

    /// Forgets what a frame before gave.
    pub(super) fn reset(&mut self) {
        for origin in [&mut self.literals_lengths.origin, &mut self.offsets.origin, &mut self.match_lengths.origin] {
            *origin = Origin::Nothing;
        }
    }

    /// Reads the tables of a dictionary, and returns how many bytes they take.
    pub(super) fn read_dictionary(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        let mut at = self.offsets.describe(bytes, &OFFSET_CODES)?;
        let rest = |at: usize| bytes.get(at..).unwrap_or_default();
        at = at.saturating_add(self.match_lengths.describe(rest(at), &MATCH_LENGTH_CODES)?);
        at = at.saturating_add(self.literals_lengths.describe(rest(at), &LITERALS_LENGTH_CODES)?);
        Ok(at)
    }
}

/// Checks the sequences of a block that come after its literals, and returns how much the block makes.
///
/// # Errors
/// S01 to S11.
pub(super) fn check(
    section: &[u8],
    literals: u32,
    block_maximum_size: u32,
    tables: &mut Tables,
    history: &mut History,
    sink: &mut impl Sink,
) -> Result<u32, Fault> {
    let at_header = |kind| Fault { at: 0, kind };
    let (count, mut at) = match *section {
        [count @ 0..=127, ..] => (u32::from(count), 1),
        [high @ 128..=254, low, ..] => (u32::from(u16::from_be_bytes([high & 0x7F, low])), 2),
        [u8::MAX, low, high, ..] => (u32::from(u16::from_le_bytes([low, high])).saturating_add(0x7F00), 3),
        _ => return Err(at_header(ErrorKind::SequencesHeader)),
    };
    if count == 0 {
        if section.len() > at {
            return Err(Fault { at, kind: ErrorKind::AfterNoSequences });
        }
        sink.literals(literals);
        return Ok(literals);
    }
    let Some(&modes) = section.get(at) else { return Err(at_header(ErrorKind::SequencesHeader)) };
    if modes & 3 != 0 {
        return Err(Fault { at, kind: ErrorKind::ReservedModes });
    }
    at = at.saturating_add(1);
    let rest = |at: usize| section.get(at..).unwrap_or_default();
    let fault = |at: usize| move |kind| Fault { at, kind };
    let Tables { literals_lengths, offsets, match_lengths } = tables;
    at = at.saturating_add(literals_lengths.set(modes >> 6, rest(at), &LITERALS_LENGTH_CODES).map_err(fault(at))?);
    at = at.saturating_add(offsets.set(modes >> 4, rest(at), &OFFSET_CODES).map_err(fault(at))?);
    at = at.saturating_add(match_lengths.set(modes >> 2, rest(at), &MATCH_LENGTH_CODES).map_err(fault(at))?);
    let bits = BackwardBits::new(rest(at)).ok_or(Fault { at, kind: ErrorKind::SequencesStream })?;
    let running = Running { tables, bits, count, literals, block_maximum_size };
    running.run(history, sink).map_err(fault(at))
}

/// Sequences on their way.
struct Running<'a> {
    tables: &'a Tables,
    bits: BackwardBits<'a>,
    count: u32,
    literals: u32,
    block_maximum_size: u32,
}

impl Running<'_> {
    /// Every sequence makes three bytes at least, so the block maximum bounds the work, whatever the count says.
    #[expect(clippy::indexing_slicing, reason = "symbols are masked to the tables of lengths")]
    #[expect(clippy::arithmetic_side_effects, reason = "lengths are below 2^18 each, and sums are held to the maximum")]
    fn run(self, history: &mut History, sink: &mut impl Sink) -> Result<u32, ErrorKind> {
        let Self { tables, mut bits, count, literals, block_maximum_size } = self;
        let (literals_lengths, offsets, match_lengths) =
            (&tables.literals_lengths.table, &tables.offsets.table, &tables.match_lengths.table);
        let mut literals_state = bits.read(literals_lengths.accuracy_log()) as u32;
        let mut offset_state = bits.read(offsets.accuracy_log()) as u32;
        let mut match_state = bits.read(match_lengths.accuracy_log()) as u32;
        let mut repeat_offsets = history.repeat_offsets();
        let mut literals_left = literals;
        // All literals, and the matches so far.
        let mut made = literals;
        let mut sequences_left = count;
        let mut before_frame = None;
        loop {
            let literals_entry = literals_lengths.entry(literals_state);
            let offset_entry = offsets.entry(offset_state);
            let match_entry = match_lengths.entry(match_state);
            let (literals_bits, offset_bits, match_bits) =
                (literals_entry.extra(), offset_entry.extra(), match_entry.extra());

            let all_bits = offset_bits + match_bits + literals_bits;
            let state_bits = literals_entry.bits() + match_entry.bits() + offset_entry.bits();

            bits.refill();
            let [offset_more, match_more, literals_more];
            // Of 57 bits, states take 26 at most.
            if all_bits <= 31 {
                [offset_more, match_more, literals_more] =
                    bits.read_three([offset_bits, match_bits, literals_bits], all_bits);
            } else {
                (bits, [offset_more, match_more, literals_more]) =
                    read_long(bits, offset_bits, match_bits, literals_bits);
            }
            let offset_value = (1u64 << offset_bits) + offset_more;
            let match_length = MATCH_LENGTHS[usize::from(match_entry.symbol())] + match_more as u32;
            let literals_length = LITERALS_LENGTHS[usize::from(literals_entry.symbol())] + literals_more as u32;
            if bits.left() < 0 {
                return Err(ErrorKind::SequencesStream);
            }
            if literals_length > literals_left {
                return Err(ErrorKind::LiteralsLength { length: literals_length, left: literals_left });
            }
            literals_left -= literals_length;
            let before_match = made - literals_left;
            made += match_length;
            if made > block_maximum_size {
                return Err(ErrorKind::BlockMakesTooMuch { maximum: block_maximum_size });
            }
            let offset = repeat_offsets.next(offset_value, literals_length);
            match history.check(offset, u64::from(before_match)) {
                // With a dictionary it may be right: a fault that no dictionary mends is still to be looked for.
                Err(kind @ ErrorKind::OffsetBeforeFrame { .. }) => _ = before_frame.get_or_insert(kind),
                result => result?,
            }
            sink.literals(literals_length);
            sink.copy(offset, match_length);

            sequences_left -= 1;
            if sequences_left == 0 {
                break;
            }
            let [literals_more, match_more, offset_more] =
                bits.read_three([literals_entry.bits(), match_entry.bits(), offset_entry.bits()], state_bits);
            literals_state = literals_entry.baseline() + literals_more as u32;
            match_state = match_entry.baseline() + match_more as u32;
            offset_state = offset_entry.baseline() + offset_more as u32;
        }
        if bits.left() != 0 {
            return Err(ErrorKind::SequencesStream);
        }
        history.keep(repeat_offsets);
        sink.literals(literals_left);
        before_frame.map_or(Ok(made), Err)
    }
}

/// What offsets, match lengths and literals lengths read beside their codes, where that takes more than one refill; the
/// reader comes back refilled. The reader goes by value, so that the loop may keep it in registers.
#[cold]
#[inline(never)]
fn read_long(
    mut bits: BackwardBits<'_>,
    offset_bits: u32,
    match_bits: u32,
    literals_bits: u32,
) -> (BackwardBits<'_>, [u64; 3]) {
    let mut read = |count| {
        let read = bits.read(count);
        bits.refill();
        read
    };
    let high_bits = offset_bits.saturating_sub(31);
    let high = read(high_bits);
    let low = read(offset_bits.saturating_sub(high_bits));
    let (match_more, literals_more) = (read(match_bits), read(literals_bits));
    (bits, [high << 31 | low, match_more, literals_more])
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "tests")]
mod tests {
    use super::{
        DEFAULT_LITERALS_LENGTHS, DEFAULT_MATCH_LENGTHS, DEFAULT_OFFSETS, Distribution, LITERALS_LENGTH_EXTRA,
        LITERALS_LENGTHS, MATCH_LENGTH_EXTRA, MATCH_LENGTHS, OFFSET_EXTRA, SYMBOLS_MAX, Table,
    };

    /// The symbols of a table's states.
    fn symbols<const N: usize>(distribution: &Distribution, extra: &[u8; SYMBOLS_MAX]) -> [u8; N] {
        let mut table = Table::<N>::new();
        table.build(distribution, extra);
        core::array::from_fn(|state| table.entry(state as u32).symbol())
    }

    #[test]
    fn predefined_tables_are_those_of_the_format() {
        // Appendix A of RFC 8878 and of the format document.
        assert_eq!(
            symbols::<64>(&DEFAULT_LITERALS_LENGTHS, &LITERALS_LENGTH_EXTRA),
            [
                0, 0, 1, 3, 4, 6, 7, 9, 10, 12, 14, 16, 18, 19, 21, 22, 24, 25, 26, 27, 29, 31, 0, 1, 2, 4, 5, 7, 8,
                10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 25, 26, 28, 30, 0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 15, 17, 18, 20,
                21, 23, 24, 35, 34, 33, 32
            ]
        );
        assert_eq!(
            symbols::<64>(&DEFAULT_MATCH_LENGTHS, &MATCH_LENGTH_EXTRA),
            [
                0, 1, 2, 3, 5, 6, 8, 10, 13, 16, 19, 22, 25, 28, 31, 33, 35, 37, 39, 41, 43, 45, 1, 2, 3, 4, 6, 7, 9,
                12, 15, 18, 21, 24, 27, 30, 32, 34, 36, 38, 40, 42, 44, 1, 1, 2, 4, 5, 7, 8, 11, 14, 17, 20, 23, 26,
                29, 52, 51, 50, 49, 48, 47, 46
            ]
        );
        assert_eq!(
            symbols::<32>(&DEFAULT_OFFSETS, &OFFSET_EXTRA),
            [
                0, 6, 9, 15, 21, 3, 7, 12, 18, 23, 5, 8, 14, 20, 2, 7, 11, 17, 22, 4, 8, 13, 19, 1, 6, 10, 16, 28, 27,
                26, 25, 24
            ]
        );
    }

    #[test]
    fn lengths_are_those_of_the_format() {
        for (code, baseline, bits) in
            [(0, 0, 0), (15, 15, 0), (16, 16, 1), (24, 48, 4), (25, 64, 6), (26, 128, 7), (35, 65536, 16)]
        {
            assert_eq!((LITERALS_LENGTHS[code], LITERALS_LENGTH_EXTRA[code]), (baseline, bits), "{code}");
        }
        for (code, baseline, bits) in
            [(0, 3, 0), (31, 34, 0), (32, 35, 1), (42, 99, 5), (43, 131, 7), (44, 259, 8), (52, 65539, 16)]
        {
            assert_eq!((MATCH_LENGTHS[code], MATCH_LENGTH_EXTRA[code]), (baseline, bits), "{code}");
        }
        assert!((0..).zip(OFFSET_EXTRA).all(|(code, bits)| bits == code));
    }
}
