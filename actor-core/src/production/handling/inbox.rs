//! The reader's side of a mailbox: [`Inbox`] picks the next event of an actor.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker, ready};
use std::time::Duration;

use crate::parts::AnyMail;
use crate::production::host::current::Sender;
use crate::production::mailbox::bound::Bound;
#[cfg(feature = "tracing")]
use crate::production::mailbox::carried::Carried;
use crate::production::mailbox::queue::{Entry, Fetched, Kind, Letters, Reading};
use crate::production::running::actor::LiveActor;
use crate::table::{ActorInfo, Disposition};

/// The events of one actor that it has taken from the mailbox and not handled yet.
///
/// In order of arrival they are: the deferred ones, `fetched`, then what is still in the mailbox.
/// Where senders may take the oldest out, everything is still in the mailbox.
#[derive(Default)]
pub(in crate::production) struct Inbox {
    /// Its mail holds the deferred messages, too.
    fetched: Letters,
    /// Most actors have no use for it.
    aside: Option<Box<Aside>>,
    /// The next sender rouses the actor, or has done so since it began to work: then it runs once
    /// more.
    awaited: bool,
}

/// What an actor that defers events, or waits for those of one kind, or has a bounded mailbox, knows
/// beside.
#[derive(Default)]
struct Aside {
    reading: Reading,
    deferred: VecDeque<Entry>,
    /// The first `known.1` deferred events are deferred in state `known.0` too.
    known: (usize, usize),
    /// The kind that `receive` looks for, and how many of the fetched events it has seen in vain.
    search: Option<(u16, usize)>,
}

/// What the inbox has to offer.
pub(in crate::production) enum Next {
    /// An event that the state handles.
    Handle(Found),
    /// An event that the state has no use for, in this slot.
    Unhandled(u32),
    /// An event was dropped or put aside.
    Nothing,
    /// The system stops the actor.
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

impl Inbox {
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

    /// What holds the messages of the slots that are told.
    #[inline]
    pub(in crate::production) fn mail(&self) -> &dyn AnyMail {
        self.fetched.mail()
    }

    /// What came with the event in that slot.
    #[cfg(feature = "tracing")]
    pub(in crate::production) fn take_carried(&mut self, slot: u32) -> Option<Carried> {
        self.fetched.take_carried(slot)
    }

    /// Takes the next entry where it is what most are: an event to be handled, with nothing
    /// deferred before it. Tells the slot; `None` where that takes more than a look.
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
        let plain = entry.kind == Kind::Event
            && actor.info().disposition(state, entry.event) == Disposition::Handle;
        if !plain {
            return None;
        }
        self.fetched.entries.pop_front();
        self.count(actor, Kind::Event);
        Some(slot)
    }

    /// An entry is no longer unread.
    #[inline]
    fn count(&self, actor: &LiveActor, kind: Kind) {
        if let Some(aside) = &self.aside
            && let Reading::Counted(tally) = &aside.reading
            && kind == Kind::Event
            && tally.count()
        {
            actor.mailbox().make_room();
        }
    }

    /// A sender may have roused the actor meanwhile, and will not do so again.
    pub(in crate::production) fn begin_work(&mut self) {
        self.awaited = false;
    }

    /// Looks at the next entry. The order is the tester's: the first event that is not deferred.
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

    /// Fetches, where nothing that was fetched is left.
    #[inline]
    fn poll_refill(&mut self, actor: &LiveActor) -> Poll<()> {
        if std::mem::take(&mut self.awaited) {
            return Poll::Pending;
        }
        let fetched = ready!(self.poll_fetch(actor, None));
        self.awaited = fetched == Fetched::One;
        Poll::Ready(())
    }

    /// As [`poll_next`](Self::poll_next), where what is unread stays in the mailbox.
    fn poll_next_in_place(&mut self, actor: &LiveActor, state: usize) -> Poll<Next> {
        let info = actor.info();
        let find = |letters: &Letters, bound: &mut Bound| {
            let (deferring, seen) = bound.deferred;
            let from = if deferring == state { seen } else { 0 };
            let next = |entry: &Entry| {
                entry.kind == Kind::Stop
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
        crate::production::running::telemetry::fetched(actor, actor.mailbox().queued() + 1);
        if entry.kind == Kind::Stop {
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
        crate::production::running::telemetry::fetched(actor, self.unread());
        Poll::Ready(fetched)
    }

    fn dispose(&mut self, actor: &LiveActor, entry: Entry, state: usize) -> Next {
        if entry.kind == Kind::Stop {
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

    /// Takes the first event of that kind, whatever the state does with it, and leaves the others
    /// in their order.
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
            // It may not be the actor as a whole that waits here.
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

    /// How many events were fetched and are not handled yet.
    pub(in crate::production) fn unread(&self) -> usize {
        let aside = self.aside.as_ref();
        let deferred = aside.map_or(0, |aside| aside.deferred.len());
        let entries = &self.fetched.entries;
        // Nothing much comes after the order to stop, so it is not looked for further ahead.
        let stops = entries.back().is_some_and(|last| last.kind == Kind::Stop);
        deferred + entries.len() - usize::from(stops)
    }

    /// When the first event was sent of those that were fetched, where that is kept.
    pub(in crate::production) fn oldest(&self) -> Option<Duration> {
        let deferred = self.aside.iter().flat_map(|aside| &aside.deferred);
        let mut entries = deferred.chain(&self.fetched.entries);
        entries.find_map(Entry::sent_at)
    }

    /// Everything that is left, in order of arrival.
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
    /// What was fetched is next, and nothing is looked for.
    #[inline]
    fn is_plain(&self) -> bool {
        let in_place = matches!(self.reading, Reading::InPlace);
        !in_place && self.deferred.is_empty() && self.search.is_none()
    }

    /// Takes the first deferred event that is no longer deferred.
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

/// Who waits, if it is not the actor as a whole but some future within its handler that has a waker
/// of its own.
fn within(actor: &Arc<LiveActor>, task: &TaskContext<'_>) -> Option<Waker> {
    let is_whole = task.waker().data() == Arc::as_ptr(actor).cast();
    (!is_whole).then(|| task.waker().clone())
}

/// The first event of that kind in `entries` from there on; their timers are those of `letters`.
fn find(letters: &Letters, entries: &VecDeque<Entry>, from: usize, event: u16) -> Option<usize> {
    let wanted =
        |entry: &Entry| entry.kind != Kind::Stop && entry.event == event && !letters.is_void(entry);
    Some(from + entries.range(from..).position(wanted)?)
}
