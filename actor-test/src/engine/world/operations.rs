//! All operations of an execution, by number: [`Operations`].

use std::any::TypeId;
use std::ops::{Index, IndexMut};

use actor_core::generated::{ActorInfo, Disposition};

use crate::data::constructs::StepConstruct;
use crate::engine::world::aliases::Aliases;
use crate::engine::world::effect::Effect;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::futures::Futures;
use crate::engine::world::letter::{Envelope, PackedSender, STOP};
use crate::engine::world::names::NO_TYPE;
use crate::engine::world::numbering::Numbering;
use crate::engine::world::operation::{Operation, OperationRole, OperationStage};
use crate::engine::world::owner_lists::{ListNode, OwnerLists};
use crate::engine::world::references::References;
use crate::engine::world::types::Types;
use crate::hash::mix;
use crate::strategy::EventId;

/// The operations of an execution, with their types and the events on their way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Operations {
    /// The operations of this execution, and behind them those of earlier ones, whose memory is reused.
    all: Vec<Operation>,
    /// The number of operations of this execution.
    live: usize,
    /// The key of each operation, for strategies.
    paths: Vec<u64>,
    /// The replacement keys of operations, in all executions.
    aliases: Aliases,
    /// The types of actors that were met.
    pub(crate) types: Types,
    /// The actors of each type that have not stopped, in the order of their creation.
    living: OwnerLists,
    /// The neighbours of each operation in `living`.
    beside: Vec<ListNode>,
    pub(super) futures: Futures,
    pub(super) references: References,
    pub(super) numbering: Numbering,
    /// The sum of the hashes of what each operation has handled.
    behaviour_hash: u64,
    /// The number of events in outboxes and on links.
    in_flight: usize,
    /// The number of suspended operations.
    suspended: usize,
}

impl Operations {
    /// Starts an execution without operations.
    pub(super) fn clear(&mut self) {
        self.live = 0;
        self.paths.clear();
        self.types.begin();
        self.living.clear();
        self.beside.clear();
        self.futures.clear();
        self.references.clear();
        self.numbering = Numbering::default();
        self.behaviour_hash = 0;
        self.in_flight = 0;
        self.suspended = 0;
    }

