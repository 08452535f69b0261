//! Source code of a pinned regression test for a failing execution: `minimize --as-test`.

use std::fmt::Write;

use actor_test::tool::test_name;
use actor_test::tool::trace::Trace;

use crate::words;

/// The maximum length of the comment after a step.
const NOTE_MAX: usize = 60;

/// Returns the source code of the test. Each step is the actor, the action and a description.
pub(crate) fn source(trace: &Trace, steps: &[[String; 3]]) -> String {
    let mut source = String::new();
    let finding = words::finding(&trace.finding);
    for line in finding.lines() {
        let _ = writeln!(source, "{}", format!("/// {line}").trim_end());
    }
    let _ = writeln!(source, "///");
    let _ = writeln!(
        source,
        "/// Pinned by `cargo actor-test minimize --as-test`."
    );
    let faults = trace.recording().semantics.faults;
    if !faults.is_none() {
        let _ = writeln!(source, "/// The actor test asks for its faults: {faults}.");
    }
    let _ = writeln!(source, "#[test]\nfn {}() {{", name(&trace.test));
    let _ = writeln!(source, "    let followed = actor_test::script::follow(");
    let _ = writeln!(source, "        {:?},\n        &[", path(&trace.test));
    for [who, what, description] in steps {
        let step = format!("            ({who:?}, {what:?}),");
        let _ = writeln!(source, "{step}{}", note(what, description));
    }
    let _ = writeln!(source, "        ],\n    );");
    let _ = writeln!(source, "    followed.assert_clean();\n}}");
    source
}

/// Returns the path of the test without its crate, whose name may differ where the test is pasted.
fn path(test: &str) -> &str {
    test.split_once("::").map_or(test, |(_, path)| path)
}

fn name(test: &str) -> String {
    let path = test_name::path(test);
    let function = path.rsplit("::").next().unwrap_or(path);
    let values = &test[path.len()..];
    let letter = |letter: char| match letter.is_ascii_alphanumeric() {
        true => letter.to_ascii_lowercase(),
        false => '_',
    };
    let values: String = values.chars().map(letter).collect();
    let values = values.trim_matches('_');
    match values {
        "" => format!("{function}_pinned"),
        _ => format!("{function}_{values}_pinned"),
    }
}

/// Returns the comment after a step, unless it would repeat the step.
fn note(what: &str, description: &str) -> String {
    let description: String = description.split_whitespace().collect::<Vec<_>>().join(" ");
    // In a pinned step, the first actor of its type has no number.
    if description.is_empty() || description.replace("#1", "") == what {
        return String::new();
    }
    let short: String = description.chars().take(NOTE_MAX).collect();
    let more = if short == description { "" } else { " .." };
    format!(" // {short}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_called_after_tests() {
        assert_eq!(name("krate::tests::one_owner"), "one_owner_pinned");
        assert_eq!(name("krate::t[n=-2, on=true]"), "t_n__2__on_true_pinned");
        assert_eq!(path("krate::tests::one_owner"), "tests::one_owner");
    }

    #[test]
    fn notes_say_what_the_step_does_not() {
        assert_eq!(note("starts", "starts"), "");
        assert_eq!(note("flushes", "spawns\n  Lock"), " // spawns Lock");
        assert!(note("handles A", &"a".repeat(99)).len() < 70);
    }
}
