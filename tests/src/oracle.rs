//! Other decoders, and what they are asked about what zvet says: libzstd 1.5.7, mzstd and ruzstd.
//!
//! All of them have the window limit of 128 MiB that is the default of zvet and of libzstd.

use std::io::{Cursor, Read};
use std::num::NonZeroUsize;

use mzstd::{DecodeError, Decompressor};
use zstd::zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer};
use zvet::{Error, Level, ParallelReader, Report, Settings, verify};

/// Runs in one thread as far as that goes: there are many of them.
pub fn settings() -> Settings {
    Settings { workers: NonZeroUsize::MIN, ..Settings::default() }
}

/// What zvet says of a stream at a level.
pub fn check(stream: &[u8], level: Level) -> Report {
    verify(stream, level, &settings(), &mut |_| {})
}

/// `invalid S07`, `valid`.
pub fn outcome(report: &Report) -> String {
    match report.error.as_ref().and_then(Error::rule) {
        Some(rule) => format!("{} {rule}", report.verdict),
        None => report.verdict.to_string(),
    }
}

fn context(checksum: bool) -> DCtx<'static> {
    let mut context = DCtx::create();
    context.set_parameter(DParameter::ForceIgnoreChecksum(!checksum)).unwrap();
    context
}

/// What libzstd makes of a stream that it has whole, with 128 KiB of room at a time.
pub fn libzstd_stream(stream: &[u8], checksum: bool) -> Result<Vec<u8>, &'static str> {
    let mut decoder = context(checksum);
    let mut input = InBuffer::around(stream);
    let (mut content, mut room) = (Vec::new(), vec![0; 128 << 10]);
    loop {
        let mut output = OutBuffer::around(&mut room[..]);
        let before = input.pos();
        let more = decoder.decompress_stream(&mut output, &mut input).map_err(zstd::zstd_safe::get_error_name)?;
        let made = output.pos();
        content.extend_from_slice(&room[..made]);
        assert!(content.len() < 1 << 30, "the changes make small streams");
        if input.pos() == stream.len() && more == 0 {
            return Ok(content);
        }
        if input.pos() == stream.len() && made < room.len() {
            return Err("more input is wanted");
        }
        assert!(input.pos() > before || made > 0, "libzstd comes no further");
    }
}

/// What libzstd makes of a stream in one call, in room for one byte more than it is to be.
pub fn libzstd_bulk(stream: &[u8], size: u64) -> Result<Vec<u8>, &'static str> {
    let mut content = Vec::with_capacity(usize::try_from(size).unwrap() + 1);
    context(false).decompress(&mut content, stream).map_err(zstd::zstd_safe::get_error_name)?;
    Ok(content)
}

/// What other decoders make of a stream that passed the level entropy.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Holds the other decoders to the claim of the level entropy: all of them decode to the size that zvet computed, and to
/// the same bytes.
pub fn others(stream: &[u8], report: &Report) -> Result<Others, String> {
    let size = report.totals.decoded_size.exact().ok_or("the size is not exact")?;
    let content = libzstd_stream(stream, false).map_err(|error| format!("libzstd streaming: {error}"))?;
    if content.len() as u64 != size {
        return Err(format!("libzstd streaming: {} bytes, not {size}", content.len()));
    }
    if libzstd_bulk(stream, size).map_err(|error| format!("libzstd in one call: {error}"))? != content {
        return Err("libzstd in one call: other bytes".into());
    }
    let right = libzstd_stream(stream, true).is_ok();
    match Decompressor::default().decompress(stream) {
        Ok(other) if other != content => Err("mzstd: other bytes".into()),
        Ok(_) if right => Ok(Others::Content(content)),
        Err(DecodeError::ChecksumMismatch { .. }) if !right => Ok(Others::OtherChecksum(content)),
        Ok(_) => Err("mzstd: the checksum is right, libzstd: it is not".into()),
        Err(error) => Err(format!("mzstd: {error}")),
    }
}

/// Why libzstd, as a stream, accepts some of what zvet refuses; by rule.
pub const STRICTER: &[(&str, &str)] = &[
    ("B03", "raw and RLE blocks are not held to the block maximum where a frame of declared size is there whole"),
    ("B05", "a compressed block of 0 bytes is taken for one that makes nothing"),
    ("F09", "the declared size is not compared where the last block is empty"),
    ("L09", "codes of 12 bits are taken"),
    ("L10", "weights over the limit are taken as long as no symbol has them"),
    ("L11", "the fast loops over four streams of literals do not ask whether the streams are used up"),
    ("S06", "a table of one symbol is taken"),
    ("S10", "offsets past the window are taken as long as the buffer has the bytes"),
    ("X01", "a window over the limit is taken where a frame of declared size is there whole"),
];

/// What libzstd, as a stream, says of a stream that zvet refuses.
pub fn refused(stream: &[u8], report: &Report) -> Result<String, String> {
    let outcome = outcome(report);
    let rule = report.error.as_ref().and_then(Error::rule).ok_or("no rule")?;
    if libzstd_stream(stream, false).is_err() {
        return Ok(format!("refused by both: {outcome}"));
    }
    let Some((_, why)) = STRICTER.iter().find(|(id, _)| *id == rule) else {
        return Err(format!("unexplained, only zvet refuses it: {:?}", report.error));
    };
    let mzstd = if Decompressor::default().decompress(stream).is_ok() { "mzstd does not" } else { "mzstd does" };
    Ok(format!("refused by zvet and not by libzstd, {mzstd}: {outcome}: {why}"))
}

/// What ruzstd makes of a stream, inside of zvet, against what the others make.
pub fn ruzstd(stream: &[u8], others: &Others) -> Result<&'static str, String> {
    let report = check(stream, Level::Content);
    match (others, outcome(&report).as_str()) {
        (_, rule @ ("over-limit C01" | "unreadable C02" | "unreadable C03")) => Err(format!("ruzstd: {rule}")),
        (Others::OtherChecksum(_), "invalid F10") => Ok("passed: only the checksum is another"),
        (Others::Content(content), "valid") => {
            let mut output = Vec::new();
            let source = zvet::source::Stream::new(Cursor::new(stream.to_vec()));
            ParallelReader::with_settings(source, &settings()).unwrap().read_to_end(&mut output).unwrap();
            if output == *content { Ok("passed: the same from all") } else { Err("ruzstd: other bytes".into()) }
        }
        (_, outcome) => Err(format!("the level content says {outcome}")),
    }
}
