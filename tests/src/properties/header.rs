use zstd::zstd_safe::{get_dict_id_from_frame, get_frame_content_size};
use zvet_core::consts::FRAME_HEADER_SIZE_MAX;
use zvet_core::{Event, FrameHeader, Status, Walker};

/// A frame header reads the same in any part of it, holds every bit of what was read, and is what the walker and libzstd
/// read.
pub fn headers_read_alike_in_any_part(bytes: &[u8]) {
    let mut before = FrameHeader::parse(&[]);
    for size in 1..=bytes.len().min(FRAME_HEADER_SIZE_MAX + 1) {
        let parsed = FrameHeader::parse(&bytes[..size]);
        match (before, parsed) {
            (Ok(Status::Partial { needed }), Ok(Status::Partial { needed: more })) => {
                assert!(size < more && needed <= more && more <= FRAME_HEADER_SIZE_MAX, "{size} {needed} {more}");
                assert!(size < needed || needed == 5, "only the descriptor asks for more");
            }
            (Ok(Status::Partial { needed }), Ok(Status::Complete(header))) => {
                assert_eq!((size, header.header_size()), (needed, needed), "as soon as it can be");
            }
            (Ok(Status::Partial { .. }), Err(_)) => {}
            (Ok(Status::Complete(_)), _) => assert_eq!(parsed, before, "what comes after is not looked at"),
            (Err(_), parsed) => assert!(parsed.is_err(), "what is wrong stays so"),
        }
        before = parsed;
    }
    let walked = Walker::new().push(bytes);
    let Ok(Status::Complete(header)) = before else {
        assert!(!matches!(walked, Ok(step) if matches!(step.event, Some(Event::FrameStart(_)))));
        return;
    };
    assert_eq!(rebuilt(&header), bytes[..header.header_size()]);
    assert!(matches!(walked.unwrap().event, Some(Event::FrameStart(frame)) if frame.header == header));

    // libzstd reads no header with a larger window, and takes the last two sizes of 64 bits for marks of its own.
    if header.window_size() <= 1 << 31 {
        let marks = header.content_size().filter(|&size| size < u64::MAX - 1);
        assert_eq!(get_frame_content_size(bytes).ok().flatten(), marks);
        assert_eq!(get_dict_id_from_frame(bytes).map(std::num::NonZero::get), header.dictionary_id());
    }
}

/// The bytes that a header says it was.
fn rebuilt(header: &FrameHeader) -> Vec<u8> {
    let descriptor = header.descriptor();
    let window = header.window_descriptor().map(|window| window.0);
    let id = header.dictionary_id().unwrap_or(0).to_le_bytes();
    let bias = if descriptor.content_size_size() == 2 { 256 } else { 0 };
    let size = (header.content_size().unwrap_or(bias) - bias).to_le_bytes();
    let mut bytes = crate::bytes::MAGIC.to_vec();
    bytes.push(descriptor.0);
    bytes.extend(window);
    bytes.extend(&id[..descriptor.dictionary_id_size()]);
    bytes.extend(&size[..descriptor.content_size_size()]);
    bytes
}
