//! A failing execution as an ordinary test, for `minimize --as-test`.

use std::fmt::Write;

use actor_test::tool::parameters;
use actor_test::tool::trace::Trace;

use crate::words;

/// How long a note beside a step is at most.
const NOTE_MAX: usize = 60;

/// The test. `steps` are who, what, and what happened.
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
    let _ = writeln!(source, "    let followed = actor_test::follow(");
    let _ = writeln!(source, "        {:?},\n        &[", path(&trace.test));
    for [who, what, told] in steps {
        let step = format!("            ({who:?}, {what:?}),");
        let _ = writeln!(source, "{step}{}", note(what, told));
    }
    let _ = writeln!(source, "        ],\n    );");
    let _ = writeln!(source, "    followed.assert_clean();\n}}");
    source
}

/// The path of the test without its crate, which may be called otherwise where this is pasted.
fn path(test: &str) -> &str {
    test.split_once("::").map_or(test, |(_, path)| path)
}

/// The name of the function.
fn name(test: &str) -> String {
    let path = parameters::path(test);
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

/// What the step does not say by itself.
fn note(what: &str, told: &str) -> String {
    let told: String = told.split_whitespace().collect::<Vec<_>>().join(" ");
    // The first of its type has no number where it is pinned.
    if told.is_empty() || told.replace("#1", "") == what {
        return String::new();
    }
    let short: String = told.chars().take(NOTE_MAX).collect();
    let more = if short == told { "" } else { " .." };
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
