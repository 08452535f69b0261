//! Selectively uniform random walk (SURW): uniform over the orders of racing steps, [`Surw`].

mod owners;

use std::sync::Arc;

use owners::Owners;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::urw::{OVERDUE, below_any};
use crate::strategy::changes::{ChangeReader, FEW};
use crate::strategy::per_operation::PerOperation;
use crate::strategy::tree::{Sum, Tree};
use crate::strategy::{
    Choice, Enabled, Estimates, Execution, Fairness, Needs, OperationId, Pending, Pruned, Strategy,
    below, generator,
};

/// Makes each order of the interesting steps equally likely, and walks uniformly between them (SURW: Zhao,
/// Wolff, Mathur and Roychoudhury, Selectively Uniform Concurrency Testing, ASPLOS 2025, section 3.2).
///
/// Interesting steps are those that race: flushes into an inbox into which several operations flush; a
/// timer that fires counts as a flush. One execution in two draws one or two of these inboxes, and only
/// these are interesting: if sends depend on earlier events, that shows more behaviours. The operation of
/// the next interesting step is drawn beforehand, in proportion to the interesting steps left. The other
/// operations wait before theirs until it is taken, and all other steps are picked uniformly. If nothing
/// else is enabled, one of the waiting operations is drawn instead.
///
/// The interesting inboxes, and the number of interesting steps of an operation, come from the
/// [pilots](Estimates). An inbox that they did not meet counts as interesting, and an operation that they
/// did not meet gets the mean of the others.
///
/// Guarantee: if the numbers are exact and no interesting step depends on another, each order of the
/// interesting steps of an execution has the same probability.
///
/// Unfair: fair in practice, but an operation with far fewer steps than expected can keep others waiting
/// for as long as anything else is enabled.
#[derive(Debug)]
pub struct Surw {
    estimates: Arc<Estimates>,
    /// The paths of the inboxes drawn for this execution; if none, all contended ones are interesting.
    only: Vec<u64>,
    owners: Owners,
    /// True for an interesting inbox, once it was looked up.
    inboxes: PerOperation<Option<bool>>,
    /// The owner of the next interesting step.
    intended: Option<usize>,
    /// The operation of that owner, once it was seen before an interesting step.
    intended_operation: Option<OperationId>,
    follower: ChangeReader,
    /// The last known position of each operation.
    positions: PerOperation<u32>,
    /// While many are enabled: (1, 0) for an uninteresting step, (0, steps left) for an interesting one.
    weights: Tree<(Sum, Sum)>,
    rng: Xoshiro256PlusPlus,
}

impl Surw {
    /// Creates the walk.
    pub fn new() -> Self {
        Self {
            estimates: Arc::default(),
            only: Vec::new(),
            owners: Owners::default(),
            inboxes: PerOperation::default(),
            intended: None,
            intended_operation: None,
            follower: ChangeReader::default(),
            positions: PerOperation::default(),
            weights: Tree::default(),
            rng: generator(0),
        }
    }

    #[inline]
    fn is_interesting(&mut self, enabled: &Enabled<'_>, pending: &Pending) -> bool {
        let Some(inbox) = pending.inbox else {
            return false;
        };
        if !pending.races() {
            return false;
        }
        match *self.inboxes.of(inbox) {
            Some(known) => known,
            None => self.look_up(enabled, inbox),
        }
    }

    #[cold]
    fn look_up(&mut self, enabled: &Enabled<'_>, inbox: OperationId) -> bool {
        let path = enabled.path(inbox);
        let interesting = if self.only.is_empty() {
            self.estimates.is_contended(path).unwrap_or(true)
        } else {
            self.only.contains(&path)
        };
        *self.inboxes.of(inbox) = Some(interesting);
        interesting
    }

    /// Draws the interesting inboxes.
    fn draw_inboxes(&mut self) {
        self.only.clear();
        let all = self.estimates.contended_inboxes().count() as u64;
        if all < 2 || below(&mut self.rng, 2) == 0 {
            return;
        }
        for _ in 0..1 + below(&mut self.rng, 2) {
            let drawn = below(&mut self.rng, all) as usize;
            self.only
                .extend(self.estimates.contended_inboxes().nth(drawn));
        }
        self.only.dedup();
    }

    #[inline]
    fn owner(&mut self, enabled: &Enabled<'_>, operation: OperationId) -> usize {
        match self.owners.of(operation) {
            Some(owner) => owner,
            None => self.find_owner(enabled, operation),
        }
    }

    #[cold]
    fn find_owner(&mut self, enabled: &Enabled<'_>, operation: OperationId) -> usize {
        let owner = self.owners.find(enabled.path(operation), operation);
        if self.intended == Some(owner) {
            self.intended_operation = Some(operation);
        }
        owner
    }

    /// The weight of a waiting owner.
    #[inline]
    fn weight(&self, owner: usize) -> Sum {
        Sum(self.owners.left(owner).max(OVERDUE))
    }

