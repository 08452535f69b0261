//! Which events an operation may take, and which that were sent later it might have taken before.

use super::graph::{Cut, ExecutionGraph, LabelAction, LabelId, NO_LABEL, Revisit, TakenBefore};
use super::transitions::TransitionTable;
use crate::hash::mix;
use crate::strategy::DeferredEvents;

impl ExecutionGraph {
    /// Everything.
    pub(super) fn whole(&self) -> Cut {
        let labels = self.lanes.iter().map(|lane| lane.labels.len() as u32);
        labels.collect()
    }

    /// The events that an operation may take next, within a cut: those in its inbox that no other one
    /// there comes before in any case. Their order does not depend on when they were sent.
    pub(super) fn candidates(
        &self,
        cut: &Cut,
        lane: u32,
        defers: DeferredEvents,
        lives: &TransitionTable,
    ) -> Vec<LabelId> {
        let open = self.open(cut, lane, defers, lives);
        let is_free = |place: &LabelId| !self.is_preceded(*place, &open, cut);
        let mut free: Vec<LabelId> = open.iter().copied().filter(is_free).collect();
        free.sort_unstable_by_key(|place| self.rank(*place));
        free
    }

    /// The events in an inbox that an operation does not put off.
    fn open(
        &self,
        cut: &Cut,
        lane: u32,
        defers: DeferredEvents,
        lives: &TransitionTable,
    ) -> Vec<LabelId> {
        let found = &self.lanes[lane as usize];
        let taken = cut[lane as usize];
        let is_there = |(to, by): &(u32, u32)| *to == lane && (*by == NO_LABEL || *by >= taken);
        let is_open = |place: &LabelId| {
            let label = self.label(*place);
            place.index < cut[place.lane as usize]
                && label.inboxes().any(is_there)
                && !label.event().is_some_and(|event| defers.has(event))
                && found.cancelled_at(place.lane).is_none_or(|at| at >= taken)
                && self.is_open(*place, lane, taken, lives)
        };
        found.sends.iter().copied().filter(is_open).collect()
    }

    /// Whether one of those that are open comes before another one in any case.
    fn is_preceded(&self, place: LabelId, open: &[LabelId], cut: &Cut) -> bool {
        if open.len() < 2 {
            return false;
        }
        let before = self.predecessors(place, cut);
        let is_before =
            |other: &LabelId| *other != place && before[other.lane as usize] > other.index;
        open.iter().any(is_before)
    }

    /// Where something stands among what is in an inbox: the same in all graphs.
    fn rank(&self, place: LabelId) -> u64 {
        match self.label(place).act {
            LabelAction::Send { message, .. } => message,
            _ => mix(self.lanes[place.lane as usize].path, place.index.into()),
        }
    }

    /// What of a cut comes before a label: what it needs, and what was taken before it from the same
    /// inboxes, and so on.
    fn predecessors(&self, place: LabelId, cut: &Cut) -> Cut {
        let mut before = vec![0; self.lanes.len()];
        let mut looked_at = vec![0; self.lanes.len()];
        self.add_needed(&mut before, place, 0);
        self.add_preceding_in_inboxes(place, cut, &mut before);
        let mut goes_on = true;
        while std::mem::take(&mut goes_on) {
            for (lane, found) in self.lanes.iter().enumerate() {
                let from = looked_at[lane];
                let to: u32 = before[lane];
                if from == to {
                    continue;
                }
                (looked_at[lane], goes_on) = (to, true);
                for index in from..to {
                    if found.labels[index as usize].inboxes().next().is_some() {
                        let lane = lane as u32;
                        self.add_preceding_in_inboxes(LabelId { lane, index }, cut, &mut before);
                    }
                }
            }
        }
        before
    }

    /// Adds what was taken right before a label from the inboxes that it goes into, with what that needs.
    fn add_preceding_in_inboxes(&self, place: LabelId, cut: &Cut, before: &mut Cut) {
        for inbox in self.label(place).inboxes() {
            for taken in self.taken_before(place, *inbox, cut) {
                if before[taken.lane as usize] <= taken.index {
                    self.add_needed(before, taken, 1);
                }
            }
        }
    }

