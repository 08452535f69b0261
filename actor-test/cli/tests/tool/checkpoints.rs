//! Tests of `--search-dir`: a search goes on in its directory, and parts leave their results there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{Run, cargo_test, tool, traces};

/// Searches a test with twice as many schedules as run before the interruption.
fn search(directory: &Path, flags: &str) -> Run {
    tool()
        .args("--lib asynchronous -s dfs --search-dir")
        .arg(directory)
        .args(flags)
}

/// Returns the directory of the test.
fn of_test(directory: &Path) -> PathBuf {
    directory.join("lib/specimens-tests-asynchronous")
}

fn checkpoint(directory: &Path) -> PathBuf {
    of_test(directory).join("search.checkpoint")
}

fn refused(run: Run, why: &str) {
    let run = run.run();
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stdout.contains(why), "{}", run.stdout);
}

/// The result is reported again from the directory.
#[test]
fn a_search_is_cut_off_and_goes_on() {
    let whole = tool().args("--lib asynchronous -s dfs").run().words(0);
    let directory = traces();
    let cut = search(directory.path(), "-i 3").run().words(0);
    let says = "the search goes on from its 3 executions in ";
    assert!(
        cut.contains(says) && cut.contains("repeat the command"),
        "{cut}"
    );
    let resumed = search(directory.path(), "-j 2").run().words(0);
    assert_eq!(resumed, whole);
    assert!(!checkpoint(directory.path()).exists());
    let again = search(directory.path(), "").run().words(0);
    let says = "1 result from the search directory, remove it to search anew";
    assert!(again.contains(says), "{again}");
    assert!(!again.contains("warning:"), "{again}");
    let head = whole.lines().next().expect("a line");
    assert!(again.starts_with(head), "{again}");
    let why = "the seed was `0`, and is `3` now; go on with the same settings, name another directory, or remove ";
    refused(search(directory.path(), "--seed 3"), why);
}

/// Each invalid use is rejected with advice.
#[test]
fn what_it_can_t_go_on_from() {
    let directory = traces();
    let path = checkpoint(directory.path());
    let refused = |flags: &str, why: &str| refused(search(directory.path(), flags), why);
    search(directory.path(), "-i 3").run().words(0);
    let whole = fs::read(&path).expect("a checkpoint");
    refused("--seed 3", "the seed was `0`, and is `3` now");
    refused("-m 77", "the bound on steps was `10000:100000");
    refused(
        "--no-fail-fast",
        "--no-fail-fast was `false`, and is `true` now",
    );
    fs::write(&path, &whole[..whole.len() - 3]).expect("a shorter one");
    refused("", "is a damaged checkpoint: it has ");
    fs::write(&path, &whole[..100]).expect("a shorter one");
    refused("", "is a damaged checkpoint: its first line is cut");
    fs::write(&path, "").expect("an empty one");
    refused("", "is a damaged checkpoint: it is empty");
    let mut other = whole.clone();
    *other.last_mut().expect("a byte") ^= 1;
    fs::write(&path, &other).expect("another one");
    refused("", "its bytes don't match their digest");
    fs::write(&path, "[1, 2, 3]").expect("another file");
    refused("", "is no checkpoint of actor-test");
    let text = String::from_utf8_lossy(&whole);
    let (_, rest) = text.split_once("\"program\":\"").expect("the program");
    let other = text.replacen(&rest[..8], "01234567", 1);
    fs::write(&path, other).expect("another one");
    refused("", "is of another program: its executable is `01234567-");
    fs::remove_dir_all(of_test(directory.path())).expect("the advice");
    search(directory.path(), "--seed 3").run().words(0);
}

