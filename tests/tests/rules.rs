//! Every rule of the envelope, by its id. `SPEC-NOTES.md` has the sections of the format that they come from.

use zvet_core::consts::{WINDOW_SIZE_MAX, WINDOW_SIZE_MIN};
use zvet_core::{
    Block, BlockHeader, BlockKind, Descriptor, Error, ErrorKind, Event, Foreign, Frame, FrameHeader, Location, Part,
    Proof, Reason, SeekEntry, SeekTableError, SizeRange, Status, WindowDescriptor,
};
use zvet_tests::bytes::{
    W_1K, W_2M, block_header, compressed, compressed_rle, frame, hello, raw, rle, single_segment_header, sized_header,
    skippable, unsized_header,
};
use zvet_tests::walk::walk;

fn ok(stream: &[u8]) -> Vec<Event> {
    let (events, result) = walk(stream);
    assert_eq!(result, Ok(()));
    events
}

fn broken(stream: &[u8]) -> Error {
    walk(stream).1.expect_err("a rule is broken")
}

/// The error of a stream, with its rule id and place.
fn breaks(stream: &[u8], rule: &str, offset: u64, frame: u64, block: Option<u64>) -> ErrorKind {
    let error = broken(stream);
    assert_eq!(error.rule(), rule, "{error}");
    assert_eq!(error.at, Location { offset, frame, block }, "{error}");
    error.kind
}

fn frames(stream: &[u8]) -> Vec<Frame> {
    ok(stream).iter().filter_map(|event| if let Event::FrameEnd(frame) = event { Some(*frame) } else { None }).collect()
}

fn header(bytes: &[u8]) -> FrameHeader {
    match FrameHeader::parse(bytes) {
        Ok(Status::Complete(header)) => header,
        other => panic!("{other:?}"),
    }
}

#[test]
fn f01_frames_follow_each_other_without_anything_between() {
    let empty = frame(&unsized_header(W_1K), &[raw(true, b"")]);
    let stream = [hello(), skippable(3, b"note"), empty, hello()].concat();
    let events = ok(&stream);
    let offsets: Vec<u64> = events
        .iter()
        .filter_map(|event| match event {
            Event::FrameEnd(frame) => Some(frame.offset),
            Event::SkippableEnd(frame) => Some(frame.offset),
            _ => None,
        })
        .collect();
    assert_eq!(offsets, [0, 21, 33, 42]);
}

#[test]
fn f01_bytes_after_the_last_frame_are_an_error() {
    for (tail, looks_like) in [
        (&[0][..], Foreign::Zeros),
        (&[0; 4], Foreign::Zeros),
        (&[0; 512], Foreign::Zeros),
        (b"and then some text", Foreign::Text),
        (&[0x1F, 0x8B, 8, 0], Foreign::Gzip),
        (&[0xFF], Foreign::Unknown),
        (&[0x28, 0xB5, 0x2F, 0xFC], Foreign::Unknown),
    ] {
        let stream = [hello(), tail.to_vec()].concat();
        let kind = breaks(&stream, "F01", 21, 1, None);
        assert_eq!(kind, ErrorKind::TrailingBytes { looks_like }, "{tail:?}");
    }
}

