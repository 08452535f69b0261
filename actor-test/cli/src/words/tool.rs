//! The texts of the tool that the library does not share.

use std::path::Path;

use actor_test::Finding;
use actor_test::tool::trace::Trace;
use actor_test::tool::words::{
    CommandContext, count, evidence, finding, hanging, plain, uncontrolled,
};
use actor_test::{Bug, Report};

use crate::verdict::PartialProgress;

/// A test that could not be run.
pub(crate) fn refused(test: &str, problem: &str) -> String {
    format!("ERROR {test}  {}", hanging(problem))
}

/// An annotation of a bug: the finding, its evidence, and the command to reproduce it.
pub(crate) fn annotation(report: &Report, bug: &Bug, place: &CommandContext) -> String {
    let mut lines = vec![finding(&bug.finding)];
    lines.extend(evidence(report, bug, place));
    lines.join("\n")
}

pub(crate) fn trace_head(trace: &Trace) -> String {
    let step = match trace.finding.step {
        0 => String::new(),
        step => format!(", step {step}"),
    };
    format!(
        "trace of {}  {}\n      {}, iteration {}, seed {}{step}",
        plain(&trace.test),
        hanging(&finding(&trace.finding)),
        plain(&trace.strategy),
        trace.iteration,
        trace.seed
    )
}

/// A trace without a readable story.
pub(crate) fn no_story(trace: &Path) -> String {
    let path = trace.display();
    format!(
        "{path} holds no story that this actor-test can read: it was written by an older one, or \
         recorded nothing; `cargo actor-test replay {path}` runs it again and prints it"
    )
}

pub(crate) fn page_written(file: &Path) -> String {
    format!("wrote {}: open it in a browser", file.display())
}

pub(crate) fn no_page(file: &Path, error: &std::io::Error) -> String {
    format!("can't write the page to {}: {error}", file.display())
}

pub(crate) fn document_too_large(max: u64) -> String {
    format!(
        "the story, with every text written out wherever it occurs, takes more than {} MiB; ask for a \
         part of it: --from and --to, --actor, --event or --causes-of",
        max >> 20
    )
}

/// The missing beginning of a story that is too long for a diagram.
pub(crate) fn steps_not_shown(steps: usize) -> String {
    format!("the first {} are not shown", count(steps as u64, "step"))
}

/// A replay that ended as recorded.
pub(crate) fn reproduced(found: &Finding) -> String {
    format!("reproduced: {}", hanging(&finding(found)))
}

/// A test that waits for a native debugger.
pub(crate) fn holds(process: u32) -> String {
    format!(
        "process {process} waits before the first step: attach a debugger to it, for example\n      \
         gdb -p {process} -ex 'break actor_test::replay::decision_log::step_begins if number == 8' -ex continue\n      \
         lldb -p {process}\n      then press Enter here, and it goes on; no time-out counts"
    )
}

/// A replay that diverged.
pub(crate) fn diverged(step: u64, message: &str, found: Option<&Finding>, trace: &Trace) -> String {
    let end = match found {
        Some(found) if found.is_same_bug(&trace.finding) => {
            format!(
                "it went on, and the bug is still there: {}",
                hanging(&finding(found))
            )
        }
        Some(found) => format!(
            "it went on and found another bug: {}",
            hanging(&finding(found))
        ),
        None => format!(
            "no bug any more: the recorded steps were followed by name, as far as they are still there, and \
             the execution came to its end without {}",
            hanging(&finding(&trace.finding))
        ),
    };
    let older = match trace.older() {
        Some(version) => format!(
            "\n      it was recorded by actor-test {version}, whose schedules were other ones, so it may no \
             longer fit though nothing was changed"
        ),
        None => String::new(),
    };
    format!(
        "diverged at step {step}: {message}{older}\n      the test, an actor or a setting was changed since \
         it was recorded, or something outside the tester decides: {}\n      {end}\n      \
         to search for the bug anew, run the test: cargo actor-test",
        uncontrolled()
    )
}

pub(crate) fn found_near(bug: &Bug, executions: u64) -> String {
    format!(
        "but of {} near it, with a race reversed, a step delayed or a random step now and then, one \
         failed: {}",
        count(executions, "execution"),
        hanging(&finding(&bug.finding))
    )
}

/// The command that replays a trace found nearby.
pub(crate) fn near_trace(path: &Path) -> String {
    format!("replay:     cargo actor-test replay {}", path.display())
}

pub(crate) fn nothing_near(executions: u64) -> String {
    format!(
        "near it:    {}, with a race reversed, a step delayed or a random step now and then, had no \
         bug either",
        count(executions, "execution")
    )
}

/// A crash or hang near a passing execution.
pub(crate) fn ended_near(how: &str) -> String {
    format!("the recorded schedule passes, but an execution near it did not end well: {how}")
}

