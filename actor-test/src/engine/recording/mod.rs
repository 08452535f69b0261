//! What happened, for replays and stories.

pub(crate) mod looking;
pub(crate) mod recorder;
pub(crate) mod tape;
