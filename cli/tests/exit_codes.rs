//! What the exit code says.

mod common;

use std::fs::File;
use std::io::{Seek, SeekFrom};

use common::{
    Folder, Ran, all_kinds, checked_hello, needs_dictionary, over_limit, reserved_block, run, truncated, wrong_checksum,
};
use zvet_tests::bytes::{hello, skippable};
use zvet_tests::corpus;

/// The commands, so that they print what they decode.
const COMMANDS: [&str; 3] = ["inspect", "verify", "decode --stdout"];

/// A file for each exit code.
fn one_of_each() -> Folder {
    Folder::with([
        ("0.zst", hello()),
        ("1.zst", reserved_block()),
        // There is no 2.zst.
        ("3.zst", over_limit()),
        ("4.zst", needs_dictionary()),
    ])
}

/// The code of each of the commands.
fn codes(folder: &Folder, input: &str) -> [i32; 3] {
    COMMANDS.map(|command| folder.zvet(&format!("{command} {input}")).code)
}

#[test]
fn each_code_says_what_the_input_is() {
    let folder = one_of_each();
    for code in 0..=4 {
        assert_eq!(codes(&folder, &format!("{code}.zst")), [code; 3]);
    }
}

#[test]
fn what_is_not_a_valid_stream_is_1() {
    let folder = Folder::with([
        ("truncated.zst", truncated()),
        ("trailing.zst", [hello(), b"trailing".to_vec()].concat()),
        ("not.zst", b"\x1F\x8B\x08 not zstd".to_vec()),
        ("empty.zst", Vec::new()),
        ("dictionary-then-fault.zst", [needs_dictionary(), truncated()].concat()),
    ]);
    for name in folder.names() {
        let expected = if name == "dictionary-then-fault.zst" { [1, 1, 4] } else { [1; 3] };
        assert_eq!(codes(&folder, &name), expected, "{name}");
    }
}

#[test]
fn a_fault_that_may_be_a_wrong_dictionarys_is_told_with_that_doubt() {
    let corpus = |path: &str| std::fs::read(corpus::folder().join(path)).unwrap();
    let folder = Folder::with([
        ("a.zst", corpus("zstd/dictionary-no-id.zst")),
        ("right", corpus("dict/trained.dict")),
        ("wrong", corpus("dict/raw.dict")),
        ("broken.zst", reserved_block()),
        ("checksum.zst", wrong_checksum()),
    ]);
    let doubt = "it may be the dictionary that is wrong";
    for command in ["verify", "decode -c"] {
        let ran = folder.zvet(&format!("{command} -D wrong a.zst"));
        assert_eq!(ran.code, 1, "{command}");
        assert!(ran.stderr.contains(doubt), "{command}: {}", ran.stderr);
        for other in ["-D right a.zst", "-D right broken.zst", "-q -D wrong a.zst", "checksum.zst"] {
            assert!(!folder.zvet(&format!("{command} {other}")).stderr.contains(doubt), "{command} {other}");
        }
    }
}

#[test]
fn only_the_content_level_sees_a_wrong_checksum() {
    let folder = Folder::with([("wrong.zst", wrong_checksum()), ("right.zst", checked_hello())]);
    assert_eq!(codes(&folder, "wrong.zst"), [0, 1, 1]);
    assert_eq!(codes(&folder, "right.zst"), [0, 0, 0]);
    assert_eq!(folder.zvet("verify --level envelope wrong.zst").code, 0);
    assert_eq!(folder.zvet("verify --level content wrong.zst").code, 1);
}

#[test]
fn the_worst_of_several_inputs_wins() {
    let folder = one_of_each();
    let from_worst_to_best = ["2.zst", "1.zst", "3.zst", "4.zst", "0.zst"];
    for (place, code) in [2, 1, 3, 4, 0].into_iter().enumerate() {
        let mut inputs = from_worst_to_best[place..].to_vec();
        for _ in 0..2 {
            for command in COMMANDS {
                let args = format!("{command} {}", inputs.join(" "));
                assert_eq!(folder.zvet(&args).code, code, "{args}");
            }
            inputs.reverse();
        }
    }
}

