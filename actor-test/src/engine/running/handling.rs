//! Steps that run an operation's code (start, handle, resume), and the processing of their results.

use std::cell::RefMut;
use std::task::{Context as TaskContext, Waker};

use actor_core::generated::{Disposition, Moment};
use actor_core::seam::RunOutcome;
use actor_core::{AskError, StopReason};

use crate::data::bug::BugKind;
use crate::data::constructs::StepConstruct;
use crate::data::problem::Problem;
use crate::data::step::MessageId;
use crate::engine::arena::{ActorParts, Piped};
use crate::engine::panics::{self, Panic};
use crate::engine::running::execution::Program;
use crate::engine::running::executor::Executor;
use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::specs::observers::EventObservers;
use crate::engine::world::effect::Effect;
use crate::engine::world::letter::STOP;
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::engine::world::state::{BODY, ExecutionState};
use crate::engine::world::temperature::Obligation;
use crate::hash::mix;
use crate::records::{MessageSource, Record, marks};

/// The tag of an actor's move to another state, among the moments at which faults are placed.
const STATE: u64 = 0x57a7_e000;

impl Executor {
    pub(crate) fn start(&mut self, operation: u32, test: &dyn Program) {
        self.shared
            .state()
            .operations
            .extend_chain(operation, 0x57a7);
        let kind = self.shared.state().operations[operation].kind;
        match kind {
            OperationRole::Body if self.start_body_on_stack() => {}
            OperationRole::Task => self.start_task(operation),
            OperationRole::Body => {
                let started = panics::catch(|| test.start());
                if self.shared.wants_stack.get() {
                    return;
                }
                match started {
                    Ok(None) => self.after_run(operation, Ok(RunOutcome::Done)),
                    Ok(Some(future)) => {
                        self.test = Some(future);
                        self.poll_test();
                    }
                    Err(panic) => self.after_run(operation, Err(panic)),
                }
            }
            OperationRole::Future { .. } => self.poll_future(operation),
            OperationRole::Boot { node } => self.boot(operation, node),
            OperationRole::Link(_) | OperationRole::Name { .. } => {
                unreachable!("a link delivers, and a name takes no steps")
            }
            OperationRole::Actor(_) => {
                let ran = self.start_actor(operation);
                let (has_begun, is_over) = (ran.is_ok(), matches!(ran, Ok(RunOutcome::Done)));
                self.after_run(operation, ran);
                if is_over {
                    self.shared.state().start_is_over(operation);
                }
                if has_begun {
                    self.started(operation);
                }
            }
        }
    }

    fn start_actor(&mut self, operation: u32) -> Result<RunOutcome, Box<Panic>> {
        self.make_next_value(operation)?;
        let info = self.shared.state().operations.info(operation);
        if !info.is_some_and(|info| info.starts) {
            return Ok(RunOutcome::Done);
        }
        let waker = &self.wakers[operation as usize];
        match &mut self.bodies[operation as usize] {
            Some(parts) => panics::catch(|| parts.body.start(waker)),
            None => Ok(RunOutcome::Done),
        }
    }

    pub(crate) fn resume(&mut self, operation: u32) {
        let kind = {
            let mut state = self.shared.state();
            let found = &mut state.operations[operation];
            found.woken = false;
            // On a stack of its own, an operation itself marks where its polls begin.
            found.is_wake_up_due &= self.has_stack(found.kind);
            found.receiving.clear();
            let step = state.progress.step();
            state
                .temperatures
                .discharge(Obligation::Wait(operation), step);
            let found = &mut state.operations[operation];
            let (delivered, kind) = (std::mem::take(&mut found.delivered), found.kind);
            state.operations.extend_chain(operation, delivered);
            if !state.objects.is_unused() {
                state.objects.goes_on(operation);
            }
            kind
        };
        match kind {
            OperationRole::Body if self.body.is_some() => self.resume_task(operation),
            OperationRole::Task => self.resume_task(operation),
            OperationRole::Body => self.poll_test(),
            OperationRole::Future { .. } => self.poll_future(operation),
            OperationRole::Boot { .. } | OperationRole::Link(_) | OperationRole::Name { .. } => {
                unreachable!("none of them waits")
            }
            OperationRole::Actor(_) => {
                let waker = &self.wakers[operation as usize];
                let ran = match &mut self.bodies[operation as usize] {
                    Some(parts) => panics::catch(|| parts.body.resume(waker)),
                    None => Ok(RunOutcome::Done),
                };
                let is_over = matches!(ran, Ok(RunOutcome::Done));
                self.after_run(operation, ran);
                if is_over && !self.shared.state().operations[operation].started {
                    self.shared.state().start_is_over(operation);
                }
            }
        }
    }

    fn poll_test(&mut self) {
        let waker = &self.wakers[BODY as usize];
        let polled = poll(self.test.as_mut(), waker);
        if self.shared.wants_stack.get() {
            return;
        }
        if matches!(polled, Ok(RunOutcome::Done)) {
            self.test = None;
        }
        self.after_run(BODY, polled);
    }

