//! Where asynchronous work runs.

use crate::error::Error;

/// Runs a future to its end, on this thread: `atr` waits for others far more than it works.
pub(crate) fn block_on<F: Future>(future: F) -> Result<F::Output, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| Error::Runtime { source })?;
    Ok(runtime.block_on(future))
}
