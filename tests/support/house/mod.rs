//! The laws of the house, each a pure function from what was read to what is wrong.

pub mod contracts;
pub mod crates;
pub mod floors;
pub mod hygiene;
pub mod trees;
pub mod workspace;
