//! Sends that are postponed until somebody needs them: [`Postponement`].
//!
//! A send to another operation commutes with all steps except
//!
//! - the further steps of the sender,
//! - the step that takes the event,
//! - other steps that append to the same inbox, and
//! - the end of the receiver, which closes the inbox.
//!
//! So it is late enough to follow a send just before one of these. In a state where none of these is near, the
//! send is not followed, or only together with the step of the receiver, as two steps, if the receiver has
//! nothing else to do. These are steps of ordinary executions, so each state has its true distance, and a path
//! to it can be executed.
//!
//! Nothing is missed: each execution to a bug or to a final state has an order of its steps in which every one
//! is followed. In a state on the way, let S be the sends that come first in their outboxes, and x a step of
//! the remainder outside of S with no other such step before it. If no send has to come before x, x is
//! followed. If x is the next step of a sender in S, that one's send is *needed*, since the sender goes on
//! behind it or another event is under way to it. If x takes an event from S, its receiver does nothing else in
//! between, and both are followed together. If x closes the inbox of a send, or appends to it, that send is
//! followed at once; so is one to the same inbox as a needed one, which may come before that. If only S is
//! left, the receivers don't take the events, and such sends are not postponed.
//!
//! All steps are followed while an obligation is pending, an operation defers, or a timer runs. So cycles of
//! such states are complete.

use serde::{Deserialize, Serialize};

use super::model::{FIRST, KnownSend, TransitionModel};
use super::pairs::Pairs;

/// A known step in a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownStep {
    /// The name of the operation or timer.
    pub(super) who: u64,
    pub(super) taker: u32,
    /// The first outcome.
    pub(super) first: u32,
    pub(super) send: Option<KnownSend>,
}

impl KnownStep {
    fn touches(&self, model: &TransitionModel, at: u32) -> bool {
        model.others(self.taker).contains(&at)
    }

    /// True if a step of the sender behind this send is near.
    fn is_needed(&self, send: &KnownSend, model: &TransitionModel, steps: &[Self]) -> bool {
        let at = self.who as u32 + FIRST as u32;
        send.goes_on || steps.iter().any(|other| other.touches(model, at))
    }

    /// True if a further step to the inbox is near.
    fn contends(&self, model: &TransitionModel, steps: &[Self]) -> bool {
        let send = self.send.as_ref();
        send.is_none_or(|send| self.is_needed(send, model, steps))
    }
}

/// The time until which a step in a state is postponed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Postponement {
    /// The step is followed at once.
    None,
    /// The send is followed together with the step of the receiver, by its index in a row.
    UntilTaken(u32),
    /// The send is followed in later states.
    Further,
}

/// The postponement of one of the steps of a state without timers and pending obligations.
pub(super) fn postponement(
    model: &TransitionModel,
    row: &[u32],
    steps: &[KnownStep],
    step: &KnownStep,
) -> Postponement {
    let Some(send) = &step.send else {
        return Postponement::None;
    };
    let receiver = row[send.to as usize];
    let is_enabled = model.part_of(receiver).is_enabled;
    let mut others = steps.iter().filter(|other| other.who != step.who);
    if !send.is_received
        || is_enabled && model.changes_own_inbox(receiver)
        || step.is_needed(send, model, steps)
        || others.any(|other| other.touches(model, send.to) && other.contends(model, steps))
    {
        return Postponement::None;
    }
    match is_enabled {
        true => Postponement::Further,
        false => Postponement::UntilTaken(send.to),
    }
}

/// A send that is followed together with the step of its receiver.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct PostponedSend {
    pub(super) state: u32,
    pub(super) outcome: u32,
    pub(super) to: u32,
}

/// The sends that wait for a depth, and the pairs of actions.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PostponedSends {
    /// The sends in states of the depth that is being expanded.
    later: Vec<PostponedSend>,
    /// The sends in states of the depth before that, the next one last.
    due: Vec<PostponedSend>,
    pairs: Pairs,
}

/// The bit that marks the number of a pair of actions.
const PAIR: u32 = 1 << 31;

impl PostponedSends {
    pub(super) fn push(&mut self, send: PostponedSend) {
        self.later.push(send);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.due.is_empty()
    }

    /// Makes the sends of a depth due once all of its states are expanded.
    pub(super) fn next_depth(&mut self) {
        std::mem::swap(&mut self.due, &mut self.later);
        self.due.reverse();
    }

    pub(super) fn next(&self) -> Option<PostponedSend> {
        self.due.last().copied()
    }

    pub(super) fn remove_next(&mut self) {
        self.due.pop();
    }

    pub(super) fn clear_due(&mut self) {
        self.due.clear();
    }

    /// Returns the number of two actions as one.
    pub(super) fn pair(&mut self, actions: [u32; 2]) -> u32 {
        self.pairs.enter(actions).0 | PAIR
    }

    /// Calls a function with each action of a number, the last one first.
    pub(super) fn actions_reversed(&self, action: u32, mut each: impl FnMut(u32)) {
        match action & PAIR {
            0 => each(action),
            _ => {
                let [first, second] = self.pairs.get(action & !PAIR);
                each(second);
                each(first);
            }
        }
    }

    /// The memory used, in bytes.
    pub(super) fn bytes(&self) -> usize {
        (self.later.capacity() + self.due.capacity()) * size_of::<PostponedSend>()
    }
}
