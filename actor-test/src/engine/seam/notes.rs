//! Facts about operations under test: transitions, coverage, polls for replies, waits.

use actor_core::seam::Note;

use crate::data::problem::Problem;
use crate::engine::seam::current_operation::CurrentOperation;
use crate::engine::seam::shared::CodePhase;
use crate::records::Record;

impl CurrentOperation<'_> {
    pub(super) fn note(self, note: Note<'_>) {
        let is_running = self.phase.get() == CodePhase::Running;
        match note {
            Note::Entered { owner, from, to } => {
                if let Some(owner) = self.local(owner) {
                    if from == Some(to) {
                        self.record(|| Record::Reentered { who: owner });
                    }
                    self.tally(owner, |tally| match from {
                        Some(from) => tally.go(from, to),
                        None => tally.start(to),
                    });
                }
            }
            Note::Raised {
                owner,
                state,
                event,
            } => {
                if let Some(owner) = self.local(owner) {
                    self.tally(owner, |tally| tally.handle(state, event));
                }
            }
            Note::Covered(label) => {
                if is_running {
                    self.session().landmarks.label(label);
                }
            }
            Note::Unreceived(error) => {
                let who = self.state.borrow().name(self.number);
                let error = error.to_string();
                self.find(&Problem::UnreceivedError { who, error }, None);
            }
            Note::NumberSeen => self.number_seen(),
            Note::UpgradeAttempted(of, is_there) => {
                if is_running {
                    let state = &mut *self.state();
                    let (footprint, operations) = (&mut state.footprint, &mut state.operations);
                    operations.upgrade(footprint, self.number, (of.number(), is_there));
                }
            }
            Note::ReplyPolled(ask, is_there) => {
                if self.is_open(ask.execution, ask.index) {
                    let state = &mut *self.state();
                    let (footprint, operations) = (&mut state.footprint, &mut state.operations);
                    let asks = &mut state.requests.asks;
                    asks.seek(footprint, operations, self.number, ask.index, is_there);
                }
            }
            Note::ReplyHandedOver(ask) => {
                if self.is_open(ask.execution, ask.index) {
                    self.state().requests.asks.hand_over(ask.index);
                }
            }
            Note::WaitsForever => {
                if is_running {
                    self.state().operations[self.number].endless_waits += 1;
                }
            }
            Note::WaitsFor(access, wait) => {
                if is_running && let Some(object) = self.object_of(access.object) {
                    object.await_change(wait, access.place);
                }
            }
        }
    }

    /// Counts a read of an actor's number.
    pub(super) fn number_seen(self) {
        let mut seen = self.numbers_seen.get();
        match self.phase.get() {
            CodePhase::Running => seen.by_operations += 1,
            CodePhase::Observing => seen.by_observers += 1,
            _ => return,
        }
        self.numbers_seen.set(seen);
    }
}
