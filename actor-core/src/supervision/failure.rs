//! Failures of actors and the decisions of their supervisors: [`Failure`], [`Decision`].

use std::fmt;

use super::StopReason;
use crate::identity::ActorId;

/// The failure of an actor, as reported to [a hook](crate::LiveSystem::on_failure) in production, and to a
/// supervisor that [decides](crate::Context::decide_failures) about its children itself.
///
/// ```
/// use actor_core::supervision::{Failure, FailureKind};
///
/// fn worth_a_call_at_night(failure: &Failure) -> bool {
///     failure.kind == FailureKind::Exhausted
/// }
/// # let _ = worth_a_call_at_night;
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub struct Failure {
    /// The actor that has failed.
    pub actor: ActorId,
    /// The actor's name, `Server#3` for instance.
    pub name: String,
    /// The kind of failure.
    pub kind: FailureKind,
    /// The panic's message, the error, or a sentence about the broken rule.
    pub message: String,
}

impl Failure {
    /// Constructs a failure, for executors.
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

    /// Returns the failure of a child that has ended by another actor's failure, for its supervisor.
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

/// The kind of a failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// A handler, a hook, a destructor or a factory panicked. The actor has stopped, or is restarted.
    Panicked,
    /// The state neither handles, defers nor ignores the event. The actor has stopped, or is restarted.
    Unhandled,
    /// The actor broke a rule: two decisions in one handler, a raised event that the state does not accept,
    /// or an endless chain of raised events. The actor has stopped, or is restarted.
    BrokenRule,
    /// A future given to [`pipe_to_self`](crate::Context::pipe_to_self), or the copying of a periodic timer's
    /// event, panicked: the actor continues, the event never comes. Also reported if a supervisor that
    /// [decides](crate::Context::decide_failures) could not be asked, since a hook that runs when an event is
    /// sent has panicked: the child is restarted.
    Background,
    /// Handlers wait for each other's replies, so that none may ever come: the message names them,
    /// `A -> B -> A` for instance. Detected in builds with debug assertions only, and reported once for each
    /// cycle. Asks with a [time limit](crate::Ask::timeout) never count, nor do replies that a handler has
    /// moved out. The actors continue to wait.
    AskCycle,
    /// A handler returned `Err` and nobody waits for a reply. The actor has stopped, or is restarted.
    Error,
    /// A supervised child has failed more often than its supervisor restarts it. The child has stopped, and
    /// so does the supervisor, unless that is the system.
    Exhausted,
    /// An actor that is [linked](crate::Context::link) to this one has failed. Only the supervisor of a child
    /// gets this kind: the failure of the other actor was reported separately.
    Linked,
    /// An actor was to be registered under a taken name, or a handler answered a pool or an attached stream
    /// with `Err`, and nobody waits for the result. All of the actors continue.
    Unheard,
}

/// The decision about a failed child, by a supervisor that [decides](crate::Context::decide_failures) itself.
///
/// No decision keeps the child's value. The value was interrupted in the middle of a change, so its
/// invariants may not hold; it is dropped before the supervisor is asked. A child should handle an error that
/// is no reason to restart, for instance by a `Result` as the reply to an `ask`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
#[non_exhaustive]
pub enum Decision {
    /// Restart the child, as configured by [`Supervision`](crate::Supervision): with its siblings or alone,
    /// after its [`Backoff`](crate::supervision::Backoff), and counted. One restart too many is an
    /// escalation.
    #[default]
    Restart,
    /// Leave the child stopped. The child's watchers are notified of its failure, and its siblings continue.
    Stop,
    /// Fail, too: the supervisor stops its other children and fails with the reason
    /// [`Exhausted`](StopReason::Exhausted), and its own supervisor acts.
    Escalate,
}
