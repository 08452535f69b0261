//! What the engine knows of an execution: queues, effects and the enabled set, as plain data.
//!
//! Nothing here calls a user's code; where that is due, a method returns what is to be called, and
//! the run loop calls it with nothing borrowed.

use std::any::TypeId;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use actor_core::__private::AskSlot;
use actor_core::parts::{AnyMail, AnySlab, Body};
use actor_core::runtime::{Again, Factory, Family, Notice, Spawn, SpawnOptions};
use actor_core::{ActorInfo, AskError, Disposition, StopReason};

use super::enabled::{ABSENT, EnabledSet};
use super::landmarks::Landmarks;
use super::lasso::Suspicion;
use super::observers::Observers;
use super::operation::{Effect, Kind, Letter, Operation, STOP, Sender, Stage, Told, Watch};
use super::recorder::Recorder;
use super::room::{Bound, Delivery, Question};
use super::tally::Tally;
use super::tape::Tape;
use super::thermometer::Thermometer;
use super::timers::Timers;
use crate::bug::{BugKind, Finding};
use crate::hash::{mix, text};
use crate::strategy::{EventId, OperationId, Pending, StepKind};

/// The test body.
pub(super) const BODY: u32 = 0;

/// The parts of one actor. Its operation has the mail, too, for who sends to it.
pub(super) struct Parts {
    pub(super) mail: Rc<dyn AnyMail>,
    pub(super) body: Body,
    /// What makes the values of a supervised actor.
    pub(super) factory: Option<Factory>,
}

/// The children of an actor, or one child of the system.
pub(super) struct Household {
    pub(super) family: Family,
    /// `None` for the system.
    pub(super) supervisor: Option<u32>,
}

/// An actor type that this engine has met, with the parts of its actors that have ended.
pub(super) struct ActorType {
    pub(super) info: &'static ActorInfo,
    type_id: TypeId,
    /// A hash of its name.
    name: u64,
    events: Vec<EventId>,
    pool: Vec<Parts>,
    /// One state at most, which handles every event.
    plain: bool,
    /// How many of this type the execution has.
    count: u32,
    /// What its actors ran, over all executions.
    pub(super) tally: Tally,
}

/// An `ask` in progress.
pub(super) struct AskRecord {
    pub(super) slot: Option<Arc<AskSlot>>,
    pub(super) asker: u32,
    pub(super) target: u32,
    key: u64,
    /// The key of the letter that asks.
    pub(super) letter: u64,
    /// The reply, or its loss, has been delivered.
    pub(super) delivered: bool,
    /// Nobody waits for it any more.
    pub(super) abandoned: bool,
    /// The reply was sent, or a handler has taken it into its own hands: what becomes of the handler
    /// says nothing of it any more.
    pub(super) out_of_hands: bool,
}

impl AskRecord {
    /// Someone may await the reply.
    pub(super) fn is_open(&self) -> bool {
        !self.delivered && !self.abandoned
    }

    /// Someone does.
    pub(super) fn is_awaited(&self) -> bool {
        self.slot.as_ref().is_some_and(|slot| slot.is_awaited())
    }
}

/// A piped future as the run loop polls it.
pub(super) type Piped = Pin<Box<dyn Future<Output = ()>>>;

/// What the run loop does for a step once nothing is borrowed.
pub(super) enum FollowUp {
    Nothing,
    /// A letter reached an inbox, or would have if its receiver still lived.
    Sent {
        to: u32,
        letter: Letter,
        delivery: Delivery,
    },
    /// Senders were told of room.
    Wake,
    /// A reply was delivered.
    Replied {
        ask: u32,
        slot: Arc<AskSlot>,
        lost: Option<AskError>,
    },
    /// The actor is to end.
    Halted(u32, StopReason),
    /// An actor is to stop.
    Stopped {
        to: u32,
        at_once: bool,
    },
    /// An actor is to share a failure.
    Shared {
        to: u32,
        reason: StopReason,
    },
    /// The notice of an actor's end is to be made.
    Notify {
        watch: u32,
        notice: Notice,
    },
    /// An announcement is to be shown.
    Announced {
        slab: Rc<dyn AnySlab>,
        slot: u32,
    },
    /// What is to be dropped.
    Discard(Garbage),
}

