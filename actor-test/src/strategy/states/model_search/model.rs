//! The learned transition model: the effects of steps on the components of a state, [`TransitionModel`].
//!
//! Two independent matches of ping-pong with four states each have sixteen states together, and ten such
//! matches a million; but a step concerns one match only. Actors share nothing, so a step depends only on
//! the *parts* that it reads and writes: its own operation with inbox and outbox, the operations in its
//! footprint, and, with an observing monitor or a spawn, the *rest*. So the effect of a step is learned
//! from one execution, and known in every state with these parts. The running timers are one part together,
//! since time passes for all of them.
//!
//! Faults, shared memory and reads of the clock don't depend on parts alone: see [`NotModelled`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::super::names::Numbered;
use super::super::obligations::DEFERS;
use super::pairs::Pairs;
use crate::strategy::StateView;

/// The number of an absent part, and the end of a list.
pub(super) const NOTHING: u32 = 0;

/// The effect of a step can't be derived from the parts that it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NotModelled;

/// An operation in one of its states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) struct ModelledOperation {
    pub(super) operation: u32,
    pub(super) print: u128,
    /// True if the operation is enabled.
    pub(super) is_enabled: bool,
    /// True if its step concerns only its own events.
    pub(super) is_own: bool,
    /// True if its inbox holds only events that it defers.
    pub(super) is_deferring: bool,
}

/// The components of a state that are neither operations nor timers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(super) struct RemainingState {
    pub(super) print: u128,
    /// The pending obligations, and those of them that are hot.
    pub(super) obligations: (u64, u64),
}

/// The inputs of a step besides operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct StepInputs {
    pub(super) rest: bool,
    pub(super) timers: bool,
    /// The number of operations so far, which is the number of the next one spawned.
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

/// A step that an execution has shown.
#[derive(Debug, Default)]
pub(super) struct ObservedStep {
    /// The part that took the step.
    pub(super) taker: u32,
    /// The name of the operation; for a timer, that of its sort and then its own.
    pub(super) name: Vec<u64>,
    /// The other existing operations in the footprint, by their indices in a row, in rising order.
    pub(super) others: Vec<u32>,
    /// The inputs that the step read or changed.
    pub(super) uses: StepInputs,
    /// The answers to choices, each with the number of possible ones.
    pub(super) answers: Vec<(u32, u32)>,
    /// The changes by index in a row; unknown if the step failed.
    pub(super) changes: Vec<(u32, u32)>,
    pub(super) has_failed: bool,
    pub(super) sort: StepSort,
}

/// The sort of a part's step, which follows from the part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) enum StepSort {
    /// The step appends an event to the inbox of another operation.
    Send,
    /// The step appends an event to the inbox of its own operation, or closes it.
    Own,
    #[default]
    Other,
}

/// The effect of a step with one combination of answers to its choices.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct StepOutcome {
    /// The number of the operation's name with the answers.
    pub(super) action: u32,
    changes: [u32; 2],
    pub(super) has_failed: bool,
    next: u32,
}

/// The model's knowledge of the step of a part in a state.
#[derive(Clone, Copy, Debug)]
pub(super) enum StepKnowledge {
    /// Some outcomes are unknown.
    Unknown,
    /// All outcomes are known.
    Whole {
        /// The first one: see [`TransitionModel::outcome`].
        first: u32,
        send: Option<KnownSend>,
    },
}

/// A step that does nothing but append an event to another operation's inbox.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct KnownSend {
    /// The index of the receiver in a row.
    pub(super) to: u32,
    /// True if the sender is enabled after the step, or defers all events.
    pub(super) goes_on: bool,
    /// True if the receiver is enabled after the step.
    pub(super) is_received: bool,
}

/// The model's knowledge of a step that reads certain parts: a node of a decision tree.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct DecisionNode {
    /// The further inputs of the step. If there are any, the outcomes belong to a node behind them.
    uses: Option<StepInputs>,
    is_whole: bool,
    /// The last outcome, which begins a list of all in reverse order.
    last: u32,
    /// Set if the outcome is a send, and nothing else.
    send: Option<KnownSend>,
}

/// The model's knowledge of a part.
#[derive(Debug, Serialize, Deserialize)]
struct PartKnowledge {
    part: ModelledOperation,
    /// The first node of its step, or nothing, and the operations in the footprint.
    node: u32,
    others: Vec<u32>,
    sort: StepSort,
}

/// The timers that can fire, by name and part.
type Firing = Vec<(u64, u32)>;

