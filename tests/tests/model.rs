//! The model of streams: valid ones of any kind, and single faults.

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Unstructured};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use zvet_tests::data::Lcg;
use zvet_tests::model::{Block, FAULTS, Fault, Frame, Header, Stream, Zstandard};
use zvet_tests::offset_codes::literals_size;
use zvet_tests::properties::{seek_tables_are_held_to_the_frames, single_faults_are_named, valid_streams_are_valid};

/// Models out of random bytes, as `arbitrary` makes them.
fn models<T: for<'a> Arbitrary<'a> + std::fmt::Debug>() -> impl Strategy<Value = T> {
    prop::collection::vec(any::<u8>(), 0..1500)
        .prop_map(|bytes| T::arbitrary_take_rest(Unstructured::new(&bytes)).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn streams_of_any_kind_are_valid(stream in models::<Stream>(), choices in any::<u64>()) {
        valid_streams_are_valid(&stream.build(), &mut Lcg(choices));
    }

    #[test]
    fn seek_tables_of_any_stream_are_audited(stream in models::<Stream>(), choices in any::<u64>()) {
        seek_tables_are_held_to_the_frames(&stream.build().bytes, &mut Lcg(choices));
    }

    #[test]
    fn a_fault_anywhere_in_any_stream_is_named(
        (stream, fault) in models::<(Stream, Fault)>(),
        kind in any::<prop::sample::Index>(),
        choices in any::<u64>(),
    ) {
        let (_, kind) = *kind.get(FAULTS);
        let (built, expected) = stream.build_with(Fault { kind, ..fault });
        single_faults_are_named(&built, &expected, &mut Lcg(choices));
    }
}

/// What a compressed block has, in words.
fn features(block: &[u8], found: &mut BTreeSet<String>) {
    let (kind, format) = (block[0] & 3, block[0] >> 2 & 3);
    // The second bit of the short form is of the size.
    let format = if kind < 2 && format == 2 { 0 } else { format };
    found.insert(format!("literals of type {kind}, size format {format}"));
    if kind == 2 {
        let tree = block[[3, 3, 4, 5][usize::from(format)]];
        found.insert(format!("weights {}", if tree < 128 { "coded" } else { "stored" }));
    }
    let sequences = &block[literals_size(block)..];
    let size = match sequences[0] {
        0..=127 => 1,
        128..=254 => 2,
        255 => 3,
    };
    found.insert(format!("count of {size} bytes"));
    if let Some(modes) = sequences.get(size) {
        found.extend([6, 4, 2].map(|shift| format!("table at bit {shift}, mode {}", modes >> shift & 3)));
    } else {
        found.insert("no sequences".to_owned());
    }
}

#[test]
fn models_have_all_that_the_format_has() {
    let mut found = BTreeSet::new();
    let mut runner = TestRunner::deterministic();
    for _ in 0..2000 {
        let built = models::<Stream>().new_tree(&mut runner).unwrap().current().build();
        for frame in &built.frames {
            found.insert(if frame.content_size.is_some() { "a frame" } else { "a skippable frame" }.to_owned());
            let ends = frame.blocks.iter().skip(1).chain([&frame.blocks_end]);
            for (&start, &end) in frame.blocks.iter().zip(ends) {
                let kind = built.bytes[start] >> 1 & 3;
                found.insert(format!("a block of type {kind}"));
                if kind == 2 {
                    features(&built.bytes[start + 3..end], &mut found);
                }
            }
        }
    }
    println!("{found:#?}");
    // Two kinds of frames, three of blocks, twice three and twice four forms of literals, two of trees, four of counts, and
    // four modes of each of three tables.
    assert_eq!(found.len(), 2 + 3 + (2 * 3 + 2 * 4) + 2 + 4 + 4 * 3);
}

#[test]
fn headers_of_every_combination_of_fields_are_valid() {
    let mut headers = 0;
    for bits in 0..1u16 << 7 {
        let header = Header {
            window_descriptor: 1 << 3 | 5,
            single_segment: bits & 1 != 0,
            unused_bit: bits & 2 != 0,
            checksum: bits & 4 != 0,
            dictionary_id_flag: (bits >> 3 & 3) as u8,
            content_size_flag: (bits >> 5 & 3) as u8,
        };
        // So large that a field of the wanted size can hold it.
        let count = if header.content_size_flag == 1 { 154 } else { 35 };
        let blocks = vec![Block::Rle { byte: 7, count }, Block::Raw { count, seed: 1 }];
        let built = Stream { frames: vec![Frame::Zstandard(Zstandard { header, blocks })] }.build();
        assert_eq!(u16::from(built.bytes[4] >> 6), bits >> 5 & 3, "as it is wanted");
        assert_eq!(u16::from(built.bytes[4] & 3), bits >> 3 & 3);
        valid_streams_are_valid(&built, &mut Lcg(u64::from(bits)));
        headers += 1;
    }
    assert_eq!(headers, 128, "four sizes, four ids, a window or none, the unused bit, a checksum");
}

#[test]
fn there_is_a_fault_for_every_rule_that_a_stream_can_break() {
    // By the sources: the ids of rules stand in one list each.
    let sources = ["core/src/error.rs", "std-adapter/src/error.rs"]
        .map(|path| std::fs::read_to_string(zvet_tests::root().join(path)).unwrap());
    let ids: BTreeSet<&str> = sources
        .iter()
        .flat_map(|source| source.lines())
        .filter_map(|line| line.split_once("=> \"")?.1.split_once('"'))
        .map(|(id, _)| id)
        .filter(|id| id.len() == 3 && id[1..].bytes().all(|byte| byte.is_ascii_digit()))
        .collect();
    assert!(ids.len() > 40, "{ids:?}");
    let not_of_a_stream = [
        ("C01", "the engine's limit"),
        ("C02", "the engine's fault"),
        ("C03", "the engine's fault"),
        ("C04", "the engine's fault"),
        ("C05", "the engine's word"),
        ("K03", "a dictionary's fault"),
        ("X02", "the caller's limit: a property of valid streams"),
        ("X03", "the caller's limit: a property of valid streams"),
        ("X04", "the caller's limit: a property of valid streams"),
        ("X05", "the caller's buffer"),
    ];
    // L07, S03 and S10 are D02 where no dictionary was given.
    let faults = FAULTS.iter().map(|&(rule, _)| rule).chain(["D02"]);
    let covered: BTreeSet<&str> = faults.chain(not_of_a_stream.map(|(rule, _)| rule)).collect();
    assert_eq!(covered, ids);
}

#[test]
fn every_fault_is_named_in_the_smallest_stream() {
    let stream = Stream { frames: Vec::new() };
    for &(rule, kind) in FAULTS {
        for seed in 0..16 {
            let (built, expected) = stream.build_with(Fault { kind, frame: 0, block: 0, seed });
            assert_eq!(expected.with_dictionary, rule);
            single_faults_are_named(&built, &expected, &mut Lcg(u64::from(seed)));
        }
    }
}
