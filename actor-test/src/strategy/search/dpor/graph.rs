//! What was done in an execution, up to the order of what nobody can tell: a graph of labels.

use std::sync::Arc;

use super::lives::{self, Lives, Need, Stretch};

/// A label: of which lane, and where in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    pub(super) lane: u32,
    pub(super) index: u32,
}

/// No label of a lane has this position.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Something that an operation does, or that it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// Its first step.
    Start,
    /// It takes an event, as the one of that number in its inbox.
    Receive { from: Place, nth: u32 },
    /// It goes on with a reply.
    Resume { from: Place },
    /// A choice is answered.
    Answer(u32),
    /// It sends an event.
    Send { message: u64 },
    /// It replies to an operation.
    Reply { to: u32 },
    /// It creates an operation.
    Spawn,
    /// It ends.
    Halt,
}

#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) act: Act,
    /// Labels were added in this order.
    pub(super) stamp: u32,
    /// The history of its operation, with it.
    pub(super) history: u64,
    /// How many labels of each other lane come before it in any case: it needs them.
    pub(super) clock: Arc<[u32]>,
    /// The inboxes that it goes into, its onlookers' among them, with the label by which it is taken there.
    pub(super) inboxes: Vec<(u32, u32)>,
}

/// The labels of one operation.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) path: u64,
    /// The label that has created it; `None` for the test body.
    pub(super) parent: Option<Place>,
    /// It was created.
    pub(super) is_born: bool,
    /// Its history when it was created.
    pub(super) born: u64,
    pub(super) labels: Vec<Label>,
    /// Which labels take an event.
    pub(super) receives: Vec<u32>,
    /// What went into its inbox.
    pub(super) sends: Vec<Place>,
    /// A reply that it has not gone on with.
    pub(super) reply: Option<Place>,
    /// What it does since it was given something, once that was looked up.
    pub(super) stretch: Option<Arc<Stretch>>,
    /// How much of that it has done.
    pub(super) done: usize,
}

/// How a graph differs from one that was explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Edit {
    /// Up to a choice, which is answered otherwise.
    Answer { at: Place, answer: u32 },
    /// Up to where an event is taken, which is another one.
    Receive { at: Place, from: Place },
    /// An event that was sent later is taken instead, and with it is kept what it needs.
    Revisit { at: Place, from: Place },
}

/// Labels, lane by lane.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) lanes: Vec<Lane>,
    pub(super) next_stamp: u32,
}

/// How many labels of each lane are meant.
pub(super) type Cut = Vec<u32>;

impl Act {
    /// The operation is given something.
    pub(super) fn is_input(self) -> bool {
        matches!(
            self,
            Self::Start | Self::Receive { .. } | Self::Resume { .. } | Self::Answer(_)
        )
    }
}

impl Lane {
    pub(super) fn new(path: u64, parent: Option<Place>, born: u64) -> Self {
        Self {
            path,
            parent,
            is_born: true,
            born,
            labels: Vec::new(),
            receives: Vec::new(),
            sends: Vec::new(),
            reply: None,
            stretch: None,
            done: 0,
        }
    }

    /// It was created again.
    pub(super) fn revive(&mut self, born: Self) {
        let sends = std::mem::take(&mut self.sends);
        *self = Self { sends, ..born };
    }

    pub(super) fn history(&self) -> u64 {
        self.labels.last().map_or(self.born, |label| label.history)
    }

    /// How many labels were added before that stamp.
    pub(super) fn before(&self, stamp: u32) -> u32 {
        self.labels.partition_point(|label| label.stamp < stamp) as u32
    }

    /// What it takes last among that many labels.
    pub(super) fn last_receive(&self, labels: u32) -> Option<Place> {
        let count = self.receives.partition_point(|index| *index < labels);
        self.taken(count.checked_sub(1)?)
    }

    /// What it takes as that one.
    pub(super) fn taken(&self, nth: usize) -> Option<Place> {
        match self.labels[*self.receives.get(nth)? as usize].act {
            Act::Receive { from, .. } => Some(from),
            _ => None,
        }
    }

    /// It has done all that it does before it fails.
    pub(super) fn fails(&self) -> bool {
        let failure = |stretch: &Arc<Stretch>| stretch.need == Need::Failure;
        self.stretch.as_ref().is_some_and(failure)
    }

    pub(super) fn look_up(&mut self, lives: &Lives) -> Option<&Arc<Stretch>> {
        if self.stretch.is_none() {
            self.stretch = lives.after(self.history()).cloned();
        }
        self.stretch.as_ref()
    }
}

