//! A stream as it was made: valid at every level, of the sizes and bytes that are known.

use std::io::Cursor;
use std::num::NonZeroUsize;

use zvet::{
    Bounds, Decode, FrameReport, Level, Piece, Report, Settings, Splitter, StreamVerdict, ZstandardReport, inspect,
    verify,
};

use super::layout::Layout;
use super::make::{Case, DictionaryFile, Kind};
use crate::compare::{Counts, count, outcome, rule};
use crate::cut::Cut;
use crate::data::Lcg;
use crate::decode::decode_from;
use crate::libzstd::Decoder;
use crate::zstd;

/// Holds all of zvet's ways through a stream to what it was made of.
pub(super) fn all(case: &Case, lcg: &mut Lcg, counts: &mut Counts) -> Result<(), String> {
    let content = case.content();
    let settings = Settings {
        bounds: bounds(lcg),
        workers: NonZeroUsize::new(1 + lcg.below(3)).unwrap(),
        dictionaries: case.dictionary.iter().map(|file| file.dictionary.clone()).collect(),
        ..Settings::default()
    };
    let dictionary = case.dictionary.as_ref();
    match Decoder::new(true, dictionary.map(DictionaryFile::bytes)).stream(&case.stream) {
        Ok(decoded) if decoded == content => {}
        Ok(_) => return Err("libzstd decodes other bytes: the case is not what it should be".into()),
        Err(error) => return Err(format!("libzstd does not decode it: {error:?}")),
    }
    if lcg.below(8) == 0 && !zstd::accepts(&case.stream, dictionary.map(|file| file.path.as_path())) {
        return Err("the zstd command does not decode it".into());
    }
    let mut frames = Vec::new();
    for (what, report, exact) in walks(&case.stream, &settings, &mut frames) {
        let size = report.totals.decoded_size;
        let expected = case.content_size();
        if report.verdict != StreamVerdict::Valid || report.size != case.stream.len() as u64 {
            return Err(format!("{what}: {report:?}"));
        }
        if !size.contains(expected) || exact && size.exact() != Some(expected) {
            return Err(format!("{what}: it says that {size:?} bytes are decoded of {expected}"));
        }
    }
    if let Some(missing) = case.dictionary.as_ref().and_then(|_| without_dictionary(case, counts)) {
        return Err(missing);
    }
    layout(case, &frames, &settings.bounds, counts)?;
    decisions(case, &frames, &settings, counts)?;
    decoded(case, &content, &settings, lcg)
}

/// Bounds that some frames are within, and some are over.
fn bounds(lcg: &mut Lcg) -> Bounds {
    if lcg.below(2) == 0 {
        return Bounds::default();
    }
    Bounds {
        window: 1 << (10 + lcg.below(18)),
        output: lcg.skewed(8 << 20) as u64,
        input: (1 << 18) + lcg.skewed(4 << 20) as u64,
        blocks: 1 + lcg.skewed(1000) as u64,
    }
}

