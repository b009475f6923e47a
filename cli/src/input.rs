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

/// How messages and documents name an input.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) { "-".to_owned() } else { path.to_string_lossy().into_owned() }
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
