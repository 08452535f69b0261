//! A primary that answers reads by itself, as long as it has a lease, as in PacificA.
//!
//! The [`Primary`] sends a [`Beacon`] to the [`Secondary`] every 300 ms, and the secondary grants it a lease
//! with each. By the primary's clock that ends 990 ms after it has *sent* the beacon. The secondary takes
//! over when it has heard nothing for the grace period, by *its* clock, counted from when the beacon has
//! *arrived*. What is written from then on, the old primary does not know; so its lease has to be over.
//!
//! **The bug it teaches.** Two machines have two clocks. Where the grace period is no longer than the
//! lease, a primary whose clock is slow, or a secondary whose clock is fast, makes reads stale. The margin
//! between the two has a lower bound, which the tests meet from both sides. With [`Bug::FromArrival`] the
//! primary counts from when the grant arrives, and needs no clock to be wrong; with [`Bug::ByDate`] it goes
//! by the date, which may be set back.

mod events;
mod primary;
mod secondary;
#[cfg(test)]
mod tests;

use std::time::Duration;

use actor_core::LookupError;
use actor_core::prelude::*;

pub use events::*;
pub use primary::Primary;
pub use secondary::Secondary;

// ANCHOR: terms
/// How long a lease is, by the clock of who has it.
pub const LEASE: Duration = Duration::from_millis(990);

/// How often it is renewed.
pub const RENEWAL: Duration = Duration::from_millis(300);

/// The shortest grace period for a lease that is safe where clocks gain or lose up to one percent: the
/// primary's may go at 99 percent of the right speed, and the secondary's at 101.
pub fn safe_grace(lease: Duration) -> Duration {
    lease * 101 / 99
}
// ANCHOR_END: terms

/// A mistake that can be switched on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The lease counts from when it was granted, as far as the primary knows.
    FromArrival,
    /// The primary looks at the date instead of a clock that never goes back.
    ByDate,
}

/// Starts a primary and a secondary, each on a node of its own, and has the one serve with the other. The
/// secondary waits for `grace`.
pub async fn set_up(
    sys: &System,
    grace: Duration,
    bug: Option<Bug>,
) -> Result<(ActorRef<Primary>, ActorRef<Secondary>), LookupError> {
    sys.node("secondary", move |node| {
        let secondary = Secondary::new(grace);
        node.spawner().name("replica").registered().spawn(secondary);
    });
    sys.node("primary", move |node| {
        let primary = Primary::new(bug);
        node.spawner().name("replica").registered().spawn(primary);
    });
    let secondary = sys.lookup::<Secondary>("secondary/replica").await?;
    let primary = sys.lookup::<Primary>("primary/replica").await?;
    primary.tell(Serve(secondary.clone()));
    Ok((primary, secondary))
}
