//! Predicates over a consistent snapshot of actor states: [`World`].

use std::any::{Any, TypeId};
use std::cell::Cell;
use std::fmt;

use crate::identity::Address;

/// What a predicate is expected to be.
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

/// A predicate as the tester keeps it.
pub type Predicate = Box<dyn FnMut(&World<'_>) -> Answered>;

/// Whether a predicate holds; where it does not, what it saw, if it says so.
pub type Answered = Result<(), Option<String>>;

/// What a predicate may answer: `true` and `false`, or `Ok(())` and an `Err` that says what it saw.
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
    /// Whether it holds, and what was seen where it does not.
    fn answered(self) -> Answered;
}

impl Answer for bool {
    fn answered(self) -> Answered {
        if self { Ok(()) } else { Err(None) }
    }
}

impl<E: fmt::Display> Answer for Result<(), E> {
    fn answered(self) -> Answered {
        self.map_err(|saw| Some(saw.to_string()))
    }
}

/// What the tester shows to a [`World`].
pub trait Snapshot {
    /// The actor, unless it is not started, stopped, or suspended in an async handler.
    fn actor(&self, of: Address) -> Option<&dyn Any>;
    /// The position of the actor's current state, under the same conditions.
    fn state(&self, of: Address) -> Option<usize>;
    /// The actor of that type that was created first, of those that have not stopped.
    fn first(&self, actor_type: TypeId) -> Option<Address>;
    /// The next actor of the same type.
    fn after(&self, actor: Address) -> Option<Address>;
    /// Takes note of an actor that a predicate looked at, where that is [wanted](World::watched).
    fn looked_at(&self, at: Address);
    /// Takes note that a predicate means this actor, and not any of its type.
    fn singled_out(&self, _: Address) {}
    /// How many events wait in the actor's inbox.
    fn inbox_len(&self, of: Address) -> usize;
    /// How many events were sent and have not reached an inbox yet.
    fn in_flight(&self) -> usize;
    /// How many timers are armed.
    fn timers(&self) -> usize;
}

/// All actors between two steps, as [`System::always`](crate::System::always) and its kin see them.
pub struct World<'a> {
    pub(crate) snapshot: &'a dyn Snapshot,
    pub(crate) absent: Cell<bool>,
    pub(crate) is_watched: bool,
}

impl<'a> World<'a> {
    /// Shows a snapshot to one evaluation of a predicate.
    #[doc(hidden)]
    pub fn new(snapshot: &'a dyn Snapshot) -> Self {
        Self {
            snapshot,
            absent: Cell::new(false),
            is_watched: false,
        }
    }

    /// The same, and the snapshot hears which actors are looked at.
    #[doc(hidden)]
    pub fn watched(snapshot: &'a dyn Snapshot) -> Self {
        Self {
            is_watched: true,
            ..Self::new(snapshot)
        }
    }

    /// Whether an actor was asked for, since the last call, that could not be shown.
    #[doc(hidden)]
    pub fn take_absent(&self) -> bool {
        self.absent.replace(false)
    }

    pub(crate) fn look(&self, at: Address) {
        self.snapshot.singled_out(at);
        if self.is_watched {
            self.snapshot.looked_at(at);
        }
    }

    /// How many events were sent and have not reached an inbox yet.
    pub fn in_flight(&self) -> usize {
        self.snapshot.in_flight()
    }

    /// How many timers are armed.
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
