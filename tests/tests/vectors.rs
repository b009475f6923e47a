//! Streams of other projects and of bug reports, with expected verdicts. Runs where the data is there.
//!
//! What is expected: `ok`, `err` (a rule is broken), `fmt` (not this format), `dict` (needs a dictionary that is not
//! given), `ok-limit` (legal, may be refused for resources), `gray` (the format is silent: `SPEC-NOTES.md` says what we
//! chose).

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};
use zvet::format::{FrameHeader, Magic, SeekAudit, SeekTable, Status};
use zvet::{Dictionary, Level, ParallelReader, Report, Settings, StreamVerdict, verify};
use zvet_tests::vectors;

/// Matches that begin before the frame, and tables from before it, in frames that name no dictionary. With some dictionary the frame may be valid, so
/// without one it is undecidable; as a stream without a dictionary it is broken. Either way it is not accepted.
const UNDECIDED: [&str; 8] = [
    "s01_n3form",
    "s05_repeat_first_of",
    "s05_repeat_first_ml",
    "s06_rep_xframe",
    "s08_rle_of31",
    "s18_rep_gt_produced",
    "s18_rep8_gt_produced",
    "d02_rawdict_beyond",
];

/// The first level that a rule needs that is broken in a case.
fn level_of(id: &str) -> Level {
    const INSIDE: [&str; 6] = [
        "b09_comp_gen_gt_window",
        "b10_comp_gen_128k1",
        "b10_direct_multi",
        "b10_one_shot_slack",
        "b10_lits_and_match",
        "b15_seq_98047",
    ];
    // l: literals, s: sequences, e0: errata and permissiveness, d: dictionaries. One of them is a block of one byte.
    let inside = id.starts_with(['l', 's', 'd']) || id.starts_with("e0") || INSIDE.contains(&id);
    match id {
        "f35_ck_be" => Level::Content,
        "l02_rle_nobyte" => Level::Envelope,
        _ if inside => Level::Entropy,
        _ => Level::Envelope,
    }
}

fn run(bytes: &[u8], level: Level, settings: &Settings) -> Report {
    verify(bytes, level, settings, &mut |_| {})
}

