//! The causal cone of a step, and the selection of the steps of a story that matter most.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use super::{
    Change, DiskAction, Effect, MessageFate, OperationKind, Purpose, Repetition, Step, Story,
    Temperature,
};
use crate::data::step::StepKind;

/// One of this many selected steps may be an earlier change of the actor of the last step.
const CHANGES_OF: usize = 4;

/// The largest number of sends of unread events that are selected, the last ones.
const UNREAD_MAX: usize = 4;

/// The largest number of steps in which a time limit ran out that are selected, the last ones.
const LIMITS_MAX: usize = 6;

/// The largest number of actors ended by faults whose last change is selected, those that changed last.
const TAKEN_MAX: usize = 4;

/// The causal predecessors of the steps of a story.
#[derive(Debug)]
pub(crate) struct CausalIndex<'a> {
    story: &'a Story,
    /// For each step, the previous steps of its operation.
    before: Vec<Before>,
    /// The step that created each operation.
    spawned: BTreeMap<u32, usize>,
    /// The steps in which replies reached each operation.
    replied: BTreeMap<u32, Vec<usize>>,
    /// The steps in which sleeps and other waits of each operation ended.
    woken: BTreeMap<u32, Vec<usize>>,
}

/// The previous steps of an operation, without those of its timers.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    /// The last step in which its code ran.
    ran: Option<usize>,
    /// The last step that changed the actor.
    changed: Option<usize>,
}

impl<'a> CausalIndex<'a> {
    pub(crate) fn of(story: &'a Story) -> Self {
        let mut causes = Self {
            story,
            before: Vec::with_capacity(story.steps.len()),
            spawned: BTreeMap::new(),
            replied: BTreeMap::new(),
            woken: BTreeMap::new(),
        };
        let mut last: BTreeMap<u32, Before> = BTreeMap::new();
        for (at, step) in story.steps.iter().enumerate() {
            let last = last.entry(step.who).or_default();
            causes.before.push(*last);
            if step.timer.is_some() {
                causes.woken.entry(step.who).or_default().push(at);
            } else if step.kind != StepKind::Flush {
                last.ran = Some(at);
                if is_change(step) {
                    last.changed = Some(at);
                }
            }
            for effect in &step.effects {
                match effect {
                    Effect::Spawned { who } => {
                        causes.spawned.insert(*who, at);
                    }
                    Effect::Replied { to, .. } => causes.replied.entry(*to).or_default().push(at),
                    _ => {}
                }
            }
        }
        causes
    }

    fn position(&self, number: u64) -> Option<usize> {
        let steps = &self.story.steps;
        steps.binary_search_by_key(&number, |step| step.number).ok()
    }

    /// Returns the position of the step in which a message reached its receiver.
    fn came(&self, message: u32) -> Option<usize> {
        let message = self.story.message(message)?;
        self.position(message.delivered.or(message.sent)?)
    }

    /// Returns the direct causes of a step: the steps that sent its message, or one that it has received, armed its timer, created its
    /// actor, decided its send, or last changed its actor.
    fn direct(&self, at: usize) -> Vec<usize> {
        let step = &self.story.steps[at];
        let earlier = |list: &BTreeMap<u32, Vec<usize>>| {
            let list = list.get(&step.who)?;
            let before = list.partition_point(|position| *position < at);
            list[..before].last().copied()
        };
        let mut direct = Vec::new();
        if let Some(timer) = step
            .timer
            .and_then(|timer| self.story.timers.get(timer as usize))
        {
            direct.extend(timer.armed.and_then(|armed| self.position(armed)));
            return direct;
        }
        match step.kind {
            StepKind::Flush => direct.extend(self.before[at].ran),
            StepKind::Handle => {
                direct.extend(step.message.and_then(|message| self.came(message)));
            }
            StepKind::Deliver => {
                for effect in &step.effects {
                    if let Effect::Sent { message, .. } = effect {
                        let message = self.story.message(*message);
                        let sent = message.and_then(|message| message.sent);
                        direct.extend(sent.and_then(|sent| self.position(sent)));
                    }
                }
            }
            StepKind::Resume => {
                let last = earlier(&self.replied).max(earlier(&self.woken));
                direct.extend(last);
            }
            _ => {}
        }
        direct.extend(step.received().filter_map(|message| self.came(message)));
        if step.kind != StepKind::Flush {
            let state = self.before[at].changed;
            let creation = || {
                self.spawned
                    .get(&step.who)
                    .copied()
                    .filter(|creation| *creation < at)
            };
            direct.extend(state.or_else(creation));
        }
        direct
    }

