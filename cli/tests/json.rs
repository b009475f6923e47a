//! The JSON documents: their keys, their exact numbers, and that they are whole whatever the input is.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use common::{
    BLOCK, Folder, MIB, all_kinds, assert_holds, checked_hello, ended, hello_with, needs_dictionary, over_limit,
    reserved_block, run_of, started, truncated, wait, window_descriptor, wrong_checksum,
};
use serde_json::{Value, json};
use zvet_tests::bytes::{compressed_rle, frame, hello, raw, rle, single_segment_header, skippable, unsized_header};
use zvet_tests::corpus;

/// The commands that print documents. `decode` needs a file to write to.
const COMMANDS: [&str; 3] = ["inspect --json", "verify --json", "decode --json --force --output out"];

fn has_null_or(value: &Value, holds: impl Fn(&Value) -> bool) -> bool {
    value.is_null() || holds(value)
}

/// Asserts that a document has all keys, each with a value of its type.
#[track_caller]
fn assert_form(document: &Value) {
    assert!(document["file"].is_string(), "{document}");
    for frame in document["frames"].as_array().unwrap() {
        assert_frame_form(frame);
    }
    assert_summary_form(document);
}

#[track_caller]
fn assert_frame_form(frame: &Value) {
    for key in ["offset", "compressed_size", "header_size"] {
        assert!(frame[key].is_u64(), "{key}: {frame}");
    }
    assert!(frame["complete"].is_boolean(), "{frame}");
    if frame["kind"] == "skippable" {
        assert!(frame["variant"].is_u64(), "{frame}");
        return;
    }
    assert_eq!(frame["kind"], "zstd");
    assert!(frame["window_size"].is_u64(), "{frame}");
    assert!(frame["single_segment"].is_boolean(), "{frame}");
    for key in ["content_size", "dictionary_id"] {
        assert!(has_null_or(&frame[key], Value::is_u64), "{key}: {frame}");
    }
    let is_checksum = |text: &str| text.len() == 8 && text.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
    assert!(has_null_or(&frame["checksum"], |value| value.as_str().is_some_and(is_checksum)), "{frame}");
    for key in ["raw", "rle", "compressed"] {
        assert!(frame["blocks"][key].is_u64(), "{key}: {frame}");
    }
    assert_range(&frame["decoded_size"]);
    let decode = &frame["decode"];
    match decode["mode"].as_str() {
        Some("parallel") => assert!(["bound", "declared"].contains(&decode["proof"].as_str().unwrap()), "{decode}"),
        Some("serial") => {
            let reasons = ["window", "output", "input", "blocks", "dictionary"];
            assert!(reasons.contains(&decode["reason"].as_str().unwrap()), "{decode}");
        }
        _ => panic!("{decode}"),
    }
}

