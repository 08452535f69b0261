//! Formats reports as text for people: one function for each event or situation.
//!
//! Nothing here prints or colours; a terminal colours the first word of a line.

mod causes;
mod changes;
mod collapse;
mod command;
mod disks;
mod endings;
mod escape;
mod foreign;
mod how_found;
mod layout;
mod lifeline_columns;
mod problems;
mod statistics;
mod steps;
mod story_steps;
mod unproved;
mod unreached;
mod unread;
mod verdict;
mod warnings;

pub use self::causes::causes;
pub use self::command::{CommandContext, WIDTH};
pub use self::endings::*;
pub use self::escape::{cut, differing, harmless, plain, shortened};
pub(crate) use self::foreign::selects as foreign_selects;
pub use self::foreign::uncontrolled;
use self::how_found::circumstances;
pub use self::how_found::{evidence, minimized};
pub use self::layout::hanging;
use self::layout::indented;
pub use self::statistics::strategies;
use self::statistics::{explored, failing_statistics, statistics};
use self::steps::decisive_steps;
pub use self::steps::{step_lines, story_lines};
pub use self::story_steps::step_action;
pub(crate) use self::story_steps::{action_and_changes, actor_and_action, step_summary};
pub use self::unproved::{no_proof, unproved};
use self::warnings::warnings;
use crate::data::bug::Finding;
pub use crate::plural::count;
use crate::report::data::{Bug, CheckpointInfo, Report};
use crate::report::judged::{JudgedTest, TestOutcome};
use crate::report::shell;
pub(crate) use unreached::{unreached, unreached_parts};

/// Formats the report of an explored test, by its outcome.
pub fn outcome(judged: &JudgedTest, place: &CommandContext) -> String {
    let JudgedTest { report, notes, .. } = judged;
    match judged.outcome() {
        TestOutcome::Passed => passed(report, notes),
        TestOutcome::Expected(bug) => self::expected(report, bug, notes, place),
        TestOutcome::CleanCombination(expected) => without(report, expected, notes),
        TestOutcome::Failed => failed(report, notes, place),
        TestOutcome::Unproved => unproved(report, notes),
        TestOutcome::Unexpected(expected) => unexpected(report, expected, notes, place),
    }
}

/// Formats the report of a test in which a bug was found.
pub fn failed(report: &Report, notes: &[String], place: &CommandContext) -> String {
    let mut lines = Vec::new();
    for (number, bug) in report.bugs.iter().enumerate() {
        lines.push(format!(
            "FAIL  {}  {}",
            report.test,
            hanging(&finding(&bug.finding))
        ));
        lines.extend(indented(evidence(report, bug, place)));
        // The causes of the first bug follow its story.
        if number > 0 {
            lines.extend(indented(why(bug)));
        }
    }
    lines.extend(indented(failing_statistics(report, place)));
    lines.extend(indented(warnings(report, notes)));
    lines.extend(
        report
            .bugs
            .first()
            .into_iter()
            .flat_map(|bug| story_and_causes(bug, place)),
    );
    lines.join("\n")
}

/// Formats the report of a test whose expected bug was not found: no bug was, or another one.
pub(crate) fn unexpected(
    report: &Report,
    expected: &str,
    notes: &[String],
    place: &CommandContext,
) -> String {
    let mut lines = vec![format!(
        "FAIL  {}  {}",
        report.test,
        hanging(&unmet(report, expected))
    )];
    let found = report.bugs.first();
    lines.extend(indented(
        found.map_or_else(Vec::new, |bug| evidence(report, bug, place)),
    ));
    lines.extend(indented(failing_statistics(report, place)));
    lines.extend(indented(warnings(report, notes)));
    lines.extend(
        found
            .into_iter()
            .flat_map(|bug| story_and_causes(bug, place)),
    );
    lines.join("\n")
}

fn story_and_causes(bug: &Bug, place: &CommandContext) -> Vec<String> {
    let mut lines = decisive_steps(bug, place);
    lines.extend(indented(why(bug)));
    lines
}

fn why(bug: &Bug) -> Vec<String> {
    bug.causes.as_ref().map_or_else(Vec::new, causes)
}

/// States that an expected bug was not found, and the bug that was.
pub fn unmet(report: &Report, expected: &str) -> String {
    let head = format!("expected the bug \"{expected}\", but ");
    match report.bugs.first() {
        Some(bug) => format!("{head}found {}", finding(&bug.finding)),
        None => format!(
            "{head}{} found none; is it fixed? then remove `expect_bug`, else give more iterations or \
             another seed",
            count(report.executions, "execution")
        ),
    }
}

/// Formats the report of a test without a bug.
pub fn passed(report: &Report, notes: &[String]) -> String {
    let covered = verdict::covered(report).filter(|_| report.verdict.is_systematic());
    let all = covered.map_or_else(String::new, |covered| format!(" ({covered})"));
    let mut lines = vec![format!(
        "PASS  {}  {}{all}, {:.2} s",
        report.test,
        count(report.executions, "execution"),
        report.elapsed_s
    )];
    lines.extend(indented(explored(report)));
    lines.extend(indented(unreached(&report.coverage).into_iter().collect()));
    lines.extend(indented(warnings(report, notes)));
    lines.join("\n")
}

/// Formats the report of one combination of parameters without the bug expected in some combination.
fn without(report: &Report, expected: &str, notes: &[String]) -> String {
    let passed = passed(report, notes);
    format!("{passed}\n      without the bug \"{expected}\", which is expected in one combination")
}

