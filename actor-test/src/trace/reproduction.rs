//! Running an execution again: to check it, to tell its story, or from a token.

use std::fmt;
use std::sync::Arc;

use crate::engine::{Decision, Engine, Outcome, Program, RunOptions};
use crate::exploring::explorer::{Contribution, Explorer};
use crate::exploring::plan::Turn;
use crate::exploring::summary::Summary;
use crate::report::bug::{BugKind, Finding};
use crate::report::deny::Deny;
use crate::report::facts::{Recording, Report};
use crate::settings::values::{Search, Settings};
use crate::strategy::{Execution, Fairness, Replay, StrategySpec};
use crate::trace::story::StoryStep;

/// Runs recorded decisions on an engine, whose strategy is back afterwards.
pub(crate) fn run_again(
    engine: &mut Engine,
    program: &dyn Program,
    execution: &Execution,
    fairness: Fairness,
    taken: &[Decision],
    tell: bool,
) -> Outcome {
    let chosen = taken.iter().map(|decision| decision.chosen).collect();
    let before = engine.set_strategy(Box::new(Replay::new(chosen, fairness)));
    let options = RunOptions {
        expected: Some(taken.to_vec()),
        tell,
        watch: None,
    };
    let outcome = engine.run(program, execution, options);
    engine.set_strategy(before);
    outcome
}

/// The finding for an execution that did not do the same twice.
pub(crate) fn nondeterminism(again: &Outcome, told: &Outcome) -> Finding {
    let diverged = told.diverged_at.or(again.diverged_at);
    let step = diverged.unwrap_or(again.steps);
    let at = match told.story.get((step as usize).saturating_sub(1)) {
        Some(told) if diverged.is_some() => format!("at step {step}, where {}", describe(told)),
        _ => format!("after {step} steps, with nothing else to see"),
    };
    let message = format!(
        "the same decisions led elsewhere: the run and its replay differ {at}; the usual causes are \
         iterating over a HashMap or HashSet, randomness other than cx.rng(), the system's clock, a \
         static, or a thread"
    );
    Finding {
        kind: BugKind::Nondeterminism,
        message,
        location: None,
        step,
    }
}

fn describe(step: &StoryStep) -> String {
    format!("`{}` {}", step.actor, crate::report::words::what(step))
}

/// What a replay showed.
#[derive(Clone, Debug)]
pub(crate) struct Replayed {
    pub(crate) finding: Option<Finding>,
    pub(crate) story: Vec<StoryStep>,
    pub(crate) diverged: Option<Divergence>,
}

/// Where a replay left its recording.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Divergence {
    /// The step.
    pub(crate) step: u64,
    /// What was recorded, and what happened.
    pub(crate) message: String,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step, self.message)
    }
}

/// Runs a recording, and tells its story.
pub(crate) fn replay(program: &(dyn Program + Sync), recording: &Recording) -> Replayed {
    let fairness = match recording.fair_from {
        None => Fairness::Unfair,
        Some(0) => Fairness::Fair,
        Some(step) => Fairness::FairFrom(step),
    };
    let idle = Box::new(Replay::new(Vec::new(), fairness));
    let mut engine = Engine::new(idle, recording.bounds, recording.semantics);
    engine.look_for_lassos(recording.cycle.is_some());
    let checks = recording.checks.iter().copied();
    let taken: Vec<Decision> = recording
        .decisions
        .iter()
        .zip(checks)
        .map(|(chosen, check)| Decision {
            chosen: *chosen,
            check,
        })
        .collect();
    let execution = Execution {
        iteration: 0,
        seed: 0,
        max_steps: recording.bounds.unfair(),
        estimates: Arc::default(),
    };
    let outcome = run_again(&mut engine, program, &execution, fairness, &taken, true);
    let diverged = divergence(&recording.story, &outcome);
    Replayed {
        finding: outcome.finding,
        story: outcome.story,
        diverged,
    }
}

/// The first step at which two stories differ, or at which the decisions did.
fn divergence(recorded: &[StoryStep], outcome: &Outcome) -> Option<Divergence> {
    let differ = |(recorded, told): &(&StoryStep, &StoryStep)| recorded != told;
    let pairs = recorded.iter().zip(&outcome.story);
    if let Some((recorded, told)) = pairs.clone().find(differ) {
        return Some(Divergence {
            step: told.step,
            message: format!(
                "as recorded, {}; now, {}",
                describe(recorded),
                describe(told)
            ),
        });
    }
    let at = outcome.diverged_at?;
    Some(Divergence {
        step: at,
        message: "other operations are enabled than when it was recorded".into(),
    })
}

/// Why a token reproduces nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenError {
    /// It is not of the form that reports print.
    #[error("malformed token `{0}`; the form is STRATEGY@SEED-ITERATION, as a report prints it")]
    Malformed(String),
    /// The strategy is not known.
    #[error(transparent)]
    Strategy(#[from] crate::strategy::SpecError),
    /// The strategy learns from earlier executions.
    #[error("`{0}` depends on the executions before; run the whole test with its seed instead")]
    HasMemory(String),
}

