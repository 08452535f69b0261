//! The state of one execution, which is plain data: [`ExecutionState`].
//!
//! Nothing here calls or holds a user's code, so a clone is a snapshot of the execution. The user's values
//! are in the arena ([`Arena`](crate::engine::arena::Arena)), by the number of their owner. A method
//! returns what is to be called or dropped of them as data, and the run loop does it with nothing borrowed.

use std::any::TypeId;
use std::cell::Cell;
use std::time::Duration;

use actor_core::AskError;
use actor_core::generated::{ActorInfo, Disposition};
use actor_core::seam::{SourceLocation, SpawnOptions};

use crate::data::faults::{FaultBudgets, Moment};
use crate::engine::world::actor_links::ActorLinks;
use crate::engine::world::aliases::Aliases;
use crate::engine::world::asks::AskRecord;
use crate::engine::world::capacity::{CapacityRequest, CapacityState};
use crate::engine::world::children::Supervised;
use crate::engine::world::disks::Disks;
use crate::engine::world::effect::Effect;
use crate::engine::world::enabled::EnabledSet;
use crate::engine::world::faults::FaultPhase;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::futures::Futures;
use crate::engine::world::letter::{Envelope, LetterOrigin, STOP};
use crate::engine::world::network::LinkHint;
use crate::engine::world::nodes::Nodes;
use crate::engine::world::numbering::Numbering;
use crate::engine::world::operation::{Operation, OperationRole, OperationStage};
use crate::engine::world::owner_lists::{ListNode, OwnerLists};
use crate::engine::world::passing::TimePassing;
use crate::engine::world::references::References;
use crate::engine::world::shared_objects::SharedObjects;
use crate::engine::world::temperature::Temperatures;
use crate::engine::world::timers::Timers;
use crate::engine::world::types::Types;
use crate::engine::world::waits::Deferral;
use crate::engine::world::watches::EndWatch;
use crate::hash::mix;
use crate::strategy::{Details, EventId, OperationId, Pending};

/// The operation number of the test body.
pub(crate) const BODY: u32 = 0;

/// The key of the test body, from which all keys of its descendants follow.
pub(crate) const BODY_KEY: u64 = 0x00b0_d1e5;

/// The state of an execution between two steps, or within one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExecutionState {
    pub(crate) operations: Vec<Operation>,
    /// The number of entries of `operations` that this execution uses.
    pub(crate) live: usize,
    /// The key of each operation, for strategies.
    pub(crate) paths: Vec<u64>,
    /// The replacement keys of operations, in all executions.
    pub(crate) aliases: Aliases,
    pub(crate) enabled: EnabledSet,
    pub(crate) timers: Timers,
    pub(crate) asks: Vec<AskRecord>,
    pub(crate) asks_free: Vec<u32>,
    pub(crate) questions: Vec<CapacityRequest>,
    pub(crate) questions_free: Vec<u32>,
    /// The questions that wait for capacity, by mailbox.
    pub(crate) lines: OwnerLists,
    /// The answered questions whose senders are to be woken once nothing is borrowed.
    pub(crate) due: Vec<u32>,
    pub(crate) disks: Disks,
    pub(crate) watches: Vec<EndWatch>,
    /// The time limit of an ask that sets none itself.
    pub(crate) ask_limit: Option<Duration>,
    /// The watches of each target, in their order.
    pub(crate) watched_by: OwnerLists,
    /// The watches of each watcher.
    pub(crate) watching: OwnerLists,
    pub(crate) links: ActorLinks,
    pub(crate) nodes: Nodes,
    pub(super) references: References,
    /// The actors of each type that have not stopped, in the order of their creation.
    living: OwnerLists,
    /// The neighbours of each operation in `living`.
    beside: Vec<ListNode>,
    pub(crate) futures: Futures,
    /// The objects that tasks, threads and actors share.
    pub(crate) objects: SharedObjects,
    /// The open asks that are awaited, by asker.
    pub(crate) awaited: OwnerLists,
    pub(crate) families: Vec<Supervised>,
    /// For each incarnation of a node, the family of the system's children there.
    pub(crate) groups: Vec<(u32, u32)>,
    pub(crate) types: Types,
    pub(crate) temperatures: Temperatures,
    pub(crate) faults: FaultPhase,
    /// The number of faults of each kind that an execution may have.
    pub(crate) budgets: FaultBudgets,
    pub(crate) step: u64,
    pub(crate) now: Duration,
    pub(crate) behaviour_hash: u64,
    pub(crate) in_flight: usize,
    pub(crate) suspended: usize,
    /// The deferred events that the last check has found.
    pub(crate) deferrals: Vec<Deferral>,
    /// True once the program has requested the end of the execution.
    pub(crate) finishing: bool,
    /// The first operation number at which actors do not start any more, because the program shuts down.
    pub(crate) closed_from: Option<u32>,
    pub(crate) dead_letters: u64,
    /// True once the program has read the number of dead letters, and so may compare it.
    pub(crate) counts_dead_letters: bool,
    pub(crate) patient_timers: bool,
    pub(crate) atomic_handlers: bool,
    pub(crate) supervised: bool,
    pub(crate) last_operation: u32,
    /// The number of choices requested so far.
    pub(crate) choices: u64,
    /// A hash of the answers to the choices of the step in progress.
    pub(crate) answers: u64,
    /// The number of reads of the clock by the program under test.
    pub(crate) clock_reads: u64,
    /// The decisions whether time passes at reads of the clock.
    pub(crate) passing: TimePassing,
    /// The places that asked for less than `SeqCst`, and got sequential consistency.
    pub(crate) weakened: Vec<SourceLocation>,
    /// The registry of names, if the execution has one.
    pub(crate) names: Option<u32>,
    pub(crate) numbering: Numbering,
    /// The footprint of the step in progress, if a strategy wants it.
    pub(crate) reach: StepFootprint,
    /// True if the operations that a step touches are recorded in [`touched`](ExecutionState::touched).
    pub(crate) records_touched: bool,
    /// True if effects are instrumented when they are flushed: touched operations are recorded, or there are
    /// nodes.
    pub(crate) is_instrumented: bool,
    /// The operations that the step in progress may change; some occur more than once.
    pub(crate) touched: Vec<u32>,
    /// True if the step in progress may have read or changed timers.
    pub(crate) touches_timers: bool,
    /// True once an operation was seen to hold a handle to another one's timer, in this execution.
    pub(crate) lends_timers: Cell<bool>,
}

