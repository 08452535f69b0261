//! Stateful search by a learned transition model, with few executions: [`ModelSearch`].
//!
//! The search walks breadth first through states, which are rows of numbers in a [store](store). The
//! [model](model), a transition model, gives the successors of each step. For an unknown step, an execution
//! [visits](visit) the state and shows it. So there are as many executions as steps of parts, not as
//! states. Sends on which nothing depends yet are [postponed](postponed).

mod model;
mod pairs;
mod postponed;
mod store;
mod visit;

use std::collections::BTreeSet;

use model::{AT_REST, AT_TIMERS, FIRST, NOTHING, StepKnowledge, StepOutcome, TransitionModel};
use postponed::{KnownStep, PostponedSend, PostponedSends, Postponement, postponement};
use serde::{Deserialize, Serialize};
use store::{NOWHERE, Row, Store};
use visit::{ExecutionPurpose, ModelExecution};

use super::StateLimit;
use super::graph::OUTSIDE;
use super::obligations::{FairCycle, ObligationSteps};
use super::size::{extent, gaps};
use crate::codec::{self, DecodeError};
use crate::data::coverage_claim::{CoverageClaim, Reduction, Unjudged};
use crate::data::extent::SizeEstimate;
use crate::strategy::search::{Frontier, SearchBudget};
use crate::strategy::{Ended, Ending};

/// The most parts that a state may have.
const WIDTH_MAX: usize = 1 << 10;

/// The number of states after which an execution checks the model against the program.
const CHECKED_EVERY: u64 = 1 << 18;

/// Visits every state, the nearest first, and runs executions only to learn the model.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::strategy) struct ModelSearch {
    name: String,
    /// Set if an execution continues as long as its steps are unknown.
    goes_on: bool,
    #[serde(skip)]
    state_limit: StateLimit,
    /// The budget if the search is a trial; the states worked out count as well.
    #[serde(skip)]
    limit: Option<SearchBudget>,
    /// The model, lent to a visit during an execution.
    model: Option<TransitionModel>,
    /// The number of facts that the model had learned when it came back last.
    learned: u64,
    store: Store,
    /// The state that is being expanded, and its known steps.
    at: u32,
    #[serde(skip)]
    row: Row,
    #[serde(skip)]
    steps: Vec<KnownStep>,
    /// The number of operations and timers visited for these steps.
    visited: u64,
    is_expanded: bool,
    /// The sends that are followed together with the steps of their receivers.
    postponed: PostponedSends,
    /// The state in which the next execution learns, if that is not stored.
    #[serde(skip)]
    target: Option<Target>,
    /// Possibly final states, one step deeper than the state that is being expanded.
    ends: Vec<u32>,
    /// The depth of the state that is being expanded, and the number at which the next depth begins.
    depth: u64,
    level_ends: u64,
    /// The step bound of executions; `is_cut` is set once one has to run into it.
    max_steps: u64,
    is_cut: bool,
    /// The kinds of possibly final states: the rest, the timers, and the parts that defer all events.
    judged: BTreeSet<Vec<u32>>,
    /// The number of states at which the next check is run.
    checked_at: u64,
    is_full: bool,
    /// Set if something can't be derived from parts.
    pub(super) is_not_modelled: bool,
    obligation_steps: ObligationSteps,
    accusations: Option<Vec<FairCycle>>,
    unjudged: Vec<Unjudged>,
    is_complete: bool,
    seeded: u64,
}

impl ModelSearch {
    pub(super) fn new(
        name: String,
        goes_on: bool,
        state_limit: StateLimit,
        limit: Option<SearchBudget>,
    ) -> Self {
        let mut model = TransitionModel::new();
        let mut model_search = Self {
            name,
            goes_on,
            state_limit,
            limit,
            model: None,
            learned: 0,
            store: Store::new(model.width()),
            at: 0,
            row: Row::default(),
            steps: Vec::new(),
            visited: 0,
            is_expanded: false,
            postponed: PostponedSends::default(),
            target: None,
            ends: Vec::new(),
            depth: 0,
            level_ends: 1,
            max_steps: u64::MAX,
            is_cut: false,
            judged: BTreeSet::new(),
            checked_at: CHECKED_EVERY,
            is_full: false,
            is_not_modelled: false,
            obligation_steps: ObligationSteps::default(),
            accusations: None,
            unjudged: Vec::new(),
            is_complete: false,
            seeded: 0,
        };
        model_search.begin(&mut model);
        model_search.model = Some(model);
        model_search
    }

