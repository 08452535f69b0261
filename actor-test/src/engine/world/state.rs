//! The state of one execution, which is plain data: [`ExecutionState`].
//!
//! Nothing here calls or holds a user's code, so a clone is a snapshot of the execution. The user's values
//! are in the arena ([`Arena`](crate::engine::arena::Arena)), by the number of their owner. A method
//! returns what is to be called or dropped of them as data, and the run loop does it with nothing borrowed.

use actor_core::generated::Disposition;
use actor_core::seam::SpawnOptions;

use crate::data::constructs::StepConstruct;
use crate::data::faults::Moment;
use crate::engine::world::asks::Asks;
use crate::engine::world::capacity::{CapacityRequests, CapacityState};
use crate::engine::world::children::Relations;
use crate::engine::world::disks::Disks;
use crate::engine::world::effect::Effect;
use crate::engine::world::enabled::EnabledSet;
use crate::engine::world::faults::FaultPhase;
use crate::engine::world::footprint::StepFootprint;
use crate::engine::world::letter::{Envelope, LetterOrigin};
use crate::engine::world::names::Names;
use crate::engine::world::network::LinkHint;
use crate::engine::world::nodes::Nodes;
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::engine::world::operations::Operations;
use crate::engine::world::progress::Progress;
use crate::engine::world::shared_objects::SharedObjects;
use crate::engine::world::temperature::Temperatures;
use crate::engine::world::timers::Timers;
use crate::strategy::{Details, OperationId, Pending, Recurrence};

/// The operation number of the test body.
pub(crate) const BODY: u32 = 0;

/// The key of the test body, from which all keys of its descendants follow.
pub(crate) const BODY_KEY: u64 = 0x00b0_d1e5;

/// The state of an execution between two steps, or within one.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExecutionState {
    pub(crate) operations: Operations,
    pub(crate) enabled: EnabledSet,
    pub(crate) timers: Timers,
    pub(crate) requests: Requests,
    pub(crate) relations: Relations,
    pub(crate) disks: Disks,
    pub(crate) nodes: Nodes,
    pub(crate) names: Names,
    /// The objects that tasks, threads and actors share.
    pub(crate) objects: SharedObjects,
    pub(crate) temperatures: Temperatures,
    pub(crate) faults: FaultPhase,
    pub(crate) footprint: StepFootprint,
    pub(crate) progress: Progress,
}

/// The requests in progress: asks for a reply, and requests for capacity in a mailbox.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests {
    pub(crate) asks: Asks,
    pub(crate) capacity: CapacityRequests,
}

impl Requests {
    fn clear(&mut self) {
        self.asks.clear();
        self.capacity.clear();
    }
}

impl ExecutionState {
    /// Starts an execution, whose only operation is the test body.
    pub(crate) fn begin(&mut self) {
        self.operations.clear();
        self.enabled.clear();
        self.timers.clear();
        self.requests.clear();
        self.relations.clear();
        self.disks.clear();
        self.nodes.clear();
        self.names.clear();
        self.objects.clear();
        self.faults.begin();
        self.footprint.clear();
        self.progress.clear();
        let body = self.operations.create(OperationRole::Body, BODY_KEY);
        self.operations[body].stage = OperationStage::Starting;
        self.refresh(body);
    }

    /// Creates an actor that is not started yet.
    pub(crate) fn spawn(&mut self, parent: u32, of_type: u32, options: &SpawnOptions) -> u32 {
        let actor = self.operations.create_actor(parent, of_type);
        let operation = &mut self.operations[actor];
        operation.name.clone_from(&options.name);
        if let Some((capacity, overflow)) = options.mailbox.bound() {
            operation.bound = Some(CapacityState::new(capacity, overflow));
            operation.plain = false;
        }
        let defers = operation.defers;
        if let Some(ordinal) = self
            .nodes
            .place_with_parent(&self.operations, parent, actor)
        {
            self.operations[actor].ordinal = ordinal;
        }
        if defers {
            self.temperatures.schedule_early_check(self.progress.step());
        }
        actor
    }

