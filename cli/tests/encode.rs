//! `zvet encode`: what it writes, where, and that nothing is left of a run that fails. Where outputs go is decided by
//! what `decode` has as well, whose tests are in `decode.rs`.

mod common;

use std::fs;
use std::io::{Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use common::{Folder, KIB, MIB, assert_holds, ended, started, wait};
use serde_json::json;
use zvet_tests::data::Shape;
use zvet_tests::zstd;

#[test]
fn the_output_is_named_after_the_input_whatever_that_is() {
    for name in ["a", "b.tar", "c.zst", ".hidden", "d.with.dots"] {
        let folder = Folder::with([(name, b"content".to_vec())]);
        let ran = folder.zvet(&format!("encode {name}"));
        assert_eq!((ran.code, ran.text(), &*ran.stderr), (0, "", ""), "{name}");
        let output = format!("{name}.zst");
        assert_eq!(folder.names().len(), 2, "the input stays");
        assert_eq!(folder.zvet(&format!("decode -c {output}")).text(), "content");
    }
}

#[test]
fn what_is_encoded_decodes_to_the_input_and_all_of_it_in_parallel() {
    for shape in [Shape::Image, Shape::Noise] {
        let content = shape.data(5 * MIB + 3, 1);
        let folder = Folder::with([("a", content.clone())]);
        for args in [
            "",
            "--level 1",
            "--level=-7",
            "--level 7",
            "--frame-size 1MiB",
            "--frame-size 100KiB --workers 3",
            "--workers 1",
            "--no-checksum",
            "--encoder ruzstd",
            "--encoder mzstd --level 2",
        ] {
            let ran = folder.zvet(&format!("encode -f {args} a"));
            assert_eq!((ran.code, &*ran.stderr), (0, ""), "{args}");
            let (document, code) = folder.json("inspect --json a.zst");
            assert_eq!(code, 0);
            for frame in document["frames"].as_array().unwrap() {
                assert_eq!(frame["decode"]["mode"], "parallel", "{args}: {frame}");
                assert_eq!(frame["single_segment"], true);
                assert_eq!(frame["checksum"].is_null(), args == "--no-checksum");
            }
            assert!(folder.zvet("decode -c a.zst").stdout == content, "{args}");
            if zstd::command().is_some() {
                assert!(zstd::file(&["-d"], &folder.path("a.zst")) == content, "{args}");
            }
        }
    }
}

#[test]
fn the_stream_is_the_same_from_a_pipe_and_on_any_number_of_workers() {
    let content = Shape::Log.data(3 * MIB, 1);
    let folder = Folder::with([("a", content.clone())]);
    let expected = folder.zvet("encode -c --frame-size 256KiB a").stdout;
    for workers in [1, 2, 5] {
        let args = format!("encode --frame-size 256KiB --workers {workers}");
        assert!(folder.zvet_piped(&args, content.clone()).stdout == expected, "{workers} workers, from a pipe");
        assert!(folder.zvet_redirected(&args, "a").stdout == expected, "{workers} workers, redirected");
        assert_eq!(folder.zvet(&format!("{args} -f -o out a")).code, 0);
        assert!(folder.read("out") == expected, "{workers} workers, to a file");
    }
}

#[test]
fn no_content_is_one_empty_frame() {
    let folder = Folder::with([("a", Vec::new())]);
    let expected = [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0, 1, 0, 0, 0x99, 0xE9, 0xD8, 0x51];
    assert_eq!(folder.zvet("encode -c a").stdout, expected);
    assert_eq!(folder.zvet_piped("encode", Vec::new()).stdout, expected);
    assert_eq!(
        folder.zvet_piped("encode --no-checksum -", Vec::new()).stdout,
        [0x28, 0xB5, 0x2F, 0xFD, 0x20, 0, 1, 0, 0]
    );
}

#[test]
fn several_inputs_are_several_outputs_or_joined() {
    let folder = Folder::with([("a", b"first, ".to_vec()), ("b", b"second".to_vec())]);
    let joined = folder.zvet("encode -c a b").stdout;
    assert_eq!(folder.zvet_piped("decode", joined).text(), "first, second");
    let ran = folder.zvet("encode a missing b");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("zvet: missing: ") && ran.stderr.lines().count() == 1, "{}", ran.stderr);
    assert_eq!(folder.names(), ["a", "a.zst", "b", "b.zst"], "one that fails does not keep others from being encoded");
    let ran = folder.zvet("encode -o out a b");
    assert_eq!((ran.code, folder.names().len()), (2, 4));
}