impl ExecutionState {
    pub(crate) fn begin(&mut self) {
        self.live = 0;
        self.paths.clear();
        self.enabled.clear();
        self.timers.clear();
        self.asks.clear();
        self.asks_free.clear();
        self.questions.clear();
        self.questions_free.clear();
        self.lines.clear();
        self.due.clear();
        self.disks.clear();
        self.watches.clear();
        self.ask_limit = None;
        self.watched_by.clear();
        self.watching.clear();
        self.links.clear();
        self.references.clear();
        self.living.clear();
        self.beside.clear();
        self.futures.clear();
        self.objects.clear();
        self.awaited.clear();
        self.families.clear();
        self.groups.clear();
        self.types.begin();
        self.faults.begin(self.budgets);
        self.step = 0;
        self.now = Duration::ZERO;
        self.behaviour_hash = 0;
        self.in_flight = 0;
        self.suspended = 0;
        self.finishing = false;
        self.deferrals.clear();
        self.closed_from = None;
        self.dead_letters = 0;
        self.counts_dead_letters = false;
        self.last_operation = BODY;
        self.choices = 0;
        self.answers = 0;
        self.clock_reads = 0;
        self.weakened.clear();
        self.names = None;
        self.numbering = Numbering::default();
        self.nodes.clear();
        self.lends_timers.set(false);
        self.watch_steps(false);
        self.touched.clear();
        let body = self.create(OperationRole::Body, BODY_KEY);
        self.operations[body as usize].stage = OperationStage::Starting;
        self.refresh(body);
    }

    /// Switches the recording of touched operations on or off.
    pub(crate) fn watch_steps(&mut self, watched: bool) {
        self.records_touched = watched;
        self.is_instrumented = watched || !self.nodes.is_empty();
    }

    /// Creates an operation that is not enabled yet.
    pub(super) fn create(&mut self, kind: OperationRole, key: u64) -> u32 {
        let key = self.aliases.of(key);
        if self.live == self.operations.len() {
            self.operations.push(Operation::new());
        }
        self.operations[self.live].reset(kind, OperationStage::NotStarted, key);
        self.paths.push(key);
        self.beside.push(ListNode::default());
        self.live += 1;
        self.live as u32 - 1
    }

    /// Returns the key of the next operation, timer or ask that `parent` creates.
    pub(crate) fn child_key_of(&mut self, parent: u32) -> u64 {
        let parent = &mut self.operations[parent as usize];
        parent.children += 1;
        mix(parent.key, u64::from(parent.children))
    }

