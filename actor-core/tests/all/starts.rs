//! Waits for an actor's start.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use actor_core::Recipient;
use actor_core::prelude::*;
use actor_core::supervision::Backoff;
use tokio::time::Instant;

#[derive(Debug)]
struct Serve;
#[derive(Debug)]
struct Break;

/// An actor whose start takes a second, and fails a given number of times.
struct Slow {
    failures: Arc<AtomicU32>,
}

#[actor]
impl Slow {
    #[start]
    async fn begin(&mut self, cx: &mut Context<Self>) -> Result<(), &'static str> {
        cx.sleep(Duration::from_secs(1)).await;
        let left = self.failures.load(Ordering::Relaxed);
        self.failures
            .store(left.saturating_sub(1), Ordering::Relaxed);
        if left > 0 { Err("not yet") } else { Ok(()) }
    }

    #[on]
    fn serve(&mut self, _: Serve) -> u32 {
        7
    }

    #[on]
    fn smash(&mut self, _: Break) {
        panic!("smashed");
    }
}

struct Plain;

#[actor]
impl Plain {
    #[on]
    fn serve(&mut self, _: Serve) {}
}

fn slow(failures: u32) -> Slow {
    Slow {
        failures: Arc::new(AtomicU32::new(failures)),
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_is_over_when_its_hook_has_returned() {
    let sys = System::new();
    let begin = Instant::now();
    let actor = sys.spawn(slow(0));
    assert_eq!(actor.started().await, Ok(()));
    assert_eq!(begin.elapsed(), Duration::from_secs(1));
    let late: Recipient<Serve> = sys.spawn(Plain).recipient();
    assert_eq!(late.started().await, Ok(()), "it has no hook");
    assert_eq!(actor.started().await, Ok(()), "it was over before");
    sys.shutdown().await.unwrap();
    assert_eq!(actor.started().await, Err(StopReason::Stopped));
}

#[tokio::test(start_paused = true)]
async fn a_failed_start_has_its_reason() {
    let sys = System::new();
    let actor = sys.spawn(slow(1));
    assert_eq!(actor.started().await, Err(StopReason::Failed));
    let killed = sys.spawn(slow(0));
    let start = killed.started();
    killed.kill();
    assert_eq!(start.await, Err(StopReason::Aborted));
    sys.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_start_that_is_tried_again_is_waited_for_each_time() {
    let sys = System::new();
    let failures = Arc::new(AtomicU32::new(2));
    let kept = failures.clone();
    let backoff = Backoff::new(Duration::from_secs(10), Duration::from_secs(10));
    let spawner = sys.spawner().backoff(backoff);
    let begin = Instant::now();
    let actor = spawner.spawn_with(move || Slow {
        failures: kept.clone(),
    });
    assert_eq!(actor.started().await, Ok(()));
    assert_eq!(begin.elapsed(), Duration::from_secs(3 + 2 * 10));

    // The actor is down again: a wait from here on is for its next incarnation.
    actor.tell(Break);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let begin = Instant::now();
    assert_eq!(actor.started().await, Ok(()));
    assert_eq!(begin.elapsed(), Duration::from_secs(6));
    assert_eq!(actor.ask(Serve).await, Ok(7));
    sys.shutdown().await.unwrap();
}