    /// Updates the positions and weights of the enabled operations.
    #[inline]
    fn observe(&mut self, enabled: &Enabled<'_>) {
        self.weights.truncate(enabled.len());
        for position in self.follower.observe(enabled) {
            let pending = &enabled[position];
            *self.positions.of(pending.operation) = position as u32;
            let weights = if self.is_interesting(enabled, pending) {
                let owner = self.owner(enabled, pending.operation);
                (Sum(0), self.weight(owner))
            } else {
                (Sum(1), Sum(0))
            };
            self.weights.set(position, weights);
        }
    }

    /// The position of an operation, if it is enabled and its step is interesting.
    fn before_interesting(&self, enabled: &Enabled<'_>, operation: OperationId) -> Option<usize> {
        let position = self.positions.get(operation) as usize;
        let there = position < enabled.len() && enabled[position].operation == operation;
        (there && self.weights.get(position).0 == Sum(0)).then_some(position)
    }

    /// True if the operation waits until the interesting step of another one is taken.
    #[inline]
    fn waits(&mut self, enabled: &Enabled<'_>, pending: &Pending) -> bool {
        if !self.is_interesting(enabled, pending) {
            return false;
        }
        match self.intended_operation {
            Some(intended) => intended != pending.operation,
            None => Some(self.owner(enabled, pending.operation)) != self.intended,
        }
    }

    /// Draws the owner of the next interesting step.
    fn intend(&mut self) {
        self.intended = self.owners.draw(&mut self.rng);
        self.intended_operation = self.intended.and_then(|owner| self.owners.operation(owner));
    }

    /// Draws uniformly among the operations that do not wait; `None` if all do.
    fn pick_among_others(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        if enabled.len() > FEW {
            return self.pick_among_many_others(enabled);
        }
        // Few operations wait in most steps.
        for _ in 0..TRIES {
            let index = below(&mut self.rng, enabled.len() as u64) as usize;
            if !self.waits(enabled, &enabled[index]) {
                return Some(index);
            }
        }
        let (mut others, mut count) = ([0; FEW], 0);
        for (index, pending) in enabled.iter().enumerate() {
            if !self.waits(enabled, pending) {
                others[count] = index;
                count += 1;
            }
        }
        (count > 0).then(|| others[below(&mut self.rng, count as u64) as usize])
    }

    fn pick_among_many_others(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let intended = self.intended_operation;
        let intended = intended.and_then(|operation| self.before_interesting(enabled, operation));
        let (Sum(free), _) = self.weights.root();
        let others = free + u64::from(intended.is_some());
        if others == 0 {
            return None;
        }
        let drawn = below(&mut self.rng, others);
        if drawn < free {
            return Some(self.weights.find(drawn, |(free, _)| *free));
        }
        intended
    }

    /// Draws among operations that all wait, in proportion to their interesting steps left.
    fn pick_among_waiting(&mut self, enabled: &Enabled<'_>) -> usize {
        if enabled.len() > FEW {
            let (_, Sum(total)) = self.weights.root();
            let drawn = below_any(&mut self.rng, total);
            return self.weights.find(drawn, |(_, waiting)| *waiting);
        }
        let mut total = 0;
        for pending in enabled.iter() {
            let owner = self.owner(enabled, pending.operation);
            total += self.weight(owner).0;
        }
        let mut drawn = below_any(&mut self.rng, total);
        for (index, pending) in enabled.iter().enumerate() {
            let owner = self.owner(enabled, pending.operation);
            let Sum(weight) = self.weight(owner);
            if drawn < weight {
                return index;
            }
            drawn -= weight;
        }
        0
    }

    fn forget_others(&mut self) {
        self.follower.begin();
        self.weights.clear();
    }
}

/// The number of draws among all operations, before the waiting ones are separated.
const TRIES: u32 = 4;

impl Default for Surw {
    fn default() -> Self {
        Self::new()
    }
}

impl Strategy for Surw {
    fn name(&self) -> String {
        "surw".into()
    }

    fn needs(&self) -> Needs {
        Needs {
            estimates: true,
            ..Needs::default()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.rng = generator(execution.seed);
        self.estimates = execution.estimates.clone();
        self.draw_inboxes();
        self.owners.begin(&self.estimates, &self.only);
        self.inboxes.clear();
        self.forget_others();
        self.intend();
        Some(Fairness::Unfair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let many = enabled.len() > FEW;
        if many {
            self.observe(enabled);
        } else {
            self.forget_others();
        }
        let picked = match self.pick_among_others(enabled) {
            Some(other) => other,
            None => self.pick_among_waiting(enabled),
        };
        let pending = &enabled[picked];
        if self.is_interesting(enabled, pending) {
            let owner = self.owner(enabled, pending.operation);
            self.owners.step(owner);
            if many {
                self.weights.set(picked, (Sum(0), self.weight(owner)));
            }
            self.intend();
        }
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        Some(below(&mut self.rng, choice.bound()) as u32)
    }
}
