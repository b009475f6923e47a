//! Inputs: files, which can seek, and whatever else has bytes.

use std::fs::File;
use std::io;
use std::path::Path;

use zvet::source::{Seekable, Source, Stream};

/// An input that was opened.
pub(crate) struct Input {
    pub(crate) source: Box<dyn Source + Send>,
    /// Its size, where it is known before it is read.
    pub(crate) size: Option<u64>,
    /// The file, for its permissions.
    pub(crate) metadata: Option<std::fs::Metadata>,
}

/// Whether a path stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// How documents name an input.
pub(crate) fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// How messages name a file: what would be an end of line or an escape code on a terminal is spelled out.
pub(crate) fn shown(path: &Path) -> String {
    let mut shown = String::new();
    for char in path.to_string_lossy().chars() {
        if char.is_control() { shown.extend(char.escape_default()) } else { shown.push(char) }
    }
    shown
}

/// Opens an input.
pub(crate) fn open(path: &Path) -> io::Result<Input> {
    let file = if is_stdin(path) { stdin()? } else { File::open(path)? };
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory"));
    }
    if !metadata.is_file() {
        return Ok(Input { source: Box::new(Stream::new(file)), size: None, metadata: None });
    }
    // Files of no size may have content all the same, as those of the system's own have, and cannot seek.
    if metadata.len() == 0 {
        return Ok(Input { source: Box::new(Stream::new(file)), size: None, metadata: Some(metadata) });
    }
    let source = Seekable::new(file)?;
    Ok(Input { size: Some(source.size()), source: Box::new(source), metadata: Some(metadata) })
}

/// Standard input as a file, so that one that can seek does.
#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn stdin() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}
