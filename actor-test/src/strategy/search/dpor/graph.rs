//! Execution graphs: what the operations did, up to the order of independent steps, as labels per operation.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::saved;
use super::transitions::{
    self, LearnedTransition, NextInput, TransitionEffect, TransitionId, TransitionTable,
};
use super::world::{WORLD, WorldAccess};
use crate::hash::mix;
use crate::strategy::{DeferredEvents, ObserverSet};

/// The position of a label: its process, and its index among the labels of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct LabelId {
    pub(super) process: u32,
    pub(super) index: u32,
}

/// Stands for "no label": no process has so many labels.
pub(super) const NO_LABEL: u32 = u32::MAX;

/// An action of an operation, or an input that it gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum LabelAction {
    /// The operation takes its first step.
    Start,
    /// The operation takes an event from its inbox, as its `nth` one from zero.
    Receive {
        from: LabelId,
        nth: u32,
    },
    /// The operation resumes with a reply.
    Resume {
        from: LabelId,
    },
    Answer(u32),
    /// The operation sends an event; `event` is its number among the events of the receiver's type.
    Send {
        message: u64,
        event: u16,
    },
    /// The operation replies to another one.
    Reply {
        to: u32,
    },
    /// The operation creates another one.
    Spawn,
    Halt,
    /// The operation replies to one that learns of the reply from the world, or a sleep ends.
    WakeByWorld,
    /// The operation starts a timer.
    Arm,
    Cancel {
        timer: u32,
    },
    Access(WorldAccess),
    /// The operation continues after the world took its access by the label `by`.
    Synced {
        by: LabelId,
    },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Label {
    pub(super) act: LabelAction,
    /// The label's number in the order of insertion.
    pub(super) stamp: u32,
    /// The history of the operation up to and including this label.
    pub(super) history: u64,
    /// A vector clock: the number of labels of each other process that happen before this one.
    #[serde(with = "saved::clock")]
    pub(super) clock: Arc<[u32]>,
    /// The process of the receiver or the world, if any, and the index of the label there that takes this.
    pub(super) inbox: Option<(u32, u32)>,
    /// The processes of observers, with the labels there that take this. An empty vector does not allocate.
    pub(super) observer_inboxes: Vec<(u32, u32)>,
    /// The monitors that observe the label in an order that is no part of the behaviour.
    pub(super) free_monitors: ObserverSet,
}

/// The labels of one process in program order: an operation, an observer or the world.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ProcessLabels {
    pub(super) path: u64,
    /// The label that has created the operation; `None` for the test body, observers and the world.
    pub(super) parent: Option<LabelId>,
    /// True if the label that creates the operation is in the graph.
    pub(super) is_spawned: bool,
    /// The history of the operation at its creation.
    pub(super) initial_history: u64,
    pub(super) labels: Vec<Label>,
    /// The indices of the labels that take an event.
    pub(super) receives: Vec<u32>,
    /// The events that were deferred at each receive; empty as long as no receive defers any.
    pub(super) deferred: Vec<DeferredEvents>,
    /// The labels whose events went into the operation's inbox.
    pub(super) sends: Vec<LabelId>,
    /// The labels that cancel a timer, each with the timer's process.
    pub(super) cancels: Vec<(u32, u32)>,
    /// A reply that the operation has not resumed with yet.
    pub(super) reply: Option<LabelId>,
    /// The transition after the last input, once it was looked up.
    pub(super) transition: Option<TransitionId>,
    /// The number of effects of that transition that the graph has labels for.
    pub(super) done: usize,
}

/// A backtrack point: the difference between a graph and the one to be explored from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Revisit {
    /// Gives the choice at a label another answer, and drops all later labels.
    Answer { at: LabelId, answer: u32 },
    /// Takes another available event at a label, and drops all later labels.
    Receive { at: LabelId, from: LabelId },
    /// A backward revisit: takes an event that was sent later, and keeps the labels that happen before it.
    Backward { at: LabelId, from: LabelId },
}

