//! Tests of `--checkpoint` and `--resume`, and of their messages.

use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{Run, tool, traces};

/// Searches a test with twice as many schedules as run before the interruption.
fn search(directory: &Path, flags: &str) -> Run {
    let into = format!("--checkpoint={}", directory.display());
    tool()
        .args("--lib asynchronous -s dfs")
        .arg(&into)
        .args(flags)
}

fn file(directory: &Path) -> PathBuf {
    directory.join("specimens-tests-asynchronous.checkpoint")
}

#[test]
fn a_search_is_cut_off_and_goes_on() {
    let whole = tool().args("--lib asynchronous -s dfs").run().words(0);
    let directory = traces();
    let cut = search(directory.path(), "-i 3").run().words(0);
    let says = "the search can go on from its 3 executions in ";
    assert!(cut.contains(says) && cut.contains("`--resume`"), "{cut}");
    let resumed = search(directory.path(), "--resume -j 2").run().words(0);
    assert_eq!(resumed, whole);
    assert!(!file(directory.path()).exists());
}

/// Each invalid use is rejected with advice.
#[test]
fn what_it_can_t_go_on_from() {
    let directory = traces();
    let path = file(directory.path());
    let refused = |flags: &str, why: &str| {
        let run = search(directory.path(), flags).run();
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stdout.contains(why), "{}", run.stdout);
    };
    refused("--resume", "there is no checkpoint ");
    search(directory.path(), "-i 3").run().words(0);
    let whole = fs::read(&path).expect("a checkpoint");
    refused("--resume --seed 3", "the seed was `0`, and is `3` now");
    refused("--resume -m 77", "the bound on steps was `10000:100000");
    refused(
        "--resume --no-fail-fast",
        "--no-fail-fast was `false`, and is `true` now",
    );
    fs::write(&path, &whole[..whole.len() - 3]).expect("a shorter one");
    refused("--resume", "is a damaged checkpoint: it has ");
    fs::write(&path, &whole[..100]).expect("a shorter one");
    refused("--resume", "is a damaged checkpoint: its first line is cut");
    fs::write(&path, "").expect("an empty one");
    refused("--resume", "is a damaged checkpoint: it is empty");
    let mut other = whole.clone();
    *other.last_mut().expect("a byte") ^= 1;
    fs::write(&path, &other).expect("another one");
    refused("--resume", "its bytes don't match their digest");
    fs::write(&path, "[1, 2, 3]").expect("another file");
    refused("--resume", "is no checkpoint of actor-test");
    let text = String::from_utf8_lossy(&whole);
    let (_, rest) = text.split_once("\"program\":\"").expect("the program");
    let other = text.replacen(&rest[..8], "01234567", 1);
    fs::write(&path, other).expect("another one");
    refused(
        "--resume",
        "is of another program: its executable is `01234567-",
    );
}

#[test]
fn a_search_that_can_t_go_on_says_so() {
    let refused = |flags: &str, why: &str| {
        let run = tool().args("--lib asynchronous").args(flags).run();
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stdout.contains(why), "{}", run.stdout);
    };
    let random =
        "--checkpoint: `random` can't go on where it was interrupted; the searches that can are";
    refused("-s random --checkpoint", random);
    refused(
        "--resume",
        "--resume: several strategies in turn can't go on",
    );
}
