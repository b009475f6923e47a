//! The rules of the inside of compressed blocks, by their ids. `SPEC-NOTES.md` has the sections of the format that they
//! come from.

use zvet_core::entropy::{Depth, Dictionary, EntropyWalker, Workspace};
use zvet_core::{Bounds, Class, Decode, Error, ErrorKind, Location, Proof, Reason, Walker};
use zvet_tests::bytes::{
    Bits, W_1K, W_64M, W_128K, block, block_header, coded_literals, compressed, compressed_rle, four_streams as four,
    frame, from_hex, hello, huffman_literals, one_match, only, raw, raw_literals, rle, sequences, sized_header,
    skippable, unsized_header,
};
use zvet_tests::corpus;
use zvet_tests::data::Lcg;
use zvet_tests::inside::{Walked, walk, walk_in_pieces, walk_pieces};
use zvet_tests::libzstd::Decoder;

/// A frame of raw blocks before, and one compressed block that is the last.
fn with_block(header: &[u8], before: &[u8], block: &[u8]) -> Vec<u8> {
    let mut blocks: Vec<_> = before.chunks(1000).map(|piece| raw(false, piece)).collect();
    blocks.push(compressed(true, block));
    frame(header, &blocks)
}

/// The size that a block makes.
fn makes(block: &[u8]) -> u64 {
    let walked = walk(&with_block(&unsized_header(W_1K), b"", block));
    assert_eq!((walked.result, walked.undecided), (Ok(()), None));
    walked.frames[0].exact_size.unwrap()
}

/// The rule that a block breaks, at this byte of its content.
#[track_caller]
fn breaks(block: &[u8], rule: &str, at: u64) -> ErrorKind {
    let stream = with_block(&unsized_header(W_1K), b"", block);
    let error = walk(&stream).result.expect_err("a rule is broken");
    assert_eq!(error.rule(), rule, "{error}");
    assert_eq!(error.at, Location { offset: 6 + 3 + at, frame: 0, block: Some(0) }, "{error}");
    assert_eq!(error.class(), Class::Invalid);
    error.kind
}

#[test]
fn l01_literals_of_any_header_form_are_read() {
    assert_eq!(makes(&only(&raw_literals(b"hello"))), 5);
    // Raw of 12 and of 20 bits, RLE of 5, 12 and 20 bits.
    assert_eq!(makes(b"\x54\x00hello\x00"), 5);
    assert_eq!(makes(b"\x5C\x00\x00hello\x00"), 5);
    assert_eq!(makes(b"\xF9x\x00"), 31);
    assert_eq!(makes(b"\x05\x3Ex\x00"), 0x3E0);
    assert_eq!(makes(b"\x0D\x40\x00x\x00"), 0x400);
}

#[test]
fn l01_a_block_that_ends_inside_of_the_header_is_refused() {
    // Two bytes are the least that a compressed block has.
    for header in [&b"\x0C\x00"[..], b"\x02\x00", b"\x0A\x00\x00", b"\x0E\x00\x00\x00"] {
        breaks(header, "L01", 0);
    }
}

#[test]
fn l02_literals_are_held_to_the_block_maximum() {
    assert_eq!(makes(b"\x0D\x40\x00x\x00"), 1024);
    let kind = breaks(b"\x1D\x40\x00x\x00", "L02", 0);
    assert_eq!(kind, ErrorKind::LiteralsTooMany { size: 1025, maximum: 1024 });
}

#[test]
fn l03_literals_that_do_not_fit_the_block_are_refused() {
    breaks(b"\x28hell", "L03", 0);
    breaks(b"\x05\x00", "L03", 0);
    breaks(&coded_literals(2, 0, 4, &[128, 0x10, 1])[..5], "L03", 0);
}

#[test]
fn l04_huffman_literals_have_a_stream() {
    let tree_alone = only(&coded_literals(2, 0, 4, &[128, 0x10]));
    breaks(&tree_alone, "L04", 5);
    // No literals at all are one byte that is the end mark.
    assert_eq!(makes(&only(&huffman_literals(0, &[1]))), 0);
    assert_eq!(makes(&only(&huffman_literals(3, &[0b1010]))), 3);
}

#[test]
fn l05_four_streams_are_for_six_literals_at_least() {
    let streams = |count: u16| {
        let each = usize::from(count.div_ceil(4));
        let last = usize::from(count) - 3 * each;
        let stream = |count: usize| Bits::default().put(0, u32::try_from(count).unwrap()).finish();
        let body = four([&stream(each), &stream(each), &stream(each), &stream(last)]);
        only(&coded_literals(2, 1, count, &[&[128, 0x10][..], &body].concat()))
    };
    for count in [6, 7, 8, 9, 40, 1023] {
        assert_eq!(makes(&streams(count)), u64::from(count));
    }
    let five = only(&coded_literals(2, 1, 5, &[&[128, 0x10][..], &four([&[4], &[4], &[2], &[1]])].concat()));
    assert_eq!(breaks(&five, "L05", 5), ErrorKind::LiteralsTooFew { size: 5 });
}

#[test]
fn l05_each_of_four_streams_has_its_quarter() {
    // 16 literals as 4, 4, 4, 4, and as 3, 5, 4, 4.
    let stream = |count| Bits::default().put(0, count).finish();
    for (counts, valid) in [([4, 4, 4, 4], true), ([3, 5, 4, 4], false), ([4, 4, 5, 3], false)] {
        let [one, two, three, last] = counts.map(stream);
        let literals = coded_literals(2, 1, 16, &[&[128, 0x10][..], &four([&one, &two, &three, &last])].concat());
        if valid {
            assert_eq!(makes(&only(&literals)), 16);
        } else {
            breaks(&only(&literals), "L11", 5);
        }
    }
}

