//! What goes wrong on purpose.

use std::any::{Any, TypeId};
use std::rc::Rc;
use std::time::Duration;

/// A script that says what goes wrong.
pub type Script = Box<dyn FnOnce() -> Vec<Fault>>;

/// What becomes of a node's disk when it is restarted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disk {
    /// It has what a crash leaves of it.
    Keep,
    /// It is empty.
    Wipe,
}

/// What becomes of a message on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wish {
    /// It is lost.
    Drop,
    /// It arrives twice.
    Duplicate,
    /// The one behind it overtakes it.
    Delay,
}

/// What goes wrong, as a script says it; nodes are named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A node crashes.
    Crash(Box<str>),
    /// A node is restarted.
    Restart(Box<str>, Disk),
    /// The links between two sets of nodes are cut, both ways.
    Partition(Vec<Box<str>>, Vec<Box<str>>),
    /// One link is cut.
    Cut(Box<str>, Box<str>),
    /// All links are healed.
    Heal,
    /// The links of two nodes are healed.
    HealBetween(Box<str>, Box<str>),
    /// The connection of two nodes breaks.
    Break(Box<str>, Box<str>),
    /// A link is held.
    Hold(Box<str>, Box<str>),
    /// A link is released.
    Release(Box<str>, Box<str>),
    /// Something becomes of the next event of a type on a link.
    Next {
        /// What.
        wish: Wish,
        /// From this node.
        from: Box<str>,
        /// To this one.
        to: Box<str>,
        /// The type of the event.
        event: TypeId,
        /// What that is called.
        name: &'static str,
    },
    /// The clock of a node jumps ahead.
    SetAhead(Box<str>, Duration),
    /// The date on a node is set back.
    SetBack(Box<str>, Duration),
    /// Nothing fails on a node by the tester's choice.
    Spare(Box<str>),
    /// Nothing fails between two nodes by the tester's choice.
    SpareLink(Box<str>, Box<str>),
}

/// What the calls of one name may fail with.
pub struct Failing {
    /// The type of the error.
    pub error: TypeId,
    /// Its name.
    pub error_name: &'static str,
    /// The call is made all the same, and what it returns is lost.
    pub is_made: bool,
    /// Makes the error.
    pub make: Rc<dyn Fn() -> Box<dyn Any>>,
}

/// What a call fails with.
pub struct Failure {
    /// The error.
    pub error: Box<dyn Any>,
    /// The call is made all the same, and what it returns is lost.
    pub is_made: bool,
}
