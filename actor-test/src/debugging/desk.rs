//! Answering one question after the other.
//!
//! An execution that was looked at stays where it is, and goes on from there when a later step is asked
//! for. On its way to a step it looks at those right before it as well, so that for some steps back
//! nothing is run. Behind it follows another one, on a thread of its own, so that one step back more is a
//! few steps from there, and not all of them from the beginning.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{Builder, Scope, scope};

use super::again::Again;
use super::answer::{self, differs};
use super::{Answer, Inquiry, Question, Ran};
use crate::attendance::WorkerStatus;
use crate::data::snapshot::Snapshot;
use crate::data::story::Story;
use crate::engine::{Program, RunOptions, STACK_BYTES, StepObserver};
use crate::report::facts::Recording;

/// How many executions wait at most.
const WAITING_MAX: usize = 4;

/// How many steps behind what was looked at another execution waits.
const BEHIND: u64 = 256;

/// At how many of the last steps before one an execution looks on its way there.
const ON_THE_WAY: u64 = 32;

/// Of more operations than these a look costs too much to be taken without need.
const OPERATIONS_MAX: usize = 256;

/// How many looks are kept.
const SEEN_MAX: usize = 256;

/// Answers questions about executions of a test, as long as there are some. The program that is asked
/// about runs on threads of its own.
pub(crate) fn serve(
    program: &(dyn Program + Sync),
    test: &str,
    inquiries: impl Iterator<Item = Inquiry>,
    mut tell: impl FnMut(Result<Answer, String>),
) {
    scope(|scope| {
        let mut desk = Desk {
            scope,
            program,
            test,
            known: BTreeMap::new(),
            seen: BTreeMap::new(),
            waiting: Vec::new(),
        };
        for inquiry in inquiries {
            tell(desk.answer(inquiry));
        }
    });
}

/// What is known at one moment.
struct Desk<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    program: &'env (dyn Program + Sync),
    test: &'env str,
    known: BTreeMap<u64, Arc<Recording>>,
    /// What was looked at, by execution and step.
    seen: BTreeMap<(u64, u64), Snapshot>,
    /// The one that was used last is the last one.
    waiting: Vec<Waiting>,
}

/// An execution that waits between two steps, or is on its way to where it is to wait. It ends when this
/// is dropped.
struct Waiting {
    about: u64,
    /// After how many steps.
    at: u64,
    orders: Sender<Order>,
}

/// How far an execution is to go, and who wants to know what is to be seen there.
type Order = (u64, Option<Sender<Result<Snapshot, String>>>);

impl Desk<'_, '_> {
    fn answer(&mut self, inquiry: Inquiry) -> Result<Answer, String> {
        let Inquiry {
            about,
            recording,
            question,
        } = inquiry;
        let recording = match recording {
            None => Arc::clone(
                self.known
                    .get(&about)
                    .ok_or("nobody knows that execution")?,
            ),
            Some(recording) => {
                // What happened is needed for a comparison alone, where it is run.
                let plain = Recording {
                    story: Story::default(),
                    ..(*recording).clone()
                };
                self.known.insert(about, Arc::new(plain));
                Arc::new(*recording)
            }
        };
        let (program, test) = (self.program, self.test);
        match question {
            Question::Look { step } => Ok(Answer::Looked(Box::new(self.look(about, step)?))),
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
            Question::Live {
                from,
                walks,
                finding,
            } => answer::live(program, test, &recording, &finding, (from, walks)),
        }
    }

    /// Where an execution stands after so many steps.
    fn look(&mut self, about: u64, step: u64) -> Result<Snapshot, String> {
        if let Some(seen) = self.seen.get(&(about, step)) {
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
        // Where its thread is gone, so is the answer.
        let _ = waiting.orders.send((step, Some(answer)));
        if self.seen.len() > SEEN_MAX {
            self.seen.clear();
        }
        let found = loop {
            match seen.recv().unwrap_or_else(|_| Err(differs(step)))? {
                found if found.step == step => break found,
                earlier => {
                    self.seen.insert((about, earlier.step), earlier);
                }
            }
        };
        self.seen.insert((about, step), found.clone());
        self.keep(waiting);
        self.follow(about, step);
        Ok(found)
    }

    /// Has an execution follow behind that step, where none does.
    fn follow(&mut self, about: u64, step: u64) {
        let Some(behind) = step.checked_sub(BEHIND).filter(|behind| *behind > 0) else {
            return;
        };
        let follows =
            |waiting: &Waiting| waiting.about == about && (behind..step).contains(&waiting.at);
        if self.waiting.iter().any(follows) {
            return;
        }
        let mut waiting = self.begin(about);
        waiting.at = behind;
        let _ = waiting.orders.send((behind, None));
        self.keep(waiting);
    }

    fn keep(&mut self, waiting: Waiting) {
        if self.waiting.len() == WAITING_MAX {
            self.waiting.remove(0);
        }
        self.waiting.push(waiting);
    }

    /// An execution that waits before its first step.
    fn begin(&self, about: u64) -> Waiting {
        let (orders, heard) = mpsc::channel();
        let (program, test) = (self.program, self.test);
        if let Some(recording) = self.known.get(&about).map(Arc::clone) {
            let run = move || {
                let mut again = Again::new(program, test, &recording);
                let looker = Box::new(Waiter {
                    orders: heard,
                    answer: None,
                    asked: 0,
                    stop: 0,
                    status: again.status(),
                });
                again.replay(RunOptions {
                    looker: Some(looker),
                    ..RunOptions::default()
                });
            };
            let thread = Builder::new().name("actor-test execution".into());
            // Without a thread to spare there is no answer.
            let _ = thread.stack_size(STACK_BYTES).spawn_scoped(self.scope, run);
        }
        Waiting {
            about,
            at: 0,
            orders,
        }
    }
}

fn ran(ran: Ran) -> Answer {
    Answer::Ran(Box::new(ran))
}

/// The side of the execution.
#[derive(Debug)]
struct Waiter {
    orders: Receiver<Order>,
    answer: Option<Sender<Result<Snapshot, String>>>,
    /// How far it is to go.
    asked: u64,
    /// Where it looks next, or has looked last.
    stop: u64,
    status: Arc<WorkerStatus>,
}

impl StepObserver for Waiter {
    fn next(&mut self) -> Option<u64> {
        if self.answer.is_some() && self.stop < self.asked {
            self.stop += 1;
            return Some(self.stop);
        }
        // Who waits does not hang.
        self.status.ends();
        let (step, answer) = self.orders.recv().ok()?;
        self.status.begins(0, 0, None);
        let on_the_way = match answer {
            Some(_) => ON_THE_WAY,
            None => 0,
        };
        let first = step.saturating_sub(on_the_way).max(self.stop + 1);
        (self.asked, self.stop, self.answer) = (step, first.min(step), answer);
        Some(self.stop)
    }

    fn looks(&mut self, snapshot: Snapshot, diverged_at: Option<u64>) {
        let Some(answer) = &self.answer else {
            return;
        };
        if snapshot.operations.len() > OPERATIONS_MAX {
            self.stop = self.stop.max(self.asked.saturating_sub(1));
        }
        let seen = match diverged_at {
            Some(step) => Err(differs(step)),
            // One that ends before was another.
            None if snapshot.step != self.stop => Err(differs(snapshot.step + 1)),
            None => Ok(snapshot),
        };
        let is_last = self.stop == self.asked || seen.is_err();
        // Who has asked waits.
        let _ = answer.send(seen);
        if is_last {
            self.answer = None;
        }
    }
}
