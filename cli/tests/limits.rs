//! What limits refuse, what bounds decode alone, and that neither changes the content.

mod common;

use common::{BLOCK, Folder, KIB, MIB, all_kinds, assert_holds, hello_with, rle_blocks, run_of, window_descriptor};
use serde_json::{Value, json};
use zvet_tests::bytes::{
    compressed_rle, frame, hello, raw, rle, single_segment_header, sized_header, skippable, unsized_header,
};

/// The rule that `inspect` says is broken under these options, or none.
#[track_caller]
fn rule(stream: &[u8], options: &str) -> Option<String> {
    let folder = Folder::with([("a.zst", stream.to_vec())]);
    let (document, code) = folder.json(&format!("inspect --json {options} a.zst"));
    let rule = document["error"]["rule"].as_str().map(str::to_owned);
    let verdict = if rule.is_some() { "over-limit" } else { "valid" };
    assert_eq!((code, &document["verdict"]), (if rule.is_some() { 3 } else { 0 }, &json!(verdict)), "{document}");
    rule
}

/// Asserts that a stream passes under the first options, and breaks this rule under the second.
#[track_caller]
fn assert_limit(stream: &[u8], passes: &str, breaks: &str, broken: &str) {
    assert_eq!(rule(stream, passes), None, "{passes}");
    assert_eq!(rule(stream, breaks).as_deref(), Some(broken), "{breaks}");
}

/// `hello, world` with a window descriptor.
fn window(descriptor: u8) -> Vec<u8> {
    hello_with(&unsized_header(descriptor))
}

#[test]
fn presets_limit_the_window() {
    for (options, log) in [
        ("", 27),
        ("--limits snapshot", 27),
        ("--limits cli", 27),
        ("--limits web", 23),
        ("--limits embedded", 17),
        ("--limits unlimited --max-window 64KiB", 16),
    ] {
        let most = window_descriptor(log);
        assert_eq!(rule(&window(most), options), None, "{options}");
        // An eighth more.
        assert_eq!(rule(&window(most + 1), options).as_deref(), Some("X01"), "{options}");
    }
    assert_eq!(rule(&window(0xFF), "--limits unlimited"), None);
}

#[test]
fn a_declared_size_is_the_window_of_a_single_segment() {
    let segment = frame(&single_segment_header(128 << 10), &rle_blocks(b'x', 1));
    assert_limit(&segment, "--max-window 128KiB", "--max-window 131071", "X01");
}

#[test]
fn the_window_can_be_set_over_any_preset() {
    assert_limit(&window(window_descriptor(30)), "--max-window 1GiB", "", "X01");
    assert_limit(&window(window_descriptor(30)), "--limits embedded --max-window none", "--limits embedded", "X01");
    assert_limit(&window(window_descriptor(17)), "--max-window 128KiB", "--max-window 127KiB", "X01");
    assert_limit(&window(window_descriptor(17)), "--max-window=131072", "--max-window 131KB", "X01");
}

#[test]
fn output_is_limited_over_all_frames() {
    let stream = [hello(), skippable(0, b"not output"), run_of(b'x', 1)].concat();
    assert_limit(&stream, "--max-output 131084", "--max-output 131083", "X02");
    assert_limit(&hello(), "--max-output 12", "--max-output 11", "X02");
    assert_limit(&hello(), "--limits web --max-output none", "--limits web --max-output 0", "X02");
    let nothing = frame(&[0x20, 0], &[raw(true, b"")]);
    assert_eq!(rule(&nothing, "--max-output 0"), None);
}

#[test]
fn a_declared_size_over_the_limit_is_refused_before_it_is_decoded() {
    for (options, limit) in [("--limits web", 256 * MIB), ("--limits embedded", 16 * MIB), ("--max-output 1MiB", MIB)] {
        let size = u32::try_from(limit).unwrap();
        let blocks: Vec<_> = rle_blocks(b'x', limit / BLOCK as usize);
        let over = frame(&sized_header(window_descriptor(17), size + 1), &blocks);
        assert_eq!(rule(&over, options).as_deref(), Some("X02"), "{options}");
        let within = frame(&sized_header(window_descriptor(17), size), &blocks);
        assert_ne!(rule(&within, options).as_deref(), Some("X02"), "{options}");
    }
}

