//! Planning, signing, sending and confirming transactions.

mod budget;
mod call;
mod confirm;
mod event;
mod inclusion;
mod mined;
mod plan;
mod rejection;
mod run;
mod sender;
mod signing;
mod wait;

pub use call::{Call, Goal, Transaction};
pub use event::Event;
pub use mined::{MinedTransaction, SendOutcome};
pub use plan::TransactionPlan;
pub use rejection::TransactionRejection;
pub use run::Run;
pub use sender::TransactionSender;
pub use signing::Signer;
pub use wait::{PollTimer, WaitPolicy};
