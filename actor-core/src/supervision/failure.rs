//! What failed, and what its supervisor decides: [`Failure`], [`Decision`].

use std::fmt;

use super::StopReason;
use crate::identity::ActorId;

/// An actor has failed: what [a hook](crate::LiveSystem::on_failure) is told in production, and a
/// supervisor that [decides](crate::Context::decide_failures) itself what becomes of its children.
///
/// ```
/// use actor_core::{Failure, FailureKind};
///
/// fn worth_a_call_at_night(failure: &Failure) -> bool {
///     failure.kind == FailureKind::Exhausted
/// }
/// # let _ = worth_a_call_at_night;
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub struct Failure {
    /// Which actor.
    pub actor: ActorId,
    /// The actor's name, `Server#3` for instance.
    pub name: String,
    /// What went wrong.
    pub kind: FailureKind,
    /// The panic's message, the error, or a sentence about the broken rule.
    pub message: String,
}

impl Failure {
    /// For executors.
    #[doc(hidden)]
    #[must_use]
    pub fn new(actor: ActorId, name: String, kind: FailureKind, message: String) -> Self {
        Self {
            actor,
            name,
            kind,
            message,
        }
    }

    /// What a supervisor is told of a child that has ended by another's failure.
    #[doc(hidden)]
    #[must_use]
    pub fn shared(actor: ActorId, name: String, reason: StopReason) -> Self {
        let (kind, message) = match reason {
            StopReason::Exhausted => (FailureKind::Exhausted, "it has given up a child"),
            _ => (
                FailureKind::Linked,
                "an actor that it is linked to has failed",
            ),
        };
        Self::new(actor, name, kind, message.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.kind {
            FailureKind::Panicked => "panicked",
            FailureKind::Unhandled => "was sent an event that it does not handle",
            FailureKind::BrokenRule => "broke a rule",
            FailureKind::Background => "lost a background future to a panic",
            FailureKind::AskCycle => "awaits its own answer",
            FailureKind::Error => "failed",
            FailureKind::Exhausted => "is given up",
            FailureKind::Linked => "shares a failure",
            FailureKind::Unheard => "has a failure to report that nobody receives",
        };
        write!(f, "{} {verb}: {}", self.name, self.message)
    }
}

/// What kind of failure it was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// A handler, a hook, a destructor or a factory panicked. The actor has stopped, or is brought
    /// back.
    Panicked,
    /// The current state neither handles, defers nor ignores the event. As after a panic.
    Unhandled,
    /// Two decisions in one handler, a raised event that the state does not take, or an endless
    /// chain of raised events. As after a panic.
    BrokenRule,
    /// A future given to [`pipe_to_self`](crate::Context::pipe_to_self), or the copying of a
    /// periodic timer's event, panicked: the actor goes on, the event never comes. Likewise where a
    /// supervisor that [decides](crate::Context::decide_failures) could not be asked, since a hook
    /// panicked that runs when an event is sent: the child is brought back.
    Background,
    /// Handlers wait for each other's replies, so that none may ever come: the message names them,
    /// `A -> B -> A` for instance. Looked for in builds with debug assertions only, and once for each
    /// cycle; asks with a [limit](crate::Ask::timeout) are no part of one, nor are replies that a
    /// handler has taken into its own hands. The actors are left as they are.
    AskCycle,
    /// A handler returned `Err` and nobody waits for a reply. As after a panic.
    Error,
    /// A supervised child has failed more often than its supervisor brings it back. It has stopped;
    /// so does the supervisor, unless that is the system.
    Exhausted,
    /// An actor that it is [linked](crate::Context::link) to has failed. A supervisor is told this of a
    /// child, and nobody else: the failure of the other was reported.
    Linked,
    /// The registry of names was told of an actor whose name is taken, or a handler answered
    /// a pool or an attached stream with `Err`, and nobody waits to hear of it. All of them go on.
    Unheard,
}

/// What becomes of a child that has failed: the answer of a supervisor that
/// [decides](crate::Context::decide_failures) itself.
///
/// There is no way to go on with the child's value. It was interrupted in the midst of a change, so
/// nobody knows what holds of it; it is dropped before the supervisor is asked. What is no reason to
/// begin anew, the child handles itself: by a `Result` as the reply to an `ask`, for instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
#[non_exhaustive]
pub enum Decision {
    /// To bring it back, as [`Supervision`](crate::Supervision) says: with its siblings or alone, after
    /// its [`Backoff`](crate::Backoff), and counted. One restart too many is an escalation.
    #[default]
    Restart,
    /// To let it stay stopped. Its watchers are told that it has failed, its siblings go on.
    Stop,
    /// To fail, too: the supervisor stops its other children and fails with the reason
    /// [`Exhausted`](StopReason::Exhausted), and its own supervisor acts.
    Escalate,
}
