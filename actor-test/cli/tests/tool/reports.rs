//! Tests of the reports of all outcomes.

use insta::assert_snapshot;

use crate::project::{cargo_test, redact, tool, traces};

#[track_caller]
fn report(arguments: &str, code: i32) -> String {
    let traces = traces();
    let tool = tool().args(arguments).arg("--verbose");
    tool.traces(&traces).run().words(code)
}

#[test]
fn clean() {
    assert_snapshot!(report("at_most_six", 0));
}

#[test]
fn safety() {
    assert_snapshot!(report("never_six", 1));
}

#[test]
fn safety_without_stopping_at_the_first() {
    assert_snapshot!(report("never_six --no-fail-fast", 1));
}

/// Causes have a budget of their own, separate from minimising.
#[test]
fn causes_cost_what_they_may() {
    let explained = |arguments: &str| {
        let text = report(&format!("never_six {arguments}"), 1);
        (text.contains("decided:"), text.contains("minimised:"))
    };
    assert_eq!(explained("--explain 1s"), (true, true));
    assert_eq!(explained("--explain 0"), (false, true));
    assert_eq!(explained("--minimize 0"), (false, false));
    assert_eq!(explained("--minimize 0 --explain 1s"), (true, false));
}

#[test]
fn hot_at_the_end() {
    assert_snapshot!(report("hot_at_the_end", 1));
}

#[test]
fn too_hot() {
    assert_snapshot!(report("too_hot -s random", 1));
}

#[test]
fn undecided() {
    assert_snapshot!(report("undecided", 0));
}

#[test]
fn unchecked() {
    assert_snapshot!(report("undecided -s dfs:3 -i 3", 0));
}

#[test]
fn vacuous() {
    assert_snapshot!(report("vacuous", 0));
}

#[test]
fn denied() {
    assert_snapshot!(report("tests::denied", 1));
}

#[test]
fn expected() {
    assert_snapshot!(report("tests::expected -i 20", 1));
}

#[test]
fn several_tests_in_a_stable_order() {
    let report = |workers: &str| {
        let tool = tool().args("tests:: --verbose -j").arg(workers);
        tool.short_of_steps().traces(&traces()).run().words(1)
    };
    let one = report("1");
    assert_eq!(one, report("2"));
    assert_eq!(one, report("7"));
}

#[test]
fn every_test_runs_whatever_the_first_does() {
    assert!(report("tests:: --minimize 0", 1).ends_with("\n\n6 passed, 5 failed, 1 ignored"));
}

/// `cargo test` prints the same report, with the same commands.
#[test]
fn under_cargo_test() {
    let traces = traces();
    let said = cargo_test().args("--lib never_six").traces(&traces).run();
    assert_eq!(said.code, Some(101), "{}", said.stderr);
    let begin = said.stdout.find("FAIL  ").expect("the report");
    let end = begin + said.stdout[begin..].find("\n\n").expect("its end");
    let tool = report("never_six", 1);
    let block = tool.split("\n\n").next();
    assert_eq!(Some(&*redact(&said.stdout[begin..end])), block);
    assert!(
        said.stdout
            .contains("actor test failed: safety: always \"never six\" is false")
    );
}

#[test]
fn under_cargo_test_expected_bugs_pass() {
    let said = cargo_test().args("--lib tests::expected -- --exact").run();
    assert_eq!(said.code, Some(0), "{}", said.stdout);
    let said = cargo_test().args("--lib tests::expected_in_vain").run();
    assert!(
        said.stdout
            .contains("the expected bug \"never seven\" was not found"),
        "{}",
        said.stdout
    );
}