#[track_caller]
fn assert_summary_form(summary: &Value) {
    assert!(has_null_or(&summary["size"], Value::is_u64), "{summary}");
    let verdicts = ["valid", "invalid", "over-limit", "needs-dictionary", "unreadable"];
    assert!(verdicts.contains(&summary["verdict"].as_str().unwrap()), "{summary}");
    assert!(["envelope", "content"].contains(&summary["level"].as_str().unwrap()), "{summary}");
    for key in ["frames", "skippable", "blocks", "window_max", "memory"] {
        assert!(summary["totals"][key].is_u64(), "{key}: {summary}");
    }
    assert_range(&summary["totals"]["decoded_size"]);
    let error = &summary["error"];
    assert_eq!(error.is_null(), summary["verdict"] == "valid", "{summary}");
    if !error.is_null() {
        for key in ["offset", "frame", "block"] {
            assert!(has_null_or(&error[key], Value::is_u64), "{key}: {error}");
        }
        assert!(has_null_or(&error["rule"], Value::is_string), "{error}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
    }
}

#[track_caller]
fn assert_range(range: &Value) {
    assert!(range["low"].as_u64().unwrap() <= range["high"].as_u64().unwrap(), "{range}");
}

#[test]
fn every_key_is_there_with_its_type_whatever_the_input() {
    let inputs = [
        hello(),
        all_kinds().0,
        skippable(0, b"alone"),
        reserved_block(),
        truncated(),
        checked_hello()[..15].to_vec(),
        skippable(0, b"cut")[..9].to_vec(),
        over_limit(),
        needs_dictionary(),
        wrong_checksum(),
        b"not zstd".to_vec(),
        Vec::new(),
    ];
    for input in inputs {
        let folder = Folder::with([("a.zst", input)]);
        for command in COMMANDS {
            let (document, _) = folder.json(&format!("{command} a.zst"));
            assert_form(&document);
            assert_eq!(document["file"], "a.zst");
        }
        let lines = folder.zvet("inspect --json-lines a.zst").json_lines();
        let (summary, frames) = lines.split_last().unwrap();
        assert_summary_form(summary);
        for frame in frames {
            assert_frame_form(frame);
        }
    }
}

#[test]
fn a_document_has_the_facts_of_every_frame() {
    let frames = [
        hello(),
        skippable(5, b"skipped"),
        checked_hello(),
        frame(
            &unsized_header(window_descriptor(17)),
            &[rle(false, b'r', 1000), compressed_rle(false, b'c', 5000), raw(true, b"raw")],
        ),
    ];
    let folder = Folder::with([("a.zst", frames.concat())]);
    let (document, code) = folder.json("inspect --json a.zst");
    assert_eq!(code, 0);
    assert_holds(
        &document,
        &json!({
            "file": "a.zst", "size": 85, "verdict": "valid", "level": "envelope",
            "frames": [
                {
                    "kind": "zstd", "offset": 0, "compressed_size": 21, "complete": true, "header_size": 6,
                    "window_size": 12, "single_segment": true, "content_size": 12, "dictionary_id": null,
                    "checksum": null, "blocks": { "raw": 1, "rle": 0, "compressed": 0 },
                    "decoded_size": { "low": 12, "high": 12 }, "decode": { "mode": "parallel", "proof": "bound" },
                },
                {
                    "kind": "skippable", "offset": 21, "compressed_size": 15, "complete": true, "header_size": 8,
                    "variant": 5,
                },
                {
                    "kind": "zstd", "offset": 36, "compressed_size": 25, "complete": true, "header_size": 6,
                    "window_size": 12, "single_segment": true, "content_size": 12, "dictionary_id": null,
                    "checksum": "6d1b1242", "blocks": { "raw": 1, "rle": 0, "compressed": 0 },
                    "decoded_size": { "low": 12, "high": 12 }, "decode": { "mode": "parallel", "proof": "bound" },
                },
                {
                    "kind": "zstd", "offset": 61, "compressed_size": 24, "complete": true, "header_size": 6,
                    "window_size": 131_072, "single_segment": false, "content_size": null, "dictionary_id": null,
                    "checksum": null, "blocks": { "raw": 1, "rle": 1, "compressed": 1 },
                    "decoded_size": { "low": 1003, "high": 1003 + 131_072 },
                    "decode": { "mode": "parallel", "proof": "bound" },
                },
            ],
            "totals": {
                "frames": 3, "skippable": 1, "blocks": 5, "decoded_size": { "low": 1027, "high": 1027 + 131_072 },
                // Window, input and output of the last frame.
                "window_max": 131_072, "memory": 131_072 + 24 + 1003 + 131_072,
            },
            "error": null,
        }),
    );
}

#[test]
fn decoding_makes_sizes_exact() {
    let folder = Folder::with([("a.zst", frame(&unsized_header(56), &[compressed_rle(true, b'c', 5000)]))]);
    let exact = json!({ "low": 5000, "high": 5000 });
    for command in ["verify --json", "decode --json --output out"] {
        let (document, _) = folder.json(&format!("{command} a.zst"));
        assert_holds(
            &document,
            &json!({ "level": "content", "frames": [{ "decoded_size": exact }], "totals": { "decoded_size": exact } }),
        );
    }
    let (document, _) = folder.json("verify --level envelope --json a.zst");
    let bounds = json!({ "low": 0, "high": BLOCK });
    assert_holds(&document, &json!({ "level": "envelope", "frames": [{ "decoded_size": bounds }] }));
}

#[test]
fn numbers_of_64_bits_are_exact() {
    for size in [u64::MAX, u64::MAX - 1, (1 << 53) + 1, i64::MAX as u64 + 1] {
        let header = [&[0xC0, 88][..], &size.to_le_bytes()].concat();
        let folder = Folder::with([("a.zst", frame(&header, &[raw(false, b"hello")]))]);
        let (document, code) = folder.json("inspect --json a.zst");
        assert_eq!(code, 1);
        let decoded_size = json!({ "low": size, "high": size });
        assert_holds(
            &document,
            &json!({
                "frames": [{ "content_size": size, "decoded_size": decoded_size }],
                "totals": { "decoded_size": decoded_size },
            }),
        );
        assert_eq!(document["frames"][0]["content_size"].as_u64(), Some(size));
    }
}

#[test]
fn sums_past_64_bits_saturate() {
    let folder = Folder::with([("a.zst", frame(&single_segment_header(u64::MAX), &[raw(false, b"hello")]))]);
    let (document, code) = folder.json("inspect --json --limits unlimited a.zst");
    assert_eq!(code, 1);
    assert_holds(
        &document,
        &json!({
            "frames": [{ "window_size": u64::MAX, "content_size": u64::MAX }],
            "totals": { "window_max": u64::MAX, "memory": u64::MAX },
        }),
    );
}

#[test]
fn a_broken_input_has_all_that_was_found_before_the_fault() {
    let stream = [hello(), skippable(1, b"one"), run_of(b'x', 3), reserved_block()].concat();
    let fault = stream.len() as u64 - 3;
    let folder = Folder::with([("a.zst", stream.clone())]);
    for command in COMMANDS {
        let (document, code) = folder.json(&format!("{command} a.zst"));
        assert_eq!(code, 1, "{command}");
        assert_holds(
            &document,
            &json!({
                "size": stream.len(), "verdict": "invalid",
                "frames": [
                    { "kind": "zstd", "offset": 0, "complete": true },
                    { "kind": "skippable", "offset": 21, "complete": true },
                    { "kind": "zstd", "offset": 32, "complete": true, "blocks": { "raw": 0, "rle": 3, "compressed": 0 } },
                    {
                        "kind": "zstd", "offset": 50, "complete": false, "compressed_size": fault - 50,
                        "blocks": { "raw": 1, "rle": 0, "compressed": 0 },
                    },
                ],
                "totals": { "frames": 3, "skippable": 1, "blocks": 5 },
                "error": {
                    "rule": "B02", "offset": fault, "frame": 3, "block": 1, "message": "block type 3 is reserved",
                },
            }),
        );
    }
}

#[test]
fn a_cut_frame_is_there_as_far_as_it_goes() {
    let whole = [hello(), checked_hello()].concat();
    // Past the header of the second frame, whose block begins at 27.
    for end in 27..whole.len() {
        let folder = Folder::with([("a.zst", whole[..end].to_vec())]);
        for command in COMMANDS {
            let (document, code) = folder.json(&format!("{command} a.zst"));
            assert_eq!(code, 1);
            assert_holds(
                &document,
                &json!({
                    "size": end,
                    "frames": [{ "complete": true }, { "complete": false, "offset": 21, "checksum": null }],
                    "error": { "rule": "F12", "offset": end, "frame": 1 },
                }),
            );
            assert!(document["frames"][1]["compressed_size"].as_u64().unwrap() <= end as u64 - 21);
        }
    }
}

#[test]
fn a_cut_skippable_frame_is_there_too() {
    let folder = Folder::with([("a.zst", skippable(2, &[0; 100])[..50].to_vec())]);
    for command in COMMANDS {
        let (document, code) = folder.json(&format!("{command} a.zst"));
        assert_eq!(code, 1);
        assert_holds(
            &document,
            &json!({
                "frames": [{ "kind": "skippable", "complete": false, "compressed_size": 50, "variant": 2 }],
                "totals": { "frames": 0, "skippable": 1 },
                "error": { "rule": "F12", "offset": 50, "frame": 0, "block": null },
            }),
        );
    }
}

#[test]
fn a_wrong_checksum_is_an_error_of_a_frame_that_is_whole() {
    let folder = Folder::with([("a.zst", [hello(), wrong_checksum()].concat())]);
    let (document, code) = folder.json("verify --json a.zst");
    assert_eq!(code, 1);
    assert_holds(
        &document,
        &json!({
            "verdict": "invalid",
            "frames": [{ "checksum": null }, { "complete": true, "checksum": "6c1b1242" }],
            "error": {
                "rule": "F10", "offset": 42, "frame": 1, "block": null,
                "message": "the content checksum is 6c1b1242, but the content has 6d1b1242",
            },
        }),
    );
}

#[test]
fn over_limit_is_a_verdict_of_its_own() {
    let folder = Folder::with([("a.zst", over_limit())]);
    for command in COMMANDS {
        let (document, code) = folder.json(&format!("{command} a.zst"));
        assert_eq!(code, 3);
        assert_holds(
            &document,
            &json!({ "verdict": "over-limit", "error": { "rule": "X01", "offset": 0, "frame": 0, "block": null } }),
        );
    }
    // Whoever only looks sees the frame and what comes after it.
    folder.write("a.zst", &[over_limit(), hello()].concat());
    for command in &COMMANDS[..2] {
        let (document, _) = folder.json(&format!("{command} a.zst"));
        assert_holds(
            &document,
            &json!({
                "verdict": "over-limit",
                "frames": [
                    { "window_size": 256 << 20, "decode": { "mode": "serial", "reason": "window" } },
                    { "window_size": 12, "decode": { "mode": "parallel" } },
                ],
            }),
        );
    }
}

#[test]
fn a_missing_dictionary_is_a_verdict_of_its_own() {
    let folder = Folder::with([("a.zst", needs_dictionary())]);
    for command in COMMANDS {
        let (document, code) = folder.json(&format!("{command} a.zst"));
        assert_eq!(code, 4);
        assert_holds(
            &document,
            &json!({ "verdict": "needs-dictionary", "error": { "rule": "D01", "offset": 0, "frame": 0, "block": null } }),
        );
    }
    for command in &COMMANDS[..2] {
        let (document, _) = folder.json(&format!("{command} a.zst"));
        let frame = json!({ "dictionary_id": 7, "decode": { "mode": "serial", "reason": "dictionary" } });
        assert_holds(&document, &json!({ "frames": [frame] }));
    }
}

#[test]
fn a_dictionary_that_is_given_is_enough() {
    let dictionary = std::fs::read(corpus::folder().join("dict/trained.dict")).unwrap();
    let id: [u8; 4] = dictionary[4..8].try_into().unwrap();
    let stream = hello_with(&[&[0x23][..], &id, &[12]].concat());
    let folder = Folder::with([("a.zst", stream), ("a.dict", dictionary)]);
    for command in COMMANDS {
        let (document, code) = folder.json(&format!("{command} -D a.dict a.zst"));
        assert_eq!(code, 0);
        let frame = json!({ "dictionary_id": u32::from_le_bytes(id), "decode": { "mode": "parallel" } });
        assert_holds(&document, &json!({ "verdict": "valid", "frames": [frame] }));
        assert_eq!(folder.zvet(&format!("{command} a.zst")).code, 4);
    }
}

#[test]
fn an_unreadable_input_has_a_document_too() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("folder.zst")).unwrap();
    for name in ["missing.zst", "folder.zst"] {
        for command in COMMANDS {
            let ran = folder.zvet(&format!("{command} {name}"));
            assert_eq!(ran.code, 2);
            assert!(!ran.stdout.is_empty(), "{command} {name}: no document");
            let document = ran.json();
            assert_form(&document);
            assert_holds(
                &document,
                &json!({
                    "file": name, "verdict": "unreadable", "frames": [], "totals": { "frames": 0 },
                    "error": { "rule": null, "offset": null, "frame": null, "block": null },
                }),
            );
        }
    }
}

