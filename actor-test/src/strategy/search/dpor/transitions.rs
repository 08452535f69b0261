//! The transitions of operations, learned from executions: effects and next need, by the history of inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::graph_run::ExecutionItem;
use super::world::{self, WORLD, WorldAccess, WorldDependencies};
use crate::data::step::StepKind;
use crate::hash::mix;
use crate::number_table::HashIndex;
use crate::strategy::{DeferredEvents, ObserverSet, SilentEffect, StepEffect};

/// The number of every event that is put on a link. A link is an operation that nobody spawns: it takes each
/// message and sends it on.
pub(super) const ON_LINK: u16 = u16::MAX;

/// An effect of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum TransitionEffect {
    /// The operation sends an event to another one; `event` is its number among the receiver's events.
    Send {
        to: u64,
        message: u64,
        event: u16,
    },
    /// The operation replies to the asker.
    Reply {
        to: u64,
    },
    Spawn {
        child: u64,
    },
    /// The operation ends and takes no more events.
    Halt,
    /// The operation replies to one that learns of the reply from the world.
    WakeByWorld,
    Arm {
        timer: u64,
    },
    /// The operation cancels a timer, which removes the timer's event from the inbox.
    Cancel {
        timer: u64,
    },
    /// The world may take the gated access of operation `who` next.
    PermitAccess {
        who: u64,
    },
}

/// An effect with its observers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct ObservedEffect {
    pub(super) effect: TransitionEffect,
    pub(super) observers: ObserverSet,
}

/// The input that an operation needs to continue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum NextInput {
    Start,
    Event,
    Reply,
    /// The answer to a choice among so many.
    Answer(u32),
    World(WorldAccess),
    /// The operation waited when the execution ended, usually for an event.
    UnknownWait,
    /// The operation has ended.
    Nothing,
    /// The operation fails here, so its further effects are unknown.
    Failure,
}

/// A transition of an operation: the effects between two inputs, and the need for the next input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct LearnedTransition {
    /// The observers of the step that takes the input.
    pub(super) observers: ObserverSet,
    pub(super) effects: Vec<ObservedEffect>,
    pub(super) need: NextInput,
    /// The events that the operation defers, if it needs an event.
    pub(super) defers: DeferredEvents,
}

/// The learned transition relation of all operations. An operation learns of others only by its inputs, so
/// its next transition depends only on its *history*: the sequence of its inputs, kept as a hash. The payload
/// of an input is determined by the history of its sender.
///
/// The parts of a divided search share what was known at the division, and each part learns on its own.
#[derive(Debug, Default)]
pub(super) struct TransitionTable {
    /// The transitions that all parts know.
    shared: Arc<HistoryTransitions>,
    own: HistoryTransitions,
    /// Shared transitions that this part knows more precisely.
    amended: BTreeMap<u32, LearnedTransition>,
    /// The number of this part; zero for the whole search.
    part: u32,
    /// The monitors whose order of observations is part of the behaviour.
    pub(super) ordered_monitors: ObserverSet,
}

/// Histories, and the transition after each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct HistoryTransitions {
    histories: HashIndex,
    transitions: Vec<LearnedTransition>,
}

/// The data [saved](TransitionTable::saved) for another OS process.
pub(super) type SavedTransitions = (HistoryTransitions, BTreeMap<u32, LearnedTransition>);

/// A reference to a learned transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct TransitionId {
    number: u32,
    /// The part of the search that alone knows the transition; zero if all parts do.
    part: u32,
}

/// Two different transitions were observed after the same history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Contradiction;

impl HistoryTransitions {
    fn learn(&mut self, history: u64, transition: LearnedTransition) -> Result<(), Contradiction> {
        let (number, is_new) = self.histories.enter(history);
        match is_new {
            true => self.transitions.push(transition),
            false => self.transitions[number as usize].improve(transition)?,
        }
        Ok(())
    }
}

impl LearnedTransition {
    /// Compares the transition with an observed one; returns the more precise one if that is an improvement.
    fn agree(&self, seen: &Self) -> Result<Option<Self>, Contradiction> {
        if self.effects != seen.effects || self.observers != seen.observers {
            return Err(Contradiction);
        }
        let takes_events = |need| matches!(need, NextInput::Event | NextInput::UnknownWait);
        let take_events = takes_events(self.need) && takes_events(seen.need);
        if take_events && self.defers != seen.defers {
            return Err(Contradiction);
        }
        match self.need {
            same if same == seen.need || seen.need == NextInput::UnknownWait => Ok(None),
            NextInput::UnknownWait => Ok(Some(seen.clone())),
            _ => Err(Contradiction),
        }
    }

