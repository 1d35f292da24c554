use std::{io, path::PathBuf};

/// Why the index cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Error {
    #[error("the search index failed")]
    Tantivy(#[from] tantivy::TantivyError),
    #[error("cannot create the folder {} of the search index", path.display())]
    Folder { path: PathBuf, source: io::Error },
    /// Two processes must not write one index.
    #[error("another process writes the search index in {}", path.display())]
    Locked { path: PathBuf },
}