#[test]
fn l06_the_jump_table_gives_every_stream_a_byte_and_no_more_than_there_are() {
    let tree = [128, 0x10];
    let with = |jump: [u8; 6], streams: &[u8]| only(&coded_literals(2, 1, 8, &[&tree[..], &jump, streams].concat()));
    assert_eq!(makes(&with([1, 0, 1, 0, 1, 0], &[4, 4, 4, 4])), 8);
    breaks(&with([0, 0, 1, 0, 1, 0], &[4, 4, 4]), "L06", 5);
    breaks(&with([1, 0, 1, 0, 2, 0], &[4, 4, 4, 4]), "L06", 5);
    breaks(&with([1, 0, 0xFF, 0xFF, 1, 0], &[4, 4, 4, 4]), "L06", 5);
    breaks(&only(&coded_literals(2, 1, 8, &[&tree[..], &[1, 0, 1, 0, 1]].concat())), "L06", 5);
}

#[test]
fn l07_treeless_literals_use_the_tree_before_and_never_that_of_another_frame() {
    let tree = compressed(false, &only(&huffman_literals(3, &[0b1010])));
    let treeless = compressed(true, &only(&coded_literals(3, 0, 3, &[0b1111])));
    let between = [raw(false, b"raw"), rle(false, 0, 3), compressed(false, &only(&raw_literals(b"literals")))];
    let blocks = [std::slice::from_ref(&tree), &between, std::slice::from_ref(&treeless)].concat();
    let stream = frame(&unsized_header(W_1K), &blocks);
    assert_eq!(walk(&stream).frames[0].exact_size, Some(3 + 3 + 3 + 8 + 3));

    let mut first = tree;
    first[0] |= 1;
    let two = [frame(&unsized_header(W_1K), &[first]), frame(&unsized_header(W_1K), &[treeless])].concat();
    let walked = walk(&two);
    assert_eq!(walked.undecided.unwrap().rule(), "D02", "it may come from a dictionary");
    // With a dictionary that has no tree, it does not.
    let raw_dictionary = Dictionary::raw(b"content");
    let walked = walk_in_pieces(&two, usize::MAX, Depth::Streams, &[raw_dictionary]);
    assert_eq!(walked.result.unwrap_err().rule(), "L07");
}

#[test]
fn l08_a_tree_that_does_not_fit_its_literals_is_refused() {
    // Direct weights of three bytes, two of them there; coded ones of five.
    breaks(&only(&coded_literals(2, 0, 3, &[132, 0x11, 0x11])), "L08", 3);
    breaks(&only(&coded_literals(2, 0, 3, &[5, 0x11, 0x11])), "L08", 3);
}

#[test]
fn l09_weights_make_a_tree() {
    let with = |weights: &[u8], stream: &[u8]| {
        let header = u8::try_from(weights.len()).unwrap() + 127;
        let packed = weights.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0));
        let tree: Vec<u8> = [header].into_iter().chain(packed).collect();
        only(&coded_literals(2, 0, 0, &[&tree[..], stream].concat()))
    };
    let deepest: Vec<u8> = (1..=11).collect();
    for weights in [&[1][..], &[1, 1], &[2, 1], &[4, 3, 2, 0, 1], &deepest[..10], &deepest, &[0, 0, 1]] {
        assert_eq!(makes(&with(weights, &[1])), 0, "{weights:?}");
    }
    for weights in [
        // None; one that is no power of two short; none of weight 1; a weight and a depth of 12; only zeros.
        &[4, 1, 1][..],
        &[2],
        &[2, 2, 2],
        &[12],
        &[&deepest[..], &[11]].concat(),
        &[0],
        &[0; 8],
    ] {
        breaks(&with(weights, &[1]), "L09", 3);
    }
}

#[test]
fn l10_coded_weights_are_a_table_and_a_stream() {
    // Accuracy 5, symbols 0 and 1 with 16 of 32 states each; two states of five bits, and updates of a bit each.
    let table = [0x10, 0x3F];
    let with = |table: &[u8], stream: &[u8]| {
        let size = u8::try_from(table.len() + stream.len()).unwrap();
        only(&coded_literals(2, 0, 0, &[&[size][..], table, stream, &[1]].concat()))
    };
    // Only the initial states: one symbol each, and the first update is past the end.
    let states = |one: u64, two: u64| Bits::default().put(two, 5).put(one, 5).finish();
    let weights = (0..32).map(|state| makes_or_rule(&with(&table, &states(state, state)))).collect::<Vec<_>>();
    assert!(weights.contains(&"ok".to_owned()), "states of weight 1 make a tree: {weights:?}");
    assert!(weights.contains(&"L09".to_owned()), "states of weight 0 make none: {weights:?}");
    breaks(&with(&table, &Bits::default().put(0, 9).finish()), "L10", 3);
    breaks(&with(&table, &[]), "L10", 3);
    breaks(&with(&table, &[0]), "L10", 3);
    // Accuracy 7.
    breaks(&with(&[0x12, 0x3F], &states(0, 0)), "L10", 3);
    breaks(&only(&coded_literals(2, 0, 0, &[0, 1])), "L10", 3);
}

fn makes_or_rule(block: &[u8]) -> String {
    match walk(&with_block(&unsized_header(W_1K), b"", block)).result {
        Ok(()) => "ok".to_owned(),
        Err(error) => error.rule().to_owned(),
    }
}

#[test]
fn l11_a_stream_of_literals_ends_exactly_where_they_do() {
    assert_eq!(makes(&only(&huffman_literals(7, &[0x80]))), 7);
    breaks(&only(&huffman_literals(6, &[0x80])), "L11", 5);
    breaks(&only(&huffman_literals(8, &[0x80])), "L11", 5);
    breaks(&only(&huffman_literals(7, &[0x80, 0])), "L11", 5);
    assert_eq!(makes(&only(&huffman_literals(15, &[0, 0x80]))), 15);
    breaks(&only(&huffman_literals(14, &[0, 0x80])), "L11", 5);
    breaks(&only(&huffman_literals(1000, &[0x80])), "L11", 5);
}