#[test]
fn f02_what_is_no_zstd_is_named() {
    for (stream, looks_like) in [
        (&b"\x1f\x8b\x08\x00rest of it"[..], Foreign::Gzip),
        (b"\xfd7zXZ\x00", Foreign::Xz),
        (b"\x5d\x00\x00\x80\x00", Foreign::Lzma),
        (b"LZIP\x01", Foreign::Lzip),
        (b"\x04\x22\x4d\x18d@", Foreign::Lz4),
        (b"\x02\x21\x4c\x18", Foreign::Lz4),
        (b"\x89LZO\x00\r\n", Foreign::Lzop),
        (b"BZh91AY&SY", Foreign::Bzip2),
        (b"\xff\x06\x00\x00sNaPpY", Foreign::Snappy),
        (b"\x1f\x9d\x90", Foreign::Compress),
        (b"PK\x03\x04", Foreign::Zip),
        (b"7z\xbc\xaf\x27\x1c", Foreign::SevenZip),
        (b"\x78\x9c\x4b", Foreign::Zlib),
        (b"\x37\xa4\x30\xec\x01\x00\x00\x00", Foreign::ZstdDictionary),
        (b"\xfd\x2f\xb5\x28\x00\x00", Foreign::SwappedZstd),
        (b"\xfd\x2f\xb5\x1e", Foreign::LegacyZstd(1)),
        (b"\x25\xb5\x2f\xfd", Foreign::LegacyZstd(5)),
        (b"\x27\xb5\x2f\xfd", Foreign::LegacyZstd(7)),
        (b"{\"json\": true}", Foreign::Text),
        (&[0; 64], Foreign::Zeros),
        (b"\x4f\x2a\x4d\x18\x00\x00\x00\x00", Foreign::Unknown),
        (b"\x60\x2a\x4d\x18\xff\xff\xff\xff", Foreign::Unknown),
    ] {
        let kind = breaks(stream, "F02", 0, 0, None);
        assert_eq!(kind, ErrorKind::NotZstd { looks_like }, "{stream:02x?}");
    }
    let magicless = &hello()[4..];
    assert_eq!(broken(magicless).kind, ErrorKind::NotZstd { looks_like: Foreign::MagiclessZstd });
    assert_eq!(broken(b"\x1f\x8b").to_string(), "frame 0, byte 0: not zstd: looks like gzip (F02)");
}

#[test]
fn f02_nothing_looks_like_nothing() {
    assert_eq!(Foreign::of(b""), Foreign::Unknown);
}

#[test]
fn f02_a_header_parser_says_so_at_the_first_wrong_byte() {
    assert!(FrameHeader::parse(&[0x28, 0xB5, 0x2F, 0xFE]).is_err());
    assert!(FrameHeader::parse(&[0x29]).is_err());
    assert_eq!(FrameHeader::parse(&[]), Ok(Status::Partial { needed: 5 }));
    assert_eq!(FrameHeader::parse(&[0x28, 0xB5]), Ok(Status::Partial { needed: 5 }));
}

#[test]
fn f03_the_descriptor_gives_the_size_of_the_header() {
    for byte in (0..=u8::MAX).filter(|byte| byte & 8 == 0) {
        let descriptor = Descriptor(byte);
        let single = byte & 0x20 != 0;
        let window = usize::from(!single);
        let dictionary_id = [0, 1, 2, 4][usize::from(byte & 3)];
        let content_size = [usize::from(single), 2, 4, 8][usize::from(byte >> 6)];
        let size = 4 + 1 + window + dictionary_id + content_size;
        assert_eq!(descriptor.header_size(), size);
        assert!((6..=18).contains(&size));

        let mut bytes = [&zvet_tests::bytes::MAGIC[..], &[byte], &[0; 13]].concat();
        for short in 5..size {
            assert_eq!(FrameHeader::parse(&bytes[..short]), Ok(Status::Partial { needed: size }), "{byte:#x}");
        }
        bytes.truncate(size);
        assert_eq!(header(&bytes).header_size(), size);
    }
}

#[test]
fn f03_every_field_of_a_header_is_what_was_written() {
    for byte in (0..=u8::MAX).filter(|byte| byte & 8 == 0) {
        let single_segment = byte & 0x20 != 0;
        // Every byte of a field is another one, and none is zero.
        let mut next = 1..;
        let mut field = |size: usize| -> Vec<u8> { next.by_ref().take(size).collect() };
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        let window = field(usize::from(!single_segment));
        let id = field([0, 1, 2, 4][usize::from(byte & 3)]);
        let size = field([usize::from(single_segment), 2, 4, 8][usize::from(byte >> 6)]);
        let content_size = (!size.is_empty()).then(|| number(&size) + if size.len() == 2 { 256 } else { 0 });
        let header = header(&frame(&[&[byte][..], &window, &id, &size].concat(), &[]));

        assert_eq!(header.descriptor(), Descriptor(byte));
        assert_eq!(header.single_segment(), single_segment);
        assert_eq!(header.content_checksum(), byte & 4 != 0);
        assert_eq!(header.window_descriptor(), window.first().copied().map(WindowDescriptor));
        assert_eq!(header.dictionary_id().map(u64::from), (!id.is_empty()).then(|| number(&id)));
        assert_eq!(header.content_size(), content_size);
        let window_size = header.window_descriptor().map(WindowDescriptor::window_size).or(content_size);
        assert_eq!(Some(header.window_size()), window_size);
        assert_eq!(u64::from(header.block_maximum_size()), header.window_size().min(128 << 10));
    }
}

