//! `SPEC-NOTES.md` says what is so: its rules are those of the code, every rule has its test, and its table of inputs on
//! which decoders differ is what they do.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use zvet::{Level, StreamVerdict};
use zvet_tests::bytes::from_hex;
use zvet_tests::compare::{check, rule, settings};
use zvet_tests::libzstd::{Decoder, Refusal};
use zvet_tests::{corpus, root, zstd};

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rules' ids that a text has: a letter and two digits, in order and once each.
fn ids(text: &str) -> BTreeSet<String> {
    let is_id = |word: &str| {
        let bytes = word.as_bytes();
        bytes.len() == 3 && b"FBLSKXDCT".contains(&bytes[0]) && bytes[1..].iter().all(u8::is_ascii_digit)
    };
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| is_id(word)).map(str::to_owned).collect()
}

/// The ids of the table of rules.
fn listed() -> BTreeSet<String> {
    let notes = read("SPEC-NOTES.md");
    let rows: Vec<_> = notes
        .lines()
        .filter_map(|line| line.strip_prefix("| "))
        .filter_map(|line| line.split_once(" | "))
        .map(|(id, _)| id.to_owned())
        .filter(|id| ids(id).contains(id))
        .collect();
    let once: BTreeSet<_> = rows.iter().cloned().collect();
    assert_eq!(once.len(), rows.len(), "a rule is listed twice: {rows:?}");
    once
}

/// The ids that the notes say have no error of their own.
fn without_error() -> BTreeSet<String> {
    let notes = read("SPEC-NOTES.md");
    let (before, _) = notes.split_once(" have no error of their own").unwrap();
    ids(before.rsplit_once("\n\n").unwrap().1)
}

/// The ids that errors have, from where errors get them.
fn told() -> BTreeSet<String> {
    ["core/src/error.rs", "core/src/seek_table.rs", "std-adapter/src/error.rs"]
        .into_iter()
        .flat_map(|path| {
            let arms = read(path);
            let arms: Vec<_> = arms.lines().filter_map(|line| line.split_once("=> \"")).map(|(_, id)| id).collect();
            ids(&arms.join(" "))
        })
        .collect()
}

#[test]
fn the_rules_of_the_notes_are_those_of_errors() {
    let told = told();
    let silent = without_error();
    assert!(told.is_disjoint(&silent), "these do have errors: {:?}", told.intersection(&silent));
    let all: BTreeSet<_> = told.union(&silent).cloned().collect();
    assert_eq!(listed(), all);
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The names of all tests.
fn tests() -> Vec<String> {
    let mut files = Vec::new();
    for folder in ["core/src", "std-adapter/src", "tests/tests", "cli/tests"] {
        rust_files(&root().join(folder), &mut files);
    }
    let mut names = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.trim() == "#[test]"
                && let Some(name) = lines.find_map(|line| line.trim().strip_prefix("fn "))
            {
                names.push(name.split('(').next().unwrap().to_owned());
            }
        }
    }
    names
}

#[test]
fn every_rule_has_a_test_that_is_named_after_it() {
    let tests = tests();
    assert!(tests.len() > 150, "{} tests were found", tests.len());
    let untested: Vec<_> = listed()
        .into_iter()
        .filter(|id| !tests.iter().any(|test| test.starts_with(&format!("{}_", id.to_lowercase()))))
        .collect();
    assert!(untested.is_empty(), "rules without a test: {untested:?}");
}

#[test]
fn every_rule_of_streams_is_broken_by_a_file_of_the_corpus() {
    // Settings make the limits, and engines, dictionaries and seek tables are no streams; without a dictionary L07 and S03 are
    // D02.
    let of_streams =
        told().into_iter().filter(|id| !id.starts_with(['X', 'C', 'K', 'T']) && id != "L07" && id != "S03");
    let broken: BTreeSet<_> = corpus::cases().into_iter().filter_map(|case| case.rule).collect();
    let missing: Vec<_> = of_streams.filter(|id| !broken.contains(id)).collect();
    assert!(missing.is_empty(), "no file of the corpus breaks {missing:?}");
}