    /// Begins at the first state, with rows wide enough for all known parts.
    fn begin(&mut self, model: &mut TransitionModel) {
        self.store = Store::new(model.width());
        let root = ModelExecution::root(model);
        self.store.lay(&root, &mut self.row);
        self.store.enter(&self.row, [NOWHERE, 0]);
        (self.at, self.is_expanded) = (0, false);
        self.postponed = PostponedSends::default();
        self.ends.clear();
        self.judged.clear();
        (self.depth, self.level_ends) = (0, 1);
        self.obligation_steps = ObligationSteps::default();
    }

    /// Expands states until an execution is needed; `None` if all is done.
    fn walk(&mut self, model: &mut TransitionModel) -> Option<ExecutionPurpose> {
        loop {
            if self.is_full || self.is_paused() {
                return None;
            }
            if let Some(aim) = self.take_postponed(model) {
                return Some(aim);
            }
            if !self.is_expanded
                && let Some(aim) = self.expand(model)
            {
                return Some(aim);
            }
            // Final states come first, so that a bug there is found before deeper ones.
            if self.is_last()
                && let Some(end) = self.ends.pop()
            {
                return Some(ExecutionPurpose::Visit(end));
            }
            if !self.next_state() {
                return None;
            }
            if self.store.len() >= self.checked_at && !self.is_expanded {
                self.checked_at += CHECKED_EVERY;
                return Some(ExecutionPurpose::Check);
            }
        }
    }

    /// True if the budget so far is used up.
    fn is_paused(&self) -> bool {
        self.limit.as_ref().is_some_and(SearchBudget::is_reached)
    }

    /// True if no further state of this depth is to be expanded.
    fn is_last(&self) -> bool {
        u64::from(self.at) + 1 >= self.level_ends
    }

    /// Moves to the next state, or to a depth of which only postponed sends are left; `false` if there is
    /// neither.
    fn next_state(&mut self) -> bool {
        if let Some(limit) = &self.limit {
            limit.spend(self.visited);
        }
        self.visited = 0;
        if self.is_last() {
            self.at = self.level_ends as u32;
            self.depth += 1;
            self.level_ends = self.store.len();
            self.postponed.next_depth();
        } else {
            self.at += 1;
        }
        self.is_expanded = u64::from(self.at) >= self.store.len();
        if !self.is_expanded {
            self.store.read(self.at, &mut self.row);
        }
        !self.is_expanded || !self.postponed.is_empty()
    }

    /// Follows every step of the state; returns an aim at the first unknown one.
    fn expand(&mut self, model: &TransitionModel) -> Option<ExecutionPurpose> {
        // The successor of the last step before the bound is never seen.
        if self.depth + 1 >= self.max_steps {
            self.is_expanded = true;
            return self.stop_at_bound(model);
        }
        if let Some(aim) = self.find_steps(model) {
            return Some(aim);
        }
        self.is_expanded = true;
        let pending_bits = model.pending_bits(self.row.numbers());
        let (steps, mut row) = (
            std::mem::take(&mut self.steps),
            std::mem::take(&mut self.row),
        );
        let postpones = pending_bits.0 == 0 && row.numbers()[AT_TIMERS] == NOTHING;
        for step in &steps {
            let postponement = match postpones {
                true => postponement(model, row.numbers(), &steps, step),
                false => Postponement::None,
            };
            match postponement {
                Postponement::None => self.take(model, &mut row, step, pending_bits),
                Postponement::Further => {}
                Postponement::UntilTaken(to) => self.postponed.push(PostponedSend {
                    state: self.at,
                    outcome: step.first,
                    to,
                }),
            }
        }
        (self.steps, self.row) = (steps, row);
        None
    }

    /// Finds the steps of the state, all of which are known if no aim is returned.
    fn find_steps(&mut self, model: &TransitionModel) -> Option<ExecutionPurpose> {
        self.steps.clear();
        let row = self.row.numbers();
        let operations = row[FIRST..].iter().zip(0..);
        let operations = operations.map(|(part, who)| (who, *part));
        let timers = model.firing(row);
        let fire = timers.unwrap_or_default();
        self.visited = (row.len() - FIRST + fire.len()) as u64;
        for (who, taker) in operations.chain(fire.iter().copied()) {
            if !model.part_of(taker).is_enabled {
                continue;
            }
            match model.known(taker, row) {
                StepKnowledge::Whole { first, send } => self.steps.push(KnownStep {
                    who,
                    taker,
                    first,
                    send,
                }),
                StepKnowledge::Unknown => {
                    return Some(ExecutionPurpose::Learn {
                        who,
                        goes_on: self.goes_on,
                    });
                }
            }
        }
        timers.is_none().then_some(ExecutionPurpose::Visit(self.at))
    }

