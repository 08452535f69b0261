//! The texts of `--coverage`.

use std::path::Path;

use crate::coverage::CoverageTotals;
use actor_test::coverage::{ActorCoverage, StateCoverage};
use actor_test::tool::words::count;

/// The path of the coverage summary.
pub(crate) fn coverage_written(gathered: &CoverageTotals, summary: &Path) -> String {
    format!(
        "coverage of {}: {}",
        count(gathered.tests as u64, "test"),
        summary.display()
    )
}

/// The summary; `diagrams` has the name of each actor's diagram, if there is one.
pub(crate) fn coverage(gathered: &CoverageTotals, diagrams: &[Option<String>]) -> String {
    let mut lines = vec![format!(
        "coverage of {}, {}",
        count(gathered.tests as u64, "test"),
        count(gathered.executions, "execution")
    )];
    if !gathered.unknown.is_empty() {
        lines.push("not counted, since they end at a bug:".into());
        lines.extend(gathered.unknown.iter().map(|test| format!("      {test}")));
    }
    for (actor, diagram) in gathered.coverage.actors.iter().zip(diagrams) {
        lines.push(String::new());
        lines.push(coverage_head(actor, gathered.users(actor)));
        lines.push(format!("      {}", shares(actor)));
        let rows = actor.states.iter().filter_map(|state| row(actor, state));
        lines.extend(rows.map(|row| format!("      {row}")));
        lines.extend(actor.transitions.iter().map(|seen| {
            format!(
                "      {} → {}: {}",
                seen.from,
                seen.to,
                count(seen.count, "time")
            )
        }));
        lines.extend(
            diagram
                .iter()
                .map(|name| format!("      diagram: {name}.dot, {name}.mmd")),
        );
    }
    lines.join("\n") + "\n"
}

/// An actor type, with the number of its actors.
pub(crate) fn coverage_head(actor: &ActorCoverage, tests: usize) -> String {
    format!(
        "{}  {} started in {}",
        actor.path,
        actor.started(),
        count(tests as u64, "test")
    )
}

/// The number of entries of a state.
pub(crate) fn entered(times: u64) -> String {
    match times {
        0 => "never entered".into(),
        times => format!("entered {}", count(times, "time")),
    }
}

pub(crate) fn never_handled(events: &[String]) -> String {
    format!("never: {}", events.join(", "))
}

/// The shares of states entered and handlers run.
fn shares(actor: &ActorCoverage) -> String {
    let share = |reached: usize, of: usize, noun: &str| {
        format!("{reached} of {} reached", count(of as u64, noun))
    };
    let handlers = match actor.handlers_reached() {
        (_, 0) => "no handlers".into(),
        (reached, of) => share(reached, of, "handler"),
    };
    if !actor.is_state_machine() {
        return handlers;
    }
    let entered = actor.states.iter().filter(|state| state.entered > 0);
    let states = share(entered.count(), actor.states.len(), "state");
    let seen = count(actor.transitions.len() as u64, "transition");
    format!("{states}, {handlers}, {seen} seen")
}

/// A state: its entries, the events that it handled, and those that it never handled; `None` if empty.
fn row(actor: &ActorCoverage, state: &StateCoverage) -> Option<String> {
    let handled: Vec<String> = state
        .handlers
        .iter()
        .filter(|handler| handler.ran > 0)
        .map(|handler| format!("{} {}", handler.event, handler.ran))
        .collect();
    let handled = (!handled.is_empty()).then(|| format!("handled {}", handled.join(", ")));
    let never = actor.never_handled_in(state);
    let never = (!never.is_empty()).then(|| never_handled(&never));
    let entered = (!state.name.is_empty()).then(|| entered(state.entered));
    let parts: Vec<String> = entered.into_iter().chain(handled).chain(never).collect();
    let name = match &*state.name {
        "" => String::new(),
        name => format!("{name}: "),
    };
    (!parts.is_empty()).then(|| format!("{name}{}", parts.join("; ")))
}
