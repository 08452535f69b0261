//! Inbox-DPOR: optimal dynamic partial-order reduction for actors, which explores each behaviour once.
//!
//! An actor learns of others only by the events that it takes. So two schedules belong to the same
//! *behaviour* if every inbox is read in the same order, and every choice has the same answer. The search
//! explores one execution graph per behaviour.
//!
//! The algorithm belongs to the family of TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022)
//! and Must (Enea, Giannakopoulou, Kokologiannakis, Majumdar, OOPSLA 2024), for one FIFO inbox per actor. An
//! execution [graph](graph) is [extended](extending) label by label. If several events can be taken, or a
//! choice has several answers, the alternatives become backtrack points. If an event is sent that might have
//! been taken before an earlier receive, that [reversal](revisits) becomes a backtrack point as well. Of all
//! graphs that differ only in the labels dropped for the reversal, exactly one has it. So backtrack points
//! are independent work items, and no behaviour is found twice.
//!
//! Unlike its relatives, the search learns the [transitions](transitions) of operations from executions and applies
//! them to equal histories, so it extends most graphs without running anything. An execution runs if a
//! transition is unknown, or if some operation ends in a way that no execution has shown: every check judges
//! one operation or observer by its inputs. The first 32 behaviours, those of the [descents], and every 64th
//! one run in any case, which reveals actors that share state. The search later reaches every behaviour that
//! an execution has shown.
//!
//! Time, and the choice among several awaited things, depend on the [world](world) besides inboxes. Failures,
//! shared state and the rest are outside of the search: it [reports](Gap::Unsupported) such a step and ends.

mod descents;
mod executed;
mod extending;
mod graph;
mod graph_run;
mod lattice;
mod levels;
mod monitor_checks;
mod parts;
mod revisits;
mod saved;
mod scheduling;
mod transitions;
mod world;

use std::collections::VecDeque;
use std::sync::Arc;

use self::descents::{DescentStep, Descents};
use self::executed::ExecutionRecords;
use self::extending::Extended;
use self::graph::{ExecutionGraph, Revisit};
pub(in crate::strategy) use self::graph_run::GraphRun;
use self::graph_run::{ExecutionItem, UnsupportedStep};
use self::levels::DepthEstimate;
use self::monitor_checks::MonitorChecks;
use self::parts::{BacktrackPoint, PartitionedSearch};
use self::transitions::{ExecutionEnd, TransitionTable};
use self::world::WorldDependencies;
use super::Frontier;
use super::budget::{EXECUTION, LABEL, STEP, SearchBudget};
use crate::codec::DecodeError;
use crate::data::constructs::StepConstruct;
use crate::data::coverage_claim::{CoverageClaim, Gap, Reduction};
use crate::data::extent::SizeEstimate;
use crate::hash::mix;
use crate::settings::strategy::{HISTORIES, StrategySpec};
use crate::strategy::{Ended, Ending};

/// The number of first behaviours that all run, and the distance between those that run later.
const FIRST: u64 = 32;
const EACH: u64 = 64;

