//! What a step has reached beyond its own operation, for strategies that want to know.

use crate::engine::world::operation::Kind;
use crate::engine::world::state::State;
use crate::strategy::{OperationId, Pending, Step, StepKind};

/// What the step in progress has reached. What may count is taken down as it happens, in the rare
/// places where it does; the rest is looked up when the step is over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// Somebody wants to know.
    pub(crate) is_wanted: bool,
    /// It has read or changed what others may change or read.
    pub(crate) beyond: bool,
    /// Whose next step it has replaced, or would have.
    interrupted: Vec<OperationId>,
    /// Its operation had asks under way when it began.
    awaits: bool,
}

impl State {
    /// A step begins, of which a strategy wants to hear.
    pub(crate) fn begin_reach(&mut self, pending: &Pending) {
        self.reach.beyond = false;
        self.reach.interrupted.clear();
        let index = pending.operation.index();
        self.reach.awaits = pending.operation.is_timer() || self.operations[index].open_asks > 0;
    }

    /// What becomes of an operation next is not up to itself.
    pub(crate) fn interrupt(&mut self, operation: u32) {
        self.reach.beyond = true;
        if self.reach.is_wanted {
            self.reach.interrupted.push(OperationId::actor(operation));
        }
    }

    /// The execution may end here, whatever anyone would do next.
    pub(crate) fn interrupt_all(&mut self) {
        for operation in 0..self.live as u32 {
            self.interrupt(operation);
        }
    }

    /// What a step was, once it is over.
    pub(crate) fn end_reach(&self, pending: Pending, has_bug: bool) -> Step<'_> {
        let Reach {
            beyond,
            interrupted,
            awaits,
            ..
        } = &self.reach;
        let index = pending.operation.index();
        let runs = pending.kind != StepKind::Flush;
        // What is carried out at once, and what ends with others.
        let is_bound = match self.operations[index].kind {
            _ if pending.operation.is_timer() => true,
            Kind::Actor(_) => !runs && self.atomic_handlers,
            Kind::Body | Kind::Future { .. } | Kind::Boot { .. } | Kind::Link(_) | Kind::Task => {
                runs
            }
        };
        Step {
            pending,
            is_local: pending.may_be_local()
                && !(*beyond || *awaits && runs || is_bound || has_bug),
            interrupted,
        }
    }
}
