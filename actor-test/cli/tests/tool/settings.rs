//! Tests of the precedence of settings, and of errors on malformed ones.

use crate::project::{cargo_test, copy, tool};

#[track_caller]
fn executions(run: crate::project::Run) -> String {
    let words = run.run().words(0);
    let at = words.find("at_most_six  ").expect("its report") + "at_most_six  ".len();
    words[at..].split(' ').next().unwrap().to_owned()
}

#[test]
fn a_flag_comes_before_a_variable_before_the_default() {
    let base = || tool().args("at_most_six");
    assert_eq!(executions(base()), "100");
    assert_eq!(executions(base().env("ACTOR_TEST_ITERATIONS", "7")), "7");
    assert_eq!(
        executions(base().env("ACTOR_TEST_ITERATIONS", "7").args("-i 5")),
        "5"
    );
}

/// The attribute of `too_hot` is `max_steps = 20`.
#[test]
fn a_flag_and_a_variable_come_before_an_attribute() {
    let bounds = |run: crate::project::Run| {
        let said = run
            .args("too_hot -s random --minimize 0 --format json")
            .run()
            .stdout;
        let line = said.lines().next().expect("a line for the test");
        let line: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        let bounds = &line["report"]["bounds"];
        let number = |name: &str| bounds[name].as_u64();
        (number("unfair"), number("fair"), number("temperature"))
    };
    assert_eq!(bounds(tool()), (Some(20), None, None));
    let variable = || tool().env("ACTOR_TEST_MAX_STEPS", "30");
    assert_eq!(bounds(variable()), (Some(30), None, None));
    assert_eq!(
        bounds(variable().args("-m 40:60")),
        (Some(40), Some(60), None)
    );
    assert_eq!(
        bounds(tool().args("--temperature 12")),
        (Some(20), None, Some(12))
    );
}

#[test]
fn coyotes_spellings_are_understood() {
    assert_eq!(
        executions(tool().args("at_most_six --sch-portfolio -i 6")),
        "6"
    );
    assert_eq!(
        executions(tool().args("at_most_six --sch-random -i 6")),
        "6"
    );
    assert_eq!(executions(tool().args("at_most_six --portfolio -i 6")), "6");
    assert_eq!(
        executions(tool().args("at_most_six --portfolio=fair -i 6")),
        "6"
    );
}

#[test]
fn time_instead_of_iterations() {
    // The manifest of package `one` sets no iterations.
    let words = tool().args("wakes -p one --for 100ms").run().words(0);
    assert!(!words.contains("wakes  100 executions"), "{words}");
    assert_eq!(executions(tool().args("at_most_six --for 1h -i 3")), "3");
}

#[test]
fn coyotes_strategies_are_understood() {
    for (flags, name) in [
        ("--sch-random", "random"),
        ("--sch-pct 3", "pct:3"),
        ("--sch-fairpct 3", "fair-pct:3"),
        ("--sch-probabilistic 2", "prob:2"),
        ("--sch-pct", "pct"),
        ("--sch-pos", "pos"),
    ] {
        let run = tool().args("at_most_six -i 1 --format json").args(flags);
        let said = run.run();
        let line = said.stdout.lines().next().unwrap_or_default();
        let line: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
        assert_eq!(line["report"]["strategies"][0]["name"], name, "{flags}");
    }
}