    fn improve(&mut self, seen: Self) -> Result<(), Contradiction> {
        if let Some(better) = self.agree(&seen)? {
            *self = better;
        }
        Ok(())
    }
}

/// An operation behaved differently after the same inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Nondeterminism {
    /// The path of the operation.
    pub(super) who: u64,
}

/// An operation of the execution that is being read.
#[derive(Debug)]
struct OperationReplica {
    history: u64,
    observers: ObserverSet,
    effects: Vec<ObservedEffect>,
    defers: DeferredEvents,
    has_ended: bool,
    /// True if this is a timer that has not fired.
    is_timer: bool,
    /// True if the operation awaits something in a handler.
    is_suspended: bool,
}

/// Returns the path of an observer: a monitor or a predicate. An observer takes observations as events and
/// has no effects.
pub(super) fn observer(number: u32) -> u64 {
    OBSERVER | u64::from(number)
}

const OBSERVER: u64 = 0x6f6e_6c6f_6f6b_6500;

pub(super) fn is_observer(path: u64) -> bool {
    path & !0xff == OBSERVER
}

/// Returns the key of a monitor's initial state. The state depends on `body`, the history of the test body
/// after its first step.
pub(super) fn initial_monitor_key(monitor: u32, body: u64) -> u64 {
    mix(mix(observer(monitor), 0xf125), body)
}

/// Returns the key of a monitor's transition from the state `before` by the observation `what`.
pub(super) fn monitor_transition_key(monitor: u32, before: u64, what: u64) -> u64 {
    mix(mix(observer(monitor), before), what)
}

/// Returns the observation of an operation that has taken an input.
pub(super) fn input_observation(history: u64) -> u64 {
    mix(history, 0x5ee)
}

/// Returns the initial history of an operation that was created with the payload `with`.
pub(super) fn initial_history(path: u64, with: u64) -> u64 {
    mix(path, with)
}

/// Returns the history after the first step.
pub(super) fn started(history: u64) -> u64 {
    mix(history, 0x57a7)
}

/// Returns the history after an event or a reply with the payload `what`.
pub(super) fn history_after_input(history: u64, what: u64) -> u64 {
    mix(mix(history, 0x6143), what)
}

/// Returns the history after the answer to a choice.
pub(super) fn answered(history: u64, answer: u32) -> u64 {
    mix(history, 0x0001_0000_0000 | u64::from(answer))
}

/// Returns the payload of an effect: the one with this number after this history.
pub(super) fn effect_payload(history: u64, number: usize) -> u64 {
    mix(history, 0x0002_0000_0000 | number as u64)
}

impl TransitionTable {
    /// Returns those monitors whose order of observations is no part of the behaviour.
    pub(super) fn free(&self, observers: ObserverSet) -> ObserverSet {
        observers.monitors().but(self.ordered_monitors)
    }

    /// Finds the transition after a history, if it is known.
    pub(super) fn find(&self, history: u64) -> Option<TransitionId> {
        if let Some(number) = self.shared.histories.find(history) {
            return Some(TransitionId { number, part: 0 });
        }
        let part = self.part;
        let own = self.own.histories.find(history);
        own.map(|number| TransitionId { number, part })
    }

    /// True if this part of the search knows the transition.
    pub(super) fn has(&self, id: TransitionId) -> bool {
        id.part == 0 || id.part == self.part
    }

    pub(super) fn after(&self, id: TransitionId) -> &LearnedTransition {
        let number = id.number as usize;
        match id.part {
            0 => match self.amended.get(&id.number) {
                Some(amended) => amended,
                None => &self.shared.transitions[number],
            },
            _ => &self.own.transitions[number],
        }
    }

