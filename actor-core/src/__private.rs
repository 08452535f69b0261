//! Support for code that the macros generate. No part of this module is a stable interface.

use std::any::Any;
use std::fmt::Debug;

use crate::actor::instance::drive;
use crate::actor::{Actor, Context};
use crate::asking::Reply;
use crate::event::Event;
use crate::seam::{self, Note};

pub mod select {
    pub use crate::select::{
        Polled, expand, panic_no_branch_left, poll_in_any_order, poll_in_order,
    };
}

pub use crate::actor::crossing::{Crosses, ToCarry, of_a_message};
pub use crate::actor::protocol::EventSender;
pub use crate::fingerprint::autoref::{AutorefValue, debug_methods, field_methods, value_methods};
pub use crate::seam::CannotCross;
pub use crate::seam::Driver;
pub use crate::services::probe::Double;

/// Asserts that an actor is `Send`. rustc shows the next line, comment included, as the advice in its error.
#[rustfmt::skip]
pub fn runs_on_any_thread<A: Send>() {} // an actor does: write `Arc` for `Rc`, `Arc<Mutex<_>>` for `Rc<RefCell<_>>`

/// Records a coverage label if the execution is controlled.
pub fn cover(label: &'static str) {
    seam::note(Note::Covered(label));
}

/// Borrows a handler's result, to check whether it is an `Err` that nobody receives.
///
/// Autoref specialisation finds the method `failure`: by [`IsResult`] on a `Result` with a printable error,
/// and with one more auto-reference by [`IsOther`] on any other type.
#[derive(Debug)]
pub struct AutorefReply<'a, T>(pub &'a T);

/// A `Result` with a printable error; see [`AutorefReply`].
pub trait IsResult {
    /// Returns the printed error if nobody receives it.
    fn failure(&self, nobody: bool) -> Option<String>;
}

impl<T, E: Debug> IsResult for AutorefReply<'_, Result<T, E>> {
    fn failure(&self, nobody: bool) -> Option<String> {
        match self.0 {
            Err(error) if nobody => Some(format!("{error:?}")),
            _ => None,
        }
    }
}

/// Any other type; see [`AutorefReply`].
pub trait IsOther {
    /// Returns `None`.
    fn failure(&self, nobody: bool) -> Option<String>;
}

impl<T> IsOther for &AutorefReply<'_, T> {
    fn failure(&self, _: bool) -> Option<String> {
        None
    }
}

/// Borrows a field of a message as an event.
///
/// Autoref specialisation finds the method `event`: by [`IsEvent`] on an event, and with one more
/// auto-reference by [`IsNone`] on any other type. Another check rejects such a type, at the user's token.
#[derive(Debug)]
pub struct AutorefEvent<'a, T>(pub &'a T);

/// A type that is an event; see [`AutorefEvent`].
pub trait IsEvent<'a> {
    /// Returns the event.
    fn event(&self) -> &'a dyn Event;
}

impl<'a, T: Event> IsEvent<'a> for AutorefEvent<'a, T> {
    #[inline]
    fn event(&self) -> &'a dyn Event {
        self.0
    }
}

/// A type that is no event; see [`AutorefEvent`].
pub trait IsNone<'a> {
    /// Never runs.
    fn event(&self) -> &'a dyn Event;
}

impl<'a, T> IsNone<'a> for &AutorefEvent<'a, T> {
    fn event(&self) -> &'a dyn Event {
        unreachable!("an actor whose events are not all events does not compile")
    }
}

/// Sends a handler's result to the asker. If the event was sent by `tell`, an error fails the actor.
pub fn reply<A: Actor, R>(
    _: &Context<A>,
    event: &'static str,
    reply: Reply<R>,
    value: R,
    failure: Option<String>,
) {
    if let Some(error) = failure
        && reply.is_unasked()
    {
        drop(value);
        crate::seam::rules::unreceived_error(A::INFO.name, event, &error);
    }
    reply.send(value);
}

/// The types that a `#[start]` hook may return.
#[diagnostic::on_unimplemented(
    message = "a `#[start]` hook returns nothing, or a `Result<(), E>` whose error prints",
    label = "it returns this"
)]
pub trait AutorefStart {
    /// Returns the printed error if the start has failed.
    fn failure(self) -> Option<String>;
}

impl<E: Debug> AutorefStart for Result<(), E> {
    fn failure(self) -> Option<String> {
        self.err().map(|error| format!("{error:?}"))
    }
}

/// Fails the actor if its start has failed.
pub fn started<A: Actor, O: AutorefStart>(outcome: O) {
    if let Some(error) = outcome.failure() {
        crate::seam::rules::failed_start(A::INFO.name, &error);
    }
}

/// Returns the driver of an actor that has async handlers.
pub fn driver<A: Actor>() -> Option<Driver> {
    Some(Box::pin(drive::<A>()))
}

/// Downcasts an observed event to its type.
///
/// # Panics
///
/// If a monitor's table and its code disagree, which the macro rules out.
#[inline]
pub fn observed<E: Event>(event: &dyn Any) -> &E {
    event
        .downcast_ref()
        .expect("a monitor is shown what it observes")
}
