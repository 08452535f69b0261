//! Exhaustive depth-first search over all schedules: [`Dfs`].

use serde::{Deserialize, Serialize};

use crate::codec::{self, DecodeError};
use crate::settings::strategy::StrategySpec;
use crate::strategy::search::SearchStrategy;
use crate::strategy::tick_bound::{TickBound, has_ticks, has_timers};
use crate::strategy::{
    Choice, CoverageClaim, Enabled, Execution, Fairness, Gap, Needs, OperationId, Pruned,
    Reduction, SizeEstimate, Step, Strategy, StrategyEvent,
};

/// Visits every schedule up to the step bound, depth first: an oracle for other strategies, on small tests.
///
/// Unfair, so liveness is judged only in executions that end. Seeds of generators are not explored: each is
/// zero, and the search is [not called exhaustive](CoverageClaim) if one was asked for. Beyond two ticks of an
/// actor, its periodic timers fire only when nothing else can happen, which is a [gap](Gap::Ticks).
#[derive(Debug, Default)]
pub struct Dfs {
    /// The branching points of the current execution.
    path: Vec<BranchingPoint>,
    depth: usize,
    begun: bool,
    executions_max: Option<u64>,
    executions: u64,
    local_first: bool,
    /// Set once faults may strike between steps.
    has_faults: bool,
    /// The branching point at which the step in progress was picked.
    picked_at: Option<usize>,
    /// True if no other path is left.
    is_complete: bool,
    /// The number of executions in which a seed was asked for.
    seeded: u64,
    /// True if this execution asked for a seed.
    is_seeded: bool,
    ticks: TickBound,
    /// True once a periodic or patient timer was enabled: local steps come in every order then, since the
    /// number of ticks until the end depends on the steps in between.
    has_ticks: bool,
    /// The number of executions in which the ticks of an actor were cut.
    cut: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct BranchingPoint {
    taken: u32,
    of: u32,
    others: DfsAlternatives,
    /// The number of executions completed before this point, and before its current alternative.
    met_after: u64,
    taken_after: u64,
}

/// The treatment of the alternatives that were not taken yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum DfsAlternatives {
    /// Each alternative is taken in turn.
    Due,
    /// The alternatives need not be taken, as long as the step of this operation proves to be local.
    Spared(OperationId),
}

/// The search in a checkpoint.
#[derive(Debug, Serialize, Deserialize)]
struct Saved {
    path: Vec<BranchingPoint>,
    begun: bool,
    executions: u64,
    has_faults: bool,
    is_complete: bool,
    seeded: u64,
    has_ticks: bool,
    cut: u64,
}

impl Dfs {
    /// Visits every schedule.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops after so many executions.
    #[must_use]
    pub fn executions_max(mut self, executions: u64) -> Self {
        self.executions_max = Some(executions);
        self
    }

    /// Takes [local steps](Step#local-steps) before any other, in one order instead of all; all end states
    /// and bugs remain.
    ///
    /// Observers of the order of local steps make these less local: with monitors of handled events there
    /// are more schedules, and with predicates as many as without this option.
    ///
    /// Locality is known only after a step. If a step was not local, the search takes the alternatives in
    /// its place as well. The same happens if a later step interrupts the actor whose step came first.
    #[must_use]
    pub fn local_first(mut self) -> Self {
        self.local_first = true;
        self
    }

    /// Moves to the next path in depth-first order; `false` if there is none.
    fn backtrack(&mut self) -> bool {
        while let Some(last) = self.path.last_mut() {
            if !matches!(last.others, DfsAlternatives::Spared(_)) && last.taken + 1 < last.of {
                last.taken += 1;
                last.taken_after = self.executions;
                last.others = DfsAlternatives::Due;
                return true;
            }
            self.path.pop();
        }
        false
    }

    /// Returns the alternative to take, of so many.
    fn branch(&mut self, of: usize) -> usize {
        if of == 1 {
            return 0;
        }
        let of = u32::try_from(of).unwrap_or(u32::MAX);
        if self.depth == self.path.len() {
            let over = self.executions - 1;
            self.path.push(BranchingPoint {
                taken: 0,
                of,
                others: DfsAlternatives::Due,
                met_after: over,
                taken_after: over,
            });
        }
        let branch = &mut self.path[self.depth];
        self.depth += 1;
        // A program that is not deterministic may offer less than before; the replay check reports it.
        branch.of = of;
        branch.taken.min(of - 1) as usize
    }

    /// Branches over the operations that may take a step.
    fn branch_free(&mut self, enabled: &Enabled<'_>) -> usize {
        if !has_timers(enabled) {
            return self.branch(enabled.len());
        }
        let taken = self.branch(self.ticks.free(enabled).count());
        self.ticks.free(enabled).nth(taken).unwrap_or(0)
    }

    /// Branches over the operations that may take a step, with those that may be local first.
    fn branch_local_first(&mut self, enabled: &Enabled<'_>) -> usize {
        let is_new = self.depth == self.path.len() || self.depth + 1 == self.path.len();
        let of = self.ticks.free(enabled).count();
        let taken = self.branch(of);
        let are = |local: bool| {
            let free = self.ticks.free(enabled);
            free.filter(move |position| enabled[*position].may_be_local() == local)
        };
        let position = are(true).chain(are(false)).nth(taken).unwrap_or(0);
        let picked = &enabled[position];
        if picked.may_be_local() && is_new && of > 1 && !self.has_ticks {
            self.path[self.depth - 1].others = DfsAlternatives::Spared(picked.operation);
        }
        position
    }

