//! Fair scheduling of programs that poll, by yields: [`Yields`].

use std::collections::{BTreeMap, BTreeSet};

use crate::data::step::StepKind;
use crate::strategy::{Enabled, OperationId, Pending};

/// A priority relation by which no schedule passes over an operation for ever while another one polls
/// (Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI 2008; CHESS, section 4.3).
///
/// A step *yields* if it handles an event that its operation sent to itself, or fires a timer: the
/// operation polls. An operation comes before the yielding one if it took no step since that one's last
/// yield, though it was enabled all the time or was disabled by it.
#[derive(Debug, Default)]
pub(super) struct Yields {
    /// The first operation of a pair waits while the second is enabled.
    waits: BTreeSet<(OperationId, OperationId)>,
    /// The window of each operation since its last yield, from its first yield on.
    windows: BTreeMap<OperationId, Window>,
    /// The operations enabled before the step in progress.
    enabled: BTreeSet<OperationId>,
    taker: Option<(OperationId, bool)>,
}

#[derive(Debug, Default)]
struct Window {
    /// The operations that were enabled all the time.
    enabled: BTreeSet<OperationId>,
    /// The operations that were enabled until a step of this window's own operation.
    disabled: BTreeSet<OperationId>,
    /// The operations that have taken a step.
    scheduled: BTreeSet<OperationId>,
}

impl Yields {
    pub(super) fn begin(&mut self) {
        *self = Self::default();
    }

    /// Appends the positions of the operations that need not wait.
    pub(super) fn observe(&mut self, enabled: &Enabled<'_>, able: &mut Vec<usize>) {
        let now: BTreeSet<OperationId> = enabled.iter().map(|pending| pending.operation).collect();
        if let Some((taker, yields)) = self.taker.take() {
            self.after(taker, yields, &now);
        }
        self.enabled = now;
        let must_wait = |operation: OperationId| {
            let mut waits = self.waits.iter();
            waits.any(|(who, whom)| *who == operation && self.enabled.contains(whom))
        };
        able.extend((0..enabled.len()).filter(|at| !must_wait(enabled[*at].operation)));
    }

    fn after(&mut self, taker: OperationId, yields: bool, now: &BTreeSet<OperationId>) {
        self.waits.retain(|(_, whom)| *whom != taker);
        let lost: Vec<OperationId> = self.enabled.difference(now).copied().collect();
        for (who, window) in &mut self.windows {
            window.enabled.retain(|other| now.contains(other));
            window.scheduled.insert(taker);
            if *who == taker {
                window.disabled.extend(&lost);
            }
        }
        if yields {
            let window = self.windows.entry(taker).or_insert_with(|| Window {
                // As far as is known, nobody has waited before the first yield.
                ..Window::default()
            });
            let waited = window.enabled.union(&window.disabled);
            let waited = waited.filter(|other| !window.scheduled.contains(other));
            self.waits.extend(waited.map(|other| (taker, *other)));
            *window = Window {
                enabled: now.clone(),
                ..Window::default()
            };
        }
    }

    pub(super) fn takes(&mut self, pending: &Pending) {
        let operation = pending.operation;
        let yields = match pending.kind {
            StepKind::Handle => pending.sender == Some(operation),
            StepKind::Timer => true,
            _ => false,
        };
        self.taker = Some((operation, yields));
    }
}
