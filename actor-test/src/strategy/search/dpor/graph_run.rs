//! The strategy of a work item of Inbox-DPOR: follows the schedule of a graph, then any schedule.

use std::sync::Arc;

use super::super::path;
use super::transitions::ON_LINK;
use super::world::{WorldAccess, WorldDependencies};
use crate::data::bug::BugKind;
use crate::data::constructs::{ConstructSet, StepConstruct};
use crate::data::step::StepKind;
use crate::hash::mix;
use crate::strategy::{
    Choice, DeferredEvents, Enabled, Execution, Fairness, NameUses, Needs, ObserverSet,
    OperationId, Pending, PredicateRead, PredicateScope, Pruned, SilentEffect, Step, StepEffect,
    Strategy, StrategyEvent,
};

/// The constructs that make a step an access to the world.
const WORLD_CONSTRUCTS: ConstructSet =
    ConstructSet::of(&[StepConstruct::Clock, StepConstruct::Timer]);

/// A scheduled step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ScheduledStep {
    /// The path of the operation that takes the step.
    pub(super) who: u64,
    /// The number of the handled event, or zero.
    pub(super) message: u64,
    /// The number of answers that belong to choices of this step.
    pub(super) answers: u32,
}

/// An observation of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExecutionItem {
    /// The test body, which exists from the start.
    Body { path: u64 },
    /// A step that was taken.
    Step {
        who: u64,
        kind: StepKind,
        message: u64,
        inbox: u64,
        carried: StepEffect,
        observers: ObserverSet,
        defers: DeferredEvents,
        /// The kind of access, if the step accessed the world.
        touch: Option<WorldAccess>,
        /// True if the operation awaits something after the step.
        is_suspended: bool,
    },
    /// An effect that was carried out within the preceding step.
    SilentEffect { who: u64, what: SilentEffect },
    /// After the preceding access, the world may take the access of this operation: its timer may fire, or
    /// its awaited input is ready.
    Open { who: u64 },
    /// A step that was enabled at the end and was not taken.
    Waiting { who: u64, kind: StepKind },
    /// A monitor observed the preceding step: hashes of its states before and after.
    Observed {
        monitor: u32,
        before: u64,
        after: u64,
    },
    /// A choice in the preceding step.
    Choice { who: u64, of: u32, answer: u32 },
}

/// A construct that the search can't follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct UnsupportedStep {
    pub(super) what: StepConstruct,
    /// The name of the operation that met the construct, if names were requested.
    pub(super) who: Option<String>,
}

/// Takes the steps of a graph, and then always the first enabled operation.
#[derive(Debug)]
pub(in crate::strategy) struct GraphRun {
    schedule: Vec<ScheduledStep>,
    answers: Vec<u32>,
    /// Operations that have failed before: after the scheduled steps they only flush their outboxes.
    held: Vec<u64>,
    ties: Arc<WorldDependencies>,
    /// Ties that this execution has revealed.
    pub(super) new_ties: WorldDependencies,
    /// True if the last step accessed the world.
    accessed_world: bool,
    /// The paths of all operations so far, by number.
    paths: Vec<u64>,
    next: usize,
    next_answer: usize,
    /// The number of answers that are left for the step in progress.
    answers_left: u32,
    current: (u64, u64),
    /// True if the name of the operation in progress is to be recorded.
    pub(super) names: bool,
    name: Option<String>,
    pub(super) seen: Vec<ExecutionItem>,
    /// The choices of the step in progress, in order.
    chosen: Vec<ExecutionItem>,
    pub(super) outside: Option<UnsupportedStep>,
    /// True if the program differed from its previous executions.
    pub(super) has_diverged: bool,
    /// True if the program asked for a seed.
    pub(super) is_seeded: bool,
    /// True if the execution ended because only operations that would fail were enabled.
    pub(super) only_held_left: bool,
    /// True if the last step failed by itself, independently of other operations.
    pub(super) has_failed: bool,
    /// True if the last step found a bug that may depend on other operations.
    pub(super) has_bug: bool,
}

impl GraphRun {
    pub(super) fn new(
        schedule: Vec<ScheduledStep>,
        answers: Vec<u32>,
        held: Vec<u64>,
        ties: Arc<WorldDependencies>,
    ) -> Self {
        Self {
            schedule,
            answers,
            held,
            ties,
            new_ties: WorldDependencies::default(),
            accessed_world: false,
            paths: Vec::new(),
            next: 0,
            next_answer: 0,
            answers_left: 0,
            current: (0, 0),
            names: false,
            name: None,
            seen: Vec::new(),
            chosen: Vec::new(),
            outside: None,
            has_diverged: false,
            is_seeded: false,
            only_held_left: false,
            has_failed: false,
            has_bug: false,
        }
    }
}

