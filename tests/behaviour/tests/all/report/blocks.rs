//! The block of a failing test: twelve kinds of failure, each with its cause in the block.
//!
//! Each program fills its execution with steps that do not matter. The block is read as the execution was found,
//! and minimised.

use std::sync::Arc;
use std::time::Duration;

use actor_core::prelude::*;
use actor_core::sync::RaceCell;
use actor_core::sync::blocking::atomic::{AtomicBool, AtomicU32, Ordering};
use actor_core::sync::blocking::{Condvar, Mutex};
use actor_core::thread;
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::{BodyOutput, Tester};
use behaviour::closures::awaiting;
use behaviour::harness::events::Go;
use behaviour::harness::failure_text;
use serde::{Deserialize, Serialize};

use super::{Question, Sink};

/// Asserts that the block of a program's first bug has a line with all these parts, for each of the `causes`:
/// both as the bug was found, and minimised and explained.
#[track_caller]
fn block_has<R: BodyOutput<K>, K>(
    tester: &Tester,
    causes: &[&[&str]],
    program: impl Fn(System) -> R + Sync,
) {
    for steps in [0, 300_000] {
        let report = tester.clone().minimize(steps).explain(steps).run(&program);
        let text = failure_text(&report);
        // A long line is continued.
        let lines = text.replace('\n', " ");
        let lines = lines.split_whitespace().collect::<Vec<_>>().join(" ");
        for cause in causes {
            let is_there = match cause {
                [whole] => lines.contains(whole),
                parts => text
                    .lines()
                    .any(|line| parts.iter().all(|part| line.contains(part))),
            };
            assert!(is_there, "{cause:?} is not in: {text}");
        }
        assert!(
            !text.lines().any(|line| line.ends_with("… 1 step")),
            "{text}"
        );
    }
}

fn tester() -> Tester {
    Tester::new().iterations(5_000)
}

fn faults(kind: FaultKind) -> Tester {
    tester().faults(FaultBudgets::none().with(kind, 1))
}

/// An actor that asks a clerk again and again.
fn noise(sys: &System, times: u32) {
    let clerk = sys.spawn(Sink);
    awaiting(sys, async move {
        for _ in 0..times {
            assert_eq!(clerk.ask(Question).await, Ok(42));
        }
    });
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Put(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Get;

/// Keeps a value.
#[derive(Debug, Default)]
struct Store {
    value: u32,
    puts: u32,
}

#[actor(remote)]
impl Store {
    #[on]
    fn put(&mut self, Put(value): Put) {
        self.value = value;
        self.puts += 1;
    }

    #[on]
    fn get(&mut self, _: Get) -> u32 {
        self.value
    }
}

#[test]
fn a_predicate() {
    block_has(
        &tester(),
        &[&["Store", "handles Put(9)"], &["value: 3 → 9"]],
        |sys| {
            let store = sys.spawn(Store::default());
            noise(&sys, 20);
            for value in [3, 9, 4] {
                store.tell(Put(value));
            }
            sys.always("small", move |w| {
                w.get(&store)
                    .is_none_or(|store| store.puts < 3 || store.value < 3)
            });
        },
    );
}

#[derive(Debug)]
struct Open;
#[derive(Debug)]
struct Close;

/// A door, which is closed once it is open.
#[derive(Debug)]
struct Door;

#[actor(states(Closed, Opened))]
impl Door {
    #[on(Closed)]
    fn open(&mut self, _: Open, cx: &mut Context<Self>) {
        cx.goto(DoorState::Opened);
    }

    #[on(Opened)]
    fn close(&mut self, _: Close, cx: &mut Context<Self>) {
        cx.goto(DoorState::Closed);
    }
}

#[test]
fn an_unhandled_event() {
    let causes: [&[&str]; 2] = [&["sends Close to Door"], &["Door", "handles Close"]];
    block_has(&tester(), &causes, |sys| {
        let door = sys.spawn(Door);
        noise(&sys, 20);
        let (one, other) = (door.clone(), door);
        awaiting(&sys, async move { one.tell(Open) });
        awaiting(&sys, async move { other.tell(Close) });
    });
}

/// Puts values on another node, and then gets the last.
#[derive(Debug)]
struct Writer {
    got: Option<u32>,
}

#[actor]
impl Writer {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let Ok(store) = cx.lookup::<Store>("far/store").await else {
            return;
        };
        for value in 1..8 {
            store.tell(Put(value));
        }
        while self.got.is_none() {
            let limit = Duration::from_secs(5);
            self.got = store.ask(Get).timeout(limit).await.ok();
        }
        assert_eq!(self.got, Some(7));
    }
}

fn far_store(sys: &System) {
    sys.node("far", |node| {
        node.spawner()
            .name("store")
            .registered()
            .spawn(Store::default());
    });
    sys.node("near", |node| {
        node.spawn(Writer { got: None });
    });
}

#[test]
fn a_lost_message() {
    let lost: &[&str] = &["FAULT: Put(7) is lost on its link"];
    block_has(&faults(FaultKind::Drop), &[lost], |sys| far_store(&sys));
}

/// Remembers in memory alone that it was told to.
#[derive(Debug)]
struct Client {
    kept: Option<bool>,
}

#[actor]
impl Client {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let mut is_put = false;
        while self.kept.is_none() {
            let Ok(store) = cx.lookup::<Store>("far/store").await else {
                continue;
            };
            if !is_put {
                store.tell(Put(7));
                is_put = store.ask(Get).await == Ok(7);
            } else if let Ok(value) = store.ask(Get).await {
                self.kept = Some(value == 7);
            }
        }
        assert_eq!(self.kept, Some(true), "the value is gone");
    }
}

