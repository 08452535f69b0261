//! What steps do to the parts of a state: [`Chart`].
//!
//! Two matches of ping-pong that know nothing of each other, with four states each, are sixteen states
//! together, and ten such matches a million. But in each of these a step does what it does to one match.
//! Actors share nothing, so a step depends on the *parts* that it touches alone: the operation that takes
//! it, with its inbox and outbox, those that it reaches, and, where a monitor looks on or somebody is
//! spawned, the *rest*. So what a step does is read from an execution once, and known in every state that
//! has these parts.
//!
//! What is not up to parts (time, failures, what is shared) can't be charted: see [`Uncharted`].

use std::collections::BTreeMap;

use super::super::names::Numbered;
use super::super::owing::DEFERS;
use super::pairs::Pairs;

/// Nothing is there: an operation that is gone or was not made yet; the end of a list.
pub(super) const NOTHING: u32 = 0;

/// What a step does can't be told from the parts that it touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Uncharted;

/// An operation as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Part {
    pub(super) operation: u32,
    pub(super) print: u128,
    /// It can take a step.
    pub(super) is_enabled: bool,
    /// That concerns nobody's events but its own.
    pub(super) is_own: bool,
    /// It has nothing to handle but events that it defers.
    pub(super) is_deferring: bool,
}

/// What is no operation, as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Rest {
    pub(super) print: u128,
    /// What is owed, and what of it is hot.
    pub(super) debts: (u64, u64),
}

/// A step as an execution has shown it.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The part that has taken it.
    pub(super) taker: u32,
    /// Whom else it has touched that was there before, by their places in a row, in rising order.
    pub(super) others: Vec<u32>,
    /// It depends on the rest, or changes it.
    pub(super) uses_rest: bool,
    /// How choices were answered, each with how many answers there are.
    pub(super) answers: Vec<(u32, u32)>,
    /// What it has changed, by places in a row; nothing is known of that where it has failed.
    pub(super) changes: Vec<(u32, u32)>,
    pub(super) has_failed: bool,
}

/// What a step does, in one of the ways in which its choices can be answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// Who takes it, and how choices are answered, by number.
    pub(super) action: u32,
    changes: [u32; 2],
    pub(super) has_failed: bool,
    next: u32,
}

/// What is known of the step of a part in a state.
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// Not all.
    Unknown,
    /// The first of its outcomes: see [`Chart::outcome`].
    Whole(u32),
}

/// What is known of a step that finds certain parts.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Whether it depends on the rest as well: then what is known lies behind that.
    uses_rest: Option<bool>,
    is_whole: bool,
    /// Its outcomes, a list from the last to the first.
    last: u32,
}

/// What is known of an operation as it is.
#[derive(Debug)]
struct KnownPart {
    part: Part,
    /// The first node of its step, where one was seen, and whom it touches.
    node: u32,
    others: Vec<u32>,
}

/// What steps do to parts.
#[derive(Debug)]
pub(super) struct Chart {
    /// From one on.
    parts: Vec<KnownPart>,
    part_numbers: BTreeMap<Part, u32>,
    /// From one on.
    rests: Vec<Rest>,
    rest_numbers: BTreeMap<Rest, u32>,
    /// From a node, by a number, to the next.
    branches: Pairs,
    nodes: Vec<Node>,
    /// How choices are to be answered next, for nodes that are not whole.
    due: BTreeMap<u32, Vec<u32>>,
    /// From one on.
    outcomes: Vec<Outcome>,
    changes: Vec<(u32, u32)>,
    /// The name of who takes a step, then the answers.
    actions: Numbered<[u64]>,
    /// Some part has nothing to handle but events that it defers.
    has_deferring: bool,
    width: usize,
    learned: u64,
}

