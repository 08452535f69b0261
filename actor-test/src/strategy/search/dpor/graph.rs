//! What was done in an execution, up to the order of what nobody can tell: a graph of labels.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::saved;
use super::transitions::{
    self, LearnedTransition, NextInput, TransitionEffect, TransitionId, TransitionTable,
};
use super::world::{WORLD, WorldAccess};
use crate::hash::mix;
use crate::strategy::{DeferredEvents, ObserverSet};

/// A label: of which lane, and where in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct LabelId {
    pub(super) lane: u32,
    pub(super) index: u32,
}

/// No label of a lane has this position.
pub(super) const NO_LABEL: u32 = u32::MAX;

/// Something that an operation does, or that it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum LabelAction {
    /// Its first step.
    Start,
    /// It takes an event, as the one of that number in its inbox.
    Receive { from: LabelId, nth: u32 },
    /// It goes on with a reply.
    Resume { from: LabelId },
    /// A choice is answered.
    Answer(u32),
    /// It sends an event, of that number among those of its receiver's type.
    Send { message: u64, event: u16 },
    /// It replies to an operation.
    Reply { to: u32 },
    /// It creates an operation.
    Spawn,
    /// It ends.
    Halt,
    /// It replies to an operation that learns of it from the world, or a sleep is over.
    WakeByWorld,
    /// It starts a timer.
    Arm,
    /// It cancels a timer.
    Cancel { timer: u32 },
    /// It accesses the world.
    Access(WorldAccess),
    /// The world has taken its access by this label.
    Synced { by: LabelId },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Label {
    pub(super) act: LabelAction,
    /// Labels were added in this order.
    pub(super) stamp: u32,
    /// The history of its operation, with it.
    pub(super) history: u64,
    /// How many labels of each other lane come before it in any case: it needs them.
    #[serde(with = "saved::clock")]
    pub(super) clock: Arc<[u32]>,
    /// The inbox that it goes into, if any, with the label by which it is taken there.
    pub(super) inbox: Option<(u32, u32)>,
    /// Those of its onlookers, in the same way. An empty one takes no memory beyond.
    pub(super) observer_lanes: Vec<(u32, u32)>,
    /// The monitors that see it, in whichever order.
    pub(super) free_monitors: ObserverSet,
}

/// The labels of one operation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct OperationLabels {
    pub(super) path: u64,
    /// The label that has created it; `None` for the test body.
    pub(super) parent: Option<LabelId>,
    /// It was created.
    pub(super) is_spawned: bool,
    /// Its history when it was created.
    pub(super) initial_history: u64,
    pub(super) labels: Vec<Label>,
    /// Which labels take an event.
    pub(super) receives: Vec<u32>,
    /// What was put off where it took each, as far as it ever puts off anything.
    pub(super) deferred: Vec<DeferredEvents>,
    /// What went into its inbox.
    pub(super) sends: Vec<LabelId>,
    /// Which labels cancel a timer, of which lane.
    pub(super) cancels: Vec<(u32, u32)>,
    /// A reply that it has not gone on with.
    pub(super) reply: Option<LabelId>,
    /// Where it is found what it does since it was given something, once that was looked up.
    pub(super) transition: Option<TransitionId>,
    /// How much of that it has done.
    pub(super) done: usize,
}

/// How a graph differs from one that was explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Revisit {
    /// Up to a choice, which is answered otherwise.
    Answer { at: LabelId, answer: u32 },
    /// Up to where an event is taken, which is another one.
    Receive { at: LabelId, from: LabelId },
    /// An event that was sent later is taken instead, and with it is kept what it needs.
    Backward { at: LabelId, from: LabelId },
}

/// Labels, lane by lane. Graphs that differ in few lanes share the others.
#[derive(Clone, Debug)]
pub(super) struct ExecutionGraph {
    pub(super) lanes: Vec<Arc<OperationLabels>>,
    pub(super) next_stamp: u32,
}

/// How many labels of each lane are meant.
pub(super) type Cut = Vec<u32>;

impl Revisit {
    /// The label that it changes.
    pub(super) fn at(self) -> LabelId {
        match self {
            Self::Answer { at, .. } | Self::Receive { at, .. } | Self::Backward { at, .. } => at,
        }
    }
}

impl LabelAction {
    /// The operation is given something.
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

