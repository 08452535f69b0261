//! Questions of a program under test about its execution.

use std::time::Duration;

use actor_core::ActorId;
use actor_core::seam::{Address, DiskId, EncodedActorRef, ObjectId, Query, TimerId};

use crate::data::faults::FaultKind;
use crate::data::story::ChoicePurpose;
use crate::engine::panics::{self, StoppedHandler};
use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::seam::shared::CodePhase;
use crate::engine::seam::sharing::AccessedObject;
use crate::engine::world::names::FoundName;
use crate::engine::world::operation::OperationRole;
use crate::hash::mix;
use crate::records::{Record, marks};
use crate::strategy::Choice;

impl CurrentOperation<'_> {
    pub(super) fn answer(self, query: Query<'_>) {
        match query {
            Query::HasStopped(of, answer) => *answer = self.has_stopped(of),
            Query::IsBounded(of, answer) => {
                let of = self.local(of).map(|of| self.holder_of(of));
                let state = self.state.borrow();
                let found = of.and_then(|of| state.operations.get(of));
                *answer = found.is_some_and(|found| found.bound.is_some());
            }
            Query::IsBefore(one, other, answer) => *answer = self.is_before(one, other),
            Query::AskLimit(answer) => *answer = self.state.borrow().requests.asks.limit(),
            Query::DeadLetters(answer) => {
                let state = &mut *self.state();
                let (footprint, operations) = (&mut state.footprint, &mut state.operations);
                *answer = state
                    .progress
                    .count_dead_letters(footprint, operations, self.number);
            }
            Query::Running(answer) => {
                let running = self.state().operations.running_actors(self.number);
                answer.extend(running.into_iter().map(|actor| self.address(actor)));
            }
            Query::TimerMark(timer, answer) => *answer = self.timer_mark(timer),
            Query::TimePastDeadline(timer, answer) => *answer = self.time_past_deadline(timer),
            Query::CallFailure {
                call,
                error,
                error_name,
                answer,
            } => {
                if self.may_act("fallible") {
                    *answer = self.fail_call(call, error, error_name);
                }
            }
            Query::Disk(answer) => {
                let node = self.state.borrow().nodes.node_of(self.number);
                *answer = DiskId {
                    index: node.map_or(0, |node| node + 1),
                    execution: self.execution.get(),
                };
            }
            Query::Name(of, answer) => *answer = Some(self.name_of(of)),
            Query::NodeName(of, answer) => {
                let of = self.local(of);
                let state = self.state.borrow();
                let node = of.and_then(|of| state.nodes.node_of(of));
                *answer = node.map(|node| state.nodes.name(node).to_owned());
            }
            Query::NodePrefix(of, answer) => {
                let of = self.local(of);
                *answer = of.and_then(|of| self.state.borrow().nodes.prefix_of(of));
            }
            Query::Encode(of, answer) => *answer = self.encode(of),
            Query::Decode(encoded, answer) => *answer = self.decode(encoded),
            Query::SendTableNumber(table, answer) => {
                *answer = Some(self.arena().register_send_table(table));
            }
            Query::SendTable(number, answer) => *answer = self.arena().send_table(number),
            Query::AskSlot(ask, answer) => *answer = self.arena().reply(ask).cloned(),
            Query::Object(kind, made, answer) => {
                self.record(|| Record::Object {
                    kind,
                    made: made.to_string(),
                });
                *answer = ObjectId {
                    index: self.state().objects.add(kind, made),
                    execution: self.execution.get(),
                };
            }
            Query::IsHeld(object, answer) => {
                *answer = self.object_of(object).is_some_and(AccessedObject::is_held);
            }
            Query::IsClaimed(object, answer) => {
                let object = self.object_of(object);
                *answer = object.is_some_and(AccessedObject::is_claimed);
            }
            Query::IsAborted(answer) => *answer = self.state().objects.is_aborted(self.number),
            Query::IsWokenSpuriously(answer) => *answer = self.is_woken_spuriously(),
            Query::IsTolerated(payload, answer) => {
                let is_users =
                    self.phase.get() == CodePhase::Running && !payload.is::<StoppedHandler>();
                *answer = is_users && self.state().progress.permits_failures();
                if *answer {
                    panics::forget();
                }
            }
            Query::ExchangeWakeUp(answer) => {
                let mut state = self.state();
                let flag = &mut state.operations[self.number].is_wake_up_due;
                std::mem::swap(flag, answer);
            }
            Query::Waker(answer) => *answer = self.wake_list.waker(self.number),
            Query::Locals(answer) => *answer = self.tasks.borrow_mut().locals(self.number),
        }
    }

    /// Returns the actor that has a name; any other operation as it is.
    fn holder_of(self, operation: u32) -> u32 {
        let mut state = self.state();
        let found = state.find_named(operation);
        if found.is_some() {
            state.footprint.use_name();
        }
        match found {
            Some(FoundName::Holder(holder)) => holder.operation,
            _ => operation,
        }
    }

    fn has_stopped(self, of: Address) -> bool {
        let Some(of) = self.local(of) else {
            return true;
        };
        let of = self.holder_of(of);
        let state = &mut *self.state();
        match self.phase.get() {
            CodePhase::Printing => state.operations.is_gone(of),
            _ => state
                .operations
                .has_stopped(&mut state.footprint, self.number, of),
        }
    }

    /// Compares two times; the strategy chooses if clocks can't distinguish them.
    fn is_before(self, one: Duration, other: Duration) -> bool {
        let is_running = self.phase.get() == CodePhase::Running;
        if is_running {
            let apart = one.abs_diff(other);
            self.state().timers.passing.learn(apart);
        }
        let is_before = one < other;
        let resolution = self.state().nodes.clocks_allowed.resolution();
        let is_apart = one.abs_diff(other) > resolution;
        // Observers and the clean-up make no choices.
        if resolution.is_zero() || is_apart || !is_running {
            return is_before;
        }
        let is_reversed = self.decide(Choice::Below(2, ChoicePurpose::Comparison)) == 1;
        is_before != is_reversed
    }

    fn timer_mark(self, timer: TimerId) -> u64 {
        let state = self.state.borrow();
        if timer.execution != self.execution.get() || self.number >= state.operations.count() {
            return 0;
        }
        let holder = &state.operations[self.number];
        state
            .timers
            .mark(self.number, holder, timer.index, timer.generation)
    }

    fn time_past_deadline(self, timer: TimerId) -> Duration {
        let state = &mut *self.state();
        let timers = &mut state.timers;
        let past = timers.past_deadline(&mut state.footprint, timer.index, timer.generation);
        if !past.is_zero() {
            let late = mix(0x0001_a7e0, past.as_nanos() as u64);
            state.operations.extend_chain(self.number, late);
        }
        past
    }

    fn name_of(self, of: ActorId) -> String {
        self.number_seen();
        let state = self.state.borrow();
        match u32::try_from(of.number()) {
            Ok(operation) if operation < state.operations.count() => {
                match self.phase.get() == CodePhase::Printing && self.is_recorded() {
                    // The names are filled in when all of them are known.
                    true => marks::mark(operation),
                    false => state.name(operation),
                }
            }
            // An actor of an earlier execution.
            _ => format!("#{}", of.number()),
        }
    }

    fn encode(self, of: Address) -> Option<EncodedActorRef> {
        if self.phase.get() == CodePhase::Over {
            return None;
        }
        let id = self.local(of)?;
        let state = self.state.borrow();
        Some(EncodedActorRef {
            node: state.nodes.node_of(id),
            incarnation: state.nodes.incarnation_of(id),
            id,
        })
    }

    fn decode(self, encoded: EncodedActorRef) -> Option<Address> {
        let is_it = {
            let state = self.state.borrow();
            let found = state.operations.get(encoded.id)?;
            let kind = found.kind;
            matches!(kind, OperationRole::Actor(_) | OperationRole::Name { .. })
                && state.nodes.node_of(encoded.id) == encoded.node
                && state.nodes.incarnation_of(encoded.id) == encoded.incarnation
        };
        is_it.then(|| self.address(encoded.id))
    }

    fn is_woken_spuriously(self) -> bool {
        if self.phase.get() != CodePhase::Running || std::thread::panicking() {
            return false;
        }
        let strikes = self.strike(FaultKind::Wake, 0, 1) > 0;
        if strikes {
            let who = self.number;
            self.record(|| Record::WokenSpuriously { who });
        }
        strikes
    }
}
