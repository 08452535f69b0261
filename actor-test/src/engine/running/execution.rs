//! The run loop: one execution, from the test body's first step to its end.

use std::cell::RefMut;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::Waker;

use actor_core::parts::{call_each, drop_each};
use actor_core::runtime;

use crate::data::bug::{BugKind, Finding};
use crate::data::leftovers::Leftovers;
use crate::data::records::{Record, nanoseconds};
use crate::engine::panics::{self};
use crate::engine::recording::tape::{Decision, Witness};
use crate::engine::running::lasso::Lasso;
use crate::engine::seam::listening::{self, Listening};
use crate::engine::seam::shared::{Phase, Shared};
use crate::engine::session::Session;
use crate::engine::watching::landmarks::Told;
use crate::engine::watching::observations::{Observations, coverage};
use crate::engine::watching::specifications::Owed;
use crate::engine::watching::suspicion::Suspicion;
use crate::engine::workshop::{Left, Parts, Piped, Workshop};
use crate::engine::world::operation::{Kind, Stage};
use crate::engine::world::state::{BODY, State};
use crate::engine::world::thermometer::Debt;
use crate::engine::world::wake::WakeList;
use crate::hash::mix;
use crate::settings::{Bounds, Semantics};
use crate::strategy::{
    Enabled, Ended, Ending, Execution, Fairness, OperationId, Pending, StepKind, Strategy,
};

/// What a test does first: the set-up, and for an async test all that follows.
pub(crate) trait Program {
    /// Runs a sync body; or returns an async one, to be polled.
    fn start(&self) -> Option<Pin<Box<dyn Future<Output = ()>>>>;
}

/// Why an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// Nothing was enabled, or nothing but periodic timers for three rounds.
    Quiescent,
    /// The program asked for the end, and nothing was hot.
    Finished,
    /// The bound on steps was reached.
    Bound,
    /// A bug was found.
    Bug,
    /// What was watched became cold.
    Recovered,
    /// The strategy declined to go on.
    Pruned,
    /// The strategy has nothing left to explore; nothing was run.
    Exhausted,
}

impl End {
    /// How the execution ended, as its strategy hears it.
    fn ending(self) -> Ending {
        match self {
            Self::Quiescent | Self::Finished | Self::Recovered | Self::Exhausted => {
                Ending::Complete
            }
            Self::Bound => Ending::Bound,
            Self::Bug => Ending::Bug,
            Self::Pruned => Ending::Pruned,
        }
    }
}

/// What one execution showed.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) end: End,
    pub(crate) steps: u64,
    /// How many of them had an alternative.
    pub(crate) contended_steps: u64,
    pub(crate) fairness: Fairness,
    pub(crate) finding: Option<Finding>,
    /// What was suspected, but recovered in a fair continuation.
    pub(crate) transient: Option<Finding>,
    /// The hash of the behaviour: the same for executions that differ in the order of independent
    /// steps only.
    pub(crate) class: u64,
    /// What was owed when the bound was reached, so that its liveness stays undecided.
    pub(crate) undecided: Vec<Owed>,
    /// Hot monitors or predicates to be met were registered.
    pub(crate) wants_liveness: bool,
    /// For how many steps something was owed at most that became cold in the end.
    pub(crate) owed_longest: u64,
    /// Why what is owed is believed to stay so for ever, where that is the finding.
    pub(crate) suspicion: Option<Suspicion>,
    /// What was still owed when nothing could run any more, and since when.
    pub(crate) unmet: Option<(Debt, u64)>,
    /// What kept states from being compared, where something was owed at the end: `` `X` (actor) ``.
    pub(crate) opaque: Vec<String>,
    pub(crate) dead_letters: u64,
    /// A fair walk has taken the strategy's place, since the program asked for the end while
    /// something was hot.
    pub(crate) went_fair: bool,
    pub(crate) leftovers: Leftovers,
    pub(crate) told: Told,
    /// The step of the first decision that differs from the expected ones.
    pub(crate) diverged_at: Option<u64>,
    /// What happened, where that was recorded.
    pub(crate) records: Vec<Record>,
}

/// How many steps the start of an execution counts for: about as many as it takes the time of.
pub(crate) const START: u64 = 20;

impl Outcome {
    /// What it took, in steps.
    pub(crate) fn cost(&self) -> u64 {
        START.saturating_add(self.steps)
    }
}