    /// What was taken from an inbox before what is there of a label, in any case.
    fn taken_before(&self, place: LabelId, (to, by): (u32, u32), cut: &Cut) -> TakenBefore<'_> {
        let lane = &self.lanes[to as usize];
        let limit = by.min(cut[to as usize]);
        // Once it was taken out, it is before nothing and after nothing.
        let limit = lane
            .cancelled_at(place.lane)
            .map_or(limit, |at| limit.min(at));
        lane.taken_before(limit, self.label(place).event())
    }

    /// Adds what comes right before a label in other lanes: so many labels of which.
    pub(super) fn add_preceding(&self, place: LabelId, cut: &Cut, due: &mut Vec<(u32, u32)>) {
        let mut add = |before: LabelId| due.push((before.lane, before.index + 1));
        if place.index == 0
            && let Some(parent) = self.lanes[place.lane as usize].parent
        {
            add(parent);
        }
        match self.label(place).act {
            LabelAction::Receive { from, .. } | LabelAction::Resume { from } => add(from),
            LabelAction::Synced { by } => add(by),
            _ => {}
        }
        for inbox in self.label(place).inboxes() {
            self.taken_before(place, *inbox, cut).for_each(&mut add);
        }
    }

    /// Notes where an event that was just sent might have been taken before.
    pub(super) fn find_revisits(
        &self,
        to: u32,
        send: LabelId,
        lives: &TransitionTable,
        edits: &mut Vec<Revisit>,
    ) {
        let receives = &self.lanes[to as usize].receives;
        let needed = self.label(send).clock.get(to as usize).copied();
        let needed = match send.lane == to {
            true => send.index,
            false => needed.unwrap_or(0),
        };
        let first = receives.partition_point(|index| *index < needed);
        // The earlier it is taken, the more is left out for it: what was looked at need not be again.
        let mut looked_at = self.whole();
        let known = edits.len();
        for index in receives[first..].iter().rev() {
            let at = LabelId {
                lane: to,
                index: *index,
            };
            let kept = self.kept(at, send);
            if !self.were_first_choices(&kept, &looked_at, send, lives) {
                break;
            }
            looked_at.clone_from(&kept);
            let is_put_off = |event| self.deferred_at(at).has(event);
            if self.label(send).event().is_some_and(is_put_off) {
                continue;
            }
            if !self.is_maximal(at, send, lives) {
                break;
            }
            looked_at[to as usize] = at.index;
            if self.takes_within(&kept, at) && self.is_candidate(send, kept, at, lives) {
                edits.push(Revisit::Backward { at, from: send });
            }
        }
        edits[known..].reverse();
    }

    /// Whether an event may be taken at a label, in place of what is taken there.
    fn is_candidate(&self, send: LabelId, kept: Cut, at: LabelId, lives: &TransitionTable) -> bool {
        let mut cut = kept;
        cut[at.lane as usize] = at.index;
        let open = self.open(&cut, at.lane, self.deferred_at(at), lives);
        open.contains(&send) && !self.is_preceded(send, &open, &cut)
    }

    /// Whether everything that is left out for an event that was sent, up to what was looked at, was the
    /// first choice: then there is no other graph from which it is to be taken earlier.
    fn were_first_choices(
        &self,
        kept: &Cut,
        looked_at: &Cut,
        send: LabelId,
        lives: &TransitionTable,
    ) -> bool {
        self.lanes.iter().enumerate().all(|(lane, found)| {
            let (from, to) = (kept[lane], looked_at[lane]);
            (from..to).all(|index| match found.labels[index as usize].act {
                LabelAction::Receive { .. } => {
                    let lane = lane as u32;
                    self.is_maximal(LabelId { lane, index }, send, lives)
                }
                LabelAction::Answer(answer) => answer == 0,
                _ => true,
            })
        })
    }

    /// Whether the event that is taken at a label is the one that comes first, of those that are there
    /// with what was before the label, and with what `send` needs.
    fn is_maximal(&self, at: LabelId, send: LabelId, lives: &TransitionTable) -> bool {
        let LabelAction::Receive { from, .. } = self.label(at).act else {
            return false;
        };
        let mut cut = self.cut_before(self.label(at).stamp);
        self.add_needed(&mut cut, send, 0);
        // What is seldom so, and soon known, comes first.
        from.index < cut[from.lane as usize]
            && self.comes_first(from, &cut, at, lives)
            && self.takes_within(&cut, at)
    }

    /// Whether an event is the first of the [candidates](Self::candidates) for a label.
    fn comes_first(&self, event: LabelId, cut: &Cut, at: LabelId, lives: &TransitionTable) -> bool {
        let open = self.open(cut, at.lane, self.deferred_at(at), lives);
        let rank = self.rank(event);
        open.contains(&event)
            && !self.is_preceded(event, &open, cut)
            && open
                .iter()
                .filter(|other| self.rank(**other) < rank)
                .all(|other| self.is_preceded(*other, &open, cut))
    }

    /// What is taken within a cut is within it too, but for what is taken at a label.
    fn takes_within(&self, cut: &Cut, but: LabelId) -> bool {
        self.lanes.iter().enumerate().all(|(lane, found)| {
            let (lane, count) = (lane as u32, cut[lane]);
            let receives = found.receives.iter().take_while(|index| **index < count);
            let mut receives = receives.map(|index| LabelId {
                lane,
                index: *index,
            });
            receives.all(|place| match self.label(place).act {
                LabelAction::Receive { from, .. } => {
                    place == but || from.index < cut[from.lane as usize]
                }
                _ => true,
            })
        })
    }
}
