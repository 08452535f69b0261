//! A search that was interrupted goes on as if it had not been.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Gap, Report, Search, Settings, Tester};
use behaviour::programs::*;

fn settings(strategy: StrategySpec) -> Settings {
    let mut settings = Settings::default();
    settings.iterations = u64::MAX;
    settings.search = Search::Strategies(vec![strategy]);
    settings
}

/// What a report says, but for times, and where it might go on.
fn said(report: &Report) -> String {
    let mut report = report.clone();
    report.elapsed_s = 0.0;
    report.checkpoint = None;
    for bug in &mut report.bugs {
        bug.found_after_s = 0.0;
    }
    format!("{report:#?}")
}

/// The only file of a directory.
fn file(directory: &Path) -> PathBuf {
    let mut files = fs::read_dir(directory).expect("a directory");
    let file = files.next().expect("a checkpoint").expect("a file");
    assert!(files.next().is_none(), "nothing lies beside a checkpoint");
    file.path()
}

/// Cut off after each of these numbers of executions, by one worker or by three, the search ends as one
/// that was not.
fn goes_on(mut settings: Settings, cuts: &[u64], program: impl Fn(&System) + Sync) -> Report {
    let whole = Tester::with(settings.clone()).run(&program);
    let directory = tempfile::tempdir().expect("a directory");
    settings.checkpoint = Some(directory.path().to_owned());
    for (number, cut) in cuts.iter().enumerate() {
        settings.iterations = *cut;
        settings.workers = 1 + 2 * (number % 2);
        let report = Tester::with(settings.clone()).run(&program);
        assert!(report.executions <= *cut);
        assert!(
            report
                .verdict
                .gaps
                .contains(&Gap::Executions { bound: *cut })
        );
        let kept = report.checkpoint.expect("a checkpoint");
        assert!(kept.executions.is_some_and(|kept| kept <= *cut), "{kept:?}");
        assert_eq!((kept.path, kept.problem), (file(directory.path()), None));
        settings.resume = true;
    }
    settings.iterations = u64::MAX;
    let resumed = Tester::with(settings).run(&program);
    assert_eq!(resumed.checkpoint, None);
    assert_eq!(said(&resumed), said(&whole));
    let left = fs::read_dir(directory.path()).expect("a directory").count();
    assert_eq!(left, 0, "a search that is over leaves no checkpoint");
    whole
}

/// Long enough to be divided into parts, in a few rounds.
const CALLERS: u32 = 7;
const CHOICES: usize = 4;
/// The answer that is explored last.
const LATE: usize = 2;
const BEHAVIOURS: u64 = 5_040 * CHOICES as u64;

#[test]
fn a_proof_goes_on() {
    let cuts = [9_500, 12_000, 15_000];
    let settings = settings(StrategySpec::Dpor(None));
    let whole = goes_on(settings, &cuts, |sys| calls(sys, false));
    assert_eq!(whole.verdict.behaviours(), Some(BEHAVIOURS));
    assert!(whole.verdict.is_exhaustive(), "{:?}", whole.verdict);
}

#[test]
fn every_schedule_goes_on() {
    let whole = goes_on(
        settings(StrategySpec::Dfs(None)),
        &[1, 7, 100, 101, 500],
        |sys| {
            fan_in(sys, 3, 1);
        },
    );
    assert!(whole.verdict.is_exhaustive() && whole.executions > 500);
    goes_on(settings(StrategySpec::DfsLocal(None)), &[3, 5], |sys| {
        fan_in(sys, 3, 1)
    });
}

/// Says how many calls it has taken, and fails in two of the orders, late in the search.
#[derive(Default)]
struct Picky {
    order: Vec<u32>,
    is_picky: bool,
    is_patient: bool,
}

#[derive(Debug)]
struct Here(u32);

#[actor]
impl Picky {
    #[on]
    fn here(&mut self, here: Here) {
        self.order.push(here.0);
        if self.is_picky {
            let is_wrong = !self.is_patient && self.order == [3, 0, 6, 1, 4, 2, 5];
            assert!(!is_wrong, "just this order");
            assert!(self.order != [0, 1, 2, 3, 4, 5, 6], "nobody overtakes");
        }
    }
}

struct Caller {
    picky: ActorRef<Picky>,
    number: u32,
}

#[actor]
impl Caller {
    #[start]
    fn start(&mut self) {
        self.picky.tell(Here(self.number));
    }
}

fn calls(sys: &System, is_picky: bool) {
    let picky = sys.spawn(Picky {
        order: Vec::new(),
        is_picky,
        is_patient: sys.choose(CHOICES) != LATE,
    });
    for number in 0..CALLERS {
        let picky = picky.clone();
        sys.spawn(Caller { picky, number });
    }
}

/// The bug, its token and its trace are what they would have been; and so is a bug that was found before
/// the search was interrupted.
#[test]
fn bugs_are_found_all_the_same() {
    let mut settings = settings(StrategySpec::Dpor(None));
    settings.keep_going = true;
    let whole = goes_on(settings, &[12_000, 13_000], |sys| calls(sys, true));
    let iterations: Vec<u64> = whole.bugs.iter().map(|bug| bug.iteration).collect();
    assert!(
        matches!(iterations[..], [..9_000, (13_001..)]),
        "{iterations:?}"
    );
}

/// When, whether it goes on, and where.
const VICTIM: &str = "BEHAVIOUR_VICTIM";

/// Run by the next test alone, in a process of its own, which it ends.
#[test]
#[ignore = "it ends its process"]
fn dies() {
    let Ok(given) = std::env::var(VICTIM) else {
        return;
    };
    let [at, resumes, directory] = given.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{given}");
    };
    let at: u64 = at.parse().expect("a number");
    let mut settings = settings(StrategySpec::Dpor(None));
    settings.checkpoint = Some(directory.into());
    settings.resume = resumes == "true";
    settings.workers = 2;
    let executions = AtomicU64::new(0);
    Tester::with(settings).run(|sys| {
        if executions.fetch_add(1, Ordering::Relaxed) == at {
            let id = std::process::id().to_string();
            let _ = Command::new("kill").args(["-9", &id]).status();
        }
        calls(sys, false);
    });
}

/// A process that explores is killed, and so is the one that goes on after it; the third ends with the proof.
#[test]
#[cfg(unix)]
fn whatever_ends_the_process() {
    use std::os::unix::process::ExitStatusExt;

    let mut settings = settings(StrategySpec::Dpor(None));
    let whole = Tester::with(settings.clone()).run(|sys| calls(sys, false));
    let directory = tempfile::tempdir().expect("a directory");
    for (at, resumes) in [(10_000, false), (3_000, true)] {
        let executable = std::env::current_exe().expect("this test");
        let status = Command::new(executable)
            .args(["--exact", "checkpoints::dies", "--ignored"])
            .env(
                VICTIM,
                format!("{at} {resumes} {}", directory.path().display()),
            )
            .output()
            .expect("the other process")
            .status;
        assert_eq!(status.signal(), Some(9), "{status}");
    }
    let left = fs::read_dir(directory.path()).expect("a directory");
    let is_whole = |path: &PathBuf| path.extension().is_some_and(|end| end == "checkpoint");
    let left: Vec<PathBuf> = left.map(|file| file.expect("a file").path()).collect();
    assert!(left.iter().any(is_whole), "{left:?}");
    settings.checkpoint = Some(directory.path().to_owned());
    settings.resume = true;
    let resumed = Tester::with(settings).run(|sys| calls(sys, false));
    assert_eq!(said(&resumed), said(&whole));
    assert_eq!(whole.verdict.behaviours(), Some(BEHAVIOURS));
}
