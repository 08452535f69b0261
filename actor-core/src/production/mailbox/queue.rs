//! The queue between everyone who sends to an actor and the actor: [`Mailbox`].
//!
//! A mutex, and the reader itself, which lies in its mailbox while it waits: who has to wake it takes
//! it out, so that it is never in two places and needs no state of its own. It is chosen over a tokio
//! channel because closing it is exact: under the lock an event is either queued, and so handled or a
//! dead letter, or handed back to its sender. The reader takes the whole queue at once, so it locks
//! once for each batch, and a sender rouses it only where it found the queue empty.
//!
//! What is queued is an [`Entry`], which does not know the actor's type; the messages themselves
//! lie in the [mail](crate::parts::Mail), under the same lock, in the slots that the entries name.
//! The reader takes both by swapping them for its own, which it has emptied; only where it still
//! keeps deferred events, messages are moved from mail to mail.
//!
//! A mailbox with a [bound](super::bound) is read in place, one event at a time: what is unread stays
//! in the queue, deferred events too, so that it is counted, and the oldest of it found, under the one
//! lock. Other mailboxes pay one branch and one pointer for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use super::bound::{Admission, Bound, Tally};
#[cfg(feature = "tracing")]
use super::carried::{Carried, Luggage};
use super::fired::Fired;
use super::sync::{Mutex, MutexGuard, lock};
use crate::parts::{self, AnyMail, MakeMail};
use crate::production::host::current::Sender;
use crate::slab::{Slab, Slot};

/// Above this capacity, an emptied queue gives its memory back.
const CAPACITY_KEPT: usize = 4096;

/// What waits in a mailbox: small and plain, since senders and readers spend their time on moving
/// it.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// Which event, and where in the mail its message is; of no meaning for [`Kind::Stop`].
    pub(crate) event: u16,
    pub(crate) slot: u32,
    /// What the kind says.
    of: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An event that was told or asked, of a sender that is recorded only while a monitor is
    /// registered, or with the time where that is kept.
    Event,
    /// Word of an actor's end. As the event of a timer, it was sent by nobody, ends with the actor
    /// and is never a dead letter.
    Notice,
    /// The event of a timer, in a slot of the timers. It is void once the timer is cancelled.
    Timer,
    /// The system stops the actor, when it has handled what came before.
    Stop,
}

impl Entry {
    pub(crate) fn sender(&self) -> Sender {
        match self.kind {
            Kind::Event => Sender::numbered(self.of),
            Kind::Notice | Kind::Timer | Kind::Stop => Sender::NONE,
        }
    }

    /// When it was sent, where that is kept.
    pub(crate) fn sent_at(&self) -> Option<Duration> {
        self.sender().stamp()
    }
}

/// Entries in order, and what they name.
#[derive(Default)]
pub(crate) struct Letters {
    pub(crate) entries: VecDeque<Entry>,
    /// `None` before the first message.
    mail: Option<Box<dyn AnyMail>>,
    /// Most actors have no timers.
    timers: Option<Box<Slab<Arc<Fired>>>>,
    #[cfg(feature = "tracing")]
    luggage: Luggage,
}

impl Letters {
    /// The mail, where an entry says that there is some.
    #[inline]
    pub(crate) fn mail(&self) -> &dyn AnyMail {
        &**self.mail.as_ref().expect("what an entry names is there")
    }

    /// It is an event of a timer that was cancelled since it fired.
    pub(crate) fn is_void(&self, entry: &Entry) -> bool {
        if entry.kind != Kind::Timer {
            return false;
        }
        let timer = self
            .timers
            .as_ref()
            .and_then(|timers| timers.get(entry.of as u32));
        timer.is_some_and(|timer| timer.is_cancelled())
    }

    /// An entry was taken; if it is a timer's, that has no unread event once this is dropped.
    pub(crate) fn read(&mut self, entry: &Entry) -> Option<Arc<Fired>> {
        match (entry.kind, &mut self.timers) {
            (Kind::Timer, Some(timers)) => timers.remove(entry.of as u32),
            _ => None,
        }
    }

