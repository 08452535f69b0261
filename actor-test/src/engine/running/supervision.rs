//! Supervision under test: failures, stops and restarts of supervised actors.
//!
//! The same [`Children`] as in production decide on the restarts. A failed step's outbox is flushed first;
//! each stop, wait and start that follows is a step of its own.

use std::rc::Rc;
use std::time::Duration;

use actor_core::seam::{Children, NewOperation, Order, RunOutcome, Runtime};
use actor_core::supervision::{Backoff, Decision, Failure, FailureKind, Unread};
use actor_core::{AskError, StopReason};

use crate::data::bug::BugKind;
use crate::data::problem::{LastFailure, Problem};
use crate::data::story::ChoicePurpose;
use crate::engine::panics::{self, Panic};
use crate::engine::running::effects::Effects;
use crate::engine::running::executor::Executor;
use crate::engine::world::effect::Effect;
use crate::engine::world::letter::STOP;
use crate::engine::world::operation::{
    FailureRecord, NO_FAMILY, Operation, OperationStage, PendingOrder,
};
use crate::engine::world::timers::TimerPurpose;
use crate::records::Record;
use crate::strategy::Choice;

impl Effects<'_> {
    /// Returns true if a failure is part of the story: that of a supervised actor, if the test permits it.
    pub(crate) fn is_permitted_failure(&self, operation: u32, panic: &Panic) -> bool {
        let state = self.shared.state();
        let found = &state.operations[operation];
        let kind = matches!(panic.kind, BugKind::Panic | BugKind::UnreceivedError);
        state.progress.permits_failures()
            && found.family != NO_FAMILY
            && kind
            && !panic.wants_tokio()
    }

    /// Turns an inbox that is not kept into dead letters, except for stop orders.
    fn drop_unread(&self, operation: u32) {
        let letters = {
            let mut state = self.shared.state();
            let found = &mut state.operations[operation];
            if found.unread == Unread::Keep {
                return;
            }
            let letters = found.inbox.remove_letters(|letter| letter.event != STOP);
            state.operations.find_next_letter(operation);
            let dead = letters.iter();
            let dead = dead.filter(|letter| !state.operations.is_own(operation, letter.event));
            let dead = dead.count() as u64;
            state.progress.add_dead_letters(dead);
            letters
        };
        for letter in letters {
            self.discard(operation, letter.slot, AskError::Failed);
        }
    }

    /// Handles a child that has used up its restarts. If nobody supervises the supervisor, that is a bug.
    fn given_up(&self, supervisor: Option<u32>, child: u32) {
        let state = self.shared.state();
        let family = state.operations[child].family;
        let family = state.relations.families.get(family);
        let limit = family.map_or_else(String::new, |family| family.family.limit());
        self.shared.record(|| Record::GivenUp {
            who: child,
            limit: limit.clone(),
        });
        let supervised =
            supervisor.is_some_and(|supervisor| state.operations[supervisor].family != NO_FAMILY);
        if supervised {
            return;
        }
        let who = state.name(child);
        let last = match &state.operations[child].failure {
            Some(failure) if failure.kind == FailureKind::Panicked => LastFailure::Panicked {
                who: failure.name.to_string(),
                message: failure.message.clone(),
            },
            Some(failure) => LastFailure::Failed {
                message: failure.message.clone(),
            },
            None => LastFailure::Halted,
        };
        drop(state);
        self.shared
            .find(&Problem::GivenUp { who, limit, last }, None);
    }

    /// Arms the timer for the restart delay of a child.
    fn wait(&self, child: u32, delay: Duration, jitter: f64) {
        self.shared.current.set(child);
        let delay = if jitter > 0.0 {
            let chosen = self.shared.decide(Choice::Below(3, ChoicePurpose::Jitter));
            Backoff::with_jitter(delay, jitter, f64::from(chosen) - 1.0)
        } else {
            delay
        };
        let mut state = self.shared.state();
        state.footprint.changes(child);
        let key = state.operations.child_key_of(child);
        let (timer, generation) = state.timers.reserve(child, delay, key);
        state.timers[timer].purpose = TimerPurpose::Restart;
        state.arm(timer, generation);
    }
}

impl Executor {
    /// Fails a supervised actor: its earlier effects are carried out, and then it ends.
    #[cold]
    pub(crate) fn fail(&mut self, operation: u32, panic: &Panic) {
        let mut state = self.shared.state();
        state.leave(operation, OperationStage::Idle);
        let name = state.name(operation);
        let kind = match panic.kind {
            BugKind::Panic => FailureKind::Panicked,
            _ => FailureKind::Error,
        };
        let message = panic.message.clone();
        let failure = FailureRecord {
            name,
            kind,
            message,
        };
        self.shared.record(|| Record::Failed {
            who: operation,
            panicked: panic.kind == BugKind::Panic,
            message: panic.message.clone(),
        });
        state.operations[operation].failure = Some(Box::new(failure));
        state
            .operations
            .push(operation, Effect::Halt(StopReason::Failed));
        state.refresh(operation);
        drop(state);
        self.flush_silent(operation);
    }