#[test]
fn what_cannot_be_is_said_before_anything_is_written() {
    let folder = Folder::with([("a", b"content".to_vec())]);
    for (args, said) in [
        ("--level 23 --encoder mzstd", "mzstd has no level 23: it has -131072 to 22"),
        ("--level 3 --encoder ruzstd", "ruzstd has no level 3: it has level 1 alone"),
        ("--frame-size 1023", "from 1024 to 16711680"),
        ("--frame-size 16MiB", "from 1024 to 16711680"),
        ("--frame-size none", "from 1024 to 16711680"),
        ("--frame-size 1.5MiB", "is not a size"),
        ("--workers 0", "not a number from 1 to 512"),
        ("--encoder gzip", "mzstd"),
        ("--json -o -", "--json and the encoded content cannot both go to standard output"),
        ("a", "another input encodes to the same file"),
        ("-o a -f", "the output is the input itself"),
    ] {
        let ran = folder.zvet(&format!("encode a {args}"));
        assert_eq!((ran.code, ran.text()), (2, ""), "{args}");
        assert!(ran.stderr.contains(said), "{args}: {}", ran.stderr);
        assert_eq!(folder.names(), ["a"], "{args}");
        assert_eq!(folder.read("a"), b"content");
    }
}

#[test]
fn a_file_is_not_overwritten_unless_forced() {
    let folder = Folder::with([("a", b"content".to_vec()), ("a.zst", b"old".to_vec())]);
    let ran = folder.zvet("encode a");
    assert_eq!((ran.code, &*ran.stderr), (2, "zvet: a.zst: already exists; --force overwrites it\n"));
    assert_eq!(folder.read("a.zst"), b"old");
    assert_eq!(folder.zvet("encode -f a").code, 0);
    assert_eq!(folder.zvet("decode -c a.zst").text(), "content");
}

#[test]
fn documents_say_what_was_written() {
    let content = Shape::Text.data(MIB, 1);
    let folder = Folder::with([("a", content)]);
    let (document, code) = folder.json("encode --json --frame-size 300KiB --no-checksum --level 5 a");
    assert_eq!(code, 0);
    let size = fs::metadata(folder.path("a.zst")).unwrap().len();
    assert_holds(
        &document,
        &json!({
            "file": "a", "output": "a.zst", "encoder": "mzstd", "level": 5, "frame_size": 300 * KIB, "checksum": false,
            "frames": 4, "content_size": MIB, "compressed_size": size, "verdict": "encoded", "error": null,
        }),
    );
    let (document, code) = folder.json("encode --json missing");
    assert_eq!(code, 2);
    assert_holds(&document, &json!({ "file": "missing", "verdict": "unreadable", "frames": 0 }));
    let (document, code) = folder.json("encode --json a");
    assert_eq!(code, 2);
    assert_holds(&document, &json!({ "verdict": "unwritten", "output": "a.zst" }));
    assert!(document["error"]["message"].as_str().unwrap().contains("already exists"), "{document}");
}

#[test]
fn verbose_says_the_memory_and_the_sums() {
    let folder = Folder::with([("a", vec![7; 3 * MIB])]);
    let ran = folder.zvet("encode -v --workers 2 --frame-size 1MiB a");
    let lines: Vec<_> = ran.stderr.lines().collect();
    assert!(matches!(lines[..], [memory, sums]
        if memory.ends_with(" of memory at most, with 2 workers") && sums.starts_with("zvet: a: 3 frames, 3.0 MiB -> ")));
}

