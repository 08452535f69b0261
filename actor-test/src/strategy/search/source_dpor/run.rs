//! The strategy of a work item of source-DPOR: replays a schedule, then takes steps of operations not asleep.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use super::super::path;
use super::footprint::{AccessedResource, Footprint};
use crate::data::constructs::{ConstructSet, StepConstruct};
use crate::data::step::StepKind;
use crate::hash::mix;
use crate::strategy::tick_bound::TickBound;
use crate::strategy::{
    Choice, Enabled, Execution, Fairness, Needs, OperationId, Pending, Pruned, Step, StepEffect,
    Strategy, StrategyEvent,
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

/// The constructs that the search does not support: the end of an execution or the enabled operations depend
/// on more than one step, not all outcomes are tried, or no test with random programs covers them.
pub(super) const UNSUPPORTED: ConstructSet = ConstructSet::of(&[
    StepConstruct::System,
    StepConstruct::Finish,
    StepConstruct::Sharing,
    StepConstruct::Predicate,
    StepConstruct::Node,
    StepConstruct::Disk,
    StepConstruct::References,
    StepConstruct::Defer,
    StepConstruct::Task,
]);

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
    /// The operations whose next step this one has disabled or changed.
    pub(super) altered: Vec<u64>,
    /// True for a timer that has waited until nothing else was enabled.
    pub(super) waited: bool,
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
    /// The enabled operations before the step in progress, each with the hash of its pending step.
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
    pub(super) fn new(replay: Vec<ReplayStep>, from: usize, asleep: SleepSet) -> Self {
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
    fn settle(&mut self, now: Vec<(u64, u64)>, creates: bool) {
        let Some(mut last) = self.open.take() else {
            self.enabled = now;
            return;
        };
        let number = self.steps - 1;
        let before = mem::replace(&mut self.enabled, now);
        last.footprint.creates = creates;
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

    /// Returns the resource that a step has accessed.
    fn reach(&mut self, step: &Step<'_>) -> AccessedResource {
        let (who, _) = self.current;
        let Pending { kind, inbox, .. } = step.pending;
        let reached = step.constructs;
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
            StepKind::Flush => match step.effect {
                StepEffect::Sent(_) => match inbox.and_then(|to| self.path_of(to)) {
                    Some(to) => AccessedResource::Sent(to),
                    None => AccessedResource::World,
                },
                StepEffect::Started(to, _) | StepEffect::Replied(to) => {
                    AccessedResource::Target(to)
                }
                StepEffect::Halted | StepEffect::Leaves | StepEffect::Nothing => {
                    AccessedResource::World
                }
            },
            StepKind::Timer
            | StepKind::Fault
            | StepKind::Stop
            | StepKind::Deliver
            | StepKind::Access => AccessedResource::World,
        }
    }
}

/// Returns a hash of a pending step, as far as it is visible beforehand.
fn what(pending: &Pending) -> u64 {
    let message = pending.message.map_or(0, |message| message.number());
    mix(message, pending.kind as u64)
}

impl SourceDporRun {
    /// Picks the next step of the replay, and then one that does not sleep.
    fn next_step(&mut self, enabled: &Enabled<'_>) -> Option<usize> {
        let now = self.ticks.free(enabled).map(|position| &enabled[position]);
        let now = now.map(|pending| (path(enabled, pending), what(pending)));
        let now = now.collect();
        let creates = enabled.paths().len() > self.paths.len() && self.steps > 0;
        let known = self.paths.len();
        self.paths.extend(&enabled.paths()[known..]);
        // The search can't follow a step that was not reported to it.
        self.is_lost |= self.steps > 0 && self.open.is_none();
        if self.is_lost {
            return None;
        }
        self.settle(now, creates);
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
        self.steps += 1;
        self.answers.clear();
        Some(position)
    }

    /// Records the step that is over.
    fn record(&mut self, step: &Step<'_>) {
        let (who, what) = self.current;
        let number = self.steps - 1;
        let refused = match step.pending.kind {
            StepKind::Fault | StepKind::Deliver => Some(StepConstruct::Node),
            StepKind::Access => Some(StepConstruct::Sharing),
            _ => step.constructs.both(UNSUPPORTED).first(),
        };
        if let Some(refused) = refused.filter(|_| step.bug.is_none()) {
            self.outside.get_or_insert((refused, None));
        }
        let mut reach = self.reach(step);
        self.met = self.met.and(step.constructs);
        let mut causes = self.enabled_by.remove(&who).unwrap_or_default();
        let message = step.pending.message.map(|message| message.number());
        match (step.pending.kind, message) {
            (StepKind::Handle, Some(message)) => match self.sent_at.get(&message) {
                Some(sent) => causes.push(*sent),
                // The sender of the event is unknown.
                None => reach = AccessedResource::World,
            },
            (_, Some(message)) => _ = self.sent_at.insert(message, number),
            _ => {}
        }
        self.interrupted.extend(step.interrupted);
        self.open = Some(ExecutedStep {
            who,
            what,
            answers: mem::take(&mut self.answers),
            footprint: Footprint {
                who,
                reach,
                observers: step.observers,
                interrupted: Vec::new(),
                // No operation continues after a bug.
                interrupts_all: step.bug.is_some(),
                creates: false,
            },
            enabled: Vec::new(),
            asleep: Vec::new(),
            causes,
            altered: Vec::new(),
            waited: self.only_timers_left,
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
            Choice::FaultBetween(_, faults) if !faults.is_empty() => {
                self.outside.get_or_insert((StepConstruct::Node, None));
                return None;
            }
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
            StrategyEvent::Ended(_) => self.settle(Vec::new(), false),
            StrategyEvent::Struck(_) => {}
        }
    }
}
