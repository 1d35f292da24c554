#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod call;
mod chain;
mod ens;
mod error;
mod fees;
mod journal;
mod logs;
mod node;
mod transaction;

pub use call::{BlockView, CallResult, call_all, call_batch, call_request, execution_failure};
pub use chain::{CHAINS, ChainProfile, DataFeeKind, GasCharge, TransactionType, Verifier};
pub use ens::{ENS_REGISTRY, Ens, EnsError, EnsName, InvalidEnsName, NameResolver, set_text_calls};
pub use error::{Error, PendingTransaction, rpc_error};
pub use fees::{
    DataFee, FeeKind, FeeLimitExceeded, FeeLimits, Fees, Wei, format_gwei, gas_limit_with_margin,
};
pub use journal::{Attempt, Entry, Journal, write_atomically};
pub use logs::{
    BlockRef, Checkpoint, LogBatch, LogBlock, LogStream, LogStreamOptions, Poll, Progress, Rewind,
    StartBlock, UndoneBlock,
};
pub use node::{Endpoints, Head, Node};
pub use transaction::{
    Call, Event, Goal, MinedTransaction, PollTimer, Run, SendOutcome, Signer, Transaction,
    TransactionPlan, TransactionRejection, TransactionSender, WaitPolicy,
};
