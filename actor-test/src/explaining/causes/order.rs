//! The happens-before order of an execution's steps, and its racing pairs of events: [`HappensBefore`].

use std::collections::BTreeMap;
use std::ops::Range;

use crate::data::step::MessageId;
use crate::records::{DeliveryRecord as Became, MessageSource, Record};

/// An event that reached an inbox.
#[derive(Clone, Debug)]
pub(crate) struct ReachedEvent {
    /// The step, counted from zero.
    pub(crate) at: usize,
    /// The actor that owns the inbox.
    pub(super) inbox: u32,
    /// The printed event.
    pub(super) event: String,
    pub(super) from: MessageSource,
}

/// The largest distance in an inbox between the two events of a race.
const APART: usize = 6;

/// A pair of events of one inbox, by their positions in the inbox.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrderedPair {
    pub(crate) first: usize,
    pub(crate) second: usize,
}

impl OrderedPair {
    /// Returns the ways to reverse the pair: the steps held back until the second event has arrived. Either
    /// the first event moves behind all in between, or the second one moves before them.
    pub(crate) fn ways(self, inbox: &[ReachedEvent]) -> Vec<Vec<usize>> {
        let later = vec![inbox[self.first].at];
        if self.second - self.first == 1 {
            return vec![later];
        }
        let between = inbox[self.first..self.second].iter();
        vec![later, between.map(|reached| reached.at).collect()]
    }
}

/// The happens-before order of the steps of an execution: the program order of each operation,
/// a send before its handling, and a spawn before the first step of the spawned actor. A reply comes before
/// the asker resumes, and arming a timer before its firing.
///
/// Two events to one inbox are unordered, unless one of them is a consequence of the other.
#[derive(Debug)]
pub(crate) struct HappensBefore {
    /// The direct predecessors of each step.
    before: Vec<Vec<usize>>,
    /// The events that reached inboxes, in the order of steps.
    reached: Vec<ReachedEvent>,
}

#[derive(Default)]
struct OrderBuilder {
    before: Vec<Vec<usize>>,
    reached: Vec<ReachedEvent>,
    /// The last step of each operation.
    last: BTreeMap<u32, usize>,
    /// Further predecessors of each operation's next step.
    next: BTreeMap<u32, Vec<usize>>,
    /// The step that sent each message.
    sent: BTreeMap<MessageId, usize>,
    /// The step that armed each timer, or in which it last fired.
    armed: BTreeMap<u64, usize>,
}

impl HappensBefore {
    /// Computes the order from the records of an execution.
    pub(crate) fn of(records: &[Record]) -> Self {
        let mut reader = OrderBuilder::default();
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

    /// Returns the events that reached each inbox in these steps, in order.
    pub(crate) fn inboxes(&self, steps: &Range<usize>) -> Vec<Vec<ReachedEvent>> {
        let mut inboxes: Vec<Vec<ReachedEvent>> = Vec::new();
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

    /// Returns the pairs of an inbox that race.
    pub(crate) fn racing(&self, inbox: &[ReachedEvent]) -> Vec<OrderedPair> {
        let mut racing = Vec::new();
        for first in 0..inbox.len() {
            for second in first + 1..inbox.len().min(first + 1 + APART) {
                let (one, other) = (&inbox[first], &inbox[second]);
                if one.at != other.at && !self.has_before(one.at, other.at) {
                    racing.push(OrderedPair { first, second });
                }
            }
        }
        racing
    }

    /// Returns true if the first step happens before the second.
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

impl OrderBuilder {
    fn begin(&mut self, record: &Record) {
        let Record::Step { who, timer, .. } = record else {
            return;
        };
        let at = self.before.len();
        let mut before = Vec::new();
        match timer {
            Some(timer) => {
                before.extend(self.armed.insert(*timer, at));
                // A timer without an event resumes its owner.
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
                // The event continues in the step that handles it, not in the owner's next step.
                if let Some(next) = self.next.get_mut(to) {
                    next.retain(|step| *step != at);
                }
                self.sent.insert(*message, at);
                if !matches!(arrival, Became::Dead | Became::Refused | Became::LinkFull) {
                    self.reached.push(ReachedEvent {
                        at,
                        inbox: *to,
                        event: event.clone(),
                        from: *from,
                    });
                }
            }
            Record::Handled { message, .. } | Record::Received { message, .. } => {
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