#[test]
fn a_bad_input_does_not_keep_others_from_being_looked_at() {
    let ran = one_of_each().zvet("verify 2.zst 1.zst 3.zst 4.zst 0.zst");
    let verdicts: Vec<_> =
        ran.text().lines().map(|line| line.split([' ', ',', ':']).nth(2).unwrap_or_default()).collect();
    assert_eq!(verdicts, ["invalid", "over-limit", "needs-dictionary", "valid"]);
    assert!(ran.stderr.starts_with("zvet: 2.zst: "), "{}", ran.stderr);
}

#[test]
fn usage_errors_are_2_and_say_so_on_standard_error_alone() {
    let folder = Folder::with([("a.zst", hello()), ("b.zst", hello()), ("bad.dict", b"\x37\xA4\x30\xEC\x01".to_vec())]);
    for args in [
        "",
        "look a.zst",
        "--unknown",
        "inspect --unknown a.zst",
        "verify --stdout a.zst",
        "decode --json-lines a.zst",
        "inspect --json --json-lines a.zst",
        "inspect --max-window 3.5MiB a.zst",
        "inspect --max-window= a.zst",
        "inspect --max-window 99999999TiB a.zst",
        "inspect --max-output -1 a.zst",
        "inspect --max-ratio 0 a.zst",
        "inspect --max-ratio 2.5 a.zst",
        "inspect --max-frames some a.zst",
        "inspect --limits loose a.zst",
        "verify --level deep a.zst",
        "verify --workers 0 a.zst",
        "verify --workers many a.zst",
        "verify -D missing.dict a.zst",
        "verify -D bad.dict a.zst",
        "decode --output",
        "decode --output x --stdout a.zst",
        "decode --output x a.zst b.zst",
        "decode --output - a.zst b.zst",
        "decode --json --stdout a.zst",
        "decode --json --output - a.zst",
        "decode --json",
    ] {
        let ran = folder.zvet(args);
        assert_eq!((ran.code, ran.text()), (2, ""), "zvet {args}");
        assert!(!ran.stderr.is_empty(), "zvet {args}");
    }
    assert_eq!(folder.names(), ["a.zst", "b.zst", "bad.dict"], "nothing was written");
}

#[test]
fn what_cannot_be_read_is_2() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("folder.zst")).unwrap();
    for name in ["missing.zst", "folder.zst", "missing/file.zst"] {
        for command in COMMANDS {
            let ran = folder.zvet(&format!("{command} {name}"));
            assert_eq!(ran.code, 2, "{command} {name}");
            assert!(ran.stderr.starts_with(&format!("zvet: {name}: ")), "{}", ran.stderr);
        }
    }
    assert_eq!(folder.names(), ["folder.zst"]);
}

#[test]
fn an_empty_input_is_1_unless_it_is_allowed() {
    let folder = Folder::with([("empty.zst", Vec::new())]);
    for command in COMMANDS {
        for input in ["empty.zst", "-", ""] {
            let ran = folder.zvet(&format!("{command} {input}"));
            assert_eq!(ran.code, 1, "{command} {input}");
            assert!([ran.text(), &ran.stderr].concat().contains("empty"), "{ran:?}");
            assert_eq!(folder.zvet(&format!("{command} --allow-empty {input}")).code, 0, "{command} {input}");
        }
    }
}

#[test]
fn skippable_frames_alone_are_a_valid_stream() {
    let folder = Folder::with([("skippable.zst", skippable(3, b"nothing else"))]);
    assert_eq!(codes(&folder, "skippable.zst"), [0; 3]);
}

#[test]
fn a_dash_or_nothing_is_standard_input() {
    let folder = Folder::new();
    for (input, code) in [(hello(), 0), (reserved_block(), 1), (over_limit(), 3), (needs_dictionary(), 4)] {
        for command in COMMANDS {
            let dash = folder.zvet_piped(&format!("{command} -"), input.clone());
            let nothing = folder.zvet_piped(command, input.clone());
            assert_eq!(dash.code, code);
            assert_eq!(dash, nothing);
        }
    }
    assert_eq!(folder.zvet_piped("decode", hello()).text(), "hello, world");
}

#[test]
fn standard_input_is_one_of_several_inputs() {
    let folder = Folder::with([("a.zst", hello())]);
    let ran = folder.zvet_piped("decode --stdout a.zst - a.zst", checked_hello());
    assert_eq!((ran.code, ran.text()), (0, "hello, worldhello, worldhello, world"));
}

