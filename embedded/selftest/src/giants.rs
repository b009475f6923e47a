//! Streams of more than 4 GiB, of which only headers are there: what comes after 2^32 bytes has its true offset.

use zvet_core::entropy::{Depth, EntropyWalker, Workspace};
use zvet_core::{Error, ErrorKind, Event, Frame, Walker};

/// 2^32.
const FOUR_GIB: u64 = 1 << 32;
/// A frame header with a window of 128 KiB and no content size.
const HEADER: [u8; 6] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 7 << 3];
const BLOCK_SIZE: u32 = 128 << 10;
/// So many blocks make or take 4 GiB.
const BLOCKS: u64 = FOUR_GIB / BLOCK_SIZE as u64;

const RAW: u8 = 0;
const RLE: u8 = 1;
const RESERVED: u8 = 3;

fn block_header(kind: u8, size: u32, last: bool) -> [u8; 3] {
    let [b0, b1, b2, _] = (size << 3 | u32::from(kind) << 1 | u32::from(last)).to_le_bytes();
    [b0, b1, b2]
}

/// Pushes bytes that are there, and skips what can be skipped after them.
fn pass(walker: &mut Walker, mut bytes: &[u8]) -> Result<Option<Event>, Error> {
    let mut event = None;
    loop {
        let step = walker.push(bytes)?;
        bytes = &bytes[step.consumed..];
        event = step.event.or(event);
        if bytes.is_empty() && (step.event.is_none() || walker.skippable() > 0) {
            // More than there is to skip is not skipped.
            let skippable = walker.skippable();
            assert_eq!(walker.skipped(u64::MAX), skippable);
            return Ok(event);
        }
    }
}

fn frame_start(event: Option<Event>) -> Frame {
    match event {
        Some(Event::FrameStart(frame)) => frame,
        event => panic!("no frame: {event:?}"),
    }
}

pub(crate) fn skippable_frames() {
    let mut walker = Walker::new();
    let mut offset = 0;
    for index in 0..3 {
        let mut header = [0x50, 0x2A, 0x4D, 0x18, 0xFF, 0xFF, 0xFF, 0xFF];
        header[0] |= index;
        let Some(Event::SkippableStart(frame)) = pass(&mut walker, &header).unwrap() else {
            panic!("a skippable frame")
        };
        assert_eq!((frame.index, frame.offset, frame.variant), (u64::from(index), offset, index));
        assert_eq!(frame.compressed_size(), FOUR_GIB + 7);
        offset += frame.compressed_size();
        assert_eq!(walker.offset(), offset);
    }
    let frame = frame_start(pass(&mut walker, &HEADER).unwrap());
    assert_eq!((frame.index, frame.offset), (3, 3 * (FOUR_GIB + 7)));

    // A fault has its true place, too.
    let error = pass(&mut walker, &block_header(RESERVED, 0, true)).unwrap_err();
    assert_eq!((error.rule(), error.at.offset), ("B02", 3 * (FOUR_GIB + 7) + HEADER.len() as u64));
    assert_eq!((error.at.frame, error.at.block), (3, Some(0)));
}

pub(crate) fn raw_blocks() {
    let mut walker = Walker::new();
    pass(&mut walker, &HEADER).unwrap();
    let stored = 3 + u64::from(BLOCK_SIZE);
    for index in 0..=BLOCKS {
        let event = pass(&mut walker, &block_header(RAW, BLOCK_SIZE, false)).unwrap();
        let Some(Event::Block(block)) = event else { panic!("no block: {event:?}") };
        assert_eq!((block.index, block.offset), (index, HEADER.len() as u64 + index * stored));
    }
    // The end, after which there is nothing, is cut short by a byte first.
    let size = HEADER.len() as u64 + (BLOCKS + 1) * stored;
    let last = block_header(RAW, 0, true);
    pass(&mut walker, &last[..2]).unwrap();
    let error = walker.finish().unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Truncated { missing: 1, .. }), "{error}");
    assert_eq!(error.at.offset, size + 2);

    let event = pass(&mut walker, &last[2..]).unwrap();
    let Some(Event::FrameEnd(frame)) = event else { panic!("no end: {event:?}") };
    assert_eq!(frame.compressed_size, size + 3);
    assert_eq!(frame.content.exact(), Some(FOUR_GIB + u64::from(BLOCK_SIZE)));
    walker.finish().unwrap();
}

pub(crate) fn rle_blocks() {
    let mut walker = Walker::new();
    pass(&mut walker, &HEADER).unwrap();
    for _ in 0..=BLOCKS {
        pass(&mut walker, &block_header(RLE, BLOCK_SIZE, false)).unwrap();
    }
    let event = pass(&mut walker, &block_header(RAW, 0, true)).unwrap();
    let Some(Event::FrameEnd(frame)) = event else { panic!("no end: {event:?}") };
    assert_eq!(frame.content.exact(), Some(FOUR_GIB + u64::from(BLOCK_SIZE)));
    assert_eq!(frame.compressed_size, HEADER.len() as u64 + (BLOCKS + 1) * 4 + 3);
    walker.finish().unwrap();
}

/// A block of one literal and one match: of three bytes, `distance` more than 128 KiB - 3 back.
fn one_match(distance: u32) -> [u8; 13] {
    let [b0, b1, b2] = block_header(2, 10, false);
    // 17 bits below the end mark.
    let [s0, s1, s2, _] = (1 << 17 | distance).to_le_bytes();
    // A raw literal; one sequence, of three tables of one code each: literals length 1, 17 bits of offset, match length 3.
    [b0, b1, b2, 1 << 3, b'a', 1, 0b0101_0100, 1, 17, 0, s0, s1, s2]
}

pub(crate) fn a_fault_inside_of_a_block(workspace: &mut Workspace) {
    let mut walker = EntropyWalker::new(Depth::Streams, workspace, [], ());
    let mut push = |mut bytes: &[u8]| -> Result<Option<u64>, Error> {
        loop {
            let step = walker.push(bytes)?;
            bytes = &bytes[step.consumed..];
            if bytes.is_empty() && (step.event.is_none() || walker.skippable() > 0) {
                let skippable = walker.skippable();
                assert_eq!(walker.skipped(u64::MAX), skippable);
                return Ok(walker.made());
            }
        }
    };
    push(&HEADER).unwrap();
    for _ in 0..BLOCKS {
        push(&block_header(RAW, BLOCK_SIZE, false)).unwrap();
    }
    // As far back as the window goes.
    assert_eq!(push(&one_match(2)).unwrap(), Some(FOUR_GIB + 4));
    assert_eq!(push(&one_match(3)).unwrap(), Some(FOUR_GIB + 8));
    let error = push(&one_match(4)).unwrap_err();
    let (offset, reach) = (u64::from(BLOCK_SIZE) + 1, u64::from(BLOCK_SIZE));
    assert_eq!(error.kind, ErrorKind::OffsetTooFar { offset, reach });
    let block = HEADER.len() as u64 + BLOCKS * (3 + u64::from(BLOCK_SIZE)) + 2 * 13;
    assert_eq!((error.at.offset, error.at.block), (block + 3 + 7, Some(BLOCKS + 2)));
}
