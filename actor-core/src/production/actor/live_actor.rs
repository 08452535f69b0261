//! The shared half of a live actor, as senders, watchers and supervisors see it: [`LiveActor`].

use std::any::Any;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Wake, Waker};
use std::time::Duration;

use super::actor_task::ActorTask;
use super::hub::Hub;
use super::relations::Relations;
use super::reply::{Observed, losing};
use super::telemetry;
use super::waits::TrackedAsk;
use crate::event::Event;
use crate::identity::ActorId;
use crate::panics::lock;
use crate::production::host::current::Sender;
use crate::production::host::executor::{ExecutorSleep, sleep};
use crate::production::mailbox::bound::Admission;
use crate::production::mailbox::fired::{FiredTimer, TimerOwner};
use crate::production::mailbox::queue::{ActorMailbox, EntryKind, Opened};
use crate::production::mailbox::signals::{KILL, QUIT, Signals};
#[cfg(feature = "tracing")]
use crate::production::mailbox::span_context::SpanContext;
use crate::production::observing::hooks::{DeadLetterReason, FailureCause};
#[cfg(feature = "metrics")]
use crate::production::observing::meters::Meters;
use crate::production::observing::observer_flags::{AGES, OBSERVED};
#[cfg(feature = "tracing")]
use crate::production::observing::span_propagator::SpanPropagator;
use crate::production::observing::work::CurrentHandler;
use crate::seam::{ActorType, AnyMail, Mailed, Offered, SpawnOptions, Stop, mail_of};
use crate::slab::Slot;
use crate::specification::Moment;
use crate::supervision::{FailureKind, StopReason};
use crate::table::ActorInfo;

/// Identities are unique in the program, not only in a system. They count from 1: zero means none.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// The target of events for a live actor. References keep it after the actor has ended.
///
/// The code here does not depend on the actor's type, except through `info` and the mail; so sending,
/// watching and ending are compiled once, and not for every actor type.
pub(crate) struct LiveActor {
    id: ActorId,
    name: Option<Box<Name>>,
    info: &'static ActorInfo,
    mailbox: ActorMailbox<Box<ActorTask>>,
    pub(in crate::production) end: Mutex<ActorEnd>,
    /// The signals that go ahead of the inbox.
    pub(in crate::production) signals: Signals,
    pub(in crate::production) work: CurrentHandler,
    #[cfg(feature = "metrics")]
    pub(in crate::production) meters: Arc<Meters>,
    /// The number of restarts.
    life: AtomicU32,
    /// True once the current value has run its start hook, or has none. Written under the lock of `end`.
    started: AtomicBool,
    hub: Arc<Hub>,
}

/// The end of an actor: its relations while it is alive, the reason once it has ended.
pub(in crate::production) enum ActorEnd {
    /// The actor has not ended. Most actors have no relations.
    Awaited(Option<Box<Relations>>),
    /// The inbox is closed, and every watcher was notified.
    Ended(StopReason),
}

/// Boxed twice, since most actors have no name: one word each.
struct Name(Box<str>);

impl LiveActor {
    pub(in crate::production) fn new(hub: Arc<Hub>, options: &SpawnOptions, of: ActorType) -> Self {
        Self {
            // Relaxed: only uniqueness matters.
            id: ActorId::live(NEXT_ID.fetch_add(1, Ordering::Relaxed)),
            name: options.name.clone().map(|name| Box::new(Name(name))),
            info: of.info,
            mailbox: ActorMailbox::new(of.mail, options.mailbox),
            end: Mutex::new(ActorEnd::Awaited(None)),
            signals: Signals::default(),
            work: CurrentHandler::default(),
            #[cfg(feature = "metrics")]
            meters: hub.meters.of(of.info.name),
            life: AtomicU32::new(0),
            started: AtomicBool::new(!of.info.starts),
            hub,
        }
    }

    pub(crate) fn id(&self) -> ActorId {
        self.id
    }

    /// Returns the name given at the spawn, or the type and the identity, prefixed by the node's name.
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

    /// Returns the name for the registry, without the prefix of the node.
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
    pub(in crate::production) fn mailbox(&self) -> &ActorMailbox<Box<ActorTask>> {
        &self.mailbox
    }

    /// Returns the number of restarts. Relaxed: the caller is this actor, or unordered in any case.
    #[inline]
    pub(in crate::production) fn restart_count(&self) -> u32 {
        self.life.load(Ordering::Relaxed)
    }

    /// Returns the number of events not yet being handled, as far as is known from outside.
    pub(in crate::production) fn unread(&self) -> usize {
        self.mailbox().unread() + self.work.fetched()
    }

