//! What is done with an actor of which only the reference is known: here the executors part.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::{has_stopped, post, try_with, with};
use crate::identity::ActorId;
use crate::parts::{Mailed, Stop};
use crate::production::{Count, Counted, DeadLetterReason, Target, Where};
use crate::slab::Slot;

impl ActorId {
    /// The number: in a controlled execution, that of the operation.
    pub fn as_u64(self) -> u64 {
        number_seen();
        self.number()
    }
}

/// In the order in which they were created.
impl Ord for ActorId {
    fn cmp(&self, other: &Self) -> Ordering {
        number_seen();
        self.number().cmp(&other.number())
    }
}

impl PartialOrd for ActorId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Which number an actor has is up to who was created first.
fn number_seen() {
    let _ = try_with(|rt| rt.number_seen());
}

/// The actor's name under test, a number in production.
impl fmt::Debug for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match try_with(|rt| rt.name(*self)) {
            Some(name) => f.write_str(&name),
            None => write!(f, "#{}", self.number()),
        }
    }
}

/// As `Debug`.
impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Target {
    pub(crate) fn id(&self) -> ActorId {
        match self.place() {
            Where::Live(actor) => actor.id(),
            Where::Controlled(address) => ActorId::controlled(*address),
        }
    }

    /// The name that logs and reports use.
    pub(crate) fn name(&self) -> String {
        format!("{self:?}")
    }

    /// The name by which it is registered: on a node, without that of the node.
    pub(crate) fn own_name(&self) -> String {
        match self.place() {
            Where::Live(actor) => actor.own_name(),
            Where::Controlled(_) => {
                let name = self.name();
                match with(|rt| rt.node_prefix(self.address())) {
                    Some(prefix) => name.strip_prefix(&*prefix).unwrap_or(&name).to_owned(),
                    None => name,
                }
            }
        }
    }

    /// Its inbox takes no more events.
    pub(crate) fn has_stopped(&self) -> bool {
        match self.place() {
            Where::Live(actor) => !actor.is_running(),
            Where::Controlled(address) => has_stopped(*address),
        }
    }

    /// Its mailbox may be full.
    pub(crate) fn is_bounded(&self) -> bool {
        match self.place() {
            Where::Live(actor) => actor.is_bounded(),
            Where::Controlled(address) => with(|rt| rt.is_bounded(*address)),
        }
    }

    /// Reports what the actor, which goes on, could not do, and nobody waits to hear.
    pub(crate) fn report(&self, error: &str) {
        match self.place() {
            Where::Live(actor) => actor.report(error),
            Where::Controlled(_) => with(|rt| rt.report(error)),
        }
    }

    /// Stops the actor.
    pub(crate) fn stop(&self, stop: Stop) {
        match self.place() {
            Where::Live(actor) => actor.stop(stop),
            Where::Controlled(address) => with(|rt| rt.stop(*address, stop)),
        }
    }

    // Generic over the actor alone, never over the event: it keeps compile times down.
    #[inline]
    pub(crate) fn post<A: Mailed>(&self, message: &mut Slot<A::Message>) {
        match self.place() {
            Where::Live(actor) => actor.post::<A>(message),
            Where::Controlled(address) => post(*address, message),
        }
    }

    /// As [`post`](Self::post), for what a relay hands on: monitors have seen it sent.
    pub(crate) fn pass_on<A: Mailed>(&self, message: &mut Slot<A::Message>) {
        match self.place() {
            Where::Live(actor) => actor.pass_on::<A>(message),
            Where::Controlled(address) => post(*address, message),
        }
    }

    /// A service tells itself something [of its own](crate::table::EventInfo): that takes no room, and is
    /// dropped in silence where it has stopped.
    pub(crate) fn tell_own<A: Mailed>(&self, message: A::Message) {
        match self.place() {
            Where::Live(actor) => actor.notify::<A>(message, None),
            Where::Controlled(address) => post(*address, &mut Slot::Full(message)),
        }
    }

    /// The actor, which relays, knows nobody to hand a message of its own on to: a dead letter.
    pub(crate) fn lose<A: Mailed>(&self, message: A::Message, why: DeadLetterReason) {
        match self.place() {
            Where::Live(actor) => actor.lose_own::<A>(message, why),
            Where::Controlled(address) => {
                let message = &mut Slot::Full(message);
                with(|rt| rt.lose(*address, message, why.loss()));
            }
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            Where::Live(actor) => f.write_str(&actor.name()),
            Where::Controlled(address) => ActorId::controlled(*address).fmt(f),
        }
    }
}

impl Drop for Counted {
    /// The tester hears of it, since who drops the last one is up to the schedule.
    fn drop(&mut self) {
        let count = self.count();
        if let Some(Where::Controlled(address)) = count.place()
            && Arc::strong_count(count) > 1
        {
            try_with(|rt| rt.let_go(*address, false));
        }
    }
}

impl Drop for Count {
    /// Nobody refers to the actor any more: it is stopped when it has handled what it was sent.
    fn drop(&mut self) {
        match self.place() {
            Some(Where::Live(actor)) => actor.stop(Stop::InOrder),
            Some(Where::Controlled(address)) => {
                try_with(|rt| rt.let_go(*address, true));
            }
            None => {}
        }
    }
}