    /// Creates an actor that is not started yet.
    pub(crate) fn spawn(&mut self, parent: u32, of_type: u32, options: &SpawnOptions) -> u32 {
        let key = self.child_key_of(parent);
        let actor = self.create(OperationRole::Actor(of_type), key);
        self.created_by(parent);
        self.living
            .add(of_type, &mut self.beside, actor, |beside| beside);
        let known = self.types.count(of_type);
        let operation = &mut self.operations[actor as usize];
        operation.defers = known.info.defers;
        operation.first_event = known.first_event;
        let defers = operation.defers;
        operation.ordinal = known.count;
        operation.name.clone_from(&options.name);
        if let Some((capacity, overflow)) = options.mailbox.bound() {
            operation.bound = Some(CapacityState::new(capacity, overflow));
        }
        operation.plain = known.plain && operation.bound.is_none();
        if let Some(ordinal) = self.place_with_parent(parent, actor) {
            self.operations[actor as usize].ordinal = ordinal;
        }
        if defers {
            self.temperatures.schedule_early_check(self.step);
        }
        actor
    }

    /// Removes an actor that has stopped for good from the living ones.
    pub(crate) fn remove_stopped(&mut self, actor: u32) {
        if let OperationRole::Actor(of_type) = self.operations[actor as usize].kind {
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

    /// Creates an operation for a piped future.
    pub(crate) fn pipe(&mut self, parent: u32, owner: u32) -> u32 {
        let key = self.child_key_of(parent);
        let future = self.create(OperationRole::Future { owner }, key);
        self.created_by(parent);
        self.futures.add(owner, future);
        self.place_with_parent(owner, future);
        self.push(parent, Effect::Start(future));
        future
    }

    /// Creates an operation for a task, which no actor owns.
    pub(crate) fn create_task(&mut self, parent: u32, name: Option<&str>) -> u32 {
        let key = self.child_key_of(parent);
        let task = self.create(OperationRole::Task, key);
        self.created_by(parent);
        self.operations[task as usize].name = name.map(Into::into);
        self.place_with_parent(parent, task);
        self.push(parent, Effect::Start(task));
        task
    }

    /// Queues a send of the event in that slot of the receiver's mail.
    #[inline]
    pub(crate) fn send(&mut self, sender: u32, to: u32, slot: u32, event: u16) {
        let event_id = self.event_id(to, event);
        let operation = &mut self.operations[sender as usize];
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
        let sent = self.operations[sender as usize].outbox.last_mut();
        if let Some(Effect::Send { letter, .. }) = sent {
            letter.is_refused = true;
        }
    }

    /// Queues a dead letter for a message that a running relay can't hand on.
    #[cold]
    pub(crate) fn lose(&mut self, relay: u32, slot: u32, event: u16, why: AskError) {
        self.send(relay, relay, slot, event);
        if let Some(Effect::Send { letter, .. }) = self.operations[relay as usize].outbox.last_mut()
        {
            letter.lost = Some(why);
        }
    }

    /// Queues a send to an operation on another node.
    pub(crate) fn send_across(&mut self, sender: u32, to: u32, slot: u32, event: u16) {
        let (from, node) = match self.nodes.nodes_if_different(sender, to) {
            Some(apart) => apart,
            None => return self.send(sender, to, slot, event),
        };
        let link = LinkHint::of(self.link_between(from, node));
        let letter = self.letter(sender, to, slot, event);
        self.push(sender, Effect::Cross { to, link, letter });
    }

    /// Creates the letter for the next event that `sender` sends.
    pub(crate) fn letter(&mut self, sender: u32, to: u32, slot: u32, event: u16) -> Envelope {
        let event_id = self.event_id(to, event);
        let operation = &mut self.operations[sender as usize];
        operation.letter(sender, slot, event, event_id)
    }

    pub(crate) fn push(&mut self, operation: u32, effect: Effect) {
        let sender = &mut self.operations[operation as usize];
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
        self.operations[receiver as usize].stage == OperationStage::Suspended
            && self.operations[sender as usize].open_asks > 0
    }

    pub(crate) fn info(&self, operation: u32) -> Option<&'static ActorInfo> {
        match self.operations[operation as usize].kind {
            OperationRole::Actor(of_type) => Some(self.types[of_type].info),
            _ => None,
        }
    }

    /// Returns whether the event is one that the receiver, a service of the library, sends to itself.
    pub(crate) fn is_own(&self, receiver: u32, event: u16) -> bool {
        self.info(receiver).is_some_and(|info| info.is_own(event))
    }

    #[inline]
    pub(crate) fn event_id(&self, receiver: u32, event: u16) -> Option<EventId> {
        let first_event = self.operations[receiver as usize].first_event;
        self.types.event_id(first_event, event)
    }

    /// Returns the disposition of an event in the operation's state.
    #[inline]
    pub(crate) fn disposition(&self, operation: u32, event: u16) -> Disposition {
        let found = &self.operations[operation as usize];
        self.types.disposition(found, event)
    }

    /// Takes the first letter of one event out of an inbox, whatever its disposition.
    pub(crate) fn take_received(&mut self, owner: u32, event: u16) -> Option<Envelope> {
        let operation = &mut self.operations[owner as usize];
        let letter = operation.inbox.take_event(event)?;
        self.find_next_letter(owner);
        self.free_place(owner, &letter);
        self.extend_chain(owner, letter.key);
        if let LetterOrigin::Timer(index, generation) = letter.sender.sender() {
            self.rearm_after_read(index, generation);
        }
        Some(letter)
    }

    /// Finds the next letter of an inbox again.
    pub(crate) fn find_next_letter(&mut self, index: u32) {
        let operation = &mut self.operations[index as usize];
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
        let operation = &mut self.operations[index as usize];
        self.behaviour_hash = self
            .behaviour_hash
            .wrapping_add(operation.extend_chain(value));
    }

    /// Takes the next letter out of the inbox.
    #[inline]
    pub(crate) fn dequeue(&mut self, index: u32) -> Option<(Envelope, Disposition)> {
        let operation = &mut self.operations[index as usize];
        let letter = operation.inbox.take_next(operation.defers)?;
        self.behaviour_hash = self
            .behaviour_hash
            .wrapping_add(operation.extend_chain(letter.key));
        operation.count_own(index, letter.sender);
        if operation.bound.is_some() {
            self.free_place(index, &letter);
        }
        if let LetterOrigin::Timer(timer, generation) = letter.sender.sender() {
            self.rearm_after_read(timer, generation);
        }
        Some((letter, self.disposition(index, letter.event)))
    }

    /// Returns the name of an actor's state; `None` for an actor without states.
    pub(crate) fn state_name(&self, operation: u32) -> Option<&'static str> {
        let index = usize::from(self.operations[operation as usize].state);
        self.info(operation)?.state_name(index)
    }

