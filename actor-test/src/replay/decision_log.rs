//! Writes the decision log of an execution that may crash its process.

use std::fs::File;
use std::io::Write;

use crate::engine::{DecisionObserver, RecordedDecision};
use crate::protocol::decision_log::{LogLine, wanted};
use crate::replay::fair_from;
use crate::settings::{Bounds, Semantics};
use crate::strategy::Fairness;

/// Returns the log of an iteration, if requested. Errors are ignored.
pub(crate) fn of(
    iteration: u64,
    bounds: Bounds,
    semantics: Semantics,
    system: u64,
) -> Option<Box<dyn DecisionObserver>> {
    let file = File::create(wanted(iteration)?).ok()?;
    Some(Box::new(DecisionLog {
        file,
        bounds,
        semantics,
        system,
    }))
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
/// `break actor_test::replay::decision_log::step_begins if number == 8`.
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
