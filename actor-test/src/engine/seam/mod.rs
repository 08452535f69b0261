//! Where actors under test meet the engine.

pub(crate) mod controlled;
pub(crate) mod panics;
