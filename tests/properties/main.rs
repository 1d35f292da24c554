//! Random call sequences on an in-memory chain, compared with the models of `atr-harness`.

mod predicates;
mod registry;
