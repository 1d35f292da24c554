//! Files that only their owner can read.

use std::{fs, io, path::Path};

/// Creates a file if it does not exist.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    open(path).map(drop)
}

/// Opens a file for writing and creates it if it does not exist.
pub(crate) fn open(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
