//! Where decoded content goes, and that nothing is left of a run that fails.

mod common;

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{
    Folder, all_kinds, assert_holds, checked_hello, ended, endless, needs_dictionary, over_limit, reserved_block,
    run_of, started, truncated, wait, wrong_checksum,
};
use serde_json::json;
use zvet_tests::bytes::{hello, skippable};

/// Within this a run ends that has no reason to go on.
const PROMPTLY: Duration = Duration::from_secs(5);

/// Streams that do not decode, and the code that says so. The fault is at the end of each.
fn failing() -> Vec<(Vec<u8>, i32)> {
    let after_good_frames = |fault: Vec<u8>| [hello(), run_of(b'x', 20), skippable(0, b"s"), fault].concat();
    let mut streams: Vec<_> = [
        (wrong_checksum(), 1),
        (truncated(), 1),
        (checked_hello()[..23].to_vec(), 1),
        (reserved_block(), 1),
        (b"trailing".to_vec(), 1),
        (skippable(0, b"cut")[..10].to_vec(), 1),
        (over_limit(), 3),
        (needs_dictionary(), 4),
    ]
    .map(|(fault, code)| (after_good_frames(fault), code))
    .into();
    streams.push((Vec::new(), 1));
    // A frame that is decoded as it is read, since it has more than 16 MiB.
    streams.push((endless(200), 1));
    streams
}

#[test]
fn the_output_is_named_after_the_input() {
    for (input, output) in [
        ("a.zst", "a"),
        ("b.zstd", "b"),
        ("c.tzst", "c.tar"),
        ("d.tar.zst", "d.tar"),
        ("e.zst.zst", "e.zst"),
        ("f.with.dots.zst", "f.with.dots"),
    ] {
        let folder = Folder::with([(input, hello())]);
        let ran = folder.zvet(&format!("decode {input}"));
        assert_eq!((ran.code, ran.text(), &*ran.stderr), (0, "", ""), "{input}");
        assert_eq!(folder.names(), [output, input], "the input stays");
        assert_eq!(folder.read(output), b"hello, world");
    }
}

#[test]
fn the_output_is_beside_the_input() {
    let folder = Folder::new();
    fs::create_dir(folder.path("below")).unwrap();
    folder.write("below/a.zst", &hello());
    assert_eq!(folder.zvet("decode below/a.zst").code, 0);
    assert_eq!(folder.read("below/a"), b"hello, world");
    assert_eq!(folder.names(), ["below"]);
}

#[test]
fn a_name_of_another_suffix_needs_to_be_told_where_to_write() {
    for name in ["a", "a.gz", "zst", "a.zst.part", ".zst"] {
        let folder = Folder::with([(name, hello())]);
        let ran = folder.zvet(&format!("decode {name}"));
        assert_eq!((ran.code, ran.text()), (2, ""));
        assert!(ran.stderr.contains(name) && ran.stderr.contains("--output"), "{}", ran.stderr);
        assert_eq!(folder.names(), [name]);
        assert_eq!(folder.zvet(&format!("decode --output out {name}")).code, 0);
        assert_eq!(folder.zvet(&format!("decode --stdout {name}")).text(), "hello, world");
    }
}

#[test]
fn output_goes_where_it_is_told_to() {
    let folder = Folder::with([("a.zst", hello())]);
    for (to_stdout, args) in [
        (false, "-o out a.zst"),
        (false, "--output out a.zst"),
        (false, "--output=out a.zst"),
        (true, "-c a.zst"),
        (true, "--stdout a.zst"),
        (true, "-o - a.zst"),
        (true, "--output - a.zst"),
    ] {
        let ran = folder.zvet(&format!("decode {args}"));
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{args}");
        if to_stdout {
            assert_eq!(ran.text(), "hello, world", "{args}");
            assert_eq!(folder.names(), ["a.zst"]);
        } else {
            assert_eq!(ran.text(), "", "{args}");
            assert_eq!(folder.read("out"), b"hello, world");
            fs::remove_file(folder.path("out")).unwrap();
        }
    }
}

#[test]
fn standard_input_can_go_to_a_file() {
    let folder = Folder::new();
    assert_eq!(folder.zvet_piped("decode -o out", hello()).code, 0);
    assert_eq!(folder.read("out"), b"hello, world");
}

