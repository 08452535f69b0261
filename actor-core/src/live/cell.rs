//! An actor as everyone else sees it: [`Cell`].

use std::any::TypeId;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use super::current::Sender;
use super::hooks::{DeadLetter, FailureKind, Fault, panic_message};
use super::hub::Hub;
use super::lock;
use super::mailbox::{Item, Mailbox};
use super::registry::Managed;
use super::reply::{LiveAsk, LiveReply, Observed, drop_unhandled};
use super::timer::Fired;
use crate::actor::{Actor, Handler};
use crate::event::Event;
use crate::monitor::Moment;
use crate::reference::ActorId;
use crate::reply::Reply;
use crate::watch::StopReason;

/// Identities are unique within the program, not only within a system, and count from 1: zero
/// stands for nobody.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Where events for a live actor go. It outlives the actor for as long as there are references.
pub(crate) struct Cell<A: Actor> {
    id: ActorId,
    name: OnceLock<Box<str>>,
    mailbox: Mailbox<A::Message>,
    end: Mutex<End>,
    hub: Arc<Hub>,
}

/// Whether the actor has ended, and who wants to know.
enum End {
    /// Not yet.
    Awaited(Vec<Watcher>),
    /// Its inbox is closed and every watcher was told.
    Ended(StopReason),
}

/// Who is told of the end.
struct Watcher {
    /// Tells whether the notice still matters.
    watcher: Weak<dyn Managed>,
    notice: Box<dyn FnOnce(StopReason) + Send>,
}

impl<A: Actor> Cell<A> {
    pub(super) fn new(hub: Arc<Hub>, name: Option<&str>) -> Self {
        let cell = Self {
            // Relaxed: only uniqueness matters.
            id: ActorId::live(NEXT_ID.fetch_add(1, Ordering::Relaxed)),
            name: OnceLock::new(),
            mailbox: Mailbox::new(),
            end: Mutex::new(End::Awaited(Vec::new())),
            hub,
        };
        if let Some(name) = name {
            cell.name.get_or_init(|| name.into());
        }
        cell
    }

    pub(crate) fn id(&self) -> ActorId {
        self.id
    }

    /// The name given at the spawn, or the type and the identity.
    pub(crate) fn name(&self) -> &str {
        self.name
            .get_or_init(|| format!("{}{}", A::INFO.name, self.id).into())
    }

    pub(super) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    pub(super) fn mailbox(&self) -> &Mailbox<A::Message> {
        &self.mailbox
    }

    /// Sends; `false` where the actor has stopped, and the event became a dead letter.
    #[inline]
    pub(crate) fn post(&self, message: A::Message) -> bool {
        let sender = if self.hub.is_observed() {
            let sender = Sender::current();
            self.observe(Moment::Sent, &message, sender);
            sender
        } else {
            Sender::NONE
        };
        match self.mailbox.push(Item::Event { message, sender }) {
            Ok(()) => true,
            Err(refused) => {
                if let Item::Event { message, .. } = refused {
                    self.dead_letter(message);
                }
                false
            }
        }
    }

    /// Sends what nobody sent; dropped in silence where the actor has stopped.
    pub(super) fn notify(&self, message: A::Message, timer: Option<Arc<Fired>>) {
        if self.hub.is_observed() {
            self.observe(Moment::Sent, &message, Sender::NONE);
        }
        let refused = self.mailbox.push(Item::Notice { message, timer }).err();
        // The destructor is the user's, and this may be the end of another actor.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(refused))) {
            self.failed(Fault::from_panic(payload));
        }
    }

    /// Begins an `ask`: the reply travels with the event, the rest is for the asker.
    pub(crate) fn asking<R: Event>(&self) -> (LiveReply<R>, LiveAsk<R>) {
        let observed = self.hub.is_observed().then(|| {
            Box::new(Observed {
                hub: self.hub.clone(),
                asker: Sender::current(),
            })
        });
        LiveReply::new(observed)
    }

    #[cold]
    pub(super) fn observe(&self, moment: Moment, message: &A::Message, sender: Sender) {
        let kind: TypeId = A::INFO.events[usize::from(A::event_index(message))].type_id;
        let event = A::event(message);
        self.hub.observe(moment, kind, event, sender, Some(self.id));
    }

    #[cold]
    pub(super) fn dead_letter(&self, message: A::Message) {
        self.hub.hooks.dead_letter(&DeadLetter {
            target: self.id,
            name: self.name(),
            event: A::event(&message),
        });
        // The destructor is the user's. It must not take down whoever happens to run it.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop_unhandled(message))) {
            self.failed(Fault::from_panic(payload));
        }
    }

    pub(super) fn failed(&self, fault: Fault) {
        self.hub.failed(self.id, self.name(), fault);
    }

    pub(super) fn lost_in_background(&self, payload: Box<dyn std::any::Any + Send>) {
        self.failed(Fault {
            kind: FailureKind::Background,
            message: panic_message(payload),
        });
    }

    /// Calls `notice` when the actor has ended; at once where it has.
    pub(super) fn watch(
        &self,
        watcher: Weak<dyn Managed>,
        notice: Box<dyn FnOnce(StopReason) + Send>,
    ) {
        let ended = {
            let mut end = lock(&self.end);
            match &mut *end {
                End::Ended(reason) => *reason,
                End::Awaited(watchers) => {
                    forget_ended(watchers);
                    watchers.push(Watcher { watcher, notice });
                    return;
                }
            }
        };
        notice(ended);
    }

    /// Tells every watcher, in the order in which they began to watch.
    pub(super) fn ended(&self, reason: StopReason) {
        let before = std::mem::replace(&mut *lock(&self.end), End::Ended(reason));
        if let End::Awaited(watchers) = before {
            for watcher in watchers {
                (watcher.notice)(reason);
            }
        }
    }
}

/// Drops the notices of watchers that have ended, each time that the list would have to grow, so
/// that a long life watched by many short ones does not gather them.
fn forget_ended(watchers: &mut Vec<Watcher>) {
    if watchers.len() == watchers.capacity() {
        let running = |watcher: Arc<dyn Managed>| watcher.is_running();
        watchers.retain(|entry| entry.watcher.upgrade().is_some_and(running));
        watchers.reserve(watchers.len());
    }
}

impl<A: Actor> Managed for Cell<A> {
    fn id(&self) -> ActorId {
        self.id
    }

    fn name(&self) -> &str {
        Cell::name(self)
    }

    fn is_running(&self) -> bool {
        !self.mailbox.is_closed()
    }

    fn stop(&self) {
        // Refused where the actor has ended meanwhile.
        let _ = self.mailbox.push(Item::Stop);
    }
}

/// A cell by one of the events that its actor handles.
pub(crate) trait Accept<E>: Send + Sync {
    fn tell(&self, event: E);
    fn id(&self) -> ActorId;
    fn name(&self) -> &str;
}

impl<A: Actor + Handler<E>, E: Event> Accept<E> for Cell<A> {
    #[inline]
    fn tell(&self, event: E) {
        self.post(A::message(event, Reply::nobody()));
    }

    fn id(&self) -> ActorId {
        Cell::id(self)
    }

    fn name(&self) -> &str {
        Cell::name(self)
    }
}
