//! What actors do to the world, as both executors are told.

use std::any::TypeId;
use std::rc::Rc;
use std::time::Duration;

use super::{AnyMail, AnySlab};
use crate::event::Event;
use crate::identity::ActorId;
use crate::supervision::StopReason;

/// What a timer is for, as those know who tell of it. Nothing else depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To fire an event.
    Event,
    /// To fire an event, unless the state is left before.
    State,
    /// To fire an event, unless another is handled before.
    NextEvent,
    /// To end a sleep.
    Sleep,
    /// To end a wait that has a limit.
    Limit,
    /// To end the wait for the next tick of an interval, which comes again and again.
    Tick,
    /// To end the wait for a reply.
    Reply,
    /// To end a shutdown that takes too long. It fires where nothing else can happen before.
    Shutdown,
}

/// How an actor is stopped from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// When it has handled what was sent to it before.
    InOrder,
    /// As before, and at once where it has not ended by then.
    Within(Duration),
    /// At once, without its `#[stop]` hook.
    AtOnce,
}

/// What a shutdown that came to its end has left.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct ShutdownSummary {
    /// How many events became dead letters since it began: nobody has handled them, since they were sent to
    /// actors that had stopped before. Zero where they have been counted by a shutdown before this one.
    pub dead_letters: u64,
}

/// An announced event, without its type.
pub trait Announce {
    /// Identifies the event type.
    fn event_type(&self) -> TypeId;
    /// Shows the event, where it has not been moved yet.
    fn inspect(&self, show: &mut dyn FnMut(&dyn Event));
    /// Moves the event into a slab of that type, made by [`slab`](Announce::slab).
    fn store(&mut self, slab: &dyn AnySlab) -> u32;
    /// Makes an empty slab for this type.
    fn slab(&self) -> Rc<dyn AnySlab>;
}

/// Puts the next message of a periodic timer into the owner's mail.
pub type Again = Box<dyn Fn(&dyn AnyMail) -> u32>;

/// Puts the notice of a watched actor's end into the watcher's mail; tells its slot and event.
pub type Notice = Box<dyn FnOnce(&dyn AnyMail, StopReason) -> (u32, u16)>;

/// Puts the reason of an actor's end where whoever awaits it looks for it.
pub type PutReason = Box<dyn FnOnce(StopReason)>;

/// Puts word of an actor's start, or why it has ended before, where whoever awaits it looks for it.
pub type PutStart = Box<dyn FnOnce(Result<(), StopReason>)>;

/// As a [`Notice`], for any actor and more than once.
pub type Trap = fn(&dyn AnyMail, ActorId, StopReason) -> (u32, u16);

/// What became of an event that was offered to a mailbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offered {
    /// It was sent.
    Taken,
    /// There is no room, and it was not to wait.
    Full,
    /// The actor has stopped.
    Closed,
}
