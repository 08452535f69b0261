//! The run loop: one step after the other, from a strategy's pick to the effects of the step.

use std::cell::RefMut;
use std::sync::atomic::Ordering;

use crate::data::constructs::StepConstruct;
use crate::data::problem::Problem;
use crate::data::step::{MessageId, StepKind};
use crate::engine::recording::tape::RecordedDecision;
use crate::engine::running::execution::{Engine, Program};
use crate::engine::running::executor::Executor;
use crate::engine::running::outcome::EndReason;
use crate::engine::running::verdict::{is_idle, pruned};
use crate::engine::seam::log_capture;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::session::EngineSession;
use crate::engine::states::fingerprint::EngineView;
use crate::engine::world::footprint::{begin_footprint, end_footprint};
use crate::engine::world::operation::OperationStage;
use crate::engine::world::state::ExecutionState;
use crate::hash::mix;
use crate::records::{Record, nanoseconds};
use crate::strategy::{Enabled, OperationId, Pending, Step, StrategyEvent};

impl Engine {
    /// Takes step after step until the execution ends.
    pub(crate) fn steps(&mut self, test: &dyn Program) -> EndReason {
        let shared = self.shared.clone();
        loop {
            if shared.may_fail.get() && self.between_steps(&shared) {
                continue;
            }
            let mut state = shared.state.borrow_mut();
            let (operation, kind) = match self.pick(&shared, &mut state) {
                Ok(picked) => picked,
                Err(end) => return end,
            };
            if !shared.instrumented.get() {
                let changed_actor = self.executor.step(&shared, operation, kind, state, test);
                self.after_step(&shared, changed_actor);
            } else if let Some(end) = self.instrumented_step(&shared, operation, state, test) {
                return end;
            }
        }
    }

    /// Takes an instrumented step: it may be recorded, reported to the strategy or surveyed for a lasso.
    /// Returns the end if the execution ends before the step.
    #[cold]
    pub(crate) fn instrumented_step(
        &mut self,
        shared: &ControlledRuntime,
        operation: OperationId,
        mut state: RefMut<'_, ExecutionState>,
        test: &dyn Program,
    ) -> Option<EndReason> {
        let pending = state.pending_of(operation)?;
        if state.nodes.are_clocks_apart() && !operation.is_timer() {
            set_operation_clock(&state, operation.bits());
        }
        let shares = !state.objects.is_unused();
        if shares && pending.kind == StepKind::Flush {
            state.objects.publishes(operation.bits());
        }
        if shared.is_recorded() && self.record_step(&state, &pending) {
            return Some(EndReason::Bound);
        }
        if self.shared.hears_steps.get()
            || self.lasso.is_watching()
            || self.shared.compares_states.get()
        {
            drop(state);
            self.explained_step(shared, pending, test);
        } else {
            let changed_actor = self
                .executor
                .step(shared, operation, pending.kind, state, test);
            self.after_instrumented(shared, operation, changed_actor);
        }
        None
    }

    /// Completes an instrumented step.
    pub(crate) fn after_instrumented(
        &mut self,
        shared: &ControlledRuntime,
        operation: OperationId,
        changed_actor: bool,
    ) {
        if shared.has_names.get() {
            self.executor.deliver_waiting();
        }
        if !shared.state().nodes.noticing.is_empty() {
            self.executor.notice_breaks();
        }
        self.after_step(shared, changed_actor);
        self.resume_yielded(Some(operation.bits()));
    }

    /// Enables the operations that yielded: after a step of another one, or when nothing else is enabled.
    fn resume_yielded(&self, stepped: Option<u32>) {
        let mut state = self.shared.state();
        if state.objects.has_yields() {
            for operation in state.objects.end_yields(stepped) {
                state.unblock_this(operation);
            }
        }
    }

