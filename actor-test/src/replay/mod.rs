//! Replays of recorded executions, by decisions or by names, with the first divergence.
//!
//! `exploring` replays and records failing executions, and `hosting` runs [`saved`] schedules. A replay runs
//! the engine under the recorded decisions. [`following`] names the steps of an execution, and follows named
//! steps in part or in another order. [`actor_matching`] matches the actors of a changed program with the
//! recorded ones. A [`decision_log`] records the decisions of an execution that may crash its process.

pub(crate) mod actor_matching;
pub(crate) mod decision_log;
pub(crate) mod following;
pub(crate) mod saved;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::data::bug::{BugKind, Finding};
use crate::data::story::{Effect, Step, Story, Text};
use crate::engine::{
    Aliases, Engine, Outcome, Program, RecordLevel, RecordedDecision, RunOptions, checks, chosen,
};
use crate::replay::actor_matching::Ways;
use crate::replay::following::{FollowedRun, follow_by, name};
use crate::report::data::Recording;
use crate::report::words;
use crate::strategy::{Execution, Fairness, Guided, Replay, Steady};
use crate::trace::schedule;
use crate::worker_registry;

/// Replays recorded decisions on an engine; the engine keeps its own strategy.
pub(crate) fn replay_on(
    engine: &mut Engine,
    program: &dyn Program,
    execution: &Execution,
    fairness: Fairness,
    taken: &[RecordedDecision],
    record: RecordLevel,
) -> Outcome {
    let options = RunOptions {
        record,
        ..RunOptions::default()
    };
    run_again_with(engine, program, execution, fairness, taken, options)
}

/// Replays recorded decisions on an engine, with the given options.
pub(crate) fn run_again_with(
    engine: &mut Engine,
    program: &dyn Program,
    execution: &Execution,
    fairness: Fairness,
    taken: &[RecordedDecision],
    options: RunOptions,
) -> Outcome {
    let replay = Box::new(Replay::new(chosen(taken), fairness));
    let options = RunOptions {
        expected: Some(taken.to_vec()),
        ..options
    };
    engine.run_under(replay, program, execution, options)
}

/// Returns the decisions of a recording with their checks.
pub(crate) fn taken(recording: &Recording) -> Vec<RecordedDecision> {
    let checks = recording.checks.iter();
    let decisions = recording.decisions.iter().zip(checks);
    let decision = |(chosen, check): (&u32, &u32)| RecordedDecision {
        chosen: *chosen,
        check: *check,
    };
    decisions.map(decision).collect()
}

/// Returns the finding for an execution that differed when run twice.
pub(crate) fn nondeterminism(again: &Outcome, recorded: &Outcome) -> Finding {
    let diverged = recorded.diverged_at.or(again.diverged_at);
    let step = diverged.unwrap_or(again.steps);
    let story = Story::of(&recorded.records);
    let at = match story.step(step) {
        Some(taken) if diverged.is_some() => {
            format!(
                "at step {step}, where {}",
                words::actor_and_action(&story, taken)
            )
        }
        _ => format!("after {step} steps, with nothing else to see"),
    };
    let why = match words::foreign_selects(&story) {
        Some(selects) => selects,
        None => format!("the usual causes are {}", words::uncontrolled()),
    };
    let message = format!(
        "the same decisions led to different executions: the run and its replay differ {at}; {why}"
    );
    Finding {
        kind: BugKind::Nondeterminism,
        message,
        location: None,
        step,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ReplayResult {
    pub(crate) finding: Option<Finding>,
    pub(crate) diverged: Option<Divergence>,
    /// The decisions taken, with their story.
    pub(crate) recording: Recording,
    pub(crate) steps: u64,
}

/// The first point at which a replay differs from its recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Divergence {
    pub(crate) step: u64,
    /// The recorded action and the actual one.
    pub(crate) message: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step, self.message)
    }
}

/// Returns the step from which a schedule is fair; `None` if it never is.
pub(crate) fn fair_from(fairness: Fairness) -> Option<u64> {
    match fairness {
        Fairness::Unfair => None,
        Fairness::Fair => Some(0),
        Fairness::FairFrom(step) => Some(step),
    }
}

