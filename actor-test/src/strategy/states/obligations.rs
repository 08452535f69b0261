//! Pending obligations of a stateful search: the recorded steps between states with one, and the fair
//! cycles on which one can stay pending for ever.

use serde::{Deserialize, Serialize};

use super::cycle_path::cycle_path;
use super::cycles::region;
use super::graph::{Edge, Graph, OUTSIDE};
use super::names::Numbered;
use crate::data::bug::Demand;
use crate::data::coverage_claim::Unjudged;

/// A step from a state with a pending obligation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
struct ObligedStep {
    from: u32,
    /// The number of the operation's name with the answers to choices.
    action: u32,
    /// The successor state, or [`OUTSIDE`].
    to: u32,
    /// The number of the pending obligations before the step.
    obligations: u32,
}

/// The obligation of an actor whose inbox holds only events that it defers.
pub(super) const DEFERS: u64 = 1 << 62;

/// The recorded steps.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ObligationSteps {
    steps: Vec<ObligedStep>,
    /// Steps that concern only events of their own operation: its name, the state and the successor.
    own: Vec<(u64, u32, u32)>,
    /// Actions by number: the operation's name, then the answers.
    actions: Numbered<[u64]>,
    /// The pending obligations and the hot ones among them, by number.
    obligations: Numbered<[u64]>,
}

/// A fair cycle on which an obligation stays pending.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct FairCycle {
    /// The bit of the obligation.
    pub(super) entry: u32,
    pub(super) demand: Demand,
    /// The first state of the cycle path.
    pub(super) start: u32,
    /// The actions of the cycle path, each with the successor state.
    pub(super) cycle_path: Vec<(u32, u32)>,
}

impl ObligationSteps {
    /// Records a step, if an obligation is pending before it.
    pub(super) fn step(&mut self, from: u32, (pending, hot): (u64, u64), action: &[u64], to: u32) {
        if pending != 0 {
            let action = self.actions.number(action);
            let obligations = self.obligations.number(&[pending, hot]);
            self.steps.push(ObligedStep {
                from,
                action,
                to,
                obligations,
            });
        }
    }

    /// The memory used in bytes, without what is stored once for many steps.
    pub(super) fn bytes(&self) -> usize {
        self.steps.capacity() * size_of::<ObligedStep>()
            + self.own.capacity() * size_of::<(u64, u32, u32)>()
    }

    /// Records a step that concerns only events of its own operation.
    pub(super) fn own_step(&mut self, from: u32, who: u64, to: u32) {
        self.own.push((who, from, to));
    }

    /// The fair cycles once all states are known, the first to be shown last, and the properties that can't
    /// be judged. With local steps in one order, or with interchangeable actors, no cycle is certain: in
    /// the next round, another actor may take the step.
    pub(super) fn judge(
        &mut self,
        local_first: bool,
        symmetric: bool,
    ) -> (Vec<FairCycle>, Vec<Unjudged>) {
        let is_partial = local_first || symmetric;
        let mut accusations = match is_partial {
            true => Vec::new(),
            false => self.accusations(),
        };
        accusations.reverse();
        let unjudged = [
            (
                is_partial && self.has_pending(),
                Unjudged::PendingObligations,
            ),
            (self.may_defer_for_ever(symmetric), Unjudged::Deferred),
            (self.may_be_busy_for_ever(symmetric), Unjudged::Busy),
        ];
        let unjudged = unjudged.into_iter().filter(|(is_so, _)| *is_so);
        (accusations, unjudged.map(|(_, what)| what).collect())
    }

    /// True if an obligation was pending in some state.
    fn has_pending(&self) -> bool {
        self.obligations
            .all()
            .any(|obligations| obligations[0] & !DEFERS != 0)
    }

    /// True if a fair execution may run for ever while an actor defers all its events.
    fn may_defer_for_ever(&self, symmetric: bool) -> bool {
        let has = self
            .obligations
            .all()
            .any(|obligations| obligations[0] & DEFERS != 0);
        has && (symmetric || self.accuse(DEFERS.trailing_zeros()).is_some())
    }

    /// True if an actor may take only such steps for ever.
    fn may_be_busy_for_ever(&mut self, symmetric: bool) -> bool {
        if symmetric {
            // Interchangeable actors count as one.
            self.own.iter_mut().for_each(|(who, ..)| *who = 0);
        }
        self.own.sort_unstable();
        self.own.dedup();
        let mut by_actor = self.own.chunk_by(|one, other| one.0 == other.0);
        by_actor.any(|steps| {
            let mut states: Vec<u32> = steps.iter().map(|(_, from, _)| *from).collect();
            states.dedup();
            let to = |to: &u32| states.binary_search(to).map_or(OUTSIDE, |at| at as u32);
            // Each outcome is an operation of its own, so that every schedule and every choice is possible.
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

    /// The operation's name and the answers of an action.
    pub(super) fn action(&self, number: u32) -> &[u64] {
        self.actions.get(number)
    }

    /// The fair cycle of each specification, under the strongest demand that has one.
    fn accusations(&mut self) -> Vec<FairCycle> {
        self.steps.sort_unstable();
        self.steps.dedup();
        let pending = self
            .obligations
            .all()
            .fold(0, |all, obligations| all | obligations[0]);
        // The last bits are those of deferred events, and of all specifications without a bit of their own.
        let bits = (0..DEFERS.trailing_zeros()).filter(|bit| pending >> bit & 1 == 1);
        bits.filter_map(|bit| self.accuse(bit)).collect()
    }

    fn accuse(&self, entry: u32) -> Option<FairCycle> {
        let has = |obligations: u32, which: usize| {
            self.obligations.get(obligations)[which] >> entry & 1 == 1
        };
        let mut states: Vec<u32> = Vec::new();
        let by_state = || self.steps.chunk_by(|one, other| one.from == other.from);
        for steps in by_state() {
            if has(steps[0].obligations, 0) {
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
        let obliged = by_state().filter(|steps| has(steps[0].obligations, 0));
        let graph = Graph::new(obliged.map(|steps| {
            let edges = steps.iter().map(&mut edge).collect();
            (edges, has(steps[0].obligations, 1))
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
            cycle_path: done.collect(),
        })
    }
}
