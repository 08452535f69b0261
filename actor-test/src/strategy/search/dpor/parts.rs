//! A divided search: parts that several workers explore in parallel.
//!
//! Backtrack points are independent of each other. A long search therefore runs in rounds: it divides its
//! backtrack points into a fixed number of stacks, and a part of the search explores each until its allowance
//! is spent. When all parts are back, their knowledge is merged in their order. So the result depends only on
//! the program, not on the number of workers.

use std::sync::Arc;

use super::Dpor;
use super::graph::{ExecutionGraph, Revisit};
use super::world::WorldDependencies;
use crate::data::coverage_claim::Gap;
use crate::settings::strategy::PARTS_MAX;
use crate::strategy::search::SearchBudget;
use crate::strategy::{ObserverSet, ROUND_MAX};

/// The number of parts.
pub(super) const PARTS: usize = PARTS_MAX as usize;

/// The cost in steps below which a search is not divided.
const ALONE: u64 = 1_000_000;

/// The allowance of a part in a round: this fraction of the cost so far, within these bounds. Within a round
/// the parts don't see what others learn, so some of it is learned twice.
const SHARE: u64 = 64;
const LEAST: u64 = 20_000;
const MOST: u64 = 500_000;

/// The maximal number of executions of a part in a round; its last graph may need some more.
const EXECUTIONS_MAX: u64 = ROUND_MAX / PARTS as u64 / 2;

/// A backtrack point on the frontier: a graph, and the edit that leads to the graph to explore.
#[derive(Clone, Debug)]
pub(super) struct BacktrackPoint {
    pub(super) graph: Arc<ExecutionGraph>,
    pub(super) edit: Revisit,
    /// The estimated share of the whole search. A graph and each of its backtrack points get equal parts of
    /// the graph's share (Knuth; Kilby, Slaney, Thiébaux and Walsh, AAAI 2006).
    pub(super) share: f64,
    /// The number of backtrack points between this graph and the first one.
    pub(super) depth: u32,
}

/// The state of a divided search.
#[derive(Debug, Default)]
pub(super) struct PartitionedSearch {
    /// The frontier of each part for the next round.
    stacks: Vec<Vec<BacktrackPoint>>,
    /// The number of parts in progress.
    out: usize,
    /// The parts that are back.
    back: Vec<Dpor>,
    rounds: u32,
}

impl PartitionedSearch {
    /// True if all parts are back, and no backtrack points are left to divide.
    pub(super) fn is_empty(&self) -> bool {
        self.out == 0 && self.stacks.iter().all(Vec::is_empty)
    }

    /// Returns the frontier of each part; empty if the search was not divided before.
    pub(super) fn stacks(&self) -> &[Vec<BacktrackPoint>] {
        &self.stacks
    }

    /// True if parts are in progress; they have all backtrack points.
    pub(super) fn is_out(&self) -> bool {
        self.out > 0
    }

    /// Returns the number of parts so far, over all rounds.
    pub(super) fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Continues a restored division, after so many parts.
    pub(super) fn go_on(&mut self, stacks: Vec<Vec<BacktrackPoint>>, rounds: u32) {
        self.stacks = stacks;
        self.rounds = rounds;
    }

    pub(super) fn clear(&mut self) {
        self.stacks.clear();
    }

    /// Gives each part without work the older half of the largest part's frontier, as long as one can be
    /// split.
    fn balance(&mut self) {
        let share =
            |stack: &Vec<BacktrackPoint>| stack.iter().map(|noted| noted.share).sum::<f64>();
        while let Some(empty) = self.stacks.iter().position(Vec::is_empty) {
            let mut shares = self
                .stacks
                .iter()
                .map(share)
                .enumerate()
                .collect::<Vec<_>>();
            shares.retain(|(number, _)| self.stacks[*number].len() > 1);
            let Some((most, all)) = shares
                .into_iter()
                .reduce(|one, other| match other.1 > one.1 {
                    true => other,
                    false => one,
                })
            else {
                return;
            };
            let stack = &mut self.stacks[most];
            let mut given = 0.0;
            let half = stack.iter().position(|noted| {
                given += noted.share;
                given * 2.0 >= all
            });
            let count = half.map_or(1, |last| last + 1).min(stack.len() - 1);
            let kept = stack.split_off(count);
            self.stacks[empty] = std::mem::replace(stack, kept);
        }
    }
}

