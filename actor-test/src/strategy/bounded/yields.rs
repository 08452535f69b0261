//! Fairness by yields: [`Yields`].

use std::collections::{BTreeMap, BTreeSet};

use crate::strategy::{Enabled, OperationId, Pending, StepKind};

/// Who has to wait for whom, so that no schedule passes over one for ever while another only polls
/// (Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI 2008; CHESS, section 4.3).
///
/// A step *yields* where it handles an event that its operation has sent to itself, or is a timer's: it
/// looks again whether something has come. Then whoever could have taken a step all the time since its
/// last yield, or was kept from one by it, and took none, comes before it.
#[derive(Debug, Default)]
pub(super) struct Yields {
    /// Each waits while the other could take a step.
    waits: BTreeSet<(OperationId, OperationId)>,
    /// What has happened since the last yield of each; nothing is known before its first.
    windows: BTreeMap<OperationId, Window>,
    /// Who could take the step in progress, and who takes it.
    enabled: BTreeSet<OperationId>,
    taker: Option<(OperationId, bool)>,
}

#[derive(Debug, Default)]
struct Window {
    /// Has been enabled all the time.
    enabled: BTreeSet<OperationId>,
    /// Was enabled until a step of the operation's own.
    disabled: BTreeSet<OperationId>,
    /// Has taken a step.
    scheduled: BTreeSet<OperationId>,
}

impl Yields {
    pub(super) fn begin(&mut self) {
        *self = Self::default();
    }

    /// The positions of those who need not wait.
    pub(super) fn look(&mut self, enabled: &Enabled<'_>, able: &mut Vec<usize>) {
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
                // Nobody has waited before the first yield, as far as is known.
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