    /// Records the begin of a step; returns true if the step is recorded only and not taken.
    fn record_step(&self, state: &ExecutionState, pending: &Pending) -> bool {
        self.record_heard();
        if pending.kind == StepKind::Deliver
            && let Some(recorder) = &mut self.shared.session().recorder
        {
            let who = pending.operation.bits();
            let path = state.operations[who].key;
            recorder.link(who, path, || state.name(who));
        }
        self.shared.record(|| begun(state, pending));
        if let Some(decision_log) = self.shared.session().tape.decision_log() {
            decision_log.steps(state.progress.step());
        }
        self.shared
            .session()
            .is_recording_end(state.progress.step())
            && pending.kind != StepKind::Handle
    }

    /// Takes a step whose footprint or resulting state is wanted.
    fn explained_step(&mut self, shared: &ControlledRuntime, pending: Pending, test: &dyn Program) {
        let had_several = {
            let mut state = self.shared.state();
            begin_footprint(&mut state, &pending);
            state.operations.has_several_creators()
        };
        let asked = actor_test_os::request_counts();
        if self.lasso.is_watching() {
            self.watched_step(pending, test);
        } else if self.shared.compares_states.get() {
            self.fingerprinted_step(shared, pending, test);
        } else {
            let (operation, kind) = (pending.operation, pending.kind);
            let changed_actor = self
                .executor
                .step(shared, operation, kind, shared.state(), test);
            self.after_instrumented(shared, operation, changed_actor);
        }
        let asks = actor_test_os::request_counts();
        if asks.random > 0 || asks != asked {
            // The operating system's answer depends on who asked before. Once a thread has its keys for
            // hash maps, each new map takes the next key without asking.
            self.shared.state().footprint.add(StepConstruct::System);
        }
        if self.shared.hears_steps.get() && !shared.wants_stack.get() {
            let bug = self.shared.session().found.as_ref().map(|found| found.kind);
            if bug.is_none() {
                self.shared.audience().note_monitor_transitions();
            }
            let mut state = self.shared.state.borrow_mut();
            let state = &mut *state;
            let operations = &mut state.operations;
            operations.end_numbering(&mut state.footprint, shared.numbers_seen.get(), had_several);
            if bug.is_some() {
                // The bug may depend on earlier steps of others, and no operation goes on.
                let count = state.operations.count();
                state.footprint.interrupt_all(count, StepConstruct::Finish);
            }
            let step = Step {
                next_state: self.fingerprinter.parts(),
                ..end_footprint(state, pending, bug, shared.has_predicates.get())
            };
            let stepped = StrategyEvent::Stepped(&step);
            self.shared
                .strategy
                .borrow_mut()
                .strategy_mut()
                .observe(stepped);
        }
    }

    /// Takes a step, and fingerprints the state that follows.
    fn fingerprinted_step(
        &mut self,
        shared: &ControlledRuntime,
        pending: Pending,
        test: &dyn Program,
    ) {
        let live = self.shared.state().operations.count();
        let bodies = &self.executor.bodies;
        self.fingerprinter
            .before(&EngineView { bodies, shared }, &pending);
        let (operation, kind) = (pending.operation, pending.kind);
        let changed_actor = self
            .executor
            .step(shared, operation, kind, shared.state(), test);
        self.after_instrumented(shared, operation, changed_actor);
        if shared.session().found.is_none() && !shared.wants_stack.get() {
            let bodies = &self.executor.bodies;
            let before = (live, self.idle_moments);
            self.fingerprinter
                .after(&EngineView { bodies, shared }, &pending, before);
        }
    }

    /// Reports a strategy that picked an operation which is not there.
    #[cold]
    fn picked_nothing(
        &self,
        state: &ExecutionState,
        session: &mut EngineSession,
        position: usize,
    ) -> EndReason {
        let problem = Problem::BadPick {
            strategy: self.shared.strategy.borrow().strategy().name(),
            position,
            enabled: state.enabled.len(),
        };
        session.find(state.progress.step(), &problem, None);
        EndReason::Bug
    }

