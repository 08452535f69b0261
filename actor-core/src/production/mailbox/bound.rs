//! The bound of a mailbox: how much room there is, and who waits for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

use super::sync::{AtomicUsize, Ordering};
use crate::parts::Overflow;

/// What a bounded mailbox knows beside its queue, under the same lock.
///
/// Room is for the events that are unread and for the places that were granted to senders who have
/// waited and have not come back yet. Whoever waits stands in a line: while it is not empty there
/// is no room, since room goes to its first at once.
///
/// The reader fetches many events at once, and they stay unread until it takes up each. It counts
/// those in the [`Tally`] without the lock; senders collect the count when they see no room.
pub(crate) struct Bound {
    capacity: usize,
    overflow: Overflow,
    /// The unread events, and those in the tally.
    unread: usize,
    tally: Arc<Tally>,
    /// Places kept for senders whose ticket has left the line.
    granted: usize,
    line: VecDeque<Waiting>,
    next_ticket: u64,
    /// The first `deferred.1` entries of the queue are deferred in state `deferred.0`.
    pub(crate) deferred: (usize, usize),
}

/// How many events the reader has taken up since senders asked last, and whether one of them waits.
#[derive(Default)]
pub(crate) struct Tally(AtomicUsize);

/// Set while the line is not empty; the rest of the word is the count.
const AWAITED: usize = 1;
const ONE: usize = 2;

impl Tally {
    /// An event is no longer unread. Tells whether somebody waits for its room: then the mailbox is
    /// to [make room](Bound::make_room).
    #[inline]
    pub(crate) fn count(&self) -> bool {
        self.0.fetch_add(ONE, Ordering::AcqRel) & AWAITED != 0
    }

    fn collect(&self) -> usize {
        self.0.fetch_and(AWAITED, Ordering::AcqRel) / ONE
    }

    /// Since both change the same word, either the reader sees this or who waits sees what it has
    /// counted before.
    fn set_awaited(&self, awaited: bool) {
        if awaited {
            self.0.fetch_or(AWAITED, Ordering::AcqRel);
        } else {
            self.0.fetch_and(!AWAITED, Ordering::AcqRel);
        }
    }
}

/// A sender in the line, by ascending tickets.
struct Waiting {
    ticket: u64,
    waker: Waker,
}

/// What becomes of an event that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Admission {
    /// It is queued.
    Enter,
    /// It is queued, and the oldest goes.
    Replace,
    /// There is no room: it is a dead letter.
    Lost,
    /// There is no room: it is given back.
    Full,
    /// Its sender waits under this ticket.
    Wait(u64),
}

impl Bound {
    pub(crate) fn new(capacity: u32, overflow: Overflow) -> Box<Self> {
        Box::new(Self {
            capacity: capacity as usize,
            overflow,
            unread: 0,
            tally: Arc::default(),
            granted: 0,
            line: VecDeque::new(),
            next_ticket: 0,
            deferred: (0, 0),
        })
    }

    /// Where the reader counts what it takes up; `None` where each change of the queue is under the
    /// lock, since it may be a sender that takes the oldest out.
    pub(crate) fn tally(&self) -> Option<Arc<Tally>> {
        (self.overflow != Overflow::DropOldest).then(|| self.tally.clone())
    }

    fn has_room(&mut self) -> bool {
        self.line.is_empty() && self.fits()
    }

    /// There is room for one more, be it for the first in the line.
    fn fits(&mut self) -> bool {
        let fits = |bound: &Self| bound.unread + bound.granted < bound.capacity;
        fits(self) || {
            self.unread -= self.tally.collect();
            fits(self)
        }
    }

    /// Decides on an event that was told or asked.
    pub(crate) fn tell(&mut self) -> Admission {
        if self.has_room() {
            return Admission::Enter;
        }
        match self.overflow {
            Overflow::DropOldest => Admission::Replace,
            Overflow::Wait | Overflow::Reject | Overflow::DropNewest => Admission::Lost,
        }
    }

    /// Decides on an event whose sender awaits the decision: with a waker it waits where the
    /// mailbox lets it, else it does not.
    ///
    /// A ticket is used up where the event is queued. What the waker replaces is to be dropped
    /// under no lock.
    pub(crate) fn offer(
        &mut self,
        ticket: Option<u64>,
        waker: Option<&Waker>,
    ) -> (Admission, Option<Waker>) {
        match (ticket, waker) {
            (Some(ticket), waker) => self.come_back(ticket, waker),
            (None, _) if self.has_room() => (Admission::Enter, None),
            (None, Some(waker)) => (self.refuse_sender(waker), None),
            (None, None) if self.overflow == Overflow::DropOldest => (Admission::Replace, None),
            (None, None) => (Admission::Full, None),
        }
    }

    /// A sender with a ticket asks again.
    fn come_back(&mut self, ticket: u64, waker: Option<&Waker>) -> (Admission, Option<Waker>) {
        match (self.find(ticket), waker) {
            (Some(at), Some(waker)) => {
                let before = std::mem::replace(&mut self.line[at].waker, waker.clone());
                (Admission::Wait(ticket), Some(before))
            }
            (Some(_), None) => (Admission::Full, None),
            (None, _) => {
                self.granted -= 1;
                (Admission::Enter, None)
            }
        }
    }

    fn refuse_sender(&mut self, waker: &Waker) -> Admission {
        match self.overflow {
            Overflow::Wait => {
                self.tally.set_awaited(true);
                if self.has_room() {
                    self.tally.set_awaited(false);
                    return Admission::Enter;
                }
                let ticket = self.ticket();
                let waker = waker.clone();
                self.line.push_back(Waiting { ticket, waker });
                Admission::Wait(ticket)
            }
            Overflow::Reject => Admission::Full,
            Overflow::DropNewest => Admission::Lost,
            Overflow::DropOldest => Admission::Replace,
        }
    }

    fn ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }

    fn find(&self, ticket: u64) -> Option<usize> {
        let found = self
            .line
            .binary_search_by_key(&ticket, |waiting| waiting.ticket);
        found.ok()
    }

    /// Keeps a place under a ticket, as if its sender had waited for it.
    pub(crate) fn keep_place(&mut self) -> u64 {
        self.granted += 1;
        self.ticket()
    }

    /// An event was queued.
    pub(crate) fn queued(&mut self) {
        self.unread += 1;
    }

    /// An event has left the queue. Tells whom to wake, under no lock.
    pub(crate) fn taken(&mut self) -> Option<Waker> {
        self.unread -= 1;
        self.make_room()
    }

    /// The sender with that ticket has given up. Tells whether it had been granted a place, and the
    /// waker of who is granted it now; or else its own, which is to be dropped under no lock.
    pub(crate) fn leave_line(&mut self, ticket: u64) -> (bool, Option<Waker>) {
        match self.find(ticket) {
            Some(at) => {
                let left = self.line.remove(at);
                self.tally.set_awaited(!self.line.is_empty());
                (false, left.map(|left| left.waker))
            }
            None => {
                self.granted -= 1;
                (true, self.make_room())
            }
        }
    }

    /// Gives the room that there is to the first in the line. Tells whom to wake, under no lock.
    pub(crate) fn make_room(&mut self) -> Option<Waker> {
        if self.line.is_empty() || !self.fits() {
            return None;
        }
        let first = self.line.pop_front()?;
        self.granted += 1;
        self.tally.set_awaited(!self.line.is_empty());
        Some(first.waker)
    }

    /// The mailbox has closed: everyone in the line is to be woken.
    pub(crate) fn close(&mut self) -> Vec<Waker> {
        self.line.drain(..).map(|waiting| waiting.waker).collect()
    }
}
