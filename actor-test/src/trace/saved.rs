//! Saved schedules: traces in `tests/schedules/` of a package, which run before anything else.

use std::path::{Path, PathBuf};

use crate::engine::Program;
use crate::report::facts::{Bug, Recording, SAVED};
use crate::report::words;
use crate::trace::Trace;
use crate::trace::replay::{Replayed, replay};

/// What running the saved schedules of a test showed.
#[derive(Debug, Default)]
pub(crate) struct Saved {
    pub(crate) bugs: Vec<Bug>,
    pub(crate) notes: Vec<String>,
    pub(crate) executions: u64,
    /// Those that pass.
    pub(crate) passed: Vec<Passed>,
}

/// A schedule that failed once, and passes now.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    /// What it is called in reports.
    pub(crate) name: String,
    /// As it failed.
    pub(crate) recorded: Recording,
    /// As it passes.
    pub(crate) now: Recording,
}

/// Runs the schedules that are saved for a test.
pub(crate) fn run(test: &str, program: &(dyn Program + Sync)) -> Saved {
    let mut saved = Saved::default();
    for path in files() {
        match Trace::read(&path) {
            Ok(trace) if trace.test == test => saved.add(&path, &trace, program),
            Ok(_) => {}
            Err(error) => saved.notes.push(format!("saved schedule: {error}")),
        }
    }
    saved
}

impl Saved {
    fn add(&mut self, path: &Path, trace: &Trace, program: &(dyn Program + Sync)) {
        self.executions += 1;
        let recorded = trace.recording();
        let Replayed {
            finding,
            diverged,
            recording,
            ..
        } = replay(program, &recorded);
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(finding) = finding else {
            let stale = diverged.map(|at| words::stale_schedule(&file, at.step, &at.message));
            self.notes.extend(stale);
            self.passed.push(Passed {
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

/// Where a package keeps its schedules.
pub const SCHEDULES: &str = "tests/schedules";

/// The file is one of a package's saved schedules.
pub fn is_saved(path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.parent().is_some_and(|it| it.ends_with(SCHEDULES))
}

/// In the order of their names.
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
