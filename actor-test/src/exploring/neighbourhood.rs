//! Explores executions near a recorded one, after a fix.
//!
//! A schedule that failed once may pass now by a real fix, or only since an order has changed, which hides
//! the bug. So executions near the one that it takes now are tried as well, in this order:
//!
//! 1. Each racing pair of events of an inbox is reversed, adjacent ones first.
//! 2. Each step is delayed by a few steps of others.
//! 3. While the budget lasts, occasional steps are random.
//!
//! After the recorded steps each execution continues as a fair random walk. The exploration confirms and
//! records bugs like any other. The result depends on the program and the schedule alone.

use std::sync::Arc;

use crate::data::schedule::Schedule;
use crate::engine::{Engine, Program, RecordLevel, RunOptions};
use crate::explaining::causes::order::{HappensBefore, OrderedPair};
use crate::explaining::causes::race_reversal::{HeldSteps, RaceReversal, ReplayPlan};
use crate::exploring::explorer::Explorer;
use crate::exploring::workers::explore_alone;
use crate::replay::following::name;
use crate::replay::saved::PassingSchedule;
use crate::replay::{fairness_of, taken};
use crate::report::data::{Bug, NEAR};
use crate::settings::Settings;
use crate::strategy::{Execution, Source};
use crate::trace::schedule;

/// The largest number of executions.
const EXECUTIONS_MAX: u64 = 1_000;

/// The least number of executions, however long they are.
const EXECUTIONS_MIN: u64 = 10;

/// The number of the last recorded steps that are delayed, or whose races are reversed.
const WINDOW: usize = 500;

/// The delays, as numbers of steps of others.
const DELAYS: [usize; 3] = [1, 2, 4];

/// The result of the search near a schedule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbourhood {
    /// The number of executions.
    pub(crate) executions: u64,
    /// The bug of a failing one.
    pub(crate) bug: Option<Bug>,
}

/// Explores executions near a passing one, in about `budget` steps.
pub(crate) fn search(
    test: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    passed: &PassingSchedule,
    budget: u64,
) -> Neighbourhood {
    let found = neighbours(program, passed).filter(|_| budget > 0);
    let Some((neighbours, cost)) = found else {
        return Neighbourhood::default();
    };
    let iterations = budget / cost;
    let now = &passed.now;
    let settings = Settings {
        bounds: now.bounds,
        semantics: now.semantics,
        step_budget: Some(budget),
        keep_going: false,
        ..settings.for_side_search(iterations.clamp(EXECUTIONS_MIN, EXECUTIONS_MAX))
    };
    let explorer = Explorer::new(test, &settings, vec![Source::new(neighbours)]);
    let report = explore_alone(explorer, program, &settings, test);
    // A bug without a step concerns all executions of another search.
    let bug = report.bugs.into_iter().find(|bug| bug.finding.step > 0);
    Neighbourhood {
        executions: report.executions - report.pruned,
        // A token names no schedule, so that only the trace reproduces the bug.
        bug: bug.map(|bug| Bug {
            token: String::new(),
            ..bug
        }),
    }
}

/// Returns the strategy for the neighbours of an execution, and its cost; `None` without any steps.
fn neighbours(program: &dyn Program, passed: &PassingSchedule) -> Option<(RaceReversal, u64)> {
    let PassingSchedule {
        name: called,
        recorded,
        now: passed,
    } = passed;
    let fairness = fairness_of(passed.fair_from);
    let mut engine = Engine::idle(passed.bounds, passed.semantics, passed.system);
    let execution = Execution::alone(passed.bounds.unfair());
    let options = RunOptions {
        record: RecordLevel::EventsAndLogs,
        ..RunOptions::default()
    };
    let decisions = taken(passed);
    let engine = &mut engine;
    let (outcome, mut steps) = name(engine, program, &execution, fairness, &decisions, options);
    // The end is the step of the recorded failure, not of the execution now.
    let failed = schedule::read(&recorded.schedule).map_or(0, |steps| steps.len());
    if failed > 0 {
        steps.truncate(failed);
    }
    if steps.is_empty() {
        return None;
    }
    let order = HappensBefore::of(&outcome.records);
    let turns = turns(&order, &steps);
    let plan = Arc::new(ReplayPlan::new(steps));
    let neighbours = RaceReversal::in_turn(format!("{NEAR}{called}"), plan, turns);
    Some((neighbours, outcome.cost()))
}

/// Returns the variations in the order of trials: close pairs first, and the last steps before others.
fn turns(order: &HappensBefore, steps: &Schedule) -> Vec<HeldSteps> {
    let window = steps.len().saturating_sub(WINDOW)..steps.len();
    let mut races: Vec<(usize, usize, HeldSteps)> = Vec::new();
    for inbox in order.inboxes(&window) {
        for pair in order.racing(&inbox) {
            let OrderedPair { first, second } = pair;
            let until = inbox[second].at;
            let ways = pair.ways(&inbox).into_iter();
            races.extend(ways.map(|held| (second - first, steps.len() - until, (held, until))));
        }
    }
    races.sort_by_key(|(apart, from_end, _)| (*apart, *from_end));
    let races = races.into_iter().map(|(.., turn)| turn);
    let delays = DELAYS.into_iter().flat_map(|by| {
        let delayed = window.clone().rev();
        delayed.filter_map(move |at| Some((vec![at], others(steps, at).nth(by - 1)?)))
    });
    races.chain(delays).collect()
}