    /// Records the transition after a history.
    fn learn(&mut self, history: u64, transition: LearnedTransition) -> Result<(), Contradiction> {
        if self.part == 0 {
            return Arc::make_mut(&mut self.shared).learn(history, transition);
        }
        let Some(number) = self.shared.histories.find(history) else {
            return self.own.learn(history, transition);
        };
        let shared = &self.shared.transitions[number as usize];
        let known = self.amended.get(&number).unwrap_or(shared);
        if let Some(better) = known.agree(&transition)? {
            self.amended.insert(number, better);
        }
        Ok(())
    }

    /// Returns the initial knowledge of a part: all shared transitions.
    pub(super) fn of_part(&self, part: u32) -> Self {
        Self {
            shared: self.shared.clone(),
            part,
            ordered_monitors: self.ordered_monitors,
            ..Self::default()
        }
    }

    /// Merges the knowledge of the parts, one after another.
    pub(super) fn unite(&mut self, parts: Vec<Self>) -> Result<(), Contradiction> {
        let learnt: Vec<_> = parts.into_iter().map(Self::learnt).collect();
        let shared = Arc::make_mut(&mut self.shared);
        for (own, amended) in learnt {
            for (number, transition) in amended {
                let known = &mut shared.transitions[number as usize];
                known.improve(transition)?;
            }
            for (history, transition) in own.histories.keys().iter().zip(own.transitions) {
                shared.learn(*history, transition)?;
            }
        }
        Ok(())
    }

    fn learnt(self) -> (HistoryTransitions, BTreeMap<u32, LearnedTransition>) {
        (self.own, self.amended)
    }

    /// Returns what this part, or the whole search, knows in addition to the shared knowledge, for another
    /// process.
    pub(super) fn saved(&self) -> impl Serialize {
        let own = match self.part {
            0 => &*self.shared,
            _ => &self.own,
        };
        (own, &self.amended)
    }

    pub(super) fn restore(&mut self, saved: SavedTransitions) {
        let (own, amended) = saved;
        match self.part {
            0 => self.shared = Arc::new(own),
            _ => self.own = own,
        }
        self.amended = amended;
    }

    pub(super) fn len(&self) -> usize {
        self.shared.transitions.len() + self.own.transitions.len()
    }

    /// Learns from the observations of an execution.
    pub(super) fn read(
        &mut self,
        seen: &[ExecutionItem],
        end: ExecutionEnd,
        ties: &WorldDependencies,
    ) -> Result<ExecutionSummary, Nondeterminism> {
        let mut reader = TransitionLearner {
            table: self,
            ties,
            paths: HashIndex::default(),
            all: Vec::new(),
            letters: HashIndex::default(),
            payloads: Vec::new(),
            observers: BTreeMap::new(),
            shown: None,
            is_access: false,
            body: 0,
            begun: None,
            gift: 0,
            monitors: Vec::new(),
            moves: Vec::new(),
        };
        let mut last = None;
        for seen in seen {
            match *seen {
                ExecutionItem::Body { path } => {
                    reader.body = path;
                    reader.create(path, 0, DeferredEvents::default());
                }
                ExecutionItem::Step {
                    who,
                    kind,
                    message,
                    inbox,
                    carried,
                    observers,
                    defers,
                    touch,
                    is_suspended,
                } => {
                    reader.is_access = touch.is_some();
                    reader.show_taken()?;
                    if last.is_some() && reader.begun.is_none() {
                        reader.begun = Some(reader.replica(reader.body)?.history);
                    }
                    last = Some(who);
                    reader.input(who, kind, message)?;
                    if let Some(touch) = touch {
                        reader.touch(who, touch)?;
                    }
                    if matches!(kind, StepKind::Flush | StepKind::Timer) {
                        reader.carry_out(who, message, inbox, carried, (observers, touch))?;
                    } else {
                        reader.replica(who)?.observers = observers;
                        reader.shown = (!observers.is_empty()).then_some((observers, who));
                    }
                    let replica = reader.replica(who)?;
                    (replica.defers, replica.is_suspended) = (defers, is_suspended);
                }
                ExecutionItem::SilentEffect { who, what } => {
                    reader.read_silent_effect(who, what)?
                }
                ExecutionItem::Observed {
                    monitor,
                    before,
                    after,
                } => reader.read_monitor(monitor, before, after)?,
                ExecutionItem::Open { who } => reader.open(who)?,
                ExecutionItem::Waiting { who, kind } => {
                    // An operation that waits is left out, and may have taken the last step.
                    reader.show_taken()?;
                    let need = match kind {
                        StepKind::Start => NextInput::Start,
                        StepKind::Handle => NextInput::Event,
                        _ if ties.waiting.contains(&who) => NextInput::World(WorldAccess::Resume),
                        _ => NextInput::Reply,
                    };
                    reader.close(who, need)?;
                    reader.leave_out(who);
                }
                ExecutionItem::Choice { who, of, answer } => {
                    last = Some(who);
                    reader.choice(who, of, answer)?;
                }
            }
        }
        reader.show_taken()?;
        let class = reader.end(end, last)?;
        Ok(ExecutionSummary {
            class,
            moves: reader.moves,
            monitors: reader.monitors,
        })
    }
}