/// What an execution is to do besides what the test says.
#[derive(Debug, Default)]
pub(crate) struct RunOptions {
    /// The decisions that it is expected to take.
    pub(crate) expected: Option<Vec<Decision>>,
    /// It begins as an execution that was counted before, whatever comes after.
    pub(crate) again: bool,
    /// Record what happens.
    pub(crate) tell: bool,
    /// Where it is recorded: leave out what the program logs.
    pub(crate) deaf: bool,
    /// What is to be seen to recover.
    pub(crate) watch: Option<Watch>,
    /// Who hears of each decision; of steps it hears where they are told.
    pub(crate) witness: Option<Box<dyn Witness>>,
    /// Where it is told: the step that is told, but not taken; the execution ends there.
    pub(crate) until: Option<u64>,
}

/// What is owed, and from which step to which it may be paid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    pub(crate) entry: Debt,
    pub(crate) from: u64,
    pub(crate) until: u64,
}

/// Numbers the executions of the process, so that a reference that leaks from one, of whatever
/// engine, is known in another. No schedule depends on it.
static EXECUTIONS: AtomicU32 = AtomicU32::new(0);

/// Runs executions. Everything that an execution allocates is kept for the next one.
pub(crate) struct Engine {
    pub(crate) shared: Rc<Shared>,
    pub(crate) bodies: Vec<Option<Parts>>,
    pub(crate) futures: Vec<Option<Piped>>,
    pub(crate) test: Option<Piped>,
    pub(crate) wakers: Vec<Waker>,
    pub(crate) wake_list: Arc<WakeList>,
    pub(crate) woken: Vec<u32>,
    pub(crate) bounds: Bounds,
    pub(crate) bound: u64,
    pub(crate) until: Option<u64>,
    pub(crate) fairness: Fairness,
    /// The seed of the execution.
    pub(crate) seed: u64,
    /// The strategy of the execution, where a fair one has taken its place.
    pub(crate) replaced: Option<Box<dyn Strategy>>,
    /// What happens is told by an earlier execution.
    pub(crate) is_again: bool,
    /// The strategy wants to hear of steps.
    pub(crate) hears_steps: bool,
    pub(crate) idle_moments: usize,
    pub(crate) lasso: Lasso,
    /// Counted up now and then, so that a watchdog sees a handler that does not return.
    pub(crate) heartbeat: Arc<AtomicU64>,
}

impl Engine {
    pub(crate) fn new(strategy: Box<dyn Strategy>, bounds: Bounds, semantics: Semantics) -> Self {
        let shared = Rc::new(Shared::new(strategy));
        {
            let mut state = shared.state.borrow_mut();
            state.patient_timers = semantics.patient_timers;
            state.atomic_handlers = semantics.atomic_handlers;
            state.supervised = semantics.supervised;
            state.timers.clock_error = semantics.clock_error;
        }
        Self {
            shared,
            bodies: Vec::new(),
            futures: Vec::new(),
            test: None,
            wakers: Vec::new(),
            wake_list: WakeList::new(),
            woken: Vec::new(),
            bounds,
            bound: 0,
            until: None,
            fairness: Fairness::Fair,
            seed: 0,
            replaced: None,
            is_again: false,
            hears_steps: false,
            idle_moments: 0,
            lasso: Lasso::default(),
            heartbeat: Arc::default(),
        }
    }

    /// The counter that goes up while the engine makes progress.
    pub(crate) fn heartbeat(&self) -> Arc<AtomicU64> {
        self.heartbeat.clone()
    }

