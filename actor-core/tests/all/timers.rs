//! Timers and `sleep`, on a paused clock that advances only when everything waits.

use std::time::Duration;

use crate::support::{Journal, idle, journaled};
use actor_core::prelude::*;

#[derive(Debug)]
struct Arm(&'static str, u64);
#[derive(Debug)]
struct Repeat(&'static str, u64);
#[derive(Debug)]
struct Cancel;
#[derive(Debug)]
struct Nap(u64);
#[derive(Debug)]
struct Halt;
#[derive(Debug, Clone)]
struct Tick(&'static str);

struct Clock {
    journal: Journal,
    timer: Option<Timer>,
}

#[actor]
impl Clock {
    #[on]
    fn arm(&mut self, arm: Arm, cx: &mut Context<Self>) {
        self.timer = Some(cx.after(Duration::from_secs(arm.1), Tick(arm.0)));
    }

    #[on]
    fn repeat(&mut self, repeat: Repeat, cx: &mut Context<Self>) {
        self.timer = Some(cx.every(Duration::from_secs(repeat.1), Tick(repeat.0)));
    }

    #[on]
    fn cancel(&mut self, _: Cancel, cx: &mut Context<Self>) {
        if let Some(timer) = self.timer.take() {
            cx.cancel(timer);
        }
    }

    #[on]
    async fn nap(&mut self, nap: Nap, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(nap.0)).await;
        self.journal.note(format!("{} awake", cx.now().as_secs()));
    }

    #[on]
    fn tick(&mut self, tick: Tick, cx: &mut Context<Self>) {
        let now = cx.now().as_secs();
        self.journal.note(format!("{now} {}", tick.0));
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

fn clock() -> (System, ActorRef<Clock>, Journal) {
    journaled(|journal| Clock {
        journal,
        timer: None,
    })
}

#[tokio::test(start_paused = true)]
async fn timers_fire_in_order_of_their_deadlines() {
    let (sys, clock, journal) = clock();
    clock.tell(Arm("late", 3));
    clock.tell(Arm("early", 1));
    sys.sleep(Duration::from_secs(5)).await;
    journal.expect(["1 early", "3 late"]);
    assert!(sys.now() >= Duration::from_secs(5));
}

#[tokio::test(start_paused = true)]
async fn a_periodic_timer_fires_until_it_is_cancelled() {
    let (sys, clock, journal) = clock();
    clock.tell(Repeat("tick", 2));
    sys.sleep(Duration::from_secs(7)).await;
    clock.tell(Cancel);
    sys.sleep(Duration::from_secs(7)).await;
    journal.expect(["2 tick", "4 tick", "6 tick"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_timer_never_fires() {
    let (sys, clock, journal) = clock();
    clock.tell(Arm("never", 1));
    clock.tell(Cancel);
    sys.sleep(Duration::from_secs(5)).await;
    journal.expect::<&str>([]);
}

/// While the actor naps, first the cancel and then the timer's event enter its inbox.
#[tokio::test(start_paused = true)]
async fn cancel_removes_the_fired_event() {
    let (sys, clock, journal) = clock();
    clock.tell(Arm("unread", 2));
    clock.tell(Nap(4));
    clock.tell(Cancel);
    sys.sleep(Duration::from_secs(10)).await;
    journal.expect(["4 awake"]);
}

#[derive(Debug)]
struct Later;
#[derive(Debug)]
struct Sleepy;

/// Keeps a deferred event, while a timer fires that will be cancelled.
struct Sleeper(Journal);

#[actor(states(Asleep(defer(Later)), Awake))]
impl Sleeper {
    #[on(Asleep)]
    async fn sleepy(&mut self, _: Sleepy, cx: &mut Context<Self>) {
        let cancelled = cx.after(Duration::from_secs(1), Tick("cancelled"));
        cx.after(Duration::from_secs(1), Tick("due"));
        cx.sleep(Duration::from_secs(2)).await;
        cx.cancel(cancelled);
    }

    #[on]
    fn tick(&mut self, tick: Tick, cx: &mut Context<Self>) {
        self.0.note(tick.0);
        cx.goto(SleeperState::Awake);
    }

    #[on(Awake)]
    fn later(&mut self, _: Later) {
        self.0.note("later");
    }
}

#[tokio::test(start_paused = true)]
async fn cancel_removes_the_fired_event_behind_a_deferred_one() {
    let (sys, sleeper, journal) = journaled(Sleeper);
    sleeper.tell(Later);
    sleeper.tell(Sleepy);
    sys.sleep(Duration::from_secs(10)).await;
    journal.expect(["due", "later"]);
}

#[tokio::test(start_paused = true)]
async fn what_fires_during_a_nap_waits_in_the_inbox() {
    let (sys, clock, journal) = clock();
    clock.tell(Arm("waited", 2));
    clock.tell(Nap(4));
    sys.sleep(Duration::from_secs(10)).await;
    journal.expect(["4 awake", "4 waited"]);
}

#[tokio::test(start_paused = true)]
async fn timers_end_with_their_actor_and_are_no_dead_letters() {
    let sys = System::new();
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let of_the_system = tasks();
    let journal = Journal::new();
    let clock = sys.spawn(Clock {
        journal: journal.clone(),
        timer: None,
    });
    clock.tell(Arm("never", 1));
    clock.tell(Repeat("neither", 1));
    clock.tell(Nap(3));
    clock.tell(Halt);
    sys.sleep(Duration::from_secs(5)).await;
    journal.expect(["3 awake"]);
    idle().await;
    assert_eq!(sys.as_live().unwrap().dead_letters(), 0);
    assert_eq!(tasks(), of_the_system);
}

#[derive(Debug)]
struct Explode;

impl Clone for Explode {
    fn clone(&self) -> Self {
        panic!("can't be copied");
    }
}

struct Fuse;

#[actor]
impl Fuse {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.every(Duration::from_secs(1), Explode);
    }

    #[on]
    fn explode(&mut self, _: Explode) {}

    #[on]
    fn halt(&mut self, _: Halt) {}
}

#[tokio::test(start_paused = true)]
async fn an_event_that_can_t_be_copied_is_reported() {
    let sys = System::new();
    let journal = Journal::new();
    let noted = journal.clone();
    let live = sys.as_live().unwrap();
    live.on_failure(move |failure| noted.note(format!("{:?}", failure.kind)));
    let fuse = sys.spawn(Fuse);
    sys.sleep(Duration::from_secs(3)).await;
    journal.expect(["Background"]);
    assert_eq!(fuse.ask(Halt).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_slow_actor_has_one_unread_tick() {
    let (sys, clock, journal) = clock();
    clock.tell(Repeat("tick", 2));
    clock.tell(Nap(9));
    sys.sleep(Duration::from_secs(13)).await;
    journal.expect(["9 awake", "9 tick", "10 tick", "12 tick"]);
}

#[derive(Clone, Debug)]
struct Never;

/// Waits for ever, with the longest possible periods and delays.
struct Patient;

#[actor]
impl Patient {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for period in [Duration::MAX, Duration::MAX - Duration::from_nanos(1)] {
            cx.every(period, Never);
            cx.after(period, Never);
        }
    }

    #[on]
    fn never(&mut self, _: Never) {
        unreachable!("all time has not passed");
    }
}

#[tokio::test(start_paused = true)]
async fn no_period_is_too_long() {
    let sys = System::new();
    sys.as_live()
        .unwrap()
        .on_failure(|failure| panic!("{failure}"));
    let patient = sys.spawn(Patient);
    sys.sleep(Duration::from_secs(1_000_000)).await;
    assert_eq!(sys.as_live().unwrap().actor_count(), 1);
    drop(patient);
}
