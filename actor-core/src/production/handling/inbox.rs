//! The reader of a mailbox: [`LocalInbox`] picks the next event of an actor.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker, ready};
use std::time::Duration;

use crate::production::actor::live_actor::LiveActor;
use crate::production::host::current::Sender;
use crate::production::mailbox::bound::Bound;
use crate::production::mailbox::queue::{Entry, EntryKind, Fetched, Letters, Reading};
#[cfg(feature = "tracing")]
use crate::production::mailbox::span_context::SpanContext;
use crate::seam::AnyMail;
use crate::table::{ActorInfo, Disposition};

/// The events of one actor that were taken from the mailbox and not handled yet.
///
/// The order of arrival is: the deferred events, `fetched`, then the events still in the mailbox. In a
/// mailbox whose senders may drop the oldest event, every unread event stays in the mailbox.
#[derive(Default)]
pub(in crate::production) struct LocalInbox {
    /// The fetched entries. The mail here holds the deferred messages, too.
    fetched: Letters,
    /// `None` for most actors.
    aside: Option<Box<Aside>>,
    /// True if the next sender wakes the actor to run once more, or has done so since it began to work.
    awaited: bool,
}

/// The extra state of an actor that defers events, receives selectively, or has a bounded mailbox.
#[derive(Default)]
struct Aside {
    reading: Reading,
    deferred: VecDeque<Entry>,
    /// The first `known.1` deferred events stay deferred in state `known.0`.
    known: (usize, usize),
    /// The kind that `receive` waits for, and the number of fetched events already searched.
    search: Option<(u16, usize)>,
}

/// The next step of the inbox.
pub(in crate::production) enum Next {
    /// An event that the state handles.
    Handle(Found),
    /// The state does not handle the event in this slot.
    Unhandled(u32),
    /// An event was ignored or deferred.
    Nothing,
    Stop,
}

/// An event that was taken from the inbox; its message is in the mail.
#[derive(Clone, Copy)]
pub(in crate::production) struct Found {
    pub(in crate::production) event: u16,
    pub(in crate::production) slot: u32,
    pub(in crate::production) sender: Sender,
}

impl Found {
    #[inline]
    fn of(entry: &Entry) -> Self {
        Self {
            event: entry.event,
            slot: entry.slot,
            sender: entry.sender(),
        }
    }
}

impl LocalInbox {
    pub(in crate::production) fn of(actor: &LiveActor) -> Self {
        let aside = match actor.mailbox().reading() {
            Reading::Unbounded => None,
            reading => Some(Box::new(Aside {
                reading,
                ..Aside::default()
            })),
        };
        Self {
            aside,
            ..Self::default()
        }
    }

    /// Returns the mail that holds the messages of the returned slots.
    #[inline]
    pub(in crate::production) fn mail(&self) -> &dyn AnyMail {
        self.fetched.mail()
    }

    /// Returns the span context that came with the event in that slot.
    #[cfg(feature = "tracing")]
    pub(in crate::production) fn take_carried(&mut self, slot: u32) -> Option<SpanContext> {
        self.fetched.take_carried(slot)
    }

    /// Takes the next entry in the common case: an event to be handled, with nothing deferred before it.
    /// Returns the slot, or `None` if the case is another one.
    #[inline]
    pub(in crate::production) fn poll_plain(
        &mut self,
        actor: &LiveActor,
        state: usize,
    ) -> Poll<Option<u32>> {
        if self.aside.as_ref().is_some_and(|aside| !aside.is_plain()) {
            return Poll::Ready(None);
        }
        if self.fetched.entries.is_empty() {
            ready!(self.poll_refill(actor));
        }
        Poll::Ready(self.next_plain(actor, state))
    }

    #[inline]
    fn next_plain(&mut self, actor: &LiveActor, state: usize) -> Option<u32> {
        let entry = self.fetched.entries.front()?;
        let slot = entry.slot;
        let plain = entry.kind == EntryKind::Event
            && actor.info().disposition(state, entry.event) == Disposition::Handle;
        if !plain {
            return None;
        }
        self.fetched.entries.pop_front();
        self.count(actor, EntryKind::Event);
        Some(slot)
    }

    /// Counts an entry as read.
    #[inline]
    fn count(&self, actor: &LiveActor, kind: EntryKind) {
        if let Some(aside) = &self.aside
            && let Reading::Counted(tally) = &aside.reading
            && kind == EntryKind::Event
            && tally.count()
        {
            actor.mailbox().make_room();
        }
    }