    /// Carries out the order that an actor has received ahead of its inbox.
    pub(crate) fn carry_out_order(&mut self, operation: u32) {
        let (order, stage) = {
            let mut state = self.shared.state();
            state.operations.extend_chain(operation, 0x57_0b);
            let found = &mut state.operations[operation];
            (
                std::mem::replace(&mut found.pending_order, PendingOrder::Nothing),
                found.stage,
            )
        };
        match order {
            PendingOrder::Kill => self.halt(operation, StopReason::Aborted),
            PendingOrder::Fail(reason) => self.halt(operation, reason),
            PendingOrder::Stop if stage == OperationStage::Idle => self.run_stop_hook(operation),
            PendingOrder::Stop | PendingOrder::Nothing => self.halt(operation, StopReason::Stopped),
        }
    }

    /// Runs the stop hook of an idle actor.
    pub(crate) fn run_stop_hook(&mut self, operation: u32) {
        self.shared.state().operations[operation].stopping = true;
        let waker = &self.wakers[operation as usize];
        let ran = match &mut self.bodies[operation as usize] {
            Some(parts) => panics::catch(|| parts.body.stop(waker)),
            None => Ok(RunOutcome::Done),
        };
        self.after_run(operation, ran);
    }

    /// Makes the next value of a restarted actor, unless it has one.
    pub(crate) fn make_next_value(&mut self, operation: u32) -> Result<(), Box<Panic>> {
        let me = self.shared.address(operation);
        let body = self.bodies[operation as usize].as_ref();
        if body.is_none_or(|parts| parts.body.actor().is_some()) {
            return Ok(());
        }
        self.shared.effects().drop_unread(operation);
        let Some(parts) = &mut self.bodies[operation as usize] else {
            return Ok(());
        };
        let Some(factory) = &mut parts.factory else {
            return Ok(());
        };
        let resting = panics::catch(|| factory.instance(me))?;
        let state = resting.state();
        parts.body.install(resting);
        self.shared.record(|| Record::Restarted { who: operation });
        let info = self.shared.state().operations.info(operation);
        if !info.is_some_and(|info| info.starts) {
            self.shared.tally(operation, |tally| tally.start(state));
        }
        Ok(())
    }

    /// Notifies the family that a child has run its start hook, or the first part of it.
    pub(crate) fn started(&mut self, operation: u32) {
        let family = self.shared.state().operations[operation].family;
        if family != NO_FAMILY {
            let child = u64::from(operation);
            self.update(family, |family, now, orders| {
                family.started(child, now, orders);
            });
        }
    }

    /// Stops the children of an actor; returns `true` if the actor has to wait for them.
    pub(crate) fn stop_children(&mut self, operation: u32, reason: StopReason) -> bool {
        let supervised = {
            let mut state = self.shared.state();
            let supervised = state.operations[operation].supervised_family;
            let known = state.relations.families.get(supervised);
            if known.is_none_or(|known| known.family.is_empty()) {
                state.operations[operation].supervised_family = NO_FAMILY;
                return false;
            }
            state.leave(operation, OperationStage::Closing);
            state.operations[operation].ending = reason;
            state.refresh(operation);
            supervised
        };
        let in_order = matches!(reason, StopReason::Halted | StopReason::Stopped);
        self.update(supervised, |family, _, orders| {
            family.close(!in_order, orders);
        });
        reason != StopReason::Aborted
    }

    /// Drops the value of an actor that its supervisor may restart.
    pub(crate) fn fall(&mut self, operation: u32, reason: StopReason) {
        let (fallen, family, leaves, has_started) = {
            let mut state = self.shared.state();
            let has_started = state.operations[operation].started;
            let fallen = state.fall(operation);
            let found = &mut state.operations[operation];
            found.ending = reason;
            (fallen, found.family, found.leaves, has_started)
        };
        let lost = match reason {
            StopReason::Failed => AskError::Failed,
            _ => AskError::Stopped,
        };
        self.drop_what_it_owned(operation, fallen, lost);
        {
            let mut state = self.shared.state();
            self.shared
                .record(|| Record::ValueDropped { who: operation });
            {
                let state = &mut *state;
                state
                    .relations
                    .break_links(&mut state.operations, operation, reason);
            }
            state.refresh(operation);
        }
        let child = u64::from(operation);
        self.update(family, |family, now, orders| {
            family.ended(child, reason, leaves, has_started, now, orders);
        });
    }

    /// Ends an actor for good after its value was dropped.
    pub(super) fn end_child(&mut self, operation: u32, reason: StopReason) {
        self.end(operation, reason);
        let family = self.shared.state().operations[operation].family;
        let child = u64::from(operation);
        self.update(family, |family, _, orders| family.left(child, orders));
    }

