//! A region of states around an execution, put together from what its parts were seen to do, and
//! whether any step leads out of it.
//!
//! Two matches of ping-pong that know nothing of each other, with four states each, are sixteen
//! states together, and ten such matches a million; an execution meets every state of every match
//! in no time, and most of the million never. So what is learned is what a step does to the *parts*
//! that it touches: the operation that takes it, those that it reaches, and the rest, which is timers,
//! monitors and the like. A step can depend on nothing else, since actors share nothing. From there
//! [`Region::closed`] goes to all states that can be reached, breadth first, without running them.
//!
//! Where something does depend on the whole state, as a predicate over many actors does, or shared
//! memory, the rest is made the whole, and a region is the states that were met.

use crate::engine::sameness::table::NumberTable;
use crate::engine::sameness::walk::ReachabilitySearch;

#[cfg(test)]
mod tests;

/// How many parts and steps may be remembered.
const LEARNED_MAX: usize = 1 << 16;

/// A step that no operation takes by itself, and an operation that is none of a state's columns.
pub(super) const NONE: u32 = u32::MAX;

/// An operation as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationSnapshot {
    pub(crate) print: u128,
    pub(crate) is_enabled: bool,
}

/// What is no operation, as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestState {
    pub(crate) print: u128,
    /// What is owed is hot here, not warm.
    pub(crate) is_hot: bool,
}

/// A step: its name within a state, and the operation that takes it or, of a timer, that has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RegionStep {
    pub(crate) name: u64,
    pub(crate) of: u32,
}

/// What was learned from a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepNovelty {
    /// It did what it had done before.
    None,
    /// It was never seen.
    New,
    /// It did something else: there is something that the parts don't show.
    Contradicted,
    /// There is more than can be kept.
    TooMuch,
}

/// What can be reached from here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reachability {
    /// Some step of some state has not been seen often enough.
    Open,
    /// So many states, and no other.
    Closed(u64),
    /// More than was wanted, or a state that ends.
    Unknown,
}

#[derive(Debug, Default)]
pub(crate) struct Region {
    /// What operations were, each with its number, and the numbers by fingerprint.
    pub(super) parts: Vec<KnownOperation>,
    part_numbers: NumberTable,
    /// The same of what the rest was.
    pub(super) rests: Vec<KnownRestState>,
    rest_numbers: NumberTable,
    /// How many names steps have, and their numbers.
    named: u32,
    names: NumberTable,
    /// A tree of steps: from a node, by a number, to the next.
    branches: NumberTable,
    pub(super) nodes: Vec<StepNode>,
    /// The numbers that nodes have lists of, one list after the other.
    lists: Vec<u32>,
    /// The operations that take part, and where each of them is among these.
    pub(super) columns: Vec<u32>,
    pub(super) column_of: Vec<u32>,
    /// The state that the execution is in: the rest, and each operation.
    pub(super) rest: u32,
    pub(super) at: Vec<u32>,
    /// Memory to use again.
    others: Vec<u32>,
    found: Vec<u32>,
}

/// What an operation was.
#[derive(Debug)]
pub(super) struct KnownOperation {
    operation: u32,
    print: u128,
    pub(super) is_enabled: bool,
}

/// What the rest was.
#[derive(Debug)]
pub(super) struct KnownRestState {
    print: u128,
    pub(super) is_hot: bool,
    /// The steps that are enabled here beside the operations'; `None` while that is not known.
    pub(super) steps: Option<Vec<RegionStep>>,
}

/// Where the steps of one name lead that find the same.
#[derive(Debug, Default)]
pub(super) struct StepNode {
    /// Whom the step touches besides the one that takes it.
    pub(super) others: Option<List>,
    pub(super) outcome: Option<StepResult>,
}

#[derive(Debug)]
pub(super) struct StepResult {
    /// What becomes of the one that takes it, and of the others.
    pub(super) parts: List,
    pub(super) rest: u32,
    pub(super) taken: u8,
}

/// Some of the numbers that a region has lists of.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    from: u32,
    len: u32,
}

impl Region {
    /// Forgets everything.
    pub(crate) fn forget(&mut self) {
        self.parts.clear();
        self.part_numbers.clear();
        self.rests.clear();
        self.rest_numbers.clear();
        self.named = 0;
        self.names.clear();
        self.branches.clear();
        self.nodes.clear();
        self.lists.clear();
        self.columns.clear();
        self.column_of.clear();
        self.at.clear();
    }

    /// Nothing was learned.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The execution is in that state; how it came there does not matter.
    pub(crate) fn enter(
        &mut self,
        live: u32,
        part: impl Fn(u32) -> OperationSnapshot,
        rest: RestState,
    ) {
        if self.nodes.is_empty() {
            self.nodes.push(StepNode::default());
        }
        self.at.clear();
        for operation in 0..live {
            let now = part(operation);
            let number = self.part(operation, now);
            self.at.push(number);
            if now.is_enabled {
                self.add_column(operation);
            }
        }
        self.rest = self.rest_number(rest);
    }

    /// The steps that are enabled where the execution is, beside the operations'.
    pub(crate) fn learn_steps(&mut self, steps: impl FnOnce() -> Vec<RegionStep>) {
        let known = &mut self.rests[self.rest as usize].steps;
        if known.is_none() {
            let mut steps = steps();
            // Two timers that are the same in everything are one.
            steps.sort_unstable_by_key(|step| step.name);
            steps.dedup();
            *known = Some(steps);
        }
    }

