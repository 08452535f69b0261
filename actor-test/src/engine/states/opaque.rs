//! Opaque types: types without a fingerprint that keep states from being compared.

use std::borrow::Cow;

use crate::data::step::StepKind;
use crate::engine::states::fingerprint::EngineView;
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::strategy::Pending;

/// The types that offer a fingerprint, and the opaque ones that the execution has met.
#[derive(Default)]
pub(crate) struct OpaqueTypes {
    /// For each actor type, true if its value and each of its events offer a fingerprint, if known.
    offers: Vec<Vec<Option<bool>>>,
    /// The names of opaque things in the execution, and their kinds.
    names: Vec<(Cow<'static, str>, &'static str)>,
    /// For each monitor, the number of events that it had seen when the window opened.
    observations: Vec<u64>,
}

impl OpaqueTypes {
    pub(crate) fn begin(&mut self) {
        self.names.clear();
    }

    /// Returns all names: `` `Server` (actor) `` and so on.
    pub(crate) fn all(&self) -> Vec<String> {
        let print = |(name, what): &(Cow<'static, str>, &str)| format!("`{name}` ({what})");
        let mut all: Vec<String> = self.names.iter().map(print).collect();
        all.sort();
        all
    }

    pub(crate) fn open(&mut self, view: &EngineView<'_>) {
        self.observations.clear();
        let specifications = view.shared.specifications.borrow();
        self.observations.extend(specifications.observations());
    }

    /// Closes the window: records the opaque monitors that have seen something meanwhile.
    pub(crate) fn close(&mut self, view: &EngineView<'_>) {
        let specifications = view.shared.specifications.borrow();
        let mut opaque = specifications.opaque_since(&self.observations);
        while let Some(Some(monitor)) = view.guarded(|| opaque.next()) {
            let name = (monitor.into(), "monitor");
            if !self.names.contains(&name) {
                self.names.push(name);
            }
        }
    }

    /// Inspects the event that the step is going to handle.
    pub(crate) fn before(&mut self, view: &EngineView<'_>, pending: &Pending) {
        if !runs_code(pending) {
            return;
        }
        let index = pending.operation.bits();
        let state = view.shared.state.borrow();
        let operation = &state.operations[index];
        let OperationRole::Actor(of_type) = operation.kind else {
            return;
        };
        let letter = operation.inbox.next();
        let Some(event) = letter
            .filter(|_| pending.kind == StepKind::Handle)
            .map(|letter| letter.event)
        else {
            return;
        };
        // An order to stop is no event of the actor's.
        let Some(info) = state.operations.types[of_type]
            .info
            .events
            .get(usize::from(event))
        else {
            return;
        };
        let name = info.name;
        drop(state);
        let known = self.known(of_type, usize::from(event) + 1);
        if known.is_none() {
            *known = view.offers_next(index);
        }
        if *known == Some(false) {
            self.note(name, "event");
        }
    }

    /// Inspects the actor that took the step, or the future that it has left.
    pub(crate) fn after(&mut self, view: &EngineView<'_>, taken: &Pending) {
        if !runs_code(taken) {
            return;
        }
        let index = taken.operation.bits();
        let state = view.shared.state.borrow();
        let operation = &state.operations[index];
        let stage = operation.stage;
        let of_type = match operation.kind {
            OperationRole::Actor(of_type) => of_type,
            OperationRole::Task if operation.has_future() => {
                return self.note(state.name(index), "task");
            }
            _ if operation.has_future() => return self.note(state.name(index), "async"),
            _ => return,
        };
        let name = state.operations.types[of_type].info.name;
        drop(state);
        if stage == OperationStage::Suspended {
            return self.note(name, "async handler");
        }
        let known = self.known(of_type, 0);
        if known.is_none() {
            *known = view.offers(index);
        }
        if *known == Some(false) {
            self.note(name, "actor");
        }
    }

    fn note(&mut self, name: impl Into<Cow<'static, str>>, what: &'static str) {
        let name = (name.into(), what);
        if !self.names.contains(&name) {
            self.names.push(name);
        }
    }

    fn known(&mut self, of_type: u32, of_what: usize) -> &mut Option<bool> {
        let of_type = of_type as usize;
        if self.offers.len() <= of_type {
            self.offers.resize_with(of_type + 1, Vec::new);
        }
        let offers = &mut self.offers[of_type];
        if offers.len() <= of_what {
            offers.resize(of_what + 1, None);
        }
        &mut offers[of_what]
    }
}

fn runs_code(pending: &Pending) -> bool {
    !pending.operation.is_timer() && pending.kind != StepKind::Flush
}
