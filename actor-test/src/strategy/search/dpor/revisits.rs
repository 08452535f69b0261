//! Race reversal: the events that an operation may take, and backward revisits by events that are sent later.

use super::graph::{Cut, ExecutionGraph, LabelAction, LabelId, NO_LABEL, Revisit, TakenBefore};
use super::transitions::TransitionTable;
use crate::hash::mix;
use crate::strategy::DeferredEvents;

impl ExecutionGraph {
    /// Returns the cut that contains the whole graph.
    pub(super) fn whole(&self) -> Cut {
        let labels = self
            .processes
            .iter()
            .map(|process| process.labels.len() as u32);
        labels.collect()
    }

    /// Returns the events that an operation may take next within a cut: those in its inbox that no other
    /// event there always precedes. Their order does not depend on the order of the sends.
    pub(super) fn candidates(
        &self,
        cut: &Cut,
        process: u32,
        defers: DeferredEvents,
        table: &TransitionTable,
    ) -> Vec<LabelId> {
        let open = self.open(cut, process, defers, table);
        let is_free = |place: &LabelId| !self.is_preceded(*place, &open, cut);
        let mut free: Vec<LabelId> = open.iter().copied().filter(is_free).collect();
        free.sort_unstable_by_key(|place| self.rank(*place));
        free
    }

    /// Returns the events in an inbox that the operation does not defer.
    fn open(
        &self,
        cut: &Cut,
        process: u32,
        defers: DeferredEvents,
        table: &TransitionTable,
    ) -> Vec<LabelId> {
        let found = &self.processes[process as usize];
        let taken = cut[process as usize];
        let is_there = |(to, by): &(u32, u32)| *to == process && (*by == NO_LABEL || *by >= taken);
        let is_open = |place: &LabelId| {
            let label = self.label(*place);
            place.index < cut[place.process as usize]
                && label.inboxes().any(is_there)
                && !label.event().is_some_and(|event| defers.has(event))
                && found
                    .cancelled_at(place.process)
                    .is_none_or(|at| at >= taken)
                && self.is_open(*place, process, taken, table)
        };
        found.sends.iter().copied().filter(is_open).collect()
    }

    /// True if another open event always precedes this one.
    fn is_preceded(&self, place: LabelId, open: &[LabelId], cut: &Cut) -> bool {
        if open.len() < 2 {
            return false;
        }
        let before = self.predecessors(place, cut);
        let is_before =
            |other: &LabelId| *other != place && before[other.process as usize] > other.index;
        open.iter().any(is_before)
    }

    /// Returns the rank of an event among those of its inbox, which is the same in all graphs.
    fn rank(&self, place: LabelId) -> u64 {
        match self.label(place).act {
            LabelAction::Send { message, .. } => message,
            _ => mix(
                self.processes[place.process as usize].path,
                place.index.into(),
            ),
        }
    }

    /// Returns the part of a cut that always precedes a label: its happens-before predecessors, the events
    /// taken before it from the same inboxes, and so on transitively.
    fn predecessors(&self, place: LabelId, cut: &Cut) -> Cut {
        let mut before = vec![0; self.processes.len()];
        let mut checked = vec![0; self.processes.len()];
        self.add_needed(&mut before, place, 0);
        self.add_preceding_in_inboxes(place, cut, &mut before);
        let mut goes_on = true;
        while std::mem::take(&mut goes_on) {
            for (process, found) in self.processes.iter().enumerate() {
                let from = checked[process];
                let to: u32 = before[process];
                if from == to {
                    continue;
                }
                (checked[process], goes_on) = (to, true);
                for index in from..to {
                    if found.labels[index as usize].inboxes().next().is_some() {
                        let process = process as u32;
                        self.add_preceding_in_inboxes(LabelId { process, index }, cut, &mut before);
                    }
                }
            }
        }
        before
    }

    /// Adds the events that are taken right before a label from its inboxes, with their predecessors.
    fn add_preceding_in_inboxes(&self, place: LabelId, cut: &Cut, before: &mut Cut) {
        for inbox in self.label(place).inboxes() {
            for taken in self.taken_before(place, *inbox, cut) {
                if before[taken.process as usize] <= taken.index {
                    self.add_needed(before, taken, 1);
                }
            }
        }
    }

