//! Decoding into files: each frame at its place, with holes, and never what looks finished and is not.

use std::fs::File;
use std::io::{self, Read, Seek, Write};

use proptest::prelude::*;
use zvet::source::Stream;
use zvet::{Bounds, Dictionary, Error, FileDecoder, Report, Settings, Slots, StreamVerdict};
use zvet_tests::bytes::{W_128K, frame, hello, raw, rle, single_segment_header, unsized_header};
use zvet_tests::mix::{self, Kind};

fn decode(stream: &[u8], file: &File, sparse: bool, settings: &Settings) -> Report {
    let source = Stream::new(io::Cursor::new(stream.to_vec()));
    FileDecoder::new(source, file.try_clone().unwrap(), sparse, settings).unwrap().run()
}

fn content_of(file: &mut File) -> Vec<u8> {
    let mut content = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut content).unwrap();
    content
}

/// A file in which something was.
fn used() -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&vec![0xEE; 200_000]).unwrap();
    file
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_mix_is_in_the_file_whole_whatever_was_there(
        frames in prop::collection::vec((prop::sample::select(&Kind::ALL[..]), 0usize..30_000, any::<u64>()), 0..20),
        workers in 1usize..6,
        sparse in any::<bool>(),
        adaptive in any::<bool>(),
        trust_engine in any::<bool>(),
        bound in prop::sample::select(vec![4u64 << 10, 20 << 10, 1 << 20]),
    ) {
        let dictionary = mix::dictionary();
        let (mut stream, mut content) = (hello(), b"hello, world".to_vec());
        for (kind, size, seed) in frames {
            let (frame, decoded) = kind.frame(size, seed, &dictionary);
            stream.extend(frame);
            content.extend(decoded);
            // Zeros of all alignments.
            let zeros = usize::try_from(seed % 20_000).unwrap();
            stream.extend(frame_of_zeros(zeros));
            content.resize(content.len() + zeros, 0);
        }
        let settings = Settings {
            bounds: Bounds { output: bound, ..Bounds::SNAPSHOT },
            workers: workers.try_into().unwrap(),
            dictionaries: vec![Dictionary::raw(&dictionary)],
            adaptive,
            trust_engine,
            ..Settings::default()
        };
        let mut file = used();
        let report = decode(&stream, &file, sparse, &settings);
        prop_assert_eq!(report.verdict, StreamVerdict::Valid);
        prop_assert_eq!(report.totals.decoded_size.exact(), Some(content.len() as u64));
        prop_assert!(content_of(&mut file) == content);
    }
}

fn frame_of_zeros(size: usize) -> Vec<u8> {
    // A byte that is repeated is a byte, and there is no room for it in a window of none.
    let block = if size == 0 { raw(true, b"") } else { rle(true, 0, u32::try_from(size).unwrap()) };
    frame(&single_segment_header(size as u64), &[block])
}

#[test]
fn frames_whose_size_is_not_declared_are_written_in_order() {
    let content = vec![7; 300_000];
    let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
    compressor.include_contentsize(false).unwrap();
    let stream = compressor.compress(&content).unwrap().repeat(5);
    let mut file = used();
    let report = decode(&stream, &file, false, &Settings::default());
    assert_eq!(report.verdict, StreamVerdict::Valid);
    assert!(content_of(&mut file) == content.repeat(5));
}

#[cfg(unix)]
#[test]
fn zeros_take_no_room_where_it_is_asked_for() {
    use std::os::unix::fs::MetadataExt;
    const SIZE: u32 = 100_000;
    let zeros = frame(
        &single_segment_header(u64::from(SIZE) * 80),
        &(1..=80).map(|n| rle(n == 80, 0, SIZE)).collect::<Vec<_>>(),
    );
    let stream = [hello(), zeros, hello(), frame_of_zeros(50_000)].concat();
    let size = 24 + u64::from(SIZE) * 80 + 50_000;
    // What is held whole, and what is decoded as it is read.
    for bounds in [Bounds::SNAPSHOT, Bounds { output: 100, ..Bounds::SNAPSHOT }] {
        let (dense, sparse) = (tempfile::tempfile().unwrap(), tempfile::tempfile().unwrap());
        let settings = Settings { bounds, ..Settings::default() };
        for (file, is_sparse) in [(&dense, false), (&sparse, true)] {
            assert_eq!(decode(&stream, file, is_sparse, &settings).verdict, StreamVerdict::Valid);
            assert_eq!(file.metadata().unwrap().len(), size);
        }
        let rooms = [&dense, &sparse].map(|file| file.metadata().unwrap().blocks() * 512);
        assert!(rooms[1] <= 64 << 10 && rooms[0] >= size, "{rooms:?}: does the file system have holes?");
    }
}

