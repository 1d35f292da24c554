//! Files that a command writes.

use std::{
    io::{self, Write},
    path::Path,
};

use crate::error::Error;

/// Creates a file atomically through a temporary file; fails if it exists.
pub(crate) fn write_new(file: &Path, bytes: &[u8]) -> Result<(), Error> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::AlreadyExists => Error::FileExists {
            path: file.to_owned(),
        },
        _ => Error::Write {
            path: file.to_owned(),
            source,
        },
    };
    let directory = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    // Readable by everyone, unlike other temporary files.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut temporary = builder.tempfile_in(directory).map_err(failed)?;
    temporary.write_all(bytes).map_err(failed)?;
    temporary.as_file().sync_all().map_err(failed)?;
    temporary
        .persist_noclobber(file)
        .map_err(|error| failed(error.error))?;
    Ok(())
}