impl Chart {
    pub(super) fn new() -> Self {
        let nobody = Part {
            operation: u32::MAX,
            print: 0,
            is_enabled: false,
            is_own: false,
            is_deferring: false,
        };
        Self {
            parts: vec![KnownPart {
                part: nobody,
                node: NOTHING,
                others: Vec::new(),
            }],
            part_numbers: BTreeMap::new(),
            rests: vec![Rest {
                print: 0,
                debts: (0, 0),
            }],
            rest_numbers: BTreeMap::new(),
            branches: {
                // No node has the number of nothing.
                let mut branches = Pairs::default();
                branches.enter([u32::MAX, u32::MAX]);
                branches
            },
            nodes: vec![Node::default()],
            due: BTreeMap::new(),
            outcomes: vec![Outcome {
                action: 0,
                changes: [0, 0],
                has_failed: false,
                next: NOTHING,
            }],
            changes: Vec::new(),
            actions: Numbered::default(),
            has_deferring: false,
            width: 2,
            learned: 0,
        }
    }

    /// The number of an operation as it is.
    pub(super) fn part(&mut self, part: Part) -> u32 {
        if part.print == 0 && !part.is_enabled {
            return NOTHING;
        }
        let next = self.parts.len() as u32;
        let number = *self.part_numbers.entry(part).or_insert(next);
        if number == next {
            self.has_deferring |= part.is_deferring;
            self.width = self.width.max(part.operation as usize + 2);
            self.parts.push(KnownPart {
                part,
                node: NOTHING,
                others: Vec::new(),
            });
        }
        number
    }

    /// How often something was learned.
    pub(super) fn learned(&self) -> u64 {
        self.learned
    }

    /// How many numbers a state has.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    #[inline]
    pub(super) fn part_of(&self, number: u32) -> &Part {
        &self.parts[number as usize].part
    }

    pub(super) fn rest(&mut self, rest: Rest) -> u32 {
        let next = self.rests.len() as u32;
        let number = *self.rest_numbers.entry(rest).or_insert(next);
        if number == next {
            self.rests.push(rest);
        }
        number
    }

    /// What is owed in a state, and what of it is hot.
    pub(super) fn debts(&self, row: &[u32]) -> (u64, u64) {
        let (owed, hot) = self.rests[row[0] as usize].debts;
        let defers = match self.has_deferring {
            true if self.deferring(row).next().is_some() => DEFERS,
            _ => 0,
        };
        (owed & !DEFERS | defers, hot & !DEFERS | defers)
    }

    /// The parts of a state that have nothing to handle but events that they defer.
    pub(super) fn deferring(&self, row: &[u32]) -> impl Iterator<Item = u32> {
        let all = row[1..].iter().copied();
        all.filter(|part| self.part_of(*part).is_deferring)
    }

    /// Who takes a step, and how choices are answered.
    pub(super) fn action(&self, number: u32) -> &[u64] {
        self.actions.get(number)
    }

    /// The number of an action.
    pub(super) fn number_of(&mut self, action: &[u64]) -> u32 {
        self.actions.number(action)
    }

    /// What is known of the step that a part takes in a state.
    #[inline]
    pub(super) fn known(&self, taker: u32, row: &[u32]) -> Known {
        match self.node(taker, row) {
            Some(node) if self.nodes[node as usize].is_whole => {
                Known::Whole(self.nodes[node as usize].last)
            }
            _ => Known::Unknown,
        }
    }

    /// How choices are to be answered first, to learn more of a step.
    pub(super) fn due(&self, taker: u32, row: &[u32]) -> &[u32] {
        let node = self.node(taker, row);
        node.and_then(|node| self.due.get(&node))
            .map_or(&[], Vec::as_slice)
    }

    #[inline]
    fn node(&self, taker: u32, row: &[u32]) -> Option<u32> {
        let known = &self.parts[taker as usize];
        let mut node = known.node;
        for other in &known.others {
            node = self.branches.find([node, row[*other as usize]])?;
        }
        match self.nodes[node as usize].uses_rest? {
            true => self.branches.find([node, row[0] | REST]),
            false => Some(node),
        }
    }

    /// An outcome, and the number of the next; none behind the last.
    #[inline]
    pub(super) fn outcome(&self, number: u32) -> Option<(&Outcome, u32)> {
        let outcome = &self.outcomes[number as usize];
        (number != NOTHING).then_some((outcome, outcome.next))
    }

    #[inline]
    pub(super) fn changes(&self, outcome: &Outcome) -> &[(u32, u32)] {
        let [from, to] = outcome.changes;
        &self.changes[from as usize..to as usize]
    }

