//! Stateful search: every state once, by running the way to it again.
//!
//! [`States`] is the strategy. It knows states by their fingerprints ([`known`]), and declines to go on
//! from one that it has met. What may go on for ever while something is owed is found in the graph of the
//! states in which something is ([`owing`], [`cycles`]).

mod components;
mod cycles;
mod graph;
mod known;
mod lap;
mod names;
mod owing;

use graph::OUTSIDE;
use known::{Known, NOWHERE};
use names::Numbered;
use owing::{Accusation, Owing};

use super::{
    Choice, Covered, Enabled, Ended, Ending, Execution, Fairness, Gap, Offer, OperationId, Pending,
    Reduction, SeenState, Step, StepKind, Strategy, Unjudged,
};
use crate::data::bug::{Cycle, Searched};
use crate::data::faults::Fault;
use crate::hash::mix;

/// In which order states are met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// The nearest first.
    Breadth,
    /// On from the state that was met last.
    Depth,
}

/// Visits every state once: where an execution comes to one that was met before, it ends.
///
/// States are compared by fingerprints of 128 bits, of all that actors, inboxes, timers and monitors
/// are. What offers none is told apart by its history, so that nothing is missed, and more states are
/// met than there are; the report names such types.
///
/// Breadth first, the first bug is one with as few steps as there are to any. Depth first is faster,
/// since each execution goes on as long as what it meets is new.
///
/// Unfair. Seeds of generators are not explored: each is zero, and the search is
/// [not called exhaustive](Covered) where one was asked for.
#[derive(Debug)]
pub struct States {
    order: Order,
    local_first: bool,
    states_max: Option<u64>,
    known: Known,
    /// What is decided at branching points, for each way from a state to the next.
    decisions: Numbered<[u32]>,
    /// The states of the way that the execution in progress goes, each with what is decided there.
    frames: Vec<Frame>,
    branches: Vec<Branch>,
    /// How many of the frames and branches the execution has come by.
    level: usize,
    depth: usize,
    /// The step before which the execution came to a state last.
    arrived: Option<u64>,
    /// What comes is known, so that nothing more is decided.
    is_pruned: bool,
    /// The next state that is to be expanded, breadth first.
    next: u32,
    /// States in which a step of that operation was taken for all.
    spared: Vec<(u32, OperationId)>,
    /// Operations of which one was interrupted.
    interrupted: Vec<OperationId>,
    /// The branching point at which the step in progress was picked.
    picked_at: Option<usize>,
    /// States in which all is to be tried.
    again: Vec<u32>,
    /// The program looks at the clock, so that states at different times differ.
    with_time: bool,
    begins_anew: bool,
    begun: bool,
    is_complete: bool,
    is_full: bool,
    /// Nobody shows it the states.
    is_blindfold: bool,
    has_faults: bool,
    /// In how many executions a seed was asked for.
    seeded: u64,
    is_seeded: bool,
    /// In how many executions the way led elsewhere than before.
    strayed: u64,
    is_astray: bool,
    /// The steps from states in which something is owed.
    owing: Owing,
    /// What is owed in the state in which the execution is, and what of it is hot.
    debts: (u64, u64),
    /// What was not judged of executions that don't end.
    unjudged: Vec<Unjudged>,
    /// Who takes the step in progress, where that concerns its own events alone.
    own: Option<u64>,
    /// Who takes the step in progress, and how choices are answered; nothing where a fault strikes.
    action: Vec<u64>,
    /// A fault has struck within it.
    is_struck: bool,
    /// What may stay owed for ever, and is still to be shown, where all states are known.
    accusations: Option<Vec<Accusation>>,
    /// The one that the execution in progress shows.
    round: Option<Round>,
}