#[derive(Debug, Default)]
pub(in crate::strategy) struct Dpor {
    transitions: TransitionTable,
    /// The random descents, which run before the exploration.
    descents: Option<Descents>,
    /// The backtrack points of the first graph, those of its earliest labels first; explored before the
    /// others.
    shallow: VecDeque<BacktrackPoint>,
    /// The remaining backtrack points, as a stack.
    frontier: Vec<BacktrackPoint>,
    /// The parts of the search, once it has become long enough to be divided.
    division: PartitionedSearch,
    /// The graph in progress, and its backtrack points so far.
    current: Option<(ExecutionGraph, Vec<Revisit>)>,
    /// The estimated share that the subtree of the current graph has in the whole search.
    share: f64,
    /// The number of backtrack points between the current graph and the first one.
    depth: u32,
    /// The number of backtrack points at each depth.
    levels: DepthEstimate,
    /// The monitors that are still to be checked on the current graph.
    watch: Option<MonitorChecks>,
    /// The number of pairs of cut and monitor state that were visited for the current graph.
    nodes: u64,
    /// True if the current graph is complete and the execution in progress shows it.
    runs_complete_graph: bool,
    /// The behaviours, ends and monitor transitions that executions have shown.
    shown: ExecutionRecords,
    /// The limit on known histories and ends.
    known_max: u64,
    /// The number of behaviours after which the search continues at a random backtrack point.
    jump_interval: Option<u64>,
    /// The number of behaviours since the last random continuation.
    since: u64,
    /// The operations that are tied to the world, and the observers whose order is part of behaviours.
    ties: Arc<WorldDependencies>,
    /// Ties that this part has discovered.
    new_ties: WorldDependencies,
    /// The paths of the operations that have failed.
    failed: Vec<u64>,
    /// An item that has to run once more.
    again: Option<GraphRun>,
    begun: bool,
    stopped: Option<Gap>,
    /// The number of executions that asked for a seed.
    seeded: u64,
    /// The budget, if the search is an attempt.
    limit: Option<SearchBudget>,
    /// The cost so far, in steps.
    spent: u64,
    /// The cost at which this part of a search ends; `None` for the whole search.
    allowance: Option<u64>,
    /// The number of behaviours that were explored before this part.
    behaviours_before: u64,
    /// The number of behaviours as estimated by the descents.
    size: Option<f64>,
    /// The estimate at the time of an early end.
    extent: Option<SizeEstimate>,
    /// The estimated number of behaviours at the last division.
    guessed: f64,
    graphs: u64,
    executions: u64,
    /// The number of explored behaviours.
    behaviours: u64,
    /// True if monitors or predicates observe steps in an order that is part of the behaviour.
    observers: bool,
    /// True if other monitors observe steps; they were checked in all orders.
    watched: bool,
    /// The number of walks of monitors that ended at their limit, with orders left.
    cut_off: u64,
}

impl Dpor {
    pub(in crate::strategy) fn new() -> Self {
        Self {
            descents: Some(Descents::default()),
            known_max: HISTORIES,
            ..Self::default()
        }
    }

    /// Limits the number of known histories.
    pub(in crate::strategy) fn histories_max(self, histories: u64) -> Self {
        Self {
            known_max: histories,
            ..self
        }
    }

    /// Makes the search continue at a random backtrack point after each `behaviours` behaviours. So the
    /// search does not stay among executions that differ late (MODIST's random and bounded DPOR). No
    /// backtrack point is lost.
    pub(in crate::strategy) fn hopping(self, behaviours: u64) -> Self {
        Self {
            jump_interval: Some(behaviours),
            ..self
        }
    }

    /// Removes the next backtrack point to explore.
    fn next_noted(&mut self) -> Option<BacktrackPoint> {
        if let Some(first) = self.shallow.pop_front() {
            return Some(first);
        }
        self.since += 1;
        if self
            .jump_interval
            .is_some_and(|behaviours| self.since >= behaviours)
        {
            self.since = 0;
            let left = self.frontier.len() as u64;
            if let Some(drawn) = mix(self.behaviours, 0x40b).checked_rem(left) {
                self.frontier.swap(drawn as usize, left as usize - 1);
            }
        }
        self.frontier.pop()
    }

    /// Builds an attempt: it pauses when its budget is spent, and ends when it would cost too much or can't
    /// lead to a proof.
    pub(super) fn within(limit: SearchBudget) -> Self {
        Self {
            limit: Some(limit),
            ..Self::new()
        }
    }

    /// Returns the construct that ended the search since it can't be followed; `None` for a part of a search.
    pub(super) fn outside(&self) -> Option<StepConstruct> {
        match self.stopped {
            Some(Gap::Unsupported { what, .. }) if self.allowance.is_none() => Some(what),
            _ => None,
        }
    }