    fn poll_future(&mut self, operation: u32) {
        let waker = &self.wakers[operation as usize];
        let polled = poll(self.futures[operation as usize].as_mut(), waker);
        if matches!(polled, Ok(RunOutcome::Done)) {
            let done = self.futures[operation as usize].take();
            drop(done);
        }
        self.after_run(operation, polled);
    }

    /// Handles the next event of an actor.
    #[inline(always)]
    pub(crate) fn handle(
        &mut self,
        shared: &ControlledRuntime,
        operation: u32,
        mut state: RefMut<'_, ExecutionState>,
    ) {
        if shared.shows(Moment::Handled) {
            return self.handle_any(operation, state);
        }
        let Some(letter) = state.operations.dequeue_plain(operation) else {
            return self.handle_any(operation, state);
        };
        drop(state);
        self.run_handler(shared, operation, letter.slot, letter.key);
    }

    #[inline(always)]
    fn run_handler(&mut self, shared: &ControlledRuntime, operation: u32, slot: u32, key: u64) {
        let waker = &self.wakers[operation as usize];
        let ran = match &mut self.bodies[operation as usize] {
            Some(ActorParts { mail, body, .. }) => {
                panics::catch(|| body.handle(&**mail, slot, waker))
            }
            None => Ok(RunOutcome::Done),
        };
        if !settle_plain(shared, operation, &ran) {
            if matches!(ran, Ok(RunOutcome::Suspended)) {
                self.shared.state().operations[operation].handling = key;
            }
            self.after_run(operation, ran);
        }
    }

    /// Handles the next event of an actor in the general case.
    #[inline(never)]
    fn handle_any(&mut self, operation: u32, mut state: RefMut<'_, ExecutionState>) {
        let Some((letter, disposition)) = state.dequeue(operation) else {
            return;
        };
        if letter.event == STOP {
            drop(state);
            return self.run_stop_hook(operation);
        }
        let observers =
            self.shared
                .audience()
                .who(&state, operation, letter.event, Moment::Handled);
        if disposition == Disposition::Handle {
            count_handled(&self.shared, &mut state, operation, letter.event);
        }
        if observers != EventObservers::Nobody {
            state.footprint.add(StepConstruct::Monitor);
        }
        let makes_room = state.requests.capacity.has_due();
        drop(state);
        if makes_room {
            self.shared.wake_due();
        }
        if self.shared.is_recorded() {
            let event = self.shared.audience().print_letter(operation, letter.slot);
            self.shared.record(|| Record::Handled {
                who: operation,
                message: MessageId::new(letter.key),
                from: MessageSource::from(letter.sender),
                event,
                ignored: disposition == Disposition::Ignore,
            });
            let step = self.shared.state().progress.step();
            if self.shared.session().is_recording_end(step) {
                return;
            }
        }
        match disposition {
            Disposition::Handle => {
                if observers != EventObservers::Nobody
                    && let Some(Some(ActorParts { mail, .. })) = self.bodies.get(operation as usize)
                {
                    self.shared.audience().show_letter(
                        &**mail,
                        operation,
                        letter.sender,
                        letter.slot,
                        Moment::Handled,
                        observers,
                    );
                }
                let shared = self.shared.clone();
                self.run_handler(&shared, operation, letter.slot, letter.key);
            }
            Disposition::Ignore => {
                self.shared
                    .effects()
                    .discard(operation, letter.slot, AskError::Dropped);
                self.after_run(operation, Ok(RunOutcome::Done));
            }
            Disposition::Unhandled | Disposition::Defer => self.unhandled(operation, letter.slot),
        }
    }

    #[cold]
    fn unhandled(&mut self, operation: u32, slot: u32) {
        let event = self.shared.audience().print_letter(operation, slot);
        let problem = {
            let state = self.shared.state();
            Problem::Unhandled {
                who: state.name(operation),
                state: state.operations.state_name(operation),
                event: marks::named(&event, |of| Some(state.name(of))).into_owned(),
            }
        };
        self.shared.find(&problem, None);
    }

    /// Processes the result of a run of an operation's code.
    pub(crate) fn after_run(&mut self, operation: u32, ran: Result<RunOutcome, Box<Panic>>) {
        self.install_spawned();
        match ran {
            Ok(ran) => self.settle(operation, ran),
            Err(panic)
                if self
                    .shared
                    .effects()
                    .is_permitted_failure(operation, &panic) =>
            {
                self.fail(operation, &panic)
            }
            Err(panic) => report_panic(&self.shared, operation, *panic),
        }
    }

