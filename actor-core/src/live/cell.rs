//! An actor as everyone else sees it: [`Cell`].

use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::Waker;

use super::bound::Admission;
use super::current::Sender;
use super::hooks::{DeadLetterReason, FailureKind, Fault, panic_message};
use super::hub::Hub;
use super::lock;
use super::mailbox::{Kind, Mailbox, Opened};
use super::reply::{Observed, losing};
use super::timer::Fired;
use crate::actor::{Actor, ActorInfo};
use crate::event::Event;
use crate::monitor::Moment;
use crate::parts::{AnyMail, MakeMail, Slot, mail_of};
use crate::reference::ActorId;
use crate::reply::Origin;
use crate::runtime::SpawnOptions;
use crate::sending::Offered;
use crate::watch::StopReason;

/// Identities are unique within the program, not only within a system, and count from 1: zero
/// stands for nobody.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Where events for a live actor go. It outlives the actor for as long as there are references.
///
/// It does not know the actor's type, but for what `info` and the mail know of it; so sending,
/// watching and ending are compiled once, and not for every actor type.
pub(crate) struct Cell {
    id: ActorId,
    /// The name given at the spawn.
    name: Option<Box<str>>,
    info: &'static ActorInfo,
    mailbox: Mailbox,
    end: Mutex<End>,
    hub: Arc<Hub>,
}

/// Whether the actor has ended, and who wants to know.
enum End {
    /// Not yet.
    Awaited(Option<Box<Watchers>>),
    /// Its inbox is closed and every watcher was told.
    Ended(StopReason),
}

/// Who is told of the end of another actor.
pub(crate) struct Watcher {
    pub(crate) watcher: Weak<Cell>,
    /// Sends the notice that this actor has ended.
    pub(crate) notify: fn(&Cell, ActorId, StopReason),
}

impl Watcher {
    fn tell(&self, ended: ActorId, reason: StopReason) {
        if let Some(cell) = self.watcher.upgrade() {
            (self.notify)(&cell, ended, reason);
        }
    }
}

impl Cell {
    pub(super) fn new(
        hub: Arc<Hub>,
        options: &SpawnOptions,
        info: &'static ActorInfo,
        make_mail: MakeMail,
    ) -> Self {
        Self {
            // Relaxed: only uniqueness matters.
            id: ActorId::live(NEXT_ID.fetch_add(1, Ordering::Relaxed)),
            name: options.name.clone(),
            info,
            mailbox: Mailbox::new(make_mail, options.mailbox),
            end: Mutex::new(End::Awaited(None)),
            hub,
        }
    }

    pub(crate) fn id(&self) -> ActorId {
        self.id
    }

