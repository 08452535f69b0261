//! What steps do to the parts of a state: [`Chart`].
//!
//! Two matches of ping-pong that know nothing of each other, with four states each, are sixteen states
//! together, and ten such matches a million. But in each of these a step does what it does to one match.
//! Actors share nothing, so a step depends on the *parts* that it touches alone: the operation that takes
//! it, with its inbox and outbox, those that it reaches, and, where a monitor looks on or somebody is
//! spawned, the *rest*. So what a step does is read from an execution once, and known in every state that
//! has these parts. The timers that run are one part together, since the time until each is due goes by for
//! all of them.
//!
//! What is not up to parts (failures, what is shared, looks at the clock) can't be charted: see [`Uncharted`].

use std::collections::BTreeMap;

use super::super::names::Numbered;
use super::super::obligations::DEFERS;
use super::pairs::Pairs;

/// Nothing is there: an operation that is gone or was not made yet; the end of a list.
pub(super) const NOTHING: u32 = 0;

/// What a step does can't be told from the parts that it touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NotModelled;

/// An operation as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct OperationState {
    pub(super) operation: u32,
    pub(super) print: u128,
    /// It can take a step.
    pub(super) is_enabled: bool,
    /// That concerns nobody's events but its own.
    pub(super) is_own: bool,
    /// It has nothing to handle but events that it defers.
    pub(super) is_deferring: bool,
}

/// What is neither an operation nor a timer, as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct RemainingState {
    pub(super) print: u128,
    /// What is owed, and what of it is hot.
    pub(super) obligations: (u64, u64),
}

/// What a step depends on besides operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct StepInputs {
    pub(super) rest: bool,
    pub(super) timers: bool,
    /// How many operations there have been: the next one to be made has that number.
    pub(super) count: bool,
}

impl StepInputs {
    fn and(self, other: Self) -> Self {
        Self {
            rest: self.rest | other.rest,
            timers: self.timers | other.timers,
            count: self.count | other.count,
        }
    }
}

/// A step as an execution has shown it.
#[derive(Debug, Default)]
pub(super) struct ObservedStep {
    /// The part that has taken it.
    pub(super) taker: u32,
    /// The name of who that is; for a timer, behind what is the same for all that fire alike.
    pub(super) name: Vec<u64>,
    /// Whom else it has touched that was there before, by their places in a row, in rising order.
    pub(super) others: Vec<u32>,
    /// It depends on these, or changes them.
    pub(super) uses: StepInputs,
    /// How choices were answered, each with how many answers there are.
    pub(super) answers: Vec<(u32, u32)>,
    /// What it has changed, by places in a row; nothing is known of that where it has failed.
    pub(super) changes: Vec<(u32, u32)>,
    pub(super) has_failed: bool,
}

/// What a step does, in one of the ways in which its choices can be answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepOutcome {
    /// Who takes it, and how choices are answered, by number.
    pub(super) action: u32,
    changes: [u32; 2],
    pub(super) has_failed: bool,
    next: u32,
}

/// What is known of the step of a part in a state.
#[derive(Clone, Copy, Debug)]
pub(super) enum StepKnowledge {
    /// Not all.
    Unknown,
    /// The first of its outcomes: see [`Chart::outcome`].
    Whole(u32),
}

/// What is known of a step that finds certain parts.
#[derive(Clone, Copy, Debug, Default)]
struct DecisionNode {
    /// On what else it depends: then what is known lies behind that.
    uses: Option<StepInputs>,
    is_whole: bool,
    /// Its outcomes, a list from the last to the first.
    last: u32,
}

/// What is known of an operation as it is.
#[derive(Debug)]
struct PartKnowledge {
    part: OperationState,
    /// The first node of its step, where one was seen, and whom it touches.
    node: u32,
    others: Vec<u32>,
}

/// Timers that can fire: each by what name, and as what part.
type Firing = Vec<(u64, u32)>;