/// The reports of all walks, and whether each is to know the exact size; the frames of the one for exact sizes.
fn walks(stream: &[u8], settings: &Settings, frames: &mut Vec<FrameReport>) -> [(&'static str, Report, bool); 5] {
    let verify = |level| verify(stream, level, settings, &mut |_| {});
    [
        ("inspect", inspect(stream, false, settings, &mut |_| {}), false),
        ("inspect --exact", inspect(stream, true, settings, &mut |frame| frames.push(*frame)), true),
        ("envelope", verify(Level::Envelope), false),
        ("entropy", verify(Level::Entropy), true),
        ("content", verify(Level::Content), true),
    ]
}

/// Without the dictionary, a stream is valid only where it needs none.
fn without_dictionary(case: &Case, counts: &mut Counts) -> Option<String> {
    let report = verify(&case.stream[..], Level::Content, &Settings::default(), &mut |_| {});
    match (report.verdict, Decoder::new(true, None).stream(&case.stream)) {
        (StreamVerdict::NeedsDictionary, Err(_)) => {
            count(counts, "without its dictionary: needs it");
            None
        }
        (StreamVerdict::Valid, Ok(content)) if report.totals.decoded_size.exact() == Some(content.len() as u64) => {
            count(counts, "without its dictionary: valid, and so for libzstd");
            None
        }
        // A frame that does not say that it has one begins with other repeat offsets, and so decodes to other bytes. All
        // other rules are held without a dictionary, too.
        (StreamVerdict::Invalid, Err(_)) if ["F10", "S09", "S10"].contains(&rule(&report)?) => {
            count(counts, format!("without its dictionary: {}", outcome(&report)));
            None
        }
        (_, libzstd) => {
            let libzstd = libzstd.map(|content| content.len());
            Some(format!("without its dictionary: {}, {:?}: {libzstd:?}", outcome(&report), report.error))
        }
    }
}

fn zstandard(report: &FrameReport) -> Option<&ZstandardReport> {
    match report {
        FrameReport::Zstandard(report) => Some(report),
        FrameReport::Skippable { .. } => None,
    }
}

/// Every part has the frames, the place and the exact size that it was made with.
fn layout(case: &Case, frames: &[FrameReport], bounds: &Bounds, counts: &mut Counts) -> Result<(), String> {
    let mut start = 0u64;
    for (index, part) in case.parts.iter().enumerate() {
        let end = start + part.compressed_size as u64;
        let offset = |report: &&FrameReport| match report {
            FrameReport::Zstandard(report) => report.frame.offset,
            FrameReport::Skippable { frame, .. } => frame.offset,
        };
        let inside: Vec<_> = frames.iter().filter(|report| (start..end).contains(&offset(report))).collect();
        let sizes: Vec<_> = inside.iter().filter_map(|report| zstandard(report)).collect();
        let exact: Option<u64> = sizes.iter().map(|report| report.decoded_size.exact()).sum();
        if exact != Some(part.content().len() as u64) {
            return Err(format!("part {index}: {exact:?} bytes, not {}", part.content().len()));
        }
        let expected = match part.kind {
            Kind::Skippable => inside.len() == 1 && sizes.is_empty(),
            Kind::Frame(_) => inside.len() == 1 && sizes.len() == 1 && sizes[0].compressed_size == end - start,
            Kind::Frames(_) => !sizes.is_empty() && sizes.len() * 2 == inside.len(),
        };
        if !expected {
            return Err(format!("part {index} has other frames: {inside:?}"));
        }
        for report in sizes {
            let over = over(case, report, bounds);
            match report.decode {
                Decode::Parallel(_) if over.is_empty() => {}
                Decode::Serial(reason) if over.contains(&reason.to_string().as_str()) => {}
                decode => return Err(format!("{decode:?} of a frame that is over {over:?}: {report:?}")),
            }
        }
        count(counts, format!("parts: {}", name(&part.kind)));
        start = end;
    }
    Ok(())
}

fn name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Skippable => "skippable frames",
        Kind::Frame(_) => "frames of zstd",
        Kind::Frames(_) => "streams of pzstd",
    }
}

/// The bounds that a frame of known size is over.
fn over(case: &Case, report: &ZstandardReport, bounds: &Bounds) -> Vec<&'static str> {
    let size = report.decoded_size.exact().unwrap();
    let start = usize::try_from(report.frame.offset).unwrap();
    let frame = &case.stream[start..start + usize::try_from(report.compressed_size).unwrap()];
    Layout::of(frame, size).over(bounds, report.compressed_size, size)
}

/// The splitter gives a frame whole exactly where it is within all bounds, by its true size.
fn decisions(case: &Case, frames: &[FrameReport], settings: &Settings, counts: &mut Counts) -> Result<(), String> {
    let mut splitter = Splitter::new(&case.stream[..], settings);
    let mut expected = frames.iter().filter_map(zstandard);
    while let Some(piece) = splitter.next_piece().map_err(|error| format!("splitter: {error}"))? {
        let decided = match piece {
            Piece::Whole(whole) => Decode::Parallel(whole.proof),
            Piece::Serial(frame) => Decode::Serial(frame.reason().expect("it does not fit")),
            Piece::Skippable(_) => continue,
            Piece::SteppedOver(_, error) => return Err(format!("splitter: {error}")),
        };
        let report = expected.next().ok_or("splitter: more frames than there are")?;
        let over = over(case, report, &settings.bounds);
        let class = match decided {
            Decode::Parallel(proof) if over.is_empty() => format!("frames: parallel ({proof})"),
            Decode::Serial(reason) if over.contains(&reason.to_string().as_str()) => {
                format!("frames: serial ({reason})")
            }
            _ => return Err(format!("splitter: {decided:?} of a frame that is over {over:?}: {report:?}")),
        };
        count(counts, class);
    }
    if expected.next().is_some() { Err("splitter: fewer frames than there are".into()) } else { Ok(()) }
}

/// The reader over threads gives the bytes that were compressed.
fn decoded(case: &Case, content: &[u8], settings: &Settings, lcg: &mut Lcg) -> Result<(), String> {
    let (output, report) = decode_from(Cut::new(Cursor::new(case.stream.clone()), lcg), settings);
    let report = report.map_err(|error| format!("reader: {error}"))?;
    if output != content {
        return Err("reader: other bytes".into());
    }
    if report.verdict == StreamVerdict::Valid { Ok(()) } else { Err(format!("reader: {report:?}")) }
}
