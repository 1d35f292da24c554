//! The nine predicates beside their models: first random sequences over all of them, then what has a name of its own.

mod machine;

mod access_proofs;
mod allowlists;
mod introspection;
mod kleene;
mod lists;
mod pause;
mod subscriptions;
mod trait_gates;

mod cast;
mod data;
mod family;
mod grove;
mod holdings;
mod merkle_tree;
mod moves;
mod play;
mod reach;
mod scenario;
mod set_up;
mod signer;
mod stage;
mod step;
mod submit;
mod tree;
mod voices;
