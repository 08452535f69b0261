//! For the code that the macros generate; no part of it is a promise.

use std::any::Any;
use std::fmt::Debug;

use crate::actor::Actor;
use crate::context::Context;
use crate::event::Event;
use crate::reply::Reply;

pub use crate::monitor::AnyMonitor;
pub use crate::offer::{Offer, of_a_field, of_a_whole};
pub use crate::predicate::{Expectation, Predicate, Snapshot};
pub use crate::reply::AnyAskSlot;

/// Takes note of a label, where an execution is controlled.
pub fn cover(label: &'static str) {
    let _ = crate::runtime::try_with(|runtime| runtime.cover(label));
}

/// Borrows a handler's result, to see whether it is an `Err`.
///
/// The method `failure` is found on the value itself where it is a `Result` with a printable error
/// ([`IsResult`]), and by one more auto-reference on anything else ([`IsOther`]).
#[derive(Debug)]
pub struct Outcome<'a, T>(pub &'a T);

/// See [`Outcome`].
pub trait IsResult {
    /// The error, printed.
    fn failure(&self) -> Option<String>;
}

impl<T, E: Debug> IsResult for Outcome<'_, Result<T, E>> {
    fn failure(&self) -> Option<String> {
        self.0.as_ref().err().map(|error| format!("{error:?}"))
    }
}

/// See [`Outcome`].
pub trait IsOther {
    /// Never fails.
    fn failure(&self) -> Option<String>;
}

impl<T> IsOther for &Outcome<'_, T> {
    fn failure(&self) -> Option<String> {
        None
    }
}

/// Sends a handler's result to the asker; an `Err` that nobody receives is reported.
#[inline]
pub fn reply<A: Actor, R: Event>(
    cx: &Context<A>,
    event: &'static str,
    reply: Reply<R>,
    value: R,
    failure: impl FnOnce(&R) -> Option<String>,
) {
    if reply.is_nobody()
        && let Some(error) = failure(&value)
    {
        cx.failed(event, &error);
    }
    reply.send(value);
}

/// Borrows an observed event as its type.
///
/// # Panics
///
/// Where a monitor's table and its code disagree, which the macro rules out.
#[inline]
pub fn observed<E: Event>(event: &dyn Any) -> &E {
    event
        .downcast_ref()
        .expect("a monitor is shown what it observes")
}