#[test]
fn a_crash() {
    let causes: [&[&str]; 2] = [&["FAULT", "node far crashes"], &["node far restarts"]];
    block_has(&faults(FaultKind::Crash), &causes, |sys| {
        sys.node("far", |node| {
            node.spawner()
                .name("store")
                .registered()
                .spawn(Store::default());
        });
        noise(&sys, 10);
        sys.spawn(Client { kept: None });
    });
}

#[test]
fn a_partition() {
    let cut: &[&str] = &["FAULT", "cut:"];
    block_has(&faults(FaultKind::Partition), &[cut], |sys| {
        far_store(&sys);
        noise(&sys, 10);
    });
}

/// Asks the next of a ring.
#[derive(Debug, Default)]
struct Ring {
    next: Option<ActorRef<Ring>>,
}

#[derive(Debug)]
struct Join(ActorRef<Ring>);

#[actor]
impl Ring {
    #[on]
    fn join(&mut self, Join(next): Join) {
        self.next = Some(next);
    }

    #[on]
    async fn get(&mut self, _: Get) -> u32 {
        match &self.next {
            Some(next) => next.ask(Get).await.unwrap_or(0),
            None => 0,
        }
    }
}

#[test]
fn a_ring_of_asks() {
    let line = line!() - 8;
    let call = format!("`Get` at {}:{line}, `Get` at", file!());
    block_has(&tester(), &[&["Ring#1 -> "], &[&call]], |sys| {
        let ring: Vec<_> = (0..3).map(|_| sys.spawn(Ring::default())).collect();
        noise(&sys, 20);
        for (number, one) in ring.iter().enumerate() {
            one.tell(Join(ring[(number + 1) % 3].clone()));
        }
        let first = ring[0].clone();
        awaiting(&sys, async move {
            let _ = first.ask(Get).await;
        });
    });
}

/// The line of the ask below.
const ASKED: u32 = line!() + 3;

fn ask(silent: &ActorRef<Silent>) -> actor_core::Ask<u64> {
    silent.ask(7)
}

#[test]
fn an_ask_without_an_answer() {
    let call = format!(
        "awaits the reply of `Silent` to `u64` at {}:{ASKED}",
        file!()
    );
    block_has(&tester(), &[&[&call]], |sys| {
        let silent = sys.spawn(Silent::default());
        noise(&sys, 20);
        awaiting(&sys, async move {
            let _ = ask(&silent).await;
        });
    });
}

