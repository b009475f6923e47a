//! Verification of any source at a level, frame by frame and in sum.

use std::io::{self, BufRead};
use std::panic::resume_unwind;
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};

use zvet_core::entropy::Depth;
use zvet_report::Audit;

use crate::decode::{ParallelReader, thread_error};
use crate::error::Error;
use crate::events::Events;
use crate::pipeline::{Filled, Pipeline};
use crate::report::{FrameReport, Level, Report, Tally};
use crate::settings::Settings;
use crate::source::Source;

/// Verifies a stream, and tells `observe` of each frame as its end, or the error that cuts it short, is known.
///
/// It goes on to the end of the stream or to the first fault. Frames whose window is over the limit, or whose dictionary is
/// not at hand, are walked over and outweighed by a fault that comes after; past any other limit it stops. Nothing that
/// grows with the stream is kept.
///
/// ```
/// use zvet::{Level, Settings, StreamVerdict, verify};
///
/// let stream = &b"\x28\xb5\x2f\xfd\x20\x0c\x61\x00\x00hello, world"[..];
/// let report = verify(stream, Level::Content, &Settings::default(), &mut |frame| println!("{frame:?}"));
/// assert_eq!(report.verdict, StreamVerdict::Valid);
/// assert_eq!(report.totals.decoded_size.exact(), Some(12));
/// ```
pub fn verify(
    source: impl Source + Send,
    level: Level,
    settings: &Settings,
    observe: &mut dyn FnMut(&FrameReport),
) -> Report {
    match level {
        Level::Envelope => walk(Events::new(source), level, settings, observe),
        Level::Entropy => walk(looking_inside(source, Depth::Streams, settings), level, settings, observe),
        // The deepest there is.
        _ => content(source, settings, observe),
    }
}

/// As [`verify`] at the level of the envelope, and where `exact` is set with the exact size of every frame: the tables and
/// sequences of its blocks are walked through. That is no check of all that is in them.
pub fn inspect(
    source: impl Source + Send,
    exact: bool,
    settings: &Settings,
    observe: &mut dyn FnMut(&FrameReport),
) -> Report {
    let events = if exact { looking_inside(source, Depth::Sizes, settings) } else { Events::new(source) };
    walk(events, Level::Envelope, settings, observe)
}

fn looking_inside<S: Source>(source: S, depth: Depth, settings: &Settings) -> Events<S> {
    Events::looking_inside(source, depth, settings.dictionaries_at_hand())
}

/// As [`verify`], and once a fault is found it does not wait for a source that is in a read: that thread ends by itself
/// when the read does. For pipes that may be idle while a fault is to be told at once.
///
/// # Panics
/// Passes on a panic of a thread of its own, which is a bug in zvet.
pub fn verify_detached(
    source: impl Source + Send + 'static,
    level: Level,
    settings: &Settings,
    observe: &mut dyn FnMut(&FrameReport),
) -> Report {
    if level != Level::Content {
        return verify(source, level, settings, observe);
    }
    let mut reader = match ParallelReader::start(source, &untrusting(settings), true, None) {
        Ok(reader) => reader,
        Err(error) => return Report::unreadable(level, Error::unopened(error)),
    };
    while let Ok(size @ 1..) = reader.fill_observing(observe) {
        reader.consume(size);
    }
    reader.abandon().expect(ENDED)
}

/// The same settings for who verifies: the level `Content` includes the level `Entropy`, whoever decodes.
fn untrusting(settings: &Settings) -> Settings {
    Settings { trust_engine: false, ..settings.clone() }
}

const ENDED: &str = "what ends without an error ends with the stream";

/// Walks a stream to its end without decoding it.
fn walk<S: Source>(
    events: Events<S>,
    level: Level,
    settings: &Settings,
    observe: &mut dyn FnMut(&FrameReport),
) -> Report {
    let mut events = events.allow_empty(settings.allow_empty);
    let mut audit = Audit::new(level, settings.bounds, settings.limits, settings.dictionary_ids());
    let result = loop {
        let event = match events.next_event() {
            Ok(Some(event)) => event,
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        if let Err(error) = audit.event(&event, events.insight(), observe) {
            break Err(error.into());
        }
    };
    if let Err(error) = result {
        let unfinished = events.unfinished(|frame| audit.classify(frame));
        audit.fail(error, unfinished.as_ref(), observe);
    }
    audit.report(events.offset())
}

fn content(source: impl Source + Send, settings: &Settings, observe: &mut dyn FnMut(&FrameReport)) -> Report {
    let Pipeline { splitting, working, mut consumer } =
        Pipeline::new(source, &untrusting(settings), Tally::new(Level::Content), true, None);
    scope(|scope| {
        let mut threads = Vec::new();
        let started = working
            .into_iter()
            .try_for_each(|worker| start(scope, &mut threads, "zvet-worker", move || worker.run()))
            .and_then(|()| start(scope, &mut threads, "zvet-splitter", move || splitting.run()));
        if let Err(error) = started {
            consumer.fail(Error::unopened(thread_error(&error)));
        }
        // An error is in the report, too.
        while let Ok(Filled::Output) = consumer.fill(observe) {
            let n = consumer.output().len();
            consumer.consume(n);
        }
        consumer.stop();
        let report = consumer.report();
        for thread in threads {
            if let Err(panic) = thread.join() {
                resume_unwind(panic);
            }
        }
        report.expect(ENDED)
    })
}

fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    threads: &mut Vec<ScopedJoinHandle<'scope, ()>>,
    name: &str,
    run: impl FnOnce() + Send + 'scope,
) -> io::Result<()> {
    threads.push(Builder::new().name(name.to_owned()).spawn_scoped(scope, run)?);
    Ok(())
}
