//! The queue between the senders of an actor and the actor: [`ActorMailbox`].
//!
//! The queue has a mutex and keeps the reader itself while the reader is parked: a sender that wakes the
//! reader takes it out, so the reader is never in two places and needs no state of its own. A tokio
//! channel would not close exactly: here, under the lock, an event is either queued, and so handled or a
//! dead letter, or returned to its sender. The reader takes the whole queue at once, so it locks once for
//! each batch, and a sender wakes the reader only if the queue was empty.
//!
//! A queued [`Entry`] does not know the actor's type; the messages themselves lie in the
//! [mail](crate::seam::Mail), under the same lock, in the slots that the entries name. The reader swaps
//! both for its own, which are empty; only if deferred events are left in its mail, messages are moved
//! from mail to mail.
//!
//! A mailbox whose senders may drop the oldest event is read in place, one event at a time: unread
//! events, including deferred ones, stay in the queue, so that one lock suffices to count them and to
//! find the oldest. Other mailboxes pay one branch and one pointer for a [bound](super::bound).

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use super::bound::{Admission, Bound, BoundCounter};
use super::fired::FiredTimer;
#[cfg(feature = "tracing")]
use super::span_context::{SpanContext, SpanContexts};
use super::sync::{Mutex, MutexGuard, lock};
use crate::production::host::current::Sender;
use crate::seam::{self, AnyMail, MakeMail};
use crate::slab::{Slab, Slot};

/// The capacity above which an emptied queue frees its memory.
const CAPACITY_KEPT: usize = 4096;

/// An entry of a mailbox: small and plain, since senders and readers mostly move entries.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) kind: EntryKind,
    /// The index of the event, and the slot of its message in the mail; unused for [`EntryKind::Stop`].
    pub(crate) event: u16,
    pub(crate) slot: u32,
    /// The sender or the timer, depending on the kind.
    of: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EntryKind {
    /// An event that was sent by `tell` or `ask`. The sender is recorded only while a monitor is
    /// registered; otherwise the time of sending, if ages are watched.
    Event,
    /// The notice of an actor's end. Like a timer's event, it has no sender and is never a dead letter.
    Notice,
    /// The event of a timer, with the slot of its timer. Void once the timer is cancelled.
    Timer,
    /// The system's order to stop the actor after the events before it.
    Stop,
}

impl Entry {
    pub(crate) fn sender(&self) -> Sender {
        match self.kind {
            EntryKind::Event => Sender::numbered(self.of),
            EntryKind::Notice | EntryKind::Timer | EntryKind::Stop => Sender::NONE,
        }
    }

    /// Returns the time of sending, if that is recorded.
    pub(crate) fn sent_at(&self) -> Option<Duration> {
        self.sender().stamp()
    }
}

/// Entries in order, with their messages and timers.
#[derive(Default)]
pub(crate) struct Letters {
    pub(crate) entries: VecDeque<Entry>,
    /// `None` before the first message.
    mail: Option<Box<dyn AnyMail>>,
    /// `None` for most actors, which have no timers.
    timers: Option<Box<Slab<Arc<FiredTimer>>>>,
    #[cfg(feature = "tracing")]
    contexts: SpanContexts,
}

impl Letters {
    /// Returns the mail, which exists once there is an entry with a message.
    #[inline]
    pub(crate) fn mail(&self) -> &dyn AnyMail {
        &**self.mail.as_ref().expect("what an entry names is there")
    }

    /// Returns true for the event of a timer that was cancelled since it fired.
    pub(crate) fn is_void(&self, entry: &Entry) -> bool {
        if entry.kind != EntryKind::Timer {
            return false;
        }
        let timer = self
            .timers
            .as_ref()
            .and_then(|timers| timers.get(entry.of as u32));
        timer.is_some_and(|timer| timer.is_cancelled())
    }

