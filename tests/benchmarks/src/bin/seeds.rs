//! Tables like those in the papers of the strategies, over the samples: that of
//! Desai, Qadeer and Seshia (delaying explorers), figures 9 and 10 of MODIST, and the
//! liveness bugs that MaceMC's bounded depth-first search with random walks finds.
//!
//! `cargo run --release -p benchmarks --bin seeds [-- delays|orders|walks [NAME]…]`

use std::collections::BTreeSet;
use std::sync::Mutex;

use actor_core::System;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};
use behaviour::node::{Rule, spawn};
use behaviour::programs;
use benchmarks::planted::{ROWS, Row};
use samples::{ab_fairness, german, mace_transport};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let only = arguments.next();
    let names: Vec<String> = arguments.collect();
    let wanted = |table: &str| only.as_deref().is_none_or(|only| only == table);
    if wanted("delays") {
        delays(&names);
    }
    if wanted("orders") {
        orders();
    }
    if wanted("walks") {
        walks();
    }
}

fn tester(strategy: &str, executions: u64, seed: u64) -> Tester {
    let strategy: StrategySpec = strategy.parse().expect("the name of a strategy");
    Tester::new()
        .iterations(executions)
        .seed(seed)
        .check_every(0)
        .workers(1)
        .strategy(strategy)
}

/// The number of seeds for each sample; the table has the median.
const SEEDS: u64 = 5;
/// The number of schedules of a sampler, and of executions of a search, for each bug.
const SCHEDULES: u64 = 5_000;
const EXECUTIONS: u64 = 20_000;
/// The number of random walks.
const WALKS: u64 = 2_000;

/// Prints the number of schedules until a sampler finds each bug, and of states until a search does.
fn delays(names: &[String]) {
    const SAMPLERS: [&str; 6] = [
        "random",
        "iterative random",
        "pct:3",
        "ss:rr",
        "ss:rtc",
        "ss:prr",
    ];
    const SEARCHES: [&str; 7] = [
        "pb:by=states",
        "ses:rr",
        "ses:rtc",
        "ses:prr",
        "ses:rr/2/then=ss",
        "ses:rtc/2/then=ss",
        "states:order=breadth",
    ];
    println!("Schedules to the bug, the median of {SEEDS} seeds; `-`: none in {SCHEDULES}\n");
    let is_wanted =
        |row: &&Row| names.is_empty() || names.iter().any(|name| row.name.contains(name.as_str()));
    let planted = || {
        ROWS.iter()
            .filter(|row| row.bug.is_some())
            .filter(is_wanted)
    };
    header("mistake", &SAMPLERS);
    for row in planted() {
        let cell = |sampler: &&str| {
            let mut all: Vec<Option<u64>> =
                (0..SEEDS).map(|seed| sampled(row, sampler, seed)).collect();
            all.sort_unstable_by_key(|found| found.unwrap_or(u64::MAX));
            number(all[all.len() / 2])
        };
        line(row.name, SAMPLERS.iter().map(cell));
    }
    println!("\nStates to the bug (executions); `-`: none in {EXECUTIONS} executions\n");
    header("mistake", &SEARCHES);
    for row in planted() {
        line(
            row.name,
            SEARCHES.iter().map(|search| searched(row, search)),
        );
    }
}

fn is_it(row: &Row, report: &Report) -> bool {
    let bug = report.bugs().first();
    bug.zip(row.bug)
        .is_some_and(|(bug, text)| bug.message().contains(text))
}

fn sampled(row: &Row, sampler: &str, seed: u64) -> Option<u64> {
    if sampler != "iterative random" {
        let report = tester(sampler, SCHEDULES, seed).run(|sys| (row.set_up)(&sys));
        return is_it(row, &report).then_some(report.executions);
    }
    // In each round the step bound grows by 100, and the number of executions is tripled.
    let mut schedules = 0;
    for round in 1.. {
        let executions = 3_u64.pow(round).min(SCHEDULES - schedules);
        let steps = 100 * u64::from(round);
        let tester = tester("random", executions, seed).max_steps(steps);
        let tester = tester.max_fair_steps(steps);
        let report = tester.run(|sys| (row.set_up)(&sys));
        schedules += report.executions;
        if is_it(row, &report) {
            return Some(schedules);
        }
        if schedules >= SCHEDULES {
            break;
        }
    }
    None
}

/// Returns the number of visited states, and the number of executions.
fn searched(row: &Row, search: &str) -> String {
    let report = tester(search, EXECUTIONS, 0).run(|sys| (row.set_up)(&sys));
    if !is_it(row, &report) {
        return "-".into();
    }
    let states = report.verdict.states().unwrap_or_default();
    let executions = report.executions;
    format!("{states} ({executions})")
}