/// The result of reading an execution.
#[derive(Debug)]
pub(super) struct ExecutionSummary {
    /// The hash of the behaviour.
    pub(super) class: u64,
    /// The transitions of monitors: the monitor, the key of the transition, and the state after it.
    pub(super) moves: Vec<(u32, u64, u64)>,
    /// The final state of each monitor.
    pub(super) monitors: Vec<(u32, u64)>,
}

/// The end of the execution that is being read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExecutionEnd {
    /// The execution ended by itself.
    Whole,
    /// The last step failed.
    Failed,
    /// The execution was cut off.
    Cut,
}

struct TransitionLearner<'a> {
    table: &'a mut TransitionTable,
    ties: &'a WorldDependencies,
    /// The operations by path; `None` in `all` for an operation that is left out.
    paths: HashIndex,
    all: Vec<Option<OperationReplica>>,
    /// The payload of each event or reply by its number, until it is taken.
    letters: HashIndex,
    payloads: Vec<Option<u64>>,
    /// The histories of the observers, by path.
    observers: BTreeMap<u64, u64>,
    /// The observers of the step in progress, and its operation, until its choices are answered.
    shown: Option<(ObserverSet, u64)>,
    /// True if the step in progress accesses the world.
    is_access: bool,
    /// The path of the test body.
    body: u64,
    /// The history of the test body after its first step.
    begun: Option<u64>,
    /// The payload of the last effect that was carried out.
    gift: u64,
    /// The current state of each monitor.
    monitors: Vec<(u32, u64)>,
    /// The transitions of monitors so far.
    moves: Vec<(u32, u64, u64)>,
}