    /// Allows senders to wake the actor again: a wake-up may have come meanwhile.
    pub(in crate::production) fn begin_work(&mut self) {
        self.awaited = false;
    }

    /// Takes the next entry. The order is the same as in the tester: the first event that is not deferred.
    pub(in crate::production) fn poll_next(
        &mut self,
        actor: &LiveActor,
        state: usize,
    ) -> Poll<Next> {
        if let Some(aside) = &mut self.aside {
            if matches!(aside.reading, Reading::InPlace) {
                return self.poll_next_in_place(actor, state);
            }
            aside.search = None;
            if let Some(entry) = aside.recall(&self.fetched, actor.info(), state) {
                return Poll::Ready(self.dispose(actor, entry, state));
            }
        }
        if self.fetched.entries.is_empty() {
            ready!(self.poll_refill(actor));
        }
        let entry = self.fetched.entries.pop_front();
        let entry = entry.expect("a fetch brings an entry");
        Poll::Ready(self.dispose(actor, entry, state))
    }

    /// Fetches entries if no fetched ones are left.
    #[inline]
    fn poll_refill(&mut self, actor: &LiveActor) -> Poll<()> {
        if std::mem::take(&mut self.awaited) {
            return Poll::Pending;
        }
        let fetched = ready!(self.poll_fetch(actor, None));
        self.awaited = fetched == Fetched::One;
        Poll::Ready(())
    }

    /// Does the same as [`poll_next`](Self::poll_next), for a mailbox that is read in place.
    fn poll_next_in_place(&mut self, actor: &LiveActor, state: usize) -> Poll<Next> {
        let info = actor.info();
        let find = |letters: &Letters, bound: &mut Bound| {
            let (deferring, seen) = bound.deferred;
            let from = if deferring == state { seen } else { 0 };
            let next = |entry: &Entry| {
                entry.kind == EntryKind::Stop
                    || letters.is_void(entry)
                    || info.disposition(state, entry.event) != Disposition::Defer
            };
            let found = letters.entries.range(from..).position(next);
            let deferred = found.map_or(letters.entries.len(), |at| from + at);
            bound.deferred = (state, deferred);
            found.map(|_| deferred)
        };
        let (entry, is_void) = ready!(actor.mailbox().poll_take(&mut self.fetched, find, None));
        #[cfg(feature = "metrics")]
        crate::production::actor::telemetry::fetched(actor, actor.mailbox().queued() + 1);
        if entry.kind == EntryKind::Stop {
            return Poll::Ready(Next::Stop);
        }
        let disposition = if is_void {
            Disposition::Ignore
        } else {
            info.disposition(state, entry.event)
        };
        Poll::Ready(self.do_with(&entry, disposition))
    }

    fn poll_fetch(&mut self, actor: &LiveActor, within: Option<Waker>) -> Poll<Fetched> {
        let aside = self.aside.as_ref();
        let idle = aside.is_none_or(|aside| aside.deferred.is_empty());
        let fetched = ready!(actor.mailbox().poll_fetch(&mut self.fetched, idle, within));
        #[cfg(feature = "metrics")]
        crate::production::actor::telemetry::fetched(actor, self.unread());
        Poll::Ready(fetched)
    }

    fn dispose(&mut self, actor: &LiveActor, entry: Entry, state: usize) -> Next {
        if entry.kind == EntryKind::Stop {
            return Next::Stop;
        }
        let disposition = if self.fetched.is_void(&entry) {
            Disposition::Ignore
        } else {
            actor.info().disposition(state, entry.event)
        };
        if disposition == Disposition::Defer {
            let aside = self.aside.get_or_insert_default();
            aside.deferred.push_back(entry);
            return Next::Nothing;
        }
        drop(self.fetched.read(&entry));
        self.count(actor, entry.kind);
        self.do_with(&entry, disposition)
    }

    fn do_with(&self, entry: &Entry, disposition: Disposition) -> Next {
        match disposition {
            Disposition::Handle => Next::Handle(Found::of(entry)),
            Disposition::Unhandled => Next::Unhandled(entry.slot),
            Disposition::Ignore | Disposition::Defer => {
                self.mail().discard(entry.slot);
                Next::Nothing
            }
        }
    }

