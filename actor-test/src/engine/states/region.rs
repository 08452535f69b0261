//! A region: the states around an execution, composed of the observed behaviour of their parts, and the check
//! whether any step leads out of them.
//!
//! Two independent matches of ping-pong with four states each have sixteen states together, and ten such
//! matches a million. An execution soon meets every state of every match, and hardly any of the million. So a
//! region learns the result of a step for the *parts* in its footprint: the operation that takes it, the
//! operations that it touches, and the rest, which is timers, monitors and the like. A step can depend on
//! nothing else, since actors share nothing. From these results [`Region::closed`] computes all reachable
//! states, breadth first, without running them.
//!
//! If something depends on the whole state, as a predicate over many actors or shared memory does, the whole
//! state is taken as the rest, and the region has the states that were met.

use crate::engine::states::walk::ReachabilitySearch;
use crate::number_table::HashIndex;

#[cfg(test)]
mod tests;

/// The maximum number of parts and steps that are kept.
const LEARNED_MAX: usize = 1 << 16;

/// The operation of a step that no operation takes, and the column of an operation outside the region.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationSnapshot {
    pub(crate) print: u128,
    pub(crate) is_enabled: bool,
}

/// The state of everything but the operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestState {
    pub(crate) print: u128,
    /// True if the obligation is hot in this state, not warm.
    pub(crate) is_hot: bool,
}

/// A step: its name within a state, and the operation that takes it or that owns the timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RegionStep {
    pub(crate) name: u64,
    pub(crate) of: u32,
}

/// The new knowledge from a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepNovelty {
    /// The step had the known result.
    None,
    /// The step was seen for the first time.
    New,
    /// The step had another result, so the parts do not show all that matters.
    Contradicted,
    /// The region is full.
    TooMuch,
}

/// The result of the search of reachable states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reachability {
    /// Some step of some state has not been seen often enough.
    Open,
    /// The region has that many states, and no step leads out.
    Closed(u64),
    /// The limit was reached, or some state ends, or no hot state is reachable from it.
    Unknown,
}

#[derive(Debug, Default)]
pub(crate) struct Region {
    /// The states of operations, each with its number, and the numbers by fingerprint.
    pub(super) parts: Vec<KnownOperation>,
    part_numbers: HashIndex,
    /// The states of the rest, and their numbers by fingerprint.
    pub(super) rests: Vec<KnownRestState>,
    rest_numbers: HashIndex,
    /// The names of steps.
    names: HashIndex,
    /// The edges of a tree of steps: from a node, by a number, to the next node. The first node is the root,
    /// and each edge leads to the node behind its own number.
    branches: HashIndex,
    pub(super) nodes: Vec<StepNode>,
    /// The numbers in the lists of nodes, one list after the other.
    lists: Vec<u32>,
    /// The operations that take part, and the index of each operation among them.
    pub(super) columns: Vec<u32>,
    pub(super) column_of: Vec<u32>,
    /// The current state of the execution: the rest, and each operation.
    pub(super) rest: u32,
    pub(super) at: Vec<u32>,
    /// Memory for reuse.
    others: Vec<u32>,
    found: Vec<u32>,
}

#[derive(Debug)]
pub(super) struct KnownOperation {
    operation: u32,
    print: u128,
    pub(super) is_enabled: bool,
}

#[derive(Debug)]
pub(super) struct KnownRestState {
    print: u128,
    pub(super) is_hot: bool,
    /// The enabled steps besides those of operations; `None` while unknown.
    pub(super) steps: Option<Vec<RegionStep>>,
}

/// The result of the steps of one name from the same states of their parts.
#[derive(Debug, Default)]
pub(super) struct StepNode {
    /// The operations that the step touches besides its own.
    pub(super) others: Option<List>,
    pub(super) outcome: Option<StepResult>,
}

