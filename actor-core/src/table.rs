//! Tables of actor types: which events they take, and what each state does with each.

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

/// What a state does with an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disposition {
    /// Runs a handler.
    Handle,
    /// Keeps it for a later state.
    Defer,
    /// Drops it.
    Ignore,
    /// Nothing: to be sent it is a bug.
    Unhandled,
}

/// An event type as one actor or monitor sees it.
#[derive(Clone, Copy)]
pub struct EventInfo {
    /// The type as written in the handler, `Ping` for instance.
    pub name: &'static str,
    /// Identifies the type, so that monitors find it.
    pub type_id: TypeId,
    /// A service of the library's tells it itself: it needs no room, and what is left of it when the
    /// actor has stopped is no dead letter.
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

    /// As [`of`](Self::of), for what a service tells itself.
    pub(crate) const fn own<E: 'static>(name: &'static str) -> Self {
        let mut own = Self::of::<E>(name);
        own.own = true;
        own
    }
}

/// What is known of an actor type before it runs.
pub struct ActorInfo {
    /// The type's name, without its path and parameters.
    pub name: &'static str,
    /// The events it accepts.
    pub events: &'static [EventInfo],
    /// The names of its states; empty for a plain actor.
    pub states: &'static [&'static str],
    /// What each state does with each event, state by state; one row for a plain actor.
    pub dispositions: &'static [Disposition],
    /// It has a `#[start]` hook, or its first state an `#[entry]` hook: starting is a step.
    pub starts: bool,
    /// Some state defers some event.
    pub defers: bool,
    /// It hands on what it is sent: to monitors, an event is sent when the relay is sent it, and handled
    /// when it is where it was going.
    pub relays: bool,
}

impl ActorInfo {
    /// What the state does with the event.
    #[inline]
    pub fn disposition(&self, state: usize, event: u16) -> Disposition {
        self.dispositions[state * self.events.len() + usize::from(event)]
    }

    /// The actor, a service of the library's, tells the event itself.
    pub fn is_own(&self, event: u16) -> bool {
        let event = self.events.get(usize::from(event));
        event.is_some_and(|event| event.own)
    }

    /// The name of the state; `None` for a plain actor.
    pub fn state_name(&self, state: usize) -> Option<&'static str> {
        self.states.get(state).copied()
    }
}
