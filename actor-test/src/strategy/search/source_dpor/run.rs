//! The strategy of a work item of source-DPOR: replays a schedule, then takes steps of operations not asleep.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use super::super::path;
use super::footprint::{AccessedResource, Footprint};
use crate::data::constructs::{ConstructSet, StepConstruct};
use crate::data::faults::Fault;
use crate::data::step::StepKind;
use crate::hash::mix;
use crate::strategy::tick_bound::TickBound;
use crate::strategy::{
    Choice, Enabled, Execution, Fairness, NameUses, Needs, OperationId, Pending, Pruned, Step,
    StepEffect, Strategy, StrategyEvent,
};

/// Constructs that an operation may read again later without a report, once it has used them.
const UNREPORTED_READS: ConstructSet = ConstructSet::of(&[
    StepConstruct::Ask,
    StepConstruct::Timer,
    StepConstruct::Receive,
    StepConstruct::Room,
    StepConstruct::Future,
    StepConstruct::Supervision,
]);

/// The constructs of messages on links and by names.
const CARRIED: ConstructSet = ConstructSet::of(&[StepConstruct::Node, StepConstruct::Names]);

/// The constructs that the search does not support: the end of an execution or the enabled operations depend
/// on more than one step, not all outcomes are tried, or no test with random programs covers them.
pub(super) const UNSUPPORTED: ConstructSet = ConstructSet::of(&[
    StepConstruct::System,
    StepConstruct::Finish,
    StepConstruct::Sharing,
    StepConstruct::Predicate,
    StepConstruct::Disk,
    StepConstruct::References,
    StepConstruct::Defer,
    StepConstruct::Task,
]);

/// The artificial operation that stands for the end of an execution, after which a fault may still strike.
const END: u64 = 0x656e_6400;

/// The artificial operation that ends the faults that last, once nothing else can run.
const END_OF_FAULTS: u64 = 0x656e_6401;

/// A scheduled step, with the answers to its first choices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ReplayStep {
    pub(super) who: u64,
    /// A hash of the pending step, as far as it is visible beforehand.
    pub(super) what: u64,
    pub(super) answers: Vec<u32>,
}

/// A sleep set: operations whose steps were explored before, with the footprints of these steps.
pub(super) type SleepSet = Vec<(u64, Vec<Footprint>)>;

#[derive(Debug)]
pub(super) struct ExecutedStep {
    pub(super) who: u64,
    pub(super) what: u64,
    /// The choices of the step: the number of possible answers, and the answer.
    pub(super) answers: Vec<(u32, u32)>,
    pub(super) footprint: Footprint,
    /// The operations that were enabled, each with the hash of its pending step.
    pub(super) enabled: Vec<(u64, u64)>,
    pub(super) asleep: SleepSet,
    /// The steps that have enabled this one.
    pub(super) causes: Vec<usize>,
    /// The operations whose next step this one has disabled or changed; at the [end](END) all faults.
    pub(super) altered: Vec<u64>,
    /// True for a timer that has waited until nothing else was enabled.
    pub(super) waited: bool,
}

impl ExecutedStep {
    fn by(who: u64, what: u64, reach: AccessedResource) -> Self {
        Self {
            who,
            what,
            answers: Vec::new(),
            footprint: Footprint::new(who, reach),
            enabled: Vec::new(),
            asleep: Vec::new(),
            causes: Vec::new(),
            altered: Vec::new(),
            waited: false,
        }
    }
}

/// Takes the scheduled steps, and then any steps outside of the sleep set.
#[derive(Debug)]
pub(in crate::strategy) struct SourceDporRun {
    replay: Vec<ReplayStep>,
    /// The index of the first new step.
    from: usize,
    asleep: SleepSet,
    /// The number of steps that were begun.
    steps: usize,
    /// The steps from `from` on.
    pub(super) taken: Vec<ExecutedStep>,
    /// The last step, until its consequences are known.
    open: Option<ExecutedStep>,
    /// The operations that the last step has interrupted.
    interrupted: Vec<OperationId>,
    answers: Vec<(u32, u32)>,
    /// The paths of operations by number.
    paths: Vec<u64>,
    /// The enabled operations and possible faults before the step in progress, each with the hash of its pending
    /// step.
    enabled: Vec<(u64, u64)>,
    /// The steps that have enabled the next step of an operation.
    enabled_by: BTreeMap<u64, Vec<usize>>,
    /// The step that has sent an event.
    sent_at: BTreeMap<u64, usize>,
    /// The operations that may read something without a report.
    unreported_readers: BTreeSet<u64>,
    current: (u64, u64),
    current_owner: Option<OperationId>,
    ticks: TickBound,
    /// The possible faults before the step to come; `None` unless the tester has asked for one there.
    faults: Option<Vec<u64>>,
    /// The fault to strike.
    strikes: Option<Fault>,
    /// True if only timers are enabled that wait until nothing else is.
    only_timers_left: bool,
    /// The construct that the search can't follow, and the name of the operation that met it.
    pub(super) outside: Option<(StepConstruct, Option<String>)>,
    /// The constructs met so far.
    pub(super) met: ConstructSet,
    /// True if the program differed from its previous executions.
    pub(super) is_lost: bool,
    /// True if the execution ended because all enabled operations were asleep.
    pub(super) is_blocked: bool,
    /// True if the program asked for a seed.
    pub(super) is_seeded: bool,
}