/// Values of the user's that are to be dropped when nothing is borrowed.
#[derive(Default)]
pub(super) struct Garbage {
    pub(super) again: Option<Again>,
    pub(super) waker: Option<Waker>,
    pub(super) mail: Option<Rc<dyn AnyMail>>,
    pub(super) slots: Vec<u32>,
}

impl Garbage {
    /// Drops everything; a user's `Drop` may run.
    pub(super) fn discard(self) {
        if let Some(mail) = self.mail {
            for slot in self.slots {
                mail.discard(slot);
            }
        }
        drop((self.again, self.waker));
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) operations: Vec<Operation>,
    /// How many of `operations` this execution uses.
    pub(super) live: usize,
    /// The key of each operation, as strategies see it.
    pub(super) paths: Vec<u64>,
    pub(super) enabled: EnabledSet,
    pub(super) timers: Timers,
    pub(super) asks: Vec<AskRecord>,
    asks_free: Vec<u32>,
    pub(super) questions: Vec<Question>,
    pub(super) questions_free: Vec<u32>,
    /// Senders whose questions were answered and that are to be woken with nothing borrowed.
    pub(super) due: Vec<Waker>,
    pub(super) watches: Vec<Watch>,
    /// Pairs of actors.
    pub(super) links: Vec<(u32, u32)>,
    pub(super) families: Vec<Household>,
    pub(super) types: Vec<ActorType>,
    pub(super) slabs: Vec<(TypeId, Rc<dyn AnySlab>)>,
    pub(super) observers: Observers,
    pub(super) newborn_actors: Vec<(u32, Parts)>,
    pub(super) newborn_futures: Vec<(u32, Piped)>,
    pub(super) tape: Tape,
    pub(super) thermometer: Thermometer,
    pub(super) landmarks: Landmarks,
    pub(super) step: u64,
    pub(super) now: Duration,
    pub(super) class: u64,
    pub(super) in_flight: usize,
    pub(super) suspended: usize,
    pub(super) dead_letters: u64,
    pub(super) found: Option<Finding>,
    /// Why the finding, or what was hot when it was found, may go on for ever.
    pub(super) suspicion: Option<Suspicion>,
    pub(super) recorder: Option<Recorder>,
    pub(super) patient_timers: bool,
    pub(super) atomic_handlers: bool,
    pub(super) supervised: bool,
    pub(super) timers_shown: bool,
    pub(super) last_operation: u32,
    /// How many choices the execution has asked for.
    pub(super) choices: u64,
    /// Someone wants to know of [`touched`](State::touched).
    pub(super) watched: bool,
    /// The operations that the step in progress may change; some more than once.
    pub(super) touched: Vec<u32>,
}

impl State {
    /// Forgets the execution before; the parts of its actors must have been returned.
    pub(super) fn begin(&mut self) {
        self.live = 0;
        self.paths.clear();
        self.enabled.clear();
        self.timers.clear();
        self.asks.clear();
        self.asks_free.clear();
        self.questions.clear();
        self.questions_free.clear();
        self.due.clear();
        self.watches.clear();
        self.links.clear();
        self.families.clear();
        for known in &mut self.types {
            known.count = 0;
        }
        self.observers.begin();
        self.landmarks.begin();
        self.step = 0;
        self.now = Duration::ZERO;
        self.class = 0;
        self.in_flight = 0;
        self.suspended = 0;
        self.dead_letters = 0;
        self.found = None;
        self.suspicion = None;
        self.timers_shown = false;
        self.last_operation = BODY;
        self.choices = 0;
        self.watched = false;
        self.touched.clear();
        let body = self.create(Kind::Body, 0x00b0_d1e5);
        self.operations[body as usize].stage = Stage::Starting;
        self.refresh(body);
    }

