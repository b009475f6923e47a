//! What is decoded.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter;
use zvet::source::Stream;
use zvet_tests::data::Shape;

use crate::options::Options;

pub(crate) const FRAME: usize = 8 << 20;
pub(crate) const LEVEL: i32 = 3;

/// Content of a kind.
pub(crate) struct Content {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

impl Content {
    pub(crate) fn of(name: &str, shape: Shape, size: usize) -> Self {
        Self { name: name.to_owned(), bytes: shape.data(size, 1) }
    }

    /// The kinds that are made, and the files.
    pub(crate) fn all(options: &Options) -> impl Iterator<Item = Self> {
        let made = [("text", Shape::Text), ("binary", Shape::Binary), ("image", Shape::Image)];
        let made = made.into_iter().map(|(name, shape)| Self::of(name, shape, options.content));
        made.chain(options.files.iter().map(|path| Self::of_file(path, options.content)))
    }

    fn of_file(path: &Path, size: usize) -> Self {
        let mut bytes = Vec::new();
        let read = File::open(path).and_then(|file| file.take(size as u64).read_to_end(&mut bytes));
        read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self { name, bytes }
    }
}

/// Frames of so much content each, which they declare, and without a checksum.
pub(crate) struct Frames {
    pub(crate) list: Vec<Vec<u8>>,
    pub(crate) frame_size: usize,
    pub(crate) content_size: usize,
    /// All of them, one after the other.
    pub(crate) stream: Bytes,
}

/// Bytes that several readers read at once.
pub(crate) type Bytes = Arc<[u8]>;

impl Frames {
    pub(crate) fn of(content: &[u8], frame_size: usize, level: i32) -> Self {
        Self::by(&mut Compressor::new(level).unwrap(), content, frame_size)
    }

    /// Of a single segment: the window is all of the content, where a level alone may say less.
    pub(crate) fn of_single_segments(content: &[u8], frame_size: usize, level: i32) -> Self {
        let mut compressor = Compressor::new(level).unwrap();
        let window_log = frame_size.next_power_of_two().ilog2();
        compressor.set_parameter(CParameter::WindowLog(window_log)).unwrap();
        Self::by(&mut compressor, content, frame_size)
    }

    fn by(compressor: &mut Compressor<'_>, content: &[u8], frame_size: usize) -> Self {
        let list: Vec<_> = content.chunks(frame_size).map(|frame| compressor.compress(frame).unwrap()).collect();
        let stream = list.concat().into();
        Self { list, frame_size, content_size: content.len(), stream }
    }

    /// How many bytes of content one of input makes.
    #[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
    pub(crate) fn ratio(&self) -> f64 {
        self.content_size as f64 / self.stream.len() as f64
    }
}

/// As from a pipe: bytes are copied out of it once.
pub(crate) fn source(stream: &Bytes) -> Stream<Cursor<Bytes>> {
    Stream::new(Cursor::new(stream.clone()))
}
