//! What a monitor in production has to say of a violation: [`MonitorViolation`].

use std::fmt;
use std::time::Duration;

use crate::identity::ActorId;

/// A monitor in production saw its specification violated.
///
/// It prints as one line: `safety: monitor Answered in state Quiet: a pong that nobody asked for`, and
/// in brackets the rest of what is known.
///
/// ```
/// use actor_core::{MonitorViolation, MonitorViolationKind};
///
/// fn log(violation: &MonitorViolation) {
///     let word = match violation.kind {
///         MonitorViolationKind::Liveness => "overdue",
///         _ => "wrong",
///     };
///     println!("{word}: {violation}");
/// }
/// # let _ = log;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MonitorViolation {
    /// The monitor type's name.
    pub monitor: &'static str,
    /// The state in which it was; `None` for a monitor without states.
    pub state: Option<&'static str>,
    /// What was violated.
    pub kind: MonitorViolationKind,
    /// The panic's message, or how long the monitor was hot.
    pub message: String,
    /// Where the monitor panicked, `src/answered.rs:12:9` for instance, where that is known.
    pub place: Option<String>,
    /// The event at which it was, as it prints; `None` for a monitor that was hot for too long.
    pub event: Option<String>,
    /// Who sent the event; `None` for a timer, and a caller outside any actor.
    pub sender: Option<ActorId>,
    /// The sender's name, where it still lives.
    pub sender_name: Option<String>,
    /// To whom the event went; `None` for an announcement.
    pub target: Option<ActorId>,
    /// The target's name, where it still lives.
    pub target_name: Option<String>,
    /// When, counted from the start of the system.
    pub time: Duration,
    /// How the monitor came to its state: the last 16 changes of state, oldest first.
    pub trace: Vec<MonitorStep>,
}

/// A monitor has gone to another state.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MonitorStep {
    /// The state to which it has gone.
    pub state: &'static str,
    /// The type of the event by which.
    pub event: &'static str,
    /// When, counted from the start of the system.
    pub time: Duration,
}

/// Which half of a specification was violated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum MonitorViolationKind {
    /// A handler of the monitor panicked; the monitor was removed, unless it is to
    /// [go on](crate::LiveSystem::go_on_after_violations).
    Safety,
    /// It was hot for longer than [`LiveSystem::hot_limit`](crate::LiveSystem::hot_limit) or
    /// [`LiveSystem::hot_limit_of`](crate::LiveSystem::hot_limit_of) allows.
    Liveness,
}

impl fmt::Display for MonitorViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.kind {
            MonitorViolationKind::Safety => "safety",
            MonitorViolationKind::Liveness => "liveness",
        };
        write!(f, "{word}: monitor {}", self.monitor)?;
        if let Some(state) = self.state {
            write!(f, " in state {state}")?;
        }
        write!(f, ": {} (", self.message)?;
        if let Some(event) = &self.event {
            write!(f, "{event}")?;
            party(f, " from ", self.sender, self.sender_name.as_deref())?;
            party(f, " to ", self.target, self.target_name.as_deref())?;
            f.write_str(", ")?;
        }
        write!(f, "{:?} after the start", self.time)?;
        for (at, step) in self.trace.iter().enumerate() {
            let before = if at == 0 { "; by way of" } else { "," };
            write!(f, "{before} {} at {}", step.state, step.event)?;
        }
        if let Some(place) = &self.place {
            write!(f, "; {place}")?;
        }
        f.write_str(")")
    }
}

fn party(
    f: &mut fmt::Formatter<'_>,
    word: &str,
    id: Option<ActorId>,
    name: Option<&str>,
) -> fmt::Result {
    match (name, id) {
        (Some(name), _) => write!(f, "{word}{name}"),
        (None, Some(id)) => write!(f, "{word}{id}"),
        (None, None) => Ok(()),
    }
}
