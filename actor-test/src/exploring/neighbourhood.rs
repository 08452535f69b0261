//! Executions near a recorded one: after a fix, what else might go wrong there?
//!
//! A schedule that failed once and passes now was passed by its fix, or only hidden from: a change of
//! the order alone makes the recorded schedule pass, and leaves the bug where it was. So what lies near
//! it is tried as well, around the way that the execution takes now. In this order:
//!
//! 1. Each pair of events that race into one inbox comes the other way round, neighbours first.
//! 2. Each step is delayed by a few steps of others.
//! 3. As long as the budget lasts, a step now and then is a random one.
//!
//! Behind what was recorded each goes on as a random walk, which is fair. It is an exploration like any other,
//! under a strategy of its own: what is owed too long is confirmed, what fails is recorded. It depends
//! on the program and the schedule alone.

use std::sync::Arc;

use crate::data::faults::Fault;
use crate::data::schedule::Schedule;
use crate::data::story::Asked;
use crate::engine::{Engine, Program, RunOptions};
use crate::explaining::causes::order::{Order, Pair};
use crate::explaining::causes::turned::{Plan, Turned};
use crate::exploring::explorer::Explorer;
use crate::exploring::workers::explore_alone;
use crate::report::facts::{Bug, NEAR};
use crate::settings::Settings;
use crate::strategy::{Choice, Enabled, Execution, Fairness, FaultSite, Strategy};
use crate::trace::following::name;
use crate::trace::replay::{fairness_of, taken};
use crate::trace::saved::Passed;
use crate::trace::schedule;

/// How many executions there are at most.
const EXECUTIONS_MAX: u64 = 1_000;

/// And at least, however long they are.
const EXECUTIONS_MIN: u64 = 10;

/// How many of the last recorded steps are delayed or have their races turned.
const WINDOW: usize = 500;

/// By how many steps of others one is delayed.
const DELAYS: [usize; 3] = [1, 2, 4];

/// What was tried near a schedule.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbourhood {
    /// How many executions were run.
    pub(crate) executions: u64,
    /// What one of them failed with.
    pub(crate) bug: Option<Bug>,
}

/// Searches near an execution that passes, in about so many steps.
pub(crate) fn search(
    test: &str,
    program: &(dyn Program + Sync),
    settings: &Settings,
    passed: &Passed,
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
        ..settings.beside(iterations.clamp(EXECUTIONS_MIN, EXECUTIONS_MAX))
    };
    let explorer = Explorer::new(test, &settings, vec![Box::new(neighbours)]);
    let report = explore_alone(explorer, program, &settings, test);
    // What is said of all executions together was said of another search.
    let bug = report.bugs.into_iter().find(|bug| bug.finding.step > 0);
    Neighbourhood {
        executions: report.executions - report.pruned,
        // A token names no schedule: the trace alone has it.
        bug: bug.map(|bug| Bug {
            token: String::new(),
            ..bug
        }),
    }
}

/// The neighbours of an execution, and what it takes to run it. `None` where it has no steps.
fn neighbours(program: &dyn Program, passed: &Passed) -> Option<(Neighbours, u64)> {
    let Passed {
        name: called,
        recorded,
        now: passed,
    } = passed;
    let fairness = fairness_of(passed.fair_from);
    let mut engine = Engine::idle(passed.bounds, passed.semantics, passed.system);
    let execution = Execution::alone(passed.bounds.unfair());
    let options = RunOptions {
        record: true,
        ..RunOptions::default()
    };
    let decisions = taken(passed);
    let engine = &mut engine;
    let (outcome, mut steps) = name(engine, program, &execution, fairness, &decisions, options);
    // Near the step at which it failed, not where it ends now.
    let failed = schedule::read(&recorded.schedule).map_or(0, |steps| steps.len());
    if failed > 0 {
        steps.truncate(failed);
    }
    if steps.is_empty() {
        return None;
    }
    let order = Order::of(&outcome.records);
    let neighbours = Neighbours {
        name: format!("{NEAR}{called}"),
        turns: turns(&order, &steps),
        plan: Arc::new(Plan::new(steps)),
        current: None,
    };
    Some((neighbours, outcome.cost()))
}