    #[inline(always)]
    pub(crate) fn pick(
        &mut self,
        shared: &ControlledRuntime,
        state: &mut ExecutionState,
    ) -> Result<(OperationId, StepKind), EndReason> {
        if (shared.instrumented.get() || state.temperatures.alarms(state.progress.step()))
            && let Some(end) = self.attend(shared, state)
        {
            return Err(end);
        }
        let reached = match self.is_prompt {
            true => state.progress.take_reached(),
            false => None,
        };
        let prompt = reached.and_then(|reached| prompt_step(state, reached));
        let pending = state.enabled.pending();
        if pending.is_empty() {
            // At the bound, faults have no end any more after which something could run.
            let is_cut_off = state.progress.step() >= self.bound && state.faults.are_lasting();
            return Err(match is_cut_off {
                true => EndReason::Bound,
                false => EndReason::Quiescent,
            });
        }
        if state.progress.step() >= self.bound {
            return Err(EndReason::Bound);
        }
        let enabled = Enabled::new(
            pending,
            state.operations.paths(),
            state.enabled.changes(),
            state.progress.step(),
            state.progress.last_operation(),
        );
        let enabled = enabled
            .with_details(&*state)
            .seen(self.fingerprinter.seen());
        let index = match prompt {
            Some(position) => Ok(position),
            None => shared.strategy.borrow_mut().strategy_mut().pick(&enabled),
        };
        let index = match index {
            Ok(index) => index,
            Err(declined) => return Err(pruned(shared, state, &declined)),
        };
        let Some(picked) = pending.get(index) else {
            return Err(self.picked_nothing(state, &mut shared.session(), index));
        };
        let (operation, kind) = (picked.operation, picked.kind);
        if !operation.is_timer() {
            state.progress.set_last_operation(operation.bits());
        }
        // A step without an alternative is no decision.
        if pending.len() > 1 {
            let check = check(picked, pending.len());
            let chosen = index as u32;
            let decision = RecordedDecision { chosen, check };
            shared
                .session()
                .tape
                .record(decision, state.progress.step() + 1);
        }
        if state.progress.begin_step() & 1023 == 0 {
            self.heartbeat.fetch_add(1, Ordering::Relaxed);
        }
        Ok((operation, kind))
    }

    /// Handles rare conditions before a step, and determines whether the next step has to check them.
    #[cold]
    fn attend(
        &mut self,
        shared: &ControlledRuntime,
        state: &mut ExecutionState,
    ) -> Option<EndReason> {
        if shared.session().found.is_some() {
            return Some(EndReason::Bug);
        }
        if shared.wants_stack.get() {
            return Some(EndReason::Pruned);
        }
        if self.cycle.is_some()
            && let Some(end) = self.check_cycle(state, &mut shared.session())
        {
            return Some(end);
        }
        if state.enabled.pending().is_empty() && state.objects.has_yields() {
            for operation in state.objects.end_yields(None) {
                state.unblock_this(operation);
            }
        }
        if state.temperatures.alarms(state.progress.step())
            && let Some(end) = self.alarmed(state, &mut shared.session())
        {
            return Some(end);
        }
        if state.progress.is_finishing()
            && let Some(end) = self.finish_fairly(state)
        {
            return Some(end);
        }
        let ends = state.enabled.pending().is_empty() || state.progress.step() >= self.bound;
        let has_periodic = state.timers.armed_periodic() > 0;
        let may_idle = !ends && has_periodic && state.progress.step() >= self.idles_from;
        if may_idle && is_idle(&mut self.idle_moments, state) {
            return Some(EndReason::Quiescent);
        }
        shared.instrumented.set(
            has_periodic
                || state.progress.is_finishing()
                || shared.is_recorded()
                || self.shared.hears_steps.get()
                || self.lasso.is_watching()
                || self.shared.compares_states.get()
                || !state.objects.is_unused()
                || state.nodes.are_clocks_apart()
                || state.nodes.are_half_open()
                || !state.names.waiting().is_empty()
                || shared.session().found.is_some(),
        );
        None
    }

    /// Records the log output of the program in the step before.
    pub(crate) fn record_heard(&self) {
        for record in log_capture::heard() {
            self.shared.record(|| record);
        }
    }

    #[inline(always)]
    pub(crate) fn after_step(&mut self, shared: &ControlledRuntime, changed_actor: bool) {
        if self.executor.wake_list.any() {
            self.executor.wake();
        }
        if changed_actor && shared.shows_actors.get() {
            self.show_actors();
        }
    }

