//! Limits and bounds, by the ids of the limits.

use zvet::{Error as ZvetError, Level, Settings, StreamVerdict, verify};
use zvet_core::{
    Bounds, Budget, Decode, Error, ErrorKind, Event, Frame, FrameIndex, Limits, Proof, Ratio, Reason, SizeRange,
};
use zvet_tests::bytes::{
    W_1K, W_16M, W_128M, compressed, compressed_rle, frame, hello, raw, rle, sized_header, skippable, unsized_header,
};
use zvet_tests::walk::walk;

/// Spends a budget on a stream, and tells what it was spent on last.
fn spend(stream: &[u8], limits: Limits) -> Result<Budget, (usize, Error)> {
    let (events, result) = walk(stream);
    result.unwrap();
    let mut budget = Budget::new(limits);
    for (index, event) in events.iter().enumerate() {
        budget.observe(event).map_err(|error| (index, error))?;
    }
    Ok(budget)
}

fn last_frame(stream: &[u8]) -> Frame {
    let (events, result) = walk(stream);
    result.unwrap();
    match events.last() {
        Some(Event::FrameEnd(frame)) => *frame,
        other => panic!("{other:?}"),
    }
}

#[test]
fn x01_a_window_over_the_limit_is_refused_at_its_header() {
    let limits = Limits { window: 128 << 20, ..Limits::UNLIMITED };
    spend(&frame(&unsized_header(W_128M), &[raw(true, b"")]), limits).unwrap();
    let (event, error) = spend(&frame(&unsized_header(W_128M | 1), &[raw(true, b"")]), limits).unwrap_err();
    assert_eq!((event, error.rule()), (0, "X01"));
    assert_eq!(error.kind, ErrorKind::WindowOverLimit { window: 144 << 20, limit: 128 << 20 });
}

#[test]
fn x02_a_declared_size_over_the_limit_is_refused_at_its_header() {
    let limits = Limits { output: 20, ..Limits::UNLIMITED };
    assert_eq!(spend(&hello(), limits).unwrap().output(), 12);
    let (event, error) = spend(&[hello(), hello()].concat(), limits).unwrap_err();
    assert_eq!((event, error.rule(), error.at.offset), (3, "X02", 21));
}

#[test]
fn x02_output_over_the_limit_is_refused_at_the_block_that_makes_it_certain() {
    let limits = Limits { output: 1500, ..Limits::UNLIMITED };
    let blocks = [rle(false, 0, 1000), compressed(false, &[0, 0]), rle(false, 0, 500), rle(true, 0, 1)];
    let (event, error) = spend(&frame(&unsized_header(W_1K), &blocks), limits).unwrap_err();
    assert_eq!((event, error.rule(), error.at.block), (4, "X02", Some(3)));
}

#[test]
fn x03_the_ratio_counts_all_input_so_far() {
    let limits = Limits { ratio: Some(Ratio { slack: 100, factor: 10 }), ..Limits::UNLIMITED };
    let bomb = frame(&unsized_header(W_1K), &[rle(false, 0, 200), rle(true, 0, 41)]);
    let (_, error) = spend(&bomb, limits).unwrap_err();
    assert_eq!((error.rule(), error.at.block), ("X03", Some(1)));
    assert_eq!(error.kind, ErrorKind::RatioOverLimit { output: 241, limit: 240 });
    let exact = frame(&unsized_header(W_1K), &[rle(false, 0, 200), rle(true, 0, 40)]);
    spend(&exact, limits).unwrap();
    let declared = frame(&sized_header(W_1K, 400), &[rle(false, 0, 200), rle(true, 0, 200)]);
    assert_eq!(spend(&declared, limits).unwrap_err().1.rule(), "X03", "a declared size is spent at the frame's end");
}

/// What comes after would be enough input for all of it, but the ratio holds before, too.
#[test]
fn x03_counts_what_compressed_blocks_made_before_the_frame_ends() {
    let limits = Limits { ratio: Some(Ratio { slack: 5000, factor: 10 }), ..Limits::UNLIMITED };
    let settings = Settings { limits, ..Settings::default() };
    let with = |size| {
        let stream = frame(&unsized_header(W_16M), &[compressed_rle(false, 0, size), raw(true, &[0; 5000])]);
        verify(&stream[..], Level::Entropy, &settings, &mut |_| {})
    };
    let block = compressed_rle(false, 0, 5000).len() as u64;
    let allowed = 5000 + 10 * (6 + block);
    assert_eq!(with(u32::try_from(allowed).unwrap()).verdict, StreamVerdict::Valid);
    let report = with(u32::try_from(allowed).unwrap() + 1);
    assert_eq!(report.verdict, StreamVerdict::OverLimit);
    let Some(ZvetError::Format(error)) = report.error else { panic!("{report:?}") };
    assert_eq!((error.rule(), error.at.block), ("X03", Some(1)));
    assert_eq!(error.kind, ErrorKind::RatioOverLimit { output: allowed + 1, limit: allowed });
}

#[test]
fn x04_frames_of_both_kinds_are_counted() {
    let limits = Limits { frames: 2, ..Limits::UNLIMITED };
    spend(&[hello(), skippable(0, b"")].concat(), limits).unwrap();
    let (_, error) = spend(&[hello(), skippable(0, b""), skippable(0, b"")].concat(), limits).unwrap_err();
    assert_eq!((error.rule(), error.at.frame), ("X04", 2));
    assert_eq!(spend(&[hello(), skippable(0, b""), hello()].concat(), limits).unwrap_err().1.rule(), "X04");
}