#[test]
fn the_ratio_is_limited_past_a_slack() {
    // 8 x 128 KiB are the slack; the ninth block is made of the 42 bytes of the stream.
    let stream = run_of(b'x', 9);
    assert_eq!(stream.len(), 42);
    assert_limit(&run_of(b'x', 8), "--max-ratio 1", "--max-ratio 1 --max-output 1000", "X02");
    assert_limit(&stream, "--max-ratio 3121", "--max-ratio 3120", "X03");
    assert_limit(&run_of(b'x', 133), "", "--limits web", "X03");
    assert_limit(&stream, "--limits web --max-ratio 4000", "--limits embedded", "X03");
    // A factor on top of a preset keeps its allowance, of 16 MiB here.
    assert_limit(&stream, "--limits web --max-ratio 1", "--limits embedded --max-ratio 1", "X03");
}

#[test]
fn frames_are_limited_skippable_ones_included() {
    let stream = [hello(), skippable(0, b""), hello()].concat();
    assert_limit(&stream, "--max-frames 3", "--max-frames 2", "X04");
    assert_limit(&hello(), "--max-frames 1", "--max-frames 0", "X04");
    for (options, most) in [("--limits web", 65_536), ("--limits embedded", 4096)] {
        assert_eq!(rule(&skippable(0, b"").repeat(most), options), None, "{options}");
        assert_eq!(rule(&skippable(0, b"").repeat(most + 1), options).as_deref(), Some("X04"), "{options}");
    }
}

#[test]
fn what_is_over_a_limit_is_not_decoded() {
    let big = run_of(b'x', 160);
    for (stream, options, rule) in [
        (window(window_descriptor(28)), "", "X01"),
        (run_of(b'x', 16), "--max-output 1MiB", "X02"),
        (big.clone(), "--max-output 1MiB", "X02"),
        (frame(&unsized_header(56), &[compressed_rle(true, b'x', 5000)]), "--max-output 4999", "X02"),
        (run_of(b'x', 16), "--max-ratio 1000", "X03"),
        (big, "--max-ratio 1000", "X03"),
        ([hello(), hello()].concat(), "--max-frames 1", "X04"),
    ] {
        let folder = Folder::with([("a.zst", stream)]);
        let (document, code) = folder.json(&format!("verify --json {options} a.zst"));
        assert_eq!((code, &document["verdict"], &document["error"]["rule"]), (3, &json!("over-limit"), &json!(rule)));
        let ran = folder.zvet(&format!("decode {options} a.zst"));
        assert_eq!(ran.code, 3, "{options}");
        assert!(ran.stderr.contains(&format!("({rule})")), "{}", ran.stderr);
        assert_eq!(folder.names(), ["a.zst"], "{options}");
    }
}

#[test]
fn output_is_never_given_past_its_ratio() {
    for stream in [run_of(b'x', 16), run_of(b'x', 160)] {
        let allowed = MIB + 1000 * stream.len();
        let folder = Folder::with([("a.zst", stream)]);
        let ran = folder.zvet("decode --max-ratio 1000 -c a.zst");
        assert_eq!(ran.code, 3);
        assert!(ran.stdout.len() <= allowed, "{} of {allowed}", ran.stdout.len());
    }
}

#[test]
fn output_is_never_given_past_its_limit() {
    let (stream, content) = all_kinds();
    let folder = Folder::with([("a.zst", stream)]);
    for limit in [0, 11, 12, 100_000, MIB, 3 * MIB, content.len() - 1] {
        for workers in [1, 3] {
            let ran = folder.zvet(&format!("decode --workers {workers} --max-output {limit} -c a.zst"));
            assert_eq!(ran.code, 3, "{limit}");
            assert!(ran.stdout.len() <= limit && content.starts_with(&ran.stdout), "{limit}: {}", ran.stdout.len());
        }
    }
    let ran = folder.zvet(&format!("decode --max-output {} -c a.zst", content.len()));
    assert!(ran.code == 0 && ran.stdout == content);
}

/// How `inspect` says that the only frame may be decoded.
#[track_caller]
fn decode(stream: &[u8], options: &str) -> Value {
    let folder = Folder::with([("a.zst", stream.to_vec())]);
    let (document, code) = folder.json(&format!("inspect --json --limits unlimited {options} a.zst"));
    assert_eq!(code, 0, "bounds do not change what is valid");
    let [frame] = &document["frames"].as_array().unwrap()[..] else { panic!("{document}") };
    frame["decode"].clone()
}

fn serial(reason: &str) -> Value {
    json!({ "mode": "serial", "reason": reason })
}

fn parallel(proof: &str) -> Value {
    json!({ "mode": "parallel", "proof": proof })
}