    /// Takes down what a step has done in a state.
    pub(super) fn learn(&mut self, shown: &Shown, row: &[u32]) -> Result<(), Uncharted> {
        let node = self.enter(shown, row)?;
        let action = self.action_of(shown);
        let found = self.outcomes_of(node).find(|one| one.action == action);
        if let Some(known) = found.copied() {
            let is_same = known.has_failed == shown.has_failed
                && (known.has_failed || self.changes(&known) == shown.changes);
            return is_same.then_some(()).ok_or(Uncharted);
        }
        if self.nodes[node as usize].is_whole {
            return Err(Uncharted);
        }
        if !self.is_due(node, &shown.answers) {
            return Ok(());
        }
        let from = self.changes.len() as u32;
        self.changes.extend_from_slice(&shown.changes);
        self.outcomes.push(Outcome {
            action,
            changes: [from, self.changes.len() as u32],
            has_failed: shown.has_failed,
            next: self.nodes[node as usize].last,
        });
        let number = self.outcomes.len() as u32 - 1;
        self.nodes[node as usize].last = number;
        match next_answers(&shown.answers) {
            Some(next) => {
                self.due.insert(node, next);
            }
            None => {
                self.due.remove(&node);
                self.nodes[node as usize].is_whole = true;
            }
        }
        self.learned += 1;
        Ok(())
    }

    /// The node where what such a step does is taken down.
    fn enter(&mut self, shown: &Shown, row: &[u32]) -> Result<u32, Uncharted> {
        let taker = shown.taker as usize;
        if self.parts[taker].node == NOTHING {
            self.parts[taker].others.clone_from(&shown.others);
            self.parts[taker].node = self.branch(u32::MAX, shown.taker);
        }
        if self.parts[taker].others != shown.others {
            return Err(Uncharted);
        }
        let mut node = self.parts[taker].node;
        for other in &shown.others {
            node = self.branch(node, row[*other as usize]);
        }
        let found = &mut self.nodes[node as usize];
        if found.uses_rest == Some(false) && shown.uses_rest {
            if found.is_whole {
                return Err(Uncharted);
            }
            // With other answers it does not, which was noted, and is not known any more.
            *found = Node::default();
            self.due.remove(&node);
            self.learned += 1;
        }
        let found = &mut self.nodes[node as usize];
        match *found.uses_rest.get_or_insert(shown.uses_rest) {
            true => Ok(self.branch(node, row[0] | REST)),
            false => Ok(node),
        }
    }

    /// They are the answers that are to be given next: those that are said, and then zeros.
    fn is_due(&self, node: u32, answers: &[(u32, u32)]) -> bool {
        let due = self.due.get(&node).map_or(&[][..], Vec::as_slice);
        let due = due.iter().chain(std::iter::repeat(&0));
        answers
            .iter()
            .zip(due)
            .all(|((answer, _), due)| answer == due)
    }

    fn action_of(&mut self, shown: &Shown) -> u32 {
        let name = u64::from(self.parts[shown.taker as usize].part.operation);
        let answers = shown.answers.iter().map(|(answer, _)| u64::from(*answer));
        let action: Vec<u64> = std::iter::once(name).chain(answers).collect();
        self.actions.number(&action)
    }

    fn outcomes_of(&self, node: u32) -> impl Iterator<Item = &Outcome> {
        let mut next = self.nodes[node as usize].last;
        std::iter::from_fn(move || {
            let (outcome, behind) = self.outcome(next)?;
            next = behind;
            Some(outcome)
        })
    }

    fn branch(&mut self, from: u32, by: u32) -> u32 {
        let (node, is_new) = self.branches.enter([from, by]);
        if is_new {
            let mut node = Node::default();
            if by & REST != 0 && from != u32::MAX {
                node.uses_rest = Some(false);
            }
            self.nodes.push(node);
        }
        node
    }
}

/// Marks the number of a rest, where those of parts may stand as well.
const REST: u32 = 1 << 31;

/// The answers that come after those, as in counting; `None` behind the last.
fn next_answers(answers: &[(u32, u32)]) -> Option<Vec<u32>> {
    let last = answers.iter().rposition(|(answer, of)| answer + 1 < *of)?;
    let mut next: Vec<u32> = answers[..=last].iter().map(|(answer, _)| *answer).collect();
    next[last] += 1;
    Some(next)
}
