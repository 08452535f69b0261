//! Rule violations of an actor and their messages. Each function unwinds to the executor; none is generic
//! over the actor's type, so that the messages are compiled once.

use std::fmt::{self, Debug, Display};

use crate::event::Event;

/// The maximum number of raised events and transitions that may follow from one event.
pub const CHAIN_MAX: u32 = 1000;

/// The decision of a handler, printed as in source code.
pub(crate) enum HandlerDecision<'a> {
    Nothing,
    Goto(&'a dyn Debug),
    Raise(&'a dyn Event),
    Halt,
}

impl Display for HandlerDecision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Goto(state) => write!(f, "goto({state:?})"),
            Self::Raise(event) => write!(f, "raise({event:?})"),
            Self::Halt => f.write_str("halt()"),
        }
    }
}

#[cold]
pub(crate) fn decision_in_hook(actor: &str, hook: &str, decision: &HandlerDecision<'_>) -> ! {
    violate(
        ViolationKind::TwoDecisions,
        format!(
            "`{decision}` in an {hook} hook of `{actor}`: what follows is already decided there"
        ),
    )
}

#[cold]
pub(crate) fn two_decisions(
    actor: &str,
    first: &HandlerDecision<'_>,
    second: &HandlerDecision<'_>,
) -> ! {
    violate(
        ViolationKind::TwoDecisions,
        format!(
            "`{second}` after `{first}` in one handler of `{actor}`: at most one of goto, raise \
             and halt decides what follows"
        ),
    )
}

#[cold]
pub(crate) fn endless_chain(actor: &str) -> ! {
    violate(
        ViolationKind::EndlessChain,
        format!(
            "`{actor}` raised events or changed its state {CHAIN_MAX} times without returning to \
             its inbox"
        ),
    )
}

#[cold]
pub(crate) fn unreceived_error(actor: &str, event: &str, error: &str) -> ! {
    violate(
        ViolationKind::UnreceivedError,
        format!("`{actor}` answered `{event}` with Err({error}), and nobody receives it"),
    )
}

#[cold]
pub(crate) fn failed_start(actor: &str, error: &str) -> ! {
    violate(
        ViolationKind::UnreceivedError,
        format!("`{actor}` did not start: Err({error})"),
    )
}

#[cold]
pub(crate) fn unhandled_raise(actor: &str, event: &dyn Event, state: &dyn Debug) -> ! {
    violate(
        ViolationKind::UnhandledRaise,
        format!(
            "`{actor}` raised {event:?} in state {state:?}, which neither handles nor ignores it"
        ),
    )
}

/// The kind of a rule violation, or of a failure without a panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViolationKind {
    /// A raised event that the state neither handles nor ignores.
    UnhandledRaise,
    /// More than [`CHAIN_MAX`](crate::CHAIN_MAX) raised events and transitions in a row.
    EndlessChain,
    /// More than one of `goto`, `raise` and `halt`, or one of them in an exit or stop hook.
    TwoDecisions,
    /// A handler's `Err` that nobody receives.
    UnreceivedError,
}

/// A violation as the payload of the panic that unwinds to the executor.
#[derive(Debug)]
pub struct Violation {
    /// The rule that was broken.
    pub kind: ViolationKind,
    /// A sentence for the report.
    pub message: String,
}

/// Unwinds to the executor with a violation; no panic message is printed.
pub(crate) fn violate(kind: ViolationKind, message: String) -> ! {
    std::panic::resume_unwind(Box::new(Violation { kind, message }))
}