    /// Returns the age of the oldest unread event, if that is recorded.
    pub(in crate::production) fn oldest(&self) -> Option<Duration> {
        let fetched = (self.work.fetched() > 0).then(|| self.work.oldest());
        let sent = fetched.flatten().or_else(|| self.mailbox().oldest())?;
        Some(self.hub.now().saturating_sub(sent))
    }

    /// Returns true once the actor has started. Relaxed, as the next function: both are called under the
    /// lock of `end`, or by the actor itself, which alone changes the value.
    pub(in crate::production) fn has_started(&self) -> bool {
        self.started.load(Ordering::Relaxed)
    }

    pub(in crate::production) fn set_started(&self, has_started: bool) {
        self.started.store(has_started, Ordering::Relaxed);
    }

    /// Counts a restart, which makes earlier timers and watches void.
    pub(in crate::production) fn next_life(&self) {
        self.life.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns true if a signal comes before the next event.
    #[inline]
    pub(in crate::production) fn is_ordered(&self) -> bool {
        self.signals.is_urgent()
    }

    /// Signals the actor ahead of its inbox.
    pub(in crate::production) fn order(&self, order: u16) {
        self.signals.add(order);
        self.wake_up();
    }

    /// Makes the actor check its signals: now if it is parked, otherwise before it parks again.
    pub(in crate::production) fn wake_up(&self) {
        self.run(self.mailbox.rouse());
    }

    /// Runs the actor, if it was taken out of its mailbox.
    #[inline]
    fn run(&self, life: Option<Box<ActorTask>>) {
        if let Some(life) = life {
            life.dispatch(&self.hub.dispatcher);
        }
    }

    /// Parks the actor in its mailbox, or runs it once more if it was woken meanwhile.
    pub(in crate::production) fn park(&self, life: Box<ActorTask>) {
        self.run(self.mailbox.park(life));
        if self.hub.dispatcher.is_closed() {
            self.drop_parked();
        }
    }

    /// Drops the parked actor, since nobody will run it.
    pub(in crate::production) fn drop_parked(&self) {
        drop(self.mailbox.rouse());
    }

    /// Returns true if the inbox still takes events.
    pub(crate) fn is_running(&self) -> bool {
        !self.mailbox.is_closed()
    }

    /// Sends; if the actor has stopped, the event becomes a dead letter.
    pub(crate) fn post<A: Mailed>(&self, message: &mut Slot<A::Message>) {
        let Slot::Full(shown) = message else {
            return;
        };
        let event = A::event_index(shown);
        if self.hub.observes_sends() {
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
                self.admit(mailbox, admission, event, message, SendRecord::UNSEEN);
            }
            None => self.refuse(EntryKind::Event, DeadLetterReason::Stopped, message),
        }
    }

    /// Posts as [`post`](Self::post) does, for a relayed message, which monitors have already observed.
    pub(crate) fn pass_on<A: Mailed>(&self, message: &mut Slot<A::Message>) {
        let Slot::Full(passed) = message else {
            return;
        };
        let event = A::event_index(passed);
        let sent = match self.hub.observes_sends() {
            true => self.sent_now(),
            false => SendRecord::UNSEEN,
        };
        self.post_any(event, message, sent);
    }

    /// Posts as [`post`](Self::post) does, for an untyped message, with the recorded data of the send.
    #[cold]
    fn post_any(&self, event: u16, message: &mut dyn Any, sent: SendRecord) {
        match self.mailbox.open() {
            Some(mut mailbox) => {
                let admission = mailbox.tell();
                self.admit(mailbox, admission, event, message, sent);
            }
            None => self.refuse(EntryKind::Event, DeadLetterReason::Stopped, message),
        }
    }

    /// Offers an event to the mailbox, for a sender that awaits the outcome. A sender with a waker is
    /// willing to wait, and has a ticket if it has waited before.
    pub(crate) fn offer<A: Mailed>(
        &self,
        message: &mut Slot<A::Message>,
        mut ticket: Option<u64>,
        waker: Option<&Waker>,
    ) -> OfferState {
        let Slot::Full(shown) = message else {
            return OfferState::Decided(Offered::Taken);
        };
        let event = A::event_index(shown);
        if self.hub.is_observed() {
            match self.keep_place(ticket, waker) {
                Ok(kept) => ticket = kept,
                Err(room) => return room,
            }
        }
        let sent = match self.hub.observes_sends() {
            true => self.see_sent(event, A::event(shown)),
            false => SendRecord::UNSEEN,
        };
        self.offer_any(event, message, sent, ticket, waker)
    }