#[test]
fn f04_the_reserved_bit_is_refused() {
    let stream = frame(&[0x28, 12], &[raw(true, b"hello, world")]);
    assert_eq!(breaks(&stream, "F04", 4, 0, None), ErrorKind::ReservedBit);
    assert_eq!(FrameHeader::parse(&stream[..5]), Err(ErrorKind::ReservedBit), "as soon as it is there");
}

#[test]
fn f05_the_unused_bit_is_ignored() {
    let stream = frame(&[0x30, 12], &[raw(true, b"hello, world")]);
    let frames = frames(&stream);
    assert!(frames[0].header.descriptor().unused_bit());
    assert_eq!(frames[0].decoded_size().exact(), Some(12));
}

#[test]
fn f06_the_window_is_computed_over_its_whole_range() {
    for byte in 0..=u8::MAX {
        let (exponent, mantissa) = (u32::from(byte >> 3), u64::from(byte & 7));
        let size = (1u64 << (10 + exponent)) / 8 * (8 + mantissa);
        assert_eq!(WindowDescriptor(byte).window_size(), size);
        let header = header(&frame(&unsized_header(byte), &[]));
        assert_eq!(header.window_size(), size);
        assert_eq!(u64::from(header.block_maximum_size()), size.min(128 << 10));
    }
    assert_eq!((WindowDescriptor(0).window_size(), WINDOW_SIZE_MIN), (1 << 10, 1 << 10));
    assert_eq!((WindowDescriptor(0xFF).window_size(), WINDOW_SIZE_MAX), (15 << 38, 15 << 38), "3.75 TiB");
}

#[test]
fn f06_the_window_of_a_single_segment_is_its_content_size() {
    for size in [0, 1, 1023, 131_071, 131_072, 131_073, u64::MAX] {
        let header = header(&frame(&single_segment_header(size), &[]));
        assert!(header.single_segment() && header.window_descriptor().is_none());
        assert_eq!(header.window_size(), size);
        assert_eq!(u64::from(header.block_maximum_size()), size.min(128 << 10));
    }
}

#[test]
fn f07_a_dictionary_id_of_any_width_is_read_and_zero_is_none() {
    for (flag, field, id) in [
        (0, &[][..], None),
        (1, &[0][..], None),
        (1, &[200], Some(200)),
        (2, &[0, 0], None),
        (2, &[13, 0], Some(13)),
        (2, &[1, 2], Some(0x201)),
        (3, &[0, 0, 0, 0], None),
        (3, &[13, 0, 0, 0], Some(13)),
        (3, &[0xFF; 4], Some(u32::MAX)),
    ] {
        let bytes = frame(&[&[flag, W_1K][..], field].concat(), &[]);
        assert_eq!(header(&bytes).dictionary_id(), id, "{field:?}");
    }
}

