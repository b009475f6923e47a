//! What zvet says of a stream against what other decoders make of it, and the differences that are known.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZeroUsize;

use mzstd::{DecodeError, Decompressor};
use zvet::{EngineChoice, Error, Level, Report, Settings, verify};

use crate::decode::decode;
use crate::libzstd::{Decoder, Refusal};

/// How often each thing came to pass.
pub type Counts = BTreeMap<String, u64>;

/// Counts one more of a class.
pub fn count(counts: &mut Counts, class: impl Into<String>) {
    *counts.entry(class.into()).or_default() += 1;
}

/// The counts, a line each.
pub fn table(counts: &Counts) -> String {
    counts.iter().fold(String::new(), |mut lines, (class, count)| {
        writeln!(lines, "  {count:>8} {class}").unwrap();
        lines
    })
}

/// Runs in one thread as far as that goes: there are many of them.
pub fn settings() -> Settings {
    Settings { workers: NonZeroUsize::MIN, ..Settings::default() }
}

/// A report without the frames.
pub fn check(stream: &[u8], level: Level, settings: &Settings) -> Report {
    verify(stream, level, settings, &mut |_| {})
}

/// `invalid S07`, `valid`.
pub fn outcome(report: &Report) -> String {
    match rule(report) {
        Some(rule) => format!("{} {rule}", report.verdict),
        None => report.verdict.to_string(),
    }
}

/// The rule that a stream breaks.
pub fn rule(report: &Report) -> Option<&'static str> {
    report.error.as_ref().and_then(Error::rule)
}

/// What other decoders make of a stream that passed the level entropy.
#[derive(Debug, PartialEq)]
pub enum Others {
    /// They decode it to these bytes.
    Content(Vec<u8>),
    /// They do so if they ignore its checksum.
    OtherChecksum(Vec<u8>),
}

impl Others {
    /// The bytes.
    pub fn content(&self) -> &[u8] {
        match self {
            Self::Content(content) | Self::OtherChecksum(content) => content,
        }
    }
}

/// Holds libzstd, and mzstd where there is no dictionary, to the claim of the level entropy: they decode to the size
/// that zvet computed, and to the same bytes.
///
/// # Errors
/// What is other than that.
pub fn others(stream: &[u8], report: &Report, dictionary: Option<&[u8]>) -> Result<Others, String> {
    let size = report.totals.decoded_size.exact().ok_or("the size is not exact")?;
    let libzstd = Decoder::new(false, dictionary);
    let content = libzstd.stream(stream).map_err(|error| format!("libzstd streaming: {error:?}"))?;
    if content.len() as u64 != size {
        return Err(format!("libzstd streaming: {} bytes, not {size}", content.len()));
    }
    if libzstd.in_one_call(stream, size).map_err(|error| format!("libzstd in one call: {error:?}"))? != content {
        return Err("libzstd in one call: other bytes".into());
    }
    let right = Decoder::new(true, dictionary).stream(stream).is_ok();
    if dictionary.is_some() {
        return Ok(if right { Others::Content(content) } else { Others::OtherChecksum(content) });
    }
    match Decompressor::default().decompress(stream) {
        Ok(other) if other != content => Err("mzstd: other bytes".into()),
        Ok(_) if right => Ok(Others::Content(content)),
        Err(DecodeError::ChecksumMismatch { .. }) if !right => Ok(Others::OtherChecksum(content)),
        Ok(_) => Err("mzstd: the checksum is right, libzstd: it is not".into()),
        Err(error) => Err(format!("mzstd: {error}")),
    }
}

/// What each engine makes of a stream, inside of zvet, against what the other decoders make.
///
/// # Errors
/// What is other than that.
pub fn engines(stream: &[u8], others: &Others) -> Result<&'static str, String> {
    let mut class = "";
    for name in EngineChoice::names() {
        let settings = Settings { engine: EngineChoice::named(name).unwrap(), ..settings() };
        let report = check(stream, Level::Content, &settings);
        class = match (others, outcome(&report).as_str()) {
            (Others::OtherChecksum(_), "invalid F10") => "passed: only the checksum is another",
            (Others::Content(content), "valid") => {
                let (output, result) = decode(stream, &settings);
                result.map_err(|error| format!("{name}: {error}"))?;
                if output != *content {
                    return Err(format!("{name}: other bytes"));
                }
                "passed: the same from all"
            }
            (_, outcome) => return Err(format!("{name}: the level content says {outcome}")),
        };
    }
    Ok(class)
}

/// Why libzstd, as a stream, accepts some of what zvet refuses; by rule.
pub const LIBZSTD_LAX: &[(&str, &str)] = &[
    ("B03", "raw and RLE blocks are not held to the block maximum where a frame of declared size is there whole"),
    ("B05", "a compressed block of 0 bytes is taken for one that makes nothing"),
    ("F09", "the declared size is not compared where the last block is empty"),
    ("F13", "no input is a stream of no frames, for one call and for who loops over what is read"),
    ("L09", "codes of 12 bits are taken"),
    ("L10", "weights over the limit are taken as long as no symbol has them"),
    ("L11", "the fast loops over four streams of literals do not ask whether the streams are used up"),
    ("S06", "a table of one symbol is taken"),
    ("S10", "offsets past the window are taken as long as the buffer has the bytes"),
    ("S11", "what a block makes is not held to the block maximum where a frame of declared size is there whole"),
    ("X01", "windows up to 1 GiB are allowed here, and zvet has its default limit"),
];

/// Rules that the zstd command 1.5.4 does not hold, and libzstd 1.5.7 does.
pub const COMMAND_LAX: &[(&str, &str)] = &[
    ("S01", "a byte after a count of no sequences in its long form is taken"),
    ("S02", "reserved bits of the modes are taken"),
    ("S07", "streams of sequences that are not used up, or too short, are taken"),
    ("S09", "an offset of 0 is taken for 1"),
];

/// What libzstd, as a stream, says of a stream that zvet refuses.
///
/// # Errors
/// A difference that is not known.
pub fn refused(stream: &[u8], report: &Report, dictionary: Option<&[u8]>) -> Result<String, String> {
    let outcome = outcome(report);
    let rule = rule(report).ok_or("no rule")?;
    match Decoder::new(false, dictionary).stream(stream) {
        Err(Refusal::TooMuch) => return Ok(format!("more output than libzstd was asked for: {outcome}")),
        Err(_) => return Ok(format!("refused by both: {outcome}")),
        Ok(_) => {}
    }
    let Some((_, why)) = LIBZSTD_LAX.iter().find(|(id, _)| *id == rule) else {
        return Err(format!("unexplained, only zvet refuses it: {:?}", report.error));
    };
    let mzstd = match dictionary {
        None if Decompressor::default().decompress(stream).is_ok() => ", mzstd does not",
        None => ", mzstd does",
        Some(_) => "",
    };
    Ok(format!("refused by zvet and not by libzstd{mzstd}: {outcome}: {why}"))
}
