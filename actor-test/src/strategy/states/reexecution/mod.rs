//! Stateful search by re-execution: runs the path to each state again, [`ReexecutionSearch`].
//!
//! The search stores the fingerprints of [visited states](visited), and prunes an execution at one of them.
//! Each execution follows a [path](path), and the last ones show the [fair cycles](cycle_replay).

mod cycle_replay;
mod path;
mod visited;

use cycle_replay::CycleProgress;
use path::{Frame, PathAlternatives, PathBranch};
use serde::{Deserialize, Serialize};
use visited::{NOWHERE, VisitedFingerprints};

use super::StateLimit;
use super::graph::OUTSIDE;
use super::names::Numbered;
use super::obligations::{self, FairCycle, ObligationSteps};
use super::operations::{name_of, own};
use super::size::{extent, gaps};
use super::visit_order::{VisitOrder, name};
use crate::codec::{self, DecodeError};
use crate::data::coverage_claim::{CoverageClaim, Gap, Reduction, Unjudged};
use crate::data::extent::SizeEstimate;
use crate::strategy::search::SearchStrategy;
use crate::strategy::tick_bound::has_ticks;
use crate::strategy::{
    Choice, Enabled, Ended, Ending, Execution, Fairness, Needs, OperationId, Pruned, StateView,
    Step, Strategy, StrategyEvent,
};

/// Visits every state once: an execution ends at a state that was visited before.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReexecutionSearch {
    order: VisitOrder,
    local_first: bool,
    #[serde(skip)]
    state_limit: StateLimit,
    visited: VisitedFingerprints,
    /// The decisions between a state and its successor, by number.
    decisions: Numbered<[u32]>,
    /// The states on the path of the execution in progress, and the decisions there.
    frames: Vec<Frame>,
    branches: Vec<PathBranch>,
    /// The numbers of frames and branches that the execution has passed.
    level: usize,
    depth: usize,
    /// The step before which the execution entered a state last.
    arrived: Option<u64>,
    /// Set once the successors are known, so that no more decisions are made.
    is_pruned: bool,
    /// The next state to be expanded breadth first.
    next: u32,
    /// States in which the alternatives to a local step of that operation were spared.
    spared: Vec<(u32, OperationId)>,
    /// Operations that were interrupted at least once.
    interrupted: Vec<OperationId>,
    /// The branching point at which the step in progress was picked.
    picked_at: Option<usize>,
    /// States in which all steps are to be tried.
    again: Vec<u32>,
    /// Set if the program reads the clock, so that states at different times differ.
    with_time: bool,
    /// Set while permutations of interchangeable actors count as one state; `is_symmetric` if there are
    /// any.
    merges_permutations: bool,
    is_symmetric: bool,
    begins_anew: bool,
    begun: bool,
    is_complete: bool,
    is_full: bool,
    /// Set if states are not passed to the search.
    lacks_states: bool,
    has_faults: bool,
    /// Set once a periodic or patient timer was enabled: no step is local then, since the number of ticks
    /// until the end depends on the steps in between.
    has_ticks: bool,
    /// The number of executions in which a seed was asked for.
    seeded: u64,
    is_seeded: bool,
    /// The number of executions that diverged from the path.
    strayed: u64,
    /// The step after which the first one diverged.
    strayed_at: Option<u64>,
    /// The number of steps in this execution.
    steps: u64,
    is_astray: bool,
    /// The steps from states with pending obligations.
    obligation_steps: ObligationSteps,
    /// The pending obligations of the current state, and those of them that are hot.
    pending_bits: (u64, u64),
    /// The properties of infinite executions that were not judged.
    unjudged: Vec<Unjudged>,
    /// The operation of the step in progress, if that concerns only its own events.
    own: Option<u64>,
    /// The name of the operation in progress and the answers to choices; empty if a fault strikes.
    action: Vec<u64>,
    /// Set if a fault struck within the step.
    is_struck: bool,
    /// The fair cycles that are still to be shown, once all states are known.
    accusations: Option<Vec<FairCycle>>,
    /// The fair cycle that the execution in progress shows.
    #[serde(skip)]
    round: Option<CycleProgress>,
}

