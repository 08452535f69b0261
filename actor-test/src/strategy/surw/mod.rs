//! The walk that is uniform over the orders of what matters.

mod owners;

use std::sync::Arc;

use owners::Owners;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::changes::{ChangeReader, FEW};
use super::per_operation::PerOperation;
use super::tree::{Sum, Tree};
use super::urw::{OVERDUE, below_any};
use super::{
    Choice, Enabled, Estimates, Execution, Fairness, OperationId, Pending, Strategy, below,
    generator,
};

/// Makes each order of the interesting steps equally likely, and walks uniformly between them (SURW:
/// Zhao, Wolff, Mathur and Roychoudhury, Selectively Uniform Concurrency Testing, ASPLOS 2025,
/// section 3.2).
///
/// Interesting is what races: a flush into an inbox that several operations flush into, where a timer
/// that fires counts as one. An execution in two draws one or two of these inboxes, and is
/// interested in them alone: where what is sent depends on what came before, that shows more
/// different behaviours. Whose interesting step comes next is drawn beforehand, in proportion
/// to how many each operation still has; the others wait before theirs until it is taken, and all
/// other steps are picked uniformly. Where nobody else can go on, the next is drawn anew among those
/// that wait.
///
/// Which inboxes these are and how many interesting steps an operation has is
/// [what pilots showed](Estimates); an inbox that they did not meet counts as interesting, and an
/// operation that they did not meet gets the mean of the others.
///
/// Guarantee: where the numbers are exact and no interesting step depends on another, each order of
/// what is interesting in an execution has the same probability.
///
/// Unfair: fair in practice, but an operation that many more steps are expected of than it has can
/// keep others waiting for as long as anything else can run.
#[derive(Debug)]
pub struct Surw {
    estimates: Arc<Estimates>,
    /// The inboxes that this execution is interested in, by path; where there are none, in all that
    /// are contended.
    only: Vec<u64>,
    owners: Owners,
    /// Whether an inbox is interesting, once it is looked up.
    inboxes: PerOperation<Option<bool>>,
    /// Whose interesting step comes next.
    intended: Option<usize>,
    /// The operation of that owner, once it was seen before an interesting step.
    intended_operation: Option<OperationId>,
    follower: ChangeReader,
    /// Where an operation was seen among the enabled.
    positions: PerOperation<u32>,
    /// Where many are enabled: one for each whose step is not interesting, and what each other
    /// counts for.
    weights: Tree<(Sum, Sum)>,
    rng: Xoshiro256PlusPlus,
}

impl Surw {
    /// The walk.
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

    /// Draws which inboxes are interesting.
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

    /// What an owner counts for while it waits.
    #[inline]
    fn weight(&self, owner: usize) -> Sum {
        Sum(self.owners.left(owner).max(OVERDUE))
    }

    /// Takes note of who is enabled before what.
    #[inline]
    fn look(&mut self, enabled: &Enabled<'_>) {
        self.weights.truncate(enabled.len());
        for position in self.follower.look(enabled) {
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

    /// Where an operation is, if it is enabled and its step interesting.
    fn before_interesting(&self, enabled: &Enabled<'_>, operation: OperationId) -> Option<usize> {
        let position = self.positions.get(operation) as usize;
        let there = position < enabled.len() && enabled[position].operation == operation;
        (there && self.weights.get(position).0 == Sum(0)).then_some(position)
    }

    /// It waits until the interesting step of another is taken.
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

    /// Draws whose interesting step comes next.
    fn intend(&mut self) {
        self.intended = self.owners.draw(&mut self.rng);
        self.intended_operation = self.intended.and_then(|owner| self.owners.operation(owner));
    }

    /// Draws uniformly among those that do not wait; `None` where all do.
    fn pick_among_others(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        if enabled.len() > FEW {
            return self.pick_among_many_others(enabled);
        }
        // Mostly, few wait.
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

    /// Draws among all, which all wait, in proportion to what they have left.
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

/// How often a draw among all is tried before those that wait are set apart.
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

    fn fairness(&self) -> Fairness {
        Fairness::Unfair
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.rng = generator(execution.seed);
        self.estimates = execution.estimates.clone();
        self.draw_inboxes();
        self.owners.begin(&self.estimates, &self.only);
        self.inboxes.clear();
        self.forget_others();
        self.intend();
        true
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let many = enabled.len() > FEW;
        if many {
            self.look(enabled);
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
        Some(picked)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        below(&mut self.rng, choice.bound()) as u32
    }

    fn needs_estimates(&self) -> bool {
        true
    }
}
