//! The debugger's server: answers inspections of a recorded execution from paused re-executions.
//!
//! A paused execution stays between two steps and continues from there when a later step is inspected. On its
//! way it also takes snapshots of the last steps before its target, so that stepping back a few steps runs
//! nothing. Another execution is paused some steps behind, on a thread of its own, so that stepping back
//! further does not restart from the beginning.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{Builder, Scope, scope};

use super::answer::{self, differs};
use super::replayer::Replayer;
use crate::data::snapshot::Snapshot;
use crate::data::story::Story;
use crate::engine::{Program, RunOptions, StepObserver};
use crate::parallel::STACK_BYTES;
use crate::protocol::inquiry::{Inquiry, QueryAnswer, Question, RunResult};
use crate::report::data::Recording;
use crate::worker_registry::WorkerStatus;

/// The maximum number of paused executions.
const WAITING_MAX: usize = 4;

/// The distance in steps from the inspected step back to the execution that is paused behind it.
const BEHIND: u64 = 256;

/// The number of steps before the inspected one whose snapshots are taken on the way.
const SNAPSHOTS_BEFORE: u64 = 32;

/// The maximum number of operations for which snapshots are taken on the way; more make a snapshot costly.
const OPERATIONS_MAX: usize = 256;

/// The maximum number of snapshots kept.
const SEEN_MAX: usize = 256;

/// Answers each inquiry in order, until `inquiries` ends; the program runs on threads of its own.
pub(crate) fn serve(
    program: &(dyn Program + Sync),
    test: &str,
    inquiries: impl Iterator<Item = Inquiry>,
    mut send: impl FnMut(Result<QueryAnswer, String>),
) {
    scope(|scope| {
        let mut desk = QueryServer {
            scope,
            program,
            test,
            recordings: BTreeMap::new(),
            snapshots: BTreeMap::new(),
            waiting: Vec::new(),
        };
        for inquiry in inquiries {
            send(desk.answer(inquiry));
        }
    });
}

/// The state of the server: the recordings, snapshots and paused executions at one moment.
struct QueryServer<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    program: &'env (dyn Program + Sync),
    test: &'env str,
    recordings: BTreeMap<u64, Arc<Recording>>,
    /// The snapshots taken, by execution and step.
    snapshots: BTreeMap<(u64, u64), Snapshot>,
    /// The paused executions, in the order of their last use.
    waiting: Vec<PausedExecution>,
}

/// A handle of an execution that is paused or runs to its target; dropping it ends the execution.
struct PausedExecution {
    about: u64,
    /// The number of steps after which the execution pauses.
    at: u64,
    orders: Sender<Order>,
}

/// The step at which an execution pauses next, and the channel for its snapshots, if wanted.
type Order = (u64, Option<Sender<Result<Snapshot, String>>>);

impl QueryServer<'_, '_> {
    fn answer(&mut self, inquiry: Inquiry) -> Result<QueryAnswer, String> {
        let Inquiry {
            about,
            recording,
            question,
        } = inquiry;
        let recording = match recording {
            None => Arc::clone(
                self.recordings
                    .get(&about)
                    .ok_or("nobody knows that execution")?,
            ),
            Some(recording) => {
                // Only `Run` needs the story, and gets it with the inquiry.
                let plain = Recording {
                    story: Story::default(),
                    ..(*recording).clone()
                };
                self.recordings.insert(about, Arc::new(plain));
                Arc::new(*recording)
            }
        };
        let (program, test) = (self.program, self.test);
        match question {
            Question::Snapshot { step } => {
                Ok(QueryAnswer::Snapshot(Box::new(self.snapshot(about, step)?)))
            }
            Question::Run => Ok(ran(answer::run(program, test, &recording))),
            Question::Take { from, position } => Ok(ran(answer::take(
                program, test, &recording, from, position,
            )?)),
            Question::Branch {
                from,
                strategy,
                seed,
            } => Ok(ran(answer::branch(
                program, test, &recording, from, &strategy, seed,
            )?)),
            Question::Recover {
                from,
                walks,
                finding,
            } => answer::recover(program, test, &recording, &finding, (from, walks)),
        }
    }

