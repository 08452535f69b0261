//! Predicates over a consistent snapshot of actor states: [`World`].

use std::any::{Any, TypeId};
use std::cell::Cell;
use std::fmt;

use crate::identity::Address;

/// The temporal operator of a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Expectation {
    /// True after every step: an invariant.
    Always,
    /// True at least once.
    Eventually,
    /// True again and again.
    AlwaysEventually,
    /// True in some execution: reachability, reported when never seen.
    Sometimes,
}

/// A predicate with its types erased.
pub type Predicate = Box<dyn FnMut(&World<'_>) -> PredicateResult>;

/// The result of a predicate; the error is the observation that it returned, if any.
pub type PredicateResult = Result<(), Option<String>>;

/// The return types of a predicate: `bool`, or a `Result<(), E>` whose error describes the observation.
///
/// ```
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Withdraw(u32);
///
/// struct Account {
///     balance: i64,
/// }
///
/// #[actor]
/// impl Account {
///     #[on]
///     fn withdraw(&mut self, Withdraw(amount): Withdraw) {
///         self.balance -= i64::from(amount);
///     }
/// }
///
/// fn set_up(sys: &System) {
///     let account = sys.spawn(Account { balance: 5 });
///     // A failure says: always "in credit" is false: 2 too much was withdrawn
///     sys.always("in credit", move |world| match world.get(&account) {
///         Some(account) if account.balance < 0 => {
///             Err(format!("{} too much was withdrawn", -account.balance))
///         }
///         _ => Ok(()),
///     });
/// }
/// # let _ = set_up;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what a predicate answers",
    note = "a predicate answers `bool`, or a `Result<(), E>` whose `E` says what it saw"
)]
pub trait Answer {
    /// Converts the value to a result.
    fn answered(self) -> PredicateResult;
}

impl Answer for bool {
    fn answered(self) -> PredicateResult {
        if self { Ok(()) } else { Err(None) }
    }
}

impl<E: fmt::Display> Answer for Result<(), E> {
    fn answered(self) -> PredicateResult {
        self.map_err(|saw| Some(saw.to_string()))
    }
}

/// The snapshot of actor states behind a [`World`].
pub trait Snapshot {
    /// Returns the actor, unless it is not started, stopped, or suspended in an async handler.
    fn actor(&self, of: Address) -> Option<&dyn Any>;
    /// Returns the position of the actor's current state, under the same conditions.
    fn state(&self, of: Address) -> Option<usize>;
    /// Returns the first actor of that type in the order of creation, among those that have not stopped.
    fn first(&self, actor_type: TypeId) -> Option<Address>;
    /// Returns the next actor of the same type.
    fn after(&self, actor: Address) -> Option<Address>;
    /// Records that a predicate has inspected an actor, for a [watched](World::watched) snapshot.
    fn record_inspected(&self, at: Address);
    /// Records that a predicate refers to this actor, and not to any actor of its type.
    fn record_identity_use(&self, _: Address) {}
    /// The number of events in the actor's inbox.
    fn inbox_len(&self, of: Address) -> usize;
    /// The number of events that were sent and have not reached an inbox yet.
    fn in_flight(&self) -> usize;
    /// The number of armed timers.
    fn timers(&self) -> usize;
}

/// The states of all actors between two steps, for predicates; see [`System::always`](crate::System::always).
pub struct World<'a> {
    pub(crate) snapshot: &'a dyn Snapshot,
    pub(crate) absent: Cell<bool>,
    pub(crate) is_watched: bool,
}

impl<'a> World<'a> {
    /// Wraps a snapshot for one evaluation of a predicate.
    #[doc(hidden)]
    pub fn new(snapshot: &'a dyn Snapshot) -> Self {
        Self {
            snapshot,
            absent: Cell::new(false),
            is_watched: false,
        }
    }

    /// As `new`, and reports to the snapshot which actors are inspected.
    #[doc(hidden)]
    pub fn watched(snapshot: &'a dyn Snapshot) -> Self {
        Self {
            is_watched: true,
            ..Self::new(snapshot)
        }
    }

    /// Returns true if, since the last call, an actor was requested that could not be shown.
    #[doc(hidden)]
    pub fn take_absent(&self) -> bool {
        self.absent.replace(false)
    }

    pub(crate) fn record_read(&self, at: Address) {
        self.snapshot.record_identity_use(at);
        if self.is_watched {
            self.snapshot.record_inspected(at);
        }
    }

    /// The number of events that were sent and have not reached an inbox yet.
    pub fn in_flight(&self) -> usize {
        self.snapshot.in_flight()
    }

    /// The number of armed timers.
    pub fn timers(&self) -> usize {
        self.snapshot.timers()
    }
}

impl fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("in_flight", &self.in_flight())
            .finish_non_exhaustive()
    }
}
