//! The paths of trace files: directory, file name, and atomic writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::data::test_name;
use crate::hash;
use crate::report::data::{Bug, NEAR, Report};
use crate::trace::file::Trace;

/// The directory of a package's saved schedules.
pub const SCHEDULES: &str = "tests/schedules";

/// Returns true if the file is a saved schedule of a package.
pub fn is_saved(path: &Path) -> bool {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.parent().is_some_and(|it| it.ends_with(SCHEDULES))
}

/// The maximum number of letters of a combination's values in a file name.
const VALUES_MAX: usize = 60;

impl Trace {
    /// Writes the trace and returns its path. A trace of an earlier run is overwritten; a trace written by a
    /// concurrent run stays, and this one gets another name.
    pub(crate) fn write(&self, directory: &Path, number: usize) -> std::io::Result<PathBuf> {
        fs::create_dir_all(directory)?;
        let mut name = slug(self.package.as_deref(), &self.test);
        if self.strategy.starts_with(NEAR) {
            // A bug found near a saved schedule gets a file beside that schedule's own.
            name += "-near";
        }
        if number > 0 {
            name = format!("{name}-{}", number + 1);
        }
        let text = self.to_json();
        let _one_at_a_time = locked(directory);
        let path = free(directory, &name, &text);
        replace(&path, text)?;
        Ok(path)
    }

    /// Replaces the trace file at `path` by this trace.
    pub fn rewrite(&self, path: &Path) -> std::io::Result<()> {
        replace(path, self.to_json())
    }
}

/// Replaces a file atomically: readers see the old or the new contents.
fn replace(path: &Path, text: String) -> std::io::Result<()> {
    let partial = path.with_extension(format!("json.{}", std::process::id()));
    fs::write(&partial, text)?;
    fs::rename(&partial, path)
}

/// Locks the directory until the returned file is dropped. Some systems can't lock a directory; there, two
/// concurrent writers may take the same name.
fn locked(directory: &Path) -> Option<fs::File> {
    let lock = fs::File::open(directory).ok()?;
    lock.lock().is_ok().then_some(lock)
}

/// The resolution of file times on common file systems.
const WRITTEN_WITHIN: Duration = Duration::from_millis(20);

/// Returns the first path without a file, or with a file of an earlier run or the same text.
fn free(directory: &Path, name: &str, text: &str) -> PathBuf {
    let begun = crate::wall_clock::run_began() - WRITTEN_WITHIN;
    let is_free = |path: &PathBuf| {
        let written = fs::metadata(path).and_then(|found| found.modified());
        written.is_ok_and(|written| written < begun)
            || fs::read_to_string(path).map_or_else(|_| !path.exists(), |there| there == text)
    };
    let names = (2..).map(|run| format!("{name}-run{run}.json"));
    let mut paths = std::iter::once(format!("{name}.json"))
        .chain(names)
        .map(|name| directory.join(name));
    paths.find(is_free).expect("there is always a next name")
}

/// Returns the file name of a test's trace: its path with dashes, and the values of parameters. The package
/// comes first if it isn't the crate of the test, since two packages may both have a `tests/it.rs`. A hash
/// distinguishes values that a file name can't contain.
pub(crate) fn slug(package: Option<&str>, test: &str) -> String {
    let path = test_name::path(test);
    let krate = path.split("::").next().unwrap_or(path);
    let package = package.filter(|package| package.replace('-', "_") != krate);
    let segments = package.into_iter().chain(path.split("::"));
    let slug = segments.collect::<Vec<_>>().join("-");
    let values = test[path.len()..].trim_start_matches('[');
    let values = values.strip_suffix(']').unwrap_or(values);
    if values.is_empty() {
        return slug;
    }
    let values = values.replace(", ", "-");
    let plain = |c: &char| c.is_alphanumeric() || "_-.=".contains(*c);
    let short: String = values.chars().filter(plain).take(VALUES_MAX).collect();
    match short == values {
        true => format!("{slug}-{short}"),
        false => format!("{slug}-{short}-{:08x}", hash::text(test) as u32),
    }
}

