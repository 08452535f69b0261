//! Cycles of asks: handlers that wait for each other's replies, so that none ever comes.

use crate::data::bug::BugKind;
use crate::engine::world::asks::AskRecord;
use crate::engine::world::operation::{Effect, Operation, Sender, Stage};
use crate::engine::world::room::Status;
use crate::engine::world::state::State;
use crate::engine::world::timers::TimerStage;

impl State {
    /// Finds a cycle of asks that `operation` has closed by waiting, or by an event that has reached
    /// someone who waits. It is looked for at once, since others may go on for long.
    pub(crate) fn find_cycle(&mut self, operation: u32) {
        let Some(mut cycle) = self.cycle_from(operation) else {
            return;
        };
        // The same, whoever has closed it.
        let oldest = (0..cycle.len()).min_by_key(|at| cycle[*at]);
        cycle.rotate_left(oldest.unwrap_or_default());
        let names: Vec<String> = cycle
            .iter()
            .chain(cycle.first())
            .map(|operation| self.name(*operation))
            .collect();
        let message = format!(
            "a cycle of asks, in which each handler awaits the reply of the next: `{}`",
            names.join(" -> ")
        );
        self.find(BugKind::Deadlock, message, None);
    }

    /// The operations of the cycle that leads back to `first`.
    fn cycle_from(&self, first: u32) -> Option<Vec<u32>> {
        let mut operation = self.waits_for(first)?;
        // Not before: most wait for someone who goes on.
        let mut cycle = vec![first];
        while operation != first {
            if cycle.contains(&operation) {
                return None;
            }
            cycle.push(operation);
            operation = self.waits_for(operation)?;
        }
        let stuck = cycle
            .iter()
            .all(|operation| self.waits_for_nothing_else(*operation));
        stuck.then_some(cycle)
    }

    /// Whose reply a suspended operation awaits, where that is all that it has asked and nobody else
    /// will answer.
    fn waits_for(&self, operation: u32) -> Option<u32> {
        let found = &self.operations[operation as usize];
        if found.stage != Stage::Suspended || found.woken || found.open_asks == 0 {
            return None;
        }
        let mut awaited = self
            .asks_of(found, operation)
            .filter(|ask| ask.is_awaited());
        let ask = awaited.next().filter(|_| awaited.next().is_none())?;
        let target = &self.operations[ask.target as usize];
        let stuck = target.stage == Stage::Suspended && self.is_unanswered(ask, found, target);
        stuck.then_some(ask.target)
    }

    fn asks_of<'a>(
        &'a self,
        operation: &'a Operation,
        index: u32,
    ) -> impl Iterator<Item = &'a AskRecord> {
        // Most have asked one thing, the last.
        let last = operation.last_ask as usize;
        let all = match self.asks.get(last) {
            Some(ask) if operation.open_asks == 1 && ask.asker == index && ask.is_open() => {
                &self.asks[last..=last]
            }
            _ => &self.asks,
        };
        all.iter()
            .filter(move |ask| ask.asker == index && ask.is_open())
    }

    /// The handler in which `target` waits answers the ask, or keeps it from being handled.
    fn is_unanswered(&self, ask: &AskRecord, asker: &Operation, target: &Operation) -> bool {
        let is_under_way = |effect: &Effect| matches!(effect, Effect::Send { letter, .. } if letter.key == ask.letter);
        let in_hand = target.handling == ask.letter && !ask.out_of_hands;
        in_hand
            || target.inbox.iter().any(|letter| letter.key == ask.letter)
            // A full mailbox might refuse it.
            || target.bound.is_none() && asker.outbox.effects().iter().any(is_under_way)
    }

    /// No timer, event or room will have the operation go on.
    fn waits_for_nothing_else(&self, operation: u32) -> bool {
        let found = &self.operations[operation as usize];
        let sleeps = self.timers.slots.iter().any(|timer| {
            let runs = matches!(timer.stage, TimerStage::Unarmed | TimerStage::Armed);
            runs && timer.owner == operation && timer.event.is_none()
        });
        let asks_for_room = self
            .questions
            .iter()
            .any(|question| question.sender == operation && question.status != Status::Free);
        found.receiving.is_empty() && !sleeps && !asks_for_room
    }

    /// A letter has reached an actor that waits in a handler: it may have closed a cycle.
    pub(crate) fn find_cycle_of(&mut self, sender: Sender) {
        if let Sender::Operation(sender) = sender
            && self.operations[sender as usize].open_asks > 0
        {
            self.find_cycle(sender);
        }
    }
}
