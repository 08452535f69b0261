//! Prints the result of `--exhaustive=dpor` for every test of the samples, and the number of tests with
//! each result: proved, with the number of behaviours; a bug; or the reason why there is no proof.
//!
//! `cargo run --release -p benchmarks --bin proofs [-- EXECUTIONS [FILTER]…]`:
//! at most this number of executions of each test (default: 2 000).

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use serde_json::Value;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let executions = arguments.next().unwrap_or_else(|| "2000".into());
    let _: u64 = executions.parse().expect("a number of executions");
    let output = Command::new(env!("CARGO"))
        .args(["actor-test", "-p", "samples", "--exhaustive=dpor", "-i"])
        .arg(&executions)
        .args(["--format", "json"])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo runs");
    let lines = String::from_utf8(output.stdout).expect("lines of JSON");
    let lines = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    println!("| test | executions | behaviours | what came of it |");
    println!("|---|---:|---:|---|");
    for line in lines.filter(|line| line["type"] == "test") {
        let report = &line["report"];
        let (kind, place) = outcome(&report["verdict"]["gaps"]);
        let reduction = &report["verdict"]["searched"]["systematic"]["reduction"];
        let test = line["test"].as_str().unwrap_or_default();
        println!(
            "| `{}` | {} | {} | {kind}{place} |",
            test.trim_start_matches("samples::"),
            report["executions"],
            match &reduction["steps"]["behaviours"] {
                Value::Null => &reduction["inboxes"]["behaviours"],
                behaviours => behaviours,
            },
        );
        *kinds.entry(kind).or_default() += 1;
    }
    let mut kinds: Vec<(String, u32)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, tests)| std::cmp::Reverse(*tests));
    println!("\n| what came of it | tests |\n|---|---:|");
    for (kind, tests) in kinds {
        println!("| {kind} | {tests} |");
    }
}

/// Returns the result of a search with these gaps: a kind, and the place where the search stopped.
fn outcome(gaps: &Value) -> (String, String) {
    let all = gaps.as_array().map_or(&[][..], Vec::as_slice);
    // The first gap is the one that ended the search.
    let Some(gap) = all.first() else {
        return match gaps.is_array() {
            true => ("proved".into(), String::new()),
            false => ("no report".into(), String::new()),
        };
    };
    if let Some(name) = gap.as_str() {
        return (name.into(), String::new());
    }
    let name = gap.as_object().and_then(|gap| gap.keys().next());
    let unsupported = &gap["unsupported"];
    match unsupported["what"].as_str() {
        Some(what) => {
            let who = unsupported["who"].as_str().unwrap_or("nobody");
            (format!("stopped at: {what}"), format!(", of `{who}`"))
        }
        None => (name.cloned().unwrap_or_default(), String::new()),
    }
}
