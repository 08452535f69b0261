//! Footprints of steps, and the dependency relation on them.

use crate::strategy::ObserverSet;

/// The resource that a step has accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AccessedResource {
    /// Only the state of the step's own operation.
    Own,
    /// The inbox or the replies of the step's own operation.
    Inbox,
    /// The inbox of another operation, to whose end an event was appended.
    Sent(u64),
    /// An operation that was created, or that got a reply.
    Target(u64),
    /// All links between nodes.
    Links,
    /// Any resource: the step depends on all others but those that access `Own`.
    World,
    /// Any resource, and the number of steps before: the step depends on all others.
    Everything,
}

/// The footprint of a step. Two steps are reordered without an exploration unless they
/// [depend](Self::depends) on each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Footprint {
    /// The path of the operation that took the step.
    pub(super) who: u64,
    pub(super) reach: AccessedResource,
    pub(super) observers: ObserverSet,
    /// The operations whose next step this one has replaced, or might have replaced.
    pub(super) interrupted: Vec<u64>,
    /// True if the step may have replaced the next step of any operation.
    pub(super) interrupts_all: bool,
    /// True if the step has put a message on a link between nodes, or delivered one.
    pub(super) crosses: bool,
}

impl Footprint {
    pub(super) fn new(who: u64, reach: AccessedResource) -> Self {
        Self {
            who,
            reach,
            observers: ObserverSet::default(),
            interrupted: Vec::new(),
            interrupts_all: false,
            crosses: false,
        }
    }

    /// True if the order of two steps may make a difference.
    pub(super) fn depends(&self, other: &Self) -> bool {
        self.who == other.who
            || self.interrupts(other)
            || other.interrupts(self)
            || self.observers.but(other.observers) != self.observers
            || self.reaches(other)
            || other.reaches(self)
            || self.meets(other)
    }

    fn interrupts(&self, other: &Self) -> bool {
        self.interrupts_all || self.interrupted.contains(&other.who)
    }

    /// True if this step creates or replies to the operation of the other, whose read may be unreported.
    fn reaches(&self, other: &Self) -> bool {
        self.reach == AccessedResource::Target(other.who)
    }

    /// True if both steps access the same resource.
    fn meets(&self, other: &Self) -> bool {
        match (self.reach, other.reach) {
            (AccessedResource::Everything, _) | (_, AccessedResource::Everything) => true,
            (AccessedResource::Own, _) | (_, AccessedResource::Own) => false,
            (AccessedResource::World, _) | (_, AccessedResource::World) => true,
            (AccessedResource::Links, _) | (_, AccessedResource::Links) => {
                self.is_on_link() && other.is_on_link()
            }
            _ => self.target() == other.target(),
        }
    }

    fn is_on_link(&self) -> bool {
        self.crosses || self.reach == AccessedResource::Links
    }

    /// Returns the operation whose inbox the step accesses.
    fn target(&self) -> u64 {
        match self.reach {
            AccessedResource::Sent(to) | AccessedResource::Target(to) => to,
            AccessedResource::Own
            | AccessedResource::Inbox
            | AccessedResource::Links
            | AccessedResource::World
            | AccessedResource::Everything => self.who,
        }
    }
}