#[test]
fn several_inputs_have_a_document_each_in_their_order() {
    let folder = Folder::with([("a.zst", hello()), ("b.zst", reserved_block()), ("c.zst", all_kinds().0)]);
    for (command, level) in [("inspect", "envelope"), ("verify", "content")] {
        let ran = folder.zvet(&format!("{command} --json a.zst b.zst missing.zst c.zst"));
        assert_eq!(ran.code, 2);
        let documents = ran.json_lines();
        let said: Vec<_> = documents.iter().map(|document| [&document["file"], &document["verdict"]]).collect();
        assert_eq!(
            said,
            [["a.zst", "valid"], ["b.zst", "invalid"], ["missing.zst", "unreadable"], ["c.zst", "valid"]],
            "a document takes one line"
        );
        assert!(documents.iter().all(|document| document["level"] == level));
    }
    let ran = folder.zvet("decode --json a.zst b.zst c.zst");
    let verdicts: Vec<_> = ran.json_lines().iter().map(|document| document["verdict"].clone()).collect();
    assert_eq!(verdicts, ["valid", "invalid", "valid"]);
}

#[test]
fn lines_hold_what_the_document_holds() {
    let folder = Folder::with([
        ("a.zst", all_kinds().0),
        ("b.zst", [hello(), skippable(4, b""), truncated()].concat()),
        ("c.zst", Vec::new()),
    ]);
    for name in ["a.zst", "b.zst", "c.zst"] {
        let (document, code) = folder.json(&format!("inspect --json {name}"));
        let ran = folder.zvet(&format!("inspect --json-lines {name}"));
        assert_eq!(ran.code, code);
        let mut lines = ran.json_lines();
        let summary = lines.pop().unwrap();
        assert_holds(&summary, &json!({ "kind": "summary", "file": name }));
        for key in ["size", "verdict", "level", "totals", "error"] {
            assert_eq!(summary[key], document[key], "{key}");
        }
        for (index, line) in lines.iter().enumerate() {
            assert_holds(line, &json!({ "file": name, "frame": index }));
        }
        assert_holds(&Value::Array(lines), &document["frames"]);
    }
}

