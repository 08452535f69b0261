//! Inbox-DPOR: every behaviour once.
//!
//! An actor learns of others by the events that it takes, and by nothing else. So all that an execution
//! has to decide is in which order events are taken from each inbox, and how choices are answered; two
//! schedules that agree on that are one *behaviour*. The search looks at one execution for each.
//!
//! It is one of the family of TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022) and
//! Must (Enea, Giannakopoulou, Kokologiannakis, Majumdar, OOPSLA 2024), made for one FIFO inbox an
//! actor: a [graph](graph) says what was done, and is [extended](extending) label by label. Where an
//! actor may take one of several events, or a choice has several answers, the others are noted. Where
//! an event is sent that an actor might have taken before one that it took, that is
//! [noted](reversing) as well, but in one graph only of all that differ in what would be left out for
//! it. What is noted is a work item: it needs no other one, and nothing is found twice.
//!
//! It differs in this: what an operation does is read from [executions](lives), and known wherever it
//! has the same history, so that graphs are extended without running anything. An execution is run
//! where something is not known, and where some operation ends in a way that no execution has shown
//! yet: whatever is judged of an execution is judged of one operation or onlooker, by what it was given.
//! The first 32 behaviours, and those of the [descents], are run all the same, and one of 64 of those after them, to notice
//! where actors share what they should not. What an execution shows is reached by the search sooner or
//! later.
//!
//! What is not up to an operation and its inbox alone is up to the [world](world) as well, where it is
//! time that matters, or which of several things comes first that somebody awaits. The rest (failures,
//! what is shared) is outside of what the search can follow: it [says so](Gap::Outside), and ends.

mod descents;
mod executed;
mod extending;
mod graph;
mod graph_run;
mod lattice;
mod levels;
mod monitor_checks;
mod numbers;
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
use super::ExhaustiveSearch;
use super::attempt::SearchBudget;
use crate::codec::Damaged;
use crate::hash::mix;
use crate::strategy::{CoverageClaim, Ended, Ending, Gap, Reduction, SizeEstimate, StepConstruct};

/// What an execution, a step of it, and a label of a graph cost, in steps of an execution.
pub(in crate::strategy) const EXECUTION: u64 = 20;
pub(super) const STEP: u64 = 2;
const LABEL: u64 = 2;

/// So many behaviours are run each, whatever they show; and of those after them, one in so many.
const FIRST: u64 = 32;
const EACH: u64 = 64;

/// How many histories and ends it may know, unless it is told: they take about half a gigabyte.
const KNOWN_MAX: u64 = 4_000_000;

/// After how many behaviours it goes on elsewhere, where it does, unless it is told.
pub(in crate::strategy) const RANDOM_JUMP_INTERVAL: u64 = 100;

/// Every behaviour once.
#[derive(Debug, Default)]
pub(in crate::strategy) struct Dpor {
    transitions: TransitionTable,
    /// While they are in progress, nothing is explored yet.
    descents: Option<Descents>,
    /// What was noted in the first graph, what comes first in it first: all of that is looked at before
    /// anything else.
    shallow: VecDeque<BacktrackPoint>,
    /// What is still to be explored besides.
    frontier: Vec<BacktrackPoint>,
    /// How it was divided, once it has become long.
    division: PartitionedSearch,
    /// The graph that is being extended, and what was noted meanwhile.
    current: Option<(ExecutionGraph, Vec<Revisit>)>,
    /// Which share of the whole search the current graph seems to be, with what is noted in it.
    share: f64,
    /// How many notes the current graph is away from the first.
    depth: u32,
    /// How much was noted, by that.
    levels: DepthEstimate,
    /// The current graph is shown to monitors.
    watch: Option<MonitorChecks>,
    /// How many cuts and states monitors were in, of the current graph.
    nodes: u64,
    /// The current graph is complete; the execution that is run shows it.
    runs_complete_graph: bool,
    /// What executions have shown of behaviours.
    shown: ExecutionRecords,
    /// How many histories and ends it may know.
    known_max: u64,
    /// After so many behaviours it goes on elsewhere.
    jump_interval: Option<u64>,
    /// How many there were since it did so last.
    since: u64,
    /// Whose steps are accesses to the world.
    ties: Arc<WorldDependencies>,
    /// What this part has learnt of that.
    new_ties: WorldDependencies,
    /// Who has failed, by path.
    failed: Vec<u64>,
    /// To be run once more.
    again: Option<GraphRun>,
    begun: bool,
    /// Why it ended early.
    stopped: Option<Gap>,
    /// How many executions asked for a seed.
    seeded: u64,
    /// It is a try, which costs no more than that.
    limit: Option<SearchBudget>,
    /// What it has cost, in steps.
    spent: u64,
    /// It is a part of a search, which comes to its end where it has cost so much.
    allowance: Option<u64>,
    /// How many behaviours were explored before this part.
    behaviours_before: u64,
    /// How many behaviours there seem to be.
    size: Option<f64>,
    /// How many there seemed to be when it stopped.
    extent: Option<SizeEstimate>,
    /// How many there seemed to be when it was divided.
    guessed: f64,
    /// How many graphs were looked at.
    graphs: u64,
    executions: u64,
    /// How many behaviours were explored.
    behaviours: u64,
    /// Monitors or predicates look on, and what they see in which order is a part of behaviours.
    onlookers: bool,
    /// Other monitors look on.
    watched: bool,
    /// How often a monitor may see a graph in more orders than it was shown.
    cut_off: u64,
}

impl Dpor {
    pub(in crate::strategy) fn new() -> Self {
        Self {
            descents: Some(Descents::default()),
            known_max: KNOWN_MAX,
            ..Self::default()
        }
    }