    /// Returns the snapshot of an execution after `step` steps.
    fn snapshot(&mut self, about: u64, step: u64) -> Result<Snapshot, String> {
        if let Some(seen) = self.snapshots.get(&(about, step)) {
            return Ok(seen.clone());
        }
        let nearest = (0..self.waiting.len())
            .filter(|place| {
                let waiting = &self.waiting[*place];
                waiting.about == about && waiting.at <= step
            })
            .max_by_key(|place| self.waiting[*place].at);
        let mut waiting = match nearest {
            Some(place) => self.waiting.remove(place),
            None => self.begin(about),
        };
        let (answer, seen) = mpsc::channel();
        waiting.at = step;
        // If the thread has ended, `recv` below fails.
        let _ = waiting.orders.send((step, Some(answer)));
        if self.snapshots.len() > SEEN_MAX {
            self.snapshots.clear();
        }
        let found = loop {
            match seen.recv().unwrap_or_else(|_| Err(differs(step)))? {
                found if found.step == step => break found,
                earlier => {
                    self.snapshots.insert((about, earlier.step), earlier);
                }
            }
        };
        self.snapshots.insert((about, step), found.clone());
        self.keep(waiting);
        self.follow(about, step);
        Ok(found)
    }

    /// Starts an execution that pauses some steps behind `step`, unless one is there already.
    fn follow(&mut self, about: u64, step: u64) {
        let Some(behind) = step.checked_sub(BEHIND).filter(|behind| *behind > 0) else {
            return;
        };
        let follows = |waiting: &PausedExecution| {
            waiting.about == about && (behind..step).contains(&waiting.at)
        };
        if self.waiting.iter().any(follows) {
            return;
        }
        let mut waiting = self.begin(about);
        waiting.at = behind;
        let _ = waiting.orders.send((behind, None));
        self.keep(waiting);
    }

    fn keep(&mut self, waiting: PausedExecution) {
        if self.waiting.len() == WAITING_MAX {
            self.waiting.remove(0);
        }
        self.waiting.push(waiting);
    }

    /// Starts an execution that pauses before its first step.
    fn begin(&self, about: u64) -> PausedExecution {
        let (orders, heard) = mpsc::channel();
        let (program, test) = (self.program, self.test);
        if let Some(recording) = self.recordings.get(&about).map(Arc::clone) {
            let run = move || {
                let mut again = Replayer::new(program, test, &recording);
                let observer = Box::new(SnapshotObserver {
                    orders: heard,
                    answer: None,
                    asked: 0,
                    stop: 0,
                    status: again.status(),
                });
                again.replay(RunOptions {
                    observer: Some(observer),
                    ..RunOptions::default()
                });
            };
            let thread = Builder::new().name("actor-test execution".into());
            // If no thread can be started, `recv` fails and the question gets an error.
            let _ = thread.stack_size(STACK_BYTES).spawn_scoped(self.scope, run);
        }
        PausedExecution {
            about,
            at: 0,
            orders,
        }
    }
}

fn ran(ran: RunResult) -> QueryAnswer {
    QueryAnswer::Ran(Box::new(ran))
}

/// The observer on the execution's thread: pauses the execution and sends its snapshots.
#[derive(Debug)]
struct SnapshotObserver {
    orders: Receiver<Order>,
    answer: Option<Sender<Result<Snapshot, String>>>,
    /// The step at which the execution pauses next.
    asked: u64,
    /// The step of the next snapshot, or of the last one.
    stop: u64,
    status: Arc<WorkerStatus>,
}

impl StepObserver for SnapshotObserver {
    fn next(&mut self) -> Option<u64> {
        if self.answer.is_some() && self.stop < self.asked {
            self.stop += 1;
            return Some(self.stop);
        }
        // A paused execution must not count as hanging.
        self.status.ends();
        let (step, answer) = self.orders.recv().ok()?;
        self.status.begins(0, 0, None);
        let kept = match answer {
            Some(_) => SNAPSHOTS_BEFORE,
            None => 0,
        };
        let first = step.saturating_sub(kept).max(self.stop + 1);
        (self.asked, self.stop, self.answer) = (step, first.min(step), answer);
        Some(self.stop)
    }

    fn inspect(&mut self, snapshot: Snapshot, diverged_at: Option<u64>) {
        let Some(answer) = &self.answer else {
            return;
        };
        if snapshot.operations.len() > OPERATIONS_MAX {
            self.stop = self.stop.max(self.asked.saturating_sub(1));
        }
        let seen = match diverged_at {
            Some(step) => Err(differs(step)),
            // An execution that ends before this step differs from the recorded one.
            None if snapshot.step != self.stop => Err(differs(snapshot.step + 1)),
            None => Ok(snapshot),
        };
        let is_last = self.stop == self.asked || seen.is_err();
        // The receiver is blocked until it gets this snapshot.
        let _ = answer.send(seen);
        if is_last {
            self.answer = None;
        }
    }
}
