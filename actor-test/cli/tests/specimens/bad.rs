//! Specimens that misbehave: crashes, hangs, wrong settings.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use actor_core::prelude::*;
use actor_test::actor_test;
use specimens::{Add, Cell, Go, race};

/// Misbehaves in one execution of sixteen.
struct Villain(fn());

#[actor]
impl Villain {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        if cx.choose(16) == 0 {
            (self.0)();
        }
    }
}

fn sometimes(sys: &System, crime: fn()) {
    sys.spawn(Villain(crime)).tell(Go);
}

#[actor_test]
fn a_first_clean_one(sys: &System) {
    race(sys);
}

#[actor_test]
fn aborts(sys: &System) {
    sometimes(sys, || std::process::abort());
}

#[actor_test]
fn overflows(sys: &System) {
    fn deeper(depth: u64) -> u64 {
        std::hint::black_box([depth; 64]);
        if std::hint::black_box(depth) == u64::MAX {
            0
        } else {
            deeper(depth + 1) + 1
        }
    }
    sometimes(sys, || {
        deeper(0);
    });
}

#[actor_test]
fn exits(sys: &System) {
    sometimes(sys, || std::process::exit(0));
}

#[actor_test]
fn hangs(sys: &System) {
    sometimes(sys, || {
        loop {
            std::thread::sleep(Duration::from_millis(10));
        }
    });
}

#[actor_test]
fn panics_outside(sys: &System) {
    race(sys);
    panic!("outside of any actor");
}

#[actor_test]
fn leaks_threads(sys: &System) {
    sometimes(sys, || {
        std::thread::spawn(|| std::thread::sleep(Duration::from_secs(60)));
    });
}

#[actor_test]
fn has_a_pool(sys: &System) {
    static POOL: std::sync::Once = std::sync::Once::new();
    race(sys);
    POOL.call_once(|| {
        std::thread::spawn(|| std::thread::sleep(Duration::from_secs(60)));
    });
}

#[actor_test]
fn counts_in_a_static(sys: &System) {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let cells = [sys.spawn(Cell::default()), sys.spawn(Cell::default())];
    for _ in 0..32 {
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        cells[(run / 5) % 2].tell(Add(1));
    }
}

#[actor_test]
fn waits_for_the_clock(sys: &System) {
    sometimes(sys, || {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(1) {
            std::hint::spin_loop();
        }
    });
}

#[actor_test]
async fn awaits_tokio(_sys: &System) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let _inside = runtime.enter();
    tokio::time::sleep(Duration::from_secs(3600)).await;
}

#[actor_test(strategy = "rnadom")]
fn has_a_wrong_strategy(sys: &System) {
    race(sys);
}

#[actor_test]
fn z_a_last_clean_one(sys: &System) {
    race(sys);
}

/// Records the order of its calls, and never returns in one of many orders.
struct Stuck {
    order: Vec<u32>,
    is_patient: bool,
}

#[actor]
impl Stuck {
    #[on]
    fn add(&mut self, add: Add) {
        self.order.push(add.0);
        while !self.is_patient && self.order == [2, 5, 0, 1, 3, 4, 6] {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

struct Adder(u32, ActorRef<Stuck>);

#[actor]
impl Adder {
    #[start]
    fn start(&mut self) {
        self.1.tell(Add(self.0));
    }
}

/// A search of 20 160 orders, which is divided into parts before it reaches that order.
#[actor_test]
fn late_to_hang(sys: &System) {
    let stuck = sys.spawn(Stuck {
        order: Vec::new(),
        is_patient: sys.choose(4) != 2,
    });
    for number in 0..7 {
        sys.spawn(Adder(number, stuck.clone()));
    }
}
