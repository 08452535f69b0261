//! Work that several threads do, with the result that one thread alone would have: [`in_order`].

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::STACK_BYTES;

/// Has so many workers do `jobs`, each the next that nobody has. What comes of them is handed to `take` in
/// the order of the jobs, until that breaks: then no more jobs are begun, and what has become of those
/// that come later in the order is forgotten. So what `take` sees is the same for any number of workers.
///
/// This thread is one of the workers, and works with `own`; the others are threads that live as long as the
/// call, and make their tools with `equip`.
pub(crate) fn in_order<J, W, R: Send>(
    jobs: impl Iterator<Item = J> + Send,
    workers: usize,
    own: &mut W,
    equip: impl Fn() -> W + Sync,
    run: impl Fn(&mut W, J) -> R + Sync,
    take: impl FnMut(R) -> ControlFlow<()> + Send,
) {
    let line = Mutex::new(Line {
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

/// Does `theirs` on all threads but this one, which does `own`. What is called is not known here, so that
/// starting threads is compiled once.
fn on_threads(workers: usize, theirs: &(dyn Fn() + Sync), own: &mut dyn FnMut()) {
    std::thread::scope(|scope| {
        for _ in 1..workers {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            thread
                .name("actor-test worker".into())
                .spawn_scoped(scope, theirs)
                .expect("the system has a thread to spare");
        }
        own();
    });
}

fn lock<T>(line: &Mutex<T>) -> MutexGuard<'_, T> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The jobs that are left, and what has come of others.
struct Line<I, R, F> {
    jobs: I,
    /// How many were begun, and how many results were taken.
    begun: u64,
    taken: u64,
    /// Results that can't be taken before others are there: the first is that of the job `taken`.
    done: VecDeque<Option<R>>,
    is_over: bool,
    take: F,
}

impl<J, R, I: Iterator<Item = J>, F: FnMut(R) -> ControlFlow<()>> Line<I, R, F> {
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
            self.is_over = (self.take)(result).is_break();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;

    /// Jobs that take the longer, the earlier they come; the results are taken up to the first that breaks.
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
                match job {
                    29 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            };
            let mut own = 0;
            in_order(0..100, workers, &mut own, || 0, run, take);
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
            ControlFlow::Continue(())
        };
        in_order(0..1_000, 3, &mut (), || (), |(), job| job, take);
        assert_eq!(sum, 499_500);
    }
}
