//! Input as it comes: in pieces of any size.

use std::io::{self, Read};

use crate::data::Lcg;

/// A reader that gives as much at a time as it likes.
#[derive(Debug)]
pub struct Cut<R> {
    reader: R,
    sizes: Lcg,
    most: usize,
}

impl<R> Cut<R> {
    /// Pieces of up to some size that is chosen here, small ones more often than large ones.
    pub fn new(reader: R, choices: &mut Lcg) -> Self {
        let most = 1 + choices.skewed(200_000);
        Self { reader, sizes: Lcg(choices.next_number()), most }
    }
}

impl<R: Read> Read for Cut<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = buffer.len().min(1 + self.sizes.below(self.most));
        self.reader.read(&mut buffer[..size])
    }
}

/// A stream in pieces, some of them empty.
pub fn pieces<'a>(stream: &'a [u8], choices: &mut Lcg) -> Vec<&'a [u8]> {
    let most = 1 + choices.skewed(2 * stream.len() + 2);
    let (mut pieces, mut rest) = (Vec::new(), stream);
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(choices.below(most + 1).min(rest.len()));
        pieces.push(piece);
        rest = more;
    }
    pieces
}
