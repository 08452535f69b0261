//! The path of an execution: its states, the decisions in each, and the next alternative to try.

use serde::{Deserialize, Serialize};

use super::super::visit_order::VisitOrder;
use super::ReexecutionSearch;
use super::visited::NOWHERE;
use crate::data::extent::SizeEstimate;
use crate::strategy::{Enabled, OperationId};

/// The least share of the tree behind the path for an estimate of the whole.
const LEAST_SHARE: f64 = 1e-3;

/// A state on the path.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Frame {
    pub(super) state: u32,
    /// The index of its first branch.
    pub(super) from: usize,
    /// True if no alternatives to a local step are spared.
    pub(super) in_full: bool,
}

/// The alternative taken at a branching point, and the number of alternatives.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct PathBranch {
    pub(super) taken: u32,
    pub(super) of: u32,
    pub(super) others: PathAlternatives,
}

/// The treatment of the other alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum PathAlternatives {
    /// Each alternative is taken in turn.
    Due,
    /// No other alternative is taken: this is the path to a state.
    Fixed,
    /// The alternatives need not be taken, as long as the step of this operation proves to be local.
    Spared(OperationId),
}

impl ReexecutionSearch {
    /// Moves to the next alternative or state; `false` if nothing is left.
    pub(super) fn advance(&mut self) -> bool {
        if self.next_branch() {
            return true;
        }
        let next = self.next_state();
        if let Some((state, in_full)) = next {
            self.lead_to(state, in_full);
        }
        next.is_some()
    }

    /// Moves to the next alternative of the states on the path, from the last to the first.
    pub(super) fn next_branch(&mut self) -> bool {
        while let Some(frame) = self.frames.last() {
            let (state, from) = (frame.state, frame.from);
            while self.branches.len() > from {
                let at = self.branches.len() - 1;
                let last = &mut self.branches[at];
                match last.others {
                    PathAlternatives::Due if last.taken + 1 < last.of => {
                        last.taken += 1;
                        return true;
                    }
                    PathAlternatives::Spared(operation) => self.spared.push((state, operation)),
                    PathAlternatives::Due | PathAlternatives::Fixed => {}
                }
                self.branches.pop();
            }
            self.frames.pop();
        }
        false
    }

    /// The next state to be expanded, and true if every step is to be tried there.
    pub(super) fn next_state(&mut self) -> Option<(u32, bool)> {
        if self.order == VisitOrder::Breadth {
            while (self.next as usize) < self.visited.len() {
                self.next += 1;
                if !self.visited.is_end(self.next - 1) {
                    return Some((self.next - 1, false));
                }
            }
        }
        if self.again.is_empty() {
            // The interrupted operation's step was taken before the alternatives somewhere.
            let interrupted = &self.interrupted;
            let is_due = |(_, operation): &mut (u32, OperationId)| interrupted.contains(operation);
            let due = self.spared.extract_if(.., is_due);
            self.again.extend(due.map(|(state, _)| state));
        }
        Some((self.again.pop()?, true))
    }

    /// Leads the next execution to a state, to try its steps.
    pub(super) fn lead_to(&mut self, state: u32, in_full: bool) {
        let mut path = Vec::new();
        let mut at = state;
        loop {
            let (from, by) = self.visited.predecessor(at);
            if from == NOWHERE {
                break;
            }
            path.push((from, by));
            at = from;
        }
        for (from, by) in path.into_iter().rev() {
            self.push_frame(from, false);
            let fixed = self.decisions.get(by).iter().map(|taken| PathBranch {
                taken: *taken,
                of: *taken + 1,
                others: PathAlternatives::Fixed,
            });
            self.branches.extend(fixed);
        }
        self.push_frame(state, in_full);
    }

    pub(super) fn push_frame(&mut self, state: u32, in_full: bool) {
        self.frames.push(Frame {
            state,
            from: self.branches.len(),
            in_full,
        });
    }

    /// Estimates the number of states by the share of the tree behind the path. Later parts usually have
    /// fewer new states, so this is an upper bound. Near the root the share is too small for an estimate.
    pub(super) fn extent_in_depth(&self) -> Option<SizeEstimate> {
        if self.order == VisitOrder::Breadth || self.accusations.is_some() {
            return None;
        }
        let (mut share, mut done) = (1.0, 0.0);
        for branch in &self.branches {
            if branch.others == PathAlternatives::Due {
                share /= f64::from(branch.of);
                done += share * f64::from(branch.taken);
            }
        }
        let met = self.visited.len() as u64;
        let most = (done > LEAST_SHARE).then(|| {
            let left = met as f64 * (1.0 - done) / done;
            met as f64 + left * SizeEstimate::ERROR_FACTOR
        });
        Some(SizeEstimate::between(met, met as f64, most))
    }

    /// Returns the alternative to take, of so many.
    pub(super) fn branch(&mut self, of: usize) -> usize {
        if of == 1 || self.is_pruned {
            return 0;
        }
        let of = u32::try_from(of).unwrap_or(u32::MAX);
        if self.depth == self.branches.len() {
            self.branches.push(PathBranch {
                taken: 0,
                of,
                others: PathAlternatives::Due,
            });
        }
        let branch = &mut self.branches[self.depth];
        self.depth += 1;
        // A program that is not deterministic may offer less than before; then the execution diverges.
        branch.of = of;
        branch.taken.min(of - 1) as usize
    }

    pub(super) fn pick_branch(&mut self, enabled: &Enabled<'_>) -> usize {
        // A fault interrupts all operations, so no step is local then.
        if self.local_first && !self.has_faults && !self.has_ticks {
            self.branch_local_first(enabled)
        } else {
            self.branch(enabled.len())
        }
    }

    /// Branches over the enabled operations, with those that may be local first.
    pub(super) fn branch_local_first(&mut self, enabled: &Enabled<'_>) -> usize {
        let is_new = self.depth == self.branches.len() || self.depth + 1 == self.branches.len();
        let taken = self.branch(enabled.len());
        let (position, may_be_local) = enabled.nth_local_first(taken);
        let in_full = self.frames.last().is_some_and(|frame| frame.in_full);
        if may_be_local && is_new && !in_full && enabled.len() > 1 && !self.is_pruned {
            let branch = &mut self.branches[self.depth - 1];
            if branch.others == PathAlternatives::Due {
                branch.others = PathAlternatives::Spared(enabled[position].operation);
            }
        }
        position
    }
}
