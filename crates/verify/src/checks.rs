//! The four checks, one file each: values in, a judgement out.

pub(crate) mod creator;
pub(crate) mod fetched;
pub(crate) mod hash;
pub(crate) mod origin;
