//! Prefix-based search, behind a fair walk to a state without pending obligations: [`LivePrefix`].

use super::{
    Choice, CoverageClaim, Enabled, Ended, Execution, Fairness, FaultSite, Gap, Step, Strategy,
    Weighted, Weights,
};
use crate::data::bug::Cycle;
use crate::data::faults::Fault;

/// Finds a prefix after which no obligation is pending, and starts every execution of a search behind it
/// (MaceMC, NSDI 2007, section 4.2, prefix-based search).
///
/// The first executions of a search vary only the set-up of a program, which may be long. So a fair
/// [weighted](Weighted) walk goes first, for a quarter of the step bound of an unfair execution, and on to
/// the first step after which no monitor and no predicate has a pending obligation. If one walk finds no
/// such step, another one is tried. From then on every execution begins with the steps of that walk.
///
/// The search sees only the steps behind the prefix, and counts them from zero. Schedules with another
/// beginning are a [gap](Gap::Prefixes).
#[derive(Debug)]
pub struct LivePrefix {
    search: Box<dyn Strategy>,
    walk: Weighted,
    /// The decisions of the walk, as positions and answers.
    decided: Vec<u32>,
    /// The number of decisions and of steps in the prefix, once it was found.
    found: Option<(usize, u64)>,
    /// The number of steps after which the prefix may end.
    from: u64,
    /// The number of decisions of the prefix that the execution has repeated.
    made: usize,
    is_past_prefix: bool,
    /// The number of walks that found no prefix.
    vain: u64,
}

/// The most walks that are tried.
const WALKS: u64 = 100;

impl LivePrefix {
    /// Starts a search behind a prefix.
    pub fn new(search: Box<dyn Strategy>) -> Self {
        Self {
            search,
            walk: Weighted::new(Weights::default()),
            decided: Vec::new(),
            found: None,
            from: 0,
            made: 0,
            is_past_prefix: false,
            vain: 0,
        }
    }

    fn steps(&self) -> u64 {
        self.found.map_or(0, |(_, steps)| steps)
    }

    /// The next decision of the prefix; zero, which is always possible, behind its end.
    fn next_prefix_decision(&mut self) -> u32 {
        self.made += 1;
        self.decided.get(self.made - 1).copied().unwrap_or(0)
    }
}

impl Strategy for LivePrefix {
    fn name(&self) -> String {
        format!("live-{}", self.search.name())
    }

    fn fairness(&self) -> Fairness {
        let steps = self.steps();
        match (self.found, self.search.fairness()) {
            (None, _) => Fairness::Fair,
            (Some(_), Fairness::Unfair) => Fairness::Unfair,
            (Some(_), Fairness::Fair) => Fairness::FairFrom(steps),
            (Some(_), Fairness::FairFrom(step)) => Fairness::FairFrom(steps + step),
        }
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        self.made = 0;
        self.is_past_prefix = false;
        self.from = execution.max_steps / 4;
        if self.found.is_some() {
            return self.search.begin(execution);
        }
        self.decided.clear();
        self.vain < WALKS && self.walk.begin(execution)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let Some((_, steps)) = self.found else {
            let is_live = enabled.state().is_some_and(|seen| seen.obligations == 0);
            if is_live && enabled.step() >= self.from {
                // The next execution continues from here.
                self.found = Some((self.decided.len(), enabled.step()));
                return None;
            }
            let picked = self.walk.pick(enabled)?;
            self.decided.push(picked as u32);
            return Some(picked);
        };
        self.is_past_prefix = enabled.step() >= steps;
        match self.is_past_prefix {
            true => self.search.pick(&enabled.since(steps)),
            false => Some(self.next_prefix_decision() as usize),
        }
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        match self.found {
            None => {
                let answer = self.walk.choose(choice);
                self.decided.push(answer);
                answer
            }
            Some(_) if self.is_past_prefix => self.search.choose(choice),
            Some(_) => self.next_prefix_decision(),
        }
    }

    fn fault_within_step(&mut self, offer: &FaultSite) -> u32 {
        match self.is_past_prefix {
            true => self.search.fault_within_step(offer),
            false => 0,
        }
    }

    fn fault_between_steps(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        let (_, steps) = self.found?;
        match enabled.step() >= steps {
            true => self
                .search
                .fault_between_steps(&enabled.since(steps), faults),
            false => None,
        }
    }

    fn fault_struck(&mut self, key: u64) {
        self.search.fault_struck(key);
    }

    fn places_faults(&self) -> bool {
        self.search.places_faults()
    }

    fn wants_states(&self) -> bool {
        self.found.is_none() || self.search.wants_states()
    }

    fn compares_histories(&self) -> bool {
        self.found.is_some() && self.search.compares_histories()
    }

    fn wants_steps(&self) -> bool {
        self.found.is_some() && self.search.wants_steps()
    }

    fn stepped(&mut self, step: &Step<'_>) {
        if self.is_past_prefix {
            self.search.stepped(step);
        }
    }

    fn fair_cycle(&self) -> Option<Cycle> {
        self.search.fair_cycle()
    }

    fn ended(&mut self, ended: &Ended) {
        if self.is_past_prefix {
            self.search.ended(&Ended {
                steps: ended.steps.saturating_sub(self.steps()),
                ..*ended
            });
        }
        self.vain += u64::from(self.found.is_none());
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn covered(&self) -> CoverageClaim {
        let mut covered = self.search.covered();
        if let CoverageClaim::Systematic { gaps, .. } = &mut covered {
            let steps = self.steps();
            gaps.push(Gap::Prefixes { steps });
        }
        covered
    }
}
