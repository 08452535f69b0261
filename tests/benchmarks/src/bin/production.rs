//! Prints what production costs: our actors beside tokio's channel and a hand-written mailbox, on
//! one thread and on two workers, medians of five. `production actor-core` runs that one alone.

use std::env;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use benchmarks::production::{Actors, Contender, Mailbox, Mpsc, Run, Tasks};
use tokio::runtime::{Builder, Runtime};

const REPEATS: usize = 5;
/// How many receivers are idle where their memory is looked at.
const IDLE: u64 = 100_000;
/// What this program is called with to do no more than that.
const MEMORY: &str = "--memory";

/// One row: its name, how many times it does what it does, and how.
type Scenario = (&'static str, u64, fn(&dyn Contender, u64) -> Run);

const SCENARIOS: [Scenario; 6] = [
    ("tell", 1_000_000, |contender, n| contender.fan_in(1, n)),
    ("tell, from 4 senders", 1_000_000, |contender, n| {
        contender.fan_in(4, n / 4)
    }),
    ("ask", 200_000, |contender, n| contender.ask(n)),
    ("spawn", 100_000, |contender, n| contender.spawn(n)),
    ("ping-pong, round trip", 200_000, |contender, n| {
        contender.ping_pong(n)
    }),
    ("ring of 1000, hop", 200_000, |contender, n| {
        contender.ring(1_000, n)
    }),
];

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let all: [&dyn Contender; 3] = [
        &Actors,
        &Tasks::<Mpsc>::default(),
        &Tasks::<Mailbox>::default(),
    ];
    let wanted = |contender: &&dyn Contender| {
        let name = arguments.last();
        name.is_none_or(|name| name.as_str() == contender.name())
    };
    let contenders: Vec<&dyn Contender> = all.into_iter().filter(wanted).collect();
    match arguments.as_slice() {
        [flag, _] if flag == MEMORY => contenders.iter().for_each(|one| println!("{}", idle(*one))),
        _ => table(&contenders),
    }
}

fn table(contenders: &[&dyn Contender]) {
    let names: Vec<&str> = contenders
        .iter()
        .map(|contender| contender.name())
        .collect();
    println!("| nanoseconds | {} |", names.join(" | "));
    println!("|---|{}", "---:|".repeat(names.len()));
    for workers in [0, 2] {
        for (name, times, scenario) in SCENARIOS {
            let on = if workers == 0 {
                "one thread"
            } else {
                "2 workers"
            };
            let cells: Vec<String> = medians(contenders, workers, times, scenario)
                .iter()
                .map(|nanoseconds| format!("{nanoseconds:.0}"))
                .collect();
            println!("| {name}, {on} | {} |", cells.join(" | "));
        }
    }
    let bytes: Vec<String> = names.iter().map(|name| memory(name)).collect();
    println!("| bytes of an idle receiver | {} |", bytes.join(" | "));
}

/// One after another, round after round, so that other load meets all alike.
fn medians(
    contenders: &[&dyn Contender],
    workers: usize,
    times: u64,
    scenario: fn(&dyn Contender, u64) -> Run,
) -> Vec<f64> {
    let mut rounds = vec![Vec::new(); contenders.len()];
    for _ in 0..REPEATS {
        for (contender, found) in contenders.iter().zip(&mut rounds) {
            let elapsed = measure(workers, scenario(*contender, times));
            found.push(elapsed.as_nanos() as f64 / times as f64);
        }
    }
    rounds
        .iter_mut()
        .map(|found| {
            found.sort_by(f64::total_cmp);
            found[REPEATS / 2]
        })
        .collect()
}

fn measure(workers: usize, run: Run) -> Duration {
    let runtime = runtime(workers);
    let elapsed = runtime.block_on(async move {
        let begun = Instant::now();
        // A task, so that it is on a worker.
        tokio::spawn(run).await.expect("a scenario ends");
        begun.elapsed()
    });
    runtime.shutdown_background();
    elapsed
}

fn runtime(workers: usize) -> Runtime {
    let mut builder = match workers {
        0 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let builder = builder.worker_threads(workers.max(1)).enable_time();
    builder.build().expect("a runtime starts")
}

/// The memory of an idle receiver, as a process of its own finds it.
fn memory(name: &str) -> String {
    let program = env::current_exe().expect("this program has a path");
    let output = Command::new(program).args([MEMORY, name]).output();
    let output = output.expect("this program runs");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn idle(contender: &dyn Contender) -> String {
    runtime(0).block_on(async {
        drop(contender.idle(10).await);
        let before = resident_bytes();
        let kept = contender.idle(IDLE).await;
        let bytes = resident_bytes().zip(before);
        drop(kept);
        bytes.map_or_else(
            || "not known".into(),
            |(after, before)| format!("{:.0}", (after - before) / IDLE as f64),
        )
    })
}

/// The resident memory of this process, where the system tells.
fn resident_bytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kibibytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024.0)
}
