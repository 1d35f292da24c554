//! The four checks, one file each. Pure functions: values in, [`crate::CheckResult`] out.

pub(crate) mod creator;
pub(crate) mod fetch;
pub(crate) mod hash;
pub(crate) mod origin;
