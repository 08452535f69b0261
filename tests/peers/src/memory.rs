//! The memory of an idle actor.

use std::env;
use std::fs;
use std::process::Command;

use crate::contender::Contender;

/// The number of idle actors in the measurement.
const IDLE: u64 = 100_000;

/// The argument that makes this program measure memory only.
pub(crate) const FLAG: &str = "--weigh";

/// Returns the memory of an idle actor in bytes, measured in a
/// process of its own; `None` if the system does not report it.
pub(crate) fn weigh(contender: &str, executor: &str) -> Option<f64> {
    let program = env::current_exe().ok()?;
    let output = Command::new(program)
        .args([FLAG, contender, executor])
        .output();
    let figure = String::from_utf8(output.ok()?.stdout).ok()?;
    figure
        .trim()
        .parse()
        .ok()
        .filter(|bytes: &f64| bytes.is_finite())
}

/// Returns the growth of the resident memory per idle
/// counter; NaN if the system does not report it.
pub(crate) async fn idle<C: Contender>(contender: C) -> f64 {
    drop(counters(contender, 10).await);
    let before = resident_bytes();
    let kept = counters(contender, IDLE).await;
    let after = resident_bytes();
    drop(kept);
    (after - before) / IDLE as f64
}

async fn counters<C: Contender>(contender: C, count: u64) -> (C::System, Vec<C::Counter>) {
    let system = contender.system();
    let mut counters = Vec::with_capacity(count as usize);
    for _ in 0..count {
        counters.push(contender.counter(&system).await);
    }
    for counter in &counters {
        contender.tell(counter).await;
        assert_eq!(contender.ask(counter).await, 2, "every event is counted");
    }
    (system, counters)
}

fn resident_bytes() -> f64 {
    let kibibytes = || {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    kibibytes().unwrap_or(f64::NAN) * 1024.0
}
