//! Specifications: [`Monitor`]s observe events and judge them.

use std::any::{Any, TypeId};
use std::fmt;

use crate::event::Event;
use crate::fingerprint::Fingerprinter;
use crate::identity::ActorId;
use crate::table::{EventInfo, State, Stateless};

/// A specification as a state machine that observes events.
///
/// Implemented by [`#[monitor(hot, cold)]`](crate::monitor), not by hand. A failed assertion is a safety bug.
/// In a hot state an obligation is pending: an execution must not end there, nor stay there for ever.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no monitor",
    label = "this type is no monitor",
    note = "put `#[monitor(hot, cold)]` on its `impl` block: `#[monitor(hot, cold)] impl {Self} {{ .. }}`"
)]
pub trait Monitor: Send + 'static {
    /// The generated set of states.
    type State: State;
    /// The names of the states, their temperatures, and the observations.
    const INFO: &'static MonitorInfo;

    /// The state in which the monitor starts: the first cold one.
    fn first_state() -> Self::State;
    /// Runs the handler of [`MonitorInfo::observes`]`[observation]`, if the state has one.
    #[doc(hidden)]
    fn __observe(&mut self, observation: u16, event: &dyn Any, cx: &mut MonitorContext<Self>)
    where
        Self: Sized;
    /// Returns the monitor as a `Debug` object, if it is one.
    #[doc(hidden)]
    fn __debug(&self) -> Option<&dyn fmt::Debug> {
        None
    }
    /// Feeds the monitor's value to a fingerprint; returns false if it offers none.
    #[doc(hidden)]
    fn __offer(&self, to: &mut Fingerprinter) -> bool {
        let _ = to;
        false
    }
}

/// The temperature of a monitor's state, for liveness.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Temperature {
    /// An obligation is pending.
    Hot,
    /// No obligation is pending.
    Cold,
    /// Neither hot nor cold: the temperature stays as it was.
    Warm,
}

/// The moment at which a monitor observes an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Moment {
    /// The event is sent, or announced.
    Sent,
    /// The handler of the event is about to run.
    Handled,
    /// The event is sent to an asker as a reply.
    Replied,
}

/// One kind of event that a monitor observes.
#[derive(Clone, Copy)]
pub struct Observation {
    /// The event type.
    pub event: EventInfo,
    /// The moment of the observation.
    pub moment: Moment,
}

/// The static description of a monitor type.
pub struct MonitorInfo {
    /// The type's name, without its path and parameters.
    pub name: &'static str,
    /// The names and temperatures of the states, in the order of their discriminants.
    pub states: &'static [(&'static str, Temperature)],
    /// The observations of the monitor.
    pub observes: &'static [Observation],
    /// The pairs without a handler: positions in `states` and in `observes`.
    pub passes_over: &'static [(u16, u16)],
}

/// The context of a monitor while it observes an event.
pub struct MonitorContext<M: Monitor> {
    state: M::State,
    next: Option<M::State>,
    sender: Option<ActorId>,
    target: Option<ActorId>,
}

impl<M: Monitor> MonitorContext<M> {
    /// Changes the state to `state` when the handler returns. The last call for an event counts.
    pub fn goto(&mut self, state: M::State) {
        self.next = Some(state);
    }

    /// The current state.
    pub fn state(&self) -> M::State {
        self.state
    }

    /// The sender of the event; `None` for the test body, a timer, and callers outside any actor.
    pub fn sender(&self) -> Option<ActorId> {
        self.sender
    }

    /// The target of the event; `None` for an announcement.
    pub fn target(&self) -> Option<ActorId> {
        self.target
    }
}

impl<M: Monitor> fmt::Debug for MonitorContext<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MonitorContext")
            .field("state", &self.state)
            .field("sender", &self.sender)
            .field("target", &self.target)
            .finish_non_exhaustive()
    }
}

/// A monitor and its state, with the type erased.
pub trait AnyMonitor: Send {
    /// The names of the states, their temperatures, and the observations.
    fn info(&self) -> &'static MonitorInfo;
    /// The monitor type's identifier.
    fn monitor_type(&self) -> TypeId;
    /// The position of the current state.
    fn state(&self) -> usize;
    /// Returns true if the monitor was declared without states, and so has a single implicit one.
    fn is_stateless(&self) -> bool;
    /// Passes an event to the monitor; returns the position of the state afterwards.
    fn observe(
        &mut self,
        observation: u16,
        event: &dyn Event,
        sender: Option<ActorId>,
        target: Option<ActorId>,
    ) -> usize;
    /// Feeds the monitor's value to a fingerprint; returns false if it offers none.
    fn fingerprint(&self, to: &mut Fingerprinter) -> bool;
    /// Returns the monitor as a `Debug` object, if it is one.
    fn debug(&self) -> Option<&dyn fmt::Debug>;
}

pub(crate) struct MonitorInstance<M: Monitor> {
    monitor: M,
    cx: MonitorContext<M>,
}

impl<M: Monitor> MonitorInstance<M> {
    pub(crate) fn new(monitor: M) -> Self {
        let cx = MonitorContext {
            state: M::first_state(),
            next: None,
            sender: None,
            target: None,
        };
        Self { monitor, cx }
    }
}

impl<M: Monitor> AnyMonitor for MonitorInstance<M>
where
    MonitorContext<M>: Send,
{
    fn info(&self) -> &'static MonitorInfo {
        M::INFO
    }

    fn monitor_type(&self) -> TypeId {
        TypeId::of::<M>()
    }

    fn state(&self) -> usize {
        self.cx.state.index()
    }

    fn is_stateless(&self) -> bool {
        TypeId::of::<M::State>() == TypeId::of::<Stateless>()
    }

    fn observe(
        &mut self,
        observation: u16,
        event: &dyn Event,
        sender: Option<ActorId>,
        target: Option<ActorId>,
    ) -> usize {
        // A state change from before a panic is discarded.
        self.cx.next = None;
        self.cx.sender = sender;
        self.cx.target = target;
        self.monitor.__observe(observation, event, &mut self.cx);
        if let Some(state) = self.cx.next.take() {
            self.cx.state = state;
        }
        self.cx.state.index()
    }

    fn fingerprint(&self, to: &mut Fingerprinter) -> bool {
        self.monitor.__offer(to)
    }

    fn debug(&self) -> Option<&dyn fmt::Debug> {
        self.monitor.__debug()
    }
}