    /// Creates an operation that is not enabled yet.
    fn create(&mut self, kind: Kind, key: u64) -> u32 {
        if self.live == self.operations.len() {
            self.operations.push(Operation::new());
        }
        self.operations[self.live].reset(kind, Stage::Unborn, key);
        self.paths.push(key);
        self.live += 1;
        self.live as u32 - 1
    }

    /// The key of the next operation, timer or ask that `parent` creates.
    pub(super) fn child_key_of(&mut self, parent: u32) -> u64 {
        let parent = &mut self.operations[parent as usize];
        parent.children += 1;
        mix(parent.key, u64::from(parent.children))
    }

    pub(super) fn type_of(&mut self, actor: &dyn Spawn) -> u32 {
        let (info, type_id) = (actor.info(), actor.actor_type());
        if let Some(known) = self.types.iter().position(|known| known.type_id == type_id) {
            return known as u32;
        }
        let name = text(info.name);
        let event = |event: &actor_core::EventInfo| {
            let hash = mix(name, text(event.name)) as u32;
            EventId(std::num::NonZeroU32::new(hash | 1).expect("an odd number is not zero"))
        };
        self.types.push(ActorType {
            info,
            type_id,
            name,
            events: info.events.iter().map(event).collect(),
            pool: Vec::new(),
            plain: info.states.len() <= 1
                && info
                    .dispositions
                    .iter()
                    .all(|does| *does == Disposition::Handle),
            count: 0,
            tally: Tally::new(actor.path(), info),
        });
        self.types.len() as u32 - 1
    }

    /// Parts for an actor of a type: recycled, or made.
    pub(super) fn parts(&mut self, of_type: u32, actor: &dyn Spawn) -> Parts {
        let pooled = self.types[of_type as usize].pool.pop();
        pooled.unwrap_or_else(|| Parts {
            mail: (actor.mail())().into(),
            body: Body::new(),
            factory: None,
        })
    }

    pub(super) fn parts_to_pool(&mut self, operation: u32, parts: Parts) {
        let operation = &mut self.operations[operation as usize];
        if let (Kind::Actor(of_type), Some(_)) = (operation.kind, operation.mail.take()) {
            self.types[of_type as usize].pool.push(parts);
        }
    }

    /// Creates an actor that is not started yet.
    pub(super) fn spawn(
        &mut self,
        parent: u32,
        of_type: u32,
        mail: Rc<dyn AnyMail>,
        options: &SpawnOptions,
    ) -> u32 {
        let key = self.child_key_of(parent);
        let actor = self.create(Kind::Actor(of_type), key);
        let known = &mut self.types[of_type as usize];
        known.count += 1;
        let operation = &mut self.operations[actor as usize];
        operation.mail = Some(mail);
        operation.defers = known.info.defers;
        operation.plain = known.plain;
        operation.ordinal = known.count;
        operation.name.clone_from(&options.name);
        if let Some((capacity, overflow)) = options.mailbox.bound() {
            operation.bound = Some(Bound::new(capacity, overflow));
        }
        actor
    }

    /// Creates an operation for a piped future.
    pub(super) fn pipe(&mut self, parent: u32, owner: u32) -> u32 {
        let key = self.child_key_of(parent);
        let future = self.create(Kind::Future { owner }, key);
        self.push(parent, Effect::Start(future));
        future
    }

    /// The letter for the next event that `sender` sends.
    #[inline]
    pub(super) fn letter(&mut self, sender: u32, to: u32, slot: u32, event: u16) -> Letter {
        let event_id = self.event_id(to, event);
        let operation = &mut self.operations[sender as usize];
        operation.sent += 1;
        Letter {
            slot,
            event,
            event_id,
            sender: Sender::Operation(sender),
            key: operation.letter_key(operation.sent),
            placed: false,
        }
    }

