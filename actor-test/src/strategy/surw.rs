//! The walk that is uniform over the orders of what matters.

use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::per_operation::PerOperation;
use super::urw::{OVERDUE, UNIT, below_any, units};
use super::{
    Choice, Effort, Enabled, Estimates, Execution, Fairness, OperationId, Pending, StepKind,
    Strategy, below, generator,
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
    /// Who takes interesting steps: those that pilots met, sorted by path, then others as they come.
    owners: Vec<Owner>,
    met: usize,
    /// The position of an operation in `owners`, plus one.
    owner_of: PerOperation<u32>,
    /// Whether an inbox is interesting, once it is looked up.
    inboxes: PerOperation<Option<bool>>,
    /// The interesting steps to come of all owners together, in units.
    total: u64,
    /// Whose interesting step comes next.
    intended: Option<usize>,
    /// The operation of that owner, once it was seen before an interesting step.
    intended_operation: Option<OperationId>,
    /// Positions of enabled operations that don't wait.
    others: Vec<u32>,
    unknown: u64,
    rng: Xoshiro256PlusPlus,
}

#[derive(Clone, Copy, Debug)]
struct Owner {
    path: u64,
    /// Its interesting steps to come, in units.
    left: u64,
    operation: Option<OperationId>,
}

impl Surw {
    /// The walk.
    pub fn new() -> Self {
        Self {
            estimates: Arc::default(),
            only: Vec::new(),
            owners: Vec::new(),
            met: 0,
            owner_of: PerOperation::default(),
            inboxes: PerOperation::default(),
            total: 0,
            intended: None,
            intended_operation: None,
            others: Vec::new(),
            unknown: UNIT,
            rng: generator(0),
        }
    }

    #[inline]
    fn is_interesting(&mut self, enabled: &Enabled<'_>, pending: &Pending) -> bool {
        let Some(inbox) = pending.inbox else {
            return false;
        };
        if !matches!(pending.kind, StepKind::Flush | StepKind::Timer) {
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

    /// Counts the interesting steps to come.
    fn count(&mut self) {
        let estimates = &self.estimates;
        let owner = |(path, flushes)| Owner {
            path,
            left: units(flushes),
            operation: None,
        };
        self.owners.clear();
        if self.only.is_empty() {
            let flushes = |(path, effort): (u64, Effort)| (path, effort.contended_flushes);
            let all = estimates.efforts().map(flushes).map(owner);
            self.owners.extend(all.filter(|owner| owner.left > 0));
        } else {
            let into = self
                .only
                .iter()
                .flat_map(|inbox| estimates.flushes_into(*inbox));
            self.owners.extend(into.map(owner));
            self.owners.sort_unstable_by_key(|owner| owner.path);
            self.owners.dedup_by(|second, first| {
                let same = second.path == first.path;
                first.left += if same { second.left } else { 0 };
                same
            });
        }
        self.met = self.owners.len();
        self.total = self.owners.iter().map(|owner| owner.left).sum();
        self.unknown = self.total.checked_div(self.met as u64).unwrap_or(UNIT);
    }

    #[inline]
    fn owner(&mut self, enabled: &Enabled<'_>, pending: &Pending) -> usize {
        match *self.owner_of.of(pending.operation) {
            0 => self.find_owner(enabled, pending),
            position => position as usize - 1,
        }
    }

    #[cold]
    fn find_owner(&mut self, enabled: &Enabled<'_>, pending: &Pending) -> usize {
        let path = enabled.path(pending.operation);
        let met = &self.owners[..self.met];
        let found = met.binary_search_by_key(&path, |owner| owner.path);
        let owner = found.unwrap_or(self.owners.len());
        if owner == self.owners.len() {
            let (left, operation) = (self.unknown, None);
            let new = Owner {
                path,
                left,
                operation,
            };
            self.owners.push(new);
            self.total += left;
        }
        self.owners[owner].operation = Some(pending.operation);
        if self.intended == Some(owner) {
            self.intended_operation = Some(pending.operation);
        }
        *self.owner_of.of(pending.operation) = owner as u32 + 1;
        owner
    }

    /// It waits until the interesting step of another is taken.
    #[inline]
    fn waits(&mut self, enabled: &Enabled<'_>, pending: &Pending) -> bool {
        if !self.is_interesting(enabled, pending) {
            return false;
        }
        match self.intended_operation {
            Some(intended) => intended != pending.operation,
            None => Some(self.owner(enabled, pending)) != self.intended,
        }
    }

    /// Draws whose interesting step comes next.
    fn intend(&mut self) {
        self.intended = (self.total > 0).then(|| self.draw_owner());
        self.intended_operation = self.intended.and_then(|owner| self.owners[owner].operation);
    }

    /// Draws an owner in proportion to what it has left, which is not nothing for all.
    fn draw_owner(&mut self) -> usize {
        let mut drawn = below_any(&mut self.rng, self.total);
        let found = self.owners.iter().position(|owner| {
            let found = drawn < owner.left;
            drawn = drawn.wrapping_sub(owner.left);
            found
        });
        found.expect("what is drawn is below the sum of all")
    }

    /// Draws uniformly among those that do not wait; `None` where all do.
    fn pick_among_others(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        // Mostly, few wait.
        for _ in 0..TRIES {
            let index = below(&mut self.rng, enabled.len() as u64) as usize;
            if !self.waits(enabled, &enabled[index]) {
                return Some(index);
            }
        }
        let mut others = std::mem::take(&mut self.others);
        others.clear();
        for (index, pending) in enabled.iter().enumerate() {
            if !self.waits(enabled, pending) {
                others.push(index as u32);
            }
        }
        self.others = others;
        if self.others.is_empty() {
            return None;
        }
        let drawn = below(&mut self.rng, self.others.len() as u64);
        Some(self.others[drawn as usize] as usize)
    }

    /// Draws among all, which all wait, in proportion to what they have left.
    fn pick_among_waiting(&mut self, enabled: &Enabled<'_>) -> usize {
        let mut total = 0;
        for pending in enabled.iter() {
            total += self.left(enabled, pending);
        }
        let mut drawn = below_any(&mut self.rng, total);
        for (index, pending) in enabled.iter().enumerate() {
            let left = self.left(enabled, pending);
            if drawn < left {
                return index;
            }
            drawn -= left;
        }
        0
    }

    fn left(&mut self, enabled: &Enabled<'_>, pending: &Pending) -> u64 {
        let owner = self.owner(enabled, pending);
        self.owners[owner].left.max(OVERDUE)
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
        self.count();
        self.owner_of.clear();
        self.inboxes.clear();
        self.intend();
        true
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> usize {
        let picked = match self.pick_among_others(enabled) {
            Some(other) => other,
            None => self.pick_among_waiting(enabled),
        };
        let pending = &enabled[picked];
        if self.is_interesting(enabled, pending) {
            let owner = self.owner(enabled, pending);
            let left = &mut self.owners[owner].left;
            let taken = UNIT.min(*left);
            *left -= taken;
            self.total -= taken;
            self.intend();
        }
        picked
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        below(&mut self.rng, choice.bound()) as u32
    }

    fn needs_estimates(&self) -> bool {
        true
    }
}
