//! Bounded depth-first search with a random walk from each state at the depth bound: [`Bdfs`] (MaceMC).

use super::strata::StratifiedSearch;
use super::{Bounded, Deviation};
use crate::data::coverage_claim::CoverageClaim;
use crate::settings::strategy::{StateEquivalence, StrategySpec};
use crate::strategy::search::FrontierSearch;
use crate::strategy::{
    Choice, Enabled, Execution, FairSuffix, Fairness, Needs, Pruned, Strategy, StrategyEvent,
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
            Box::new(FrontierSearch::new(StratifiedSearch::new(all))),
        )
    }
}

impl Strategy for Bdfs {
    fn name(&self) -> String {
        StrategySpec::Bdfs(self.given).to_string()
    }

    fn needs(&self) -> Needs {
        self.search.needs()
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        loop {
            let begun = self.search.begin(execution);
            // If no execution came to the depth, none comes to a greater one.
            if begun.is_some() || self.given.is_some() || self.search.suffixes() == 0 {
                return begun;
            }
            self.depth += DEEPER;
            self.search = Self::search(self.depth);
        }
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.search.pick(enabled)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        self.search.choose(choice)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        self.search.observe(event);
    }

    fn covered(&self) -> CoverageClaim {
        self.search.covered()
    }
}
