//! Integration tests of `atr-api`, on real databases and nodes. They need `make deps` and PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

mod access;
mod chain;
mod feed;
mod mcp;
mod openapi;
mod reads;
mod replicas;
mod search;
mod server;
mod untrusted;
mod usage;
mod web;
mod web_untrusted;
mod world;
