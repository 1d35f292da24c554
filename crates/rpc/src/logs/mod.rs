//! Logs of a chain, across reorgs and restarts of the program.

mod batch;
mod history;
mod reader;
mod refusal;
mod stream;
mod window;

pub use batch::{BlockRef, LogBatch, LogBlock, Poll, Progress, Rewind, UndoneBlock};
pub use history::Checkpoint;
pub(crate) use refusal::Refusal;
pub use stream::{LogStream, LogStreamOptions, StartBlock};