/// An execution from which nothing was removed, after trying everything or not.
pub(crate) fn not_minimized(is_tried: bool) -> &'static str {
    match is_tried {
        true => "nothing can be left out: it is as short as can be found",
        false => {
            "nothing was left out: it was not tried, or the program was changed since it was recorded, \
             which a replay shows"
        }
    }
}

pub(crate) fn saved(path: &Path) -> String {
    format!("saved:      {} runs first from now on", path.display())
}

/// A replay that crashed its process in another step than recorded.
pub(crate) fn crash_diverged(now: &Finding) -> String {
    format!(
        "not as recorded: in step {}, {}\n      the test, an actor or a setting was changed since it \
         was recorded; to search for the bug anew, run the test: cargo actor-test",
        now.step,
        hanging(&finding(now))
    )
}

/// The tool was built without the MCP server.
#[cfg(not(feature = "mcp"))]
pub(crate) fn without_mcp() -> &'static str {
    "this cargo-actor-test was built without the server: install it with --features mcp, as in `cargo \
     install --path actor-test/cli --features mcp`, or in a checkout run `cargo run -p cargo-actor-test \
     --features mcp -- actor-test mcp`"
}

/// A replay that followed the recording and found no bug.
pub(crate) fn no_bug_any_more(recorded: &Finding) -> String {
    format!(
        "no bug any more: the recorded schedule ran to its end without {}",
        hanging(&finding(recorded))
    )
}

/// The advice for the trace of a bug that is fixed.
pub(crate) fn keep_as_regression_test() -> &'static str {
    "      keep the trace as a regression test: move it to tests/schedules/"
}

/// The output of the program, without the lines of the test harness.
pub(crate) fn printed(stdout: &str, stderr: &str) -> Option<String> {
    let begun = stdout.split_once("running 1 test\n");
    let stdout = begun.map_or(stdout, |(_, begun)| begun);
    let named = stdout
        .strip_prefix("test ")
        .and_then(|line| line.split_once(" ... "));
    let stdout = named.map_or(stdout, |(_, printed)| printed);
    let ended = stdout.rsplit_once("\n\ntest result:");
    let stdout = ended.map_or(stdout, |(printed, _)| {
        printed.strip_suffix("ok").unwrap_or(printed)
    });
    let all = [stdout, stderr].map(str::trim_end);
    let lines = all.iter().flat_map(|text| text.lines());
    let lines: Vec<String> = lines.map(|line| format!("      {line}")).collect();
    (!lines.is_empty()).then(|| format!("the program printed\n{}", lines.join("\n")))
}

/// The state of a session when it was interrupted.
#[derive(Debug)]
pub(crate) struct Interrupted {
    /// The number of tests that were running.
    pub(crate) given_up: usize,
    pub(crate) not_begun: usize,
    /// The number of executions of all tests.
    pub(crate) executions: u64,
    pub(crate) bugs: u64,
}

pub(crate) fn interrupted(test: &str, done: &PartialProgress) -> String {
    let of = done.of.map_or_else(String::new, |of| format!(" of {of}"));
    let bugs = match done.bugs {
        0 => String::new(),
        bugs => format!(
            ", {} so far: run it again for their reports",
            count(bugs, "bug")
        ),
    };
    let executions = count(done.executions, "execution");
    format!("STOP  {test}  interrupted after {executions}{of}{bugs}")
}

/// The numbers of tests by outcome.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) unproved: usize,
    pub(crate) errors: usize,
    pub(crate) skipped: usize,
    /// The number of results that were in the search directory.
    pub(crate) ended_before: usize,
}

pub(crate) fn summary(
    counts: &Counts,
    seed: Option<u64>,
    interrupted: Option<&Interrupted>,
) -> String {
    let Counts {
        passed,
        failed,
        unproved,
        errors,
        skipped,
        ended_before,
    } = *counts;
    let head = interrupted.map(|interrupted| {
        format!(
            "interrupted after {} and {}",
            count(interrupted.executions, "schedule"),
            count(interrupted.bugs, "bug")
        )
    });
    let seed = seed.map(|seed| format!("seed {seed}"));
    let mut parts: Vec<String> = head.into_iter().chain(seed).collect();
    parts.extend([format!("{passed} passed"), format!("{failed} failed")]);
    if unproved > 0 {
        parts.push(format!("{unproved} unproved"));
    }
    if errors > 0 {
        parts.push(format!("{errors} could not be run"));
    }
    if skipped > 0 {
        parts.push(format!("{skipped} ignored"));
    }
    if ended_before > 0 {
        let results = count(ended_before as u64, "result");
        parts.push(format!(
            "{results} from the search directory, remove it to search anew"
        ));
    }
    if let Some(Interrupted {
        given_up,
        not_begun,
        ..
    }) = interrupted
    {
        parts.push(format!("{given_up} given up"));
        parts.push(format!("{not_begun} not begun"));
    }
    parts.join(", ")
}

/// Returns true if a test's text must be printed even with `--quiet`: it fails or warns.
pub(crate) fn asks_for_more(block: &str) -> bool {
    !block.starts_with("PASS") || block.contains("\n      warning:")
}