#[test]
fn malformed_flags() {
    for (flags, message) in [
        (
            "-i 0",
            "invalid value '0' for '--iterations <N>': expected a number above zero",
        ),
        (
            "-m 5:",
            "'--max-steps <N[:M]>': expected N or N:M, numbers above zero",
        ),
        (
            "-j none",
            "'--workers <WORKERS>': expected a number of threads from 1 to 1024",
        ),
        (
            "--for 5",
            "'--for <DURATION>': 5 of what? Write `5s`, or `5m` for minutes",
        ),
        (
            "--for 3parsecs",
            "'--for <DURATION>': expected a duration above zero: `30s`",
        ),
        (
            "--seed x",
            "'--seed <S>': expected a number, `7` for instance, or `random`",
        ),
        ("-s rnadom", "no strategy `rnadom`; did you mean `random`?"),
        (
            "-s weighted:0/1",
            "malformed parameter in `weighted:0/1`; the form is `weighted[:WORK/TIMER[/EVENT=WEIGHT]...]`, \
             weights from 1, and each EVENT the name of a type",
        ),
        (
            "--portfolio=unfair",
            "[possible values: all, fair, round-robin, coyote]",
        ),
        ("--portfolio -s random", "cannot be used with"),
        (
            "--sch-pct 0",
            "malformed parameter in `pct:0`; the form is `pct[:DEPTH]`, DEPTH from 1 to 100",
        ),
        (
            "-s delay:prr/0",
            "the form is `delay[:EXPLORER[/DELAYS]]`, EXPLORER one of rr, prr and rtc, DELAYS from 1 to 100",
        ),
        (
            "-s fair-pct:0",
            "the form is `fair-pct[:DEPTH]`, DEPTH from 1 to 100",
        ),
        ("-s pos:1", "the form is `pos[:local]`, local or nothing"),
        ("-s urw:1", "the form is `urw`, without parameters"),
        (
            "-s ses:rr/3/by=hb/then=ss",
            "DELAYS may stand alone, then=ss only without by",
        ),
        ("-s fair-pst", "did you mean `fair-pct`?"),
        (
            "-s fair-random",
            "no strategy `fair-random`; did you mean `random`?",
        ),
        ("--sch-pct 3 -s random", "cannot be used with"),
        (
            "--deny vacuos",
            "'--deny <WHAT>': expected `vacuous` (specifications that could not have failed), \
             `unreached` (states and handlers), `vacuous,unreached`, or `none`",
        ),
        ("--format xml", "[possible values: human, json]"),
        ("--nonsense", "unexpected argument '--nonsense' found"),
    ] {
        let said = tool().args(flags).run();
        assert!(said.error().contains(message), "{flags}: {}", said.stderr);
    }
}

#[test]
fn malformed_variables() {
    let error = |name: &str, value: &str| {
        let said = tool().args("at_most_six").env(name, value).run();
        said.error().to_owned()
    };
    assert_eq!(
        error("ACTOR_TEST_SEED", "seven"),
        "error: variable ACTOR_TEST_SEED = \"seven\": expected a number, `7` for instance, or `random`"
    );
    assert!(error("ACTOR_TEST_SEDE", "7").contains("did you mean ACTOR_TEST_SEED?"));
    assert!(error("ACTOR_TEST_DENY", "all").contains("\"all\": expected `vacuous` (spec"));
    assert!(error("ACTOR_TEST_STRATEGY", "random,rnadom").contains("did you mean `random`?"));
}

#[test]
fn malformed_variables_under_cargo_test() {
    let said = cargo_test()
        .args("--lib at_most_six")
        .env("ACTOR_TEST_SEED", "seven")
        .run();
    assert_eq!(said.code, Some(101));
    let message = "variable ACTOR_TEST_SEED = \"seven\": expected a number";
    assert!(said.stdout.contains(message), "{}", said.stdout);
}

#[test]
fn a_malformed_attribute_says_where_it_stands() {
    let said = tool().args("wrong_strategy").run();
    let words = said.words(2);
    assert!(
        words.contains("ERROR bad::has_a_wrong_strategy  a setting of"),
        "{words}"
    );
    assert!(words.contains("at tests/bad.rs:"), "{words}");
    assert!(
        words.ends_with("0 passed, 0 failed, 1 could not be run"),
        "{words}"
    );
}

#[test]
fn the_manifest_is_the_last_place() {
    let project = copy("[package.metadata.actor-test]\niterations = 9\nmax-steps = \"30\"\n");
    let tool = || tool().within(project.path());
    assert_eq!(executions(tool().args("at_most_six")), "9");
    assert_eq!(executions(tool().args("at_most_six -i 5")), "5");
    // The attribute of `too_hot` overrides the bound in the manifest.
    let words = tool().args("too_hot -s random --minimize 0").run().words(1);
    assert!(words.contains("(threshold 100)"), "{words}");
    let cargo = cargo_test()
        .args("--lib at_most_six -- --nocapture")
        .within(project.path())
        .run();
    assert!(
        cargo.stdout.contains("at_most_six  9 executions"),
        "{}",
        cargo.stdout
    );
}

#[test]
fn a_malformed_manifest_says_where() {
    let project = copy("[package.metadata.actor-test]\niteration = 9\n");
    let said = tool().args("at_most_six").within(project.path()).run();
    let message = "package specimens: Cargo.toml, [package.metadata.actor-test], iteration = 9: there is no \
                   such setting; did you mean `iterations`?";
    assert!(said.error().contains(message), "{}", said.stderr);
}