/// The transition model: the effects of steps on parts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TransitionModel {
    /// Parts by number, from one on.
    parts: Vec<PartKnowledge>,
    part_numbers: BTreeMap<ModelledOperation, u32>,
    /// Rests by number, from one on.
    rests: Vec<RemainingState>,
    rest_numbers: BTreeMap<RemainingState, u32>,
    /// The timers that can fire, by the number of their fingerprint, from one on: without an enabled
    /// operation, and with one. The two differ for patient timers.
    timers: Vec<[Option<Firing>; 2]>,
    timer_numbers: BTreeMap<u128, u32>,
    /// The edges of the decision trees: from a node, by the number of an input, to the next node.
    branches: Pairs,
    nodes: Vec<DecisionNode>,
    /// The answers to try next, for nodes that are not whole.
    due: BTreeMap<u32, Vec<u32>>,
    /// Outcomes by number, from one on.
    outcomes: Vec<StepOutcome>,
    changes: Vec<(u32, u32)>,
    /// Actions by number: names as in [`ObservedStep`], then the answers.
    actions: Numbered<[u64]>,
    /// True if the inbox of some part holds only events that it defers.
    has_deferring: bool,
    /// True if some execution has read the numbers of actors, and if they vary from one to another.
    reads_numbers: bool,
    numbers_vary: bool,
    width: usize,
    learned: u64,
}

impl TransitionModel {
    pub(super) fn new() -> Self {
        let nobody = ModelledOperation {
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
                sort: StepSort::Other,
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
                // Reserves the number of nothing, which no node has.
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
            reads_numbers: false,
            numbers_vary: false,
            width: FIRST + 1,
            learned: 0,
        }
    }

