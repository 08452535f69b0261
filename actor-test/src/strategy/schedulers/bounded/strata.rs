//! Stratified search by the number of deviations: [`StratifiedSearch`].

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Bounded;
use super::deviation::Deviation;
use super::forecast::Forecast;
use super::run::{Alternative, BoundedSearchState, Run};
use super::visited::{VISITED_MAX, VisitedStates};
use crate::data::coverage_claim::{CoverageClaim, Gap, Reduction};
use crate::data::extent::SizeEstimate;
use crate::hash::mix;
use crate::settings::strategy::StateEquivalence;
use crate::strategy::search::Frontier;
use crate::strategy::{Ended, below, generator};

/// A work item: the decisions of an earlier execution up to a place, and another decision there.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The decisions of the earlier execution.
    pub(super) path: Arc<[u32]>,
    /// The number of decisions before the place with the other one.
    pub(super) at: u32,
    pub(super) instead: u32,
    /// The number of alternatives at that place; zero for the item that makes no decisions.
    pub(super) of: u32,
    /// The number of deviations of the item.
    pub(super) cost: u32,
}

/// The most delays that a sample adds to an item beyond the bound.
const MORE: u64 = 4;

/// Runs all items without a deviation, then those with one, and so on.
#[derive(Debug)]
pub(super) struct StratifiedSearch {
    name: String,
    same: StateEquivalence,
    bound: Option<u32>,
    /// Set if the executions are handed over to another strategy after a number of steps.
    is_bounded_by_steps: bool,
    samples: bool,
    /// Lent to the execution in progress.
    lent: Option<BoundedSearchState>,
    /// The pending items by their number of deviations, the next one last.
    strata: BTreeMap<u32, Vec<Item>>,
    /// The stratum in progress.
    stratum: u32,
    forecast: Forecast,
    executions: u64,
    /// The items beyond the bound, kept only for sampling; `has_more` is set once there was any.
    over_bound: Vec<Item>,
    has_more: bool,
    /// The seed of all executions.
    seed: Option<u64>,
    /// The number of decisions in the longest execution.
    longest: u64,
    sampled: u64,
    is_full: bool,
    seeded: u64,
    strayed: u64,
    is_unsound: bool,
    /// The number of executions in which the explorer held faults back.
    held: u64,
    /// Set if the explorer gives no fingerprint of its own state.
    lacks_explorer_state: bool,
}

impl StratifiedSearch {
    pub(super) fn new(bounded: Bounded) -> Self {
        let name = bounded.name();
        let Bounded {
            deviation,
            same,
            bound,
            samples,
        } = bounded;
        let same = match deviation.is_fair() {
            true => StateEquivalence::Never,
            false => same,
        };
        Self {
            name,
            same,
            bound,
            is_bounded_by_steps: matches!(deviation, Deviation::Nothing { .. }),
            samples,
            lent: Some(BoundedSearchState {
                deviation,
                visited: VisitedStates::default(),
            }),
            strata: BTreeMap::from([(0, vec![Item::root()])]),
            stratum: 0,
            forecast: Forecast::default(),
            executions: 0,
            over_bound: Vec::new(),
            has_more: false,
            seed: None,
            longest: 0,
            sampled: 0,
            is_full: false,
            seeded: 0,
            strayed: 0,
            is_unsound: false,
            held: 0,
            lacks_explorer_state: false,
        }
    }

    /// True if states are compared together with the state of the deviation. A claim about a bound needs
    /// this; a claim about all schedules does not.
    fn exactly(&self) -> bool {
        self.bound.is_some() || self.is_bounded_by_steps
    }

    fn next(&mut self) -> Option<Item> {
        loop {
            let mut first = self.strata.first_entry()?;
            if *first.key() > self.stratum {
                self.stratum = *first.key();
                let visited = self.lent.as_ref().map_or(0, |lent| lent.visited.len());
                self.forecast.begin(visited);
                // Items are run in the order in which they were noted.
                first.get_mut().reverse();
            }
            match first.get_mut().pop() {
                Some(item) => return Some(item),
                None => _ = first.remove(),
            }
        }
    }

    fn push(&mut self, item: Item) {
        if self.bound.is_none_or(|bound| item.cost <= bound) {
            self.strata.entry(item.cost).or_default().push(item);
        } else {
            self.has_more = true;
            if self.samples {
                self.over_bound.push(item);
            }
        }
    }

    /// Adds the next alternative at the same place, which takes `cost` more deviations.
    fn push_next(&mut self, item: &Item, cost: u32) {
        if item.instead + 1 < item.of {
            self.push(Item {
                instead: item.instead + 1,
                cost: item.cost + cost,
                ..item.clone()
            });
        }
    }

    /// An execution that samples beyond the bound.
    fn sample(&mut self) -> Option<Run> {
        if self.over_bound.is_empty() || !self.samples || self.is_full {
            return None;
        }
        self.sampled += 1;
        let seed = mix(mix(self.seed?, 0x5a3b1e), self.sampled);
        let drawn = below(&mut generator(seed), self.over_bound.len() as u64);
        let mut item = self.over_bound[drawn as usize].clone();
        // The later alternatives take more deviations still.
        let others = u64::from(item.of - item.instead);
        item.instead += below(&mut generator(mix(seed, 2)), others) as u32;
        let left = self.longest.saturating_sub(u64::from(item.at));
        let lent = self.lent.take()?;
        let run = Run::new(lent, self.same, false, item, self.seed);
        Some(run.sampling(MORE, left, mix(seed, 1)))
    }
}

