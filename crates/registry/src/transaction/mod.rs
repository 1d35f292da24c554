//! Planning, signing and sending transactions.

mod call;
mod data_fee;
mod fees;
mod gas;
mod mined;
mod plan;
mod rejection;
mod revert_reason;
mod sender;
mod signing;
mod wait;
mod wei;

pub use call::Call;
pub use data_fee::DataFee;
pub use fees::{FeeKind, FeeLimitExceeded, FeeLimits, Fees};
pub use gas::gas_limit_with_margin;
pub use mined::MinedTransaction;
pub use plan::TransactionPlan;
pub use rejection::TransactionRejection;
pub use revert_reason::RevertReason;
pub(crate) use revert_reason::decode_errors;
pub use sender::TransactionSender;
pub use signing::{SignedTransaction, Signer, UnsignedTransaction};
pub use wait::{PollTimer, WaitPolicy};
pub use wei::Wei;