#[test]
fn l11_is_not_looked_for_by_the_size_walk() {
    let stream = with_block(&unsized_header(W_1K), b"", &only(&huffman_literals(8, &[0x80])));
    let walked = walk_in_pieces(&stream, usize::MAX, Depth::Sizes, &[]);
    assert_eq!((walked.result, walked.frames[0].exact_size), (Ok(()), Some(8)));
}

#[test]
fn s01_counts_of_any_form_are_read_and_nothing_follows_none() {
    for none in [&[0][..], &[0x80, 0]] {
        assert_eq!(makes(&block(b"hello", none)), 5);
        breaks(&block(b"hello", &[none, &[0]].concat()), "S01", 6 + none.len() as u64);
    }
    let header = sequences(1, [2, 2, 0], &Bits::default().put(1, 2).finish());
    for count in [&[1][..], &[0x80, 1]] {
        assert_eq!(makes(&block(b"ab", &[count, &header[1..]].concat())), 5);
    }
    for cut in [&[][..], &[1], &[0x80], &[0xFF], &[0xFF, 0], &[0xFF, 0, 0], &[1, 0x54], &[1, 0x54, 0, 0]] {
        assert_eq!(makes_or_rule(&block(b"ab", cut)), "S01", "{cut:?}");
    }
}

#[test]
fn s01_the_largest_count_stops_at_the_block_maximum() {
    // 98,047 sequences of no bits, three bytes each: over 128 KiB after the 43,691st.
    let many =
        |count: [u8; 3], literals: &[u8]| [raw_literals(literals), count.to_vec(), vec![0x54, 0, 0, 0, 1]].concat();
    let run = |block: &[u8]| walk(&with_block(&unsized_header(W_128K), &[1; 1000], block));
    // With no literals, an offset value of 1 is the second repeat offset: 4.
    let walked = run(&many([0xFF, 0xAA, 0x2B], b""));
    assert_eq!(walked.frames[0].exact_size, Some(1000 + 43_690 * 3));
    assert_eq!(run(&many([0xFF, 0xAB, 0x2B], b"")).result.unwrap_err().rule(), "S11");
    assert_eq!(run(&many([0xFF, 0xFF, 0xFF], b"")).result.unwrap_err().rule(), "S11");
}

#[test]
fn s02_reserved_bits_of_the_modes_are_refused() {
    for bits in 1..4 {
        let mut section = sequences(1, [2, 2, 0], &[0b101]);
        section[1] |= bits;
        assert_eq!(breaks(&block(b"ab", &section), "S02", 4), ErrorKind::ReservedModes);
    }
}

#[test]
fn s03_repeat_modes_use_the_table_before_and_never_that_of_another_frame() {
    let stream = Bits::default().put(1, 2).finish();
    let first = compressed(false, &block(b"ab", &sequences(1, [2, 2, 0], &stream)));
    let repeat = compressed(true, &block(b"cd", &[&[1, 0b1111_1100][..], &stream].concat()));
    let between = [raw(false, b"raw"), compressed(false, &block(b"none", &[0]))];
    let blocks = [std::slice::from_ref(&first), &between, std::slice::from_ref(&repeat)].concat();
    assert_eq!(walk(&frame(&unsized_header(W_1K), &blocks)).frames[0].exact_size, Some(5 + 3 + 4 + 5));
    // Each of the three needs one of its own.
    for modes in [0b1101_0100, 0b0111_0100, 0b0101_1100] {
        let codes = if modes == 0b0101_1100 { [2, 2] } else { [2, 0] };
        let alone = block(b"ab", &[&[1, modes][..], &codes, &stream].concat());
        let stream = with_block(&unsized_header(W_1K), b"", &alone);
        assert_eq!(walk(&stream).undecided.unwrap().rule(), "D02", "it may come from a dictionary");
        let walked = walk_in_pieces(&stream, usize::MAX, Depth::Streams, &[Dictionary::raw(b"content")]);
        assert_eq!(walked.result.unwrap_err().rule(), "S03");
    }
    let mut last = first;
    last[0] |= 1;
    let two = [frame(&unsized_header(W_1K), &[last]), frame(&unsized_header(W_1K), &[repeat])].concat();
    assert_eq!(walk(&two).undecided.unwrap().at.frame, 1);
}

#[test]
fn s03_repeat_after_predefined_is_predefined() {
    let section = |modes: u8| {
        // States of 6, 5 and 6 bits: literals length 0 of state 0, offset code 0 of state 0, match length 3 of state 0.
        [&[1, modes][..], &Bits::default().put(0, 17).finish()].concat()
    };
    let first = compressed(false, &block(b"", &section(0)));
    let again = compressed(true, &block(b"", &section(0b1111_1100)));
    let stream = frame(&unsized_header(W_1K), &[raw(false, b"12345678"), first, again]);
    assert_eq!(walk(&stream).frames[0].exact_size, Some(8 + 3 + 3));
}

#[test]
fn s04_the_symbol_of_an_rle_table_is_one_of_the_alphabet() {
    for (codes, at) in [([36, 2, 0], 5), ([2, 64, 0], 6), ([2, 2, 53], 7)] {
        assert!(matches!(breaks(&block(b"ab", &sequences(1, codes, &[1])), "S04", at), ErrorKind::RleSymbol { .. }));
    }
    // The last ones are fine as such; what they say is then too much.
    assert_eq!(makes_or_rule(&block(b"ab", &sequences(1, [35, 2, 0], &[0, 0, 0b101]))), "S08");
    assert_eq!(makes_or_rule(&block(b"ab", &sequences(1, [2, 2, 52], &[0, 0, 0b101]))), "S11");
}