    /// What comes with the event in that slot.
    #[cfg(feature = "tracing")]
    pub(crate) fn take_carried(&mut self, slot: u32) -> Option<Carried> {
        self.luggage.take(slot)
    }

    fn add_timer(&mut self, timer: Arc<Fired>) -> u64 {
        let timers = self.timers.get_or_insert_with(|| Box::new(Slab::new()));
        u64::from(timers.insert(&mut Slot::Full(timer)))
    }

    /// Moves everything in `other` behind what is here.
    fn append(&mut self, other: &mut Self) {
        if self.mail.is_none() {
            std::mem::swap(&mut self.mail, &mut other.mail);
            std::mem::swap(&mut self.timers, &mut other.timers);
            #[cfg(feature = "tracing")]
            std::mem::swap(&mut self.luggage, &mut other.luggage);
            self.entries.append(&mut other.entries);
            return;
        }
        self.entries.reserve(other.entries.len());
        while let Some(mut entry) = other.entries.pop_front() {
            if let Some(timer) = other.read(&entry) {
                entry.of = self.add_timer(timer);
            }
            if let (Some(to), Some(from)) = (&self.mail, &other.mail)
                && entry.kind != Kind::Stop
            {
                let slot = to.adopt(&**from, entry.slot);
                #[cfg(feature = "tracing")]
                self.luggage.put(slot, other.luggage.take(entry.slot));
                entry.slot = slot;
            }
            self.entries.push_back(entry);
        }
    }
}

/// `R` is the reader.
pub(crate) struct Mailbox<R> {
    queue: Mutex<Queue<R>>,
    make_mail: MakeMail,
}

/// What a fetch brought.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fetched {
    /// One entry, and most likely nothing comes before it is handled: the next sender will rouse the
    /// reader, which needs no look at the queue before it waits.
    One,
    /// More: the reader looks again when it has handled them.
    Several,
}

/// How the reader of a mailbox is to read it.
#[derive(Default)]
pub(crate) enum Reading {
    /// By [`poll_fetch`](Mailbox::poll_fetch).
    #[default]
    Unbounded,
    /// By [`poll_fetch`](Mailbox::poll_fetch), counting each event that it takes up.
    Counted(Arc<Tally>),
    /// By [`poll_take`](Mailbox::poll_take).
    InPlace,
}

struct Queue<R> {
    letters: Letters,
    /// Whoever waits for an event within the reader, and is not the reader itself.
    within: Option<Box<Waker>>,
    /// The reader found nothing, or one entry only; the next sender rouses it.
    awaited: bool,
    /// The reader was roused while it ran: it runs once more before it waits.
    roused: bool,
    closed: bool,
    /// The reader, while it waits.
    reader: Option<R>,
    /// Most mailboxes have no bound.
    bound: Option<Box<Bound>>,
}

/// A mailbox that is open and locked.
pub(crate) struct Opened<'a, R> {
    queue: MutexGuard<'a, Queue<R>>,
    make_mail: MakeMail,
}

impl<R> Queue<R> {
    /// The reader where it waits; else it is to run once more.
    fn rouse(&mut self) -> Option<R> {
        let reader = self.reader.take();
        self.roused |= reader.is_none();
        reader
    }

    /// The next sender rouses the reader, or who waits within it. Tells who did so before, to be
    /// dropped under no lock.
    fn wait(&mut self, within: Option<Waker>) -> Option<Box<Waker>> {
        self.awaited = true;
        std::mem::replace(&mut self.within, within.map(Box::new))
    }
}

