//! Whether two states are the same: fingerprints, and the lassos found by them.

pub(crate) mod fingerprint;
pub(crate) mod lasso;
pub(crate) mod opaque;
pub(crate) mod prints;
pub(crate) mod region;
