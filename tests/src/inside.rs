//! Walks over streams in memory with a look inside of blocks.

use zvet_core::entropy::{Depth, Dictionary, EntropyWalker, Workspace};
use zvet_core::{Error, Event, Frame};

/// What a walk came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walked {
    pub frames: Vec<Frame>,
    pub undecided: Option<Error>,
    pub result: Result<(), Error>,
    /// How far it came.
    pub offset: u64,
}

/// Walks a stream that is pushed in pieces of this size.
pub fn walk_in_pieces(stream: &[u8], piece: usize, depth: Depth, dictionaries: &[Dictionary<'_>]) -> Walked {
    walk_pieces(stream.chunks(piece.max(1)), depth, dictionaries)
}

/// Walks a stream that is pushed in these pieces.
pub fn walk_pieces<'a>(
    pieces: impl Iterator<Item = &'a [u8]>,
    depth: Depth,
    dictionaries: &[Dictionary<'_>],
) -> Walked {
    let mut workspace = Workspace::new();
    let mut buffer = vec![0; 128 << 10];
    let mut walker = EntropyWalker::new(depth, &mut workspace, &mut buffer[..], dictionaries);
    let mut found = Walked { frames: Vec::new(), undecided: None, result: Ok(()), offset: 0 };
    for piece in pieces.chain([&[][..]]) {
        let mut rest = piece;
        loop {
            let step = match walker.push(rest) {
                Ok(step) => step,
                Err(error) => {
                    // The block before the fault may have been left undecided in the same push.
                    found.undecided = found.undecided.or(walker.undecided());
                    assert_eq!(walker.push(b"more"), Err(error), "the first error stays");
                    assert_eq!(walker.finish(), Err(error), "the first error stays");
                    found.result = Err(error);
                    found.offset = walker.offset();
                    return found;
                }
            };
            rest = &rest[step.consumed..];
            if let Some(error) = walker.undecided() {
                found.undecided.get_or_insert(error);
            }
            match step.event {
                Some(Event::FrameEnd(frame)) => found.frames.push(frame),
                Some(_) => {}
                None => break assert!(rest.is_empty(), "a step without an event consumes everything"),
            }
        }
    }
    found.result = walker.finish();
    found.offset = walker.offset();
    found
}

/// Walks a stream that is pushed whole, to the end of every stream of bits.
pub fn walk(stream: &[u8]) -> Walked {
    walk_in_pieces(stream, usize::MAX, Depth::Streams, &[])
}
