//! Random programs over the whole public API: compares each
//! reducing search with the exhaustive enumeration of schedules.
//!
//! A few participants (actors at their start, tasks, threads, the test body) execute a few
//! actions each, by [rules]; a [table] lists the public items that each rule uses. Each
//! participant records what it observes. An assertion of a participant can depend only on
//! its records so far, so these are compared, and the kinds of bugs. A search that claims
//! exhaustiveness, and has seen less than the enumeration, has given a false proof.

mod actors;
mod footprints;
mod kit;
mod program;
mod rooms;
mod rules;
mod surface;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use actor_test::strategy::StrategySpec;
use behaviour::harness::on_two_threads;

use program::Program;

/// The searches that reduce the set of schedules, and claim exhaustiveness in their verdict.
const SEARCHES: [&str; 6] = [
    "dpor",
    "states",
    "states:local",
    "dfs:local",
    "ses:by=hb",
    "pb:by=hb",
];

const TWO_NODES: &str = "two nodes that talk have more than 300 000 schedules";

/// The rules with which no search is exhaustive, with the reason.
const ENDLESS: &[(&str, &str)] = &[
    ("rng", "a random number is no choice"),
    ("body_rng", "a random number is no choice"),
    (
        "pool_elastic",
        "with its timer and a second worker it has too many schedules to be compared in every program",
    ),
    ("partition", TWO_NODES),
    ("cut", TWO_NODES),
    ("heal", TWO_NODES),
    ("heal_between", TWO_NODES),
    ("break_connection", TWO_NODES),
    ("half_open", TWO_NODES),
    ("fill_link", TWO_NODES),
    ("drain_link", TWO_NODES),
    ("hold_link", TWO_NODES),
    ("release_link", TWO_NODES),
    ("drop_next", TWO_NODES),
    ("duplicate_next", TWO_NODES),
    ("delay_next", TWO_NODES),
    ("spare_link", TWO_NODES),
];

fn strategy(name: &str) -> StrategySpec {
    name.parse().expect("the name of a strategy")
}

/// The results over all programs.
#[derive(Default, Debug)]
struct Tally {
    programs: u64,
    schedules: u64,
    /// The programs with too many schedules, however much they were shortened.
    too_long: Vec<u64>,
    rules: BTreeSet<&'static str>,
    /// The number of proofs of each search, and the sum of their executions.
    proofs: BTreeMap<&'static str, (u64, u64)>,
    wrong: Vec<String>,
}

/// Compares each search with the enumeration of all schedules of the program with that number.
fn compare_searches(number: u64, schedules_max: u64, tally: &Mutex<Tally>) {
    let mut program = Program::random(number);
    let (all, report) = loop {
        let found = program.explore(&strategy("dfs"), schedules_max);
        if found.1.verdict.is_exhaustive() {
            break found;
        }
        match program.shorter() {
            Some(shorter) => program = shorter,
            None => {
                let mut tally = tally.lock().expect("nobody panics here");
                return tally.too_long.push(number);
            }
        }
    };
    let searched = SEARCHES.map(|search| {
        let (found, report) = program.explore(&strategy(search), 4 * schedules_max);
        (search, found, report)
    });
    let mut tally = tally.lock().expect("nobody panics here");
    tally.programs += 1;
    tally.schedules += report.executions;
    tally.rules.extend(program.rules().map(|rule| rule.name));
    for (search, found, report) in searched {
        if !report.verdict.is_exhaustive() {
            continue;
        }
        let (proofs, executions) = tally.proofs.entry(search).or_default();
        *proofs += 1;
        *executions += report.executions;
        if found != all {
            let missed: Vec<_> = all.seen.difference(&found.seen).collect();
            let invented: Vec<_> = found.seen.difference(&all.seen).collect();
            let bugs = (&found.bugs, &all.bugs);
            tally.wrong.push(format!(
                "program {number}, {search}: misses {missed:?}, has besides {invented:?}, bugs {bugs:?}: {program:#?}"
            ));
        }
    }
}

/// Compares the searches for these programs, on two threads.
fn hold_all(numbers: impl Iterator<Item = u64> + Send, schedules_max: u64) -> Tally {
    let tally = Mutex::default();
    on_two_threads(numbers, |number| {
        compare_searches(number, schedules_max, &tally);
    });
    let tally = tally.into_inner().expect("nobody panics here");
    println!(
        "{} programs, {} schedules, too long: {:?}, proofs and their executions: {:?}",
        tally.programs, tally.schedules, tally.too_long, tally.proofs
    );
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    tally
}

#[test]
fn searches_find_what_all_schedules_find() {
    let numbers = 0..rules::all().count() as u64;
    let mut rules = hold_all(numbers.clone(), 600).rules;
    rules.extend(ENDLESS.iter().map(|(endless, _)| *endless));
    // A few rules have more schedules in each program.
    let is_missing = |number: &u64| !rules.contains(Program::random(*number).lead);
    let rest = hold_all(numbers.filter(is_missing), 2_000).rules;
    let missing = rules::all().map(|rule| rule.name);
    let missing = missing.filter(|name| !rules.contains(name) && !rest.contains(name));
    assert_eq!(
        missing.collect::<Vec<_>>(),
        [""; 0],
        "no program of theirs was short enough"
    );
}

/// `CONSTRUCTS` selects the programs: `500..10000`.
#[test]
#[ignore = "takes half an hour"]
fn searches_find_what_all_schedules_find_at_night() {
    let given = std::env::var("CONSTRUCTS").unwrap_or_else(|_| "500..10500".into());
    let (from, to) = given.split_once("..").expect("two numbers");
    let number = |text: &str| text.parse().expect("a number");
    hold_all(number(from)..number(to), 4_000);
}
