//! What libzstd 1.5.7 makes of a stream: in one call, and as a stream of pieces.

use zstd::zstd_safe::{CParameter, DCtx, DParameter, InBuffer, OutBuffer, get_error_name};

/// What is decoded of a stream at most: changed streams may be bombs.
const MOST: usize = 1 << 30;

/// Windows of up to 1 GiB: libzstd asks for memory for all of a window at once, and takes no more where addresses have 32 bits.
const WINDOW_LOG_MAX: u32 = 30;

/// Why libzstd does not decode a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An error of its own.
    Error(&'static str),
    /// No error: it asks for more input.
    More,
    /// It makes more than a test wants to see.
    TooMuch,
}

/// How libzstd is asked.
#[derive(Clone, Copy, Debug)]
pub struct Decoder<'a> {
    checksums: bool,
    window_log: u32,
    dictionary: Option<&'a [u8]>,
}

impl<'a> Decoder<'a> {
    /// One that compares checksums, or not, and takes windows of up to 1 GiB. The dictionary is a formatted one where it
    /// begins with the magic number.
    pub fn new(checksums: bool, dictionary: Option<&'a [u8]>) -> Self {
        Self { checksums, window_log: WINDOW_LOG_MAX, dictionary }
    }

    /// One as libzstd makes them: it compares checksums, and as a stream takes windows of up to 128 MiB.
    pub fn by_default() -> Self {
        Self { checksums: true, window_log: 27, dictionary: None }
    }

    fn context(self) -> DCtx<'static> {
        let mut context = DCtx::create();
        context.set_parameter(DParameter::WindowLogMax(self.window_log)).unwrap();
        context.set_parameter(DParameter::ForceIgnoreChecksum(!self.checksums)).unwrap();
        if let Some(dictionary) = self.dictionary {
            context.load_dictionary(dictionary).unwrap();
        }
        context
    }

    /// The content of a stream that it has whole, with 128 KiB of room at a time.
    ///
    /// # Errors
    /// Why it is not decoded.
    pub fn stream(self, stream: &[u8]) -> Result<Vec<u8>, Refusal> {
        self.in_pieces(stream, usize::MAX)
    }

    /// The content of a stream that it gets in pieces of this size. Without input it is not called at all, as by any loop over
    /// what is read: no content, and no error.
    ///
    /// # Errors
    /// Why it is not decoded.
    pub fn in_pieces(self, stream: &[u8], size: usize) -> Result<Vec<u8>, Refusal> {
        let mut decoder = self.context();
        let (mut content, mut room) = (Vec::new(), vec![0; 128 << 10]);
        let mut more = 0;
        for piece in stream.chunks(size.min(stream.len()).max(1)) {
            let mut input = InBuffer::around(piece);
            loop {
                let mut output = OutBuffer::around(&mut room[..]);
                let before = input.pos();
                more = decoder
                    .decompress_stream(&mut output, &mut input)
                    .map_err(|code| Refusal::Error(get_error_name(code)))?;
                let made = output.pos();
                content.extend_from_slice(&room[..made]);
                if content.len() > MOST {
                    return Err(Refusal::TooMuch);
                }
                if input.pos() == piece.len() && (made < room.len() || more == 0) {
                    break;
                }
                assert!(input.pos() > before || made > 0, "libzstd comes no further");
            }
        }
        if more == 0 { Ok(content) } else { Err(Refusal::More) }
    }

    /// The content of a stream in one call, in room for so many bytes and one more.
    ///
    /// # Errors
    /// Why it is not decoded.
    pub fn in_one_call(self, stream: &[u8], size: u64) -> Result<Vec<u8>, Refusal> {
        let mut content = Vec::with_capacity(usize::try_from(size).unwrap() + 1);
        self.context().decompress(&mut content, stream).map_err(|code| Refusal::Error(get_error_name(code)))?;
        Ok(content)
    }
}

/// A frame of this content.
pub fn compress(content: &[u8], level: i32, checksum: bool, sized: bool) -> Vec<u8> {
    let mut compressor = zstd::bulk::Compressor::new(level).unwrap();
    compressor.set_parameter(CParameter::ChecksumFlag(checksum)).unwrap();
    compressor.set_parameter(CParameter::ContentSizeFlag(sized)).unwrap();
    compressor.compress(content).unwrap()
}
