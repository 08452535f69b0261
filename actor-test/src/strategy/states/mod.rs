//! Stateful search: every state once.
//!
//! [`States`] is the strategy. It has two means: [`charting`] learns what steps do to the parts of a state,
//! and puts states together from that, so that few have to be run; where something can't be told from
//! parts, [`rerun`] runs the way to each state again.
//!
//! What may go on for ever while something is owed is found in the [graph](graph) of the states in which
//! something is ([`owing`], [`cycles`], [`lap`]).

mod components;
mod cycle_path;
mod cycles;
mod graph;
mod limit;
mod model_search;
mod names;
mod obligations;
mod pieces;
mod reexecution;
mod table;
mod trial;

pub use limit::StateLimit;
use model_search::ModelSearch;
use reexecution::ReexecutionSearch;
use trial::Trial;

use super::search::{SearchBudget, SearchStrategy};
use super::{
    Choice, CoverageClaim, Enabled, Ended, Execution, Fairness, FaultSite, Gap, Pending,
    SizeEstimate, Step, StepKind, Strategy, Unjudged,
};
use crate::data::bug::Cycle;
use crate::data::faults::Fault;
use crate::hash::mix;

/// In which order states are met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VisitOrder {
    /// The nearest first.
    Breadth,
    /// On from the state that was met last.
    Depth,
}

/// Visits every state once.
///
/// What a step does to the parts of a state that it touches is read from an execution, and known wherever
/// these parts come together again: few states have to be run. Where that can't be told from parts, since
/// there are predicates, sleeps, asks or faults, or types that offer no fingerprint, the way to each state is
/// run again, and an execution ends where it comes to a state that was met before.
///
/// States are compared by fingerprints of 128 bits, of all that actors, inboxes, timers and monitors
/// are. What offers none is told apart by its history, so that nothing is missed, and more states are
/// met than there are; the report names such types.
///
/// Breadth first, the first bug is one with as few steps as there are to any. Depth first is faster,
/// since each execution goes on as long as what it meets is new.
///
/// Unfair. Seeds of generators are not explored: each is zero, and the search is
/// [not called exhaustive](Covered) where one was asked for.
#[derive(Debug)]
pub struct States {
    order: VisitOrder,
    local_first: bool,
    room: StateLimit,
    means: StateSearch,
    trial: Option<Trial>,
}

#[derive(Debug)]
enum StateSearch {
    /// Nothing was begun.
    None,
    Charting(Box<SearchStrategy<ModelSearch>>),
    Rerun(Box<ReexecutionSearch>),
}

impl StateSearch {
    fn any(&self) -> Option<&dyn Strategy> {
        match self {
            Self::None => None,
            Self::Charting(charting) => Some(&**charting),
            Self::Rerun(rerun) => Some(&**rerun),
        }
    }
}

impl States {
    fn new(order: VisitOrder) -> Self {
        Self {
            order,
            local_first: false,
            room: StateLimit::default(),
            means: StateSearch::None,
            trial: None,
        }
    }

    /// The nearest states first.
    pub fn breadth_first() -> Self {
        Self::new(VisitOrder::Breadth)
    }

    /// On from the state that was met last.
    pub fn depth_first() -> Self {
        Self::new(VisitOrder::Depth)
    }

    /// Bounds what it may know.
    #[must_use]
    pub(super) fn room(mut self, room: StateLimit) -> Self {
        self.room = room;
        self
    }

    /// Stops where it knows so many states.
    #[must_use]
    pub fn states_max(mut self, states: u64) -> Self {
        self.room.states = Some(states);
        self
    }

    /// Keeps within so many bytes of memory. States that take more are kept in a file, where `TMPDIR` says or
    /// in `/var/tmp`, but for 7 to 14 bytes each that are needed to find them: where these take more, it
    /// stops.
    #[must_use]
    pub fn bytes_max(mut self, bytes: usize) -> Self {
        self.room.bytes = Some(bytes);
        self
    }

    /// Takes [local steps](Step#local-steps) before any other, in one order instead of all, as
    /// [`Dfs::local_first`](super::Dfs::local_first) does: fewer states, the same end states and bugs.
    #[must_use]
    pub fn local_first(mut self) -> Self {
        self.local_first = true;
        self
    }

    /// It pauses where it has cost what it may, and ends where it would cost too much, and where nothing
    /// is to be proved any more.
    pub(super) fn within(self, limit: SearchBudget) -> Self {
        Self {
            trial: Some(Trial::new(limit)),
            ..self
        }
    }

    fn by_charting(&self) -> StateSearch {
        let goes_on = self.order == VisitOrder::Depth;
        let limit = self.trial.as_ref().map(|trial| trial.limit().clone());
        let charting = ModelSearch::new(self.name(), goes_on, self.room, limit);
        StateSearch::Charting(Box::new(SearchStrategy::new(charting)))
    }

    fn by_rerun(&self) -> StateSearch {
        let rerun = ReexecutionSearch::new(self.order, self.local_first, self.room);
        StateSearch::Rerun(Box::new(rerun))
    }