    /// Marks an entry as read; the timer's event counts as unread until the result is dropped.
    pub(crate) fn read(&mut self, entry: &Entry) -> Option<Arc<FiredTimer>> {
        match (entry.kind, &mut self.timers) {
            (EntryKind::Timer, Some(timers)) => timers.remove(entry.of as u32),
            _ => None,
        }
    }

    #[cfg(feature = "tracing")]
    pub(crate) fn take_carried(&mut self, slot: u32) -> Option<SpanContext> {
        self.contexts.take(slot)
    }

    fn add_timer(&mut self, timer: Arc<FiredTimer>) -> u64 {
        let timers = self.timers.get_or_insert_with(|| Box::new(Slab::new()));
        u64::from(timers.insert(&mut Slot::Full(timer)))
    }

    /// Moves everything in `other` to the end of this.
    fn append(&mut self, other: &mut Self) {
        if self.mail.is_none() {
            std::mem::swap(&mut self.mail, &mut other.mail);
            std::mem::swap(&mut self.timers, &mut other.timers);
            #[cfg(feature = "tracing")]
            std::mem::swap(&mut self.contexts, &mut other.contexts);
            self.entries.append(&mut other.entries);
            return;
        }
        self.entries.reserve(other.entries.len());
        while let Some(mut entry) = other.entries.pop_front() {
            if let Some(timer) = other.read(&entry) {
                entry.of = self.add_timer(timer);
            }
            if let (Some(to), Some(from)) = (&self.mail, &other.mail)
                && entry.kind != EntryKind::Stop
            {
                let slot = to.move_from(&**from, entry.slot);
                #[cfg(feature = "tracing")]
                self.contexts.put(slot, other.contexts.take(entry.slot));
                entry.slot = slot;
            }
            self.entries.push_back(entry);
        }
    }
}

/// The mailbox of an actor; `R` is the reader, the actor.
pub(crate) struct ActorMailbox<R> {
    queue: Mutex<MailboxQueue<R>>,
    make_mail: MakeMail,
}

/// The size of a fetch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fetched {
    /// One entry, and most likely no other comes before it is handled: the next sender will wake the
    /// reader, which need not check the queue before it parks.
    One,
    /// Several entries: the reader checks the queue again when it has handled them.
    Several,
}

/// The way in which the reader has to read a mailbox.
#[derive(Default)]
pub(crate) enum Reading {
    /// Read by [`poll_fetch`](ActorMailbox::poll_fetch).
    #[default]
    Unbounded,
    /// Read by [`poll_fetch`](ActorMailbox::poll_fetch), and count each event that is taken up.
    Counted(Arc<BoundCounter>),
    /// Read by [`poll_take`](ActorMailbox::poll_take).
    InPlace,
}

struct MailboxQueue<R> {
    letters: Letters,
    /// The waker of a future within the reader's handler that waits for an event.
    within: Option<Box<Waker>>,
    /// True if the reader found at most one entry: then the next sender wakes it.
    awaited: bool,
    /// True if the reader was woken while it ran: then it runs once more before it parks.
    roused: bool,
    closed: bool,
    reader: Option<R>,
    /// `None` for most mailboxes, which are unbounded.
    bound: Option<Box<Bound>>,
}

/// A mailbox that is open and locked.
pub(crate) struct Opened<'a, R> {
    queue: MutexGuard<'a, MailboxQueue<R>>,
    make_mail: MakeMail,
}

impl<R> MailboxQueue<R> {
    /// Returns the reader if it is parked; otherwise makes it run once more.
    fn rouse(&mut self) -> Option<R> {
        let reader = self.reader.take();
        self.roused |= reader.is_none();
        reader
    }

    /// Lets the next sender wake the reader, or `within`. The old waker must be dropped under no lock.
    fn wait(&mut self, within: Option<Waker>) -> Option<Box<Waker>> {
        self.awaited = true;
        std::mem::replace(&mut self.within, within.map(Box::new))
    }
}