#[test]
fn a_search_that_can_t_go_on_says_so() {
    let directory = traces();
    let refused = |flags: &str, why: &str| {
        let run = tool().args("--lib asynchronous").args(flags);
        refused(run.arg("--search-dir").arg(directory.path()), why);
    };
    let random =
        "--search-dir: `random` can't go on where it was interrupted; the searches that can are";
    refused("-s random", random);
    refused("", "--search-dir: several strategies in turn can't go on");
    let states = "`states` can't be divided into parts";
    refused("-s states --partition 1/2", states);
    let many = "`dpor` has 16 parts, too few for 17 processes";
    refused("-s dpor --partition 1/17", many);
}

/// A part, with its words.
fn part(directory: &Path, partition: &str, flags: &str) -> Run {
    tool()
        .args("--lib asynchronous -s random --no-fail-fast --search-dir")
        .arg(directory)
        .args(&format!("-i 40 --partition {partition}"))
        .args(flags)
}

fn merged(directory: &Path) -> Run {
    tool().arg("merge").arg(directory)
}

#[test]
fn parts_leave_their_results() {
    let directory = traces();
    let directory = directory.path();
    for number in [1, 3] {
        part(directory, &format!("{number}/4"), "").run().words(0);
    }
    let missing = merged(directory).run();
    assert_eq!(missing.code, Some(2));
    let why = "specimens::tests::asynchronous: parts 2/4, 4/4 are missing";
    assert!(missing.stderr.contains(why), "{}", missing.stderr);
    // Another search does not replace the results, and leaves nothing.
    let seed = "the seed was `0`, and is `3` now";
    refused(part(directory, "1/4", "--seed 3"), seed);
    refused(part(directory, "2/4", "--seed 3"), seed);
    let number = "the number of parts was `4`, and is `2` now";
    refused(part(directory, "2/2", ""), number);
    let end = "the end of a sample was `40 executions`, and is `40 executions, 60s` now";
    refused(part(directory, "2/4", "--for 60s"), end);
    // The parts of another machine, copied into the directory.
    let other = traces();
    for number in [2, 4] {
        let part = part(other.path(), &format!("{number}/4"), "");
        part.run().words(0);
        let name = format!("part-{number}-of-4");
        let (from, to) = (of_test(other.path()), of_test(directory));
        fs::copy(from.join(&name), to.join(&name)).expect("a copy");
    }
    let again = part(directory, "3/4", "").run().words(0);
    assert!(again.contains("from the search directory"), "{again}");
    let whole = tool().args("--lib asynchronous -s random --no-fail-fast -i 40");
    let head = |words: String| words.lines().next().expect("a line").to_owned();
    assert_eq!(
        head(merged(directory).run().words(0)),
        head(whole.run().words(0))
    );
    let nothing = traces();
    let nothing = merged(nothing.path()).run();
    assert_eq!(nothing.code, Some(2));
    assert!(
        nothing.stderr.contains("holds no part of a search"),
        "{}",
        nothing.stderr
    );
}

/// Each process of a shared search ends with the result of the whole, which `merge` prints as well.
#[test]
fn a_shared_search_is_printed_from_its_directory() {
    let directory = traces();
    let share = |number: u32| {
        tool()
            .args("--lib asynchronous --exhaustive --search-dir")
            .arg(directory.path())
            .args(&format!("--partition {number}/2"))
            .run()
            .words(0)
    };
    assert_eq!(share(1), share(2));
    let merged = merged(directory.path()).run().words(0);
    assert!(merged.contains("(proved: "), "{merged}");
}

/// The variables work without the tool.
#[test]
fn parts_run_without_the_tool() {
    let directory = traces();
    for number in [1, 2] {
        cargo_test()
            .args("--lib asynchronous")
            .env("ACTOR_TEST_STRATEGY", "random")
            .env("ACTOR_TEST_PARTITION", format!("{number}/2"))
            .env(
                "ACTOR_TEST_SEARCH_DIR",
                directory.path().to_str().expect("UTF-8"),
            )
            .run()
            .words(0);
    }
    let merged = merged(directory.path()).run().words(0);
    assert!(merged.contains("100 executions"), "{merged}");
}
