//! Waits without a time limit and deferred events: what is owed without a specification that says so.
//!
//! A handler that awaits is owed what it awaits, and an actor that defers an event owes that it takes
//! it. Where nothing else can happen, the end of the execution tells. Beside periodic timers and other
//! traffic the rules of liveness do: what has been owed for more fair steps than the threshold is
//! suspect. Nothing is counted at a step. A wait knows the step at which it began, and the thermometer
//! raises its alarm when the first may be overdue; then all are looked at.

use actor_core::generated::Disposition;

use crate::engine::world::operation::{Letter, Operation, STOP, Stage};
use crate::engine::world::state::State;
use crate::engine::world::timers::TimerStage;

/// An event that an actor was seen to defer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deferral {
    pub(crate) actor: u32,
    /// The event's key.
    pub(crate) letter: u64,
    /// The step of the look that saw it first.
    pub(crate) since: u64,
}

impl State {
    /// A handler, or the body, waits from now on.
    pub(crate) fn wait_begins(&mut self, operation: u32) {
        let step = self.step;
        self.operations[operation as usize].waits_since = step;
        self.thermometer.look_when_overdue(step);
    }

    /// Who awaits what is owed to it.
    pub(crate) fn impatient(&self) -> impl Iterator<Item = u32> {
        let awaits =
            |operation: &Operation| operation.stage == Stage::Suspended && operation.patient == 0;
        let all = 0..self.live as u32;
        let waiting = all.filter(move |index| awaits(&self.operations[*index as usize]));
        waiting.filter(|index| self.objects.is_unused() || !self.may_rest(*index))
    }

    pub(crate) fn someone_awaits(&self) -> bool {
        self.suspended > 0 && self.impatient().next().is_some()
    }

    /// A sleep, or a time limit, will have the operation go on.
    pub(crate) fn has_time_limit(&self, operation: u32) -> bool {
        self.timers.of(operation).any(|timer| {
            let timer = &self.timers.slots[timer as usize];
            let runs = matches!(timer.stage, TimerStage::Unarmed | TimerStage::Armed);
            runs && timer.event.is_none()
        })
    }

    /// Since which step the wait counts.
    pub(crate) fn counts_since(&self, operation: u32, counts_from: u64) -> u64 {
        let found = &self.operations[operation as usize];
        found.waits_since.max(counts_from)
    }

    /// The waits that have lasted for longer than that; asks to look again when the next may have.
    pub(crate) fn overdue(&mut self, threshold: u64, counts_from: u64) -> Vec<u32> {
        let mut overdue = Vec::new();
        let mut next = u64::MAX;
        for operation in self.impatient() {
            let due = self.counts_since(operation, counts_from) + threshold + 1;
            if self.step < due {
                next = next.min(due);
            } else if !self.operations[operation as usize].woken && !self.has_time_limit(operation)
            {
                overdue.push(operation);
                // Should nobody be blamed now.
                next = next.min(self.step + threshold / 4 + 1);
            }
        }
        self.thermometer.look_at(next);
        overdue
    }

    /// Those of `overdue` that are to be blamed: who awaits the reply of one that has waited for long
    /// itself is not, unless that one is among those who wait for each other.
    pub(crate) fn roots(&self, overdue: &[u32], threshold: u64, counts_from: u64) -> Vec<u32> {
        let long = |operation: &u32| {
            self.step
                .saturating_sub(self.counts_since(*operation, counts_from))
                > threshold / 2
        };
        let waits: Vec<u32> = self.impatient().filter(long).collect();
        let mut roots = overdue.to_vec();
        roots.retain(|operation| {
            let mut asked = self.asks.iter();
            !asked
                .any(|ask| ask.asker == *operation && ask.is_open() && waits.contains(&ask.target))
        });
        if roots.is_empty() && waits.iter().all(|wait| overdue.contains(wait)) {
            return overdue.to_vec();
        }
        roots
    }

    /// What the actor defers at the head of its inbox. Ticks come again.
    fn deferred(&self, index: u32) -> Option<Letter> {
        let actor = &self.operations[index as usize];
        if !actor.defers || actor.stage != Stage::Idle {
            return None;
        }
        let is_deferred = |letter: &&Letter| {
            let is_event = letter.event != STOP && !letter.sender.is_timer();
            is_event && self.disposition(index, letter.event) == Disposition::Defer
        };
        actor.inbox.iter().find(is_deferred).copied()
    }

    /// Notes what is deferred now; tells what was deferred for longer than the threshold, in all looks
    /// since.
    pub(crate) fn look_at_deferrals(&mut self, threshold: u64) -> Option<Deferral> {
        let defers = |index: &u32| self.operations[*index as usize].defers;
        let mut actors = (0..self.live as u32).filter(defers).peekable();
        actors.peek()?;
        let mut now = Vec::new();
        for actor in actors {
            let Some(letter) = self.deferred(actor) else {
                continue;
            };
            let is_same = |seen: &&Deferral| seen.actor == actor && seen.letter == letter.key;
            let since = self.deferrals.iter().find(is_same);
            now.push(Deferral {
                actor,
                letter: letter.key,
                since: since.map_or(self.step, |seen| seen.since),
            });
        }
        let is_overdue = |seen: &&Deferral| self.step - seen.since > threshold;
        let overdue = now.iter().find(is_overdue).copied();
        self.deferrals = now;
        self.thermometer.look_soon(self.step);
        overdue
    }
}
