//! Dispatch tables of actor types: the accepted events, and the disposition of each event in each state.

use std::any::TypeId;
use std::fmt;

/// A generated set of states. The discriminants count from zero in order of declaration.
pub trait State: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// The position in [`ActorInfo::states`].
    fn index(self) -> usize;
}

/// The state of a plain actor or monitor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct Stateless;

impl State for Stateless {
    fn index(self) -> usize {
        0
    }
}

/// The disposition of an event in a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disposition {
    /// Runs a handler.
    Handle,
    /// Defers the event to a later state.
    Defer,
    /// Drops the event.
    Ignore,
    /// Fails the actor: such an event is a bug.
    Unhandled,
}

/// An event type as one actor or monitor sees it.
#[derive(Clone, Copy)]
pub struct EventInfo {
    /// The type as written in the handler, `Ping` for instance.
    pub name: &'static str,
    /// The type's identifier, by which monitors find it.
    pub type_id: TypeId,
    /// True if a service of the library sends the event to itself: the event needs no capacity, and is no
    /// dead letter if it is unread when the actor stops.
    pub(crate) own: bool,
}

impl EventInfo {
    /// Describes `E`, written `name` in the source.
    pub const fn of<E: 'static>(name: &'static str) -> Self {
        Self {
            name,
            type_id: TypeId::of::<E>(),
            own: false,
        }
    }

    /// As [`of`](Self::of), for an event that a service sends to itself.
    pub(crate) const fn own<E: 'static>(name: &'static str) -> Self {
        let mut own = Self::of::<E>(name);
        own.own = true;
        own
    }
}

/// The static description of an actor type.
pub struct ActorInfo {
    /// The type's name, without its path and parameters.
    pub name: &'static str,
    /// The events it accepts.
    pub events: &'static [EventInfo],
    /// The names of its states; empty for a plain actor.
    pub states: &'static [&'static str],
    /// The disposition of each event in each state, state by state; one row for a plain actor.
    pub dispositions: &'static [Disposition],
    /// True if starting is a step: the actor has a `#[start]` hook, or its first state an `#[entry]` hook.
    pub starts: bool,
    /// True if some state defers some event.
    pub defers: bool,
    /// True for a relay, which forwards its events. Monitors observe such an event as sent when it is sent to
    /// the relay, and as handled at its destination.
    pub relays: bool,
}

impl ActorInfo {
    /// Returns the disposition of the event in the state.
    #[inline]
    pub fn disposition(&self, state: usize, event: u16) -> Disposition {
        self.dispositions[state * self.events.len() + usize::from(event)]
    }

    /// True if the actor, a service of the library, sends the event to itself.
    pub fn is_own(&self, event: u16) -> bool {
        let event = self.events.get(usize::from(event));
        event.is_some_and(|event| event.own)
    }

    /// The name of the state; `None` for a plain actor.
    pub fn state_name(&self, state: usize) -> Option<&'static str> {
        self.states.get(state).copied()
    }
}
