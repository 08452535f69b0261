//! What the engine knows of an execution: queues, effects and the enabled set, as plain data.
//!
//! Nothing here calls a user's code; where that is due, a method returns what is to be called, and
//! the run loop calls it with nothing borrowed.

use std::any::TypeId;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Waker;
use std::time::Duration;

use actor_core::parts::{AnyMail, AnySlab, Body};
use actor_core::runtime::{Factory, Family, Spawn, SpawnOptions};
use actor_core::{ActorInfo, Disposition};

use crate::data::bug::{BugKind, Finding};
use crate::engine::recording::recorder::Recorder;
use crate::engine::recording::tape::Tape;
use crate::engine::sameness::lasso::Suspicion;
use crate::engine::watching::landmarks::Landmarks;
use crate::engine::watching::observers::Observers;
use crate::engine::watching::tally::Tally;
use crate::engine::watching::thermometer::Thermometer;
use crate::engine::world::asks::AskRecord;
use crate::engine::world::enabled::EnabledSet;
use crate::engine::world::operation::{
    Effect, Kind, Letter, Operation, STOP, Sender, Stage, Watch,
};
use crate::engine::world::room::{Bound, Question};
use crate::engine::world::timers::Timers;
use crate::hash::{mix, text};
use crate::strategy::EventId;

/// The test body.
pub(crate) const BODY: u32 = 0;

/// The parts of one actor. Its operation has the mail, too, for who sends to it.
pub(crate) struct Parts {
    pub(crate) mail: Rc<dyn AnyMail>,
    pub(crate) body: Body,
    /// What makes the values of a supervised actor.
    pub(crate) factory: Option<Factory>,
}

/// The children of an actor, or one child of the system.
pub(crate) struct Household {
    pub(crate) family: Family,
    /// `None` for the system.
    pub(crate) supervisor: Option<u32>,
}

/// An actor type that this engine has met, with the parts of its actors that have ended.
pub(crate) struct ActorType {
    pub(crate) info: &'static ActorInfo,
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
    pub(crate) tally: Tally,
}

/// A piped future as the run loop polls it.
pub(crate) type Piped = Pin<Box<dyn Future<Output = ()>>>;

#[derive(Default)]
pub(crate) struct State {
    pub(crate) operations: Vec<Operation>,
    /// How many of `operations` this execution uses.
    pub(crate) live: usize,
    /// The key of each operation, as strategies see it.
    pub(crate) paths: Vec<u64>,
    pub(crate) enabled: EnabledSet,
    pub(crate) timers: Timers,
    pub(crate) asks: Vec<AskRecord>,
    pub(crate) asks_free: Vec<u32>,
    pub(crate) questions: Vec<Question>,
    pub(crate) questions_free: Vec<u32>,
    /// Senders whose questions were answered and that are to be woken with nothing borrowed.
    pub(crate) due: Vec<Waker>,
    pub(crate) watches: Vec<Watch>,
    /// Pairs of actors.
    pub(crate) links: Vec<(u32, u32)>,
    pub(crate) families: Vec<Household>,
    pub(crate) types: Vec<ActorType>,
    pub(crate) slabs: Vec<(TypeId, Rc<dyn AnySlab>)>,
    pub(crate) observers: Observers,
    pub(crate) newborn_actors: Vec<(u32, Parts)>,
    pub(crate) newborn_futures: Vec<(u32, Piped)>,
    pub(crate) tape: Tape,
    pub(crate) thermometer: Thermometer,
    pub(crate) landmarks: Landmarks,
    pub(crate) step: u64,
    pub(crate) now: Duration,
    pub(crate) class: u64,
    pub(crate) in_flight: usize,
    pub(crate) suspended: usize,
    pub(crate) dead_letters: u64,
    pub(crate) found: Option<Finding>,
    /// Why the finding, or what was hot when it was found, may go on for ever.
    pub(crate) suspicion: Option<Suspicion>,
    pub(crate) recorder: Option<Recorder>,
    pub(crate) patient_timers: bool,
    pub(crate) atomic_handlers: bool,
    pub(crate) supervised: bool,
    pub(crate) timers_shown: bool,
    pub(crate) last_operation: u32,
    /// How many choices the execution has asked for.
    pub(crate) choices: u64,
    /// Someone wants to know of [`touched`](State::touched).
    pub(crate) watched: bool,
    /// The operations that the step in progress may change; some more than once.
    pub(crate) touched: Vec<u32>,
}

