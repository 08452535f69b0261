//! The arena of the user's values (actors, mail, futures, wakers), whose memory is used again: [`Arena`].
//!
//! No schedule depends on these values. Each has the number of the item that it belongs to in the
//! [`ExecutionState`](crate::engine::world::state::ExecutionState), which is plain data.

use std::any::{Any, TypeId};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;

use actor_core::seam::{
    Address, Announce, AnyMail, AnySlab, AskSlot, Body, Factory, NameEntry, NextTick, Notice,
    PutFound, PutReason, PutRegistered, PutStart, Spawn, call_each, drop_each,
};

use crate::engine::world::endings::OrphanedValues;

/// The parts of one actor. The arena also holds the mail, for senders.
pub(crate) struct ActorParts {
    pub(crate) mail: Rc<dyn AnyMail>,
    pub(crate) body: Body,
    /// Makes the values of a supervised actor.
    pub(crate) factory: Option<Factory<Address>>,
}

pub(crate) type Piped = Pin<Box<dyn Future<Output = ()>>>;

/// The user's values of a timer.
#[derive(Default)]
pub(crate) struct TimerValues {
    /// Makes the next event of a periodic timer.
    pub(crate) again: Option<NextTick>,
    /// Wakes the task that sleeps.
    pub(crate) waker: Option<Waker>,
}

/// Makes the error of a call that fails.
pub(crate) type MakeError = Rc<dyn Fn() -> Box<dyn Any>>;

/// The error that calls of one name may fail with.
pub(crate) struct SuppliedError {
    pub(crate) call: String,
    pub(crate) error: TypeId,
    pub(crate) error_name: &'static str,
    /// True if the call is made all the same, and its result is lost.
    pub(crate) is_made: bool,
    pub(crate) make: MakeError,
}

/// The user's values that the engine holds, and the parts of ended actors for reuse.
#[derive(Default)]
pub(crate) struct Arena {
    /// For each actor type, the parts of its actors that have ended.
    pools: Vec<Vec<ActorParts>>,
    slabs: Vec<(TypeId, Rc<dyn AnySlab>)>,
    /// The mail of each operation that is an actor.
    mails: Vec<Option<Rc<dyn AnyMail>>>,
    /// For each ask, the slot that receives the reply.
    replies: Vec<Option<Arc<AskSlot>>>,
    /// For each question, the waker of the task that waits for the answer.
    askers: Vec<Option<Waker>>,
    /// For each call to a disk, the waker of the task that waits for the answer.
    callers: Vec<Option<Waker>>,
    clockworks: Vec<TimerValues>,
    /// For each watch, the function that makes the notice.
    notices: Vec<Option<WatchNotice>>,
    /// The errors that calls to the environment may fail with.
    pub(crate) supplies: Vec<SuppliedError>,
    pub(crate) spawned_actors: Vec<(u32, ActorParts)>,
    pub(crate) spawned_futures: Vec<(u32, Piped)>,
    /// The code of each node.
    nodes: Vec<Option<Boot>>,
    /// For each use of the registry of names, the entry that it registers, and the slot that it fills.
    name_uses: Vec<(Option<NameEntry<Address>>, Option<NameAnswer>)>,
    /// The data that receivers of references need for sending there.
    send_tables: Vec<&'static (dyn Any + Send + Sync)>,
}

/// The boot code of a node.
pub(crate) type Boot = Box<dyn FnMut()>;

impl Arena {
    pub(crate) fn add_node(&mut self, boot: Boot) {
        self.nodes.push(Some(boot));
    }

    pub(crate) fn take_boot(&mut self, node: u32) -> Option<Boot> {
        self.nodes[node as usize].take()
    }

    pub(crate) fn keep_boot(&mut self, node: u32, boot: Boot) {
        self.nodes[node as usize] = Some(boot);
    }

    pub(crate) fn keep_name_use(
        &mut self,
        entry: Option<NameEntry<Address>>,
        answer: Option<NameAnswer>,
    ) {
        self.name_uses.push((entry, answer));
    }

    /// Returns the entry that a use of the registry has registered.
    pub(crate) fn name_entry(&self, name_use: u32) -> Option<&NameEntry<Address>> {
        self.name_uses[name_use as usize].0.as_ref()
    }

