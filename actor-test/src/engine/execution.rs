//! The run loop: one execution, from the test body's first step to its end.

use std::any::Any;
use std::cell::RefMut;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::{Context as TaskContext, Waker};

use actor_core::parts::{AnyBody, AnySlab, Ran};
use actor_core::runtime::{Address, Again};
use actor_core::__private::{Expectation, Snapshot};
use actor_core::{ActorId, AskError, Disposition, Event, Moment, StopReason, World, runtime};

use super::controlled::{Phase, Shared};
use super::operation::{Effect, Kind, Letter, Sender, Stage};
use super::panics::{self, Panic};
use super::recorder::Recorder;
use super::specifications::{Observed, Owed};
use super::state::{BODY, Fired, FollowUp, Piped, State};
use super::tape::Decision;
use super::wake::WakeList;
use crate::bug::{BugKind, Finding};
use crate::hash::mix;
use crate::settings::{Bounds, Semantics};
use crate::story::StoryStep;
use crate::strategy::{Enabled, Execution, Fairness, OperationId, Pending, StepKind, Strategy};

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
    /// An async body returned and nothing was hot.
    Returned,
    /// The bound on steps was reached.
    Bound,
    /// A bug was found.
    Bug,
    /// The strategy has nothing left to explore; nothing was run.
    Exhausted,
}

/// What one execution showed.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub(crate) end: End,
    pub(crate) steps: u64,
    pub(crate) fairness: Fairness,
    pub(crate) finding: Option<Finding>,
    /// The hash of the behaviour: the same for executions that differ in the order of independent
    /// steps only.
    pub(crate) class: u64,
    /// What was owed when the bound was reached, so that its liveness stays undecided.
    pub(crate) undecided: Vec<Owed>,
    /// Hot monitors or predicates to be met were registered.
    pub(crate) wants_liveness: bool,
    pub(crate) dead_letters: u64,
    /// The step of the first decision that differs from the expected ones.
    pub(crate) diverged_at: Option<u64>,
    pub(crate) story: Vec<StoryStep>,
}

/// What an execution is to do besides what the test says.
#[derive(Debug, Default)]
pub(crate) struct RunOptions {
    /// The decisions that it is expected to take.
    pub(crate) expected: Option<Vec<Decision>>,
    /// Record names, payloads and states.
    pub(crate) tell: bool,
}

/// Numbers the executions of the process, so that a reference that leaks from one, of whatever
/// engine, is known in another. No schedule depends on it.
static EXECUTIONS: AtomicU32 = AtomicU32::new(0);

/// Runs executions. Everything that an execution allocates is kept for the next one.
pub(crate) struct Engine {
    shared: Rc<Shared>,
    bodies: Vec<Option<Box<dyn AnyBody>>>,
    futures: Vec<Option<Piped>>,
    test: Option<Piped>,
    test_returned: bool,
    wakers: Vec<Waker>,
    wake_list: Arc<WakeList>,
    woken: Vec<u32>,
    bounds: Bounds,
    bound: u64,
    fairness: Fairness,
    idle_moments: usize,
    has_predicates: bool,
    /// Counted up now and then, so that a watchdog sees a handler that does not return.
    heartbeat: Arc<AtomicU64>,
}

impl Engine {
    pub(crate) fn new(strategy: Box<dyn Strategy>, bounds: Bounds, semantics: Semantics) -> Self {
        let shared = Rc::new(Shared::new(strategy));
        {
            let mut state = shared.state.borrow_mut();
            state.patient_timers = semantics.patient_timers;
            state.atomic_handlers = semantics.atomic_handlers;
            state.timers.clock_error = semantics.clock_error;
        }
        Self {
            shared,
            bodies: Vec::new(),
            futures: Vec::new(),
            test: None,
            test_returned: false,
            wakers: Vec::new(),
            wake_list: WakeList::new(),
            woken: Vec::new(),
            bounds,
            bound: 0,
            fairness: Fairness::Fair,
            idle_moments: 0,
            has_predicates: false,
            heartbeat: Arc::default(),
        }
    }

    /// The counter that goes up while the engine makes progress.
    pub(crate) fn heartbeat(&self) -> Arc<AtomicU64> {
        self.heartbeat.clone()
    }

    /// Replaces the strategy, and returns the one before.
    pub(crate) fn set_strategy(&mut self, strategy: Box<dyn Strategy>) -> Box<dyn Strategy> {
        self.shared.strategy.replace(strategy)
    }

    /// The decisions of the execution that was run last.
    pub(crate) fn decisions(&self) -> Vec<Decision> {
        self.shared.state.borrow().tape.taken().to_vec()
    }