    /// Records the new state, the suspension or the end of an operation, and carries out its silent effects.
    fn settle(&mut self, operation: u32, ran: RunOutcome) {
        let state_after = match &self.bodies[operation as usize] {
            Some(parts) => parts.body.state() as u16,
            None => 0,
        };
        let mut borrowed = self.shared.state.borrow_mut();
        let state = &mut *borrowed;
        let found = &mut state.operations[operation];
        let is_actor = matches!(found.kind, OperationRole::Actor(_));
        let stage = match ran {
            RunOutcome::Suspended => OperationStage::Suspended,
            RunOutcome::Done | RunOutcome::Halted if is_actor => OperationStage::Idle,
            RunOutcome::Done | RunOutcome::Halted => OperationStage::Gone,
        };
        let before = std::mem::replace(&mut found.stage, stage);
        let state_before = std::mem::replace(&mut found.state, state_after);
        state.operations.changes_stage(before, stage);
        if stage == OperationStage::Suspended {
            let step = state.progress.step();
            state.operations[operation].waits_since = step;
            state.temperatures.schedule_overdue_check(step);
            // An event that a new `receive` waits for may have arrived meanwhile.
            let found = &mut state.operations[operation];
            let inbox = &mut found.inbox;
            if found.receiving.iter().any(|event| inbox.has(*event)) {
                found.woken = true;
            }
        }
        let found = &mut state.operations[operation];
        if is_actor && (found.defers || state_before != state_after) {
            state.operations.find_next_letter(operation);
        }
        if state_before != state_after {
            let found = &mut state.operations[operation];
            found.own_run = 0;
            if let OperationRole::Actor(of_type) = found.kind {
                let (from, to) = (u64::from(state_before), u64::from(state_after));
                let whose = state.operations.types[of_type].name;
                self.shared.session().landmarks.moved(whose, from, to);
                if self.shared.may_fail.get() {
                    let nodes = state.node_bits(operation);
                    state
                        .faults
                        .record_moment(mix(mix(STATE, whose), to), nodes);
                }
            }
        }
        match ran {
            RunOutcome::Halted => state
                .operations
                .push(operation, Effect::Halt(StopReason::Halted)),
            RunOutcome::Done if state.operations[operation].stopping => {
                state
                    .operations
                    .push(operation, Effect::Halt(StopReason::Stopped));
            }
            RunOutcome::Done | RunOutcome::Suspended => {}
        }
        self.shared.record(|| {
            let info = state.operations.info(operation);
            let name = |number: u16| info.and_then(|info| info.state_name(usize::from(number)));
            Record::Ran {
                who: operation,
                // An operation that is suspended at an access to a shared object records itself if it waits.
                awaits: ran == RunOutcome::Suspended && state.objects.at(operation).is_none(),
                before: name(state_before),
                after: name(state_after),
            }
        });
        let silent = state.operations[operation]
            .outbox
            .first()
            .is_some_and(Effect::is_silent);
        state.refresh(operation);
        // After a wake-up an operation may go on; the next suspension is checked then.
        let waits = stage == OperationStage::Suspended && !self.wake_list.any();
        let asks = state.operations[operation].open_asks > 0;
        drop(borrowed);
        if waits && asks {
            self.shared.effects().find_cycle(operation);
        }
        if silent {
            self.flush_silent(operation);
        }
    }
}

/// Finishes the common case: a handler of a plain actor that has returned, has spawned nothing and has only
/// visible effects. Returns `false` in all other cases.
#[inline(always)]
fn settle_plain(
    shared: &ControlledRuntime,
    operation: u32,
    ran: &Result<RunOutcome, Box<Panic>>,
) -> bool {
    if !matches!(ran, Ok(RunOutcome::Done)) || shared.has_spawned.get() {
        return false;
    }
    let mut state = shared.state.borrow_mut();
    if !state.settle_plain(operation) {
        return false;
    }
    shared.record(|| Record::Ran {
        who: operation,
        awaits: false,
        before: None,
        after: None,
    });
    true
}

fn poll(future: Option<&mut Piped>, waker: &Waker) -> Result<RunOutcome, Box<Panic>> {
    let Some(future) = future else {
        return Ok(RunOutcome::Done);
    };
    let polled = panics::catch(|| future.as_mut().poll(&mut TaskContext::from_waker(waker)));
    polled.map(|polled| {
        if polled.is_ready() {
            RunOutcome::Done
        } else {
            RunOutcome::Suspended
        }
    })
}

fn count_handled(
    shared: &ControlledRuntime,
    state: &mut ExecutionState,
    operation: u32,
    event: u16,
) {
    let found = &state.operations[operation];
    match found.kind {
        _ if found.plain => state
            .operations
            .types
            .count_handled(found.first_event, event),
        OperationRole::Actor(of_type) => {
            let tally = &mut shared.session().tallies[of_type as usize];
            tally.handle(usize::from(found.state), event);
        }
        _ => {}
    }
}

#[cold]
pub(crate) fn report_panic(shared: &ControlledRuntime, operation: u32, panic: Panic) {
    let who = shared.state().name(operation);
    let wants_tokio = panic.wants_tokio();
    let message = panic.message;
    let problem = match panic.kind {
        BugKind::Panic if wants_tokio => Problem::NeedsTokio { who, message },
        BugKind::Panic => Problem::Panicked { who, message },
        kind => Problem::Raised { kind, message },
    };
    shared.find(&problem, panic.location);
}
