//! The library entry point: explores a closure as an actor test, with builder methods for settings.

use std::future::Future;
use std::pin::Pin;

use actor_core::System;

use crate::data::clocks::Clocks;
use crate::data::faults::FaultBudgets;
use crate::engine::{Program, on_fresh_thread};
use crate::explaining::causes::explain;
use crate::explaining::minimizing::minimize;
use crate::exploring::explorer::Explorer;
use crate::exploring::script::{ScriptResult, follow};
use crate::exploring::workers::{Silent, explore, explore_alone};
use crate::report::data::Report;
use crate::settings::Deny;
use crate::settings::{Bounds, Search, Semantics, Settings};
use crate::strategy::{Strategy, StrategySpec, parse};

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
    /// Returns a tester with the default [`Settings`].
    pub fn new() -> Self {
        Self::with(Settings::default())
    }

    /// Returns a tester with the given settings.
    pub fn with(settings: Settings) -> Self {
        Self {
            name: "test".into(),
            settings,
        }
    }

    /// Sets the name in reports. The default is `test`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the number of executions; see [`Settings::iterations`].
    pub fn iterations(mut self, iterations: u64) -> Self {
        self.settings.iterations = iterations;
        self
    }

    /// Sets the seed; see [`Settings::seed`].
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Sets the bounds; see [`Settings::bounds`].
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.settings.bounds = bounds;
        self
    }

    /// Sets the bound N on steps; see [`Bounds::new`].
    pub fn max_steps(self, steps: u64) -> Self {
        self.bounds(Bounds::new(steps))
    }

    /// Sets the semantics; see [`Settings::semantics`].
    pub fn semantics(mut self, semantics: Semantics) -> Self {
        self.settings.semantics = semantics;
        self
    }

    /// Sets whether failures of supervised actors are expected, not bugs; see [`Semantics::supervised`].
    pub fn supervised(mut self, supervised: bool) -> Self {
        self.settings.semantics.supervised = supervised;
        self
    }

    /// Sets the maximum difference of the nodes' clocks; see [`Semantics::clocks`].
    pub fn clocks(mut self, clocks: Clocks) -> Self {
        self.settings.semantics.clocks = clocks;
        self
    }

    /// Sets the maximum number of faults of each kind in an execution; see [`Semantics::faults`].
    pub fn faults(mut self, faults: FaultBudgets) -> Self {
        self.settings.semantics.faults = faults;
        self
    }

    /// Selects one strategy instead of the portfolio.
    pub fn strategy(mut self, strategy: StrategySpec) -> Self {
        self.settings.search = Search::Strategies(vec![strategy]);
        self
    }

    /// Selects the default portfolio of strategies.
    pub fn portfolio(mut self) -> Self {
        self.settings.search = Search::Portfolio;
        self
    }

    /// Sets the number of threads that explore and minimise; see [`Settings::workers`].
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers;
        self
    }

    /// Sets whether the tester searches for lassos; see [`Settings::lasso`].
    pub fn lasso(mut self, lasso: bool) -> Self {
        self.settings.lasso = lasso;
        self
    }

    /// Sets the budget in steps for the search for the causes of bugs; see [`Settings::explain`].
    pub fn explain(mut self, steps: u64) -> Self {
        self.settings.explain = steps;
        self
    }

    /// Continues after the first bug; see [`Settings::keep_going`].
    pub fn keep_going(mut self) -> Self {
        self.settings.keep_going = true;
        self
    }

    /// Sets the budget in steps for minimising failing executions; see [`Settings::minimize`].
    pub fn minimize(mut self, steps: u64) -> Self {
        self.settings.minimize = steps;
        self
    }

    /// Sets the conditions that fail the test though no execution failed; see [`Settings::deny`].
    pub fn deny(mut self, deny: Deny) -> Self {
        self.settings.deny = deny;
        self
    }

    /// Explores `body`; each execution calls it once.
    pub fn run(&self, body: impl Fn(&System) + Sync) -> Report {
        self.explore(&SyncBody(body))
    }

    /// Explores an async body, which may `ask` actors and assert on their replies.
    ///
    /// An execution continues after the body has returned, as after a sync one: all messages sent by the body
    /// are handled, and so are those that follow, until only periodic timers are left. [`System::finish`]
    /// ends a program that never becomes quiescent.
    pub fn run_async<F>(&self, body: impl Fn(System) -> F + Sync) -> Report
    where
        F: Future<Output = ()> + 'static,
    {
        self.explore(&AsyncBody(body))
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
    pub fn follow(&self, steps: &[(&str, &str)], body: impl Fn(&System) + Sync) -> ScriptResult {
        self.follow_program(steps, &SyncBody(body))
    }

    /// Runs an async `body` once under a pinned schedule, as [`follow`](Self::follow) does.
    #[track_caller]
    pub fn follow_async<F>(
        &self,
        steps: &[(&str, &str)],
        body: impl Fn(System) -> F + Sync,
    ) -> ScriptResult
    where
        F: Future<Output = ()> + 'static,
    {
        self.follow_program(steps, &AsyncBody(body))
    }

    #[track_caller]
    fn follow_program(
        &self,
        steps: &[(&str, &str)],
        program: &(dyn Program + Sync),
    ) -> ScriptResult {
        let steps = parse(steps).unwrap_or_else(|problem| panic!("{problem}"));
        on_fresh_thread(|| follow(&self.name, program, &self.settings, steps))
    }

    /// Explores `body` under a custom strategy, on one worker.
    pub fn run_with(&self, strategy: Box<dyn Strategy>, body: impl Fn(&System) + Sync) -> Report {
        self.explore_with(strategy, &SyncBody(body))
    }

    /// Explores an async `body` under a custom strategy, on one worker.
    pub fn run_async_with<F>(
        &self,
        strategy: Box<dyn Strategy>,
        body: impl Fn(System) -> F + Sync,
    ) -> Report
    where
        F: Future<Output = ()> + 'static,
    {
        self.explore_with(strategy, &AsyncBody(body))
    }

    fn explore(&self, program: &(dyn Program + Sync)) -> Report {
        on_fresh_thread(|| {
            let report = explore(&self.name, program, &self.settings, &mut Silent);
            self.minimized(report, program)
        })
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

    fn explore_with(&self, strategy: Box<dyn Strategy>, program: &(dyn Program + Sync)) -> Report {
        on_fresh_thread(|| {
            let explorer = Explorer::new(&self.name, &self.settings, vec![strategy]);
            let report = explore_alone(explorer, program, &self.settings, &self.name);
            self.minimized(report, program)
        })
    }
}

struct SyncBody<F>(F);

impl<F: Fn(&System) + Sync> Program for SyncBody<F> {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        (self.0)(&System::controlled());
        None
    }
}

struct AsyncBody<B>(B);

impl<B: Fn(System) -> F + Sync, F: Future<Output = ()> + 'static> Program for AsyncBody<B> {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        Some(Box::pin((self.0)(System::controlled())))
    }
}
