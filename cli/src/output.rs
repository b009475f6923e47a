//! Outputs. A file is written beside its target and takes its name only when it is complete.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

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
    },
}

impl Output {
    /// Makes ready to write `target`; `like` is the file whose permissions it gets.
    ///
    /// # Errors
    /// `AlreadyExists` without `force`, and those of creating a file beside it.
    pub(crate) fn create(target: &Path, force: bool, like: Option<&Metadata>) -> io::Result<Self> {
        // Through a symbolic link, it is the file behind it that is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        match fs::metadata(&target) {
            Ok(there) if there.is_dir() => return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory")),
            Ok(there) if !there.is_file() => {
                return Ok(Self::Special(OpenOptions::new().write(true).open(&target)?));
            }
            Ok(_) if !force => return Err(already_exists()),
            _ => {}
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let prefix = format!(".{name}.");
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(".partial");
        if let Some(permissions) = new_file_permissions() {
            builder.permissions(permissions);
        }
        let file = builder.tempfile_in(folder)?;
        if let Some(like) = like {
            file.as_file().set_permissions(like.permissions())?;
        }
        Ok(Self::Beside { file, target, force })
    }

    /// Gives the output its name: it is complete.
    ///
    /// # Errors
    /// Those of writing the last of it. What was written beside the target is then removed.
    pub(crate) fn complete(mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Self::Stdout(_) | Self::Special(_) => Ok(()),
            Self::Beside { file, target, force: true } => file.persist(target).map(drop).map_err(|error| error.error),
            Self::Beside { file, target, force: false } => match file.persist_noclobber(target) {
                Ok(_) => Ok(()),
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(already_exists()),
                Err(error) => Err(error.error),
            },
        }
    }
}

fn already_exists() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "already exists; --force overwrites it")
}

/// What a new file may have; the umask takes from it.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "there are none elsewhere")]
fn new_file_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn new_file_permissions() -> Option<Permissions> {
    None
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(to) => to.write(bytes),
            Self::Special(to) => to.write(bytes),
            Self::Beside { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(to) => to.flush(),
            Self::Special(to) => to.flush(),
            Self::Beside { file, .. } => file.flush(),
        }
    }
}