/// An execution graph. Graphs that differ in few processes share the others.
#[derive(Clone, Debug)]
pub(super) struct ExecutionGraph {
    pub(super) processes: Vec<Arc<ProcessLabels>>,
    pub(super) next_stamp: u32,
}

/// A cut of a graph: the length of the prefix of each process.
pub(super) type Cut = Vec<u32>;

impl Revisit {
    pub(super) fn at(self) -> LabelId {
        match self {
            Self::Answer { at, .. } | Self::Receive { at, .. } | Self::Backward { at, .. } => at,
        }
    }
}

impl LabelAction {
    /// True if the operation gets an input by this action.
    pub(super) fn is_input(self) -> bool {
        matches!(
            self,
            Self::Start
                | Self::Receive { .. }
                | Self::Resume { .. }
                | Self::Answer(_)
                | Self::Synced { .. }
        )
    }

    /// True if a step in which the operation runs begins with this action.
    pub(super) fn is_run(self) -> bool {
        matches!(
            self,
            Self::Start | Self::Receive { .. } | Self::Resume { .. }
        )
    }

    /// True if this is an effect of a transition, an element of [`LearnedTransition::effects`].
    pub(super) fn is_effect(self) -> bool {
        !self.is_input() && !matches!(self, Self::Access(_))
    }
}

impl ProcessLabels {
    pub(super) fn new(path: u64, parent: Option<LabelId>, initial_history: u64) -> Self {
        Self {
            path,
            parent,
            is_spawned: true,
            initial_history,
            labels: Vec::new(),
            receives: Vec::new(),
            deferred: Vec::new(),
            sends: Vec::new(),
            cancels: Vec::new(),
            reply: None,
            transition: None,
            done: 0,
        }
    }

    /// Resets the labels of an operation that is created again, and keeps the events in its inbox.
    pub(super) fn revive(&mut self, fresh: Self) {
        let sends = std::mem::take(&mut self.sends);
        *self = Self { sends, ..fresh };
    }

    pub(super) fn history(&self) -> u64 {
        self.labels
            .last()
            .map_or(self.initial_history, |label| label.history)
    }

    /// Returns the number of labels that were inserted before `stamp`.
    pub(super) fn before(&self, stamp: u32) -> u32 {
        self.labels.partition_point(|label| label.stamp < stamp) as u32
    }

