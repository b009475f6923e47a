//! Streams decoded to memory.

use std::io::{self, Cursor, Read};

use zvet::source::Stream;
use zvet::{Error, ParallelReader, Report, Settings, Slots};

/// The content that was given, and how it ended.
pub type Decoded = (Vec<u8>, Result<Report, Error>);

/// The size of the stream, or what its error says.
pub fn ended((_, result): &Decoded) -> Result<u64, String> {
    result.as_ref().map(|report| report.size).map_err(ToString::to_string)
}

/// Settings of so many workers, with slots of their own.
pub fn with_workers(workers: usize) -> Settings {
    Settings { workers: workers.try_into().unwrap(), slots: Slots::new(workers), ..Settings::default() }
}

/// Decodes a stream that is there as a whole.
pub fn decode(stream: &[u8], settings: &Settings) -> Decoded {
    decode_from(Cursor::new(stream.to_vec()), settings)
}

/// Decodes what is read, to its end or its error.
///
/// # Panics
/// Where the reader has an error of something else, or another one when it is asked again.
pub fn decode_from(input: impl Read + Send + 'static, settings: &Settings) -> Decoded {
    let mut reader = ParallelReader::with_settings(Stream::new(input), settings).unwrap();
    let mut content = Vec::new();
    let read = reader.read_to_end(&mut content);
    let finished = reader.finish();
    if let Err(error) = read {
        let kind = error.kind();
        let error = error.downcast::<Error>().expect("the reader's own");
        let again = finished.expect_err("the error stays");
        assert_eq!(again.to_string(), error.to_string(), "the first error stays");
        assert_eq!(kind, io::Error::from(again).kind(), "and so does its kind");
        return (content, Err(error));
    }
    (content, finished)
}
