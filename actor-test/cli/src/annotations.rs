//! GitHub annotations: workflow commands that show a failure beside its source line.

use std::env;
use std::path::{Path, PathBuf};

use super::discover::Test;
use super::ended::TestEnd;
use super::verdict::TestVerdict;
use crate::words::{self, CommandContext};
use actor_test::tool::TestOutcome;

/// The variable that is set in a step of GitHub Actions.
const ACTIONS: &str = "GITHUB_ACTIONS";

/// The variable with the directory of GitHub's checkout.
const WORKSPACE: &str = "GITHUB_WORKSPACE";

/// Generates annotations of failures.
#[derive(Debug)]
pub(crate) struct Annotations {
    /// Cargo's workspace, to which the paths of sources are relative.
    sources: PathBuf,
    /// The repository, to which the paths of annotations are relative.
    repository: PathBuf,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct SourceLine {
    file: String,
    line: u32,
    column: Option<u32>,
}

impl Annotations {
    /// Returns the generator if this is a step of GitHub Actions.
    pub(crate) fn wanted(workspace: &Path) -> Option<Self> {
        let runs = env::var_os(ACTIONS).is_some_and(|value| value == "true");
        runs.then(|| Self {
            sources: workspace.to_owned(),
            repository: env::var_os(WORKSPACE).map_or_else(|| workspace.to_owned(), PathBuf::from),
        })
    }

    /// Returns the annotations of a failed test, one for each bug.
    pub(crate) fn of(&self, test: &Test, ended: &TestEnd, place: &CommandContext) -> Vec<String> {
        let title = format!("actor test {}", test.title());
        let own = ended.source.as_ref();
        let own = own.and_then(|(file, line)| self.line(file, *line, None));
        match &ended.verdict {
            TestVerdict::Skipped | TestVerdict::Interrupted(_) => Vec::new(),
            TestVerdict::Refused(problem) => vec![command(own.as_ref(), &title, problem)],
            TestVerdict::Explored(judged) => {
                let report = &judged.report;
                let annotation = |bug: &actor_test::Bug| {
                    let location = bug.finding.location.as_deref();
                    let line = location.and_then(|location| self.location(location));
                    let message = words::annotation(report, bug, place);
                    command(line.or(own.clone()).as_ref(), &title, &message)
                };
                match judged.outcome() {
                    TestOutcome::Passed
                    | TestOutcome::Expected(_)
                    | TestOutcome::CleanCombination(_) => Vec::new(),
                    TestOutcome::Failed => report.bugs.iter().map(annotation).collect(),
                    TestOutcome::Unproved => {
                        vec![command(own.as_ref(), &title, &words::no_proof(report))]
                    }
                    TestOutcome::Unexpected(expected) => {
                        let message = words::unmet(report, expected);
                        vec![command(own.as_ref(), &title, &message)]
                    }
                }
            }
        }
    }

    /// Parses the location of a panic, `src/lib.rs:12:5`; `None` if it is outside the workspace.
    fn location(&self, location: &str) -> Option<SourceLine> {
        let mut parts = location.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        self.line(parts.next()?, line, Some(column))
    }

    fn line(&self, file: &str, line: u32, column: Option<u32>) -> Option<SourceLine> {
        // `join` returns an absolute path unchanged.
        let path = self.sources.join(file);
        let inside = path.strip_prefix(&self.sources).ok()?;
        if !path.is_file() {
            return None;
        }
        let relative = path.strip_prefix(&self.repository).unwrap_or(inside);
        let segments: Vec<String> = relative
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        Some(SourceLine {
            file: segments.join("/"),
            line,
            column,
        })
    }
}

/// Formats a workflow command of GitHub.
fn command(line: Option<&SourceLine>, title: &str, message: &str) -> String {
    let mut properties = Vec::new();
    if let Some(SourceLine { file, line, column }) = line {
        properties.push(format!("file={}", property(file)));
        properties.push(format!("line={line}"));
        properties.extend(column.map(|column| format!("col={column}")));
    }
    properties.push(format!("title={}", property(title)));
    format!("::error {}::{}", properties.join(","), data(message))
}

/// Escapes the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property, which ends at a colon or a comma.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotations(sources: &str, repository: &str) -> Annotations {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        Annotations {
            sources: root.join(sources),
            repository: root.join(repository),
        }
    }

    #[test]
    fn paths_are_relative_to_the_repository() {
        let file = |sources, repository, location| {
            let place = annotations(sources, repository).location(location);
            place.map(|place| (place.file, place.line, place.column))
        };
        let found = |file: &str| Some((file.to_owned(), 12, Some(5)));
        assert_eq!(file("", "", "src/main.rs:12:5"), found("src/main.rs"));
        assert_eq!(
            file("src", "", "words/mod.rs:12:5"),
            found("src/words/mod.rs")
        );
        // If the repository is not above the workspace, the path is relative to the workspace.
        assert_eq!(file("src", "tests", "main.rs:12:5"), found("main.rs"));
        let absolute = concat!(env!("CARGO_MANIFEST_DIR"), "/src/main.rs:12:5");
        assert_eq!(file("", "", absolute), found("src/main.rs"));
        for call in [
            "/rustc/0/library/core/src/option.rs:12:5",
            "src/no.rs:1:1",
            "x",
            "",
        ] {
            assert_eq!(file("", "", call), None, "{call}");
        }
    }

    #[test]
    fn what_ends_a_command_is_escaped() {
        let place = SourceLine {
            file: "a,b:c.rs".into(),
            line: 7,
            column: None,
        };
        assert_eq!(
            command(Some(&place), "actor test a::b", "100 %: x,\r\ny"),
            "::error file=a%2Cb%3Ac.rs,line=7,title=actor test a%3A%3Ab::100 %25: x,%0D%0Ay"
        );
        assert_eq!(command(None, "t", "m"), "::error title=t::m");
    }
}