    /// A step begins with it, in which an operation runs.
    pub(super) fn is_run(self) -> bool {
        matches!(
            self,
            Self::Start | Self::Receive { .. } | Self::Resume { .. }
        )
    }

    /// It has something done, in the order of what is known of its operation.
    pub(super) fn is_deed(self) -> bool {
        !self.is_input() && !matches!(self, Self::Access(_))
    }
}

impl OperationLabels {
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

    /// It was created again.
    pub(super) fn revive(&mut self, born: Self) {
        let sends = std::mem::take(&mut self.sends);
        *self = Self { sends, ..born };
    }

    pub(super) fn history(&self) -> u64 {
        self.labels
            .last()
            .map_or(self.initial_history, |label| label.history)
    }

    /// How many labels were added before that stamp.
    pub(super) fn before(&self, stamp: u32) -> u32 {
        self.labels.partition_point(|label| label.stamp < stamp) as u32
    }

    /// What it takes among that many labels and was in its inbox before an event of that number in any
    /// case: up to the last of it, which comes first, and all before that come before that one.
    pub(super) fn taken_before(&self, labels: u32, event: Option<u16>) -> TakenBefore<'_> {
        TakenBefore {
            lane: self,
            left: self.receives_before(labels),
            event,
        }
    }

    /// What was put off where it took that one.
    pub(super) fn deferred_at(&self, nth: usize) -> DeferredEvents {
        self.deferred.get(nth).copied().unwrap_or_default()
    }

    /// It takes an event, as the next one, while it puts these off.
    pub(super) fn note_receive(&mut self, index: u32, defers: DeferredEvents) {
        self.receives.push(index);
        if !defers.is_empty() || !self.deferred.is_empty() {
            self.deferred
                .resize(self.receives.len() - 1, DeferredEvents::default());
            self.deferred.push(defers);
        }
    }

    /// What it takes as that one.
    pub(super) fn taken(&self, nth: usize) -> Option<LabelId> {
        match self.labels[*self.receives.get(nth)? as usize].act {
            LabelAction::Receive { from, .. } => Some(from),
            _ => None,
        }
    }

    /// It has done all that it does before it fails.
    pub(super) fn fails(&self, lives: &TransitionTable) -> bool {
        let stretch = self.stretch(lives);
        stretch.is_some_and(|stretch| stretch.need == NextInput::Failure)
    }

    /// What it does since it was given something, where that was looked up by this part of the search.
    pub(super) fn stretch<'a>(&self, lives: &'a TransitionTable) -> Option<&'a LearnedTransition> {
        let id = self.transition.filter(|id| lives.has(*id))?;
        Some(lives.after(id))
    }

    /// All of it is within a cut, in which it is that lane, and so is whatever it refers to.
    fn is_within(&self, cut: &Cut, lane: usize) -> bool {
        let is_in = |place: &LabelId| place.index < cut[place.lane as usize];
        let is_taken_within = |(to, by): &(u32, u32)| *by == NO_LABEL || *by < cut[*to as usize];
        cut[lane] as usize == self.labels.len()
            && self.parent.is_none_or(|parent| is_in(&parent))
            && self.reply.is_none_or(|reply| is_in(&reply))
            && self.sends.iter().all(is_in)
            && self
                .labels
                .iter()
                .all(|label| label.inboxes().all(is_taken_within))
    }

    /// The first so many labels, of which a cut has that which they refer to.
    fn restricted(&self, cut: &Cut, count: u32) -> Self {
        let is_in = |place: &LabelId| place.index < cut[place.lane as usize];
        let (kept, left) = self.labels.split_at(count as usize);
        let mut labels = kept.to_vec();
        for label in &mut labels {
            for (to, taken_by) in label.inboxes_mut() {
                if *taken_by != NO_LABEL && *taken_by >= cut[*to as usize] {
                    *taken_by = NO_LABEL;
                }
            }
        }
        // It awaits one reply at a time.
        let resumed = left.iter().find_map(|label| match label.act {
            LabelAction::Resume { from } => Some(from),
            _ => None,
        });
        let own = labels
            .iter()
            .rev()
            .take_while(|label| !label.act.is_input())
            .filter(|label| label.act.is_deed());
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

    /// Which label cancels a timer, if one does.
    pub(super) fn cancelled_at(&self, timer: u32) -> Option<u32> {
        let mut cancels = self.cancels.iter();
        let found = cancels.find(|(_, cancelled)| *cancelled == timer);
        found.map(|(index, _)| *index)
    }

    /// How many of that many labels take an event.
    pub(super) fn receives_before(&self, labels: u32) -> usize {
        self.receives.partition_point(|index| *index < labels)
    }
}