/// Formats the failure of a test whose expected bug was found in no combination of parameters.
pub fn in_no_combination(test: &str, expected: &str, combinations: usize) -> String {
    format!(
        "FAIL  {test}  {}; is it fixed? then remove `expect_bug`, else give more iterations or \
         another seed",
        missing_everywhere(expected, combinations)
    )
}

/// States in short that the expected bug was found in no combination.
pub(crate) fn missing_everywhere(expected: &str, combinations: usize) -> String {
    format!(
        "the expected bug \"{expected}\" was found in none of {}",
        count(combinations as u64, "combination")
    )
}

/// Formats the report of a test whose expected bug was found.
fn expected(report: &Report, bug: &Bug, notes: &[String], place: &CommandContext) -> String {
    let mut lines = vec![format!(
        "PASS  {}  found the expected bug: {}",
        report.test,
        hanging(&finding(&bug.finding))
    )];
    lines.extend(indented(vec![circumstances(report, bug)]));
    let show = bug.trace_path.as_ref().map(|path| {
        let path = shell::short(path, &place.here);
        format!("show:       cargo actor-test show {path}")
    });
    lines.extend(indented(show.into_iter().collect()));
    lines.extend(indented(statistics(report)));
    lines.extend(indented(warnings(report, notes)));
    lines.join("\n")
}

/// Formats a finding as a sentence.
pub fn finding(finding: &Finding) -> String {
    let at = finding
        .location
        .as_ref()
        .map(|at| format!(" ({at})"))
        .unwrap_or_default();
    let kind = finding.kind.word();
    harmless(&format!("{kind}: {}{at}", finding.message))
}

/// States that the execution can't be pinned: following its named steps does not lead to the bug again.
pub(crate) fn not_pinned() -> String {
    "the execution does not lead to the bug again when it is followed step by step in words: the \
     program was changed since it was recorded, which a replay shows, or two operations have one \
     name, or the bounds were other ones than stand at the test"
        .into()
}

/// States that no test, or more than one, has that name.
pub(crate) fn no_one_test(name: &str, found: &[&str]) -> String {
    match found {
        [] => format!(
            "no test of this executable that is marked `#[actor_test]` is called `{name}`; was it \
             renamed, or does it belong to another crate?"
        ),
        _ => format!(
            "several tests are called `{name}`: {}; give more of the path",
            found.join(", ")
        ),
    }
}

/// States that the program deviated from the schedule that a test has pinned.
pub(crate) fn parted(parted: &str) -> String {
    format!("the program parted from the pinned schedule {parted}")
}

/// States that a saved schedule leads to a bug that another one has found before.
pub(crate) fn saved_twice(file: &str) -> String {
    format!("saved schedule {file} finds a bug that is listed already")
}

/// States that a saved schedule no longer fits its test.
pub(crate) fn stale_schedule(file: &str, step: u64, message: &str) -> String {
    format!(
        "the saved schedule {file} no longer fits the test (step {step}: {message}); it was followed as \
         far as it goes; record it anew or remove it"
    )
}

/// Formats the short panic message of a failing test under `cargo test`; the report stands above it.
pub(crate) fn panic(report: &Report, expected: Option<&str>) -> String {
    match (expected, report.bugs.first()) {
        (Some(expected), _) => format!("the expected bug \"{expected}\" was not found"),
        (None, Some(bug)) => format!("actor test failed: {}", finding(&bug.finding)),
        (None, None) => format!("actor test is not proved: {}", no_proof(report)),
    }
}

/// Formats the same for a test with parameters: the number of failed combinations, and the first one.
pub(crate) fn panic_of_combinations(failed: &[(String, String)], all: usize) -> String {
    let first = failed
        .first()
        .map(|(name, why)| format!(", first in {name}: {why}"));
    format!(
        "{} of {} failed{}",
        failed.len(),
        count(all as u64, "combination"),
        first.unwrap_or_default()
    )
}

/// States that a trace or a request names a combination that the test, with these parameters, does not have.
pub(crate) fn no_such_combination(name: &str, parameters: &[&str]) -> String {
    let now = match parameters {
        [] => "it takes no parameters".to_owned(),
        _ => format!(
            "it takes {}, and not with these values",
            parameters.join(", ")
        ),
    };
    format!(
        "{name} is no combination of the test's parameters: {now}; were they changed? or does the \
         `Debug` of a value print something else in each process?"
    )
}

/// States that threads of the test outlive it, which were most likely started once, in a pool.
pub(crate) fn lasting_threads(threads: usize) -> String {
    let (are, verb) = if threads == 1 {
        ("", "runs")
    } else {
        ("s", "run")
    };
    format!(
        "{threads} thread{are} that the test started still {verb} after it; what threads do is not \
         controlled by the tester"
    )
}

/// States that each execution leaves a running thread behind.
pub(crate) fn leaked_threads() -> String {
    "the test starts a thread that still runs after the execution; what threads do is not controlled \
     by the tester, and each execution adds to them: join it, or use an actor"
        .into()
}

/// States that the result of a test is not in the search directory.
pub(crate) fn not_stored(error: &impl std::fmt::Display) -> String {
    format!("the result is not in the search directory: {error}")
}

/// States from which checkpoint an unfinished search goes on.
pub(crate) fn kept(kept: &CheckpointInfo) -> String {
    let path = kept.path.display();
    let go_on = match kept.executions {
        Some(executions) => format!(
            "the search goes on from its {executions} executions in {path}: repeat the command"
        ),
        None => format!("there is no checkpoint {path}"),
    };
    match &kept.problem {
        Some(problem) => format!("{go_on}; the last checkpoint could not be written: {problem}"),
        None => go_on,
    }
}
