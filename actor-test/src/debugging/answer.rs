//! Answers to the debugger's questions: replay, branch, another first step, recovery from a bug.

use std::sync::{Mutex, PoisonError};

use super::replayer::Replayer;
use crate::data::bug::Finding;
use crate::data::schedule::Schedule;
use crate::data::story::Story;
use crate::engine::{Outcome, Program, RecordLevel, RecordedDecision, RunOptions, checks, chosen};
use crate::explaining::causes::{Escape, escape};
use crate::protocol::inquiry::{QueryAnswer, RunResult};
use crate::replay::decision_log;
use crate::replay::{fair_from, replay_until};
use crate::report::data::Recording;
use crate::report::words;
use crate::settings::Bounds;
use crate::settings::strategy::StrategySpec;
use crate::strategy::{
    BranchedReplay, Enabled, Execution, Fairness, Guided, Named, Pruned, Steady, Strategy,
};

/// Replays the execution with its story.
pub(super) fn run(program: &(dyn Program + Sync), test: &str, recording: &Recording) -> RunResult {
    let replayed = replay_until(program, test, recording, None);
    let diverged = replayed.diverged.map(|at| (at.step, at.message));
    RunResult {
        finding: replayed.finding,
        steps: replayed.steps,
        recording: replayed.recording,
        diverged,
    }
}

/// Replays the execution up to the step `from` and continues under a strategy.
pub(super) fn branch(
    program: &dyn Program,
    test: &str,
    recording: &Recording,
    from: u64,
    strategy: &str,
    seed: u64,
) -> Result<RunResult, String> {
    let strategy = strategy.parse::<StrategySpec>();
    let strategy = strategy.map_err(|error| error.to_string())?;
    let built = strategy.build();
    if built.needs().memory {
        return Err(format!(
            "`{strategy}` learns from one execution for the next, and this is a single one: take another, \
             `random` for instance"
        ));
    }
    let bounds = within(recording, from);
    let mut again = Replayer::new(program, test, recording);
    let strategy = BranchedReplay::new(recording.decisions.clone(), from, built);
    let outcome = again.run_within(
        bounds,
        Box::new(strategy),
        seed,
        recorded_options(recording, bounds),
    );
    Ok(ran(recording, bounds, &again, outcome))
}

/// Replays the execution up to the step `from`, takes the enabled operation at `position`, and then follows
/// the recorded schedule by names. If the recorded schedule takes the operation at a later step, that later
/// step is removed.
pub(super) fn take(
    program: &dyn Program,
    test: &str,
    recording: &Recording,
    from: u64,
    position: usize,
) -> Result<RunResult, String> {
    let mut again = Replayer::new(program, test, recording);
    let (named, schedule) = Named::new(Box::new(again.recorded()));
    again.replay_by(Box::new(named), RunOptions::default());
    let mut schedule = lock(&schedule);
    let only = Box::new(PickOnce(position));
    let (named, first) = Named::new(Box::new(BranchedReplay::new(
        recording.decisions.clone(),
        from,
        only,
    )));
    again.run_within(
        within(recording, from),
        Box::new(named),
        0,
        RunOptions::default(),
    );
    let first = lock(&first).into_iter().nth(from as usize);
    let first = first.ok_or_else(|| differs(from))?;
    let from = usize::try_from(from)
        .unwrap_or(usize::MAX)
        .min(schedule.len());
    let later = schedule[from..]
        .iter()
        .position(|step| step.name == first.name);
    if let Some(later) = later {
        schedule.remove(from + later);
    }
    schedule.insert(from, first);
    let fairness = match recording.fair_from {
        None => Fairness::Unfair,
        // The execution continues fairly after the recorded steps.
        Some(_) => Fairness::FairFrom(schedule.len() as u64),
    };
    let bounds = within(recording, schedule.len() as u64);
    let guided = Guided::new(schedule, fairness, Some(Box::new(Steady::default())));
    let outcome = again.run_within(
        bounds,
        Box::new(guided),
        0,
        recorded_options(recording, bounds),
    );
    Ok(ran(recording, bounds, &again, outcome))
}

/// Picks one enabled operation by position, and then ends the execution.
#[derive(Debug)]
struct PickOnce(usize);

impl Strategy for PickOnce {
    fn name(&self) -> String {
        "only".into()
    }

    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        Some(Fairness::Unfair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let position = std::mem::replace(&mut self.0, usize::MAX);
        let is_there = position < enabled.len();
        is_there.then_some(position).ok_or(Pruned::new())
    }
}

/// Continues fairly from the step `from`, in up to `walks` random executions, and returns the share of them
/// that recovered from the bug, with one that did.
pub(super) fn recover(
    program: &dyn Program,
    test: &str,
    recording: &Recording,
    finding: &Finding,
    (from, walks): (u64, u32),
) -> Result<QueryAnswer, String> {
    let horizon = recording.bounds.unfair();
    let found = escape(program, test, recording, finding, (from, walks, horizon));
    let (share, escape) = found.ok_or_else(|| differs(finding.step))?;
    let ran = escape.map(|escape| {
        let Escape {
            steps,
            decisions,
            fairness,
            bounds,
            story,
        } = escape;
        let before = Recording {
            bounds,
            cycle: None,
            ..recording.clone()
        };
        Box::new(RunResult {
            finding: None,
            steps,
            recording: Recording {
                story,
                ..recorded(&before, &decisions, fairness)
            },
            diverged: None,
        })
    });
    Ok(QueryAnswer::Recovered(share, ran))
}

/// Returns the bounds of the test, with their steps counted from the step `from`.
fn within(recording: &Recording, from: u64) -> Bounds {
    let bounds = recording.bounds;
    Bounds::new(from.saturating_add(bounds.unfair()))
        .with_fair(from.saturating_add(bounds.fair()))
        .with_temperature(bounds.temperature())
}

/// Returns options that record the story, and log the decisions in case the process crashes.
fn recorded_options(recording: &Recording, bounds: Bounds) -> RunOptions {
    RunOptions {
        record: RecordLevel::EventsAndLogs,
        decision_log: decision_log::of(
            0,
            bounds,
            recording.semantics,
            recording.system.unwrap_or_default(),
        ),
        ..RunOptions::default()
    }
}

fn ran(of: &Recording, bounds: Bounds, again: &Replayer<'_>, outcome: Outcome) -> RunResult {
    let before = Recording {
        bounds,
        cycle: None,
        ..of.clone()
    };
    RunResult {
        finding: outcome.finding,
        steps: outcome.steps,
        recording: Recording {
            story: Story::of(&outcome.records),
            ..recorded(&before, &again.decisions(), outcome.fairness)
        },
        diverged: None,
    }
}

fn lock(written: &Mutex<Schedule>) -> Schedule {
    let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::take(&mut written)
}

/// Returns a recording of other decisions, without their story and their names.
fn recorded(of: &Recording, taken: &[RecordedDecision], fairness: Fairness) -> Recording {
    Recording {
        decisions: chosen(taken),
        checks: checks(taken),
        schedule: String::new(),
        fair_from: fair_from(fairness),
        bounds: of.bounds,
        semantics: of.semantics,
        system: of.system,
        cycle: of.cycle,
        story: Story::default(),
    }
}

pub(super) fn differs(step: u64) -> String {
    format!(
        "the program does not do the same again: at step {step} other operations are enabled than when it \
         was run before; the usual causes are {}",
        words::uncontrolled()
    )
}
