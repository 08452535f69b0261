//! Tests of coverage: `--coverage` and `--deny`.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;

use crate::project::{cargo_test, copy, tool, traces};

fn files(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("the directory is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn coverage_is_that_of_all_tests_together() {
    let directory = traces();
    let place = directory.path().join("new/coverage");
    let run = |tests: &str| {
        let run = tool().args(tests).arg("--coverage").arg(&place);
        run.traces(&directory).run()
    };
    let said = run("tests::lamp denied never_six at_most_six");
    let summary = place.join("coverage.txt");
    let last = format!("coverage of 3 tests: {}\n", summary.display());
    assert!(said.stdout.ends_with(&last), "{}", said.stdout);
    assert_eq!(said.code, Some(1));
    let lamp = ["specimens.Lamp.dot", "specimens.Lamp.mmd"];
    assert_eq!(files(&place), ["coverage.txt", lamp[0], lamp[1]]);
    let read = |name: &str| fs::read_to_string(place.join(name)).expect("a file of the coverage");
    assert_snapshot!(read("coverage.txt"));
    let (dot, mermaid) = (read(lamp[0]), read(lamp[1]));
    assert!(
        dot.contains("s0 -> s1 [label=\"100\"]") && dot.contains("Broken\\nnever entered"),
        "{dot}"
    );
    assert!(
        mermaid.contains("s1 --> s0: 100") && mermaid.contains("class s2 never"),
        "{mermaid}"
    );
    // The bytes are the same for any number of workers.
    let before = read("coverage.txt");
    run("tests::lamp denied never_six at_most_six -j 1");
    assert_eq!(before, read("coverage.txt"));
    // Failing tests are counted if they continued after the bug.
    run("never_six --no-fail-fast");
    let text = read("coverage.txt");
    assert!(
        text.starts_with("coverage of 1 test, 100 executions\n\nspecimens::Adder  100 started"),
        "{text}"
    );
}

#[test]
fn a_directory_that_cannot_be_made() {
    let said = tool().args("lamp --coverage Cargo.toml/coverage").run();
    let error = said.error();
    assert!(
        error.starts_with("error: can't write Cargo.toml/coverage: "),
        "{error}"
    );
    assert!(said.stdout.is_empty(), "nothing was run: {}", said.stdout);
}

/// The precedence is as for any setting: flag, variable, attribute, manifest.
#[test]
fn what_is_denied_comes_from_all_places() {
    let outcome = |run: crate::project::Run| {
        let said = run.run();
        let words = said.stdout.lines().next().unwrap_or_default().to_owned();
        (said.code, words)
    };
    let vacuous = "FAIL  specimens::tests::vacuous  vacuous: monitor `Added` never saw an event that it handles";
    let unreached = "FAIL  specimens::tests::lamp  never reached: state `Broken` of `Lamp`; handler `Lamp` on \
                     `Double` in `Lit`";
    let failed = |words: &str| (Some(1), words.to_owned());
    assert_eq!(
        outcome(tool().args("vacuous --deny vacuous")),
        failed(vacuous)
    );
    assert_eq!(
        outcome(tool().args("tests::lamp --deny vacuous --deny unreached")),
        failed(unreached)
    );
    assert_eq!(
        outcome(tool().args("tests::lamp --deny vacuous")).0,
        Some(0)
    );
    let variable = || tool().env("ACTOR_TEST_DENY", "vacuous,unreached");
    assert_eq!(outcome(variable().args("tests::lamp")), failed(unreached));
    assert_eq!(
        outcome(variable().args("tests::lamp --deny none")).0,
        Some(0)
    );
    // The attribute of `denied` applies.
    assert_eq!(outcome(tool().args("tests::denied")).0, Some(1));
    assert_eq!(outcome(tool().args("tests::denied --deny none")).0, Some(0));
    let project = copy("[package.metadata.actor-test]\ndeny = [\"unreached\"]\n");
    let within = || tool().within(project.path());
    assert_eq!(outcome(within().args("tests::lamp")), failed(unreached));
    assert_eq!(outcome(within().args("tests::lamp --deny none")).0, Some(0));
    let said = cargo_test()
        .args("--lib vacuous")
        .env("ACTOR_TEST_DENY", "vacuous")
        .run();
    assert!(said.stdout.contains(vacuous), "{}", said.stdout);
    assert_eq!(said.code, Some(101));
}