#[test]
fn each_bound_sends_a_frame_alone() {
    // Two blocks, 14 bytes, 256 KiB, with a window of 1 MiB.
    let unsized_frame = frame(&unsized_header(window_descriptor(20)), &rle_blocks(b'x', 2));
    assert_eq!(unsized_frame.len(), 14);
    for (options, expected) in [
        ("", parallel("bound")),
        ("--bound-window 1MiB", parallel("bound")),
        ("--bound-window 1048575", serial("window")),
        ("--bound-output 256KiB", parallel("bound")),
        ("--bound-output 262143", serial("output")),
        ("--bound-input 14", parallel("bound")),
        ("--bound-input 13", serial("input")),
        ("--bound-blocks 2", parallel("bound")),
        ("--bound-blocks 1", serial("blocks")),
        ("--bound-window 0 --bound-output 0 --bound-input 0 --bound-blocks 0", serial("window")),
    ] {
        assert_eq!(decode(&unsized_frame, options), expected, "{options}");
    }
}

#[test]
fn a_declared_size_is_a_proof_where_blocks_are_none() {
    // A compressed block makes up to 128 KiB, as far as its header says.
    let sized = frame(&sized_header(window_descriptor(17), 5000), &[compressed_rle(true, b'x', 5000)]);
    let unsized_frame = frame(&unsized_header(window_descriptor(17)), &[compressed_rle(true, b'x', 5000)]);
    for (options, sized_is, unsized_is) in [
        ("--bound-output 128KiB", parallel("bound"), parallel("bound")),
        ("--bound-output 131071", parallel("declared"), serial("output")),
        ("--bound-output 5000", parallel("declared"), serial("output")),
        ("--bound-output 4999", serial("output"), serial("output")),
    ] {
        assert_eq!(decode(&sized, options), sized_is, "{options}");
        assert_eq!(decode(&unsized_frame, options), unsized_is, "{options}");
    }
}

#[test]
fn presets_bound_what_is_decoded_beside_others() {
    let of_window = |log| frame(&unsized_header(window_descriptor(log)), &[raw(true, b"x")]);
    for (preset, log) in [("snapshot", 24), ("cli", 24), ("web", 23), ("embedded", 17), ("unlimited", 24)] {
        // The limits of a preset are raised, its bounds are not.
        let options = format!("--limits {preset} --max-window none");
        let folder = Folder::with([("at.zst", of_window(log)), ("over.zst", of_window(log + 1))]);
        let (at, _) = folder.json(&format!("inspect --json {options} at.zst"));
        let (over, _) = folder.json(&format!("inspect --json {options} over.zst"));
        assert_eq!((&at["verdict"], &at["frames"][0]["decode"]), (&json!("valid"), &parallel("bound")), "{preset}");
        assert_eq!((&over["verdict"], &over["frames"][0]["decode"]), (&json!("valid"), &serial("window")), "{preset}");
    }
}

#[test]
fn bounds_do_not_change_the_content() {
    let (stream, content) = all_kinds();
    let folder = Folder::with([("a.zst", stream)]);
    for bounds in [
        "--bound-window 64KiB",
        "--bound-output 128KiB",
        "--bound-output none",
        "--bound-input 20",
        "--bound-blocks 1",
        "--bound-window 0 --bound-output 0 --bound-input 0 --bound-blocks 0",
        "--limits unlimited --bound-window none --bound-output none --bound-input none --bound-blocks 1000000",
    ] {
        for workers in [1, 3] {
            let ran = folder.zvet(&format!("decode --workers {workers} {bounds} -c a.zst"));
            assert_eq!((ran.code, &*ran.stderr), (0, ""), "{bounds}");
            assert!(ran.stdout == content, "{bounds}");
        }
    }
}

#[test]
fn gigabytes_are_inspected_without_decoding_them() {
    // 1,000 frames of 100 blocks: 13 GB of content in 406 kB.
    let folder = Folder::with([("a.zst", run_of(b'x', 100).repeat(1000))]);
    let (document, code) = folder.json("inspect --json a.zst");
    assert_eq!(code, 0);
    let size = 100_000 * u64::from(BLOCK);
    assert_holds(&document, &json!({ "totals": { "blocks": 100_000, "decoded_size": { "low": size, "high": size } } }));
}

