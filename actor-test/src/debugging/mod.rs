//! Looking at a recorded execution, and going on otherwise: what `cargo actor-test debug` asks.
//!
//! The debugger lives in the tool, and the program under test in its child: [`hosting`](crate::hosting)
//! hands each [`Inquiry`] to a [`desk`], which runs the program, up to where the question is about.
//! A step costs what it costs while exploring: what is told step by step is told once, when an execution
//! is [run](Question::Run), and a [look](Question::Look) records nothing. What was looked at waits there
//! to be looked at again; whatever else is asked begins anew. A program that takes its process down takes
//! with it what waits there and no more: the tool has everything that it takes to ask another child.

mod again;
mod answer;
mod desk;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(crate) use desk::serve;

use crate::data::bug::Finding;
use crate::data::causes::Share;
use crate::data::snapshot::Snapshot;
use crate::report::facts::Recording;

/// A question about an execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Inquiry {
    /// The number of the execution.
    pub about: u64,
    /// The execution, where it was not asked about before.
    pub recording: Option<Box<Recording>>,
    /// The question.
    pub question: Question,
}

/// What the debugger wants to know of a recorded execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Its story, as far as it goes now.
    Run,
    /// Where it stands after so many steps.
    Look {
        /// How many.
        step: u64,
    },
    /// How it goes on after so many steps under a strategy.
    Branch {
        /// How many.
        from: u64,
        /// The strategy, as `-s` takes it.
        strategy: String,
        /// Its seed.
        seed: u64,
    },
    /// How it goes on after so many steps if that one of what could run next does, and then all else
    /// as it was recorded, as far as it can.
    Take {
        /// How many.
        from: u64,
        /// Its position among what could run.
        position: usize,
    },
    /// How it goes on fairly after so many steps until it recovers from its bug.
    Live {
        /// How many.
        from: u64,
        /// How often that is tried at most.
        walks: u32,
        /// The bug.
        finding: Finding,
    },
}

/// An answer to a [`Question`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// It was run.
    Ran(Box<Ran>),
    /// It was looked at.
    Looked(Box<Snapshot>),
    /// It was tried to have it recover: how often that was so, and where it was.
    Lived(Share, Option<Box<Ran>>),
}

/// An execution, and how it ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ran {
    /// What was found.
    pub finding: Option<Finding>,
    /// How many steps it took.
    pub steps: u64,
    /// The execution, with its story.
    pub recording: Recording,
    /// The first step at which it is another than the recorded one, and how they differ.
    pub diverged: Option<(u64, String)>,
}
