//! What goes between the tool and the child that runs a test.
//!
//! The tool writes a [`Request`] into a file and names the file in a variable; the child appends
//! [`Event`]s to another file, a line of JSON each. Standard output belongs to the user's prints.
//! Both ends are always built from the same version: the tool checks it by [`VERSION`].

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::data::bug::Finding;
use crate::data::story::Story;
use crate::debugging::Answer;
use crate::report::facts::{Bug, Recording, Report};
use crate::settings::Bounds;
use crate::settings::overrides::Overrides;
use crate::strategy::SizeEstimate;

/// The version of the protocol; a child of another version refuses the request.
pub const VERSION: u32 = 9;

/// What the child is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Request {
    pub version: u32,
    /// The test, by its full name, with the values of its parameters.
    pub test: String,
    /// Flags and variables, merged.
    pub given: Overrides,
    /// What to do with it. `None`: tell the combinations of its parameters.
    pub task: Option<Task>,
    pub ignored: Ignored,
    /// When the run began that the child belongs to.
    pub begun: SystemTime,
    /// Where the events go.
    pub events: PathBuf,
    /// Where each iteration is noted before it runs.
    pub pin: Option<PathBuf>,
    /// Where the decisions of an iteration are written down while it runs.
    pub witness: Option<(PathBuf, u64)>,
    /// Before it begins, it waits until there is this file.
    pub hold: Option<PathBuf>,
}

/// What to do with the test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    Explore,
    Reproduce {
        token: String,
    },
    /// Minimise an execution, for as long as the settings say.
    Minimize {
        finding: Finding,
        recording: Box<Recording>,
    },
    /// Tells an execution in words that a test can pin.
    Pin {
        finding: Finding,
        recording: Box<Recording>,
    },
    /// Replays an execution, and where it passes searches near it, in about so many steps.
    Near {
        recording: Box<Recording>,
        /// What it is called.
        name: String,
        steps: u64,
    },
    Replay {
        recording: Box<Recording>,
        /// The story ends with this step, which is told but not taken.
        until: Option<u64>,
    },
    /// Answer the debugger's questions: an [`Inquiry`](crate::debugging::Inquiry) on each line of
    /// standard input, until that ends.
    Debug,
}

/// What to do with tests marked `#[ignore]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ignored {
    #[default]
    Skip,
    Only,
    Include,
}

impl Ignored {
    /// Whether a test is run.
    pub fn runs(self, ignored: bool) -> bool {
        match self {
            Self::Skip => !ignored,
            Self::Only => ignored,
            Self::Include => true,
        }
    }
}

/// What the child tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The test was found, and this is how it is explored.
    Began {
        iterations: u64,
        seed: u64,
        bounds: Bounds,
        strategies: Vec<String>,
        expect_bug: Option<String>,
        /// The test's source file, as rustc was given it, and its line there.
        source: (String, u32),
    },
    /// It waits until there is that file.
    Holds { process: u32, until: PathBuf },
    /// The names of the combinations.
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
    /// It was explored.
    Done {
        report: Box<Report>,
        notes: Vec<String>,
    },
    /// It was minimised, and its causes looked for. Where nothing could be left out it is as it was; where it
    /// can't be found again, it has no causes either.
    Minimized { bug: Box<Bug> },
    /// It was replayed.
    Replayed {
        finding: Option<Finding>,
        story: Story,
        diverged: Option<(u64, String)>,
    },
    /// An execution step by step: who, what, and what else is worth to be told of it.
    Pinned { steps: Vec<[String; 3]> },
    /// What was tried near an execution that passes, and the bug that was found there.
    Near {
        executions: u64,
        bug: Option<Box<Bug>>,
        notes: Vec<String>,
    },
    /// A question of the debugger's was answered.
    Answered { answer: Answer },
    /// There are no more questions.
    Closed,
    /// A handler does not return; the child ends.
    Hang {
        strategy: usize,
        iteration: u64,
        /// The length that the strategy was told.
        length: Option<u64>,
        seconds: f64,
    },
    /// The test is not to be run.
    Skipped,
    /// The request can't be met.
    Refused {
        problem: String,
        /// As in [`Began`](Event::Began).
        source: (String, u32),
    },
}

/// The file that events are appended to.
#[derive(Debug)]
pub struct Events(Mutex<File>);

impl Events {
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Self(Mutex::new(file)))
    }

    /// Appends an event. A tool that is gone is none of the child's business.
    pub fn tell(&self, event: &Event) {
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
