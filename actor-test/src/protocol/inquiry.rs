//! Questions of the debugger about a recorded execution, and their answers.

use serde::{Deserialize, Serialize};

use crate::data::bug::Finding;
use crate::data::causes::ContinuationCounts;
use crate::data::snapshot::Snapshot;
use crate::report::data::Recording;

/// A question about an execution, with the recording where needed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Inquiry {
    /// The number of the execution, as the tool assigned it.
    pub about: u64,
    /// The recording, in the first inquiry about the execution.
    pub recording: Option<Box<Recording>>,
    /// The question.
    pub question: Question,
}

/// A question of the debugger about a recorded execution.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// Asks for a replay of the whole execution with its story.
    Run,
    /// Asks for a snapshot after a number of steps.
    Snapshot {
        /// The number of steps.
        step: u64,
    },
    /// Asks for an execution that continues under another strategy after a number of steps.
    Branch {
        /// The number of recorded steps to replay first.
        from: u64,
        /// The strategy, in the syntax of `-s`.
        strategy: String,
        /// The seed of the strategy.
        seed: u64,
    },
    /// Asks for an execution that takes another enabled operation after a number of steps, and then follows
    /// the recorded schedule as far as possible.
    Take {
        /// The number of recorded steps to replay first.
        from: u64,
        /// The position of the operation among the enabled ones.
        position: usize,
    },
    /// Asks for a fair continuation after a number of steps that recovers from the bug.
    Recover {
        /// The number of recorded steps to replay first.
        from: u64,
        /// The maximum number of random continuations.
        walks: u32,
        /// The bug that a continuation must avoid.
        finding: Finding,
    },
}

/// An answer to a [`Question`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryAnswer {
    /// The execution that was run.
    Ran(Box<RunResult>),
    /// The snapshot after the step in question.
    Snapshot(Box<Snapshot>),
    /// The share of continuations that recovered from the bug, and one that did.
    Recovered(ContinuationCounts, Option<Box<RunResult>>),
}

/// An execution that was run, with its end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunResult {
    /// The bug found, if any.
    pub finding: Option<Finding>,
    /// The number of steps taken.
    pub steps: u64,
    /// The execution, with its story.
    pub recording: Recording,
    /// The first step at which the execution differs from the recorded one, and the difference.
    pub diverged: Option<(u64, String)>,
}
