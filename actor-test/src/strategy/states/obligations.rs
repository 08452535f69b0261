//! What may stay owed for ever: the steps between states in which something is owed, as they were seen,
//! and the accusation that comes of them.

use super::cycle_path::cycle_path;
use super::cycles::region;
use super::graph::{Edge, Graph, OUTSIDE};
use super::names::Numbered;
use crate::data::bug::Demand;
use crate::strategy::Unjudged;

/// A step from a state in which something is owed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ObligedStep {
    from: u32,
    /// Who took it, and how choices were answered.
    action: u32,
    /// Or [`OUTSIDE`].
    to: u32,
    /// What was owed.
    debts: u32,
}

/// That somebody has nothing to handle but events that it defers, as a debt.
pub(super) const DEFERS: u64 = 1 << 62;

/// All such steps.
#[derive(Debug, Default)]
pub(super) struct ObligationSteps {
    steps: Vec<ObligedStep>,
    /// Steps that concern nobody's events but those of who takes them: who, from which state to which.
    own: Vec<(u64, u32, u32)>,
    /// The name of who took a step, then the answers.
    actions: Numbered<[u64]>,
    /// What is owed, and what of it is hot.
    debts: Numbered<[u64]>,
}

/// That something may stay owed for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FairCycle {
    /// What, by its bit.
    pub(super) entry: u32,
    pub(super) demand: Demand,
    /// The state from which it goes round.
    pub(super) start: u32,
    /// What is done, and to which state that leads.
    pub(super) lap: Vec<(u32, u32)>,
}

impl ObligationSteps {
    /// Takes note of a step.
    pub(super) fn step(&mut self, from: u32, (owed, hot): (u64, u64), action: &[u64], to: u32) {
        if owed != 0 {
            let action = self.actions.number(action);
            let debts = self.debts.number(&[owed, hot]);
            self.steps.push(ObligedStep {
                from,
                action,
                to,
                debts,
            });
        }
    }

    /// How much memory it takes, in bytes, but for what is there once.
    pub(super) fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<ObligedStep>()
            + self.own.capacity() * size_of::<(u64, u32, u32)>()
    }

    /// Takes note of a step that concerns nobody's events but those of who takes it.
    pub(super) fn own_step(&mut self, from: u32, who: u64, to: u32) {
        self.own.push((who, from, to));
    }

    /// All states are known: what may stay owed for ever, the first to be shown last, and what can't be
    /// judged. Where local steps were taken in one order, or it made no difference who is who, no cycle is for
    /// certain: it may be another who takes a step the next time round.
    pub(super) fn judge(
        &mut self,
        local_first: bool,
        whoever: bool,
    ) -> (Vec<FairCycle>, Vec<Unjudged>) {
        let is_partial = local_first || whoever;
        let mut accusations = match is_partial {
            true => Vec::new(),
            false => self.accusations(),
        };
        accusations.reverse();
        let unjudged = [
            (is_partial && self.has_owed(), Unjudged::PendingObligations),
            (self.may_defer_for_ever(whoever), Unjudged::Deferred),
            (self.may_be_busy_for_ever(whoever), Unjudged::Busy),
        ];
        let unjudged = unjudged.into_iter().filter(|(is_so, _)| *is_so);
        (accusations, unjudged.map(|(_, what)| what).collect())
    }

    /// Something was owed somewhere.
    fn has_owed(&self) -> bool {
        self.debts.all().any(|debts| debts[0] & !DEFERS != 0)
    }

    /// A fair execution may go on for ever while somebody defers all that it has.
    fn may_defer_for_ever(&self, whoever: bool) -> bool {
        let has = self.debts.all().any(|debts| debts[0] & DEFERS != 0);
        has && (whoever || self.accuse(DEFERS.trailing_zeros()).is_some())
    }

    /// Somebody may take such steps for ever.
    fn may_be_busy_for_ever(&mut self, whoever: bool) -> bool {
        if whoever {
            // Whoever it is the next time.
            self.own.iter_mut().for_each(|(who, ..)| *who = 0);
        }
        self.own.sort_unstable();
        self.own.dedup();
        let mut by_actor = self.own.chunk_by(|one, other| one.0 == other.0);
        by_actor.any(|steps| {
            let mut states: Vec<u32> = steps.iter().map(|(_, from, _)| *from).collect();
            states.dedup();
            let to = |to: &u32| states.binary_search(to).map_or(OUTSIDE, |at| at as u32);
            // Each outcome by itself: any schedule, and any luck.
            let edge = |(at, (_, _, next)): (usize, &(u64, u32, u32))| Edge {
                operation: at as u32,
                to: to(next),
            };
            let by_state = steps.chunk_by(|one, other| one.1 == other.1);
            let graph = Graph::new(
                by_state.map(|steps| (steps.iter().enumerate().map(edge).collect(), true)),
            );
            region(&graph, Demand::Nothing).is_some()
        })
    }

    /// Who takes a step, and how choices are answered.
    pub(super) fn action(&self, number: u32) -> &[u64] {
        self.actions.get(number)
    }

    /// What may stay owed for ever, for each specification the strongest: that which the fewest
    /// schedules can help.
    fn accusations(&mut self) -> Vec<FairCycle> {
        self.steps.sort_unstable();
        self.steps.dedup();
        let owed = self.debts.all().fold(0, |all, debts| all | debts[0]);
        // The last ones stand for what is deferred, and for all that have none of their own.
        let bits = (0..DEFERS.trailing_zeros()).filter(|bit| owed >> bit & 1 == 1);
        bits.filter_map(|bit| self.accuse(bit)).collect()
    }

    fn accuse(&self, entry: u32) -> Option<FairCycle> {
        let has = |debts: u32, which: usize| self.debts.get(debts)[which] >> entry & 1 == 1;
        let mut states: Vec<u32> = Vec::new();
        let by_state = || self.steps.chunk_by(|one, other| one.from == other.from);
        for steps in by_state() {
            if has(steps[0].debts, 0) {
                states.push(steps[0].from);
            }
        }
        let mut operations: Numbered<[u64]> = Numbered::default();
        let mut edge = |step: &ObligedStep| Edge {
            operation: operations.number(&self.actions.get(step.action)[..1]),
            to: match states.binary_search(&step.to) {
                Ok(at) => at as u32,
                Err(_) => OUTSIDE,
            },
        };
        let owing = by_state().filter(|steps| has(steps[0].debts, 0));
        let graph = Graph::new(owing.map(|steps| {
            let edges = steps.iter().map(&mut edge).collect();
            (edges, has(steps[0].debts, 1))
        }));
        let demands = [Demand::Random, Demand::Strong, Demand::Weak];
        let (demand, region) = demands
            .into_iter()
            .find_map(|demand| Some((demand, region(&graph, demand)?)))?;
        let legs = cycle_path(&graph, &region, demand);
        let done = legs.iter().map(|leg| {
            let (from, to) = (states[leg.from as usize], states[leg.edge.to as usize]);
            let first = self.steps.partition_point(|step| step.from < from);
            let mut steps = self.steps[first..].iter();
            let is_it = |step: &&ObligedStep| {
                let operation = &self.actions.get(step.action)[..1];
                step.to == to && operation == operations.get(leg.edge.operation)
            };
            let action = steps.find(is_it).map_or(0, |step| step.action);
            (action, to)
        });
        Some(FairCycle {
            entry,
            demand,
            start: states[region.states[0] as usize],
            lap: done.collect(),
        })
    }
}
