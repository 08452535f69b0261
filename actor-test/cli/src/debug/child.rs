//! Asking the test's executable about an execution.

use crate::discover::Test;
use crate::{process, words};
use actor_test::Recording;
use actor_test::story::Story;
use actor_test::tool::debugging::{Answer, Question};
use actor_test::tool::overrides::Overrides;
use actor_test::tool::process::{Ending, Job};
use actor_test::tool::protocol::{Event, Ignored, Task};

/// The test, which answers each question in a process of its own.
#[derive(Debug)]
pub(super) struct Child {
    test: Test,
    given: Overrides,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Silence {
    /// The question can't be answered, and why.
    Refused(String),
    /// The program took its process down, or does not return: how, and in which step where that is
    /// known.
    Violent(String, Option<u64>),
}

impl Silence {
    /// In a sentence.
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
        Self { test, given }
    }

    /// Asks about an execution.
    pub(super) fn ask(&self, about: &Recording, question: Question) -> Result<Answer, Silence> {
        // What happened is needed for a comparison alone.
        let mut recording = about.clone();
        if question != Question::Run {
            recording.story = Story::default();
        }
        let job = Job {
            test: self.test.name.clone(),
            given: self.given.clone(),
            task: Some(Task::Debug {
                recording: Box::new(recording),
                question,
            }),
            ignored: Ignored::Include,
            pin: false,
            witness: Some(0),
            hold: false,
        };
        let ending = process::run(&self.test, &job, &mut |_| ());
        let ending = ending.map_err(|trouble| Silence::Refused(trouble.0))?;
        let step = ending.witnessed.as_ref().map(|seen| seen.step);
        match ending.answer {
            Some(Event::Answered { answer }) => Ok(answer),
            Some(Event::Refused { problem, .. }) => Err(Silence::Refused(problem)),
            Some(Event::Hang { seconds, .. }) => {
                Err(Silence::Violent(words::hang(seconds, None), step))
            }
            _ => Err(Silence::Violent(died(&ending), step)),
        }
    }
}

fn died(ending: &Ending) -> String {
    words::crash(&ending.how, None, &ending.stderr)
}
