//! Executions that show a fair cycle: they follow the path to it, and run once around it.

use super::super::obligations::FairCycle;
use super::super::operations::name_of;
use super::ReexecutionSearch;
use crate::data::bug::{Cycle, SearchedCycle};
use crate::strategy::{Enabled, StateView};

/// The progress of an execution around a cycle.
#[derive(Debug)]
pub(super) struct CycleProgress {
    pub(super) accusation: FairCycle,
    /// The step after which the cycle begins.
    pub(super) from: Option<u64>,
    /// The number of steps of the cycle that were begun.
    pub(super) begun: usize,
    /// The number of answers in the step in progress.
    pub(super) answered: usize,
    /// The cycle, once the execution came back to its beginning.
    pub(super) is_whole: Option<Cycle>,
}

impl ReexecutionSearch {
    /// Finds the fair cycles, once all states are known.
    pub(super) fn find_cycles(&mut self) -> Vec<FairCycle> {
        if self.strayed > 0 || self.lacks_states {
            return Vec::new();
        }
        let (accusations, unjudged) = self
            .obligation_steps
            .judge(self.local_first, self.is_symmetric);
        self.unjudged = unjudged;
        accusations
    }

    /// Processes the arrival in a state of the cycle.
    pub(super) fn go_round(&mut self, seen: &StateView, step: u64) {
        let print = self.print(seen);
        let Some(round) = &mut self.round else {
            return;
        };
        let cycle_path = &round.accusation.cycle_path;
        let from = *round.from.get_or_insert(step - round.begun as u64);
        let last = cycle_path[..round.begun].last();
        if last.is_some_and(|(_, to)| !self.visited.is(*to, print)) {
            return self.diverge();
        }
        if round.begun == cycle_path.len() {
            round.is_whole = Some(Cycle {
                from,
                to: step,
                searched: Some(SearchedCycle {
                    entry: round.accusation.entry,
                    demand: round.accusation.demand,
                }),
            });
            self.is_pruned = true;
        }
    }

    /// Prepares the next execution to show a fair cycle; `false` if none is left.
    pub(super) fn accuse(&mut self) -> bool {
        if self.accusations.is_none() {
            self.accusations = Some(self.find_cycles());
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

    /// True once the execution is on the cycle that it shows.
    pub(super) fn is_going_round(&self) -> bool {
        self.round.is_some() && self.level == self.frames.len()
    }

    /// The position of the next step of the cycle.
    pub(super) fn next_of_round(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let round = self.round.as_mut()?;
        let (action, _) = round.accusation.cycle_path.get(round.begun)?;
        round.begun += 1;
        round.answered = 0;
        let name = self.obligation_steps.action(*action)[0];
        let position = enabled.iter().position(|pending| name_of(pending) == name);
        if position.is_none() {
            self.diverge();
        }
        position
    }

    pub(super) fn next_answer(&mut self) -> Option<u32> {
        if !self.is_going_round() {
            return None;
        }
        let round = self.round.as_mut()?;
        let (action, _) = round
            .accusation
            .cycle_path
            .get(round.begun.checked_sub(1)?)?;
        round.answered += 1;
        let answer = self.obligation_steps.action(*action).get(round.answered);
        answer.map(|answer| *answer as u32)
    }
}