    /// Iterates over the events that the first `labels` labels take and that always precede an event of the
    /// number `event` in the inbox, latest first. Without deferral only the latest is returned, since all
    /// others precede it.
    pub(super) fn taken_before(&self, labels: u32, event: Option<u16>) -> TakenBefore<'_> {
        TakenBefore {
            process: self,
            left: self.receives_before(labels),
            event,
        }
    }

    /// Returns the events that the operation deferred at its `nth` receive.
    pub(super) fn deferred_at(&self, nth: usize) -> DeferredEvents {
        self.deferred.get(nth).copied().unwrap_or_default()
    }

    /// Records that the label at `index` takes an event while `defers` are deferred.
    pub(super) fn note_receive(&mut self, index: u32, defers: DeferredEvents) {
        self.receives.push(index);
        if !defers.is_empty() || !self.deferred.is_empty() {
            self.deferred
                .resize(self.receives.len() - 1, DeferredEvents::default());
            self.deferred.push(defers);
        }
    }

    /// Returns the event that the operation takes at its `nth` receive.
    pub(super) fn taken(&self, nth: usize) -> Option<LabelId> {
        match self.labels[*self.receives.get(nth)? as usize].act {
            LabelAction::Receive { from, .. } => Some(from),
            _ => None,
        }
    }

    /// True if the operation fails after the effects of its last transition.
    pub(super) fn fails(&self, table: &TransitionTable) -> bool {
        let transition = self.last_transition(table);
        transition.is_some_and(|transition| transition.need == NextInput::Failure)
    }

    /// Returns the transition after the last input, if this part of the search has looked it up.
    pub(super) fn last_transition<'a>(
        &self,
        table: &'a TransitionTable,
    ) -> Option<&'a LearnedTransition> {
        let id = self.transition.filter(|id| table.has(*id))?;
        Some(table.after(id))
    }

    /// True if a cut contains the whole process and all labels that the process refers to.
    fn is_within(&self, cut: &Cut, process: usize) -> bool {
        let is_in = |place: &LabelId| place.index < cut[place.process as usize];
        let is_taken_within = |(to, by): &(u32, u32)| *by == NO_LABEL || *by < cut[*to as usize];
        cut[process] as usize == self.labels.len()
            && self.parent.is_none_or(|parent| is_in(&parent))
            && self.reply.is_none_or(|reply| is_in(&reply))
            && self.sends.iter().all(is_in)
            && self
                .labels
                .iter()
                .all(|label| label.inboxes().all(is_taken_within))
    }

    /// Returns the first `count` labels, without references to labels outside of the cut.
    fn restricted(&self, cut: &Cut, count: u32) -> Self {
        let is_in = |place: &LabelId| place.index < cut[place.process as usize];
        let (kept, left) = self.labels.split_at(count as usize);
        let mut labels = kept.to_vec();
        for label in &mut labels {
            for (to, taken_by) in label.inboxes_mut() {
                if *taken_by != NO_LABEL && *taken_by >= cut[*to as usize] {
                    *taken_by = NO_LABEL;
                }
            }
        }
        // An operation awaits one reply at a time, so the first dropped resume has the pending reply.
        let resumed = left.iter().find_map(|label| match label.act {
            LabelAction::Resume { from } => Some(from),
            _ => None,
        });
        let own = labels
            .iter()
            .rev()
            .take_while(|label| !label.act.is_input())
            .filter(|label| label.act.is_effect());
        let cancels = self.cancels.iter().copied();
        let receives = self.receives_before(count);
        Self {
            path: self.path,
            parent: self.parent,
            is_spawned: self.is_spawned && self.parent.is_none_or(|parent| is_in(&parent)),
            initial_history: self.initial_history,
            done: own.count(),
            receives: self.receives[..receives].to_vec(),
            deferred: self.deferred[..receives.min(self.deferred.len())].to_vec(),
            sends: self.sends.iter().copied().filter(is_in).collect(),
            cancels: cancels.filter(|(index, _)| *index < count).collect(),
            reply: resumed.or(self.reply).filter(is_in),
            transition: None,
            labels,
        }
    }

    /// Returns the index of the label that cancels a timer.
    pub(super) fn cancelled_at(&self, timer: u32) -> Option<u32> {
        let mut cancels = self.cancels.iter();
        let found = cancels.find(|(_, cancelled)| *cancelled == timer);
        found.map(|(index, _)| *index)
    }

    /// Returns the number of receives among the first `labels` labels.
    pub(super) fn receives_before(&self, labels: u32) -> usize {
        self.receives.partition_point(|index| *index < labels)
    }
}

/// An iterator over events taken from an inbox, latest first: see [`ProcessLabels::taken_before`].
pub(super) struct TakenBefore<'a> {
    process: &'a ProcessLabels,
    left: usize,
    event: Option<u16>,
}

impl Iterator for TakenBefore<'_> {
    type Item = LabelId;

    fn next(&mut self) -> Option<LabelId> {
        loop {
            self.left = self.left.checked_sub(1)?;
            let nth = self.left;
            if self.process.deferred.is_empty() {
                // Without deferral an inbox is FIFO, so the latest event stands for all earlier ones.
                self.left = 0;
                return self.process.taken(nth);
            }
            // An event that was deferred may have been in the inbox before the taken one.
            let is_put_off = |event| self.process.deferred_at(nth).has(event);
            if !self.event.is_some_and(is_put_off) {
                return self.process.taken(nth);
            }
        }
    }
}

