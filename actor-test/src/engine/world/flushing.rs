//! Flushing: carrying out the effects in an operation's outbox.

use actor_core::generated::Disposition;
use actor_core::{AskError, StopReason};

use crate::data::constructs::StepConstruct;
use crate::engine::world::capacity::DeliveryOutcome;
use crate::engine::world::enabled::ABSENT;
use crate::engine::world::endings::OrphanedValues;
use crate::engine::world::network::{InTransit, LinkHint, LinkOutcome};
use crate::engine::world::operation::{Effect, Envelope, OperationRole, OperationStage};
use crate::engine::world::pending::{NextStepKind, pending_handle};
use crate::engine::world::state::ExecutionState;
use crate::engine::world::watches::{EndWatch, WatchedChange};

/// The work that an effect leaves to the run loop, which does it once nothing is borrowed.
pub(crate) enum FollowUp {
    Nothing,
    /// A letter was sent to an inbox; `delivery` is the outcome.
    Sent {
        to: u32,
        letter: Envelope,
        delivery: DeliveryOutcome,
    },
    /// A letter leaves for another node.
    Crossing {
        to: u32,
        link: LinkHint,
        letter: Envelope,
    },
    /// A reply leaves for another node.
    CrossingReply {
        ask: u32,
        lost: Option<AskError>,
    },
    /// A fault of a script is injected or undone.
    NodeFault(u32),
    /// A request for mailbox capacity was made, and may have been answered.
    CapacityRequested(u32),
    /// A disk is called.
    Called(u32),
    /// The power of a disk fails.
    PowerFails(u32),
    /// The spawned operation becomes runnable.
    Started(u32),
    /// A reply, or its loss, was delivered.
    Replied {
        ask: u32,
        lost: Option<AskError>,
    },
    /// The operation ends.
    Halted(u32, StopReason),
    /// An operation is to stop.
    Stopped {
        to: u32,
        at_once: bool,
    },
    /// A child is to be restarted, or not.
    Decided {
        child: u32,
        decision: actor_core::supervision::Decision,
    },
    /// An actor is to share a failure.
    Shared {
        to: u32,
        reason: StopReason,
    },
    /// A watcher is to be notified.
    Notify(u32),
    /// An announced event is to be shown to the monitors.
    Announced {
        slab: u32,
        slot: u32,
    },
    /// A timer was armed.
    Armed(u32),
    /// The program requests the end of the execution.
    Finishing,
    /// A timer was cancelled, and its values are to be dropped.
    Cancelled(OrphanedValues),
}

impl ExecutionState {
    /// Appends a letter to its receiver's inbox, if that is open and has capacity.
    pub(crate) fn deliver(&mut self, to: u32, letter: Envelope) -> DeliveryOutcome {
        let disposition = self.disposition(to, letter.event);
        let receiver = &mut self.operations[to as usize];
        if receiver.stage == OperationStage::Gone || letter.lost.is_some() {
            self.dead_letters += u64::from(!self.is_own(to, letter.event));
            return DeliveryOutcome::Dead;
        }
        if receiver.bound.is_some() {
            return self.deliver_bounded(to, letter, disposition);
        }
        self.append(to, &letter, disposition);
        DeliveryOutcome::Arrived
    }

    /// Delivers the letter of a timer, and indexes it for a later cancellation.
    pub(crate) fn deliver_timed(&mut self, to: u32, letter: Envelope) -> DeliveryOutcome {
        let delivery = self.deliver(to, letter);
        if delivery == DeliveryOutcome::Arrived {
            self.operations[to as usize].inbox.note_timed();
        }
        delivery
    }

    #[cold]
    fn deliver_bounded(
        &mut self,
        to: u32,
        letter: Envelope,
        disposition: Disposition,
    ) -> DeliveryOutcome {
        let delivery = self.find_place(to, &letter);
        if delivery != DeliveryOutcome::Full {
            self.append(to, &letter, disposition);
        }
        if let DeliveryOutcome::Replaced(_) = delivery {
            self.refresh(to);
        }
        delivery
    }

