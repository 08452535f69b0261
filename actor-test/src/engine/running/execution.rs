//! One execution of the engine, from its begin until all values of it are dropped.

use std::cell::RefCell;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use actor_core::seam::{self, Runtime};
use actor_test_stacks::{self as stacks};

use crate::data::bug::Cycle;
use crate::data::faults::FaultKind;
use crate::data::snapshot::Snapshot;
use crate::engine::panics::{self};
use crate::engine::recording::tape::{DecisionObserver, RecordedDecision};
use crate::engine::running::executor::Executor;
use crate::engine::running::lasso::LassoDetector;
use crate::engine::running::outcome::{EndReason, Outcome};
use crate::engine::running::own_thread::nothing;
use crate::engine::seam::clocks::ClockReadGuard;
use crate::engine::seam::log_capture::LogCapture;
use crate::engine::seam::shared::{CodePhase, ControlledRuntime};
use crate::engine::specs::observations::{Observations, coverage};
use crate::engine::states::state_search::StateFingerprinter;
use crate::engine::world::aliases::Aliases;
use crate::engine::world::operation::OperationRole;
use crate::engine::world::state::BODY;
use crate::engine::world::temperature::Obligation;
use crate::hash::mix;
use crate::settings::{Bounds, Semantics};
use crate::strategy::{Ended, Execution, Fairness, Source, Strategy, StrategyEvent};
use crate::worker_registry::Planning;

/// The first step of a test: the set-up, and for an async test all that follows.
pub(crate) trait Program: Sync {
    /// Runs a sync body, or returns an async one to be polled.
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>>;
}

impl<F: Fn() -> Option<Pin<Box<dyn Future<Output = ()>>>> + Sync> Program for F {
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>> {
        self()
    }
}

/// The part of an execution that is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum RecordLevel {
    #[default]
    No,
    Events,
    /// The events, and the program's log output.
    EventsAndLogs,
}

/// Options of one execution, besides the test's own.
#[derive(Debug, Default)]
pub(crate) struct RunOptions {
    /// The decisions that the execution is expected to take.
    pub(crate) expected: Option<Vec<RecordedDecision>>,
    /// True if the execution begins as one whose coverage was counted before.
    pub(crate) is_counted: bool,
    pub(crate) record: RecordLevel,
    /// The obligation under watch, which should be discharged.
    pub(crate) watch: Option<ObligationWatch>,
    /// The observer of decisions, and of steps too if the execution is recorded.
    pub(crate) decision_log: Option<Box<dyn DecisionObserver>>,
    /// In a recorded execution: the step that is recorded but not taken, at which the execution ends.
    pub(crate) until: Option<u64>,
    /// The observer of the execution between two steps.
    pub(crate) observer: Option<Box<dyn StepObserver>>,
    /// The step before which an execution with nothing but periodic timers left does not end.
    pub(crate) idles_from: u64,
    /// True if time may pass without a timer that fires, in case the strategy leaves that to the tester.
    pub(crate) time_passes: bool,
    /// True if a receiver takes what a link delivers in the step after, if it can.
    pub(crate) is_prompt: bool,
    /// The number of the search that the execution belongs to; its executions begin with the same decisions.
    pub(crate) search: Option<usize>,
}

/// An observer of an execution between two steps, as a debugger is.
pub(crate) trait StepObserver: fmt::Debug + Send {
    /// Returns the step after which it inspects the execution next, in rising order; `None` ends the
    /// execution.
    fn next(&mut self) -> Option<u64>;

    /// Receives a snapshot, and the step from which on the decisions differ from the expected ones.
    fn inspect(&mut self, snapshot: Snapshot, diverged_at: Option<u64>);
}

/// An obligation under watch, and the steps between which it may be discharged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObligationWatch {
    pub(crate) entry: Obligation,
    pub(crate) from: u64,
    pub(crate) until: u64,
}

