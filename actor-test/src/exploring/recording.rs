//! Re-executes a failing execution with full recording.

use crate::data::bug::{BugKind, Finding};
use crate::data::story::Story;
use crate::engine::{Engine, Outcome, Program, RecordLevel, RunOptions, checks, chosen};
use crate::exploring::contribution::Contribution;
use crate::replay::following::name;
use crate::replay::{fair_from, nondeterminism};
use crate::report::data::Recording;
use crate::settings::Settings;
use crate::strategy::Execution;
use crate::trace::schedule;

/// Re-executes a failing execution with full recording. If the replay does not find the same bug, the
/// finding becomes nondeterminism.
pub(crate) fn record(
    program: &dyn Program,
    settings: &Settings,
    contribution: &Contribution,
    finding: Finding,
) -> (Finding, Recording) {
    let fairness = contribution.outcome.fairness;
    let suspicion = contribution.outcome.suspicion;
    let cycle = suspicion.and_then(|suspicion| suspicion.cycle);
    let bounds = match contribution.threshold {
        same if same == settings.bounds.temperature() => settings.bounds,
        raised => settings.bounds.with_temperature(raised),
    };
    let system = contribution.system;
    let mut engine = Engine::idle(bounds, settings.semantics, Some(system));
    engine.prepare_for_cycle(cycle);
    let execution = Execution {
        iteration: contribution.iteration,
        seed: contribution.seed,
        ..Execution::alone(settings.bounds.unfair())
    };
    let taken = &contribution.decisions;
    let mut record = |level: RecordLevel| {
        let options = RunOptions {
            record: level,
            ..RunOptions::default()
        };
        name(&mut engine, program, &execution, fairness, taken, options)
    };
    let is_same = |recorded: &Outcome| {
        let again = recorded.finding.as_ref();
        recorded.diverged_at.is_none() && again.is_some_and(|again| finding.is_found_again(again))
    };
    let (mut recorded, mut steps) = record(RecordLevel::EventsAndLogs);
    if !is_same(&recorded) {
        // Logging may have an effect where it is printed.
        (recorded, steps) = record(RecordLevel::Events);
    }
    let same = is_same(&recorded);
    // Neither kind is caused by the execution itself, so that the replay does not find it.
    let is_outside = matches!(finding.kind, BugKind::Nondeterminism | BugKind::Strategy);
    let judged = if same || is_outside {
        finding
    } else {
        let mut judged = nondeterminism(&recorded, &recorded);
        judged.message = format!("{} (at first it was: {})", judged.message, finding.message);
        judged
    };
    let mut story = Story::of(&recorded.records);
    if judged.kind == BugKind::Strategy {
        // A replay can continue past the strategy's error.
        story.truncate(judged.step);
    }
    let recording = Recording {
        decisions: chosen(taken),
        checks: checks(taken),
        schedule: schedule::write(&steps),
        fair_from: fair_from(fairness),
        bounds,
        semantics: settings.semantics,
        system: (contribution.outcome.asked.random > 0).then_some(system),
        cycle,
        story,
    };
    (judged, recording)
}
