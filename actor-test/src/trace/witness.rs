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
use crate::report::facts::Recording;
use crate::settings::{Bounds, Semantics};
use crate::strategy::Fairness;
use crate::trace::replay::fair_from;

/// The file and the iteration that is witnessed in this process.
static WANTED: OnceLock<(PathBuf, u64)> = OnceLock::new();

/// Requests a witness of an iteration, in the file `path`.
pub(crate) fn want(path: PathBuf, iteration: u64) {
    let _ = WANTED.set((path, iteration));
}

/// Returns the witness of an iteration, if requested. Errors are ignored.
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
    Some(Box::new(Scribe {
        file,
        bounds,
        semantics,
        system,
    }))
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
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
struct Scribe {
    file: File,
    bounds: Bounds,
    semantics: Semantics,
    system: u64,
}

impl Scribe {
    fn write(&mut self, line: Line) {
        if let Ok(mut text) = serde_json::to_vec(&line) {
            text.push(b'\n');
            let _ = self.file.write_all(&text);
        }
    }
}

/// Sets a place for a native debugger's breakpoint:
/// `break actor_test::trace::witness::step_begins if number == 8`.
#[inline(never)]
fn step_begins(number: u64) {
    std::hint::black_box(number);
}

impl DecisionObserver for Scribe {
    fn begins(&mut self, fairness: Fairness) {
        self.write(Line::Begins {
            fair_from: fair_from(fairness),
            bounds: self.bounds,
            semantics: self.semantics,
            system: self.system,
        });
    }

    fn steps(&mut self, step: u64) {
        step_begins(step);
        self.write(Line::Step(step));
    }

    fn decides(&mut self, decision: RecordedDecision) {
        self.write(Line::Decision(decision.chosen, decision.check));
    }

    fn ends(&mut self) {
        self.write(Line::Ends);
    }
}

impl Drop for Scribe {
    fn drop(&mut self) {
        self.write(Line::Over);
    }
}

/// The progress of an execution, as its file records it.
#[derive(Clone, Debug)]
pub struct Witnessed {
    /// The decisions taken, without a story.
    pub recording: Recording,
    /// The last step that began.
    pub step: u64,
    /// The answers to the choices made in that step.
    pub choices: Vec<u32>,
    pub reached: Reached,
}

/// The phase in which an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    /// The execution ended within a step.
    Step,
    /// The execution ended while its state was dropped after the last step.
    End,
    /// The execution ended normally.
    Over,
}

/// Reads the file of an execution; `None` if no execution began.
pub(crate) fn read(path: &Path) -> Option<Witnessed> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut lines = text
        .lines()
        .map_while(|line| serde_json::from_slice(line.as_bytes()).ok());
    let Some(Line::Begins {
        fair_from,
        bounds,
        semantics,
        system,
    }) = lines.next()
    else {
        return None;
    };
    let mut seen = Witnessed {
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
        reached: Reached::Step,
    };
    for line in lines {
        match line {
            Line::Begins { .. } => {}
            Line::Step(step) => {
                seen.step = step;
                seen.choices.clear();
            }
            Line::Decision(chosen, check) => {
                seen.choices.push(chosen);
                seen.recording.decisions.push(chosen);
                seen.recording.checks.push(check);
            }
            Line::Ends => seen.reached = Reached::End,
            Line::Over => seen.reached = Reached::Over,
        }
    }
    Some(seen)
}