    /// Takes the entry that a use of the registry has registered, to be dropped.
    pub(crate) fn take_name_entry(&mut self, name_use: u32) -> Option<NameEntry<Address>> {
        self.name_uses[name_use as usize].0.take()
    }

    pub(crate) fn take_name_answer(&mut self, name_use: u32) -> Option<NameAnswer> {
        self.name_uses[name_use as usize].1.take()
    }

    /// Keeps the data that a receiver needs, and returns its number.
    pub(crate) fn register_send_table(&mut self, table: &'static (dyn Any + Send + Sync)) -> u32 {
        let known = self
            .send_tables
            .iter()
            .position(|known| std::ptr::addr_eq(*known, table));
        let number = known.unwrap_or_else(|| {
            self.send_tables.push(table);
            self.send_tables.len() - 1
        });
        number as u32
    }

    pub(crate) fn send_table(&self, number: u32) -> Option<&'static (dyn Any + Send + Sync)> {
        self.send_tables.get(number as usize).copied()
    }

    /// Takes all the user's values in the arena, to be dropped when nothing is borrowed.
    pub(crate) fn clear(&mut self) -> UserValues {
        self.send_tables.clear();
        UserValues {
            boots: std::mem::take(&mut self.nodes),
            name_uses: std::mem::take(&mut self.name_uses),
            clockworks: std::mem::take(&mut self.clockworks),
            notices: std::mem::take(&mut self.notices),
            supplies: std::mem::take(&mut self.supplies),
            replies: std::mem::take(&mut self.replies),
            askers: std::mem::take(&mut self.askers),
            callers: std::mem::take(&mut self.callers),
            actors: std::mem::take(&mut self.spawned_actors),
            futures: std::mem::take(&mut self.spawned_futures),
        }
    }

    /// Returns parts for an actor of a type, recycled or new.
    pub(crate) fn parts(&mut self, of_type: u32, actor: &dyn Spawn<Address>) -> ActorParts {
        let pool = self.pools.get_mut(of_type as usize);
        pool.and_then(Vec::pop).unwrap_or_else(|| ActorParts {
            mail: (actor.of().mail)().into(),
            body: Body::new(),
            factory: None,
        })
    }

    /// Keeps the parts of an actor for the next of its type.
    pub(crate) fn recycle(&mut self, of_type: u32, parts: ActorParts) {
        place(&mut self.pools, of_type).push(parts);
    }

    #[inline]
    pub(crate) fn mail(&self, operation: u32) -> Option<&Rc<dyn AnyMail>> {
        self.mails.get(operation as usize)?.as_ref()
    }

    pub(crate) fn keep_mail(&mut self, operation: u32, mail: Rc<dyn AnyMail>) {
        *place(&mut self.mails, operation) = Some(mail);
    }

    pub(crate) fn take_mail(&mut self, operation: u32) -> Option<Rc<dyn AnyMail>> {
        self.mails.get_mut(operation as usize)?.take()
    }

    pub(crate) fn reply(&self, ask: u32) -> Option<&Arc<AskSlot>> {
        self.replies.get(ask as usize)?.as_ref()
    }

    pub(crate) fn keep_reply(&mut self, ask: u32, slot: Arc<AskSlot>) -> impl Sized + use<> {
        place(&mut self.replies, ask).replace(slot)
    }

    pub(crate) fn take_reply(&mut self, ask: u32) -> Option<Arc<AskSlot>> {
        self.replies.get_mut(ask as usize)?.take()
    }

    /// Keeps the waker of the task that waits for the answer, and returns the waker before, to be dropped.
    pub(crate) fn keep_asker(&mut self, question: u32, waker: Waker) -> Option<Waker> {
        place(&mut self.askers, question).replace(waker)
    }

    pub(crate) fn take_asker(&mut self, question: u32) -> Option<Waker> {
        self.askers.get_mut(question as usize)?.take()
    }

    /// Keeps the waker of the task that waits for a disk, and returns the waker before, to be dropped.
    pub(crate) fn keep_caller(&mut self, call: u32, waker: Waker) -> Option<Waker> {
        place(&mut self.callers, call).replace(waker)
    }

    pub(crate) fn take_caller(&mut self, call: u32) -> Option<Waker> {
        self.callers.get_mut(call as usize)?.take()
    }

    pub(crate) fn clockwork(&mut self, timer: u32) -> &mut TimerValues {
        place(&mut self.clockworks, timer)
    }

    pub(crate) fn keep_notice(&mut self, watch: u32, notice: WatchNotice) {
        *place(&mut self.notices, watch) = Some(notice);
    }

    pub(crate) fn take_notice(&mut self, watch: u32) -> Option<WatchNotice> {
        self.notices.get_mut(watch as usize)?.take()
    }

    /// Moves an announced event into the slab of its type; returns the number of the slab and the slot in it.
    pub(crate) fn store(&mut self, event: &mut dyn Announce) -> (u32, u32) {
        let type_id = event.event_type();
        let known = self.slabs.iter();
        let slab = known.take_while(|(known, _)| *known != type_id).count();
        if slab == self.slabs.len() {
            self.slabs.push((type_id, event.slab()));
        }
        let slot = event.store(&*self.slabs[slab].1);
        (slab as u32, slot)
    }

    pub(crate) fn slab(&self, slab: u32) -> Rc<dyn AnySlab> {
        self.slabs[slab as usize].1.clone()
    }

    pub(crate) fn slabs(&self) -> Vec<Rc<dyn AnySlab>> {
        self.slabs.iter().map(|(_, slab)| slab.clone()).collect()
    }

    /// Takes the user's values that remain of something that has ended.
    pub(crate) fn garbage(&mut self, remains: OrphanedValues) -> DeferredDrops {
        let timers = remains.timers.into_iter();
        DeferredDrops {
            mail: self.mail(remains.owner).cloned(),
            letters: remains.letters,
            timers: timers
                .map(|(timer, slot)| (slot, std::mem::take(self.clockwork(timer))))
                .collect(),
        }
    }
}

