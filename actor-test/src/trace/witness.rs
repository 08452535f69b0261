//! What is written down of an execution while it runs, for whoever sees its process end.
//!
//! A handler that aborts, overflows its stack or never returns leaves no outcome. The iteration is
//! run once more in a process of its own, where each decision is in a file before it has an effect;
//! what the file holds in the end is the way to the step that took the process down.

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

/// The iteration that is witnessed in this process, and the file.
static WANTED: OnceLock<(PathBuf, u64)> = OnceLock::new();

/// Has an iteration witnessed in a file.
pub(crate) fn want(path: PathBuf, iteration: u64) {
    let _ = WANTED.set((path, iteration));
}

/// The witness of an iteration, where it is wanted. What cannot be written stays unknown.
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

/// A line of the file.
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
    /// What was chosen, and its check.
    Decision(u32, u32),
    /// The last step is over.
    Ends,
    /// All of it is.
    Over,
}

/// Writes down.
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

/// Where a native debugger stops at a step: `break actor_test::trace::witness::step_begins if number == 8`.
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

/// How far an execution came.
#[derive(Clone, Debug)]
pub struct Witnessed {
    /// Its decisions, without a story.
    pub recording: Recording,
    /// The step that was begun last.
    pub step: u64,
    /// The answers to the choices made in it.
    pub choices: Vec<u32>,
    pub reached: Reached,
}

/// What an execution was about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reached {
    /// Its step.
    Step,
    /// Dropping what was left after the last one.
    End,
    /// It was over.
    Over,
}

/// What a file says of an execution; `None` where none was begun.
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
            // Whether the program asked is not known: it may have done so in its last step.
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
