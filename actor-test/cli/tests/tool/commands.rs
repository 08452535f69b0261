//! Tests of listing, filters, formats, help and the tool's own name.

use crate::project::{tool, traces};

const LIB: &str = "\
specimens::tests::asynchronous
specimens::tests::at_most_six
specimens::tests::denied
specimens::tests::expected
specimens::tests::expected_in_vain
specimens::tests::hot_at_the_end
specimens::tests::ignored
specimens::tests::lamp
specimens::tests::never_six
specimens::tests::too_hot
specimens::tests::undecided
specimens::tests::vacuous
";

/// A binary without a marker is not run; `no_harness` would fail if run.
#[test]
fn list_names_the_tests_one_a_line() {
    let all = tool().args("list --lib --test bad --test no_harness").run();
    assert_eq!(all.code, Some(0), "{}", all.stderr);
    assert!(
        all.stdout
            .starts_with("bad::a_first_clean_one\nbad::aborts\n"),
        "{}",
        all.stdout
    );
    assert!(all.stdout.ends_with(LIB), "{}", all.stdout);
    assert_eq!(tool().args("list --lib").run().stdout, LIB);
    assert_eq!(
        tool()
            .args("list six hot --lib")
            .run()
            .stdout
            .lines()
            .count(),
        4
    );
}

#[test]
fn ignored_tests_are_run_when_asked_for() {
    let outcome = |flags: &str| {
        tool()
            .args("ignored at_most --lib")
            .args(flags)
            .run()
            .stdout
    };
    assert!(outcome("").ends_with("\n1 passed, 0 failed, 1 ignored\n"));
    assert!(outcome("--ignored").contains("PASS  specimens::tests::ignored"));
    assert!(outcome("--ignored").ends_with("\n1 passed, 0 failed, 1 ignored\n"));
    assert!(outcome("--include-ignored").ends_with("\n2 passed, 0 failed\n"));
}

#[test]
fn json_has_a_line_per_test_and_one_at_the_end() {
    let traces = traces();
    let said = tool()
        .args("--format json never_six at_most")
        .traces(&traces)
        .run();
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let lines: Vec<serde_json::Value> = said
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["test"], "specimens::tests::at_most_six");
    assert_eq!(lines[0]["outcome"], "passed");
    assert_eq!(lines[0]["report"]["executions"], 100);
    assert_eq!(lines[1]["outcome"], "failed");
    assert_eq!(
        lines[1]["report"]["bugs"][0]["finding"]["kind"],
        "invariant"
    );
    let summary = r#"{"errors":0,"failed":1,"ignored":0,"interrupted":false,"passed":1,"type":"summary","unproved":0}"#;
    assert_eq!(said.stdout.lines().last(), Some(summary));
}

#[test]
fn strategies_are_explained() {
    let said = tool().args("-s list").run();
    assert_eq!(said.code, Some(0));
    assert!(
        said.stdout
            .starts_with("random\n      fair; picks uniformly"),
        "{}",
        said.stdout
    );
}

/// Colours and bars are omitted if the output is not a terminal, and shown if forced.
#[test]
fn no_colour_where_it_is_not_seen() {
    let piped = tool().args("at_most").run();
    assert!(!piped.stdout.contains('\x1b') && !piped.stderr.contains('\r'));
    let forced = tool().args("at_most").env("CLICOLOR_FORCE", "1").run();
    assert!(
        forced.stdout.contains("\x1b[1m\x1b[32mPASS\x1b[0m"),
        "{:?}",
        forced.stdout
    );
    let refused = tool()
        .args("at_most")
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "1")
        .run();
    assert!(!refused.stdout.contains('\x1b'));
}

#[test]
fn the_second_word_may_be_left_out() {
    let said = crate::project::named(env!("CARGO_BIN_EXE_cargo-actor-test"))
        .args("list at_most")
        .run();
    assert_eq!(said.stdout, "specimens::tests::at_most_six\n");
}

#[test]
fn a_broken_pipe_is_no_error() {
    assert_eq!(tool().args("list --lib").unheard(), Some(0));
    assert_eq!(tool().args("at_most --lib").unheard(), Some(0));
    assert_eq!(tool().args("never_six --lib").unheard(), Some(1));
}

/// Printed commands contain the selection of packages, so that they work unchanged.
#[test]
fn printed_commands_have_the_selection() {
    let said = tool()
        .args("never_six --lib -p specimens --features changed")
        .run();
    let flags = " --features changed --lib -p specimens";
    for line in said
        .stdout
        .lines()
        .filter(|line| line.contains("replay:") || line.contains("reproduce:"))
    {
        assert!(line.ends_with(flags), "{line}");
    }
}