/// The token of an execution: its strategy, the session's seed, and the iteration as reports count
/// it, from one.
pub(crate) fn token(strategy: &str, seed: u64, iteration: u64) -> String {
    format!("{strategy}@{seed}-{}", iteration + 1)
}

/// The strategy, seed and iteration of a token.
fn parse(token: &str) -> Option<(&str, u64, u64)> {
    let (strategy, at) = token.rsplit_once('@')?;
    let (seed, iteration) = at.split_once('-')?;
    let iteration = iteration.parse::<u64>().ok()?.checked_sub(1)?;
    Some((strategy, seed.parse().ok()?, iteration))
}

/// Runs the one execution that a token names.
pub(crate) fn reproduce(
    name: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    token: &str,
) -> Result<Report, TokenError> {
    let (strategy, seed, iteration) =
        parse(token).ok_or_else(|| TokenError::Malformed(token.into()))?;
    let strategy = strategy.parse::<StrategySpec>()?;
    if strategy.build().has_memory() {
        return Err(TokenError::HasMemory(strategy.to_string()));
    }
    let settings = Settings {
        seed,
        iterations: iteration + 1,
        check_every: 1,
        search: Search::Strategies(vec![strategy.clone()]),
        // One execution reaches little.
        deny: Deny::default(),
        ..settings.clone()
    };
    let mut explorer = Explorer::new(name, &settings, vec![strategy.build()]);
    explorer.run_pilots(program);
    let mut summary = Summary::new(name, &settings);
    let turn = Turn {
        iteration,
        strategy: 0,
    };
    summary.add(explorer.run_turn(program, turn));
    Ok(summary.finish(program, &explorer.observed()))
}

/// Runs a failing execution again with full recording. The finding is replaced where the replay
/// does not find the same.
pub(crate) fn record(
    program: &dyn Program,
    settings: &Settings,
    contribution: &Contribution,
    finding: Finding,
) -> (Finding, Recording) {
    let fairness = contribution.outcome.fairness;
    let idle = Box::new(Replay::new(Vec::new(), fairness));
    let suspicion = contribution.outcome.suspicion;
    let cycle = suspicion.and_then(|suspicion| suspicion.cycle);
    let mut engine = Engine::new(idle, settings.bounds, settings.semantics);
    engine.look_for_lassos(cycle.is_some());
    let execution = Execution {
        iteration: contribution.iteration,
        seed: contribution.seed,
        max_steps: settings.bounds.unfair(),
        estimates: Arc::default(),
    };
    let taken = &contribution.decisions;
    let told = run_again(&mut engine, program, &execution, fairness, taken, true);
    let same = told.diverged_at.is_none()
        && told
            .finding
            .as_ref()
            .is_some_and(|again| again.is_like(&finding));
    let is_check = finding.kind == BugKind::Nondeterminism;
    let judged = if same || is_check {
        finding
    } else {
        let mut judged = nondeterminism(&told, &told);
        judged.message = format!("{} (at first it was: {})", judged.message, finding.message);
        judged
    };
    let recording = Recording {
        decisions: taken.iter().map(|decision| decision.chosen).collect(),
        checks: taken.iter().map(|decision| decision.check).collect(),
        fair_from: match fairness {
            Fairness::Unfair => None,
            Fairness::Fair => Some(0),
            Fairness::FairFrom(step) => Some(step),
        },
        bounds: settings.bounds,
        semantics: settings.semantics,
        cycle,
        story: told.story,
    };
    (judged, recording)
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;

    use actor_core::prelude::*;

    use super::replay;
    use crate::Tester;
    use crate::engine::Program;
    use crate::report::facts::Recording;

    #[derive(Debug)]
    struct Go;
    /// Sends itself to itself for ever.
    struct Restless;
    #[actor]
    impl Restless {
        #[on]
        fn go(&mut self, _: Go, cx: &mut Context<Self>) {
            cx.me().tell(Go);
        }
    }

    fn restless(sys: &System) {
        sys.spawn(Restless).tell(Go);
        sys.eventually("it rests", |_| false);
    }

    struct Body;
    impl Program for Body {
        fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
            restless(&System::controlled());
            None
        }
    }

    /// A recorded cycle has the replay look for lassos, too; one without ends in the heat, however
    /// many lassos it meets.
    #[test]
    fn a_cycle_is_found_again_where_one_was_recorded() {
        let report = Tester::new().iterations(1).run(restless);
        let bug = report.assert_bug("that a fair schedule can repeat for ever");
        let replayed = replay(&Body, &bug.trace);
        assert_eq!(replayed.finding.as_ref(), Some(&bug.finding));
        assert_eq!(replayed.diverged, None);
        let hot = Tester::new().iterations(1).lasso(false).run(restless);
        let hot = hot.assert_bug("(threshold 50000)");
        let replayed = replay(&Body, &hot.trace);
        assert_eq!(replayed.finding.as_ref(), Some(&hot.finding));
        let looked = Recording {
            cycle: bug.trace.cycle,
            ..hot.trace.clone()
        };
        let replayed = replay(&Body, &looked);
        assert_eq!(replayed.finding.as_ref(), Some(&bug.finding));
    }
}
