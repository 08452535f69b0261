//! What a program hears of failures, dead letters and violated specifications.

use std::cell::Cell;
use std::fmt;
#[cfg(feature = "tracing")]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

#[cfg(feature = "tracing")]
use super::carrier::Carrier;
use super::violation::MonitorViolation;
use crate::contained::{Payload, contained, message_of};
use crate::event::Event;
use crate::identity::ActorId;
use crate::parts::{AskError, Violation, ViolationKind};
use crate::production::host::lock;
use crate::supervision::{Failure, FailureKind};

/// What went wrong in one actor, before its name is known.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
}

impl Fault {
    /// Reads what an unwinding panic carried.
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

/// An event that will never be handled: its actor had stopped, or stopped before it came to it, or
/// its mailbox was full.
///
/// ```
/// use actor_core::DeadLetter;
///
/// fn log(letter: &DeadLetter<'_>) {
///     println!("{:?} for {} is lost: {}", letter.event, letter.name, letter.reason);
/// }
/// # let _ = log;
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct DeadLetter<'a> {
    /// To whom it was sent.
    pub target: ActorId,
    /// The target's name.
    pub name: &'a str,
    /// The event, which is dropped afterwards.
    pub event: &'a dyn Event,
    /// Why it will never be handled.
    pub reason: DeadLetterReason,
}

/// Why an event became a [`DeadLetter`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum DeadLetterReason {
    /// Its actor had stopped, or stopped before it came to it.
    Stopped,
    /// The actor's [bounded mailbox](crate::Mailbox) was full.
    Full,
    /// Its actor was restarted, and [told to drop](crate::Unread) what was unread.
    Restarted,
    /// It was sent to a [proxy](crate::Proxy), and nobody has the name.
    Unknown,
    /// It was sent to a [proxy](crate::Proxy), and the node is down.
    Unreachable,
}

impl DeadLetterReason {
    /// What whoever asked is told.
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
            Self::Unreachable => "the node of that name is down",
        })
    }
}

type OnFailure = Arc<dyn Fn(&Failure) + Send + Sync>;
type OnDeadLetter = Arc<dyn Fn(&DeadLetter<'_>) + Send + Sync>;
type OnViolation = Arc<dyn Fn(&MonitorViolation) + Send + Sync>;

thread_local! {
    /// A hook runs on this thread: what it causes is counted, but not shown to the hook again.
    static IN_HOOK: Cell<bool> = const { Cell::new(false) };
}

/// The hooks of a system. They run on the thread where the thing happens, under no lock; a panic
/// in a hook is caught and ends there.
pub(crate) struct Hooks {
    failure: Mutex<OnFailure>,
    dead_letter: Mutex<Option<OnDeadLetter>>,
    violation: Mutex<OnViolation>,
    dead_letters: AtomicU64,
    #[cfg(feature = "tracing")]
    carrier: OnceLock<Carrier>,
}

impl Hooks {
    pub(crate) fn new() -> Self {
        Self {
            failure: Mutex::new(Arc::new(|failure| eprintln!("actor-core: {failure}"))),
            dead_letter: Mutex::new(None),
            violation: Mutex::new(Arc::new(|violation| eprintln!("actor-core: {violation}"))),
            dead_letters: AtomicU64::new(0),
            #[cfg(feature = "tracing")]
            carrier: OnceLock::new(),
        }
    }

    /// Sets what spans follow from; the first counts.
    #[cfg(feature = "tracing")]
    pub(crate) fn carry(&self, carrier: Carrier) {
        self.carrier.get_or_init(|| carrier);
    }

    #[cfg(feature = "tracing")]
    pub(crate) fn carrier(&self) -> Option<&Carrier> {
        self.carrier.get()
    }

    pub(crate) fn on_failure(&self, hook: OnFailure) {
        let before = std::mem::replace(&mut *lock(&self.failure), hook);
        drop(before);
    }

    pub(crate) fn on_dead_letter(&self, hook: OnDeadLetter) {
        let before = lock(&self.dead_letter).replace(hook);
        drop(before);
    }

    pub(crate) fn on_violation(&self, hook: OnViolation) {
        let before = std::mem::replace(&mut *lock(&self.violation), hook);
        drop(before);
    }

    pub(crate) fn failed(&self, failure: &Failure) {
        let hook = lock(&self.failure).clone();
        guarded(|| hook(failure));
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

    pub(crate) fn violated(&self, violation: &MonitorViolation) {
        let hook = lock(&self.violation).clone();
        guarded(|| hook(violation));
    }

    pub(crate) fn dead_letters(&self) -> u64 {
        self.dead_letters.load(Ordering::Relaxed)
    }
}

/// Runs a hook, unless one already runs on this thread.
pub(crate) fn guarded(hook: impl FnOnce()) {
    if IN_HOOK.replace(true) {
        return;
    }
    // The panic's message was printed; there is nobody else to tell.
    drop(contained(hook));
    IN_HOOK.set(false);
}
