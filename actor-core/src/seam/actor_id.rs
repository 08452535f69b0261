//! The number, order and name of an actor, which a controlled executor observes or determines.

use std::cmp::Ordering;
use std::fmt;

use super::{Note, Query, note, try_query};
use crate::identity::ActorId;

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
    note(Note::NumberSeen);
}

/// Prints the actor's name under test, a number in production.
impl fmt::Debug for ActorId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match try_query(|to| Query::Name(*self, to)) {
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
