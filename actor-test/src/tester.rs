//! The library entry point: explores a closure as an actor test, with builder methods for settings.

use std::path::PathBuf;
use std::time::Duration;

use actor_core::System;

use crate::data::clocks::Clocks;
use crate::data::faults::FaultBudgets;
use crate::declaration::attribute::BodyOutput;
use crate::engine::{Program, on_fresh_thread};
use crate::explaining::causes::explain;
use crate::explaining::minimizing::minimize;
use crate::exploring::explore::explore;
use crate::exploring::explorer::Explorer;
use crate::exploring::progress::Silent;
use crate::exploring::script::{ScriptResult, follow};
use crate::exploring::workers::explore_alone;
use crate::report::data::Report;
use crate::settings::strategy::StrategySpec;
use crate::settings::{Delivery, Deny, Partition, Search, Settings};
use crate::strategy::{Source, Strategy, parse};

/// Explores a closure as an actor test and returns a [`Report`].
///
/// ```
/// use actor_core::prelude::*;
/// use actor_test::Tester;
///
/// #[derive(Debug)]
/// struct Go;
///
/// #[derive(Default)]
/// struct Light {
///     green: bool,
/// }
///
/// #[actor]
/// impl Light {
///     #[on]
///     fn go(&mut self, _: Go) {
///         self.green = true;
///     }
/// }
/// # use actor_core::actor;
///
/// let report = Tester::new().iterations(10).run(|sys| {
///     let light = sys.spawn(Light::default());
///     light.tell(Go);
///     sys.eventually("the light is green", move |w| w.get(&light).is_some_and(|l| l.green));
/// });
/// report.assert_clean();
/// assert_eq!(report.executions, 10);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a tester does nothing until `run`"]
pub struct Tester {
    name: String,
    settings: Settings,
}

impl Default for Tester {
    fn default() -> Self {
        Self::new()
    }
}

impl Tester {
    /// Returns a tester with the default settings; the methods below say which.
    pub fn new() -> Self {
        Self {
            name: "test".into(),
            settings: Settings::default(),
        }
    }

    /// Sets the name in reports. The default is `test`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the number of executions. Default 100.
    pub fn iterations(mut self, iterations: u64) -> Self {
        self.settings.iterations = iterations;
        self
    }

    /// Sets the seed from which the seed of every execution is derived. Default 0, so that a run without
    /// settings always does the same; another seed explores other schedules.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Sets the strategies that take turns, or a search for a proof. Default [`Search::Portfolio`].
    pub fn search(mut self, search: Search) -> Self {
        self.settings.search = search;
        self
    }

    /// Selects one strategy instead of the portfolio.
    pub fn strategy(self, strategy: StrategySpec) -> Self {
        self.search(Search::Strategies(vec![strategy]))
    }

    /// Sets the bound on the steps of an unfair execution. Default 10 000. A message is two steps, so these
    /// are about 5 000 messages.
    pub fn max_steps(mut self, steps: u64) -> Self {
        self.settings.bounds = self.settings.bounds.with_unfair(steps);
        self
    }

    /// Sets the bound on the steps of a fair execution. Default: ten times the bound of unfair ones.
    pub fn max_fair_steps(mut self, steps: u64) -> Self {
        self.settings.bounds = self.settings.bounds.with_fair(steps);
        self
    }

    /// Sets the temperature: an obligation pending for more fair steps is a liveness bug. Default: half of
    /// the bound of fair executions.
    pub fn temperature(mut self, steps: u64) -> Self {
        self.settings.bounds = self.settings.bounds.with_temperature(steps);
        self
    }

    /// Replaces the bounds on steps and temperature with bounds that fit the program. They are estimated from
    /// 200 uniform random walks that run first.
    pub fn calibrate(mut self) -> Self {
        self.settings.calibrate = true;
        self
    }

    /// Sets whether timers wait until no message can be handled; see [`Semantics`](crate::settings::Semantics).
    pub fn patient_timers(mut self, patient: bool) -> Self {
        self.settings.semantics.patient_timers = patient;
        self
    }

    /// Sets whether a handler's effects are one step; see [`Semantics`](crate::settings::Semantics).
    pub fn atomic_handlers(mut self, atomic: bool) -> Self {
        self.settings.semantics.atomic_handlers = atomic;
        self
    }

