//! What people read, as it is: tables, lines, documents, messages and help.

mod common;

use std::fmt::Write;

use common::{
    Folder, checked_hello, hello_with, needs_dictionary, over_limit, reserved_block, rle_blocks, run_of, truncated,
    window_descriptor, wrong_checksum,
};
use insta::assert_snapshot;
use zvet_tests::bytes::{compressed, compressed_rle, frame, hello, raw, sized_header, skippable, unsized_header};

/// Runs, each as in a terminal: what was asked, what was said, and the exit code.
fn transcript<'a>(folder: &Folder, runs: impl IntoIterator<Item = &'a str>) -> String {
    let mut transcript = String::new();
    for args in runs {
        let ran = folder.zvet(args);
        write!(transcript, "$ zvet {args}\n{}", ran.text()).unwrap();
        for line in ran.stderr.lines() {
            writeln!(transcript, "(stderr) {line}").unwrap();
        }
        writeln!(transcript, "(exit {})\n", ran.code).unwrap();
    }
    transcript
}

/// A frame of 130 compressed blocks that make 5,000 bytes each: 16.25 MiB, as far as their headers say.
fn split_blocks(header: &[u8]) -> Vec<u8> {
    let blocks: Vec<_> = (1..=130).map(|block| compressed_rle(block == 130, b'x', 5000)).collect();
    frame(header, &blocks)
}

#[test]
fn inspect_shows_every_kind_of_frame() {
    let window = window_descriptor(17);
    let folder = Folder::with([(
        "a.zst",
        [
            hello(),
            skippable(0, b"sixteen of these"),
            checked_hello(),
            frame(&unsized_header(window), &[compressed_rle(true, b'x', 5000)]),
            split_blocks(&sized_header(window, 650_000)),
            split_blocks(&unsized_header(window)),
            hello_with(&unsized_header(window_descriptor(25))),
            frame(&sized_header(window, 32 << 20), &rle_blocks(b'x', 256)),
            skippable(15, b""),
        ]
        .concat(),
    )]);
    assert_snapshot!(transcript(&folder, ["inspect a.zst"]));
}

#[test]
fn inspect_says_which_bound_a_frame_is_over() {
    let blocks: Vec<_> = (1..=9).map(|block| compressed_rle(block == 9, b'x', 100_000)).collect();
    let folder = Folder::with([("a.zst", frame(&unsized_header(window_descriptor(17)), &blocks))]);
    assert_snapshot!(transcript(
        &folder,
        [
            "inspect a.zst --bound-window 64KiB",
            "inspect a.zst --bound-output 1MiB",
            "inspect a.zst --bound-input 77",
            "inspect a.zst --bound-blocks 8",
        ]
    ));
}

#[test]
fn inspect_shows_what_comes_before_a_fault() {
    let folder = Folder::with([
        ("reserved.zst", [hello(), skippable(1, b"one"), reserved_block()].concat()),
        ("truncated.zst", [hello(), truncated()].concat()),
        ("checksum-missing.zst", checked_hello()[..21].to_vec()),
        ("skippable-cut.zst", skippable(2, &[0; 5000])[..3000].to_vec()),
        ("trailing.zst", [hello(), vec![0; 1000]].concat()),
        ("empty.zst", Vec::new()),
    ]);
    assert_snapshot!(transcript(
        &folder,
        [
            "inspect reserved.zst",
            "inspect truncated.zst",
            "inspect checksum-missing.zst",
            "inspect skippable-cut.zst",
            "inspect trailing.zst",
            "inspect empty.zst",
            "inspect --allow-empty empty.zst",
        ]
    ));
}

#[test]
fn inspect_shows_what_limits_and_dictionaries_leave_open() {
    let folder =
        Folder::with([("window.zst", [over_limit(), hello()].concat()), ("dictionary.zst", needs_dictionary())]);
    assert_snapshot!(transcript(
        &folder,
        [
            "inspect window.zst",
            "inspect --limits unlimited window.zst",
            "inspect dictionary.zst",
            "inspect --max-frames 1 window.zst",
        ]
    ));
}

