//! A program that uses everything that a schedule decides: order, choices, random numbers and time.

use std::time::Duration;

use actor_core::actor;
use actor_core::prelude::*;

/// Orders work; the number is added to the result.
#[derive(Debug)]
pub struct Work(pub u64);
#[derive(Debug, Clone)]
struct Tick;
/// The sum of a worker's number and its random number.
#[derive(Debug)]
pub struct Done(pub u64);

/// Works for a random time, reports the result, and sets timers for a little longer.
struct Worker {
    boss: ActorRef<Boss>,
    ticks: u32,
}
#[actor]
impl Worker {
    #[on]
    async fn work(&mut self, work: Work, cx: &mut Context<Self>) {
        let delay = cx.choose(3) as u64;
        cx.sleep(Duration::from_millis(delay)).await;
        let drawn = rand_core::Rng::next_u64(&mut cx.rng()) % 100;
        cx.after(Duration::from_millis(1), Tick);
        self.boss.tell(Done(work.0 + drawn));
    }
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.ticks += 1;
        if self.ticks < 3 && cx.choose_bool() {
            cx.after(Duration::from_millis(1), Tick);
        }
    }
}

/// Panics if a hash of the first three results is a multiple of a number.
pub struct Boss {
    unlucky: u64,
    done: u64,
    last: u64,
}
impl Boss {
    /// Creates a boss that panics at multiples of that number.
    pub fn new(unlucky: u64) -> Self {
        let (done, last) = (0, 0);
        Self {
            unlucky,
            done,
            last,
        }
    }
}
#[actor]
impl Boss {
    #[on]
    fn done(&mut self, done: Done, cx: &mut Context<Self>) {
        self.done += 1;
        self.last = self.last * 31 + done.0;
        let temporary = cx.spawn(Self::new(self.unlucky));
        if self.done == 3 {
            assert!(
                !self.last.is_multiple_of(self.unlucky),
                "a rare order and rare numbers"
            );
            temporary.tell(Done(0));
        }
    }
}

/// Starts one boss and this number of workers.
pub fn crew(sys: &System, workers: u64, unlucky: u64) {
    let boss = sys.spawn(Boss::new(unlucky));
    for number in 0..workers {
        let boss = boss.clone();
        sys.spawn(Worker { boss, ticks: 0 }).tell(Work(number));
    }
}
