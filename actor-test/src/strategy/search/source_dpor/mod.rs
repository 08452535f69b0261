//! Every behaviour at least once, for programs whose steps reach more than inboxes.
//!
//! Inbox-DPOR knows of each step what it gives to whom. A step that watches an actor's end, stops one, or
//! asks for a name may concern anybody. So where that search ends at such a step, this one begins: it
//! takes one step after another, and of each it asks no more than [whether it depends](footprint) on
//! another one. Where it is not known whether it does, it does. Of two schedules that differ in the order
//! of independent steps only, one is enough.
//!
//! It is source-DPOR with sleep sets (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014): an execution is
//! [run](run), and where two of its steps depend on each other and might have come in the other order,
//! somebody is noted who has to come first there for that to happen. It differs in this: a step may take
//! away that of another, as a kill does, which then is seen in no execution that begins like that; so
//! whoever loses a step has to come first as well.
//!
//! The dependence is coarse: what is one behaviour to all actors may be counted as several.

mod footprint;
mod path;
mod run;

use self::path::Path;
pub(in crate::strategy) use self::run::SourceDporRun;
use super::ExhaustiveSearch;
use super::attempt::SearchBudget;
use super::dpor::{EXECUTION, STEP};
use crate::strategy::{
    ConstructSet, Constructs, CoverageClaim, Ended, Ending, Gap, Reduction, SizeEstimate,
    StepConstruct,
};

/// After so many executions it may seem to be too large: where it seems to be larger than that, since
/// such a guess may be far too high. It says no more than the second figure.
const GUESSED: u64 = 64;
const HUGE: f64 = 1e7;
const HUGE_MAX: f64 = 1e9;

/// Every behaviour at least once.
#[derive(Debug, Default)]
pub(in crate::strategy) struct SourceDpor {
    path: Path,
    begun: bool,
    /// Why it ended early.
    stopped: Option<Gap>,
    /// How many there seemed to be when it stopped.
    extent: Option<SizeEstimate>,
    /// What was taken as dependent on all other steps.
    met: ConstructSet,
    seeded: u64,
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

    /// Whether it may follow such a step.
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

    /// How many behaviours there were up to now. How many there are at the least is not known: what is to
    /// be turned round in an execution turns out while others are run, and a guess by shares of what is
    /// known is far too low or far too high.
    fn guess(&self) -> Option<SizeEstimate> {
        let met = self.behaviours;
        self.begun
            .then(|| SizeEstimate::between(met, met as f64, None))
    }

    /// Takes note of what an execution has cost.
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
        }
    }
}

impl ExhaustiveSearch for SourceDpor {
    type Item = SourceDporRun;

    fn name(&self) -> String {
        "dpor".into()
    }

    fn round(&mut self) -> Vec<SourceDporRun> {
        if self.stopped.is_some() || self.limit.as_ref().is_some_and(SearchBudget::is_reached) {
            return Vec::new();
        }
        if !self.begun {
            return vec![SourceDporRun::new(Vec::new(), 0, Vec::new())];
        }
        let next = self.path.next();
        let next = next.map(|(turns, from, asleep)| SourceDporRun::new(turns, from, asleep));
        next.into_iter().collect()
    }

    fn take(&mut self, mut item: SourceDporRun, ended: &Ended) {
        self.begun = true;
        self.executions += 1;
        self.seeded += u64::from(item.is_seeded);
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
