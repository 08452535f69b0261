//! Mutation testing of the tester: makes one small change at a time, and checks that a test fails.
//!
//! The mutants are those that cargo-mutants lists. A build for each of them would take a minute,
//! so one build contains all of them, each behind a number (`weave`); mutants that do not
//! compile are left out. Each test runs by itself and reports the mutants that it reaches
//! (`tests`). A mutant is then tried with these tests only, the quickest first, until one fails.

mod list;
mod tests;
mod tree;
mod weave;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use list::{Mutant, Part};
use tests::{Outcome, Test};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The arguments: `PART [JOBS [again]]`.
struct Request {
    part: Part,
    jobs: usize,
    /// True to try only the mutants that were missed the last time.
    again: bool,
}

impl Request {
    fn read() -> Result<Self, String> {
        let mut arguments = std::env::args().skip(1);
        let usage = "usage: mutants K/N [JOBS [again]], one of N parts, from 0/N to N-1/N; or of it again what was missed";
        let part = arguments
            .next()
            .and_then(|part| Part::parse(&part))
            .ok_or(usage)?;
        let jobs = arguments
            .next()
            .map_or(Ok(1), |jobs| jobs.parse())
            .map_err(|_| usage)?;
        let again = match arguments.next().as_deref() {
            None => false,
            Some("again") => true,
            Some(_) => return Err(usage.to_owned()),
        };
        Ok(Self { part, jobs, again })
    }
}

fn run() -> Result<(), String> {
    let request = Request::read()?;
    let all = list::all()?;
    let number_of_all = all.len();
    let work = Path::new("target/mutants");
    let wanted = match request.again {
        false => list::part(all, request.part),
        true => {
            let path = work.join("missed.txt");
            let missed = std::fs::read_to_string(&path);
            let missed = missed.map_err(|error| format!("{}: {error}", path.display()))?;
            list::named(all, &missed)
        }
    };
    // Numbers begin at one: zero is the original program.
    let mut mutants: BTreeMap<usize, Mutant> = (1..).zip(wanted).collect();
    println!("{} changes of {number_of_all}", mutants.len());

    let tree = tree::Tree::copy(work)?;
    let unviable = tree.weave(&mut mutants)?;
    println!("{} of them do not compile", unviable.len());
    note(
        work,
        "unviable",
        unviable.iter().map(|mutant| mutant.name.clone()),
    )?;

    let tests = tests::all(&tree)?;
    println!("{} tests", tests.len());
    let known = tests::baseline(&tree, &tests, request.jobs);
    for test in known.iter().filter(|test| !test.passed) {
        println!("left out, since it fails without a change: {}", test.name);
    }
    let seconds: f64 = known.iter().map(|test| test.seconds).sum();
    println!("they take {seconds:.0} s one by one");
    report(work, &mutants, &try_all(&mutants, &known, request.jobs))
}

/// Tries each mutant, and prints each result at once.
fn try_all(
    mutants: &BTreeMap<usize, Mutant>,
    known: &[Test],
    jobs: usize,
) -> BTreeMap<usize, Outcome> {
    let numbers: Vec<usize> = mutants.keys().copied().collect();
    let next = AtomicUsize::new(0);
    let outcomes = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let outcome = tests::try_one(known, number);
                    println!("{outcome} {}", mutants[&number].name);
                    outcomes
                        .lock()
                        .expect("no thread panics")
                        .insert(number, outcome);
                }
            });
        }
    });
    outcomes.into_inner().expect("no thread panics")
}

fn report(
    work: &Path,
    mutants: &BTreeMap<usize, Mutant>,
    outcomes: &BTreeMap<usize, Outcome>,
) -> Result<(), String> {
    let named = |wanted: fn(&Outcome) -> bool| {
        let those = outcomes.iter().filter(move |(_, outcome)| wanted(outcome));
        those
            .map(|(number, outcome)| format!("{outcome} {}", mutants[number].name))
            .collect::<BTreeSet<_>>()
    };
    let (missed, killed) = (
        named(|outcome| !outcome.is_killed()),
        named(Outcome::is_killed),
    );
    note(work, "missed", missed.iter().cloned())?;
    note(work, "killed", killed.iter().cloned())?;
    let (killed, viable) = (killed.len(), killed.len() + missed.len());
    if viable == 0 {
        return Err("no change of this part compiles".to_owned());
    }
    let (low, high) = interval(killed, viable);
    let share = 100.0 * killed as f64 / viable as f64;
    println!(
        "{killed} of {viable} viable mutants killed: {share:.1} %, 95 % interval {low:.1} to {high:.1} %"
    );
    Ok(())
}

fn note(work: &Path, name: &str, lines: impl Iterator<Item = String>) -> Result<(), String> {
    let text: String = lines.map(|line| line + "\n").collect();
    let path = work.join(name).with_extension("txt");
    std::fs::write(&path, text)
        .map_err(|error| format!("failed to write {}: {error}", path.display()))
}

/// Wilson's confidence interval for a proportion, in percent.
fn interval(of: usize, all: usize) -> (f64, f64) {
    let (n, z) = (all as f64, 1.96_f64);
    let share = of as f64 / n;
    let middle = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let whole = 1.0 + z * z / n;
    (
        100.0 * (middle - half) / whole,
        100.0 * (middle + half) / whole,
    )
}
