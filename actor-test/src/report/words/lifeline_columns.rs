//! Lifelines of a story beside its steps: one letter for each actor, and those of a node next to each other.

use std::collections::BTreeMap;

use super::escape::{cut, plain};
use crate::data::step::StepKind;
use crate::data::story::{Effect, Lifeline, OperationKind, Step, Story, Text};

/// The largest share of a line for lifelines: one of so many letters.
const SHARE: usize = 4;

/// The largest number of letters of a node's name above its lifelines.
const NODE_MAX: usize = 8;

/// The lifelines of a story on nodes, for one line at each step.
#[derive(Debug)]
pub(super) struct LifelineColumns {
    groups: Vec<NodeColumns>,
    width: usize,
    /// The column of each operation that has one.
    positions: BTreeMap<u32, usize>,
    /// For each operation, the first and the last step of its life.
    lives: BTreeMap<u32, (u64, u64)>,
}

/// Neighbouring lifelines: those of a node, or lifelines on no node.
#[derive(Debug)]
struct NodeColumns {
    node: Option<Text>,
    start: usize,
    width: usize,
}

impl LifelineColumns {
    /// Lays out the lifelines; plumbing only if `all` is set. `None` if no lifeline is on a node, or if a line
    /// of that width has too little room.
    pub(super) fn of(story: &Story, all: bool, width: usize) -> Option<Self> {
        let mut lifelines = story.lifelines();
        lifelines.retain(|lifeline| all || !lifeline.is_plumbing);
        if lifelines.iter().all(|lifeline| lifeline.node.is_none()) {
            return None;
        }
        let mut columns = Self {
            groups: Vec::new(),
            width: 0,
            positions: BTreeMap::new(),
            lives: lives(story),
        };
        for group in lifelines.chunk_by(|one, other| one.node == other.node) {
            columns.add(group);
        }
        (columns.width <= width / SHARE).then_some(columns)
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    fn add(&mut self, lifelines: &[Lifeline]) {
        let start = match self.width {
            0 => 0,
            width => width + 1,
        };
        let node = lifelines[0].node.clone();
        let name = node_name(node.as_deref()).chars().count();
        for (at, lifeline) in lifelines.iter().enumerate() {
            let positions = lifeline.operations.iter().map(|who| (*who, start + at));
            self.positions.extend(positions);
        }
        let width = lifelines.len().max(name);
        self.width = start + width;
        self.groups.push(NodeColumns { node, start, width });
    }

    /// The names of the nodes above their lifelines.
    pub(super) fn head(&self) -> String {
        let mut line = String::new();
        for group in &self.groups {
            let blank = group.start - line.chars().count();
            line += &" ".repeat(blank);
            line += &node_name(group.node.as_deref());
        }
        line
    }

    /// The letters of a step: a line for each living actor, a circle for the one that acts, and a bar across
    /// the lifelines of a node that crashes or restarts.
    pub(super) fn row(&self, step: &Step) -> String {
        let mut letters = self.lines(|first, last| first <= step.number && step.number <= last);
        let acts = self.positions.get(&step.who);
        if let Some(column) = acts.filter(|_| step.kind != StepKind::Fault) {
            letters[*column] = '●';
        }
        for effect in &step.effects {
            let Some(node) = effect.crashed_or_restarted() else {
                continue;
            };
            let is_struck = |group: &&NodeColumns| group.node.as_deref() == Some(node);
            let group = self.groups.iter().find(is_struck);
            let across = group.map_or(0..0, |group| group.start..group.start + group.width);
            letters[across].fill(match effect {
                Effect::Fault { fault, .. } if fault == "crash" => '━',
                _ => '┅',
            });
        }
        letters.into_iter().collect()
    }

    /// The letters below a step: a line for each actor that lives on.
    pub(super) fn below(&self, step: &Step) -> String {
        let letters = self.lines(|first, last| first <= step.number && step.number < last);
        letters.into_iter().collect()
    }

    fn lines(&self, lives: impl Fn(u64, u64) -> bool) -> Vec<char> {
        let mut letters = vec![' '; self.width];
        for (who, column) in &self.positions {
            let life = self.lives.get(who);
            if life.is_some_and(|(first, last)| lives(*first, *last)) {
                letters[*column] = '│';
            }
        }
        letters
    }
}

fn node_name(node: Option<&str>) -> String {
    node.map_or_else(String::new, |node| cut(&plain(node), NODE_MAX))
}

/// Returns for each operation the first and the last step of its life, as far as the story shows them. Boot
/// code lives up to its last step.
fn lives(story: &Story) -> BTreeMap<u32, (u64, u64)> {
    let mut lives: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for step in &story.steps {
        let number = step.number;
        lives.entry(step.who).or_insert((number, u64::MAX));
        let operation = story.operations.get(step.who as usize);
        if operation.is_some_and(|operation| operation.kind == OperationKind::Boot) {
            lives.entry(step.who).and_modify(|life| life.1 = number);
        }
        for effect in &step.effects {
            match effect {
                Effect::Spawned { who } => {
                    lives.entry(*who).or_insert((number, u64::MAX));
                }
                Effect::Halted { who, .. } => {
                    lives.entry(*who).or_insert((number, number)).1 = number;
                }
                _ => {}
            }
        }
    }
    lives
}