impl GraphRun {
    /// Repeats the execution and records the name of the operation that meets the construct.
    pub(super) fn with_names(self) -> Self {
        Self {
            names: true,
            ..Self::new(self.schedule, self.answers, self.held, self.ties)
        }
    }

    /// Records the gated accesses that the world may take now.
    fn note_open(&mut self, enabled: &Enabled<'_>) {
        let timers = enabled.iter();
        let timers = timers.filter(|pending| pending.operation.is_timer());
        let mut open: Vec<u64> = timers.map(|pending| path(enabled, pending)).collect();
        if let Some(details) = enabled.details()
            && !self.ties.waiting.is_empty()
        {
            open.extend(
                enabled
                    .paths()
                    .iter()
                    .enumerate()
                    .filter_map(|(number, path)| {
                        let operation = OperationId::actor(number as u32);
                        let is_open =
                            self.ties.waiting.contains(path) && details.is_woken(operation);
                        is_open.then_some(*path)
                    }),
            );
        }
        open.sort_unstable();
        self.seen
            .extend(open.into_iter().map(|who| ExecutionItem::Open { who }));
    }

    /// Returns the kind of access if the step accesses the world, and records new ties.
    fn touch(&mut self, who: u64, kind: StepKind, step: &Step<'_>) -> Option<WorldAccess> {
        let reached = step.constructs;
        let ties = &*self.ties;
        let is_tied = ties.waiting.contains(&who);
        let mut new = WorldDependencies::default();
        let asks = reached.has(StepConstruct::Ask);
        if step.sleeps || asks && kind != StepKind::Flush {
            new.waiting.insert(who);
        }
        match step.effect {
            StepEffect::Replied(asker) if asks => _ = new.waiting.insert(asker),
            StepEffect::Halted if asks => _ = new.waiting.insert(who),
            _ => {}
        }
        for along in step.silent_effects {
            if let SilentEffect::Armed { owner, .. } = along {
                new.timed.insert(*owner);
            }
        }
        let touches = reached.meets(WORLD_CONSTRUCTS);
        let touch = match kind {
            StepKind::Timer => Some(WorldAccess::Fire),
            StepKind::Flush => {
                let is_tied = match step.effect {
                    StepEffect::Replied(asker) => ties.waiting.contains(&asker),
                    StepEffect::Halted => is_tied || ties.timed.contains(&who),
                    _ => false,
                };
                (touches || is_tied).then_some(WorldAccess::Flush)
            }
            StepKind::Resume if is_tied => Some(WorldAccess::Resume),
            _ => (touches || is_tied).then_some(WorldAccess::Run),
        };
        if touch == Some(WorldAccess::Run) && !self.chosen.is_empty() {
            // The access has to precede the choices of its step, so that no choice decides if there is one.
            new.waiting.insert(who);
        }
        new.waiting.retain(|who| !ties.waiting.contains(who));
        new.timed.retain(|who| !ties.timed.contains(who));
        self.new_ties.add(&new);
        touch
    }

    /// Returns the observers of a step. A predicate observes only operations that it was seen to read.
    fn observers(&mut self, who: u64, step: &Step<'_>) -> ObserverSet {
        let known = &self.ties.predicate_reads;
        let new = step
            .predicate_reads
            .iter()
            .filter(|read| !known.contains(read));
        self.new_ties.predicate_reads.extend(new);
        let others = step.observers.without_predicates();
        if !step.observers.have_predicates() {
            return others;
        }
        // A spawned actor is invisible to predicates until its first step.
        let begins = matches!(step.effect, StepEffect::Started(..));
        let sees = |read: &&PredicateRead| match read.at {
            PredicateScope::One(path) => path == who && !begins,
            PredicateScope::All => true,
        };
        let predicates = known.iter().filter(sees);
        let predicates = predicates.map(|read| ObserverSet::predicate(read.predicate));
        predicates.fold(others, ObserverSet::and)
    }

    /// Returns the operation that took the last step.
    pub(super) fn last(&self) -> Option<u64> {
        self.seen.iter().rev().find_map(|seen| match seen {
            ExecutionItem::Step { who, .. } => Some(*who),
            _ => None,
        })
    }
}

/// Returns the number of a message as the link takes it, which is another than at the receiver.
fn on_link(message: u64) -> u64 {
    mix(message, 0x0011_4b00)
}

fn find(enabled: &Enabled<'_>, who: u64) -> Option<usize> {
    let mut all = enabled.iter();
    all.position(|pending| path(enabled, pending) == who)
}

