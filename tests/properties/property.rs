//! How a property is tried.

pub(crate) use acceptance::property::holds;