/// Numbers the executions of the process by even numbers, so that a reference that leaks into another
/// execution, even of another engine, is detected. No schedule depends on the numbers.
static EXECUTIONS: AtomicU32 = AtomicU32::new(0);

/// Runs executions. The memory that an execution allocates is kept for the next one.
pub(crate) struct Engine {
    pub(crate) shared: Rc<ControlledRuntime>,
    pub(crate) executor: Executor,
    pub(crate) bounds: Bounds,
    pub(crate) semantics: Semantics,
    /// The seed of the operating system's answers to the program.
    pub(crate) system: u64,
    /// The observations of executions on threads of their own.
    pub(crate) thread_observations: Observations,
    pub(crate) bound: u64,
    observer: Option<Box<dyn StepObserver>>,
    pub(crate) fairness: Fairness,
    pub(crate) seed: u64,
    /// The seed from which the passing of time is drawn, if it is drawn.
    passing: Option<u64>,
    /// True if a receiver takes what a link delivers in the step after, if it can.
    pub(super) is_prompt: bool,
    /// The strategy of the execution, if a fair one has replaced it.
    pub(crate) replaced: Option<Source>,
    /// True if an earlier execution has counted the coverage of this one.
    pub(crate) is_counted: bool,
    pub(crate) idle_moments: usize,
    pub(crate) idles_from: u64,
    pub(crate) lasso: LassoDetector,
    /// The fingerprints of states, for a strategy that compares states.
    pub(crate) fingerprinter: StateFingerprinter,
    /// The cycle that a search found in the execution to replay, and the fingerprint of its first state.
    pub(crate) cycle: Option<Cycle>,
    pub(crate) cycle_start: Option<u128>,
    /// The threshold of heat that is a bug, the step from which heat counts, and the watched obligation.
    liveness: (Option<u64>, u64, Option<(Obligation, u64)>),
    /// A counter that rises now and then, so that a watchdog notices a handler that does not return.
    pub(crate) heartbeat: Arc<AtomicU64>,
}

impl Engine {
    /// Creates an engine that is given a strategy for each execution. The answers of the operating system
    /// follow from the seed `system`, if there is one.
    pub(crate) fn idle(bounds: Bounds, semantics: Semantics, system: Option<u64>) -> Self {
        let mut engine = Self::new(nothing(), bounds, semantics);
        engine.system = system.unwrap_or_default();
        engine
    }

    pub(crate) fn new(strategy: Source, bounds: Bounds, semantics: Semantics) -> Self {
        let shared = Rc::new(ControlledRuntime::new(strategy));
        {
            let mut state = shared.state.borrow_mut();
            state.timers.are_patient = semantics.patient_timers;
            let (atomic, supervised) = (semantics.atomic_handlers, semantics.supervised);
            state.progress.set_semantics(atomic, supervised);
            state.timers.clock_error = semantics.clock_error;
            state.faults.set_budgets(semantics.faults);
            state.nodes.delivery = semantics.delivery;
            state.nodes.clocks_allowed = semantics.clocks;
        }
        Self {
            executor: Executor::new(Rc::clone(&shared)),
            shared,
            bounds,
            semantics,
            system: 0,
            thread_observations: Observations::default(),
            bound: 0,
            observer: None,
            fairness: Fairness::Fair,
            seed: 0,
            passing: None,
            is_prompt: false,
            replaced: None,
            is_counted: false,
            idle_moments: 0,
            idles_from: 0,
            lasso: LassoDetector::default(),
            fingerprinter: StateFingerprinter::default(),
            cycle: None,
            cycle_start: None,
            liveness: (None, 0, None),
            heartbeat: Arc::default(),
        }
    }

    /// Returns the counter that rises while the engine makes progress.
    pub(crate) fn heartbeat(&self) -> Arc<AtomicU64> {
        self.heartbeat.clone()
    }

