//! Checkpoints: an interrupted search resumes with the same result as an uninterrupted one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use actor_core::prelude::*;
use actor_test::strategy::Gap;
use actor_test::{Report, Tester};
use behaviour::closures::{at_start, handles};
use behaviour::harness::{self, whole};
use behaviour::programs::*;

use crate::search::{Here, callers};

/// Returns a report without times and without its checkpoint.
fn timeless(report: &Report) -> Report {
    let mut report = harness::timeless(report.clone());
    report.checkpoint = None;
    report
}

/// Returns the files in the directory of the only test.
fn files(directory: &Path) -> Vec<PathBuf> {
    let paths = |directory: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(directory).expect("a directory");
        entries.map(|entry| entry.expect("a file").path()).collect()
    };
    let tests = paths(directory);
    assert_eq!(tests.len(), 1, "{tests:?}");
    paths(&tests[0])
}

/// Interrupts a search after each of these numbers of executions, with one
/// worker or three; the result must equal that of an uninterrupted search.
pub(super) fn goes_on(
    tester: Tester,
    cuts: &[u64],
    program: impl Fn(&System) + Sync,
    whole: &Report,
) {
    let directory = tempfile::tempdir().expect("a directory");
    let mut tester = tester.search_dir(directory.path());
    for (number, cut) in cuts.iter().enumerate() {
        tester = tester.iterations(*cut).workers(1 + 2 * (number % 2));
        let report = tester.run(|sys| program(&sys));
        assert!(report.executions <= *cut);
        let gaps = &report.verdict.gaps;
        assert!(gaps.contains(&Gap::Executions { bound: *cut }), "{gaps:?}");
        let kept = report.checkpoint.expect("a checkpoint");
        assert!(kept.executions.is_some_and(|kept| kept <= *cut), "{kept:?}");
        assert_eq!(vec![kept.path], files(directory.path()));
        assert_eq!(kept.problem, None);
    }
    let resumed = tester.iterations(u64::MAX).run(|sys| program(&sys));
    assert_eq!(resumed.checkpoint, None);
    assert_eq!(timeless(&resumed), timeless(whole));
    let left = files(directory.path());
    assert!(left.is_empty(), "a search that is over leaves: {left:?}");
}

/// A search that is long enough to be divided into parts, in a few rounds.
const CALLERS: u32 = 7;
const CHOICES: usize = 4;
/// The answer that is explored last.
const LATE: usize = 2;

#[test]
fn every_schedule_goes_on() {
    let program = |sys: &System| fan_in(sys, 3, 1);
    let all = whole("dfs").run(|sys| program(&sys));
    assert!(all.verdict.is_exhaustive() && all.executions > 500);
    goes_on(whole("dfs"), &[1, 7, 100, 101, 500], program, &all);
    let local_first = whole("dfs:local").run(|sys| program(&sys));
    goes_on(whole("dfs:local"), &[3, 5], program, &local_first);
}

/// Receives calls; it fails in two of the orders, late in the search.
fn calls(sys: &System) {
    let (mut order, is_patient) = (Vec::new(), sys.choose(CHOICES) != LATE);
    let picky = handles(sys, move |here: Here, _| {
        order.push(here.0);
        let is_wrong = !is_patient && order == [3, 0, 6, 1, 4, 2, 5];
        assert!(!is_wrong, "just this order");
        assert!(order != [0, 1, 2, 3, 4, 5, 6], "nobody overtakes");
    });
    callers(sys, &picky, 0..CALLERS);
}

/// A tester that continues after a bug.
fn picky() -> Tester {
    whole("dpor").keep_going()
}

/// A tester for one part of a search that several processes share.
fn part(which: &str, directory: &Path) -> Tester {
    let tester = picky().search_dir(directory);
    tester.partition(which.parse().expect("a partition"))
}

/// Returns the result of a single uninterrupted process.
fn uninterrupted() -> &'static Report {
    static WHOLE: OnceLock<Report> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let whole = picky().run(|sys| calls(&sys));
        let iterations: Vec<u64> = whole.bugs.iter().map(|bug| bug.iteration).collect();
        // One bug before the interruption of the search, and one after it.
        let are_spread = matches!(iterations[..], [..9_000, (13_001..)]);
        assert!(are_spread, "{iterations:?}");
        timeless(&whole)
    })
}

/// The bugs, with token and trace, are the same as without the
/// interruption; a bug that was found before the interruption is included.
#[test]
fn bugs_are_found_all_the_same() {
    goes_on(picky(), &[12_000, 13_000], calls, uninterrupted());
}

#[derive(Debug)]
struct Aside;

/// The number of calls, and the first caller.
#[derive(Default, Hash)]
struct Between {
    calls: u32,
    first: Option<u32>,
}

