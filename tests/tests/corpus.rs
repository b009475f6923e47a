//! Every line of `corpus/MANIFEST.toml` at every level.

use std::collections::BTreeMap;
use std::io::Read;

use sha2::{Digest, Sha256};
use zvet::{Dictionary, Error, Level, Limits, ParallelReader, Report, Settings, StreamVerdict, verify};
use zvet_tests::corpus::{Case, cases};

/// Faults that ruzstd does not find. The entropy level will.
const RUZSTD_ACCEPTS: [(&str, &str); 2] = [
    ("bytes/b03-1k-made-1-of-2.zst", "a block that makes too much beside one that makes little"),
    ("bytes/b03-1k-made-1-declared.zst", "a block that makes too much, but no more than the frame declares"),
];

fn verdict_name(verdict: StreamVerdict) -> &'static str {
    match verdict {
        StreamVerdict::Valid => "valid",
        StreamVerdict::Invalid => "invalid",
        StreamVerdict::OverLimit => "over-limit",
        StreamVerdict::NeedsDictionary => "needs-dictionary",
        StreamVerdict::Unreadable => "unreadable",
    }
}

fn run(case: &Case, level: Level, settings: &Settings) -> Report {
    verify(&case.bytes()[..], level, settings, &mut |_| {})
}

fn lax(case: &Case) -> bool {
    RUZSTD_ACCEPTS.iter().any(|(path, _)| *path == case.path)
}

#[test]
fn every_file_gets_its_verdict_at_every_level() {
    let mut counts = BTreeMap::new();
    for case in cases() {
        for (level, expected) in [(Level::Envelope, &case.envelope), (Level::Content, &case.content)] {
            let report = run(&case, level, &Settings::default());
            let verdict = verdict_name(report.verdict);
            *counts.entry((format!("{level:?}"), verdict)).or_insert(0) += 1;
            if level == Level::Content && lax(&case) {
                assert_eq!((verdict, expected.as_str()), ("valid", "invalid"), "{} needs no exception", case.path);
                continue;
            }
            assert_eq!(verdict, expected, "{} at {level:?}: {report:?}", case.path);
            if verdict != "valid" && case.envelope == case.content {
                assert_place(&case, report.error.as_ref().unwrap());
            }
        }
    }
    for ((level, verdict), count) in counts {
        println!("{level:<8} {verdict:<16} {count}");
    }
}

#[test]
fn faults_of_the_content_are_told_with_their_place() {
    for case in cases().into_iter().filter(|case| case.envelope != case.content && !lax(case)) {
        let report = run(&case, Level::Content, &Settings::default());
        assert_place(&case, report.error.as_ref().unwrap());
    }
}

fn assert_place(case: &Case, error: &Error) {
    if let Some(rule) = &case.rule {
        assert_eq!(error.rule(), Some(rule.as_str()), "{}: {error}", case.path);
    }
    let at = error.location().unwrap();
    if let Some(offset) = case.offset {
        assert_eq!(at.offset, offset, "{}: {error}", case.path);
    }
    if let Some(frame) = case.frame {
        assert_eq!(at.frame, frame, "{}: {error}", case.path);
        assert_eq!(at.block, case.block, "{}: {error}", case.path);
    }
}

#[test]
fn every_file_that_can_be_decoded_decodes_to_its_bytes() {
    let mut decoded = 0;
    for case in cases() {
        let (Some(size), Some(hash)) = (case.decoded_size, &case.sha256) else { continue };
        let dictionaries = case.dictionary().map(|bytes| Dictionary::new(&bytes).unwrap()).into_iter().collect();
        let settings = Settings { limits: Limits::UNLIMITED, dictionaries, ..Settings::default() };
        let mut output = Vec::new();
        let stream: &'static [u8] = case.bytes().leak();
        let mut reader = ParallelReader::with_settings(stream, &settings).unwrap();
        reader.read_to_end(&mut output).unwrap_or_else(|error| panic!("{}: {error}", case.path));
        assert_eq!(output.len() as u64, size, "{}", case.path);
        assert_eq!(&zvet_tests::hex(&Sha256::digest(&output)), hash, "{}", case.path);

        for level in [Level::Envelope, Level::Content] {
            let report = run(&case, level, &settings);
            assert_eq!(report.verdict, StreamVerdict::Valid, "{} with all that it needs: {report:?}", case.path);
            assert!(report.totals.decoded_size.contains(size), "{}", case.path);
        }
        decoded += 1;
    }
    assert!(decoded > 90, "{decoded}");
}

#[test]
fn the_manifest_names_every_file() {
    let folder = zvet_tests::corpus::folder();
    let mut listed: Vec<String> = cases().into_iter().map(|case| case.path).collect();
    listed.sort();
    let mut found: Vec<String> = ["bytes", "zstd"]
        .iter()
        .flat_map(|sub| std::fs::read_dir(folder.join(sub)).unwrap().map(move |entry| (sub, entry.unwrap())))
        .map(|(sub, entry)| format!("{sub}/{}", entry.file_name().to_str().unwrap()))
        .collect();
    found.sort();
    assert_eq!(listed, found);
}