    /// Returns the positions of all steps that led to `ends`, and of those steps themselves.
    fn cone(&self, ends: impl IntoIterator<Item = usize>) -> impl Iterator<Item = usize> {
        let mut next: BinaryHeap<usize> = ends.into_iter().collect();
        let mut seen: BTreeSet<usize> = next.iter().copied().collect();
        // The latest step comes first, since most callers need only the end of the cone.
        std::iter::from_fn(move || {
            let at = next.pop()?;
            for cause in self.direct(at) {
                if seen.insert(cause) {
                    next.push(cause);
                }
            }
            Some(at)
        })
    }

    /// Returns the numbers of the steps that led to a step, and of that step.
    pub(crate) fn of_step(&self, number: u64) -> BTreeSet<u64> {
        let cone = self.cone(self.position(number));
        cone.map(|at| self.story.steps[at].number).collect()
    }

    /// Returns the `most` steps that matter most, or a few more. These are, by rank:
    /// - the last step, the critical one, and those that the report names (`named`);
    /// - the steps in which a fault struck, data that a power failure loses was written, a time limit ran out,
    ///   a pending obligation became hot, or an unread event was sent;
    /// - the last changes of the actors, and of their fields, that a failed predicate read;
    /// - the last changes of actors that a fault ended;
    /// - the last changes of the actor of the last step, and the last answers to it;
    /// - one round of steps that repeat each other to the end of the story;
    /// - the steps that led to these, the latest first;
    /// - the steps that happened last.
    ///
    /// Of the last two, plumbing is left out, and of steps that repeat each other all but one round. A gap of a
    /// single step is closed, since it would take as much space as the step.
    pub(crate) fn most_relevant(&self, most: usize, named: &[u64]) -> BTreeSet<u64> {
        let steps = &self.story.steps;
        let repetitions = Repetition::all(self.story);
        let is_repeated = |at: usize| {
            let behind = repetitions.partition_point(|found| found.first <= at);
            let found = behind.checked_sub(1).map(|found| &repetitions[found]);
            found.is_some_and(|found| found.repeated().contains(&at))
        };
        let critical = self.story.critical.iter().chain(named);
        let critical = critical.filter_map(|number| self.position(*number));
        let mut ranked: Vec<usize> = steps
            .len()
            .checked_sub(1)
            .into_iter()
            .chain(critical)
            .collect();
        ranked.extend(self.decisive().iter().rev());
        ranked.extend(self.last_changes(most / CHANGES_OF));
        ranked.extend(self.last_changes_of_fields(most / CHANGES_OF).iter().rev());
        ranked.extend(self.last_answers(most / CHANGES_OF));
        ranked.extend(self.last_round(&repetitions, most / 2));
        let mut chosen = BTreeSet::new();
        let mut choose = |at: usize| {
            if chosen.len() < most {
                chosen.insert(at);
            }
        };
        ranked.iter().copied().for_each(&mut choose);
        let is_relevant = |at: &usize| !self.is_plumbing(*at) && !is_repeated(*at);
        self.cone(ranked).filter(is_relevant).for_each(&mut choose);
        let last = (0..steps.len()).rev();
        last.filter(is_relevant).for_each(&mut choose);
        let is_single_gap = |at: &usize| {
            let next = chosen.contains(&(at + 1));
            next && (*at == 0 || chosen.contains(&(at - 1))) && !chosen.contains(at)
        };
        let gaps: Vec<usize> = (0..steps.len()).filter(is_single_gap).collect();
        chosen.extend(gaps);
        chosen.into_iter().map(|at| steps[at].number).collect()
    }

    /// Returns the first round of the steps that repeat each other to the end of the story, if it has `most`
    /// steps at most.
    fn last_round(&self, repetitions: &[Repetition], most: usize) -> std::ops::Range<usize> {
        let lasts = |last: &&Repetition| last.lasts(self.story) && last.period <= most;
        let last = repetitions.last().filter(lasts);
        last.map_or(0..0, Repetition::round)
    }

    /// Returns the last changes of the actor that took the last step, in which the mistake may lie.
    fn last_changes(&self, most: usize) -> impl Iterator<Item = usize> {
        let last = self.before.last().and_then(|before| before.changed);
        std::iter::successors(last, |at| self.before[*at].changed).take(most)
    }