#[test]
fn inspect_shows_numbers_of_any_size() {
    let size = [&[0xC0, 0xFF][..], &u64::MAX.to_le_bytes()].concat();
    let folder = Folder::with([("size.zst", frame(&size, &[raw(false, b"hello")])), ("blocks.zst", run_of(b'x', 128))]);
    assert_snapshot!(transcript(&folder, ["inspect size.zst", "inspect blocks.zst"]));
}

#[test]
fn rows_past_ten_thousand_are_counted() {
    let folder = Folder::with([
        ("at.zst", skippable(0, b"").repeat(10_000)),
        ("many.zst", skippable(0, b"").repeat(10_500)),
        ("one.zst", skippable(0, b"").repeat(10_001)),
    ]);
    for (name, last) in [
        ("at.zst", "  9999         79992         8 B  skippable (magic 184D2A50)"),
        ("many.zst", "... and 500 more frames; --json-lines shows all"),
        ("one.zst", "... and 1 more frame; --json-lines shows all"),
    ] {
        let ran = folder.zvet(&format!("inspect {name}"));
        assert_eq!(ran.text().lines().count(), if name == "at.zst" { 10_002 } else { 10_003 });
        assert_eq!(ran.text().lines().last().unwrap(), last);
    }
}

#[test]
fn a_frame_whose_blocks_make_too_much_says_how_much() {
    let folder = Folder::with([("a.zst", run_of(b'x', 136))]);
    let ran = folder.zvet("inspect a.zst");
    assert!(ran.text().contains("serial (output 17.0 MiB > 16.0 MiB)"), "{}", ran.text());
}

#[test]
fn one_byte_is_one_byte() {
    let folder = Folder::with([("a.zst", frame(&unsized_header(0), &[compressed(true, b"x")]))]);
    let ran = folder.zvet("verify a.zst");
    assert!(ran.text().contains("a compressed block of 1 byte is"), "{}", ran.text());
}

#[test]
fn what_is_wrong_inside_of_a_block_is_on_one_line() {
    let folder = Folder::with([("a.zst", frame(&unsized_header(0), &[compressed(true, b"\xFF\xFF\xFF\xFF")]))]);
    for (command, begin) in [("verify", "a.zst: invalid: "), ("decode", "zvet: a.zst: invalid: ")] {
        let ran = folder.zvet(&format!("{command} a.zst"));
        let said = [ran.text(), &ran.stderr].concat();
        assert_eq!((ran.code, said.lines().count()), (1, 1));
        assert!(said.starts_with(&format!("{begin}frame 0, block 0, byte 9: the block ends inside ")), "{said}");
        assert!(said.ends_with(" (L01)\n"), "{said}");
    }
}

#[test]
fn verify_says_what_is_wrong() {
    let block_too_large = frame(&unsized_header(0), &[raw(true, &[0; 1025])]);
    let folder = Folder::with([
        ("valid.zst", [hello(), skippable(0, b"skipped"), checked_hello()].concat()),
        ("reserved-bit.zst", hello_with(&[0x28, 12])),
        ("reserved-block.zst", reserved_block()),
        ("large-block.zst", block_too_large),
        ("small-block.zst", frame(&unsized_header(0), &[compressed(true, b"")])),
        ("size.zst", hello_with(&[0x20, 13])),
        ("checksum.zst", [hello(), wrong_checksum()].concat()),
        ("truncated.zst", truncated()),
        ("magic-cut.zst", [hello(), vec![0x28, 0xB5]].concat()),
        ("trailing.zst", [hello(), vec![0; 1000]].concat()),
        ("trailing-text.zst", [hello(), b"and something else".to_vec()].concat()),
        ("trailing-gzip.zst", [hello(), b"\x1F\x8B\x08\x00\x00\x00\x00\x00".to_vec()].concat()),
        ("gzip.zst", b"\x1F\x8B\x08\x00\x00\x00\x00\x00".to_vec()),
        ("text.zst", b"This is a text.".to_vec()),
        ("noise.zst", b"\x80\x81\x82\x83\x84\x85\x86\x87".to_vec()),
        ("empty.zst", Vec::new()),
        ("window.zst", over_limit()),
        ("dictionary.zst", needs_dictionary()),
    ]);
    let names = folder.names();
    let runs: Vec<_> = names.iter().map(|name| format!("verify {name}")).collect();
    assert_snapshot!(transcript(&folder, runs.iter().map(String::as_str)));
}

