//! Cycles of asks: handlers that wait for each other's replies, so that none ever comes.

use crate::engine::workshop::Workshop;
use crate::engine::world::asks::AskRecord;
use crate::engine::world::operation::{Effect, Operation, Stage};
use crate::engine::world::room::Status;
use crate::engine::world::state::State;
use crate::engine::world::timers::TimerStage;

/// Who awaits whose reply.
pub(crate) struct Waits<'a> {
    pub(crate) state: &'a State,
    pub(crate) workshop: &'a Workshop,
}

impl Waits<'_> {
    /// The cycle of asks that `operation` has closed by waiting, or by an event that has reached
    /// someone who waits. It is looked for at once, since others may go on for long.
    pub(crate) fn cycle(&self, operation: u32) -> Option<Vec<u32>> {
        let mut cycle = self.cycle_from(operation)?;
        // The same, whoever has closed it.
        let oldest = (0..cycle.len()).min_by_key(|at| cycle[*at]);
        cycle.rotate_left(oldest.unwrap_or_default());
        Some(cycle)
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
        let found = &self.state.operations[operation as usize];
        if found.stage != Stage::Suspended || found.woken || found.open_asks == 0 {
            return None;
        }
        let mut awaited = self
            .asks_of(found, operation)
            .filter(|(ask, _)| self.is_awaited(*ask));
        let (_, ask) = awaited.next().filter(|_| awaited.next().is_none())?;
        let target = &self.state.operations[ask.target as usize];
        let stuck = target.stage == Stage::Suspended && self.is_unanswered(ask, found, target);
        stuck.then_some(ask.target)
    }

    /// Someone looks at what the reply is to lie in.
    fn is_awaited(&self, ask: u32) -> bool {
        let slot = self.workshop.reply(ask);
        slot.is_some_and(|slot| slot.is_awaited())
    }

    fn asks_of<'a>(
        &'a self,
        operation: &'a Operation,
        index: u32,
    ) -> impl Iterator<Item = (u32, &'a AskRecord)> {
        let asks = &self.state.asks;
        // Most have asked one thing, the last.
        let last = operation.last_ask as usize;
        let all = match asks.get(last) {
            Some(ask) if operation.open_asks == 1 && ask.asker == index && ask.is_open() => {
                last..last + 1
            }
            _ => 0..asks.len(),
        };
        all.map(|ask| (ask as u32, &asks[ask]))
            .filter(move |(_, ask)| ask.asker == index && ask.is_open())
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
        let found = &self.state.operations[operation as usize];
        let sleeps = self.state.timers.slots.iter().any(|timer| {
            let runs = matches!(timer.stage, TimerStage::Unarmed | TimerStage::Armed);
            runs && timer.owner == operation && timer.event.is_none()
        });
        let asks_for_room = self
            .state
            .questions
            .iter()
            .any(|question| question.sender == operation && question.status != Status::Free);
        found.receiving.is_empty() && !sleeps && !asks_for_room
    }
}
