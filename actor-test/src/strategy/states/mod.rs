//! Stateful search, which visits every state once: [`States`].
//!
//! There are two methods. [`model_search`] learns a transition model of the components of a state, and composes
//! states from it, so that few are executed. For other programs, [`reexecution`] re-executes the path to each
//! state.
//!
//! Fair cycles are found in the [graph](graph) of states with pending obligations ([`obligations`], [`cycles`],
//! [`cycle_path`]).

mod components;
mod cycle_path;
mod cycles;
mod graph;
mod model_search;
mod names;
mod obligations;
mod pieces;
mod reexecution;
mod table;
mod trial;

use model_search::ModelSearch;
use reexecution::ReexecutionSearch;
use trial::Trial;

use super::search::{FrontierSearch, SearchBudget, SearchStrategy};
use super::{
    Choice, CoverageClaim, Enabled, Execution, Fairness, Gap, Needs, Pending, Pruned, SizeEstimate,
    StepKind, Strategy, StrategyEvent, Unjudged,
};
use crate::hash::mix;
use crate::settings::strategy::{StateLimit, StrategySpec};

/// The order in which states are visited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VisitOrder {
    /// Breadth first: the nearest states first.
    Breadth,
    /// Depth first: on from the last new state.
    Depth,
}

/// Visits every state once.
///
/// The effect of a step on the components of a state in its footprint is learned from one execution, and
/// known wherever these components occur together again, so few states are executed. With predicates,
/// sleeps, asks or faults, or types without fingerprints, the path to each state is re-executed instead,
/// and an execution ends at a state that was visited before.
///
/// States are compared by fingerprints of 128 bits, over all actors, inboxes, timers and monitors. Values
/// without fingerprints are compared by their history. Then nothing is missed, but more states are visited
/// than exist; the report names such types.
///
/// Breadth first, the first bug has the fewest steps. Depth first is faster, since an execution continues
/// while its states are new.
///
/// Unfair. Seeds of generators are not explored: each is zero, and the search is [not called
/// exhaustive](CoverageClaim) if one was asked for.
#[derive(Debug)]
pub struct States {
    order: VisitOrder,
    local_first: bool,
    state_limit: StateLimit,
    search: StateSearch,
    trial: Option<Trial>,
}

#[derive(Debug)]
enum StateSearch {
    /// The search has not begun.
    None,
    Model(Box<FrontierSearch<ModelSearch>>),
    Reexecution(Box<ReexecutionSearch>),
}

impl StateSearch {
    fn any(&self) -> Option<&dyn SearchStrategy> {
        match self {
            Self::None => None,
            Self::Model(model_search) => Some(&**model_search),
            Self::Reexecution(reexecution) => Some(&**reexecution),
        }
    }
}

impl States {
    fn new(order: VisitOrder) -> Self {
        Self {
            order,
            local_first: false,
            state_limit: StateLimit::default(),
            search: StateSearch::None,
            trial: None,
        }
    }

    /// Visits the nearest states first.
    pub fn breadth_first() -> Self {
        Self::new(VisitOrder::Breadth)
    }

    /// Continues from the last new state.
    pub fn depth_first() -> Self {
        Self::new(VisitOrder::Depth)
    }

    /// Limits the number of states and the memory.
    #[must_use]
    pub(super) fn limit(mut self, state_limit: StateLimit) -> Self {
        self.state_limit = state_limit;
        self
    }

    /// Stops after so many states.
    #[must_use]
    pub fn states_max(mut self, states: u64) -> Self {
        self.state_limit.states = Some(states);
        self
    }

    /// Limits the memory in bytes. Further states are kept in a file, in `TMPDIR` or in `/var/tmp`, except
    /// for the 7 to 14 bytes of each that are needed to find it. The search stops when these are too many.
    #[must_use]
    pub fn bytes_max(mut self, bytes: usize) -> Self {
        self.state_limit.bytes = Some(bytes);
        self
    }

    /// Takes [local steps](crate::strategy::Step#local-steps) before any other, in one order instead of all, as
    /// [`Dfs::local_first`](super::Dfs::local_first) does: fewer states, the same end states and bugs.
    #[must_use]
    pub fn local_first(mut self) -> Self {
        self.local_first = true;
        self
    }

    /// Makes the search a trial, which pauses at the limit, and ends when a proof is out of reach.
    pub(super) fn within(self, limit: SearchBudget) -> Self {
        Self {
            trial: Some(Trial::new(limit)),
            ..self
        }
    }

    fn by_model_search(&self) -> StateSearch {
        let goes_on = self.order == VisitOrder::Depth;
        let limit = self.trial.as_ref().map(|trial| trial.limit().clone());
        let model_search = ModelSearch::new(self.name(), goes_on, self.state_limit, limit);
        StateSearch::Model(Box::new(FrontierSearch::new(model_search)))
    }

    fn by_reexecution(&self) -> StateSearch {
        let reexecution = ReexecutionSearch::new(self.order, self.local_first, self.state_limit);
        StateSearch::Reexecution(Box::new(reexecution))
    }