/// A step, or several, that wait until another one was taken.
type Turn = (Vec<usize>, usize);

/// What is turned, in the order in which it is tried: what is near to each other first, and the last
/// steps before the others.
fn turns(order: &Order, steps: &Schedule) -> Vec<Turn> {
    let window = steps.len().saturating_sub(WINDOW)..steps.len();
    let mut races: Vec<(usize, usize, Turn)> = Vec::new();
    for inbox in order.inboxes(&window) {
        for pair in order.racing(&inbox) {
            let Pair { first, second } = pair;
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

/// The steps of others after one, up to the next of its own.
fn others(steps: &Schedule, at: usize) -> impl Iterator<Item = usize> + '_ {
    let who = steps[at].name.who;
    (at + 1..steps.len()).filter(move |later| steps[*later].name.who != who)
}

/// Takes the neighbours of an execution one after the other; then it wanders near it.
#[derive(Debug)]
struct Neighbours {
    name: String,
    plan: Arc<Plan>,
    turns: Vec<Turn>,
    current: Option<Turned>,
}

impl Neighbours {
    fn current(&mut self) -> &mut Turned {
        self.current.as_mut().expect("an execution has begun")
    }
}

impl Strategy for Neighbours {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn fairness(&self) -> Fairness {
        Fairness::FairFrom(self.plan.steps.len() as u64)
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        let number = execution.iteration as usize;
        let turned = match self.turns.get(number) {
            Some((held, until)) => Turned::new(&self.plan, held, *until, None),
            None => {
                let number = number - self.turns.len() + 1;
                Turned::new(&self.plan, &[], 0, Some(number as u32))
            }
        };
        let turned = self.current.insert(turned);
        turned.begin(execution)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.current().pick(enabled)
    }

    fn next_choice_purpose(&mut self, asked: Asked) {
        self.current().next_choice_purpose(asked);
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        self.current().choose(choice)
    }

    fn time_passes(&mut self, ways: u32) -> Option<u32> {
        self.current().time_passes(ways)
    }

    fn fault_within_step(&mut self, offer: &FaultSite) -> u32 {
        self.current().fault_within_step(offer)
    }

    fn fault_between_steps(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        self.current().fault_between_steps(enabled, faults)
    }

    fn fault_struck(&mut self, key: u64) {
        self.current().fault_struck(key);
    }

    fn ends_faults(&mut self, enabled: &Enabled<'_>) -> bool {
        self.current().ends_faults(enabled)
    }

    fn places_faults(&self) -> bool {
        true
    }
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
    use crate::report::facts::Recording;
    use crate::settings::Settings;
    use crate::trace::replay::replay;
    use crate::trace::saved::Passed;

    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Fix {
        No,
        /// Whoever was the second when it failed has to wait; nobody else has.
        OneOrder,
        /// Whoever comes second has to wait.
        True,
    }

    #[derive(Debug)]
    struct Go;
    #[derive(Debug)]
    struct Acquire(u32);
    #[derive(Debug)]
    struct Release;

    /// Has one owner at a time, or should.
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

    /// A failing execution, and which of the two clients comes second in it.
    fn recorded(seed: u64) -> (Finding, Recording, u32) {
        let report = Tester::new().seed(seed).iterations(200).minimize(100_000);
        let report = report.run(|_| {
            let _ = Edited(Fix::No, 0).start();
        });
        let bug = report.assert_bug("two owners");
        let handled = bug.trace.story.steps.iter().rev();
        let mut told = handled.filter_map(|step| step.message);
        let last = told
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
        let passed = Passed {
            name: "it".into(),
            recorded: recording.clone(),
            now: replayed.recording,
        };
        search("test", &program, &Settings::default(), &passed, 20_000)
    }

    /// The recorded order is hidden, and the bug is still there in the other one.
    #[test]
    fn half_a_fix_is_caught_near_what_passes() {
        for seed in 0..6 {
            let (finding, recording, second) = recorded(seed);
            let found = near(Fix::OneOrder, second, &recording);
            let bug = found.bug.expect("the other order fails");
            assert!(bug.finding.is_like(&finding), "{:?}", bug.finding);
            assert_eq!(bug.strategy, "near it");
            assert!(bug.token.is_empty());
            // Its trace reproduces it.
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
