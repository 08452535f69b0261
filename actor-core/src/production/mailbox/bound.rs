//! The bound of a mailbox: capacity, permits and waiting senders.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

use super::sync::{AtomicUsize, Ordering};
use crate::seam::Overflow;

/// The state of a bounded mailbox beside its queue, under the same lock.
///
/// Unread events take capacity, and so do permits: the places granted to senders that have waited and not
/// come back yet. Senders wait in a line, and freed capacity goes to its first at once. So there is no
/// capacity for others while the line is not empty.
///
/// The reader fetches many events at once, and they stay unread until it takes up each. The reader counts
/// those in the [`BoundCounter`] without the lock; senders collect the count when they find the mailbox full.
pub(crate) struct Bound {
    capacity: usize,
    overflow: Overflow,
    /// The number of unread events, including those in the tally.
    unread: usize,
    tally: Arc<BoundCounter>,
    /// The number of permits of senders that have left the line.
    granted: usize,
    line: VecDeque<Waiting>,
    next_ticket: u64,
    /// The first `deferred.1` entries of the queue are deferred in state `deferred.0`.
    pub(crate) deferred: (usize, usize),
}

/// The number of events read since the last collection, and a flag for waiting senders.
#[derive(Default)]
pub(crate) struct BoundCounter(AtomicUsize);

/// Set while the line is not empty; the other bits are the count.
const AWAITED: usize = 1;
const ONE: usize = 2;

impl BoundCounter {
    /// Counts an event as read. If this returns true, a sender waits: call [`make_room`](Bound::make_room).
    #[inline]
    pub(crate) fn count(&self) -> bool {
        self.0.fetch_add(ONE, Ordering::AcqRel) & AWAITED != 0
    }

    fn collect(&self) -> usize {
        self.0.fetch_and(AWAITED, Ordering::AcqRel) / ONE
    }

    /// The flag shares a word with the count, so the reader sees the flag or the sender sees the count.
    fn set_awaited(&self, awaited: bool) {
        if awaited {
            self.0.fetch_or(AWAITED, Ordering::AcqRel);
        } else {
            self.0.fetch_and(!AWAITED, Ordering::AcqRel);
        }
    }
}

/// A waiting sender; tickets ascend along the line.
struct Waiting {
    ticket: u64,
    waker: Waker,
}

/// The decision about an event that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Admission {
    /// Queue the event.
    Enter,
    /// Queue the event, and remove the oldest one.
    Replace,
    /// Make the event a dead letter, since the mailbox is full.
    Lost,
    /// Return the event, since the mailbox is full.
    Full,
    /// Let the sender wait under this ticket.
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

    /// Returns the tally of the reader; `None` if every change of the queue is under the lock, since a
    /// sender may remove the oldest event.
    pub(crate) fn tally(&self) -> Option<Arc<BoundCounter>> {
        (self.overflow != Overflow::DropOldest).then(|| self.tally.clone())
    }

    fn has_room(&mut self) -> bool {
        self.line.is_empty() && self.fits()
    }

    /// Returns true if there is capacity for one more event, possibly of the first sender in the line.
    fn fits(&mut self) -> bool {
        let fits = |bound: &Self| bound.unread + bound.granted < bound.capacity;
        fits(self) || {
            self.unread -= self.tally.collect();
            fits(self)
        }
    }

    /// Decides about an event that was sent by `tell` or `ask`.
    pub(crate) fn tell(&mut self) -> Admission {
        if self.has_room() {
            return Admission::Enter;
        }
        match self.overflow {
            Overflow::DropOldest => Admission::Replace,
            Overflow::Wait | Overflow::Reject | Overflow::DropNewest => Admission::Lost,
        }
    }

    /// Decides about an event of `send` or `try_send`: a sender with a waker may wait.
    ///
    /// A ticket is used up when its event is queued. The returned waker must be dropped under no lock.
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

    /// Decides about a sender that has a ticket.
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

    /// Grants a permit under a new ticket, as if its sender had waited.
    pub(crate) fn keep_place(&mut self) -> u64 {
        self.granted += 1;
        self.ticket()
    }

    pub(crate) fn queued(&mut self) {
        self.unread += 1;
    }

    /// Counts an event that has left the queue. Returns the waker to wake under no lock.
    pub(crate) fn taken(&mut self) -> Option<Waker> {
        self.unread -= 1;
        self.make_room()
    }

    /// Removes a sender that gave up. Returns true if the sender had a permit, with the waker of the next
    /// sender, to be woken; otherwise the sender's own waker, to be dropped. Both under no lock.
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

    /// Grants free capacity to the first sender in the line. Returns the waker to wake under no lock.
    pub(crate) fn make_room(&mut self) -> Option<Waker> {
        if self.line.is_empty() || !self.fits() {
            return None;
        }
        let first = self.line.pop_front()?;
        self.granted += 1;
        self.tally.set_awaited(!self.line.is_empty());
        Some(first.waker)
    }

    /// Closes the mailbox: returns the wakers of all waiting senders.
    pub(crate) fn close(&mut self) -> Vec<Waker> {
        self.line.drain(..).map(|waiting| waiting.waker).collect()
    }
}