#[test]
fn filters_are_those_of_the_test_harness() {
    let listed = |flags: &str| tool().args("list --lib").args(flags).run();
    let six = "specimens::tests::at_most_six\n";
    assert_eq!(
        listed("six hot").stdout.lines().count(),
        4,
        "any of several"
    );
    assert_eq!(listed("six --skip never").stdout, six);
    assert_eq!(
        listed("--exact specimens::tests::at_most_six").stdout,
        six,
        "the whole path"
    );
    let part = listed("--exact at_most_six");
    assert_eq!(part.code, Some(2));
    assert!(
        part.stderr
            .contains("no actor test matches `at_most_six` among 12 actor tests"),
        "{}",
        part.stderr
    );
    let none = listed("--skip specimens");
    assert_eq!(none.code, Some(2));
    assert!(
        none.stderr
            .contains("every one of 12 actor tests is skipped"),
        "{}",
        none.stderr
    );
}

/// Options before `list` select as for a run.
#[test]
fn list_may_come_last() {
    let six = "specimens::tests::at_most_six\n";
    assert_eq!(tool().args("-j 2 --lib list at_most").run().stdout, six);
    assert_eq!(tool().args("-i 5 list --lib at_most").run().stdout, six);
    assert_eq!(
        tool().args("list --lib --ignored").run().stdout,
        "specimens::tests::ignored\n"
    );
    assert_eq!(
        tool().args("list --lib --include-ignored").run().stdout,
        LIB
    );
    let said = tool().args("-i 5 show trace.json").run();
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr
            .contains("--iterations <N> is of a run: write the options of `show` behind it"),
        "{}",
        said.stderr
    );
}

#[test]
fn what_it_is_that_no_test_is_left_can_be_said() {
    for command in ["", "list"] {
        let run = |action: &str| {
            tool()
                .args(command)
                .args("--lib nowhere")
                .args(action)
                .run()
        };
        let said = ["", "--no-tests=fail", "--no-tests=warn", "--no-tests=pass"].map(run);
        assert_eq!(
            said.each_ref().map(|said| said.code),
            [Some(2), Some(2), Some(0), Some(0)]
        );
        let printing = ["error:", "error:", "warning:"]
            .map(Some)
            .into_iter()
            .chain([None]);
        for (said, word) in said.iter().zip(printing) {
            let line = said.stderr.lines().find(|line| line.contains("`nowhere`"));
            assert_eq!(line.and_then(|line| line.split_inclusive(':').next()), word);
        }
    }
}

#[test]
fn help_is_a_command_too() {
    let help = tool().args("help").run();
    assert_eq!(help.code, Some(0), "{}", help.stderr);
    assert!(help.stdout.contains("Exit codes: 0 no bug"));
    let replay = tool().args("help replay").run();
    assert!(
        replay
            .stdout
            .contains("The trace file that a failing test wrote"),
        "{}",
        replay.stdout
    );
}

/// clap suggests `--` before an unknown flag, which would make the flag a filter.
#[test]
fn tips_do_not_mislead() {
    let said = tool().args("--nocaptur").run();
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("unexpected argument '--nocaptur'")
            && !said.stderr.contains("as a value"),
        "{}",
        said.stderr
    );
    let near = tool().args("--iteration 5").run();
    assert!(near.stderr.contains("'--iterations'"), "{}", near.stderr);
}

#[test]
fn quiet_tells_of_failures_alone() {
    let traces = traces();
    let said = tool()
        .args("-q --lib never_six at_most")
        .traces(&traces)
        .run();
    assert_eq!(said.code, Some(1));
    let heads: Vec<&str> = said
        .stdout
        .lines()
        .filter(|line| line.starts_with("PASS") || line.starts_with("FAIL"))
        .collect();
    assert_eq!(heads.len(), 1, "{}", said.stdout);
    assert!(heads[0].starts_with("FAIL  specimens::tests::never_six"));
    assert!(!said.stdout.contains("all tests together"));
    assert!(said.stdout.ends_with("\n1 passed, 1 failed\n"));
}

#[test]
fn what_the_program_prints_is_shown_where_that_is_wanted() {
    let run = |flags: &str| {
        let tool = tool().args("at_most --lib -j 1 -i 3").args(flags);
        tool.env("SPECIMENS_PRINT", "1").run()
    };
    let silent = run("");
    assert_eq!(silent.code, Some(0), "{silent:?}");
    assert!(!silent.stderr.contains("a race is on"), "{}", silent.stderr);
    let printing = run("--nocapture");
    let printed = printing.stderr.split_once("the program printed\n");
    let printed = printed.map(|(_, printed)| printed).unwrap_or_default();
    // Three executions run, and one of them twice, to check that it is deterministic.
    let times = printed.matches("      a race is on\n").count();
    assert!(times >= 3, "{}", printing.stderr);
    assert_eq!(printed.matches("      and off\n").count(), times);
    assert!(!printed.contains("test result"), "{printed}");
    let outcome = |said: &crate::project::Said| said.stdout.contains("PASS");
    assert!(
        outcome(&silent) && outcome(&printing),
        "{}",
        printing.stdout
    );
    assert!(
        !printing.stdout.contains("a race is on"),
        "{}",
        printing.stdout
    );
}
