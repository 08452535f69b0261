//! One execution of a bounded search: [`Run`].

use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::deviation::Deviation;
use super::strata::Item;
use super::visited::VisitedStates;
use crate::settings::strategy::StateEquivalence;
use crate::strategy::{
    Choice, Enabled, Ending, Execution, Fairness, FaultTiming, Needs, PossibleFault, Pruned,
    Strategy, StrategyEvent, below, generator,
};

/// State of the search that an execution borrows and hands back.
#[derive(Debug)]
pub(super) struct BoundedSearchState {
    pub(super) deviation: Deviation,
    pub(super) visited: VisitedStates,
}

/// Makes the decisions of a work item, continues without further deviations, and notes the alternatives.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) lent: BoundedSearchState,
    same: StateEquivalence,
    /// Set if states are compared together with the state of the deviation.
    exactly: bool,
    pub(super) item: Item,
    /// The seed of all executions, once one has begun.
    pub(super) seed: Option<u64>,
    /// The decisions of this execution, at places with more than one alternative.
    pub(super) taken: Vec<u32>,
    /// The alternatives of the places behind the work item.
    pub(super) noted: Vec<Alternative>,
    /// The step before which the last state was entered; `able` positions may be picked there.
    entered_at: Option<u64>,
    able: usize,
    is_pruned: bool,
    pub(super) has_diverged: bool,
    pub(super) is_seeded: bool,
    /// Set if the explorer held a fault back.
    pub(super) holds_faults: bool,
    /// Deviates at random places behind the work item, if the search samples.
    sampler: Option<Sampler>,
}

/// A place with alternatives to the decision taken, which is the first one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alternative {
    /// The number of decisions before the place.
    pub(super) at: u32,
    /// The number of alternatives, including the one taken.
    pub(super) of: u32,
    pub(super) cost: u32,
}

/// Deviates at a few places drawn beforehand.
#[derive(Debug)]
pub(super) struct Sampler {
    pub(super) rng: Xoshiro256PlusPlus,
    /// The places still ahead, counted from the end of the item, the next one last.
    pub(super) due: Vec<u64>,
    pub(super) place: u64,
}

impl Run {
    pub(super) fn new(
        lent: BoundedSearchState,
        same: StateEquivalence,
        exactly: bool,
        item: Item,
        seed: Option<u64>,
    ) -> Self {
        Self {
            lent,
            same,
            exactly,
            item,
            seed,
            taken: Vec::new(),
            noted: Vec::new(),
            entered_at: None,
            able: 0,
            is_pruned: false,
            has_diverged: false,
            is_seeded: false,
            holds_faults: false,
            sampler: None,
        }
    }

    /// Makes up to `delays` deviations at random among the first `length` places behind the item.
    pub(super) fn sampling(self, delays: u64, length: u64, seed: u64) -> Self {
        let mut rng = generator(seed);
        let count = below(&mut rng, delays + 1);
        let mut due: Vec<u64> = match length {
            0 => Vec::new(),
            _ => (0..count).map(|_| below(&mut rng, length)).collect(),
        };
        due.sort_unstable_by(|one, other| other.cmp(one));
        Self {
            sampler: Some(Sampler { rng, due, place: 0 }),
            ..self
        }
    }

    fn compares_states(&self) -> bool {
        self.same != StateEquivalence::Never && self.sampler.is_none()
    }

    /// True once all decisions of the work item are made.
    fn has_made_all(&self) -> bool {
        self.taken.len() >= self.item.len()
    }

    /// Enters the state, and finds the operations that may be picked; once before each step.
    fn arrive(&mut self, enabled: &Enabled<'_>) {
        if self.entered_at.replace(enabled.step()) == Some(enabled.step()) {
            return;
        }
        self.able = match enabled.get(0) {
            Some(_) => self.lent.deviation.observe(enabled),
            None => 0,
        };
        if self.compares_states()
            && self.has_made_all()
            && let Some(seen) = enabled.state()
        {
            let beside = match self.exactly {
                true => self.lent.deviation.print(),
                false => None,
            };
            self.is_pruned |= !self.lent.visited.enter(seen, beside);
        }
    }

    /// Returns the decision among `of` alternatives, the second of which costs `cost` more than the first.
    fn branch(&mut self, of: usize, cost: u32) -> u32 {
        if of <= 1 || self.is_pruned {
            return 0;
        }
        let of = u32::try_from(of).unwrap_or(u32::MAX);
        let at = self.taken.len();
        let taken = match self.item.decision(at) {
            Some(taken) if taken < of => taken,
            Some(_) => {
                // The program is not deterministic: it offers fewer alternatives than before.
                self.has_diverged = true;
                self.is_pruned = true;
                0
            }
            None => match &mut self.sampler {
                Some(sampler) => sampler.deviations().min(of - 1),
                None => {
                    self.noted.push(Alternative {
                        at: at as u32,
                        of,
                        cost,
                    });
                    0
                }
            },
        };
        self.taken.push(taken);
        taken
    }

