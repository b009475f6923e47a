//! Streams of the zstd command, as many as there is time for: what zvet says of them, and of them with damage, against
//! what is known and what other decoders say.
//!
//! A case is made of its seed alone, by the same zstd command.

mod check;
mod damage;
mod layout;
mod make;

use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::compare::{Counts, count};
use crate::data::Lcg;
use crate::zstd;
use make::{Case, Maker};

/// Runs cases and counts what came of them.
#[derive(Debug)]
pub struct Driver {
    maker: Maker,
    keep: PathBuf,
    /// What came to pass, and how often.
    pub counts: Counts,
    /// Bytes of streams that were made.
    pub compressed: u64,
    /// Bytes of content that was compressed.
    pub content: u64,
}

/// Something that nobody expected of a stream.
#[derive(Debug)]
pub struct Difference {
    /// What it is, and how the stream was made.
    pub what: String,
    /// Where the stream was kept; its dictionary lies beside it.
    pub kept: Option<PathBuf>,
}

/// A stream that is not what it should be, and why.
struct Wrong {
    stream: Vec<u8>,
    why: String,
}

impl Driver {
    /// A driver that keeps failing streams in this folder; `None` where there is no zstd command.
    pub fn new(keep: &Path) -> Option<Self> {
        zstd::command()?;
        let (maker, counts) = (Maker::new(), Counts::new());
        Some(Self { maker, keep: keep.to_owned(), counts, compressed: 0, content: 0 })
    }

    /// Runs one case: a stream as it was made, and the same with damage, so many times.
    ///
    /// # Errors
    /// The first difference.
    pub fn run(&mut self, seed: u64, damaged: usize) -> Result<(), Box<Difference>> {
        let mut lcg = Lcg::seeded(seed);
        let made = catch_unwind(AssertUnwindSafe(|| self.maker.make(&mut lcg)));
        let case = made.map_err(|panic| {
            Box::new(Difference { what: format!("making the stream: {}", message(&*panic)), kept: None })
        })?;
        self.compressed += case.stream.len() as u64;
        self.content += case.content_size();
        // A panic is a difference, too.
        let counts = &mut self.counts;
        let whole = catch_unwind(AssertUnwindSafe(|| check::all(&case, &mut lcg, counts)));
        let whole = whole.unwrap_or_else(|panic| Err(message(&*panic)));
        let result = whole.map_err(|why| Wrong { stream: case.stream.clone(), why }).and_then(|()| {
            (0..damaged).try_for_each(|_| {
                let stream = damage::damaged(&case.stream, &mut lcg);
                let checked = catch_unwind(AssertUnwindSafe(|| damage::check(&stream, &case, counts)));
                checked.unwrap_or_else(|panic| Err(message(&*panic))).map_err(|why| Wrong { stream, why })
            })
        });
        count(&mut self.counts, "cases");
        result.map_err(|wrong| Box::new(self.kept(seed, &case, &wrong)))
    }

    fn kept(&self, seed: u64, case: &Case, wrong: &Wrong) -> Difference {
        let path = self.keep.join(format!("{seed}.zst"));
        let write = || {
            fs::create_dir_all(&self.keep)?;
            if let Some(dictionary) = &case.dictionary {
                fs::write(path.with_extension("dict"), dictionary.bytes())?;
            }
            fs::write(&path, &wrong.stream)
        };
        let (written, how) = (write(), case.how());
        let what = format!("{}\nmade by: {how}", wrong.why);
        match written {
            Ok(()) => Difference { what, kept: Some(path) },
            Err(error) => Difference { what: format!("{what}\n(it was not kept: {error})"), kept: None },
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("a panic: {}", text.unwrap_or("?"))
}