impl State {
    /// Forgets the execution before; the parts of its actors must have been returned.
    pub(crate) fn begin(&mut self) {
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
    pub(crate) fn child_key_of(&mut self, parent: u32) -> u64 {
        let parent = &mut self.operations[parent as usize];
        parent.children += 1;
        mix(parent.key, u64::from(parent.children))
    }

    pub(crate) fn type_of(&mut self, actor: &dyn Spawn) -> u32 {
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
    pub(crate) fn parts(&mut self, of_type: u32, actor: &dyn Spawn) -> Parts {
        let pooled = self.types[of_type as usize].pool.pop();
        pooled.unwrap_or_else(|| Parts {
            mail: (actor.mail())().into(),
            body: Body::new(),
            factory: None,
        })
    }

    pub(crate) fn parts_to_pool(&mut self, operation: u32, parts: Parts) {
        let operation = &mut self.operations[operation as usize];
        if let (Kind::Actor(of_type), Some(_)) = (operation.kind, operation.mail.take()) {
            self.types[of_type as usize].pool.push(parts);
        }
    }

    /// Creates an actor that is not started yet.
    pub(crate) fn spawn(
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
    pub(crate) fn pipe(&mut self, parent: u32, owner: u32) -> u32 {
        let key = self.child_key_of(parent);
        let future = self.create(Kind::Future { owner }, key);
        self.push(parent, Effect::Start(future));
        future
    }

    /// The letter for the next event that `sender` sends.
    #[inline]
    pub(crate) fn letter(&mut self, sender: u32, to: u32, slot: u32, event: u16) -> Letter {
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

    pub(crate) fn push(&mut self, operation: u32, effect: Effect) {
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

    pub(crate) fn info(&self, operation: u32) -> Option<&'static ActorInfo> {
        match self.operations[operation as usize].kind {
            Kind::Actor(of_type) => Some(self.types[of_type as usize].info),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn event_id(&self, receiver: u32, event: u16) -> Option<EventId> {
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
    pub(crate) fn disposition(&self, operation: u32, event: u16) -> Disposition {
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
    pub(crate) fn moved(&mut self, operation: u32, from: u16, to: u16) {
        let found = &mut self.operations[operation as usize];
        found.own_run = 0;
        if let Kind::Actor(of_type) = found.kind {
            let name = self.types[of_type as usize].name;
            self.landmarks.moved(name, u64::from(from), u64::from(to));
        }
    }

    /// Takes the first letter of one kind out of an inbox, whatever the state says of it.
    pub(crate) fn take_received(&mut self, owner: u32, event: u16) -> Option<Letter> {
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
    pub(crate) fn look(&mut self, index: u32) {
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
    pub(crate) fn extend_chain(&mut self, index: u32, value: u64) {
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
    pub(crate) fn dequeue(&mut self, index: u32) -> Option<(Letter, Disposition)> {
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
    pub(crate) fn tally(&mut self, index: u32, count: impl FnOnce(&mut Tally)) {
        if let Some(Operation {
            kind: Kind::Actor(of_type),
            ..
        }) = self.operations.get(index as usize)
        {
            count(&mut self.types[*of_type as usize].tally);
        }
    }

    /// Keeps the first finding.
    pub(crate) fn find(&mut self, kind: BugKind, message: String, location: Option<String>) {
        let step = self.step;
        self.found.get_or_insert(Finding {
            kind,
            message,
            location,
            step,
        });
    }

    /// The name of the state that an actor is in; `None` for one without states.
    pub(crate) fn state_name(&self, operation: u32) -> Option<&'static str> {
        let index = usize::from(self.operations[operation as usize].state);
        self.info(operation)?.state_name(index)
    }

    /// The name of an operation in reports.
    pub(crate) fn name(&self, index: u32) -> String {
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

/// Keeps a record in a place that is free, or in a new one; tells which.
#[inline]
pub(crate) fn keep<T>(records: &mut Vec<T>, free: &mut Vec<u32>, record: T) -> u32 {
    match free.pop() {
        Some(index) => {
            records[index as usize] = record;
            index
        }
        None => {
            records.push(record);
            records.len() as u32 - 1
        }
    }
}
