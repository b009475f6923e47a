//! Streams that the zstd command makes now, of generated data.

use std::fs;
use std::io::Read;

use zvet::{
    Decode, Dictionary, FrameReport, Level, ParallelReader, Proof, Reason, Report, Settings, StreamVerdict, verify,
};
use zvet_tests::data::{Lcg, Shape};
use zvet_tests::zstd;

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
fn an_unsized_stream_with_a_long_window_is_serial_and_decodes() {
    if zstd::command().is_none() {
        return eprintln!("no zstd command here");
    }
    for shape in Shape::ALL {
        let content = shape.data(3_000_000, 1);
        let stream = zstd::pipe(&["-3", "--long=27"], &content);
        let (modes, report) = check(stream, &content, &Settings::default(), &format!("{shape:?}"));
        assert_eq!(modes, [Decode::Serial(Reason::Window)], "{shape:?}");
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
    let content = Shape::Log.data(3_000_000, 1);
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
    let content = Shape::Log.data(200_000, 1);
    let stream = zstd::pipe(&["-3"], &content);
    let mut lcg = Lcg(7);
    for _ in 0..300 {
        let mut damaged = stream.clone();
        let at = lcg.below(damaged.len());
        // The unused bit of the header is nobody's business.
        let bit = if at == 4 { 3 } else { lcg.below(8) };
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
    let log = Shape::Log.data(400_000, 1);
    let path = folder.path().join("dict");
    let trained = zstd::train(&path, Shape::Log, &["--maxdict=8192"]);
    let dictionary = Dictionary::new(&trained).unwrap();
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