impl<R> Opened<'_, R> {
    /// Returns the mail to put the message into.
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

    /// Sets or clears a slot's span context. The result must be dropped after the lock is released.
    #[cfg(feature = "tracing")]
    pub(crate) fn carry(&mut self, slot: u32, carried: Option<SpanContext>) -> Option<SpanContext> {
        self.queue.letters.contexts.put(slot, carried)
    }

    /// Returns true if the mailbox has no bound.
    #[inline]
    pub(crate) fn is_unbounded(&self) -> bool {
        self.queue.bound.is_none()
    }

    /// Decides about an event that was sent by `tell` or `ask`.
    pub(crate) fn tell(&mut self) -> Admission {
        let bound = self.queue.bound.as_mut();
        bound.map_or(Admission::Enter, |bound| bound.tell())
    }

    /// Decides about a `send` or `try_send`; the returned waker must be dropped after the lock is released.
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

    /// Grants a permit under a ticket; `None` if the mailbox is unbounded.
    pub(crate) fn keep_place(&mut self) -> Option<u64> {
        let bound = self.queue.bound.as_mut();
        bound.map(|bound| bound.keep_place())
    }

    /// Takes the oldest event out, into mail of its own.
    pub(crate) fn take_oldest(&mut self) -> Option<(Box<dyn AnyMail>, u32)> {
        let MailboxQueue { letters, bound, .. } = &mut *self.queue;
        let counts = |entry: &Entry| entry.kind == EntryKind::Event;
        let at = letters.entries.iter().position(counts)?;
        let entry = letters.entries.remove(at)?;
        if let Some(bound) = bound {
            // No sender waits if the oldest event is dropped for a new one.
            drop(bound.taken());
            bound.deferred.1 -= usize::from(at < bound.deferred.1);
        }
        let mail = (self.make_mail)();
        let slot = mail.move_from(letters.mail(), entry.slot);
        Some((mail, slot))
    }

    /// Appends as [`push_event`](Self::push_event) does, and counts the event in a bounded mailbox.
    #[must_use]
    pub(crate) fn push_counted(mut self, event: u16, slot: u32, sender: Sender) -> Option<R> {
        if let Some(bound) = &mut self.queue.bound {
            bound.queued();
        }
        self.push_event(event, slot, sender)
    }

    /// Appends an event whose message is in that slot of the mail; returns the reader if it has to run now.
    #[inline]
    #[must_use]
    pub(crate) fn push_event(self, event: u16, slot: u32, sender: Sender) -> Option<R> {
        self.push(Entry {
            kind: EntryKind::Event,
            event,
            slot,
            of: sender.number(),
        })
    }

    /// Appends as [`push_event`](Self::push_event) does, for the event of a timer or an actor's end.
    #[must_use]
    pub(crate) fn push_notice(
        mut self,
        event: u16,
        slot: u32,
        timer: Option<Arc<FiredTimer>>,
    ) -> Option<R> {
        let (kind, of) = match timer {
            Some(timer) => (EntryKind::Timer, self.queue.letters.add_timer(timer)),
            None => (EntryKind::Notice, 0),
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
            kind: EntryKind::Stop,
            event: 0,
            slot: 0,
            of: 0,
        })
    }

    /// Appends, and unlocks. Wakes the future within the reader that waits for an event, if any.
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

    /// Wakes the reader, or the future within it.
    #[inline(never)]
    fn rouse(mut queue: MutexGuard<'_, MailboxQueue<R>>) -> Option<R> {
        queue.awaited = false;
        let Some(within) = queue.within.take() else {
            return queue.rouse();
        };
        drop(queue);
        within.wake();
        None
    }
}

/// Doubles the capacity; by default, a queue of one entry would grow to four.
#[cold]
fn grow(entries: &mut VecDeque<Entry>) {
    entries.reserve_exact(entries.len());
}

