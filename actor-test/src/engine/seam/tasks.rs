//! Stacks and coroutines of tasks and threads under test: [`TaskStacks`].

use std::task::Waker;

use actor_core::seam::Locals;
use actor_test_stacks::{Coroutine, Stack};

/// The size of a stack in bytes, as the standard library gives a thread. Untouched pages take no memory.
const STACK: usize = 2 << 20;

/// The maximum number of stacks that are kept for later executions.
const KEPT_MAX: usize = 64;

/// The code of a task.
pub(crate) type Run = Box<dyn FnOnce(Waker)>;

/// The code and coroutines on stacks of their own, by operation, and stacks for reuse.
#[derive(Default)]
pub(crate) struct TaskStacks {
    unborn: Vec<(u32, Run)>,
    coroutines: Vec<(u32, Coroutine)>,
    locals: Vec<(u32, Locals)>,
    stacks: Vec<Stack>,
}

impl TaskStacks {
    pub(crate) fn bear(&mut self, operation: u32, run: Run) {
        self.unborn.push((operation, run));
    }

    /// Takes the code of an operation that starts.
    pub(crate) fn start(&mut self, operation: u32) -> Option<Run> {
        let unborn = self.unborn.iter();
        let at = unborn
            .take_while(|(unborn, _)| *unborn != operation)
            .count();
        (at < self.unborn.len()).then(|| self.unborn.swap_remove(at).1)
    }

    /// Returns a stack, recycled or new.
    pub(crate) fn stack(&mut self) -> std::io::Result<Stack> {
        match self.stacks.pop() {
            Some(stack) => Ok(stack),
            None => Stack::new(STACK),
        }
    }

    pub(crate) fn keep_stack(&mut self, stack: Stack) {
        if self.stacks.len() < KEPT_MAX {
            self.stacks.push(stack);
        }
    }

    /// Takes the coroutine of an operation, to be resumed.
    pub(crate) fn take(&mut self, operation: u32) -> Option<Coroutine> {
        let all = self.coroutines.iter();
        let at = all.take_while(|(other, _)| *other != operation).count();
        (at < self.coroutines.len()).then(|| self.coroutines.swap_remove(at).1)
    }

    pub(crate) fn put(&mut self, operation: u32, coroutine: Coroutine) {
        self.coroutines.push((operation, coroutine));
    }

    /// Takes the newest suspended coroutine: a scoped thread borrows from the one that has started it.
    pub(crate) fn take_suspended(&mut self) -> Option<Coroutine> {
        let newest = self
            .coroutines
            .iter()
            .map(|(operation, _)| *operation)
            .max()?;
        self.take(newest)
    }

    /// Returns the task-local values of an operation.
    pub(crate) fn locals(&mut self, operation: u32) -> Locals {
        if let Some((_, locals)) = self.locals.iter().find(|(other, _)| *other == operation) {
            return locals.clone();
        }
        let locals = Locals::default();
        self.locals.push((operation, locals.clone()));
        locals
    }

    /// Takes the task-local values of an operation that is over, to be dropped.
    pub(crate) fn take_locals(&mut self, operation: u32) -> Option<Locals> {
        let all = self.locals.iter();
        let at = all.take_while(|(other, _)| *other != operation).count();
        (at < self.locals.len()).then(|| self.locals.swap_remove(at).1)
    }

    /// Takes the code that never started, to be dropped.
    pub(crate) fn take_unborn(&mut self) -> Vec<(u32, Run)> {
        std::mem::take(&mut self.unborn)
    }

    /// Takes all task-local values, to be dropped.
    pub(crate) fn take_all_locals(&mut self) -> Vec<(u32, Locals)> {
        std::mem::take(&mut self.locals)
    }
}
