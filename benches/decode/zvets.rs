//! zvet, as it is set up here.

use std::io;
use std::num::NonZeroUsize;
use std::thread;

use zvet::source::Source;
use zvet::{EngineChoice, ParallelReader, Settings, Slots};

/// An engine, and whether it is trusted with the inside of blocks.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    engine: &'static str,
    trusted: bool,
}

impl Way {
    /// All that differ: an engine that is not strict is not trusted, whatever the settings say.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        EngineChoice::names().flat_map(|engine| {
            let trust: &[bool] = if engine == "ruzstd" { &[false] } else { &[false, true] };
            trust.iter().map(move |&trusted| Self { engine, trusted })
        })
    }

    /// The default engine's.
    pub(crate) fn of_default() -> [Self; 2] {
        let engine = EngineChoice::names().next().expect("ruzstd is always built in");
        [false, true].map(|trusted| Self { engine, trusted })
    }

    pub(crate) fn name(self) -> String {
        format!("{}, {}", self.engine, self.vetting())
    }

    pub(crate) fn engine(self) -> &'static str {
        self.engine
    }

    pub(crate) fn vetting(self) -> &'static str {
        if self.trusted { "trusted" } else { "vetted" }
    }

    pub(crate) fn settings(self, workers: usize, slots: Slots) -> Settings {
        Settings {
            engine: EngineChoice::named(self.engine).expect("it is built in"),
            trust_engine: self.trusted,
            workers: NonZeroUsize::new(workers).expect("at least one"),
            slots,
            ..Settings::default()
        }
    }
}

pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Reads all of the content and checks that it was all; it goes nowhere.
pub(crate) fn read(source: impl Source + Send + 'static, settings: &Settings, content_size: usize) -> u64 {
    let mut reader = ParallelReader::with_settings(source, settings).unwrap();
    let size = reader.copy_to(&mut io::sink()).unwrap();
    reader.finish().unwrap();
    assert_eq!(size, content_size as u64);
    size
}
