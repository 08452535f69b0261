//! A worker that does one job at a time, and the test that every job is done.

use actor_core::prelude::*;

/// A job to do.
#[derive(Debug)]
pub struct Job;

/// A job is done.
#[derive(Debug)]
pub struct Finished;

/// Does one job at a time; other jobs wait.
#[derive(Debug, Default)]
pub struct Worker {
    busy: bool,
    waiting: u32,
    done: u32,
}

#[actor]
impl Worker {
    #[on]
    fn job(&mut self, _: Job, cx: &mut Context<Self>) {
        if self.busy {
            self.waiting += 1;
        } else {
            self.busy = true;
            cx.me().tell(Finished);
        }
    }

    #[on]
    fn finished(&mut self, _: Finished, cx: &mut Context<Self>) {
        self.done += 1;
        self.busy = self.waiting > 0;
        if self.busy {
            self.waiting -= 1;
            cx.me().tell(Finished);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test]
    fn every_job_is_done(sys: &System) {
        let worker = sys.spawn(Worker::default());
        worker.tell(Job);
        worker.tell(Job);
        sys.eventually("both jobs are done", move |world| {
            world.get(&worker).is_some_and(|worker| worker.done == 2)
        });
    }
}