/// How far an execution is that goes round a cycle.
#[derive(Debug)]
struct Round {
    accusation: Accusation,
    /// After which step the cycle begins.
    from: Option<u64>,
    /// How many of its steps were begun.
    begun: usize,
    /// How many choices of the step in progress were answered.
    answered: usize,
    /// It came back.
    is_whole: Option<Cycle>,
}

/// A state on the way.
#[derive(Clone, Copy, Debug)]
struct Frame {
    state: u32,
    /// Its first branch.
    from: usize,
    /// No step is taken for all.
    in_full: bool,
}

/// What was taken at a branching point, and of how many.
#[derive(Clone, Copy, Debug)]
struct Branch {
    taken: u32,
    of: u32,
    others: Others,
}

/// What becomes of what is not taken yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Others {
    /// Each is taken in its turn.
    Due,
    /// None is: this is the way to a state.
    Fixed,
    /// The step of this operation is local, as far as it is known, so that they need not be taken.
    Spared(OperationId),
}

impl States {
    fn new(order: Order) -> Self {
        Self {
            order,
            local_first: false,
            states_max: None,
            known: Known::default(),
            decisions: Numbered::default(),
            frames: Vec::new(),
            branches: Vec::new(),
            level: 0,
            depth: 0,
            arrived: None,
            is_pruned: false,
            next: 0,
            spared: Vec::new(),
            interrupted: Vec::new(),
            picked_at: None,
            again: Vec::new(),
            with_time: false,
            begins_anew: false,
            begun: false,
            is_complete: false,
            is_full: false,
            is_blindfold: false,
            has_faults: false,
            seeded: 0,
            is_seeded: false,
            strayed: 0,
            is_astray: false,
            owing: Owing::default(),
            debts: (0, 0),
            unjudged: Vec::new(),
            own: None,
            action: Vec::new(),
            is_struck: false,
            accusations: None,
            round: None,
        }
    }

    /// The nearest states first.
    pub fn breadth_first() -> Self {
        Self::new(Order::Breadth)
    }

    /// On from the state that was met last.
    pub fn depth_first() -> Self {
        Self::new(Order::Depth)
    }

    /// Stops where it knows so many states.
    #[must_use]
    pub fn states_max(mut self, states: u64) -> Self {
        self.states_max = Some(states);
        self
    }

    /// Takes [local steps](Step#local-steps) before any other, in one order instead of all, as
    /// [`Dfs::local_first`](super::Dfs::local_first) does: fewer states, the same end states and bugs.
    #[must_use]
    pub fn local_first(mut self) -> Self {
        self.local_first = true;
        self
    }

    /// Forgets all states, since they were told apart by too little.
    fn begin_anew(&mut self) {
        let before = std::mem::replace(self, Self::new(self.order));
        self.local_first = before.local_first;
        self.states_max = before.states_max;
        self.with_time = before.with_time;
        self.has_faults = before.has_faults;
        self.seeded = before.seeded;
        self.strayed = before.strayed;
    }

    /// Goes to what is to be tried next; `false` where nothing is left.
    fn advance(&mut self) -> bool {
        if self.next_branch() {
            return true;
        }
        let next = self.next_state();
        if let Some((state, in_full)) = next {
            self.lead_to(state, in_full);
        }
        next.is_some()
    }

    /// Goes to the next branch of the states on the way, from the last to the first.
    fn next_branch(&mut self) -> bool {
        while let Some(frame) = self.frames.last() {
            let (state, from) = (frame.state, frame.from);
            while self.branches.len() > from {
                let at = self.branches.len() - 1;
                let last = &mut self.branches[at];
                match last.others {
                    Others::Due if last.taken + 1 < last.of => {
                        last.taken += 1;
                        return true;
                    }
                    Others::Spared(operation) => self.spared.push((state, operation)),
                    Others::Due | Others::Fixed => {}
                }
                self.branches.pop();
            }
            self.frames.pop();
        }
        false
    }