#[test]
fn d01_a_dictionary_that_is_not_at_hand_is_named() {
    let stream = frame(&[0x21, 7, 0], &[raw(true, b"")]);
    let frame = last_frame(&stream);
    let error = frame.check_dictionary(&[1, 2]).unwrap_err();
    assert_eq!((error.rule(), error.kind), ("D01", ErrorKind::UnknownDictionary { id: 7 }));
    frame.check_dictionary(&[1, 7]).unwrap();
    last_frame(&hello()).check_dictionary(&[]).unwrap();
}

#[test]
fn budgets_of_no_limits_are_never_spent() {
    let blocks: Vec<_> = (0..1000).map(|n| rle(n == 999, 0, 131_072)).collect();
    let budget = spend(&frame(&unsized_header(W_16M), &blocks), Limits::UNLIMITED).unwrap();
    assert_eq!(budget.output(), 131_072_000);
}

#[test]
fn a_frame_is_parallel_by_its_blocks_where_they_bound_it() {
    let bounds = Bounds { window: 1024, output: 2048, input: 100, blocks: 3 };
    let fits = frame(&unsized_header(W_1K), &[compressed(false, &[0, 0]), compressed(true, &[0, 0])]);
    assert_eq!(bounds.classify(&last_frame(&fits)), Decode::Parallel(Proof::Bound));
    let over = frame(&unsized_header(W_1K), &[compressed(false, &[0, 0]), compressed(false, &[0, 0]), raw(true, b"x")]);
    assert_eq!(bounds.classify(&last_frame(&over)), Decode::Serial(Reason::Output));
}

#[test]
fn a_frame_is_parallel_by_its_declared_size_where_its_blocks_bound_too_much() {
    let bounds = Bounds { window: 1024, output: 2048, input: 100, blocks: 9 };
    let blocks: Vec<_> = (0..3).map(|n| compressed(n == 2, &[0, 0])).collect();
    let stream = frame(&sized_header(W_1K, 2048), &blocks);
    assert_eq!(bounds.classify(&last_frame(&stream)), Decode::Parallel(Proof::Declared));
    let stream = frame(&sized_header(W_1K, 2049), &blocks);
    assert_eq!(bounds.classify(&last_frame(&stream)), Decode::Serial(Reason::Output));
}

#[test]
fn each_bound_has_its_reason() {
    let stream = frame(&sized_header(W_1K, 12), &[raw(false, b"hello, "), raw(true, b"world")]);
    let found = last_frame(&stream);
    let exact = Bounds { window: 1024, output: 12, input: stream.len() as u64, blocks: 2 };
    assert_eq!(exact.classify(&found), Decode::Parallel(Proof::Bound));
    for (bounds, reason) in [
        (Bounds { window: 1023, ..exact }, Reason::Window),
        (Bounds { output: 11, ..exact }, Reason::Output),
        (Bounds { input: exact.input - 1, ..exact }, Reason::Input),
        (Bounds { blocks: 1, ..exact }, Reason::Blocks),
    ] {
        assert_eq!(bounds.classify(&found), Decode::Serial(reason));
        assert_eq!(bounds.ruled_out(&found), Some(reason));
    }
}

#[test]
fn the_presets_are_what_the_documentation_says() {
    let bounds = |size, blocks| Bounds { window: size, output: size, input: size, blocks };
    assert_eq!(Bounds::default(), Bounds::SNAPSHOT);
    assert_eq!(Bounds::SNAPSHOT, bounds(16_777_216, 65_536));
    assert_eq!(Bounds::CLI, Bounds::SNAPSHOT);
    assert_eq!(Bounds::WEB, bounds(8_388_608, 32_768));
    assert_eq!(Bounds::EMBEDDED, bounds(131_072, 512));
    assert_eq!(Bounds::UNLIMITED, Bounds::SNAPSHOT);
    let free = Limits { window: u64::MAX, output: u64::MAX, ratio: None, frames: u64::MAX };
    assert_eq!(Limits::UNLIMITED, free);
    assert_eq!(Limits::SNAPSHOT, Limits { window: 134_217_728, ..free });
    assert_eq!(Limits::CLI, Limits::SNAPSHOT);
    let ratio = |slack| Some(Ratio { slack, factor: 1024 });
    let web = Limits { window: 8_388_608, output: 268_435_456, ratio: ratio(16_777_216), frames: 65_536 };
    assert_eq!(Limits::WEB, web);
    let embedded = Limits { window: 131_072, output: 16_777_216, ratio: ratio(1_048_576), frames: 4096 };
    assert_eq!(Limits::EMBEDDED, embedded);
}

#[test]
fn an_index_tells_of_frames_that_it_has_no_room_for() {
    let stream = [hello(), skippable(0, b"x"), hello(), hello()].concat();
    let (events, _) = walk(&stream);
    let mut index = FrameIndex::<2>::new();
    assert!(index.is_complete());
    let failures: Vec<_> = events.iter().filter_map(|event| index.record(event).err()).collect();
    assert_eq!(index.entries().len(), 2);
    assert_eq!(index.entries()[1].offset, 21);
    assert_eq!(index.entries()[0].decoded_size, SizeRange::exactly(12));
    assert!(index.entries()[1].skippable);
    assert_eq!(failures.iter().map(|full| full.missed).collect::<Vec<_>>(), [1, 2]);
    assert!(!index.is_complete());
    assert_eq!(index.missed(), 2);
    assert_eq!(failures[1].to_string(), "the index holds 2 frames, and 2 more had no room");
}
