//! Test data of others with expected verdicts, which is not part of the repository. It is looked for beside it, in
//! `../shared/vectors`, or where `ZVET_VECTORS` says.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the data is, if it is there.
pub fn folder() -> Option<PathBuf> {
    let folder =
        std::env::var_os("ZVET_VECTORS").map_or_else(|| crate::root().join("../shared/vectors"), PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// The lines of a table with tabs between its columns, by the names in its first line.
pub fn table(path: &Path) -> Vec<HashMap<String, String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    lines.map(|line| names.iter().map(ToString::to_string).zip(line.split('\t').map(str::to_owned)).collect()).collect()
}
