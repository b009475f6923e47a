//! Streams that the zstd command makes now, of generated data.

use std::fs;
use std::io::Read;

use zvet::{
    Decode, Dictionary, FrameReport, Level, ParallelReader, Proof, Reason, Report, Settings, StreamVerdict, verify,
};
use zvet_tests::zstd;

/// A generator of numbers that are the same each time.
struct Lcg(u64);

impl Lcg {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next()).unwrap() % end
    }
}

/// Data of several shapes, as files are.
fn shapes(size: usize) -> Vec<(&'static str, Vec<u8>)> {
    let mut lcg = Lcg(1);
    let mut log = Vec::new();
    while log.len() < size {
        let line = format!(
            "{:>10} worker-{} request {:x} took {} us\n",
            log.len(),
            lcg.next() % 9,
            lcg.next(),
            lcg.next() % 5000
        );
        log.extend(line.bytes());
    }
    log.truncate(size);
    let records = (0..size as u64 / 8).flat_map(|n| (n * n % 1000 + lcg.next() % 3).to_le_bytes()).collect();
    let noise = (0..size).map(|_| lcg.next().to_le_bytes()[0]).collect();
    let mut image = vec![0; size];
    for at in (0..size).step_by(64 << 10) {
        let end = (at + lcg.below(0x4000)).min(size);
        let log = &log[..end - at];
        image[at..end].copy_from_slice(log);
    }
    vec![("log", log), ("records", records), ("noise", noise), ("image", image), ("empty", Vec::new())]
}

fn check(stream: Vec<u8>, content: &[u8], settings: &Settings, what: &str) -> (Vec<Decode>, Report) {
    let mut modes = Vec::new();
    let envelope = verify(&stream[..], Level::Envelope, settings, &mut |frame| {
        if let FrameReport::Zstandard(report) = frame {
            modes.push(report.decode);
        }
    });
    assert_eq!(envelope.verdict, StreamVerdict::Valid, "{what}: {envelope:?}");
    assert_eq!(envelope.size, stream.len() as u64, "{what}");
    assert!(envelope.totals.decoded_size.contains(content.len() as u64), "{what}: {envelope:?}");
    let report = verify(&stream[..], Level::Content, settings, &mut |_| {});
    assert_eq!(report.verdict, StreamVerdict::Valid, "{what}: {report:?}");
    assert_eq!(report.totals.decoded_size.exact(), Some(content.len() as u64), "{what}");
    let mut output = Vec::new();
    let source = zvet::source::Stream::new(std::io::Cursor::new(stream));
    ParallelReader::with_settings(source, settings).unwrap().read_to_end(&mut output).unwrap();
    assert!(output == content, "{what}: other bytes");
    (modes, envelope)
}

#[test]
fn streams_of_many_levels_and_shapes_decode_to_the_same_bytes() {
    if zstd::command().is_none() {
        return eprintln!("no zstd command here");
    }
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::default();
    for (shape, content) in shapes(700_000) {
        let path = folder.path().join(shape);
        fs::write(&path, &content).unwrap();
        for args in [
            &["-1"][..],
            &["-3"],
            &["--fast=5"],
            &["-7", "--no-check"],
            &["-12", "-T2", "-B131072"],
            &["-19", "--long=27"],
            &["--ultra", "-22"],
            &["-3", "--no-content-size"],
        ] {
            let what = format!("{shape} {args:?}");
            check(zstd::file(args, &path), &content, &settings, &what);
            check(zstd::pipe(args, &content), &content, &settings, &format!("{what} from a pipe"));
        }
    }
}

#[test]
fn an_unsized_stream_with_a_long_window_is_serial_and_decodes() {
    if zstd::command().is_none() {
        return eprintln!("no zstd command here");
    }
    for (shape, content) in shapes(3_000_000) {
        if content.is_empty() {
            continue;
        }
        let stream = zstd::pipe(&["-3", "--long=27"], &content);
        let (modes, report) = check(stream, &content, &Settings::default(), shape);
        assert_eq!(modes, [Decode::Serial(Reason::Window)], "{shape}");
        assert_eq!(report.totals.window_max, 128 << 20);
    }
    // Over the limit, and decoded where the limit is raised.
    let content = b"a few bytes".repeat(10);
    let stream = zstd::pipe(&["-3", "--long=28"], &content);
    let report = verify(&stream[..], Level::Content, &Settings::default(), &mut |_| {});
    assert_eq!(report.verdict, StreamVerdict::OverLimit);
    let mut settings = Settings::default();
    settings.limits.window = 256 << 20;
    check(stream, &content, &settings, "--long=28");
}

