use std::io::{Cursor, Read};

use zvet::source::{Seekable, Source, Stream};
use zvet::{Error, Piece, Settings, Splitter};
use zvet_core::consts::{BLOCK_HEADER_SIZE, FRAME_HEADER_SIZE_MAX};
use zvet_core::{Bounds, Frame};

use super::{LIMITS, bounds, text};
use crate::cut::Cut;
use crate::data::Lcg;

/// A piece, as far as it does not depend on how it was read.
#[derive(Debug, PartialEq)]
struct Found {
    how: String,
    offset: u64,
}

/// What becomes of a frame that is given out as a stream.
#[derive(Clone, Copy, Debug)]
enum Serial {
    Read,
    Skip,
    ReadSomeAndDrop,
}

/// The splitter's frames tile the input, hold its bytes, and are the same for any source, cuts, and use of serial frames; no
/// more of a frame is held than the bound on its input.
pub fn frames_tile_the_input_however_it_is_cut(stream: &[u8], choices: &mut Lcg) {
    let bounds = bounds(choices);
    let settings = Settings { bounds, limits: LIMITS, ..Settings::default() };
    let whole = split(stream, stream, &settings, Serial::Read);
    for serial in [Serial::Read, Serial::Skip, Serial::ReadSomeAndDrop] {
        let cut = Stream::new(Cut::new(stream, choices));
        assert_eq!(split(cut, stream, &settings, serial), whole, "a pipe, {serial:?}");
        let file = Seekable::new(Cursor::new(stream)).unwrap();
        assert_eq!(split(file, stream, &settings, serial), whole, "a file, {serial:?}");
    }
}

fn split<S: Source>(source: S, stream: &[u8], settings: &Settings, serial: Serial) -> (Vec<Found>, Option<String>) {
    let mut splitter = Splitter::new(source, settings);
    let (mut found, mut end) = (Vec::new(), Some(0));
    let result = loop {
        let (how, offset, size) = match splitter.next_piece() {
            Ok(Some(Piece::Whole(whole))) => {
                let Frame { offset, compressed_size, .. } = whole.frame;
                assert_eq!(*whole.bytes, stream[range(offset, compressed_size)]);
                let most = settings.bounds.input + FRAME_HEADER_SIZE_MAX as u64;
                assert!(compressed_size <= settings.bounds.input && whole.bytes.capacity() as u64 <= most);
                (format!("{:?}", whole.proof), offset, Some(compressed_size))
            }
            Ok(Some(Piece::Serial(frame))) => {
                let how = format!("{:?}", frame.reason());
                let offset = frame.frame().offset;
                let size = run(frame, stream, &settings.bounds, serial).ok().flatten();
                (how, offset, size)
            }
            Ok(Some(Piece::Skippable(frame))) => ("Skippable".into(), frame.offset, Some(frame.compressed_size())),
            // The frame that a limit is told at.
            Ok(Some(Piece::SteppedOver(frame, _))) => ("Over".into(), frame.offset, Some(frame.compressed_size)),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        };
        if let Some(end) = end {
            assert_eq!(offset, end, "without gaps");
        }
        end = size.map(|size| offset + size);
        found.push(Found { how, offset });
    };
    match &result {
        Ok(()) => assert!(end.is_none_or(|end| end == stream.len() as u64), "to the end of the input"),
        Err(_) => assert_eq!(text(&result), text(&splitter.next_piece()), "the first error stays"),
    }
    (found, text(&result))
}

/// Uses a serial frame, and returns its size if it was walked to its end.
fn run<S: Source>(
    mut serial: zvet::SerialFrame<'_, S>,
    stream: &[u8],
    bounds: &Bounds,
    how: Serial,
) -> Result<Option<u64>, Error> {
    let offset = serial.frame().offset;
    let most = bounds.input + (FRAME_HEADER_SIZE_MAX + BLOCK_HEADER_SIZE) as u64;
    assert!(serial.offset() - offset <= most, "no more is held than the bound");
    match how {
        Serial::Skip => {
            let frame = serial.skip_to_end()?;
            Ok(Some(frame.compressed_size))
        }
        Serial::Read => {
            let mut bytes = Vec::new();
            let result = serial.read_to_end(&mut bytes);
            assert_eq!(bytes, stream[range(offset, bytes.len() as u64)]);
            if let Some(fault) = serial.fault() {
                return Err(fault);
            }
            result.unwrap();
            assert!(serial.is_at_end() && serial.frame().compressed_size == bytes.len() as u64);
            Ok(Some(bytes.len() as u64))
        }
        Serial::ReadSomeAndDrop => {
            let mut some = [0; 7];
            match serial.read(&mut some) {
                Ok(read) => assert_eq!(some[..read], stream[range(offset, read as u64)]),
                Err(_) => return Err(serial.fault().unwrap()),
            }
            Ok(None)
        }
    }
}

fn range(offset: u64, size: u64) -> std::ops::Range<usize> {
    let start = usize::try_from(offset).unwrap();
    start..start + usize::try_from(size).unwrap()
}