impl Label {
    /// Returns the number of the event that the label sends.
    pub(super) fn event(&self) -> Option<u16> {
        match self.act {
            LabelAction::Send { event, .. } => Some(event),
            _ => None,
        }
    }

    /// Returns the inboxes that the label goes into, each with the index of the label that takes it there.
    pub(super) fn inboxes(&self) -> impl Iterator<Item = &(u32, u32)> {
        self.inbox.iter().chain(&self.observer_inboxes)
    }

    pub(super) fn inboxes_mut(&mut self) -> impl Iterator<Item = &mut (u32, u32)> {
        self.inbox.iter_mut().chain(&mut self.observer_inboxes)
    }
}

impl ExecutionGraph {
    /// Creates the graph in which nothing has happened yet; only the test body exists.
    pub(super) fn new(body: u64) -> Self {
        Self {
            processes: vec![Arc::new(ProcessLabels::new(
                body,
                None,
                transitions::initial_history(body, 0),
            ))],
            next_stamp: 1,
        }
    }

    pub(super) fn label(&self, place: LabelId) -> &Label {
        &self.processes[place.process as usize].labels[place.index as usize]
    }

    /// Returns the events that the operation deferred at the receive `at`.
    pub(super) fn deferred_at(&self, at: LabelId) -> DeferredEvents {
        match self.label(at).act {
            LabelAction::Receive { nth, .. } => {
                self.processes[at.process as usize].deferred_at(nth as usize)
            }
            _ => DeferredEvents::default(),
        }
    }

    pub(super) fn len(&self) -> u64 {
        let labels = self
            .processes
            .iter()
            .map(|process| process.labels.len() as u64);
        labels.sum()
    }

    /// Returns a hash of the behaviour, the same for all executions of this graph.
    pub(super) fn class(&self) -> u64 {
        // The processes of observers and of the world count once they have a label.
        let is_there = |(_, process): &(u32, &Arc<ProcessLabels>)| {
            process.is_spawned && (process.parent.is_some() || !process.labels.is_empty())
        };
        let there = (0..).zip(&self.processes).filter(is_there);
        transitions::class(there.map(|(number, _)| self.history(number)))
    }

    /// Returns a hash of the end of each operation and observer: its history, and the unread events in its
    /// inbox. The verdict on an execution depends on nothing else.
    pub(super) fn ends(&self) -> impl Iterator<Item = u64> {
        let there = self
            .processes
            .iter()
            .enumerate()
            .filter(|(_, process)| process.is_spawned);
        there.map(|(number, process)| {
            let sends = process.sends.iter();
            let unread = sends.filter(|place| {
                let mut inboxes = self.label(**place).inboxes();
                inboxes.any(|(to, by)| *to == number as u32 && *by == NO_LABEL)
            });
            // The order of unread events can't be observed, so their hashes are added up.
            let left = unread.map(|place| mix(self.gift(*place), 0x1ef7));
            mix(self.history(number as u32), left.fold(0, u64::wrapping_add))
        })
    }

    /// True if the world has taken an access whose operation fails in the same step.
    pub(super) fn world_fails(&self, world: u32, table: &TransitionTable) -> bool {
        let found = &self.processes[world as usize];
        let Some(last) = found.receives.len().checked_sub(1) else {
            return false;
        };
        found.taken(last).is_some_and(|access| {
            let process = &self.processes[access.process as usize];
            let accesses = |label: &Label| matches!(label.act, LabelAction::Access(_));
            let latest = process.labels.iter().rposition(accesses);
            process.fails(table) && latest == Some(access.index as usize)
        })
    }

    /// True if the world may take an access after its first `labels` labels. Labels other than accesses may
    /// always be taken.
    pub(super) fn is_open(
        &self,
        access: LabelId,
        world: u32,
        labels: u32,
        table: &TransitionTable,
    ) -> bool {
        let LabelAction::Access(touch) = self.label(access).act else {
            return true;
        };
        if !touch.is_gated() {
            return true;
        }
        let history = self.history_of(world, labels);
        let open = TransitionEffect::PermitAccess {
            who: self.processes[access.process as usize].path,
        };
        let known = table
            .find(history)
            .map(|number| &table.after(number).effects);
        known.is_some_and(|effects| effects.iter().any(|done| done.effect == open))
    }

