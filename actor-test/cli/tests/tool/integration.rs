//! Tests of results for continuous integration: JUnit XML, and GitHub annotations.

use std::fs;

use insta::assert_snapshot;

use crate::project::{directory, redact, tool, traces};

/// Removes the times from a document.
fn without_times(xml: &str) -> String {
    let mut parts = xml.split(" time=\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let rest = part.split_once('"').map_or("", |(_, rest)| rest);
        format!("{text} time=\"…\"{rest}")
    })
}

/// One document contains every outcome, from passed tests to ignored ones.
#[test]
fn junit() {
    let traces = traces();
    let file = traces.path().join("new/junit.xml");
    let said = tool()
        .args("never_six tests::expected wrong_strategy ignored --lib --test bad --junit")
        .arg(&file)
        .traces(&traces)
        .run();
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let xml = fs::read_to_string(&file).expect("the document");
    assert_eq!(xml.matches(" time=\"").count(), 8, "{xml}");
    assert_snapshot!(redact(&without_times(&xml)));
    // A second run overwrites the document.
    tool().args("at_most_six --junit").arg(&file).run();
    let xml = fs::read_to_string(&file).expect("the document");
    let head = "<testsuites name=\"cargo actor-test\" tests=\"1\" skipped=\"0\" failures=\"0\"";
    assert!(xml.contains(head), "{xml}");
}

#[test]
fn a_document_that_cannot_be_written() {
    let said = tool().args("at_most_six --junit src").run();
    let error = said.error();
    assert!(error.starts_with("error: can't write src: "), "{error}");
    assert!(said.stdout.is_empty(), "nothing was run: {}", said.stdout);
}

/// Returns the line of the attribute above a function of a specimen.
fn line(source: &str, function: &str) -> usize {
    let line = source.lines().position(|line| line.contains(function));
    line.expect("the function is there")
}

#[test]
fn annotations() {
    let traces = traces();
    let errors = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with("::error "));
        lines.map(str::to_owned).collect()
    };
    let said = tool()
        .args("never_six at_most_six aborts panics_outside tests::expected wrong_strategy")
        .args("--lib --test bad")
        .traces(&traces)
        .env("GITHUB_ACTIONS", "true")
        .run();
    let found = errors(&said.stdout);
    let bad = |function| line(include_str!("../specimens/bad.rs"), function);
    let lib = |function| line(include_str!("../specimens/lib.rs"), function);
    let at = |file: &str, line: usize, test: &str, message: &str| {
        let test = test.replace(':', "%3A");
        format!("::error file={file},line={line},title=actor test {test}::{message}")
    };
    let column = |start: String| start.replace(",title=", ",col=5,title=");
    let starts = [
        at("tests/bad.rs", bad("fn aborts("), "bad::aborts", "crash: "),
        at(
            "tests/bad.rs",
            bad("fn has_a_wrong_strategy("),
            "bad::has_a_wrong_strategy",
            "a setting of bad::has_a_wrong_strategy, at",
        ),
        // A panic is annotated at its own line, two lines below the function's.
        column(at(
            "tests/bad.rs",
            bad("fn panics_outside(") + 3,
            "bad::panics_outside",
            "panic: `test` panicked",
        )),
        at(
            "src/lib.rs",
            lib("fn expected_in_vain("),
            "specimens::tests::expected_in_vain",
            "expected the bug \"never seven\", but ",
        ),
        at(
            "src/lib.rs",
            lib("fn never_six("),
            "specimens::tests::never_six",
            "safety: always \"never six\" is false%0Arandom, iteration 1 of 100",
        ),
    ];
    assert_eq!(found.len(), starts.len(), "{found:#?}");
    for (found, start) in found.iter().zip(starts) {
        assert!(found.starts_with(&start), "{found} begins with {start}");
    }
    let token = "%0Areproduce:  cargo actor-test specimens::tests::never_six --reproduce random@";
    assert!(found[4].contains(token), "{}", found[4]);
}

#[test]
fn annotations_where_the_repository_is_above_the_workspace() {
    let above = directory().parent().expect("it is in a directory");
    let run = || tool().args("expected_in_vain --format json");
    let said = run()
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_WORKSPACE", above)
        .run();
    // Standard output must contain only lines of JSON.
    assert!(!said.stdout.contains("::error "), "{}", said.stdout);
    let start = "\n::error file=specimens/src/lib.rs,line=";
    assert!(said.stderr.contains(start), "{}", said.stderr);
    assert!(!run().run().stderr.contains("::error "));
}