    /// How far the executions to come go, and what is too hot in them.
    pub(crate) fn set_bounds(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    /// Replaces the strategy, and returns the one before.
    pub(crate) fn set_strategy(&mut self, strategy: Box<dyn Strategy>) -> Box<dyn Strategy> {
        self.shared.strategy.replace(strategy)
    }

    /// Whether lassos are looked for; not so unless this is called.
    pub(crate) fn look_for_lassos(&mut self, wanted: bool) {
        self.lasso.wanted = wanted;
    }

    /// Whether what monitors and predicates see is kept; not so unless this is called.
    pub(crate) fn keep_view(&mut self, wanted: bool) {
        self.shared.keeps_view.set(wanted);
    }

    /// Has lassos looked for or not; tells whether they were before.
    pub(crate) fn looks_for_lassos(&mut self, wanted: bool) -> bool {
        std::mem::replace(&mut self.lasso.wanted, wanted)
    }

    /// The decisions of the execution that was run last.
    pub(crate) fn decisions(&self) -> Vec<Decision> {
        self.shared.session.borrow().tape.taken().to_vec()
    }

    /// What was seen of the specifications and the actors over all executions.
    pub(crate) fn observed(&self) -> Observations {
        Observations {
            specifications: self.shared.specifications.borrow().observed().to_vec(),
            coverage: coverage(&self.session().tallies),
        }
    }

    /// Runs one execution.
    pub(crate) fn run(
        &mut self,
        test: &dyn Program,
        execution: &Execution,
        options: RunOptions,
    ) -> Outcome {
        let begun = {
            let mut strategy = self.shared.strategy.borrow_mut();
            let begun = strategy.begin(execution);
            self.fairness = strategy.fairness();
            self.hears_steps = strategy.hears_steps();
            begun
        };
        if !begun {
            return self.exhausted();
        }
        // What is run again, or continued, was counted before.
        self.is_again = options.again || options.expected.is_some() || options.watch.is_some();
        let kept = self.is_again.then(|| self.session().keep_counts());
        self.seed = execution.seed;
        let listening = (options.tell && !options.deaf).then(|| Listening::to(&self.shared));
        self.begin(options);
        let entered = runtime::enter(self.shared.clone());
        let quiet = panics::quiet();
        let mut end = self.steps(test);
        // What is owed when the program asks for the end, and is not hot, is nobody's debt.
        if end == End::Finished && self.state().thermometer.watched().is_some() {
            end = End::Recovered;
        }
        if let Some(witness) = self.shared.session().tape.witness() {
            witness.ends();
        }
        let outcome = self.outcome(end);
        if let Some(strategy) = self.replaced.take() {
            self.set_strategy(strategy);
        }
        self.clean_up();
        self.session().tape.end();
        drop((quiet, entered, listening));
        if let Some(kept) = kept {
            self.session().restore_counts(&kept);
        }
        let outcome = self.finish(outcome);
        let ended = Ended {
            ending: outcome.end.ending(),
            steps: outcome.steps,
            behaviour: outcome.class,
        };
        self.shared.strategy.borrow_mut().ended(&ended);
        outcome
    }

    /// Runs one execution under another strategy; the one before is back afterwards.
    pub(crate) fn run_under(
        &mut self,
        strategy: Box<dyn Strategy>,
        test: &dyn Program,
        execution: &Execution,
        options: RunOptions,
    ) -> Outcome {
        let before = self.set_strategy(strategy);
        let outcome = self.run(test, execution, options);
        self.set_strategy(before);
        outcome
    }

    fn exhausted(&self) -> Outcome {
        Outcome {
            end: End::Exhausted,
            steps: 0,
            contended_steps: 0,
            fairness: self.fairness,
            finding: None,
            transient: None,
            class: 0,
            undecided: Vec::new(),
            wants_liveness: false,
            owed_longest: 0,
            suspicion: None,
            unmet: None,
            opaque: Vec::new(),
            dead_letters: 0,
            went_fair: false,
            leftovers: Leftovers::default(),
            told: Told::default(),
            diverged_at: None,
            records: Vec::new(),
        }
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
        let shared = &self.shared;
        shared
            .execution
            .set(EXECUTIONS.fetch_add(1, Ordering::Relaxed));
        shared.phase.set(Phase::Running);
        let mut state = shared.state.borrow_mut();
        state.begin();
        let mut session = shared.session();
        session.begin(options.expected, options.tell, options.witness);
        shared.recorded.set(options.tell);
        shared.attention.set(true);
        shared.has_predicates.set(false);
        shared.shows_actors.set(options.tell);
        shared.shown.set([options.tell; 3]);
        if let Some(witness) = session.tape.witness() {
            witness.begins(self.fairness);
        }
        drop(session);
        self.until = options.until;
        if let Some(step) = options.until {
            self.bound = step;
        }
        // What is watched may be owed up to the end of the watch.
        let is_judged = counts_from.filter(|_| watched.is_none());
        let threshold = is_judged.map(|_| self.bounds.temperature());
        let counts_from = counts_from.unwrap_or(0);
        state.thermometer.begin(threshold, counts_from, watched);
        state.reach.is_wanted = self.hears_steps;
        self.lasso.begin(&mut state);
        drop(state);
        self.idle_moments = 0;
        self.ensure_slot(BODY);
    }

    fn ensure_slot(&mut self, operation: u32) {
        let needed = operation as usize + 1;
        if self.bodies.len() < needed {
            self.bodies.resize_with(needed, || None);
            self.futures.resize_with(needed, || None);
            for operation in self.wakers.len()..needed {
                self.wakers.push(self.wake_list.waker(operation as u32));
            }
        }
    }

    /// Takes step after step until the execution ends.
    pub(crate) fn steps(&mut self, test: &dyn Program) -> End {
        let shared = self.shared.clone();
        loop {
            let mut state = shared.state.borrow_mut();
            let (operation, kind) = match self.pick(&shared, &mut state) {
                Ok(picked) => picked,
                Err(end) => return end,
            };
            if !shared.attention.get() {
                let changed_actor = self.step(&shared, operation, kind, state, test);
                self.after_step(&shared, changed_actor);
            } else if let Some(end) = self.attended_step(&shared, operation, state, test) {
                return end;
            }
        }
    }

    /// Takes a step where more than that may be wanted: that it is recorded, that the strategy hears of
    /// it, or that it is looked at for a lasso. Tells whether the execution ends before it.
    #[cold]
    fn attended_step(
        &mut self,
        shared: &Shared,
        operation: OperationId,
        state: RefMut<'_, State>,
        test: &dyn Program,
    ) -> Option<End> {
        let pending = state.pending_of(operation)?;
        if shared.is_recorded() && self.tell_step(&state, &pending) {
            return Some(End::Bound);
        }
        if self.hears_steps || self.lasso.is_watching() {
            drop(state);
            self.explained_step(shared, pending, test);
        } else {
            let changed_actor = self.step(shared, operation, pending.kind, state, test);
            self.after_step(shared, changed_actor);
        }
        None
    }

    /// Records that a step begins; tells whether it is not taken, since it is only told.
    fn tell_step(&self, state: &State, pending: &Pending) -> bool {
        self.record_heard();
        self.shared.record(|| begun(state, pending));
        if let Some(witness) = self.session().tape.witness() {
            witness.steps(state.step);
        }
        self.is_told_until_here(state.step) && pending.kind != StepKind::Handle
    }

    /// Takes a step of which somebody wants to know what it does.
    fn explained_step(&mut self, shared: &Shared, pending: Pending, test: &dyn Program) {
        self.state().begin_reach(&pending);
        if self.lasso.is_watching() {
            self.watched_step(pending, test);
        } else {
            let (operation, kind) = (pending.operation, pending.kind);
            let changed_actor = self.step(shared, operation, kind, shared.state(), test);
            self.after_step(shared, changed_actor);
        }
        if self.hears_steps {
            let has_bug = self.session().found.is_some();
            let mut state = self.shared.state.borrow_mut();
            if has_bug {
                // What was found may need what others did before, and nobody goes on.
                state.interrupt_all();
            }
            let step = state.end_reach(pending, has_bug);
            self.shared.strategy.borrow_mut().stepped(&step);
        }
    }

    /// The strategy picked what is not there.
    #[cold]
    fn picked_nothing(&self, state: &State, session: &mut Session, position: usize) -> End {
        let message = format!(
            "`{}` picked position {position} of {} enabled operations, which are counted from zero",
            self.shared.strategy.borrow().name(),
            state.enabled.len()
        );
        session.find(state.step, BugKind::Strategy, message, None);
        End::Bug
    }

    #[inline(always)]
    pub(crate) fn pick(
        &mut self,
        shared: &Shared,
        state: &mut State,
    ) -> Result<(OperationId, StepKind), End> {
        if (shared.attention.get() || state.thermometer.alarms(state.step))
            && let Some(end) = self.attend(shared, state)
        {
            return Err(end);
        }
        let pending = state.enabled.pending();
        if pending.is_empty() {
            return Err(End::Quiescent);
        }
        if state.step >= self.bound {
            return Err(End::Bound);
        }
        let enabled = Enabled::new(
            pending,
            &state.paths,
            state.enabled.changes(),
            state.step,
            state.last_operation,
        );
        let Some(index) = shared.strategy.borrow_mut().pick(&enabled) else {
            return Err(End::Pruned);
        };
        let Some(picked) = pending.get(index) else {
            return Err(self.picked_nothing(state, &mut shared.session(), index));
        };
        let (operation, kind) = (picked.operation, picked.kind);
        if !operation.is_timer() {
            state.last_operation = operation.bits();
        }
        // A step without an alternative is no decision.
        if pending.len() > 1 {
            let check = check(picked, pending.len());
            let chosen = index as u32;
            let decision = Decision { chosen, check };
            shared.session().tape.record(decision, state.step + 1);
        }
        state.step += 1;
        if state.step & 1023 == 0 {
            self.heartbeat.fetch_add(1, Ordering::Relaxed);
        }
        Ok((operation, kind))
    }

    /// Looks at what seldom matters before a step, and finds out whether it matters before the next.
    #[cold]
    fn attend(&mut self, shared: &Shared, state: &mut State) -> Option<End> {
        if shared.session().found.is_some() {
            return Some(End::Bug);
        }
        if state.thermometer.alarms(state.step)
            && let Some(end) = self.alarmed(state, &mut shared.session())
        {
            return Some(end);
        }
        if state.finishing
            && let Some(end) = self.finish_fairly(state)
        {
            return Some(end);
        }
        let ends = state.enabled.pending().is_empty() || state.step >= self.bound;
        let has_periodic = state.timers.armed_periodic() > 0;
        if !ends && has_periodic && Self::is_idle(&mut self.idle_moments, state) {
            return Some(End::Quiescent);
        }
        shared.attention.set(
            has_periodic
                || state.finishing
                || shared.is_recorded()
                || self.hears_steps
                || self.lasso.is_watching()
                || shared.session().found.is_some(),
        );
        None
    }

    /// Records what the program has logged in the step before.
    pub(crate) fn record_heard(&self) {
        for record in listening::heard() {
            self.shared.record(|| record);
        }
    }

    /// The step is the last that is told; it is not taken.
    pub(crate) fn is_told_until_here(&self, step: u64) -> bool {
        self.until == Some(step)
    }

    /// Takes one step; tells whether an actor may have changed.
    #[inline(always)]
    pub(crate) fn step(
        &mut self,
        shared: &Shared,
        operation: OperationId,
        kind: StepKind,
        state: RefMut<'_, State>,
        test: &dyn Program,
    ) -> bool {
        if operation.is_timer() {
            drop(state);
            self.fire(operation.index() as u32);
            return false;
        }
        let operation = operation.index() as u32;
        shared.current.set(operation);
        shared.calls.set(0);
        match kind {
            StepKind::Flush => self.flush(shared, operation, state),
            StepKind::Handle => {
                self.handle(shared, operation, state);
                true
            }
            kind => {
                drop(state);
                self.rare_step(operation, kind, test);
                true
            }
        }
    }

    /// Takes a step of a rarer kind, apart from the two frequent ones so that telling those from each
    /// other stays one comparison.
    fn rare_step(&mut self, operation: u32, kind: StepKind, test: &dyn Program) {
        match kind {
            StepKind::Start => self.start(operation, test),
            StepKind::Resume => self.resume(operation),
            StepKind::Stop => self.obey(operation),
            StepKind::Flush | StepKind::Handle | StepKind::Timer | StepKind::Fault => {
                unreachable!("flushes, handled events and timers are stepped apart")
            }
        }
    }

    #[inline(always)]
    pub(crate) fn after_step(&mut self, shared: &Shared, changed_actor: bool) {
        if self.wake_list.any() {
            self.wake();
        }
        if changed_actor && shared.shows_actors.get() {
            self.show_actors();
        }
    }

    /// Shows the actors as a step has left them.
    #[inline(never)]
    fn show_actors(&mut self) {
        if self.shared.is_recorded() {
            let last = self.state().last_operation;
            self.record_value(last);
        }
        if self.shared.has_predicates.get() {
            self.state().reach.beyond = true;
            self.evaluate();
        }
    }

    pub(crate) fn wake(&mut self) {
        let mut woken = std::mem::take(&mut self.woken);
        let foreign = self.wake_list.drain(&mut woken);
        let mut state = self.state();
        for operation in woken.drain(..) {
            let live = state.live;
            let found = &mut state.operations[..live];
            if let Some(found) = found.get_mut(operation as usize)
                && found.stage == Stage::Suspended
            {
                found.woken = true;
                state.refresh(operation);
                if state.watched {
                    state.touched.push(operation);
                }
            }
        }
        drop(state);
        if foreign {
            let message = "a future was woken from a thread that the tester does not control: \
                           a spawned thread, a tokio timer or a socket"
                .into();
            self.shared.find(BugKind::OutsideWait, message, None);
        }
        self.woken = woken;
    }

    #[inline]
    pub(crate) fn state(&self) -> RefMut<'_, State> {
        self.shared.state()
    }

