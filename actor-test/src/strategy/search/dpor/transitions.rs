//! What operations do, as far as executions have shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::graph_run::ExecutionItem;
use super::numbers::HashIndex;
use super::world::{self, WORLD, WorldAccess, WorldDependencies};
use crate::hash::mix;
use crate::strategy::{DeferredEvents, ObserverSet, SilentEffect, StepEffect, StepKind};

/// Something that an operation does by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum TransitionEffect {
    /// It sends an event into the inbox of an operation, of that number among its events.
    Send { to: u64, message: u64, event: u16 },
    /// It replies to who has asked.
    Reply { to: u64 },
    /// It creates an operation.
    Spawn { child: u64 },
    /// It ends: it takes no more events.
    Halt,
    /// It replies to an operation that learns of it from the world.
    WakeByWorld,
    /// It starts a timer.
    Arm { timer: u64 },
    /// It cancels a timer, and takes its event out of its inbox.
    Cancel { timer: u64 },
    /// The world takes the access of that operation next.
    PermitAccess { who: u64 },
}

/// Something that it did, and who saw it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct ObservedEffect {
    pub(super) deed: TransitionEffect,
    pub(super) onlookers: ObserverSet,
}

/// What an operation needs to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum NextInput {
    /// Its first step.
    Start,
    /// An event.
    Event,
    /// The reply that it awaits.
    Reply,
    /// An answer, one of so many.
    Answer(u32),
    /// An access to the world.
    World(WorldAccess),
    /// It waited for something when the execution was over: an event, as a rule.
    UnknownWait,
    /// It has ended.
    Nothing,
    /// It fails here: what it would do is not to be seen.
    Failure,
}

/// What an operation does between two things that it is given, and what it needs then.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct LearnedTransition {
    /// Who saw it take what it was given.
    pub(super) onlookers: ObserverSet,
    pub(super) effects: Vec<ObservedEffect>,
    pub(super) need: NextInput,
    /// Where it needs an event, which ones it puts off.
    pub(super) defers: DeferredEvents,
}

/// What operations do. An operation has no way to learn of others but by what it is given, so that
/// what it does next depends on what it was given before, and in which order: its *history*, of which
/// a hash is kept. What it is given is the same where the sender's history is.
///
/// The parts of a search that was divided share what was known before, and each learns besides.
#[derive(Debug, Default)]
pub(super) struct TransitionTable {
    /// What all parts know.
    shared: Arc<HistoryTransitions>,
    own: HistoryTransitions,
    /// Of what all parts know, what this one knows better.
    amended: BTreeMap<u32, LearnedTransition>,
    /// Which part this is; zero where it is the whole search.
    part: u32,
    /// The monitors that see things in an order that is part of the behaviour.
    pub(super) ordered_monitors: ObserverSet,
}

/// Histories, and what is done after each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct HistoryTransitions {
    histories: HashIndex,
    stretches: Vec<LearnedTransition>,
}

/// What was [saved](Lives::saved).
pub(super) type SavedLives = (HistoryTransitions, BTreeMap<u32, LearnedTransition>);

/// Says where a stretch is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct TransitionId {
    number: u32,
    /// The part of the search that alone knows it; zero where all do.
    part: u32,
}

/// Something else was done after the same history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Contradiction;

impl HistoryTransitions {
    fn learn(&mut self, history: u64, stretch: LearnedTransition) -> Result<(), Contradiction> {
        let (number, is_new) = self.histories.enter(history);
        match is_new {
            true => self.stretches.push(stretch),
            false => self.stretches[number as usize].improve(stretch)?,
        }
        Ok(())
    }
}

