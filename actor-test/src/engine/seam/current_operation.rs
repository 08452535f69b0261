//! The operation whose code runs: [`CurrentOperation`].

use std::ops::Deref;

use crate::engine::seam::shared::ControlledRuntime;
use crate::engine::world::effect::Effect;

/// The operation whose code runs, with the runtime that it calls.
#[derive(Clone, Copy)]
pub(crate) struct CurrentOperation<'a> {
    runtime: &'a ControlledRuntime,
    /// The number of the operation.
    pub(super) number: u32,
}

impl Deref for CurrentOperation<'_> {
    type Target = ControlledRuntime;

    fn deref(&self) -> &ControlledRuntime {
        self.runtime
    }
}

impl ControlledRuntime {
    pub(crate) fn operation(&self) -> CurrentOperation<'_> {
        CurrentOperation {
            runtime: self,
            number: self.current.get(),
        }
    }

    /// Returns the current operation if it may act. A monitor or predicate that tries to is reported.
    pub(super) fn acting(&self, call: &str) -> Option<CurrentOperation<'_>> {
        self.may_act(call).then(|| self.operation())
    }
}

impl CurrentOperation<'_> {
    /// Puts an effect into the outbox.
    pub(crate) fn push(self, effect: Effect) {
        self.state().operations.push(self.number, effect);
    }
}