    fn means(&self) -> Option<&dyn Strategy> {
        self.means.any()
    }

    fn means_mut(&mut self) -> Option<&mut dyn Strategy> {
        match &mut self.means {
            StateSearch::None => None,
            StateSearch::Charting(charting) => Some(&mut **charting),
            StateSearch::Rerun(rerun) => Some(&mut **rerun),
        }
    }
}

fn name(order: VisitOrder, local_first: bool, room: StateLimit) -> String {
    let name = match (order, local_first) {
        (VisitOrder::Breadth, _) => "bfs",
        (VisitOrder::Depth, false) => "states",
        (VisitOrder::Depth, true) => "states-local",
    };
    match room.is_bounded() {
        false => name.into(),
        true => format!("{name}:{room}"),
    }
}

/// How many states there seem to be, where so many were met breadth first, and so many gone on from: as many
/// as were met, if nothing were new any more. Where fewer new states come of a state than one, it is at the
/// most as if those that are left had as many new ones as those that came last, and each of these again: as
/// a rule fewer and fewer come of them.
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

/// What was left out: states beyond the bound that was met, seeds, and cycles that were not judged.
fn gaps(bound: Option<u64>, seeded: u64, unjudged: &[Unjudged]) -> Vec<Gap> {
    let bound = bound.map(|bound| Gap::States { bound });
    let seeds = (seeded > 0).then_some(Gap::Seeds { executions: seeded });
    let cycles = unjudged.iter().copied().map(Gap::Cycles);
    bound.into_iter().chain(seeds).chain(cycles).collect()
}

/// The step concerns nobody's events but its operation's own.
fn own(pending: &Pending) -> bool {
    let of = Some(pending.operation);
    match pending.kind {
        StepKind::Flush => pending.inbox == of,
        StepKind::Handle => pending.sender == of,
        _ => false,
    }
}

/// Names an operation within states: its number, and for a timer whose it is and what it fires.
fn name_of(pending: &Pending) -> u64 {
    let operation = pending.operation;
    if !operation.is_timer() {
        return u64::from(operation.bits());
    }
    let owner = pending.inbox.map_or(0, |owner| u64::from(owner.bits()));
    let event = pending.event.map_or(0, |event| u64::from(event.0.get()));
    mix(owner, event) | TIMER
}

/// Marks the names of timers.
const TIMER: u64 = 1 << 63;

impl Strategy for States {
    fn name(&self) -> String {
        name(self.order, self.local_first, self.room)
    }

    fn fairness(&self) -> Fairness {
        Fairness::Unfair
    }

    fn begin(&mut self, execution: &Execution) -> bool {
        if let StateSearch::None = self.means {
            self.means = match self.local_first || !execution.faults.is_none() {
                true => self.by_rerun(),
                false => self.by_charting(),
            };
        }
        let Self { means, trial, .. } = self;
        if let Some(trial) = trial
            && !trial.goes_on(|| means.any()?.extent())
        {
            return false;
        }
        let is_begun = self.means_mut().is_some_and(|means| means.begin(execution));
        if let StateSearch::Charting(charting) = &self.means
            && !is_begun
            && charting.search().is_uncharted
        {
            self.means = self.by_rerun();
            return self.begin(execution);
        }
        is_begun
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.means_mut()?.pick(enabled)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        if let Some(trial) = &mut self.trial {
            trial.chooses(choice);
        }
        let means = self.means_mut();
        means.map_or(0, |means| means.choose(choice))
    }

    fn fault_within_step(&mut self, offer: &FaultSite) -> u32 {
        let means = self.means_mut();
        means.map_or(0, |means| means.fault_within_step(offer))
    }

    fn fault_between_steps(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        self.means_mut()?.fault_between_steps(enabled, faults)
    }

    fn fault_struck(&mut self, key: u64) {
        if let Some(means) = self.means_mut() {
            means.fault_struck(key);
        }
    }

    fn places_faults(&self) -> bool {
        true
    }

    fn wants_steps(&self) -> bool {
        self.means().is_some_and(Strategy::wants_steps)
    }

    fn stepped(&mut self, step: &Step<'_>) {
        if let Some(means) = self.means_mut() {
            means.stepped(step);
        }
    }

    fn wants_states(&self) -> bool {
        true
    }

    fn fair_cycle(&self) -> Option<Cycle> {
        self.means()?.fair_cycle()
    }

    fn ended(&mut self, ended: &Ended) {
        if let Some(trial) = &mut self.trial {
            trial.ended(ended);
        }
        if let Some(means) = self.means_mut() {
            means.ended(ended);
        }
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn extent(&self) -> Option<SizeEstimate> {
        self.means()?.extent()
    }

    fn covered(&self) -> CoverageClaim {
        let mut covered = match self.means() {
            Some(means) => means.covered(),
            None => ReexecutionSearch::new(self.order, self.local_first, self.room).covered(),
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
