//! Sleeps, time limits and intervals of tasks, in production.

use std::time::Duration;

use actor_core::task::{self, MissedTickBehavior};
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_sleep_begins_when_it_is_made() {
    let begun = Instant::now();
    let sleep = task::sleep(3 * SECOND);
    task::sleep(SECOND).await;
    let slept = task::spawn(sleep);
    slept.await.expect("it ends");
    assert_eq!(begun.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_limit_ends_a_wait() {
    let in_time = task::timeout(2 * SECOND, task::sleep(SECOND));
    assert_eq!(in_time.await, Ok(()));
    let late = task::timeout(SECOND, task::sleep(2 * SECOND));
    let error = task::spawn(late).await.expect("it ends").unwrap_err();
    assert_eq!(error.to_string(), "the time is over");
    assert_eq!(task::timeout(Duration::ZERO, async { 7 }).await, Ok(7));
    assert_eq!(task::timeout(Duration::MAX, async { 7 }).await, Ok(7));
}

async fn ticks(missed: MissedTickBehavior) -> Vec<u64> {
    let begun = Instant::now();
    let mut ticks = task::interval(2 * SECOND);
    ticks.set_missed_tick_behavior(missed);
    assert_eq!(ticks.period(), 2 * SECOND);
    let mut times = Vec::new();
    for tick in 0..6 {
        ticks.tick().await;
        times.push(begun.elapsed().as_secs());
        if tick == 1 {
            task::sleep(5 * SECOND).await;
        }
    }
    ticks.reset();
    let reset = begun.elapsed();
    ticks.tick().await;
    assert_eq!((begun.elapsed() - reset).as_secs(), 2);
    times
}

#[tokio::test(start_paused = true)]
async fn ticks_come_in_time_and_those_that_are_missed_as_is_said() {
    assert_eq!(ticks(MissedTickBehavior::Burst).await, [0, 2, 7, 7, 8, 10]);
    assert_eq!(ticks(MissedTickBehavior::Delay).await, [0, 2, 7, 9, 11, 13]);
    assert_eq!(ticks(MissedTickBehavior::Skip).await, [0, 2, 7, 8, 10, 12]);
}

#[tokio::test(start_paused = true)]
async fn a_tick_that_is_not_awaited_to_its_end_comes_the_next_time() {
    let begun = Instant::now();
    let mut ticks = task::interval(2 * SECOND);
    ticks.tick().await;
    let given_up = task::timeout(SECOND, ticks.tick()).await;
    given_up.expect_err("it comes later");
    ticks.tick().await;
    assert_eq!(begun.elapsed().as_secs(), 2);
}

#[test]
#[should_panic(expected = "an interval has a period above zero")]
fn an_interval_has_a_period() {
    let _ = task::interval(Duration::ZERO);
}
