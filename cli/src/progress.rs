//! Progress on a terminal, by how much of the input was read.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};
use zvet::source::Source;

/// Smaller inputs are done before anyone looks.
const WORTH_SHOWING: u64 = 16 << 20;

/// A progress bar for an input of this size, if there is a terminal to show it on.
pub(crate) fn bar(name: &str, size: Option<u64>, wanted: bool) -> ProgressBar {
    if !wanted || !io::stderr().is_terminal() || size.is_some_and(|size| size < WORTH_SHOWING) {
        return ProgressBar::hidden();
    }
    let (bar, template) = match size {
        Some(size) => {
            (ProgressBar::new(size), "{msg} [{bar:30}] {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left")
        }
        None => (ProgressBar::no_length(), "{msg} {spinner} {bytes}, {bytes_per_sec}"),
    };
    bar.set_style(ProgressStyle::with_template(template).expect("the template is a constant").progress_chars("=> "));
    bar.set_message(name.to_owned());
    bar
}

/// A source that moves a bar.
pub(crate) struct Watched<S> {
    pub(crate) source: S,
    pub(crate) bar: ProgressBar,
}

impl<S: Source> Source for Watched<S> {
    fn fill(&mut self) -> io::Result<&[u8]> {
        self.source.fill()
    }

    fn consume(&mut self, n: usize) {
        self.bar.inc(n as u64);
        self.source.consume(n);
    }

    fn read_some(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.source.read_some(buffer)?;
        self.bar.inc(n as u64);
        Ok(n)
    }

    fn skip(&mut self, n: u64) -> io::Result<u64> {
        let skipped = self.source.skip(n)?;
        self.bar.inc(skipped);
        Ok(skipped)
    }
}