    fn offer_any(
        &self,
        event: u16,
        message: &mut dyn Any,
        sent: SendRecord,
        ticket: Option<u64>,
        waker: Option<&Waker>,
    ) -> OfferState {
        let Some(mut mailbox) = self.mailbox.open() else {
            return OfferState::Decided(Offered::Closed);
        };
        let (admission, replaced) = mailbox.offer(ticket, waker);
        match admission {
            Admission::Full | Admission::Wait(_) => drop(mailbox),
            _ => self.admit(mailbox, admission, event, message, sent),
        }
        drop(replaced);
        OfferState::of(admission)
    }

    /// Reserves a place, since monitors must observe the event before the target, and it must be queued
    /// afterwards. Returns the ticket of the place.
    #[cold]
    fn keep_place(
        &self,
        ticket: Option<u64>,
        waker: Option<&Waker>,
    ) -> Result<Option<u64>, OfferState> {
        let Some(mut mailbox) = self.mailbox.open() else {
            return Err(OfferState::Decided(Offered::Closed));
        };
        let (admission, replaced) = mailbox.offer(ticket, waker);
        let kept = match admission {
            Admission::Enter => Ok(mailbox.keep_place()),
            Admission::Replace | Admission::Lost => Ok(None),
            Admission::Full | Admission::Wait(_) => Err(OfferState::of(admission)),
        };
        drop(mailbox);
        drop(replaced);
        kept
    }

    pub(crate) fn is_bounded(&self) -> bool {
        let mailbox = self.mailbox.open();
        mailbox.is_some_and(|mailbox| !mailbox.is_unbounded())
    }

    /// Ends the wait of the sender with that ticket.
    pub(crate) fn leave_line(&self, ticket: u64) {
        self.mailbox.leave_line(ticket);
    }