#[test]
fn standard_input_is_the_same_from_a_file_and_a_pipe() {
    let folder = Folder::new();
    for input in [
        all_kinds().0,
        reserved_block(),
        truncated(),
        [hello(), vec![0; 1000]].concat(),
        over_limit(),
        needs_dictionary(),
        Vec::new(),
    ] {
        folder.write("input", &input);
        for command in ["inspect", "inspect --json-lines", "verify", "verify --json", "decode", "decode --stdout"] {
            let mut redirected = folder.zvet_redirected(command, "input");
            let mut piped = folder.zvet_piped(command, input.clone());
            // The size of a file is known however much of it was read, that of a pipe once it was valid to its end.
            forget_size(&mut redirected);
            forget_size(&mut piped);
            assert!(redirected == piped, "{command}: {}\n{}", redirected.stderr, piped.stderr);
        }
    }
}

/// Takes the size of an input that is not valid out of its JSON.
fn forget_size(ran: &mut Ran) {
    if ran.code != 0 && ran.stdout.starts_with(b"{") {
        let mut lines = ran.json_lines();
        lines.last_mut().unwrap()["size"] = serde_json::Value::Null;
        ran.stdout = format!("{lines:?}").into_bytes();
    }
}

#[test]
fn standard_input_begins_where_the_file_is() {
    let folder = Folder::with([("input", [b"read before".to_vec(), hello()].concat())]);
    for (command, says) in [("decode", "hello, world"), ("verify", "-: valid, 1 frame, 1 block, 21 B -> 12 B")] {
        let mut file = File::open(folder.path("input")).unwrap();
        file.seek(SeekFrom::Start(11)).unwrap();
        let ran = run(folder.command([command]).stdin(file));
        assert_eq!(ran.code, 0);
        assert!(ran.text().starts_with(says), "{}", ran.text());
    }
}

#[test]
fn quiet_leaves_the_code_to_tell() {
    let folder = one_of_each();
    for command in ["inspect", "inspect --json", "inspect --json-lines", "verify", "verify --json"] {
        for code in [0, 1, 3, 4] {
            let ran = folder.zvet(&format!("{command} --quiet {code}.zst"));
            assert_eq!(ran, Ran { code, stdout: Vec::new(), stderr: String::new() }, "{command}");
        }
        let unreadable = folder.zvet(&format!("{command} --quiet 2.zst"));
        assert_eq!((unreadable.code, unreadable.text()), (2, ""));
        assert!(unreadable.stderr.contains("2.zst"), "what cannot be read is said all the same");
    }
}

#[cfg(unix)]
#[test]
fn a_read_that_fails_is_said_on_standard_error_even_if_quiet() {
    let folder = Folder::with([("a.zst", hello())]);
    for command in ["decode -o out", "inspect", "inspect --quiet", "verify", "verify --quiet", "decode -o out --quiet"]
    {
        // Reading what is open only for writing fails.
        let stdin = File::options().write(true).open(folder.path("a.zst")).unwrap();
        let ran = run(folder.command(command.split(' ')).stdin(stdin));
        assert_eq!(ran.code, 2, "{command}");
        assert!(
            ran.stderr.starts_with("zvet: -: ") && ran.stderr.contains("Bad file descriptor"),
            "{command}: {ran:?}"
        );
    }
}

#[test]
fn help_and_version_are_0() {
    let folder = Folder::new();
    for args in ["--help", "-h", "help", "help verify", "inspect --help", "verify -h", "decode --help", "--version"] {
        let ran = folder.zvet(args);
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{args}");
        assert!(ran.text().contains("zvet"), "{args}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_cannot_be_written_is_2() {
    let folder = Folder::with([("a.zst", hello())]);
    for command in ["inspect", "inspect --json", "inspect --json-lines", "verify", "verify --json", "decode --stdout"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let ran = common::run_into(&mut folder.command(command.split(' ').chain(["a.zst"])), full);
        assert_eq!(ran.code, 2, "{command}");
        assert!(ran.stderr.starts_with("zvet: ") && ran.stderr.contains("standard output: "), "{command}: {ran:?}");
        assert_eq!(ran.stderr.lines().count(), 1, "{command}: {ran:?}");
    }
}