impl<R> Opened<'_, R> {
    /// Where to put the message.
    #[inline]
    pub(crate) fn mail(&mut self) -> &dyn AnyMail {
        let Letters { entries, mail, .. } = &mut self.queue.letters;
        let make_mail = self.make_mail;
        &**mail.get_or_insert_with(|| {
            // Most queues never hold more than one entry.
            entries.reserve_exact(1);
            make_mail()
        })
    }

    /// With the event in that slot comes this, or nothing. What is returned is to be dropped when the
    /// lock is released.
    #[cfg(feature = "tracing")]
    pub(crate) fn carry(&mut self, slot: u32, carried: Option<Carried>) -> Option<Carried> {
        self.queue.letters.luggage.put(slot, carried)
    }

    /// There is always room.
    #[inline]
    pub(crate) fn is_unbounded(&self) -> bool {
        self.queue.bound.is_none()
    }

    /// Whether there is room for an event that was told.
    pub(crate) fn tell(&mut self) -> Admission {
        let bound = self.queue.bound.as_mut();
        bound.map_or(Admission::Enter, |bound| bound.tell())
    }

    /// Whether there is room for an event whose sender awaits the decision; and what is to be
    /// dropped when the lock is released.
    pub(crate) fn offer(
        &mut self,
        ticket: Option<u64>,
        waker: Option<&Waker>,
    ) -> (Admission, Option<Waker>) {
        match &mut self.queue.bound {
            Some(bound) => bound.offer(ticket, waker),
            None => (Admission::Enter, None),
        }
    }

    /// Keeps a place under a ticket; `None` where no place is ever wanting.
    pub(crate) fn keep_place(&mut self) -> Option<u64> {
        let bound = self.queue.bound.as_mut();
        bound.map(|bound| bound.keep_place())
    }

    /// Takes the oldest event out, into mail of its own.
    pub(crate) fn take_oldest(&mut self) -> Option<(Box<dyn AnyMail>, u32)> {
        let Queue { letters, bound, .. } = &mut *self.queue;
        let counts = |entry: &Entry| entry.kind == Kind::Event;
        let at = letters.entries.iter().position(counts)?;
        let entry = letters.entries.remove(at)?;
        if let Some(bound) = bound {
            // Nobody waits for room where the oldest makes it.
            drop(bound.taken());
            bound.deferred.1 -= usize::from(at < bound.deferred.1);
        }
        let mail = (self.make_mail)();
        let slot = mail.adopt(letters.mail(), entry.slot);
        Some((mail, slot))
    }

    /// As [`push_event`](Self::push_event), where the mailbox has a bound.
    #[must_use]
    pub(crate) fn push_counted(mut self, event: u16, slot: u32, sender: Sender) -> Option<R> {
        if let Some(bound) = &mut self.queue.bound {
            bound.queued();
        }
        self.push_event(event, slot, sender)
    }

    /// Appends an event whose message is in that slot of the mail; returns the reader, where that
    /// is to run now.
    #[inline]
    #[must_use]
    pub(crate) fn push_event(self, event: u16, slot: u32, sender: Sender) -> Option<R> {
        self.push(Entry {
            kind: Kind::Event,
            event,
            slot,
            of: sender.number(),
        })
    }

    /// As [`push_event`](Self::push_event), for what nobody sent but a timer or an actor's end.
    #[must_use]
    pub(crate) fn push_notice(
        mut self,
        event: u16,
        slot: u32,
        timer: Option<Arc<Fired>>,
    ) -> Option<R> {
        let (kind, of) = match timer {
            Some(timer) => (Kind::Timer, self.queue.letters.add_timer(timer)),
            None => (Kind::Notice, 0),
        };
        self.push(Entry {
            kind,
            event,
            slot,
            of,
        })
    }

    #[must_use]
    pub(crate) fn push_stop(self) -> Option<R> {
        self.push(Entry {
            kind: Kind::Stop,
            event: 0,
            slot: 0,
            of: 0,
        })
    }

    /// Appends, and unlocks. Where somebody within the reader awaits the event, wakes that.
    #[inline]
    fn push(self, entry: Entry) -> Option<R> {
        let mut queue = self.queue;
        let Letters { entries, .. } = &mut queue.letters;
        if entries.len() == entries.capacity() {
            grow(entries);
        }
        entries.push_back(entry);
        if queue.awaited {
            Self::rouse(queue)
        } else {
            None
        }
    }

    /// Rouses who awaits an event.
    #[inline(never)]
    fn rouse(mut queue: MutexGuard<'_, Queue<R>>) -> Option<R> {
        queue.awaited = false;
        let Some(within) = queue.within.take() else {
            return queue.rouse();
        };
        drop(queue);
        within.wake();
        None
    }
}

