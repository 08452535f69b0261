//! Steps of tasks and threads, and of a test body on a stack of its own.

use std::task::Waker;

use actor_core::seam::{self, RunOutcome};
use actor_test_stacks::{Coroutine, Resumed};

use crate::data::problem::Problem;
use crate::engine::panics::{self, Panic};
use crate::engine::running::effects::Effects;
use crate::engine::running::execution::{Engine, Program};
use crate::engine::running::executor::Executor;
use crate::engine::seam::tasks::Run;
use crate::engine::world::operation::{OperationRole, OperationStage};
use crate::engine::world::state::BODY;
use crate::records::Record;
use crate::strategy::OperationId;

impl Executor {
    pub(crate) fn start_task(&mut self, operation: u32) {
        self.ensure_slot(operation);
        let run = self.shared.tasks.borrow_mut().start(operation);
        match run {
            Some(run) => self.start_coroutine(operation, run),
            None => self.after_run(operation, Ok(RunOutcome::Done)),
        }
    }

    /// Returns true if operations of that kind run on a stack of their own.
    pub(crate) fn has_stack(&self, kind: OperationRole) -> bool {
        kind == OperationRole::Task || kind == OperationRole::Body && self.body.is_some()
    }

    /// Starts the test body on a stack of its own if it needs one; returns true if it does.
    pub(crate) fn start_body_on_stack(&mut self) -> bool {
        let Some((entry, future)) = &self.body else {
            return false;
        };
        let (entry, future) = (entry.clone(), future.clone());
        let body = move |waker: Waker| {
            entry.call();
            let future = future.borrow_mut().take();
            if let Some(future) = future {
                seam::block_on(future, &waker);
            }
        };
        self.start_coroutine(BODY, Box::new(body));
        true
    }

    fn start_coroutine(&mut self, operation: u32, run: Run) {
        let waker = self.wakers[operation as usize].clone();
        let stack = self.shared.tasks.borrow_mut().stack();
        match stack {
            Ok(stack) => {
                let coroutine = Coroutine::new(stack, move || run(waker));
                self.run_coroutine(operation, coroutine);
            }
            Err(error) => {
                let error = error.to_string();
                let panic = Panic::of(&Problem::NoStack { error });
                self.after_run(operation, Err(Box::new(panic)));
            }
        }
    }

    /// Resumes a task, or the test body, where it was suspended.
    pub(crate) fn resume_task(&mut self, operation: u32) {
        let coroutine = self.shared.tasks.borrow_mut().take(operation);
        match coroutine {
            Some(coroutine) => self.run_coroutine(operation, coroutine),
            None => self.after_run(operation, Ok(RunOutcome::Done)),
        }
    }

    fn run_coroutine(&mut self, operation: u32, mut coroutine: Coroutine) {
        let resumed = panics::catch(|| coroutine.resume());
        let is_suspended = matches!(resumed, Ok(Resumed::Suspended));
        if is_suspended {
            self.shared.tasks.borrow_mut().put(operation, coroutine);
        } else {
            let locals = self.shared.tasks.borrow_mut().take_locals(operation);
            let dropped = panics::catch(|| drop(locals));
            self.shared.tasks.borrow_mut().keep_stack(coroutine.end());
            if let Err(panic) = dropped {
                return self.after_run(operation, Err(panic));
            }
        }
        let ran = resumed.map(|resumed| match resumed {
            Resumed::Suspended => RunOutcome::Suspended,
            Resumed::Done => RunOutcome::Done,
        });
        let is_over = matches!(ran, Ok(RunOutcome::Done));
        self.after_run(operation, ran);
        if is_over && self.shared.state().operations[operation].kind == OperationRole::Task {
            self.shared.record(|| Record::Over { who: operation });
        }
    }
}

impl Engine {
    /// Takes the first step of an execution that begins again.
    pub(crate) fn first_step(&mut self, test: &dyn Program) {
        let shared = self.shared.clone();
        let mut state = shared.state();
        state.progress.set_last_operation(BODY);
        state.progress.begin_step();
        let body = OperationId::actor(BODY);
        self.instrumented_step(&shared, body, state, test);
    }
}

impl Effects<'_> {
    /// Aborts an operation if it is a task; returns true in that case.
    pub(crate) fn abort_task(&self, operation: u32) -> bool {
        let mut state = self.shared.state();
        if state.operations[operation].kind != OperationRole::Task {
            return false;
        }
        self.shared.record(|| Record::Stopped {
            who: operation,
            at_once: true,
        });
        state.objects.abort(operation);
        let found = &mut state.operations[operation];
        if found.stage == OperationStage::Suspended {
            // The abort takes effect at the end of the poll; a call that blocks within it stays blocked.
            found.is_wake_up_due = true;
            if !state.objects.is_blocked(operation) {
                state.operations[operation].woken = true;
            }
            state.footprint.changes(operation);
            state.refresh(operation);
        }
        true
    }

    /// Ends a task whose node crashes, and drops all that it holds.
    pub(crate) fn crash_task(&self, operation: u32) {
        {
            let mut state = self.shared.state();
            let found = &state.operations[operation];
            if found.kind != OperationRole::Task || found.stage == OperationStage::Gone {
                return;
            }
            state.leave(operation, OperationStage::Gone);
            state.refresh(operation);
        }
        let (unborn, coroutine, locals) = {
            let mut tasks = self.shared.tasks.borrow_mut();
            let unborn = tasks.start(operation);
            (unborn, tasks.take(operation), tasks.take_locals(operation))
        };
        self.drop_quietly(move || drop((unborn, locals)));
        let Some(coroutine) = coroutine else {
            return;
        };
        match panics::catch(|| coroutine.end()) {
            Ok(stack) => self.shared.tasks.borrow_mut().keep_stack(stack),
            Err(panic) => self.drop_panicked(*panic),
        }
    }

    /// Ends every task that is left, and drops the task-local values. Tasks that never started go first,
    /// then the newest, since they may borrow from older ones.
    pub(crate) fn clear_tasks(&self) {
        let unborn = self.shared.tasks.borrow_mut().take_unborn();
        for (_, run) in unborn {
            self.drop_quietly(move || drop(run));
        }
        loop {
            let next = self.shared.tasks.borrow_mut().take_suspended();
            let Some(coroutine) = next else {
                break;
            };
            match panics::catch(|| coroutine.end()) {
                Ok(stack) => self.shared.tasks.borrow_mut().keep_stack(stack),
                Err(panic) => self.drop_panicked(*panic),
            }
        }
        let locals = self.shared.tasks.borrow_mut().take_all_locals();
        for (_, locals) in locals {
            self.drop_quietly(move || drop(locals));
        }
    }
}