#[test]
fn several_inputs_are_joined_on_standard_output() {
    let folder = Folder::with([("a.zst", run_of(b'a', 1)), ("b.zst", hello()), ("c.zst", run_of(b'c', 1))]);
    let ran = folder.zvet("decode -c c.zst b.zst a.zst");
    assert_eq!(ran.code, 0);
    assert!(ran.stdout == [vec![b'c'; 128 << 10], b"hello, world".to_vec(), vec![b'a'; 128 << 10]].concat());
}

#[test]
fn a_file_is_not_overwritten_unless_forced() {
    let folder = Folder::with([("a.zst", hello()), ("a", b"old".to_vec()), ("out", b"old, too".to_vec())]);
    for (args, name, old) in [("a.zst", "a", "old"), ("-o out a.zst", "out", "old, too")] {
        let ran = folder.zvet(&format!("decode {args}"));
        assert_eq!((ran.code, ran.text()), (2, ""));
        assert_eq!(ran.stderr, format!("zvet: {name}: already exists; --force overwrites it\n"));
        assert_eq!(folder.read(name), old.as_bytes());
        assert_eq!(folder.zvet(&format!("decode --force {args}")).code, 0);
        assert_eq!(folder.read(name), b"hello, world");
    }
    assert_eq!(folder.names(), ["a", "a.zst", "out"]);
}

#[test]
fn a_file_that_appears_meanwhile_is_not_overwritten() {
    let folder = Folder::new();
    let (child, mut stdin) = fed(&folder, "decode -o out");
    stdin.write_all(&hello()).unwrap();
    // The output is begun under another name.
    await_first_file(&folder);
    folder.write("out", b"somebody else's");
    drop(stdin);
    let ran = ended(child);
    assert_eq!((ran.code, &*ran.stderr), (2, "zvet: -: writing out: already exists; --force overwrites it\n"));
    assert_eq!(folder.read("out"), b"somebody else's");
    assert_eq!(folder.names(), ["out"]);
}

#[test]
fn a_failing_decode_leaves_no_file() {
    for (stream, code) in failing() {
        let folder = Folder::with([("a.zst", stream)]);
        for workers in [1, 3] {
            let ran = folder.zvet(&format!("decode --workers {workers} a.zst"));
            assert_eq!((ran.code, ran.text()), (code, ""), "{ran:?}");
            assert!(ran.stderr.starts_with("zvet: a.zst: "), "{ran:?}");
            assert_eq!(folder.names(), ["a.zst"], "{ran:?}");
        }
    }
}

#[test]
fn a_failing_decode_keeps_the_old_file() {
    for (stream, code) in failing() {
        let folder = Folder::with([("a.zst", stream), ("a", b"old".to_vec())]);
        assert_eq!(folder.zvet("decode --force a.zst").code, code);
        assert_eq!(folder.read("a"), b"old");
        assert_eq!(folder.names(), ["a", "a.zst"]);
    }
}

#[test]
fn a_failing_input_does_not_keep_others_from_being_decoded() {
    let folder = Folder::with([("a.zst", hello()), ("b.zst", truncated()), ("c.zst", hello()), ("d.raw", hello())]);
    let ran = folder.zvet("decode b.zst a.zst missing.zst d.raw c.zst");
    assert_eq!(ran.code, 2);
    assert_eq!(ran.stderr.lines().count(), 3, "{}", ran.stderr);
    assert_eq!(folder.names(), ["a", "a.zst", "b.zst", "c", "c.zst", "d.raw"]);
    assert_eq!((folder.read("a"), folder.read("c")), (b"hello, world".to_vec(), b"hello, world".to_vec()));
}

#[test]
fn standard_output_has_only_what_was_checked() {
    let folder = Folder::with([("a.zst", [hello(), wrong_checksum()].concat())]);
    let ran = folder.zvet("decode -c a.zst");
    assert_eq!((ran.code, ran.text()), (1, "hello, world"));
    assert!(ran.stderr.starts_with("zvet: a.zst: invalid: frame 1, byte 42: "), "{}", ran.stderr);
}

#[test]
fn quiet_says_nothing_of_an_invalid_input() {
    let folder = Folder::with([("a.zst", truncated())]);
    let ran = folder.zvet("decode -q a.zst");
    assert_eq!((ran.code, ran.text(), &*ran.stderr), (1, "", ""));
}