    /// Creates an operation for a piped future.
    pub(crate) fn pipe(&mut self, parent: u32, owner: u32) -> u32 {
        let future = self
            .operations
            .create_child(parent, OperationRole::Future { owner });
        self.operations.futures.add(owner, future);
        self.nodes
            .place_with_parent(&self.operations, owner, future);
        self.operations.push(parent, Effect::Start(future));
        future
    }

    /// Creates an operation for a task, which no actor owns.
    pub(crate) fn create_task(&mut self, parent: u32, name: Option<&str>) -> u32 {
        let task = self.operations.create_child(parent, OperationRole::Task);
        self.operations[task].name = name.map(Into::into);
        self.nodes.place_with_parent(&self.operations, parent, task);
        self.operations.push(parent, Effect::Start(task));
        task
    }

    /// Queues a letter, over the link if its receiver is on another node.
    pub(crate) fn send_letter(&mut self, sender: u32, to: u32, letter: Envelope) {
        let effect = match self.nodes.nodes_if_different(sender, to) {
            None => Effect::Send { to, letter },
            Some((from, node)) => {
                let link = LinkHint::of(self.nodes.link_between(&mut self.operations, from, node));
                // A reply has its link from the start.
                self.nodes.link_between(&mut self.operations, node, from);
                Effect::Cross { to, link, letter }
            }
        };
        self.operations.push(sender, effect);
    }

    /// Takes the first letter of one event out of an inbox, whatever its disposition.
    pub(crate) fn take_received(&mut self, owner: u32, event: u16) -> Option<Envelope> {
        let operation = &mut self.operations[owner];
        let Some(letter) = operation.inbox.take_event(event) else {
            self.footprint.add(StepConstruct::Receive);
            return None;
        };
        self.footprint.record_local(StepConstruct::Receive);
        self.operations.find_next_letter(owner);
        let (footprint, operations) = (&mut self.footprint, &mut self.operations);
        let requests = &mut self.requests.capacity;
        requests.free_place(footprint, operations, owner, &letter);
        self.operations.extend_chain(owner, letter.key);
        if let LetterOrigin::Timer(index, generation) = letter.sender.sender() {
            self.rearm_after_read(index, generation);
        }
        Some(letter)
    }

    /// Takes the next letter out of the inbox.
    #[inline]
    pub(crate) fn dequeue(&mut self, index: u32) -> Option<(Envelope, Disposition)> {
        let letter = self.operations.take_next_letter(index)?;
        if self.operations[index].bound.is_some() {
            let (footprint, operations) = (&mut self.footprint, &mut self.operations);
            let requests = &mut self.requests.capacity;
            requests.free_place(footprint, operations, index, &letter);
        }
        if let LetterOrigin::Timer(timer, generation) = letter.sender.sender() {
            self.rearm_after_read(timer, generation);
        }
        Some((letter, self.operations.disposition(index, letter.event)))
    }

    /// Returns the name of an operation for reports.
    pub(crate) fn name(&self, index: u32) -> String {
        let Some(operation) = self.operations.get(index) else {
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
            OperationRole::Name { .. } => format!("#{index}"),
            OperationRole::Future { owner } => format!("{}'s future", self.name(owner)),
            OperationRole::Task => self.objects.task_name(index),
            OperationRole::Actor(of_type) => {
                let known = &self.operations.types[of_type];
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
        let events = self.operations.info(receiver)?.events.iter().zip(0..);
        let mut known = events
            .filter(|(_, number)| self.operations.event_id(receiver, *number) == pending.event);
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
        let found = self.operations.get(operation.bits());
        match found.filter(|_| !operation.is_timer())?.outbox.first() {
            Some(Effect::Start(who)) => Some(OperationId::actor(*who)),
            _ => None,
        }
    }

    fn is_woken(&self, operation: OperationId) -> bool {
        let found = self.operations.get(operation.bits());
        !operation.is_timer()
            && found.is_some_and(|found| found.stage == OperationStage::Suspended && found.woken)
    }

    fn recurrence(&self, timer: OperationId) -> Recurrence {
        let index = timer.index() as u32;
        match self.timers[timer.index() as u32].periodic {
            _ if self.timers.is_patient(index) => Recurrence::Patient,
            true => Recurrence::Periodic,
            false => Recurrence::Once,
        }
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