impl GraphRun {
    /// Picks the scheduled step, or behind the schedule the first one that is not held.
    fn next_step(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        if self.seen.is_empty() {
            let path = enabled.path(OperationId::actor(0));
            self.seen.push(ExecutionItem::Body { path });
        }
        if std::mem::take(&mut self.accessed_world) {
            self.note_open(enabled);
        }
        let known = self.paths.len();
        self.paths.extend(&enabled.paths()[known..]);
        if self.outside.is_some() || self.has_diverged {
            return None;
        }
        let position = match self.due(enabled) {
            Some(found) => {
                self.has_diverged = found.is_none();
                found?
            }
            None => {
                self.answers_left = 0;
                let is_free = |position: &usize| {
                    let pending = &enabled[*position];
                    let runs = pending.kind != StepKind::Flush;
                    !(runs && self.held.contains(&path(enabled, pending)))
                };
                match (0..enabled.len()).find(is_free) {
                    Some(position) => position,
                    // Only held operations are enabled.
                    None => {
                        self.only_held_left = true;
                        self.seen
                            .extend(enabled.iter().map(|pending| ExecutionItem::Waiting {
                                who: path(enabled, pending),
                                kind: match pending.kind {
                                    StepKind::Deliver => StepKind::Handle,
                                    kind => kind,
                                },
                            }));
                        return None;
                    }
                }
            }
        };
        let pending = &enabled[position];
        let inbox = pending.inbox.map_or(0, |inbox| enabled.path(inbox));
        self.current = (path(enabled, pending), inbox);
        if self.names {
            let names = enabled.details().zip(pending.owner());
            self.name = names.map(|(names, who)| names.operation(who));
        }
        Some(position)
    }

    /// Returns the position of the next scheduled step, if it is enabled; `None` behind the schedule.
    fn due(&mut self, enabled: &Enabled<'_>) -> Option<Option<usize>> {
        loop {
            let due = *self.schedule.get(self.next)?;
            self.next += 1;
            self.answers_left = due.answers;
            let found = find(enabled, due.who);
            if found.is_some_and(|position| self.is_taken_later(due, &enabled[position])) {
                continue;
            }
            return Some(found.filter(|position| {
                let pending = &enabled[*position];
                let message = pending.message.map_or(0, |message| message.number());
                match pending.kind {
                    StepKind::Handle => message == due.message,
                    StepKind::Deliver => [0, on_link(message)].contains(&due.message),
                    _ => true,
                }
            }));
        }
    }

    /// Returns whether the scheduled step is that in which a link takes a message, and the link delivers it later. A
    /// link takes a message and delivers it in one step, which comes where the delivery is scheduled.
    fn is_taken_later(&self, due: ScheduledStep, step: &Pending) -> bool {
        let takes = step.kind == StepKind::Deliver && due.message != 0;
        let rest = &self.schedule[self.next..];
        takes && rest.iter().any(|later| later.who == due.who)
    }

    /// Returns the actor that has a name, or the operation itself.
    fn holder_of(&self, operation: u64) -> u64 {
        *self.ties.names.get(&operation).unwrap_or(&operation)
    }

    /// Records the names that the step has used; returns whether other steps may make a difference.
    fn note_names(&mut self, names: NameUses<'_>) -> bool {
        let NameUses::Fixed(names) = names else {
            return true;
        };
        let mut is_open = false;
        for (name, holder) in names {
            match self.ties.names.get(name) {
                Some(known) => is_open |= known != holder,
                None => _ = self.new_ties.names.insert(*name, *holder),
            }
        }
        is_open
    }

