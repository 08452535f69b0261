//! The stacks of tasks and threads under test: [`Tasks`].

use std::task::Waker;

use actor_core::runtime::Locals;
use actor_test_stacks::{Coroutine, Stack};

/// How many bytes a stack has, of which those are used that are touched: as much as the standard library
/// gives to a thread.
const STACK: usize = 2 << 20;

/// How many stacks are kept for executions to come.
const KEPT_MAX: usize = 64;

/// What a task runs.
pub(crate) type Run = Box<dyn FnOnce(Waker)>;

/// What runs on stacks of its own, by the number of the operation, and stacks to use again.
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

    /// What an operation that starts is to run.
    pub(crate) fn start(&mut self, operation: u32) -> Option<Run> {
        let unborn = self.unborn.iter();
        let at = unborn
            .take_while(|(unborn, _)| *unborn != operation)
            .count();
        (at < self.unborn.len()).then(|| self.unborn.swap_remove(at).1)
    }

    /// A stack, used before or new.
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

    /// The coroutine of an operation, to be resumed.
    pub(crate) fn take(&mut self, operation: u32) -> Option<Coroutine> {
        let all = self.coroutines.iter();
        let at = all.take_while(|(other, _)| *other != operation).count();
        (at < self.coroutines.len()).then(|| self.coroutines.swap_remove(at).1)
    }

    pub(crate) fn put(&mut self, operation: u32, coroutine: Coroutine) {
        self.coroutines.push((operation, coroutine));
    }

    /// One of those that are suspended, the newest first: a thread of a scope borrows from who has started
    /// it.
    pub(crate) fn take_suspended(&mut self) -> Option<Coroutine> {
        let newest = self
            .coroutines
            .iter()
            .map(|(operation, _)| *operation)
            .max()?;
        self.take(newest)
    }

    /// What an operation has for itself.
    pub(crate) fn locals(&mut self, operation: u32) -> Locals {
        if let Some((_, locals)) = self.locals.iter().find(|(other, _)| *other == operation) {
            return locals.clone();
        }
        let locals = Locals::default();
        self.locals.push((operation, locals.clone()));
        locals
    }

    /// What an operation that is over had for itself, to be dropped.
    pub(crate) fn take_locals(&mut self, operation: u32) -> Option<Locals> {
        let all = self.locals.iter();
        let at = all.take_while(|(other, _)| *other != operation).count();
        (at < self.locals.len()).then(|| self.locals.swap_remove(at).1)
    }

    /// What never started, to be dropped.
    pub(crate) fn take_unborn(&mut self) -> Vec<(u32, Run)> {
        std::mem::take(&mut self.unborn)
    }

    /// What operations had for themselves, to be dropped.
    pub(crate) fn take_all_locals(&mut self) -> Vec<(u32, Locals)> {
        std::mem::take(&mut self.locals)
    }
}