/// What steps do to parts.
#[derive(Debug)]
pub(super) struct TransitionModel {
    /// From one on.
    parts: Vec<PartKnowledge>,
    part_numbers: BTreeMap<OperationState, u32>,
    /// From one on.
    rests: Vec<RemainingState>,
    rest_numbers: BTreeMap<RemainingState, u32>,
    /// Which of them can fire where no operation can take a step, and where one can, which differs where
    /// timers are patient. From one on.
    timers: Vec<[Option<Firing>; 2]>,
    timer_numbers: BTreeMap<u128, u32>,
    /// From a node, by a number, to the next.
    branches: Pairs,
    nodes: Vec<DecisionNode>,
    /// How choices are to be answered next, for nodes that are not whole.
    due: BTreeMap<u32, Vec<u32>>,
    /// From one on.
    outcomes: Vec<StepOutcome>,
    changes: Vec<(u32, u32)>,
    /// Who takes a step by what name, as in [`Shown`], then the answers.
    actions: Numbered<[u64]>,
    /// Some part has nothing to handle but events that it defers.
    has_deferring: bool,
    width: usize,
    learned: u64,
}

impl TransitionModel {
    pub(super) fn new() -> Self {
        let nobody = OperationState {
            operation: u32::MAX,
            print: 0,
            is_enabled: false,
            is_own: false,
            is_deferring: false,
        };
        Self {
            parts: vec![PartKnowledge {
                part: nobody,
                node: NOTHING,
                others: Vec::new(),
            }],
            part_numbers: BTreeMap::new(),
            rests: vec![RemainingState {
                print: 0,
                obligations: (0, 0),
            }],
            rest_numbers: BTreeMap::new(),
            timers: vec![[None, None]],
            timer_numbers: BTreeMap::from([(0, NOTHING)]),
            branches: {
                // No node has the number of nothing.
                let mut branches = Pairs::default();
                branches.enter([u32::MAX, u32::MAX]);
                branches
            },
            nodes: vec![DecisionNode::default()],
            due: BTreeMap::new(),
            outcomes: vec![StepOutcome {
                action: 0,
                changes: [0, 0],
                has_failed: false,
                next: NOTHING,
            }],
            changes: Vec::new(),
            actions: Numbered::default(),
            has_deferring: false,
            width: FIRST + 1,
            learned: 0,
        }
    }

