//! The texts of the debugger's output.

use std::time::Duration;

use super::command::BreakCondition;
use super::session::DebuggedExecution;
use actor_test::Finding;
use actor_test::causes::ContinuationCounts;
use actor_test::story::{MonitorKind, Purpose, Story};
use actor_test::tool::inquiry::RunResult;
use actor_test::tool::snapshot::{
    EnabledStep, OperationState, Outgoing, QueuedEvent, RunningTimer, Snapshot, SpecificationState,
    Stage,
};
use actor_test::tool::step::StepKind;
use actor_test::tool::trace::Trace;
use actor_test::tool::words::{count, finding, plain, shortened};

/// The origin of the first execution.
pub(super) fn recorded() -> String {
    "the recorded execution".into()
}

/// A note on a recorded execution whose replay differs from the recording.
pub(super) fn beginning(trace: &Trace, ran: &RunResult) -> Option<String> {
    if let Some((step, message)) = &ran.diverged {
        return Some(crate::words::diverged(
            *step,
            message,
            ran.finding.as_ref(),
            trace,
        ));
    }
    match &ran.finding {
        None => Some(crate::words::no_bug_any_more(&trace.finding)),
        Some(found) if !found.is_like(&trace.finding) => {
            Some(format!("now it ends with another bug: {}", finding(found)))
        }
        Some(_) => None,
    }
}

/// A note on a recorded execution that crashes its process.
pub(super) fn violent_beginning(how: &str) -> String {
    format!(
        "it takes its process down: {how}\n      the steps are those that were recorded; the states before \
         the last one can be shown"
    )
}

/// The position at the beginning of a session.
pub(super) fn where_it_begins(execution: &DebuggedExecution, critical: Option<u64>) -> String {
    let critical = critical.map_or_else(String::new, |step| {
        format!(", of which step {step} is the critical one")
    });
    format!(
        "before the first of {}{critical}; `help` lists the commands",
        count(execution.last, "step")
    )
}

/// A snapshot that is not available.
pub(super) fn no_snapshot(step: u64, why: &str) -> String {
    format!("can't show the states after step {step}: {why}")
}

/// An execution that is not available.
pub(super) fn no_branch(why: &str) -> String {
    format!("can't show how that goes on: {why}")
}

pub(super) fn other_test(file: &str, other: &str, own: &str) -> String {
    format!("{file} is a trace of {other}, and this one is of {own}")
}

/// A one-line summary of an execution.
pub(super) fn execution(number: usize, execution: &DebuggedExecution, is_current: bool) -> String {
    let mark = if is_current { "*" } else { " " };
    format!(
        "{mark} #{number}  {}: {}, {}",
        execution.origin,
        count(execution.last, "step"),
        end(execution.finding.as_ref())
    )
}

/// The position after the last step of an execution.
pub(super) fn at_the_end(execution: &DebuggedExecution) -> String {
    format!("at the end: {}", end(execution.finding.as_ref()))
}

/// The description of a continuation that recovers.
pub(super) const LIVE: &str = "fairly, until it recovers";

/// The origin of an execution that was derived from another one.
pub(super) fn made_of(step: u64, number: usize, how: &str) -> String {
    let comma = if how.starts_with("under ") { "" } else { "," };
    format!("from step {step} of #{number}{comma} {how}")
}

/// The strategy of an execution that was derived from another one.
pub(super) fn strategy(of: &str, step: u64, how: &str) -> String {
    format!("{of} up to step {step}, then {how}")
}

/// The enabled operations after an execution has ended with a bug.
pub(super) fn nothing_after(found: &Finding) -> String {
    format!("nothing: the execution has ended, {}", finding(found))
}

/// The number of tries to let an execution recover.
pub(super) fn lived(share: &ContinuationCounts) -> String {
    let tried = count(u64::from(share.of), "fair continuation");
    match share.escaped {
        0 => format!(
            "none of {tried} recovers from here: perhaps nothing does; go back to where it does"
        ),
        _ => format!("the last of {tried} recovers from here"),
    }
}

pub(super) fn end(found: Option<&Finding>) -> String {
    found.map_or_else(|| "no bug".into(), finding)
}

pub(super) fn condition(condition: &BreakCondition) -> String {
    match condition {
        BreakCondition::Event(event, None) => format!("event {event}"),
        BreakCondition::Event(event, Some(actor)) => format!("event {event} of {actor}"),
        BreakCondition::State(actor, state) => format!("{actor} enters {state}"),
        BreakCondition::Field(actor, field, None) => format!("{actor}: {field} changes"),
        BreakCondition::Field(actor, field, Some(value)) => {
            format!("{actor}: {field} becomes {value}")
        }
        BreakCondition::Monitor(name, None) => format!("{name} changes"),
        BreakCondition::Monitor(name, Some(state)) => format!("{name} becomes {state}"),
    }
}

/// An actor's state in a line or two.
pub(super) fn standing(standing: &OperationState) -> String {
    let mut text = plain(&standing.name);
    if let Some(state) = &standing.state {
        text += &format!("  [{}]", plain(state));
    }
    if let Some(stage) = stage(standing) {
        text += &format!("  {stage}");
    }
    match &standing.value {
        Some(value) => text += &format!("  {}", shortened(value)),
        None if standing.stage == Stage::Idle && standing.is_actor => {
            text += "  (its type has no `Debug`)";
        }
        None => {}
    }
    text
}

/// The stage of an operation, unless it is idle.
pub(super) fn stage(standing: &OperationState) -> Option<String> {
    let text = match standing.stage {
        Stage::Idle => return None,
        Stage::Unborn => "not created yet",
        Stage::Starting => "about to start",
        Stage::Suspended => match &standing.awaits {
            Some(what) => return Some(format!("awaits {}", plain(what))),
            None => "in a handler that waits",
        },
        Stage::Closing => "ends when its children have",
        Stage::Down => "has failed",
        Stage::Gone if standing.is_actor => "has stopped",
        Stage::Gone => "is over",
    };
    Some(text.into())
}