    /// Returns the number of operations so far, which is the number of the next one.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.live as u32
    }

    /// Returns the operations of this execution, in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Operation> {
        self.all[..self.live].iter()
    }

    /// Returns an operation of this execution.
    pub(crate) fn get(&self, index: u32) -> Option<&Operation> {
        self.all[..self.live].get(index as usize)
    }

    /// Returns an operation of this execution, to be changed.
    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut Operation> {
        self.all[..self.live].get_mut(index as usize)
    }

    /// Returns two different operations, to be changed, and the types.
    #[inline(always)]
    pub(super) fn pair_mut(
        &mut self,
        one: u32,
        other: u32,
    ) -> Option<(&mut Operation, &mut Operation, &Types)> {
        let pair = [one as usize, other as usize];
        let [one, other] = self.all.get_disjoint_mut(pair).ok()?;
        Some((one, other, &self.types))
    }

    /// Returns the keys of the operations, for strategies.
    #[inline]
    pub(crate) fn paths(&self) -> &[u64] {
        &self.paths
    }

    pub(crate) fn aliases(&self) -> &Aliases {
        &self.aliases
    }

    /// Sets the keys that operations get in place of their own, in the executions to come.
    pub(crate) fn set_aliases(&mut self, aliases: Aliases) {
        self.aliases = aliases;
    }

    /// Returns the hash of everything that the operations have handled, up to the order of independent steps.
    #[inline]
    pub(crate) fn behaviour_hash(&self) -> u64 {
        self.behaviour_hash
    }

    /// Returns the number of events in outboxes and on links.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Counts an event that is on its way.
    #[inline]
    pub(crate) fn departs(&mut self) {
        self.in_flight += 1;
    }

    /// Counts an event that is no longer on its way.
    #[inline]
    pub(crate) fn lands(&mut self) {
        self.in_flight -= 1;
    }

    /// Returns the number of suspended operations.
    pub(crate) fn suspended(&self) -> usize {
        self.suspended
    }

    /// Counts a change of an operation from one stage to another.
    #[inline]
    pub(crate) fn changes_stage(&mut self, before: OperationStage, after: OperationStage) {
        self.suspended += usize::from(after == OperationStage::Suspended);
        self.suspended -= usize::from(before == OperationStage::Suspended);
    }

    /// Creates an operation that is not enabled yet.
    pub(crate) fn create(&mut self, kind: OperationRole, key: u64) -> u32 {
        let key = self.aliases.of(key);
        if self.live == self.all.len() {
            self.all.push(Operation::new());
        }
        self.all[self.live].reset(kind, OperationStage::NotStarted, key);
        self.paths.push(key);
        self.beside.push(ListNode::default());
        self.live += 1;
        self.live as u32 - 1
    }

    /// Creates an operation as a child of `parent`, with a key derived from that one's.
    pub(super) fn create_child(&mut self, parent: u32, kind: OperationRole) -> u32 {
        let key = self.child_key_of(parent);
        self.numbering.created_by(parent);
        self.create(kind, key)
    }

    /// Creates an actor as a child of `parent`, which has the dispositions of its type.
    pub(super) fn create_actor(&mut self, parent: u32, of_type: u32) -> u32 {
        let actor = self.create_child(parent, OperationRole::Actor(of_type));
        self.living
            .add(of_type, &mut self.beside, actor, |beside| beside);
        let known = self.types.count(of_type);
        let operation = &mut self.all[actor as usize];
        operation.defers = known.info.defers;
        operation.first_event = known.first_event;
        operation.ordinal = known.count;
        operation.plain = known.plain;
        actor
    }

    /// Creates the operation of a name, which takes no steps.
    pub(super) fn create_name(&mut self, of_type: u32, key: u64) -> u32 {
        let name = self.create(OperationRole::Name { of_type }, key);
        self.numbering.created_on_the_way();
        let operation = &mut self.all[name as usize];
        operation.stage = OperationStage::Gone;
        if of_type != NO_TYPE {
            operation.first_event = self.types[of_type].first_event;
        }
        name
    }

    /// Returns the key of the next operation, timer or ask that `parent` creates.
    pub(crate) fn child_key_of(&mut self, parent: u32) -> u64 {
        let parent = &mut self.all[parent as usize];
        parent.children += 1;
        mix(parent.key, u64::from(parent.children))
    }

    /// Returns whether an operation has ended, or belongs to no execution.
    pub(crate) fn is_gone(&self, operation: u32) -> bool {
        self.get(operation)
            .is_none_or(|found| found.stage == OperationStage::Gone)
    }

    /// Returns whether an operation has ended to the program, which asks on behalf of `by`.
    pub(crate) fn has_stopped(
        &mut self,
        footprint: &mut StepFootprint,
        by: u32,
        operation: u32,
    ) -> bool {
        let has_stopped = self.is_gone(operation);
        match has_stopped {
            true => footprint.record_local(StepConstruct::Ends),
            false => footprint.add(StepConstruct::Ends),
        }
        let answer = mix(u64::from(operation), u64::from(has_stopped));
        self.extend_chain(by, answer);
        has_stopped
    }

    /// Removes an actor that has stopped for good from the living ones.
    pub(crate) fn remove_stopped(&mut self, actor: u32) {
        if let OperationRole::Actor(of_type) = self.all[actor as usize].kind {
            self.living
                .remove(of_type, &mut self.beside, actor, |beside| beside);
        }
    }

    /// Returns the actor of that type that was created first, of those that have not stopped.
    pub(crate) fn first_living(&self, actor_type: TypeId) -> Option<u32> {
        self.living.first(self.types.known(actor_type)?)
    }

    /// Returns the next living actor of the same type, in the order of creation.
    pub(crate) fn next_living(&self, actor: u32) -> Option<u32> {
        self.beside.get(actor as usize)?.after()
    }

    /// Queues a send of the event in that slot of the receiver's mail.
    #[inline(always)]
    pub(crate) fn send(&mut self, sender: u32, to: u32, slot: u32, event: u16) {
        let event_id = self.event_id(to, event);
        let operation = &mut self.all[sender as usize];
        let letter = operation.letter(sender, slot, event, event_id);
        if to != sender {
            operation.own_run = 0;
        }
        operation.outbox.push(Effect::Send { to, letter });
        self.in_flight += 1;
    }

    /// Makes the event that was sent last find the mailbox full.
    #[cold]
    pub(crate) fn refuse_last_send(&mut self, sender: u32) {
        let sent = self.all[sender as usize].outbox.last_mut();
        if let Some(Effect::Send { letter, .. }) = sent {
            letter.is_refused = true;
        }
    }

    /// Creates the letter for the next event that `sender` sends.
    pub(crate) fn letter(&mut self, sender: u32, to: u32, slot: u32, event: u16) -> Envelope {
        let event_id = self.event_id(to, event);
        let operation = &mut self.all[sender as usize];
        operation.letter(sender, slot, event, event_id)
    }

    pub(crate) fn push(&mut self, operation: u32, effect: Effect) {
        let sender = &mut self.all[operation as usize];
        match effect {
            Effect::Send { to, .. } | Effect::Cross { to, .. } => {
                self.in_flight += 1;
                if to != operation {
                    sender.own_run = 0;
                }
            }
            _ => sender.own_run = 0,
        }
        sender.outbox.push(effect);
    }

    /// Returns whether a send from `sender` to `receiver` may have closed a cycle of asks.
    #[inline]
    pub(crate) fn may_close_cycle(&self, receiver: u32, sender: u32) -> bool {
        self.all[receiver as usize].stage == OperationStage::Suspended
            && self.all[sender as usize].open_asks > 0
    }

    pub(crate) fn info(&self, operation: u32) -> Option<&'static ActorInfo> {
        match self.all[operation as usize].kind {
            OperationRole::Actor(of_type) => Some(self.types[of_type].info),
            OperationRole::Name { of_type } if of_type != NO_TYPE => Some(self.types[of_type].info),
            _ => None,
        }
    }

    /// Returns whether the operation is a relay: it forwards the events that it receives.
    pub(crate) fn is_relay(&self, operation: u32) -> bool {
        self.info(operation).is_some_and(|info| info.relays)
    }

    /// Returns whether a relay has sent the event, which was shown to monitors when it was sent first.
    #[inline]
    pub(crate) fn is_relayed(&self, sender: PackedSender) -> bool {
        sender.sent_by().is_some_and(|sender| self.is_relay(sender))
    }

    /// Returns whether the event is one that the receiver, a service of the library, sends to itself.
    pub(crate) fn is_own(&self, receiver: u32, event: u16) -> bool {
        self.info(receiver).is_some_and(|info| info.is_own(event))
    }

    #[inline]
    pub(crate) fn event_id(&self, receiver: u32, event: u16) -> Option<EventId> {
        let first_event = self.all[receiver as usize].first_event;
        self.types.event_id(first_event, event)
    }

    /// Returns the disposition of an event in the operation's state.
    #[inline]
    pub(crate) fn disposition(&self, operation: u32, event: u16) -> Disposition {
        let found = &self.all[operation as usize];
        self.types.disposition(found, event)
    }

    /// Finds the next letter of an inbox again.
    pub(crate) fn find_next_letter(&mut self, index: u32) {
        let operation = &mut self.all[index as usize];
        if let OperationRole::Actor(of_type) = operation.kind {
            let info = self.types[of_type].info;
            let state = operation.state;
            let defers = operation.defers.then_some(state);
            operation.inbox.find_next(defers, |event| match event {
                STOP => Disposition::Handle,
                event => info.disposition(usize::from(state), event),
            });
        }
    }

    /// Adds a value to the hash of what an operation has handled, and so to the hash of the behaviour. That
    /// is a sum over all operations, so the order of independent steps does not change it.
    #[inline]
    pub(crate) fn extend_chain(&mut self, index: u32, value: u64) {
        let operation = &mut self.all[index as usize];
        self.behaviour_hash = self
            .behaviour_hash
            .wrapping_add(operation.extend_chain(value));
    }

    /// Takes the next letter out of an inbox, and counts it as handled.
    #[inline]
    pub(super) fn take_next_letter(&mut self, index: u32) -> Option<Envelope> {
        let operation = &mut self.all[index as usize];
        let letter = operation.inbox.take_next(operation.defers)?;
        operation.count_own(index, letter.sender);
        self.extend_chain(index, letter.key);
        Some(letter)
    }

    /// Takes the next letter of a plain actor, if it is the first of its inbox, and counts it. This is the
    /// fast path of [`dequeue`](super::state::ExecutionState::dequeue) for the common case.
    #[inline(always)]
    pub(crate) fn dequeue_plain(&mut self, index: u32) -> Option<Envelope> {
        let operation = &mut self.all[index as usize];
        if !operation.plain {
            return None;
        }
        let letter = operation.inbox.take_first_event()?;
        self.behaviour_hash = self
            .behaviour_hash
            .wrapping_add(operation.extend_chain(letter.key));
        operation.count_own(index, letter.sender);
        self.types
            .count_handled(operation.first_event, letter.event);
        Some(letter)
    }

    /// Returns the name of an actor's state; `None` for an actor without states.
    pub(crate) fn state_name(&self, operation: u32) -> Option<&'static str> {
        let index = usize::from(self.all[operation as usize].state);
        self.info(operation)?.state_name(index)
    }
}

impl Index<u32> for Operations {
    type Output = Operation;

    #[inline]
    fn index(&self, index: u32) -> &Operation {
        &self.all[index as usize]
    }
}

impl IndexMut<u32> for Operations {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut Operation {
        &mut self.all[index as usize]
    }
}
