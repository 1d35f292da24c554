//! Async runtime.

use crate::error::Error;

/// Runs a server on all cores.
pub(crate) fn block_on_threads<F: Future>(future: F) -> Result<F::Output, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::Runtime { source })?;
    Ok(runtime.block_on(future))
}

/// Runs a future on the current thread: `atr` is bound by I/O.
pub(crate) fn block_on<F: Future>(future: F) -> Result<F::Output, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::Runtime { source })?;
    Ok(runtime.block_on(future))
}
