//! A stream that was changed: what zvet says of it against what libzstd and the zstd command say.

use std::io::{Cursor, Read};

use zvet::source::Stream;
use zvet::{Level, Limits, ParallelReader, Settings, StreamVerdict};

use super::make::{Case, DictionaryFile};
use crate::compare::{self, COMMAND_LAX, Counts, LIBZSTD_LAX, Others, count, outcome, rule};
use crate::data::Lcg;
use crate::zstd;

/// Changed streams may be bombs.
const OUTPUT: u64 = 64 << 20;

/// The stream with one to three changes.
pub(super) fn damaged(stream: &[u8], lcg: &mut Lcg) -> Vec<u8> {
    let mut stream = stream.to_vec();
    for _ in 0..=lcg.below(3) {
        let size = stream.len();
        if size == 0 {
            break;
        }
        // The first bytes, where headers and tables are, are hit as often as all others; the magic number less.
        let after = if size > 4 && lcg.below(8) > 0 { 4 } else { 0 };
        let at = after + if lcg.below(2) == 0 { lcg.below(size - after) } else { lcg.skewed(size - after) };
        let some = at + lcg.skewed(size - at).min(200_000);
        match lcg.below(12) {
            0..=4 => stream[at] ^= 1 << lcg.below(8),
            5..=7 => stream[at] = u8::try_from(lcg.below(256)).unwrap(),
            8 => stream.truncate(at),
            9 => stream[at..some].fill(0),
            10 => drop(stream.drain(at..some)),
            _ => {
                let copy = stream[at..some].to_vec();
                let to = lcg.below(size);
                stream.splice(to..to, copy);
            }
        }
    }
    stream
}

/// Holds zvet to the others, but for what is known.
pub(super) fn check(stream: &[u8], case: &Case, counts: &mut Counts) -> Result<(), String> {
    let settings = Settings {
        limits: Limits { output: OUTPUT, ..Limits::default() },
        dictionaries: case.dictionary.iter().map(|file| file.dictionary.clone()).collect(),
        ..compare::settings()
    };
    let dictionary = case.dictionary.as_ref();
    let bytes = dictionary.map(DictionaryFile::bytes);
    let envelope = compare::check(stream, Level::Envelope, &settings);
    let entropy = compare::check(stream, Level::Entropy, &settings);
    let content = compare::check(stream, Level::Content, &settings);
    if rule(&content) == Some("X02") || rule(&entropy) == Some("X02") {
        count(counts, "damaged: more output than was asked for");
        return Ok(());
    }
    if envelope.verdict == StreamVerdict::Invalid && entropy.verdict != StreamVerdict::Invalid {
        return Err(format!("damaged: {} at level envelope, then {}", outcome(&envelope), outcome(&entropy)));
    }
    let mut output = Vec::new();
    let source = Stream::new(Cursor::new(stream.to_vec()));
    let read = ParallelReader::with_settings(source, &settings).unwrap().read_to_end(&mut output);
    if read.is_ok() != (content.verdict == StreamVerdict::Valid) {
        return Err(format!("damaged: {} at level content, and the reader says {read:?}", outcome(&content)));
    }
    if entropy.verdict == StreamVerdict::Valid {
        let others = compare::others(stream, &entropy, bytes)?;
        let class = match (&others, outcome(&content).as_str()) {
            (Others::OtherChecksum(_), "invalid F10") => "damaged: only the checksum is another",
            (Others::Content(content), "valid") if *content == output => "damaged: valid, and the same from all",
            (_, outcome) => return Err(format!("damaged: {outcome} at level content, and others do not say so")),
        };
        count(counts, class);
    } else {
        if content.verdict == StreamVerdict::Valid {
            return Err(format!("damaged: {} at level entropy, and valid at level content", outcome(&entropy)));
        }
        count(counts, format!("damaged: {}", compare::refused(stream, &entropy, bytes)?));
    }
    command(stream, case, &content, counts)
}

/// What `zstd -t` says. It is of another version than the library.
fn command(stream: &[u8], case: &Case, content: &zvet::Report, counts: &mut Counts) -> Result<(), String> {
    let accepted = zstd::accepts(stream, case.dictionary.as_ref().map(|file| file.path.as_path()));
    let valid = content.verdict == StreamVerdict::Valid;
    let lax = || rule(content).is_some_and(|rule| LIBZSTD_LAX.iter().chain(COMMAND_LAX).any(|(id, _)| *id == rule));
    match (accepted, valid) {
        (true, true) => count(counts, "damaged, zstd -t: accepted by both"),
        (false, false) => count(counts, "damaged, zstd -t: refused by both"),
        (true, false) if lax() => count(counts, format!("damaged, zstd -t: accepted, zvet says {}", outcome(content))),
        _ => {
            let said = if accepted { "accepts" } else { "refuses" };
            return Err(format!("damaged: {} and zstd -t {said}: {:?}", outcome(content), content.error));
        }
    }
    Ok(())
}