/// What was taken from an inbox, the last of it first: see [`Lane::taken_before`].
pub(super) struct TakenBefore<'a> {
    lane: &'a OperationLabels,
    left: usize,
    event: Option<u16>,
}

impl Iterator for TakenBefore<'_> {
    type Item = LabelId;

    fn next(&mut self) -> Option<LabelId> {
        loop {
            self.left = self.left.checked_sub(1)?;
            let nth = self.left;
            if self.lane.deferred.is_empty() {
                // Each was taken after the one before it, whatever it was.
                self.left = 0;
                return self.lane.taken(nth);
            }
            // What was put off may have been there before.
            let is_put_off = |event| self.lane.deferred_at(nth).has(event);
            if !self.event.is_some_and(is_put_off) {
                return self.lane.taken(nth);
            }
        }
    }
}

impl Label {
    /// The number of the event that it sends.
    pub(super) fn event(&self) -> Option<u16> {
        match self.act {
            LabelAction::Send { event, .. } => Some(event),
            _ => None,
        }
    }

    /// The inboxes that it goes into, with the labels by which it is taken there.
    pub(super) fn inboxes(&self) -> impl Iterator<Item = &(u32, u32)> {
        self.inbox.iter().chain(&self.observer_lanes)
    }

    pub(super) fn inboxes_mut(&mut self) -> impl Iterator<Item = &mut (u32, u32)> {
        self.inbox.iter_mut().chain(&mut self.observer_lanes)
    }
}

impl ExecutionGraph {
    /// Nothing was done but that the test body is there.
    pub(super) fn new(body: u64) -> Self {
        Self {
            lanes: vec![Arc::new(OperationLabels::new(
                body,
                None,
                transitions::initial_history(body, 0),
            ))],
            next_stamp: 1,
        }
    }

    pub(super) fn label(&self, place: LabelId) -> &Label {
        &self.lanes[place.lane as usize].labels[place.index as usize]
    }

    /// What an operation put off where it took an event.
    pub(super) fn deferred_at(&self, at: LabelId) -> DeferredEvents {
        match self.label(at).act {
            LabelAction::Receive { nth, .. } => {
                self.lanes[at.lane as usize].deferred_at(nth as usize)
            }
            _ => DeferredEvents::default(),
        }
    }

    /// How many labels there are.
    pub(super) fn len(&self) -> u64 {
        let labels = self.lanes.iter().map(|lane| lane.labels.len() as u64);
        labels.sum()
    }

    /// A hash of what was done.
    pub(super) fn class(&self) -> u64 {
        // Onlookers and the world are there from when they see something.
        let is_there = |(_, lane): &(u32, &Arc<OperationLabels>)| {
            lane.is_spawned && (lane.parent.is_some() || !lane.labels.is_empty())
        };
        let born = (0..).zip(&self.lanes).filter(is_there);
        transitions::class(born.map(|(number, _)| self.history(number)))
    }

    /// Hashes of how each operation and onlooker has ended: with which history, and which events in its
    /// inbox. What is judged of an execution depends on nothing else.
    pub(super) fn ends(&self) -> impl Iterator<Item = u64> {
        let born = self
            .lanes
            .iter()
            .enumerate()
            .filter(|(_, lane)| lane.is_spawned);
        born.map(|(number, lane)| {
            let sends = lane.sends.iter();
            let unread = sends.filter(|place| {
                let mut inboxes = self.label(**place).inboxes();
                inboxes.any(|(to, by)| *to == number as u32 && *by == NO_LABEL)
            });
            // Nobody sees in which order they lie there.
            let left = unread.map(|place| mix(self.gift(*place), 0x1ef7));
            mix(self.history(number as u32), left.fold(0, u64::wrapping_add))
        })
    }

    /// The world has taken an access whose operation fails in that step.
    pub(super) fn world_fails(&self, world: u32, lives: &TransitionTable) -> bool {
        let found = &self.lanes[world as usize];
        let Some(last) = found.receives.len().checked_sub(1) else {
            return false;
        };
        found.taken(last).is_some_and(|access| {
            let lane = &self.lanes[access.lane as usize];
            let accesses = |label: &Label| matches!(label.act, LabelAction::Access(_));
            let latest = lane.labels.iter().rposition(accesses);
            lane.fails(lives) && latest == Some(access.index as usize)
        })
    }

