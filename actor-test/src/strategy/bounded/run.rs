//! One execution of a search by deviations: [`Run`].

use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::deviation::Deviation;
use super::known::VisitedStates;
use super::{StateEquivalence, strata::Item};
use crate::data::faults::Fault;
use crate::strategy::{
    Choice, Enabled, Ended, Ending, Execution, Fairness, FaultSite, Strategy, below, generator,
};

/// What the search lends to an execution.
#[derive(Debug)]
pub(super) struct BoundedSearchState {
    pub(super) deviation: Deviation,
    pub(super) known: VisitedStates,
}

/// Makes the decisions of an item, goes on with as few deviations as there are, and notes what else might
/// have been done.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) lent: BoundedSearchState,
    same: StateEquivalence,
    /// States are told apart by what the deviation goes by as well.
    exactly: bool,
    pub(super) item: Item,
    /// The seed of all executions, where one has begun before.
    pub(super) seed: Option<u64>,
    /// What was decided where there was something to decide.
    pub(super) taken: Vec<u32>,
    /// Where something else might have been decided.
    pub(super) noted: Vec<Alternative>,
    /// Before which step it has looked last, and what was found.
    looked: Option<u64>,
    able: usize,
    is_pruned: bool,
    pub(super) has_diverged: bool,
    pub(super) is_seeded: bool,
    /// Behind the decisions of the item it deviates at random.
    sampler: Option<Sampler>,
}

/// The first alternative to what was decided at a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alternative {
    /// After how many decisions.
    pub(super) at: u32,
    /// Among how many.
    pub(super) of: u32,
    pub(super) cost: u32,
}

/// Deviates at a few places drawn beforehand.
#[derive(Debug)]
pub(super) struct Sampler {
    pub(super) rng: Xoshiro256PlusPlus,
    /// The places, counted from the end of the item, the next one last.
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
            looked: None,
            able: 0,
            is_pruned: false,
            has_diverged: false,
            is_seeded: false,
            sampler: None,
        }
    }

    /// Has it deviate at random behind the item, at up to so many places.
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

    /// Its own decisions are made.
    fn is_beyond(&self) -> bool {
        self.taken.len() >= self.item.len()
    }

    /// A look at the state and at who may be picked, once before each step.
    fn arrive(&mut self, enabled: &Enabled<'_>) {
        if self.looked.replace(enabled.step()) == Some(enabled.step()) {
            return;
        }
        self.able = match enabled.get(0) {
            Some(_) => self.lent.deviation.look(enabled),
            None => 0,
        };
        if self.same != StateEquivalence::Never
            && self.sampler.is_none()
            && self.is_beyond()
            && let Some(seen) = enabled.state()
        {
            let beside = match self.exactly {
                true => self.lent.deviation.print(),
                false => None,
            };
            self.is_pruned |= !self.lent.known.enter(seen, beside);
        }
    }

    /// What is taken where there are so many to take, of which the second costs more by so much.
    fn branch(&mut self, of: usize, cost: u32) -> u32 {
        if of <= 1 || self.is_pruned {
            return 0;
        }
        let of = u32::try_from(of).unwrap_or(u32::MAX);
        let at = self.taken.len();
        let taken = match self.item.decision(at) {
            Some(taken) if taken < of => taken,
            Some(_) => {
                // The program offers less than before.
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

    /// How an answer is given that is not the item's.
    fn drawn(&mut self, bound: u64) -> Option<u32> {
        if !self.is_beyond() {
            return None;
        }
        let sampler = self.sampler.as_mut()?;
        Some(below(&mut sampler.rng, bound) as u32)
    }
}

impl Sampler {
    /// How many deviations there are at this place.
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

    fn fairness(&self) -> Fairness {
        Fairness::Unfair
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        let seed = *self.seed.get_or_insert(execution.seed);
        self.lent.deviation.begin(&Execution {
            seed,
            ..execution.clone()
        });
        true
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.arrive(enabled);
        let cost = self.lent.deviation.cost_of_pick();
        let nth = self.branch(self.able, cost);
        if self.is_pruned {
            return None;
        }
        let position = self.lent.deviation.position(enabled, nth as usize);
        self.lent.deviation.takes(enabled, position);
        Some(position)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        match choice {
            Choice::Below(bound) => match self.drawn(u64::from(bound)) {
                Some(drawn) => drawn,
                None => self.branch(bound as usize, self.lent.deviation.cost_of_answer()),
            },
            Choice::Seed => {
                self.is_seeded = true;
                self.drawn(choice.bound()).unwrap_or(0)
            }
        }
    }

    fn fault_between_steps(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        self.arrive(enabled);
        let cost = self.lent.deviation.cost_of_answer();
        let taken = self.branch(1 + faults.len(), cost);
        taken.checked_sub(1).map(|fault| fault as usize)
    }

    fn fault_within_step(&mut self, offer: &FaultSite) -> u32 {
        let cost = self.lent.deviation.cost_of_answer();
        self.branch(offer.ways as usize + 1, cost)
    }

    fn places_faults(&self) -> bool {
        true
    }

    fn ended(&mut self, ended: &Ended) {
        if let (Ending::Complete, Some(seen)) = (ended.ending, &ended.state)
            && self.wants_states()
        {
            // Nobody arrives where nothing can be done.
            self.lent.known.enter(seen, None);
        }
    }

    fn wants_states(&self) -> bool {
        self.same != StateEquivalence::Never && self.sampler.is_none()
    }

    fn compares_histories(&self) -> bool {
        self.same == StateEquivalence::Histories
    }
}

impl Item {
    /// The first of all, which decides nothing.
    pub(super) fn root() -> Self {
        Self {
            way: Arc::new([]),
            at: 0,
            instead: 0,
            of: 0,
            cost: 0,
        }
    }

    /// How many decisions it makes.
    fn len(&self) -> usize {
        match self.of {
            0 => 0,
            _ => self.at as usize + 1,
        }
    }

    fn decision(&self, at: usize) -> Option<u32> {
        match at.cmp(&(self.at as usize)) {
            std::cmp::Ordering::Less => self.way.get(at).copied(),
            std::cmp::Ordering::Equal => (self.of > 0).then_some(self.instead),
            std::cmp::Ordering::Greater => None,
        }
    }

    /// It has ended before it has made all its decisions.
    pub(super) fn is_cut(&self, taken: usize) -> bool {
        taken < self.len()
    }
}
