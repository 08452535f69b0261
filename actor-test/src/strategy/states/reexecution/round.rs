//! What may go on for ever: executions that go the way to a cycle, and round it.

use super::super::name_of;
use super::super::obligations::FairCycle;
use super::ReexecutionSearch;
use crate::data::bug::{Cycle, Searched};
use crate::strategy::{Enabled, StateView};

/// How far an execution is that goes round a cycle.
#[derive(Debug)]
pub(super) struct CycleProgress {
    pub(super) accusation: FairCycle,
    /// After which step the cycle begins.
    pub(super) from: Option<u64>,
    /// How many of its steps were begun.
    pub(super) begun: usize,
    /// How many choices of the step in progress were answered.
    pub(super) answered: usize,
    /// It came back.
    pub(super) is_whole: Option<Cycle>,
}

impl ReexecutionSearch {
    /// All states are known: what of them may go on for ever is looked for.
    pub(super) fn look_for_cycles(&mut self) -> Vec<FairCycle> {
        if self.strayed > 0 || self.lacks_states {
            return Vec::new();
        }
        let (accusations, unjudged) = self.owing.judge(self.local_first, self.is_symmetric);
        self.unjudged = unjudged;
        accusations
    }

    /// The execution goes round a cycle, and has come to a state of it.
    pub(super) fn go_round(&mut self, seen: &StateView, step: u64) {
        let print = self.print(seen);
        let Some(round) = &mut self.round else {
            return;
        };
        let lap = &round.accusation.lap;
        let from = *round.from.get_or_insert(step - round.begun as u64);
        let last = lap[..round.begun].last();
        if last.is_some_and(|(_, to)| !self.known.is(*to, print)) {
            return self.diverge();
        }
        if round.begun == lap.len() {
            round.is_whole = Some(Cycle {
                from,
                to: step,
                searched: Some(Searched {
                    entry: round.accusation.entry,
                    demand: round.accusation.demand,
                }),
            });
            self.is_pruned = true;
        }
    }

    /// Has the next execution show that something may stay owed; `false` where nothing is left that may.
    pub(super) fn accuse(&mut self) -> bool {
        if self.accusations.is_none() {
            self.accusations = Some(self.look_for_cycles());
        }
        let Some(accusation) = self.accusations.as_mut().and_then(Vec::pop) else {
            return false;
        };
        self.frames.clear();
        self.branches.clear();
        self.lead_to(accusation.start, false);
        self.round = Some(CycleProgress {
            accusation,
            from: None,
            begun: 0,
            answered: 0,
            is_whole: None,
        });
        true
    }

    /// The execution is at the cycle that it shows.
    pub(super) fn is_going_round(&self) -> bool {
        self.round.is_some() && self.level == self.frames.len()
    }

    /// The position of the next step of the cycle.
    pub(super) fn next_of_round(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let round = self.round.as_mut()?;
        let (action, _) = round.accusation.lap.get(round.begun)?;
        round.begun += 1;
        round.answered = 0;
        let name = self.owing.action(*action)[0];
        let position = enabled.iter().position(|pending| name_of(pending) == name);
        if position.is_none() {
            self.diverge();
        }
        position
    }

    /// The next answer in the cycle.
    pub(super) fn next_answer(&mut self) -> Option<u32> {
        if !self.is_going_round() {
            return None;
        }
        let round = self.round.as_mut()?;
        let (action, _) = round.accusation.lap.get(round.begun.checked_sub(1)?)?;
        round.answered += 1;
        let answer = self.owing.action(*action).get(round.answered);
        answer.map(|answer| *answer as u32)
    }
}
