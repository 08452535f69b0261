//! The debugger's connection to the test's executable, which answers questions in a child process.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use crate::discover::Test;
use crate::{process, words};
use actor_test::report::Recording;
use actor_test::tool::inquiry::{Inquiry, QueryAnswer, Question};
use actor_test::tool::overrides::Overrides;
use actor_test::tool::process::{ChildEnd, ChildJob, Conversation};
use actor_test::tool::protocol::{ChildEvent, Ignored, Task};

/// The test, which answers questions in a process of its own.
#[derive(Debug)]
pub(super) struct Child {
    test: Test,
    given: Overrides,
    /// The process, with the executions that it has received; `None` until the next question starts one.
    asked: RefCell<Option<(Conversation, BTreeSet<u64>)>>,
    numbers: Cell<u64>,
}

/// An execution that questions refer to.
#[derive(Debug)]
pub(super) struct Subject {
    number: u64,
    /// The recording; its story is needed only by [`Question::Run`].
    pub(super) recording: Recording,
}

/// The reasons why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum QueryError {
    /// The question can't be answered; the text has the reason.
    Refused(String),
    /// The program crashed its process, or hangs: the description, and the step if known.
    CrashedOrHung(String, Option<u64>),
}

impl QueryError {
    /// Describes the reason in a sentence.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Refused(problem) => problem.clone(),
            Self::CrashedOrHung(how, Some(step)) => format!("in step {step}, {how}"),
            Self::CrashedOrHung(how, None) => how.clone(),
        }
    }
}

impl Child {
    pub(super) fn new(test: Test, given: Overrides) -> Self {
        Self {
            test,
            given,
            asked: RefCell::default(),
            numbers: Cell::default(),
        }
    }

    /// Registers an execution for questions.
    pub(super) fn subject(&self, recording: Recording) -> Subject {
        let number = self.numbers.get();
        self.numbers.set(number + 1);
        Subject { number, recording }
    }

    pub(super) fn ask(
        &self,
        about: &Subject,
        question: Question,
    ) -> Result<QueryAnswer, QueryError> {
        let before = self.asked.take();
        let was_asked = before.is_some();
        let answer = self.ask_in(before, about, question.clone());
        match answer {
            // State left by earlier executions in the process may be the reason, so a new one is asked.
            Err(QueryError::Refused(_)) if was_asked => self.ask_in(None, about, question),
            answer => answer,
        }
    }

    fn ask_in(
        &self,
        process: Option<(Conversation, BTreeSet<u64>)>,
        about: &Subject,
        question: Question,
    ) -> Result<QueryAnswer, QueryError> {
        let (conversation, mut known) = match process {
            Some(process) => process,
            None => {
                let conversation = process::converse(&self.test, &self.job());
                let conversation =
                    conversation.map_err(|trouble| QueryError::Refused(trouble.0))?;
                (conversation, BTreeSet::new())
            }
        };
        let is_new = known.insert(about.number);
        let inquiry = Inquiry {
            about: about.number,
            recording: is_new.then(|| Box::new(about.recording.clone())),
            question,
        };
        match conversation.ask(&inquiry).map_err(QueryError::Refused)? {
            Ok((conversation, event)) => {
                self.asked.replace(Some((conversation, known)));
                match event {
                    ChildEvent::Answered { answer } => Ok(answer),
                    ChildEvent::Refused { problem, .. } => Err(QueryError::Refused(problem)),
                    _ => Err(QueryError::Refused(words::wrong_answer())),
                }
            }
            Err(ending) => {
                let step = ending.decisions.as_ref().map(|seen| seen.step);
                Err(match ending.answer {
                    Some(ChildEvent::Refused { problem, .. }) => QueryError::Refused(problem),
                    Some(ChildEvent::Hang { seconds, .. }) => {
                        QueryError::CrashedOrHung(words::hang(seconds, None), step)
                    }
                    _ => QueryError::CrashedOrHung(died(&ending), step),
                })
            }
        }
    }

    fn job(&self) -> ChildJob {
        ChildJob {
            test: self.test.name.clone(),
            given: self.given.clone(),
            task: Some(Task::Debug),
            ignored: Ignored::Include,
            pin: false,
            decision_log: Some(0),
            hold: false,
        }
    }
}

fn died(ending: &ChildEnd) -> String {
    words::crash(&ending.how, None, &ending.stderr)
}
