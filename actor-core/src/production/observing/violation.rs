//! Violations of monitors in production: [`MonitorViolation`].

use std::fmt;
use std::time::Duration;

use crate::identity::ActorId;

/// The violation of a specification, as observed by a monitor in production.
///
/// Printed as one line: `safety: monitor Answered in state Quiet: a pong that nobody asked for (...)`.
///
/// ```
/// use actor_core::observability::{MonitorViolation, MonitorViolationKind};
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
    /// The monitor's state; `None` for a monitor without states.
    pub state: Option<&'static str>,
    /// The kind of the violation.
    pub kind: MonitorViolationKind,
    /// The panic's message, or the time for which the monitor was hot.
    pub message: String,
    /// The location of the monitor's panic, `src/answered.rs:12:9` for instance, if known.
    pub place: Option<String>,
    /// The event in its `Debug` format; `None` for a monitor that was hot for too long.
    pub event: Option<String>,
    /// The sender of the event; `None` for a timer, and a caller outside any actor.
    pub sender: Option<ActorId>,
    /// The sender's name, if the sender is alive.
    pub sender_name: Option<String>,
    /// The target of the event; `None` for an announcement.
    pub target: Option<ActorId>,
    /// The target's name, if the target is alive.
    pub target_name: Option<String>,
    /// The time of the violation since the start of the system.
    pub time: Duration,
    /// The last 16 changes of the monitor's state, oldest first.
    pub trace: Vec<MonitorStep>,
}

/// A change of a monitor's state.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MonitorStep {
    /// The new state.
    pub state: &'static str,
    /// The type of the event that caused the change.
    pub event: &'static str,
    /// The time of the change since the start of the system.
    pub time: Duration,
}

/// The violated half of a specification.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum MonitorViolationKind {
    /// A handler of the monitor panicked. The monitor was removed, unless it is set to [go
    /// on](crate::LiveSystem::go_on_after_violations).
    Safety,
    /// The monitor was hot for longer than [`LiveSystem::hot_limit`](crate::LiveSystem::hot_limit) or
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