#[test]
fn several_inputs_have_their_lines_one_after_the_other() {
    let folder = Folder::with([("a.zst", [hello(), skippable(0, b"")].concat()), ("b.zst", hello())]);
    let lines = folder.zvet("inspect --json-lines a.zst missing.zst b.zst").json_lines();
    let said: Vec<_> = lines.iter().map(|line| [&line["file"], &line["kind"]]).collect();
    assert_eq!(
        said,
        [
            ["a.zst", "zstd"],
            ["a.zst", "skippable"],
            ["a.zst", "summary"],
            ["missing.zst", "summary"],
            ["b.zst", "zstd"],
            ["b.zst", "summary"],
        ]
    );
    assert_eq!(lines[3]["verdict"], "unreadable");
}

#[test]
fn a_line_is_there_before_the_next_frame() {
    let folder = Folder::new();
    let mut child = started(folder.command(["inspect", "--json-lines"]).stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    let stdout = child.stdout.take().unwrap();
    let (to, lines) = channel();
    let reading = thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            to.send(serde_json::from_str::<Value>(&line.unwrap()).unwrap()).unwrap();
        }
    });
    let patience = Duration::from_secs(30);
    for index in 0..3 {
        stdin.write_all(&checked_hello()).unwrap();
        let line = lines.recv_timeout(patience).expect("the line comes while the input is still open");
        assert_holds(&line, &json!({ "kind": "zstd", "frame": index, "offset": 25 * index, "complete": true }));
    }
    drop(stdin);
    let summary = lines.recv_timeout(patience).unwrap();
    assert_holds(&summary, &json!({ "kind": "summary", "verdict": "valid", "size": 75 }));
    assert_eq!(ended(child).code, 0);
    reading.join().unwrap();
}

