//! Hooks of a program for failures, dead letters and monitor violations.

use std::cell::Cell;
use std::fmt;
#[cfg(feature = "tracing")]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

#[cfg(feature = "tracing")]
use super::span_propagator::SpanPropagator;
use super::violation::MonitorViolation;
use crate::event::Event;
use crate::identity::ActorId;
use crate::panics::{Payload, catch_panic, lock, message_of};
use crate::seam::{AskError, Violation, ViolationKind};
use crate::supervision::{Failure, FailureKind};

/// The failure of one actor, before its name is added.
#[derive(Clone, Debug)]
pub(crate) struct FailureCause {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
}

impl FailureCause {
    pub(crate) fn from_panic(payload: Payload) -> Self {
        match payload.downcast::<Violation>() {
            Ok(violation) => Self {
                kind: match violation.kind {
                    ViolationKind::UnreceivedError => FailureKind::Error,
                    ViolationKind::UnhandledRaise
                    | ViolationKind::EndlessChain
                    | ViolationKind::TwoDecisions => FailureKind::BrokenRule,
                },
                message: violation.message,
            },
            Err(payload) => Self {
                kind: FailureKind::Panicked,
                message: message_of(payload),
            },
        }
    }
}

/// An event that will never be handled: its actor has stopped, or the mailbox was full.
///
/// ```
/// use actor_core::observability::DeadLetter;
///
/// fn log(letter: &DeadLetter<'_>) {
///     println!("{:?} for {} is lost: {}", letter.event, letter.name, letter.reason);
/// }
/// # let _ = log;
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DeadLetter<'a> {
    /// The actor that the event was sent to.
    pub target: ActorId,
    /// The target's name.
    pub name: &'a str,
    /// The event, which is dropped afterwards.
    pub event: &'a dyn Event,
    /// The reason why the event will never be handled.
    pub reason: DeadLetterReason,
}

/// The reason why an event became a [`DeadLetter`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum DeadLetterReason {
    /// The actor stopped before it handled the event.
    Stopped,
    /// The actor's [bounded mailbox](crate::mailbox::Mailbox) was full.
    Full,
    /// The actor was restarted, and is set to [drop](crate::supervision::Unread) unread events at a restart.
    Restarted,
    /// The event was sent [by name](crate::Scope::at), and no actor has the name.
    Unknown,
    /// The event was sent [by name](crate::Scope::at) or to an actor, and the node is down.
    Unreachable,
}

impl DeadLetterReason {
    /// Returns the error that an asker gets.
    pub(crate) fn loss(self) -> AskError {
        match self {
            Self::Stopped | Self::Unknown => AskError::Stopped,
            Self::Full => AskError::Full,
            Self::Restarted => AskError::Failed,
            Self::Unreachable => AskError::Disconnected,
        }
    }
}

impl fmt::Display for DeadLetterReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "the actor has stopped",
            Self::Full => "the actor's mailbox is full",
            Self::Restarted => "the actor was restarted with an empty mailbox",
            Self::Unknown => "no actor has the name",
            Self::Unreachable => "the node is down",
        })
    }
}

type OnDeadLetter = Arc<dyn Fn(&DeadLetter<'_>) + Send + Sync>;

/// A hook for each `T`; the default prints a line to the standard error. No lock is held while it runs.
pub(crate) struct Hook<T>(Mutex<Arc<HookFn<T>>>);

type HookFn<T> = dyn Fn(&T) + Send + Sync;

impl<T: fmt::Display> Default for Hook<T> {
    fn default() -> Self {
        Self(Mutex::new(Arc::new(|found| {
            eprintln!("actor-core: {found}")
        })))
    }
}

impl<T> Hook<T> {
    pub(crate) fn set(&self, hook: impl Fn(&T) + Send + Sync + 'static) {
        let before = std::mem::replace(&mut *lock(&self.0), Arc::new(hook));
        drop(before);
    }

    pub(crate) fn call(&self, found: &T) {
        let hook = lock(&self.0).clone();
        guarded(|| hook(found));
    }
}

thread_local! {
    /// True while a hook runs on this thread: what the hook causes is counted, but not shown to a hook.
    static IN_HOOK: Cell<bool> = const { Cell::new(false) };
}

/// The hooks of a system. They run on the thread on which the failure occurs, under no lock; a panic in a
/// hook is caught and has no other effect.
#[derive(Default)]
pub(crate) struct Hooks {
    pub(crate) failure: Hook<Failure>,
    dead_letter: Mutex<Option<OnDeadLetter>>,
    pub(crate) violation: Hook<MonitorViolation>,
    dead_letters: AtomicU64,
    #[cfg(feature = "tracing")]
    carrier: OnceLock<SpanPropagator>,
}

impl Hooks {
    #[cfg(feature = "tracing")]
    pub(crate) fn carry(&self, carrier: SpanPropagator) {
        self.carrier.get_or_init(|| carrier);
    }

    #[cfg(feature = "tracing")]
    pub(crate) fn carrier(&self) -> Option<&SpanPropagator> {
        self.carrier.get()
    }

    pub(crate) fn on_dead_letter(&self, hook: OnDeadLetter) {
        let before = lock(&self.dead_letter).replace(hook);
        drop(before);
    }

    pub(crate) fn dead_letter(
        &self,
        target: ActorId,
        name: &dyn Fn() -> String,
        event: &dyn Event,
        reason: DeadLetterReason,
    ) {
        // Relaxed: a count, which orders nothing.
        self.dead_letters.fetch_add(1, Ordering::Relaxed);
        let hook = lock(&self.dead_letter).clone();
        if let Some(hook) = hook {
            let letter = DeadLetter {
                target,
                name: &name(),
                event,
                reason,
            };
            guarded(|| hook(&letter));
        }
    }

    pub(crate) fn dead_letters(&self) -> u64 {
        self.dead_letters.load(Ordering::Relaxed)
    }
}

/// Runs a hook, unless one already runs on this thread.
fn guarded(hook: impl FnOnce()) {
    if IN_HOOK.replace(true) {
        return;
    }
    // The panic's message was printed, and there is no other hook for it.
    drop(catch_panic(hook));
    IN_HOOK.set(false);
}