impl<R> ActorMailbox<R> {
    pub(crate) fn new(make_mail: MakeMail, settings: seam::Mailbox) -> Self {
        let bound = settings.bound();
        Self {
            queue: Mutex::new(MailboxQueue {
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

    /// Locks for sending; `None` if the mailbox is closed.
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

    pub(crate) fn reading(&self) -> Reading {
        match &lock(&self.queue).bound {
            None => Reading::Unbounded,
            Some(bound) => bound.tally().map_or(Reading::InPlace, Reading::Counted),
        }
    }

    /// Gives the capacity of a read event to a waiting sender.
    #[cold]
    pub(crate) fn make_room(&self) {
        let mut queue = lock(&self.queue);
        let admitted = queue.bound.as_mut().and_then(|bound| bound.make_room());
        drop(queue);
        if let Some(admitted) = admitted {
            admitted.wake();
        }
    }

    /// Parks the reader; returns it if it has to run once more.
    pub(crate) fn park(&self, reader: R) -> Option<R> {
        let mut queue = lock(&self.queue);
        if std::mem::take(&mut queue.roused) {
            return Some(reader);
        }
        queue.reader = Some(reader);
        None
    }

    /// Returns the reader if it is parked; otherwise makes it run once more.
    pub(crate) fn rouse(&self) -> Option<R> {
        lock(&self.queue).rouse()
    }

    /// Takes the entry at the index that `find` returns, or waits for the next one; `within` is the waker
    /// of the waiting future, unless the reader itself waits. Moves the message to the mail of `letters`.
    /// The flag is true if the entry is void.
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
        if entry.kind != EntryKind::Stop {
            let mail = letters.mail.get_or_insert_with(self.make_mail);
            let slot = mail.move_from(queue.letters.mail(), entry.slot);
            #[cfg(feature = "tracing")]
            letters
                .contexts
                .put(slot, queue.letters.take_carried(entry.slot));
            entry.slot = slot;
        }
        if entry.kind == EntryKind::Event {
            // Only a mailbox that drops the oldest is read in place, and no sender waits for it.
            drop(bound.taken());
        }
        drop(locked);
        drop(timer);
        Poll::Ready((entry, is_void))
    }

    /// Removes a sender that has given up; a permit of that sender goes to the next one.
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

    /// Shows the reader, if it is parked.
    pub(crate) fn peek<T>(&self, f: impl FnOnce(&R) -> T) -> Option<T> {
        lock(&self.queue).reader.as_ref().map(f)
    }

    /// Returns the number of entries in the queue.
    pub(crate) fn queued(&self) -> usize {
        lock(&self.queue).letters.entries.len()
    }

    /// Returns the number of events in the queue.
    pub(crate) fn unread(&self) -> usize {
        let queue = lock(&self.queue);
        let entries = queue.letters.entries.iter();
        entries
            .filter(|entry| entry.kind != EntryKind::Stop)
            .count()
    }

    /// Returns the time at which the oldest queued event was sent, if that is recorded.
    pub(crate) fn oldest(&self) -> Option<Duration> {
        let queue = lock(&self.queue);
        queue.letters.entries.iter().find_map(Entry::sent_at)
    }

    pub(crate) fn make_mail(&self) -> Box<dyn AnyMail> {
        (self.make_mail)()
    }

    /// Moves everything queued to the end of `letters`, or waits for the next entry; `within` is the waker
    /// of the waiting future, unless the reader itself waits. `idle`: the mail of `letters` is empty.
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

    pub(crate) fn take(&self) -> Letters {
        let mut queue = lock(&self.queue);
        let letters = std::mem::take(&mut queue.letters);
        let events = letters.entries.iter();
        let events = events
            .filter(|entry| entry.kind == EntryKind::Event)
            .count();
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

    /// Puts unhandled entries of the reader back to the front.
    pub(crate) fn give_back(&self, mut letters: Letters) {
        if letters.entries.is_empty() {
            return;
        }
        let mut queue = lock(&self.queue);
        letters.append(&mut queue.letters);
        queue.letters = letters;
    }

    /// Closes the mailbox to new entries, and returns the queued ones.
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