    /// The next state that is to be expanded, and whether in full.
    fn next_state(&mut self) -> Option<(u32, bool)> {
        if self.order == Order::Breadth {
            while (self.next as usize) < self.known.len() {
                self.next += 1;
                if !self.known.is_end(self.next - 1) {
                    return Some((self.next - 1, false));
                }
            }
        }
        if self.again.is_empty() {
            // Somebody interrupts whom a step was spared for, somewhere.
            let interrupted = &self.interrupted;
            let is_due = |(_, operation): &mut (u32, OperationId)| interrupted.contains(operation);
            let due = self.spared.extract_if(.., is_due);
            self.again.extend(due.map(|(state, _)| state));
        }
        Some((self.again.pop()?, true))
    }

    /// Has the next execution go to a state and try all that can be done there.
    fn lead_to(&mut self, state: u32, in_full: bool) {
        let mut way = Vec::new();
        let mut at = state;
        loop {
            let (from, by) = self.known.way(at);
            if from == NOWHERE {
                break;
            }
            way.push((from, by));
            at = from;
        }
        for (from, by) in way.into_iter().rev() {
            self.push_frame(from, false);
            let fixed = self.decisions.get(by).iter().map(|taken| Branch {
                taken: *taken,
                of: *taken + 1,
                others: Others::Fixed,
            });
            self.branches.extend(fixed);
        }
        self.push_frame(state, in_full);
    }

    fn push_frame(&mut self, state: u32, in_full: bool) {
        self.frames.push(Frame {
            state,
            from: self.branches.len(),
            in_full,
        });
    }

    /// The execution is in a state, about to go on from there.
    fn arrive(&mut self, enabled: &Enabled<'_>) {
        let step = enabled.step();
        if self.arrived.replace(step) == Some(step) || self.is_pruned {
            return;
        }
        match enabled.state() {
            Some(seen) if self.is_going_round() => {
                self.go_round(seen, step);
            }
            Some(seen) => {
                self.come_to(seen);
            }
            None => {
                self.is_blindfold = true;
                self.is_pruned = true;
            }
        }
    }

    /// Comes to the next state of the way, or to one behind it: tells which that is, where it is new.
    fn come_to(&mut self, seen: &SeenState) -> Option<u32> {
        if seen.reads_clock && !self.with_time {
            self.begins_anew = true;
            self.is_pruned = true;
            return None;
        }
        let print = self.print(seen);
        if let Some(frame) = self.frames.get(self.level) {
            // The decisions of the step before led here when they were taken first.
            let is_there = self.known.is(frame.state, print) && self.depth == frame.from;
            if !is_there {
                self.stray();
            }
            self.level += 1;
            self.stand(seen);
            return None;
        }
        let (state, is_new) = self.enter(print);
        self.note_step(state);
        self.stand(seen);
        if is_new && self.order == Order::Depth && !self.is_full {
            self.push_frame(state, false);
            self.level += 1;
        } else if self.frames.is_empty() {
            // The first of all is always expanded.
            self.next = 1;
            self.push_frame(state, false);
            self.level += 1;
        } else {
            self.is_pruned = true;
        }
        is_new.then_some(state)
    }

    /// The execution stands in a state.
    fn stand(&mut self, seen: &SeenState) {
        self.debts = debts(seen);
        self.action.clear();
        self.is_struck = false;
    }

    /// Takes note of the step from the last state on the way.
    fn note_step(&mut self, to: u32) {
        if let Some(frame) = self.frames.last()
            && !self.action.is_empty()
            && !self.is_struck
        {
            self.owing.step(frame.state, self.debts, &self.action, to);
            if let Some(own) = self.own {
                self.owing.own_step(frame.state, own, to);
            }
        }
    }