#[test]
fn a_stream_that_fails_leaves_no_byte_of_its_failing_frame() {
    let bad = {
        let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
        compressor.include_checksum(true).unwrap();
        let mut frame = compressor.compress(&vec![b'x'; 100_000]).unwrap();
        *frame.last_mut().unwrap() ^= 1;
        frame
    };
    let stream = [hello(), bad, hello()].concat();
    let mut file = used();
    let report = decode(&stream, &file, false, &Settings::default());
    assert_eq!(report.error.unwrap().rule(), Some("F10"));
    assert!(!content_of(&mut file).contains(&b'x'));
}

#[test]
fn a_file_that_cannot_be_written_is_said_to_be_unwritten_and_nothing_waits() {
    let path = tempfile::NamedTempFile::new().unwrap();
    let read_only = File::open(path.path()).unwrap();
    let source = || Stream::new(io::Cursor::new(hello()));
    assert!(FileDecoder::new(source(), read_only, false, &Settings::default()).is_err(), "it cannot be emptied");
    // A device that takes nothing.
    if let Ok(full) = File::options().write(true).open("/dev/full") {
        let large = frame(&unsized_header(W_128K), &[raw(true, &vec![1; 100_000])]);
        for stream in [hello(), large.repeat(20)] {
            let slots = Slots::new(2);
            let settings = Settings { slots: slots.clone(), ..Settings::default() };
            let report = decode(&stream, &full, false, &settings);
            assert!(matches!(report.error, Some(Error::Unwritten(_))), "{report:?}");
            assert_eq!(report.verdict, StreamVerdict::Unreadable);
        }
    }
}

#[test]
fn content_over_the_limit_is_not_written() {
    let limits = zvet::Limits { output: 120_000, ..zvet::Limits::SNAPSHOT };
    let one = frame(&single_segment_header(100_000), &[rle(true, b'x', 100_000)]);
    let bounded = zvet::Ratio { slack: 120_000, factor: 1 };
    for limits in [limits, zvet::Limits { ratio: Some(bounded), ..zvet::Limits::SNAPSHOT }] {
        let mut file = used();
        let report = decode(&one.repeat(4), &file, false, &Settings { limits, ..Settings::default() });
        assert!(["X02", "X03"].contains(&report.error.unwrap().rule().unwrap()));
        assert!(content_of(&mut file).len() <= 120_000);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_opened_to_append_is_refused() {
    let path = tempfile::NamedTempFile::new().unwrap();
    let file = File::options().append(true).open(path.path()).unwrap();
    let error = FileDecoder::new(Stream::new(io::Cursor::new(hello())), file, false, &Settings::default()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn an_input_that_is_idle_after_a_fault_is_not_waited_for() {
    /// Gives a broken frame, and then nothing for a while.
    struct Idle(Vec<u8>);
    impl Read for Idle {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                std::thread::sleep(std::time::Duration::from_secs(30));
                return Ok(0);
            }
            let n = self.0.len().min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0.drain(..n);
            Ok(n)
        }
    }
    let mut bad = frame(&unsized_header(W_128K), &[raw(true, b"bad")]);
    bad[4] |= 8;
    let started = std::time::Instant::now();
    let source = Stream::new(Idle([hello(), bad].concat()));
    let report = FileDecoder::new(source, used(), false, &Settings::default()).unwrap().run();
    assert_eq!(report.error.unwrap().rule(), Some("F04"));
    assert!(started.elapsed() < std::time::Duration::from_secs(15));
}
