//! ruzstd encodes at one level, about zstd's level 1. Its frames have a window of 128 KiB and declare no size, so only
//! its blocks are kept. Its compressor borrows what it reads, so there is a new one for each frame.

use std::io::{self, Write};

use ruzstd::encoding::{CompressionLevel, FrameCompressor};
use zvet_core::consts::{BLOCK_HEADER_SIZE, CHECKSUM_SIZE, MAGIC_NUMBER};
use zvet_core::{FrameHeader, Status};

use super::{Encoder, EncoderError};
use crate::checksum::ContentChecksum;

/// The [`ruzstd`](https://docs.rs/ruzstd) crate as an encoder.
#[derive(Clone, Copy, Debug)]
pub struct Ruzstd {
    checksum: bool,
}

impl Ruzstd {
    /// An encoder of frames with or without checksum.
    #[must_use]
    pub const fn new(checksum: bool) -> Self {
        Self { checksum }
    }
}

impl Encoder for Ruzstd {
    fn name(&self) -> &'static str {
        "ruzstd"
    }

    fn encode(&mut self, content: &[u8], frame: &mut Vec<u8>) -> Result<(), EncoderError> {
        write_header(content.len(), self.checksum, frame)?;
        let blocks = Blocks { frame, header: None, starts: Vec::new() };
        let mut compressor = FrameCompressor::new(CompressionLevel::Fastest);
        compressor.set_source(content);
        compressor.set_drain(blocks);
        compressor.compress();
        compressor.take_drain().expect("it was set").finish()?;
        if self.checksum {
            let mut checksum = ContentChecksum::new();
            checksum.update(content);
            frame.extend(checksum.finish().to_le_bytes());
        }
        Ok(())
    }

    /// A block and the places of its bytes, its literals and sequences, and what is made of them: less than 4 MiB.
    fn memory(&self, _content_size: u64) -> u64 {
        4 << 20
    }
}

/// `Frame_Header` (RFC 8878, 3.1.1.1) of a single segment that declares its size in as few bytes as it takes.
fn write_header(content_size: usize, checksum: bool, frame: &mut Vec<u8>) -> Result<(), EncoderError> {
    const SINGLE_SEGMENT: u8 = 1 << 5;
    const CONTENT_CHECKSUM: u8 = 1 << 2;
    /// What the two bytes of a size do not count.
    const TWO_BYTES_FROM: u32 = 256;
    let size = u32::try_from(content_size).map_err(|_| EncoderError::new("content of more than 4 GiB"))?;
    let flags = SINGLE_SEGMENT | if checksum { CONTENT_CHECKSUM } else { 0 };
    frame.extend(MAGIC_NUMBER.to_le_bytes());
    if let Ok(size) = u8::try_from(size) {
        frame.extend([flags, size]);
    } else if let Ok(size) = u16::try_from(size - TWO_BYTES_FROM) {
        frame.push(flags | 1 << 6);
        frame.extend(size.to_le_bytes());
    } else {
        frame.push(flags | 2 << 6);
        frame.extend(size.to_le_bytes());
    }
    Ok(())
}

/// Takes the blocks out of what ruzstd writes: a header with the first block, and then a block at a time.
struct Blocks<'a> {
    frame: &'a mut Vec<u8>,
    header: Option<FrameHeader>,
    /// Where in the frame each block begins.
    starts: Vec<usize>,
}

impl Write for Blocks<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut block = bytes;
        if self.header.is_none() {
            let Ok(Status::Complete(header)) = FrameHeader::parse(bytes) else {
                return Err(io::Error::other("the frame does not begin with its header"));
            };
            block = &bytes[header.header_size()..];
            self.header = Some(header);
        }
        self.starts.push(self.frame.len());
        self.frame.extend_from_slice(block);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Blocks<'_> {
    /// Takes off what comes after the last block that has content, and marks that as the last one.
    fn finish(self) -> Result<(), EncoderError> {
        const LAST_BLOCK: u8 = 1;
        const EMPTY_LAST_BLOCK: [u8; BLOCK_HEADER_SIZE] = [LAST_BLOCK, 0, 0];
        let Self { frame, header, mut starts } = self;
        let Some(header) = header else { return Err(EncoderError::new("it wrote nothing")) };
        if header.content_checksum() {
            // Built with the feature for it, ruzstd writes its own.
            frame.truncate(frame.len().saturating_sub(CHECKSUM_SIZE));
            starts.pop();
        }
        // Content that ends with a full block has an empty one after it. Some decoders forget to compare sizes there.
        if let [.., before, last] = starts[..]
            && frame[last..] == EMPTY_LAST_BLOCK
        {
            frame.truncate(last);
            frame[before] |= LAST_BLOCK;
        }
        Ok(())
    }
}
