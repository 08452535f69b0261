//! Tests of `--exhaustive`: proofs, and reports without a proof.

use crate::project::{tool, traces};

fn line(flags: &str) -> String {
    let words = tool().args("--lib").args(flags).run().words(0);
    words.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_small_test_is_proved() {
    let proved = "PASS  specimens::tests::asynchronous  2 executions (proved: 2 behaviours, no bug, for \
                  this configuration), [time]";
    assert_eq!(line("asynchronous --exhaustive"), proved);
    assert_eq!(line("asynchronous --exhaustive=dpor --for 1h"), proved);
    assert_eq!(line("asynchronous --exhaustive -i 50"), proved);
    // The executions are the same as with one worker.
    assert_eq!(line("asynchronous --exhaustive -j 3"), proved);
    let states = line("asynchronous --exhaustive=states");
    assert!(states.contains(" states, no bug"), "{states}");
}

#[test]
fn what_was_left_out_is_said() {
    let unproved = |arguments: &str| {
        let said = tool().args(arguments).run();
        assert_eq!(said.code, Some(3), "{}", said.stdout);
        assert!(
            said.stdout.contains("0 failed, 1 unproved"),
            "{}",
            said.stdout
        );
        said.stdout
    };
    let cut = unproved("asynchronous --exhaustive -i 1");
    assert!(
        cut.contains("dpor, 1 execution: it stopped after 1 execution; to prove it, allow more"),
        "{cut}"
    );
    let endless = unproved("undecided --exhaustive=dpor");
    assert!(
        endless.contains("UNPROVED  ") && endless.contains("cut off at"),
        "{endless}"
    );
    let known = line("asynchronous -s dpor:3 -i 100");
    assert!(
        known.contains("it stopped when it knew 3 histories of actors"),
        "{known}"
    );
}

/// Schedules with more delays are not run, so nothing is proved.
#[test]
fn up_to_so_many_delays() {
    let none = line("asynchronous --exhaustive=ses:rr/0");
    assert!(
        none.contains("(all schedules of at most 0 delays, ") && none.contains("; there are more)"),
        "{none}"
    );
    let all = line("asynchronous --exhaustive=ses");
    assert!(
        all.contains("(proved: ") && all.contains(" states, no bug"),
        "{all}"
    );
    let said = tool().args("asynchronous --exhaustive=dfs").run();
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr
            .contains("there are `dpor`, `states` and `ses:DELAYS`"),
        "{}",
        said.stderr
    );
}

#[test]
fn what_says_how_to_search_otherwise_is_refused() {
    let said = tool().args("asynchronous --exhaustive -s random").run();
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("cannot be used with"),
        "{}",
        said.stderr
    );
    let said = tool()
        .args("asynchronous --exhaustive --partition 1/2")
        .run();
    assert_eq!(said.code, Some(2));
    let why = "--partition needs --search-dir DIR";
    assert!(
        said.stdout.contains(why) || said.stderr.contains(why),
        "{said:?}"
    );
}

#[test]
fn a_bug_of_a_search_is_found_again_by_its_token() {
    let traces = traces();
    let run = |flags: &str| {
        tool()
            .args("never_six --lib")
            .args(flags)
            .traces(&traces)
            .run()
    };
    let found = run("--exhaustive --format json");
    assert_eq!(found.code, Some(1), "{}", found.stderr);
    let line = found.stdout.lines().next().unwrap_or_default();
    let line: serde_json::Value = serde_json::from_str(line).expect("a line of JSON");
    let bug = &line["report"]["bugs"][0];
    let token = bug["token"].as_str().expect("a token");
    assert!(token.starts_with("dpor@0-"), "{token}");
    let again = run(&format!("--reproduce {token}")).words(1);
    assert!(again.contains("never six"), "{again}");
    let (strategy, rest) = token.split_once("-").expect("an iteration");
    let (_, version) = rest.rsplit_once('-').expect("a version");
    let unknown = run(&format!("--reproduce {strategy}-9999-{version}"));
    assert_eq!(unknown.code, Some(2));
    let why = "is over after";
    assert!(
        unknown.stdout.contains(why) || unknown.stderr.contains(why),
        "{unknown:?}"
    );
}
