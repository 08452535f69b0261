//! What was asked for, from flags, variables, attributes, the manifest and defaults.

pub(crate) mod covering;
pub(crate) mod overrides;
pub(crate) mod parameters;
pub(crate) mod values;
