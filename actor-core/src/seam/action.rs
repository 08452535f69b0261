//! The effects of an operation on the world: [`Action`].

use super::{AskSupervisor, LinkNotice, NameUse, Notice, PutReason, PutStart, ScriptedFault, Stop};
use crate::identity::{Address, AskId, DiskId, TimerId};
use crate::supervision::Supervision;

/// An effect of the current operation on the world. The code of a monitor or of a predicate may have none.
///
/// Unless its variant says otherwise, an effect is carried out with the operation's outbox, in the order of
/// the calls.
pub enum Action {
    /// Cancels a timer, and removes its fired, unread event.
    Cancel(TimerId),
    /// Stops an actor or a task.
    Stop(Address, Stop),
    /// Watches an actor: `watcher` gets a message when `target` has stopped.
    Watch {
        /// The actor that watches.
        watcher: Address,
        /// The watched actor.
        target: Address,
        /// Builds the message from the reason.
        notice: Notice,
    },
    /// Ends the watches that `watcher` has on `target`.
    Unwatch {
        /// The actor that watches.
        watcher: Address,
        /// The watched actor.
        target: Address,
    },
    /// Answers an `ask` without an event when the actor that was asked has stopped.
    AwaitEnd(AskId, PutReason),
    /// Answers an `ask` without an event when the actor that was asked has run its start hook or has
    /// stopped before.
    AwaitStart(AskId, PutStart),
    /// Uses the registry of names.
    Name(NameUse),
    /// Links two actors: a failure of one makes the other fail.
    Link(Address, Address),
    /// Ends the link of two actors.
    Unlink(Address, Address),
    /// At once: sends an actor a message in place of a shared failure.
    TrapLinks(Address, LinkNotice),
    /// At once: sets the supervision of an actor's children; without an actor, of the children of the system
    /// or of the node that the caller is on.
    Supervise(Option<Address>, Supervision),
    /// At once: makes a supervisor decide about each failed child.
    DecideFailures(Address, AskSupervisor<Address>),
    /// Fails the power of a disk.
    FailPower(DiskId),
    /// From then on, a crash tears writes to the disk at boundaries of blocks of that many bytes; never if
    /// that is zero.
    TearWrites(DiskId, u32),
    /// Injects a fault.
    Fault(ScriptedFault),
    /// At once: lets no actor start that is spawned from now on.
    Close,
    /// Ends the execution, once no monitor is hot.
    Finish,
}

impl Action {
    /// Returns the call as a report names it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Cancel(_) => "cancel",
            Self::Stop(..) => "stop",
            Self::Watch { .. } => "watch",
            Self::Unwatch { .. } => "unwatch",
            Self::AwaitEnd(..) => "await the end of an actor",
            Self::AwaitStart(..) => "await the start of an actor",
            Self::Name(NameUse::Lookup(..)) => "lookup",
            Self::Name(_) => "register a name",
            Self::Link(..) => "link",
            Self::Unlink(..) => "unlink",
            Self::TrapLinks(..) => "trap_links",
            Self::Supervise(..) => "supervise",
            Self::DecideFailures(..) => "decide_failures",
            Self::FailPower(_) | Self::TearWrites(..) => "have a disk fail",
            Self::Fault(_) => "faults",
            Self::Close => "shutdown",
            Self::Finish => "finish",
        }
    }

    /// Returns the `ask` that the effect answers.
    pub fn ask(&self) -> Option<AskId> {
        match self {
            Self::AwaitEnd(ask, _)
            | Self::AwaitStart(ask, _)
            | Self::Name(NameUse::TryRegister(ask, ..) | NameUse::Lookup(ask, _)) => Some(*ask),
            _ => None,
        }
    }

    /// Returns the addresses of the actors that the effect concerns.
    pub fn addresses(&self) -> impl Iterator<Item = Address> {
        let addresses = match *self {
            Self::Watch {
                watcher: one,
                target: other,
                ..
            }
            | Self::Unwatch {
                watcher: one,
                target: other,
            }
            | Self::Link(one, other)
            | Self::Unlink(one, other) => [Some(one), Some(other)],
            Self::Stop(one, _) | Self::TrapLinks(one, _) | Self::DecideFailures(one, _) => {
                [Some(one), None]
            }
            Self::Supervise(supervisor, _) => [supervisor, None],
            Self::Cancel(_)
            | Self::AwaitEnd(..)
            | Self::AwaitStart(..)
            | Self::Name(_)
            | Self::FailPower(_)
            | Self::TearWrites(..)
            | Self::Fault(_)
            | Self::Close
            | Self::Finish => [None, None],
        };
        addresses.into_iter().flatten()
    }
}
