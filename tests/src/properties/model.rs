use std::io::Cursor;
use std::num::NonZeroUsize;

use zvet::source::Stream;
use zvet::{Dictionary, Error, Level, Limits, ParallelReader, Ratio, Settings, verify};
use zvet_core::Location;
use zvet_core::entropy::Depth;

use super::{bounds, decode};
use crate::compare::{Others, check, engines, others, outcome, refused};
use crate::cut::{Cut, pieces};
use crate::data::Lcg;
use crate::model::{Built, Expected};
use crate::{compare, hex, inside};

/// A valid stream is valid at every level, has the size and bytes that the model says, and so say the other decoders.
pub fn valid_streams_are_valid(built: &Built, choices: &mut Lcg) {
    let Built { bytes, content, frames } = built;
    let what = || hex(&bytes[..bytes.len().min(2000)]);
    for level in [Level::Envelope, Level::Entropy, Level::Content] {
        let report = check(bytes, level, &compare::settings());
        assert_eq!(outcome(&report), "valid", "{level}: {:?}: {}", report.error, what());
        assert!(report.totals.decoded_size.contains(content.len() as u64), "{}", what());
        if level == Level::Entropy {
            assert_eq!(report.totals.decoded_size.exact(), Some(content.len() as u64), "{}", what());
            let others = others(bytes, &report, None).unwrap_or_else(|why| panic!("{why}: {}", what()));
            assert!(others == Others::Content(content.clone()), "libzstd and mzstd: other bytes: {}", what());
            engines(bytes, &others).unwrap_or_else(|why| panic!("{why}: {}", what()));
        }
    }
    let cut = pieces(bytes, choices);
    let walked = inside::walk_pieces(cut.into_iter(), Depth::Streams, &[]);
    let places = walked.frames.iter().map(|frame| (frame.offset, frame.compressed_size, frame.exact_size));
    let expected = frames.iter().filter_map(|frame| {
        let size = frame.content_size?;
        Some((frame.offset as u64, (frame.end - frame.offset) as u64, Some(size as u64)))
    });
    assert!(places.eq(expected), "{:?} {frames:?}: {}", walked.frames, what());
    limits_are_held_to_the_last_of_what_there_is(built);
    decode::decodes_alike_for_any_workers_and_bounds(bytes, choices);
}

/// Limits of just what a stream has let it pass, and each that is smaller by one is told by its own rule.
fn limits_are_held_to_the_last_of_what_there_is(built: &Built) {
    let Built { bytes, content, frames } = built;
    let (output, count) = (content.len() as u64, frames.len() as u64);
    let ratio = |slack| Some(Ratio { slack, factor: 0 });
    let just = Limits { output, ratio: ratio(output), frames: count, ..Limits::SNAPSHOT };
    let rules = |limits: Limits, level| {
        let report = check(bytes, level, &Settings { limits, ..compare::settings() });
        compare::rule(&report).map(|rule| (rule, report.error.as_ref().and_then(Error::location).unwrap()))
    };
    for level in [Level::Envelope, Level::Entropy, Level::Content] {
        assert_eq!(rules(just, level), None, "{level}: {}", hex(bytes));
        let last = &frames[frames.len() - 1];
        let at = Location { offset: last.offset as u64, frame: count - 1, block: None };
        assert_eq!(rules(Limits { frames: count - 1, ..just }, level), Some(("X04", at)), "{level}: {}", hex(bytes));
        let Some(less) = output.checked_sub(1) else { continue };
        for (rule, limits) in [("X02", Limits { output: less, ..just }), ("X03", Limits { ratio: ratio(less), ..just })]
        {
            let found = rules(limits, level).map(|(rule, _)| rule);
            // The headers of blocks may leave open what there is.
            let open = level == Level::Envelope && found.is_none();
            assert!(open || found == Some(rule), "{level}: {found:?}, not {rule}: {}", hex(bytes));
        }
    }
}

/// A single fault is found by its rule and at its place: from the first level on that sees it, however the stream is cut, by
/// any number of workers, and with a dictionary that has nothing of what is missing.
pub fn single_faults_are_named(built: &Built, expected: &Expected, choices: &mut Lcg) {
    let bytes = &built.bytes;
    let raw = Dictionary::raw(b"a dictionary of raw content");
    for (dictionaries, rule) in [(Vec::new(), expected.rule), (vec![raw], expected.with_dictionary)] {
        let settings = Settings { dictionaries, workers: 2.try_into().unwrap(), ..Settings::default() };
        for level in [Level::Envelope, Level::Entropy, Level::Content] {
            let error = verify(&bytes[..], level, &settings, &mut |_| {}).error;
            named(error.as_ref(), (level >= expected.level).then_some((rule, expected.at)), built);
            let source = Stream::new(Cut::new(&bytes[..], choices));
            let cut = verify(source, level, &settings, &mut |_| {}).error;
            assert_eq!(cut.map(|error| error.to_string()), error.map(|error| error.to_string()), "{level}");
        }
        let settings = Settings { bounds: bounds(choices), workers: NonZeroUsize::MIN, ..settings };
        let source = Stream::new(Cut::new(Cursor::new(bytes.clone()), choices));
        let error = ParallelReader::with_settings(source, &settings).unwrap().finish().unwrap_err();
        named(Some(&error), Some((rule, expected.at)), built);
    }
    // What libzstd makes of it, too.
    if expected.level < Level::Content && !bytes.is_empty() {
        refused(bytes, &check(bytes, Level::Entropy, &compare::settings()), None)
            .unwrap_or_else(|why| panic!("{why}: {}", hex(bytes)));
    }
}

fn named(error: Option<&Error>, expected: Option<(&str, Location)>, built: &Built) {
    let found = error.map(|error| (error.rule().unwrap(), error.location().unwrap()));
    assert_eq!(found, expected, "{error:?} in {} bytes: {}", built.bytes.len(), hex(&built.bytes));
}