impl ReexecutionSearch {
    pub(super) fn new(order: VisitOrder, local_first: bool, state_limit: StateLimit) -> Self {
        Self {
            order,
            local_first,
            state_limit,
            visited: VisitedFingerprints::default(),
            decisions: Numbered::default(),
            frames: Vec::new(),
            branches: Vec::new(),
            level: 0,
            depth: 0,
            arrived: None,
            is_pruned: false,
            next: 0,
            spared: Vec::new(),
            interrupted: Vec::new(),
            picked_at: None,
            again: Vec::new(),
            with_time: false,
            // Interruptions are recorded by operation, which a permutation would confuse.
            merges_permutations: !local_first,
            is_symmetric: false,
            begins_anew: false,
            begun: false,
            is_complete: false,
            is_full: false,
            lacks_states: false,
            has_faults: false,
            has_ticks: false,
            seeded: 0,
            is_seeded: false,
            strayed: 0,
            strayed_at: None,
            steps: 0,
            is_astray: false,
            obligation_steps: ObligationSteps::default(),
            pending_bits: (0, 0),
            unjudged: Vec::new(),
            own: None,
            action: Vec::new(),
            is_struck: false,
            accusations: None,
            round: None,
        }
    }

    /// Forgets all states, because they were compared by too little.
    fn begin_anew(&mut self) {
        let anew = Self::new(self.order, self.local_first, self.state_limit);
        let before = std::mem::replace(self, anew);
        self.with_time = before.with_time;
        self.merges_permutations = before.merges_permutations;
        self.has_faults = before.has_faults;
        self.has_ticks = before.has_ticks;
        self.seeded = before.seeded;
        self.strayed = before.strayed;
        self.strayed_at = before.strayed_at;
    }

    /// Processes the arrival in a state, before its next step.
    fn arrive(&mut self, enabled: &Enabled<'_>) {
        let step = enabled.step();
        if self.arrived.replace(step) == Some(step) || self.is_pruned {
            return;
        }
        match enabled.state() {
            Some(seen) if self.is_going_round() => {
                self.go_round(seen, step);
            }
            Some(seen) => {
                self.come_to(seen);
            }
            None => {
                self.lacks_states = true;
                self.is_pruned = true;
            }
        }
    }

    /// Enters the next state of the path, or one behind it, which is returned if it is new.
    fn come_to(&mut self, seen: &StateView) -> Option<u32> {
        let needs_time = seen.reads_clock && !self.with_time;
        let needs_names = (seen.reads_one || seen.reads_numbers) && self.merges_permutations;
        if needs_time || needs_names {
            self.with_time |= needs_time;
            self.merges_permutations &= !needs_names;
            self.begins_anew = true;
            self.is_pruned = true;
            return None;
        }
        self.is_symmetric |= self.merges_permutations && seen.canonical.is_some();
        let print = self.print(seen);
        if let Some(frame) = self.frames.get(self.level) {
            // The decisions of the previous step led to this state before.
            let is_there = self.visited.is(frame.state, print) && self.depth == frame.from;
            if !is_there {
                self.diverge();
            }
            self.level += 1;
            self.stand(seen);
            return None;
        }
        let (state, is_new) = self.enter(print);
        self.note_step(state);
        self.stand(seen);
        if is_new && self.order == VisitOrder::Depth && !self.is_full {
            self.push_frame(state, false);
            self.level += 1;
        } else if self.frames.is_empty() {
            // The first state is always expanded.
            self.next = 1;
            self.push_frame(state, false);
            self.level += 1;
        } else {
            self.is_pruned = true;
        }
        is_new.then_some(state)
    }

    /// Records the obligations of a state, and resets the step in progress.
    fn stand(&mut self, seen: &StateView) {
        self.pending_bits = pending_bits(seen);
        self.action.clear();
        self.is_struck = false;
    }