/// Writes the traces of a report's bugs; returns a message if one can't be written.
pub fn write_all(report: &mut Report, package: Option<&str>, directory: &Path) -> Option<String> {
    let mut problem = None;
    // A bug with a trace is saved already; one without a story was not recorded.
    let new = |bug: &&mut Bug| bug.trace_path.is_none() && !bug.trace.story.is_empty();
    for (number, bug) in report.bugs.iter_mut().filter(new).enumerate() {
        match Trace::of(&report.test, package, bug).write(directory, number) {
            Ok(path) => bug.trace_path = Some(path),
            Err(error) => {
                let directory = directory.display();
                problem = Some(format!("can't write a trace into {directory}: {error}"));
            }
        }
    }
    problem
}

/// Returns the package of the test in this process, as cargo or the tool sets it.
pub(crate) fn own_package() -> Option<String> {
    std::env::var("CARGO_PKG_NAME").ok()
}

/// Returns the directory of traces: as given, or under the target directory of the running executable.
pub fn directory(given: Option<PathBuf>) -> PathBuf {
    given.unwrap_or_else(|| target_directory().join("actor-traces"))
}

/// Returns the target directory, which cargo marks with a `CACHEDIR.TAG`.
fn target_directory() -> PathBuf {
    let executable = std::env::current_exe().unwrap_or_default();
    let marked = executable
        .ancestors()
        .find(|directory| directory.join("CACHEDIR.TAG").is_file());
    marked.map_or_else(|| PathBuf::from("target"), Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{Trace, slug};
    use crate::data::bug::{BugKind, Cycle, Finding};
    use crate::report::data::Bug;
    use crate::settings::Settings;

    #[test]
    fn files_are_called_after_tests_and_values() {
        let of = |values: &str| slug(None, &format!("krate::tests::test{values}"));
        assert_eq!(of(""), "krate-tests-test");
        assert_eq!(of("[n=-2, p=0.5]"), "krate-tests-test-n=-2-p=0.5");
        assert_eq!(slug(Some("a-b"), "a_b::t[n=1]"), "a_b-t-n=1");
        assert_eq!(slug(Some("pkg"), "it::t[n=1]"), "pkg-it-t-n=1");
        // Values that differ only in letters not allowed in file names get different names.
        assert_ne!(of("[path=\"a/b\"]"), of("[path=\"ab\"]"));
        assert!(of("[path=\"a/b\"]").starts_with("krate-tests-test-path=ab-"));
        let long = of(&format!("[text={}]", "ab".repeat(200)));
        assert!(long.len() < 100, "{long}");
    }

    fn finding() -> Finding {
        Finding {
            kind: BugKind::Liveness,
            message: "monitor `Owed` is hot".into(),
            location: None,
            step: 135,
        }
    }

    /// Two concurrent runs never write the same file; a later run replaces the file of an earlier one.
    #[test]
    fn what_another_run_writes_meanwhile_stays() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let write = |cycle| {
            let mut bug = Bug::unrecorded(finding(), "random", 0, &Settings::default());
            bug.trace.cycle = cycle;
            let path = Trace::of("owed", None, &bug).write(directory.path(), 0);
            let path = path.expect("it can be written");
            path.file_name()
                .expect("a file")
                .to_string_lossy()
                .into_owned()
        };
        let cycle = |from| Some(Cycle::met(from, 9));
        assert_eq!(write(cycle(1)), "owed.json");
        assert_eq!(write(cycle(1)), "owed.json");
        assert_eq!(write(cycle(2)), "owed-run2.json");
        assert_eq!(write(cycle(3)), "owed-run3.json");
        assert_eq!(write(cycle(2)), "owed-run2.json");
        let first = directory.path().join("owed.json");
        let first = std::fs::File::options().write(true).open(first);
        let long_ago = std::time::SystemTime::UNIX_EPOCH;
        let changed = first.and_then(|file| file.set_modified(long_ago));
        changed.expect("the time can be set");
        assert_eq!(write(cycle(4)), "owed.json");
    }
}