    /// What was seen of the specifications over all executions.
    pub(crate) fn observed(&self) -> Vec<Observed> {
        self.shared.specifications.borrow().observed().to_vec()
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
            begun
        };
        if !begun {
            return self.exhausted();
        }
        self.begin(options);
        let entered = runtime::enter(self.shared.clone());
        let quiet = panics::quiet();
        let end = self.steps(test);
        let outcome = self.outcome(end);
        self.clean_up();
        drop((quiet, entered));
        self.finish(outcome)
    }

    fn exhausted(&self) -> Outcome {
        Outcome {
            end: End::Exhausted,
            steps: 0,
            fairness: self.fairness,
            finding: None,
            class: 0,
            undecided: Vec::new(),
            wants_liveness: false,
            dead_letters: 0,
            diverged_at: None,
            story: Vec::new(),
        }
    }

    fn begin(&mut self, options: RunOptions) {
        let counts_from = match self.fairness {
            Fairness::Fair => Some(0),
            Fairness::FairFrom(step) => Some(step),
            Fairness::Unfair => None,
        };
        self.bound = match counts_from {
            Some(_) => self.bounds.fair(),
            None => self.bounds.unfair(),
        };
        let shared = &self.shared;
        shared.execution.set(EXECUTIONS.fetch_add(1, Ordering::Relaxed));
        shared.phase.set(Phase::Running);
        let mut state = shared.state.borrow_mut();
        state.begin();
        state.tape.begin(options.expected);
        state.recorder = options.tell.then(Recorder::default);
        let threshold = counts_from.map(|_| self.bounds.temperature());
        state.thermometer.begin(threshold, counts_from.unwrap_or(0));
        drop(state);
        self.test_returned = false;
        self.idle_moments = 0;
        self.has_predicates = false;
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
    fn steps(&mut self, test: &dyn Program) -> End {
        loop {
            let pending = match self.pick() {
                Ok(pending) => pending,
                Err(end) => return end,
            };
            let changed_actor = self.step(pending, test);
            self.after_step(changed_actor);
        }
    }

    #[inline]
    fn pick(&mut self) -> Result<Pending, End> {
        let mut state = self.shared.state.borrow_mut();
        let state = &mut *state;
        if state.found.is_some() {
            return Err(End::Bug);
        }
        if state.thermometer.alarms(state.step) {
            return Err(self.too_hot(state));
        }
        if self.test_returned && !state.thermometer.any_hot() {
            return Err(End::Returned);
        }
        if state.patient_timers {
            state.settle_patience();
        }
        if state.enabled.len() == 0 {
            return Err(End::Quiescent);
        }
        if state.step >= self.bound {
            return Err(End::Bound);
        }
        if state.timers.armed_periodic() > 0 && Self::is_idle(&mut self.idle_moments, state) {
            return Err(End::Quiescent);
        }
        let enabled = Enabled {
            pending: state.enabled.pending(),
            step: state.step,
            last: OperationId::actor(state.last_operation),
        };
        let picked = self.shared.strategy.borrow_mut().pick(&enabled);
        let index = picked.min(enabled.len() - 1);
        let pending = enabled[index];
        if !pending.operation.is_timer() {
            state.last_operation = pending.operation.bits();
        }
        // A step without an alternative is no decision.
        if enabled.len() > 1 {
            let check = check(&pending, enabled.len());
            let chosen = index as u32;
            state.tape.record(Decision { chosen, check }, state.step + 1);
        }
        state.step += 1;
        if state.step & 1023 == 0 {
            self.heartbeat.fetch_add(1, Ordering::Relaxed);
        }
        if state.recorder.is_some() {
            tell_step(state, &pending);
        }
        Ok(pending)
    }

    /// Nothing but periodic timers for three rounds, with nothing owed and nobody waiting.
    fn is_idle(idle_moments: &mut usize, state: &State) -> bool {
        let periodic = state.timers.armed_periodic();
        if state.timers.armed() > periodic {
            *idle_moments = 0;
            return false;
        }
        // Patient timers that are held back are not among the enabled.
        let held_back = state.patient_timers && !state.timers_shown;
        if held_back || state.enabled.len() > state.timers.window().len() {
            return false;
        }
        *idle_moments += 1;
        *idle_moments > 3 * periodic && !state.thermometer.any_owed() && state.suspended == 0
    }

    #[cold]
    fn too_hot(&self, state: &mut State) -> End {
        let Some((heat, temperature, since)) = state.thermometer.alarming(state.step) else {
            return End::Bound;
        };
        let what = self.shared.specifications.borrow().describe(heat);
        let threshold = self.bounds.temperature();
        let message = format!(
            "{what}, for {temperature} steps of fair scheduling (threshold {threshold}), owed since step {since}"
        );
        state.find(BugKind::Liveness, message, None);
        End::Bug
    }

    /// Takes one step; tells whether an actor may have changed.
    #[inline]
    fn step(&mut self, pending: Pending, test: &dyn Program) -> bool {
        if pending.operation.is_timer() {
            self.fire(pending.operation.index() as u32);
            return false;
        }
        let operation = pending.operation.index() as u32;
        self.shared.current.set(operation);
        self.shared.calls.set(0);
        match pending.kind {
            StepKind::Flush => self.flush(operation),
            StepKind::Handle => {
                self.handle(operation);
                true
            }
            StepKind::Start => {
                self.start(operation, test);
                true
            }
            StepKind::Resume => {
                self.resume(operation);
                true
            }
            StepKind::Timer | StepKind::Fault => {
                unreachable!("an operation that is no timer takes no timer's step")
            }
        }
    }

    #[inline]
    fn after_step(&mut self, changed_actor: bool) {
        if self.wake_list.any() {
            self.wake();
        }
        if changed_actor && self.has_predicates {
            self.evaluate();
        }
    }

    fn wake(&mut self) {
        let mut woken = std::mem::take(&mut self.woken);
        let foreign = self.wake_list.drain(&mut woken);
        let mut state = self.state();
        for operation in woken.drain(..) {
            let Some(found) = state.operations.get_mut(operation as usize) else {
                continue;
            };
            if found.stage == Stage::Suspended && (operation as usize) < state.live {
                state.operations[operation as usize].woken = true;
                state.refresh(operation);
            }
        }
        if foreign {
            let message = "a future was woken from a thread that the tester does not control: \
                           a spawned thread, a tokio timer or a socket"
                .into();
            state.find(BugKind::OutsideWait, message, None);
        }
        drop(state);
        self.woken = woken;
    }

    fn state(&self) -> RefMut<'_, State> {
        self.shared.state.borrow_mut()
    }

    /// Moves the bodies of actors that were spawned in the step to their places.
    #[inline]
    fn settle_newborn(&mut self) {
        if !self.shared.born.replace(false) {
            return;
        }
        let (actors, futures) = {
            let mut state = self.shared.state.borrow_mut();
            (
                std::mem::take(&mut state.newborn_actors),
                std::mem::take(&mut state.newborn_futures),
            )
        };
        let mut actors = actors;
        for (operation, body) in actors.drain(..) {
            self.ensure_slot(operation);
            self.bodies[operation as usize] = Some(body);
        }
        for (operation, future) in futures {
            self.ensure_slot(operation);
            self.futures[operation as usize] = Some(future);
        }
        // The list's memory is used again.
        self.shared.state.borrow_mut().newborn_actors = actors;
    }

    fn start(&mut self, operation: u32, test: &dyn Program) {
        self.state().extend_chain(operation, 0x57a7);
        let kind = self.state().operations[operation as usize].kind;
        match kind {
            Kind::Body => {
                let started = panics::catch(|| test.start());
                match started {
                    Ok(None) => self.after_run(operation, Ok(Ran::Done)),
                    Ok(Some(future)) => {
                        self.test = Some(future);
                        self.poll_test();
                    }
                    Err(panic) => self.after_run(operation, Err(panic)),
                }
                self.has_predicates = self.shared.specifications.borrow().has_predicates();
            }
            Kind::Future { .. } => self.poll_future(operation),
            Kind::Actor(_) => {
                let waker = &self.wakers[operation as usize];
                let ran = match &mut self.bodies[operation as usize] {
                    Some(body) => panics::catch(|| body.start(waker)),
                    None => Ok(Ran::Done),
                };
                self.after_run(operation, ran);
            }
        }
    }

    fn resume(&mut self, operation: u32) {
        let kind = {
            let mut state = self.state();
            let found = &mut state.operations[operation as usize];
            found.woken = false;
            found.receiving.clear();
            let (delivered, kind) = (std::mem::take(&mut found.delivered), found.kind);
            state.extend_chain(operation, delivered);
            kind
        };
        match kind {
            Kind::Body => self.poll_test(),
            Kind::Future { .. } => self.poll_future(operation),
            Kind::Actor(_) => {
                let waker = &self.wakers[operation as usize];
                let ran = match &mut self.bodies[operation as usize] {
                    Some(body) => panics::catch(|| body.resume(waker)),
                    None => Ok(Ran::Done),
                };
                self.after_run(operation, ran);
            }
        }
    }

    fn poll_test(&mut self) {
        let waker = &self.wakers[BODY as usize];
        let polled = poll(self.test.as_mut(), waker);
        if matches!(polled, Ok(Ran::Done)) {
            self.test = None;
            self.test_returned = true;
        }
        self.has_predicates = self.shared.specifications.borrow().has_predicates();
        self.after_run(BODY, polled);
    }

    fn poll_future(&mut self, operation: u32) {
        let waker = &self.wakers[operation as usize];
        let polled = poll(self.futures[operation as usize].as_mut(), waker);
        if matches!(polled, Ok(Ran::Done)) {
            let done = self.futures[operation as usize].take();
            drop(done);
        }
        self.after_run(operation, polled);
    }

    #[inline]
    fn handle(&mut self, operation: u32) {
        let mut state = self.shared.state.borrow_mut();
        let Some((letter, disposition)) = state.dequeue(operation) else {
            return;
        };
        let observed = !state.observers.is_empty()
            && self.observes(&mut state, operation, letter.event, Moment::Handled);
        let tell = state.recorder.is_some();
        drop(state);
        if tell {
            self.tell_handle(operation, &letter, disposition);
        }
        match disposition {
            Disposition::Handle => {
                if observed {
                    self.show_letter(operation, &letter, Moment::Handled);
                }
                let waker = &self.wakers[operation as usize];
                let ran = match &mut self.bodies[operation as usize] {
                    Some(body) => panics::catch(|| body.handle(letter.slot, waker)),
                    None => Ok(Ran::Done),
                };
                self.after_run(operation, ran);
            }
            Disposition::Ignore => {
                self.discard(operation, letter.slot, AskError::Dropped);
                self.after_run(operation, Ok(Ran::Done));
            }
            Disposition::Unhandled | Disposition::Defer => self.unhandled(operation, &letter),
        }
    }

    fn observes(&self, state: &mut State, operation: u32, event: u16, moment: Moment) -> bool {
        match state.operations[operation as usize].kind {
            Kind::Actor(of_type) => {
                let info = state.types[of_type as usize].info;
                state.observers.observes(of_type, info, event, moment)
            }
            _ => false,
        }
    }

    #[cold]
    fn unhandled(&mut self, operation: u32, letter: &Letter) {
        let event = self.print_letter(operation, letter);
        let mut state = self.state();
        let name = state.name(operation);
        let info = state.info(operation);
        let index = usize::from(state.operations[operation as usize].state);
        let in_state = info
            .and_then(|info| info.state_name(index))
            .map_or_else(String::new, |state| format!(" in state `{state}`"));
        let message = format!("`{name}`{in_state} neither handles, defers nor ignores {event}");
        state.find(BugKind::Unhandled, message, None);
    }

    /// Takes over what a run of an operation's code led to.
    #[inline]
    fn after_run(&mut self, operation: u32, ran: Result<Ran, Box<Panic>>) {
        self.settle_newborn();
        let ran = match ran {
            Ok(ran) => ran,
            Err(panic) => return self.panicked(operation, *panic),
        };
        if ran == Ran::Done && self.settle_plain(operation) {
            return;
        }
        let state_after = match &self.bodies[operation as usize] {
            Some(body) => body.state() as u16,
            None => 0,
        };
        let mut borrowed = self.shared.state.borrow_mut();
        let state = &mut *borrowed;
        let found = &mut state.operations[operation as usize];
        let is_actor = matches!(found.kind, Kind::Actor(_));
        let was_suspended = found.stage == Stage::Suspended;
        let stage = match ran {
            Ran::Suspended => Stage::Suspended,
            Ran::Done | Ran::Halted if is_actor => Stage::Idle,
            Ran::Done | Ran::Halted => Stage::Gone,
        };
        found.stage = stage;
        let state_before = std::mem::replace(&mut found.state, state_after);
        if stage == Stage::Suspended {
            if !was_suspended {
                state.suspended += 1;
            }
            // An event that a new `receive` waits for may have come meanwhile.
            let found = &mut state.operations[operation as usize];
            if found.inbox.iter().any(|letter| found.receiving.contains(&letter.event)) {
                found.woken = true;
            }
        } else if was_suspended {
            state.suspended -= 1;
        }
        let found = &mut state.operations[operation as usize];
        if is_actor && (found.defers || state_before != state_after) {
            state.look(operation);
        }
        if state_before != state_after {
            state.operations[operation as usize].own_run = 0;
        }
        if ran == Ran::Halted {
            state.push(operation, Effect::Halt);
        }
        if state.recorder.is_some() {
            tell_ran(state, operation, ran, state_before);
        }
        let silent = state.operations[operation as usize]
            .outbox
            .front()
            .is_some_and(Effect::is_silent);
        state.refresh(operation);
        drop(borrowed);
        if silent {
            self.flush_silent(operation);
        }
    }

    /// Takes over a handler of a plain actor that has returned and whose effects are all visible:
    /// the common case. `false` where there is more to it.
    #[inline]
    fn settle_plain(&self, operation: u32) -> bool {
        let mut state = self.shared.state.borrow_mut();
        let found = &state.operations[operation as usize];
        let silent = found.outbox.front().is_some_and(Effect::is_silent);
        if !found.plain || found.stage != Stage::Idle || silent || state.recorder.is_some() {
            return false;
        }
        state.refresh(operation);
        true
    }

    #[cold]
    fn panicked(&mut self, operation: u32, panic: Panic) {
        let mut state = self.state();
        let name = state.name(operation);
        let (kind, message) = match panic.kind {
            BugKind::Panic if panic.wants_tokio() => {
                let message = format!(
                    "`{name}` used a tokio timer, socket or task, which the tester does not control: \
                     use cx.sleep, cx.after or cx.pipe_to_self, or a model actor for a socket (tokio: {})",
                    panic.message
                );
                (BugKind::OutsideWait, message)
            }
            BugKind::Panic => (BugKind::Panic, format!("`{name}` panicked: {}", panic.message)),
            kind => (kind, panic.message),
        };
        state.find(kind, message, panic.location);
    }

    /// Carries out the next effect of an outbox and the silent ones behind it; tells whether an
    /// actor may have changed.
    #[inline]
    fn flush(&mut self, operation: u32) -> bool {
        let mut state = self.shared.state.borrow_mut();
        if state.recorder.is_none()
            && let Some((to, letter)) = state.flush_send(operation)
        {
            let observed = !state.observers.is_empty()
                && self.observes(&mut state, to, letter.event, Moment::Sent);
            drop(state);
            if observed {
                self.show_letter(to, &letter, Moment::Sent);
            }
            return false;
        }
        let follow_up = state.flush(operation);
        let halted = matches!(follow_up, FollowUp::Halted(_));
        drop(state);
        self.follow(operation, follow_up);
        self.flush_rest(operation);
        self.state().refresh(operation);
        halted
    }

    /// Carries out what rides along with the effect before: all, where handlers are atomic.
    fn flush_rest(&mut self, operation: u32) {
        if self.state().atomic_handlers {
            self.flush_while(operation, |_| true);
        } else {
            self.flush_silent(operation);
        }
    }

    fn flush_silent(&mut self, operation: u32) {
        self.flush_while(operation, Effect::is_silent);
    }

    fn flush_while(&mut self, operation: u32, rides: impl Fn(&Effect) -> bool) {
        loop {
            let follow_up = {
                let mut state = self.state();
                let next = state.operations[operation as usize].outbox.front();
                if !next.is_some_and(&rides) {
                    state.refresh(operation);
                    return;
                }
                state.flush(operation)
            };
            self.follow(operation, follow_up);
        }
    }

    /// Does what an effect asks for with nothing borrowed.
    fn follow(&mut self, operation: u32, follow_up: FollowUp) {
        match follow_up {
            FollowUp::Nothing => {}
            FollowUp::Sent { to, letter, dead } => self.sent(operation, to, &letter, dead),
            FollowUp::Replied { ask, slot, lost } => {
                self.show_reply(operation, ask, &*slot, lost);
                slot.deliver(lost);
                let done = self.state().close_ask(ask);
                drop((slot, done));
            }
            FollowUp::Halted(operation) => self.halt(operation),
            FollowUp::Notify { watch, notice } => self.notify(watch, notice),
            FollowUp::Announced { slab, slot } => self.announced(operation, &slab, slot),
            FollowUp::Discard(garbage) => self.dropping(AskError::Dropped, || garbage.discard()),
        }
    }

    fn sent(&mut self, from: u32, to: u32, letter: &Letter, dead: bool) {
        if self.state().recorder.is_some() {
            let event = self.print_letter(to, letter);
            let mut state = self.state();
            let target = state.name(to);
            if let Some(recorder) = &mut state.recorder {
                if let Some(step) = recorder.step() {
                    if step.event.is_none() || step.kind == "flush" && step.to.is_none() {
                        step.event = Some(event);
                        step.to = Some(target);
                    } else {
                        step.notes.push(format!("sends {event} to {target}"));
                    }
                }
                if dead {
                    recorder.note("dead letter: the receiver has stopped".into());
                }
            }
        }
        let observed = {
            let mut state = self.state();
            !state.observers.is_empty() && self.observes(&mut state, to, letter.event, Moment::Sent)
        };
        if observed {
            self.show_letter(to, letter, Moment::Sent);
        }
        if dead {
            self.shared.current.set(from);
            self.discard(to, letter.slot, AskError::Stopped);
        }
    }

    fn discard(&mut self, operation: u32, slot: u32, loss: AskError) {
        let mail = self.state().operations[operation as usize].mail.clone();
        if let Some(mail) = mail {
            self.dropping(loss, || mail.discard(slot));
        }
    }

    /// Drops values of the user's, whose `Drop` may send or panic; replies among them are lost for
    /// the given reason.
    fn dropping(&self, loss: AskError, f: impl FnOnce()) {
        self.shared.loss.set(loss);
        let dropped = panics::catch(f);
        self.shared.loss.set(AskError::Dropped);
        if let Err(panic) = dropped {
            let message = format!("a `Drop` panicked: {}", panic.message);
            self.state().find(BugKind::Panic, message, panic.location);
        }
    }

    fn halt(&mut self, operation: u32) {
        let halted = self.state().halt(operation);
        let body = self.bodies[operation as usize].as_mut();
        let futures: Vec<Option<Piped>> = halted
            .futures
            .iter()
            .map(|future| self.futures[*future as usize].take())
            .collect();
        self.shared.current.set(operation);
        let dead = halted.letters.len() as u64;
        let shared = &self.shared;
        shared.loss.set(AskError::Stopped);
        let dropped = panics::catch(|| {
            if let Some(body) = body {
                body.clear();
            }
            drop(futures);
            if let Some(mail) = halted.mail {
                for letter in halted.letters {
                    mail.discard(letter.slot);
                }
            }
            for garbage in halted.garbage {
                garbage.discard();
            }
        });
        shared.loss.set(AskError::Dropped);
        self.settle_newborn();
        let mut state = self.state();
        state.dead_letters += dead;
        if let Err(panic) = dropped {
            let message = format!("a `Drop` panicked: {}", panic.message);
            state.find(BugKind::Panic, message, panic.location);
        }
        if let Some(recorder) = &mut state.recorder {
            recorder.note("halts".into());
            if dead > 0 {
                recorder.note(format!("{dead} queued events become dead letters"));
            }
        }
        state.notify_watchers(operation);
    }

    fn notify(&mut self, watch: u32, notice: actor_core::runtime::Notice) {
        let (watcher, target) = {
            let state = self.state();
            let watch = &state.watches[watch as usize];
            (watch.watcher, watch.target)
        };
        let mail = self.state().operations[watcher as usize].mail.clone();
        let Some(mail) = mail else { return };
        let (slot, event) = notice(&*mail, StopReason::Halted);
        let letter = {
            let mut state = self.state();
            state.letter(target, watcher, slot, event)
        };
        let delivered = self.state().deliver(watcher, letter);
        self.sent(target, watcher, &letter, !delivered);
    }

    fn announced(&mut self, operation: u32, slab: &Rc<dyn AnySlab>, slot: u32) {
        let sender = (operation != BODY).then(|| self.actor_id(operation));
        self.show(Moment::Sent, sender, None, |show| slab.inspect(slot, show));
        if self.state().recorder.is_some() {
            let text = print(|f| slab.inspect(slot, f));
            if let Some(recorder) = &mut self.state().recorder {
                recorder.note(format!("announces {text}"));
            }
        }
        self.dropping(AskError::Dropped, || slab.discard(slot));
    }

    fn fire(&mut self, timer: u32) {
        let fired = self.state().fire(timer);
        match fired {
            Fired::Slept(owner, waker) => {
                self.shared.current.set(owner);
                self.state().last_operation = owner;
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
            Fired::Event { owner, letter, again } => {
                self.shared.current.set(owner);
                self.state().last_operation = owner;
                let delivered = self.state().deliver(owner, letter);
                self.sent(owner, owner, &letter, !delivered);
                if let Some(again) = again {
                    self.refill(timer, owner, again);
                }
            }
        }
    }

    /// Makes the next event of a periodic timer.
    fn refill(&mut self, timer: u32, owner: u32, again: Again) {
        let mail = self.state().operations[owner as usize].mail.clone();
        let Some(mail) = mail else { return };
        match panics::catch(|| again(&*mail)) {
            Ok(slot) => {
                let unused = self.state().refill(timer, slot, again);
                drop(unused);
            }
            Err(panic) => self.panicked(owner, *panic),
        }
    }

    fn actor_id(&self, operation: u32) -> ActorId {
        ActorId::controlled(Address {
            operation,
            execution: self.shared.execution.get(),
        })
    }

    /// Shows an event in an actor's mail to the monitors that observe it.
    fn show_letter(&mut self, receiver: u32, letter: &Letter, moment: Moment) {
        let Some(mail) = self.state().operations[receiver as usize].mail.clone() else {
            return;
        };
        let sender = match letter.sender {
            Sender::Operation(BODY) | Sender::Timer(..) => None,
            Sender::Operation(operation) => Some(self.actor_id(operation)),
        };
        let target = Some(self.actor_id(receiver));
        self.show(moment, sender, target, |show| mail.inspect(letter.slot, show));
    }

    fn show_reply(
        &mut self,
        from: u32,
        ask: u32,
        slot: &dyn actor_core::__private::AnyAskSlot,
        lost: Option<AskError>,
    ) {
        let asker = self.state().asks[ask as usize].asker;
        if self.state().recorder.is_some() {
            let text = match lost {
                None => format!("reply {}", print(|f| slot.inspect(f))),
                Some(error) => format!("no reply: {error}"),
            };
            let mut state = self.state();
            let to = state.name(asker);
            if let Some(step) = state.recorder.as_mut().and_then(Recorder::step) {
                step.event = Some(text);
                step.to = Some(to);
            }
        }
        if lost.is_none() && !self.state().observers.is_empty() {
            let sender = Some(self.actor_id(from));
            let target = (asker != BODY).then(|| self.actor_id(asker));
            self.show(Moment::Replied, sender, target, |show| slot.inspect(show));
        }
    }

    /// Shows an event to every monitor that observes its type at that moment. The monitors look
    /// while nothing but the event's own slot is borrowed.
    fn show(
        &self,
        moment: Moment,
        sender: Option<ActorId>,
        target: Option<ActorId>,
        inspect: impl Fn(&mut dyn FnMut(&dyn Event)),
    ) {
        if self.state().observers.is_empty() {
            return;
        }
        self.shared.phase.set(Phase::Looking);
        inspect(&mut |event| {
            let type_id = <dyn Any>::type_id(event);
            let mut from = 0;
            loop {
                let next = self.state().observers.next(from, type_id, moment);
                let Some((after, monitor, observation)) = next else { break };
                from = after;
                self.show_monitor(monitor, observation, event, sender, target);
            }
        });
        self.shared.phase.set(Phase::Running);
    }

    fn show_monitor(
        &self,
        monitor: u16,
        observation: u16,
        event: &dyn Event,
        sender: Option<ActorId>,
        target: Option<ActorId>,
    ) {
        let mut specifications = self.shared.specifications.borrow_mut();
        match specifications.show(monitor, observation, event, sender, target) {
            Ok(false) => {}
            Ok(true) => specifications.moved(monitor, &mut self.state()),
            Err(panic) => {
                let name = specifications.monitor_name(monitor);
                let message = format!("monitor `{name}`: {}", panic.message);
                self.state().find(BugKind::Monitor, message, panic.location);
            }
        }
    }

    /// Evaluates the predicates over the states of all actors.
    fn evaluate(&mut self) {
        let found = {
            let snapshot = Bodies {
                bodies: &self.bodies,
                shared: &self.shared,
            };
            let world = World::new(&snapshot);
            self.shared.phase.set(Phase::Looking);
            let shared = &self.shared;
            let settle = |heat: Option<usize>, expectation, holds| {
                let Some(heat) = heat else { return };
                let mut state = shared.state.borrow_mut();
                let step = state.step;
                match (holds, expectation) {
                    (true, _) => state.thermometer.cold(heat),
                    (false, Expectation::AlwaysEventually) => state.thermometer.hot(heat, step),
                    (false, _) => {}
                }
            };
            let found = shared.specifications.borrow_mut().evaluate(&world, settle);
            self.shared.phase.set(Phase::Running);
            found
        };
        if let Some((kind, message, location)) = found {
            self.state().find(kind, message, location);
        }
    }

    fn print_letter(&self, receiver: u32, letter: &Letter) -> String {
        let mail = self.state().operations[receiver as usize].mail.clone();
        mail.map_or_else(String::new, |mail| self.look(|| print(|f| mail.inspect(letter.slot, f))))
    }

    /// Calls a user's code that may look, not act.
    fn look<T>(&self, f: impl FnOnce() -> T) -> T {
        let before = self.shared.phase.replace(Phase::Looking);
        let result = f();
        self.shared.phase.set(before);
        result
    }

    fn tell_handle(&mut self, operation: u32, letter: &Letter, disposition: Disposition) {
        let event = self.print_letter(operation, letter);
        let mut state = self.state();
        let from = match letter.sender {
            Sender::Operation(sender) => state.name(sender),
            Sender::Timer(..) => "timer".into(),
        };
        if let Some(step) = state.recorder.as_mut().and_then(Recorder::step) {
            step.event = Some(event);
            step.from = Some(from);
            if disposition == Disposition::Ignore {
                step.notes.push("ignored".into());
            }
        }
    }

    /// Judges the end of an execution.
    fn outcome(&mut self, end: End) -> Outcome {
        let mut end = end;
        if end == End::Quiescent {
            self.judge_quiescence();
        }
        if end == End::Returned {
            self.judge_unmet();
        }
        if end == End::Bound && self.fairness != Fairness::Unfair {
            self.judge_spin();
        }
        let mut state = self.state();
        if state.found.is_some() {
            end = End::Bug;
        }
        let specifications = self.shared.specifications.borrow();
        let undecided = match end {
            End::Bound => specifications.owed(&state.thermometer, true),
            _ => Vec::new(),
        };
        Outcome {
            end,
            steps: state.step,
            fairness: self.fairness,
            finding: state.found.clone(),
            class: state.class,
            undecided,
            wants_liveness: specifications.wants_liveness(),
            dead_letters: state.dead_letters,
            diverged_at: state.tape.diverged_at(),
            story: state.recorder.take().map(Recorder::into_steps).unwrap_or_default(),
        }
    }

    /// Nothing can run any more: whoever awaits has a bug, and so has whatever is owed.
    fn judge_quiescence(&mut self) {
        let waiting = self.waiting();
        let mut state = self.state();
        if let Some((kind, message)) = waiting {
            state.find(kind, message, None);
            return;
        }
        for operation in 0..state.live as u32 {
            let found = &state.operations[operation as usize];
            if found.stage == Stage::Idle && found.next().is_none() && !found.inbox.is_empty() {
                let event = found.inbox[0].event;
                let count = found.inbox.len();
                let index = usize::from(found.state);
                let info = state.info(operation);
                let event = info.map_or("event", |info| info.events[usize::from(event)].name);
                let in_state = info.and_then(|info| info.state_name(index)).unwrap_or_default();
                let message = format!(
                    "`{}` ends in state `{in_state}` with {count} deferred events, `{event}` first",
                    state.name(operation)
                );
                state.find(BugKind::DeferredForever, message, None);
                return;
            }
        }
        drop(state);
        self.judge_unmet();
    }

    /// The execution is over: what is hot now stays hot.
    fn judge_unmet(&mut self) {
        let owed = self.shared.specifications.borrow().owed(&self.state().thermometer, false);
        if let Some(first) = owed.first() {
            let Owed { what, since } = first;
            let message = format!("the execution ended while {what}, owed since step {since}");
            self.state().find(BugKind::HotAtEnd, message, None);
        }
    }

    /// At the fair bound: one actor that handled nothing but its own events since long.
    fn judge_spin(&mut self) {
        let mut state = self.state();
        let long = (self.bound / 4).max(100);
        let spins = (0..state.live as u32)
            .find(|operation| state.operations[*operation as usize].own_run >= long);
        if let Some(operation) = spins {
            let message = format!(
                "`{}` handled only events that it had sent itself, {} in a row, without a change of state or an effect on others",
                state.name(operation),
                state.operations[operation as usize].own_run
            );
            state.find(BugKind::Spin, message, None);
        }
    }

    /// Who awaits what, where nothing can run.
    fn waiting(&self) -> Option<(BugKind, String)> {
        let state = self.state();
        let mut awaits = Vec::new();
        for operation in 0..state.live as u32 {
            let found = &state.operations[operation as usize];
            if found.stage != Stage::Suspended {
                continue;
            }
            let name = state.name(operation);
            let asked: Vec<String> = state
                .asks
                .iter()
                .filter(|ask| ask.asker == operation && !ask.delivered && !ask.abandoned)
                .map(|ask| format!("the reply of `{}`", state.name(ask.target)))
                .collect();
            let info = state.info(operation);
            let received = found.receiving.iter().filter_map(|event| {
                let info = info?;
                Some(format!("an event `{}`", info.events[usize::from(*event)].name))
            });
            let what: Vec<String> = asked.into_iter().chain(received).collect();
            if what.is_empty() {
                let message = format!(
                    "`{name}` awaits something that nothing in this test will complete: a tokio \
                     timer, a socket, a thread, or a channel that nobody sends to"
                );
                return Some((BugKind::OutsideWait, message));
            }
            awaits.push(format!("`{name}` awaits {}", what.join(" and ")));
        }
        (!awaits.is_empty())
            .then(|| (BugKind::Deadlock, format!("nothing can run: {}", awaits.join("; "))))
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
            let Some(mut body) = self.bodies.get_mut(operation).and_then(Option::take) else {
                continue;
            };
            let mail = self.state().operations[operation].mail.clone();
            self.drop_quietly(|| {
                body.clear();
                if let Some(mail) = mail {
                    mail.clear();
                }
            });
            self.state().parts_to_pool(operation as u32, body);
        }
        let (timers, watches, asks, newborn) = {
            let mut state = self.state();
            let state = &mut *state;
            (
                state.timers.slots.drain(..).collect::<Vec<_>>(),
                state.watches.drain(..).collect::<Vec<_>>(),
                state.asks.drain(..).collect::<Vec<_>>(),
                (
                    std::mem::take(&mut state.newborn_actors),
                    std::mem::take(&mut state.newborn_futures),
                ),
            )
        };
        self.drop_quietly(move || drop((timers, watches, asks, newborn)));
        let slabs: Vec<Rc<dyn AnySlab>> =
            self.state().slabs.iter().map(|(_, slab)| slab.clone()).collect();
        self.drop_quietly(move || slabs.iter().for_each(|slab| slab.clear()));
        let specifications = self.shared.specifications.take();
        let (specifications, ended) = specifications.end();
        self.shared.specifications.replace(specifications);
        self.drop_quietly(move || drop(ended));
        self.woken.clear();
        self.wake_list.drain(&mut self.woken);
        self.woken.clear();
    }

    fn drop_quietly(&self, f: impl FnOnce()) {
        if let Err(panic) = panics::catch(f) {
            let message = format!("a `Drop` panicked after the execution: {}", panic.message);
            self.state().find(BugKind::Panic, message, panic.location);
        }
    }

    /// A destructor that panicked in the clean-up is a bug of the execution as well.
    fn finish(&self, mut outcome: Outcome) -> Outcome {
        let found = self.state().found.take();
        if outcome.finding.is_none() && found.is_some() {
            outcome.finding = found;
            outcome.end = End::Bug;
        }
        outcome
    }
}