    /// Records a cost in steps, and ends an attempt that seems to cost far too much.
    fn spend(&mut self, steps: u64) {
        self.spent += steps;
        let Some(limit) = &self.limit else { return };
        limit.spend(steps);
        if let Some(size) = self.size
            && limit.exceeds_worth(self.graphs, size)
        {
            let about = size as u64;
            self.stop(Gap::TooMany { about });
        }
    }

    /// True if the search has spent all that it may have spent by now.
    fn is_paused(&self) -> bool {
        self.limit.as_ref().is_some_and(SearchBudget::is_reached)
    }

    /// Estimates the least number of behaviours; the most is unknown. The estimate by depth is too low, since
    /// depth-first search comes to the largest subtrees last. The few descents are wrong by a factor in
    /// either direction.
    fn guess(&self) -> Option<SizeEstimate> {
        let size = self.size.filter(|_| self.descents.is_none())?;
        let by_depth = match self.division.is_out() {
            true => self.guessed,
            false => self.by_depth(),
        };
        let least = by_depth.max(size / SizeEstimate::ERROR_FACTOR);
        Some(SizeEstimate::between(self.behaviours, least, None))
    }

    fn by_depth(&self) -> f64 {
        let stacks = self.division.stacks().iter().flatten();
        let noted = self.shallow.iter().chain(&self.frontier).chain(stacks);
        self.behaviours as f64 + self.levels.left(noted.map(|noted| noted.depth))
    }

    fn stop(&mut self, why: Gap) {
        if self.stopped.is_none() {
            self.extent = self.guess();
        }
        self.stopped.get_or_insert(why);
        self.shallow.clear();
        self.frontier.clear();
        self.division.clear();
        self.current = None;
        self.watch = None;
    }

    /// Restarts the search with additional ties.
    fn begin_anew(&mut self, new: &WorldDependencies) {
        if self.allowance.is_some() {
            // Only the whole search can restart.
            self.new_ties.add(new);
            return self.stop(Gap::Nondeterministic);
        }
        let mut ties = WorldDependencies::clone(&self.ties);
        ties.add(new);
        let mut table = TransitionTable::default();
        table.ordered_monitors = ties.observers;
        *self = Self {
            transitions: table,
            ties: Arc::new(ties),
            limit: self.limit.take(),
            known_max: self.known_max,
            jump_interval: self.jump_interval,
            seeded: self.seeded,
            executions: self.executions,
            ..Self::new()
        };
    }

    /// Finishes the current graph and moves its backtrack points to the frontier.
    fn finish(&mut self) {
        let Some((graph, edits)) = self.current.take() else {
            return;
        };
        self.graphs += 1;
        self.observers |= graph.has_observers();
        let labels = graph.len();
        match &mut self.descents {
            None => {
                self.behaviours += 1;
                self.levels.count(self.depth, edits.len());
                let noted = noted(Arc::new(graph), edits, self.share, self.depth + 1);
                self.frontier.extend(noted);
            }
            Some(descents) => match descents.next(graph, edits) {
                DescentStep::Graph(graph) => {
                    self.size = descents.size();
                    self.current = Some((graph, Vec::new()));
                }
                DescentStep::Over(root, mut noted) => {
                    noted.sort_by_key(|edit| root.label(edit.at()).stamp);
                    self.size = descents.size();
                    self.descents = None;
                    self.behaviours = 1;
                    self.shown.reach(root.class());
                    self.levels.count(0, noted.len());
                    self.shallow = self::noted(root, noted, 1.0, 1).collect();
                }
            },
        }
        self.spend(LABEL * labels);
    }

