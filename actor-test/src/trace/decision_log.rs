//! A log of decisions, written during an execution, from which a crash can be analysed.
//!
//! A handler that aborts, overflows its stack or never returns leaves no outcome. Therefore the iteration
//! runs once more in a process of its own, which writes each decision to a file before the decision takes
//! effect. The file then contains the schedule up to the step that crashed the process.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::data::story::Story;
use crate::engine::{DecisionObserver, RecordedDecision};
use crate::report::data::Recording;
use crate::settings::{Bounds, Semantics};
use crate::strategy::Fairness;
use crate::trace::replay::fair_from;

/// The file, and the iteration of this process whose decisions it logs.
static WANTED: OnceLock<(PathBuf, u64)> = OnceLock::new();

/// Requests the log of an iteration, in the file `path`.
pub(crate) fn want(path: PathBuf, iteration: u64) {
    let _ = WANTED.set((path, iteration));
}

/// Returns the log of an iteration, if requested. Errors are ignored.
pub(crate) fn of(
    iteration: u64,
    bounds: Bounds,
    semantics: Semantics,
    system: u64,
) -> Option<Box<dyn DecisionObserver>> {
    let (path, wanted) = WANTED.get()?;
    if *wanted != iteration {
        return None;
    }
    let file = File::create(path).ok()?;
    Some(Box::new(DecisionLog {
        file,
        bounds,
        semantics,
        system,
    }))
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LogLine {
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

#[derive(Debug)]
struct DecisionLog {
    file: File,
    bounds: Bounds,
    semantics: Semantics,
    system: u64,
}

impl DecisionLog {
    fn write(&mut self, line: LogLine) {
        if let Ok(mut text) = serde_json::to_vec(&line) {
            text.push(b'\n');
            let _ = self.file.write_all(&text);
        }
    }
}

/// Sets a place for a native debugger's breakpoint:
/// `break actor_test::trace::decision_log::step_begins if number == 8`.
#[inline(never)]
fn step_begins(number: u64) {
    std::hint::black_box(number);
}

impl DecisionObserver for DecisionLog {
    fn begins(&mut self, fairness: Fairness) {
        self.write(LogLine::Begins {
            fair_from: fair_from(fairness),
            bounds: self.bounds,
            semantics: self.semantics,
            system: self.system,
        });
    }

    fn steps(&mut self, step: u64) {
        step_begins(step);
        self.write(LogLine::Step(step));
    }

    fn decides(&mut self, decision: RecordedDecision) {
        self.write(LogLine::Decision(decision.chosen, decision.check));
    }

    fn ends(&mut self) {
        self.write(LogLine::Ends);
    }
}

impl Drop for DecisionLog {
    fn drop(&mut self) {
        self.write(LogLine::Over);
    }
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
