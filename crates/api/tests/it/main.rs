//! Integration tests, on real databases and nodes.

mod access;
mod chain;
mod feed;
mod openapi;
mod reads;
mod replicas;
mod search;
mod server;
mod untrusted;
mod usage;
mod world;
