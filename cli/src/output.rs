//! Outputs. A file is written beside its target and takes its name only when it is complete.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use tempfile::{Builder, NamedTempFile};

/// Where decoded content goes.
#[derive(Debug)]
pub(crate) enum Output {
    Stdout(io::Stdout),
    /// What is no regular file is written to as it is: a device, a pipe.
    Special(File),
    Beside {
        file: NamedTempFile,
        target: PathBuf,
        force: bool,
        modified: Option<SystemTime>,
    },
}

/// The file that is being written beside its target, for whoever interrupts.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes what is unfinished, when the command is interrupted. The exit code is that of a shell for an interrupt.
pub(crate) fn remove_when_interrupted() {
    const INTERRUPTED: i32 = 130;
    // Without a handler, an unfinished file is left, under a name that says so.
    let _ = ctrlc::set_handler(|| {
        if let Some(path) = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = fs::remove_file(path);
        }
        std::process::exit(INTERRUPTED);
    });
}

fn set_unfinished(path: Option<PathBuf>) {
    *UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) = path;
}

/// Links that lead to links are followed this far, as systems do.
const LINKS_MAX: usize = 40;

impl Output {
    /// Makes ready to write `target`; `like` is the file whose permissions and time of change it gets.
    ///
    /// # Errors
    /// `AlreadyExists` without `force`, and those of creating a file beside it.
    pub(crate) fn create(target: &Path, force: bool, like: Option<Metadata>) -> io::Result<Self> {
        match fs::metadata(target) {
            Ok(there) if there.is_dir() => return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory")),
            Ok(there) if !there.is_file() => {
                return Ok(Self::Special(OpenOptions::new().write(true).open(target)?));
            }
            Ok(_) if !force => return Err(already_exists()),
            _ => {}
        }
        let target = behind_links(target)?;
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let prefix = hidden_prefix(target.file_name().unwrap_or_default());
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(".partial");
        let permissions = permissions(like.as_ref());
        if let Some(permissions) = &permissions {
            builder.permissions(permissions.clone());
        }
        let file = builder.tempfile_in(folder).map_err(without_path)?;
        set_unfinished(Some(file.path().to_owned()));
        if like.is_some()
            && let Some(permissions) = permissions
        {
            // Those of the input, not less what the umask takes from new files.
            file.as_file().set_permissions(permissions)?;
        }
        let modified = like.and_then(|like| like.modified().ok());
        Ok(Self::Beside { file, target, force, modified })
    }

    /// The file that is written beside its target, if that is what it is: it can be written at any offset.
    pub(crate) fn file(&self) -> Option<io::Result<File>> {
        match self {
            Self::Stdout(_) | Self::Special(_) => None,
            Self::Beside { file, .. } => Some(file.as_file().try_clone()),
        }
    }

    /// Gives the output its name: it is complete.
    ///
    /// # Errors
    /// Those of writing the last of it. What was written beside the target is then removed.
    pub(crate) fn complete(mut self) -> io::Result<()> {
        self.flush()?;
        let Self::Beside { file, target, force, modified } = self else { return Ok(()) };
        if let Some(modified) = modified {
            // The content is what counts; a file system without times keeps it all the same.
            let _ = file.as_file().set_modified(modified);
        }
        // From here on it may have its name.
        set_unfinished(None);
        let persisted = if force { file.persist(target) } else { file.persist_noclobber(target) };
        match persisted {
            Ok(_) => Ok(()),
            Err(error) if !force && error.error.kind() == io::ErrorKind::AlreadyExists => Err(already_exists()),
            Err(error) => Err(without_path(error.error)),
        }
    }
}

/// The path that a link leads to, so that the file behind it is replaced and not the link; it need not be there yet.
fn behind_links(target: &Path) -> io::Result<PathBuf> {
    let mut path = target.to_owned();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

/// How the name of a file begins that is not yet complete: hidden, with as much of the target's as a name has room for.
fn hidden_prefix(name: &OsStr) -> String {
    const ROOM: usize = 200;
    let name = name.to_string_lossy();
    let end = (0..=ROOM.min(name.len())).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
    format!(".{}.", &name[..end])
}

/// Takes the name of the temporary file out of an error: nobody gave it.
fn without_path(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((what, _)) => io::Error::new(error.kind(), what),
        None => error,
    }
}

fn already_exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "already exists; --force overwrites it")
}

/// What the output may have: what its input has, without set-user-id and the like, or what any new file has.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "there are none elsewhere")]
fn permissions(like: Option<&Metadata>) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(like.map_or(0o666, |like| like.permissions().mode() & 0o777)))
}

#[cfg(not(unix))]
fn permissions(_like: Option<&Metadata>) -> Option<Permissions> {
    None
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(to) => to.write(bytes),
            Self::Special(to) => to.write(bytes),
            Self::Beside { file, .. } => file.as_file_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(to) => to.flush(),
            Self::Special(to) => to.flush(),
            Self::Beside { file, .. } => file.as_file_mut().flush(),
        }
    }
}