/// Returns the fairness of a schedule that is fair from that step on.
pub(crate) fn fairness_of(fair_from: Option<u64>) -> Fairness {
    match fair_from {
        None => Fairness::Unfair,
        Some(0) => Fairness::Fair,
        Some(step) => Fairness::FairFrom(step),
    }
}

/// Replays a recording with its story.
pub(crate) fn replay(program: &(dyn Program + Sync), recording: &Recording) -> ReplayResult {
    replay_until(program, "", recording, None)
}

/// Replays a recording of a test that the watchdog knows as `test`. With `until`, the story ends with that
/// step, which is described but not taken.
pub(crate) fn replay_until(
    program: &(dyn Program + Sync),
    test: &str,
    recording: &Recording,
    until: Option<u64>,
) -> ReplayResult {
    let fairness = fairness_of(recording.fair_from);
    let mut engine = Engine::idle(recording.bounds, recording.semantics, recording.system);
    engine.prepare_for_cycle(recording.cycle);
    let taken = taken(recording);
    let execution = Execution::alone(recording.bounds.unfair());
    let status = worker_registry::register_worker(test, engine.heartbeat());
    status.begins(0, 0, None);
    let options = RunOptions {
        record: RecordLevel::EventsAndLogs,
        decision_log: decision_log::of(
            0,
            recording.bounds,
            recording.semantics,
            recording.system.unwrap_or_default(),
        ),
        until,
        ..RunOptions::default()
    };
    let engine = &mut engine;
    let outcome = run_again_with(engine, program, &execution, fairness, &taken, options);
    let story = Story::of(&outcome.records);
    let diverged = divergence(&recording.story, &story, outcome.diverged_at);
    let decisions = engine.decisions();
    let mut replayed = ReplayResult {
        finding: outcome.finding,
        diverged,
        recording: Recording {
            decisions: chosen(&decisions),
            checks: checks(&decisions),
            story,
            ..recording.clone()
        },
        steps: outcome.steps,
    };
    if replayed.diverged.is_some() && until.is_none() {
        let now = &replayed.recording.story;
        let by_name = replay_by_name(engine, program, &execution, recording, now);
        replayed = by_name.unwrap_or(replayed);
    }
    status.ends();
    replayed
}

/// The maximum number of alignments of actors that are tried.
const TRIES_MAX: usize = 64;

/// Follows the recorded steps by name in a changed program, after its decisions diverged with the story
/// `now`. Added operations run where they are enabled, missing ones are skipped, and after the recorded steps
/// the execution continues fairly. Returns `None` if the recording has no named steps.
fn replay_by_name(
    engine: &mut Engine,
    program: &dyn Program,
    execution: &Execution,
    recording: &Recording,
    now: &Story,
) -> Option<ReplayResult> {
    let steps = schedule::read(&recording.schedule).ok()?;
    if steps.is_empty() {
        return None;
    }
    // Liveness is judged from the point on where the schedule is certainly fair.
    let fairness = match fairness_of(recording.fair_from) {
        Fairness::Unfair => Fairness::Unfair,
        _ => Fairness::FairFrom(steps.len() as u64),
    };
    let follow = |engine: &mut Engine, aliases: &Aliases| {
        let steady = Some(Box::new(Steady::default()) as _);
        let guided = Guided::new(steps.clone(), fairness, steady);
        engine.call(aliases.clone());
        let guided = guided.by_sort().inserting();
        let attempt = follow_by(engine, program, execution, guided);
        engine.call(Aliases::default());
        attempt
    };
    let attempt = follow_longest(&recording.story, now, steps.len(), |aliases| {
        follow(engine, aliases)
    });
    // Replayed once more without aliases, so that the steps get their current names.
    let options = RunOptions {
        record: RecordLevel::EventsAndLogs,
        ..RunOptions::default()
    };
    let (outcome, schedule) = name(
        engine,
        program,
        execution,
        fairness,
        &attempt.decisions,
        options,
    );
    let story = Story::of(&outcome.records);
    // After the last recorded step, no step is expected.
    let parting = attempt.followed.parting;
    let parted = parting.filter(|parting| parting.expected.is_some());
    let parted = parted.map(|parting| parting.step);
    let diverged = divergence(&recording.story, &story, parted);
    Some(ReplayResult {
        finding: outcome.finding,
        diverged,
        recording: Recording {
            decisions: chosen(&attempt.decisions),
            checks: checks(&attempt.decisions),
            schedule: schedule::write(&schedule),
            fair_from: fair_from(fairness),
            story,
            ..recording.clone()
        },
        steps: outcome.steps,
    })
}