#[test]
fn lines_end_when_nobody_reads_them() {
    let folder = Folder::new();
    let mut child = started(folder.command(["inspect", "--json-lines"]).stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&hello()).unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("zstd"));
    // The reader is gone. Frames keep coming, until the command goes away, too.
    let feeding = thread::spawn(move || while stdin.write_all(&hello().repeat(100)).is_ok() {});
    let status = wait(&mut child, Duration::from_secs(3));
    feeding.join().unwrap();
    assert_eq!(status.expect("it ends by itself").code(), Some(2));
}

#[test]
fn ten_thousand_frames_and_more_are_all_there() {
    let folder = Folder::with([("a.zst", skippable(0, b"").repeat(10_001))]);
    let (document, code) = folder.json("inspect --json a.zst");
    assert_eq!(code, 0);
    let frames = document["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 10_001);
    assert_eq!(frames[10_000]["offset"], 80_000);
}

#[cfg(unix)]
#[test]
fn names_are_escaped() {
    let name = "a \"quoted\"\n\\ näme.zst";
    let folder = Folder::with([(name, hello())]);
    let document = common::run(&mut folder.command(["inspect", "--json", name])).json();
    assert_eq!(document["file"], name);
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_unicode_is_shown_as_well_as_it_can_be() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let name = OsStr::from_bytes(b"a\xFF.zst");
    let folder = Folder::new();
    folder.write(name, &hello());
    let document = common::run(&mut folder.command([OsStr::new("verify"), OsStr::new("--json"), name])).json();
    assert_holds(&document, &json!({ "file": "a\u{FFFD}.zst", "verdict": "valid" }));
}

#[test]
fn a_serial_frame_is_reported_like_any_other() {
    let folder = Folder::with([("a.zst", [run_of(b'x', 136), hello()].concat())]);
    for command in COMMANDS {
        let (document, _) = folder.json(&format!("{command} a.zst"));
        assert_holds(
            &document,
            &json!({
                "verdict": "valid",
                "frames": [
                    {
                        "complete": true, "blocks": { "raw": 0, "rle": 136, "compressed": 0 },
                        "decoded_size": { "low": 17 * MIB, "high": 17 * MIB },
                        "decode": { "mode": "serial", "reason": "output" },
                    },
                    { "complete": true, "decode": { "mode": "parallel", "proof": "bound" } },
                ],
            }),
        );
    }
}