#[monitor]
impl Between {
    #[on]
    fn here(&mut self, here: &Here) {
        self.calls += 1;
        self.first.get_or_insert(here.0);
    }

    #[on]
    fn aside(&mut self, _: &Aside) {
        assert!(self.calls < CALLERS + 1, "there are no more");
    }
}

/// The number of behaviours is the number of call orders; a monitor observes an independent event in between.
fn observed(sys: &System) {
    sys.monitor::<Between>();
    // A choice makes the search long enough to be divided.
    sys.choose(2);
    let called = handles(sys, |_: Here, _| {});
    callers(sys, &called, 0..CALLERS);
    let stranger = handles(sys, |_: Aside, _| {});
    at_start(sys, move |_| stranger.tell(Aside));
}

/// The orders shown to monitors are known after an interruption, and to all
/// shards. This takes 3 s of a core, since only a long search is divided.
#[test]
fn monitors_are_shown_the_same() {
    let whole = harness::exhaust(&picky(), |sys| observed(&sys));
    assert_eq!(whole.verdict.behaviours(), Some(2 * 5_040));
    goes_on(picky(), &[8_500], observed, &whole);
    let directory = tempfile::tempdir().expect("a directory");
    let shard = |which: &str| {
        let tester = part(which, directory.path());
        timeless(&tester.run(|sys| observed(&sys)))
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(|| shard("1/2"));
        assert_eq!(shard("2/2"), timeless(&whole));
        assert_eq!(other.join().expect("a report"), timeless(&whole));
    });
}

/// The variable with the arguments of the victim: when it dies, its shard or `alone`, and its directory.
const VICTIM: &str = "BEHAVIOUR_VICTIM";

/// Run only by the next tests, in a process of its own, which it kills.
#[test]
#[ignore = "it ends its process"]
fn dies() {
    let Ok(given) = std::env::var(VICTIM) else {
        return;
    };
    let [at, how, directory] = given.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{given}");
    };
    let at: u64 = at.parse().expect("a number");
    let mut tester = picky().search_dir(directory).workers(2);
    if let Ok(part) = how.parse() {
        tester = tester.partition(part);
    }
    let executions = AtomicU64::new(0);
    tester.run(|sys| {
        if executions.fetch_add(1, Ordering::Relaxed) == at {
            let id = std::process::id().to_string();
            let _ = Command::new("kill").args(["-9", &id]).status();
        }
        calls(&sys);
    });
}

/// Explores in a separate process, which is killed.
#[cfg(unix)]
fn kill(at: u64, how: &str, directory: &Path) {
    use std::os::unix::process::ExitStatusExt;

    let executable = std::env::current_exe().expect("this test");
    let status = Command::new(executable)
        .args(["--exact", "search::checkpoints::dies", "--ignored"])
        .env(VICTIM, format!("{at} {how} {}", directory.display()))
        .output()
        .expect("the other process")
        .status;
    assert_eq!(status.signal(), Some(9), "{status}");
}

/// A process that explores is killed, and so is the one that
/// resumes its search; the third process finds all bugs.
#[test]
#[cfg(unix)]
fn whatever_ends_the_process() {
    let directory = tempfile::tempdir().expect("a directory");
    kill(12_500, "alone", directory.path());
    kill(2_000, "alone", directory.path());
    let left = files(directory.path());
    let is_whole = |path: &PathBuf| path.extension().is_some_and(|end| end == "checkpoint");
    assert!(left.iter().any(is_whole), "{left:?}");
    let tester = picky().search_dir(directory.path());
    let resumed = tester.run(|sys| calls(&sys));
    assert_eq!(timeless(&resumed), *uninterrupted());
}

/// Each of several processes returns the result of the whole search,
/// and runs a part of it. One of them is killed, and started again.
#[test]
#[cfg(unix)]
fn shards_find_what_one_process_finds() {
    let directory = tempfile::tempdir().expect("a directory");
    let executions = AtomicU64::new(0);
    let shard = |which: &str| {
        let report = part(which, directory.path()).run(|sys| {
            executions.fetch_add(1, Ordering::Relaxed);
            calls(&sys);
        });
        timeless(&report)
    };
    std::thread::scope(|scope| {
        let others = ["1/3", "3/3"].map(|which| scope.spawn(move || shard(which)));
        kill(12_500, "2/3", directory.path());
        assert_eq!(shard("2/3"), *uninterrupted());
        for other in others {
            assert_eq!(other.join().expect("a report"), *uninterrupted());
        }
    });
    // Each shard has run the beginning, which is not divided.
    let executions = executions.into_inner();
    assert!(executions < 3 * uninterrupted().executions, "{executions}");
    // A shard of another partition is rejected.
    let tester = part("1/2", directory.path());
    let refused = std::panic::catch_unwind(|| tester.run(|sys| calls(&sys)));
    assert!(refused.is_err(), "of three, and of two");
}