    /// Learns from an execution.
    fn read(&mut self, item: &GraphRun, ended: &Ended) {
        let reading = match ended.ending {
            Ending::Bug if item.has_failed => ExecutionEnd::Failed,
            Ending::Complete | Ending::Bug => ExecutionEnd::Whole,
            Ending::Pruned if item.only_held_left => ExecutionEnd::Whole,
            Ending::Bound | Ending::Pruned => ExecutionEnd::Cut,
        };
        // A bug at the end of an execution hides the other checks there.
        let is_well = ended.ending != Ending::Bug;
        let known = self.transitions.len();
        let Ok(shows) = self.transitions.read(&item.seen, reading, &self.ties) else {
            if !self.give_up_watch() {
                self.stop(Gap::Nondeterministic);
            }
            return;
        };
        let class = shows.class;
        if !self.read_monitors(&shows, ended) {
            return;
        }
        if let (ExecutionEnd::Failed, Some(who)) = (reading, item.last())
            && !self.failed.contains(&who)
        {
            self.failed.push(who);
        }
        let has_learned = self.transitions.len() > known;
        if !std::mem::replace(&mut self.begun, true) {
            let Some(ExecutionItem::Body { path }) = item.seen.first() else {
                return;
            };
            self.current = Some((ExecutionGraph::new(*path), Vec::new()));
            if reading == ExecutionEnd::Whole {
                self.shown.run_ahead(class, is_well);
            }
            return;
        }
        let known = (self.transitions.len() + self.shown.len()) as u64;
        if known >= self.known_max {
            let bound = self.known_max;
            return self.stop(Gap::Histories { bound });
        }
        if self.read_watched(class, reading, item.only_held_left) {
            return;
        }
        let Some((graph, _)) = &mut self.current else {
            return;
        };
        if std::mem::take(&mut self.runs_complete_graph) {
            if reading == ExecutionEnd::Whole {
                if class != graph.class() {
                    return self.stop(Gap::Nondeterministic);
                }
                if is_well {
                    self.shown.enter_ends(graph);
                }
            }
            if self.descents.is_some() {
                self.shown.run_ahead(class, is_well);
            }
            self.watch();
            return;
        }
        if reading == ExecutionEnd::Whole && !item.only_held_left {
            self.shown.run_ahead(class, is_well);
        }
        if reading == ExecutionEnd::Cut {
            // The continuation after the step bound is unknown.
            self.finish();
        } else if !has_learned {
            self.stop(Gap::Nondeterministic);
        }
    }
}

impl Dpor {
    /// Ends an attempt that can't lead to a proof any more.
    fn give_up(&mut self, item: &GraphRun, ended: &Ended) {
        if self.limit.is_none() {
            return;
        }
        if item.is_seeded {
            self.stop(Gap::Seeds { executions: 1 });
        } else if ended.ending == Ending::Bound {
            let bound = ended.steps;
            let executions = 1;
            self.stop(Gap::Steps { bound, executions });
        }
    }
}

/// Turns the edits of a graph into backtrack points that split the graph's share.
fn noted(
    graph: Arc<ExecutionGraph>,
    edits: Vec<Revisit>,
    share: f64,
    depth: u32,
) -> impl Iterator<Item = BacktrackPoint> {
    let share = share / (edits.len() + 1) as f64;
    edits.into_iter().map(move |edit| BacktrackPoint {
        graph: graph.clone(),
        edit,
        share,
        depth,
    })
}

impl Frontier for Dpor {
    type Item = GraphRun;

    fn name(&self) -> String {
        let spec = match self.jump_interval {
            Some(behaviours) => StrategySpec::HoppingDpor(behaviours),
            None => StrategySpec::Dpor(Some(self.known_max)),
        };
        spec.to_string()
    }

