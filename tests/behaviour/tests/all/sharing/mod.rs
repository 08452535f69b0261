//! Tasks, threads and the objects that they share; time that passes in them.

mod owned_guards;
mod scoped_threads;
mod task_time;
mod tasks;
mod tasks_and_threads_wait;
mod threads;
mod time_passes;
mod wake_ups;

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