#[test]
fn content_is_the_same_on_any_number_of_workers() {
    let (stream, content) = all_kinds();
    let folder = Folder::with([("a.zst", stream)]);
    for workers in [1, 2, 3, 8] {
        let ran = folder.zvet(&format!("decode --workers {workers} -f a.zst"));
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        assert!(folder.read("a") == content, "{workers} workers, to a file");
        assert!(folder.zvet(&format!("decode --workers {workers} -c a.zst")).stdout == content, "{workers} workers");
    }
}

#[test]
fn a_document_goes_to_standard_output_while_content_goes_to_a_file() {
    let (stream, content) = all_kinds();
    let size = stream.len();
    let folder = Folder::with([("a.zst", stream)]);
    let (document, code) = folder.json("decode --json -o out a.zst");
    assert_eq!(code, 0);
    assert_holds(
        &document,
        &json!({
            "size": size, "verdict": "valid", "level": "content", "error": null,
            "totals": {
                "frames": 16, "skippable": 5, "decoded_size": { "low": content.len(), "high": content.len() },
            },
        }),
    );
    assert_eq!(document["frames"].as_array().unwrap().len(), 21);
    assert!(folder.read("out") == content);
}

#[test]
fn an_output_that_cannot_be_made_is_2() {
    let folder = Folder::with([("a.zst", hello())]);
    fs::create_dir(folder.path("folder")).unwrap();
    for output in ["folder", ".", "missing/out", "a.zst/out"] {
        let ran = folder.zvet(&format!("decode --force -o {output} a.zst"));
        assert_eq!((ran.code, ran.text()), (2, ""), "{output}");
        assert!(ran.stderr.starts_with(&format!("zvet: {output}: ")), "{}", ran.stderr);
        assert_eq!(folder.names(), ["a.zst", "folder"]);
    }
}