#[test]
fn s05_tables_have_no_more_states_than_their_kind_may_have() {
    for (modes, maximum, at) in [(0b1001_0100, 9, 5), (0b0110_0100, 8, 6), (0b0101_1000, 9, 7)] {
        let rle_before = usize::from(modes != 0b1001_0100) + usize::from(modes == 0b0101_1000);
        for log in [maximum + 1, 20] {
            let section = [&[1, modes][..], &vec![0; rle_before], &[log - 5, 0xFF, 0xFF, 0xFF]].concat();
            let kind = breaks(&block(b"ab", &section), "S05", at);
            assert_eq!(kind, ErrorKind::AccuracyLog { accuracy_log: log, maximum });
        }
    }
}

#[test]
fn s06_probabilities_make_a_table_exactly() {
    // The literals length table is described, the others are RLE: offset code 2, match length 3.
    let with = |table: &[u8]| {
        let stream = Bits::default().put(1, 2).put(0, 5).finish();
        block(b"ab", &[&[1, 0b1001_0100][..], table, &[2, 0], &stream].concat())
    };
    // Symbols 0 and 1 with half each: literals length 0 or 1.
    let fits = with_block(&unsized_header(W_1K), b"12345678", &with(&[0x10, 0x3F]));
    assert_eq!(walk(&fits).frames[0].exact_size, Some(8 + 5));
    // All of it for symbol 0; a run of zeros past the alphabet; a description that is cut.
    breaks(&with(&[0x10 | 0x0F << 4, 0x3F][..0]), "S06", 5);
    let all_for_one = [0b1111_0000, 0b0000_0011];
    assert_eq!(makes_or_rule(&with(&all_for_one)), "S06");
    let zeros = [0b0001_0000, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF];
    assert_eq!(makes_or_rule(&with(&zeros)), "S06");
    assert_eq!(makes_or_rule(&block(b"ab", &[1, 0b1001_0100, 0x10])), "S06");
}

#[test]
fn s07_the_stream_of_sequences_ends_exactly_where_they_do() {
    let with = |stream: &[u8]| block(b"ab", &sequences(1, [2, 2, 0], stream));
    assert_eq!(makes(&with(&[0b101])), 5);
    for stream in [&[][..], &[0], &[0b101, 0], &[0b10], &[1], &[0b1001], &[0, 0b100]] {
        assert_eq!(makes_or_rule(&with(stream)), "S07", "{stream:?}");
    }
    assert_eq!(makes_or_rule(&block(b"abcd", &sequences(2, [2, 2, 0], &[0b101]))), "S07");
}

#[test]
fn a_fault_behind_a_match_before_the_frame_is_no_question_of_a_dictionary() {
    for (rule, stream) in [
        ("D02", "28b52ffd00504500000861015401030008"),
        ("S07", "28b52ffd00504d0000086101540103000101"),
        // The second sequence asks for a literal more than there are.
        ("S08", "28b52ffd00504500000861025401030040"),
    ] {
        let stream = from_hex(stream);
        let walked = walk(&stream);
        let told = walked.result.err().or(walked.undecided).map(|error| error.rule());
        assert_eq!(told, Some(rule));
    }
}

/// A stream that ends where the second sequence's states should be is cut, whatever the first sequence says: it must not be
/// taken for one that only needs a dictionary.
#[test]
fn s07_a_stream_that_is_cut_at_states_is_never_a_question_of_a_dictionary() {
    let verdict = |count: u8, offset_state: u64, more: u32| {
        let stream = Bits::default().put(0, more).put(0, 6).put(offset_state, 5).put(0, 6).finish();
        let walked =
            walk(&with_block(&unsized_header(W_1K), b"", &block(b"abcd", &[&[count, 0][..], &stream].concat())));
        let fault = walked.result.err().or(walked.undecided);
        fault.map_or("ok", |error| error.rule())
    };
    let mut far = 0;
    for offset_state in 0..32 {
        // A single sequence takes the offset's bits alone.
        let (bits, alone) = (0..32)
            .map(|bits| (bits, verdict(1, offset_state, bits)))
            .find(|&(_, rule)| rule != "S07")
            .expect("some number of bits is right");
        far += u32::from(alone == "D02");
        // The state of literals lengths takes four.
        for more in bits..bits + 4 {
            assert_eq!(verdict(2, offset_state, more), "S07", "{offset_state} {more}: alone {alone}");
        }
    }
    assert!(far > 20, "most codes are of offsets before the frame: {far}");
}

#[test]
fn s08_sequences_take_no_more_literals_than_there_are() {
    let with = |count, length| block(b"abcd", &sequences(count, [length, 0, 0], &[1]));
    assert_eq!(makes(&with(1, 4)), 7);
    assert_eq!(makes(&with(2, 2)), 10);
    assert_eq!(makes(&with(1, 3)), 7, "what is left of them ends the block");
    assert_eq!(breaks(&with(1, 5), "S08", 10), ErrorKind::LiteralsLength { length: 5, left: 4 });
    assert_eq!(breaks(&with(2, 3), "S08", 10), ErrorKind::LiteralsLength { length: 3, left: 1 });
}

#[test]
fn s09_an_offset_of_zero_is_refused() {
    // Without literals, offset value 3 is the first repeat offset less one: 1 - 1.
    let stream = Bits::default().put(1, 1).finish();
    breaks_after(b"12345678", &block(b"", &sequences(1, [0, 1, 0], &stream)), "S09");
    // After a match of offset 2 it is 1.
    let first = compressed(false, &one_match(2));
    let second = compressed(true, &block(b"", &sequences(1, [0, 1, 0], &stream)));
    assert_eq!(walk(&frame(&unsized_header(W_1K), &[first, second])).frames[0].exact_size, Some(8));
}

/// The rule that a block breaks that comes after raw ones.
fn breaks_after(before: &[u8], block: &[u8], rule: &str) -> Error {
    let error = walk(&with_block(&unsized_header(W_1K), before, block)).result.expect_err("a rule is broken");
    assert_eq!(error.rule(), rule, "{error}");
    error
}