    /// Follows the postponed sends of the depth before, each with the step of its receiver; returns an aim at
    /// the first unknown one.
    fn take_postponed(&mut self, model: &TransitionModel) -> Option<ExecutionPurpose> {
        let mut row = Row::default();
        let mut is_read = NOWHERE;
        while let Some(send) = self.postponed.next() {
            if std::mem::replace(&mut is_read, send.state) != send.state {
                self.store.read(send.state, &mut row);
            }
            let (sent, _) = model.outcome(send.outcome).expect("it is known");
            row.set_numbers(model.changes(sent));
            let receiver = row.numbers()[send.to as usize];
            let known = model.known(receiver, row.numbers());
            let is_at_bound = self.depth + 1 >= self.max_steps;
            if let (false, StepKnowledge::Whole { first, .. }) = (is_at_bound, known) {
                row.undo();
                self.take_behind(model, &mut row, (send.state, sent), first);
                self.postponed.remove_next();
                continue;
            }
            if is_at_bound {
                self.postponed.clear_due();
                if std::mem::replace(&mut self.is_cut, true) {
                    return None;
                }
            }
            self.target = Some(Target {
                state: send.state,
                action: sent.action,
                numbers: row.numbers().to_vec(),
            });
            return Some(ExecutionPurpose::Learn {
                who: u64::from(send.to) - FIRST as u64,
                goes_on: self.goes_on && !is_at_bound,
            });
        }
        None
    }

    /// Enters the successors of a postponed send and the step of its receiver.
    fn take_behind(
        &mut self,
        model: &TransitionModel,
        row: &mut Row,
        (state, sent): (u32, &StepOutcome),
        first: u32,
    ) {
        let mut next = first;
        while let Some((taken, behind)) = model.outcome(next) {
            next = behind;
            if taken.has_failed {
                continue;
            }
            let taken_changes = model.changes(taken);
            let is_kept =
                |(at, _): &&(u32, u32)| taken_changes.iter().all(|(other, _)| other != at);
            let changes = model.changes(sent).iter().filter(is_kept);
            let changes = changes.chain(taken_changes).copied();
            let action = self.postponed.pair([sent.action, taken.action]);
            self.enter(model, row, changes, [state, action]);
        }
    }

    /// Stops at the step bound; the first time, an execution runs into it, which makes it known.
    fn stop_at_bound(&mut self, model: &TransitionModel) -> Option<ExecutionPurpose> {
        let who = model.first_taker(self.row.numbers(), |_| true)?;
        let is_first = !std::mem::replace(&mut self.is_cut, true);
        is_first.then_some(ExecutionPurpose::Learn {
            who,
            goes_on: false,
        })
    }

    /// Enters the successors of a step, and records it if an obligation is pending.
    fn take(
        &mut self,
        model: &TransitionModel,
        row: &mut Row,
        step: &KnownStep,
        pending_bits: (u64, u64),
    ) {
        let taker = model.part_of(step.taker);
        let mut next = step.first;
        while let Some((outcome, behind)) = model.outcome(next) {
            next = behind;
            let to = match outcome.has_failed {
                true => OUTSIDE,
                false => {
                    let changes = model.changes(outcome).iter().copied();
                    self.enter(model, row, changes, [self.at, outcome.action])
                }
            };
            if pending_bits.0 != 0 {
                let action = model.action(outcome.action);
                self.obligation_steps
                    .step(self.at, pending_bits, action, to);
            }
            if taker.is_own && to != OUTSIDE {
                let who = u64::from(taker.operation);
                self.obligation_steps.own_step(self.at, who, to);
            }
        }
    }

    /// Enters the successor of the state in a row with its predecessor and the action from there.
    fn enter(
        &mut self,
        model: &TransitionModel,
        row: &mut Row,
        changes: impl Iterator<Item = (u32, u32)>,
        predecessor: [u32; 2],
    ) -> u32 {
        self.store.change(row, changes);
        let (state, is_new) = self.store.enter(row, predecessor);
        if is_new
            && model.may_be_end(row.numbers())
            && self.judged.insert(how_it_ends(model, row.numbers()))
        {
            self.ends.push(state);
        }
        row.undo();
        if is_new && self.state_limit.is_bounded() {
            self.is_full |= self.has_no_room();
        }
        state
    }

    /// True if the number of states or their memory has come to its limit.
    fn has_no_room(&mut self) -> bool {
        let StateLimit { states, bytes } = self.state_limit;
        let beside = self.obligation_steps.bytes() + self.postponed.bytes();
        states.is_some_and(|most| self.store.len() >= most)
            || bytes.is_some_and(|bytes| !self.store.fits(bytes.saturating_sub(beside)))
    }