    /// The name given at the spawn, or the type and the identity.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match &self.name {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("{}{}", self.info.name, self.id)),
        }
    }

    #[inline]
    pub(super) fn info(&self) -> &'static ActorInfo {
        self.info
    }

    #[inline]
    pub(super) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    #[inline]
    pub(super) fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Its inbox still takes events.
    pub(super) fn is_running(&self) -> bool {
        !self.mailbox.is_closed()
    }

    /// Sends; where the actor has stopped, the event becomes a dead letter.
    #[inline]
    pub(crate) fn post<A: Actor>(&self, message: &mut Slot<A::Message>) {
        let Slot::Full(shown) = message else {
            return;
        };
        let event = A::event_index(shown);
        let sender = if self.hub.is_observed() {
            self.observe_sent(event, A::event(shown))
        } else {
            Sender::NONE
        };
        match self.mailbox.open() {
            Some(mut mailbox) if mailbox.is_unbounded() => {
                let slot = mail_of::<A>(mailbox.mail()).insert(message);
                mailbox.push_event(event, slot, sender);
            }
            Some(mailbox) => {
                let admission = mailbox.tell();
                self.admit(mailbox, admission, event, message, sender);
            }
            None => self.refuse(Kind::Event, DeadLetterReason::Stopped, message),
        }
    }

    /// Sends to whoever has room, for a sender that awaits what becomes of the event; one with a
    /// waker is willing to wait. It has a ticket where it has waited before.
    pub(crate) fn offer<A: Actor>(
        &self,
        message: &mut Slot<A::Message>,
        mut ticket: Option<u64>,
        waker: Option<&Waker>,
    ) -> Room {
        let Slot::Full(shown) = message else {
            return Room::Decided(Offered::Taken);
        };
        let event = A::event_index(shown);
        let mut sender = Sender::NONE;
        if self.hub.is_observed() {
            match self.keep_place(ticket, waker) {
                Ok(kept) => ticket = kept,
                Err(room) => return room,
            }
            sender = self.observe_sent(event, A::event(shown));
        }
        self.offer_any(event, message, sender, ticket, waker)
    }

    fn offer_any(
        &self,
        event: u16,
        message: &mut dyn Any,
        sender: Sender,
        ticket: Option<u64>,
        waker: Option<&Waker>,
    ) -> Room {
        let Some(mut mailbox) = self.mailbox.open() else {
            return Room::Decided(Offered::Closed);
        };
        let (admission, replaced) = mailbox.offer(ticket, waker);
        match admission {
            Admission::Full | Admission::Wait(_) => drop(mailbox),
            _ => self.admit(mailbox, admission, event, message, sender),
        }
        drop(replaced);
        Room::of(admission)
    }

    /// Makes sure that an event can be queued after the monitors have seen it, as they must before
    /// its target can; tells the ticket for its place.
    #[cold]
    fn keep_place(&self, ticket: Option<u64>, waker: Option<&Waker>) -> Result<Option<u64>, Room> {
        let Some(mut mailbox) = self.mailbox.open() else {
            return Err(Room::Decided(Offered::Closed));
        };
        let (admission, replaced) = mailbox.offer(ticket, waker);
        let kept = match admission {
            Admission::Enter => Ok(mailbox.keep_place()),
            Admission::Replace | Admission::Lost => Ok(None),
            Admission::Full | Admission::Wait(_) => Err(Room::of(admission)),
        };
        drop(mailbox);
        drop(replaced);
        kept
    }

    /// The sender with that ticket waits no longer.
    pub(crate) fn leave_line(&self, ticket: u64) {
        self.mailbox.leave_line(ticket);
    }

    /// Queues an event in a bounded mailbox; or it, or the oldest, is a dead letter.
    fn admit(
        &self,
        mut mailbox: Opened<'_>,
        admission: Admission,
        event: u16,
        message: &mut dyn Any,
        sender: Sender,
    ) {
        let replaced = match admission {
            Admission::Replace => mailbox.take_oldest(),
            Admission::Enter => None,
            Admission::Lost | Admission::Full | Admission::Wait(_) => {
                drop(mailbox);
                return self.refuse(Kind::Event, DeadLetterReason::Full, message);
            }
        };
        let (slot, _) = mailbox.mail().put(message);
        mailbox.push_counted(event, slot, sender);
        if let Some((mail, slot)) = replaced {
            self.dead_letter(&*mail, slot, DeadLetterReason::Full);
        }
    }

    /// Sends what nobody sent; dropped in silence where the actor has stopped.
    pub(crate) fn notify<A: Actor>(&self, message: A::Message, timer: Option<Arc<Fired>>) {
        let event = A::event_index(&message);
        if self.hub.is_observed() {
            self.observe(Moment::Sent, event, A::event(&message), Sender::NONE);
        }
        let message = &mut Slot::Full(message);
        match self.mailbox.open() {
            Some(mut mailbox) => {
                let slot = mail_of::<A>(mailbox.mail()).insert(message);
                mailbox.push_notice(event, slot, timer);
            }
            None => self.refuse(Kind::Notice, DeadLetterReason::Stopped, message),
        }
    }

    /// A message is not taken.
    #[cold]
    fn refuse(&self, kind: Kind, why: DeadLetterReason, message: &mut dyn Any) {
        let mail = self.mailbox.make_mail();
        let (slot, _) = mail.put(message);
        self.lose(kind, &*mail, slot, why);
    }

    /// What was sent is a dead letter; a notice is dropped in silence.
    fn lose(&self, kind: Kind, mail: &dyn AnyMail, slot: u32, why: DeadLetterReason) {
        match kind {
            Kind::Event => self.dead_letter(mail, slot, why),
            Kind::Notice | Kind::Timer => self.discard(mail, slot),
            Kind::Stop => {}
        }
    }

    /// Stops the actor when it has handled what was sent to it before.
    pub(super) fn stop(&self) {
        // Refused where the actor has ended meanwhile.
        if let Some(mailbox) = self.mailbox.open() {
            mailbox.push_stop();
        }
    }

    /// Begins an `ask`.
    pub(crate) fn asking(&self) -> Origin {
        Origin::Live(self.hub.is_observed().then(|| {
            Box::new(Observed {
                hub: self.hub.clone(),
                asker: Sender::current(),
            })
        }))
    }

    #[cold]
    fn observe_sent(&self, event: u16, shown: &dyn Event) -> Sender {
        let sender = Sender::current();
        self.observe(Moment::Sent, event, shown, sender);
        sender
    }

    #[cold]
    pub(super) fn observe(&self, moment: Moment, event: u16, shown: &dyn Event, sender: Sender) {
        let kind = self.info.events[usize::from(event)].type_id;
        self.hub.observe(moment, kind, shown, sender, Some(self.id));
    }

    /// Counts, shows and drops an event that will never be handled.
    #[cold]
    pub(super) fn dead_letter(&self, mail: &dyn AnyMail, slot: u32, why: DeadLetterReason) {
        mail.inspect(slot, &mut |event| {
            self.hub.hooks.dead_letter(self, event, why);
        });
        // The destructor is the user's. It must not take down whoever happens to run it.
        let drop_it = || losing(why.loss(), || mail.discard(slot));
        if let Err(payload) = catch_unwind(AssertUnwindSafe(drop_it)) {
            self.failed(Fault::from_panic(payload));
        }
    }

    /// Drops a notice that will never be handled.
    #[cold]
    fn discard(&self, mail: &dyn AnyMail, slot: u32) {
        // The destructor is the user's, and this may be the end of another actor.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| mail.discard(slot))) {
            self.failed(Fault::from_panic(payload));
        }
    }

    pub(super) fn failed(&self, fault: Fault) {
        self.hub.failed(self.id, &self.name(), fault);
    }

    pub(super) fn lost_in_background(&self, payload: Box<dyn Any + Send>) {
        self.failed(Fault {
            kind: FailureKind::Background,
            message: panic_message(payload),
        });
    }

    /// Tells `watcher` when the actor has ended; at once where it has.
    pub(crate) fn watch(&self, watcher: Watcher) {
        let ended = {
            let mut end = lock(&self.end);
            match &mut *end {
                End::Ended(reason) => *reason,
                End::Awaited(watchers) => {
                    watchers.get_or_insert_default().push(watcher);
                    return;
                }
            }
        };
        watcher.tell(self.id, ended);
    }

    /// Ends: what is left of the inbox becomes dead letters, and every watcher is told, in the
    /// order in which they began to watch.
    pub(super) fn end(&self, reason: StopReason) {
        let letters = self.mailbox.close();
        for entry in &letters.entries {
            if entry.kind != Kind::Stop {
                let why = DeadLetterReason::Stopped;
                self.lose(entry.kind, letters.mail(), entry.slot, why);
            }
        }
        let before = std::mem::replace(&mut *lock(&self.end), End::Ended(reason));
        if let End::Awaited(Some(watchers)) = before {
            for watcher in watchers.0 {
                watcher.tell(self.id, reason);
            }
        }
    }
}

/// Whether an event that was offered has entered the mailbox.
pub(crate) enum Room {
    /// Its sender waits under this ticket.
    Wait(u64),
    /// It is known.
    Decided(Offered),
}

impl Room {
    fn of(admission: Admission) -> Self {
        match admission {
            Admission::Wait(ticket) => Self::Wait(ticket),
            Admission::Full => Self::Decided(Offered::Full),
            Admission::Enter | Admission::Replace | Admission::Lost => {
                Self::Decided(Offered::Taken)
            }
        }
    }
}

#[derive(Default)]
struct Watchers(Vec<Watcher>);

impl Watchers {
    /// Drops the watchers that have ended, each time that the list would have to grow, so that a
    /// long life watched by many short ones does not gather them.
    fn push(&mut self, watcher: Watcher) {
        let Self(watchers) = self;
        if watchers.len() == watchers.capacity() {
            watchers.retain(|entry| {
                let watcher = entry.watcher.upgrade();
                watcher.is_some_and(|watcher| watcher.is_running())
            });
            watchers.reserve(watchers.len());
        }
        watchers.push(watcher);
    }
}
