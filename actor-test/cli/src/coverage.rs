//! Coverage reports of a run (`--coverage`): a summary and state diagrams as files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::discover::Test;
use super::{Trouble, diagram};
use crate::words;
use actor_test::Report;
use actor_test::coverage::{ActorCoverage, Coverage};

/// The file name of the summary.
pub(crate) const SUMMARY: &str = "coverage.txt";

/// The maximum length of a file name without its extension.
const NAME_MAX: usize = 200;

/// The coverage of all tests of a run.
#[derive(Debug, Default)]
pub(crate) struct CoverageTotals {
    pub(crate) coverage: Coverage,
    pub(crate) tests: usize,
    pub(crate) executions: u64,
    /// The tests whose coverage is unknown.
    pub(crate) unknown: Vec<String>,
    /// The number of tests that started each type, by the path of the type.
    users: std::collections::BTreeMap<String, usize>,
}

impl CoverageTotals {
    pub(crate) fn add(&mut self, test: &Test, report: &Report) {
        if !report.is_clean() && report.coverage.actors.is_empty() {
            return self.unknown.push(test.title());
        }
        let mut coverage = report.coverage.clone();
        let own = test.path().split("::").next().unwrap_or_default();
        if let Some(home) = home(test, own) {
            for actor in &mut coverage.actors {
                if actor.path.split("::").next() == Some(own) {
                    actor.path = format!("{home}::{}", actor.path);
                }
            }
        }
        self.tests += 1;
        self.executions += report.executions;
        let paths: BTreeSet<&String> = coverage.actors.iter().map(|actor| &actor.path).collect();
        for path in paths {
            *self.users.entry(path.clone()).or_default() += 1;
        }
        self.coverage.add(&coverage);
    }

    /// Returns the number of tests that started the type.
    pub(crate) fn users(&self, actor: &ActorCoverage) -> usize {
        self.users.get(&actor.path).copied().unwrap_or(0)
    }
}

/// Returns a prefix for the types of a test's own crate, if other crates may have the same paths.
fn home(test: &Test, own: &str) -> Option<String> {
    let package = &test.executable.package.name;
    if package.replace('-', "_") != own {
        // The crate is an integration test; another package may have one of the same name.
        return Some(package.clone());
    }
    // The crate is a binary that includes modules of the library, so both compile the same paths.
    let kind = test.executable.flag[0].trim_start_matches("--");
    (test.apart.by_target && kind != "lib").then(|| kind.to_owned())
}

#[derive(Clone, Debug)]
pub(crate) struct Directory(PathBuf);

impl Directory {
    /// Creates the directory, so that errors are reported before the run.
    pub(crate) fn make(path: &Path) -> Result<Self, Trouble> {
        fs::create_dir_all(path).map_err(|error| trouble(path, &error))?;
        Ok(Self(path.to_owned()))
    }

    /// Writes the summary, and two diagrams for each state machine; returns the summary's path.
    pub(crate) fn write(&self, gathered: &CoverageTotals) -> Result<PathBuf, Trouble> {
        let mut taken = BTreeSet::new();
        let mut names = Vec::new();
        for actor in &gathered.coverage.actors {
            let name = actor.is_state_machine().then(|| name(actor, &mut taken));
            if let Some(name) = &name {
                let users = gathered.users(actor);
                self.put(&format!("{name}.dot"), &diagram::dot(actor, users))?;
                self.put(&format!("{name}.mmd"), &diagram::mermaid(actor, users))?;
            }
            names.push(name);
        }
        self.put(SUMMARY, &words::coverage(gathered, &names))?;
        Ok(self.0.join(SUMMARY))
    }

    fn put(&self, name: &str, text: &str) -> Result<(), Trouble> {
        let path = self.0.join(name);
        fs::write(&path, text).map_err(|error| trouble(&path, &error))
    }
}

fn trouble(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble(format!("can't write {}: {error}", path.display()))
}

/// Returns a unique file name for a type: its path with dots, numbered if types share a path.
fn name(actor: &ActorCoverage, taken: &mut BTreeSet<String>) -> String {
    let plain: String = actor
        .path
        .replace("::", ".")
        .chars()
        .filter(|letter| letter.is_alphanumeric() || "._-".contains(*letter))
        .collect();
    let excess = plain.chars().count().saturating_sub(NAME_MAX);
    let plain: String = plain.chars().skip(excess).collect();
    let mut name = plain.clone();
    let mut number = 1;
    // Some file systems ignore case.
    while !taken.insert(name.to_lowercase()) {
        number += 1;
        name = format!("{plain}-{number}");
    }
    name
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_those_of_files() {
        let mut taken = BTreeSet::new();
        let mut name = |path: &str| name(&diagram::tests::actor(path, &[], json!([])), &mut taken);
        assert_eq!(name("shop::till::Till"), "shop.till.Till");
        assert_eq!(name("shop::till::Till"), "shop.till.Till-2");
        assert_eq!(name("shop::till::TILL"), "shop.till.TILL-3");
        assert_eq!(name("shop::{{closure}}::Till"), "shop.closure.Till");
        assert_eq!(name(&"x".repeat(1000)).len(), NAME_MAX);
    }
}
