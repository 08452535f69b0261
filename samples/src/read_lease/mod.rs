//! Read leases: a primary answers reads locally while it has a lease, as in PacificA.
//!
//! The [`Primary`] sends a [`Beacon`] to the [`Secondary`] every 300 ms, and each beacon renews the
//! primary's lease. By the primary's clock, the lease ends 990 ms after the beacon was *sent*. The
//! secondary takes over after a grace period without a beacon, by *its* clock, counted from the *arrival*
//! of the last one. The old primary does not see later writes, so its lease must be over by then.
//!
//! **The bug it teaches.** Two machines have two clocks. If the grace period is no longer than the
//! lease, a slow clock of the primary, or a fast clock of the secondary, leads to stale reads. The
//! margin between the two has a lower bound, and the tests check both sides of that bound. With
//! [`Bug::FromArrival`], the primary counts from the arrival of the grant, which fails even with
//! correct clocks. With [`Bug::ByDate`], the primary uses the wall-clock date, which may be set back.

mod events;
mod primary;
mod secondary;
#[cfg(test)]
mod tests;

use std::time::Duration;

use actor_core::names::LookupError;
use actor_core::prelude::*;

pub use events::*;
pub use primary::Primary;
pub use secondary::Secondary;

// ANCHOR: terms
/// The length of a lease, by the clock of the primary.
pub const LEASE: Duration = Duration::from_millis(990);

/// The interval at which the primary renews its lease.
pub const RENEWAL: Duration = Duration::from_millis(300);

/// The shortest safe grace period for a lease if clocks drift by up to one percent: the
/// primary's clock may run at 99 percent of the right speed, and the secondary's at 101.
pub fn safe_grace(lease: Duration) -> Duration {
    lease * 101 / 99
}
// ANCHOR_END: terms

/// A bug that a test can switch on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bug {
    /// The lease counts from the arrival of the grant at the primary.
    FromArrival,
    /// The primary uses the wall-clock date instead of a monotonic clock.
    ByDate,
}

/// Starts a primary and a secondary, each on a node of its own, and connects
/// the primary to the secondary. The grace period of the secondary is `grace`.
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