/// Prints two tables by number of executions: distinct partial orders of a program
/// that has few, and distinct protocol states of a program that has very many.
fn orders() {
    const SMALL: [u64; 6] = [10, 100, 1_000, 5_000, 15_000, 30_000];
    const LARGE: [u64; 6] = [10, 100, 1_000, 5_000, 20_000, 50_000];
    const STRATEGIES: [&str; 7] = [
        "random",
        "dfs",
        "dpor",
        "dpor:1/order=random",
        "dpor:100/order=random",
        "ses:rr",
        "ses:rtc",
    ];
    let table = |title: &str, paths: &[u64], count: &dyn Fn(&str, u64) -> (u64, u64)| {
        println!("\n{title}\n");
        let columns: Vec<String> = paths.iter().map(u64::to_string).collect();
        header(
            "strategy",
            &columns.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        for strategy in STRATEGIES {
            let cell = |paths: &u64| match count(strategy, *paths) {
                (seen, executions) if executions < *paths => format!("{seen} after {executions}"),
                (seen, _) => seen.to_string(),
            };
            line(strategy, paths.iter().map(cell));
        }
    };
    let small = |sys: &System| programs::paxos(sys, 2, 3);
    table(
        "Distinct partial orders: Paxos, 2 proposers, 3 acceptors; there are 26136",
        &SMALL,
        &|strategy, paths| {
            let report = tester(strategy, paths, 0).run(|sys| small(&sys));
            // `dpor` can cover behaviours without executing them.
            let explored = report.verdict.behaviours().unwrap_or_default();
            (report.behaviours.seen.max(explored), report.executions)
        },
    );
    table(
        "Distinct protocol states (role, ballot, decree): 3 nodes, 2 decrees, 3 ballots each",
        &LARGE,
        &|strategy, paths| {
            SEEN.lock().expect("nobody panics").clear();
            let report = tester(strategy, paths, 0).run(|sys| replicated_log(&sys));
            let seen = SEEN.lock().expect("nobody panics").len() as u64;
            (seen, report.executions)
        },
    );
}

/// The observed protocol states: node, role, ballot and decree. The program does not read them.
static SEEN: Mutex<BTreeSet<(usize, Role, u64, u64)>> = Mutex::new(BTreeSet::new());

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Candidate,
    Primary,
    Secondary,
}

/// Three nodes elect a primary by ballots, and the primary has two decrees accepted. A refused
/// candidate may try a higher ballot, twice. This is MODIST's MPS, reduced to its states.
fn replicated_log(sys: &System) {
    const NODES: u64 = 3;
    const DECREES: u64 = 2;
    let node = |number: u64| {
        let (mut role, mut ballot, mut decree) = (Role::Candidate, number, 0);
        let (mut promised, mut votes, mut tries) = (number, 1, 2);
        let rule: Rule = Box::new(move |acts, message| {
            let others = |kind, value| {
                (0..NODES)
                    .filter(|to| *to != number)
                    .for_each(|to| acts.send(to as usize, kind, value));
            };
            match message {
                None => others("prepare", ballot),
                Some(message) => {
                    let (its, number_of) = (message.value % 64, message.value / 64);
                    let is_mine = its == ballot && role != Role::Secondary;
                    match message.kind {
                        "prepare" | "accept" if its < promised => {
                            acts.send(message.from, "refused", promised);
                        }
                        "prepare" => {
                            (role, promised) = (Role::Secondary, its);
                            acts.send(message.from, "promised", its);
                        }
                        "accept" => {
                            (role, promised, decree) = (Role::Secondary, its, number_of);
                            acts.send(message.from, "accepted", message.value);
                        }
                        "promised" if is_mine && role == Role::Candidate => {
                            (role, votes) = (Role::Primary, 1);
                            others("accept", ballot);
                        }
                        "accepted" if is_mine && number_of == decree && decree < DECREES => {
                            votes += 1;
                            if votes == 2 {
                                (decree, votes) = (decree + 1, 1);
                                if decree < DECREES {
                                    others("accept", decree * 64 + ballot);
                                }
                            }
                        }
                        "refused" if its > ballot && tries > 0 => {
                            tries -= 1;
                            ballot += NODES * (1 + (its - ballot) / NODES);
                            (role, promised, votes) = (Role::Candidate, ballot, 1);
                            others("prepare", ballot);
                        }
                        _ => {}
                    }
                }
            }
            let seen = (number as usize, role, promised, decree);
            SEEN.lock().expect("nobody panics").insert(seen);
        });
        rule
    };
    spawn(sys, (0..NODES).map(node).collect());
}

/// Prints the executions until a liveness bug, by random walks alone and by walks after a search.
fn walks() {
    type SetUp = fn(&System);
    let bugs: [(&str, SetUp); 3] = [
        ("ab_fairness: DropStop", |sys| {
            ab_fairness::set_up(sys, Some(ab_fairness::Bug::DropStop));
        }),
        ("mace_transport: NoConnectionId", |sys| {
            mace_transport::set_up(sys, 2, Some(mace_transport::Bug::NoConnectionId));
        }),
        ("german: DropRequests", |sys| {
            german::set_up(sys, 2, 2, Some(german::Bug::DropRequests));
        }),
    ];
    const STRATEGIES: [&str; 5] = ["random", "weighted", "early-fair-pos", "bdfs:10", "bdfs"];
    println!("\nExecutions to a liveness bug, the median of {SEEDS} seeds\n");
    header("mistake", &STRATEGIES);
    for (name, set_up) in bugs {
        let cell = |strategy: &&str| {
            let found = |seed| {
                let tester = tester(strategy, WALKS, seed).max_steps(300);
                let report = tester.run(|sys| set_up(&sys));
                (!report.bugs().is_empty()).then_some(report.executions)
            };
            let mut all: Vec<Option<u64>> = (0..SEEDS).map(found).collect();
            all.sort_unstable_by_key(|found| found.unwrap_or(u64::MAX));
            number(all[all.len() / 2])
        };
        line(name, STRATEGIES.iter().map(cell));
    }
}

fn number(found: Option<u64>) -> String {
    found.map_or_else(|| "-".into(), |found| found.to_string())
}

fn header(first: &str, columns: &[&str]) {
    println!("| {first} | {} |", columns.join(" | "));
    println!("|---|{}", "---:|".repeat(columns.len()));
}

fn line(name: &str, cells: impl Iterator<Item = String>) {
    println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
}