    /// Handles a due timer: a child's restart delay is over, or an actor's time to stop.
    pub(crate) fn due(&mut self, owner: u32, purpose: TimerPurpose) {
        self.shared.current.set(owner);
        self.shared.state().progress.set_last_operation(owner);
        match purpose {
            TimerPurpose::Own => {}
            TimerPurpose::Restart => {
                let family = self.shared.state().operations[owner].family;
                let child = u64::from(owner);
                self.update(family, |family, _, orders| family.waited(child, orders));
            }
            TimerPurpose::Kill => self.stop(owner, owner, true),
        }
    }

    /// Updates a family, and carries out the orders that follow.
    fn update(
        &mut self,
        family: u32,
        change: impl FnOnce(&mut Children, Duration, &mut Vec<Order>),
    ) {
        let mut orders = Vec::new();
        let supervisor = {
            let mut state = self.shared.state();
            let Some(supervised) = state.relations.families.get(family) else {
                return;
            };
            let now = state.nodes.now_at_family(supervised, state.timers.now());
            let state = &mut *state;
            let supervised = state.relations.family_mut(&mut state.footprint, family);
            change(&mut supervised.family, now, &mut orders);
            supervised.supervisor
        };
        for order in orders {
            self.follow_order(supervisor, order);
        }
    }

    fn follow_order(&mut self, supervisor: Option<u32>, order: Order) {
        match order {
            Order::Stop { child, at_once } if at_once => {
                self.shared
                    .state()
                    .give_order(child as u32, PendingOrder::Stop);
            }
            Order::Stop { child, .. } => {
                let child = child as u32;
                self.stop(supervisor.unwrap_or(child), child, false);
            }
            Order::Wait {
                child,
                delay,
                jitter,
            } => self.shared.effects().wait(child as u32, delay, jitter),
            Order::Start { child } => {
                let mut state = self.shared.state();
                let child = child as u32;
                state.operations[child].stage = OperationStage::Starting;
                state.footprint.changes(child);
                state.refresh(child);
            }
            Order::Finish { child, exhausted } => {
                let child = child as u32;
                let ending = self.shared.state().operations[child].ending;
                if exhausted {
                    self.shared.effects().given_up(supervisor, child);
                    self.end_child(child, StopReason::Exhausted);
                } else {
                    self.end_child(child, ending);
                }
            }
            Order::Decide { child } => self.ask_supervisor(supervisor, child as u32),
            Order::GiveUp => {
                if let Some(supervisor) = supervisor {
                    let order = PendingOrder::Fail(StopReason::Exhausted);
                    self.shared.state().give_order(supervisor, order);
                }
            }
            Order::Closed => {
                let mut state = self.shared.state();
                let Some(supervisor) = supervisor else {
                    return;
                };
                let Operation { stage, ending, .. } = state.operations[supervisor];
                if stage == OperationStage::Closing {
                    state.operations.push(supervisor, Effect::Halt(ending));
                    state.footprint.changes(supervisor);
                    state.refresh(supervisor);
                }
            }
        }
    }

    /// Asks a supervisor for its decision on a failed child, in a future beside it. The future starts in
    /// the order of the child's effects.
    fn ask_supervisor(&mut self, supervisor: Option<u32>, child: u32) {
        let asked = {
            let state = self.shared.state();
            let found = &state.operations[child];
            let failure = match &found.failure {
                Some(failed) if found.ending == StopReason::Failed => {
                    let FailureRecord {
                        name,
                        kind,
                        message,
                    } = (**failed).clone();
                    Failure::new(self.shared.audience().actor_id(child), name, kind, message)
                }
                _ => Failure::shared(
                    self.shared.audience().actor_id(child),
                    state.name(child),
                    found.ending,
                ),
            };
            let family = state.relations.families.get(found.family);
            let ask = family.and_then(|family| family.ask);
            supervisor.zip(ask.map(|ask| (ask, failure)))
        };
        let Some((supervisor, (ask, failure))) = asked else {
            return self.decided(child, Decision::default());
        };
        let supervisor = self.shared.address(supervisor);
        let answer = ask(supervisor, failure);
        let shared = Rc::clone(&self.shared);
        self.shared.current.set(child);
        let deciding = Box::pin(async move {
            let decision = answer.await;
            shared.operation().push(Effect::Decide { child, decision });
        });
        self.shared
            .spawn(NewOperation::Future(supervisor, deciding));
        self.install_spawned();
        self.shared.state().refresh(child);
    }

    /// Passes the decision of a supervisor on to the family.
    pub(crate) fn decided(&mut self, child: u32, decision: Decision) {
        let family = self.shared.state().operations[child].family;
        let child = u64::from(child);
        self.update(family, |family, now, orders| {
            family.decided(child, decision, now, orders);
        });
    }
}