/// Tries alignments of the actors of `now` with the recorded ones, and returns the attempt that followed most
/// of the `listed` steps. Among equal ones, a failing attempt wins, then the first.
fn follow_longest(
    recorded: &Story,
    now: &Story,
    listed: usize,
    mut follow: impl FnMut(&Aliases) -> FollowedRun,
) -> FollowedRun {
    let reach = |attempt: &FollowedRun| (attempt.followed.taken, attempt.outcome.finding.is_some());
    let mut chosen = Ways::new();
    let likened = actor_matching::match_actors(recorded, now, &chosen);
    let mut best = follow(&likened.aliases);
    let mut left = TRIES_MAX;
    // Creators are aligned one after the other; each keeps its best alignment so far.
    let mut done = 0;
    let mut ways = likened.ways;
    while let Some((creator, count)) = ways.range(done..).next().map(|(who, count)| (*who, *count))
    {
        for way in 1..count {
            if reach(&best) == (listed, true) || left == 0 {
                return best;
            }
            left -= 1;
            let before = chosen.insert(creator, way);
            let likened = actor_matching::match_actors(recorded, now, &chosen);
            let attempt = follow(&likened.aliases);
            if reach(&attempt) > reach(&best) {
                best = attempt;
                ways = likened.ways;
                continue;
            }
            match before {
                Some(before) => chosen.insert(creator, before),
                None => chosen.remove(&creator),
            };
        }
        done = creator + 1;
    }
    best
}

/// Returns the first step at which two stories or the decisions differ.
fn divergence(recorded: &Story, story: &Story, diverged_at: Option<u64>) -> Option<Divergence> {
    let pairs = recorded.steps.iter().zip(&story.steps);
    let mut differ = pairs.filter(|(before, now)| !is_same(recorded, before, story, now));
    if let Some((before, now)) = differ.next() {
        let (was, is) = (
            words::actor_and_action(recorded, before),
            words::actor_and_action(story, now),
        );
        let message = if was == is {
            format!("{is}: what comes of it is not what did as recorded")
        } else {
            format!("as recorded, {was}; now, {is}")
        };
        return Some(Divergence {
            step: now.number,
            message,
        });
    }
    let at = diverged_at?;
    Some(Divergence {
        step: at,
        message: "other operations are enabled than when it was recorded".into(),
    })
}

/// Returns an effect without the number of a shared object and the values of an atomic, which older stories
/// lack.
fn comparable(effect: &Effect) -> Effect {
    let mut effect = effect.clone();
    let Effect::Accessed { what, object, .. } = &mut effect else {
        return effect;
    };
    if object.starts_with("atomic")
        && let Some((verb, _)) = what.split_once(' ')
    {
        *what = Text::from(verb);
    }
    if let Some((name, made)) = object.split_once(" of ")
        && let Some((kind, _)) = name.split_once('#')
    {
        *object = Text::from(&*format!("{kind} of {made}"));
    }
    effect
}

/// Returns true if a step is the same in both stories. Fields of actors, logs, numbers of shared objects,
/// values of atomics, wake-ups and the states of specifications are not compared; a failing step has no state
/// after it.
fn is_same(recorded: &Story, before: &Step, story: &Story, now: &Step) -> bool {
    let essence = |step: &Step| Step {
        effects: step
            .effects
            .iter()
            .filter(|effect| !effect.is_logged() && !effect.is_wake_up())
            .map(comparable)
            .collect(),
        changes: Vec::new(),
        monitors: Vec::new(),
        state_after: None,
        ..step.clone()
    };
    let texts = |story: &Story, step: &Step| -> Vec<Option<Text>> {
        let messages = step.message.into_iter().chain(step.sent());
        let events = messages.map(|number| story.message(number).map(|found| found.event.clone()));
        events.collect()
    };
    let states = before.state_after.as_ref().zip(now.state_after.as_ref());
    states.is_none_or(|(before, now)| before == now)
        && essence(before) == essence(now)
        && texts(recorded, before) == texts(story, now)
}