    /// Returns the name of an operation for reports.
    pub(crate) fn name(&self, index: u32) -> String {
        let Some(operation) = self.operations.get(index as usize) else {
            return format!("#{index}");
        };
        let prefix = self.nodes.prefix_of(index).unwrap_or_default();
        if let Some(name) = &operation.name {
            return format!("{prefix}{name}");
        }
        match operation.kind {
            OperationRole::Boot { .. } => format!("{prefix}boot"),
            OperationRole::Link(number) => {
                let link = self.nodes.link(number);
                let (from, to) = (self.nodes.name(link.from), self.nodes.name(link.to));
                format!("{from}->{to}")
            }
            OperationRole::Body => "test".into(),
            OperationRole::Future { owner } => format!("{}'s future", self.name(owner)),
            OperationRole::Task => self.objects.task_name(index),
            OperationRole::Actor(of_type) => {
                let known = &self.types[of_type];
                let beside = self.nodes.count_beside(index, of_type);
                if beside.unwrap_or(known.count) == 1 {
                    format!("{prefix}{}", known.info.name)
                } else {
                    format!("{prefix}{}#{}", known.info.name, operation.ordinal)
                }
            }
        }
    }
}

impl Details for ExecutionState {
    fn operation(&self, operation: OperationId) -> String {
        if operation.is_timer() {
            // The id is that of a shared object, which is numbered as timers are.
            return self.objects.kind(operation.index() as u32).to_owned();
        }
        self.name(operation.bits())
    }

    fn event(&self, pending: &Pending) -> Option<&'static str> {
        let receiver = pending.inbox.filter(|inbox| !inbox.is_timer())?.bits();
        let events = self.info(receiver)?.events.iter().zip(0..);
        let mut known =
            events.filter(|(_, number)| self.event_id(receiver, *number) == pending.event);
        known.next().map(|(event, _)| event.name)
    }

    fn nodes(&self, operation: OperationId) -> u64 {
        match operation.is_timer() {
            true => 0,
            false => self.node_bits(operation.bits()),
        }
    }

    fn node(&self, number: u32) -> String {
        self.nodes.name(number).to_owned()
    }

    fn spawned(&self, operation: OperationId) -> Option<OperationId> {
        let found = self.operations.get(operation.index());
        match found.filter(|_| !operation.is_timer())?.outbox.first() {
            Some(Effect::Start(who)) => Some(OperationId::actor(*who)),
            _ => None,
        }
    }

    fn is_woken(&self, operation: OperationId) -> bool {
        let found = self.operations.get(operation.index());
        !operation.is_timer()
            && found.is_some_and(|found| found.stage == OperationStage::Suspended && found.woken)
    }

    fn moments(&self) -> &[Moment] {
        self.faults.moments()
    }
}

/// Stores a record at a free index, or at a new one; returns the index.
#[inline]
pub(crate) fn keep<T>(records: &mut Vec<T>, free: &mut Vec<u32>, record: T) -> u32 {
    match free.pop() {
        Some(index) => {
            records[index as usize] = record;
            index
        }
        None => {
            records.push(record);
            records.len() as u32 - 1
        }
    }
}
