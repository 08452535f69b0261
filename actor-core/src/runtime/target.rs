//! Dispatch of untyped calls on an actor reference to the two executors.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::{has_stopped, post, try_with, with};
use crate::identity::ActorId;
use crate::parts::{Mailed, Stop};
use crate::production::{ActorAddress, CountedRef, DeadLetterReason, RefCount, Target};
use crate::slab::Slot;

impl ActorId {
    /// Returns the number of the actor: in a controlled execution, that of the operation.
    pub fn as_u64(self) -> u64 {
        number_seen();
        self.number()
    }
}

/// Ordered by creation.
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

/// Notifies the tester, since the order of creation determines the number of an actor.
fn number_seen() {
    let _ = try_with(|rt| rt.number_seen());
}

/// Prints the actor's name under test, a number in production.
impl fmt::Debug for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match try_with(|rt| rt.name(*self)) {
            Some(name) => f.write_str(&name),
            None => write!(f, "#{}", self.number()),
        }
    }
}

/// Prints as `Debug` does.
impl fmt::Display for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

impl Target {
    pub(crate) fn id(&self) -> ActorId {
        match self.place() {
            ActorAddress::Live(actor) => actor.id(),
            ActorAddress::Controlled(address) => ActorId::controlled(*address),
        }
    }

    pub(crate) fn name(&self) -> String {
        format!("{self:?}")
    }

    /// Returns the name for the registry, without the prefix of the node.
    pub(crate) fn own_name(&self) -> String {
        match self.place() {
            ActorAddress::Live(actor) => actor.own_name(),
            ActorAddress::Controlled(_) => {
                let name = self.name();
                match with(|rt| rt.node_prefix(self.address())) {
                    Some(prefix) => name.strip_prefix(&*prefix).unwrap_or(&name).to_owned(),
                    None => name,
                }
            }
        }
    }

    /// Returns true if the actor has stopped: its inbox takes no more events.
    pub(crate) fn has_stopped(&self) -> bool {
        match self.place() {
            ActorAddress::Live(actor) => !actor.is_running(),
            ActorAddress::Controlled(address) => has_stopped(*address),
        }
    }

    pub(crate) fn is_bounded(&self) -> bool {
        match self.place() {
            ActorAddress::Live(actor) => actor.is_bounded(),
            ActorAddress::Controlled(address) => with(|rt| rt.is_bounded(*address)),
        }
    }

    /// Reports a failed operation of an actor that goes on, if nobody waits for the result.
    pub(crate) fn report(&self, error: &str) {
        match self.place() {
            ActorAddress::Live(actor) => actor.report(error),
            ActorAddress::Controlled(_) => with(|rt| rt.report(error)),
        }
    }

    pub(crate) fn stop(&self, stop: Stop) {
        match self.place() {
            ActorAddress::Live(actor) => actor.stop(stop),
            ActorAddress::Controlled(address) => with(|rt| rt.stop(*address, stop)),
        }
    }

    // Generic over the actor alone, never over the event, to keep compile times down.
    #[inline]
    pub(crate) fn post<A: Mailed>(&self, message: &mut Slot<A::Message>) {
        match self.place() {
            ActorAddress::Live(actor) => actor.post::<A>(message),
            ActorAddress::Controlled(address) => post(*address, message),
        }
    }

    /// Posts as [`post`](Self::post) does, for a relayed message, which monitors have already observed.
    pub(crate) fn pass_on<A: Mailed>(&self, message: &mut Slot<A::Message>) {
        match self.place() {
            ActorAddress::Live(actor) => actor.pass_on::<A>(message),
            ActorAddress::Controlled(address) => post(*address, message),
        }
    }

    /// Sends a service's [internal event](crate::table::EventInfo) to itself: the event takes no
    /// capacity, and is dropped without a dead letter if the service has stopped.
    pub(crate) fn tell_own<A: Mailed>(&self, message: A::Message) {
        match self.place() {
            ActorAddress::Live(actor) => actor.notify::<A>(message, None),
            ActorAddress::Controlled(address) => post(*address, &mut Slot::Full(message)),
        }
    }

    /// Makes a dead letter of a message that the actor, a relay, can pass to nobody.
    pub(crate) fn lose<A: Mailed>(&self, message: A::Message, why: DeadLetterReason) {
        match self.place() {
            ActorAddress::Live(actor) => actor.lose_own::<A>(message, why),
            ActorAddress::Controlled(address) => {
                let message = &mut Slot::Full(message);
                with(|rt| rt.lose(*address, message, why.loss()));
            }
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            ActorAddress::Live(actor) => f.write_str(&actor.name()),
            ActorAddress::Controlled(address) => ActorId::controlled(*address).fmt(f),
        }
    }
}

impl Drop for CountedRef {
    /// Notifies the tester, since the schedule determines which reference is dropped last.
    fn drop(&mut self) {
        let count = self.count();
        if let Some(ActorAddress::Controlled(address)) = count.place()
            && Arc::strong_count(count) > 1
        {
            try_with(|rt| rt.reference_dropped(*address, false));
        }
    }
}

impl Drop for RefCount {
    /// Stops the actor in order, since no reference to it is left.
    fn drop(&mut self) {
        match self.place() {
            Some(ActorAddress::Live(actor)) => actor.stop(Stop::InOrder),
            Some(ActorAddress::Controlled(address)) => {
                try_with(|rt| rt.reference_dropped(*address, true));
            }
            None => {}
        }
    }
}
