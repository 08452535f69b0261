//! The protocol between the tool and the child process that runs a test: requests and events.
//!
//! The tool writes a [`ChildRequest`] into a file and passes the file's name in a variable. The child appends
//! [`ChildEvent`]s to another file, as one line of JSON each; standard output is left to the user's prints. Both
//! must have the same protocol version, which the child checks by [`VERSION`].

pub(crate) mod crash_marker;
pub(crate) mod decision_log;
pub mod environment;
pub mod inquiry;
pub mod postmortem;
pub mod process;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::data::bug::Finding;
use crate::data::extent::SizeEstimate;
use crate::data::story::Story;
use crate::protocol::inquiry::QueryAnswer;
use crate::report::data::{Bug, Recording, Report};
use crate::settings::Bounds;
use crate::settings::overrides::Overrides;

/// The version of the protocol; a child of another version refuses the request.
pub const VERSION: u32 = 9;

/// The request of the tool to the child.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChildRequest {
    pub version: u32,
    /// The full name of the test, with the values of its parameters.
    pub test: String,
    /// The settings from flags and variables, merged.
    pub given: Overrides,
    /// The task; `None` lists the combinations of the test's parameters.
    pub task: Option<Task>,
    pub ignored: Ignored,
    /// The time at which the tool's run began.
    pub begun: SystemTime,
    /// The file to which the child appends events.
    pub events: PathBuf,
    /// The file in which the child records each iteration before running it.
    pub pin: Option<PathBuf>,
    /// The file for the decisions of one iteration while it runs, and that iteration.
    pub decision_log: Option<(PathBuf, u64)>,
    /// The file whose existence the child awaits before it begins.
    pub hold: Option<PathBuf>,
}

/// The tasks that a child can perform on a test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    Explore,
    Reproduce {
        token: String,
    },
    /// Minimises an execution, within the budget of the settings.
    Minimize {
        finding: Finding,
        recording: Box<Recording>,
    },
    /// Words an execution as steps that a test can pin.
    Pin {
        finding: Finding,
        recording: Box<Recording>,
    },
    /// Replays an execution, and if it passes, searches near it for about `steps` steps.
    Near {
        recording: Box<Recording>,
        /// The name of the saved schedule.
        name: String,
        steps: u64,
    },
    Replay {
        recording: Box<Recording>,
        /// The step with which the story ends; this step is described but not taken.
        until: Option<u64>,
    },
    /// Answers each [`Inquiry`](crate::protocol::inquiry::Inquiry) of the debugger, a line of standard input.
    Debug,
}

/// The treatment of tests marked `#[ignore]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ignored {
    #[default]
    Skip,
    Only,
    Include,
}

impl Ignored {
    /// Returns true if a test should run.
    pub fn runs(self, ignored: bool) -> bool {
        match self {
            Self::Skip => !ignored,
            Self::Only => ignored,
            Self::Include => true,
        }
    }
}

/// An event that the child reports.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChildEvent {
    /// The test was found; these are its settings.
    Began {
        iterations: u64,
        seed: u64,
        bounds: Bounds,
        strategies: Vec<String>,
        expect_bug: Option<String>,
        /// The test's source file, as passed to rustc, and the line in it.
        source: (String, u32),
    },
    /// The child waits until the file `until` exists.
    Holds { process: u32, until: PathBuf },
    /// The names of the combinations of parameters.
    Combinations { names: Vec<String> },
    /// The child makes progress.
    Alive,
    Progress {
        executions: u64,
        of: u64,
        steps: u64,
        bugs: usize,
        extent: Option<SizeEstimate>,
    },
    /// The test was explored.
    Done {
        report: Box<Report>,
        notes: Vec<String>,
    },
    /// The bug was minimised, and its causes were searched for. If nothing could be removed, the bug is
    /// unchanged; if it can't be reproduced, it has no causes.
    Minimized { bug: Box<Bug> },
    /// The execution was replayed.
    Replayed {
        finding: Option<Finding>,
        story: Story,
        diverged: Option<(u64, String)>,
    },
    /// An execution step by step: actor, action, and a description.
    Pinned { steps: Vec<[String; 3]> },
    /// The search near a passing execution, with the bug found there.
    Near {
        executions: u64,
        bug: Option<Box<Bug>>,
        notes: Vec<String>,
    },
    /// A question of the debugger was answered.
    Answered { answer: QueryAnswer },
    /// The questions have ended.
    Closed,
    /// A handler does not return; the child ends.
    Hang {
        strategy: usize,
        iteration: u64,
        /// The expected length that the strategy received.
        length: Option<u64>,
        seconds: f64,
    },
    /// The test should not run, by [`Ignored`].
    Skipped,
    /// The request can't be performed.
    Refused {
        problem: String,
        /// The source file and line, as in [`Began`](ChildEvent::Began).
        source: (String, u32),
    },
}

/// The file that events are appended to.
#[derive(Debug)]
pub struct EventWriter(Mutex<File>);

impl EventWriter {
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Self(Mutex::new(file)))
    }

    /// Appends an event. Errors are ignored, since the tool may have ended.
    pub fn append(&self, event: &ChildEvent) {
        let Ok(mut line) = serde_json::to_vec(event) else {
            return;
        };
        line.push(b'\n');
        let mut file = self
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = file.write_all(&line);
    }
}
