//! Tasks, threads and the objects that they share; time that passes in them.

use actor_core::System;
use actor_test::{BodyOutput, BugKind, Tester};
use behaviour::harness;

mod owned_guards;
mod scoped_threads;
mod task_time;
mod tasks;
mod tasks_and_threads_wait;
mod threads;
mod time_passes;
mod wake_ups;

/// Asserts that this is the first bug of a program.
#[track_caller]
fn expect_bug<R: BodyOutput<K>, K>(
    kind: BugKind,
    parts: &[&str],
    program: impl Fn(System) -> R + Sync,
) {
    harness::expect_bug(&Tester::new().iterations(2_000), kind, parts, program);
}

/// Asserts that a program has no bug in a few hundred executions.
#[track_caller]
fn clean<R: BodyOutput<K>, K>(program: impl Fn(System) -> R + Sync) {
    Tester::new().iterations(300).run(program).assert_clean();
}

/// Returns the number of interleavings of `k` steps with `n - k` others.
fn binomial(n: u64, k: u64) -> u64 {
    (1..=k).fold(1, |product, i| product * (n - k + i) / i)
}

/// Searches that reduce the set of schedules, and one that does not.
const SEARCHES: [&str; 6] = [
    "dfs",
    "dfs:local",
    "states",
    "states:local",
    "ses:by=hb",
    "pb:by=hb",
];