    /// Iterates over the events that are always taken from an inbox before this label is.
    fn taken_before(&self, place: LabelId, (to, by): (u32, u32), cut: &Cut) -> TakenBefore<'_> {
        let process = &self.processes[to as usize];
        let limit = by.min(cut[to as usize]);
        // A cancelled event has no order with the events that are taken after the cancellation.
        let limit = process
            .cancelled_at(place.process)
            .map_or(limit, |at| limit.min(at));
        process.taken_before(limit, self.label(place).event())
    }

    /// Adds the immediate predecessors of a label in other processes, as lengths of prefixes.
    pub(super) fn add_preceding(&self, place: LabelId, cut: &Cut, due: &mut Vec<(u32, u32)>) {
        let mut add = |before: LabelId| due.push((before.process, before.index + 1));
        if place.index == 0
            && let Some(parent) = self.processes[place.process as usize].parent
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

    /// Adds a backward revisit for each earlier receive that might have taken the event `send`.
    pub(super) fn find_revisits(
        &self,
        to: u32,
        send: LabelId,
        table: &TransitionTable,
        edits: &mut Vec<Revisit>,
    ) {
        let receives = &self.processes[to as usize].receives;
        let needed = self.label(send).clock.get(to as usize).copied();
        let needed = match send.process == to {
            true => send.index,
            false => needed.unwrap_or(0),
        };
        let first = receives.partition_point(|index| *index < needed);
        // An earlier receive drops more labels, so labels that were checked once are not checked again.
        let mut checked = self.whole();
        let known = edits.len();
        for index in receives[first..].iter().rev() {
            let at = LabelId {
                process: to,
                index: *index,
            };
            let kept = self.kept(at, send);
            if !self.were_first_choices(&kept, &checked, send, table) {
                break;
            }
            checked.clone_from(&kept);
            let is_put_off = |event| self.deferred_at(at).has(event);
            if self.label(send).event().is_some_and(is_put_off) {
                continue;
            }
            if !self.is_maximal(at, send, table) {
                break;
            }
            checked[to as usize] = at.index;
            if self.takes_within(&kept, at) && self.is_candidate(send, kept, at, table) {
                edits.push(Revisit::Backward { at, from: send });
            }
        }
        edits[known..].reverse();
    }

    /// True if the receive `at` may take the event `send` instead, with the labels `kept`.
    fn is_candidate(&self, send: LabelId, kept: Cut, at: LabelId, table: &TransitionTable) -> bool {
        let mut cut = kept;
        cut[at.process as usize] = at.index;
        let open = self.open(&cut, at.process, self.deferred_at(at), table);
        open.contains(&send) && !self.is_preceded(send, &open, &cut)
    }

    /// True if all labels that the reversal drops, up to those checked before, are first choices. Then no
    /// other graph has the same reversal (the maximality condition of TruSt).
    fn were_first_choices(
        &self,
        kept: &Cut,
        checked: &Cut,
        send: LabelId,
        table: &TransitionTable,
    ) -> bool {
        self.processes.iter().enumerate().all(|(process, found)| {
            let (from, to) = (kept[process], checked[process]);
            (from..to).all(|index| match found.labels[index as usize].act {
                LabelAction::Receive { .. } => {
                    let process = process as u32;
                    self.is_maximal(LabelId { process, index }, send, table)
                }
                LabelAction::Answer(answer) => answer == 0,
                _ => true,
            })
        })
    }

    /// True if the receive `at` takes its first candidate, given the labels before it and those that `send`
    /// needs.
    fn is_maximal(&self, at: LabelId, send: LabelId, table: &TransitionTable) -> bool {
        let LabelAction::Receive { from, .. } = self.label(at).act else {
            return false;
        };
        let mut cut = self.cut_before(self.label(at).stamp);
        self.add_needed(&mut cut, send, 0);
        // The cheap test that mostly fails comes first.
        from.index < cut[from.process as usize]
            && self.comes_first(from, &cut, at, table)
            && self.takes_within(&cut, at)
    }

    /// True if `event` is the first of the [candidates](Self::candidates) for the receive `at`.
    fn comes_first(&self, event: LabelId, cut: &Cut, at: LabelId, table: &TransitionTable) -> bool {
        let open = self.open(cut, at.process, self.deferred_at(at), table);
        let rank = self.rank(event);
        open.contains(&event)
            && !self.is_preceded(event, &open, cut)
            && open
                .iter()
                .filter(|other| self.rank(**other) < rank)
                .all(|other| self.is_preceded(*other, &open, cut))
    }

    /// True if every event that is taken within a cut is in the cut as well, apart from the receive `but`.
    fn takes_within(&self, cut: &Cut, but: LabelId) -> bool {
        self.processes.iter().enumerate().all(|(process, found)| {
            let (process, count) = (process as u32, cut[process]);
            let receives = found.receives.iter().take_while(|index| **index < count);
            let mut receives = receives.map(|index| LabelId {
                process,
                index: *index,
            });
            receives.all(|place| match self.label(place).act {
                LabelAction::Receive { from, .. } => {
                    place == but || from.index < cut[from.process as usize]
                }
                _ => true,
            })
        })
    }
}
