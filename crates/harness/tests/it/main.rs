//! The harness itself: its readings are what others read.

mod gas;
mod world;
