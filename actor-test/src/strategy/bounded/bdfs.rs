//! Bounded depth-first search with a random walk from each state at the depth bound: [`Bdfs`] (MaceMC).

use super::strata::StratifiedSearch;
use super::{Bounded, Deviation};
use crate::data::bug::Cycle;
use crate::data::coverage_claim::CoverageClaim;
use crate::data::faults::Fault;
use crate::data::story::ChoicePurpose;
use crate::settings::strategy::StateEquivalence;
use crate::strategy::search::SearchStrategy;
use crate::strategy::{
    Choice, Enabled, Ended, Execution, FairSuffix, Fairness, FaultSite, Step, Strategy,
};

/// Searches all steps up to a depth, then judges liveness on a random walk from each state there (MaceMC,
/// NSDI 2007, section 3.1).
///
/// The walk is fair and weighted, as that of [`FairSuffix`], and has no faults. Each state at the depth
/// starts one walk (section 4.2, state hashing); types without fingerprints are compared by their history.
///
/// Without a given depth, the search begins with five steps, and deepens by five at a time.
///
/// Guarantee: every bug within the depth is found, and every state at the depth starts a walk.
#[derive(Debug)]
pub struct Bdfs {
    /// The depth that the user gave.
    given: Option<u64>,
    depth: u64,
    search: FairSuffix,
}

/// The number of steps by which the depth grows.
const DEEPER: u64 = 5;

impl Bdfs {
    /// Iterative deepening, without a bound on the depth.
    pub fn deepening() -> Self {
        Self::new(None, DEEPER)
    }

    /// Searches to a depth of that many steps.
    pub fn to(depth: u64) -> Self {
        Self::new(Some(depth), depth)
    }

    fn new(given: Option<u64>, depth: u64) -> Self {
        Self {
            given,
            depth,
            search: Self::search(depth),
        }
    }

    fn search(depth: u64) -> FairSuffix {
        let all = Bounded {
            same: StateEquivalence::States,
            ..Bounded::from(Deviation::Nothing { step: 0, depth })
        };
        FairSuffix::at(
            depth,
            Box::new(SearchStrategy::new(StratifiedSearch::new(all))),
        )
    }
}

impl Strategy for Bdfs {
    fn name(&self) -> String {
        match self.given {
            None => "bdfs".into(),
            Some(depth) => format!("bdfs:{depth}"),
        }
    }

    fn fairness(&self) -> Fairness {
        self.search.fairness()
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        while !self.search.begin(execution) {
            // If no execution came to the depth, none comes to a greater one.
            if self.given.is_some() || self.search.suffixes() == 0 {
                return false;
            }
            self.depth += DEEPER;
            self.search = Self::search(self.depth);
        }
        true
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.search.pick(enabled)
    }

    fn next_choice_purpose(&mut self, asked: ChoicePurpose) {
        self.search.next_choice_purpose(asked);
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        self.search.choose(choice)
    }

    fn fault_within_step(&mut self, offer: &FaultSite) -> u32 {
        self.search.fault_within_step(offer)
    }

    fn fault_between_steps(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        self.search.fault_between_steps(enabled, faults)
    }

    fn fault_struck(&mut self, key: u64) {
        self.search.fault_struck(key);
    }

    fn ends_faults(&mut self, enabled: &Enabled<'_>) -> bool {
        self.search.ends_faults(enabled)
    }

    fn places_faults(&self) -> bool {
        true
    }

    fn wants_steps(&self) -> bool {
        self.search.wants_steps()
    }

    fn wants_states(&self) -> bool {
        self.search.wants_states()
    }

    fn fair_cycle(&self) -> Option<Cycle> {
        self.search.fair_cycle()
    }

    fn stepped(&mut self, step: &Step<'_>) {
        self.search.stepped(step);
    }

    fn ended(&mut self, ended: &Ended) {
        self.search.ended(ended);
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn covered(&self) -> CoverageClaim {
        self.search.covered()
    }
}