    /// The actions of the shortest path to a state.
    fn path(&self, state: u32) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = state;
        loop {
            let [from, by] = self.store.predecessor(at);
            if from == NOWHERE {
                break;
            }
            self.postponed
                .actions_reversed(by, |action| path.push(action));
            at = from;
        }
        path.reverse();
        path
    }

    /// Creates an execution that first goes to a state.
    fn visit(&mut self, mut model: TransitionModel, aim: ExecutionPurpose) -> ModelExecution {
        if let Some(target) = self.target.take() {
            let mut path = self.path(target.state);
            path.push(target.action);
            return ModelExecution::new(model, path, target.numbers, aim);
        }
        let mut row = Row::default();
        let state = match &aim {
            ExecutionPurpose::Round(accusation) => accusation.start,
            ExecutionPurpose::Visit(state) => *state,
            _ => self.at,
        };
        self.store.read(state, &mut row);
        let aim = match aim {
            ExecutionPurpose::Round(accusation) => {
                ExecutionPurpose::Round(in_model(&mut model, &self.obligation_steps, accusation))
            }
            aim => aim,
        };
        ModelExecution::new(model, self.path(state), row.numbers().to_vec(), aim)
    }
}

/// The state behind a postponed send, which is not stored.
#[derive(Debug)]
struct Target {
    /// The state before the send.
    state: u32,
    action: u32,
    numbers: Vec<u32>,
}

/// The accusation with its actions by the model's numbers.
fn in_model(
    model: &mut TransitionModel,
    obligation_steps: &ObligationSteps,
    accusation: FairCycle,
) -> FairCycle {
    let cycle_path = accusation.cycle_path.iter();
    let cycle_path =
        cycle_path.map(|(action, to)| (model.number_of(obligation_steps.action(*action)), *to));
    FairCycle {
        cycle_path: cycle_path.collect(),
        ..accusation
    }
}

/// The kind of a possibly final state: all that its judgement depends on.
fn how_it_ends(model: &TransitionModel, row: &[u32]) -> Vec<u32> {
    let deferring = model.deferring(row);
    let beside = [row[AT_REST], row[AT_TIMERS]];
    beside.into_iter().chain(deferring).collect()
}

impl Frontier for ModelSearch {
    type Item = ModelExecution;

    fn name(&self) -> String {
        self.name.clone()
    }

    fn round(&mut self) -> Vec<ModelExecution> {
        if self.is_not_modelled || self.is_complete {
            return Vec::new();
        }
        let Some(mut model) = self.model.take() else {
            return Vec::new();
        };
        if model.width() > self.store.width() {
            self.is_not_modelled = model.width() > WIDTH_MAX;
            if self.is_not_modelled {
                return Vec::new();
            }
            self.begin(&mut model);
        }
        let aim = match self.accusations {
            None => self.walk(&mut model),
            Some(_) => None,
        };
        let aim = aim.or_else(|| {
            if self.is_full || self.is_paused() {
                return None;
            }
            if self.accusations.is_none() {
                let (accusations, unjudged) = self.obligation_steps.judge(false, false);
                self.unjudged = unjudged;
                self.accusations = Some(accusations);
            }
            Some(ExecutionPurpose::Round(self.accusations.as_mut()?.pop()?))
        });
        let Some(aim) = aim else {
            self.is_complete = !self.is_full && !self.is_paused();
            self.model = Some(model);
            return Vec::new();
        };
        vec![self.visit(model, aim)]
    }

    fn take(&mut self, item: ModelExecution, ended: &Ended) {
        // An execution that learned nothing would learn nothing the next time.
        let is_idle = matches!(item.aim, ExecutionPurpose::Learn { .. })
            && item.model.learned() == self.learned
            && ended.ending != Ending::Bound;
        self.is_not_modelled |= item.is_not_modelled || is_idle;
        self.learned = item.model.learned();
        self.max_steps = item.max_steps;
        self.seeded += u64::from(item.is_seeded);
        self.model = Some(item.model);
    }

    fn save(&self) -> Option<Vec<u8>> {
        let is_possible = self.model.is_some() && self.limit.is_none();
        is_possible.then(|| codec::encode(self))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), DecodeError> {
        *self = Self {
            state_limit: self.state_limit,
            ..codec::decode(saved)?
        };
        if u64::from(self.at) < self.store.len() {
            self.store.read(self.at, &mut self.row);
        }
        Ok(())
    }

    fn extent(&self) -> Option<SizeEstimate> {
        let met = self.store.len();
        extent(met, self.at.into(), |state| {
            self.store.predecessor(state)[0]
        })
    }

    fn covered(&self) -> CoverageClaim {
        CoverageClaim::Systematic {
            reduction: Reduction::States {
                states: self.store.len(),
                local_first: false,
                symmetric: false,
            },
            is_complete: self.is_complete,
            gaps: gaps(
                self.is_full.then(|| self.store.len()),
                self.seeded,
                &self.unjudged,
            ),
        }
    }
}
