//! What a step has to do with others: whether their order makes a difference.

use crate::strategy::ObserverSet;

/// What a step has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessedResource {
    /// Its own operation alone: it makes no difference to anybody when it is taken.
    Own,
    /// What has come to its own operation: it goes on with something that was awaited.
    Inbox,
    /// The inbox of an operation, at whose end there is one event more.
    Sent(u64),
    /// An operation, which is created, or has a reply.
    Target(u64),
    /// Anything.
    World,
}

/// What a step has to do with others. Two steps that [depend](Self::depends) on each other are not taken
/// in another order without a look at what comes of it; all others may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Footprint {
    /// Whose step it was, by its path.
    pub(super) who: u64,
    pub(super) reach: AccessedResource,
    /// Who has looked at it.
    pub(super) onlookers: ObserverSet,
    /// Whose next step it has replaced, or would have.
    pub(super) interrupted: Vec<u64>,
    /// It may have replaced that of anybody.
    pub(super) interrupts_all: bool,
    /// It has created operations, which are numbered in the order in which they come.
    pub(super) creates: bool,
}

impl Footprint {
    /// Whether the order of two steps may make a difference.
    pub(super) fn depends(&self, other: &Self) -> bool {
        self.who == other.who
            || self.interrupts(other)
            || other.interrupts(self)
            || self.creates && other.creates
            || self.onlookers.but(other.onlookers) != self.onlookers
            || self.reaches(other)
            || other.reaches(self)
            || self.meets(other)
    }

    fn interrupts(&self, other: &Self) -> bool {
        self.interrupts_all || self.interrupted.contains(&other.who)
    }

    /// It gives something to the operation of the other, which need not say that it has looked for it.
    fn reaches(&self, other: &Self) -> bool {
        self.reach == AccessedResource::Target(other.who)
    }

    /// Both reach something that one operation alone does not.
    fn meets(&self, other: &Self) -> bool {
        match (self.reach, other.reach) {
            (AccessedResource::Own, _) | (_, AccessedResource::Own) => false,
            (AccessedResource::World, _) | (_, AccessedResource::World) => true,
            _ => self.target() == other.target(),
        }
    }

    /// Whose inbox it is about.
    fn target(&self) -> u64 {
        match self.reach {
            AccessedResource::Sent(to) | AccessedResource::Target(to) => to,
            AccessedResource::Own | AccessedResource::Inbox | AccessedResource::World => self.who,
        }
    }
}