/// Makes room for twice as many; left to itself, a queue of one grows to four.
#[cold]
fn grow(entries: &mut VecDeque<Entry>) {
    entries.reserve_exact(entries.len());
}

impl<R> Mailbox<R> {
    pub(crate) fn new(make_mail: MakeMail, settings: parts::Mailbox) -> Self {
        let bound = settings.bound();
        Self {
            queue: Mutex::new(Queue {
                letters: Letters::default(),
                within: None,
                awaited: false,
                roused: false,
                closed: false,
                reader: None,
                bound: bound.map(|(capacity, overflow)| Bound::new(capacity, overflow)),
            }),
            make_mail,
        }
    }

    /// Locks, to send; `None` where the mailbox is closed.
    #[inline]
    pub(crate) fn open(&self) -> Option<Opened<'_, R>> {
        let queue = lock(&self.queue);
        if queue.closed {
            return None;
        }
        Some(Opened {
            queue,
            make_mail: self.make_mail,
        })
    }

    /// How it is to be read.
    pub(crate) fn reading(&self) -> Reading {
        match &lock(&self.queue).bound {
            None => Reading::Unbounded,
            Some(bound) => bound.tally().map_or(Reading::InPlace, Reading::Counted),
        }
    }

    /// An event was taken up whose room is awaited.
    #[cold]
    pub(crate) fn make_room(&self) {
        let mut queue = lock(&self.queue);
        let admitted = queue.bound.as_mut().and_then(|bound| bound.make_room());
        drop(queue);
        if let Some(admitted) = admitted {
            admitted.wake();
        }
    }

    /// Lets the reader wait; it comes back where it is to run once more.
    pub(crate) fn park(&self, reader: R) -> Option<R> {
        let mut queue = lock(&self.queue);
        if std::mem::take(&mut queue.roused) {
            return Some(reader);
        }
        queue.reader = Some(reader);
        None
    }

    /// Returns the reader where it waits; else it is to run once more.
    pub(crate) fn rouse(&self) -> Option<R> {
        lock(&self.queue).rouse()
    }

    /// Takes the entry at the place that `find` tells, or awaits the next; `within` is who does, if
    /// it is not the reader itself. Its message is moved to the mail of `letters`. It comes with
    /// whether it is void.
    pub(crate) fn poll_take(
        &self,
        letters: &mut Letters,
        find: impl FnOnce(&Letters, &mut Bound) -> Option<usize>,
        within: Option<Waker>,
    ) -> Poll<(Entry, bool)> {
        let mut locked = lock(&self.queue);
        let queue = &mut *locked;
        let bound = queue
            .bound
            .as_mut()
            .expect("only a bounded mailbox is read so");
        let found = find(&queue.letters, bound).and_then(|at| queue.letters.entries.remove(at));
        let Some(mut entry) = found else {
            let replaced = queue.wait(within);
            drop(locked);
            drop(replaced);
            return Poll::Pending;
        };
        let is_void = queue.letters.is_void(&entry);
        let timer = queue.letters.read(&entry);
        if entry.kind != Kind::Stop {
            let mail = letters.mail.get_or_insert_with(self.make_mail);
            let slot = mail.adopt(queue.letters.mail(), entry.slot);
            #[cfg(feature = "tracing")]
            letters
                .luggage
                .put(slot, queue.letters.take_carried(entry.slot));
            entry.slot = slot;
        }
        if entry.kind == Kind::Event {
            // Nobody waits for room where the oldest makes it, and only there is it read so.
            drop(bound.taken());
        }
        drop(locked);
        drop(timer);
        Poll::Ready((entry, is_void))
    }

    /// The sender with that ticket has given up: the room that it was promised is the next one's.
    pub(crate) fn leave_line(&self, ticket: u64) {
        let mut queue = lock(&self.queue);
        if queue.closed {
            return;
        }
        let Some(bound) = &mut queue.bound else {
            return;
        };
        let (was_granted, waker) = bound.leave_line(ticket);
        drop(queue);
        match waker {
            Some(next) if was_granted => next.wake(),
            left => drop(left),
        }
    }

    /// Shows the reader, where it waits.
    pub(crate) fn peek<T>(&self, f: impl FnOnce(&R) -> T) -> Option<T> {
        lock(&self.queue).reader.as_ref().map(f)
    }

    /// How much is queued.
    pub(crate) fn queued(&self) -> usize {
        lock(&self.queue).letters.entries.len()
    }

    /// How many events are queued.
    pub(crate) fn unread(&self) -> usize {
        let queue = lock(&self.queue);
        let entries = queue.letters.entries.iter();
        entries.filter(|entry| entry.kind != Kind::Stop).count()
    }

    /// When the first event was sent of those that are queued, where that is kept.
    pub(crate) fn oldest(&self) -> Option<Duration> {
        let queue = lock(&self.queue);
        queue.letters.entries.iter().find_map(Entry::sent_at)
    }

    /// Empty mail, as the messages of this mailbox need it.
    pub(crate) fn make_mail(&self) -> Box<dyn AnyMail> {
        (self.make_mail)()
    }

    /// Moves everything queued to the end of `letters`, or awaits the next entry; `within` is who
    /// does, if it is not the reader itself. `idle` says that no message is left in the mail of
    /// `letters`.
    pub(crate) fn poll_fetch(
        &self,
        letters: &mut Letters,
        idle: bool,
        mut within: Option<Waker>,
    ) -> Poll<Fetched> {
        let mut queue = lock(&self.queue);
        let count = queue.letters.entries.len();
        let replaced = match count {
            0 | 1 => queue.wait(within.take()),
            _ => None,
        };
        if count == 0 {
            drop(queue);
            drop(replaced);
            return Poll::Pending;
        }
        if idle && letters.entries.is_empty() {
            std::mem::swap(&mut queue.letters, letters);
        } else {
            letters.append(&mut queue.letters);
        }
        let large = queue.letters.entries.capacity() > CAPACITY_KEPT;
        let emptied = large.then(|| std::mem::take(&mut queue.letters));
        drop(queue); // before `emptied` frees its memory
        drop((emptied, replaced));
        Poll::Ready(if count == 1 {
            Fetched::One
        } else {
            Fetched::Several
        })
    }

    /// Everything queued.
    pub(crate) fn take(&self) -> Letters {
        let mut queue = lock(&self.queue);
        let letters = std::mem::take(&mut queue.letters);
        let events = letters.entries.iter();
        let events = events.filter(|entry| entry.kind == Kind::Event).count();
        let admitted: Vec<Waker> = match &mut queue.bound {
            Some(bound) => {
                bound.deferred = (0, 0);
                (0..events).filter_map(|_| bound.taken()).collect()
            }
            None => Vec::new(),
        };
        drop(queue);
        admitted.into_iter().for_each(Waker::wake);
        letters
    }

    /// Puts what the reader has fetched and not handled back to the front.
    pub(crate) fn give_back(&self, mut letters: Letters) {
        if letters.entries.is_empty() {
            return;
        }
        let mut queue = lock(&self.queue);
        letters.append(&mut queue.letters);
        queue.letters = letters;
    }

    /// Refuses what comes from now on, and returns what was queued.
    pub(crate) fn close(&self) -> Letters {
        let mut queue = lock(&self.queue);
        queue.closed = true;
        let within = queue.within.take();
        let line = queue.bound.as_mut().map(|bound| bound.close());
        let letters = std::mem::take(&mut queue.letters);
        drop(queue);
        drop(within);
        line.into_iter().flatten().for_each(Waker::wake);
        letters
    }

    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.queue).closed
    }
}
