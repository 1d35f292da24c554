//! Properties of the nine predicates.

mod access_proofs;
mod allowlists;
mod entries;
mod introspection;
mod kleene;
mod lists;
mod pause;
mod sequences;
mod stipends;
mod subscriptions;
mod trait_gates;

mod actors;
mod composite_children;
mod composite_trees;
mod configure;
mod data;
mod execute;
mod fixture;
mod merkle_tree;
mod reach;
mod scenario;
mod step;
mod submit;
mod token_behaviors;
mod token_steps;
mod tokens;
mod tree;
