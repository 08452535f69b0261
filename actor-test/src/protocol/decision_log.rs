//! A log of decisions, written during an execution, from which a crash can be analysed.
//!
//! A handler that aborts, overflows its stack or never returns leaves no outcome. Therefore the iteration
//! runs once more in a process of its own, which writes each decision to a file before the decision takes
//! effect. The file then contains the schedule up to the step that crashed the process.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::data::story::Story;
use crate::report::data::Recording;
use crate::settings::{Bounds, Semantics};

/// The file, and the iteration of this process whose decisions it logs.
static WANTED: OnceLock<(PathBuf, u64)> = OnceLock::new();

/// Requests the log of an iteration, in the file `path`.
pub(crate) fn want(path: PathBuf, iteration: u64) {
    let _ = WANTED.set((path, iteration));
}

/// Returns the file for the log of an iteration, if requested.
pub(crate) fn wanted(iteration: u64) -> Option<&'static Path> {
    let (path, wanted) = WANTED.get()?;
    (*wanted == iteration).then_some(path)
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LogLine {
    Begins {
        fair_from: Option<u64>,
        bounds: Bounds,
        semantics: Semantics,
        system: u64,
    },
    Step(u64),
    Decision(u32, u32),
    /// The last step has ended.
    Ends,
    /// The execution has ended, and its state was dropped.
    Over,
}

/// The progress of an execution, as its file records it.
#[derive(Clone, Debug)]
pub struct DecisionLogContents {
    /// The decisions taken, without a story.
    pub recording: Recording,
    /// The last step that began.
    pub step: u64,
    /// The answers to the choices made in that step.
    pub choices: Vec<u32>,
    pub reached: ExecutionPhase,
}

/// The phase in which an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExecutionPhase {
    /// The execution ended within a step.
    Step,
    /// The execution ended while its state was dropped after the last step.
    End,
    /// The execution ended normally.
    Over,
}

/// Reads the file of an execution; `None` if no execution began.
pub(crate) fn read(path: &Path) -> Option<DecisionLogContents> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text
        .lines()
        .map_while(|line| serde_json::from_slice(line.as_bytes()).ok());
    let Some(LogLine::Begins {
        fair_from,
        bounds,
        semantics,
        system,
    }) = lines.next()
    else {
        return None;
    };
    let mut seen = DecisionLogContents {
        recording: Recording {
            decisions: Vec::new(),
            checks: Vec::new(),
            schedule: String::new(),
            fair_from,
            bounds,
            semantics,
            // The last step may have requested random bytes, so the seed is always kept.
            system: Some(system),
            cycle: None,
            story: Story::default(),
        },
        step: 0,
        choices: Vec::new(),
        reached: ExecutionPhase::Step,
    };
    for line in lines {
        match line {
            LogLine::Begins { .. } => {}
            LogLine::Step(step) => {
                seen.step = step;
                seen.choices.clear();
            }
            LogLine::Decision(chosen, check) => {
                seen.choices.push(chosen);
                seen.recording.decisions.push(chosen);
                seen.recording.checks.push(check);
            }
            LogLine::Ends => seen.reached = ExecutionPhase::End,
            LogLine::Over => seen.reached = ExecutionPhase::Over,
        }
    }
    Some(seen)
}