    /// All states are known: what of them may go on for ever is looked for.
    fn look_for_cycles(&mut self) -> Vec<Accusation> {
        if self.strayed > 0 || self.is_blindfold {
            return Vec::new();
        }
        let owing = &mut self.owing;
        let mut accusations = match self.local_first {
            true => Vec::new(),
            false => owing.accusations(),
        };
        let unjudged = [
            (self.local_first && owing.has_owed(), Unjudged::Owed),
            (owing.may_defer_for_ever(), Unjudged::Deferred),
            (owing.may_be_busy_for_ever(), Unjudged::Busy),
        ];
        let unjudged = unjudged.into_iter().filter(|(is_so, _)| *is_so);
        self.unjudged = unjudged.map(|(_, what)| what).collect();
        // The first is shown first.
        accusations.reverse();
        accusations
    }

    /// The execution goes round a cycle, and has come to a state of it.
    fn go_round(&mut self, seen: &SeenState, step: u64) {
        let print = self.print(seen);
        let Some(round) = &mut self.round else {
            return;
        };
        let lap = &round.accusation.lap;
        let from = *round.from.get_or_insert(step - round.begun as u64);
        let last = lap[..round.begun].last();
        if last.is_some_and(|(_, to)| !self.known.is(*to, print)) {
            return self.stray();
        }
        if round.begun == lap.len() {
            round.is_whole = Some(Cycle {
                from,
                to: step,
                searched: Some(Searched {
                    entry: round.accusation.entry,
                    demand: round.accusation.demand,
                }),
            });
            self.is_pruned = true;
        }
    }

    /// Has the next execution show that something may stay owed; `false` where nothing is left that may.
    fn accuse(&mut self) -> bool {
        if self.accusations.is_none() {
            self.accusations = Some(self.look_for_cycles());
        }
        let Some(accusation) = self.accusations.as_mut().and_then(Vec::pop) else {
            return false;
        };
        self.frames.clear();
        self.branches.clear();
        self.lead_to(accusation.start, false);
        self.round = Some(Round {
            accusation,
            from: None,
            begun: 0,
            answered: 0,
            is_whole: None,
        });
        true
    }

    /// The execution is at the cycle that it shows.
    fn is_going_round(&self) -> bool {
        self.round.is_some() && self.level == self.frames.len()
    }

    /// The position of the next step of the cycle.
    fn next_of_round(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let round = self.round.as_mut()?;
        let (action, _) = round.accusation.lap.get(round.begun)?;
        round.begun += 1;
        round.answered = 0;
        let name = self.owing.action(*action)[0];
        let position = enabled.iter().position(|pending| name_of(pending) == name);
        if position.is_none() {
            self.stray();
        }
        position
    }

    /// The next answer in the cycle.
    fn next_answer(&mut self) -> Option<u32> {
        if !self.is_going_round() {
            return None;
        }
        let round = self.round.as_mut()?;
        let (action, _) = round.accusation.lap.get(round.begun.checked_sub(1)?)?;
        round.answered += 1;
        let answer = self.owing.action(*action).get(round.answered);
        answer.map(|answer| *answer as u32)
    }

    /// The state to which the last step on the way has led.
    fn enter(&mut self, print: u128) -> (u32, bool) {
        let (from, by) = match self.frames.last() {
            None => (NOWHERE, 0),
            Some(frame) => {
                let taken = self.branches[frame.from..].iter();
                let taken: Vec<u32> = taken.map(|branch| branch.taken).collect();
                (frame.state, self.decisions.number(&taken))
            }
        };
        let entered = self.known.enter(print, from, by);
        let states = self.known.len() as u64;
        self.is_full |= self.states_max.is_some_and(|most| states >= most);
        entered
    }

    fn print(&self, seen: &SeenState) -> u128 {
        match self.with_time {
            true => {
                seen.print
                    ^ seen
                        .now
                        .as_nanos()
                        .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
            }
            false => seen.print,
        }
    }

    fn stray(&mut self) {
        self.strayed += u64::from(!self.is_astray);
        self.is_astray = true;
        self.is_pruned = true;
    }

