//! Progress on a terminal, by how much of the input was read.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};
use zvet::source::Source;

/// Smaller inputs are done before anyone looks.
const WORTH_SHOWING: u64 = 16 << 20;

/// An input's progress, if there is a terminal to show it on and it takes long enough to be seen.
#[derive(Clone, Debug)]
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    pub(crate) fn new(name: &str, size: Option<u64>, wanted: bool) -> Self {
        let worth_it = size.is_none_or(|size| size >= WORTH_SHOWING);
        Self((wanted && worth_it && io::stderr().is_terminal()).then(|| bar(name, size)))
    }

    /// The source, watched if there is anything to show.
    pub(crate) fn watch(&self, source: Box<dyn Source + Send>) -> Box<dyn Source + Send> {
        match &self.0 {
            Some(bar) => Box::new(Watched { source, bar: bar.clone() }),
            None => source,
        }
    }

    /// Takes the bar off the terminal.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn bar(name: &str, size: Option<u64>) -> ProgressBar {
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
struct Watched<S> {
    source: S,
    bar: ProgressBar,
}

impl<S: Source> Source for Watched<S> {
    fn fill(&mut self) -> io::Result<&[u8]> {
        self.source.fill()
    }

    fn is_ready(&self) -> bool {
        self.source.is_ready()
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
