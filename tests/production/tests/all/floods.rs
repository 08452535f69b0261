//! An endless inbox, and the end of a system at any step, without starvation of other actors.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crate::support::{fallible, tasks};
use actor_core::Supervision;
use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use tokio::task::yield_now;

const FLOOD: u64 = 1_000_000;

/// The number of events that an actor handles before it yields.
const BATCH: u64 = 64;

#[derive(Debug)]
struct Drip;
#[derive(Debug)]
struct Round(u64);

struct Flooded {
    handled: Arc<AtomicU64>,
}

#[actor]
impl Flooded {
    #[on]
    fn drip(&mut self, _: Drip) {
        self.handled.fetch_add(1, Ordering::Relaxed);
    }
}

/// Records how much of the flood was handled in each round.
struct Runner {
    next: Option<ActorRef<Runner>>,
    flooded: Arc<AtomicU64>,
    seen: Vec<u64>,
}

#[derive(Debug)]
struct Meet(ActorRef<Runner>);
#[derive(Debug)]
struct Seen;

#[actor]
impl Runner {
    #[on]
    fn meet(&mut self, meet: Meet) {
        self.next = Some(meet.0);
    }

    #[on]
    fn round(&mut self, round: Round) {
        self.seen.push(self.flooded.load(Ordering::Relaxed));
        if let (Some(next), Some(left)) = (&self.next, round.0.checked_sub(1)) {
            next.tell(Round(left));
        }
    }

    #[on]
    fn seen(&mut self, _: Seen) -> Vec<u64> {
        self.seen.clone()
    }
}

/// Two actors exchange an event beside an actor with a million events: between two of their turns, the
/// flooded actor handles two batches at most. Usually it is one. But an actor that is woken from outside, as
/// by the asks here, enters a separate queue, which alternates with the worker's own.
async fn a_flood_holds_up_nobody(mailbox: Mailbox) {
    let sys = System::new();
    let handled = Arc::new(AtomicU64::new(0));
    let flooded = sys.spawner().mailbox(mailbox).spawn(Flooded {
        handled: handled.clone(),
    });
    for _ in 0..FLOOD {
        flooded.tell(Drip);
    }
    let runner = || Runner {
        next: None,
        flooded: handled.clone(),
        seen: Vec::new(),
    };
    let (ping, pong) = (sys.spawn(runner()), sys.spawn(runner()));
    ping.tell(Meet(pong.clone()));
    pong.tell(Meet(ping.clone()));
    ping.tell(Round(999));
    let mut seen = Vec::new();
    while seen.len() < 1_000 {
        yield_now().await;
        seen = ping.ask(Seen).await.unwrap();
        seen.extend(pong.ask(Seen).await.unwrap());
    }
    seen.sort_unstable();
    assert!(seen[999] < FLOOD, "the flood was over first");
    let batches = seen.windows(2).map(|turns| turns[1] - turns[0]);
    let most = batches.max().unwrap();
    assert!(
        (1..=2 * BATCH).contains(&most),
        "{most} of the flood in one turn"
    );
    sys.shutdown().await.unwrap();
    assert_eq!(handled.load(Ordering::Relaxed), FLOOD);
}

#[tokio::test]
async fn a_million_events_hold_up_nobody() {
    for mailbox in [Mailbox::unbounded(), Mailbox::bounded(FLOOD as usize)] {
        a_flood_holds_up_nobody(mailbox).await;
    }
}

#[derive(Debug)]
struct Work {
    left: u32,
    _token: Arc<()>,
}
#[derive(Debug)]
struct Break(#[expect(dead_code, reason = "held")] Arc<()>);

/// Passes work on in every possible way, and fails now and then.
struct Child {
    next: Option<ActorRef<Child>>,
    lives: Arc<AtomicU32>,
    token: Arc<()>,
}

#[actor]
impl Child {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        self.lives.fetch_add(1, Ordering::Relaxed);
        yield_now().await;
        cx.after(Duration::from_secs(60), Break(self.token.clone()));
        let token = self.token.clone();
        cx.pipe_to_self(std::future::pending::<()>(), move |()| Break(token));
    }

    #[on]
    async fn work(&mut self, work: Work) {
        let Some(left) = work.left.checked_sub(1) else {
            return;
        };
        yield_now().await;
        let Some(next) = &self.next else {
            return;
        };
        let more = || Work {
            left,
            _token: self.token.clone(),
        };
        let _ = next.send(more()).await;
        next.tell(Break(self.token.clone()));
        let _ = next.ask(more()).await;
    }

    #[on]
    fn break_(&mut self, _: Break) {
        std::panic::resume_unwind(Box::new("broken"));
    }
}

struct Parent {
    lives: Arc<AtomicU32>,
    token: Arc<()>,
}

#[actor]
impl Parent {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let supervision = Supervision::rest_for_one();
        cx.supervise(supervision.intensity(1_000_000, Duration::from_secs(1)));
        let mut next = None;
        for _ in 0..3 {
            let (lives, token, then) = (self.lives.clone(), self.token.clone(), next.clone());
            let spawner = cx.spawner().mailbox(Mailbox::bounded(2));
            next = Some(spawner.spawn_with(move || Child {
                next: then.clone(),
                lives: lives.clone(),
                token: token.clone(),
            }));
        }
        if let Some(first) = next {
            first.tell(Work {
                left: 6,
                _token: self.token.clone(),
            });
            first.tell(Break(self.token.clone()));
        }
    }
}

/// After a drop of the system at any step, nothing is left.
#[tokio::test(start_paused = true)]
async fn a_system_is_dropped_at_each_step_and_leaves_nothing() {
    let mut most_lives = 0;
    for steps in 0..300 {
        let token = Arc::new(());
        let lives = Arc::new(AtomicU32::new(0));
        let sys = fallible();
        let (held, counted) = (token.clone(), lives.clone());
        let parent = sys.spawn_with(move || Parent {
            lives: counted.clone(),
            token: held.clone(),
        });
        for _ in 0..steps {
            yield_now().await;
        }
        drop(sys);
        let mut turns = 0..1_000;
        while tasks() > 0 && turns.next().is_some() {
            yield_now().await;
        }
        assert_eq!(tasks(), 0, "after {steps} steps");
        drop(parent);
        assert_eq!(Arc::strong_count(&token), 1, "after {steps} steps");
        most_lives = most_lives.max(lives.load(Ordering::Relaxed));
    }
    assert!(most_lives > 6, "children have come back: {most_lives}");
}