    /// The execution has taken a step that touched those operations, which are sorted.
    pub(crate) fn take(
        &mut self,
        step: RegionStep,
        touched: &[u32],
        part: impl Fn(u32) -> OperationSnapshot,
        rest: RestState,
    ) -> StepNovelty {
        let mut others = std::mem::take(&mut self.others);
        others.clear();
        others.extend(touched.iter().filter(|other| **other != step.of));
        let mut found = std::mem::take(&mut self.found);
        let news = self.enter_step(step, &others, &mut found, part, rest);
        self.others = others;
        self.found = found;
        news
    }

    fn enter_step(
        &mut self,
        step: RegionStep,
        others: &[u32],
        found: &mut Vec<u32>,
        part: impl Fn(u32) -> OperationSnapshot,
        rest: RestState,
    ) -> StepNovelty {
        let mut node = self.node_of_step(step);
        match self.nodes[node as usize].others {
            Some(known) if self.list(known) != others => return StepNovelty::Contradicted,
            Some(_) => {}
            None => self.nodes[node as usize].others = Some(self.keep(others)),
        }
        for other in others {
            let now = self.at[*other as usize];
            node = self.branch(node, now);
        }
        let taker = (step.of != NONE).then_some(step.of);
        found.clear();
        for operation in taker.iter().chain(others) {
            let number = self.part(*operation, part(*operation));
            self.at[*operation as usize] = number;
            self.add_column(*operation);
            found.push(number);
        }
        self.rest = self.rest_number(rest);
        let is_new = self.nodes[node as usize].outcome.is_none();
        if is_new {
            let parts = self.keep(found);
            self.nodes[node as usize].outcome = Some(StepResult {
                parts,
                rest: self.rest,
                taken: 0,
            });
        }
        let Some(outcome) = &self.nodes[node as usize].outcome else {
            return StepNovelty::New;
        };
        if self.list(outcome.parts) != found || outcome.rest != self.rest {
            return StepNovelty::Contradicted;
        }
        if let Some(outcome) = &mut self.nodes[node as usize].outcome {
            outcome.taken = outcome.taken.saturating_add(1);
        }
        // The rests have numbers by fingerprint as the parts do.
        let learned = self.nodes.len() + self.parts.len() + 2 * self.rests.len();
        if learned > LEARNED_MAX {
            StepNovelty::TooMuch
        } else if is_new {
            StepNovelty::New
        } else {
            StepNovelty::None
        }
    }

    /// Which states can be reached from where the execution is, by steps each of which was taken so
    /// often; at most so many steps are looked at. They are closed where none is left out and from
    /// each of them one can be reached in which what is owed is hot. Patient timers are enabled
    /// where no operation is. Tells how many steps were looked at, too.
    pub(crate) fn closed(&self, taken: u8, patient: bool, steps_max: u64) -> (Reachability, u64) {
        let mut walk = ReachabilitySearch::new(self, taken);
        let reach = walk.run(patient, steps_max);
        (reach, walk.looked_at)
    }

    /// The numbers of a list.
    pub(super) fn list(&self, list: List) -> &[u32] {
        &self.lists[list.from as usize..][..list.len as usize]
    }

    fn keep(&mut self, numbers: &[u32]) -> List {
        let from = self.lists.len() as u32;
        self.lists.extend_from_slice(numbers);
        List {
            from,
            len: numbers.len() as u32,
        }
    }

    /// The number of an operation as it is.
    fn part(&mut self, operation: u32, part: OperationSnapshot) -> u32 {
        let next = self.parts.len() as u32;
        let key = part.print as u64 ^ u64::from(operation);
        let parts = &self.parts;
        let number = self.part_numbers.get_or_enter(key, next, |number| {
            let known = &parts[number as usize];
            known.print == part.print && known.operation == operation
        });
        if number == next {
            self.parts.push(KnownOperation {
                operation,
                print: part.print,
                is_enabled: part.is_enabled,
            });
        }
        number
    }

    fn rest_number(&mut self, rest: RestState) -> u32 {
        let next = self.rests.len() as u32;
        let rests = &self.rests;
        let number = self
            .rest_numbers
            .get_or_enter(rest.print as u64, next, |number| {
                rests[number as usize].print == rest.print
            });
        if number == next {
            self.rests.push(KnownRestState {
                print: rest.print,
                is_hot: rest.is_hot,
                steps: None,
            });
        }
        number
    }

    fn add_column(&mut self, operation: u32) {
        let index = operation as usize;
        if self.column_of.len() <= index {
            self.column_of.resize(index + 1, NONE);
        }
        if self.column_of[index] == NONE {
            self.column_of[index] = self.columns.len() as u32;
            self.columns.push(operation);
        }
    }

    /// The node of a step that finds its taker and the rest as they are.
    fn node_of_step(&mut self, step: RegionStep) -> u32 {
        let name = self.names.get_or_enter(step.name, self.named, |_| true);
        self.named += u32::from(name == self.named);
        let taker = self.at.get(step.of as usize).copied();
        let node = self.branch(0, name);
        let node = self.branch(node, taker.unwrap_or(NONE));
        self.branch(node, self.rest)
    }

    fn branch(&mut self, from: u32, by: u32) -> u32 {
        let next = self.nodes.len() as u32;
        let key = u64::from(from) << 32 | u64::from(by);
        let node = self.branches.get_or_enter(key, next, |_| true);
        if node == next {
            self.nodes.push(StepNode::default());
        }
        node
    }

    /// The node of the steps of that name.
    pub(super) fn known_step(&self, name: u64) -> Option<u32> {
        self.known_branch(0, self.names.get(name, |_| true)?)
    }

    pub(super) fn known_branch(&self, from: u32, by: u32) -> Option<u32> {
        let key = u64::from(from) << 32 | u64::from(by);
        self.branches.get(key, |_| true)
    }
}