    /// Records the step from the last state on the path.
    fn note_step(&mut self, to: u32) {
        if let Some(frame) = self.frames.last()
            && !self.action.is_empty()
            && !self.is_struck
        {
            self.obligation_steps
                .step(frame.state, self.pending_bits, &self.action, to);
            if let Some(own) = self.own {
                self.obligation_steps.own_step(frame.state, own, to);
            }
        }
    }

    /// Enters the successor of the last state on the path.
    fn enter(&mut self, print: u128) -> (u32, bool) {
        let (from, by) = match self.frames.last() {
            None => (NOWHERE, 0),
            Some(frame) => {
                let taken = self.branches[frame.from..].iter();
                let taken: Vec<u32> = taken.map(|branch| branch.taken).collect();
                (frame.state, self.decisions.number(&taken))
            }
        };
        let entered = self.visited.enter(print, from, by);
        if entered.1 && self.state_limit.is_bounded() {
            let StateLimit { states, bytes } = self.state_limit;
            let met = self.visited.len() as u64;
            let beside = self.obligation_steps.bytes();
            self.is_full |= states.is_some_and(|most| met >= most)
                || bytes.is_some_and(|bytes| !self.visited.fits(bytes.saturating_sub(beside)));
        }
        entered
    }

    fn print(&self, seen: &StateView) -> u128 {
        let merges_permutations = seen.canonical.filter(|_| self.merges_permutations);
        let print = merges_permutations.unwrap_or(seen.print);
        match self.with_time {
            true => {
                print
                    ^ seen
                        .now
                        .as_nanos()
                        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
            }
            false => print,
        }
    }

    fn diverge(&mut self) {
        self.strayed += u64::from(!self.is_astray);
        self.strayed_at.get_or_insert(self.steps);
        self.is_astray = true;
        self.is_pruned = true;
    }
}

/// The pending obligations of a state, and the hot ones; deferred events have a bit of their own.
fn pending_bits(seen: &StateView) -> (u64, u64) {
    let defers = match seen.is_deferring {
        true => obligations::DEFERS,
        false => 0,
    };
    let own = !obligations::DEFERS;
    (seen.obligations & own | defers, seen.hot & own | defers)
}

impl ReexecutionSearch {
    /// Picks the next step of the path, or the first one behind it.
    fn next_step(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.steps = enabled.step();
        self.arrive(enabled);
        if self.local_first && !self.has_ticks && has_ticks(enabled) {
            self.has_ticks = true;
            self.begins_anew = true;
            self.is_pruned = true;
        }
        if self.is_pruned {
            return None;
        }
        if self.is_going_round() {
            return self.next_of_round(enabled);
        }
        self.picked_at = (enabled.len() > 1).then_some(self.depth);
        let position = self.pick_branch(enabled);
        self.action.clear();
        if let Some(pending) = enabled.get(position) {
            self.action.push(name_of(pending));
            self.own = own(pending).then(|| name_of(pending));
        }
        Some(position)
    }

    /// Records the alternatives of a step that was not local, and the operations that it interrupted.
    fn learn(&mut self, step: &Step<'_>) {
        let taker = step.pending.operation;
        if let Some(at) = self.picked_at.filter(|_| !step.is_local)
            && let Some(branch) = self.branches.get_mut(at)
            && branch.others == PathAlternatives::Spared(taker)
        {
            branch.others = PathAlternatives::Due;
        }
        // An operation that interrupts itself has taken its steps before in any case.
        for operation in step.interrupted.iter().filter(|one| **one != taker) {
            if !self.interrupted.contains(operation) {
                self.interrupted.push(*operation);
            }
        }
    }