impl TransitionLearner<'_> {
    fn create(&mut self, path: u64, with: u64, defers: DeferredEvents) {
        let replica = OperationReplica {
            history: initial_history(path, with),
            observers: ObserverSet::default(),
            effects: Vec::new(),
            defers,
            has_ended: false,
            is_timer: false,
            is_suspended: false,
        };
        match self.paths.enter(path) {
            (_, true) => self.all.push(Some(replica)),
            (known, false) => self.all[known as usize] = Some(replica),
        }
    }

    fn leave_out(&mut self, who: u64) {
        if let Some(number) = self.paths.find(who) {
            self.all[number as usize] = None;
        }
    }

    fn give(&mut self, what: u64, gift: u64) {
        match self.letters.enter(what) {
            (_, true) => self.payloads.push(Some(gift)),
            (known, false) => self.payloads[known as usize] = Some(gift),
        }
    }

    fn take(&mut self, what: u64) -> Option<u64> {
        let number = self.letters.find(what)?;
        self.payloads[number as usize].take()
    }

    fn replica(&mut self, who: u64) -> Result<&mut OperationReplica, Nondeterminism> {
        let found = self.paths.find(who);
        let replica = found.and_then(|number| self.all[number as usize].as_mut());
        replica.ok_or(Nondeterminism { who })
    }

    /// Learns the operation's transition since its last input, now that its next need is known.
    fn close(&mut self, who: u64, need: NextInput) -> Result<u64, Nondeterminism> {
        let found = self.paths.find(who);
        let replica = found.and_then(|number| self.all[number as usize].as_mut());
        let replica = replica.ok_or(Nondeterminism { who })?;
        // The observers of a step see its choices as well, so the transition after the last choice has them.
        let is_in_step = matches!(need, NextInput::Answer(_));
        let observers = match is_in_step {
            true => ObserverSet::default(),
            false => std::mem::take(&mut replica.observers),
        };
        let transition = LearnedTransition {
            observers,
            effects: std::mem::take(&mut replica.effects),
            need,
            defers: match need {
                NextInput::Event | NextInput::UnknownWait => replica.defers,
                _ => DeferredEvents::default(),
            },
        };
        let history = replica.history;
        let learnt = self.table.learn(history, transition);
        learnt.map_err(|Contradiction| Nondeterminism { who })?;
        Ok(history)
    }

    /// Reads the input that an operation takes in a step.
    fn input(&mut self, who: u64, kind: StepKind, message: u64) -> Result<(), Nondeterminism> {
        match kind {
            StepKind::Start => {
                let history = self.close(who, NextInput::Start)?;
                self.replica(who)?.history = started(history);
            }
            StepKind::Handle => {
                let gift = self.take(message);
                let history = self.close(who, NextInput::Event)?;
                self.replica(who)?.history =
                    history_after_input(history, gift.ok_or(Nondeterminism { who })?);
            }
            StepKind::Resume if !self.ties.waiting.contains(&who) => {
                let gift = self.take(who);
                let history = self.close(who, NextInput::Reply)?;
                self.replica(who)?.history =
                    history_after_input(history, gift.ok_or(Nondeterminism { who })?);
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads an access to the world.
    fn touch(&mut self, who: u64, touch: WorldAccess) -> Result<(), Nondeterminism> {
        let history = self.close(who, NextInput::World(touch))?;
        if self.paths.find(WORLD).is_none() {
            self.create(WORLD, 0, DeferredEvents::default());
        }
        let world = self.close(WORLD, NextInput::Event)?;
        let world = history_after_input(world, world::access_payload(history));
        self.replica(WORLD)?.history = world;
        let replica = self.replica(who)?;
        replica.history = world::synced(history, world);
        replica.is_timer = false;
        Ok(())
    }

    /// Records that the world may take the gated access of an operation next.
    fn open(&mut self, who: u64) -> Result<(), Nondeterminism> {
        self.replica(who)?;
        let effect = TransitionEffect::PermitAccess { who };
        let observers = ObserverSet::default();
        self.replica(WORLD)?
            .effects
            .push(ObservedEffect { effect, observers });
        Ok(())
    }

    /// Reads the effect that a step carried out.
    fn carry_out(
        &mut self,
        who: u64,
        message: u64,
        inbox: u64,
        carried: StepEffect,
        (observers, touch): (ObserverSet, Option<WorldAccess>),
    ) -> Result<(), Nondeterminism> {
        let is_tied = |asker| self.ties.waiting.contains(&asker);
        let (effect, to) = match carried {
            StepEffect::Sent(event) => {
                let to = inbox;
                if event == ON_LINK && self.paths.find(to).is_none() {
                    self.create(to, 0, DeferredEvents::default());
                }
                (TransitionEffect::Send { to, message, event }, message)
            }
            StepEffect::Replied(asker) if is_tied(asker) => (TransitionEffect::WakeByWorld, who),
            // An operation awaits one reply at a time.
            StepEffect::Replied(to) => (TransitionEffect::Reply { to }, to),
            StepEffect::Started(child, _) => (TransitionEffect::Spawn { child }, child),
            StepEffect::Halted => (TransitionEffect::Halt, who),
            // A sleep ends: the sleeper learns of it from the world.
            StepEffect::Nothing if touch == Some(WorldAccess::Fire) => {
                (TransitionEffect::WakeByWorld, who)
            }
            StepEffect::Nothing | StepEffect::Leaves => return Err(Nondeterminism { who }),
        };
        let replica = self.replica(who)?;
        let gift = effect_payload(replica.history, replica.effects.len());
        replica.effects.push(ObservedEffect { effect, observers });
        replica.has_ended |= effect == TransitionEffect::Halt || touch == Some(WorldAccess::Fire);
        match effect {
            TransitionEffect::Spawn { child } => {
                let defers = match carried {
                    StepEffect::Started(_, defers) => defers,
                    _ => DeferredEvents::default(),
                };
                self.create(child, gift, defers);
            }
            TransitionEffect::Send { .. } | TransitionEffect::Reply { .. } => self.give(to, gift),
            _ => {}
        }
        self.show(observers, gift);
        Ok(())
    }

    /// Reads an effect that was carried out within a step.
    fn read_silent_effect(&mut self, who: u64, what: SilentEffect) -> Result<(), Nondeterminism> {
        let observers = ObserverSet::default();
        let replica = self.replica(who)?;
        let gift = effect_payload(replica.history, replica.effects.len());
        let effect = match what {
            SilentEffect::Armed { timer, .. } => TransitionEffect::Arm { timer },
            SilentEffect::Cancelled { timer } => TransitionEffect::Cancel { timer },
        };
        replica.effects.push(ObservedEffect { effect, observers });
        if let TransitionEffect::Arm { timer } = effect {
            self.create(timer, gift, DeferredEvents::default());
            self.replica(timer)?.is_timer = true;
        }
        Ok(())
    }

    fn show(&mut self, observers: ObserverSet, what: u64) {
        self.gift = what;
        for number in observers.but(self.table.free(observers)).iter() {
            let path = observer(number);
            let history = self
                .observers
                .entry(path)
                .or_insert(initial_history(path, 0));
            *history = history_after_input(*history, what);
        }
    }

    /// Reads a monitor's observation of the step in progress.
    fn read_monitor(
        &mut self,
        monitor: u32,
        before: u64,
        after: u64,
    ) -> Result<(), Nondeterminism> {
        if self.table.free(ObserverSet::monitor(monitor)).is_empty() {
            return Ok(());
        }
        let gift = match self.shown {
            Some((_, who)) => input_observation(self.replica(who)?.history),
            None => self.gift,
        };
        let mut known = self.monitors.iter_mut();
        match known.find(|(number, _)| *number == monitor) {
            Some((_, state)) => *state = after,
            None => {
                let begun = match self.begun {
                    Some(begun) => begun,
                    None => self.replica(self.body)?.history,
                };
                self.monitors.push((monitor, after));
                self.moves
                    .push((monitor, initial_monitor_key(monitor, begun), before));
            }
        }
        self.moves.push((
            monitor,
            monitor_transition_key(monitor, before, gift),
            after,
        ));
        Ok(())
    }

    /// Ends the step in progress: its observers see it.
    fn show_taken(&mut self) -> Result<(), Nondeterminism> {
        if let Some((observers, who)) = self.shown.take() {
            let history = self.replica(who)?.history;
            self.show(observers, input_observation(history));
        }
        Ok(())
    }

    fn choice(&mut self, who: u64, of: u32, answer: u32) -> Result<(), Nondeterminism> {
        let history = self.close(who, NextInput::Answer(of))?;
        self.replica(who)?.history = answered(history, answer);
        if self.is_access {
            // The answer decides how the step changes timers.
            let world = self.replica(WORLD)?;
            world.history = answered(world.history, answer);
        }
        Ok(())
    }

    /// Returns the need of an operation at the end of the execution.
    fn left(&self, who: u64, replica: &OperationReplica) -> NextInput {
        match () {
            () if who == WORLD => NextInput::Event,
            () if replica.has_ended => NextInput::Nothing,
            () if replica.is_timer => NextInput::World(WorldAccess::Fire),
            () if !replica.is_suspended => NextInput::UnknownWait,
            () if self.ties.waiting.contains(&who) => NextInput::World(WorldAccess::Resume),
            () => NextInput::Reply,
        }
    }

    fn end(&mut self, end: ExecutionEnd, last: Option<u64>) -> Result<u64, Nondeterminism> {
        match (end, last) {
            (ExecutionEnd::Whole, _) => {
                let all = self.paths.keys().iter().zip(&self.all);
                let all: Vec<(u64, NextInput)> = all
                    .filter_map(|(path, replica)| {
                        Some((*path, self.left(*path, replica.as_ref()?)))
                    })
                    .collect();
                for (who, need) in all {
                    self.close(who, need)?;
                }
            }
            (ExecutionEnd::Failed, Some(who)) => {
                self.close(who, NextInput::Failure)?;
            }
            _ => {}
        }
        let histories = self.all.iter().flatten().map(|replica| replica.history);
        Ok(class(histories.chain(self.observers.values().copied())))
    }
}

/// Returns the hash of a behaviour, from the histories of all operations and observers.
pub(super) fn class(histories: impl Iterator<Item = u64>) -> u64 {
    histories.fold(0, |class, history| class.wrapping_add(mix(history, 0xc1a5)))
}