/// A block of one sequence with this offset value, up to 7, and one literal or none.
fn one_value(value: u64, literal: bool) -> Vec<u8> {
    let code = value.ilog2();
    let stream = Bits::default().put(value - (1 << code), code).finish();
    let literals = if literal { &b"x"[..] } else { b"" };
    block(literals, &sequences(1, [u8::from(literal), u8::try_from(code).unwrap(), 0], &stream))
}

/// The offset that a value stands for, and the repeat offsets after it, as the format document tells it.
fn next_offset([first, second, third]: [u64; 3], value: u64, literal: bool) -> (u64, [u64; 3]) {
    match (value, literal) {
        (4.., _) => (value - 3, [value - 3, first, second]),
        (3, false) => (first - 1, [first - 1, first, second]),
        (1, true) => (first, [first, second, third]),
        (2, true) | (1, false) => (second, [second, first, third]),
        (3, true) | (2, false) => (third, [third, first, second]),
        _ => unreachable!(),
    }
}

#[test]
fn s09_repeat_offsets_are_kept_in_the_order_of_their_use() {
    // Every way to take four sequences, each in a block of its own: where one comes to an offset of 0, that is found, and
    // nowhere else.
    let steps: Vec<_> = (1..=6).flat_map(|value| [(value, false), (value, true)]).collect();
    let blocks: Vec<_> = steps.iter().map(|&(value, literal)| compressed(false, &one_value(value, literal))).collect();
    let mut zeros = 0;
    for path in 0..steps.len().pow(4) {
        let path = [0, 1, 2, 3].map(|place| path / steps.len().pow(place) % steps.len());
        let mut offsets = [1, 4, 8];
        let zero = path.iter().position(|&step| {
            let (offset, next) = next_offset(offsets, steps[step].0, steps[step].1);
            offsets = next;
            offset == 0
        });
        let taken = path.iter().flat_map(|&step| blocks[step].clone()).collect();
        let stream = frame(&unsized_header(W_1K), &[raw(false, &[b'b'; 20]), taken, raw(true, b"")]);
        let error = walk(&stream).result.err();
        assert_eq!(
            error.map(|error| (error.rule(), error.at.block)),
            zero.map(|at| ("S09", Some(at as u64 + 1))),
            "{path:?}"
        );
        zeros += usize::from(zero.is_some());
    }
    assert!(zeros > 1000, "{zeros}");
    // The format document's own example, by the model that the code was just held to.
    let mut offsets = [1, 4, 8];
    for (value, literals, expected) in [
        (1114, 11, [1111, 1, 4]),
        (1, 22, [1111, 1, 4]),
        (2225, 22, [2222, 1111, 1]),
        (1114, 111, [1111, 2222, 1111]),
        (3336, 33, [3333, 1111, 2222]),
        (2, 22, [1111, 3333, 2222]),
        (3, 33, [2222, 1111, 3333]),
        (3, 0, [2221, 2222, 1111]),
        (1, 0, [2222, 2221, 1111]),
    ] {
        (_, offsets) = next_offset(offsets, value, literals > 0);
        assert_eq!(offsets, expected);
    }
}

#[test]
fn s10_offsets_reach_what_the_frame_made_and_its_window() {
    // Two bytes made in the block, and some before.
    for (before, offset, valid) in [
        (8, 10, true),
        (500, 502, true),
        (1000, 1002, true),
        (2000, 1024, true),
        (2000, 1025, false),
        (3000, 2999, false),
    ] {
        let stream = with_block(&unsized_header(W_1K), &vec![b'x'; before], &one_match(offset));
        let walked = walk(&stream);
        assert_eq!(walked.undecided, None);
        if valid {
            assert_eq!(walked.frames[0].exact_size, Some(before as u64 + 5));
        } else {
            assert_eq!(walked.result.unwrap_err().kind, ErrorKind::OffsetTooFar { offset, reach: 1024 });
        }
    }
    // Past the window, what was made more than a window ago is out of reach, and so is any dictionary.
    breaks_after(&[b'x'; 1100], &one_match(1200), "S10");
}

#[test]
fn s10_offsets_before_the_frame_reach_a_dictionary_until_the_window_is_full() {
    let content = [b'd'; 100];
    let dictionary = [Dictionary::raw(&content)];
    let run = |before: usize, offset: u64| {
        let stream = with_block(&unsized_header(W_1K), &vec![b'x'; before], &one_match(offset));
        walk_in_pieces(&stream, usize::MAX, Depth::Streams, &dictionary)
    };
    for (before, offset) in [(0, 102), (8, 110), (1000, 1002 + 100), (1022, 1024 + 100)] {
        assert_eq!(run(before, offset).result, Ok(()), "{before} {offset}");
    }
    for (before, offset, reach) in [(0, 103, 102), (1000, 1103, 1102), (1023, 1026, 1024)] {
        let error = run(before, offset).result.unwrap_err();
        assert_eq!((error.rule(), error.kind), ("S10", ErrorKind::OffsetTooFar { offset, reach }), "{before} {offset}");
    }
    let stream = with_block(&unsized_header(W_1K), b"", &one_match(3));
    let undecided = walk(&stream).undecided.unwrap();
    assert_eq!((undecided.rule(), undecided.class()), ("D02", Class::NeedsDictionary));
}

#[test]
fn s10_literals_that_come_after_a_match_are_not_before_it() {
    // Four literals, two of them before the match, which begins a byte before the frame.
    let [offset, match_length, literals_length] = [2, 0, 2];
    let stream = Bits::default().put(2, 2).finish();
    let inside = block(b"abcd", &sequences(1, [literals_length, offset, match_length], &stream));
    let undecided = walk(&with_block(&unsized_header(W_1K), b"", &inside)).undecided.unwrap();
    assert_eq!(undecided.kind, ErrorKind::NeedsDictionary);
}