    fn append(&mut self, to: u32, letter: &Envelope, disposition: Disposition) {
        let receiver = &mut self.operations[to as usize];
        receiver.inbox.append(letter, disposition);
        match receiver.stage {
            // The receiver had no other step, so it handles this letter next.
            OperationStage::Idle
                if receiver.position == ABSENT && disposition != Disposition::Defer =>
            {
                let pending = pending_handle(to, letter);
                self.enabled.set(&mut receiver.position, pending);
            }
            OperationStage::Suspended => self.wake_receiver(to, letter.event),
            _ => {}
        }
    }

    /// Wakes a suspended operation that awaits this event.
    fn wake_receiver(&mut self, to: u32, event: u16) {
        let receiver = &mut self.operations[to as usize];
        if receiver.receiving.contains(&event) {
            receiver.woken = true;
            self.refresh(to);
        }
    }

    /// Carries out the first effect of the outbox if it is a send to another operation that is idle, and no
    /// silent effect follows. This is the fast path of [`flush`](Self::flush) for the common case. Returns
    /// the receiver.
    #[inline(always)]
    pub(crate) fn flush_send(&mut self, index: u32) -> Option<u32> {
        let outbox = &self.operations[index as usize].outbox;
        let Some(&Effect::Send { to, .. }) = outbox.first() else {
            return None;
        };
        let rides = |next: &Effect| self.atomic_handlers || next.is_silent();
        if outbox.get(1).is_some_and(rides) {
            return None;
        }
        let pair = [index as usize, to as usize];
        let Ok([sender, receiver]) = self.operations.get_disjoint_mut(pair) else {
            return None;
        };
        if receiver.stage != OperationStage::Idle || !(receiver.plain || receiver.bound.is_none()) {
            return None;
        }
        let Some(Effect::Send { letter, .. }) = sender.outbox.first() else {
            return None;
        };
        let disposition = self.types.disposition(receiver, letter.event);
        receiver.inbox.append(letter, disposition);
        if receiver.position == ABSENT && disposition != Disposition::Defer {
            let pending = pending_handle(to, letter);
            self.enabled.set(&mut receiver.position, pending);
        }
        sender.outbox.pop_first();
        self.in_flight -= 1;
        match sender.show_next(index, &mut self.enabled) {
            NextStepKind::Event => {}
            NextStepKind::Nothing => self.disable(index),
            NextStepKind::Other => self.refresh_rarer(index),
        }
        Some(to)
    }

    /// Takes the first effect of the outbox if it leaves for another node and touched operations are not
    /// recorded. Returns the receiver, the link and the letter.
    #[inline]
    pub(crate) fn flush_crossing(&mut self, index: u32) -> Option<(u32, LinkHint, Envelope)> {
        let outbox = &mut self.operations[index as usize].outbox;
        let Some(&Effect::Cross { to, link, letter }) = outbox.first() else {
            return None;
        };
        if self.records_touched {
            return None;
        }
        outbox.pop_first();
        Some((to, link, letter))
    }

    /// Carries out the first effect of the outbox.
    #[inline]
    pub(crate) fn flush(&mut self, index: u32) -> FollowUp {
        let Some(effect) = self.operations[index as usize].outbox.take_first() else {
            return FollowUp::Nothing;
        };
        if self.is_instrumented
            && let Some(follow_up) = self.instrument(index, &effect)
        {
            return follow_up;
        }
        self.carry_out(index, effect)
    }

    /// Records the operations that an effect changes, and puts an effect for another node on its link.
    #[inline(never)]
    fn instrument(&mut self, index: u32, effect: &Effect) -> Option<FollowUp> {
        if self.records_touched {
            self.touch_by(index, effect);
        }
        if let Effect::Cross { to, link, letter } = *effect {
            return Some(FollowUp::Crossing { to, link, letter });
        }
        let to = self.other_end(effect)?;
        let (from, node) = self.nodes.nodes_if_different(index, to)?;
        match *effect {
            Effect::Reply { ask, lost } => Some(FollowUp::CrossingReply { ask, lost }),
            effect => match self.load(from, node, InTransit::new(index, effect)) {
                LinkOutcome::Arrives => None,
                LinkOutcome::OnLink | LinkOutcome::Duplicated(_) | LinkOutcome::Lost => {
                    Some(FollowUp::Nothing)
                }
            },
        }
    }

