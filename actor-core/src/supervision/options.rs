//! Supervision options: restart policies, back-off and strategies.

use std::time::Duration;

/// The restart policy of a supervised child that has ended by itself.
///
/// An actor that was [stopped](crate::ActorRef::stop) is never restarted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
#[non_exhaustive]
pub enum Restart {
    /// Restart after a failure and after a halt.
    Permanent,
    /// Restart after a failure only.
    #[default]
    Transient,
    /// Never restart, not even after a stop together with its siblings.
    Temporary,
}

/// The treatment of unread events when a child is restarted. The event at which it failed is lost anyway.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
#[non_exhaustive]
pub enum Unread {
    /// Keep the events: the new value handles them, in order.
    #[default]
    Keep,
    /// Drop the events: they become dead letters.
    Drop,
}

/// The back-off before a failed child is restarted: `min` the first time, and each further time in a row
/// longer by a factor (2 by default), up to `max`.
///
/// After a run longer than `max`, the back-off begins at `min` again.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::supervision::Backoff;
/// use std::time::Duration;
///
/// # struct Connection;
/// # #[actor]
/// # impl Connection {}
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let patience = Backoff::new(Duration::from_millis(100), Duration::from_secs(10));
/// sys.spawner().backoff(patience.factor(3.0).jitter(0.2)).spawn_with(|| Connection);
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Backoff {
    min: Duration,
    max: Duration,
    factor: f64,
    jitter: f64,
}

impl Backoff {
    /// Returns a back-off from `min` to `max` that doubles each time. A `max` below `min` counts as `min`.
    #[must_use]
    pub fn new(min: Duration, max: Duration) -> Self {
        Self {
            min,
            max: max.max(min),
            factor: 2.0,
            jitter: 0.0,
        }
    }

    /// Sets the ratio of each wait to the previous one; a factor of at most one makes all waits equal.
    #[must_use]
    pub fn factor(mut self, factor: f64) -> Self {
        self.factor = if factor.is_finite() {
            factor.max(1.0)
        } else {
            1.0
        };
        self
    }

    /// Makes each wait shorter or longer by a random part of it, at most `part`, which is between 0 and 1.
    /// Under test that is one recorded choice of three: the shortest wait, the unchanged one, or the longest.
    #[must_use]
    pub fn jitter(mut self, part: f64) -> Self {
        self.jitter = if part.is_finite() {
            part.clamp(0.0, 1.0)
        } else {
            0.0
        };
        self
    }

    /// Returns the wait after `failures` earlier failures in a row.
    pub(crate) fn after(&self, failures: u32) -> Duration {
        let grown = self.min.as_secs_f64() * self.factor.powi(failures.min(1_000) as i32);
        let longest = self.max.as_secs_f64();
        if grown < longest {
            Duration::from_secs_f64(grown)
        } else {
            self.max
        }
    }

    /// Returns a randomised wait; `chance` is between -1 and 1. The result is at most [`Duration::MAX`].
    #[doc(hidden)]
    #[must_use]
    pub fn with_jitter(delay: Duration, jitter: f64, chance: f64) -> Duration {
        let changed = delay.as_secs_f64() * (1.0 + jitter * chance);
        Duration::try_from_secs_f64(changed).unwrap_or(Duration::MAX)
    }

    pub(crate) fn longest(&self) -> Duration {
        self.max
    }

    pub(crate) fn chance(&self) -> f64 {
        self.jitter
    }
}

/// The strategy: which siblings are restarted together with a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(crate) enum Strategy {
    OneForOne,
    OneForAll,
    RestForOne,
}

/// The supervision of children that an actor has spawned with a factory; an argument of
/// [`Scope::supervise`](crate::Scope::supervise).
///
/// The siblings in a group are stopped in reverse order of their spawns, one after the other, and restarted
/// in the order of their spawns. Each is stopped before the rest of its inbox: the `#[stop]` hook runs
/// between two events, and a handler that waits is dropped at its `.await`.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::Supervision;
/// use std::time::Duration;
///
/// struct Reader;
/// #[actor]
/// impl Reader {}
///
/// struct Writer;
/// #[actor]
/// impl Writer {}
///
/// struct Connection;
///
/// #[actor]
/// impl Connection {
///     #[start]
///     fn start(&mut self, cx: &mut Context<Self>) {
///         cx.supervise(Supervision::one_for_all().intensity(5, Duration::from_secs(60)));
///         cx.spawn_with(|| Reader);
///         cx.spawn_with(|| Writer);
///     }
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Supervision {
    pub(crate) strategy: Strategy,
    pub(crate) max_restarts: u32,
    pub(crate) within: Duration,
}

impl Supervision {
    /// Restarts only the child that has ended. This is the default.
    #[must_use]
    pub const fn one_for_one() -> Self {
        Self::of(Strategy::OneForOne)
    }

    /// Stops and restarts all children with it.
    #[must_use]
    pub const fn one_for_all() -> Self {
        Self::of(Strategy::OneForAll)
    }

    /// Stops and restarts the children that were spawned after it.
    #[must_use]
    pub const fn rest_for_one() -> Self {
        Self::of(Strategy::RestForOne)
    }

    const fn of(strategy: Strategy) -> Self {
        Self {
            strategy,
            max_restarts: 3,
            within: Duration::from_secs(5),
        }
    }

    /// Limits the number of restarts within a period, of all children together: 3 within 5 s by default. If
    /// the limit is exceeded, the supervisor gives up: it stops its children and fails itself.
    #[must_use]
    pub const fn intensity(mut self, max_restarts: u32, within: Duration) -> Self {
        self.max_restarts = max_restarts;
        self.within = within;
        self
    }
}

impl Default for Supervision {
    fn default() -> Self {
        Self::one_for_one()
    }
}

/// The options that a [`Spawner`](crate::Spawner) was given for a supervised child.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[doc(hidden)]
pub struct ChildOptions {
    /// The restart policy.
    pub restart: Restart,
    /// The back-off before a restart.
    pub backoff: Option<Backoff>,
    /// The treatment of the inbox at a restart.
    pub unread: Unread,
    /// True for a worker of a pool. A worker is restarted without limit, and stays down if it ends before its
    /// start is complete, since the pool then creates another when there is work for it.
    pub is_worker: bool,
}
