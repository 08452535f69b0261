//! Memory use of actors in production: little per actor, and no allocation per message.
#![allow(missing_docs)]
#![expect(
    unsafe_code,
    reason = "an allocator that counts can't be written without"
)]

use std::alloc::System as SystemAllocator;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

use actor_core::prelude::*;
use tokio::runtime::{Builder, Runtime};

/// An allocator that counts the allocations of each thread, and the bytes that are live.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static LIVE_BYTES: Cell<i64> = const { Cell::new(0) };
}

fn count(allocations: u64, bytes: i64) {
    ALLOCATIONS.set(ALLOCATIONS.get() + allocations);
    LIVE_BYTES.set(LIVE_BYTES.get() + bytes);
}

// SAFETY: every call is passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { SystemAllocator.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as i64));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { SystemAllocator.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[derive(Debug)]
struct Add(u64);
#[derive(Debug)]
struct AddSlowly(u64);
#[derive(Debug)]
struct Total;

#[derive(Default)]
struct Counter(u64);

#[actor]
impl Counter {
    #[on]
    fn add(&mut self, add: Add) {
        self.0 += add.0;
    }

    #[on]
    async fn add_slowly(&mut self, add: AddSlowly) {
        tokio::task::yield_now().await;
        self.0 += add.0;
    }

    #[on]
    fn total(&mut self, _: Total) -> u64 {
        self.0
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

/// Returns the number of allocations in `rounds` rounds, after as many rounds of warm-up.
async fn allocations(rounds: u64, mut round: impl AsyncFnMut()) -> u64 {
    let mut before = 0;
    for turn in 0..2 * rounds {
        if turn == rounds {
            before = ALLOCATIONS.get();
        }
        round().await;
    }
    ALLOCATIONS.get() - before
}

async fn settle() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn an_event_costs_no_allocation() {
    runtime().block_on(async {
        let sys = System::new();
        let counter = sys.spawn(Counter::default());
        let many = allocations(100, async || {
            for _ in 0..50 {
                counter.tell(Add(1));
            }
            settle().await;
        });
        assert_eq!(many.await, 0, "in batches");
        let one = allocations(100, async || {
            counter.tell(Add(1));
            settle().await;
        });
        assert_eq!(one.await, 0, "one by one");
        let slow = allocations(100, async || {
            counter.tell(AddSlowly(1));
            settle().await;
        });
        assert_eq!(slow.await, 0, "in an async handler");
        assert_eq!(counter.ask(Total).await, Ok(2 * (100 * 50 + 100 + 100)));
    });
}

#[test]
fn an_ask_costs_one_allocation() {
    runtime().block_on(async {
        let sys = System::new();
        let counter = sys.spawn(Counter::default());
        let asks = allocations(100, async || {
            counter.ask(Total).await.unwrap();
        });
        assert_eq!(asks.await, 100);
    });
}

#[test]
fn an_idle_actor_is_small() {
    const ACTORS: i64 = 1_024; // a power of two: the registry's list is full
    runtime().block_on(async {
        let sys = System::new();
        let mut counters = Vec::with_capacity(ACTORS as usize);
        let before = LIVE_BYTES.get();
        counters.extend((0..ACTORS).map(|_| sys.spawn(Counter::default())));
        settle().await;
        let spawned = (LIVE_BYTES.get() - before) / ACTORS;
        assert!(spawned <= 608, "{spawned} bytes");
        for counter in &counters {
            counter.tell(Add(1));
        }
        settle().await;
        let used = (LIVE_BYTES.get() - before) / ACTORS;
        assert!(used <= 700, "{used} bytes after an event");
    });
}