impl Frontier for StratifiedSearch {
    type Item = Run;

    fn name(&self) -> String {
        self.name.clone()
    }

    fn round(&mut self) -> Vec<Run> {
        if self.is_full || self.is_unsound {
            return Vec::new();
        }
        let Some(item) = self.next() else {
            return self.sample().into_iter().collect();
        };
        let exactly = self.exactly();
        let Some(lent) = self.lent.take() else {
            return Vec::new();
        };
        self.push_next(&item, lent.deviation.cost_of_next());
        vec![Run::new(lent, self.same, exactly, item, self.seed)]
    }

    fn take(&mut self, run: Run, _: &Ended) {
        self.seed = run.seed;
        self.longest = self.longest.max(run.taken.len() as u64);
        self.seeded += u64::from(run.is_seeded);
        let is_astray = run.has_diverged || run.item.is_cut(run.taken.len());
        self.strayed += u64::from(is_astray);
        self.held += u64::from(run.holds_faults);
        self.is_unsound |= run.lent.deviation.is_unsound();
        self.lacks_explorer_state |=
            self.same != StateEquivalence::Never && run.lent.deviation.print().is_none();
        self.is_full |= run.lent.visited.is_full();
        self.executions += 1;
        let count = |is_same_cost: bool| {
            let of = run
                .noted
                .iter()
                .filter(|noted| (noted.cost == 0) == is_same_cost);
            of.map(|noted| u64::from(noted.of) - 1).sum()
        };
        self.forecast.took(count(true), count(false));
        if let Some(last) = run.noted.last() {
            let path: Arc<[u32]> = run.taken[..last.at as usize].into();
            let item = |noted: &Alternative| Item {
                path: path.clone(),
                at: noted.at,
                instead: 1,
                of: noted.of,
                cost: run.item.cost + noted.cost,
            };
            // In the current stratum the item pushed last is run first; in later ones, the first.
            let (now, later): (Vec<Alternative>, Vec<Alternative>) =
                run.noted.iter().partition(|noted| noted.cost == 0);
            now.iter().rev().for_each(|noted| self.push(item(noted)));
            later.iter().for_each(|noted| self.push(item(noted)));
        }
        let mut lent = run.lent;
        if std::mem::take(&mut lent.visited.begins_anew) {
            lent.visited.begin_anew();
            self.strata = BTreeMap::from([(0, vec![Item::root()])]);
            self.stratum = 0;
            self.forecast = Forecast::default();
            self.executions = 0;
            self.over_bound.clear();
            self.has_more = false;
        }
        self.lent = Some(lent);
    }

    /// Estimates the size of a search within a bound. There is no estimate for sampling, nor for `bdfs`.
    fn extent(&self) -> Option<SizeEstimate> {
        let bound = self
            .bound
            .filter(|_| !self.samples && !self.is_bounded_by_steps)?;
        let lent = self.lent.as_ref()?;
        let next = lent.deviation.cost_of_next();
        let beside = |item: &Item| {
            let others = u64::from(item.of.saturating_sub(item.instead + 1));
            match (next, bound - item.cost) {
                (0, _) => others,
                (cost, left) => others.min(u64::from(left / cost)),
            }
        };
        let items = self.strata.values().flatten();
        let noted = items.map(|item| (bound - item.cost, 1 + beside(item)));
        let met = match self.same {
            StateEquivalence::Never => self.executions,
            StateEquivalence::States | StateEquivalence::Histories => lent.visited.len(),
        };
        Some(
            self.forecast
                .extent(noted, (met, self.same != StateEquivalence::Never)),
        )
    }

    fn covered(&self) -> CoverageClaim {
        let has_ended = self.strata.values().all(Vec::is_empty);
        let mut gaps = Vec::new();
        if self.is_full {
            gaps.push(Gap::States { bound: VISITED_MAX });
        }
        if self.is_unsound {
            gaps.push(Gap::UnsoundExplorer);
        }
        let fair = self.lent.as_ref().map(|lent| &lent.deviation);
        if let (Some(deviation), Some(bound), true, true) =
            (fair, self.bound, has_ended, self.has_more)
        {
            gaps.push(match deviation {
                Deviation::Delays(_) => Gap::Delays { bound },
                Deviation::Preemptions(_) | Deviation::Nothing { .. } => Gap::Preemptions { bound },
            });
            if self.lacks_explorer_state {
                gaps.push(Gap::ExplorerState);
            }
        }
        if self.held > 0 {
            let executions = self.held;
            gaps.push(Gap::HeldFaults { executions });
        }
        if fair.is_some_and(Deviation::is_fair) {
            gaps.push(Gap::Unfair);
        }
        if self.seeded > 0 {
            let executions = self.seeded;
            gaps.push(Gap::Seeds { executions });
        }
        if self.strayed > 0 {
            let executions = self.strayed;
            let step = None;
            gaps.push(Gap::Diverged { executions, step });
        }
        let visited = self.lent.as_ref().map_or(0, |lent| lent.visited.len());
        CoverageClaim::Systematic {
            reduction: match self.same {
                StateEquivalence::Never => Reduction::None,
                StateEquivalence::States => Reduction::States {
                    states: visited,
                    local_first: false,
                    symmetric: false,
                },
                StateEquivalence::Histories => Reduction::Histories { prefixes: visited },
            },
            is_complete: has_ended && !self.is_full,
            gaps,
        }
    }
}