/// The check of a pick: what the chosen operation does, among how many.
#[inline]
fn check(pending: &Pending, of: usize) -> u32 {
    let inbox = pending.inbox.map_or(u32::MAX, OperationId::bits);
    let event = pending.event.map_or(0, |event| event.0.get());
    let who = u64::from(pending.operation.bits()) << 32 | u64::from(inbox);
    mix(who, u64::from(event) << 24 | (of as u64) << 4 | pending.kind as u64) as u32
}

fn poll(future: Option<&mut Piped>, waker: &Waker) -> Result<Ran, Box<Panic>> {
    let Some(future) = future else {
        return Ok(Ran::Done);
    };
    let polled = panics::catch(|| future.as_mut().poll(&mut TaskContext::from_waker(waker)));
    polled.map(|polled| if polled.is_ready() { Ran::Done } else { Ran::Suspended })
}

/// Prints the event that `inspect` shows.
fn print(inspect: impl FnOnce(&mut dyn FnMut(&dyn Event))) -> String {
    let mut text = String::from("(gone)");
    inspect(&mut |event| {
        text = panics::catch(|| format!("{event:?}"))
            .unwrap_or_else(|panic| format!("(its Debug panicked: {})", panic.message));
    });
    text
}

fn tell_step(state: &mut State, pending: &Pending) {
    let actor = if pending.operation.is_timer() {
        let receiver = pending.inbox.map_or(0, |inbox| inbox.index() as u32);
        format!("{}'s timer", state.name(receiver))
    } else {
        state.name(pending.operation.index() as u32)
    };
    let kind = match pending.kind {
        StepKind::Start => "start",
        StepKind::Handle => "handle",
        StepKind::Flush => "flush",
        StepKind::Resume => "resume",
        StepKind::Timer => "timer",
        StepKind::Fault => "fault",
    };
    let state_name = (!pending.operation.is_timer())
        .then(|| state_name(state, pending.operation.index() as u32))
        .flatten();
    let (step, now) = (state.step, state.now);
    if let Some(recorder) = &mut state.recorder {
        recorder.begin_step(step, now, actor, kind);
        if let Some(step) = recorder.step() {
            step.state = state_name;
        }
    }
}

