//! Effects of actors that both executors carry out: timers, stops, announcements, notices.

use std::any::TypeId;
use std::rc::Rc;
use std::time::Duration;

use super::{AnyMail, AnySlab};
use crate::event::Event;
use crate::identity::ActorId;
use crate::supervision::StopReason;

/// The purpose of a timer, as reports name it; only `Shutdown` affects when the timer fires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Fires an event.
    Event,
    /// Fires an event, unless the state is left before.
    State,
    /// Fires an event, unless another is handled before.
    NextEvent,
    /// Ends a sleep.
    Sleep,
    /// Ends a wait that has a time limit.
    Limit,
    /// Ends the wait for the next tick of an interval.
    Tick,
    /// Ends the wait for a reply.
    Reply,
    /// Ends a shutdown that takes too long. Fires only if nothing else can happen before.
    Shutdown,
}

/// The ways to stop an actor from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Stop after the events that were sent to the actor before.
    InOrder,
    /// Kill the actor, without its `#[stop]` hook.
    AtOnce,
    /// Kill the actor after this time, if it has not ended.
    After(Duration),
}

/// The summary of a finished shutdown.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct ShutdownSummary {
    /// The number of dead letters since the shutdown began: events sent to actors that had stopped. An
    /// earlier shutdown may already have counted some; those are not included.
    pub dead_letters: u64,
}

/// A random choice of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RandomChoice {
    /// A number below this bound, which is at least one.
    Below(u32),
    /// Zero or one; recordings mark it as a bool.
    Bool,
    /// The branch of a `select!` that is polled first, of that many.
    Branch(u32),
    /// The seed of a generator.
    Seed,
}

impl RandomChoice {
    /// Returns the call as a report names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Below(_) => "choose",
            Self::Bool => "choose_bool",
            Self::Branch(_) => "select",
            Self::Seed => "rng",
        }
    }
}

/// An announced event, without its type.
pub trait Announce {
    /// Identifies the event type.
    fn event_type(&self) -> TypeId;
    /// Shows the event, unless it has been moved.
    fn inspect(&self, show: &mut dyn FnMut(&dyn Event));
    /// Moves the event into a slab of that type, made by [`slab`](Announce::slab).
    fn store(&mut self, slab: &dyn AnySlab) -> u32;
    /// Makes an empty slab for this type.
    fn slab(&self) -> Rc<dyn AnySlab>;
}

/// Puts the next message of a periodic timer into the owner's mail.
pub type NextTick = Box<dyn Fn(&dyn AnyMail) -> u32>;

/// Puts the notice of a watched actor's end into the watcher's mail; returns its slot and event.
pub type Notice = Box<dyn FnOnce(&dyn AnyMail, StopReason) -> (u32, u16)>;

/// Puts the reason of an actor's end into the slot of the waiter.
pub type PutReason = Box<dyn FnOnce(StopReason)>;

/// Puts the outcome of an actor's start into the slot of the waiter.
pub type PutStart = Box<dyn FnOnce(Result<(), StopReason>)>;

/// Puts notices as a [`Notice`] does, for any actor and more than once.
pub type LinkNotice = fn(&dyn AnyMail, ActorId, StopReason) -> (u32, u16);

/// The outcome of offering an event to a mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offered {
    /// The event was sent.
    Taken,
    /// The mailbox is full, and the event was not to wait.
    Full,
    /// The actor has stopped.
    Closed,
}