#[test]
fn encoding_ends_quietly_when_nobody_reads_the_output() {
    let folder = Folder::new();
    let mut child = started(folder.command(["encode", "--frame-size", "64KiB"]).stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    let feeding = thread::spawn(move || {
        let noise = Shape::Noise.data(MIB, 1);
        while stdin.write_all(&noise).is_ok() {}
    });
    child.stdout.take().unwrap().read_exact(&mut [0; 10]).unwrap();
    let status = wait(&mut child, Duration::from_secs(20)).expect("it ends promptly");
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((status.code(), &*said), (Some(2), ""));
    feeding.join().unwrap();
}

#[test]
fn what_an_interrupted_pipe_carried_is_truncated_for_every_decoder() {
    let folder = Folder::new();
    let mut child =
        started(folder.command(["encode", "--frame-size", "64KiB", "--workers", "2"]).stdin(Stdio::piped()));
    let mut stdin = child.stdin.take().unwrap();
    // More frames than can be on their way; and then nothing comes, and no end either.
    let (finished, idle) = std::sync::mpsc::channel::<()>();
    let feeding = thread::spawn(move || {
        let _ = stdin.write_all(&Shape::Noise.data(20 * 64 * KIB, 1));
        let _ = idle.recv();
    });
    let mut stream = vec![0; 16 * 64 * KIB];
    child.stdout.as_mut().unwrap().read_exact(&mut stream).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    drop(finished);
    feeding.join().unwrap();
    child.stdout.take().unwrap().read_to_end(&mut stream).unwrap();
    let ran = folder.zvet_piped("verify", stream);
    assert_eq!(ran.code, 1);
    assert!(ran.text().contains("ends") || ran.text().contains("truncated"), "{}", ran.text());
}

#[cfg(unix)]
mod unix {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::common::{run, run_into};
    use super::{Duration, Folder, Instant, KIB, MIB, Shape, Stdio, Write, ended, fs, started, thread};

    #[test]
    fn permissions_and_time_of_the_input_are_taken_over() {
        let folder = Folder::with([("a", b"content".to_vec())]);
        fs::set_permissions(folder.path("a"), Permissions::from_mode(0o640)).unwrap();
        let time = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        fs::File::options().write(true).open(folder.path("a")).unwrap().set_modified(time).unwrap();
        assert_eq!(folder.zvet("encode a").code, 0);
        let output = fs::metadata(folder.path("a.zst")).unwrap();
        assert_eq!((output.permissions().mode() & 0o7777, output.modified().unwrap()), (0o640, time));
    }

    #[test]
    fn an_interrupt_leaves_nothing() {
        let folder = Folder::new();
        let mut child = started(folder.command(["encode", "-o", "out", "--frame-size", "64KiB"]).stdin(Stdio::piped()));
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&Shape::Noise.data(20 * 64 * KIB, 1)).unwrap();
        let start = Instant::now();
        while folder.names().is_empty() {
            assert!(start.elapsed() < Duration::from_secs(20), "nothing is written");
            thread::sleep(Duration::from_millis(2));
        }
        assert!(folder.names()[0].ends_with(".partial"), "{:?}", folder.names());
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let ran = ended(child);
        assert_eq!((ran.code, &*ran.stderr), (130, ""));
        assert!(folder.names().is_empty(), "{:?}", folder.names());
        drop(stdin);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_said_and_leaves_nothing() {
        let folder = Folder::with([("a", Shape::Noise.data(3 * MIB, 1))]);
        let full = || fs::File::options().write(true).open("/dev/full").unwrap();
        for args in ["encode -c a", "encode -c --frame-size 100KiB --workers 3 a"] {
            let ran = run_into(&mut folder.command(args.split(' ')), full());
            assert_eq!(ran.code, 2);
            assert!(ran.stderr.starts_with("zvet: a: writing standard output: No space left"), "{}", ran.stderr);
        }
        let ran = run(&mut folder.command(["encode", "-f", "-o", "/dev/full", "a"]));
        assert!(ran.code == 2 && ran.stderr.starts_with("zvet: a: writing /dev/full: No space left"), "{}", ran.stderr);
        assert_eq!(folder.names(), ["a"]);
    }
}