impl Dpor {
    /// True if the search has become long, and no graph is in progress.
    pub(super) fn is_divisible(&self) -> bool {
        let is_between = self.current.is_none() && self.again.is_none() && self.shallow.is_empty();
        let is_going_on = self.begun && self.stopped.is_none() && self.descents.is_none();
        let is_long = self.allowance.is_none() && self.spent >= ALONE && !self.is_paused();
        let is_left = !self.frontier.is_empty() || !self.division.is_empty();
        is_going_on && is_between && is_long && is_left
    }

    /// True if this is a part of a search, and its allowance for the round is spent.
    pub(super) fn has_done_its_part(&self) -> bool {
        let is_done = |allowance| self.spent >= allowance || self.executions >= EXECUTIONS_MAX;
        self.allowance.is_some_and(is_done)
    }

    /// Returns the parts of the next round, if the search can be divided.
    pub(super) fn parts(&mut self) -> Vec<Self> {
        if !self.is_divisible() || self.division.out > 0 {
            return Vec::new();
        }
        if self.division.stacks.is_empty() {
            self.division.stacks = vec![Vec::new(); PARTS];
            self.division.stacks[0] = std::mem::take(&mut self.frontier);
        }
        self.division.balance();
        self.guessed = self.by_depth();
        let allowance = (self.spent / SHARE).clamp(LEAST, MOST);
        let stacks = std::mem::take(&mut self.division.stacks);
        let mut number = self.division.rounds;
        let parts: Vec<Self> = stacks
            .into_iter()
            .map(|frontier| {
                number += 1;
                self.part(number, frontier, allowance)
            })
            .collect();
        self.division.rounds = number;
        self.division.out = parts.len();
        parts
    }

    fn part(&self, number: u32, frontier: Vec<BacktrackPoint>, allowance: u64) -> Self {
        Self {
            transitions: self.transitions.of_part(number),
            shown: self.shown.of_part(),
            frontier,
            known_max: self.known_max,
            jump_interval: self.jump_interval,
            ties: self.ties.clone(),
            failed: self.failed.clone(),
            begun: true,
            behaviours: self.behaviours,
            behaviours_before: self.behaviours,
            allowance: Some(allowance),
            // A part stops early as the whole search would, but its cost is bounded by its allowance.
            limit: self.limit.as_ref().map(|_| SearchBudget::none()),
            ..Self::default()
        }
    }

    /// Takes back a part, in the order of the parts; returns `false` if the parts after it are not needed.
    pub(super) fn take_back(&mut self, part: Self) -> bool {
        let goes_on = part.stopped.is_none();
        self.division.back.push(part);
        if !goes_on || self.division.back.len() == self.division.out {
            self.settle();
        }
        goes_on
    }

    /// Merges the results of the parts that are back.
    fn settle(&mut self) {
        self.division.out = 0;
        let mut stopped = None;
        let mut spent = 0;
        let mut ties = WorldDependencies::default();
        let (mut table, mut shown) = (Vec::new(), Vec::new());
        for part in std::mem::take(&mut self.division.back) {
            self.division.stacks.push(part.frontier);
            table.push(part.transitions);
            shown.push(part.shown);
            for who in part.failed {
                if !self.failed.contains(&who) {
                    self.failed.push(who);
                }
            }
            ties.add(&part.new_ties);
            stopped = stopped.or(part.stopped);
            self.seeded += part.seeded;
            self.graphs += part.graphs;
            self.executions += part.executions;
            self.behaviours += part.behaviours - part.behaviours_before;
            self.observers |= part.observers;
            self.watched |= part.watched;
            self.cut_off += part.cut_off;
            spent += part.spent;
            self.levels.add(&part.levels);
        }
        self.spend(spent);
        if ties.is_empty() && self.shown.unite(shown).is_err() {
            ties.observers = ObserverSet::MONITORS;
        }
        if !ties.is_empty() {
            return self.begin_anew(&ties);
        }
        if self.transitions.unite(table).is_err() {
            stopped = stopped.or(Some(Gap::Nondeterministic));
        }
        let known = (self.transitions.len() + self.shown.len()) as u64;
        if known >= self.known_max {
            let bound = self.known_max;
            stopped = stopped.or(Some(Gap::Histories { bound }));
        }
        if let Some(why) = stopped {
            self.stop(why);
        }
    }
}