    /// Queues an event in a bounded mailbox, or makes a dead letter of it or of the oldest event.
    fn admit(
        &self,
        mut mailbox: Opened<'_, Box<ActorTask>>,
        admission: Admission,
        event: u16,
        message: &mut dyn Any,
        sent: SendRecord,
    ) {
        let replaced = match admission {
            Admission::Replace => mailbox.take_oldest(),
            Admission::Enter => None,
            Admission::Lost | Admission::Full | Admission::Wait(_) => {
                drop(mailbox);
                return self.refuse(EntryKind::Event, DeadLetterReason::Full, message);
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

    /// Sends a notice or a timer's event; dropped without a dead letter if the actor has stopped.
    pub(crate) fn notify<A: Mailed>(&self, message: A::Message, timer: Option<Arc<FiredTimer>>) {
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
            None => self.refuse(EntryKind::Notice, DeadLetterReason::Stopped, message),
        }
    }

    #[cold]
    fn refuse(&self, kind: EntryKind, why: DeadLetterReason, message: &mut dyn Any) {
        let mail = self.mailbox.make_mail();
        let (slot, _) = mail.put(message);
        self.lose(kind, &*mail, slot, why);
    }

    /// Makes a dead letter of an event; drops a notice without one.
    fn lose(&self, kind: EntryKind, mail: &dyn AnyMail, slot: u32, why: DeadLetterReason) {
        match kind {
            EntryKind::Event => self.dead_letter(mail, slot, why),
            EntryKind::Notice | EntryKind::Timer => self.discard(mail, slot),
            EntryKind::Stop => {}
        }
    }

    pub(crate) fn stop(self: &Arc<Self>, stop: Stop) {
        match stop {
            Stop::InOrder => self.stop_in_order(),
            Stop::After(deadline) => {
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

    /// Stops the actor after the events that were sent to it before.
    pub(in crate::production) fn stop_in_order(&self) {
        self.signals.add(QUIT);
        // Refused if the actor has ended meanwhile.
        let roused = self.mailbox.open().and_then(Opened::push_stop);
        // An actor that is down waits for no event, but has to be woken.
        self.run(roused.or_else(|| self.mailbox.rouse()));
    }

    /// Makes dead letters of unread events, and keeps the order to stop.
    pub(in crate::production) fn drop_unread(&self) {
        let mut letters = self.mailbox.take();
        let entries = std::mem::take(&mut letters.entries);
        for entry in entries {
            match entry.kind {
                EntryKind::Stop => letters.entries.push_back(entry),
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

    pub(crate) fn asking(self: &Arc<Self>) -> (Option<Box<Observed>>, TrackedAsk) {
        let observed = self.hub.is_observed().then(|| {
            Box::new(Observed {
                hub: self.hub.clone(),
                asker: Sender::current(),
            })
        });
        (observed, TrackedAsk::of(self))
    }

    /// Starts the time limit of the system for an `ask` of this actor.
    pub(crate) fn ask_limit(&self) -> Option<ExecutorSleep> {
        self.hub.begin_ask_limit()
    }

    /// Begins an `ask` that monitors don't observe, and that is ignored in the detection of cycles.
    pub(crate) fn asking_beside(self: &Arc<Self>) -> TrackedAsk {
        let asked = TrackedAsk::of(self);
        asked.over();
        asked
    }

    /// Shows a sent event to the monitors, and records the data of the send.
    #[cold]
    fn see_sent(&self, event: u16, shown: &dyn Event) -> SendRecord {
        let sent = self.sent_now();
        if self.hub.is_observed() {
            self.observe(Moment::Sent, event, shown, sent.sender);
        }
        sent
    }

    /// Records the data of a send that happens now.
    fn sent_now(&self) -> SendRecord {
        let observer_flags = self.hub.observer_flags.bits();
        let sender = match () {
            () if observer_flags & OBSERVED != 0 => Sender::current(),
            () if observer_flags & AGES != 0 => Sender::stamped(self.hub.now()),
            () => Sender::NONE,
        };
        SendRecord {
            sender,
            #[cfg(feature = "tracing")]
            carried: self.hub.hooks.carrier().and_then(SpanPropagator::capture),
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
        let why = match (why, &*lock(&self.end)) {
            (DeadLetterReason::Stopped, ActorEnd::Ended(StopReason::Unregistered)) => {
                DeadLetterReason::Unknown
            }
            (DeadLetterReason::Stopped, ActorEnd::Ended(StopReason::Disconnected)) => {
                DeadLetterReason::Unreachable
            }
            (why, _) => why,
        };
        mail.inspect(slot, &mut |event| {
            telemetry::lost(self, event, why);
            let name = || self.name().into_owned();
            self.hub.hooks.dead_letter(self.id, &name, event, why);
        });
        // The user's destructor runs, and must not take down the thread that happens to run it.
        let drop_it = || losing(self.hub.lost(why.loss()), || mail.discard(slot));
        if let Err(payload) = catch_unwind(AssertUnwindSafe(drop_it)) {
            self.failed(FailureCause::from_panic(payload));
        }
    }

    /// Sets the reason of the end of an actor that never ran.
    pub(in crate::production) fn set_reason(&self, reason: StopReason) {
        *lock(&self.end) = ActorEnd::Ended(reason);
    }

    /// Drops a notice that will never be handled.
    #[cold]
    fn discard(&self, mail: &dyn AnyMail, slot: u32) {
        // The user's destructor runs, possibly at the end of another actor.
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| mail.discard(slot))) {
            self.failed(FailureCause::from_panic(payload));
        }
    }

    /// Reports a failure of that kind.
    pub(in crate::production) fn fail(&self, kind: FailureKind, message: String) {
        self.failed(FailureCause { kind, message });
    }

    pub(in crate::production) fn failed(&self, fault: FailureCause) {
        telemetry::failed(self, &fault);
        self.hub.failed(self.id, &self.name(), fault);
    }

    pub(crate) fn report(&self, error: &str) {
        self.fail(FailureKind::Unheard, error.to_owned());
    }

    /// Closes the inbox: unread events become dead letters.
    pub(in crate::production) fn close(&self) {
        let letters = self.mailbox.close();
        for entry in &letters.entries {
            if entry.kind != EntryKind::Stop {
                let why = DeadLetterReason::Stopped;
                self.lose(entry.kind, letters.mail(), entry.slot, why);
            }
        }
    }
}

/// The recorded data of a send.
struct SendRecord {
    sender: Sender,
    #[cfg(feature = "tracing")]
    carried: Option<SpanContext>,
}

impl SendRecord {
    /// The data of a send that nobody observes.
    const UNSEEN: Self = Self {
        sender: Sender::NONE,
        #[cfg(feature = "tracing")]
        carried: None,
    };
}

impl TimerOwner for LiveActor {
    fn life(&self) -> u32 {
        self.restart_count()
    }
}

/// Wakes the actor as a whole; a future in its handler may do so on any thread.
impl Wake for LiveActor {
    fn wake(self: Arc<Self>) {
        self.wake_up();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wake_up();
    }
}

/// The outcome of offering an event to the mailbox.
pub(crate) enum OfferState {
    /// The sender waits under this ticket.
    Wait(u64),
    Decided(Offered),
}

impl OfferState {
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