    /// Records the step that is over.
    fn record(&mut self, step: &Step<'_>) {
        if let Some(bug) = step.bug {
            let runs = step.pending.kind != StepKind::Flush;
            self.has_failed = runs && matches!(bug, BugKind::Panic | BugKind::Unhandled);
            self.has_bug = !self.has_failed;
        }
        let (who, inbox) = self.current;
        let pending = &step.pending;
        let has_open_names = self.note_names(step.names);
        let message = pending.message.map_or(0, |message| message.number());
        let delivers = pending.kind == StepKind::Deliver && step.effect != StepEffect::Nothing;
        let kind = match delivers {
            true => StepKind::Flush,
            false => pending.kind,
        };
        let touch = self.touch(who, kind, step);
        self.accessed_world = touch.is_some();
        let observers = self.observers(who, step);
        for operation in step.interrupted {
            // This step, which may be the last one, decides if the interrupted operation sends its reply. An
            // operation that was spawned in this step has no path yet, and was never asked.
            if step.constructs.has(StepConstruct::Ask)
                && let Some(who) = self.paths.get(operation.index())
                && !self.ties.waiting.contains(who)
            {
                self.new_ties.waiting.insert(*who);
            }
        }
        if delivers {
            self.seen.push(ExecutionItem::Step {
                who,
                kind: StepKind::Handle,
                message: on_link(message),
                inbox: who,
                carried: StepEffect::Nothing,
                observers: ObserverSet::default(),
                defers: DeferredEvents::default(),
                touch: None,
                is_suspended: false,
            });
        }
        let leaves = step.effect == StepEffect::Leaves;
        self.seen.push(ExecutionItem::Step {
            who,
            kind,
            message: if leaves { on_link(message) } else { message },
            inbox: self.holder_of(inbox),
            carried: if leaves {
                StepEffect::Sent(ON_LINK)
            } else {
                step.effect
            },
            observers,
            defers: step.defers,
            touch,
            is_suspended: step.is_suspended,
        });
        self.seen.append(&mut self.chosen);
        let along = step.silent_effects.iter();
        self.seen
            .extend(along.map(|what| ExecutionItem::SilentEffect { who, what: *what }));
        for transition in step.monitor_transitions {
            let monitor = transition.monitor;
            match transition.states {
                Some((before, after)) => self.seen.push(ExecutionItem::Observed {
                    monitor,
                    before,
                    after,
                }),
                None => {
                    let new = ObserverSet::monitor(monitor).but(self.ties.observers);
                    self.new_ties.observers = self.new_ties.observers.and(new);
                    self.new_ties.opaque = self.new_ties.opaque.and(new);
                }
            }
        }
        let strange = match kind {
            StepKind::Start | StepKind::Handle | StepKind::Resume => None,
            StepKind::Flush if step.effect != StepEffect::Nothing => None,
            StepKind::Flush => Some(StepConstruct::Finish),
            StepKind::Timer => None,
            StepKind::Fault => Some(StepConstruct::Fault),
            StepKind::Stop => Some(StepConstruct::Stop),
            StepKind::Deliver => Some(StepConstruct::Node),
            StepKind::Access => Some(StepConstruct::Sharing),
        };
        let allowed = match touch {
            Some(_) => WORLD_CONSTRUCTS.and(ConstructSet::of(&[StepConstruct::Ask])),
            None if !self.new_ties.is_empty() => ConstructSet::of(&[StepConstruct::Ask]),
            None => ConstructSet::NOTHING,
        };
        // An asker whose target is gone replies to itself, so its next step depends on more than its inputs.
        let replies_to_itself = matches!(step.effect, StepEffect::Replied(asker) if asker == who);
        let is_lost = replies_to_itself && step.constructs.has(StepConstruct::Ask);
        let strange = strange.or(is_lost.then_some(StepConstruct::Ask));
        // The boot code of a node starts as the test body does; a fault would interrupt other operations.
        let boots = kind == StepKind::Start && step.interrupted.is_empty();
        let known = [
            (delivers || leaves || boots, StepConstruct::Node),
            (!has_open_names, StepConstruct::Names),
        ];
        let known = known.into_iter().filter(|(is_known, _)| *is_known);
        let known = known.fold(allowed, |known, (_, what)| {
            known.and(ConstructSet::of(&[what]))
        });
        let what = step.constructs.without(known).first().or(strange);
        if let Some(what) = what
            && step.bug.is_none()
            && self.outside.is_none()
        {
            let who = self.name.take();
            self.outside = Some(UnsupportedStep { what, who });
        }
    }
}

impl Strategy for GraphRun {
    fn name(&self) -> String {
        "dpor".into()
    }

    fn needs(&self) -> Needs {
        Needs {
            steps: true,
            faults: true,
            ..Needs::default()
        }
    }

    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        Some(Fairness::Unfair)
    }

    fn pick(&mut self, enabled: &Enabled<'_>) -> Result<usize, Pruned> {
        self.next_step(enabled).ok_or(Pruned::new())
    }

    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        let of = match choice {
            Choice::Below(of, _) => of,
            Choice::Seed => {
                self.is_seeded = true;
                return None;
            }
            Choice::FaultBetween(_, faults) if !faults.is_empty() => {
                let what = StepConstruct::Fault;
                self.outside
                    .get_or_insert(UnsupportedStep { what, who: None });
                return None;
            }
            _ => return None,
        };
        let answer = match self.answers_left.checked_sub(1) {
            Some(left) => {
                self.answers_left = left;
                self.next_answer += 1;
                let answer = self.answers.get(self.next_answer - 1);
                answer.copied().unwrap_or(0).min(of - 1)
            }
            None => 0,
        };
        let who = self.current.0;
        self.chosen.push(ExecutionItem::Choice { who, of, answer });
        Some(answer)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        if let StrategyEvent::Stepped(step) = event {
            self.record(step);
        }
    }
}