    /// Returns the number of a part.
    pub(super) fn part(&mut self, part: ModelledOperation) -> u32 {
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
                sort: StepSort::Other,
            });
        }
        number
    }

    /// Records whether an execution has read the numbers of actors, and whether they vary; returns true if
    /// both hold of the program. A step may read in one execution what varies by a step of another.
    pub(super) fn depends_on_numbers(&mut self, state: &StateView) -> bool {
        self.reads_numbers |= state.reads_numbers;
        self.numbers_vary |= state.numbers_vary;
        self.reads_numbers && self.numbers_vary
    }

    /// The number of facts that were learned.
    pub(super) fn learned(&self) -> u64 {
        self.learned
    }

    /// The number of indices in a row.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    #[inline]
    pub(super) fn part_of(&self, number: u32) -> &ModelledOperation {
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

    /// Returns the number of the running timers, by their fingerprint.
    pub(super) fn timers(&mut self, print: u128) -> u32 {
        let next = self.timers.len() as u32;
        let number = *self.timer_numbers.entry(print).or_insert(next);
        if number == next {
            self.timers.push([None, None]);
        }
        number
    }

    /// Records the names of the timers that can fire in a state, in rising order.
    pub(super) fn fire(&mut self, row: &[u32], names: &[u64]) -> Result<(), NotModelled> {
        let number = row[AT_TIMERS];
        if let Some(known) = self.firing(row) {
            let known = known.iter().map(|(name, _)| name);
            return known.eq(names).then_some(()).ok_or(NotModelled);
        }
        let taker = |name: &u64| {
            let part = ModelledOperation {
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

    /// The timers that can fire in a state, by name and part, if that is known.
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

    /// True if some operation is enabled.
    #[inline]
    fn has_able(&self, row: &[u32]) -> bool {
        row[FIRST..]
            .iter()
            .any(|part| self.part_of(*part).is_enabled)
    }

    /// True if nothing is enabled, as far as is known.
    #[inline]
    pub(super) fn may_be_end(&self, row: &[u32]) -> bool {
        !self.has_able(row) && self.firing(row).is_none_or(<[_]>::is_empty)
    }

    /// The name of the first enabled operation or timer whose part satisfies a predicate.
    pub(super) fn first_taker(&self, row: &[u32], is_so: impl Fn(u32) -> bool) -> Option<u64> {
        let operations = row[FIRST..].iter().zip(0..);
        let operations = operations.map(|(part, name)| (name, *part));
        let timers = self.firing(row).unwrap_or_default();
        let all = operations.chain(timers.iter().copied());
        let mut able = all.filter(|(_, part)| self.part_of(*part).is_enabled);
        able.find(|(_, part)| is_so(*part)).map(|(name, _)| name)
    }

    /// The part with a name.
    pub(super) fn taker_of(&self, row: &[u32], name: u64) -> Option<u32> {
        let mut timers = self.firing(row)?.iter();
        let operation = || row.get(FIRST + usize::try_from(name).ok()?).copied();
        timers
            .find(|(other, _)| *other == name)
            .map(|(_, part)| *part)
            .or_else(operation)
    }

    /// The pending obligations of a state, and those of them that are hot.
    pub(super) fn pending_bits(&self, row: &[u32]) -> (u64, u64) {
        let (pending, hot) = self.rests[row[AT_REST] as usize].obligations;
        let defers = match self.has_deferring {
            true if self.deferring(row).next().is_some() => DEFERS,
            _ => 0,
        };
        (pending & !DEFERS | defers, hot & !DEFERS | defers)
    }

    /// The parts of a state whose inboxes hold only events that they defer.
    pub(super) fn deferring(&self, row: &[u32]) -> impl Iterator<Item = u32> {
        let all = row[FIRST..].iter().copied();
        all.filter(|part| self.part_of(*part).is_deferring)
    }

    /// The operation's name and the answers of an action.
    pub(super) fn action(&self, number: u32) -> &[u64] {
        self.actions.get(number)
    }

    /// Returns the number of an action.
    pub(super) fn number_of(&mut self, action: &[u64]) -> u32 {
        self.actions.number(action)
    }

    /// The model's knowledge of the step that a part takes in a state.
    #[inline]
    pub(super) fn known(&self, taker: u32, row: &[u32]) -> StepKnowledge {
        match self.node(taker, row) {
            Some(node) if self.nodes[node as usize].is_whole => {
                let node = &self.nodes[node as usize];
                StepKnowledge::Whole {
                    first: node.last,
                    send: node.send,
                }
            }
            _ => StepKnowledge::Unknown,
        }
    }

    /// The answers to give first, to learn more of a step.
    pub(super) fn due(&self, taker: u32, row: &[u32]) -> &[u32] {
        let node = self.node(taker, row);
        node.and_then(|node| self.due.get(&node))
            .map_or(&[], Vec::as_slice)
    }

    /// The operations in the footprint of a known step, by their indices in a row.
    #[inline]
    pub(super) fn others(&self, taker: u32) -> &[u32] {
        &self.parts[taker as usize].others
    }

    /// True if the known step of a part appends an event to the inbox of its own operation, or closes it.
    #[inline]
    pub(super) fn changes_own_inbox(&self, taker: u32) -> bool {
        self.parts[taker as usize].sort == StepSort::Own
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

    /// An outcome, and the number of the next; `None` behind the last.
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

    /// Learns the effect of a step in a state; an error if it contradicts the model.
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
                self.nodes[node as usize].send = self.send_of(shown, row);
            }
        }
        self.learned += 1;
        Ok(())
    }

    /// The send that a step consists of, if it is nothing else.
    fn send_of(&self, shown: &ObservedStep, row: &[u32]) -> Option<KnownSend> {
        let [to] = shown.others[..] else {
            return None;
        };
        if shown.sort != StepSort::Send || shown.uses != StepInputs::default() {
            return None;
        }
        let after = |at: u32, before: u32| {
            let changed = shown.changes.iter().find(|(other, _)| *other == at);
            self.part_of(changed.map_or(before, |(_, part)| *part))
        };
        let sender = after(
            self.part_of(shown.taker).operation + FIRST as u32,
            shown.taker,
        );
        let receiver = after(to, row[to as usize]);
        Some(KnownSend {
            to,
            goes_on: sender.is_enabled || sender.is_deferring,
            is_received: receiver.is_enabled,
        })
    }

    /// The node for the outcomes of such a step.
    fn enter(&mut self, shown: &ObservedStep, row: &[u32]) -> Result<u32, NotModelled> {
        let taker = shown.taker as usize;
        if self.parts[taker].node == NOTHING {
            self.parts[taker].others.clone_from(&shown.others);
            self.parts[taker].sort = shown.sort;
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
            // The outcomes noted with other answers did not depend on the new input, and are forgotten.
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

    /// True if these are the answers to try next: the recorded ones, followed by zeros.
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

/// The indices in a row of the rest, the timers, the number of operations, and the first operation.
pub(super) const AT_REST: usize = 0;
pub(super) const AT_TIMERS: usize = 1;
pub(super) const AT_COUNT: usize = 2;
pub(super) const FIRST: usize = 3;

/// The operation number of parts that are timers.
const TIMERS: u32 = u32::MAX - 1;

/// Bits that distinguish the numbers of rests, timers and counts from those of parts.
const REST: u32 = 1 << 31;
const CLOCK: u32 = 1 << 30;
const COUNT: u32 = REST | CLOCK;

/// The next combination of answers in counting order; `None` behind the last.
fn next_answers(answers: &[(u32, u32)]) -> Option<Vec<u32>> {
    let last = answers.iter().rposition(|(answer, of)| answer + 1 < *of)?;
    let mut next: Vec<u32> = answers[..=last].iter().map(|(answer, _)| *answer).collect();
    next[last] += 1;
    Some(next)
}