    fn search(&self) -> Option<&dyn SearchStrategy> {
        self.search.any()
    }

    fn search_mut(&mut self) -> Option<&mut dyn SearchStrategy> {
        match &mut self.search {
            StateSearch::None => None,
            StateSearch::Model(model_search) => Some(&mut **model_search),
            StateSearch::Reexecution(reexecution) => Some(&mut **reexecution),
        }
    }
}

fn name(order: VisitOrder, local_first: bool, state_limit: StateLimit) -> String {
    let spec = match (order, local_first) {
        (VisitOrder::Breadth, _) => StrategySpec::Breadth,
        (VisitOrder::Depth, true) => StrategySpec::StatesLocal,
        (VisitOrder::Depth, false) => StrategySpec::States,
    };
    spec(state_limit.is_bounded().then_some(state_limit)).to_string()
}

/// Estimates the number of states after `met` were met and `gone_on` expanded breadth first. The lower
/// bound is the number met. If a state recently had fewer than one new successor on average, the upper
/// bound supposes the same rate for all that are left and their successors; usually it falls.
fn extent(met: u64, gone_on: u64, from: impl Fn(u32) -> u32) -> Option<SizeEstimate> {
    let since = gone_on - gone_on / 4;
    let lately = gone_on.checked_sub(since).filter(|lately| *lately > 0)?;
    let (mut low, mut high) = (1, met);
    while low < high {
        let middle = low.midpoint(high);
        match u64::from(from(middle as u32)) < since {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    let rate = (met - low) as f64 / lately as f64;
    let left = (met - gone_on) as f64;
    let most = (rate < 1.0).then(|| met as f64 + left * rate / (1.0 - rate));
    Some(SizeEstimate::between(met, met as f64, most))
}

/// The gaps of a search: states beyond its limit, seeds, and cycles that were not judged.
fn gaps(bound: Option<u64>, seeded: u64, unjudged: &[Unjudged]) -> Vec<Gap> {
    let bound = bound.map(|bound| Gap::States { bound });
    let seeds = (seeded > 0).then_some(Gap::Seeds { executions: seeded });
    let cycles = unjudged.iter().copied().map(Gap::Cycles);
    bound.into_iter().chain(seeds).chain(cycles).collect()
}

/// True if the step concerns only events of its own operation.
fn own(pending: &Pending) -> bool {
    let of = Some(pending.operation);
    match pending.kind {
        StepKind::Flush => pending.inbox == of,
        StepKind::Handle => pending.sender == of,
        _ => false,
    }
}

/// The name of an operation within states: its number, or for a timer a hash of its owner and event.
fn name_of(pending: &Pending) -> u64 {
    let operation = pending.operation;
    if !operation.is_timer() {
        return u64::from(operation.bits());
    }
    let owner = pending.inbox.map_or(0, |owner| u64::from(owner.bits()));
    let event = pending.event.map_or(0, |event| u64::from(event.0.get()));
    mix(owner, event) | TIMER
}

/// The bit that marks the names of timers.
const TIMER: u64 = 1 << 63;

impl Strategy for States {
    fn name(&self) -> String {
        name(self.order, self.local_first, self.state_limit)
    }

    fn needs(&self) -> Needs {
        Needs {
            steps: self.search().is_some_and(|search| search.needs().steps),
            states: true,
            faults: true,
            memory: true,
            ..Needs::default()
        }
    }

    fn begin(&mut self, execution: &Execution) -> Option<Fairness> {
        if let StateSearch::None = self.search {
            self.search = match self.local_first || !execution.faults.is_none() {
                true => self.by_reexecution(),
                false => self.by_model_search(),
            };
        }
        let Self { search, trial, .. } = self;
        if let Some(trial) = trial
            && !trial.goes_on(|| search.any()?.extent())
        {
            return None;
        }
        let begun = self.search_mut()?.begin(execution);
        if let StateSearch::Model(model_search) = &self.search
            && begun.is_none()
            && model_search.frontier().is_not_modelled
        {
            self.search = self.by_reexecution();
            return self.begin(execution);
        }
        begun
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        let search = self.search_mut().ok_or(Pruned::new())?;
        search.pick(enabled)
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        if let Some(trial) = &mut self.trial {
            trial.chooses(choice);
        }
        self.search_mut()?.choose(choice)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let Some(trial) = &mut self.trial
            && let StrategyEvent::Ended(ended) = event
        {
            trial.ended(ended);
        }
        if let Some(search) = self.search_mut() {
            search.observe(event);
        }
    }

    fn covered(&self) -> CoverageClaim {
        let mut covered = match self.search() {
            Some(search) => search.covered(),
            None => {
                ReexecutionSearch::new(self.order, self.local_first, self.state_limit).covered()
            }
        };
        if let CoverageClaim::Systematic {
            is_complete: false,
            gaps,
            ..
        } = &mut covered
        {
            gaps.extend(self.trial.as_ref().and_then(Trial::gap));
        }
        covered
    }
}

impl SearchStrategy for States {
    fn extent(&self) -> Option<SizeEstimate> {
        self.search()?.extent()
    }
}