#[test]
fn sequences_of_more_bits_than_one_refill_leave_the_states_where_they_are() {
    // 22 MiB before, so that the offsets of 24 bits are in reach.
    let before: Vec<_> = (0..176).map(|_| rle(false, b'a', 128 << 10)).collect();
    let (literals_more, match_more, offset_more) = (0x2A5, 0x1C3, 0x5A_A5C3);
    // Predefined tables. States 61, 31 and 57 are those of codes 34, 24 and 52, of 15, 24 and 16 bits more; what is read after
    // them is the next state, and 0, 14 and 1 are those of no literals, an offset of 4 and 2 bits more, and a match of 4.
    let fields = [
        (61, 6),
        (31, 5),
        (57, 6),
        (offset_more, 24),
        (match_more, 16),
        (literals_more, 15),
        (0, 6),
        (1, 6),
        (14, 5),
        (1, 2),
    ];
    let stream = fields.into_iter().rev().fold(Bits::default(), |bits, (value, count)| bits.put(value, count)).finish();
    let literals = 32_768 + literals_more;
    let [b0, b1, b2, _] = u32::try_from(literals << 4 | 0b1101).unwrap().to_le_bytes();
    let inside = [&[b0, b1, b2, b'l', 2, 0][..], &stream].concat();
    let stream = frame(&unsized_header(W_64M), &[before.concat(), compressed(true, &inside)]);
    let made = literals + 65_539 + match_more + 4;
    let walked = walk(&stream);
    assert_eq!((walked.result, walked.frames[0].exact_size), (Ok(()), Some((176 << 17) + made)));
    assert_eq!(Decoder::new(true, None).stream(&stream).unwrap().len() as u64, (176 << 17) + made);
}

/// RLE blocks of 128 KiB, and one sequence after two literals: these codes for offset and match length with the bits
/// that they read.
fn far_match(
    before: u64,
    window: u8,
    [offset_code, match_code]: [u8; 2],
    offset_more: u64,
    match_more: (u64, u32),
) -> Walked {
    let blocks: Vec<_> = (0..before).map(|_| rle(false, b'a', 128 << 10)).collect();
    let stream = Bits::default().put(match_more.0, match_more.1).put(offset_more, u32::from(offset_code)).finish();
    let last = compressed(true, &block(b"ab", &sequences(1, [2, offset_code, match_code], &stream)));
    walk(&frame(&unsized_header(window), &[blocks.concat(), last]))
}

#[test]
fn s10_offsets_and_lengths_of_more_bits_than_one_refill_are_read_exactly() {
    // Code 51 is for matches of 32,771 and 15 bits more, code 50 of 16,387 and 14, code 49 of 8,195 and 13.
    for (match_code, least, bits) in [(51, 32_771, 15), (50, 16_387, 14), (49, 8195, 13)] {
        for offset_code in [17, 18, 19, 20, 22, 24] {
            // As far back as the frame goes, and one more.
            let before = ((2u64 << offset_code) >> 17) - 1;
            let made = (before << 17) + 2;
            let offset_more = made + 3 - (1 << offset_code);
            for match_more in [0, 1, 0b10_1010_1010, (1 << bits) - 1] {
                let run = |more| far_match(before, W_64M, [offset_code, match_code], more, (match_more, bits));
                let walked = run(offset_more);
                assert_eq!((walked.result, walked.undecided), (Ok(()), None), "{offset_code}, {match_code}");
                assert_eq!(walked.frames[0].exact_size, Some(made + least + match_more), "{offset_code}, {match_code}");
                let kind = run(offset_more + 1).undecided.map(|error| error.kind);
                assert_eq!(kind, Some(ErrorKind::NeedsDictionary), "{offset_code}, {match_code}");
            }
        }
    }
}

#[test]
fn s10_offset_codes_up_to_63_are_read_exactly() {
    // Past the window, so that it is said how far: no dictionary is in reach.
    for code in [30, 31, 32, 33, 40, 57, 62, 63] {
        for more in [0, 1, (1u64 << code) - 1, (1 << code) / 3] {
            let value = (1u64 << code) + more;
            let blocks: Vec<_> = (0..2).map(|_| rle(false, b'a', 1024)).collect();
            let stream = Bits::default().put(more, u32::from(code)).finish();
            let last = compressed(true, &block(b"ab", &sequences(1, [2, code, 0], &stream)));
            let walked = walk(&frame(&unsized_header(W_1K), &[blocks.concat(), last]));
            let kind = walked.result.unwrap_err().kind;
            assert_eq!(kind, ErrorKind::OffsetTooFar { offset: value - 3, reach: 1024 }, "code {code}, {more}");
        }
    }
}

#[test]
fn l11_each_of_four_streams_has_an_end_mark() {
    let two = Bits::default().put(0, 2).finish();
    for broken in 0..4 {
        let mut streams = [&two[..]; 4];
        streams[broken] = &[0];
        breaks(&only(&coded_literals(2, 1, 8, &[&[128, 0x10][..], &four(streams)].concat())), "L11", 5);
    }
}

#[test]
fn content_is_to_come_also_where_it_must_be_seen() {
    let mut workspace = Workspace::new();
    let mut walker = EntropyWalker::new(Depth::Streams, &mut workspace, [0; 16], ());
    let stream = with_block(&unsized_header(W_1K), b"", b"\x08x\0");
    let header = walker.push(&stream).unwrap();
    walker.push(&stream[header.consumed..]).unwrap();
    assert_eq!((walker.skippable(), walker.content_left()), (0, 3));
}