    pub(super) fn push(&mut self, operation: u32, effect: Effect) {
        let sender = &mut self.operations[operation as usize];
        match effect {
            Effect::Send { to, .. } => {
                self.in_flight += 1;
                if to != operation {
                    sender.own_run = 0;
                }
            }
            _ => sender.own_run = 0,
        }
        sender.outbox.push(effect);
    }

    pub(super) fn open_ask(&mut self, asker: u32, target: u32, slot: Arc<AskSlot>) -> u32 {
        let key = self.child_key_of(asker);
        let found = &self.operations[asker as usize];
        let record = AskRecord {
            letter: found.letter_key(found.sent + 1),
            slot: Some(slot),
            asker,
            target,
            key,
            delivered: false,
            abandoned: false,
            out_of_hands: false,
        };
        let index = match self.asks_free.pop() {
            Some(index) => {
                self.asks[index as usize] = record;
                index
            }
            None => {
                self.asks.push(record);
                self.asks.len() as u32 - 1
            }
        };
        let asker = &mut self.operations[asker as usize];
        asker.open_asks += 1;
        asker.last_ask = index;
        index
    }

    /// The reply is there, or nobody waits for it any more.
    pub(super) fn end_ask(&mut self, index: u32) {
        let ask = &self.asks[index as usize];
        if ask.is_open() {
            self.operations[ask.asker as usize].open_asks -= 1;
        }
    }

    /// Frees the record of an ask once both ends are done with it.
    pub(super) fn close_ask(&mut self, index: u32) -> Option<Arc<AskSlot>> {
        let ask = &mut self.asks[index as usize];
        if !(ask.delivered && ask.abandoned) {
            return None;
        }
        let slot = ask.slot.take()?;
        self.asks_free.push(index);
        Some(slot)
    }