    /// Shows the actors after a step to the recorder and the predicates.
    #[inline(never)]
    fn show_actors(&mut self) {
        if self.shared.is_recorded() {
            let last = self.shared.state().progress.last_operation();
            self.executor.record_value(last);
        }
        if self.shared.has_predicates.get() {
            self.shared.state().footprint.add(StepConstruct::Predicate);
            self.evaluate();
        }
    }
}

impl Executor {
    /// Takes one step; returns true if an actor may have changed.
    #[inline(always)]
    pub(crate) fn step(
        &mut self,
        shared: &ControlledRuntime,
        operation: OperationId,
        kind: StepKind,
        state: RefMut<'_, ExecutionState>,
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
                self.rare_step(operation, kind, test)
            }
        }
    }

    /// Takes a step of a rarer kind; returns true if an actor may have changed. A function of its own, so
    /// that one comparison distinguishes the two frequent kinds.
    fn rare_step(&mut self, operation: u32, kind: StepKind, test: &dyn Program) -> bool {
        match kind {
            StepKind::Deliver => {
                self.deliver_next(operation);
                return false;
            }
            StepKind::Start => self.start(operation, test),
            StepKind::Resume | StepKind::Access => self.resume(operation),
            StepKind::Stop => self.carry_out_order(operation),
            StepKind::Flush | StepKind::Handle | StepKind::Timer | StepKind::Fault => {
                unreachable!("flushes, handled events and timers are stepped apart")
            }
        }
        true
    }

    pub(crate) fn wake(&mut self) {
        let mut woken = std::mem::take(&mut self.woken);
        let foreign = self.wake_list.drain(&mut woken);
        let mut state = self.shared.state();
        let current = self.shared.current.get();
        let wakes_another = woken.iter().any(|operation| *operation != current);
        for operation in woken.drain(..) {
            let is_held_back = state.objects.is_held_back(operation);
            if let Some(found) = state.operations.get_mut(operation)
                && found.stage == OperationStage::Suspended
            {
                found.woken = !(is_held_back && self.has_stack(found.kind));
                found.is_wake_up_due = true;
                state.refresh(operation);
                state.footprint.changes(operation);
            }
        }
        if wakes_another && !state.objects.is_unused() {
            state.objects.publishes(current);
        }
        drop(state);
        if foreign {
            self.shared.find(&Problem::WokenFromOutside, None);
        }
        self.woken = woken;
    }
}

/// Returns the position of the step in which an operation takes what has just been delivered to it, if that is
/// its next step.
#[inline(never)]
fn prompt_step(state: &ExecutionState, reached: u32) -> Option<usize> {
    let operation = &state.operations[reached];
    let position = operation.position as usize;
    let pending = state.enabled.pending().get(position)?;
    let takes_it = match pending.kind {
        StepKind::Handle => {
            let last = operation.inbox.last()?;
            pending.message == Some(MessageId::new(last.key))
        }
        kind => kind == StepKind::Resume,
    };
    takes_it.then_some(position)
}

/// Sets the clock that the program reads to that of the operation's node.
fn set_operation_clock(state: &ExecutionState, operation: u32) {
    actor_test_os::set_clock(state.nodes.now_at(operation, state.timers.now()));
    actor_test_os::set_date_back(state.nodes.behind_date_at(operation));
}

#[cold]
fn begun(state: &ExecutionState, pending: &Pending) -> Record {
    let operation = pending.operation;
    let timer = operation
        .is_timer()
        .then(|| &state.timers[operation.index() as u32]);
    let who = timer.map_or(operation.bits(), |timer| timer.owner);
    Record::Step {
        number: state.progress.step(),
        // A timer that fires moves the time.
        time_ns: nanoseconds(timer.map_or(state.timers.now(), |timer| {
            state.timers.now().max(timer.deadline)
        })),
        who,
        timer: timer.map(|timer| timer.key),
        kind: pending.kind,
        state: match timer {
            Some(_) => None,
            None => state.operations.state_name(who),
        },
    }
}

/// Returns the check of a pick: a hash of the chosen operation's step and the number of enabled operations.
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