#[test]
fn a_message_does_not_name_what_is_not_there() {
    let folder = Folder::with([("a.zst", hello())]);
    let ran = folder.zvet("decode -o missing/out a.zst");
    assert_eq!(ran.code, 2);
    assert!(!ran.stderr.contains(".partial"), "{}", ran.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_name_can_be_written() {
    let input = format!("{}.zst", "n".repeat(246));
    let folder = Folder::with([(&*input, hello())]);
    let ran = folder.zvet(&format!("decode {input}"));
    assert_eq!((ran.code, &*ran.stderr), (0, ""));
    assert_eq!(folder.read("n".repeat(246)), b"hello, world");
}

/// Waits until something is in the folder.
fn await_first_file(folder: &Folder) {
    let start = Instant::now();
    while folder.names().is_empty() {
        assert!(start.elapsed() < PROMPTLY, "nothing is written");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Starts `zvet` with a pipe at standard input that stays open.
fn fed(folder: &Folder, args: &str) -> (Child, ChildStdin) {
    let mut child = started(folder.command(args.split(' ')).stdin(Stdio::piped()));
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

/// Reads a little of what a child says, and goes away.
fn read_a_little(child: &mut Child) {
    let mut little = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut little).unwrap();
}

/// The code of a child that has nobody to write to any more, and says nothing of it.
#[track_caller]
fn assert_ends_quietly(mut child: Child) {
    let status = wait(&mut child, PROMPTLY).expect("it ends promptly");
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((status.code(), &*said), (Some(2), ""));
}

#[test]
fn decoding_ends_when_nobody_reads_the_output() {
    let folder = Folder::with([("whole.zst", run_of(b'x', 120).repeat(1000)), ("serial.zst", run_of(b'x', 100_000))]);
    for name in ["whole.zst", "serial.zst"] {
        let mut child = started(&mut folder.command(["decode", "-c", name]));
        read_a_little(&mut child);
        assert_ends_quietly(child);
    }
}

#[test]
fn decoding_ends_when_nobody_reads_the_output_of_an_endless_pipe() {
    let folder = Folder::new();
    let (mut child, mut stdin) = fed(&folder, "decode");
    let feeding = thread::spawn(move || while stdin.write_all(&run_of(b'x', 8)).is_ok() {});
    read_a_little(&mut child);
    assert_ends_quietly(child);
    feeding.join().unwrap();
}

#[test]
fn decoding_ends_when_nobody_reads_the_output_though_the_input_is_idle() {
    let folder = Folder::new();
    let (mut child, mut stdin) = fed(&folder, "decode");
    // So little that the command has read all of it, and asks for more.
    stdin.write_all(&run_of(b'x', 8)).unwrap();
    read_a_little(&mut child);
    // Standard input stays open, and nothing comes.
    assert_ends_quietly(child);
}

/// Asserts that a command says that a stream is invalid while its input is still open.
#[track_caller]
fn assert_fault_is_said_at_once(command: &str, fault: Vec<u8>) {
    let folder = Folder::new();
    let (mut child, mut stdin) = fed(&folder, command);
    stdin.write_all(&[hello(), fault].concat()).unwrap();
    let status = wait(&mut child, PROMPTLY);
    drop(stdin);
    assert_eq!(status.expect("it ends promptly").code(), Some(1), "{command}");
}

#[test]
fn what_the_walk_finds_is_said_at_once_though_the_input_is_idle() {
    for command in ["inspect", "verify", "decode -o out"] {
        assert_fault_is_said_at_once(command, reserved_block());
    }
}

#[test]
fn what_decoding_finds_is_said_at_once_though_the_input_is_idle() {
    for command in ["verify", "decode -o out"] {
        assert_fault_is_said_at_once(command, wrong_checksum());
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::path::Path;
    use std::process::Command;

    use serde_json::{Value, json};
    use zvet_tests::bytes::hello;

    use super::common::{Folder, MIB, assert_holds, ended, run, run_into, run_of, started, truncated};
    use super::{Read, await_first_file, fed, fs};

    fn mode(folder: &Folder, name: &str) -> u32 {
        fs::metadata(folder.path(name)).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn the_permissions_of_the_input_are_taken_over() {
        for bits in [0o600, 0o640, 0o444, 0o755] {
            let folder = Folder::with([("a.zst", hello()), ("old", b"old".to_vec())]);
            fs::set_permissions(folder.path("a.zst"), Permissions::from_mode(bits)).unwrap();
            assert_eq!(folder.zvet("decode a.zst").code, 0);
            assert_eq!(folder.zvet("decode -f -o old a.zst").code, 0);
            assert_eq!(folder.zvet_redirected("decode -o redirected", "a.zst").code, 0);
            assert_eq!(["a", "old", "redirected"].map(|name| mode(&folder, name)), [bits; 3], "{bits:o}");
        }
    }

    #[test]
    fn what_comes_from_a_pipe_has_the_permissions_of_any_new_file() {
        let folder = Folder::with([("new", Vec::new())]);
        assert_eq!(folder.zvet_piped("decode -o out", hello()).code, 0);
        assert_eq!(mode(&folder, "out"), mode(&folder, "new"));
    }

    #[test]
    fn set_user_id_is_not_taken_over() {
        let folder = Folder::with([("a.zst", hello())]);
        fs::set_permissions(folder.path("a.zst"), Permissions::from_mode(0o6755)).unwrap();
        assert_eq!(folder.zvet("decode a.zst").code, 0);
        assert_eq!(mode(&folder, "a"), 0o755);
    }

    #[test]
    fn an_output_in_a_folder_that_cannot_be_written_is_2() {
        let folder = Folder::with([("a.zst", hello())]);
        fs::create_dir(folder.path("closed")).unwrap();
        fs::set_permissions(folder.path("closed"), Permissions::from_mode(0o555)).unwrap();
        // Permissions do not keep root out.
        let open = fs::write(folder.path("closed/probe"), b"").is_ok();
        let outputs = if open { vec![] } else { vec!["closed/out"] };
        for output in outputs.into_iter().chain(cfg!(target_os = "linux").then_some("/proc/out")) {
            let ran = folder.zvet(&format!("decode -o {output} a.zst"));
            assert_eq!((ran.code, ran.text()), (2, ""), "{output}");
            assert!(ran.stderr.starts_with(&format!("zvet: {output}: ")), "{}", ran.stderr);
        }
        fs::set_permissions(folder.path("closed"), Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn writing_through_a_link_keeps_the_link() {
        let folder = Folder::with([("a.zst", hello())]);
        fs::create_dir(folder.path("below")).unwrap();
        folder.write("below/real", b"old");
        symlink("below/real", folder.path("link")).unwrap();
        let refused = folder.zvet("decode -o link a.zst");
        assert_eq!(refused.code, 2);
        assert_eq!(folder.read("below/real"), b"old");
        assert_eq!(folder.zvet("decode -f -o link a.zst").code, 0);
        assert_eq!(fs::read_link(folder.path("link")).unwrap(), Path::new("below/real"));
        assert_eq!(folder.read("below/real"), b"hello, world");
        assert_eq!(fs::read_dir(folder.path("below")).unwrap().count(), 1);
    }

    #[test]
    fn a_failing_decode_keeps_the_file_behind_a_link() {
        let folder = Folder::with([("a.zst", truncated()), ("real", b"old".to_vec())]);
        symlink("real", folder.path("link")).unwrap();
        assert_eq!(folder.zvet("decode -f -o link a.zst").code, 1);
        assert_eq!(fs::read_link(folder.path("link")).unwrap(), Path::new("real"));
        assert_eq!(folder.read("real"), b"old");
        assert_eq!(folder.names(), ["a.zst", "link", "real"]);
    }

    #[test]
    fn a_link_to_what_is_not_there_yet_is_kept_too() {
        let folder = Folder::with([("a.zst", hello())]);
        for args in ["", "--force"] {
            symlink("real", folder.path("link")).unwrap();
            let ran = folder.zvet(&format!("decode {args} -o link a.zst"));
            assert_eq!((ran.code, &*ran.stderr), (0, ""));
            assert_eq!(fs::read_link(folder.path("link")).unwrap(), Path::new("real"));
            assert_eq!(folder.read("real"), b"hello, world");
            fs::remove_file(folder.path("link")).unwrap();
            fs::remove_file(folder.path("real")).unwrap();
        }
    }

    #[test]
    fn an_input_behind_a_link_is_named_after_the_link() {
        let folder = Folder::with([("real.zst", hello())]);
        symlink("real.zst", folder.path("link.zst")).unwrap();
        assert_eq!(folder.zvet("decode link.zst").code, 0);
        assert_eq!(folder.names(), ["link", "link.zst", "real.zst"]);
    }

    #[test]
    fn a_device_is_written_to_and_stays_one() {
        let folder = Folder::with([("a.zst", hello()), ("bad.zst", truncated())]);
        for (args, code) in [("a.zst", 0), ("--force a.zst", 0), ("--json a.zst", 0), ("bad.zst", 1)] {
            assert_eq!(folder.zvet(&format!("decode -o /dev/null {args}")).code, code, "{args}");
            let null = fs::metadata("/dev/null").unwrap();
            assert!(null.file_type().is_char_device(), "{args}");
        }
        assert_eq!(folder.names(), ["a.zst", "bad.zst"]);
    }

    #[test]
    fn standard_output_has_a_name_too() {
        let folder = Folder::with([("a.zst", hello())]);
        let ran = folder.zvet("decode -o /dev/stdout a.zst");
        assert_eq!((ran.code, ran.text()), (0, "hello, world"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_device_is_2_and_says_so() {
        let folder = Folder::with([("a.zst", hello()), ("big.zst", run_of(b'x', 200))]);
        for name in ["a.zst", "big.zst"] {
            let ran = folder.zvet(&format!("decode -o /dev/full {name}"));
            assert_eq!(ran.code, 2);
            assert_eq!(ran.stderr, format!("zvet: {name}: writing /dev/full: No space left on device (os error 28)\n"));
            let full = fs::File::options().write(true).open("/dev/full").unwrap();
            let ran = run_into(&mut folder.command(["decode", "-c", name]), full);
            assert_eq!(ran.code, 2);
            assert_eq!(
                ran.stderr,
                format!("zvet: {name}: writing standard output: No space left on device (os error 28)\n")
            );
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_output_that_cannot_be_written_does_not_make_the_input_unreadable() {
        let folder = Folder::with([("a.zst", hello())]);
        let (document, code) = folder.json("decode --json -o /dev/full a.zst");
        assert_eq!(code, 2);
        assert_ne!(document["verdict"], "unreadable");
        assert_holds(&document, &json!({ "totals": { "frames": 1 } }));
    }

    fn fifo(folder: &Folder) {
        assert!(Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    }

    #[test]
    fn a_pipe_with_a_name_is_written_to() {
        let folder = Folder::with([("a.zst", run_of(b'x', 8))]);
        fifo(&folder);
        let child = started(&mut folder.command(["decode", "-o", "fifo", "a.zst"]));
        assert!(folder.read("fifo") == vec![b'x'; MIB]);
        assert_eq!(ended(child).code, 0);
        assert!(fs::metadata(folder.path("fifo")).unwrap().file_type().is_fifo());
    }

    #[test]
    fn a_pipe_with_a_name_is_read_from() {
        let folder = Folder::with([("a.zst", run_of(b'x', 8))]);
        fifo(&folder);
        let child = started(&mut folder.command(["decode", "-o", "out", "fifo"]));
        fs::write(folder.path("fifo"), folder.read("a.zst")).unwrap();
        assert_eq!(ended(child).code, 0);
        assert!(folder.read("out") == vec![b'x'; MIB]);
    }

    #[test]
    fn a_document_is_whole_though_nobody_reads_the_output() {
        let folder = Folder::with([("a.zst", run_of(b'x', 8).repeat(10))]);
        fifo(&folder);
        let child = started(&mut folder.command(["decode", "--json", "-o", "fifo", "a.zst"]));
        fs::File::open(folder.path("fifo")).unwrap().read_exact(&mut [0; 10]).unwrap();
        let ran = ended(child);
        assert_eq!(ran.code, 2);
        assert!(serde_json::from_slice::<Value>(&ran.stdout).is_ok(), "{}", ran.text());
    }

    #[test]
    fn a_name_that_is_no_unicode_is_decoded() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;

        let folder = Folder::new();
        folder.write(OsStr::from_bytes(b"a\xFF.zst"), &hello());
        let ran = run(&mut folder.command([OsStr::new("decode"), OsStr::from_bytes(b"a\xFF.zst")]));
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        assert_eq!(folder.read(OsStr::from_bytes(b"a\xFF")), b"hello, world");
    }

    #[test]
    fn a_killed_decode_leaves_nothing_that_looks_finished() {
        let folder = Folder::new();
        let (mut child, stdin) = fed(&folder, "decode -o out");
        await_first_file(&folder);
        child.kill().unwrap();
        child.wait().unwrap();
        drop(stdin);
        assert!(folder.names().iter().all(|name| name.ends_with(".partial")), "{:?}", folder.names());
    }
}

#[test]
fn every_engine_and_a_second_opinion_decode_the_same() {
    let (stream, content) = all_kinds();
    for args in [
        "--engine mzstd",
        "--engine ruzstd",
        "--engine ruzstd --second-opinion mzstd",
        "--engine mzstd --second-opinion ruzstd --adaptive",
        "--trust-engine",
        "--trust-engine --sparse",
        "--adaptive",
    ] {
        let folder = Folder::with([("a.zst", stream.clone())]);
        let ran = folder.zvet(&format!("decode {args} a.zst"));
        assert_eq!((ran.code, &*ran.stderr), (0, ""), "{args}");
        assert!(folder.read("a") == content, "{args}");
        if !args.contains("--sparse") {
            let ran = folder.zvet(&format!("decode --stdout {args} a.zst"));
            assert!(ran.stdout == content, "{args}");
        }
    }
    for args in ["--second-opinion mzstd", "--engine ruzstd --second-opinion ruzstd", "--sparse --stdout"] {
        assert_eq!(Folder::new().zvet(&format!("decode {args} a.zst")).code, 2, "{args}");
    }
    let ran = Folder::new().zvet("decode --engine gzip a.zst");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("mzstd") && ran.stderr.contains("ruzstd"), "{}", ran.stderr);
}

#[cfg(unix)]
#[test]
fn sparse_output_has_holes_and_the_same_content() {
    use std::os::unix::fs::MetadataExt;
    let stream = [hello(), run_of(0, 16), hello()].concat();
    let folder = Folder::with([("a.zst", stream)]);
    assert_eq!(folder.zvet("decode -o dense a.zst").code, 0);
    assert_eq!(folder.zvet("decode --sparse -o sparse a.zst").code, 0);
    assert!(folder.read("dense") == folder.read("sparse"));
    let room = |name: &str| fs::metadata(folder.path(name)).unwrap().blocks() * 512;
    assert!(room("sparse") <= 64 << 10 && room("dense") >= 2 << 20, "{} and {}", room("sparse"), room("dense"));
    // What was there does not show through the holes.
    folder.write("used", &vec![0xEE; 9 << 20]);
    assert_eq!(folder.zvet("decode --sparse --force -o used a.zst").code, 0);
    assert!(folder.read("used") == folder.read("dense"));
}