    /// Returns the history of a process after its first `labels` labels. The world's history includes the
    /// answers to choices of the step whose access was taken last.
    pub(super) fn history_of(&self, process: u32, labels: u32) -> u64 {
        let found = &self.processes[process as usize];
        let Some(last) = labels.checked_sub(1) else {
            return found.initial_history;
        };
        let last = &found.labels[last as usize];
        let (true, LabelAction::Receive { from, .. }) = (found.path == WORLD, last.act) else {
            return last.history;
        };
        let sender = &self.processes[from.process as usize];
        let (_, to) = sender.step(from.index, sender.labels.len() as u32);
        let step = &sender.labels[from.index as usize..to as usize];
        step.iter()
            .fold(last.history, |history, label| match label.act {
                LabelAction::Answer(answer) => transitions::answered(history, answer),
                _ => history,
            })
    }

    pub(super) fn history(&self, process: u32) -> u64 {
        self.history_of(
            process,
            self.processes[process as usize].labels.len() as u32,
        )
    }

    /// True if some monitor or predicate observes in an order that is part of the behaviour.
    pub(super) fn has_observers(&self) -> bool {
        let mut processes = self.processes.iter();
        processes.any(|process| transitions::is_observer(process.path))
    }

    pub(super) fn fails(&self, table: &TransitionTable) -> bool {
        self.processes.iter().any(|process| process.fails(table))
    }

    pub(super) fn process_mut(&mut self, process: u32) -> &mut ProcessLabels {
        Arc::make_mut(&mut self.processes[process as usize])
    }

    /// Returns the graph to explore from a backtrack point.
    pub(super) fn edited(&self, edit: Revisit) -> Self {
        match edit {
            Revisit::Answer { at, answer } => {
                let mut graph = self.restricted(&self.cut_before(self.label(at).stamp));
                graph.add_answer(at.process, answer);
                graph
            }
            Revisit::Receive { at, from } => {
                let defers = self.deferred_at(at);
                let mut graph = self.restricted(&self.cut_before(self.label(at).stamp));
                graph.add_receive(at.process, from, defers);
                graph
            }
            Revisit::Backward { at, from } => {
                let mut graph = self.restricted(&self.kept(at, from));
                graph.replace_received(at, from);
                graph
            }
        }
    }

    pub(super) fn cut_before(&self, stamp: u32) -> Cut {
        self.processes
            .iter()
            .map(|process| process.before(stamp))
            .collect()
    }

    /// Returns the cut that a backward revisit keeps: all before the receive `at`, and what `from` needs.
    pub(super) fn kept(&self, at: LabelId, from: LabelId) -> Cut {
        let mut cut = self.cut_before(self.label(at).stamp + 1);
        self.add_needed(&mut cut, from, 1);
        cut
    }

    /// Adds the happens-before predecessors of a label to a cut, and `own` of the label itself.
    pub(super) fn add_needed(&self, cut: &mut Cut, place: LabelId, own: u32) {
        for (kept, needed) in cut.iter_mut().zip(&*self.label(place).clock) {
            *kept = (*kept).max(*needed);
        }
        let process = place.process as usize;
        cut[process] = cut[process].max(place.index + own);
    }

    pub(super) fn restricted(&self, cut: &Cut) -> Self {
        let processes = self.processes.iter().enumerate();
        let processes = processes.map(|(number, process)| match process.is_within(cut, number) {
            true => process.clone(),
            false => Arc::new(process.restricted(cut, cut[number])),
        });
        Self {
            processes: processes.collect(),
            next_stamp: self.next_stamp,
        }
    }
}
