//! The reader's side of a mailbox: [`Inbox`] picks the next event of an actor.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, ready};

use super::cell::Cell;
use super::current::Sender;
use super::mailbox::Item;
use crate::actor::{Actor, Disposition};

/// The events of one actor that its task has taken from the mailbox and not handled yet.
///
/// In order of arrival they are: `deferred`, `fetched`, then what is still in the mailbox.
pub(super) struct Inbox<A: Actor> {
    fetched: VecDeque<Item<A::Message>>,
    deferred: VecDeque<Item<A::Message>>,
    /// The first `known.1` deferred events are deferred in state `known.0` too.
    known: (usize, usize),
    /// The kind that `receive` looks for, and how many of `fetched` it has seen in vain.
    search: Option<(u16, usize)>,
}

/// What the inbox has to offer.
pub(super) enum Next<M> {
    /// An event that the state handles.
    Handle { message: M, sender: Sender },
    /// An event that the state has no use for.
    Unhandled(M),
    /// An event was dropped or put aside.
    Nothing,
    /// The system stops the actor.
    Stop,
}

impl<A: Actor> Inbox<A> {
    pub(super) fn new() -> Self {
        Self {
            fetched: VecDeque::new(),
            deferred: VecDeque::new(),
            known: (0, 0),
            search: None,
        }
    }

    /// Looks at the next item. The order is the tester's: the first event that is not deferred.
    #[inline]
    pub(super) fn poll_next(
        &mut self,
        cell: &Cell<A>,
        state: usize,
        task: &TaskContext<'_>,
    ) -> Poll<Next<A::Message>> {
        if A::INFO.defers
            && let Some(next) = self.recall(state)
        {
            return Poll::Ready(next);
        }
        self.search = None;
        if self.fetched.is_empty() {
            ready!(cell.mailbox().poll_fetch(&mut self.fetched, task));
        }
        let item = self.fetched.pop_front().expect("a fetch brings an item");
        Poll::Ready(self.dispose(item, state))
    }

    /// Takes the first deferred event that is no longer deferred.
    fn recall(&mut self, state: usize) -> Option<Next<A::Message>> {
        if self.known.0 != state {
            self.known = (state, 0);
        }
        while let Some(item) = self.deferred.get(self.known.1) {
            let message = item.message().expect("a stop is never deferred");
            let disposition = A::INFO.disposition(state, A::event_index(message));
            if item.is_void() || disposition != Disposition::Defer {
                let item = self.deferred.remove(self.known.1)?;
                return Some(self.dispose(item, state));
            }
            self.known.1 += 1;
        }
        None
    }

    #[inline]
    fn dispose(&mut self, item: Item<A::Message>, state: usize) -> Next<A::Message> {
        let Some(message) = item.message() else {
            return Next::Stop;
        };
        if item.is_void() {
            return Next::Nothing;
        }
        let disposition = A::INFO.disposition(state, A::event_index(message));
        if disposition == Disposition::Defer {
            self.deferred.push_back(item);
            return Next::Nothing;
        }
        let (message, sender) = open(item);
        match disposition {
            Disposition::Handle => Next::Handle { message, sender },
            Disposition::Unhandled => Next::Unhandled(message),
            Disposition::Ignore | Disposition::Defer => Next::Nothing,
        }
    }

    /// Takes the first event of that kind, whatever the state does with it, and leaves the others
    /// in their order.
    pub(super) fn poll_receive(
        &mut self,
        cell: &Cell<A>,
        event: u16,
        task: &TaskContext<'_>,
    ) -> Poll<(A::Message, Sender)> {
        let mut seen = match self.search {
            Some((kind, seen)) if kind == event => seen,
            _ => {
                if let Some(at) = find::<A>(&self.deferred, 0, event) {
                    self.known = (self.known.0, self.known.1.min(at));
                    return Poll::Ready(take(&mut self.deferred, at));
                }
                0
            }
        };
        loop {
            if let Some(at) = find::<A>(&self.fetched, seen, event) {
                self.search = None;
                return Poll::Ready(take(&mut self.fetched, at));
            }
            seen = self.fetched.len();
            self.search = Some((event, seen));
            ready!(cell.mailbox().poll_fetch(&mut self.fetched, task));
        }
    }

    /// Closes the mailbox; returns what will never be handled, in order of arrival. Notices are
    /// not among it: nobody sent them.
    pub(super) fn close(
        &mut self,
        cell: &Arc<Cell<A>>,
    ) -> impl Iterator<Item = A::Message> + use<A> {
        let queued = cell.mailbox().close();
        let deferred = std::mem::take(&mut self.deferred);
        let fetched = std::mem::take(&mut self.fetched);
        deferred
            .into_iter()
            .chain(fetched)
            .chain(queued)
            .filter_map(|item| match item {
                Item::Event { message, .. } => Some(message),
                Item::Notice { .. } | Item::Stop => None,
            })
    }
}

fn find<A: Actor>(items: &VecDeque<Item<A::Message>>, from: usize, event: u16) -> Option<usize> {
    let found = items.range(from..).position(|item| {
        let kind = item.message().map(A::event_index);
        kind == Some(event) && !item.is_void()
    })?;
    Some(from + found)
}

fn take<M>(items: &mut VecDeque<Item<M>>, at: usize) -> (M, Sender) {
    open(items.remove(at).expect("an event was found at this place"))
}

fn open<M>(item: Item<M>) -> (M, Sender) {
    match item {
        Item::Event { message, sender } => (message, sender),
        Item::Notice { message, .. } => (message, Sender::NONE),
        Item::Stop => unreachable!("a stop carries no event"),
    }
}
