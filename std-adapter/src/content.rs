//! What zvet checks of decoded content, whatever the engine: how much there is of it, and its checksum.
//!
//! The blocks were checked before. At the end of the frame their exact size was held to the declared one, so content of
//! any other size is the engine's fault, and not the stream's. Before that end it may be either's
//! ([`Running::blame`](crate::engine::Running::blame)).

use zvet_core::consts::CHECKSUM_SIZE;
use zvet_core::{Error as FormatError, ErrorKind, Frame, Location, SizeRange};

use crate::checksum::ContentChecksum;
use crate::error::{EngineFault, EngineFaultKind, Error};

/// The content of one frame, as it comes.
#[derive(Debug)]
pub(crate) struct Content {
    checksum: Option<ContentChecksum>,
    size: u64,
    engine: &'static str,
}

impl Content {
    /// No content yet of a frame that this engine decodes.
    pub(crate) fn of(frame: &Frame, engine: &'static str) -> Self {
        Self { checksum: frame.header.content_checksum().then(ContentChecksum::new), size: 0, engine }
    }

    /// Takes the next bytes, before anybody else sees them. `high` is what the frame's blocks so far may make.
    pub(crate) fn take(&mut self, bytes: &[u8], frame: &Frame, high: u64) -> Result<(), Error> {
        self.size += bytes.len() as u64;
        if self.size > frame.header.content_size().unwrap_or(high).min(high) {
            return Err(self.not_of_the_blocks(frame));
        }
        if let Some(checksum) = &mut self.checksum {
            checksum.update(bytes);
        }
        Ok(())
    }

    /// Holds the whole content to the whole frame, whose blocks make `exact_size`, and returns its size. Where nobody looked
    /// inside of the blocks, there is the declared size, if any, to hold it to.
    pub(crate) fn finish(self, frame: &Frame, exact_size: Option<u64>) -> Result<u64, Error> {
        if exact_size.is_some_and(|size| size != self.size) {
            return Err(self.not_of_the_blocks(frame));
        }
        if let Some(declared) = frame.header.content_size()
            && declared != self.size
        {
            let kind = ErrorKind::ContentSize { declared, content: SizeRange::exactly(self.size) };
            return Err(FormatError::new(frame.location(), kind).into());
        }
        if let (Some(stored), Some(checksum)) = (frame.checksum, self.checksum) {
            let computed = checksum.finish();
            if stored != computed {
                let offset = frame.offset + frame.compressed_size - CHECKSUM_SIZE as u64;
                let at = Location { offset, frame: frame.index, block: None };
                return Err(FormatError::new(at, ErrorKind::Checksum { stored, computed }).into());
            }
        }
        Ok(self.size)
    }

    fn not_of_the_blocks(&self, frame: &Frame) -> Error {
        let (at, kind) = (frame.location(), EngineFaultKind::WrongOutput);
        Error::Engine(EngineFault { at, kind, engine: self.engine, message: String::new() })
    }
}