#[test]
fn verify_says_which_limit_a_stream_is_over() {
    let folder = Folder::with([("a.zst", run_of(b'x', 9))]);
    assert_snapshot!(transcript(
        &folder,
        [
            "verify --max-window 64KiB a.zst",
            "verify --max-output 1MiB a.zst",
            "verify --max-ratio 100 a.zst",
            "verify --max-frames 0 a.zst",
        ]
    ));
}

#[test]
fn verify_has_a_line_for_each_input() {
    let folder = Folder::with([("a.zst", hello()), ("b.zst", truncated()), ("c.zst", run_of(b'x', 8).repeat(3))]);
    assert_snapshot!(transcript(&folder, ["verify a.zst b.zst c.zst", "verify --level envelope c.zst"]));
}

#[test]
fn documents_of_a_stream_of_several_frames() {
    let folder = Folder::with([(
        "a.zst",
        [
            hello(),
            skippable(5, b"skipped"),
            checked_hello(),
            frame(&unsized_header(56), &[raw(false, b"raw"), compressed_rle(true, b'x', 5000)]),
            hello_with(&unsized_header(window_descriptor(25))),
        ]
        .concat(),
    )]);
    assert_snapshot!(transcript(
        &folder,
        ["inspect --json a.zst", "inspect --json-lines a.zst", "verify --json a.zst", "decode --json a.zst"]
    ));
}

#[test]
fn decode_says_only_what_is_wrong() {
    let folder = Folder::with([
        ("good.zst", hello()),
        ("there", b"old".to_vec()),
        ("there.zst", hello()),
        ("checksum.zst", [hello(), wrong_checksum()].concat()),
        ("truncated.zst", truncated()),
        ("window.zst", over_limit()),
        ("dictionary.zst", needs_dictionary()),
        ("name", hello()),
    ]);
    assert_snapshot!(transcript(
        &folder,
        [
            "decode good.zst",
            "decode there.zst",
            "decode checksum.zst truncated.zst window.zst dictionary.zst",
            "decode name",
            "decode -o out good.zst there.zst",
            "decode --json -c good.zst",
            "decode --json -o - good.zst",
        ]
    ));
}

#[cfg(unix)]
#[test]
fn messages_of_what_cannot_be_read() {
    let folder = Folder::with([("zero.dict", b"\x37\xA4\x30\xEC\x00\x00\x00\x00".to_vec()), ("a.zst", hello())]);
    assert_snapshot!(transcript(
        &folder,
        [
            "inspect missing.zst",
            "inspect --json missing.zst",
            "verify .",
            "decode missing.zst",
            "verify -D missing.dict a.zst",
            "verify -D zero.dict a.zst",
        ]
    ));
}

#[test]
fn messages_of_usage() {
    assert_snapshot!(transcript(
        &Folder::new(),
        [
            "inspect --max-window 3apples a.zst",
            "inspect --max-window 99999999TiB a.zst",
            "inspect --limits lose a.zst",
            "verify --level deep a.zst",
            "verify --workers 0 a.zst",
            "inspect --jsonl a.zst",
            "decode -c -o out a.zst",
        ]
    ));
}

#[test]
fn help_of_the_command() {
    assert_snapshot!(transcript(&Folder::new(), ["--help", "-h"]));
}

#[test]
fn no_command_is_asked_for_with_the_help() {
    let (nothing, help) = (Folder::new().zvet(""), Folder::new().zvet("-h"));
    assert_eq!((nothing.code, &*nothing.stderr), (2, help.text()));
}

#[test]
fn help_of_inspect() {
    assert_snapshot!(transcript(&Folder::new(), ["inspect --help", "inspect -h"]));
}

#[test]
fn help_of_verify() {
    assert_snapshot!(transcript(&Folder::new(), ["verify --help", "verify -h"]));
}

#[test]
fn help_of_decode() {
    assert_snapshot!(transcript(&Folder::new(), ["decode --help", "decode -h"]));
}

#[test]
fn help_of_encode() {
    assert_snapshot!(transcript(&Folder::new(), ["encode --help", "encode -h"]));
}
