//! Makes frames, and sees to it that they are what they should be.

use zvet_core::{Event, Walker};

use super::encoder::{Encoder, max_frame_size};
use super::error::{EncodeError, EncoderFault, EncoderFaultKind};
use super::settings::{EncodeSettings, EncoderChoice, EncoderOptions};
use crate::engine::catch_panic;

/// What is free at the front of a frame's buffer, for the byte of the frame before it that was held back.
pub(super) const FRONT: usize = 1;

/// Where a frame is in the stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    /// Which frame.
    pub(super) frame: u64,
    /// Where its content begins.
    pub(super) offset: u64,
}

/// An encoder that is kept from frame to frame, and replaced when it fails.
#[derive(Debug)]
pub(super) struct Framer {
    choice: EncoderChoice,
    options: EncoderOptions,
    encoder: Option<Box<dyn Encoder>>,
}

impl Framer {
    pub(super) fn new(settings: &EncodeSettings) -> Self {
        Self { choice: settings.encoder.clone(), options: settings.encoder_options(), encoder: None }
    }

    /// Makes a frame of `content`, after [`FRONT`] bytes.
    pub(super) fn frame(&mut self, content: &[u8], frame: &mut Vec<u8>, place: Place) -> Result<(), EncodeError> {
        make_room(frame, FRONT + max_frame_size(content.len()));
        frame.resize(FRONT, 0);
        let Self { choice, options, encoder } = self;
        let result = catch_panic(|| {
            let encoder = match encoder {
                Some(encoder) => encoder,
                None => encoder.insert(choice.make(options)?),
            };
            encoder.encode(content, frame)
        });
        let (kind, message) = match result {
            Ok(Ok(())) => match check(frame.get(FRONT..).unwrap_or_default(), content.len(), options.checksum) {
                Ok(()) => return Ok(()),
                Err(message) => (EncoderFaultKind::WrongFrame, message),
            },
            Ok(Err(error)) => (EncoderFaultKind::Failed, error.to_string()),
            Err(message) => (EncoderFaultKind::Panicked, message),
        };
        self.encoder = None;
        let Place { frame, offset } = place;
        Err(EncodeError::Encoder(EncoderFault { frame, offset, kind, encoder: self.choice.name(), message }))
    }
}

/// Empties a buffer, and sees to it that so much fits. What was there is dropped first, so that at no time there is
/// both.
fn make_room(buffer: &mut Vec<u8>, size: usize) {
    buffer.clear();
    if buffer.capacity() < size {
        *buffer = Vec::new();
        buffer.reserve_exact(size);
    }
}

/// Walks over a frame's headers: whatever the encoder, the stream has the shape that is promised.
fn check(frame: &[u8], content_size: usize, checksum: bool) -> Result<(), String> {
    let content_size = content_size as u64;
    let mut walker = Walker::new();
    let mut rest = frame;
    loop {
        let content = usize::try_from(walker.skippable()).unwrap_or(usize::MAX).min(rest.len());
        walker.skipped(content as u64);
        rest = &rest[content..];
        let step = walker.push(rest).map_err(|error| error.to_string())?;
        rest = &rest[step.consumed..];
        match step.event {
            Some(Event::FrameEnd(end)) => {
                let header = end.header;
                return if end.offset > 0 {
                    Err(format!("{} bytes come before it", end.offset))
                } else if !header.single_segment() || header.content_size() != Some(content_size) {
                    Err(format!("it is not a single segment that declares {content_size} bytes"))
                } else if !end.content.contains(content_size) {
                    Err(format!("its blocks do not make {content_size} bytes"))
                } else if header.content_checksum() != checksum {
                    Err(format!("it has {} checksum", if checksum { "no" } else { "a" }))
                } else if !rest.is_empty() {
                    Err(format!("{} bytes come after its end", rest.len()))
                } else if frame.len() > max_frame_size(usize::try_from(content_size).unwrap_or(usize::MAX)) {
                    Err(format!("it is of {} bytes for {content_size} bytes of content", frame.len()))
                } else {
                    Ok(())
                };
            }
            Some(_) => {}
            None => {
                walker.finish().map_err(|error| error.to_string())?;
                return Err("it has no content".to_owned());
            }
        }
    }
}
