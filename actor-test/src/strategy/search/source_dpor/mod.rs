//! Source-DPOR with sleep sets: explores every behaviour at least once, also beyond inboxes.
//!
//! Inbox-DPOR knows for each step which payload it passes to which operation. A step that watches an actor's
//! end, stops an actor, or reads a name may concern any operation. If Inbox-DPOR ends at such a step, this
//! search takes over, which needs only the [dependency](footprint) of steps, and takes unknown pairs for
//! dependent. One schedule is enough of those that differ only in the order of independent steps.
//!
//! The algorithm is source-DPOR with sleep sets (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014). For each race
//! in a [run](run) that can be reversed, a backtrack point names an operation that has to come first there.
//! There is one difference: a step may disable the step of another operation, as a kill does, and no
//! execution with this prefix shows the disabled step. So each disabled operation becomes a backtrack point
//! as well.
//!
//! The dependency is coarse: several explored behaviours may be the same for all actors.
//!
//! The end of an execution counts the rounds in which only periodic timers are enabled. So once a periodic
//! or patient timer is armed, a timer that fires depends on all other steps, local ones too. A timer that
//! waits for everything else, by itself or since its [ticks](crate::strategy::tick_bound) are spent, can't
//! come before a step that was enabled: that order is no race.
//!
//! A fault within a step is a choice of the step, and each step that looks at the budget, which all share,
//! depends on all others. A fault between steps is a step of an operation that is enabled while the fault is
//! possible. No execution has to take it: so it is tried where an execution ends, and then before the steps with
//! which it races. A fault that changes links depends on messages on links; one that ends or pauses all that runs
//! on a node depends on each step there.

mod footprint;
mod path;
mod run;

use self::path::Path;
pub(in crate::strategy) use self::run::SourceDporRun;
use super::Frontier;
use super::budget::{EXECUTION, STEP, SearchBudget};
use crate::data::constructs::{ConstructSet, Constructs, StepConstruct};
use crate::data::coverage_claim::{CoverageClaim, Gap, Reduction};
use crate::data::extent::SizeEstimate;
use crate::strategy::tick_bound::TickBound;
use crate::strategy::{Ended, Ending};

/// The number of executions after which the search may seem too large, the estimated size at which it does,
/// and the cap on the estimate, which may be far too high.
const GUESSED: u64 = 64;
const HUGE: f64 = 1e7;
const HUGE_MAX: f64 = 1e9;

/// The source-DPOR search.
#[derive(Debug, Default)]
pub(in crate::strategy) struct SourceDpor {
    path: Path,
    begun: bool,
    /// The reason for an early end.
    stopped: Option<Gap>,
    /// The estimate at the time of an early end.
    extent: Option<SizeEstimate>,
    /// The constructs met so far that were taken as dependent on all other steps.
    met: ConstructSet,
    seeded: u64,
    /// The number of executions in which the ticks of an actor were cut.
    cut: u64,
    limit: Option<SearchBudget>,
    executions: u64,
    behaviours: u64,
}

impl SourceDpor {
    pub(super) fn new(limit: Option<SearchBudget>) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// True if the search may follow a step with this construct.
    pub(super) fn follows(what: StepConstruct) -> bool {
        !run::UNSUPPORTED.has(what)
    }

    fn stop(&mut self, why: Gap) {
        if self.stopped.is_none() {
            self.extent = self.guess();
        }
        self.stopped.get_or_insert(why);
        self.path.clear();
    }

    /// Returns the number of behaviours so far as the lower bound. A better bound is unknown: races turn up
    /// only during other executions, and estimates by shares of the known tree are far too low or far too
    /// high.
    fn guess(&self) -> Option<SizeEstimate> {
        let met = self.behaviours;
        self.begun
            .then(|| SizeEstimate::between(met, met as f64, None))
    }

    /// Records the cost of an execution, and ends an attempt that can't lead to a proof.
    fn spend(&mut self, ended: &Ended) {
        let Some(limit) = &self.limit else { return };
        limit.spend(EXECUTION + STEP * ended.steps);
        let size = (self.executions as f64 / self.path.share()).min(HUGE_MAX);
        let size = (self.executions >= GUESSED && size >= HUGE).then_some(size);
        if let Some(size) = size
            && limit.exceeds_worth(self.executions, size)
        {
            let about = size as u64;
            self.stop(Gap::TooMany { about });
        } else if ended.ending == Ending::Bound {
            let bound = ended.steps;
            let executions = 1;
            self.stop(Gap::Steps { bound, executions });
        } else if self.seeded > 0 {
            self.stop(Gap::Seeds { executions: 1 });
        } else if let Some(gap) = TickBound::gap(self.cut) {
            self.stop(gap);
        }
    }
}

impl Frontier for SourceDpor {
    type Item = SourceDporRun;

    fn name(&self) -> String {
        "dpor".into()
    }

    fn round(&mut self) -> Vec<SourceDporRun> {
        if self.stopped.is_some() || self.limit.as_ref().is_some_and(SearchBudget::is_reached) {
            return Vec::new();
        }
        let next = match self.begun {
            true => self.path.next(),
            false => Some(Default::default()),
        };
        let next = next.map(SourceDporRun::new);
        next.into_iter().collect()
    }

    fn take(&mut self, mut item: SourceDporRun, ended: &Ended) {
        self.begun = true;
        self.executions += 1;
        self.seeded += u64::from(item.is_seeded);
        self.cut += u64::from(item.is_cut());
        self.met = self.met.and(item.met);
        if let Some((what, who)) = item.outside.take() {
            return self.stop(Gap::Unsupported { what, who });
        }
        if item.is_lost || ended.ending == Ending::Pruned && !item.is_blocked {
            return self.stop(Gap::Nondeterministic);
        }
        self.behaviours += u64::from(ended.ending != Ending::Pruned);
        let from = item.from();
        self.path.take(from, std::mem::take(&mut item.taken));
        self.spend(ended);
    }

    fn extent(&self) -> Option<SizeEstimate> {
        self.extent.or_else(|| self.guess())
    }

    fn covered(&self) -> CoverageClaim {
        let is_complete = self.begun && self.path.is_empty();
        let mut gaps = Vec::new();
        gaps.extend(self.stopped.clone());
        if !is_complete && self.stopped.is_none() {
            gaps.extend(self.limit.as_ref().and_then(SearchBudget::gap));
        }
        if self.seeded > 0 && self.limit.is_none() {
            let executions = self.seeded;
            gaps.push(Gap::Seeds { executions });
        }
        if self.limit.is_none() {
            gaps.extend(TickBound::gap(self.cut));
        }
        CoverageClaim::Systematic {
            reduction: Reduction::Steps {
                behaviours: self.behaviours,
                everywhere: Constructs::of(self.met),
            },
            is_complete,
            gaps,
        }
    }
}