    /// The number of an operation as it is.
    pub(super) fn part(&mut self, part: OperationState) -> u32 {
        if part.print == 0 && !part.is_enabled {
            return NOTHING;
        }
        let next = self.parts.len() as u32;
        let number = *self.part_numbers.entry(part).or_insert(next);
        if number == next {
            self.has_deferring |= part.is_deferring;
            if part.operation != TIMERS {
                self.width = self.width.max(part.operation as usize + FIRST + 1);
            }
            self.parts.push(PartKnowledge {
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
    pub(super) fn part_of(&self, number: u32) -> &OperationState {
        &self.parts[number as usize].part
    }

    pub(super) fn rest(&mut self, rest: RemainingState) -> u32 {
        let next = self.rests.len() as u32;
        let number = *self.rest_numbers.entry(rest).or_insert(next);
        if number == next {
            self.rests.push(rest);
        }
        number
    }

    /// The number of the timers that run, by their fingerprint.
    pub(super) fn timers(&mut self, print: u128) -> u32 {
        let next = self.timers.len() as u32;
        let number = *self.timer_numbers.entry(print).or_insert(next);
        if number == next {
            self.timers.push([None, None]);
        }
        number
    }

    /// Takes down what the timers of a state are called that can fire there, in rising order.
    pub(super) fn fire(&mut self, row: &[u32], names: &[u64]) -> Result<(), NotModelled> {
        let number = row[AT_TIMERS];
        if let Some(known) = self.firing(row) {
            let known = known.iter().map(|(name, _)| name);
            return known.eq(names).then_some(()).ok_or(NotModelled);
        }
        let taker = |name: &u64| {
            let part = OperationState {
                operation: TIMERS,
                print: u128::from(number) << 64 | u128::from(*name),
                is_enabled: true,
                is_own: false,
                is_deferring: false,
            };
            (*name, self.part(part))
        };
        let takers = names.iter().map(taker).collect();
        let beside = self.has_able(row);
        self.timers[number as usize][usize::from(beside)] = Some(takers);
        self.learned += 1;
        Ok(())
    }

    /// The timers that can fire in a state, where that is known: each by what name, and as what part.
    #[inline]
    pub(super) fn firing(&self, row: &[u32]) -> Option<&[(u64, u32)]> {
        match row[AT_TIMERS] {
            NOTHING => Some(&[]),
            number => {
                let beside = self.has_able(row);
                self.timers[number as usize][usize::from(beside)].as_deref()
            }
        }
    }

    /// Some operation can take a step.
    #[inline]
    fn has_able(&self, row: &[u32]) -> bool {
        row[FIRST..]
            .iter()
            .any(|part| self.part_of(*part).is_enabled)
    }

    /// Nobody can do anything, as far as is known.
    #[inline]
    pub(super) fn may_be_end(&self, row: &[u32]) -> bool {
        !self.has_able(row) && self.firing(row).is_none_or(<[_]>::is_empty)
    }

    /// The first of those who can take a step of which that is so.
    pub(super) fn first_taker(&self, row: &[u32], is_so: impl Fn(u32) -> bool) -> Option<u64> {
        let operations = row[FIRST..].iter().zip(0..);
        let operations = operations.map(|(part, name)| (name, *part));
        let timers = self.firing(row).unwrap_or_default();
        let all = operations.chain(timers.iter().copied());
        let mut able = all.filter(|(_, part)| self.part_of(*part).is_enabled);
        able.find(|(_, part)| is_so(*part)).map(|(name, _)| name)
    }

    /// The part of who has a name.
    pub(super) fn taker_of(&self, row: &[u32], name: u64) -> Option<u32> {
        let mut timers = self.firing(row)?.iter();
        let operation = || row.get(FIRST + usize::try_from(name).ok()?).copied();
        timers
            .find(|(other, _)| *other == name)
            .map(|(_, part)| *part)
            .or_else(operation)
    }

    /// What is owed in a state, and what of it is hot.
    pub(super) fn debts(&self, row: &[u32]) -> (u64, u64) {
        let (owed, hot) = self.rests[row[AT_REST] as usize].obligations;
        let defers = match self.has_deferring {
            true if self.deferring(row).next().is_some() => DEFERS,
            _ => 0,
        };
        (owed & !DEFERS | defers, hot & !DEFERS | defers)
    }

    /// The parts of a state that have nothing to handle but events that they defer.
    pub(super) fn deferring(&self, row: &[u32]) -> impl Iterator<Item = u32> {
        let all = row[FIRST..].iter().copied();
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
    pub(super) fn known(&self, taker: u32, row: &[u32]) -> StepKnowledge {
        match self.node(taker, row) {
            Some(node) if self.nodes[node as usize].is_whole => {
                StepKnowledge::Whole(self.nodes[node as usize].last)
            }
            _ => StepKnowledge::Unknown,
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
        let uses = self.nodes[node as usize].uses?;
        if uses.rest {
            node = self.branches.find([node, row[AT_REST] | REST])?;
        }
        if uses.count {
            node = self.branches.find([node, row[AT_COUNT] | COUNT])?;
        }
        match uses.timers {
            true => self.branches.find([node, row[AT_TIMERS] | CLOCK]),
            false => Some(node),
        }
    }

    /// An outcome, and the number of the next; none behind the last.
    #[inline]
    pub(super) fn outcome(&self, number: u32) -> Option<(&StepOutcome, u32)> {
        let outcome = &self.outcomes[number as usize];
        (number != NOTHING).then_some((outcome, outcome.next))
    }

    #[inline]
    pub(super) fn changes(&self, outcome: &StepOutcome) -> &[(u32, u32)] {
        let [from, to] = outcome.changes;
        &self.changes[from as usize..to as usize]
    }

    /// Takes down what a step has done in a state.
    pub(super) fn learn(&mut self, shown: &ObservedStep, row: &[u32]) -> Result<(), NotModelled> {
        let node = self.enter(shown, row)?;
        let action = self.action_of(shown);
        let found = self.outcomes_of(node).find(|one| one.action == action);
        if let Some(known) = found.copied() {
            let is_same = known.has_failed == shown.has_failed
                && (known.has_failed || self.changes(&known) == shown.changes);
            return is_same.then_some(()).ok_or(NotModelled);
        }
        if self.nodes[node as usize].is_whole {
            return Err(NotModelled);
        }
        if !self.is_due(node, &shown.answers) {
            return Ok(());
        }
        let from = self.changes.len() as u32;
        self.changes.extend_from_slice(&shown.changes);
        self.outcomes.push(StepOutcome {
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
    fn enter(&mut self, shown: &ObservedStep, row: &[u32]) -> Result<u32, NotModelled> {
        let taker = shown.taker as usize;
        if self.parts[taker].node == NOTHING {
            self.parts[taker].others.clone_from(&shown.others);
            self.parts[taker].node = self.branch(u32::MAX, shown.taker);
        }
        if self.parts[taker].others != shown.others {
            return Err(NotModelled);
        }
        let mut node = self.parts[taker].node;
        for other in &shown.others {
            node = self.branch(node, row[*other as usize]);
        }
        let found = &mut self.nodes[node as usize];
        let before = *found.uses.get_or_insert(shown.uses);
        let uses = before.and(shown.uses);
        if uses != before {
            if found.is_whole {
                return Err(NotModelled);
            }
            // With other answers it does not, which was noted, and is not known any more.
            *found = DecisionNode::default();
            found.uses = Some(uses);
            self.due.remove(&node);
            self.learned += 1;
        }
        if uses.rest {
            node = self.branch(node, row[AT_REST] | REST);
        }
        if uses.count {
            node = self.branch(node, row[AT_COUNT] | COUNT);
        }
        if uses.timers {
            node = self.branch(node, row[AT_TIMERS] | CLOCK);
        }
        Ok(node)
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

    fn action_of(&mut self, shown: &ObservedStep) -> u32 {
        let answers = shown.answers.iter().map(|(answer, _)| u64::from(*answer));
        let action: Vec<u64> = shown.name.iter().copied().chain(answers).collect();
        self.actions.number(&action)
    }

    fn outcomes_of(&self, node: u32) -> impl Iterator<Item = &StepOutcome> {
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
            self.nodes.push(DecisionNode::default());
        }
        node
    }
}

/// Where in a row the rest stands, the timers, how many operations there have been, and the first of them.
pub(super) const AT_REST: usize = 0;
pub(super) const AT_TIMERS: usize = 1;
pub(super) const AT_COUNT: usize = 2;
pub(super) const FIRST: usize = 3;

/// Stands for an operation in the parts that are timers.
const TIMERS: u32 = u32::MAX - 1;

/// Mark the number of a rest and of timers, and of operations, where those of parts may stand as well.
const REST: u32 = 1 << 31;
const CLOCK: u32 = 1 << 30;
const COUNT: u32 = REST | CLOCK;

/// The answers that come after those, as in counting; `None` behind the last.
fn next_answers(answers: &[(u32, u32)]) -> Option<Vec<u32>> {
    let last = answers.iter().rposition(|(answer, of)| answer + 1 < *of)?;
    let mut next: Vec<u32> = answers[..=last].iter().map(|(answer, _)| *answer).collect();
    next[last] += 1;
    Some(next)
}
