//! Saved schedules: regression traces in `tests/schedules/` of a package, which run first.

use std::path::{Path, PathBuf};

use crate::engine::Program;
use crate::replay::{ReplayResult, replay};
use crate::report::data::{Bug, Recording, SAVED};
use crate::report::words;
use crate::trace::SCHEDULES;
use crate::trace::Trace;

/// The results of running the saved schedules of a test.
#[derive(Debug, Default)]
pub(crate) struct SavedResults {
    pub(crate) bugs: Vec<Bug>,
    pub(crate) notes: Vec<String>,
    pub(crate) executions: u64,
    pub(crate) passed: Vec<PassingSchedule>,
}

/// A schedule that failed when it was recorded, and passes now.
#[derive(Clone, Debug)]
pub(crate) struct PassingSchedule {
    /// The name of the schedule in reports.
    pub(crate) name: String,
    /// The failing execution, as recorded.
    pub(crate) recorded: Recording,
    /// The passing execution of today.
    pub(crate) now: Recording,
}

pub(crate) fn run(test: &str, program: &(dyn Program + Sync)) -> SavedResults {
    let mut saved = SavedResults::default();
    for path in files() {
        match Trace::read(&path) {
            Ok(trace) if trace.test == test => saved.add(&path, &trace, program),
            Ok(_) => {}
            Err(error) => saved.notes.push(format!("saved schedule: {error}")),
        }
    }
    saved
}

impl SavedResults {
    fn add(&mut self, path: &Path, trace: &Trace, program: &(dyn Program + Sync)) {
        self.executions += 1;
        let recorded = trace.recording();
        let ReplayResult {
            finding,
            diverged,
            recording,
            ..
        } = replay(program, &recorded);
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(finding) = finding else {
            let stale = diverged.map(|at| words::stale_schedule(&file, at.step, &at.message));
            self.notes.extend(stale);
            self.passed.push(PassingSchedule {
                name: format!("{SAVED} {file}"),
                recorded,
                now: recording,
            });
            return;
        };
        if self
            .bugs
            .iter()
            .any(|known| known.finding.is_like(&finding))
        {
            self.notes.push(words::saved_twice(&file));
        }
        self.bugs.push(Bug {
            finding,
            strategy: format!("{SAVED} {file} ({})", trace.strategy),
            iteration: trace.iteration,
            seed: trace.seed,
            found_after_s: 0.0,
            seen: 1,
            confirmation: None,
            causes: None,
            token: trace.token.clone(),
            trace: recording,
            minimized: None,
            trace_path: Some(path.to_owned()),
        });
    }
}

/// Returns the saved schedules of this process's package, sorted by name.
fn files() -> Vec<PathBuf> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    let directory = std::fs::read_dir(package.join(SCHEDULES));
    let entries = directory
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let mut files: Vec<_> = entries
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    files
}