impl LearnedTransition {
    /// What is known, given what was seen as well, where that tells more.
    fn agree(&self, seen: &Self) -> Result<Option<Self>, Contradiction> {
        if self.effects != seen.effects || self.onlookers != seen.onlookers {
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

/// An operation did something else although it was given the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Nondeterminism {
    /// Who, by its path.
    pub(super) who: u64,
}

/// An operation in an execution that is read.
#[derive(Debug)]
struct OperationReplica {
    history: u64,
    onlookers: ObserverSet,
    deeds: Vec<ObservedEffect>,
    defers: DeferredEvents,
    has_ended: bool,
    /// It is a timer that has not fired.
    is_timer: bool,
    /// It awaits something in a handler.
    is_suspended: bool,
}

/// The path of an onlooker: a monitor, or the predicates. It takes what it sees as events, one after
/// another, and gives nothing to anybody.
pub(super) fn onlooker(number: u32) -> u64 {
    ONLOOKER | u64::from(number)
}

const ONLOOKER: u64 = 0x6f6e_6c6f_6f6b_6500;

/// Whether that is the path of an onlooker.
pub(super) fn is_onlooker(path: u64) -> bool {
    path & !0xff == ONLOOKER
}

/// What a monitor is before it sees anything, where that is the history of the test body after its first
/// step.
pub(super) fn initial_monitor_key(monitor: u32, body: u64) -> u64 {
    mix(mix(onlooker(monitor), 0xf125), body)
}

/// What a monitor that was that does where it sees something.
pub(super) fn monitor_transition_key(monitor: u32, before: u64, what: u64) -> u64 {
    mix(mix(onlooker(monitor), before), what)
}

/// What onlookers see where an operation took what it was given.
pub(super) fn input_observation(history: u64) -> u64 {
    mix(history, 0x5ee)
}

/// The history of an operation that was created with something.
pub(super) fn initial_history(path: u64, with: u64) -> u64 {
    mix(path, with)
}

/// The history after the first step.
pub(super) fn started(history: u64) -> u64 {
    mix(history, 0x57a7)
}

/// The history after it was given an event or a reply.
pub(super) fn history_after_input(history: u64, what: u64) -> u64 {
    mix(mix(history, 0x6143), what)
}

/// The history after an answer.
pub(super) fn answered(history: u64, answer: u32) -> u64 {
    mix(history, 0x0001_0000_0000 | u64::from(answer))
}

/// What the deed of that number gives to others, done with this history.
pub(super) fn effect_payload(history: u64, number: usize) -> u64 {
    mix(history, 0x0002_0000_0000 | number as u64)
}

impl TransitionTable {
    /// Those that see things in whichever order.
    pub(super) fn free(&self, onlookers: ObserverSet) -> ObserverSet {
        onlookers.monitors().but(self.ordered_monitors)
    }

    /// Where it is found what the operation does after a history, if that is known.
    pub(super) fn find(&self, history: u64) -> Option<TransitionId> {
        if let Some(number) = self.shared.histories.find(history) {
            return Some(TransitionId { number, part: 0 });
        }
        let part = self.part;
        let own = self.own.histories.find(history);
        own.map(|number| TransitionId { number, part })
    }

    /// It is found there by this part of the search.
    pub(super) fn has(&self, id: TransitionId) -> bool {
        id.part == 0 || id.part == self.part
    }

    /// What the operation does, which is found there.
    pub(super) fn after(&self, id: TransitionId) -> &LearnedTransition {
        let number = id.number as usize;
        match id.part {
            0 => match self.amended.get(&id.number) {
                Some(amended) => amended,
                None => &self.shared.stretches[number],
            },
            _ => &self.own.stretches[number],
        }
    }

    /// Takes note of what is done after a history.
    fn learn(&mut self, history: u64, stretch: LearnedTransition) -> Result<(), Contradiction> {
        if self.part == 0 {
            return Arc::make_mut(&mut self.shared).learn(history, stretch);
        }
        let Some(number) = self.shared.histories.find(history) else {
            return self.own.learn(history, stretch);
        };
        let shared = &self.shared.stretches[number as usize];
        let known = self.amended.get(&number).unwrap_or(shared);
        if let Some(better) = known.agree(&stretch)? {
            self.amended.insert(number, better);
        }
        Ok(())
    }

    /// What a part of the search begins with: all that is known.
    pub(super) fn of_part(&self, part: u32) -> Self {
        Self {
            shared: self.shared.clone(),
            part,
            ordered_monitors: self.ordered_monitors,
            ..Self::default()
        }
    }

    /// Adds what parts have learnt, one after another.
    pub(super) fn unite(&mut self, parts: Vec<Self>) -> Result<(), Contradiction> {
        let learnt: Vec<_> = parts.into_iter().map(Self::learnt).collect();
        let shared = Arc::make_mut(&mut self.shared);
        for (own, amended) in learnt {
            for (number, stretch) in amended {
                let known = &mut shared.stretches[number as usize];
                known.improve(stretch)?;
            }
            for (history, stretch) in own.histories.keys().iter().zip(own.stretches) {
                shared.learn(*history, stretch)?;
            }
        }
        Ok(())
    }

    /// What this part has learnt.
    fn learnt(self) -> (HistoryTransitions, BTreeMap<u32, LearnedTransition>) {
        (self.own, self.amended)
    }

    /// What this part, or the whole search, knows beyond what all parts know, to be restored in another
    /// process.
    pub(super) fn saved(&self) -> impl Serialize {
        let own = match self.part {
            0 => &*self.shared,
            _ => &self.own,
        };
        (own, &self.amended)
    }

    /// Knows again what was saved.
    pub(super) fn restore(&mut self, saved: SavedLives) {
        let (own, amended) = saved;
        match self.part {
            0 => self.shared = Arc::new(own),
            _ => self.own = own,
        }
        self.amended = amended;
    }

    /// How many histories are known.
    pub(super) fn len(&self) -> usize {
        self.shared.stretches.len() + self.own.stretches.len()
    }

    /// Reads what an execution has shown.
    pub(super) fn read(
        &mut self,
        seen: &[ExecutionItem],
        end: ExecutionEnd,
        ties: &WorldDependencies,
    ) -> Result<ExecutionSummary, Nondeterminism> {
        let mut reader = TransitionLearner {
            lives: self,
            ties,
            paths: HashIndex::default(),
            all: Vec::new(),
            letters: HashIndex::default(),
            payloads: Vec::new(),
            onlookers: BTreeMap::new(),
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
                    onlookers,
                    defers,
                    touch,
                    is_suspended,
                } => {
                    reader.is_access = touch.is_some();
                    reader.show_taken()?;
                    if last.is_some() && reader.begun.is_none() {
                        reader.begun = Some(reader.life(reader.body)?.history);
                    }
                    last = Some(who);
                    reader.input(who, kind, message)?;
                    if let Some(touch) = touch {
                        reader.touch(who, touch)?;
                    }
                    if matches!(kind, StepKind::Flush | StepKind::Timer) {
                        reader.carry_out(who, message, inbox, carried, (onlookers, touch))?;
                    } else {
                        reader.life(who)?.onlookers = onlookers;
                        reader.shown = (!onlookers.is_empty()).then_some((onlookers, who));
                    }
                    let life = reader.life(who)?;
                    (life.defers, life.is_suspended) = (defers, is_suspended);
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
                    // Whoever waits is left out, and may have taken the last step.
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

/// What an execution has shown.
#[derive(Debug)]
pub(super) struct ExecutionSummary {
    /// A hash of what was done in it.
    pub(super) class: u64,
    /// What monitors did: each with a hash of what it was and saw, and of what it was then.
    pub(super) moves: Vec<(u32, u64, u64)>,
    /// What each was in the end.
    pub(super) monitors: Vec<(u32, u64)>,
}

/// How the execution that is read has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExecutionEnd {
    /// By itself.
    Whole,
    /// At a bug.
    Failed,
    /// It was cut off.
    Cut,
}

struct TransitionLearner<'a> {
    lives: &'a mut TransitionTable,
    ties: &'a WorldDependencies,
    /// The operations, by their paths; `None` for those that are left out.
    paths: HashIndex,
    all: Vec<Option<OperationReplica>>,
    /// What an event or a reply holds, by its number, until it is taken.
    letters: HashIndex,
    payloads: Vec<Option<u64>>,
    /// The histories of onlookers.
    onlookers: BTreeMap<u64, u64>,
    /// Who is to see the step in progress, of whom, once its choices are answered.
    shown: Option<(ObserverSet, u64)>,
    /// The step in progress is an access to the world.
    is_access: bool,
    /// The path of the test body.
    body: u64,
    /// Its history after the first step.
    begun: Option<u64>,
    /// What the last step that carried out something has given to others.
    gift: u64,
    /// What each monitor is now.
    monitors: Vec<(u32, u64)>,
    /// What monitors did.
    moves: Vec<(u32, u64, u64)>,
}

impl TransitionLearner<'_> {
    fn create(&mut self, path: u64, with: u64, defers: DeferredEvents) {
        let life = OperationReplica {
            history: initial_history(path, with),
            onlookers: ObserverSet::default(),
            deeds: Vec::new(),
            defers,
            has_ended: false,
            is_timer: false,
            is_suspended: false,
        };
        match self.paths.enter(path) {
            (_, true) => self.all.push(Some(life)),
            (known, false) => self.all[known as usize] = Some(life),
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

    fn life(&mut self, who: u64) -> Result<&mut OperationReplica, Nondeterminism> {
        let found = self.paths.find(who);
        let life = found.and_then(|number| self.all[number as usize].as_mut());
        life.ok_or(Nondeterminism { who })
    }

    /// What it has done since it was given something is known now, and it needs something.
    fn close(&mut self, who: u64, need: NextInput) -> Result<u64, Nondeterminism> {
        let found = self.paths.find(who);
        let life = found.and_then(|number| self.all[number as usize].as_mut());
        let life = life.ok_or(Nondeterminism { who })?;
        // Who saw a step saw what was chosen in it as well.
        let is_in_step = matches!(need, NextInput::Answer(_));
        let onlookers = match is_in_step {
            true => ObserverSet::default(),
            false => std::mem::take(&mut life.onlookers),
        };
        let stretch = LearnedTransition {
            onlookers,
            effects: std::mem::take(&mut life.deeds),
            need,
            defers: match need {
                NextInput::Event | NextInput::UnknownWait => life.defers,
                _ => DeferredEvents::default(),
            },
        };
        let history = life.history;
        let learnt = self.lives.learn(history, stretch);
        learnt.map_err(|Contradiction| Nondeterminism { who })?;
        Ok(history)
    }

    /// What an operation was given in a step.
    fn input(&mut self, who: u64, kind: StepKind, message: u64) -> Result<(), Nondeterminism> {
        match kind {
            StepKind::Start => {
                let history = self.close(who, NextInput::Start)?;
                self.life(who)?.history = started(history);
            }
            StepKind::Handle => {
                let gift = self.take(message);
                let history = self.close(who, NextInput::Event)?;
                self.life(who)?.history =
                    history_after_input(history, gift.ok_or(Nondeterminism { who })?);
            }
            StepKind::Resume if !self.ties.waiting.contains(&who) => {
                let gift = self.take(who);
                let history = self.close(who, NextInput::Reply)?;
                self.life(who)?.history =
                    history_after_input(history, gift.ok_or(Nondeterminism { who })?);
            }
            _ => {}
        }
        Ok(())
    }

    /// The world takes an access.
    fn touch(&mut self, who: u64, touch: WorldAccess) -> Result<(), Nondeterminism> {
        let history = self.close(who, NextInput::World(touch))?;
        if self.paths.find(WORLD).is_none() {
            self.create(WORLD, 0, DeferredEvents::default());
        }
        let world = self.close(WORLD, NextInput::Event)?;
        let world = history_after_input(world, world::access_payload(history));
        self.life(WORLD)?.history = world;
        let life = self.life(who)?;
        life.history = world::synced(history, world);
        life.is_timer = false;
        Ok(())
    }

    /// The world takes the access of an operation next.
    fn open(&mut self, who: u64) -> Result<(), Nondeterminism> {
        self.life(who)?;
        let deed = TransitionEffect::PermitAccess { who };
        let onlookers = ObserverSet::default();
        self.life(WORLD)?
            .deeds
            .push(ObservedEffect { deed, onlookers });
        Ok(())
    }

    /// What was carried out in a step.
    fn carry_out(
        &mut self,
        who: u64,
        message: u64,
        inbox: u64,
        carried: StepEffect,
        (onlookers, touch): (ObserverSet, Option<WorldAccess>),
    ) -> Result<(), Nondeterminism> {
        let is_tied = |asker| self.ties.waiting.contains(&asker);
        let (deed, to) = match carried {
            StepEffect::Sent(event) => {
                let to = inbox;
                (TransitionEffect::Send { to, message, event }, message)
            }
            StepEffect::Replied(asker) if is_tied(asker) => (TransitionEffect::WakeByWorld, who),
            // An operation awaits one reply at a time.
            StepEffect::Replied(to) => (TransitionEffect::Reply { to }, to),
            StepEffect::Started(child, _) => (TransitionEffect::Spawn { child }, child),
            StepEffect::Halted => (TransitionEffect::Halt, who),
            // A sleep is over: who sleeps learns of it from the world.
            StepEffect::Nothing if touch == Some(WorldAccess::Fire) => {
                (TransitionEffect::WakeByWorld, who)
            }
            StepEffect::Nothing => return Err(Nondeterminism { who }),
        };
        let life = self.life(who)?;
        let gift = effect_payload(life.history, life.deeds.len());
        life.deeds.push(ObservedEffect { deed, onlookers });
        life.has_ended |= deed == TransitionEffect::Halt || touch == Some(WorldAccess::Fire);
        match deed {
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
        self.show(onlookers, gift);
        Ok(())
    }

    /// What rode along with a step.
    fn read_silent_effect(&mut self, who: u64, what: SilentEffect) -> Result<(), Nondeterminism> {
        let onlookers = ObserverSet::default();
        let life = self.life(who)?;
        let gift = effect_payload(life.history, life.deeds.len());
        let deed = match what {
            SilentEffect::Armed { timer, .. } => TransitionEffect::Arm { timer },
            SilentEffect::Cancelled { timer } => TransitionEffect::Cancel { timer },
        };
        life.deeds.push(ObservedEffect { deed, onlookers });
        if let TransitionEffect::Arm { timer } = deed {
            self.create(timer, gift, DeferredEvents::default());
            self.life(timer)?.is_timer = true;
        }
        Ok(())
    }

    fn show(&mut self, onlookers: ObserverSet, what: u64) {
        self.gift = what;
        for number in onlookers.but(self.lives.free(onlookers)).iter() {
            let path = onlooker(number);
            let history = self
                .onlookers
                .entry(path)
                .or_insert(initial_history(path, 0));
            *history = history_after_input(*history, what);
        }
    }

    /// A monitor has looked at the step in progress.
    fn read_monitor(
        &mut self,
        monitor: u32,
        before: u64,
        after: u64,
    ) -> Result<(), Nondeterminism> {
        if self.lives.free(ObserverSet::monitor(monitor)).is_empty() {
            return Ok(());
        }
        let gift = match self.shown {
            Some((_, who)) => input_observation(self.life(who)?.history),
            None => self.gift,
        };
        let mut known = self.monitors.iter_mut();
        match known.find(|(number, _)| *number == monitor) {
            Some((_, state)) => *state = after,
            None => {
                let begun = match self.begun {
                    Some(begun) => begun,
                    None => self.life(self.body)?.history,
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

    /// The step in progress is over: its onlookers have seen it.
    fn show_taken(&mut self) -> Result<(), Nondeterminism> {
        if let Some((onlookers, who)) = self.shown.take() {
            let history = self.life(who)?.history;
            self.show(onlookers, input_observation(history));
        }
        Ok(())
    }

    fn choice(&mut self, who: u64, of: u32, answer: u32) -> Result<(), Nondeterminism> {
        let history = self.close(who, NextInput::Answer(of))?;
        self.life(who)?.history = answered(history, answer);
        if self.is_access {
            // What the step does to timers is up to the answer.
            let world = self.life(WORLD)?;
            world.history = answered(world.history, answer);
        }
        Ok(())
    }

    /// What an operation needs when the execution is over.
    fn left(&self, who: u64, life: &OperationReplica) -> NextInput {
        match () {
            () if who == WORLD => NextInput::Event,
            () if life.has_ended => NextInput::Nothing,
            () if life.is_timer => NextInput::World(WorldAccess::Fire),
            () if !life.is_suspended => NextInput::UnknownWait,
            () if self.ties.waiting.contains(&who) => NextInput::World(WorldAccess::Resume),
            () => NextInput::Reply,
        }
    }

    fn end(&mut self, end: ExecutionEnd, last: Option<u64>) -> Result<u64, Nondeterminism> {
        match (end, last) {
            (ExecutionEnd::Whole, _) => {
                let all = self.paths.keys().iter().zip(&self.all);
                let all: Vec<(u64, NextInput)> = all
                    .filter_map(|(path, life)| Some((*path, self.left(*path, life.as_ref()?))))
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
        let histories = self.all.iter().flatten().map(|life| life.history);
        Ok(class(histories.chain(self.onlookers.values().copied())))
    }
}

/// A hash of what was done, from all histories.
pub(super) fn class(histories: impl Iterator<Item = u64>) -> u64 {
    histories.fold(0, |class, history| class.wrapping_add(mix(history, 0xc1a5)))
}