    fn inspected(&self) -> BTreeSet<u32> {
        self.story.inspected.iter().map(|seen| seen.who).collect()
    }

    /// Returns the last changes of fields of the actors that a failed predicate read: it may be about these.
    fn last_changes_of_fields(&self, most: usize) -> BTreeSet<usize> {
        let inspected = self.inspected();
        let mut changed = BTreeMap::new();
        for (at, step) in self.story.steps.iter().enumerate() {
            if inspected.contains(&step.who) {
                let fields = step.changes.iter().map(Change::top_field);
                changed.extend(fields.map(|field| ((step.who, field), at)));
            }
        }
        let all: BTreeSet<usize> = changed.into_values().collect();
        all.into_iter().rev().take(most).collect()
    }

    /// Returns the last answers to the handler that the last step resumes, and the steps that gave them. No
    /// field shows the values that a handler holds between its awaits.
    fn last_answers(&self, most: usize) -> Vec<usize> {
        let steps = &self.story.steps;
        let Some(last) = steps.last().filter(|last| last.kind == StepKind::Resume) else {
            return Vec::new();
        };
        let begins = |step: &Step| {
            let is_input = matches!(step.kind, StepKind::Start | StepKind::Handle);
            step.who == last.who && step.timer.is_none() && is_input
        };
        let began = steps.iter().rposition(begins).unwrap_or(0);
        let answers = self.replied.get(&last.who).map_or(&[][..], Vec::as_slice);
        let answers = answers.iter().copied().rev();
        let is_relevant = |at: &usize| !self.is_plumbing(*at);
        answers
            .take_while(|at| *at > began)
            .filter(is_relevant)
            .take(most)
            .flat_map(|at| std::iter::once(at).chain(self.before[at].ran))
            .collect()
    }

    /// Returns true for plumbing: a step of a node's boot code, and the undisturbed arrival of a message at
    /// its node.
    pub(crate) fn is_plumbing(&self, at: usize) -> bool {
        let story = self.story;
        let step = &story.steps[at];
        let kind = story.operations.get(step.who as usize).map(|who| who.kind);
        let arrives = |effect: &Effect| match effect {
            Effect::Sent { arrival, .. } => *arrival == MessageFate::Arrived,
            effect => matches!(effect, Effect::ReplyArrived { .. } | Effect::Replied { .. }),
        };
        kind == Some(OperationKind::Boot)
            || step.kind == StepKind::Deliver && step.effects.iter().all(arrives)
    }

    /// Returns the steps that sent events which no actor reads. These are events taken by faults, and, if
    /// there is a pending obligation, those left in inboxes at the end, since they would come next.
    fn unread(&self, is_pending: bool) -> Vec<usize> {
        let story = self.story;
        let (mut halted, mut struck) = (BTreeSet::new(), BTreeSet::new());
        for step in &story.steps {
            let halts = step.effects.iter().filter_map(|effect| match effect {
                Effect::Halted { who, .. } => Some(*who),
                _ => None,
            });
            match step.effects.iter().any(Effect::is_fault) {
                true => struck.extend(halts),
                false => halted.extend(halts),
            }
        }
        let matters = |to: u32| match halted.contains(&to) || struck.contains(&to) {
            true => struck.contains(&to),
            false => is_pending,
        };
        let brings = |effect: &Effect| match effect {
            Effect::Sent {
                message,
                arrival: MessageFate::Arrived | MessageFate::Deferred,
                ..
            } => story.message(*message).is_some_and(|message| {
                message.handled.is_none() && message.from.is_some() && matters(message.to)
            }),
            _ => false,
        };
        let steps = story.steps.iter().enumerate();
        let sent = steps.filter(|(_, step)| step.effects.iter().any(brings));
        let mut sent: Vec<usize> = sent.map(|(at, _)| at).collect();
        sent.drain(..sent.len().saturating_sub(UNREAD_MAX));
        sent
    }

