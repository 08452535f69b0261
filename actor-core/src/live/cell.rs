//! An actor as everyone else sees it: [`Cell`].

use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use super::current::Sender;
use super::hooks::{FailureKind, Fault, panic_message};
use super::hub::Hub;
use super::lock;
use super::mailbox::{Kind, Mailbox};
use super::reply::{Observed, drop_unhandled};
use super::timer::Fired;
use crate::actor::{Actor, ActorInfo};
use crate::event::Event;
use crate::monitor::Moment;
use crate::parts::{AnyMail, MakeMail, Slot, mail_of};
use crate::reference::ActorId;
use crate::reply::Origin;
use crate::runtime::SpawnOptions;
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
            mailbox: Mailbox::new(make_mail),
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
            Some(mut mailbox) => {
                let slot = mail_of::<A>(mailbox.mail()).insert(message);
                mailbox.push_event(event, slot, sender);
            }
            None => self.refuse(Kind::Event, message),
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
            None => self.refuse(Kind::Notice, message),
        }
    }

    /// The actor has stopped before a message came to it.
    #[cold]
    fn refuse(&self, kind: Kind, message: &mut dyn Any) {
        let mail = self.mailbox.make_mail();
        let (slot, _) = mail.put(message);
        self.lose(kind, &*mail, slot);
    }

    /// What was sent is a dead letter; a notice is dropped in silence.
    fn lose(&self, kind: Kind, mail: &dyn AnyMail, slot: u32) {
        match kind {
            Kind::Event => self.dead_letter(mail, slot),
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
    pub(super) fn dead_letter(&self, mail: &dyn AnyMail, slot: u32) {
        mail.inspect(slot, &mut |event| {
            self.hub.hooks.dead_letter(self, event);
        });
        // The destructor is the user's. It must not take down whoever happens to run it.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop_unhandled(mail, slot))) {
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
                self.lose(entry.kind, letters.mail(), entry.slot);
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
