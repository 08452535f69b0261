//! Partial order sampling (POS): random priorities of steps, redrawn after races, [`Pos`].

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::strategy::changes::{ChangeReader, FEW};
use crate::strategy::per_operation::PerOperation;
use crate::strategy::tree::{Highest, Tree};
use crate::strategy::{
    Choice, Enabled, Execution, Fairness, OperationId, Pending, Pruned, StepKind, Strategy, below,
    generator,
};

/// Takes the pending step with the highest random priority; the steps that raced with it draw new ones
/// (POS: Yuan, Yang and Gu, Partial Order Aware Concurrency Sampling, CAV 2018).
///
/// A race is between two flushes into the same inbox; a timer that fires counts as a flush. After a flush,
/// all pending flushes into its inbox draw anew. Every other step keeps its priority until it is taken, so
/// that steps that commute are not randomised again and again.
///
/// Guarantee: after a flush into an inbox, all flushes that are still pending into it are equally likely to
/// be next. For orders of races in general, the paper proves a lower bound that is exponentially better
/// than that of a random walk.
///
/// Unfair: a step with a low priority that races with nothing may wait for as long as others run.
#[derive(Debug)]
pub struct Pos {
    local_first: bool,
    /// Set if local steps come first in this execution.
    is_eager: bool,
    /// The priority of each operation's pending step; zero before it is drawn.
    priorities: PerOperation<u32>,
    /// The inbox into which the last step flushed.
    flushed: Option<OperationId>,
    follower: ChangeReader,
    /// True for each position with an eager step; kept only while many operations are enabled.
    local: Tree<Highest<bool>>,
    rng: Xoshiro256PlusPlus,
}

impl Pos {
    /// Draws priorities among all steps.
    pub fn new() -> Self {
        Self {
            local_first: false,
            is_eager: false,
            priorities: PerOperation::default(),
            flushed: None,
            follower: ChangeReader::default(),
            local: Tree::default(),
            rng: generator(0),
        }
    }

    /// Takes steps that [may be local](Pending::may_be_local) before all others, except a resume: something
    /// else that its handler awaits may come first. Only the rest has priorities.
    ///
    /// More flushes are pending at a time, so orders of one inbox are sampled more evenly. Observers of the
    /// order of local steps (monitors, predicates, time read within a handler) still see others: one
    /// execution of eight, drawn at random, is run without this.
    #[must_use]
    pub fn local_first(mut self) -> Self {
        self.local_first = true;
        self
    }

    /// The position of the first eager step among many operations.
    fn first_local(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.local.truncate(enabled.len());
        for position in self.follower.observe(enabled) {
            let local = is_eager(&enabled[position]);
            self.local.set(position, Highest(local));
        }
        let Highest(any) = self.local.root();
        any.then(|| self.local.top())
    }

    fn forget_local(&mut self) {
        self.follower.begin();
        self.local.clear();
    }
}

/// The inbox into which a step flushes, or the object that it accesses.
#[inline]
fn reached(pending: &Pending) -> Option<OperationId> {
    pending.inbox.filter(|_| pending.races())
}

/// True if the step is taken before all others, where local steps come first.
#[inline]
fn is_eager(pending: &Pending) -> bool {
    pending.may_be_local() && pending.kind != StepKind::Resume
}

/// One execution in so many takes no steps first, for observers of the order of local steps.
const PLAIN_ONE_IN: u64 = 8;

impl Default for Pos {
    fn default() -> Self {
        Self::new()
    }
}

impl Strategy for Pos {
    fn name(&self) -> String {
        if self.local_first { "pos:local" } else { "pos" }.into()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        self.rng = generator(execution.seed);
        self.is_eager = self.local_first && below(&mut self.rng, PLAIN_ONE_IN) > 0;
        self.priorities.clear();
        self.flushed = None;
        self.forget_local();
        Some(Fairness::Unfair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        if self.is_eager
            && enabled.len() > FEW
            && let Some(local) = self.first_local(enabled)
        {
            return Ok(local);
        }
        let flushed = self.flushed.take();
        let (mut picked, mut highest) = (0, 0);
        for (index, pending) in enabled.iter().enumerate() {
            let reached = reached(pending);
            if self.is_eager && is_eager(pending) {
                // The steps that raced have yet to draw anew.
                self.flushed = flushed;
                self.forget_local();
                return Ok(index);
            }
            let priority = self.priorities.of(pending.operation);
            let raced = reached.is_some() && reached == flushed;
            if *priority == 0 || raced {
                *priority = (self.rng.next_u64() >> 32) as u32 | 1;
            }
            if *priority > highest {
                (picked, highest) = (index, *priority);
            }
        }
        let taken = &enabled[picked];
        *self.priorities.of(taken.operation) = 0;
        self.flushed = reached(taken);
        Ok(picked)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        Some(below(&mut self.rng, choice.bound()) as u32)
    }
}