impl SourceDporRun {
    /// Replays a schedule that is new from the step `from` on, and continues with operations not in `asleep`.
    pub(super) fn new((replay, from, asleep): (Vec<ReplayStep>, usize, SleepSet)) -> Self {
        Self {
            replay,
            from,
            asleep,
            steps: 0,
            taken: Vec::new(),
            open: None,
            interrupted: Vec::new(),
            answers: Vec::new(),
            paths: Vec::new(),
            enabled: Vec::new(),
            enabled_by: BTreeMap::new(),
            sent_at: BTreeMap::new(),
            unreported_readers: BTreeSet::new(),
            current: (0, 0),
            current_owner: None,
            ticks: TickBound::default(),
            faults: None,
            strikes: None,
            only_timers_left: false,
            outside: None,
            met: ConstructSet::NOTHING,
            is_lost: false,
            is_blocked: false,
            is_seeded: false,
        }
    }

    pub(super) fn from(&self) -> usize {
        self.from
    }

    /// True if executions with more ticks of an actor may be left out.
    pub(super) fn is_cut(&self) -> bool {
        self.ticks.is_cut()
    }

    fn path_of(&self, operation: OperationId) -> Option<u64> {
        self.paths.get(operation.index()).copied()
    }

    /// Completes the last step, now that the enabled operations after it are known.
    fn settle(&mut self, now: Vec<(u64, u64)>) {
        let Some(mut last) = self.open.take() else {
            self.enabled = now;
            return;
        };
        let number = self.steps - 1;
        let before = mem::replace(&mut self.enabled, now);
        let interrupted = mem::take(&mut self.interrupted);
        let interrupted = interrupted.iter().filter_map(|who| self.path_of(*who));
        last.footprint.interrupted = interrupted.filter(|who| *who != last.who).collect();
        for (who, what) in &self.enabled {
            if *who != last.who && !before.contains(&(*who, *what)) {
                self.enabled_by.entry(*who).or_default().push(number);
            }
        }
        last.altered = before
            .iter()
            .filter(|pair| pair.0 != last.who && !self.enabled.contains(pair))
            .map(|(who, _)| *who)
            .collect();
        if !last.altered.is_empty() {
            if last.footprint.reach != AccessedResource::Everything {
                last.footprint.reach = AccessedResource::World;
            }
            for who in &last.altered {
                if !last.footprint.interrupted.contains(who) {
                    last.footprint.interrupted.push(*who);
                }
            }
        }
        if number >= self.from {
            last.enabled = before;
            last.asleep = self.asleep.clone();
            let is_apart = |(who, of): &(u64, Vec<Footprint>)| {
                *who != last.who && !of.iter().any(|one| one.depends(&last.footprint))
            };
            self.asleep.retain(is_apart);
            self.taken.push(last);
        }
    }

    /// Returns the position of an operation that is not asleep, preferably with a step that may be local.
    fn next(&self, enabled: &Enabled<'_>) -> Option<usize> {
        let is_awake = |position: &usize| {
            let who = path(enabled, &enabled[*position]);
            !self.asleep.iter().any(|(asleep, _)| *asleep == who)
        };
        let mut awake = self.ticks.free(enabled).filter(is_awake);
        let first = awake.next()?;
        let mut all = std::iter::once(first).chain(awake);
        let may_be_local = all.find(|position| enabled[*position].may_be_local());
        Some(may_be_local.unwrap_or(first))
    }