    /// Returns the steps that asked for what is still awaited at the end, the steps that handled these
    /// questions, and the last changes of the asked actors.
    pub(crate) fn awaited(&self) -> Vec<u64> {
        let story = self.story;
        let mut asked: BTreeMap<u32, Option<usize>> = BTreeMap::new();
        for (at, step) in story.steps.iter().enumerate() {
            if step.effects.contains(&Effect::Awaits) {
                asked.insert(step.who, None);
            } else if step.kind == StepKind::Flush && step.sent().next().is_some() {
                // The last message that an operation sends before it awaits is the one whose reply it awaits.
                asked.entry(step.who).and_modify(|asked| *asked = Some(at));
            } else if step.kind != StepKind::Flush && step.timer.is_none() {
                asked.remove(&step.who);
            }
        }
        let asks: Vec<usize> = asked.into_values().flatten().collect();
        let handled = asks.iter().filter_map(|at| {
            let message = story.steps[*at].sent().last()?;
            self.position(story.message(message)?.handled?)
        });
        let handled: Vec<usize> = handled.collect();
        let became = handled.iter().filter_map(|at| self.before[*at].changed);
        let became: Vec<usize> = became.collect();
        let all = asks.into_iter().chain(handled).chain(became);
        all.map(|at| story.steps[at].number).collect()
    }

    /// Returns the steps that wrote to a disk what a power failure has lost. A file may have another name by then.
    fn lost_writes(&self) -> impl Iterator<Item = usize> {
        let steps = &self.story.steps;
        let lost = steps.iter().enumerate().flat_map(|(at, step)| {
            let actions = step.effects.iter().filter_map(|effect| match effect {
                Effect::Lost { action, .. } => Some(action),
                _ => None,
            });
            actions.map(move |action| (at, action))
        });
        lost.filter_map(|(at, lost)| {
            let is_made = |step: &Step, has_name: bool| {
                step.effects.iter().any(|effect| match effect {
                    Effect::Disk {
                        action,
                        error: None,
                    } => {
                        let data = |of: &DiskAction| (of.call, of.at, of.bytes);
                        data(action) == data(lost) && (!has_name || action.path == lost.path)
                    }
                    _ => false,
                })
            };
            let find = |has_name| steps[..at].iter().rposition(|step| is_made(step, has_name));
            find(true).or_else(|| find(false))
        })
    }

    /// Returns the last steps in which a time limit ran out: that of a reply, of a wait, of a state or of an
    /// event.
    fn expired(&self, most: usize) -> impl Iterator<Item = usize> {
        let is_limit = |step: &Step| {
            let timer = step
                .timer
                .and_then(|timer| self.story.timers.get(timer as usize));
            timer.is_some_and(|timer| {
                matches!(
                    timer.purpose,
                    Purpose::Limit | Purpose::Reply | Purpose::State | Purpose::NextEvent
                )
            })
        };
        let steps = self.story.steps.iter().enumerate().rev();
        let expired = steps.filter(move |(_, step)| is_limit(step));
        expired.map(|(at, _)| at).take(most)
    }

    fn decisive(&self) -> BTreeSet<usize> {
        let story = self.story;
        let mut hot: BTreeMap<u32, usize> = BTreeMap::new();
        let inspected = self.inspected();
        let mut changed: BTreeMap<u32, usize> = BTreeMap::new();
        let (mut faults, mut taken) = (Vec::new(), BTreeSet::new());
        for (at, step) in story.steps.iter().enumerate() {
            for change in &step.monitors {
                match change.temperature {
                    Temperature::Hot => {
                        hot.entry(change.monitor).or_insert(at);
                    }
                    Temperature::Cold => {
                        hot.remove(&change.monitor);
                    }
                    Temperature::Warm => {}
                }
            }
            if step.effects.iter().any(Effect::is_fault) {
                faults.push(at);
                let ended = step.effects.iter().filter_map(|effect| match effect {
                    Effect::Halted { who, .. } => changed.get(who),
                    _ => None,
                });
                taken.extend(ended.copied());
            }
            if is_change(step) {
                changed.insert(step.who, at);
            }
        }
        changed.retain(|who, _| inspected.contains(who));
        let unread = self.unread(!hot.is_empty());
        faults
            .into_iter()
            .chain(self.lost_writes())
            .chain(self.expired(LIMITS_MAX))
            .chain(unread)
            .chain(taken.into_iter().rev().take(TAKEN_MAX))
            .chain(hot.into_values())
            .chain(changed.into_values())
            .collect()
    }
}

/// Returns true if the step has changed its actor, as far as is known.
fn is_change(step: &Step) -> bool {
    let moved = step.state_after.is_some() && step.state_before != step.state_after;
    moved || !step.changes.is_empty()
}
