//! Tests of the harness itself.

mod gas;
mod lockstep;
mod stake;
mod trace;
mod world;