fn state_name(state: &State, operation: u32) -> Option<String> {
    let index = usize::from(state.operations[operation as usize].state);
    Some(state.info(operation)?.state_name(index)?.to_owned())
}

fn tell_ran(state: &mut State, operation: u32, ran: Ran, state_before: u16) {
    let after = state_name(state, operation);
    let changed = state.operations[operation as usize].state != state_before;
    if let Some(step) = state.recorder.as_mut().and_then(Recorder::step) {
        if changed {
            step.state_after = after;
        }
        if ran == Ran::Suspended {
            step.notes.push("awaits".into());
        }
    }
}

/// The actors between two steps, as predicates see them.
struct Bodies<'a> {
    bodies: &'a [Option<Box<dyn AnyBody>>],
    shared: &'a Shared,
}

impl Bodies<'_> {
    fn shown(&self, of: Address) -> Option<&dyn AnyBody> {
        if of.execution != self.shared.execution.get() {
            return None;
        }
        let stage = self.shared.state.borrow().operations.get(of.operation as usize)?.stage;
        match stage {
            Stage::Idle => self.bodies.get(of.operation as usize)?.as_deref(),
            _ => None,
        }
    }
}

impl Snapshot for Bodies<'_> {
    fn actor(&self, of: Address) -> Option<&dyn Any> {
        self.shown(of)?.actor()
    }

    fn state(&self, of: Address) -> Option<usize> {
        self.shown(of).map(AnyBody::state)
    }

    fn actors(&self) -> usize {
        self.shared.state.borrow().live
    }

    fn address(&self, nth: usize) -> Address {
        Address {
            operation: nth as u32,
            execution: self.shared.execution.get(),
        }
    }

    fn inbox_len(&self, of: Address) -> usize {
        let state = self.shared.state.borrow();
        let found = state.operations.get(of.operation as usize);
        found.map_or(0, |operation| operation.inbox.len())
    }

    fn in_flight(&self) -> usize {
        self.shared.state.borrow().in_flight
    }

    fn timers(&self) -> usize {
        self.shared.state.borrow().timers.armed()
    }
}
