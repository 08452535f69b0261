//! Formats how a process ended that should have reported, and its unfinished step.

use std::time::Duration;

use super::command::CommandContext;
use super::how_found::reproduced;
use super::story_steps::{actor_and_action, step_action};
use crate::data::step::StepKind;
use crate::data::story::{Step, Story};
use crate::settings::Bounds;

/// The largest number of lines shown from the output of a crashed child.
const LAST_LINES: usize = 5;

/// Describes an unfinished step.
pub fn doing(story: &Story, step: &Step) -> String {
    let name = story.name(step.who);
    let state = match &step.state_before {
        Some(state) => format!(" in state `{state}`"),
        None => String::new(),
    };
    match step.kind {
        StepKind::Flush => format!(
            "an effect of `{name}` is carried out, a send for instance, which monitors may observe",
        ),
        StepKind::Timer => actor_and_action(story, step),
        _ => format!("`{name}`{state} {}", step_action(story, step)),
    }
}

/// Describes the time after the last step.
pub(crate) fn dropping() -> String {
    "what is left after the last step is dropped".into()
}

/// Ends a story whose last step did not return.
pub fn does_not_return() -> &'static str {
    "does not return"
}

/// Ends a story whose last step ended the process.
pub fn ends_the_process() -> &'static str {
    "ends the process"
}

/// Formats the texts before and after the reason if an execution ends the process of `cargo test`.
pub(crate) fn last_words(
    test: &str,
    iteration: u64,
    token: &str,
    bounds: &Bounds,
    place: &CommandContext,
) -> (String, String) {
    let before = format!("\nFAIL  {test}  crash in iteration {}: ", iteration + 1);
    let command = reproduced(test, token, bounds, &place.selection());
    let after = format!(
        "\n      {command}\n      that prints the story; the other tests of this process end with it\n\n"
    );
    (before, after)
}

/// Formats the same texts if the process ends during saved schedules or minimisation.
pub(crate) fn last_words_besides(test: &str, failed: Option<&str>) -> (String, String) {
    match failed {
        None => (
            format!("\nFAIL  {test}  crash, while it was begun or a saved schedule was run: "),
            "\n      `cargo actor-test` reports more; the other tests of this process end with it\n\n".into(),
        ),
        Some(failed) => (
            format!("\nFAIL  {test}  crash, while this was minimised: "),
            format!("\n\n{failed}\n\n"),
        ),
    }
}

/// States that a handler does not return: no step was finished for `seconds`.
pub fn hang(seconds: f64, doing: Option<&str>) -> String {
    let doing = match doing {
        Some(doing) => format!("{doing}, and does not return"),
        None => "a handler does not return".into(),
    };
    format!(
        "no step was finished for {seconds:.0} s: {doing}; does it loop, block, take a lock, or wait \
         for the clock, which stands still meanwhile?"
    )
}

/// States how a child ended that should have reported.
pub fn crash(how: &str, doing: Option<&str>, stderr: &str) -> String {
    // The message of the runtime is clearer than the signal.
    let mut how = if stderr.contains("has overflowed its stack") {
        format!("the stack overflowed: {how}")
    } else if stderr.contains("memory allocation of") {
        format!("memory ran out: {how}")
    } else {
        how.to_owned()
    };
    if let Some(doing) = doing {
        how += &format!(", while {doing}");
    }
    let last = without_backtraces(stderr);
    let last = last[last.len().saturating_sub(LAST_LINES)..].join("\n");
    if last.is_empty() {
        how
    } else {
        format!("{how}; the last that it printed:\n{last}")
    }
}

/// Drops backtraces and empty lines, so that the panic message with its place stays visible.
fn without_backtraces(printed: &str) -> Vec<&str> {
    let is_frame = |line: &str| {
        let number = line.split_once(": ").map_or("", |(number, _)| number);
        let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
        is_number || line.starts_with("at ") || line.starts_with("note: Some details are omitted")
    };
    let mut is_backtrace = false;
    let lines = printed.lines().filter(|line| {
        let line = line.trim_start();
        is_backtrace = line == "stack backtrace:" || is_backtrace && is_frame(line);
        !is_backtrace && !line.is_empty()
    });
    lines.collect()
}

/// States that a child neither reported nor ended.
pub(crate) fn silent(silence: Duration) -> String {
    format!(
        "the test made no progress for {} s outside of any step, and its process was killed; does a \
         destructor, or code before the first step, block?",
        silence.as_secs()
    )
}

/// States that a test makes no progress, before the place is known.
pub(crate) fn stands_still(test: &str, iteration: u64, seconds: f64) -> String {
    format!(
        "{test} has stood still for {seconds:.0} s in iteration {}; it is run once more, to see where",
        iteration + 1
    )
}

/// States that a test makes no progress in an unknown iteration.
pub(crate) fn part_stands_still(test: &str, seconds: f64) -> String {
    format!(
        "{test} has stood still for {seconds:.0} s: a handler does not return; several workers explored \
         parts of a search, and which iteration it is is known with ACTOR_TEST_WORKERS=1 alone\n\
         the process ends, and its other tests with it"
    )
}

/// States that the test ended its process, but did not do so when run again.
pub fn end_not_repeated() -> String {
    "run again with the same seed the execution ended otherwise, so there is no story; what it \
     does depends on something outside the tester: threads, time, memory or a static"
        .into()
}

#[cfg(test)]
mod tests {
    use super::crash;

    #[test]
    fn a_backtrace_does_not_hide_the_panic() {
        let printed = "\n\
            thread 'main' panicked at src/lib.rs:3:5:\n\
            the tool is older than the crate\n\
            stack backtrace:\n   \
               0: std::panicking::begin\n             \
                         at /rustc/panicking.rs:5:1\n  \
              11: first::main\n\
            note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.\n\
            the end\n";
        let expected = "exit code 101; the last that it printed:\n\
            thread 'main' panicked at src/lib.rs:3:5:\n\
            the tool is older than the crate\n\
            the end";
        assert_eq!(crash("exit code 101", None, printed), expected);
    }
}
