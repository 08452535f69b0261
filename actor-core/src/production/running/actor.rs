//! An actor as everyone else sees it: [`LiveActor`].

use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Wake, Waker};
use std::time::Duration;

use super::dispatcher::Run;
use super::hub::{self, Composed};
use super::registry::Member;
use super::reply::{self, losing};
use super::telemetry::{self, Subject};
use super::waits;
#[cfg(debug_assertions)]
use super::waits::{Asks, Waits};
use crate::event::Event;
use crate::identity::ActorId;
use crate::parts::{AnyMail, Mailed, MakeMail, Offered, SpawnOptions, Stop, mail_of};
use crate::production::host::current::Sender;
use crate::production::host::executor::{Sleep, sleep};
use crate::production::mailbox::bound::Admission;
#[cfg(feature = "tracing")]
use crate::production::mailbox::carried::Carried;
use crate::production::mailbox::fired::{Fired, Lives};
use crate::production::mailbox::lane::{KILL, Lane, QUIT};
use crate::production::mailbox::queue::{Kind, Mailbox, Opened};
use crate::production::observing::attention::{AGES, OBSERVED};
#[cfg(feature = "tracing")]
use crate::production::observing::carrier::Carrier;
use crate::production::observing::hooks::{DeadLetterReason, Fault};
#[cfg(feature = "metrics")]
use crate::production::observing::meters::Meters;
use crate::production::observing::work::Work;
use crate::slab::Slot;
use crate::specification::Moment;
use crate::supervision::{FailureKind, StopReason};
use crate::table::ActorInfo;

/// Identities are unique within the program, not only within a system, and count from 1: zero
/// stands for nobody.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// What all actors of one system share.
pub(in crate::production) type Hub = hub::Hub<LiveActor>;

/// Aborts the actors of a system with its last handle.
pub(in crate::production) type Guard = hub::Guard<LiveActor>;

/// What runs an actor.
type Life = <LiveActor as Member>::Life;

/// Who asked.
pub(crate) type Observed = reply::Observed<LiveActor>;

/// Who was asked.
pub(crate) type Asked = waits::Asked<LiveActor>;

/// Where events for a live actor go. It outlives the actor for as long as there are references.
///
/// It does not know the actor's type, but for what `info` and the mail know of it; so sending,
/// watching and ending are compiled once, and not for every actor type.
pub(crate) struct LiveActor {
    id: ActorId,
    /// The name given at the spawn.
    name: Option<Box<Name>>,
    info: &'static ActorInfo,
    mailbox: Mailbox<Box<Life>>,
    pub(in crate::production) end: Mutex<End<<Self as Composed>::Relations>>,
    /// What it was told ahead of its inbox.
    pub(in crate::production) lane: Lane,
    pub(in crate::production) work: Work,
    #[cfg(feature = "metrics")]
    pub(in crate::production) meters: Arc<Meters>,
    /// How often it was brought back.
    life: AtomicU32,
    /// It has run its start hook, or has none, since it was made. Written under the lock of `end`.
    started: AtomicBool,
    hub: Arc<Hub>,
}

/// Whether the actor has ended, and who wants to know.
pub(in crate::production) enum End<R> {
    /// Not yet. Most actors have no relations.
    Awaited(Option<Box<R>>),
    /// Its inbox is closed and every watcher was told.
    Ended(StopReason),
}

/// Most actors have none, and pay for one word.
struct Name(Box<str>);

impl LiveActor {
    pub(in crate::production) fn new(
        hub: Arc<Hub>,
        options: &SpawnOptions,
        info: &'static ActorInfo,
        make_mail: MakeMail,
    ) -> Self {
        Self {
            // Relaxed: only uniqueness matters.
            id: ActorId::live(NEXT_ID.fetch_add(1, Ordering::Relaxed)),
            name: options.name.clone().map(|name| Box::new(Name(name))),
            info,
            mailbox: Mailbox::new(make_mail, options.mailbox),
            end: Mutex::new(End::Awaited(None)),
            lane: Lane::default(),
            work: Work::default(),
            #[cfg(feature = "metrics")]
            meters: hub.meters.of(info.name),
            life: AtomicU32::new(0),
            started: AtomicBool::new(!info.starts),
            hub,
        }
    }