    /// What is taken where there are so many to take.
    fn branch(&mut self, of: usize) -> usize {
        if of == 1 || self.is_pruned {
            return 0;
        }
        let of = u32::try_from(of).unwrap_or(u32::MAX);
        if self.depth == self.branches.len() {
            self.branches.push(Branch {
                taken: 0,
                of,
                others: Others::Due,
            });
        }
        let branch = &mut self.branches[self.depth];
        self.depth += 1;
        // A program that is not deterministic may offer less than before; then it leads elsewhere.
        branch.of = of;
        branch.taken.min(of - 1) as usize
    }

    fn pick_branch(&mut self, enabled: &Enabled<'_>) -> usize {
        // A fault interrupts everybody, so that no step is local.
        if self.local_first && !self.has_faults {
            self.branch_local_first(enabled)
        } else {
            self.branch(enabled.len())
        }
    }

    /// Branches with the steps that may be local ahead of all others.
    fn branch_local_first(&mut self, enabled: &Enabled<'_>) -> usize {
        let is_new = self.depth == self.branches.len() || self.depth + 1 == self.branches.len();
        let taken = self.branch(enabled.len());
        let local = enabled.iter().filter(|pending| pending.may_be_local());
        let local = local.count();
        let (may_be_local, nth) = match taken.checked_sub(local) {
            None => (true, taken),
            Some(nth) => (false, nth),
        };
        let mut such =
            (0..enabled.len()).filter(|position| enabled[*position].may_be_local() == may_be_local);
        let position = such.nth(nth).unwrap_or(0);
        let in_full = self.frames.last().is_some_and(|frame| frame.in_full);
        if may_be_local && is_new && !in_full && enabled.len() > 1 && !self.is_pruned {
            let branch = &mut self.branches[self.depth - 1];
            if branch.others == Others::Due {
                branch.others = Others::Spared(enabled[position].operation);
            }
        }
        position
    }
}

/// What is owed in a state, and what of it is hot. That somebody defers an event is the last but one.
fn debts(seen: &SeenState) -> (u64, u64) {
    let defers = match seen.is_deferring {
        true => owing::DEFERS,
        false => 0,
    };
    let own = !owing::DEFERS;
    (seen.owed & own | defers, seen.hot & own | defers)
}

/// The step concerns nobody's events but its operation's own.
fn own(pending: &Pending) -> bool {
    let of = Some(pending.operation);
    match pending.kind {
        StepKind::Flush => pending.inbox == of,
        StepKind::Handle => pending.sender == of,
        _ => false,
    }
}

/// Names an operation within states: its number, and for a timer whose it is and what it fires.
fn name_of(pending: &Pending) -> u64 {
    let operation = pending.operation;
    if !operation.is_timer() {
        return u64::from(operation.bits());
    }
    let owner = pending.inbox.map_or(0, |owner| u64::from(owner.bits()));
    let event = pending.event.map_or(0, |event| u64::from(event.0.get()));
    mix(owner, event) | 1 << 63
}

impl Strategy for States {
    fn name(&self) -> String {
        let name = match (self.order, self.local_first) {
            (Order::Breadth, _) => "bfs",
            (Order::Depth, false) => "states",
            (Order::Depth, true) => "states-local",
        };
        match self.states_max {
            None => name.into(),
            Some(bound) => format!("{name}:{bound}"),
        }
    }

    fn fairness(&self) -> Fairness {
        Fairness::Unfair
    }

