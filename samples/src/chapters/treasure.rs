//! Chapter "What must be deterministic": ordinary code that uses time and hash maps of the standard library.

// ANCHOR: treasure
use std::collections::HashMap;
use std::time::{Duration, Instant};

use actor_core::prelude::*;

#[derive(Debug)]
pub struct Dig;
#[derive(Debug)]
pub struct Start;

#[derive(Debug, Default)]
pub struct Pirate {
    holes: u32,
}

#[actor]
impl Pirate {
    #[on]
    fn dig(&mut self, _: Dig) {
        self.holes += 1;
    }
}

#[derive(Debug)]
pub struct Captain {
    crew: HashMap<u32, ActorRef<Pirate>>,
    landed: Instant,
}

#[actor]
impl Captain {
    #[on]
    async fn start(&mut self, _: Start, cx: &mut Context<Self>) {
        for pirate in self.crew.values() {
            pirate.tell(Dig);
            cx.sleep(Duration::from_secs(60)).await;
        }
        assert!(self.landed.elapsed() >= Duration::from_secs(240));
    }
}
// ANCHOR_END: treasure

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;
    use actor_test::actor_test;

    #[actor_test]
    fn everybody_digs(sys: &System) {
        let pirate = |name| (name, sys.spawn(Pirate::default()));
        let crew = (0..4).map(pirate).collect();
        let landed = Instant::now();
        sys.spawn(Captain { crew, landed }).tell(Start);
    }
}
// ANCHOR_END: tests

// ANCHOR: counting
/// Returns a new number for a pirate.
pub fn enlist() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static ENLISTED: AtomicU64 = AtomicU64::new(0);
    ENLISTED.fetch_add(1, Ordering::Relaxed)
}
// ANCHOR_END: counting

// ANCHOR: counted
#[cfg(test)]
mod counted {
    use super::*;
    use actor_test::actor_test;

    #[actor_test(expect_bug = "nondeterminism")]
    fn odd_ones_dig(sys: &System) {
        for _ in 0..3 {
            if enlist() % 2 == 1 {
                sys.spawn(Pirate::default()).tell(Dig);
            }
        }
    }
}
// ANCHOR_END: counted
