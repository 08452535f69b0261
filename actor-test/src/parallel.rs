//! Parallel map with ordered results: threads run jobs, and one consumer takes the results in order.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};

/// The stack size of a thread that runs a program's handlers, in bytes.
pub(crate) const STACK_BYTES: usize = 8 << 20;

/// Runs `jobs` on `workers` threads and hands the results to `take` in the order of the jobs. Once `take`
/// returns false, no more jobs begin, and the results of all later jobs are dropped. So `take` sees the same results
/// for any number of workers.
///
/// The calling thread is one of the workers and uses `own`. Each other thread ends with the call and calls
/// `equip` for its own state.
pub fn map_ordered<J, W, R: Send>(
    jobs: impl Iterator<Item = J> + Send,
    workers: usize,
    own: &mut W,
    equip: impl Fn() -> W + Sync,
    run: impl Fn(&mut W, J) -> R + Sync,
    take: impl FnMut(R) -> bool + Send,
) {
    let line = Mutex::new(OrderedQueue {
        jobs,
        begun: 0,
        taken: 0,
        done: VecDeque::new(),
        is_over: false,
        take,
    });
    let work = |worker: &mut W| {
        loop {
            let next = lock(&line).next();
            let Some((number, job)) = next else { break };
            let result = run(worker, job);
            lock(&line).put(number, result);
        }
    };
    on_threads(workers, &|| work(&mut equip()), &mut || work(own));
}

/// Runs `theirs` on `workers - 1` threads and `own` on the calling thread. The parameters are trait objects,
/// so that the code for starting threads is compiled once.
fn on_threads(workers: usize, theirs: &(dyn Fn() + Sync), own: &mut dyn FnMut()) {
    std::thread::scope(|scope| {
        for _ in 1..workers {
            spawn_worker(scope, theirs);
        }
        own();
    });
}

/// Spawns a worker, a thread that ends with the scope.
pub(crate) fn spawn_worker<'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() + Send + 'scope,
) {
    let thread = Builder::new().stack_size(STACK_BYTES);
    thread
        .name("actor-test worker".into())
        .spawn_scoped(scope, work)
        .expect("the system has a thread to spare");
}

/// Locks a mutex; a panic of another thread has left its data as they were.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The jobs that are left, and the results that are not yet taken.
struct OrderedQueue<I, R, F> {
    jobs: I,
    /// The number of jobs begun so far.
    begun: u64,
    /// The number of results taken so far.
    taken: u64,
    /// Results that wait for earlier ones; the first belongs to the job with the number `taken`.
    done: VecDeque<Option<R>>,
    is_over: bool,
    take: F,
}

impl<J, R, I: Iterator<Item = J>, F: FnMut(R) -> bool> OrderedQueue<I, R, F> {
    fn next(&mut self) -> Option<(u64, J)> {
        if self.is_over {
            return None;
        }
        let job = self.jobs.next()?;
        self.begun += 1;
        Some((self.begun - 1, job))
    }

    fn put(&mut self, number: u64, result: R) {
        let place = (number - self.taken) as usize;
        if self.done.len() <= place {
            self.done.resize_with(place + 1, || None);
        }
        self.done[place] = Some(result);
        while !self.is_over
            && let Some(result) = self.done.front_mut().and_then(Option::take)
        {
            self.done.pop_front();
            self.taken += 1;
            self.is_over = !(self.take)(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    /// Earlier jobs take longer; the results are taken up to the first that breaks.
    #[test]
    fn results_are_taken_in_the_order_of_the_jobs() {
        for workers in 1..=4 {
            let begun = AtomicU32::new(0);
            let mut taken = Vec::new();
            let run = |own: &mut u32, job: u32| {
                begun.fetch_add(1, Ordering::Relaxed);
                *own += 1;
                std::thread::sleep(Duration::from_micros(u64::from(100 - job)));
                job
            };
            let take = |job| {
                taken.push(job);
                job != 29
            };
            let mut own = 0;
            map_ordered(0..100, workers, &mut own, || 0, run, take);
            assert_eq!(taken, (0..30).collect::<Vec<u32>>());
            assert!(own > 0 || workers > 1, "this thread works, too");
            let begun = begun.into_inner();
            assert!((30..100).contains(&begun), "{begun} were begun");
            assert!(begun == 30 || workers > 1);
        }
    }

    #[test]
    fn all_jobs_are_done_where_nothing_breaks() {
        let mut sum = 0;
        let take = |job: u32| {
            sum += job;
            true
        };
        map_ordered(0..1_000, 3, &mut (), || (), |(), job| job, take);
        assert_eq!(sum, 499_500);
    }
}
