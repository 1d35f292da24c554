//! The harness itself: its readings are what others read.

mod gas;
mod stake;
mod trace;
mod twin;
mod world;
