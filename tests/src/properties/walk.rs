use zvet_core::Event;
use zvet_core::entropy::Depth;

use crate::cut::pieces;
use crate::data::Lcg;
use crate::inside;
use crate::walk::{walk, walk_cut, walk_skipping};

/// Events, errors and their places do not depend on how the input is cut or on what is skipped, with a look inside of blocks
/// and without; frames tile what was walked.
pub fn walks_alike_however_it_is_cut(stream: &[u8], choices: &mut Lcg) {
    let whole = walk(stream);
    let mut cuts: Vec<usize> = (0..choices.below(12)).map(|_| choices.below(stream.len() + 1)).collect();
    cuts.sort_unstable();
    assert_eq!(walk_cut(stream, &cuts), whole, "cuts at {cuts:?}");
    assert_eq!(walk_skipping(stream), whole);
    let (events, result) = whole;

    let ends = events.iter().filter_map(|event| match event {
        Event::FrameEnd(frame) => Some((frame.offset, frame.compressed_size)),
        Event::SkippableEnd(frame) => Some((frame.offset, frame.compressed_size())),
        _ => None,
    });
    let end = ends.fold(0, |end, (offset, size)| {
        assert_eq!(offset, end, "frames follow each other without gaps");
        offset + size
    });
    assert!(end <= stream.len() as u64 && (result.is_err() || end == stream.len() as u64));

    let mut looked = [Depth::Sizes, Depth::Streams].map(|depth| {
        let whole = inside::walk_in_pieces(stream, usize::MAX, depth, &[]);
        let cut = pieces(stream, choices);
        assert_eq!(inside::walk_pieces(cut.iter().copied(), depth, &[]), whole, "{depth:?}, {:?}", sizes(&cut));
        whole
    });
    let [sizes, streams] = &mut looked;
    // The streams of literals only add faults, and a fault inside of blocks only comes before one of the envelope.
    if streams.result.is_ok() {
        assert_eq!(sizes, streams);
    }
    if let Err(envelope) = result {
        assert!(streams.result.is_err_and(|inside| inside.at.offset <= envelope.at.offset));
    }
}

fn sizes(pieces: &[&[u8]]) -> Vec<usize> {
    pieces.iter().map(|piece| piece.len()).collect()
}