    /// Sets the bounds on steps and heat for the executions to come.
    pub(crate) fn set_bounds(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    /// Sets the seed of the operating system's answers for the executions to come.
    pub(crate) fn set_system(&mut self, seed: u64) {
        self.system = seed;
    }

    /// Sets the keys that operations get in place of their own, in the executions to come.
    pub(crate) fn call(&mut self, aliases: Aliases) {
        self.shared.state().operations.set_aliases(aliases);
    }

    /// Replaces the strategy, and returns the one before.
    pub(crate) fn set_strategy(&mut self, strategy: Source) -> Source {
        self.shared.strategy.replace(strategy)
    }

    /// Enables or disables the search for lassos, which is off by default.
    pub(crate) fn set_lasso_detection(&mut self, wanted: bool) {
        self.lasso.wanted = wanted;
    }

    /// Prepares for the cycle of a recorded execution: enables the search for lassos, or the check that the
    /// execution returns to the state that a search had found.
    pub(crate) fn prepare_for_cycle(&mut self, cycle: Option<Cycle>) {
        self.lasso.wanted = cycle.is_some_and(|cycle| !cycle.is_searched());
        self.cycle = cycle.filter(Cycle::is_searched);
    }

    /// Enables or disables a hash of what monitors and predicates see, which is off by default.
    pub(crate) fn keep_view(&mut self, wanted: bool) {
        self.shared.keeps_view.set(wanted);
    }

    /// Enables or disables the search for lassos, and returns the setting before.
    pub(crate) fn replace_lasso_detection(&mut self, wanted: bool) -> bool {
        std::mem::replace(&mut self.lasso.wanted, wanted)
    }

    /// Returns the decisions of the last execution.
    pub(crate) fn decisions(&self) -> Vec<RecordedDecision> {
        self.shared.session.borrow().tape.taken().to_vec()
    }

    /// Returns the observations of specifications and actors over all executions.
    pub(crate) fn observed(&self) -> Observations {
        let session = self.shared.session();
        let here = Observations {
            specifications: self.shared.specifications.borrow().observed().to_vec(),
            coverage: coverage(&session.tallies),
            calls: session.calls.clone(),
        };
        Observations::merge(vec![here, self.thread_observations.clone()])
    }

    /// Runs one execution: on this thread if it is fresh, else on a thread of its own, since this one may
    /// keep answers of the operating system from another execution.
    pub(crate) fn run(
        &mut self,
        test: &dyn Program,
        execution: &Execution,
        options: RunOptions,
    ) -> Outcome {
        if actor_test_os::is_fresh() {
            self.run_here(test, execution, options)
        } else {
            self.run_on_own_thread(test, execution, options)
        }
    }

    pub(crate) fn run_here(
        &mut self,
        test: &dyn Program,
        execution: &Execution,
        options: RunOptions,
    ) -> Outcome {
        let begun = {
            let mut source = self.shared.strategy.borrow_mut();
            let strategy = source.strategy_mut();
            let begun = {
                let _planning = Planning::begin(&self.heartbeat);
                strategy.begin(execution)
            };
            let needs = strategy.needs();
            let draws = options.time_passes && !needs.memory;
            self.is_prompt = options.is_prompt;
            self.passing = draws.then(|| mix(execution.seed, 0x7a_55ed));
            self.shared.hears_steps.set(needs.steps);
            let compares = needs.states || self.cycle.is_some();
            self.shared.compares_states.set(compares);
            self.fingerprinter.by_history = needs.histories;
            begun
        };
        let Some(fairness) = begun else {
            return Outcome::exhausted();
        };
        self.fairness = fairness;
        // Every execution counts as progress, for instance in a minimisation that tries many short ones.
        self.heartbeat.fetch_add(1, Ordering::Relaxed);
        // A re-execution or a continuation was counted before.
        self.idles_from = options.idles_from;
        self.is_counted =
            options.is_counted || options.expected.is_some() || options.watch.is_some();
        let kept = self.is_counted.then(|| self.shared.session().keep_counts());
        self.seed = execution.seed;
        let listening =
            (options.record == RecordLevel::EventsAndLogs).then(|| LogCapture::to(&self.shared));
        self.begin(options);
        let runtime: Rc<dyn Runtime> = self.shared.clone();
        let outcome = seam::enter(&runtime, || {
            let _quiet = panics::quiet();
            let _answering = actor_test_os::simulate(self.system);
            let _reading = ClockReadGuard::of(&self.shared);
            let outcome = match &self.executor.body {
                None => self.run_through(test),
                Some(_) => None,
            };
            let outcome = outcome.unwrap_or_else(|| self.run_on_stack(test));
            let mut session = self.shared.session();
            session.tape.end();
            session.add_handled(self.shared.state().operations.types.handled());
            drop(session);
            outcome
        });
        drop(listening);
        if let Some(kept) = kept {
            self.shared.session().restore_counts(&kept);
        }
        let outcome = Outcome {
            asked: actor_test_os::request_counts(),
            ..self.finish(outcome)
        };
        let ended = Ended {
            ending: outcome.end.ending(),
            steps: outcome.steps,
            behaviour: outcome.class,
            state: self.fingerprinter.seen().copied(),
        };
        let _planning = Planning::begin(&self.heartbeat);
        let ended = StrategyEvent::Ended(&ended);
        self.shared
            .strategy
            .borrow_mut()
            .strategy_mut()
            .observe(ended);
        outcome
    }

    /// Takes the steps of an execution that has begun, judges it and clears up; returns `None` if its body
    /// needs a stack of its own.
    fn run_through(&mut self, test: &dyn Program) -> Option<Outcome> {
        let mut end = self.steps(test);
        if self.shared.wants_stack.get() {
            return None;
        }
        end = self.serve_observer(test, end);
        // If the program asks for the end while nothing is hot, the watched obligation counts as discharged.
        if end == EndReason::Finished && self.shared.state().temperatures.watched().is_some() {
            end = EndReason::Recovered;
        }
        if let Some(decision_log) = self.shared.session().tape.decision_log() {
            decision_log.ends();
        }
        let outcome = self.outcome(end);
        if let Some(strategy) = self.replaced.take() {
            self.set_strategy(strategy);
        }
        self.executor.clean_up();
        Some(outcome)
    }

    /// Shows snapshots to the observer, if there is one, and takes the further steps that it asks for.
    fn serve_observer(&mut self, test: &dyn Program, mut end: EndReason) -> EndReason {
        let Some(mut observer) = self.observer.take() else {
            return end;
        };
        loop {
            let snapshot = self.executor.view().snapshot();
            let diverged = self.shared.session().tape.diverged_at();
            observer.inspect(snapshot, diverged);
            let Some(step) = observer.next() else {
                return end;
            };
            if end == EndReason::Bound {
                self.bound = step;
                end = self.steps(test);
            }
        }
    }

    /// Runs the execution with the body on a stack of its own, as all later ones from their start.
    fn run_on_stack(&mut self, test: &dyn Program) -> Outcome {
        let future = Rc::new(RefCell::new(None));
        let started = future.clone();
        let start = || {
            let body = test.start();
            *started.borrow_mut() = body;
        };
        let ran = stacks::scope(&start, |entry| {
            self.executor.body = Some((entry, future));
            if self.shared.wants_stack.get() {
                self.begin_again();
                self.first_step(test);
            }
            self.run_through(test)
        });
        ran.unwrap_or_else(|| unreachable!("it has a stack"))
    }

    /// Runs one execution under another strategy, and puts the one before back.
    pub(crate) fn run_under(
        &mut self,
        strategy: Box<dyn Strategy>,
        test: &dyn Program,
        execution: &Execution,
        options: RunOptions,
    ) -> Outcome {
        let before = self.set_strategy(Source::Strategy(strategy));
        let outcome = self.run(test, execution, options);
        self.set_strategy(before);
        outcome
    }

    pub(crate) fn begin(&mut self, options: RunOptions) {
        let counts_from = match self.fairness {
            Fairness::Fair => Some(0),
            Fairness::FairFrom(step) => Some(step),
            Fairness::Unfair => None,
        };
        self.bound = match counts_from {
            Some(_) => self.bounds.fair(),
            None => self.bounds.unfair(),
        };
        let watched = options.watch.map(|watch| {
            self.bound = watch.until;
            (watch.entry, watch.from)
        });
        let RunOptions {
            expected,
            record,
            decision_log,
            until,
            mut observer,
            search,
            ..
        } = options;
        let is_recorded = record != RecordLevel::No;
        let inspected = observer.as_mut().and_then(|observer| observer.next());
        if let Some(step) = until.or(inspected) {
            self.bound = step;
        }
        self.observer = observer;
        {
            let mut session = self.shared.session();
            session.begin(expected, is_recorded, decision_log, search);
            session.until = until;
            if let Some(decision_log) = session.tape.decision_log() {
                decision_log.begins(self.fairness);
            }
        }
        // A watched obligation may stay pending up to the end of the watch.
        let is_judged = counts_from.filter(|_| watched.is_none());
        let threshold = is_judged.map(|_| self.bounds.temperature());
        self.liveness = (threshold, counts_from.unwrap_or(0), watched);
        self.begin_world(is_recorded);
    }

    /// Starts the state of the execution, with the body as its only operation.
    fn begin_world(&mut self, is_recorded: bool) {
        let shared = &self.shared;
        shared
            .execution
            .set(EXECUTIONS.fetch_add(2, Ordering::Relaxed));
        shared.phase.set(CodePhase::Running);
        let mut state = shared.state.borrow_mut();
        state.begin();
        shared.recorded.set(is_recorded);
        shared.instrumented.set(true);
        shared.may_fail.set(state.faults.is_open());
        shared.has_names.set(false);
        shared.may_refuse.set(state.faults.may_be(FaultKind::Full));
        shared.has_predicates.set(false);
        shared.numbers_seen.take();
        shared.shows_actors.set(is_recorded);
        shared.shown.set([is_recorded; 3]);
        let (threshold, counts_from, watched) = self.liveness;
        state.temperatures.begin(threshold, counts_from, watched);
        state.footprint.set_wanted(self.shared.hears_steps.get());
        state.timers.passing.begin(self.passing);
        self.lasso.begin(&mut state);
        let compares = shared.compares_states.get();
        self.fingerprinter.begin(&mut state, compares);
        drop(state);
        self.idle_moments = 0;
        self.executor.ensure_slot(BODY);
    }

    /// Begins the execution once more, since its body was left in its first step. The decisions are the
    /// same, and neither the strategy nor an observer of decisions sees them again.
    fn begin_again(&mut self) {
        {
            let mut session = self.shared.session();
            for (operation, parts) in &self.shared.arena().spawned_actors {
                let state = self.shared.state();
                if let OperationRole::Actor(of_type) = state.operations[*operation].kind
                    && !state.operations.types[of_type].info.starts
                {
                    session.tallies[of_type as usize].take_back_start(parts.body.state());
                }
            }
        }
        self.executor.clean_up();
        actor_test_os::reset_simulation(self.system);
        let answers = self.shared.session().tape.rewind();
        let answers = answers.iter().map(|decision| decision.chosen).collect();
        self.shared.answers.replace(answers);
        self.shared.wants_stack.set(false);
        let is_recorded = self.shared.is_recorded();
        self.shared.session().begin_again(is_recorded);
        self.begin_world(is_recorded);
    }

    /// Adds the panic of a destructor in the clean-up as a bug of the execution, unless the execution was
    /// cut off: then the engine, not the program, ended it in the middle of something.
    fn finish(&self, mut outcome: Outcome) -> Outcome {
        let found = self.shared.session().found.take();
        let is_broken_off = matches!(
            outcome.end,
            EndReason::Bound | EndReason::Pruned | EndReason::Recovered
        );
        if outcome.finding.is_none() && found.is_some() && !is_broken_off {
            outcome.finding = found;
            outcome.end = EndReason::Bug;
        }
        outcome
    }
}
