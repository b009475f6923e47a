//! Streams that were changed, before zvet and before other decoders: libzstd 1.5.7, mzstd and ruzstd.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use zvet::{Error, Level, Report, StreamVerdict};
use zvet_tests::bytes::from_hex;
use zvet_tests::compare::{Counts, LIBZSTD_LAX, Others, count, engines, others, outcome, refused, settings, table};
use zvet_tests::data::{Lcg, Shape};
use zvet_tests::libzstd::{Decoder, compress};
use zvet_tests::{compare, corpus, hex};

fn check(stream: &[u8], level: Level) -> Report {
    compare::check(stream, level, &settings())
}

fn corpus_file(path: &str) -> Vec<u8> {
    corpus::cases().iter().find(|case| case.path == path).unwrap_or_else(|| panic!("{path}")).bytes()
}

/// Ten small streams of which every bit is flipped.
fn small_streams() -> Vec<(String, Vec<u8>)> {
    let mut streams = Vec::new();
    for (shape, size, level, checksum, sized) in [
        (Shape::Text, 900, 1, true, true),
        (Shape::Text, 1400, 3, false, true),
        (Shape::Log, 1000, 9, true, false),
        (Shape::Records, 1500, 19, false, false),
        (Shape::Binary, 1000, 22, true, true),
        (Shape::Image, 8192, 19, true, false),
        (Shape::Runs, 40_000, 3, false, true),
    ] {
        let stream = compress(&shape.data(size, 5), level, checksum, sized);
        streams.push((format!("{shape:?} of {size} bytes, level {level}, {checksum}, {sized}"), stream));
    }
    for path in ["zstd/short.zst", "zstd/frames-same.zst", "zstd/zeros-pipe.zst"] {
        streams.push((path.to_owned(), corpus_file(path)));
    }
    streams
}

/// Whether the fault that only the content shows lies before the other.
fn earlier_checksum(content: &Report, report: &Report) -> bool {
    let offset = |report: &Report| report.error.as_ref().and_then(Error::location).map(|at| at.offset);
    outcome(content) == "invalid F10" && offset(content) < offset(report)
}

#[test]
fn a_stream_that_is_cut_anywhere_is_truncated_at_every_level() {
    let mut differing = Counts::new();
    for (name, stream) in small_streams() {
        for end in 1..stream.len() {
            let cut = &stream[..end];
            // An end between frames is one.
            if Decoder::new(true, None).stream(cut).is_ok() {
                continue;
            }
            for level in [Level::Envelope, Level::Entropy, Level::Content] {
                let outcome = outcome(&check(cut, level));
                if outcome != "invalid F12" {
                    count(&mut differing, format!("level {level}: {outcome}"));
                    if differing.values().sum::<u64>() == 1 {
                        println!("{name}, cut after {end} bytes, level {level}, {outcome}: {}", hex(cut));
                    }
                }
            }
        }
    }
    assert!(differing.is_empty(), "not said to be truncated: {differing:#?}");
}

#[test]
fn every_flipped_bit_is_found_or_decodes_to_the_size_that_was_computed() {
    let mut counts = Counts::new();
    let (mut differing, mut first) = (Counts::new(), None);
    for (name, stream) in small_streams() {
        let original = Decoder::new(true, None).stream(&stream).unwrap();
        let checksum = stream[4] & 4 != 0;
        for at in 0..stream.len() * 8 {
            let mut flipped = stream.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            let what = || format!("{name}, bit {} of byte {}: {}", at % 8, at / 8, hex(&flipped));
            let report = check(&flipped, Level::Entropy);
            let content = check(&flipped, Level::Content);
            if report.verdict != StreamVerdict::Valid {
                let class = refused(&flipped, &report, None).unwrap_or_else(|why| panic!("{why}; {}", what()));
                count(&mut counts, class);
                // The deeper level finds the same, or a checksum that came before.
                if outcome(&content) != outcome(&report) && !earlier_checksum(&content, &report) {
                    count(&mut differing, format!("{}, at level content {}", outcome(&report), outcome(&content)));
                    first.get_or_insert_with(what);
                }
                continue;
            }
            let others = others(&flipped, &report, None).unwrap_or_else(|why| panic!("{why}; {}", what()));
            let same = others.content() == original;
            // What ruzstd makes of it is held to the checksum.
            let class = match (&others, content.verdict) {
                (Others::OtherChecksum(_), StreamVerdict::Invalid) => {
                    assert_eq!(outcome(&content), "invalid F10", "{}", what());
                    if same {
                        "passed: the checksum itself, found at level content"
                    } else {
                        "passed: other bytes, found at level content"
                    }
                }
                (Others::Content(_), StreamVerdict::Valid) if at / 8 == 4 && at % 8 == 4 => "passed: the unused bit",
                (Others::Content(_), StreamVerdict::Valid) if same => "passed: the same bytes, in other words",
                (Others::Content(_), StreamVerdict::Valid) if !checksum => "passed: other bytes, no checksum",
                _ => panic!("unexplained: {}: {}", outcome(&content), what()),
            };
            count(&mut counts, class);
        }
    }
    println!("bits flipped\n{}", table(&counts));
    assert!(differing.is_empty(), "the levels name other rules: {differing:#?}, first {first:?}");
}