#[test]
fn four_locks() {
    let causes: [&[&str]; 4] = [1, 2, 3, 4].map(|_| &["locks Mutex#"][..]);
    block_has(&tester(), &causes, |_| {
        let locks: Vec<_> = (0..4).map(|n| Arc::new(Mutex::new(n))).collect();
        let threads = (0..4).map(|n: usize| {
            let (one, next) = (locks[n].clone(), locks[(n + 1) % 4].clone());
            thread::spawn(move || {
                for _ in 0..2 {
                    let one = one.lock().expect("no panic");
                    let mut next = next.lock().expect("no panic");
                    *next += *one;
                }
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().for_each(|thread| _ = thread.join());
    });
}

#[test]
fn a_lost_wake_up() {
    let notify: &[&str] = &["wakes thread#"];
    block_has(&tester(), &[notify], |_| {
        let pair = Arc::new((Mutex::new(0_u32), Condvar::new()));
        let waits = || {
            let pair = pair.clone();
            thread::spawn(move || {
                let mut left = pair.0.lock().expect("no panic");
                while *left == 0 {
                    left = pair.1.wait(left).expect("no panic");
                }
                *left -= 1;
            })
        };
        let threads = [waits(), waits()];
        for _ in 0..2 {
            let mut left = pair.0.lock().expect("no panic");
            *left += 1;
            // The second waiter is not woken.
            if *left == 1 {
                pair.1.notify_one();
            }
        }
        threads.into_iter().for_each(|thread| _ = thread.join());
    });
}

#[test]
fn a_relaxed_flag() {
    let store: &[&str] = &["thread#1", "Relaxed"];
    block_has(&tester(), &[store], |sys| {
        noise(&sys, 20);
        let flag = Arc::new(AtomicBool::new(false));
        let cell = Arc::new(RaceCell::new(0_u32));
        let (set, value) = (flag.clone(), cell.clone());
        let writer = thread::spawn(move || {
            value.set(42);
            set.store(true, Ordering::Relaxed);
        });
        if flag.load(Ordering::Acquire) {
            assert_eq!(cell.get(), 42);
        }
        let _ = writer.join();
    });
}

#[test]
fn a_spin() {
    let waits: &[&str] = &["the same step again and again"];
    block_has(&tester(), &[waits, &["loads 0, SeqCst, from"]], |_| {
        let turn = Arc::new(AtomicU32::new(0));
        let waits = turn.clone();
        let waiter = thread::spawn(move || while waits.load(Ordering::SeqCst) != 1 {});
        let _ = waiter.join();
    });
}

#[derive(Debug)]
struct Charge(u32);

/// Books what it is asked for, however often.
#[derive(Debug, Default)]
struct Bank {
    booked: Vec<u32>,
}

#[actor]
impl Bank {
    #[on]
    fn charge(&mut self, Charge(order): Charge) -> bool {
        self.booked.push(order);
        true
    }
}

/// Tries again once its time limit has run out.
#[derive(Debug)]
struct Shop(ActorRef<Bank>);

#[actor]
impl Shop {
    #[on]
    async fn buy(&mut self, Put(order): Put) {
        for _ in 0..2 {
            let limit = Duration::from_secs(2);
            if self.0.ask(Charge(order)).timeout(limit).await == Ok(true) {
                return;
            }
        }
    }
}

#[test]
fn a_time_limit_that_is_tried_again() {
    let limit: &[&str] = &["Shop's timer", "the time for a reply is over"];
    block_has(&tester(), &[limit], |sys| {
        let bank = sys.spawn(Bank::default());
        let shop = sys.spawn(Shop(bank.clone()));
        noise(&sys, 20);
        for order in 1..4 {
            shop.tell(Put(order));
        }
        sys.always("each order is booked once", move |w| {
            w.get(&bank).is_none_or(|bank| {
                let mut orders = bank.booked.clone();
                orders.dedup();
                orders.len() == bank.booked.len()
            })
        });
    });
}

#[derive(Debug)]
struct Meet(ActorRef<Walker>);
#[derive(Debug)]
struct Left(bool);

/// Steps aside for another, who steps aside as well.
#[derive(Debug, Default)]
struct Walker {
    is_left: bool,
    other: Option<ActorRef<Walker>>,
    is_through: bool,
}

#[actor]
impl Walker {
    #[on]
    fn meet(&mut self, Meet(other): Meet) {
        other.tell(Left(self.is_left));
        self.other = Some(other);
    }

    #[on]
    fn at(&mut self, Left(theirs): Left) {
        if theirs != self.is_left {
            self.is_through = true;
            return;
        }
        self.is_left = !self.is_left;
        if let Some(other) = &self.other {
            other.tell(Left(self.is_left));
        }
    }
}

#[test]
fn a_livelock_of_two() {
    let tester = Tester::new().max_steps(2_000).temperature(1_000);
    block_has(&tester, &[&["again and again"]], |sys| {
        let (one, other) = (sys.spawn(Walker::default()), sys.spawn(Walker::default()));
        one.tell(Meet(other.clone()));
        other.tell(Meet(one));
        sys.eventually("both are through", |w| {
            w.all::<Walker>().filter(|walker| walker.is_through).count() == 2
        });
    });
}

#[derive(Debug)]
struct Configure(u32);

/// Counts to a limit, which is one too low if it counts already when the limit comes.
#[derive(Debug, Default)]
struct Counter {
    limit: u32,
    count: u32,
}

#[actor]
impl Counter {
    #[on]
    fn configure(&mut self, Configure(limit): Configure) {
        self.limit = match self.count {
            0 => limit,
            _ => limit - 1,
        };
    }

    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.count += 1;
        assert!(self.limit == 0 || self.count <= self.limit, "one too many");
        if self.count < 1_000 {
            cx.me().tell(Go);
        }
    }
}

#[test]
fn an_effect_two_thousand_steps_after_its_cause() {
    let causes: [&[&str]; 2] = [&["handles Configure(1000)"], &["limit: 0 → 999"]];
    block_has(&tester(), &causes, |sys| {
        let counter = sys.spawn(Counter::default());
        let (one, other) = (counter.clone(), counter);
        awaiting(&sys, async move { one.tell(Go) });
        awaiting(&sys, async move { other.tell(Configure(1_000)) });
    });
}

/// Keeps each reply that it owes.
#[derive(Debug, Default)]
struct Silent(Vec<Reply<u64>>);

#[actor]
impl Silent {
    #[on]
    fn number(&mut self, _: u64, reply: Reply<u64>) {
        self.0.push(reply);
    }
}
