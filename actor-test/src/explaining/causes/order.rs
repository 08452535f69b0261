//! What had to come before what in an execution: [`Order`].

use std::collections::BTreeMap;
use std::ops::Range;

use crate::data::records::{Arrival as Became, MessageId, Origin, Record};

/// An event that reached an inbox.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    /// The step, counted from zero.
    pub(crate) at: usize,
    /// Whose inbox.
    pub(super) inbox: u32,
    /// The event, printed.
    pub(super) event: String,
    pub(super) from: Origin,
}

/// How many events may lie between two that are turned round.
const APART: usize = 6;

/// A pair of events that reach one inbox, by their place in its order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) first: usize,
    pub(crate) second: usize,
}

impl Pair {
    /// The ways to turn it round: which steps are held back, until the second event has arrived. The
    /// first waits behind all in between; or the second comes before all of them.
    pub(crate) fn ways(self, inbox: &[Reached]) -> Vec<Vec<usize>> {
        let later = vec![inbox[self.first].at];
        if self.second - self.first == 1 {
            return vec![later];
        }
        let between = inbox[self.first..self.second].iter();
        vec![later, between.map(|reached| reached.at).collect()]
    }
}

/// Which steps of an execution had to come before which: those of one operation in their order, a
/// send before the event is handled, a spawn before the first step of the newborn, a reply before
/// whoever awaits it goes on, arming a timer before it fires.
///
/// The order in which two events reach an inbox is no part of it, unless one of them is a
/// consequence of the other.
#[derive(Debug)]
pub(crate) struct Order {
    /// For each step, those right before it.
    before: Vec<Vec<usize>>,
    /// What reached inboxes, in the order of steps.
    reached: Vec<Reached>,
}

#[derive(Default)]
struct Reader {
    before: Vec<Vec<usize>>,
    reached: Vec<Reached>,
    /// The last step of an operation.
    last: BTreeMap<u32, usize>,
    /// What an operation's next step follows.
    next: BTreeMap<u32, Vec<usize>>,
    /// Where a message was sent.
    sent: BTreeMap<MessageId, usize>,
    /// Where a timer was armed, or has fired last.
    armed: BTreeMap<u64, usize>,
}

impl Order {
    /// The order of an execution, by its records.
    pub(crate) fn of(records: &[Record]) -> Self {
        let mut reader = Reader::default();
        for record in records {
            match record {
                Record::Step { .. } => reader.begin(record),
                _ => reader.read(record),
            }
        }
        Self {
            before: reader.before,
            reached: reader.reached,
        }
    }

    /// What reached each inbox in these steps, in its order.
    pub(crate) fn inboxes(&self, steps: &Range<usize>) -> Vec<Vec<Reached>> {
        let mut inboxes: Vec<Vec<Reached>> = Vec::new();
        let within = self.reached.iter();
        for reached in within.filter(|reached| steps.contains(&reached.at)) {
            let same = inboxes
                .iter_mut()
                .find(|inbox| inbox[0].inbox == reached.inbox);
            match same {
                Some(inbox) => inbox.push(reached.clone()),
                None => inboxes.push(vec![reached.clone()]),
            }
        }
        inboxes
    }

    /// The pairs of an inbox that could have come the other way round.
    pub(crate) fn racing(&self, inbox: &[Reached]) -> Vec<Pair> {
        let mut racing = Vec::new();
        for first in 0..inbox.len() {
            for second in first + 1..inbox.len().min(first + 1 + APART) {
                let (one, other) = (&inbox[first], &inbox[second]);
                if one.at != other.at && !self.has_before(one.at, other.at) {
                    racing.push(Pair { first, second });
                }
            }
        }
        racing
    }

    /// A step had to come before another.
    pub(crate) fn has_before(&self, first: usize, second: usize) -> bool {
        let mut seen = vec![false; second + 1];
        let mut open = vec![second];
        while let Some(step) = open.pop() {
            for earlier in &self.before[step] {
                if *earlier == first {
                    return true;
                }
                if *earlier > first && !std::mem::replace(&mut seen[*earlier], true) {
                    open.push(*earlier);
                }
            }
        }
        false
    }
}

impl Reader {
    fn begin(&mut self, record: &Record) {
        let Record::Step { who, timer, .. } = record else {
            return;
        };
        let at = self.before.len();
        let mut before = Vec::new();
        match timer {
            Some(timer) => {
                before.extend(self.armed.insert(*timer, at));
                // Unless it fires an event, it has its owner go on.
                self.next.entry(*who).or_default().push(at);
            }
            None => {
                before.extend(self.last.insert(*who, at));
                before.extend(self.next.remove(who).unwrap_or_default());
            }
        }
        self.before.push(before);
    }

    fn read(&mut self, record: &Record) {
        let Some(at) = self.before.len().checked_sub(1) else {
            return;
        };
        match record {
            Record::Sent {
                message,
                from,
                to,
                event,
                arrival,
                ..
            } => {
                // It is the event that goes on, when it is handled.
                if let Some(next) = self.next.get_mut(to) {
                    next.retain(|step| *step != at);
                }
                self.sent.insert(*message, at);
                if !matches!(arrival, Became::Dead | Became::Refused) {
                    self.reached.push(Reached {
                        at,
                        inbox: *to,
                        event: event.clone(),
                        from: *from,
                    });
                }
            }
            Record::Handled { message, .. } => {
                let sent = self.sent.get(message).copied();
                self.before[at].extend(sent.filter(|sent| *sent < at));
            }
            Record::Spawned { who }
            | Record::Replied { to: who, .. }
            | Record::Stopped { who, .. }
            | Record::Linked { who } => {
                self.next.entry(*who).or_default().push(at);
            }
            Record::Armed { timer, .. } => {
                self.armed.insert(*timer, at);
            }
            _ => {}
        }
    }
}