/// What decoders say of an input, as the table puts it.
#[derive(Debug, PartialEq)]
struct Row {
    zvet: String,
    /// `None` where it is not the version of the table.
    command: Option<&'static str>,
    libzstd: String,
    ruzstd: String,
}

fn of_libzstd(result: &Result<Vec<u8>, Refusal>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(Refusal::More) => "more",
        Err(_) => "err",
    }
}

fn ok_or_err(ok: bool) -> &'static str {
    if ok { "ok" } else { "err" }
}

/// Whether the command is of the version that the table tells of.
fn is_command_of_the_table() -> bool {
    zstd::command().is_some_and(|command| {
        let output = Command::new(command).arg("--version").output().unwrap();
        String::from_utf8_lossy(&output.stdout).contains("v1.5.4")
    })
}

fn ask(input: &[u8]) -> Row {
    let report = check(input, Level::Content, &settings());
    let libzstd = Decoder::by_default();
    let libzstd = [libzstd.in_one_call(input, 1 << 20), libzstd.stream(input), libzstd.in_pieces(input, 1)];
    let whole = FrameDecoder::new().decode_all(input, &mut vec![0; 1 << 20]);
    let mut source = input;
    let streaming = StreamingDecoder::new(&mut source).ok().map(|mut decoder| decoder.read_to_end(&mut Vec::new()));
    let streaming = streaming.is_some_and(|read| read.is_ok());
    Row {
        zvet: rule(&report).unwrap_or("valid").to_owned(),
        command: is_command_of_the_table().then(|| ok_or_err(zstd::accepts(input, None))),
        libzstd: libzstd.each_ref().map(of_libzstd).join(" / "),
        ruzstd: format!("{} / {}", ok_or_err(whole.is_ok()), ok_or_err(streaming)),
    }
}

/// The rows of the table of differences: their cells.
fn rows() -> Vec<Vec<String>> {
    let notes = read("SPEC-NOTES.md");
    let (_, section) = notes.split_once("## 5. ").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `") || line.starts_with("| no bytes"));
    rows.map(|line| {
        let cells = line.trim_matches('|').replace("\\|", "\u{1}");
        cells.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
    })
    .collect()
}

#[test]
fn decoders_do_what_the_table_of_differences_says() {
    let rows = rows();
    assert!(rows.len() > 40, "{} rows were found", rows.len());
    let mut wrong = Vec::new();
    for cells in &rows {
        let [input, what, zvet, command, libzstd, _klauspost, ruzstd] = &cells[..] else { panic!("{cells:?}") };
        let bytes = from_hex(input.strip_prefix('`').unwrap_or_default().trim_end_matches('`'));
        let row = ask(&bytes);
        // Of two versions of libzstd the second is the one at hand.
        let libzstd = libzstd.rsplit(" | ").next().unwrap();
        // It has its fast loops, which are lax, on such targets alone.
        let fast = cfg!(all(target_pointer_width = "64", target_endian = "little"));
        let first = |cell: &str| cell.replace('*', "").split([';', ',']).next().unwrap().to_owned();
        let agree = first(zvet) == row.zvet
            && row.command.is_none_or(|said| said == first(command))
            && (libzstd == row.libzstd || zvet == "L11" && !fast)
            && *ruzstd == row.ruzstd;
        if !agree {
            wrong.push(format!("{input} ({what}): {row:?}"));
        }
        if let Some(said) = zvet.strip_prefix("X01; ") {
            assert_eq!(said, "valid if allowed");
            let settings = zvet::Settings { limits: zvet::Limits::UNLIMITED, ..settings() };
            assert_eq!(check(&bytes, Level::Content, &settings).verdict, StreamVerdict::Valid, "{input}");
        }
        if let Some(said) = zvet.strip_prefix("C01; ") {
            assert_eq!(said, "valid at level entropy");
            assert_eq!(check(&bytes, Level::Entropy, &settings()).verdict, StreamVerdict::Valid, "{input}");
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows are otherwise:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