    /// Enters the last state.
    fn finish(&mut self, ended: &Ended) {
        if self.is_pruned || self.round.is_some() || self.level < self.frames.len() {
            return;
        }
        if self.arrived == Some(ended.steps) {
            // Nothing was enabled.
            if let Some(frame) = self.frames.last() {
                self.visited.ends(frame.state);
            }
            return;
        }
        let is_next = self.arrived.is_none_or(|step| step + 1 == ended.steps);
        match &ended.state {
            Some(seen) if ended.ending != Ending::Bound && is_next => {
                if let Some(state) = self.come_to(seen) {
                    self.visited.ends(state);
                }
            }
            // A failed step, the bound, or a walk under another strategy.
            _ => self.note_step(OUTSIDE),
        }
    }
}

impl Strategy for ReexecutionSearch {
    fn name(&self) -> String {
        name(self.order, self.local_first, self.state_limit)
    }

    fn needs(&self) -> Needs {
        Needs {
            steps: self.local_first,
            states: true,
            faults: true,
            memory: true,
            ..Needs::default()
        }
    }

    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        if self.begins_anew {
            self.begin_anew();
        }
        self.round = None;
        let more = !self.begun || !self.is_full && (self.advance() || self.accuse());
        self.begun = true;
        self.is_complete = !more && !self.is_full && !self.lacks_states;
        self.level = 0;
        self.depth = 0;
        self.arrived = None;
        self.is_pruned = false;
        self.is_seeded = false;
        self.is_astray = false;
        self.picked_at = None;
        more.then_some(Fairness::Unfair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let next = self.next_step(enabled);
        let round = self.round.as_ref();
        next.ok_or_else(|| Pruned::by(round.and_then(|round| round.is_whole)))
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        let answer = match choice {
            Choice::Below(bound, _) => match self.next_answer() {
                Some(answer) => answer.min(bound - 1),
                None => self.branch(bound as usize) as u32,
            },
            Choice::Seed => {
                self.seeded += u64::from(!self.is_seeded);
                self.is_seeded = true;
                0
            }
            Choice::FaultBetween(enabled, faults) => {
                self.arrive(enabled);
                self.has_faults |= !faults.is_empty();
                let is_possible = !self.is_going_round();
                return is_possible.then(|| self.branch(1 + faults.len()) as u32);
            }
            Choice::FaultWithin(_) if self.is_going_round() => return None,
            Choice::FaultWithin(site) => {
                let way = self.branch(site.ways as usize + 1) as u32;
                // The fault budget bounds such steps, so none lies on a cycle.
                self.is_struck |= way > 0;
                return Some(way);
            }
            Choice::Passing(_) => return None,
        };
        self.action.push(u64::from(answer));
        Some(answer)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        match event {
            StrategyEvent::Stepped(step) => self.learn(step),
            StrategyEvent::Struck(_) => self.is_struck = true,
            StrategyEvent::Ended(ended) => self.finish(ended),
        }
    }

    fn covered(&self) -> CoverageClaim {
        let bound = self.is_full.then(|| self.visited.len() as u64);
        let mut gaps = gaps(bound, self.seeded, &self.unjudged);
        if self.strayed > 0 {
            let executions = self.strayed;
            let step = self.strayed_at;
            gaps.push(Gap::Diverged { executions, step });
        }
        CoverageClaim::Systematic {
            reduction: Reduction::States {
                states: self.visited.len() as u64,
                local_first: self.local_first,
                symmetric: self.is_symmetric,
            },
            is_complete: self.is_complete,
            gaps,
        }
    }
}

impl SearchStrategy for ReexecutionSearch {
    fn extent(&self) -> Option<SizeEstimate> {
        let is_breadth = self.order == VisitOrder::Breadth && self.accusations.is_none();
        let gone_on = u64::from(self.next.saturating_sub(1));
        let met = self.visited.len() as u64;
        match is_breadth {
            true => extent(met, gone_on, |state| self.visited.predecessor(state).0),
            false => self.extent_in_depth(),
        }
    }

    fn save(&mut self) -> Option<Vec<u8>> {
        Some(codec::encode(self))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), DecodeError> {
        *self = Self {
            state_limit: self.state_limit,
            ..codec::decode(saved)?
        };
        Ok(())
    }
}
