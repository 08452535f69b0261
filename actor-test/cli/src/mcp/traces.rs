//! Access control for trace files: a client may read those below the workspace or target directory.
//!
//! Paths are canonical, so a symbolic link to a place outside is rejected.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use actor_test::tool::environment;
use actor_test::tool::trace::is_saved;

use crate::build;
use crate::options::PackageSelection;

/// The directories that contain traces.
#[derive(Clone, Debug)]
pub(super) struct TraceDirectories {
    workspace: PathBuf,
    target: PathBuf,
    /// The directory where failing tests write traces.
    pub(super) traces: PathBuf,
}

/// The access to a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    Read,
    /// The trace is replaced by another one.
    Rewrite,
}

impl TraceDirectories {
    /// Finds the directories with cargo.
    pub(super) fn of(selection: &PackageSelection) -> Result<Self, String> {
        let (workspace, target) = build::directories(selection).map_err(|trouble| trouble.0)?;
        let given = environment::variables().map_err(|error| error.to_string())?;
        let traces = match given.trace_dir {
            Some(given) => std::env::current_dir().unwrap_or_default().join(given),
            None => target.join("actor-traces"),
        };
        Ok(Self {
            workspace: real(&workspace).unwrap_or(workspace),
            target: real(&target).unwrap_or(target),
            traces: real(&traces).unwrap_or(traces),
        })
    }

    /// Returns the trace of a path or a name, if the access is allowed.
    pub(super) fn trace(&self, named: &str, used: Use) -> Result<PathBuf, String> {
        let here = std::env::current_dir().unwrap_or_default();
        let mut places = [&here, &self.workspace, &self.traces].into_iter();
        let found = places.find_map(|place| real(&place.join(named)));
        let Some(path) = found.filter(|path| path.is_file()) else {
            return Err(format!(
                "there is no trace {named}; failing tests write theirs into {}, and list_traces lists \
                 them",
                self.traces.display()
            ));
        };
        let is_ours = [&self.workspace, &self.target, &self.traces]
            .into_iter()
            .any(|place| path.starts_with(place));
        let may_be_used = match used {
            Use::Read => is_ours,
            Use::Rewrite => path.starts_with(&self.traces) || (is_ours && is_saved(&path)),
        };
        match (may_be_used, used) {
            (true, _) => Ok(path),
            (false, Use::Read) => Err(format!(
                "{} lies outside of the workspace {}; to have it read, copy it into {}",
                path.display(),
                self.workspace.display(),
                self.traces.display()
            )),
            (false, Use::Rewrite) => Err(format!(
                "{} would be written anew, and lies neither in {} nor in tests/schedules of a package of \
                 this workspace; copy it there",
                path.display(),
                self.traces.display()
            )),
        }
    }

    /// Returns all traces of failing tests with their sizes, the newest first.
    pub(super) fn all(&self) -> Vec<(PathBuf, u64)> {
        let entries = fs::read_dir(&self.traces).into_iter().flatten().flatten();
        let is_trace = |path: &Path| path.extension().is_some_and(|it| it == "json");
        let mut all: Vec<(SystemTime, PathBuf, u64)> = entries
            .filter(|entry| is_trace(&entry.path()))
            .filter_map(|entry| {
                let found = entry.metadata().ok().filter(fs::Metadata::is_file)?;
                let written = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                Some((written, entry.path(), found.len()))
            })
            .collect();
        all.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        all.into_iter()
            .map(|(_, path, bytes)| (path, bytes))
            .collect()
    }
}

fn real(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_of_elsewhere_are_not_read_and_few_are_rewritten() {
        let root = tempfile::tempdir().expect("a directory");
        let root = real(root.path()).expect("it is there");
        let directory = |name: &str| {
            let path = root.join(name);
            fs::create_dir_all(&path).expect("it can be made");
            path
        };
        let places = TraceDirectories {
            workspace: directory("work"),
            target: directory("built"),
            traces: directory("built/actor-traces"),
        };
        let schedules = directory("work/one/tests/schedules");
        let outside = directory("outside");
        let files = [&places.traces, &schedules, &places.workspace, &outside];
        for place in files {
            fs::write(place.join(format!("{}.json", name(place))), "{}")
                .expect("it can be written");
        }
        let ask = |path: &str, used| places.trace(path, used);
        // Access by name and by path.
        assert_eq!(
            ask("actor-traces.json", Use::Rewrite),
            Ok(places.traces.join("actor-traces.json"))
        );
        assert!(ask("one/tests/schedules/schedules.json", Use::Rewrite).is_ok());
        assert!(ask("work.json", Use::Read).is_ok());
        let rewritten = ask("work.json", Use::Rewrite).expect_err("it is no trace of a run");
        assert!(rewritten.contains("nor in tests/schedules"), "{rewritten}");
        for path in [
            "../outside/outside.json",
            outside.join("outside.json").to_str().unwrap(),
        ] {
            let refused = ask(path, Use::Read).expect_err("it lies outside");
            assert!(
                refused.contains("lies outside of the workspace"),
                "{refused}"
            );
        }
        #[cfg(unix)]
        {
            let link = places.traces.join("link.json");
            std::os::unix::fs::symlink(outside.join("outside.json"), link).unwrap();
            assert!(ask("link.json", Use::Read).is_err());
        }
        let missing = ask("nothing.json", Use::Read).expect_err("it is not there");
        assert!(
            missing.contains("there is no trace nothing.json"),
            "{missing}"
        );
        assert!(ask(".", Use::Read).is_err());
        assert!(ask("/dev/zero", Use::Read).is_err());
    }

    fn name(path: &Path) -> &str {
        path.file_name().unwrap().to_str().unwrap()
    }
}