    /// Returns the resource that a step with these constructs has accessed.
    fn reach(&mut self, step: &Step<'_>, reached: ConstructSet) -> AccessedResource {
        let (who, _) = self.current;
        let Pending { kind, inbox, .. } = step.pending;
        if reached.meets(UNREPORTED_READS) {
            self.unreported_readers.insert(who);
        }
        // The end of an execution counts the rounds in which only periodic timers are enabled.
        if kind == StepKind::Timer && self.met.has(StepConstruct::Ticks) {
            return AccessedResource::Everything;
        }
        if !reached.is_nothing() || step.bug.is_some() {
            return AccessedResource::World;
        }
        match kind {
            StepKind::Start | StepKind::Handle | StepKind::Resume
                if self.unreported_readers.contains(&who) =>
            {
                AccessedResource::World
            }
            StepKind::Start | StepKind::Handle if step.is_local || !step.observers.is_empty() => {
                AccessedResource::Own
            }
            StepKind::Start | StepKind::Handle | StepKind::Resume => AccessedResource::Inbox,
            StepKind::Flush | StepKind::Deliver => match step.effect {
                StepEffect::Sent(_) | StepEffect::Leaves => {
                    let to = inbox.and_then(|to| self.path_of(to));
                    let holder = to.and_then(|to| holder_of(to, step.names));
                    holder.map_or(AccessedResource::World, AccessedResource::Sent)
                }
                StepEffect::Started(to, _) | StepEffect::Replied(to) => {
                    AccessedResource::Target(to)
                }
                StepEffect::Halted => AccessedResource::Sent(who),
                StepEffect::Nothing => AccessedResource::World,
            },
            StepKind::Timer | StepKind::Fault | StepKind::Stop | StepKind::Access => {
                AccessedResource::World
            }
        }
    }
}

/// Returns the constructs of a step without those of a message on a link or by a name. The boot code of a node
/// starts as the test body does.
fn constructs_of(step: &Step<'_>) -> ConstructSet {
    let is_carried = match step.effect {
        StepEffect::Leaves | StepEffect::Sent(_) | StepEffect::Replied(_) => true,
        _ => step.pending.kind == StepKind::Start && step.names != NameUses::Open,
    };
    match is_carried {
        true => step.constructs.without(CARRIED),
        false => step.constructs,
    }
}

/// Returns the actor that has a name, or the operation itself.
fn holder_of(operation: u64, names: NameUses<'_>) -> Option<u64> {
    let NameUses::Fixed(names) = names else {
        return None;
    };
    let named = names.iter().find(|(name, _)| *name == operation);
    Some(named.map_or(operation, |(_, holder)| *holder))
}

/// Returns a hash of a pending step, as far as it is visible beforehand.
fn what(pending: &Pending) -> u64 {
    let message = pending.message.map_or(0, |message| message.number());
    mix(message, pending.kind as u64)
}

/// Returns the operation that stands for a fault, enabled while the fault is possible.
fn fault_path(fault: &Fault) -> u64 {
    mix(fault.key, 0xfa17)
}