    /// Returns the answers in the order in which they are tried, if an explorer times faults: first those for
    /// now, then none, then the others. Those for later are no answers.
    fn timed_answers(&mut self, choice: Choice<'_>) -> Option<Vec<u32>> {
        let deviation = &self.lent.deviation;
        if !deviation.times_faults() {
            return None;
        }
        let timings: Vec<FaultTiming> = match choice {
            Choice::FaultBetween(enabled, faults) => {
                let possible = faults
                    .iter()
                    .map(|fault| PossibleFault::Between(enabled, fault));
                possible
                    .map(|fault| deviation.fault_timing(fault))
                    .collect()
            }
            Choice::FaultWithin(site) => {
                let timing = deviation.fault_timing(PossibleFault::Within(site));
                vec![timing; site.ways as usize]
            }
            Choice::Below(..) | Choice::Seed | Choice::Passing(_) => return None,
        };
        self.holds_faults |= timings.contains(&FaultTiming::Later);
        let of = |wanted: FaultTiming| {
            let answers = (1..).zip(&timings);
            answers
                .filter(move |(_, timing)| **timing == wanted)
                .map(|(answer, _)| answer)
        };
        let now = of(FaultTiming::Now);
        Some(now.chain([0]).chain(of(FaultTiming::Placed)).collect())
    }

    /// Draws an answer to a choice while sampling behind the item.
    fn drawn(&mut self, bound: u64) -> Option<u32> {
        if !self.has_made_all() {
            return None;
        }
        let sampler = self.sampler.as_mut()?;
        Some(below(&mut sampler.rng, bound) as u32)
    }
}

impl Sampler {
    /// Removes and counts the deviations drawn for the current place.
    fn deviations(&mut self) -> u32 {
        let mut deviations = 0;
        while self.due.last() == Some(&self.place) {
            self.due.pop();
            deviations += 1;
        }
        self.place += 1;
        deviations
    }
}

impl Strategy for Run {
    fn name(&self) -> String {
        String::new()
    }

    fn needs(&self) -> Needs {
        Needs {
            states: self.compares_states(),
            histories: self.same == StateEquivalence::Histories,
            faults: true,
            ..Needs::default()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        let seed = *self.seed.get_or_insert(execution.seed);
        self.lent.deviation.begin(&Execution {
            seed,
            ..execution.clone()
        });
        Some(Fairness::Unfair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.arrive(enabled);
        let cost = self.lent.deviation.cost_of_pick();
        let nth = self.branch(self.able, cost);
        if self.is_pruned {
            return Err(Pruned::new());
        }
        let position = self.lent.deviation.position(enabled, nth as usize);
        self.lent.deviation.takes(enabled, position);
        Ok(position)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        match choice {
            Choice::Below(bound, _) => {
                if let Some(drawn) = self.drawn(u64::from(bound)) {
                    return Some(drawn);
                }
            }
            Choice::Seed => {
                self.is_seeded = true;
                return self.drawn(choice.bound());
            }
            Choice::FaultBetween(enabled, _) => self.arrive(enabled),
            Choice::FaultWithin(_) => {}
            Choice::Passing(_) => return None,
        }
        let cost = self.lent.deviation.cost_of_answer();
        Some(match self.timed_answers(choice) {
            Some(answers) => answers[self.branch(answers.len(), cost) as usize],
            None => self.branch(choice.bound() as usize, cost),
        })
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let StrategyEvent::Ended(ended) = event
            && let (Ending::Complete, Some(seen)) = (ended.ending, &ended.state)
            && self.compares_states()
        {
            // `arrive` isn't called for a final state, since there is no step to pick.
            self.lent.visited.enter(seen, None);
        }
    }
}

impl Item {
    /// The first work item, which makes no decisions.
    pub(super) fn root() -> Self {
        Self {
            path: Arc::new([]),
            at: 0,
            instead: 0,
            of: 0,
            cost: 0,
        }
    }

    /// The number of decisions of the item.
    fn len(&self) -> usize {
        match self.of {
            0 => 0,
            _ => self.at as usize + 1,
        }
    }

    fn decision(&self, at: usize) -> Option<u32> {
        match at.cmp(&(self.at as usize)) {
            std::cmp::Ordering::Less => self.path.get(at).copied(),
            std::cmp::Ordering::Equal => (self.of > 0).then_some(self.instead),
            std::cmp::Ordering::Greater => None,
        }
    }

    /// True if the execution ended before the item's last decision.
    pub(super) fn is_cut(&self, taken: usize) -> bool {
        taken < self.len()
    }
}
