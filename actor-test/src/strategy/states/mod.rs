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
mod operations;
mod pieces;
mod reexecution;
mod size;
mod trial;
mod visit_order;

use model_search::ModelSearch;
use reexecution::ReexecutionSearch;
use serde::{Deserialize, Serialize};
use trial::Trial;
use visit_order::{VisitOrder, name};

use super::search::{FrontierSearch, SearchBudget, SearchStrategy};
use super::{
    Choice, CoverageClaim, Enabled, Execution, Fairness, Needs, Pruned, SizeEstimate, Strategy,
    StrategyEvent,
};
use crate::codec::{self, DecodeError};
use crate::settings::strategy::StateLimit;

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

/// The method of a saved search.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum SavedMethod {
    Model,
    Reexecution,
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

    fn save(&mut self) -> Option<Vec<u8>> {
        let method = match self.search {
            StateSearch::None => return None,
            StateSearch::Model(_) => SavedMethod::Model,
            StateSearch::Reexecution(_) => SavedMethod::Reexecution,
        };
        Some(codec::encode(&(method, self.search_mut()?.save()?)))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), DecodeError> {
        let (method, saved): (SavedMethod, Vec<u8>) = codec::decode(saved)?;
        self.search = match method {
            SavedMethod::Model => self.by_model_search(),
            SavedMethod::Reexecution => self.by_reexecution(),
        };
        let search = self.search_mut().expect("a method was chosen");
        search.restore(&saved)
    }
}
