//! Registrations of a test's set-up code: [`Registration`].

use std::time::Duration;

use super::{CallErrors, Script};
use crate::specification::{AnyMonitor, Expectation, Predicate};

/// A part of a test's set-up, which takes effect at once.
pub enum Registration<'a> {
    /// A monitor, unless one of its type is registered.
    Monitor(Box<dyn AnyMonitor>),
    /// A predicate over the states of all actors.
    Predicate {
        /// The name of the predicate.
        name: &'a str,
        /// The times at which it must be true.
        expectation: Expectation,
        /// The predicate.
        predicate: Predicate,
    },
    /// A script of faults, which are injected as soon as a predicate is true.
    Script {
        /// The name of the predicate.
        name: &'a str,
        /// The predicate.
        predicate: Predicate,
        /// The script.
        script: Script,
    },
    /// The errors that environment calls of that name may fail with.
    CallErrors(&'a str, CallErrors),
    /// A node of that name, which its code boots.
    Node(&'a str, Box<dyn FnMut()>),
    /// The system's time limit of every `ask` from now on that has no limit of its own.
    AskLimit(Duration),
}

impl Registration<'_> {
    /// Returns the call as a report names it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Monitor(_) => "monitor",
            Self::Predicate { .. } => "predicate",
            Self::Script { .. } => "when",
            Self::CallErrors(..) => "fails",
            Self::Node(..) => "node",
            Self::AskLimit(_) => "set a limit for asks",
        }
    }
}
