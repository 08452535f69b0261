//! Faults to inject, as a fault script lists them.

use std::any::{Any, TypeId};
use std::rc::Rc;
use std::time::Duration;

/// A script that returns the faults to inject.
pub type Script = Box<dyn FnOnce() -> Vec<ScriptedFault>>;

/// The treatment of a node's disk when the node is restarted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiskAfterRestart {
    /// The disk has the content that survived the crash.
    Keep,
    /// The disk is empty.
    Wipe,
}

/// A fault of one message on a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageFault {
    /// The message is lost.
    Drop,
    /// The message arrives twice.
    Duplicate,
    /// The next message overtakes it.
    Delay,
}

/// A fault of a script, which refers to nodes by their names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ScriptedFault {
    /// A node crashes.
    Crash(Box<str>),
    /// A node is restarted.
    Restart(Box<str>, DiskAfterRestart),
    /// A node is paused.
    Pause(Box<str>),
    /// A paused node goes on.
    Resume(Box<str>),
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
    /// The connection of two nodes breaks for the first one; the second one does not notice yet.
    HalfOpen(Box<str>, Box<str>),
    /// The messages of a link are held back.
    Hold(Box<str>, Box<str>),
    /// A held link delivers its messages again.
    Release(Box<str>, Box<str>),
    /// A link takes no more events.
    Fill(Box<str>, Box<str>),
    /// A full link takes events again.
    Drain(Box<str>, Box<str>),
    /// A message fault hits the next event of a type on a link.
    Next {
        /// The fault of the message.
        wish: MessageFault,
        /// The name of the sending node.
        from: Box<str>,
        /// The name of the receiving node.
        to: Box<str>,
        /// The type of the event.
        event: TypeId,
        /// The name of the event type.
        name: &'static str,
    },
    /// The clock of a node jumps ahead.
    SetAhead(Box<str>, Duration),
    /// The date on a node is set back.
    SetBack(Box<str>, Duration),
    /// The tester injects no faults on a node.
    Spare(Box<str>),
    /// The tester injects no faults between two nodes.
    SpareLink(Box<str>, Box<str>),
}

/// The supplied error of the calls of one name.
pub struct CallErrors {
    /// The type of the error.
    pub error: TypeId,
    /// The name of the error type.
    pub error_name: &'static str,
    /// True if the call is made all the same, and its result is lost.
    pub is_made: bool,
    /// Makes the error.
    pub make: Rc<dyn Fn() -> Box<dyn Any>>,
}

/// The failure of one call.
pub struct InjectedError {
    /// The error.
    pub error: Box<dyn Any>,
    /// True if the call is made all the same, and its result is lost.
    pub is_made: bool,
}