#[derive(Debug)]
pub(super) struct StepResult {
    /// The states after the step, of its own operation and of the others.
    pub(super) parts: List,
    pub(super) rest: u32,
    pub(super) taken: u8,
}

/// A range of the numbers in a region's lists.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    from: u32,
    len: u32,
}

impl Region {
    pub(crate) fn forget(&mut self) {
        self.parts.clear();
        self.part_numbers.clear();
        self.rests.clear();
        self.rest_numbers.clear();
        self.names.clear();
        self.branches.clear();
        self.nodes.clear();
        self.lists.clear();
        self.columns.clear();
        self.column_of.clear();
        self.at.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Enters the current state of the execution, however that arose.
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

    /// Enters the steps that are enabled in the current state besides those of operations.
    pub(crate) fn learn_steps(&mut self, steps: impl FnOnce() -> Vec<RegionStep>) {
        let known = &mut self.rests[self.rest as usize].steps;
        if known.is_none() {
            let mut steps = steps();
            // Two timers that are equal in everything count as one.
            steps.sort_unstable_by_key(|step| step.name);
            steps.dedup();
            *known = Some(steps);
        }
    }

    /// Enters a step of the execution that touched those operations, which are sorted.
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
        // The states of the rest have numbers by fingerprint, as the parts do.
        let learned = self.nodes.len() + self.parts.len() + 2 * self.rests.len();
        if learned > LEARNED_MAX {
            StepNovelty::TooMuch
        } else if is_new {
            StepNovelty::New
        } else {
            StepNovelty::None
        }
    }

    /// Searches the states that are reachable by steps each of which was taken `taken` times, and inspects
    /// `steps_max` steps at most. The region is closed if no step is missing, and if a hot state is reachable
    /// from each state. Patient timers are enabled if no operation is. Also returns the number of steps
    /// inspected.
    pub(crate) fn closed(&self, taken: u8, patient: bool, steps_max: u64) -> (Reachability, u64) {
        let mut walk = ReachabilitySearch::new(self, taken);
        let reach = walk.run(patient, steps_max);
        (reach, walk.visited)
    }

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

    /// Returns the number of an operation's state.
    fn part(&mut self, operation: u32, part: OperationSnapshot) -> u32 {
        let key = part.print as u64 ^ u64::from(operation);
        let parts = &self.parts;
        let (number, is_new) = self.part_numbers.enter_if(key, |number| {
            let known = &parts[number as usize];
            known.print == part.print && known.operation == operation
        });
        if is_new {
            self.parts.push(KnownOperation {
                operation,
                print: part.print,
                is_enabled: part.is_enabled,
            });
        }
        number
    }

    fn rest_number(&mut self, rest: RestState) -> u32 {
        let rests = &self.rests;
        let is_known = |number| rests[number as usize].print == rest.print;
        let (number, is_new) = self.rest_numbers.enter_if(rest.print as u64, is_known);
        if is_new {
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

    /// Returns the node of a step for the current states of its operation and the rest.
    fn node_of_step(&mut self, step: RegionStep) -> u32 {
        let (name, _) = self.names.enter(step.name);
        let taker = self.at.get(step.of as usize).copied();
        let node = self.branch(0, name);
        let node = self.branch(node, taker.unwrap_or(NONE));
        self.branch(node, self.rest)
    }

    fn branch(&mut self, from: u32, by: u32) -> u32 {
        let key = u64::from(from) << 32 | u64::from(by);
        let (branch, is_new) = self.branches.enter(key);
        if is_new {
            self.nodes.push(StepNode::default());
        }
        branch + 1
    }

    /// Returns the node of the steps of that name.
    pub(super) fn known_step(&self, name: u64) -> Option<u32> {
        self.known_branch(0, self.names.find(name)?)
    }

    pub(super) fn known_branch(&self, from: u32, by: u32) -> Option<u32> {
        let key = u64::from(from) << 32 | u64::from(by);
        Some(self.branches.find(key)? + 1)
    }
}