    /// Carries out an effect of an operation at once.
    #[inline]
    pub(crate) fn carry_out(&mut self, index: u32, effect: Effect) -> FollowUp {
        match effect {
            Effect::Cross { .. } => FollowUp::Nothing,
            Effect::Fault(node_fault) => {
                self.interrupt_all(StepConstruct::Node);
                FollowUp::NodeFault(node_fault)
            }
            Effect::Send { to, letter } => {
                self.in_flight -= 1;
                let delivery = self.deliver(to, letter);
                FollowUp::Sent {
                    to,
                    letter,
                    delivery,
                }
            }
            Effect::RequestCapacity(question) => {
                self.ask_for_room(question);
                FollowUp::CapacityRequested(question)
            }
            Effect::Disk(call) => FollowUp::Called(call),
            Effect::FailPower { disk } => FollowUp::PowerFails(disk),
            Effect::TearWrites { disk, block } => {
                self.reach.add(StepConstruct::Disk);
                self.disks.disk(disk).block = block.into();
                FollowUp::Nothing
            }
            Effect::Start(started) => {
                self.start(started);
                FollowUp::Started(started)
            }
            Effect::Reply { ask, lost } => self.deliver_reply(ask, lost),
            Effect::Notice { watch } => {
                let found = &mut self.watches[watch as usize];
                if std::mem::take(&mut found.is_open) {
                    FollowUp::Notify(watch)
                } else {
                    FollowUp::Nothing
                }
            }
            Effect::Halt(reason) => FollowUp::Halted(index, reason),
            Effect::Stop { to, at_once } => FollowUp::Stopped { to, at_once },
            Effect::Decide { child, decision } => FollowUp::Decided { child, decision },
            Effect::Link { other } => {
                self.reach.add(StepConstruct::Link);
                self.link(index, other)
            }
            Effect::Unlink { other } => {
                self.reach.add(StepConstruct::Link);
                self.links.end(index, other);
                FollowUp::Nothing
            }
            Effect::Unwatch { target, before } => {
                self.reach.add(StepConstruct::Watch);
                self.unwatch(index, target, before);
                FollowUp::Nothing
            }
            Effect::DropReference { to } => {
                self.let_go(index, to);
                FollowUp::Nothing
            }
            Effect::Finish => {
                self.interrupt_all(StepConstruct::Finish);
                self.finishing = true;
                FollowUp::Finishing
            }
            Effect::Share { to, life, reason } => {
                if self.operations[to as usize].incarnation == life {
                    FollowUp::Shared { to, reason }
                } else {
                    FollowUp::Nothing
                }
            }
            Effect::Announce { slab, slot } => {
                self.reach.add(StepConstruct::Announcement);
                FollowUp::Announced { slab, slot }
            }
            Effect::Arm { timer, generation } => self.arm(timer, generation),
            Effect::Cancel { timer, generation } => {
                FollowUp::Cancelled(self.cancel(index, timer, generation))
            }
            Effect::Watch { watch } => {
                self.reach.add(StepConstruct::Watch);
                let EndWatch {
                    target,
                    watcher,
                    until,
                    ..
                } = self.watches[watch as usize];
                if until == WatchedChange::Start {
                    // A later start of the target would have notified the watcher.
                    self.interrupt(target, StepConstruct::Watch);
                }
                let found = &self.operations[target as usize];
                if found.stage == OperationStage::Gone {
                    self.push(watcher, Effect::Notice { watch });
                } else if until == WatchedChange::Start && found.started {
                    self.watches[watch as usize].until = WatchedChange::Started;
                    self.push(watcher, Effect::Notice { watch });
                }
                FollowUp::Nothing
            }
        }
    }

    fn start(&mut self, started: u32) {
        let starts = match self.operations[started as usize].kind {
            OperationRole::Actor(_) => self.info(started).is_some_and(|info| info.starts),
            OperationRole::Body
            | OperationRole::Future { .. }
            | OperationRole::Boot { .. }
            | OperationRole::Task => true,
            OperationRole::Link(_) => false,
        };
        let operation = &mut self.operations[started as usize];
        if operation.stage != OperationStage::NotStarted {
            return;
        }
        operation.stage = if starts {
            OperationStage::Starting
        } else {
            OperationStage::Idle
        };
        operation.started = !starts;
        self.refresh(started);
    }
}