#[test]
fn s11_a_block_makes_no_more_than_the_block_maximum() {
    // Match length code 51: 32,771 and 15 bits more; code 45: 515 and 9 bits.
    let with = |extra| block(b"ab", &sequences(1, [2, 0, 45], &Bits::default().put(extra, 9).finish()));
    assert_eq!(makes(&with(1024 - 2 - 515)), 1024);
    assert_eq!(breaks(&with(1024 - 2 - 514), "S11", 8), ErrorKind::BlockMakesTooMuch { maximum: 1024 });
    // Literals that are left count, too.
    let left = |extra| block(b"abcd", &sequences(1, [2, 0, 45], &Bits::default().put(extra, 9).finish()));
    assert_eq!(makes(&left(1024 - 4 - 515)), 1024);
    breaks(&left(1024 - 4 - 514), "S11", 10);
}

#[test]
fn f09_the_exact_size_is_held_to_the_declared_one() {
    for (declared, rule) in [(5000, None), (4999, Some("F09")), (5001, Some("F09"))] {
        let stream = frame(&sized_header(W_128K, declared), &[compressed_rle(true, 7, 5000)]);
        assert_eq!(walk(&stream).result.err().map(|error| error.rule()), rule);
    }
}

#[test]
fn k03_a_formatted_dictionary_is_checked() {
    let huffman = [128, 0x10];
    let tables = [0x10, 0x3F].repeat(3);
    let offsets = |offsets: [u32; 3]| offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect::<Vec<_>>();
    let dictionary = |id: u32, repeat: [u32; 3], content: &[u8]| {
        [&[0x37, 0xA4, 0x30, 0xEC][..], &id.to_le_bytes(), &huffman, &tables, &offsets(repeat), content].concat()
    };
    let parse = |bytes: &[u8]| Dictionary::parse(bytes, &mut Workspace::new()).map(|dictionary| dictionary.id());
    let good = dictionary(7, [1, 4, 8], b"01234567");
    assert_eq!(parse(&good), Ok(Some(7)));
    assert_eq!(parse(b"anything else"), Ok(None));
    for bad in [
        dictionary(0, [1, 4, 8], b"01234567"),
        dictionary(7, [1, 4, 9], b"01234567"),
        dictionary(7, [0, 4, 8], b"01234567"),
    ] {
        assert_eq!(parse(&bad), Err(ErrorKind::Dictionary));
    }
    for size in 4..good.len() - 8 {
        assert!(parse(&good[..size]).is_err(), "{size}");
    }
    // Its tables, tree and offsets are there for a frame's first block.
    let parsed = Dictionary::parse(&good, &mut Workspace::new()).unwrap();
    let treeless = compressed(true, &only(&coded_literals(3, 0, 3, &[0b1111])));
    let named = frame(&[0x01, W_1K, 7], &[treeless]);
    assert_eq!(walk_in_pieces(&named, usize::MAX, Depth::Streams, &[parsed]).frames[0].exact_size, Some(3));
    // One less than the first repeat offset, without literals before it: 2 of 3, and 0 of 1.
    let less = compressed(true, &block(b"", &sequences(1, [0, 1, 0], &Bits::default().put(1, 1).finish())));
    for (first, rule) in [(3, None), (1, Some("S09"))] {
        let bytes = dictionary(7, [first, 4, 8], b"01234567");
        let parsed = Dictionary::parse(&bytes, &mut Workspace::new()).unwrap();
        let stream = frame(&[0x01, W_1K, 7], std::slice::from_ref(&less));
        let walked = walk_in_pieces(&stream, usize::MAX, Depth::Streams, &[parsed]);
        assert_eq!(walked.result.err().map(|error| error.rule()), rule, "{first}");
    }
    let unknown = walk(&named);
    assert_eq!((unknown.result, unknown.frames[0].exact_size), (Ok(()), None), "it is not looked into");
}

#[test]
fn a_walk_inside_of_blocks_says_of_frames_what_the_walk_over_them_says() {
    let stream = [
        skippable(3, b"note"),
        std::fs::read(corpus::folder().join("zstd/frames-same.zst")).unwrap(),
        skippable(0, b""),
        hello(),
    ]
    .concat();
    let mut workspace = Workspace::new();
    let mut inside = EntropyWalker::new(Depth::Streams, &mut workspace, vec![0; 128 << 10], ());
    let mut over = Walker::new();
    let (mut frames, mut skippable_frames, mut skipped) = (0, 0, 0);
    for byte in stream.chunks(1) {
        // Events come before a byte is taken, two at most: the end of a frame, and the start of one.
        assert!((0..3).any(|_| inside.push(byte).unwrap().consumed == 1));
        assert!((0..3).any(|_| over.push(byte).unwrap().consumed == 1));
        assert_eq!(inside.offset(), over.offset());
        assert_eq!(inside.frame().map(|frame| frame.offset), over.frame().map(|frame| frame.offset));
        assert_eq!(inside.skippable_frame(), over.skippable_frame());
        assert_eq!(inside.content_left(), over.skippable());
        assert!(inside.skippable() == 0 || inside.skippable() == over.skippable());
        frames += u64::from(inside.frame().is_some());
        skippable_frames += u64::from(inside.skippable_frame().is_some());
        skipped += inside.skippable();
    }
    inside.finish().unwrap();
    assert!(frames > 0 && skippable_frames > 0 && skipped > 0, "{frames}, {skippable_frames}, {skipped}");
}

#[test]
fn x05_a_block_in_pieces_needs_a_buffer_and_one_that_is_whole_does_not() {
    let stream = frame(&unsized_header(W_1K), &[compressed(true, &only(&raw_literals(b"hello")))]);
    let mut workspace = Workspace::new();
    let mut walker = EntropyWalker::new(Depth::Streams, &mut workspace, [0; 4], ());
    let mut rest = &stream[..];
    while let step @ zvet_core::Step { event: Some(_), .. } = walker.push(rest).unwrap() {
        rest = &rest[step.consumed..];
    }
    walker.finish().unwrap();
    walker.restart();
    let result = stream.chunks(1).try_for_each(|byte| {
        while walker.push(byte)?.consumed == 0 {}
        Ok::<(), Error>(())
    });
    assert_eq!(result.unwrap_err().kind, ErrorKind::BlockOverBuffer { size: 7, buffer: 4 });
    // A push of nothing is not a piece.
    walker.restart();
    let mut rest = &stream[..];
    while let step @ zvet_core::Step { event: Some(_), .. } = walker.push(rest).unwrap() {
        rest = &rest[step.consumed..];
        walker.push(&[]).unwrap();
    }
    walker.finish().unwrap();
}