    /// Takes the first event of that kind, independent of the state, and leaves the others in their order.
    pub(in crate::production) fn poll_receive(
        &mut self,
        actor: &Arc<LiveActor>,
        event: u16,
        task: &TaskContext<'_>,
    ) -> Poll<Found> {
        let aside = self.aside.get_or_insert_default();
        if matches!(aside.reading, Reading::InPlace) {
            return self.poll_receive_in_place(actor, event, task);
        }
        let mut seen = match aside.search {
            Some((kind, seen)) if kind == event => seen,
            _ => {
                if let Some(at) = find(&self.fetched, &aside.deferred, 0, event) {
                    aside.known.1 = aside.known.1.min(at);
                    let entry = aside.deferred.remove(at);
                    return Poll::Ready(self.found(actor, entry));
                }
                0
            }
        };
        loop {
            let aside = self.aside.get_or_insert_default();
            if let Some(at) = find(&self.fetched, &self.fetched.entries, seen, event) {
                aside.search = None;
                let entry = self.fetched.entries.remove(at);
                return Poll::Ready(self.found(actor, entry));
            }
            seen = self.fetched.entries.len();
            aside.search = Some((event, seen));
            // The waiter may be a future within the handler, not the actor as a whole.
            self.awaited = false;
            ready!(self.poll_fetch(actor, within(actor, task)));
        }
    }

    fn poll_receive_in_place(
        &mut self,
        actor: &Arc<LiveActor>,
        event: u16,
        task: &TaskContext<'_>,
    ) -> Poll<Found> {
        let find = |letters: &Letters, bound: &mut Bound| {
            let at = find(letters, &letters.entries, 0, event)?;
            bound.deferred.1 = bound.deferred.1.min(at);
            Some(at)
        };
        let within = within(actor, task);
        let (entry, _) = ready!(actor.mailbox().poll_take(&mut self.fetched, find, within));
        Poll::Ready(Found::of(&entry))
    }

    fn found(&mut self, actor: &LiveActor, entry: Option<Entry>) -> Found {
        let entry = entry.expect("an event was found at this place");
        drop(self.fetched.read(&entry));
        self.count(actor, entry.kind);
        Found::of(&entry)
    }

    /// Returns the number of fetched events that are not handled yet.
    pub(in crate::production) fn unread(&self) -> usize {
        let aside = self.aside.as_ref();
        let deferred = aside.map_or(0, |aside| aside.deferred.len());
        let entries = &self.fetched.entries;
        // Hardly anything follows the order to stop, so only the last entry is checked.
        let stops = entries
            .back()
            .is_some_and(|last| last.kind == EntryKind::Stop);
        deferred + entries.len() - usize::from(stops)
    }

    /// Returns the time at which the oldest fetched event was sent, if that is recorded.
    pub(in crate::production) fn oldest(&self) -> Option<Duration> {
        let deferred = self.aside.iter().flat_map(|aside| &aside.deferred);
        let mut entries = deferred.chain(&self.fetched.entries);
        entries.find_map(Entry::sent_at)
    }

    /// Returns all remaining events in order of arrival.
    pub(in crate::production) fn into_letters(self) -> Letters {
        let mut letters = self.fetched;
        if let Some(mut aside) = self.aside {
            aside.deferred.append(&mut letters.entries);
            letters.entries = aside.deferred;
        }
        letters
    }
}

impl Aside {
    /// Returns true if the next event is the first fetched one, without deferred events or a search.
    #[inline]
    fn is_plain(&self) -> bool {
        let in_place = matches!(self.reading, Reading::InPlace);
        !in_place && self.deferred.is_empty() && self.search.is_none()
    }

    /// Takes the first deferred event that the state does not defer any more.
    fn recall(&mut self, fetched: &Letters, info: &ActorInfo, state: usize) -> Option<Entry> {
        if self.known.0 != state {
            self.known = (state, 0);
        }
        while let Some(entry) = self.deferred.get(self.known.1) {
            let disposition = info.disposition(state, entry.event);
            if fetched.is_void(entry) || disposition != Disposition::Defer {
                return self.deferred.remove(self.known.1);
            }
            self.known.1 += 1;
        }
        None
    }
}

/// Returns the waker of the waiting future, unless it is that of the actor as a whole.
fn within(actor: &Arc<LiveActor>, task: &TaskContext<'_>) -> Option<Waker> {
    let is_whole = task.waker().data() == Arc::as_ptr(actor).cast();
    (!is_whole).then(|| task.waker().clone())
}

/// Finds the first event of that kind in `entries`, from index `from` on; `letters` knows void timers.
fn find(letters: &Letters, entries: &VecDeque<Entry>, from: usize, event: u16) -> Option<usize> {
    let wanted = |entry: &Entry| {
        entry.kind != EntryKind::Stop && entry.event == event && !letters.is_void(entry)
    };
    Some(from + entries.range(from..).position(wanted)?)
}
