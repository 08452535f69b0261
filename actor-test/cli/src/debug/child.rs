//! The debugger's connection to the test's executable, which answers questions in a child process.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use crate::discover::Test;
use crate::{process, words};
use actor_test::Recording;
use actor_test::tool::debugging::{Answer, Inquiry, Question};
use actor_test::tool::overrides::Overrides;
use actor_test::tool::process::{Conversation, Ending, Job};
use actor_test::tool::protocol::{Event, Ignored, Task};

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
pub(super) enum Silence {
    /// The question can't be answered; the text has the reason.
    Refused(String),
    /// The program crashed its process, or hangs: the description, and the step if known.
    Violent(String, Option<u64>),
}

impl Silence {
    /// Describes the reason in a sentence.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Refused(problem) => problem.clone(),
            Self::Violent(how, Some(step)) => format!("in step {step}, {how}"),
            Self::Violent(how, None) => how.clone(),
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

    pub(super) fn ask(&self, about: &Subject, question: Question) -> Result<Answer, Silence> {
        let before = self.asked.take();
        let was_asked = before.is_some();
        let answer = self.ask_in(before, about, question.clone());
        match answer {
            // State left by earlier executions in the process may be the reason, so a new one is asked.
            Err(Silence::Refused(_)) if was_asked => self.ask_in(None, about, question),
            answer => answer,
        }
    }

    fn ask_in(
        &self,
        process: Option<(Conversation, BTreeSet<u64>)>,
        about: &Subject,
        question: Question,
    ) -> Result<Answer, Silence> {
        let (conversation, mut known) = match process {
            Some(process) => process,
            None => {
                let conversation = process::converse(&self.test, &self.job());
                let conversation = conversation.map_err(|trouble| Silence::Refused(trouble.0))?;
                (conversation, BTreeSet::new())
            }
        };
        let is_new = known.insert(about.number);
        let inquiry = Inquiry {
            about: about.number,
            recording: is_new.then(|| Box::new(about.recording.clone())),
            question,
        };
        match conversation.ask(&inquiry).map_err(Silence::Refused)? {
            Ok((conversation, event)) => {
                self.asked.replace(Some((conversation, known)));
                match event {
                    Event::Answered { answer } => Ok(answer),
                    Event::Refused { problem, .. } => Err(Silence::Refused(problem)),
                    _ => Err(Silence::Refused(words::wrong_answer())),
                }
            }
            Err(ending) => {
                let step = ending.witnessed.as_ref().map(|seen| seen.step);
                Err(match ending.answer {
                    Some(Event::Refused { problem, .. }) => Silence::Refused(problem),
                    Some(Event::Hang { seconds, .. }) => {
                        Silence::Violent(words::hang(seconds, None), step)
                    }
                    _ => Silence::Violent(died(&ending), step),
                })
            }
        }
    }

    fn job(&self) -> Job {
        Job {
            test: self.test.name.clone(),
            given: self.given.clone(),
            task: Some(Task::Debug),
            ignored: Ignored::Include,
            pin: false,
            witness: Some(0),
            hold: false,
        }
    }
}

fn died(ending: &Ending) -> String {
    words::crash(&ending.how, None, &ending.stderr)
}