#[test]
fn concatenated_frames_are_parallel() {
    if zstd::command().is_none() {
        return eprintln!("no zstd command here");
    }
    let folder = tempfile::tempdir().unwrap();
    let (_, content) = shapes(3_000_000).swap_remove(0);
    let path = folder.path().join("piece");
    let (mut sized, mut piped) = (Vec::new(), Vec::new());
    for piece in content.chunks(400_000) {
        fs::write(&path, piece).unwrap();
        sized.extend(zstd::file(&["-3"], &path));
        piped.extend(zstd::pipe(&["-3"], piece));
    }
    for stream in [sized, piped] {
        let (modes, report) = check(stream, &content, &Settings::default(), "frames");
        assert!(modes.iter().all(|mode| *mode == Decode::Parallel(Proof::Bound)), "{modes:?}");
        assert_eq!(report.totals.frames, 8);
    }
}

#[test]
fn damage_that_the_command_finds_is_found() {
    if zstd::command().is_none() {
        return eprintln!("no zstd command here");
    }
    let (_, content) = shapes(200_000).swap_remove(0);
    let stream = zstd::pipe(&["-3"], &content);
    let mut lcg = Lcg(7);
    for _ in 0..300 {
        let mut damaged = stream.clone();
        let at = lcg.below(damaged.len());
        // The unused bit of the header is nobody's business.
        let bit = if at == 4 { 3 } else { lcg.next() % 8 };
        damaged[at] ^= 1 << bit;
        let report = verify(&damaged[..], Level::Content, &Settings::default(), &mut |_| {});
        assert_ne!(report.verdict, StreamVerdict::Valid, "bit {bit} of byte {at}");
        let mut output = Vec::new();
        let source = zvet::source::Stream::new(std::io::Cursor::new(damaged));
        let result = ParallelReader::new(source).unwrap().read_to_end(&mut output);
        assert!(result.is_err(), "bit {bit} of byte {at}");
    }
}

#[test]
fn dictionaries_of_the_command_decode_its_frames() {
    if zstd::command().is_none() {
        return eprintln!("no zstd command here");
    }
    let folder = tempfile::tempdir().unwrap();
    let (_, log) = shapes(400_000).swap_remove(0);
    let samples: Vec<_> = log
        .chunks(2000)
        .enumerate()
        .map(|(n, sample)| {
            let path = folder.path().join(format!("sample{n}"));
            fs::write(&path, sample).unwrap();
            path
        })
        .collect();
    let path = folder.path().join("dict");
    let trained = std::process::Command::new("zstd")
        .args(["-q", "--train", "--maxdict=8192", "-o"])
        .arg(&path)
        .args(&samples)
        .status()
        .unwrap();
    assert!(trained.success());
    let dictionary = Dictionary::new(&fs::read(&path).unwrap()).unwrap();
    let content = &log[1000..9000];
    let with = path.to_str().unwrap();
    for args in [&["-3", "-D", with][..], &["-3", "-D", with, "--no-dictID"], &["-19", "-D", with]] {
        let stream = zstd::pipe(args, content);
        let settings = Settings { dictionaries: vec![dictionary.clone()], ..Settings::default() };
        check(stream.clone(), content, &settings, &format!("{args:?}"));
        let report = verify(&stream[..], Level::Content, &Settings::default(), &mut |_| {});
        assert_eq!(report.verdict, StreamVerdict::NeedsDictionary, "{args:?}: {report:?}");
    }
    // Raw content as a dictionary.
    let raw = Dictionary::raw(&log[..5000]);
    fs::write(&path, &log[..5000]).unwrap();
    let stream = zstd::pipe(&["-3", "-D", with], content);
    let settings = Settings { dictionaries: vec![raw], ..Settings::default() };
    check(stream, content, &settings, "raw content");
}
