//! How supervised actors are brought back: what a spawn and a supervisor are told.

use std::time::Duration;

/// When a supervised child is brought back, once it has ended by itself.
///
/// An actor that was [stopped](crate::System::stop) is never brought back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
#[non_exhaustive]
pub enum Restart {
    /// After a failure and after a halt.
    Permanent,
    /// After a failure only.
    #[default]
    Transient,
    /// Never: where it is stopped with its siblings, it stays stopped.
    Temporary,
}

/// What becomes of the events in a child's inbox when it is brought back. The one that it failed at
/// is in neither case offered again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
#[non_exhaustive]
pub enum Unread {
    /// The new value handles them, in their order.
    #[default]
    Keep,
    /// They become dead letters.
    Drop,
}

/// How long a child that has failed waits until it is brought back: `min` the first time, and each
/// further time in a row longer by a factor (2 unless told), up to `max`.
///
/// A child that has run for longer than `max` begins at `min` again.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::Backoff;
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
    /// From `min` to `max`, doubled each time. A `max` below `min` counts as `min`.
    #[must_use]
    pub fn new(min: Duration, max: Duration) -> Self {
        Self {
            min,
            max: max.max(min),
            factor: 2.0,
            jitter: 0.0,
        }
    }

    /// By how much each wait in a row is longer than the one before; what is not above one means
    /// that all are the same.
    #[must_use]
    pub fn factor(mut self, factor: f64) -> Self {
        self.factor = if factor.is_finite() {
            factor.max(1.0)
        } else {
            1.0
        };
        self
    }

    /// Makes each wait shorter or longer by a random part of it, at most `part`, which is between 0
    /// and 1. Under test it is one recorded choice of three: as much shorter as can be, unchanged,
    /// as much longer.
    #[must_use]
    pub fn jitter(mut self, part: f64) -> Self {
        self.jitter = if part.is_finite() {
            part.clamp(0.0, 1.0)
        } else {
            0.0
        };
        self
    }

    /// The wait after so many failures in a row before this one.
    pub(crate) fn after(&self, failures: u32) -> Duration {
        let grown = self.min.as_secs_f64() * self.factor.powi(failures.min(1_000) as i32);
        let longest = self.max.as_secs_f64();
        if grown < longest {
            Duration::from_secs_f64(grown)
        } else {
            self.max
        }
    }

    /// A wait, made longer or shorter by chance, which is between −1 and 1. There is no longer one
    /// than [`Duration::MAX`].
    #[doc(hidden)]
    #[must_use]
    pub fn left_to_chance(delay: Duration, jitter: f64, chance: f64) -> Duration {
        let changed = delay.as_secs_f64() * (1.0 + jitter * chance);
        Duration::try_from_secs_f64(changed).unwrap_or(Duration::MAX)
    }

    /// The longest wait.
    pub(crate) fn longest(&self) -> Duration {
        self.max
    }

    /// Which part of a wait is left to chance.
    pub(crate) fn chance(&self) -> f64 {
        self.jitter
    }
}

/// Who else is brought back when one child of a supervisor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(crate) enum Strategy {
    OneForOne,
    OneForAll,
    RestForOne,
}

/// How an actor supervises the children that it has spawned with a factory; given to
/// [`Context::supervise`](crate::Context::supervise).
///
/// The others of a group are stopped in reverse order of their spawns, one after the other, and
/// brought back in the order of their spawns. Each is stopped ahead of what is in its inbox: between
/// two events its `#[stop]` hook runs, and a handler that waits is dropped at its `.await`.
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
    /// Only the child that has ended is brought back. This is what a supervisor does unless told.
    #[must_use]
    pub const fn one_for_one() -> Self {
        Self::of(Strategy::OneForOne)
    }

    /// All children are stopped and brought back with it.
    #[must_use]
    pub const fn one_for_all() -> Self {
        Self::of(Strategy::OneForAll)
    }

    /// The children that were spawned after it are stopped and brought back with it.
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

    /// How often children may have to be brought back within that time, all of them together: 3
    /// times within 5 s unless told. Once more, and the supervisor gives up: it stops its children
    /// and fails itself.
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

/// What a [`Spawner`](crate::Spawner) was told of a supervised child.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[doc(hidden)]
pub struct ChildOptions {
    /// When it is brought back.
    pub restart: Restart,
    /// How long it waits before.
    pub backoff: Option<Backoff>,
    /// What becomes of its inbox.
    pub unread: Unread,
    /// It is one of many that do the same: it is brought back however often it ends, and stays down where
    /// it ends before its start is over, since whoever has work for it makes another then.
    pub is_worker: bool,
}
