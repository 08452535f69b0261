//! A search in parts, which any workers can explore.
//!
//! What is noted needs nothing else, so it can be explored by anyone. A search that has become long is
//! explored in rounds: what is noted is divided into stacks, always as many, and a part of the search goes
//! on with each, until it has spent what it is allowed. What the parts have learnt is put together when
//! all are back, in their order. So what the search does depends on nothing but the program, however many
//! workers there are.

use std::sync::Arc;

use super::Dpor;
use super::SearchBudget;
use super::graph::{ExecutionGraph, Revisit};
use super::world::WorldDependencies;
use crate::strategy::{Gap, ObserverSet, ROUND_MAX};

/// So many parts there are.
pub(super) const PARTS: usize = 16;

/// A search that has cost less is not divided. Costs are counted in steps.
const ALONE: u64 = 1_000_000;

/// What a part may cost in a round: this share of all that was spent before, within these bounds. Parts
/// don't know in a round what others learn in it, and some of it is learnt twice.
const SHARE: u64 = 64;
const LEAST: u64 = 20_000;
const MOST: u64 = 500_000;

/// A part has no more executions than that in a round, but for those that its last graph needs.
const EXECUTIONS_MAX: u64 = ROUND_MAX / PARTS as u64 / 2;

/// What was noted in a graph: another one, that is to be explored.
#[derive(Clone, Debug)]
pub(super) struct BacktrackPoint {
    pub(super) graph: Arc<ExecutionGraph>,
    pub(super) edit: Revisit,
    /// Which share of the whole search it seems to be: all that was noted in a graph has equal shares of
    /// that of the graph, and so has the graph itself (Knuth; Kilby, Slaney, Thiébaux and Walsh, AAAI
    /// 2006).
    pub(super) share: f64,
    /// How many notes it is away from the first graph.
    pub(super) depth: u32,
}

/// How a search was divided.
#[derive(Debug, Default)]
pub(super) struct PartitionedSearch {
    /// What each part is to go on with.
    stacks: Vec<Vec<BacktrackPoint>>,
    /// How many parts are out.
    out: usize,
    /// Those that are back.
    back: Vec<Dpor>,
    rounds: u32,
}

impl PartitionedSearch {
    /// Nothing is left to be divided, and all parts are back.
    pub(super) fn is_empty(&self) -> bool {
        self.out == 0 && self.stacks.iter().all(Vec::is_empty)
    }

    /// What each part is to go on with, where it was divided before.
    pub(super) fn stacks(&self) -> &[Vec<BacktrackPoint>] {
        &self.stacks
    }

    /// Parts are out, with all that is noted.
    pub(super) fn is_out(&self) -> bool {
        self.out > 0
    }

    /// How many parts there were.
    pub(super) fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Goes on with these, after so many parts.
    pub(super) fn go_on(&mut self, stacks: Vec<Vec<BacktrackPoint>>, rounds: u32) {
        self.stacks = stacks;
        self.rounds = rounds;
    }

    pub(super) fn clear(&mut self) {
        self.stacks.clear();
    }

    /// Has every part have something to go on with, as long as there is enough: it gets the older half of
    /// what the one with most is to go on with.
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
    /// It has become long, and nothing is in progress.
    pub(super) fn is_divisible(&self) -> bool {
        let is_between = self.current.is_none() && self.again.is_none() && self.shallow.is_empty();
        let is_going_on = self.begun && self.stopped.is_none() && self.descents.is_none();
        let is_long = self.allowance.is_none() && self.spent >= ALONE && !self.is_paused();
        let is_left = !self.frontier.is_empty() || !self.division.is_empty();
        is_going_on && is_between && is_long && is_left
    }

    /// This is a part, and has done what it was to do.
    pub(super) fn has_done_its_part(&self) -> bool {
        let is_done = |allowance| self.spent >= allowance || self.executions >= EXECUTIONS_MAX;
        self.allowance.is_some_and(is_done)
    }

    /// The parts of the next round, where it can be divided.
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
            // It ends where the whole would, but at its allowance instead of what that may cost.
            limit: self.limit.as_ref().map(|_| SearchBudget::none()),
            ..Self::default()
        }
    }

    /// A part is back, in the order of the parts; `false` where those after it are not needed.
    pub(super) fn take_back(&mut self, part: Self) -> bool {
        let goes_on = part.stopped.is_none();
        self.division.back.push(part);
        if !goes_on || self.division.back.len() == self.division.out {
            self.settle();
        }
        goes_on
    }

    /// Puts together what the parts that are back have done.
    fn settle(&mut self) {
        self.division.out = 0;
        let mut stopped = None;
        let mut spent = 0;
        let mut ties = WorldDependencies::default();
        let (mut lives, mut shown) = (Vec::new(), Vec::new());
        for part in std::mem::take(&mut self.division.back) {
            self.division.stacks.push(part.frontier);
            lives.push(part.transitions);
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
            self.onlookers |= part.onlookers;
            self.watched |= part.watched;
            self.cut_off += part.cut_off;
            spent += part.spent;
            self.levels.add(&part.levels);
        }
        self.spend(spent);
        if ties.is_empty() && self.shown.unite(shown).is_err() {
            ties.onlookers = ObserverSet::MONITORS;
        }
        if !ties.is_empty() {
            return self.begin_anew(&ties);
        }
        if self.transitions.unite(lives).is_err() {
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