    pub(super) fn info(&self, operation: u32) -> Option<&'static ActorInfo> {
        match self.operations[operation as usize].kind {
            Kind::Actor(of_type) => Some(self.types[of_type as usize].info),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn event_id(&self, receiver: u32, event: u16) -> Option<EventId> {
        match self.operations[receiver as usize].kind {
            Kind::Actor(of_type) => self.types[of_type as usize]
                .events
                .get(usize::from(event))
                .copied(),
            _ => None,
        }
    }

    /// What the operation's state does with an event.
    #[inline]
    pub(super) fn disposition(&self, operation: u32, event: u16) -> Disposition {
        let found = &self.operations[operation as usize];
        if found.plain || event == STOP {
            return Disposition::Handle;
        }
        match found.kind {
            Kind::Actor(of_type) => self.types[of_type as usize]
                .info
                .disposition(usize::from(found.state), event),
            _ => Disposition::Unhandled,
        }
    }

    /// Takes note of an actor's transition.
    pub(super) fn moved(&mut self, operation: u32, from: u16, to: u16) {
        let found = &mut self.operations[operation as usize];
        found.own_run = 0;
        if let Kind::Actor(of_type) = found.kind {
            let name = self.types[of_type as usize].name;
            self.landmarks.moved(name, u64::from(from), u64::from(to));
        }
    }

    /// Brings the enabled set up to date with what the operation would do next.
    #[inline]
    pub(super) fn refresh(&mut self, index: u32) {
        let operation = &self.operations[index as usize];
        let pending = if let Some(effect) = operation.outbox.first() {
            self.pending_flush(index, effect)
        } else if let Some(pending) = pending_run(index, operation) {
            pending
        } else {
            return self.disable(index);
        };
        let position = &mut self.operations[index as usize].position;
        self.enabled.set(position, pending);
    }

    /// The operation has nothing to do.
    fn disable(&mut self, index: u32) {
        let position = &mut self.operations[index as usize].position;
        let moved = self.enabled.remove(position);
        self.follow_move(moved);
    }

    #[inline]
    pub(super) fn follow_move(&mut self, moved: Option<(OperationId, u32)>) {
        if let Some((moved, position)) = moved {
            if moved.is_timer() {
                self.timers.slots[moved.index()].position = position;
            } else {
                self.operations[moved.index()].position = position;
            }
        }
    }

    #[inline]
    fn pending_flush(&self, index: u32, effect: &Effect) -> Pending {
        let (inbox, event) = match effect {
            Effect::Send { to, letter } => (Some(*to), letter.event_id),
            Effect::Ask(question) => {
                let question = &self.questions[*question as usize];
                (Some(question.target), question.event_id)
            }
            Effect::Reply { ask, .. } => (Some(self.asks[*ask as usize].asker), None),
            Effect::Notice { watch } => (Some(self.watches[*watch as usize].watcher), None),
            Effect::Stop { to, .. } | Effect::Share { to, .. } => (Some(*to), None),
            _ => (None, None),
        };
        Pending {
            operation: OperationId::actor(index),
            kind: StepKind::Flush,
            inbox: inbox.map(OperationId::actor),
            sender: Some(OperationId::actor(index)),
            event,
        }
    }

    /// Appends a letter to its receiver's inbox, where that is open and has room.
    #[inline(always)]
    pub(super) fn deliver(&mut self, to: u32, letter: Letter) -> Delivery {
        let disposition = self.disposition(to, letter.event);
        let receiver = &mut self.operations[to as usize];
        if receiver.stage == Stage::Gone {
            self.dead_letters += 1;
            return Delivery::Dead;
        }
        if receiver.bound.is_some() {
            return self.deliver_bounded(to, letter, disposition);
        }
        self.append(to, letter, disposition);
        Delivery::Arrived
    }

    #[cold]
    fn deliver_bounded(&mut self, to: u32, letter: Letter, disposition: Disposition) -> Delivery {
        let delivery = self.find_place(to, &letter);
        if delivery != Delivery::Full {
            self.append(to, letter, disposition);
        }
        if let Delivery::Replaced(_) = delivery {
            self.refresh(to);
        }
        delivery
    }

    #[inline(always)]
    fn append(&mut self, to: u32, letter: Letter, disposition: Disposition) {
        let receiver = &mut self.operations[to as usize];
        receiver.append(letter, disposition);
        match receiver.stage {
            // Nothing else was due, so the letter is what the receiver handles next.
            Stage::Idle if receiver.position == ABSENT && disposition != Disposition::Defer => {
                let pending = pending_handle(to, &letter);
                self.enabled.set(&mut receiver.position, pending);
            }
            Stage::Suspended => {
                self.wake_receiver(to, letter.event);
                self.find_cycle_of(letter.sender);
            }
            _ => {}
        }
    }

    /// A letter reached an operation that may be waiting for it.
    fn wake_receiver(&mut self, to: u32, event: u16) {
        let receiver = &mut self.operations[to as usize];
        if receiver.receiving.contains(&event) {
            receiver.woken = true;
            self.refresh(to);
        }
    }

    /// The first effect of the outbox where it sends to a living actor and nothing rides along: the
    /// common case, for which [`flush_send`](Self::flush_send) does what [`flush`](Self::flush)
    /// does in general.
    #[inline]
    pub(super) fn simple_send(&self, index: u32) -> Option<(u32, Letter)> {
        let rides = |next: &Effect| self.atomic_handlers || next.is_silent();
        match *self.operations[index as usize].outbox.effects() {
            [Effect::Send { to, letter }] => Some((to, letter)),
            [Effect::Send { to, letter }, next, ..] if !rides(&next) => Some((to, letter)),
            _ => None,
        }
        .filter(|(to, _)| {
            let receiver = &self.operations[*to as usize];
            receiver.stage != Stage::Gone && receiver.bound.is_none()
        })
    }

    /// Carries out a [`simple_send`](Self::simple_send).
    #[inline]
    pub(super) fn flush_send(&mut self, index: u32, to: u32, letter: Letter) {
        self.operations[index as usize].outbox.take_first();
        self.in_flight -= 1;
        self.deliver(to, letter);
        self.refresh(index);
    }

    /// Carries out the first effect of the outbox.
    #[inline]
    pub(super) fn flush(&mut self, index: u32) -> FollowUp {
        let Some(effect) = self.operations[index as usize].outbox.take_first() else {
            return FollowUp::Nothing;
        };
        if self.watched {
            self.touch_by(index, &effect);
        }
        match effect {
            Effect::Send { to, letter } => {
                self.in_flight -= 1;
                let delivery = self.deliver(to, letter);
                FollowUp::Sent {
                    to,
                    letter,
                    delivery,
                }
            }
            Effect::Ask(question) => {
                self.ask_for_room(question);
                FollowUp::Wake
            }
            Effect::Start(started) => {
                self.start(started);
                FollowUp::Nothing
            }
            Effect::Reply { ask, lost } => self.deliver_reply(ask, lost),
            Effect::Notice { watch } => match self.watches[watch as usize].notice.take() {
                Some(notice) => FollowUp::Notify { watch, notice },
                None => FollowUp::Nothing,
            },
            Effect::Halt(reason) => FollowUp::Halted(index, reason),
            Effect::Stop { to, at_once } => FollowUp::Stopped { to, at_once },
            Effect::Link { other } => self.link(index, other),
            Effect::Share { to, life, reason } => {
                if self.operations[to as usize].life == life {
                    FollowUp::Shared { to, reason }
                } else {
                    FollowUp::Nothing
                }
            }
            Effect::Announce { slab, slot } => FollowUp::Announced {
                slab: self.slabs[slab as usize].1.clone(),
                slot,
            },
            Effect::Arm { timer, generation } => self.arm(timer, generation),
            Effect::Cancel { timer, generation } => {
                FollowUp::Discard(self.cancel(index, timer, generation))
            }
            Effect::Watch { watch } => {
                let Watch {
                    target, watcher, ..
                } = self.watches[watch as usize];
                if self.operations[target as usize].stage == Stage::Gone {
                    self.push(watcher, Effect::Notice { watch });
                }
                FollowUp::Nothing
            }
        }
    }

    fn start(&mut self, started: u32) {
        let name = self.recorder.is_some().then(|| self.name(started));
        if let (Some(recorder), Some(name)) = (&mut self.recorder, name) {
            recorder.note(format!("spawns {name}"));
        }
        let starts = match self.operations[started as usize].kind {
            Kind::Actor(_) => self.info(started).is_some_and(|info| info.starts),
            Kind::Body | Kind::Future { .. } => true,
        };
        let operation = &mut self.operations[started as usize];
        if operation.stage != Stage::Unborn {
            return;
        }
        operation.stage = if starts { Stage::Starting } else { Stage::Idle };
        self.refresh(started);
    }

    fn deliver_reply(&mut self, index: u32, lost: Option<AskError>) -> FollowUp {
        self.end_ask(index);
        let ask = &mut self.asks[index as usize];
        ask.delivered = true;
        let (asker, key) = (ask.asker, ask.key);
        let Some(slot) = ask.slot.clone() else {
            return FollowUp::Nothing;
        };
        let asker = &mut self.operations[asker as usize];
        asker.delivered = mix(asker.delivered, mix(key, u64::from(lost.is_some())));
        FollowUp::Replied {
            ask: index,
            slot,
            lost,
        }
    }

    /// Takes the first letter of one kind out of an inbox, whatever the state says of it.
    pub(super) fn take_received(&mut self, owner: u32, event: u16) -> Option<Letter> {
        let operation = &mut self.operations[owner as usize];
        let at = operation
            .inbox
            .iter()
            .position(|letter| letter.event == event)?;
        let letter = operation.inbox.remove(at)?;
        self.look(owner);
        self.free_place(owner, &letter);
        self.extend_chain(owner, letter.key);
        if let Sender::Timer(index, generation) = letter.sender {
            self.taken(index, generation);
        }
        Some(letter)
    }

    /// Finds the next letter anew.
    pub(super) fn look(&mut self, index: u32) {
        let operation = &mut self.operations[index as usize];
        if let Kind::Actor(of_type) = operation.kind {
            let info = self.types[of_type as usize].info;
            let state = usize::from(operation.state);
            operation.look(|event| match event {
                STOP => Disposition::Handle,
                event => info.disposition(state, event),
            });
        }
    }

    /// Adds what an operation has handled to the hash of the behaviour: a sum over operations of
    /// the hash of what each handled in order, so the order of independent steps leaves it alone.
    #[inline]
    pub(super) fn extend_chain(&mut self, index: u32, value: u64) {
        let operation = &mut self.operations[index as usize];
        let before = operation.chain;
        operation.chain = mix(before, value);
        self.class = self
            .class
            .wrapping_sub(before)
            .wrapping_add(operation.chain);
    }

    /// Takes the next letter out of the inbox.
    #[inline]
    pub(super) fn dequeue(&mut self, index: u32) -> Option<(Letter, Disposition)> {
        let letter = self.operations[index as usize].take_next()?;
        if self.operations[index as usize].bound.is_some() {
            self.free_place(index, &letter);
        }
        self.extend_chain(index, letter.key);
        let disposition = self.disposition(index, letter.event);
        if disposition == Disposition::Handle && letter.event != STOP {
            let state = usize::from(self.operations[index as usize].state);
            self.tally(index, |tally| tally.handle(state, letter.event));
        }
        let operation = &mut self.operations[index as usize];
        if letter.sender == Sender::Operation(index) {
            operation.own_run += 1;
        } else {
            operation.own_run = 0;
        }
        if let Sender::Timer(index, generation) = letter.sender {
            self.taken(index, generation);
        }
        Some((letter, disposition))
    }

    /// The counts of an actor's type.
    #[inline]
    pub(super) fn tally(&mut self, index: u32, count: impl FnOnce(&mut Tally)) {
        if let Some(Operation {
            kind: Kind::Actor(of_type),
            ..
        }) = self.operations.get(index as usize)
        {
            count(&mut self.types[*of_type as usize].tally);
        }
    }

    /// Ends an operation, and takes what the run loop has to drop.
    pub(super) fn halt(&mut self, index: u32) -> Halted {
        self.leave(index, Stage::Gone);
        let operation = &mut self.operations[index as usize];
        let letters: Vec<Letter> = operation.inbox.drain(..).collect();
        self.close_mailbox(index);
        self.end_what_it_owns(index, letters)
    }

    /// Drops the value of an operation that may be brought back: its inbox stays, but for the events
    /// of its timers, or for all. Takes what the run loop has to drop.
    pub(super) fn fall(&mut self, index: u32) -> Halted {
        self.leave(index, Stage::Down);
        let operation = &mut self.operations[index as usize];
        let letters = operation.remove_letters(|letter| matches!(letter.sender, Sender::Timer(..)));
        operation.state = 0;
        operation.stopping = false;
        operation.trap = None;
        operation.life += 1;
        self.extend_chain(index, 0xd0_3e);
        for watch in &mut self.watches {
            if watch.watcher == index {
                watch.notice = None;
            }
        }
        self.end_what_it_owns(index, letters)
    }

    /// Neither runs nor waits any more.
    pub(super) fn leave(&mut self, index: u32, to: Stage) {
        let operation = &mut self.operations[index as usize];
        let before = std::mem::replace(&mut operation.stage, to);
        operation.woken = false;
        operation.told = Told::Nothing;
        operation.receiving.clear();
        self.suspended -= usize::from(before == Stage::Suspended);
    }

    fn end_what_it_owns(&mut self, index: u32, letters: Vec<Letter>) -> Halted {
        self.look(index);
        let mail = self.operations[index as usize].mail.clone();
        let timers: Vec<u32> = self.timers_of(index);
        let garbage = timers
            .into_iter()
            .map(|timer| self.end_timer(timer))
            .collect();
        let futures = self.futures_of(index);
        if self.watched {
            self.touched.push(index);
            self.touched.extend(&futures);
        }
        for future in &futures {
            let ended = &mut self.operations[*future as usize];
            let before = std::mem::replace(&mut ended.stage, Stage::Gone);
            self.suspended -= usize::from(before == Stage::Suspended);
            self.refresh(*future);
        }
        Halted {
            letters,
            mail,
            garbage,
            futures,
        }
    }

    /// Tells the watchers of an operation, one effect each.
    pub(super) fn notify_watchers(&mut self, index: u32) {
        for watch in 0..self.watches.len() {
            if self.watches[watch].target == index && self.watches[watch].notice.is_some() {
                self.push(
                    index,
                    Effect::Notice {
                        watch: watch as u32,
                    },
                );
            }
        }
        self.refresh(index);
    }

    fn futures_of(&self, actor: u32) -> Vec<u32> {
        (0..self.live as u32)
            .filter(|future| {
                let operation = &self.operations[*future as usize];
                matches!(operation.kind, Kind::Future { owner } if owner == actor)
                    && operation.stage != Stage::Gone
            })
            .collect()
    }

    /// Keeps the first finding.
    pub(super) fn find(&mut self, kind: BugKind, message: String, location: Option<String>) {
        let step = self.step;
        self.found.get_or_insert(Finding {
            kind,
            message,
            location,
            step,
        });
    }

    /// The name of the state that an actor is in; `None` for one without states.
    pub(super) fn state_name(&self, operation: u32) -> Option<&'static str> {
        let index = usize::from(self.operations[operation as usize].state);
        self.info(operation)?.state_name(index)
    }