    /// Sets the window within which due timers fire in any order; see [`Semantics`](crate::settings::Semantics).
    pub fn clock_error(mut self, window: Duration) -> Self {
        self.settings.semantics.clock_error = window;
        self
    }

    /// Sets whether failures of supervised actors are expected, not bugs; see [`Semantics`](crate::settings::Semantics).
    pub fn supervised(mut self, supervised: bool) -> Self {
        self.settings.semantics.supervised = supervised;
        self
    }

    /// Sets the maximum number of faults of each kind in an execution; see [`Semantics`](crate::settings::Semantics).
    pub fn faults(mut self, faults: FaultBudgets) -> Self {
        self.settings.semantics.faults = faults;
        self
    }

    /// Sets the order of messages between nodes; see [`Semantics`](crate::settings::Semantics).
    pub fn delivery(mut self, delivery: Delivery) -> Self {
        self.settings.semantics.delivery = delivery;
        self
    }

    /// Sets the maximum difference of the nodes' clocks; see [`Semantics`](crate::settings::Semantics).
    pub fn clocks(mut self, clocks: Clocks) -> Self {
        self.settings.semantics.clocks = clocks;
        self
    }

    /// Sets the number of threads that explore and minimise. The result is the same for any number.
    /// Default 1.
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers;
        self
    }

    /// Continues after the first bug, to collect different bugs.
    pub fn keep_going(mut self) -> Self {
        self.settings.keep_going = true;
        self
    }

    /// Sets the total number of steps of all executions after which exploring stops, after at least 100
    /// executions. The end is the same on every machine and for any number of workers. The start of each
    /// execution counts as 20 more steps. If several executions are planned at a time, the last of them may
    /// exceed the budget a little. Default: no budget. A test marked `#[actor_test]` without another end has
    /// a budget of about two seconds of one core in `cargo actor-test`, and a fifth of that under
    /// `cargo test`.
    pub fn step_budget(mut self, steps: u64) -> Self {
        self.settings.step_budget = Some(steps);
        self
    }

    /// Sets the maximum number of steps for exhaustive searches that may prove the test,
    /// [by behaviours](StrategySpec::Dpor) or [by states](StrategySpec::States). If one ends within them, its
    /// result is the result. Samples run first; while there are any, the searches may take a quarter of the
    /// samples' steps. If none ends, the only effect is the steps spent of the
    /// [budget](Self::step_budget). Computation between executions counts as steps as well, so that a search
    /// ends at the same place on every machine. Default 0: no such search. A test marked `#[actor_test]` with
    /// neither an end nor strategies uses a quarter of its budget. If the [search](Self::search) names such a
    /// search, no other is tried.
    ///
    /// Under [`Search::Exhaustive`], the number limits the search by states instead: the search is abandoned
    /// if its estimate exceeds eight times as many steps, or if no end is in sight after four times as many.
    /// Default 0: no limit. A test marked `#[actor_test]` uses its budget.
    pub fn prove(mut self, steps: u64) -> Self {
        self.settings.prove = steps;
        self
    }

    /// Sets the number of random executions run in addition if an exhaustive search ends with a proof that
    /// assumes that actors share only what the tester observes. If one of them fails, its bug is reported,
    /// and nothing is proved. Default 0. A test marked `#[actor_test]` has 100.
    pub fn samples_beside_proof(mut self, samples: u64) -> Self {
        self.settings.samples_beside_proof = samples;
        self
    }

    /// Sets the time after which no execution starts. Default: no limit.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.settings.time_limit = Some(limit);
        self
    }

    /// Stops exploring when the search seems saturated: after at least 1000 executions, the later half of
    /// which showed no new behaviour.
    pub fn until_saturated(mut self) -> Self {
        self.settings.until_saturated = true;
        self
    }

    /// Sets the part of the search for this process. The report of a part of the samples can be
    /// [merged](Report::merge) with those of the others. The processes of a search by `dpor` share its
    /// [directory](Self::search_dir): each explores its share of the parts of a round, and ends with the
    /// result of the whole. Default: the whole search.
    pub fn partition(mut self, part: Partition) -> Self {
        self.settings.partition = Some(part);
        self
    }

    /// Sets the directory of the search, from which an interrupted search by `dpor` or `dfs` goes on. The
    /// executable and the settings must be the same, except for the number of workers and the end.
    /// Checkpoints begin once the search has become long, take at most a fiftieth of the time, and do not
    /// change the search. Default: none.
    pub fn search_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.settings.search_dir = Some(directory.into());
        self
    }

    /// Sets the interval of executions that run twice, the first included, to detect nondeterminism. Zero:
    /// none. Default 100.
    pub fn check_every(mut self, executions: u64) -> Self {
        self.settings.check_every = executions;
        self
    }

    /// Sets whether lassos are detected: a state that repeats with a pending obligation is a liveness bug
    /// long before the temperature is exceeded, if no schedule leaves the cycle. Default true.
    pub fn lasso(mut self, lasso: bool) -> Self {
        self.settings.lasso = lasso;
        self
    }

    /// Sets the budget in steps for re-executing a failing execution to minimise it; zero disables it. Steps
    /// give the same result on every machine. Default 0. A test marked `#[actor_test]` that sets none has 20
    /// million in `cargo actor-test`, about two seconds of one core, and 5 million under `cargo test`.
    pub fn minimize(mut self, steps: u64) -> Self {
        self.settings.minimize = steps;
        self
    }

    /// Sets the budget in steps for executions that search for the [causes](crate::causes) of all bugs
    /// together. Steps give the same result on every machine. Default 0: no search. A test marked
    /// `#[actor_test]` has four million, unless it expects a bug or minimising is disabled.
    pub fn explain(mut self, steps: u64) -> Self {
        self.settings.explain = steps;
        self
    }

    /// Sets the bug that the test is expected to have: a part of its message or kind.
    pub fn expect_bug(mut self, bug: impl Into<String>) -> Self {
        self.settings.expect_bug = Some(bug.into());
        self
    }

    /// Sets the conditions that fail the test though no execution failed. Default: none.
    pub fn deny(mut self, deny: Deny) -> Self {
        self.settings.deny = deny;
        self
    }

    /// Explores `body`; each execution calls it once.
    ///
    /// The body is a sync or an async function or closure that returns `()`. An async body may `ask` actors
    /// and assert on their replies.
    ///
    /// An execution continues after the body has returned: all messages sent by the body are handled, and so
    /// are those that follow, until only periodic timers are left. [`System::finish`] ends a program that
    /// never becomes quiescent.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_test::Tester;
    ///
    /// #[derive(Debug)]
    /// struct Double(u32);
    ///
    /// struct Doubler;
    ///
    /// #[actor]
    /// impl Doubler {
    ///     #[on]
    ///     fn double(&mut self, number: Double) -> u32 {
    ///         number.0 * 2
    ///     }
    /// }
    /// # use actor_core::actor;
    ///
    /// let report = Tester::new().iterations(10).run(async |sys| {
    ///     let doubler = sys.spawn(Doubler);
    ///     assert_eq!(doubler.ask(Double(3)).await, Ok(6));
    /// });
    /// report.assert_clean();
    /// ```
    pub fn run<R: BodyOutput<K>, K>(&self, body: impl Fn(System) -> R + Sync) -> Report {
        let program = || body(System::controlled()).rest();
        on_fresh_thread(|| {
            let report = explore(&self.name, &program, &self.settings, &mut Silent);
            self.minimized(report, &program)
        })
    }

    /// Replaces the strategies of the settings with one of your own, for one [run](CustomTester::run).
    ///
    /// ```
    /// use actor_test::Tester;
    /// use actor_test::strategy::{Delayed, RoundRobin};
    ///
    /// let strategy = Box::new(Delayed::new(RoundRobin::new(), 3));
    /// let report = Tester::new().iterations(10).custom_strategy(strategy).run(|sys| {
    ///     sys.always("one is one", |_| 1 == 1);
    /// });
    /// report.assert_clean();
    /// ```
    pub fn custom_strategy(&self, strategy: Box<dyn Strategy>) -> CustomTester<'_> {
        CustomTester {
            tester: self,
            strategy,
        }
    }

    /// Runs `body` once, under a schedule that is pinned step by step. Each step is the actor that takes it
    /// and one of these actions:
    ///
    /// | step | meaning |
    /// |---|---|
    /// | `starts` | the test body, or an actor with a start hook, begins |
    /// | `handles EVENT` | an actor handles, or ignores, an event of that type |
    /// | `sends EVENT to ACTOR` | an event is appended to an inbox |
    /// | `flushes` | another effect is carried out: a spawn, a reply, the end of an actor |
    /// | `resumes` | a suspended handler or test body continues |
    /// | `fires EVENT`, `fires` | a timer fires: an event, or the end of a sleep |
    /// | `stops` | an actor is stopped ahead of its inbox |
    /// | `delivers EVENT to ACTOR`, `delivers` | a link delivers a message from another node |
    /// | `accesses OBJECT` | a task or a thread accesses a shared object |
    /// | `has crash of n1` | a fault is injected; the actor is `world` |
    /// | `ends crash of n1`, `ends all faults` | the fault ends, or all remaining faults end |
    ///
    /// A step may be followed by the outcomes of its random choices: `handles Go, choosing 1 of 3`. A step
    /// may also be followed by the faults injected in it: `delivers Go to n2/client, fault drop 1` loses the
    /// first message that the step may lose. The number of faults is bounded as [set](Self::faults), pinned
    /// or not. Actors are named as in reports; the number is optional for the first actor of a type. After
    /// the last pinned step, the execution continues fairly to its end, so liveness bugs are found as well.
    ///
    /// If the program was changed, added operations run where they are enabled, and missing ones are skipped;
    /// [`ScriptResult::parted`] returns the first step at which that happened.
    ///
    /// # Panics
    ///
    /// If a step is malformed.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_test::Tester;
    ///
    /// #[derive(Debug)]
    /// struct Add(u64);
    /// #[derive(Debug)]
    /// struct Double;
    ///
    /// #[derive(Default)]
    /// struct Sum {
    ///     total: u64,
    /// }
    ///
    /// #[actor]
    /// impl Sum {
    ///     #[on]
    ///     fn add(&mut self, add: Add) {
    ///         self.total += add.0;
    ///     }
    ///
    ///     #[on]
    ///     fn double(&mut self, _: Double) {
    ///         self.total *= 2;
    ///         assert!(self.total != 6, "six");
    ///     }
    /// }
    /// # use actor_core::actor;
    ///
    /// let steps = [
    ///     ("test", "starts"),
    ///     ("test", "flushes"), // spawns Sum
    ///     ("test", "sends Add to Sum"),
    ///     ("Sum", "handles Add"),
    ///     ("test", "sends Double to Sum"),
    ///     ("Sum", "handles Double"),
    /// ];
    /// let followed = Tester::new().follow(&steps, |sys| {
    ///     let sum = sys.spawn(Sum::default());
    ///     sum.tell(Add(3));
    ///     sum.tell(Double);
    /// });
    /// assert!(followed.bug().unwrap().message().ends_with("six"));
    /// assert_eq!(followed.parted(), None);
    /// ```
    #[track_caller]
    pub fn follow<R: BodyOutput<K>, K>(
        &self,
        steps: &[(&str, &str)],
        body: impl Fn(System) -> R + Sync,
    ) -> ScriptResult {
        let steps = parse(steps).unwrap_or_else(|problem| panic!("{problem}"));
        let program = || body(System::controlled()).rest();
        on_fresh_thread(|| follow(&self.name, &program, &self.settings, steps))
    }

    fn minimized(&self, mut report: Report, program: &dyn Program) -> Report {
        for bug in &mut report.bugs {
            let (budget, workers) = (self.settings.minimize, self.settings.workers);
            let minimal = minimize(program, &self.name, bug, budget, workers, &mut |_| ());
            if let Some(minimal) = minimal {
                minimal.replace(bug);
            }
        }
        let bugs = report.bugs.iter_mut();
        explain(
            program,
            &self.name,
            bugs,
            self.settings.explain,
            self.settings.workers,
            |_| (),
        );
        report.list_bugs();
        report
    }
}

/// A tester with a strategy of your own, from [`Tester::custom_strategy`]. One run uses the strategy up.
#[derive(Debug)]
#[must_use = "a tester does nothing until `run`"]
pub struct CustomTester<'a> {
    tester: &'a Tester,
    strategy: Box<dyn Strategy>,
}

impl CustomTester<'_> {
    /// Explores `body` as [`Tester::run`] does, on one worker.
    pub fn run<R: BodyOutput<K>, K>(self, body: impl Fn(System) -> R + Sync) -> Report {
        let Self { tester, strategy } = self;
        let program = || body(System::controlled()).rest();
        on_fresh_thread(|| {
            let explorer = Explorer::new(
                &tester.name,
                &tester.settings,
                vec![Source::Strategy(strategy)],
            );
            let report = explore_alone(explorer, &program, &tester.settings, &tester.name);
            tester.minimized(report, &program)
        })
    }
}