impl SourceDporRun {
    /// Completes the last step before the next one; returns false if the execution can't go on.
    fn arrive(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> bool {
        let now = self.ticks.free(enabled).map(|position| &enabled[position]);
        let now = now.map(|pending| (path(enabled, pending), what(pending)));
        let now = now.chain(faults.iter().map(|fault| (fault_path(fault), 0)));
        let now = now.collect();
        let known = self.paths.len();
        self.paths.extend(&enabled.paths()[known..]);
        // The search can't follow a step that was not reported to it.
        self.is_lost |= self.steps > 0 && self.open.is_none();
        if self.is_lost {
            return false;
        }
        self.settle(now);
        true
    }

    /// Lets the fault of the replay strike, if one is next. Other faults strike only where the search goes back
    /// to: at the end of an execution, or before a step that depends on them.
    fn fault_between(&mut self, enabled: &Enabled<'_>, faults: &[Fault]) -> Option<u32> {
        let goes_on = self.arrive(enabled, faults) && self.outside.is_none();
        self.faults = Some(faults.iter().map(fault_path).collect());
        let due = self.replay.get(self.steps).filter(|_| goes_on)?;
        let is_due = |fault: &Fault| fault_path(fault) == due.who;
        let position = faults.iter().position(is_due)?;
        let fault = faults[position];
        self.current = (due.who, 0);
        self.strikes = Some(fault);
        if let Some(details) = enabled.details()
            && fault.interrupts_nodes()
        {
            let all = (0..enabled.paths().len() as u32).map(OperationId::actor);
            let concerned = all.filter(|who| details.nodes(*who) & fault.nodes != 0);
            self.interrupted.extend(concerned);
        }
        Some(position as u32 + 1)
    }

    /// Records a fault that strikes, or the end of all that last.
    fn strike(&mut self) {
        self.faults = None;
        self.answers.clear();
        let number = self.steps;
        self.steps += 1;
        let fault = self.strikes.take();
        let causes = match fault {
            Some(_) => self.enabled_by.remove(&self.current.0),
            // The faults end once nothing else can run.
            None => {
                let due = self.replay.get(number);
                self.is_lost |= due.is_some_and(|due| due.who != END_OF_FAULTS);
                self.current = (END_OF_FAULTS, 0);
                Some((0..number).collect())
            }
        };
        let reach = match fault {
            // The end of an execution counts the rounds in which only periodic timers are enabled.
            Some(_) if self.met.has(StepConstruct::Ticks) => AccessedResource::Everything,
            Some(fault) if fault.is_of_links() => AccessedResource::Links,
            Some(_) => AccessedResource::World,
            None => AccessedResource::Everything,
        };
        if reach != AccessedResource::Links {
            self.met.add(StepConstruct::Fault);
        }
        let (who, what) = self.current;
        self.open = Some(ExecutedStep {
            causes: causes.unwrap_or_default(),
            ..ExecutedStep::by(who, what, reach)
        });
    }

    /// Records the end of an execution, and the faults that may strike there.
    fn end(&mut self) {
        self.is_lost |= self.outside.is_none() && self.steps < self.replay.len();
        match self.faults.take() {
            None => self.settle(Vec::new()),
            Some(_) if self.is_lost => {}
            Some(faults) => {
                let asleep = self.asleep.clone();
                self.taken.push(ExecutedStep {
                    enabled: mem::take(&mut self.enabled),
                    altered: faults,
                    asleep,
                    ..ExecutedStep::by(END, 0, AccessedResource::Own)
                });
            }
        }
    }

    /// Picks the next step of the replay, and then one that does not sleep.
    fn next_step(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        if self.faults.is_none() && !self.arrive(enabled, &[]) || self.is_lost {
            return None;
        }
        if let Some((_, who)) = &mut self.outside {
            let names = enabled.details().zip(self.current_owner);
            *who = names.map(|(names, whose)| names.operation(whose));
            return None;
        }
        let position = match self.replay.get(self.steps) {
            Some(turn) => {
                let due = (turn.who, turn.what);
                let found = self.enabled.iter().position(|pair| *pair == due);
                self.is_lost |= found.is_none();
                self.ticks.free(enabled).nth(found?)?
            }
            None => {
                let next = self.next(enabled);
                self.is_blocked = next.is_none();
                next?
            }
        };
        let picked = &enabled[position];
        self.only_timers_left = self.ticks.only_waiting(enabled);
        self.ticks.record(enabled, picked);
        self.current = (path(enabled, picked), what(picked));
        self.current_owner = picked.owner();
        self.faults = None;
        self.steps += 1;
        self.answers.clear();
        Some(position)
    }

    /// Records the step that is over.
    fn record(&mut self, step: &Step<'_>) {
        let (who, what) = self.current;
        let number = self.steps - 1;
        let refused = match step.pending.kind {
            StepKind::Access => Some(StepConstruct::Sharing),
            _ => step.constructs.both(UNSUPPORTED).first(),
        };
        if let Some(refused) = refused.filter(|_| step.bug.is_none()) {
            self.outside.get_or_insert((refused, None));
        }
        let reached = constructs_of(step);
        let mut reach = self.reach(step, reached);
        self.met = self.met.and(reached);
        let mut causes = self.enabled_by.remove(&who).unwrap_or_default();
        let message = step.pending.message.map(|message| message.number());
        if let Some(message) = message {
            let kind = step.pending.kind;
            if matches!(kind, StepKind::Handle | StepKind::Deliver) {
                match self.sent_at.get(&message) {
                    Some(sent) => causes.push(*sent),
                    // The sender of the event is unknown.
                    None => reach = AccessedResource::World,
                }
            }
            if kind != StepKind::Handle {
                self.sent_at.insert(message, number);
            }
        }
        self.interrupted.extend(step.interrupted);
        self.open = Some(ExecutedStep {
            answers: mem::take(&mut self.answers),
            footprint: Footprint {
                observers: step.observers,
                // No operation continues after a bug.
                interrupts_all: step.bug.is_some(),
                crosses: step.effect == StepEffect::Leaves
                    || step.pending.kind == StepKind::Deliver,
                ..Footprint::new(who, reach)
            },
            causes,
            waited: self.only_timers_left,
            ..ExecutedStep::by(who, what, reach)
        });
    }
}

impl Strategy for SourceDporRun {
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
            Choice::FaultWithin(site) => site.ways + 1,
            Choice::FaultBetween(enabled, faults) => return self.fault_between(enabled, faults),
            _ => return None,
        };
        let turn = self.replay.get(self.steps.wrapping_sub(1));
        let due = turn.and_then(|turn| turn.answers.get(self.answers.len()));
        let answer = due.copied().unwrap_or(0).min(of.saturating_sub(1));
        self.answers.push((of, answer));
        Some(answer)
    }

    fn observe(&mut self, event: StrategyEvent<'_>) {
        match event {
            StrategyEvent::Stepped(step) => self.record(step),
            StrategyEvent::Struck(_) => self.strike(),
            StrategyEvent::Ended(_) => self.end(),
        }
    }
}
