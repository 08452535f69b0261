//! Formats the causes of a failure as text.

use super::count;
use super::escape::{cut, plain};
use crate::data::causes::{
    Causes, ContinuationCounts, DecisivePoint, InboxArrival, NearestPassing, NeededRace,
    StepSummary,
};

/// The largest number of characters of an event or a step.
const EVENT_MAX: usize = 60;

/// Formats the causes of a failure, with one line for each that is known: the needed races first.
pub fn causes(causes: &Causes) -> Vec<String> {
    let recovers = matches!(
        causes.decided,
        DecisivePoint::Critical { .. }
            | DecisivePoint::Fading { .. }
            | DecisivePoint::StillRecoverable { .. }
    );
    let mut lines = Vec::new();
    for needed in &causes.races.needed {
        lines.push(format!("needs:      {}", race(needed)));
    }
    lines.extend(decided(&causes.decided).map(|text| format!("decided:    {text}")));
    let nearest = causes.nearest.as_ref().map(|it| nearest(it, recovers));
    lines.extend(nearest.map(|text| format!("nearest:    {text}")));
    if causes.cut_short {
        lines.push(format!(
            "            the search was cut short after {}",
            count(causes.steps, "step")
        ));
    }
    lines
}

fn decided(decided: &DecisivePoint) -> Option<String> {
    Some(match decided {
        DecisivePoint::Unknown => return None,
        DecisivePoint::Critical {
            at,
            before,
            after,
            later,
            missed,
            horizon,
        } => {
            let others = match later {
                0 => String::new(),
                later => format!(", nor any of {later} from steps after it"),
            };
            format!(
                "step {}: of fair continuations of {horizon} steps, {} of {} recover from before it, \
                 and none of {} from after it{others}; a chance of {:.1} % or more to recover would \
                 have shown in 95 of 100 cases",
                step(at),
                before.escaped,
                before.of,
                after.of,
                missed * 100.0
            )
        }
        DecisivePoint::Fading {
            last,
            after,
            horizon,
        } => format!(
            "at no step alone: of fair continuations of {horizon} steps, {} of {} recover from step \
             {}, and {} of {} from the step after it",
            last.escaped, last.of, last.step, after.escaped, after.of
        ),
        DecisivePoint::StillRecoverable { from, after } => format!(
            "at no step, it is still recoverable: a fair continuation from the last step, {from}, \
             recovered after {}",
            count(*after, "step")
        ),
        DecisivePoint::MostlyFromTheStart { share } => format!(
            "more likely than not from the start: {}",
            failed(share, "random executions")
        ),
        DecisivePoint::FromTheStart {
            share,
            same_bytes: true,
        } => format!(
            "from the start, by the random bytes that the program was given: {} with them",
            failed(share, "executions")
        ),
        DecisivePoint::FromTheStart { share, .. } => format!(
            "from the start: {}; does the program ever work, and is it the right thing that is asked \
             for?",
            failed(share, "executions")
        ),
        DecisivePoint::Mostly { at, before, after } => format!(
            "step {}: {} from before it, and {} of {} from after it",
            step(at),
            failed(before, "random continuations"),
            after.failed,
            after.of
        ),
        DecisivePoint::Between { before, after } => format!(
            "between steps {} and {}: {} from the former, and {} of {} from the latter",
            before.step,
            after.step,
            failed(before, "random continuations"),
            after.failed,
            after.of
        ),
        DecisivePoint::ByTheLastStep { at, before } => format!(
            "by the last step, {}: {} from before it",
            step(at),
            failed(before, "random continuations")
        ),
    })
}

fn failed(share: &ContinuationCounts, what: &str) -> String {
    format!("{} of {} {what} fail in this way", share.failed, share.of)
}

fn step(summary: &StepSummary) -> String {
    format!("{} ({})", summary.step, actor_and_action(summary))
}

/// Formats the actor and action of a step. A timer's step names the timer, and then states that it fires.
fn actor_and_action(summary: &StepSummary) -> String {
    let what = plain(&summary.what);
    let what = what.strip_prefix("timer ").unwrap_or(&what);
    format!("`{}` {}", in_full(&summary.actor), cut(what, EVENT_MAX))
}

fn nearest(nearest: &NearestPassing, recovers: bool) -> String {
    let ends = if recovers {
        "recovers"
    } else {
        "does not fail"
    };
    let shared = count(nearest.shared, "step");
    match &nearest.instead {
        Some(instead) => format!(
            "an execution that {ends} does the same for {shared}, then {}",
            actor_and_action(instead)
        ),
        None => format!("an execution that {ends} does the same for {shared}, and ends there"),
    }
}

fn race(race: &NeededRace) -> String {
    let NeededRace {
        first,
        second,
        at,
        reversed,
        kept,
        kept_failed,
        within,
    } = race;
    let within = within.map_or_else(String::new, |steps| format!(" within {steps} steps"));
    let (one, other) = match (name(&first.event), name(&second.event)) {
        (one, other) if one != other => (in_full(one), in_full(other)),
        _ => (in_full(&first.event), in_full(&second.event)),
    };
    format!(
        "`{one}` from {} (step {}) before `{other}` from {} (step {}) at {at}; the other way round none \
         of {reversed} executions fails in this way{within}, and as it was {kept_failed} of {kept}",
        sender(first),
        first.step,
        sender(second),
        second.step,
        at = in_full(at)
    )
}

fn sender(arrival: &InboxArrival) -> String {
    match arrival.from.as_str() {
        "timer" => "a timer".into(),
        name => in_full(name),
    }
}

/// Returns the type of an event, with which its `Debug` output mostly begins.
fn name(event: &str) -> &str {
    let ends = |letter: char| letter != '_' && !letter.is_alphanumeric();
    match event.split(ends).next() {
        Some(name) if !name.is_empty() => name,
        _ => event,
    }
}

fn in_full(event: &str) -> String {
    cut(&plain(event), EVENT_MAX)
}