    /// It ends where it knows so many histories.
    pub(in crate::strategy) fn histories_max(self, histories: u64) -> Self {
        Self {
            known_max: histories,
            ..self
        }
    }

    /// After so many behaviours it goes on at a place drawn at random among all that are left, so that it
    /// does not stay for long where executions differ late (MODIST's random and bounded DPOR; here what is
    /// left behind is come back to).
    pub(in crate::strategy) fn hopping(self, behaviours: u64) -> Self {
        Self {
            jump_interval: Some(behaviours),
            ..self
        }
    }

    /// What is explored next of what was noted.
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

    /// It pauses where it has cost what it may, and ends where it would cost too much, and where nothing
    /// is to be proved any more.
    pub(super) fn within(limit: SearchBudget) -> Self {
        Self {
            limit: Some(limit),
            ..Self::new()
        }
    }

    /// What it can't follow, where it has ended for that, and is no part of a search.
    pub(super) fn outside(&self) -> Option<StepConstruct> {
        match self.stopped {
            Some(Gap::Unsupported { what, .. }) if self.allowance.is_none() => Some(what),
            _ => None,
        }
    }

    /// How much may still be spent, for who begins anew.
    pub(super) fn take_limit(&mut self) -> Option<SearchBudget> {
        self.limit.take()
    }

    /// Takes note of a cost in steps.
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

    /// It has cost what it may cost by now.
    fn is_paused(&self) -> bool {
        self.limit.as_ref().is_some_and(SearchBudget::is_reached)
    }

    /// How many behaviours there seem to be at the least. By how much was noted at each depth it is too
    /// little, since what a search that is depth first comes to last is larger than what it came to first.
    /// The few descents miss it in either direction, by a factor. So nobody knows how many there are at the
    /// most.
    fn guess(&self) -> Option<SizeEstimate> {
        let size = self.size.filter(|_| self.descents.is_none())?;
        let by_depth = match self.division.is_out() {
            true => self.guessed,
            false => self.by_depth(),
        };
        let least = by_depth.max(size / SizeEstimate::ERROR_FACTOR);
        Some(SizeEstimate::between(self.behaviours, least, None))
    }

    /// How many behaviours there seem to be by how much was noted at each depth.
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

    /// Forgets what was explored: more steps are accesses to the world than was known.
    fn begin_anew(&mut self, new: &WorldDependencies) {
        if self.allowance.is_some() {
            // The whole has to begin anew.
            self.new_ties.add(new);
            return self.stop(Gap::Nondeterministic);
        }
        let mut ties = WorldDependencies::clone(&self.ties);
        ties.add(new);
        let mut lives = TransitionTable::default();
        lives.ordered_monitors = ties.onlookers;
        *self = Self {
            transitions: lives,
            ties: Arc::new(ties),
            limit: self.limit.take(),
            known_max: self.known_max,
            jump_interval: self.jump_interval,
            seeded: self.seeded,
            executions: self.executions,
            ..Self::new()
        };
    }

    /// The current graph is done with.
    fn finish(&mut self) {
        let Some((graph, edits)) = self.current.take() else {
            return;
        };
        self.graphs += 1;
        self.onlookers |= graph.has_onlookers();
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

    /// Takes what an execution has shown.
    fn read(&mut self, item: &GraphRun, ended: &Ended) {
        let reading = match ended.ending {
            Ending::Bug if item.has_failed => ExecutionEnd::Failed,
            Ending::Complete | Ending::Bug => ExecutionEnd::Whole,
            Ending::Pruned if item.only_held_left => ExecutionEnd::Whole,
            Ending::Bound | Ending::Pruned => ExecutionEnd::Cut,
        };
        // What is found at the end hides what else there is to find.
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
            // What comes after the bound is not known.
            self.finish();
        } else if !has_learned {
            self.stop(Gap::Nondeterministic);
        }
    }
}

impl Dpor {
    /// A try is over where it can't lead to a proof any more.
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

/// What was noted in a graph that has a share of the search.
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

impl ExhaustiveSearch for Dpor {
    type Item = GraphRun;

    const IS_SAVED: bool = true;

    const PARTS_MAX: usize = parts::PARTS;

    fn name(&self) -> String {
        match (self.jump_interval, self.known_max) {
            (Some(RANDOM_JUMP_INTERVAL), _) => "dpor-rand".into(),
            (Some(hop), _) => format!("dpor-rand:{hop}"),
            (None, KNOWN_MAX) => "dpor".into(),
            (None, other) => format!("dpor:{other}"),
        }
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
                    // A descent may come again where it was before.
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

    fn restore(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        Self::restore(self, bytes)
    }

    fn take(&mut self, item: GraphRun, ended: &Ended) {
        self.executions += 1;
        self.seeded += u64::from(item.is_seeded);
        self.spend(EXECUTION + STEP * ended.steps);
        self.give_up(&item, ended);
        match &item.outside {
            Some(UnsupportedStep { who: None, .. }) => self.again = Some(item.with_names()),
            Some(UnsupportedStep { what, who }) => self.stop(Gap::Unsupported {
                what: *what,
                who: who.clone(),
            }),
            None if !item.new_ties.is_empty() => self.begin_anew(&item.new_ties),
            None if item.has_diverged && self.give_up_watch() => {}
            None if item.has_diverged => self.stop(Gap::Nondeterministic),
            // What comes after it can't be told from what one operation does.
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
                observers: self.onlookers,
                orders: self.watched,
                opaque: !self.ties.opaque.is_empty(),
            },
            is_complete,
            gaps,
        }
    }
}
