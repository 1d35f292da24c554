//! Integration tests, on real databases and nodes.

mod access;
mod chain;
mod feed;
mod openapi;
#[path = "../../../store/tests/it/postgres.rs"]
mod postgres;
mod reads;
mod replicas;
mod search;
mod server;
mod untrusted;
mod usage;
mod world;
