//! Where the bytes come from, and in which pieces, never changes what is said of them.

use std::fmt::Write;
use std::io::{Cursor, Read};

use zvet::source::{Seekable, Source, Stream};
use zvet::{Level, Settings, inspect, verify, verify_detached};
use zvet_tests::corpus;

/// A reader that gives a few bytes at a time, how many differs from read to read.
struct Trickle {
    bytes: Cursor<Vec<u8>>,
    turn: usize,
}

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.turn = (self.turn + 1) % 5;
        let n = buffer.len().min([1, 3, 50, 7, 1000][self.turn]);
        self.bytes.read(&mut buffer[..n])
    }
}

/// All that is said of a stream, as text.
fn said(level: Level, source: impl Source + Send) -> String {
    let settings = Settings { workers: 2.try_into().unwrap(), ..Settings::default() };
    let mut frames = String::new();
    let report = verify(source, level, &settings, &mut |frame| writeln!(frames, "{frame:?}").unwrap());
    format!("{frames}{report:?}")
}

#[test]
fn slices_pipes_and_files_are_said_the_same_of() {
    for case in corpus::cases() {
        let bytes = case.bytes();
        for level in [Level::Envelope, Level::Entropy, Level::Content] {
            let slice = said(level, &bytes[..]);
            let pipe = Stream::new(Trickle { bytes: Cursor::new(bytes.clone()), turn: 0 });
            assert_eq!(said(level, pipe), slice, "{} at {level}", case.path);
            let file = Seekable::new(Cursor::new(bytes.clone())).unwrap();
            assert_eq!(said(level, file), slice, "{} at {level}", case.path);
        }
    }
}

#[test]
fn slices_and_pipes_are_said_the_same_of_when_blocks_are_damaged_inside() {
    let mut invalid = 0;
    for case in corpus::cases().into_iter().filter(|case| case.path.starts_with("zstd/")) {
        for damage in 1..=8 {
            let mut bytes = case.bytes();
            let Some(at) = (bytes.len() * damage / 9).checked_sub(1) else { continue };
            bytes[at] ^= 1 << (damage - 1);
            let slice = said(Level::Entropy, &bytes[..]);
            let pipe = Stream::new(Trickle { bytes: Cursor::new(bytes.clone()), turn: 0 });
            assert_eq!(said(Level::Entropy, pipe), slice, "{} with byte {at} changed", case.path);
            invalid += usize::from(slice.contains("verdict: Invalid"));
        }
    }
    assert!(invalid > 100, "{invalid}");
}

#[test]
fn a_verifier_that_does_not_wait_says_the_same() {
    let settings = Settings::default();
    for case in corpus::cases() {
        for level in [Level::Envelope, Level::Entropy, Level::Content] {
            let waiting = verify(&case.bytes()[..], level, &settings, &mut |_| {});
            let detached = verify_detached(Stream::new(Cursor::new(case.bytes())), level, &settings, &mut |_| {});
            assert_eq!(format!("{detached:?}"), format!("{waiting:?}"), "{} at {level}", case.path);
        }
    }
}

#[test]
fn each_level_finds_what_the_one_before_finds() {
    let settings = Settings::default();
    for case in corpus::cases() {
        let verdict = |level| verify(&case.bytes()[..], level, &settings, &mut |_| {});
        let (envelope, entropy, content) = (verdict(Level::Envelope), verdict(Level::Entropy), verdict(Level::Content));
        for (level, deeper) in [(&envelope, &entropy), (&entropy, &content)] {
            if let Some(error) = &level.error {
                let deeper = deeper.error.as_ref().unwrap_or_else(|| panic!("{}: lost {error}", case.path));
                // A deeper level may find something that comes before.
                assert!(deeper.location().unwrap().offset <= error.location().unwrap().offset, "{}", case.path);
            }
        }
        let exact = inspect(&case.bytes()[..], true, &settings, &mut |_| {});
        assert_eq!(exact.level, Level::Envelope);
    }
}
