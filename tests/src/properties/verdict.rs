use zvet::{FrameReport, Level, Settings, StreamVerdict, inspect, verify};
use zvet_core::entropy::{Depth, EntropyWalker, Workspace};
use zvet_core::{Bounds, Decode, Event, Frame, Proof, Reason};

use super::{LIMITS, bounds};
use crate::data::Lcg;
use crate::libzstd::Decoder;

/// A frame that is called parallel is within every bound, by its own numbers and by what libzstd makes of it; one that is
/// ruled out stays so; and reports say the same at every level.
pub fn parallel_frames_are_within_their_bounds(stream: &[u8], choices: &mut Lcg) {
    let bounds = bounds(choices);
    ruled_out_is_for_good(stream, &bounds);
    let settings = Settings { bounds, limits: LIMITS, workers: 2.try_into().unwrap(), ..Settings::default() };
    for level in [None, Some(Level::Envelope), Some(Level::Entropy), Some(Level::Content)] {
        let mut parallel = Vec::new();
        let mut tell = |report: &FrameReport| {
            if let FrameReport::Zstandard(report) = report
                && let Decode::Parallel(proof) = report.decode
                && report.complete
            {
                parallel.push((report.frame, proof));
            }
        };
        let report = match level {
            None => inspect(stream, true, &settings, &mut tell),
            Some(level) => verify(stream, level, &settings, &mut tell),
        };
        for (frame, proof) in parallel {
            within(&frame, proof, &bounds);
            if report.verdict == StreamVerdict::Valid && level == Some(Level::Entropy) {
                let start = usize::try_from(frame.offset).unwrap();
                let bytes = &stream[start..][..usize::try_from(frame.compressed_size).unwrap()];
                if let Ok(content) = Decoder::new(false, None).stream(bytes) {
                    assert!(content.len() as u64 <= bounds.output, "{} of output, {bounds:?}", content.len());
                }
            }
        }
    }
}

fn within(frame: &Frame, proof: Proof, bounds: &Bounds) {
    assert!(frame.header.window_size() <= bounds.window, "{frame:?} {bounds:?}");
    assert!(frame.compressed_size <= bounds.input, "{frame:?} {bounds:?}");
    assert!(frame.blocks.total() <= bounds.blocks, "{frame:?} {bounds:?}");
    let output = match proof {
        Proof::Bound => Some(frame.content.high),
        Proof::Declared => frame.header.content_size(),
        _ => frame.exact_size,
    };
    assert!(output.is_some_and(|output| output <= bounds.output), "{proof}: {frame:?} {bounds:?}");
}

/// More blocks never make a frame fit again.
fn ruled_out_is_for_good(stream: &[u8], bounds: &Bounds) {
    let mut workspace = Workspace::new();
    let mut walker = EntropyWalker::new(Depth::Sizes, &mut workspace, [], ());
    let (mut rest, mut ruled_out): (_, Option<Reason>) = (stream, None);
    while let Ok(step) = walker.push(rest) {
        rest = &rest[step.consumed..];
        let frame = match &step.event {
            None => break,
            Some(Event::FrameEnd(frame)) => Some(frame),
            Some(_) => walker.frame(),
        };
        let now = frame.and_then(|frame| bounds.ruled_out(frame));
        assert!(ruled_out.is_none() || now.is_some(), "{ruled_out:?} {now:?}");
        if let (Some(Event::FrameEnd(frame)), Some(reason)) = (&step.event, now) {
            assert_eq!(bounds.classify(frame), Decode::Serial(reason));
        }
        ruled_out = now.filter(|_| matches!(step.event, Some(Event::FrameStart(_) | Event::Block(_))));
    }
}
