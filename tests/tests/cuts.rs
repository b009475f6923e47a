//! How input is cut, and where it ends, never changes what is found.

use proptest::prelude::*;
use zvet_core::{ErrorKind, Event};
use zvet_tests::bytes::{compressed, frame, hello, raw, rle, sized_header, skippable, unsized_header};
use zvet_tests::corpus;
use zvet_tests::walk::{walk, walk_cut, walk_skipping, walked_size};

fn streams() -> Vec<Vec<u8>> {
    let mut streams: Vec<Vec<u8>> =
        corpus::cases().iter().map(corpus::Case::bytes).filter(|bytes| bytes.len() < 8 << 10).collect();
    streams.push([hello(), skippable(9, b"nine bytes"), hello()].concat());
    let blocks = [raw(false, b"abc"), rle(false, 0, 9), compressed(false, &[0, 0]), raw(true, b"")];
    streams.push(frame(&unsized_header(0), &blocks));
    streams.push([frame(&sized_header(0, 30), &blocks), vec![0; 5]].concat());
    streams
}

#[test]
fn a_byte_at_a_time_finds_the_same_as_all_at_once() {
    for stream in streams() {
        let every: Vec<usize> = (0..=stream.len()).collect();
        assert_eq!(walk_cut(&stream, &every), walk(&stream));
    }
}

#[test]
fn skipping_content_finds_the_same_as_pushing_it() {
    for stream in streams() {
        assert_eq!(walk_skipping(&stream), walk(&stream));
    }
}

#[test]
fn a_stream_that_ends_at_any_byte_is_truncated_unless_a_frame_ends_there() {
    for stream in streams() {
        let (events, result) = walk(&stream);
        if result.is_err() {
            continue;
        }
        let mut ends: Vec<u64> = events
            .iter()
            .filter_map(|event| match event {
                Event::FrameEnd(frame) => Some(frame.offset + frame.compressed_size),
                Event::SkippableEnd(frame) => Some(frame.offset + frame.compressed_size()),
                _ => None,
            })
            .collect();
        ends.dedup();
        for size in 1..stream.len() {
            let (_, result) = walk(&stream[..size]);
            if ends.contains(&(size as u64)) {
                assert_eq!(result, Ok(()));
            } else {
                let error = result.unwrap_err();
                assert!(matches!(error.kind, ErrorKind::Truncated { missing: 1.., .. }), "{error}");
                assert_eq!(error.at.offset, size as u64);
            }
        }
    }
}

/// A stream of ours with some bytes changed, and cuts through it.
fn mutated() -> impl Strategy<Value = (Vec<u8>, Vec<usize>)> {
    let streams = streams();
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    let cuts = prop::collection::vec(any::<prop::sample::Index>(), 0..12);
    (0..streams.len(), changes, cuts, any::<prop::sample::Index>()).prop_map(move |(which, changes, cuts, end)| {
        let mut stream = streams[which].clone();
        if stream.is_empty() {
            return (stream, Vec::new());
        }
        for (at, byte) in changes {
            let at = at.index(stream.len());
            stream[at] = byte;
        }
        if end.index(4) == 0 {
            stream.truncate(end.index(stream.len()));
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        (stream, cuts)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cuts_anywhere_in_damaged_streams_change_nothing((stream, cuts) in mutated()) {
        let whole = walk(&stream);
        prop_assert_eq!(&walk_cut(&stream, &cuts), &whole);
        prop_assert_eq!(&walk_skipping(&stream), &whole);
        prop_assert_eq!(walked_size(&stream, &cuts), walked_size(&stream, &[]));
    }

    #[test]
    fn any_bytes_are_walked_without_a_panic(stream in prop::collection::vec(any::<u8>(), 0..200), cut in 0usize..200) {
        let framed = [zvet_tests::bytes::MAGIC.to_vec(), stream.clone()].concat();
        for stream in [stream, framed] {
            prop_assert_eq!(walk_cut(&stream, &[cut]), walk(&stream));
        }
    }

    #[test]
    fn frames_tile_what_was_walked((stream, _) in mutated()) {
        let (events, result) = walk(&stream);
        let mut end = 0;
        for event in &events {
            let (offset, size) = match event {
                Event::FrameEnd(frame) => (frame.offset, frame.compressed_size),
                Event::SkippableEnd(frame) => (frame.offset, frame.compressed_size()),
                _ => continue,
            };
            prop_assert_eq!(offset, end);
            end += size;
        }
        if result.is_ok() {
            prop_assert_eq!(end, stream.len() as u64);
        }
    }
}