fn dictionary(path: &Path) -> Dictionary {
    Dictionary::new(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_matrix_of_cases() {
    let Some(folder) = vectors::folder() else { return eprintln!("no vectors here") };
    let settings = Settings::default();
    let mut counts = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in vectors::table(&folder.join("cases/matrix.tsv")) {
        let (id, spec) = (row["id"].as_str(), row["spec"].as_str());
        let bytes = fs::read(folder.join(format!("cases/{id}.zst"))).unwrap();
        for level in [Level::Envelope, Level::Entropy, Level::Content] {
            let report = run(&bytes, level, &settings);
            *counts.entry((spec.to_owned(), format!("{level:?}: {:?}", report.verdict))).or_insert(0) += 1;
            if !is_expected(id, spec, level, &report, &row["size"]) {
                wrong.push(format!("{id} ({spec}) at {level:?}: {report:?}"));
            }
        }
    }
    for ((spec, verdict), count) in &counts {
        println!("{spec:>9} {verdict:<28} {count}");
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn is_expected(id: &str, spec: &str, level: Level, report: &Report, size: &str) -> bool {
    let verdict = report.verdict;
    match spec {
        "ok" => {
            let decoded = report.totals.decoded_size;
            // Where the table does not know the size, any will do.
            let right_size = size.parse().is_ok_and(|size| decoded.contains(size)) || size == "None";
            verdict == StreamVerdict::Valid && right_size && (level == Level::Envelope || decoded.exact().is_some())
        }
        "err" if level < level_of(id) => verdict == StreamVerdict::Valid,
        "err" if UNDECIDED.contains(&id) => verdict == StreamVerdict::NeedsDictionary,
        "dict" if level == Level::Envelope && id.starts_with("d0") => verdict == StreamVerdict::Valid,
        "dict" => verdict == StreamVerdict::NeedsDictionary,
        "ok-limit" => matches!(verdict, StreamVerdict::Valid | StreamVerdict::OverLimit),
        "err" | "fmt" | "gray" => verdict == StreamVerdict::Invalid,
        other => panic!("{other}"),
    }
}

#[test]
fn what_is_over_a_limit_is_valid_without_it() {
    let Some(folder) = vectors::folder() else { return eprintln!("no vectors here") };
    let settings = Settings { limits: zvet::Limits::UNLIMITED, ..Settings::default() };
    for row in vectors::table(&folder.join("cases/matrix.tsv")) {
        let id = row["id"].as_str();
        if row["spec"] != "ok-limit" {
            continue;
        }
        let bytes = fs::read(folder.join(format!("cases/{id}.zst"))).unwrap();
        let report = run(&bytes, Level::Entropy, &settings);
        assert_eq!(report.verdict, StreamVerdict::Valid, "{id}: {report:?}");
        assert_eq!(report.totals.decoded_size.exact().unwrap().to_string(), row["size"], "{id}");
        // An offset table with a code past 31, which no sequence uses, is more than ruzstd takes.
        let content = run(&bytes, Level::Content, &settings);
        let expected = if id == "s11_of_sym32" { StreamVerdict::OverLimit } else { StreamVerdict::Valid };
        assert_eq!(content.verdict, expected, "{id}: {content:?}");
    }
}

#[test]
fn raw_dictionaries_decide_what_was_undecided() {
    let Some(folder) = vectors::folder() else { return eprintln!("no vectors here") };
    let dictionary = Dictionary::raw(&fs::read(folder.join("cases/rawdict.bin")).unwrap());
    let settings = Settings { dictionaries: vec![dictionary], ..Settings::default() };
    for (id, expected) in [
        ("d01_rawdict_ref", StreamVerdict::Valid),
        ("d02_rawdict_beyond", StreamVerdict::Invalid),
        ("d03_rawdict_over_window", StreamVerdict::Invalid),
        ("s05_repeat_first_of", StreamVerdict::Invalid),
        ("d04_rawdict_long_offset", StreamVerdict::Valid),
        ("f30_ck_ok", StreamVerdict::Valid),
    ] {
        let bytes = fs::read(folder.join(format!("cases/{id}.zst"))).unwrap();
        let report = run(&bytes, Level::Content, &settings);
        assert_eq!(report.verdict, expected, "{id}: {report:?}");
    }
}

#[test]
fn files_of_public_test_suites() {
    let Some(folder) = vectors::folder() else { return eprintln!("no vectors here") };
    let folder = folder.join("public");
    let (mut accepted, mut refused) = (0, 0);
    for row in vectors::table(&folder.join("manifest.tsv")) {
        let file = row["file"].as_str();
        let bytes: &'static [u8] = fs::read(folder.join(file)).unwrap().leak();
        let mut settings = Settings::default();
        if let Some((_, path)) = row["kind"].split_once("dict=") {
            settings.dictionaries.push(dictionary(&folder.join(path)));
        }
        let envelope = run(bytes, Level::Envelope, &settings);
        let entropy = run(bytes, Level::Entropy, &settings);
        let content = run(bytes, Level::Content, &settings);
        if row["expected"] == "ok" {
            assert_eq!(envelope.verdict, StreamVerdict::Valid, "{file}: {envelope:?}");
            assert_eq!(entropy.verdict, StreamVerdict::Valid, "{file}: {entropy:?}");
            assert_eq!(content.verdict, StreamVerdict::Valid, "{file}: {content:?}");
            let mut decoded = Vec::new();
            ParallelReader::with_settings(bytes, &settings).unwrap().read_to_end(&mut decoded).unwrap();
            if let Ok(size) = row["decoded_size"].parse::<usize>() {
                assert_eq!(decoded.len(), size, "{file}");
                assert!(envelope.totals.decoded_size.contains(size as u64), "{file}");
                assert_eq!(entropy.totals.decoded_size.exact(), Some(size as u64), "{file}");
                assert_eq!(content.totals.decoded_size.exact(), Some(size as u64), "{file}");
            }
            if row["sha256"].len() == 64 {
                assert_eq!(zvet_tests::hex(&Sha256::digest(&decoded)), row["sha256"], "{file}");
            }
            accepted += 1;
        } else {
            // Of some only the checksum is wrong.
            let (at_entropy, at_content) = match file {
                "bad/klauspost-bad/frame_badsum.zst" | "bad/klauspost-fuzz/96784cffd22eac2a" => {
                    (StreamVerdict::Valid, StreamVerdict::Invalid)
                }
                _ => (StreamVerdict::Invalid, StreamVerdict::Invalid),
            };
            assert_eq!(entropy.verdict, at_entropy, "{file}: {entropy:?}");
            assert_eq!(content.verdict, at_content, "{file}: {content:?}");
            let read = ParallelReader::with_settings(bytes, &settings).unwrap().read_to_end(&mut Vec::new());
            assert!(read.is_err(), "{file} is decoded");
            refused += 1;
        }
    }
    println!("{accepted} accepted and decoded to the expected bytes, {refused} refused");
    assert!(accepted > 500 && refused > 700);
}

#[test]
fn headers_parse_as_two_other_parsers_parse_them() {
    let Some(folder) = vectors::folder() else { return eprintln!("no vectors here") };
    let mut parsed = 0;
    for row in vectors::table(&folder.join("headers.tsv")) {
        let hex = &row["hex"];
        let bytes: Vec<u8> =
            (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect();
        let skippable = bytes.first_chunk().and_then(|&magic| Magic::of(magic));
        if let (Some(Magic::Skippable(variant)), "1") = (skippable, row["kp_ok"].as_str()) {
            assert_eq!(row["kp_skippable"], "1", "{hex}");
            assert_eq!(row["kp_skip_id"], variant.to_string(), "{hex}");
            parsed += 1;
            continue;
        }
        match FrameHeader::parse(&bytes) {
            Ok(Status::Complete(header)) => {
                let libzstd = row["zstd154_getFrameHeader"].as_str();
                if libzstd != "0" {
                    // The one thing that libzstd refuses and we parse.
                    assert!(header.window_size() > 1 << 31, "{hex}: {libzstd}");
                    continue;
                }
                let size = header.content_size().map_or_else(|| "UNKNOWN".to_owned(), |size| size.to_string());
                assert_eq!(row["zstd154_fcs"], size, "{hex}");
                assert_eq!(row["zstd154_window"], header.window_size().to_string(), "{hex}");
                assert_eq!(row["zstd154_blockmax"], header.block_maximum_size().to_string(), "{hex}");
                assert_eq!(row["zstd154_hdr"], header.header_size().to_string(), "{hex}");
                assert_eq!(row["zstd154_dict"], header.dictionary_id().unwrap_or(0).to_string(), "{hex}");
                assert_eq!(row["zstd154_ck"], u8::from(header.content_checksum()).to_string(), "{hex}");
                parsed += 1;
            }
            Ok(Status::Partial { needed }) => {
                assert!(needed > bytes.len());
                assert_ne!(row["zstd154_getFrameHeader"], "0", "{hex}");
            }
            Err(_) if matches!(skippable, Some(Magic::Skippable(_))) => {}
            Err(error) => assert!(row["zstd154_getFrameHeader"].starts_with("ERR"), "{hex}: {error}"),
        }
    }
    println!("{parsed} headers parsed alike");
    assert!(parsed > 100);
}

#[test]
fn seek_tables_are_right_or_wrong_as_it_is_said() {
    let Some(folder) = vectors::folder() else { return };
    for (case, rule) in [
        ("k01_seekable", None),
        ("k03_seekable_skip_entry", None),
        ("k05_seek_unused", None),
        ("k06_seek_csum_wrong", Some("T05")),
        ("k07_seek_dsize_wrong", Some("T06")),
        ("k09_seek_count_overflow", Some("T03")),
        ("k10_seek_magic_wrong", Some("T01")),
        ("k12_seek_not_last", Some("T01")),
        // Only the content shows that its checksum is wrong.
        ("k13_seek_ck_wrong", None),
        ("k14_seek_sum_short", Some("T07")),
    ] {
        let stream = fs::read(folder.join(format!("cases/{case}.zst"))).unwrap();
        let audited = SeekTable::find(&stream).and_then(|status| {
            let Status::Complete(table) = status else { panic!("{case}: all of it is there") };
            let mut audit = SeekAudit::new(table);
            zvet_tests::walk::walk(&stream).0.iter().try_for_each(|event| audit.observe(event))?;
            audit.finish()
        });
        assert_eq!(audited.map_err(|error| error.rule()).err(), rule, "{case}");
    }
}