/// Returns a test's text without details: for a passing test, a line and the warnings.
pub(crate) fn brief(block: &str) -> String {
    if !block.starts_with("PASS") {
        return block.to_owned();
    }
    let mut is_shown = true;
    let lines = block.lines().enumerate().filter(|(number, line)| {
        // A line with deeper indentation continues the line before.
        let begins = line
            .strip_prefix("      ")
            .is_some_and(|rest| !rest.starts_with(' '));
        if *number > 0 && begins {
            is_shown = line.starts_with("      warning:");
        }
        is_shown
    });
    let lines: Vec<&str> = lines.map(|(_, line)| line).collect();
    lines.join("\n")
}

pub(crate) fn nothing_matches(filters: &[String], nearest: &[&str], known: usize) -> String {
    if filters.is_empty() {
        return format!(
            "every one of {} is skipped (all: cargo actor-test list)",
            count(known as u64, "actor test")
        );
    }
    let asked = filters
        .iter()
        .map(|filter| format!("`{filter}`"))
        .collect::<Vec<_>>()
        .join(" or ");
    let hint = match nearest {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    };
    format!(
        "no actor test matches {asked} among {}{hint} (all: cargo actor-test list)",
        count(known as u64, "actor test")
    )
}

/// No actor test is marked `#[ignore]`.
pub(crate) fn none_ignored(known: usize) -> String {
    format!(
        "no actor test is ignored among {} (all: cargo actor-test list)",
        count(known as u64, "actor test")
    )
}

/// No actor test is among the selected targets.
pub(crate) fn nothing_there(selection: &str) -> String {
    format!(
        "no actor test in what is selected{selection}; a test is a function marked \
         `#[actor_test]` that takes `&System`, in a `#[cfg(test)]` module or in tests/; other \
         packages are selected by -p or --workspace, and where a macro of another crate writes the \
         tests, --tests builds them"
    )
}

/// A child that sent an unexpected answer.
pub(crate) fn wrong_answer() -> String {
    "the child answered another question; this is a mistake of actor-test, please report it".into()
}

/// The unknown iteration of a silent child.
pub(crate) fn silent_iteration() -> String {
    "the iteration is not known, since the process did not report it".into()
}

/// A crash that a second run with the same seed did not repeat.
pub(crate) fn crash_not_repeated() -> String {
    "a second run with the same seed did not crash, so the iteration is not known; the crash depends \
     on something outside the tester: threads, time, memory or a static"
        .into()
}

/// A test whose marker is in the executable, but that libtest does not know.
pub(crate) fn not_in_executable() -> String {
    "its executable has the test's marker, but not the test; was it built for another target? try \
     `cargo clean`"
        .into()
}

/// A test target with a `main` of its own.
pub(crate) fn no_harness() -> String {
    "its executable did not run it; a test target with `harness = false` has no actor tests".into()
}

/// A trace whose test is missing.
pub(crate) fn lost_test(test: &str, known: usize, nearest: &str) -> String {
    let test = plain(test);
    let hint = match nearest {
        "" => String::new(),
        nearest => format!("; is it {nearest} now?"),
    };
    format!(
        "the trace belongs to {test}, which is not among the {} built here: it was renamed, removed, \
         or needs other flags (-p, --features){hint}",
        count(known as u64, "actor test")
    )
}

pub(crate) fn token_for_several(tests: &[String]) -> String {
    format!(
        "a token belongs to one test; give its path instead of a part of it: {}",
        tests.join(", ")
    )
}

/// All strategies, for `-s list`.
pub(crate) fn strategies_known() -> String {
    let one = |(form, text): (String, &str)| format!("{form}\n      {}", hanging(text));
    let all: Vec<String> = actor_test::tool::StrategySpec::explain().map(one).collect();
    all.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_told_without_the_harness() {
        let stdout = "\nrunning 1 test\ntest a::b ... one\ntwo\nok\n\ntest result: ok. 1 passed; 0 failed\n\n";
        let expected = "the program printed\n      one\n      two\n      three";
        assert_eq!(printed(stdout, "three\n").as_deref(), Some(expected));
        let nothing =
            "\nrunning 1 test\ntest a::b ... ok\n\ntest result: ok. 1 passed; 0 failed\n\n";
        assert_eq!(printed(nothing, ""), None);
        assert_eq!(printed("", ""), None);
    }

    #[test]
    fn a_pass_in_brief_is_a_line_and_its_warnings() {
        let block = "PASS  a::b  3 executions\n      3 fair\n      warning: one\n        goes on\n      \
                     note: two\n        goes on";
        let brief_one = "PASS  a::b  3 executions\n      warning: one\n        goes on";
        assert_eq!(brief(block), brief_one);
        let failed = "FAIL  a::b  bug\n      3 fair";
        assert_eq!(brief(failed), failed);
    }
}