    /// Whether an access may be taken by the world after that many of its labels; anything else may
    /// always be.
    pub(super) fn is_open(
        &self,
        access: LabelId,
        world: u32,
        labels: u32,
        lives: &TransitionTable,
    ) -> bool {
        let LabelAction::Access(touch) = self.label(access).act else {
            return true;
        };
        if !touch.is_gated() {
            return true;
        }
        let history = self.history_of(world, labels);
        let open = TransitionEffect::PermitAccess {
            who: self.lanes[access.lane as usize].path,
        };
        let known = lives
            .find(history)
            .map(|number| &lives.after(number).effects);
        known.is_some_and(|deeds| deeds.iter().any(|done| done.deed == open))
    }

    /// The history of a lane after that many of its labels. The world is told of choices as well that were
    /// answered in the step whose access it has taken last.
    pub(super) fn history_of(&self, lane: u32, labels: u32) -> u64 {
        let found = &self.lanes[lane as usize];
        let Some(last) = labels.checked_sub(1) else {
            return found.initial_history;
        };
        let last = &found.labels[last as usize];
        let (true, LabelAction::Receive { from, .. }) = (found.path == WORLD, last.act) else {
            return last.history;
        };
        let from_lane = &self.lanes[from.lane as usize];
        let (_, to) = from_lane.step(from.index, from_lane.labels.len() as u32);
        let step = &from_lane.labels[from.index as usize..to as usize];
        step.iter()
            .fold(last.history, |history, label| match label.act {
                LabelAction::Answer(answer) => transitions::answered(history, answer),
                _ => history,
            })
    }

    /// The history of a lane with all its labels.
    pub(super) fn history(&self, lane: u32) -> u64 {
        self.history_of(lane, self.lanes[lane as usize].labels.len() as u32)
    }

    /// Monitors or predicates look on.
    pub(super) fn has_onlookers(&self) -> bool {
        let mut lanes = self.lanes.iter();
        lanes.any(|lane| transitions::is_onlooker(lane.path))
    }

    /// An operation fails.
    pub(super) fn fails(&self, lives: &TransitionTable) -> bool {
        self.lanes.iter().any(|lane| lane.fails(lives))
    }

    pub(super) fn lane_mut(&mut self, lane: u32) -> &mut OperationLabels {
        Arc::make_mut(&mut self.lanes[lane as usize])
    }

    /// The graph that an edit makes of this one.
    pub(super) fn edited(&self, edit: Revisit) -> Self {
        match edit {
            Revisit::Answer { at, answer } => {
                let mut graph = self.restricted(&self.cut_before(self.label(at).stamp));
                graph.add_answer(at.lane, answer);
                graph
            }
            Revisit::Receive { at, from } => {
                let defers = self.deferred_at(at);
                let mut graph = self.restricted(&self.cut_before(self.label(at).stamp));
                graph.add_receive(at.lane, from, defers);
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
        self.lanes.iter().map(|lane| lane.before(stamp)).collect()
    }

    /// What is kept where an event is taken at a label that was sent later.
    pub(super) fn kept(&self, at: LabelId, from: LabelId) -> Cut {
        let mut cut = self.cut_before(self.label(at).stamp + 1);
        self.add_needed(&mut cut, from, 1);
        cut
    }

    /// Adds to a cut what a label needs, and so many of the label itself.
    pub(super) fn add_needed(&self, cut: &mut Cut, place: LabelId, own: u32) {
        for (kept, needed) in cut.iter_mut().zip(&*self.label(place).clock) {
            *kept = (*kept).max(*needed);
        }
        let lane = place.lane as usize;
        cut[lane] = cut[lane].max(place.index + own);
    }

    pub(super) fn restricted(&self, cut: &Cut) -> Self {
        let lanes = self.lanes.iter().enumerate();
        let lanes = lanes.map(|(number, lane)| match lane.is_within(cut, number) {
            true => lane.clone(),
            false => Arc::new(lane.restricted(cut, cut[number])),
        });
        Self {
            lanes: lanes.collect(),
            next_stamp: self.next_stamp,
        }
    }
}