#[test]
fn libzstd_is_laxer_as_it_is_said_and_no_more_is_said() {
    let inputs = [
        ("B03", "28b52ffd2000030000 61"),
        ("B05", "28b52ffd0000050000"),
        ("F09", "28b52ffda001000200010000"),
        ("F13", ""),
        // A tree with codes of 1 to 12 bits.
        ("L09", "28b52ffd0000650000 420002 8bcba987654321 1f 00"),
        // A probability for a weight of 12 that no symbol has.
        ("L10", "28b52ffd0000650000 02000206007d3f0363040100"),
        // Four streams of 60 literals each, and 3 bits more.
        (
            "L11",
            "28b52ffd0000650100 060f0a8010 080008000800 0000000000000080 0000000000000080 0000000000000080 0000000000000080 00",
        ),
        // `abcd` raw, and a match with a described table of literals lengths that has one symbol.
        ("S06", "28b52ffd0000200000 61626364 450000 000180f003000001"),
        // An offset of 1,025 in a window of 1,024.
        ("S10", "28b52ffd0000022000 61 450000 0862010004105908"),
        // A window of 1 KiB, a block that makes 1,025 bytes, and one that makes 1.
        ("S11", "28b52ffd800002040000 440000 08610100fda99c10 0b000061"),
        // A window of 512 MiB.
        ("X01", "28b52ffd0098010000"),
    ];
    // libzstd has its fast loops there alone.
    let fast = cfg!(all(target_pointer_width = "64", target_endian = "little"));
    for (rule, input) in inputs {
        let stream = from_hex(input);
        let report = check(&stream, Level::Entropy);
        assert_eq!(report.error.as_ref().and_then(Error::rule), Some(rule), "{input}: {:?}", report.error);
        if rule == "L11" && !fast {
            continue;
        }
        let class = refused(&stream, &report, None).unwrap();
        println!("{input}: {class}");
        assert!(class.starts_with("refused by zvet and not by libzstd"), "{input}: {class}");
    }
    assert!(
        inputs.iter().map(|(rule, _)| rule).eq(LIBZSTD_LAX.iter().map(|(rule, _)| rule)),
        "a laxity without an input"
    );
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = corpus::cases()
        .iter()
        .filter(|case| case.envelope == "valid")
        .map(corpus::Case::bytes)
        .filter(|bytes| bytes.len() < 12 << 10)
        .collect();
    let mut lcg = Lcg(3);
    for shape in Shape::ALL {
        for level in [-5, 1, 3, 6, 12, 19, 22] {
            let content = shape.data(1 + lcg.skewed(40_000), lcg.next_number());
            seeds.push(compress(&content, level, lcg.below(3) == 0, lcg.below(2) == 0));
        }
        // Several blocks.
        let content = shape.data(140_000 + lcg.below(20_000), lcg.next_number());
        let stream = compress(&content, 3, false, false);
        if stream.len() < 20 << 10 {
            seeds.push(stream);
        }
    }
    seeds
}

#[derive(Clone, Debug)]
enum Change {
    Byte(prop::sample::Index, u8),
    /// Of the first bytes, where headers and tables are.
    Early(prop::sample::Index, u8),
    Flip(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    /// The rest is that of another stream.
    Splice(prop::sample::Index, prop::sample::Index, prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        4 => (index(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
        4 => (index(), any::<u8>()).prop_map(|(at, byte)| Change::Early(at, byte)),
        4 => (index(), 0u8..8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        1 => index().prop_map(Change::Cut),
        1 => (index(), index(), index()).prop_map(|(at, other, from)| Change::Splice(at, other, from)),
    ]
}

fn changed(seeds: &[Vec<u8>], seed: prop::sample::Index, changes: &[Change]) -> Vec<u8> {
    let mut stream = seed.get(seeds).clone();
    for change in changes {
        if stream.is_empty() {
            break;
        }
        let size = stream.len();
        match change {
            Change::Byte(at, byte) => stream[at.index(size)] = *byte,
            Change::Early(at, byte) => stream[(4 + at.index(60)).min(size - 1)] = *byte,
            Change::Flip(at, bit) => stream[at.index(size)] ^= 1 << bit,
            Change::Cut(at) => stream.truncate(at.index(size)),
            Change::Splice(at, other, from) => {
                let other = other.get(seeds);
                stream.truncate(at.index(size));
                stream.extend_from_slice(&other[from.index(other.len() + 1)..]);
            }
        }
    }
    stream
}

#[test]
fn other_decoders_agree_with_the_level_entropy_on_changed_streams() {
    let seeds = seeds();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let counts = RefCell::new(Counts::new());
    let strategy = (any::<prop::sample::Index>(), prop::collection::vec(change(), 1..4));
    let result = TestRunner::new(config).run(&strategy, |(seed, changes)| {
        let stream = changed(&seeds, seed, &changes);
        let fail = |why: String| TestCaseError::fail(format!("{why}: {}", hex(&stream)));
        let mut counts = counts.borrow_mut();
        let report = check(&stream, Level::Entropy);
        if report.verdict == StreamVerdict::Valid {
            let others = others(&stream, &report, None).map_err(fail)?;
            let class = engines(&stream, &others).map_err(fail)?;
            count(&mut counts, class);
            return Ok(());
        }
        let class = refused(&stream, &report, None).map_err(fail)?;
        count(&mut counts, class);
        Ok(())
    });
    println!("changed streams\n{}", table(&counts.borrow()));
    result.unwrap();
}
