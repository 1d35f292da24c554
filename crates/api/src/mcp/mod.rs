//! The index for agents: a server of the Model Context Protocol, over stdio and at `/mcp`.
//!
//! Its reads give the answers of the REST API, for verified tools only. Everything that a publisher wrote is untrusted: it can try to
//! instruct the model that reads it. It is bounded, neutralized and marked as data.

mod arguments;
mod call;
mod consent;
mod content;
mod definitions;
mod http;
mod server;
mod source;
pub mod stdio;
mod toolset;

pub use call::{CallAnswer, CallOutcome, CallRequest, Caller, Paid, Payment};
pub use http::McpAccess;
pub(crate) use http::service;
pub use server::McpServer;
pub use source::Source;
pub use toolset::{MAX_PINNED, Pin, PinError, Toolset};