/// The slot that a use of the registry of names fills.
pub(crate) enum NameAnswer {
    Registered(PutRegistered),
    Found(PutFound),
}

/// The form in which a watch notifies its watcher.
pub(crate) enum WatchNotice {
    Event(Notice),
    /// Completes a task that awaits the end.
    Reason(PutReason),
    /// Completes a task that awaits the start.
    Start(PutStart),
}

/// Returns the place with that number, which is created if it is missing.
#[inline]
fn place<T: Default>(places: &mut Vec<T>, number: u32) -> &mut T {
    let number = number as usize;
    if places.len() <= number {
        places.resize_with(number + 1, T::default);
    }
    &mut places[number]
}

/// The user's values that an execution has left, to be dropped one by one.
pub(crate) struct UserValues {
    pub(crate) boots: Vec<Option<Boot>>,
    pub(crate) name_uses: Vec<(Option<NameEntry<Address>>, Option<NameAnswer>)>,
    pub(crate) clockworks: Vec<TimerValues>,
    pub(crate) notices: Vec<Option<WatchNotice>>,
    pub(crate) supplies: Vec<SuppliedError>,
    pub(crate) replies: Vec<Option<Arc<AskSlot>>>,
    pub(crate) askers: Vec<Option<Waker>>,
    pub(crate) callers: Vec<Option<Waker>>,
    pub(crate) actors: Vec<(u32, ActorParts)>,
    pub(crate) futures: Vec<(u32, Piped)>,
}

/// User's values that are to be dropped when nothing is borrowed.
pub(crate) struct DeferredDrops {
    mail: Option<Rc<dyn AnyMail>>,
    /// Events that no handler will receive.
    letters: Vec<u32>,
    /// Timers, each with the event that it has not sent.
    timers: Vec<(Option<u32>, TimerValues)>,
}

impl DeferredDrops {
    /// Drops everything; a user's `Drop` may run.
    pub(crate) fn discard(self) {
        let Self {
            mail,
            mut letters,
            timers,
        } = self;
        let (slots, clockworks): (Vec<_>, Vec<_>) = timers.into_iter().unzip();
        letters.extend(slots.into_iter().flatten());
        let discard = |slot: u32| {
            if let Some(mail) = &mail {
                mail.discard(slot);
            }
        };
        let letters = letters.into_iter().map(|slot| move || discard(slot));
        let (events, clocks) = (|| call_each(letters), || drop_each(clockworks));
        call_each([Box::new(events) as Box<dyn FnOnce() + '_>, Box::new(clocks)]);
    }
}