    fn round(&mut self) -> Vec<GraphRun> {
        if let Some(again) = self.again.take() {
            return vec![again];
        }
        if self.stopped.is_some() {
            return Vec::new();
        }
        loop {
            if self.is_paused() {
                return Vec::new();
            }
            if !self.begun {
                return vec![GraphRun::new(
                    Vec::new(),
                    Vec::new(),
                    Vec::new(),
                    self.ties.clone(),
                )];
            }
            if self.current.is_none() {
                if self.has_done_its_part() || self.is_divisible() {
                    return Vec::new();
                }
                let Some(next) = self.next_noted() else {
                    return Vec::new();
                };
                let BacktrackPoint {
                    graph,
                    edit,
                    share,
                    depth,
                } = next;
                self.current = Some((graph.edited(edit), Vec::new()));
                self.share = share;
                self.depth = depth;
            }
            if self.watch.is_some() {
                if let Some(item) = self.next_shown() {
                    return vec![item];
                }
                self.finish_watch();
                continue;
            }
            let Some((graph, edits)) = &mut self.current else {
                return Vec::new();
            };
            match graph.extend(&self.transitions, edits) {
                Extended::Missing => {
                    return vec![graph.follow(&self.transitions, &self.failed, self.ties.clone())];
                }
                Extended::Complete if graph.fails(&self.transitions) => self.watch(),
                Extended::Complete => {
                    let class = graph.class();
                    // A descent may visit the same graph again, so it does not mark the behaviour as reached.
                    let run = match self.descents {
                        Some(_) => self.shown.find(class),
                        None => self.shown.reach(class),
                    };
                    if let Some(is_well) = run {
                        if is_well {
                            self.shown.enter_ends(graph);
                        }
                    } else if self.behaviours < FIRST
                        || self.behaviours.is_multiple_of(EACH)
                        || self.shown.has_new_end(graph)
                    {
                        self.runs_complete_graph = true;
                        return vec![graph.follow(&self.transitions, &[], self.ties.clone())];
                    }
                    self.watch();
                }
            }
        }
    }

    fn divide(&mut self) -> Vec<Self> {
        self.parts()
    }

    fn unite(&mut self, part: Self) -> bool {
        self.take_back(part)
    }

    fn save(&self) -> Option<Vec<u8>> {
        self.saved()
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        Self::restore(self, bytes)
    }

    fn take(&mut self, item: GraphRun, ended: &Ended) {
        self.executions += 1;
        self.seeded += u64::from(item.is_seeded);
        self.spend(EXECUTION + STEP * ended.steps);
        self.give_up(&item, ended);
        match &item.outside {
            Some(UnsupportedStep { who: None, .. }) if !item.names => {
                self.again = Some(item.with_names());
            }
            Some(UnsupportedStep { what, who }) => self.stop(Gap::Unsupported {
                what: *what,
                who: who.clone(),
            }),
            None if !item.new_ties.is_empty() => self.begin_anew(&item.new_ties),
            None if item.has_diverged && self.give_up_watch() => {}
            None if item.has_diverged => self.stop(Gap::Nondeterministic),
            // A bug that depends on other operations does not follow from the transitions of one operation.
            None if item.has_bug => self.stop(Gap::Bug),
            None => self.read(&item, ended),
        }
    }

    fn extent(&self) -> Option<SizeEstimate> {
        self.extent.or_else(|| self.guess())
    }

    fn covered(&self) -> CoverageClaim {
        let is_complete = self.begun
            && self.shallow.is_empty()
            && self.frontier.is_empty()
            && self.division.is_empty()
            && self.current.is_none()
            && self.shown.is_all_reached();
        let mut gaps = Vec::new();
        gaps.extend(self.stopped.clone());
        if !is_complete && self.stopped.is_none() {
            gaps.extend(self.limit.as_ref().and_then(SearchBudget::gap));
        }
        if self.cut_off > 0 {
            let behaviours = self.cut_off;
            gaps.push(Gap::Orders { behaviours });
        }
        if self.seeded > 0 {
            let executions = self.seeded;
            gaps.push(Gap::Seeds { executions });
        }
        CoverageClaim::Systematic {
            reduction: Reduction::Inboxes {
                behaviours: self.behaviours,
                observers: self.observers,
                orders: self.watched,
                opaque: !self.ties.opaque.is_empty(),
            },
            is_complete,
            gaps,
        }
    }
}