/// An event in an inbox.
pub(super) fn waiting(snapshot: &Snapshot, waiting: &QueuedEvent) -> String {
    let event = waiting
        .event
        .as_deref()
        .map_or("an order to stop".into(), shortened);
    let from = waiting
        .from
        .map_or("a timer".into(), |from| name(snapshot, from));
    let deferred = if waiting.deferred { ", deferred" } else { "" };
    format!("{event} from {from}{deferred}")
}

/// The next effect of an operation.
pub(super) fn outgoing(snapshot: &Snapshot, outgoing: &Outgoing) -> String {
    let name = |who: u32| name(snapshot, who);
    match outgoing {
        Outgoing::Send { to, event } => format!("sends {} to {}", shortened(event), name(*to)),
        Outgoing::CallDisk { call } => format!("{} on the disk", call.verb()),
        Outgoing::FailPower => "has the power fail".into(),
        Outgoing::AskForRoom { of } => format!("asks for room in {}'s mailbox", name(*of)),
        Outgoing::Spawn { who } => format!("spawns {}", name(*who)),
        Outgoing::Reply { to, lost: false } => format!("replies to {}", name(*to)),
        Outgoing::Reply { to, lost: true } => format!("leaves {} without a reply", name(*to)),
        Outgoing::Notify { to } => format!("notifies {} of its end", name(*to)),
        Outgoing::Halt => "halts".into(),
        Outgoing::Stop { to, at_once: true } => format!("kills {}", name(*to)),
        Outgoing::Stop { to, .. } => format!("stops {}", name(*to)),
        Outgoing::Decide { who } => format!("decides about {}", name(*who)),
        Outgoing::Share { to } => format!("shares its failure with {}", name(*to)),
        Outgoing::Silent => "does what nobody sees".into(),
    }
}

/// An enabled operation.
pub(super) fn could(snapshot: &Snapshot, could: &EnabledStep) -> String {
    let who = name(snapshot, could.who);
    if let Some(does) = &could.outgoing {
        return format!("{who} {}", outgoing(snapshot, does));
    }
    let event = could.event.as_deref().map(shortened);
    match (could.kind, event) {
        (StepKind::Timer, Some(event)) => format!("{who}'s timer fires {event}"),
        (StepKind::Timer, None) => format!("{who}'s timer fires"),
        (StepKind::Handle, Some(event)) => {
            let from = could
                .from
                .map_or("a timer".into(), |from| name(snapshot, from));
            format!("{who} handles {event} from {from}")
        }
        (StepKind::Handle, None) => format!("{who} handles an order to stop"),
        (StepKind::Start, _) => format!("{who} starts"),
        (StepKind::Resume, _) => format!("{who} resumes"),
        (StepKind::Stop, _) => format!("{who} stops"),
        (StepKind::Access, _) => format!("{who} accesses what is shared"),
        (_, _) => format!("{who} runs"),
    }
}

pub(super) fn timer(snapshot: &Snapshot, timer: &RunningTimer) -> String {
    let due = Duration::from_nanos(timer.due_ns);
    let left = Duration::from_nanos(timer.due_ns.saturating_sub(snapshot.time_ns));
    let what = match (&timer.event, timer.purpose) {
        (Some(event), Purpose::State) => {
            format!("{}, unless it leaves its state", shortened(event))
        }
        (Some(event), Purpose::NextEvent) => format!("{}, without another event", shortened(event)),
        (Some(event), _) => shortened(event),
        (None, Purpose::Sleep) => "the end of a sleep".into(),
        (None, Purpose::Limit) => "the end of a wait".into(),
        (None, Purpose::Tick) => "a tick".into(),
        (None, Purpose::Reply) => "the end of the wait for a reply".into(),
        (None, Purpose::Restart) => "its supervisor brings it back".into(),
        (None, Purpose::Shutdown) => "the time of the shutdown is over".into(),
        (None, Purpose::Kill) => "its time to stop is over".into(),
        (None, _) => "an event".into(),
    };
    let again = if timer.periodic {
        ", again and again"
    } else {
        ""
    };
    format!(
        "{}: {what} at {due:?}, in {left:?}{again}",
        name(snapshot, timer.owner)
    )
}

/// A monitor or a predicate.
pub(super) fn heat(heat: &SpecificationState) -> String {
    let kind = match heat.kind {
        MonitorKind::Monitor => "monitor",
        MonitorKind::Always => "always",
        MonitorKind::Eventually => "eventually",
        MonitorKind::AlwaysEventually => "always eventually",
        MonitorKind::Sometimes => "sometimes",
        _ => "specification",
    };
    let pending = match heat.pending_since {
        Some(since) => format!(
            ", {} since step {since}, {}",
            heat.temperature.word(),
            count(heat.heat, "hot step")
        ),
        None => String::new(),
    };
    format!(
        "{kind} {}: {}{pending}",
        plain(&heat.name),
        plain(&heat.state)
    )
}

fn name(snapshot: &Snapshot, who: u32) -> String {
    let found = snapshot.operations.get(who as usize);
    found.map_or("?".into(), |found| plain(&found.name))
}

/// A step that the story does not contain.
pub(super) fn not_in_story(story: &Story, step: u64) -> String {
    match story.left_out {
        Some(out) => format!(
            "{step}  not in the story: steps {} to {} are left out, there were too many; `print` and the other \
             commands about states work here",
            out.from, out.to
        ),
        None => format!("{step}  not in the story"),
    }
}
