//! Walks over streams in memory.

use zvet_core::{Error, Event, Walker};

/// The events of a stream and how it ends, pushed in pieces that end at the cuts.
pub fn walk_cut(stream: &[u8], cuts: &[usize]) -> (Vec<Event>, Result<(), Error>) {
    let mut walker = Walker::new();
    let mut events = Vec::new();
    let ends = cuts.iter().copied().filter(|&cut| cut <= stream.len()).chain([stream.len()]);
    let mut start = 0;
    for end in ends {
        let mut rest = &stream[start.min(end)..end];
        start = end.max(start);
        loop {
            match walker.push(rest) {
                Ok(step) => {
                    rest = &rest[step.consumed..];
                    match step.event {
                        Some(event) => events.push(event),
                        None => break assert!(rest.is_empty(), "a step without an event consumes everything"),
                    }
                }
                Err(error) => {
                    assert_eq!(walker.push(b"more"), Err(error), "the first error stays");
                    assert_eq!(walker.finish(), Err(error), "the first error stays");
                    return (events, Err(error));
                }
            }
        }
    }
    assert_eq!(walker.offset(), stream.len() as u64, "all was consumed");
    (events, walker.finish())
}

/// How far the walk over a stream comes, pushed in pieces that end at the cuts.
pub fn walked_size(stream: &[u8], cuts: &[usize]) -> u64 {
    let mut walker = Walker::new();
    let mut start = 0;
    for &end in cuts.iter().chain([&stream.len()]) {
        let mut rest = &stream[start..end];
        start = end;
        while let Ok(step) = walker.push(rest) {
            rest = &rest[step.consumed..];
            if step.event.is_none() {
                break;
            }
        }
    }
    walker.offset()
}

/// The events of a stream that is pushed whole.
pub fn walk(stream: &[u8]) -> (Vec<Event>, Result<(), Error>) {
    walk_cut(stream, &[])
}

/// The events of a stream whose content is skipped wherever that can be.
pub fn walk_skipping(stream: &[u8]) -> (Vec<Event>, Result<(), Error>) {
    let mut walker = Walker::new();
    let mut events = Vec::new();
    let mut rest = stream;
    loop {
        let skippable = usize::try_from(walker.skippable()).unwrap();
        let there = skippable.min(rest.len());
        assert_eq!(walker.skipped(there as u64), there as u64);
        rest = &rest[there..];
        if there < skippable {
            return (events, walker.finish());
        }
        match walker.push(rest) {
            Ok(step) => {
                rest = &rest[step.consumed..];
                match step.event {
                    Some(event) => events.push(event),
                    None => return (events, walker.finish()),
                }
            }
            Err(error) => return (events, Err(error)),
        }
    }
}
