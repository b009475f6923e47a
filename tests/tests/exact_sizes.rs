//! Sizes from a walk through sequences, against what was compressed; and what such sizes are for: frames in parallel.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use zstd::zstd_safe::CParameter;
use zvet::source::Stream;
use zvet::{Dictionary, Level, ParallelReader, Piece, Settings, Splitter, StreamVerdict, inspect, verify};
use zvet_tests::bytes::skippable;
use zvet_tests::data::{Lcg, Shape};
use zvet_tests::zstd as command;

fn run(args: &[String], files: &[PathBuf], output: &Path) {
    let output =
        Command::new("zstd").args(args).arg("-q").arg("--output-dir-flat").arg(output).args(files).output().unwrap();
    assert!(output.status.success(), "zstd {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Trains a dictionary of the command.
fn train(folder: &Path) -> Vec<u8> {
    let samples: Vec<_> = Shape::Log
        .data(300_000, 9)
        .chunks(1500)
        .enumerate()
        .map(|(n, sample)| {
            let path = folder.join(format!("sample{n}"));
            fs::write(&path, sample).unwrap();
            path
        })
        .collect();
    let path = folder.join("trained");
    let trained =
        Command::new("zstd").args(["-q", "--train", "--maxdict=8192", "-o"]).arg(&path).args(samples).status().unwrap();
    assert!(trained.success());
    fs::read(path).unwrap()
}

/// Holds the walks to the size of what was compressed.
fn check(stream: &[u8], size: u64, settings: &Settings, what: &str) {
    let report = inspect(stream, true, settings, &mut |_| {});
    assert_eq!(report.verdict, StreamVerdict::Valid, "{what}: {report:?}");
    assert_eq!(report.totals.decoded_size.exact(), Some(size), "{what}");
    let report = verify(stream, Level::Entropy, settings, &mut |_| {});
    assert_eq!(report.verdict, StreamVerdict::Valid, "{what}: {report:?}");
    assert_eq!(report.totals.decoded_size.exact(), Some(size), "{what}");
}

#[test]
fn sizes_of_five_hundred_streams_of_the_command_are_those_of_their_content() {
    const RUNS: usize = 50;
    // And one more of the run is piped: the command does not know its size.
    const FILES: usize = 9;
    if command::command().is_none() {
        return eprintln!("no zstd command here");
    }
    let folder = tempfile::tempdir().unwrap();
    let trained = train(folder.path());
    let raw = Shape::Text.data(20_000, 8);
    fs::write(folder.path().join("raw"), &raw).unwrap();
    let dictionaries = [("trained", Dictionary::new(&trained).unwrap()), ("raw", Dictionary::raw(&raw))];
    let mut lcg = Lcg(1);
    let mut streams = 0;
    for run_number in 0..RUNS {
        let level = run_number % 22 + 1;
        let mut args = vec!["--ultra".to_owned(), format!("-{level}")];
        let mut add = |arg: String| args.push(arg);
        if lcg.below(2) == 0 {
            add("--no-content-size".into());
        }
        if lcg.below(3) == 0 {
            add("--no-check".into());
        }
        if lcg.below(3) == 0 {
            add(format!("--long={}", 17 + lcg.below(11)));
        }
        if lcg.below(3) == 0 {
            add("-T2".into());
        }
        let mut settings = Settings::default();
        if let Some((name, dictionary)) = dictionaries.get(lcg.below(5)) {
            add("-D".into());
            add(folder.path().join(name).to_str().unwrap().into());
            settings.dictionaries.push(dictionary.clone());
            if lcg.below(3) == 0 {
                add("--no-dictID".into());
            }
        }
        let output = folder.path().join(format!("output{run_number}"));
        fs::create_dir(&output).unwrap();
        let files: Vec<_> = (0..FILES)
            .map(|n| {
                let shape = Shape::ALL[lcg.below(Shape::ALL.len())];
                let size = if n == 0 { 0 } else { lcg.skewed(300_000) };
                let path = folder.path().join(format!("{run_number}-{n}-{shape:?}"));
                fs::write(&path, shape.data(size, lcg.next_number())).unwrap();
                path
            })
            .collect();
        run(&args, &files, &output);
        for file in files {
            let name = file.file_name().unwrap().to_str().unwrap();
            let stream = fs::read(output.join(format!("{name}.zst"))).unwrap();
            check(&stream, fs::metadata(&file).unwrap().len(), &settings, &format!("{name} {args:?}"));
            fs::remove_file(file).unwrap();
            streams += 1;
        }
        let content = Shape::ALL[lcg.below(Shape::ALL.len())].data(lcg.skewed(300_000), lcg.next_number());
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        check(&command::pipe(&args, &content), content.len() as u64, &settings, &format!("from a pipe, {args:?}"));
        streams += 1;
    }
    println!("{streams} streams");
    assert_eq!(streams, 500);
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

fn compress(content: &[u8], level: i32, sized: bool) -> Vec<u8> {
    let mut compressor = zstd::bulk::Compressor::new(level).unwrap();
    compressor.set_parameter(CParameter::ContentSizeFlag(sized)).unwrap();
    compressor.set_parameter(CParameter::ChecksumFlag(true)).unwrap();
    compressor.compress(content).unwrap()
}

/// Frames of so many MiB of each shape at these levels, with and without a declared size.
fn frames_are_parallel(size: usize, shapes: &[Shape], levels: &[i32]) {
    for &level in levels {
        let mut found = BTreeMap::new();
        for shape in shapes {
            let content = shape.data(size << 20, u64::try_from(level).unwrap());
            for sized in [false, true] {
                let stream = compress(&content, level, sized);
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

fn pzstd(content: &[u8], level: i32) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("content");
    fs::write(&path, content).unwrap();
    let output = Command::new("pzstd").args([&format!("-{level}"), "-p", "4", "-q", "-c"]).arg(path).output().ok()?;
    output.status.success().then_some(output.stdout)
}

#[test]
fn all_frames_of_pzstd_are_parallel() {
    // It makes frames of four windows: 8 MiB at level 3, 32 MiB at level 19, of which this is one that is not full.
    for (level, size, frames) in [(3, 20 << 20, 3), (19, 4 << 20, 1)] {
        let content = Shape::Image.data(size, 77);
        let made = pzstd(&content, level);
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