#[test]
fn f08_a_content_size_of_any_width_is_read() {
    let size = |descriptor: u8, field: &[u8]| {
        let window = if descriptor & 0x20 == 0 { &[W_1K][..] } else { &[] };
        header(&frame(&[&[descriptor][..], window, field].concat(), &[])).content_size()
    };
    assert_eq!(size(0, &[]), None);
    assert_eq!(size(0x20, &[0]), Some(0), "zero is a size");
    assert_eq!(size(0x20, &[255]), Some(255));
    assert_eq!(size(0x40, &[0, 0]), Some(256), "two bytes count from 256");
    assert_eq!(size(0x60, &[0xFF, 0xFF]), Some(65_791));
    assert_eq!(size(0x80, &[18, 0, 0, 0]), Some(18), "a wide field may hold a small size");
    assert_eq!(size(0x80, &[0xFF; 4]), Some(u64::from(u32::MAX)));
    assert_eq!(size(0xC0, &[0xFF; 8]), Some(u64::MAX), "2^64 - 1 is a size");
    assert_eq!(size(0xE0, &[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), Some(u64::MAX - 1));
}

#[test]
fn f09_raw_and_rle_blocks_bound_the_content_exactly() {
    let stream = frame(&unsized_header(W_1K), &[raw(false, &[7; 100]), rle(false, 1, 1000), rle(true, 2, 0)]);
    assert_eq!(frames(&stream)[0].content, SizeRange::exactly(1100));
    let stream = frame(&unsized_header(W_1K), &[raw(false, &[7; 100]), compressed(true, &[0, 0])]);
    assert_eq!(frames(&stream)[0].content, SizeRange { low: 100, high: 100 + 1024 });
}

#[test]
fn f09_a_declared_size_that_blocks_exceed_is_refused_at_that_block() {
    let stream = frame(&sized_header(W_1K, 150), &[raw(false, &[0; 100]), raw(false, &[0; 51]), raw(true, b"")]);
    let kind = breaks(&stream, "F09", 10 + 103, 0, Some(1));
    assert_eq!(kind, ErrorKind::ContentSize { declared: 150, content: SizeRange::exactly(151) });
    // A size of zero is no absence.
    let stream = frame(&sized_header(W_1K, 0), &[raw(true, b"x")]);
    breaks(&stream, "F09", 10, 0, Some(0));
}

#[test]
fn f09_a_declared_size_that_blocks_cannot_reach_is_refused_at_the_last_block() {
    let stream = frame(&sized_header(W_1K, 2000), &[raw(false, &[0; 900]), compressed(false, &[0, 0]), raw(true, b"")]);
    let kind = breaks(&stream, "F09", 10 + 903 + 5, 0, Some(2));
    assert_eq!(kind, ErrorKind::ContentSize { declared: 2000, content: SizeRange { low: 900, high: 1924 } });
    // That the last block is empty hides nothing.
    let stream = frame(&sized_header(W_2M, 1_000_000), &[rle(false, 0, 131_072), raw(true, b"")]);
    breaks(&stream, "F09", 14, 0, Some(1));
    let stream = frame(&[0xC0, W_1K, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], &[raw(true, b"")]);
    breaks(&stream, "F09", 14, 0, Some(0));
}

#[test]
fn f09_a_declared_size_within_the_bracket_is_accepted() {
    for size in [900, 1000, 1924] {
        ok(&frame(&sized_header(W_1K, size), &[raw(false, &[0; 900]), compressed(true, &[0, 0])]));
    }
}

#[test]
fn f10_the_checksum_follows_the_last_block() {
    let stream = frame(&[0x24, 0], &[raw(true, b"")]);
    let stream = [stream, vec![0x99, 0xE9, 0xD8, 0x51], hello()].concat();
    let frames = frames(&stream);
    assert_eq!(frames[0].checksum, Some(0x51D8_E999));
    assert_eq!(frames[0].compressed_size, 13);
    assert_eq!(frames[1].checksum, None);
}

#[test]
fn f12_input_that_ends_inside_of_a_frame_is_truncated() {
    let checked = [frame(&[0x24, 12], &[raw(true, b"hello, world")]), vec![1, 2, 3, 4]].concat();
    let padded = [skippable(0, b"0123456789"), checked].concat();
    for (size, part, missing, block) in [
        (1, Part::Magic, 3, None),
        (4, Part::SkippableHeader, 4, None),
        (7, Part::SkippableHeader, 1, None),
        (8, Part::SkippableContent, 10, None),
        (17, Part::SkippableContent, 1, None),
        (19, Part::Magic, 3, None),
        (22, Part::FrameHeader, 1, None),
        (23, Part::FrameHeader, 1, None),
        (24, Part::BlockHeader, 3, Some(0)),
        (26, Part::BlockHeader, 1, Some(0)),
        (27, Part::BlockContent, 12, Some(0)),
        (38, Part::BlockContent, 1, Some(0)),
        (39, Part::Checksum, 4, None),
        (42, Part::Checksum, 1, None),
    ] {
        let frame = u64::from(size > 18);
        let kind = breaks(&padded[..size], "F12", size as u64, frame, block);
        assert_eq!(kind, ErrorKind::Truncated { part, missing }, "at {size}");
        let bytes = if missing == 1 { "byte" } else { "bytes" };
        assert!(kind.to_string().contains(&format!(": {missing} {bytes} of ")), "{kind}");
    }
    ok(&padded[..18]);
    ok(&padded);
}

#[test]
fn f12_a_frame_ends_with_its_last_block_only() {
    let stream = frame(&unsized_header(W_1K), &[raw(false, b"hello")]);
    breaks(&stream, "F12", 14, 0, Some(1));
    let stream = frame(&unsized_header(W_1K), &[]);
    breaks(&stream, "F12", 6, 0, Some(0));
    let stream = [hello(), raw(true, b"more")].concat();
    breaks(&stream, "F01", 21, 1, None);
}

#[test]
fn f13_no_input_is_an_error_of_its_own() {
    assert_eq!(breaks(b"", "F13", 0, 0, None), ErrorKind::Empty);
}

#[test]
fn b01_block_headers_are_three_little_endian_bytes() {
    for (bytes, last, kind, size) in [
        ([0, 0, 0], false, BlockKind::Raw, 0),
        ([1, 0, 0], true, BlockKind::Raw, 0),
        ([2, 0, 0], false, BlockKind::Rle, 0),
        ([5, 0, 0], true, BlockKind::Compressed, 0),
        ([0x09, 0, 0], true, BlockKind::Raw, 1),
        ([0, 0, 0x10], false, BlockKind::Raw, 131_072),
        ([0xFD, 0xFF, 0xFF], true, BlockKind::Compressed, (1 << 21) - 1),
    ] {
        assert_eq!(BlockHeader::parse(bytes), Ok(BlockHeader { last, kind, size }), "{bytes:?}");
    }
}

#[test]
fn b02_block_type_3_is_refused() {
    let stream = frame(&unsized_header(W_1K), &[raw(false, b"hello"), block_header(true, 3, 0).to_vec()]);
    assert_eq!(breaks(&stream, "B02", 14, 0, Some(1)), ErrorKind::ReservedBlockType);
    assert_eq!(broken(&stream).to_string(), "frame 0, block 1, byte 14: block type 3 is reserved (B02)");
}

#[test]
fn b03_blocks_of_every_type_are_held_to_the_block_maximum() {
    for (header, maximum) in [
        (unsized_header(W_1K).to_vec(), 1024u32),
        (unsized_header(W_2M).to_vec(), 131_072),
        (sized_header(W_2M, 131_072), 131_072),
        (single_segment_header(5000), 5000),
        (single_segment_header(1 << 20), 131_072),
    ] {
        let at = 4 + header.len() as u64;
        for kind in 0..3 {
            let fits = frame(&header, &[block_header(false, kind, maximum).to_vec()]);
            assert_eq!(broken(&fits).rule(), "F12", "a block of {maximum} is none too large");
            let over = frame(&header, &[block_header(false, kind, maximum + 1).to_vec()]);
            let error = breaks(&over, "B03", at, 0, Some(0));
            assert_eq!(error, ErrorKind::BlockTooLarge { size: maximum + 1, maximum });
            let most = frame(&header, &[block_header(true, kind, (1 << 21) - 1).to_vec()]);
            breaks(&most, "B03", at, 0, Some(0));
        }
    }
}

#[test]
fn b03_is_found_at_the_header_before_any_content() {
    let mut walker = zvet_core::Walker::new();
    let start = frame(&unsized_header(W_2M), &[]);
    assert!(matches!(walker.push(&start).unwrap().event, Some(Event::FrameStart(_))));
    assert_eq!(walker.push(&block_header(false, 0, 131_073)).unwrap_err().rule(), "B03");
}

#[test]
fn b03_holds_the_single_byte_of_an_rle_block_to_a_maximum_of_zero() {
    let stream = frame(&[0x20, 0], &[rle(true, b'x', 0)]);
    breaks(&stream, "B03", 6, 0, Some(0));
    ok(&frame(&[0x20, 0], &[raw(true, b"")]));
}

#[test]
fn b04_an_rle_block_has_one_byte_of_content_whatever_its_size() {
    let stream = frame(&unsized_header(W_2M), &[rle(false, b'a', 131_072), rle(false, b'b', 0), rle(true, b'c', 1)]);
    assert_eq!(stream.len(), 6 + 3 * 4);
    let frame = frames(&stream)[0];
    assert_eq!(frame.content, SizeRange::exactly(131_073));
    assert_eq!(frame.compressed_size, 18);
    assert_eq!(frame.blocks.rle, 3);
}

#[test]
fn b05_a_compressed_block_has_two_bytes_at_least() {
    for size in [0, 1] {
        let stream = frame(&unsized_header(W_1K), &[compressed(true, &vec![0; size])]);
        assert!(matches!(breaks(&stream, "B05", 6, 0, Some(0)), ErrorKind::BlockTooSmall { .. }));
    }
    ok(&frame(&unsized_header(W_1K), &[compressed(true, &[0, 0])]));
    ok(&frame(&unsized_header(W_2M), &[compressed_rle(true, 0, 131_072)]));
}

#[test]
fn k01_sixteen_magic_numbers_open_skippable_frames() {
    for variant in 0..16 {
        let events = ok(&skippable(variant, b"abc"));
        let [Event::SkippableStart(start), Event::SkippableEnd(end)] = events[..] else { panic!("{events:?}") };
        assert_eq!(start, end);
        assert_eq!((start.variant, start.content_size, start.compressed_size()), (variant, 3, 11));
    }
}

#[test]
fn k01_what_is_inside_of_a_skippable_frame_is_never_walked() {
    let inner = [hello(), vec![0xFF; 9]].concat();
    let events = ok(&[skippable(0, &inner), hello()].concat());
    assert_eq!(events.iter().filter(|event| matches!(event, Event::FrameEnd(_))).count(), 1);
}

#[test]
fn k02_skippable_sizes_are_64_bit_sums() {
    for size in [0xFFFF_FFF7u32, 0xFFFF_FFF8, 0xFFFF_FFFF] {
        let stream = [&[0x50, 0x2A, 0x4D, 0x18][..], &size.to_le_bytes()].concat();
        let kind = breaks(&stream, "F12", 8, 0, None);
        assert_eq!(kind, ErrorKind::Truncated { part: Part::SkippableContent, missing: u64::from(size) });

        // All of it there: the next frame begins past 4 GiB.
        let mut walker = zvet_core::Walker::new();
        assert!(matches!(walker.push(&stream).unwrap().event, Some(Event::SkippableStart(_))));
        assert_eq!(walker.skipped(u64::MAX), u64::from(size));
        assert!(matches!(walker.push(&[]).unwrap().event, Some(Event::SkippableEnd(_))));
        walker.finish().unwrap();
        assert!(matches!(walker.push(&hello()).unwrap().event, Some(Event::FrameStart(frame))
            if frame.offset == u64::from(size) + 8));
    }
}

#[test]
fn blocks_are_told_in_order_with_their_offsets() {
    let stream = [skippable(1, b"x"), frame(&unsized_header(W_1K), &[raw(false, b"ab"), rle(true, 0, 9)])].concat();
    let blocks: Vec<Block> = ok(&stream)
        .iter()
        .filter_map(|event| if let Event::Block(block) = event { Some(*block) } else { None })
        .collect();
    let places: Vec<_> = blocks.iter().map(|block| (block.frame, block.index, block.offset)).collect();
    assert_eq!(places, [(1, 0, 15), (1, 1, 20)]);
}

#[test]
fn a_walker_tells_which_frame_it_is_in_and_how_many_ended() {
    let stream = [skippable(7, b"note"), hello()].concat();
    let mut walker = zvet_core::Walker::new();
    let mut told = Vec::new();
    for byte in stream.chunks(1) {
        let mut rest = byte;
        loop {
            let step = walker.push(rest).unwrap();
            rest = &rest[step.consumed..];
            if step.event.is_none() {
                break;
            }
        }
        told.push((
            walker.frames(),
            walker.skippable_frame().map(|frame| frame.variant),
            walker.frame().map(|frame| frame.offset),
        ));
    }
    // The twelve bytes of the skippable frame, which ends with the last of them; then the other frame, whose header has six.
    let expected = [vec![(0, None, None); 7], vec![(0, Some(7), None); 4], vec![(1, None, None); 6]].concat();
    assert_eq!(told[..17], expected);
    assert_eq!(told[17..told.len() - 1], vec![(1, None, Some(12)); told.len() - 18]);
    assert_eq!(told[told.len() - 1], (2, None, None));
}

#[test]
fn a_stream_may_end_where_a_frame_does_before_that_was_told() {
    let mut walker = zvet_core::Walker::default();
    let stream = hello();
    let header = walker.push(&stream).unwrap();
    let block = walker.push(&stream[header.consumed..]).unwrap();
    assert!(matches!(block.event, Some(Event::Block(_))));
    assert!(walker.finish().is_err());
    assert_eq!(walker.skipped(12), 12);
    assert_eq!(walker.finish(), Ok(()));
    assert!(matches!(walker.push(b"").unwrap().event, Some(Event::FrameEnd(_))));
    assert_eq!(walker.finish(), Ok(()));
}

#[test]
fn errors_have_a_place_a_phrase_of_their_own_and_their_rule() {
    let at = Location { offset: 7, frame: 1, block: Some(2) };
    let range = SizeRange { low: 3, high: 12 };
    let kinds = [
        ErrorKind::TrailingBytes { looks_like: Foreign::Unknown },
        ErrorKind::NotZstd { looks_like: Foreign::Unknown },
        ErrorKind::NotZstd { looks_like: Foreign::LegacyZstd(3) },
        ErrorKind::ReservedBit,
        ErrorKind::ContentSize { declared: 2, content: range },
        ErrorKind::ContentSize { declared: 13, content: range },
        ErrorKind::ContentSize { declared: 13, content: SizeRange::exactly(3) },
        ErrorKind::Checksum { stored: 1, computed: 2 },
        ErrorKind::Truncated { part: Part::Magic, missing: 1 },
        ErrorKind::Truncated { part: Part::FrameHeader, missing: 2 },
        ErrorKind::Truncated { part: Part::BlockHeader, missing: 2 },
        ErrorKind::Truncated { part: Part::BlockContent, missing: 2 },
        ErrorKind::Truncated { part: Part::Checksum, missing: 2 },
        ErrorKind::Truncated { part: Part::SkippableHeader, missing: 2 },
        ErrorKind::Truncated { part: Part::SkippableContent, missing: 2 },
        ErrorKind::Empty,
        ErrorKind::ReservedBlockType,
        ErrorKind::BlockTooLarge { size: 5, maximum: 4 },
        ErrorKind::BlockTooSmall { size: 0 },
        ErrorKind::BlockTooSmall { size: 1 },
        ErrorKind::LiteralsHeader,
        ErrorKind::LiteralsTooMany { size: 5, maximum: 4 },
        ErrorKind::LiteralsSize,
        ErrorKind::LiteralsWithoutStream,
        ErrorKind::LiteralsTooFew { size: 5 },
        ErrorKind::JumpTable,
        ErrorKind::TreelessFirst,
        ErrorKind::HuffmanTree,
        ErrorKind::HuffmanWeights,
        ErrorKind::HuffmanWeightsStream,
        ErrorKind::LiteralsStream,
        ErrorKind::SequencesHeader,
        ErrorKind::AfterNoSequences,
        ErrorKind::ReservedModes,
        ErrorKind::RepeatFirst,
        ErrorKind::RleSymbol { symbol: 53, maximum: 52 },
        ErrorKind::AccuracyLog { accuracy_log: 9, maximum: 8 },
        ErrorKind::FseTable,
        ErrorKind::SequencesStream,
        ErrorKind::LiteralsLength { length: 3, left: 2 },
        ErrorKind::ZeroOffset,
        ErrorKind::OffsetTooFar { offset: 9, reach: 8 },
        ErrorKind::OffsetBeforeFrame { offset: 9, made: 8 },
        ErrorKind::BlockMakesTooMuch { maximum: 4 },
        ErrorKind::Dictionary,
        ErrorKind::WindowOverLimit { window: 9, limit: 8 },
        ErrorKind::OutputOverLimit { output: 9, limit: 8 },
        ErrorKind::RatioOverLimit { output: 9, limit: 8 },
        ErrorKind::FramesOverLimit { limit: 8 },
        ErrorKind::BlockOverBuffer { size: 9, buffer: 8 },
        ErrorKind::UnknownDictionary { id: 8 },
        ErrorKind::NeedsDictionary,
    ];
    let mut phrases = std::collections::BTreeSet::new();
    for kind in kinds {
        let phrase = kind.to_string();
        assert!(phrase.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit()), "{phrase}");
        assert!(!phrase.ends_with('.') && phrase.len() > 15, "{phrase}");
        assert_eq!(Error::new(at, kind).to_string(), format!("frame 1, block 2, byte 7: {phrase} ({})", kind.rule()));
        assert!(phrases.insert(phrase.clone()), "twice: {phrase}");
    }
    let foreign = [
        Foreign::Zeros,
        Foreign::LegacyZstd(7),
        Foreign::ZstdDictionary,
        Foreign::SwappedZstd,
        Foreign::MagiclessZstd,
        Foreign::Gzip,
        Foreign::Zlib,
        Foreign::Xz,
        Foreign::Lzma,
        Foreign::Lzip,
        Foreign::Lz4,
        Foreign::Lzop,
        Foreign::Bzip2,
        Foreign::Snappy,
        Foreign::Compress,
        Foreign::Zip,
        Foreign::SevenZip,
        Foreign::Text,
    ];
    for looks_like in foreign {
        let phrase = ErrorKind::TrailingBytes { looks_like }.to_string();
        assert!(phrase.ends_with(&format!("they look like {looks_like}")), "{phrase}");
        assert!(phrases.insert(phrase.clone()), "twice: {phrase}");
    }
    assert_eq!(Foreign::Unknown.to_string(), "nothing known");
    assert!(phrases.contains("the frame declares 2 bytes and holds at least 3"));
    assert!(phrases.contains("the frame declares 13 bytes and holds at most 12"));
    assert!(phrases.contains("the frame declares 13 bytes and holds 3"));
    assert!(phrases.contains("not zstd: looks like legacy zstd v0.3, older than RFC 8878"));
    assert_eq!((range.to_string(), SizeRange::exactly(12).to_string()), ("3 to 12".to_owned(), "12".to_owned()));
}

