//! Bounded depth-first search with random walks behind it: [`Bdfs`].

use super::strata::StratifiedSearch;
use super::{Bounded, Deviation, StateEquivalence};
use crate::data::bug::Cycle;
use crate::data::faults::Fault;
use crate::data::story::Asked;
use crate::strategy::search::SearchStrategy;
use crate::strategy::{
    Choice, CoverageClaim, Enabled, Ended, Execution, FairSuffix, Fairness, FaultSite, Step,
    Strategy,
};

/// Runs all that can be done in so many steps, and from each state that this comes to a random walk
/// (MaceMC, NSDI 2007, section 3.1): what is done first is searched, and what comes of it is judged.
///
/// The walk is fair and weighted, as that of [`FairSuffix`], and has no faults in it. It goes on from each
/// state at that depth once (section 4.2, state hashing); what offers no fingerprint is told apart by how
/// it came about.
///
/// Without a depth it begins with five steps, and goes on with five more each time that all is done.
///
/// Guarantee: every bug that shows within so many steps is found, and every state there is tried as the
/// beginning of a walk.
#[derive(Debug)]
pub struct Bdfs {
    /// The depth, where it is given.
    given: Option<u64>,
    depth: u64,
    search: FairSuffix,
}

/// How many steps deeper it goes each time.
const DEEPER: u64 = 5;

impl Bdfs {
    /// Deeper and deeper.
    pub fn deepening() -> Self {
        Self::new(None, DEEPER)
    }

    /// To a depth of so many steps.
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
            // Where nothing came so far, nothing comes any further.
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

    fn next_choice_purpose(&mut self, asked: Asked) {
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