/// Returns the steps of others after a step.
fn others(steps: &Schedule, at: usize) -> impl Iterator<Item = usize> + '_ {
    let who = steps[at].name.who;
    (at + 1..steps.len()).filter(move |later| steps[*later].name.who != who)
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;

    use actor_core::prelude::*;

    use super::{Neighbourhood, search};
    use crate::Tester;
    use crate::data::bug::Finding;
    use crate::engine::Program;
    use crate::replay::replay;
    use crate::replay::saved::PassingSchedule;
    use crate::report::data::Recording;
    use crate::settings::Settings;

    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Fix {
        No,
        /// The client that came second in the failure has to wait, and no other.
        OneOrder,
        /// The client that comes second has to wait.
        True,
    }

    #[derive(Debug)]
    struct Go;
    #[derive(Debug)]
    struct Acquire(u32);
    #[derive(Debug)]
    struct Release;

    /// A lock that should have one owner at a time.
    struct Lock {
        owner: Option<u32>,
        second: u32,
        fix: Fix,
    }

    #[actor]
    impl Lock {
        #[on]
        fn acquire(&mut self, acquire: Acquire) {
            let waits = match self.fix {
                Fix::No => false,
                Fix::OneOrder => acquire.0 == self.second,
                Fix::True => true,
            };
            if self.owner.is_some() && waits {
                return;
            }
            assert!(self.owner.is_none(), "two owners");
            self.owner = Some(acquire.0);
        }
        #[on]
        fn release(&mut self, _: Release) {
            self.owner = None;
        }
    }

    struct Client(u32, ActorRef<Lock>);
    #[actor]
    impl Client {
        #[on]
        fn go(&mut self, _: Go) {
            self.1.tell(Acquire(self.0));
            self.1.tell(Release);
        }
    }

    #[derive(Clone, Copy)]
    struct Edited(Fix, u32);
    impl Program for Edited {
        fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
            let sys = System::controlled();
            let (fix, second) = (self.0, self.1);
            let owner = None;
            let lock = sys.spawn(Lock { owner, second, fix });
            for number in 1..=2 {
                sys.spawn(Client(number, lock.clone())).tell(Go);
            }
            None
        }
    }

    /// Returns a failing execution, and the client that comes second in it.
    fn recorded(seed: u64) -> (Finding, Recording, u32) {
        let report = Tester::new().seed(seed).iterations(200).minimize(100_000);
        let report = report.run(|_| {
            let _ = Edited(Fix::No, 0).start();
        });
        let bug = report.assert_bug("two owners");
        let handled = bug.trace.story.steps.iter().rev();
        let mut messages = handled.filter_map(|step| step.message);
        let last = messages
            .next()
            .and_then(|number| bug.trace.story.message(number));
        let last = format!("{:?}", last.expect("the lock handles it").event);
        (
            bug.finding.clone(),
            bug.trace.clone(),
            1 + u32::from(last.contains('2')),
        )
    }

    fn near(fix: Fix, second: u32, recording: &Recording) -> Neighbourhood {
        let program = Edited(fix, second);
        let replayed = replay(&program, recording);
        assert_eq!(replayed.finding, None, "{fix:?}");
        let passed = PassingSchedule {
            name: "it".into(),
            recorded: recording.clone(),
            now: replayed.recording,
        };
        search("test", &program, &Settings::default(), &passed, 20_000)
    }

    /// The recorded order is hidden, and the bug is still there in the other order.
    #[test]
    fn half_a_fix_is_caught_near_what_passes() {
        for seed in 0..6 {
            let (finding, recording, second) = recorded(seed);
            let found = near(Fix::OneOrder, second, &recording);
            let bug = found.bug.expect("the other order fails");
            assert!(bug.finding.is_like(&finding), "{:?}", bug.finding);
            assert_eq!(bug.strategy, "near it");
            assert!(bug.token.is_empty());
            // The trace reproduces the bug.
            let again = replay(&Edited(Fix::OneOrder, second), &bug.trace);
            assert_eq!(again.finding.as_ref(), Some(&bug.finding));
            assert_eq!(again.diverged, None);
            let twice = near(Fix::OneOrder, second, &recording);
            assert_eq!(twice.executions, found.executions);
            assert_eq!(twice.bug.map(|bug| bug.trace), Some(bug.trace));
        }
    }

    #[test]
    fn a_fix_is_silent() {
        let (_, recording, second) = recorded(0);
        let found = near(Fix::True, second, &recording);
        assert_eq!(found.bug, None);
        assert!(found.executions > 100, "{}", found.executions);
    }
}