    /// The name of an operation in reports.
    pub(super) fn name(&self, index: u32) -> String {
        let Some(operation) = self.operations.get(index as usize) else {
            return format!("#{index}");
        };
        if let Some(name) = &operation.name {
            return name.to_string();
        }
        match operation.kind {
            Kind::Body => "test".into(),
            Kind::Future { owner } => format!("{}'s future", self.name(owner)),
            Kind::Actor(of_type) => {
                let known = &self.types[of_type as usize];
                if known.count == 1 {
                    known.info.name.into()
                } else {
                    format!("{}#{}", known.info.name, operation.ordinal)
                }
            }
        }
    }
}

/// What is left of an actor that has stopped.
pub(super) struct Halted {
    pub(super) letters: Vec<Letter>,
    pub(super) mail: Option<Rc<dyn AnyMail>>,
    pub(super) garbage: Vec<Garbage>,
    pub(super) futures: Vec<u32>,
}

/// What an operation whose outbox is empty would do.
#[inline]
fn pending_run(index: u32, operation: &Operation) -> Option<Pending> {
    let (kind, inbox) = match operation.stage {
        Stage::Starting | Stage::Idle | Stage::Suspended if operation.told != Told::Nothing => {
            (StepKind::Stop, Some(OperationId::actor(index)))
        }
        Stage::Closing if operation.told == Told::Kill => {
            (StepKind::Stop, Some(OperationId::actor(index)))
        }
        Stage::Idle => return operation.next().map(|letter| pending_handle(index, letter)),
        Stage::Starting => (StepKind::Start, None),
        Stage::Suspended if operation.woken => (StepKind::Resume, Some(OperationId::actor(index))),
        Stage::Suspended | Stage::Unborn | Stage::Closing | Stage::Down | Stage::Gone => {
            return None;
        }
    };
    Some(Pending {
        operation: OperationId::actor(index),
        kind,
        inbox,
        sender: None,
        event: None,
    })
}

#[inline]
fn pending_handle(index: u32, letter: &Letter) -> Pending {
    Pending {
        operation: OperationId::actor(index),
        kind: StepKind::Handle,
        inbox: Some(OperationId::actor(index)),
        sender: Some(sender_id(letter.sender)),
        event: letter.event_id,
    }
}

#[inline]
fn sender_id(sender: Sender) -> OperationId {
    match sender {
        Sender::Operation(index) | Sender::End(index) => OperationId::actor(index),
        Sender::Timer(index, _) => OperationId::timer(index),
    }
}
