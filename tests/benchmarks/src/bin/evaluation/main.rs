//! Evaluation of strategies and portfolios: prints the number of schedules until each finds each
//! planted bug of the samples, median and maximum over several seeds. With `hard` as the first
//! argument: the geometric mean over the seeds, on small programs whose bugs take a uniform walk
//! hundreds of schedules. Those are in two halves, one for tuning and one for reporting.
//!
//! `cargo run --release -p benchmarks --bin evaluation [-- SEEDS SCHEDULES [STRATEGY]…]`,
//! where `pct+pos` means two strategies that alternate. The program runs the tool as a
//! user would: every actor test of the samples that expects a bug has a planted one.
//!
//! `cargo run --release -p benchmarks --bin evaluation -- hard [ORDERS SEEDS SCHEDULES]`

mod hard;
mod mistakes;

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

const SEARCHES: [&str; 12] = [
    "random",
    "weighted",
    "prob",
    "pct",
    "pos",
    "pos:local",
    "surw",
    "delay",
    "delay:rtc/5",
    "portfolio",
    "portfolio=round-robin",
    "portfolio=coyote",
];

/// The number of schedules until the first bug, by test; `None` if no schedule found one.
type Found = BTreeMap<String, Option<u64>>;

/// The strategies that may be arms of a portfolio.
const ARMS: [&str; 11] = [
    "random",
    "weighted",
    "prob",
    "pct",
    "pos",
    "pos:local",
    "urw",
    "surw",
    "delay",
    "delay:rtc/5",
    "delay:rr/5",
];

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == "hard").is_some() {
        return hard::main(arguments);
    }
    let number = |text: Option<String>, default| {
        text.map_or(default, |text| text.parse().expect("a number"))
    };
    let seeds = number(arguments.next(), 5);
    let schedules = number(arguments.next(), 2_000);
    let given: Vec<String> = arguments.collect();
    let searches: Vec<&str> = match &*given {
        [] => SEARCHES.to_vec(),
        given => given.iter().map(String::as_str).collect(),
    };
    let planted: Vec<String> = run("portfolio", 0, 1, &[]).into_keys().collect();
    let of = |search: &&str| {
        let seeds = (0..seeds).map(|seed| run(search, seed, schedules, &planted));
        seeds.collect::<Vec<Found>>()
    };
    let results: Vec<Vec<Found>> = searches.iter().map(of).collect();
    print(&searches, &planted, &results, schedules);
}

/// Explores the planted bugs, or all tests that expect a bug if `names` is empty.
fn run(search: &str, seed: u64, schedules: u64, names: &[String]) -> Found {
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "actor-test",
        "-p",
        "samples",
        "--include-ignored",
        "--format=json",
    ]);
    command.args(["--seed", &seed.to_string(), "-i", &schedules.to_string()]);
    match search.strip_prefix("portfolio") {
        Some(kind) => command.arg(format!("--portfolio{kind}")),
        None => command.args(search.split('+').flat_map(|strategy| ["-s", strategy])),
    };
    let output = command.args(names).output().expect("cargo runs");
    let lines = String::from_utf8_lossy(&output.stdout);
    let tests = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|line| line["type"] == "test");
    let found = tests.filter_map(|test| {
        // Another bug than the expected one counts, too: one mistake may show in several ways.
        let found = match test["outcome"].as_str()? {
            "expected-bug" | "expected-bug-missing" => {
                let bug = &test["report"]["bugs"][0]["iteration"];
                bug.as_u64().map(|iteration| iteration + 1)
            }
            _ => return None,
        };
        Some((test["test"].as_str()?.to_owned(), found))
    });
    found.collect()
}

fn print(searches: &[&str], planted: &[String], results: &[Vec<Found>], schedules: u64) {
    println!(
        "| schedules to the bug: median / worst | {} |",
        searches.join(" | ")
    );
    println!("|---|{}", "---:|".repeat(searches.len()));
    for name in planted {
        let cells: Vec<String> = results.iter().map(|found| cell(found, name)).collect();
        let name = name.trim_start_matches("samples::").replace("tests::", "");
        println!("| {name} | {} |", cells.join(" | "));
    }
    let found = |seeds: &Vec<Found>| {
        let all = seeds.iter().flat_map(BTreeMap::values);
        all.flatten().count() as f64 / seeds.len() as f64
    };
    row(
        "found",
        results.iter().map(|seeds| format!("{:.1}", found(seeds))),
    );
    // A bug that was not found counts as if the next schedule had found it.
    let mean = |seeds: &Vec<Found>| {
        let all = seeds.iter().flat_map(BTreeMap::values);
        let logs: Vec<f64> = all
            .map(|found| (found.unwrap_or(schedules + 1) as f64).ln())
            .collect();
        (logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp()
    };
    row(
        "geometric mean",
        results.iter().map(|seeds| format!("{:.1}", mean(seeds))),
    );
}

fn row(name: &str, cells: impl Iterator<Item = String>) {
    println!("| **{name}** | {} |", cells.collect::<Vec<_>>().join(" | "));
}

fn cell(seeds: &[Found], name: &str) -> String {
    let mut all: Vec<u64> = seeds
        .iter()
        .map(|found| found.get(name).copied().flatten().unwrap_or(u64::MAX))
        .collect();
    all.sort_unstable();
    let text = |schedules: u64| match schedules {
        u64::MAX => "–".to_owned(),
        schedules => schedules.to_string(),
    };
    let median = all.get(all.len() / 2).copied().unwrap_or(u64::MAX);
    let worst = all.last().copied().unwrap_or(u64::MAX);
    format!("{} / {}", text(median), text(worst))
}
