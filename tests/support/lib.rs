//! What the suites share: reading the repository, weighing its tests, and the laws of the house.

pub mod coverage;
pub mod house;
pub mod registry;
pub mod repository;
pub mod source;
pub mod surroundings;