#[test]
fn proofs_and_reasons_have_a_word_each() {
    let words = [
        Proof::Bound.to_string(),
        Proof::Declared.to_string(),
        Proof::Walked.to_string(),
        Reason::Window.to_string(),
        Reason::Output.to_string(),
        Reason::Input.to_string(),
        Reason::Blocks.to_string(),
        Reason::Dictionary.to_string(),
    ];
    assert_eq!(words, ["bound", "declared", "walked", "window", "output", "input", "blocks", "dictionary"]);
}

#[test]
fn errors_of_seek_tables_say_what_is_wrong() {
    let entry =
        SeekEntry { index: 2, offset: 30, compressed_size: 11, decoded_offset: 24, decoded_size: 5, checksum: None };
    let (expected, found, offset, compressed_size) = (33, 25, 31, 12);
    for (error, says) in [
        (SeekTableError::NoFooter, "no seek table: the footer or its magic number is missing (T01)"),
        (SeekTableError::ReservedBits { descriptor: 4 }, "reserved bits of the descriptor 0x04 are set (T02)"),
        (
            SeekTableError::TableSize { frames: 3, expected, found },
            "a seek table of 3 frames takes 33 bytes, and there are 25 (T03)",
        ),
        (SeekTableError::NoFrame, "no skippable frame of a seek table begins where this one must (T04)"),
        (
            SeekTableError::EntryFrame { entry, offset, compressed_size },
            "frame 2 begins at byte 31 and has 12 bytes, and its entry says 30 and 11 (T05)",
        ),
        (
            SeekTableError::EntryDecodedSize { entry, decoded_size: SizeRange::exactly(6) },
            "frame 2 decodes to 6 bytes, and its entry says 5 (T06)",
        ),
        (
            SeekTableError::FrameCount { frames: 4, entries: 3 },
            "the stream has 4 frames so far, and the seek table 3 entries (T07)",
        ),
        (SeekTableError::NotLast, "the seek table is not the last frame of the stream (T08)"),
    ] {
        assert_eq!(error.to_string(), says);
    }
}
