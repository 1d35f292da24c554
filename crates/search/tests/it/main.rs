//! Integration tests.

mod index;
mod relevance;
