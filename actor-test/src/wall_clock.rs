//! The system's clock: for people who want to know how long something took, and for limits on time.
//! This is the one place that reads it; no schedule depends on it.

use std::time::Instant;

/// Now.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the system's clock"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}