    /// Makes all spared alternatives due once ticks were met.
    fn meet_ticks(&mut self) {
        self.has_ticks = true;
        for branch in &mut self.path {
            branch.others = DfsAlternatives::Due;
        }
    }

    /// Makes the alternatives due that were spared at a branching point for an operation's step.
    fn widen(&mut self, at: usize, operation: OperationId) {
        if let Some(branch) = self.path.get_mut(at)
            && branch.others == DfsAlternatives::Spared(operation)
        {
            branch.others = DfsAlternatives::Due;
        }
    }

    /// Widens the alternatives of a step that was not local, and of those before interrupted operations.
    fn learn(&mut self, step: &Step<'_>) {
        let taker = step.pending.operation;
        if let Some(at) = self.picked_at.filter(|_| !step.is_local) {
            self.widen(at, taker);
        }
        // An operation that interrupts itself has taken its steps before in any case.
        for operation in step.interrupted.iter().filter(|one| **one != taker) {
            for at in 0..self.depth {
                self.widen(at, *operation);
            }
        }
    }
}

impl Strategy for Dfs {
    fn name(&self) -> String {
        let spec = match self.local_first {
            true => StrategySpec::DfsLocal,
            false => StrategySpec::Dfs,
        };
        spec(self.executions_max).to_string()
    }

    fn needs(&self) -> Needs {
        Needs {
            steps: self.local_first,
            faults: true,
            memory: true,
            ..Needs::default()
        }
    }

    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        let more = if self.begun { self.backtrack() } else { true };
        self.begun = true;
        self.is_complete = !more;
        self.is_seeded = false;
        self.ticks.begin();
        self.depth = 0;
        self.executions += 1;
        let is_allowed = self.executions_max.is_none_or(|max| self.executions <= max);
        (more && is_allowed).then_some(Fairness::Unfair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        if self.local_first && !self.has_ticks && has_ticks(enabled) {
            self.meet_ticks();
        }
        let before = self.depth;
        // A fault interrupts all operations, so no step is local then.
        let picked = if self.local_first && !self.has_faults {
            self.branch_local_first(enabled)
        } else {
            self.branch_free(enabled)
        };
        self.picked_at = (self.depth > before).then_some(before);
        let was_cut = self.ticks.is_cut();
        self.ticks.record(enabled, &enabled[picked]);
        self.cut += u64::from(self.ticks.is_cut() && !was_cut);
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            Choice::Seed => {
                self.seeded += u64::from(!self.is_seeded);
                self.is_seeded = true;
                return None;
            }
            Choice::FaultBetween(_, faults) => self.has_faults |= !faults.is_empty(),
            _ => {}
        }
        Some(self.branch(choice.bound() as usize) as u32)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let StrategyEvent::Stepped(step) = event {
            self.learn(step);
        }
    }

    fn covered(&self) -> CoverageClaim {
        let mut gaps = Vec::new();
        if let Some(bound) = self.executions_max
            && self.executions > bound
            && !self.is_complete
        {
            gaps.push(Gap::Executions { bound });
        }
        if self.seeded > 0 {
            let executions = self.seeded;
            gaps.push(Gap::Seeds { executions });
        }
        gaps.extend(TickBound::gap(self.cut));
        CoverageClaim::Systematic {
            reduction: match self.local_first {
                true => Reduction::LocalFirst,
                false => Reduction::None,
            },
            is_complete: self.is_complete,
            gaps,
        }
    }
}

impl SearchStrategy for Dfs {
    /// Estimates by the explored share of the tree, with equal parts below all alternatives, and by
    /// likeness: an untried alternative has as much below it as the tried ones have on average (Kilby,
    /// Slaney, Thiébaux and Walsh, AAAI 2006).
    fn extent(&self) -> Option<SizeEstimate> {
        let of = |branch: &BranchingPoint| match branch.others {
            DfsAlternatives::Due => f64::from(branch.of),
            DfsAlternatives::Spared(_) => 1.0,
        };
        let (mut share, mut done) = (1.0, 0.0);
        for branch in &self.path {
            share /= of(branch);
            done += share * f64::from(branch.taken);
        }
        let by_shares = self.executions as f64 / (done + share);
        let by_likeness = self.path.iter().rev().fold(1.0, |below, branch| {
            let before = (branch.taken_after - branch.met_after) as f64;
            of(branch) * (before + below) / f64::from(branch.taken + 1)
        });
        Some(SizeEstimate::of(self.executions, by_shares, by_likeness))
    }

    fn save(&mut self) -> Option<Vec<u8>> {
        Some(codec::encode(&Saved {
            path: self.path.clone(),
            begun: self.begun,
            executions: self.executions,
            has_faults: self.has_faults,
            is_complete: self.is_complete,
            seeded: self.seeded,
            has_ticks: self.has_ticks,
            cut: self.cut,
        }))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), DecodeError> {
        let saved = codec::decode(saved)?;
        let Saved {
            path,
            begun,
            executions,
            has_faults,
            is_complete,
            seeded,
            has_ticks,
            cut,
        } = saved;
        self.path = path;
        self.begun = begun;
        self.executions = executions;
        self.has_faults = has_faults;
        self.is_complete = is_complete;
        self.seeded = seeded;
        self.has_ticks = has_ticks;
        self.cut = cut;
        Ok(())
    }
}
