//! Sizes from a walk through sequences, against what was compressed; and what such sizes are for: frames in parallel.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Write};

use zvet::source::Stream;
use zvet::{Level, ParallelReader, Piece, Settings, Splitter, StreamVerdict, inspect, verify};
use zvet_tests::bytes::skippable;
use zvet_tests::data::Shape;
use zvet_tests::libzstd::compress;
use zvet_tests::zstd as command;

/// Holds the walks to the size of what was compressed.
fn check(stream: &[u8], size: u64, settings: &Settings, what: &str) {
    let report = inspect(stream, true, settings, &mut |_| {});
    assert_eq!(report.verdict, StreamVerdict::Valid, "{what}: {report:?}");
    assert_eq!(report.totals.decoded_size.exact(), Some(size), "{what}");
    let report = verify(stream, Level::Entropy, settings, &mut |_| {});
    assert_eq!(report.verdict, StreamVerdict::Valid, "{what}: {report:?}");
    assert_eq!(report.totals.decoded_size.exact(), Some(size), "{what}");
}

/// How many pieces of a stream are what: a proof, a reason, or skippable.
fn pieces(stream: &[u8]) -> BTreeMap<String, u32> {
    let mut pieces = BTreeMap::new();
    let mut splitter = Splitter::new(stream, &Settings::default());
    while let Some(piece) = splitter.next_piece().unwrap() {
        let what = match piece {
            Piece::Whole(whole) => whole.proof.to_string(),
            Piece::Serial(frame) => format!("serial ({:?})", frame.reason()),
            Piece::Skippable(_) => continue,
            Piece::SteppedOver(_, error) => panic!("{error}"),
        };
        *pieces.entry(what).or_default() += 1;
    }
    pieces
}

fn assert_parallel(pieces: &BTreeMap<String, u32>, what: &str) {
    println!("{what}: {pieces:?}");
    assert!(pieces.keys().all(|piece| !piece.starts_with("serial")), "{what}: {pieces:?}");
}

/// Frames of so many MiB of each shape at these levels, with and without a declared size.
fn frames_are_parallel(size: usize, shapes: &[Shape], levels: &[i32]) {
    for &level in levels {
        let mut found = BTreeMap::new();
        for shape in shapes {
            let content = shape.data(size << 20, u64::try_from(level).unwrap());
            for sized in [false, true] {
                let stream = compress(&content, level, true, sized);
                let what = format!("{shape:?}, level {level}, {}", if sized { "sized" } else { "unsized" });
                check(&stream, content.len() as u64, &Settings::default(), &what);
                for (piece, count) in pieces(&stream) {
                    *found.entry(format!("{piece}{}", if sized { " (sized)" } else { " (unsized)" })).or_default() +=
                        count;
                }
            }
        }
        assert_parallel(&found, &format!("frames of {size} MiB at level {level}"));
    }
}

#[test]
fn frames_of_eight_mib_of_memory_are_parallel_at_all_levels() {
    frames_are_parallel(8, &[Shape::Image], &(1..=19).collect::<Vec<_>>());
}

#[test]
fn frames_of_eight_mib_of_text_and_programs_are_parallel() {
    frames_are_parallel(8, &[Shape::Text, Shape::Binary], &[1, 3, 6, 9, 12]);
}

#[test]
fn frames_of_sixteen_mib_are_parallel() {
    frames_are_parallel(16, &[Shape::Text, Shape::Binary, Shape::Image], &[1, 3, 9]);
    frames_are_parallel(16, &[Shape::Image], &[19]);
}

/// As pzstd lays frames: before each a skippable one with its size, and no declared sizes.
fn by_hand(content: &[u8], level: i32) -> Vec<u8> {
    let mut stream = Vec::new();
    for piece in content.chunks(content.len().div_ceil(4)) {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), level).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(piece).unwrap();
        let frame = encoder.finish().unwrap();
        stream.extend(skippable(0, &u32::try_from(frame.len()).unwrap().to_le_bytes()));
        stream.extend(frame);
    }
    stream
}

fn pzstd(content: &[u8], level: i32) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("content");
    fs::write(&path, content).unwrap();
    command::parallel(&[&format!("-{level}"), "-p4"], &path)
}

#[test]
fn all_frames_of_pzstd_are_parallel() {
    // It makes frames of four windows: 8 MiB at level 3, 32 MiB at level 19, of which this is one that is not full.
    for (level, size, frames) in [(3, 20 << 20, 3), (19, 4 << 20, 1)] {
        let content = Shape::Image.data(size, 77);
        let made = command::is_there("pzstd").then(|| pzstd(&content, level));
        if made.is_none() {
            eprintln!("no pzstd command here");
        }
        for (name, frames, stream) in [("by hand", 4, Some(by_hand(&content, level))), ("pzstd", frames, made)] {
            let Some(stream) = stream else { continue };
            let pieces = pieces(&stream);
            assert_parallel(&pieces, &format!("{name}, level {level}"));
            assert_eq!(pieces.values().sum::<u32>(), frames, "{name}: {pieces:?}");
            check(&stream, content.len() as u64, &Settings::default(), name);
            let mut output = Vec::new();
            ParallelReader::new(Stream::new(Cursor::new(stream))).unwrap().read_to_end(&mut output).unwrap();
            assert!(output == content, "{name}: other bytes");
        }
    }
}