    pub(crate) fn id(&self) -> ActorId {
        self.id
    }

    /// The name given at the spawn, or the type and the identity; behind the name of the node, where it
    /// is on one.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        let name = match &self.name {
            Some(name) => Cow::Borrowed(&*name.0),
            None => Cow::Owned(format!("{}{}", self.info.name, self.id)),
        };
        match &self.hub.node {
            None => name,
            Some(node) => Cow::Owned(format!("{node}/{name}")),
        }
    }

    /// The name by which it is registered.
    pub(crate) fn own_name(&self) -> String {
        match &self.name {
            Some(name) => name.0.to_string(),
            None => self.name().into_owned(),
        }
    }

    #[inline]
    pub(in crate::production) fn info(&self) -> &'static ActorInfo {
        self.info
    }

    #[inline]
    pub(in crate::production) fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    #[inline]
    pub(in crate::production) fn mailbox(&self) -> &Mailbox<Box<Life>> {
        &self.mailbox
    }

    /// How often it was brought back. Relaxed: who asks is this actor, or comes too early or too
    /// late in any case.
    #[inline]
    pub(in crate::production) fn life(&self) -> u32 {
        self.life.load(Ordering::Relaxed)
    }

    /// How many events the actor has not begun to handle, as far as can be told from outside.
    pub(in crate::production) fn unread(&self) -> usize {
        self.mailbox().unread() + self.work.fetched()
    }

    /// For how long the oldest of them has waited, where that is kept.
    pub(in crate::production) fn oldest(&self) -> Option<Duration> {
        let fetched = (self.work.fetched() > 0).then(|| self.work.oldest());
        let sent = fetched.flatten().or_else(|| self.mailbox().oldest())?;
        Some(self.hub.now().saturating_sub(sent))
    }

    /// Relaxed, as the next: both are called under the lock of `end`, or by the actor itself, which alone
    /// changes it.
    pub(in crate::production) fn has_started(&self) -> bool {
        self.started.load(Ordering::Relaxed)
    }

    pub(in crate::production) fn set_started(&self, has_started: bool) {
        self.started.store(has_started, Ordering::Relaxed);
    }

    /// It is brought back: timers and watches of the life before are void.
    pub(in crate::production) fn next_life(&self) {
        self.life.fetch_add(1, Ordering::Relaxed);
    }

    /// Something comes before the next event.
    #[inline]
    pub(in crate::production) fn is_ordered(&self) -> bool {
        self.lane.is_urgent()
    }

    /// Tells the actor something ahead of its inbox.
    pub(in crate::production) fn order(&self, order: u16) {
        self.lane.add(order);
        self.rouse();
    }

    /// Has the actor look at what it was told: now where it waits, else before it waits again.
    pub(in crate::production) fn rouse(&self) {
        self.run(self.mailbox.rouse());
    }

    /// Has the actor run, where it was taken out of its mailbox.
    #[inline]
    fn run(&self, life: Option<Box<Life>>) {
        if let Some(life) = life {
            life.dispatch(&self.hub.dispatcher);
        }
    }

    /// Has the actor wait in its mailbox, or run once more where it was roused meanwhile.
    pub(in crate::production) fn park(&self, life: Box<Life>) {
        self.run(self.mailbox.park(life));
        if self.hub.dispatcher.is_closed() {
            self.drop_parked();
        }
    }

    /// Drops the actor where it waits: nobody will run it.
    pub(in crate::production) fn drop_parked(&self) {
        drop(self.mailbox.rouse());
    }

    /// Its inbox still takes events.
    pub(crate) fn is_running(&self) -> bool {
        !self.mailbox.is_closed()
    }

    /// Sends; where the actor has stopped, the event becomes a dead letter.
    pub(crate) fn post<A: Mailed>(&self, message: &mut Slot<A::Message>) {
        let Slot::Full(shown) = message else {
            return;
        };
        let event = A::event_index(shown);
        if self.hub.looks_at_sends() {
            let sent = self.see_sent(event, A::event(shown));
            return self.post_any(event, message, sent);
        }
        match self.mailbox.open() {
            Some(mut mailbox) if mailbox.is_unbounded() => {
                let slot = mail_of::<A>(mailbox.mail()).insert(message);
                let roused = mailbox.push_event(event, slot, Sender::NONE);
                self.run(roused);
            }
            Some(mut mailbox) => {
                let admission = mailbox.tell();
                self.admit(mailbox, admission, event, message, Sent::UNSEEN);
            }
            None => self.refuse(Kind::Event, DeadLetterReason::Stopped, message),
        }
    }

    /// As [`post`](Self::post), for what a relay hands on: monitors have seen it sent.
    pub(crate) fn pass_on<A: Mailed>(&self, message: &mut Slot<A::Message>) {
        let Slot::Full(passed) = message else {
            return;
        };
        let event = A::event_index(passed);
        let sent = match self.hub.looks_at_sends() {
            true => self.sent_now(),
            false => Sent::UNSEEN,
        };
        self.post_any(event, message, sent);
    }

    /// As [`post`](Self::post), whatever the message is, and whoever looks.
    #[cold]
    fn post_any(&self, event: u16, message: &mut dyn Any, sent: Sent) {
        match self.mailbox.open() {
            Some(mut mailbox) => {
                let admission = mailbox.tell();
                self.admit(mailbox, admission, event, message, sent);
            }
            None => self.refuse(Kind::Event, DeadLetterReason::Stopped, message),
        }
    }

    /// The actor, which relays, knows nobody to hand a message of its own on to.
    pub(crate) fn lose_own<A: Mailed>(&self, message: A::Message, why: DeadLetterReason) {
        self.refuse(Kind::Event, why, &mut Slot::Full(message));
    }

    /// Sends to whoever has room, for a sender that awaits what becomes of the event; one with a
    /// waker is willing to wait. It has a ticket where it has waited before.
    pub(crate) fn offer<A: Mailed>(
        &self,
        message: &mut Slot<A::Message>,
        mut ticket: Option<u64>,
        waker: Option<&Waker>,
    ) -> Room {
        let Slot::Full(shown) = message else {
            return Room::Decided(Offered::Taken);
        };
        let event = A::event_index(shown);
        if self.hub.is_observed() {
            match self.keep_place(ticket, waker) {
                Ok(kept) => ticket = kept,
                Err(room) => return room,
            }
        }
        let sent = match self.hub.looks_at_sends() {
            true => self.see_sent(event, A::event(shown)),
            false => Sent::UNSEEN,
        };
        self.offer_any(event, message, sent, ticket, waker)
    }

    fn offer_any(
        &self,
        event: u16,
        message: &mut dyn Any,
        sent: Sent,
        ticket: Option<u64>,
        waker: Option<&Waker>,
    ) -> Room {
        let Some(mut mailbox) = self.mailbox.open() else {
            return Room::Decided(Offered::Closed);
        };
        let (admission, replaced) = mailbox.offer(ticket, waker);
        match admission {
            Admission::Full | Admission::Wait(_) => drop(mailbox),
            _ => self.admit(mailbox, admission, event, message, sent),
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

    /// Its mailbox takes events, and may be full.
    pub(crate) fn is_bounded(&self) -> bool {
        let mailbox = self.mailbox.open();
        mailbox.is_some_and(|mailbox| !mailbox.is_unbounded())
    }

    /// The sender with that ticket waits no longer.
    pub(crate) fn leave_line(&self, ticket: u64) {
        self.mailbox.leave_line(ticket);
    }

    /// Queues an event in a bounded mailbox; or it, or the oldest, is a dead letter.
    fn admit(
        &self,
        mut mailbox: Opened<'_, Box<Life>>,
        admission: Admission,
        event: u16,
        message: &mut dyn Any,
        sent: Sent,
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
        #[cfg(feature = "tracing")]
        let left = mailbox.carry(slot, sent.carried);
        self.run(mailbox.push_counted(event, slot, sent.sender));
        #[cfg(feature = "tracing")]
        drop(left);
        if let Some((mail, slot)) = replaced {
            self.dead_letter(&*mail, slot, DeadLetterReason::Full);
        }
    }

    /// Sends what nobody sent; dropped in silence where the actor has stopped.
    pub(crate) fn notify<A: Mailed>(&self, message: A::Message, timer: Option<Arc<Fired>>) {
        let event = A::event_index(&message);
        if self.hub.is_observed() {
            self.observe(Moment::Sent, event, A::event(&message), Sender::NONE);
        }
        let message = &mut Slot::Full(message);
        match self.mailbox.open() {
            Some(mut mailbox) => {
                let slot = mail_of::<A>(mailbox.mail()).insert(message);
                self.run(mailbox.push_notice(event, slot, timer));
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

    /// Stops the actor.
    pub(crate) fn stop(self: &Arc<Self>, stop: Stop) {
        match stop {
            Stop::InOrder => self.stop_in_order(),
            Stop::Within(deadline) => {
                self.stop_in_order();
                let actor = Arc::downgrade(self);
                let deadline = {
                    let _clock = self.hub.executor.enter();
                    sleep(deadline)
                };
                self.hub.executor.spawn(async move {
                    deadline.await;
                    if let Some(actor) = actor.upgrade() {
                        actor.order(KILL | QUIT);
                    }
                });
            }
            Stop::AtOnce => self.order(KILL | QUIT),
        }
    }

    /// Stops the actor when it has handled what was sent to it before.
    pub(in crate::production) fn stop_in_order(&self) {
        self.lane.add(QUIT);
        // Refused where the actor has ended meanwhile.
        let roused = self.mailbox.open().and_then(Opened::push_stop);
        // It may be down, and await no event.
        self.run(roused.or_else(|| self.mailbox.rouse()));
    }

    /// What is left of the inbox becomes dead letters, but that it was told to stop.
    pub(in crate::production) fn drop_unread(&self) {
        let mut letters = self.mailbox.take();
        let entries = std::mem::take(&mut letters.entries);
        for entry in entries {
            match entry.kind {
                Kind::Stop => letters.entries.push_back(entry),
                kind => {
                    drop(letters.read(&entry));
                    self.lose(
                        kind,
                        letters.mail(),
                        entry.slot,
                        DeadLetterReason::Restarted,
                    );
                }
            }
        }
        self.mailbox.give_back(letters);
    }

    /// Begins an `ask`.
    pub(crate) fn asking(self: &Arc<Self>) -> (Option<Box<Observed>>, Asked) {
        let observed = self.hub.is_observed().then(|| {
            Box::new(Observed {
                hub: self.hub.clone(),
                asker: Sender::current(),
            })
        });
        (observed, Asked::of(self))
    }

    /// The end of an `ask` of it that begins now and says nothing of a limit.
    pub(crate) fn ask_limit(&self) -> Option<Sleep> {
        let limit = self.hub.ask_limit()?;
        let _clock = self.hub.executor.enter();
        Some(sleep(limit))
    }

    /// Begins an `ask` that monitors don't see, and that is part of no cycle.
    pub(crate) fn asking_beside(self: &Arc<Self>) -> Asked {
        let asked = Asked::of(self);
        asked.over();
        asked
    }

    /// Shows what is sent to who looks, and keeps what they want to know of it later.
    #[cold]
    fn see_sent(&self, event: u16, shown: &dyn Event) -> Sent {
        let sent = self.sent_now();
        if self.hub.is_observed() {
            self.observe(Moment::Sent, event, shown, sent.sender);
        }
        sent
    }

    /// What is kept of a send of now.
    fn sent_now(&self) -> Sent {
        let attention = self.hub.attention.bits();
        let sender = match () {
            () if attention & OBSERVED != 0 => Sender::current(),
            () if attention & AGES != 0 => Sender::stamped(self.hub.now()),
            () => Sender::NONE,
        };
        Sent {
            sender,
            #[cfg(feature = "tracing")]
            carried: self.hub.hooks.carrier().and_then(Carrier::capture),
        }
    }

    #[cold]
    pub(in crate::production) fn observe(
        &self,
        moment: Moment,
        event: u16,
        shown: &dyn Event,
        sender: Sender,
    ) {
        if self.info.relays && moment == Moment::Handled {
            return;
        }
        let kind = self.info.events[usize::from(event)].type_id;
        self.hub.observe(moment, kind, shown, sender, Some(self.id));
    }

    /// Counts, shows and drops an event that will never be handled.
    #[cold]
    pub(in crate::production) fn dead_letter(
        &self,
        mail: &dyn AnyMail,
        slot: u32,
        why: DeadLetterReason,
    ) {
        mail.inspect(slot, &mut |event| {
            telemetry::lost(self, event, why);
            let name = || self.name().into_owned();
            self.hub.hooks.dead_letter(self.id, &name, event, why);
        });
        // The destructor is the user's. It must not take down whoever happens to run it.
        let drop_it = || losing(self.hub.lost(why.loss()), || mail.discard(slot));
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

    pub(in crate::production) fn failed(&self, fault: Fault) {
        telemetry::failed(self, &fault);
        self.hub.failed(self.id, &self.name(), fault);
    }

    pub(crate) fn report(&self, error: &str) {
        self.failed(Fault {
            kind: FailureKind::Unheard,
            message: error.to_owned(),
        });
    }

    pub(in crate::production) fn lost_in_background(&self, message: String) {
        self.failed(Fault {
            kind: FailureKind::Background,
            message,
        });
    }

    /// Closes the inbox: what is left of it becomes dead letters.
    pub(in crate::production) fn close(&self) {
        let letters = self.mailbox.close();
        for entry in &letters.entries {
            if entry.kind != Kind::Stop {
                let why = DeadLetterReason::Stopped;
                self.lose(entry.kind, letters.mail(), entry.slot, why);
            }
        }
    }
}

/// What is kept of a send.
struct Sent {
    sender: Sender,
    #[cfg(feature = "tracing")]
    carried: Option<Carried>,
}

impl Sent {
    /// Nobody looks.
    const UNSEEN: Self = Self {
        sender: Sender::NONE,
        #[cfg(feature = "tracing")]
        carried: None,
    };
}

/// To who counts and logs.
impl Subject for LiveActor {
    #[cfg(feature = "tracing")]
    fn id(&self) -> ActorId {
        self.id
    }

    #[cfg(feature = "tracing")]
    fn name(&self) -> Cow<'_, str> {
        self.name()
    }

    #[cfg(feature = "tracing")]
    fn life(&self) -> u32 {
        self.life()
    }

    #[cfg(feature = "metrics")]
    fn meters(&self) -> &Meters {
        &self.meters
    }

    #[cfg(any(feature = "tracing", feature = "metrics"))]
    fn broke(&self, fault: Fault) {
        self.hub.failed(self.id, &self.name(), fault);
    }
}

/// To who looks for cycles of asks.
#[cfg(debug_assertions)]
impl Asks for LiveActor {
    fn id(&self) -> ActorId {
        self.id
    }

    fn name(&self) -> Cow<'_, str> {
        self.name()
    }

    fn waits(&self) -> &Waits<Self> {
        &self.hub.waits
    }

    fn failed(&self, fault: Fault) {
        self.failed(fault);
    }
}

#[cfg(not(debug_assertions))]
impl waits::Asks for LiveActor {}

impl Lives for LiveActor {
    fn life(&self) -> u32 {
        self.life()
    }
}

/// Wakes the actor as a whole; a future in its handler may do so from anywhere.
impl Wake for LiveActor {
    fn wake(self: Arc<Self>) {
        self.rouse();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rouse();
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
