//! Actors, state machines and monitors: written once, run in production, and tested under a
//! deterministic executor that controls every interleaving, timer and random choice.

#[doc(hidden)]
pub mod __private;
mod actor;
mod context;
mod error;
mod event;
mod live;
mod monitor;
#[doc(hidden)]
pub mod parts;
mod predicate;
mod random;
mod reference;
mod reply;
#[doc(hidden)]
pub mod runtime;
mod system;
mod timer;
mod watch;

pub use actor::{Actor, ActorInfo, Call, Disposition, EventInfo, Flow, Handler, State, Stateless};
pub use context::{CHAIN_MAX, Context};
pub use error::Error;
pub use event::Event;
pub use live::LiveSystem;
pub use monitor::{Moment, Monitor, MonitorContext, MonitorInfo, Observation, Temperature};
pub use predicate::World;
pub use random::ActorRng;
pub use reference::{ActorId, ActorRef, Recipient};
pub use reply::{Ask, AskError, Reply};
pub use system::System;
pub use timer::Timer;
pub use watch::{StopReason, Terminated};

/// What an actor's source usually needs.
pub mod prelude {
    pub use crate::{
        ActorId, ActorRef, Ask, AskError, Context, MonitorContext, Recipient, StopReason, System,
        Terminated, Timer, World,
    };
}
