//! What the environment asks for.

use std::env;
use std::fmt::Debug;
use std::path::PathBuf;
use std::str::FromStr;

pub(crate) struct Options {
    only: Vec<String>,
    pub(crate) files: Vec<PathBuf>,
    /// How much content of each kind of data, in bytes.
    pub(crate) content: usize,
    pub(crate) rounds: usize,
    pub(crate) levels: Vec<i32>,
    /// The command zvet.
    pub(crate) command: Option<PathBuf>,
}

impl Options {
    pub(crate) fn from_environment() -> Self {
        let one = |name, default| list(name, ',').pop().unwrap_or(default);
        let levels = list("ZVET_BENCH_LEVELS", ',');
        Self {
            only: list("ZVET_BENCH_ONLY", ','),
            files: list("ZVET_BENCH_FILES", ':'),
            content: one("ZVET_BENCH_MIB", 64).max(16) << 20,
            rounds: one("ZVET_BENCH_ROUNDS", 5).max(1),
            levels: if levels.is_empty() { vec![3] } else { levels },
            command: env::var_os("ZVET_BENCH_COMMAND").map(PathBuf::from),
        }
    }

    pub(crate) fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == part)
    }
}

fn list<T: FromStr<Err: Debug>>(name: &str, separator: char) -> Vec<T> {
    let text = env::var(name).unwrap_or_default();
    let parts = text.split(separator).filter(|part| !part.is_empty());
    parts.map(|part| part.trim().parse().unwrap_or_else(|error| panic!("{name}: {part}: {error:?}"))).collect()
}