impl Graph {
    /// Nothing was done but that the test body is there.
    pub(super) fn new(body: u64) -> Self {
        Self {
            lanes: vec![Lane::new(body, None, lives::born(body, 0))],
            next_stamp: 1,
        }
    }

    pub(super) fn label(&self, place: Place) -> &Label {
        &self.lanes[place.lane as usize].labels[place.index as usize]
    }

    /// A hash of what was done.
    pub(super) fn class(&self) -> u64 {
        let born = self.lanes.iter().filter(|lane| lane.is_born);
        lives::class(born.map(Lane::history))
    }

    /// What was known of operations may have changed.
    pub(super) fn forget(&mut self) {
        for lane in &mut self.lanes {
            lane.stretch = None;
        }
    }

    /// An operation fails.
    pub(super) fn fails(&self) -> bool {
        self.lanes.iter().any(Lane::fails)
    }

    /// The graph that an edit makes of this one.
    pub(super) fn edited(&self, edit: Edit) -> Self {
        match edit {
            Edit::Answer { at, answer } => {
                let mut graph = self.restricted(&self.cut_before(self.label(at).stamp));
                graph.add_answer(at.lane, answer);
                graph
            }
            Edit::Receive { at, from } => {
                let mut graph = self.restricted(&self.cut_before(self.label(at).stamp));
                graph.add_receive(at.lane, from);
                graph
            }
            Edit::Revisit { at, from } => {
                let mut graph = self.restricted(&self.kept(at, from));
                graph.retake(at, from);
                graph
            }
        }
    }

    pub(super) fn cut_before(&self, stamp: u32) -> Cut {
        self.lanes.iter().map(|lane| lane.before(stamp)).collect()
    }

    /// What is kept where an event is taken at a label that was sent later.
    pub(super) fn kept(&self, at: Place, from: Place) -> Cut {
        let mut cut = self.cut_before(self.label(at).stamp + 1);
        self.add_needed(&mut cut, from, 1);
        cut
    }

    /// Adds to a cut what a label needs, and so many of the label itself.
    pub(super) fn add_needed(&self, cut: &mut Cut, place: Place, own: u32) {
        for (kept, needed) in cut.iter_mut().zip(&*self.label(place).clock) {
            *kept = (*kept).max(*needed);
        }
        let lane = place.lane as usize;
        cut[lane] = cut[lane].max(place.index + own);
    }

    pub(super) fn restricted(&self, cut: &Cut) -> Self {
        let is_in = |place: &Place| place.index < cut[place.lane as usize];
        let lanes = self.lanes.iter().enumerate().map(|(number, lane)| {
            let count = cut[number];
            let mut labels = lane.labels[..count as usize].to_vec();
            for label in &mut labels {
                for (to, taken_by) in &mut label.inboxes {
                    if *taken_by != NOWHERE && *taken_by >= cut[*to as usize] {
                        *taken_by = NOWHERE;
                    }
                }
            }
            let done = labels
                .iter()
                .rev()
                .take_while(|label| !label.act.is_input());
            let done = done.count();
            let receives = lane.receives.iter().copied();
            let is_born = match lane.parent {
                None => true,
                Some(parent) => lane.is_born && is_in(&parent),
            };
            Lane {
                path: lane.path,
                parent: lane.parent,
                is_born,
                born: lane.born,
                done,
                labels,
                receives: receives.take_while(|index| *index < count).collect(),
                sends: lane.sends.iter().copied().filter(is_in).collect(),
                reply: None,
                stretch: None,
            }
        });
        let mut graph = Self {
            lanes: lanes.collect(),
            next_stamp: self.next_stamp,
        };
        graph.find_replies();
        graph
    }

    /// Finds the replies that nobody has gone on with.
    fn find_replies(&mut self) {
        let mut open: Vec<(u32, Place)> = Vec::new();
        for (place, label) in self.labels() {
            if let Act::Reply { to } = label.act {
                open.push((to, place));
            }
        }
        if open.is_empty() {
            return;
        }
        for (_, label) in self.labels() {
            if let Act::Resume { from } = label.act {
                open.retain(|(_, reply)| *reply != from);
            }
        }
        for (to, from) in open {
            self.lanes[to as usize].reply = Some(from);
        }
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = (Place, &Label)> {
        let lanes = self.lanes.iter().enumerate();
        lanes.flat_map(|(lane, found)| {
            let labels = found.labels.iter().enumerate();
            labels.map(move |(index, label)| {
                let (lane, index) = (lane as u32, index as u32);
                (Place { lane, index }, label)
            })
        })
    }
}