#[test]
fn sizes_are_read_in_every_unit() {
    for (text, size) in [
        ("1000", 1000),
        ("1000B", 1000),
        ("1K", KIB),
        ("1KiB", KIB),
        ("1kib", KIB),
        ("1KB", 1000),
        ("2M", 2 * MIB),
        ("2MiB", 2 * MIB),
        ("2MB", 2_000_000),
    ] {
        let of = |size: usize| {
            let blocks: Vec<_> = (0..size / BLOCK as usize).map(|_| rle(false, b'x', BLOCK)).collect();
            let rest = u32::try_from(size).unwrap() % BLOCK;
            frame(&unsized_header(window_descriptor(17)), &[blocks, vec![rle(true, b'x', rest)]].concat())
        };
        assert_eq!(rule(&of(size), &format!("--max-output {text}")), None, "{text}");
        assert_eq!(rule(&of(size + 1), &format!("--max-output {text}")).as_deref(), Some("X02"), "{text}");
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use serde_json::json;
    use zvet_tests::bytes::{compressed_rle, frame, hello, rle, single_segment_header, unsized_header};

    use super::common::{Folder, MIB, Ran, assert_holds, rle_blocks, run, started, wait, window_descriptor};
    use super::serial;

    /// `zvet` with no more than 1 GiB of address space.
    fn in_a_gibibyte(folder: &Folder, args: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("ulimit -v 1048576 && exec '{}' {args}", env!("CARGO_BIN_EXE_zvet")));
        // A panic that finds no memory for its backtrace waits for itself, in std.
        shell.current_dir(folder.path("")).stdin(Stdio::null()).env("RUST_BACKTRACE", "0");
        shell
    }

    fn zvet_in_a_gibibyte(folder: &Folder, args: &str) -> Ran {
        run(&mut in_a_gibibyte(folder, args))
    }

    #[test]
    fn more_workers_than_there_is_room_for_fail_and_do_not_hang() {
        let folder = Folder::with([("a.zst", hello())]);
        for command in ["verify", "decode -c"] {
            let mut child = started(&mut in_a_gibibyte(&folder, &format!("{command} --workers 512 a.zst")));
            let status = wait(&mut child, Duration::from_secs(5));
            // A thread that cannot be started is an error; one that can, and then finds no memory, ends the process.
            let status = status.unwrap_or_else(|| panic!("{command} hangs"));
            assert!(matches!(status.code(), None | Some(2)), "{command}: {status}");
        }
    }

    #[test]
    fn a_declared_tebibyte_takes_no_memory() {
        let size = 1u64 << 40;
        let window_and_size = [&[0xC0, window_descriptor(20)][..], &size.to_le_bytes()].concat();
        let little = [rle(true, b'x', 1000)];
        let folder = Folder::with([
            ("window.zst", frame(&window_and_size, &little)),
            ("segment.zst", frame(&single_segment_header(size), &little)),
            // A compressed block may make 128 KiB, so only decoding tells how much is missing; the walk tells that it is.
            ("compressed.zst", frame(&window_and_size, &[compressed_rle(true, b'x', 5000)])),
        ]);
        for name in ["window.zst", "segment.zst", "compressed.zst"] {
            for command in ["inspect --json", "verify --json"] {
                let ran = zvet_in_a_gibibyte(&folder, &format!("{command} --workers 2 --limits unlimited {name}"));
                assert_eq!(ran.code, 1, "{command} {name}: {ran:?}");
                assert_holds(&ran.json(), &json!({ "verdict": "invalid", "error": { "rule": "F09" } }));
            }
            let ran = zvet_in_a_gibibyte(&folder, &format!("decode --workers 2 --limits unlimited {name}"));
            assert_eq!(ran.code, 1, "decode {name}: {ran:?}");
            assert!(ran.stderr.contains("declares 1099511627776 bytes"), "{}", ran.stderr);
            let limited = zvet_in_a_gibibyte(&folder, &format!("decode --workers 2 --max-output 1GiB {name}"));
            assert_eq!(limited.code, 3, "{limited:?}");
        }
        assert_eq!(folder.names(), ["compressed.zst", "segment.zst", "window.zst"]);
    }

    #[test]
    fn the_largest_window_takes_no_more_memory_than_its_content() {
        let folder = Folder::with([("a.zst", frame(&unsized_header(0xFF), &rle_blocks(b'x', 8)))]);
        let ran = zvet_in_a_gibibyte(&folder, "verify --workers 2 --json --limits unlimited a.zst");
        assert_eq!(ran.code, 0, "{ran:?}");
        let window = 15u64 << 38;
        assert_holds(&ran.json(), &json!({ "frames": [{ "window_size": window, "decode": serial("window") }] }));
        let ran = zvet_in_a_gibibyte(&folder, "decode --workers 2 --limits unlimited a.zst");
        assert_eq!((ran.code, &*ran.stderr), (0, ""));
        assert!(folder.read("a") == vec![b'x'; MIB]);
        let refused = folder.zvet("decode -f a.zst");
        assert_eq!(refused.code, 3);
        assert_eq!(
            refused.stderr,
            "zvet: a.zst: over-limit: frame 0, byte 0: the window of 4123168604160 bytes is over the limit of 134217728 (X01)\n"
        );
    }
}