    #[inline]
    pub(crate) fn session(&self) -> RefMut<'_, Session> {
        self.shared.session()
    }

    #[inline]
    pub(crate) fn workshop(&self) -> RefMut<'_, Workshop> {
        self.shared.workshop()
    }

    /// Moves the bodies of actors that were spawned in the step to their places.
    pub(crate) fn settle_newborn(&mut self) {
        if !self.shared.born.replace(false) {
            return;
        }
        let (actors, futures) = {
            let mut workshop = self.workshop();
            (
                std::mem::take(&mut workshop.newborn_actors),
                std::mem::take(&mut workshop.newborn_futures),
            )
        };
        let mut actors = actors;
        for (operation, parts) in actors.drain(..) {
            self.ensure_slot(operation);
            self.bodies[operation as usize] = Some(parts);
            if self.shared.is_recorded() {
                self.record_value(operation);
            }
        }
        for (operation, future) in futures {
            self.ensure_slot(operation);
            self.futures[operation as usize] = Some(future);
        }
        // The list's memory is used again.
        self.workshop().newborn_actors = actors;
    }

    /// Drops everything of the user's and keeps the parts for the next execution.
    fn clean_up(&mut self) {
        self.shared.phase.set(Phase::Over);
        let test = self.test.take();
        self.drop_quietly(move || drop(test));
        let live = self.state().live;
        for operation in 0..live {
            let future = self.futures.get_mut(operation).and_then(Option::take);
            self.drop_quietly(move || drop(future));
            let Some(mut parts) = self.bodies.get_mut(operation).and_then(Option::take) else {
                continue;
            };
            self.drop_quietly(|| parts.body.clear());
            self.drop_quietly(|| parts.mail.clear());
            let factory = parts.factory.take();
            self.drop_quietly(move || drop(factory));
            let kind = self.state().operations[operation].kind;
            let mut workshop = self.workshop();
            workshop.take_mail(operation as u32);
            if let Kind::Actor(of_type) = kind {
                workshop.recycle(of_type, parts);
            }
        }
        let Left {
            clockworks,
            notices,
            replies,
            askers,
            actors,
            futures,
        } = self.workshop().clear();
        self.drop_quietly(move || drop_each(clockworks));
        self.drop_quietly(move || drop_each(notices));
        self.drop_quietly(move || drop_each(replies));
        self.drop_quietly(move || drop_each(askers));
        self.drop_quietly(move || drop_each(actors));
        self.drop_quietly(move || drop_each(futures));
        let slabs = self.workshop().slabs();
        self.drop_quietly(move || call_each(slabs.iter().map(|slab| move || slab.clear())));
        let specifications = self.shared.specifications.take();
        let (specifications, monitors, predicates) = specifications.end();
        self.shared.specifications.replace(specifications);
        self.drop_quietly(move || drop_each(monitors));
        self.drop_quietly(move || drop_each(predicates));
        self.woken.clear();
        self.wake_list.drain(&mut self.woken);
        self.woken.clear();
    }

    fn drop_quietly(&self, f: impl FnOnce()) {
        if let Err(panic) = panics::catch(f) {
            let message = format!("a `Drop` panicked after the execution: {}", panic.message);
            self.shared.find(BugKind::Panic, message, panic.location);
        }
    }

    /// A destructor that panicked in the clean-up is a bug of the execution as well.
    fn finish(&self, mut outcome: Outcome) -> Outcome {
        let found = self.session().found.take();
        if outcome.finding.is_none() && found.is_some() {
            outcome.finding = found;
            outcome.end = End::Bug;
        }
        outcome
    }
}

/// A step begins.
#[cold]
fn begun(state: &State, pending: &Pending) -> Record {
    let operation = pending.operation;
    let timer = operation
        .is_timer()
        .then(|| &state.timers.slots[operation.index()]);
    let who = timer.map_or(operation.bits(), |timer| timer.owner);
    Record::Step {
        number: state.step,
        time_ns: nanoseconds(state.now),
        who,
        timer: timer.map(|timer| timer.key),
        kind: pending.kind,
        state: match timer {
            Some(_) => None,
            None => state.state_name(who),
        },
    }
}

/// The check of a pick: what the chosen operation does, among how many.
#[inline]
fn check(pending: &Pending, of: usize) -> u32 {
    let inbox = pending.inbox.map_or(u32::MAX, OperationId::bits);
    let event = pending.event.map_or(0, |event| event.0.get());
    let who = u64::from(pending.operation.bits()) << 32 | u64::from(inbox);
    mix(
        who,
        u64::from(event) << 24 | (of as u64) << 4 | pending.kind as u64,
    ) as u32
}
