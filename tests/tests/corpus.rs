//! Every line of `corpus/MANIFEST.toml` at every level.

use std::collections::BTreeMap;
use std::io::Read;

use sha2::{Digest, Sha256};
use zvet::{Dictionary, Error, Level, Limits, ParallelReader, Report, Settings, StreamVerdict, verify};
use zvet_tests::corpus::{Case, cases};

fn run(case: &Case, level: Level, settings: &Settings) -> Report {
    verify(&case.bytes()[..], level, settings, &mut |_| {})
}

#[test]
fn every_file_gets_its_verdict_at_every_level() {
    let mut counts = BTreeMap::new();
    for case in cases() {
        // What only the checksum finds, and what no checksum can.
        let entropy = if case.rule.as_deref() == Some("F10") { &case.envelope } else { &case.content };
        for (level, expected) in
            [(Level::Envelope, &case.envelope), (Level::Entropy, entropy), (Level::Content, &case.content)]
        {
            let report = run(&case, level, &Settings::default());
            let verdict = report.verdict.to_string();
            *counts.entry((level.to_string(), verdict.clone())).or_insert(0) += 1;
            assert_eq!(&verdict, expected, "{} at {level:?}: {report:?}", case.path);
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
    for case in cases().into_iter().filter(|case| case.envelope != case.content) {
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

        for level in [Level::Envelope, Level::Entropy, Level::Content] {
            let report = run(&case, level, &settings);
            assert_eq!(report.verdict, StreamVerdict::Valid, "{} with all that it needs: {report:?}", case.path);
            assert!(report.totals.decoded_size.contains(size), "{}", case.path);
            assert!(level == Level::Envelope || report.totals.decoded_size.exact().is_some(), "{}", case.path);
        }
        let exact = zvet::inspect(&case.bytes()[..], true, &settings, &mut |_| {});
        assert_eq!(exact.totals.decoded_size.exact(), Some(size), "{}", case.path);
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
