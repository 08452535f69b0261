//! The first program of the README, with a bug to find.

use actor_core::prelude::*;

#[derive(Debug)]
pub struct Job;
#[derive(Debug)]
pub struct Finished;

/// Does one job at a time.
#[derive(Debug, Default)]
pub struct Worker {
    busy: bool,
    done: u32,
}

#[actor]
impl Worker {
    #[on]
    fn job(&mut self, _: Job, cx: &mut Context<Self>) {
        if !self.busy {
            self.busy = true;
            cx.me().tell(Finished);
        }
    }

    #[on]
    fn finished(&mut self, _: Finished) {
        self.busy = false;
        self.done += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test(expect_bug = "both jobs are done")]
    fn every_job_is_done(sys: &System) {
        let worker = sys.spawn(Worker::default());
        worker.tell(Job);
        worker.tell(Job);
        sys.eventually("both jobs are done", move |world| {
            world.get(&worker).is_some_and(|worker| worker.done == 2)
        });
    }
}