#[test]
fn a_frame_that_only_its_exact_size_makes_parallel_is_walked() {
    let bounds = Bounds { window: 1 << 20, output: 10_000, input: 1000, blocks: 9 };
    let walked = walk(&frame(&unsized_header(W_128K), &[compressed_rle(true, 1, 10_000)]));
    assert_eq!(bounds.classify(&walked.frames[0]), Decode::Parallel(Proof::Walked));
    let walked = walk(&frame(&unsized_header(W_128K), &[compressed_rle(true, 1, 10_001)]));
    assert_eq!(bounds.classify(&walked.frames[0]), Decode::Serial(Reason::Output));
}

#[test]
fn pieces_of_any_size_find_the_same() {
    let mut streams: Vec<Vec<u8>> =
        corpus::cases().iter().map(corpus::Case::bytes).filter(|bytes| bytes.len() < 12 << 10).collect();
    streams.push(with_block(&unsized_header(W_1K), b"before", &one_match(5)));
    streams.push([with_block(&unsized_header(W_1K), b"", &one_match(9)), frame(&[0x28, 1], &[])].concat());
    for stream in streams {
        for depth in [Depth::Sizes, Depth::Streams] {
            let whole = walk_in_pieces(&stream, usize::MAX, depth, &[]);
            for piece in [1, 2, 3, 7, 100, 1000] {
                assert_eq!(walk_in_pieces(&stream, piece, depth, &[]), whole, "pieces of {piece}");
            }
        }
    }
}

#[test]
fn every_file_of_the_corpus_gets_its_verdict_from_the_core_alone() {
    let (mut valid, mut invalid, mut undecided) = (0, 0, 0);
    for case in corpus::cases() {
        let walked = walk(&case.bytes());
        // Limits and dictionaries that a frame names are for a caller to look at, and so is the content.
        if case.content == "valid" || matches!(case.rule.as_deref(), Some("F10" | "X01" | "D01")) {
            assert_eq!(walked.result, Ok(()), "{}", case.path);
            if case.content == "valid" {
                let size: Option<u64> = walked.frames.iter().map(|frame| frame.exact_size).sum();
                assert_eq!(size, case.decoded_size, "{}", case.path);
                assert_eq!(walked.offset, case.bytes().len() as u64, "{}", case.path);
                valid += 1;
            }
        } else if case.content == "invalid" {
            let error = walked.result.expect_err(&case.path);
            assert_eq!(Some(error.rule()), case.rule.as_deref(), "{}: {error}", case.path);
            let expected = Location { offset: case.offset.unwrap(), frame: case.frame.unwrap(), block: case.block };
            assert_eq!(error.at, expected, "{}: {error}", case.path);
            invalid += 1;
        } else {
            assert_eq!(walked.undecided.map(|error| error.rule()), case.rule.as_deref(), "{}", case.path);
            undecided += 1;
        }
    }
    assert!(valid > 100 && invalid > 150 && undecided > 5, "{valid} valid, {invalid} invalid, {undecided} undecided");
}

#[test]
fn cuts_anywhere_find_the_same_in_streams_that_are_damaged_anywhere() {
    let mut lcg = Lcg(17);
    for case in corpus::cases() {
        let bytes = case.bytes();
        if bytes.len() > 300 << 10 {
            continue;
        }
        for changes in 0..4 {
            let mut stream = bytes.clone();
            for _ in 0..changes.min(stream.len()) {
                let at = lcg.below(stream.len());
                stream[at] ^= 1 << lcg.below(8);
            }
            let whole = walk(&stream);
            let most = 1 + lcg.skewed(2 * stream.len() + 1);
            let mut rest = &stream[..];
            let pieces = std::iter::from_fn(|| {
                let (piece, more) = rest.split_at(lcg.below(most + 1).min(rest.len()));
                let is_more = !rest.is_empty();
                rest = more;
                is_more.then_some(piece)
            });
            assert_eq!(walk_pieces(pieces, Depth::Streams, &[]), whole, "{}: {changes} changes", case.path);
        }
    }
}

#[test]
fn a_stream_that_ends_at_any_byte_is_truncated_unless_a_frame_ends_there() {
    for name in ["zstd/short.zst", "zstd/frames-same.zst", "zstd/dictionary-raw.zst", "zstd/zeros.zst"] {
        let stream = std::fs::read(corpus::folder().join(name)).unwrap();
        let whole = walk(&stream);
        let ends: Vec<u64> = whole.frames.iter().map(|frame| frame.offset + frame.compressed_size).collect();
        for size in 1..stream.len() {
            let walked = walk(&stream[..size]);
            if ends.contains(&(size as u64)) {
                assert_eq!(walked.result, Ok(()));
            } else {
                assert_eq!(walked.result.unwrap_err().rule(), "F12", "{name} at {size}");
            }
        }
    }
}

#[test]
fn a_block_header_of_the_next_frame_is_not_reached_through_a_broken_block() {
    let broken = block(b"ab", &sequences(1, [2, 2, 0], &[0]));
    let stream = frame(&unsized_header(W_1K), &[compressed(false, &broken), block_header(true, 3, 0).to_vec()]);
    assert_eq!(walk(&stream).result.unwrap_err().rule(), "S07", "the first fault is the one that is told");
}