    fn begin(&mut self, _: &Execution) -> bool {
        if self.begins_anew {
            self.with_time = true;
            self.begin_anew();
        }
        self.round = None;
        let more = !self.begun || !self.is_full && (self.advance() || self.accuse());
        self.begun = true;
        self.is_complete = !more && !self.is_full && !self.is_blindfold;
        self.level = 0;
        self.depth = 0;
        self.arrived = None;
        self.is_pruned = false;
        self.is_seeded = false;
        self.is_astray = false;
        self.picked_at = None;
        more
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        self.arrive(enabled);
        if self.is_pruned {
            return None;
        }
        if self.is_going_round() {
            return self.next_of_round(enabled);
        }
        self.picked_at = (enabled.len() > 1).then_some(self.depth);
        let position = self.pick_branch(enabled);
        self.action.clear();
        if let Some(pending) = enabled.get(position) {
            self.action.push(name_of(pending));
            self.own = own(pending).then(|| name_of(pending));
        }
        Some(position)
    }

    fn choose(&mut self, choice: Choice) -> u32 {
        let answer = match choice {
            Choice::Below(bound) => match self.next_answer() {
                Some(answer) => answer.min(bound - 1),
                None => self.branch(bound as usize) as u32,
            },
            Choice::Seed => {
                self.seeded += u64::from(!self.is_seeded);
                self.is_seeded = true;
                0
            }
        };
        self.action.push(u64::from(answer));
        answer
    }

    fn fault(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<usize> {
        self.arrive(enabled);
        self.has_faults |= !faults.is_empty();
        if self.is_going_round() {
            return None;
        }
        self.branch(1 + faults.len()).checked_sub(1)
    }

    fn strike(&mut self, offer: &Offer) -> u32 {
        if self.is_going_round() {
            return 0;
        }
        let way = self.branch(offer.ways as usize + 1) as u32;
        // It comes no more often than its budget allows, and so in no cycle.
        self.is_struck |= way > 0;
        way
    }

    fn struck(&mut self, _: u64) {
        self.is_struck = true;
    }

    fn places_faults(&self) -> bool {
        true
    }

    fn sees_states(&self) -> bool {
        true
    }

    fn hears_steps(&self) -> bool {
        self.local_first
    }

    fn stepped(&mut self, step: &Step<'_>) {
        let taker = step.pending.operation;
        if let Some(at) = self.picked_at.filter(|_| !step.is_local)
            && let Some(branch) = self.branches.get_mut(at)
            && branch.others == Others::Spared(taker)
        {
            branch.others = Others::Due;
        }
        // Whoever interrupts itself has taken its steps before in any case.
        for operation in step.interrupted.iter().filter(|one| **one != taker) {
            if !self.interrupted.contains(operation) {
                self.interrupted.push(*operation);
            }
        }
    }

    fn accused(&self) -> Option<Cycle> {
        self.round.as_ref()?.is_whole
    }

    fn ended(&mut self, ended: &Ended) {
        if self.is_pruned || self.round.is_some() || self.level < self.frames.len() {
            return;
        }
        if self.arrived == Some(ended.steps) {
            // Nothing was left to be picked.
            if let Some(frame) = self.frames.last() {
                self.known.ends(frame.state);
            }
            return;
        }
        let is_next = self.arrived.is_none_or(|step| step + 1 == ended.steps);
        match &ended.state {
            Some(seen) if ended.ending != Ending::Bound && is_next => {
                if let Some(state) = self.come_to(seen) {
                    self.known.ends(state);
                }
            }
            // A step that fails, the bound, or a walk that was left to somebody else.
            _ => self.note_step(OUTSIDE),
        }
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn covered(&self) -> Covered {
        let mut gaps = Vec::new();
        if let Some(bound) = self.states_max.filter(|_| self.is_full) {
            gaps.push(Gap::States { bound });
        }
        if self.seeded > 0 {
            let executions = self.seeded;
            gaps.push(Gap::Seeds { executions });
        }
        gaps.extend(self.unjudged.iter().copied().map(Gap::Cycles));
        if self.strayed > 0 {
            let executions = self.strayed;
            gaps.push(Gap::Strayed { executions });
        }
        Covered::Systematic {
            reduction: Reduction::States {
                states: self.known.len() as u64,
                local_first: self.local_first,
            },
            is_complete: self.is_complete,
            gaps,
        }
    }
}
