//! Soak test: supervised actors at full load are killed, panic and are restarted; the system ends
//! at a random moment, and every event must be accounted for. Repeats this until the time is over.
//!
//! `cargo run --release -p soak [-- SECONDS ACTORS SEED]`; the defaults are 600
//! s, 100 000 actors and seed 1; use `-- 10 5000` for a quick run. The seed
//! decides the messages and their recipients, not the interleaving of threads.

mod crew;
mod driver;
mod ledger;
mod memory;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use actor_core::Scope;
use actor_core::supervision::FailureKind;
use actor_core::{LiveSystem, System};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crew::{Crew, Foreman};
use driver::{Driver, Pending};
use ledger::LEDGER;

/// The number of drivers, each a task of its own.
const DRIVERS: usize = 2;

/// The number of bytes that the workers' queues may have outgrown and not freed yet.
const RETIRED: i64 = 64 * 1024;

/// The time limit for the end of a round, after which the round counts as hung.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() {
    let number = |at, default| match std::env::args().nth(at) {
        Some(argument) => argument
            .parse()
            .expect("SECONDS, ACTORS and SEED are numbers"),
        None => default,
    };
    let (seconds, actors, seed) = (number(1, 600), number(2, 100_000), number(3, 1));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    runtime.block_on(soak(Duration::from_secs(seconds), actors as usize, seed));
}

async fn soak(time: Duration, actors: usize, seed: u64) {
    let began = Instant::now();
    let mut choices = Xoshiro256PlusPlus::seed_from_u64(seed);
    println!("{actors} actors, {} s, seed {seed}", time.as_secs());
    let mut start = None;
    let (mut rounds, mut handled) = (0, 0);
    while began.elapsed() < time {
        let round = Round {
            actors,
            length: Duration::from_millis(200 + choices.next_u64() % 2_800),
            is_orderly: rounds % 3 != 1,
        };
        let peak = round.run(&mut choices).await;
        let live = memory::live();
        // After the first round, the runtime and its threads keep some memory.
        let start = *start.get_or_insert(live);
        println!(
            "round {rounds}: {:.1} s, {}; {LEDGER}; {} kB live, {} kB before the end",
            round.length.as_secs_f64(),
            if round.is_orderly {
                "shut down"
            } else {
                "dropped"
            },
            live / 1024,
            peak / 1024,
        );
        assert!(
            live <= start + start / 20 + RETIRED,
            "{live} bytes are live after the round, and {start} were after the first"
        );
        handled += LEDGER.handled();
        LEDGER.clear();
        rounds += 1;
    }
    assert!(handled > 0, "nothing has happened");
    println!(
        "{rounds} rounds without a fault, {} kB resident",
        memory::resident_kilobytes()
    );
}

/// One system, from start to end.
struct Round {
    actors: usize,
    /// The time after which the round ends.
    length: Duration,
    /// True if the system is shut down at full load; otherwise it is dropped.
    is_orderly: bool,
}

impl Round {
    /// Returns the number of live bytes before the end.
    async fn run(&self, choices: &mut Xoshiro256PlusPlus) -> i64 {
        let tasks = Handle::current().metrics().num_alive_tasks();
        let sys = System::new();
        let unexpected = count(&sys);
        let is_over = Arc::new(AtomicBool::new(false));
        let drivers = drivers(&sys, self.actors, choices, &is_over);
        tokio::time::sleep(self.length).await;
        let peak = memory::live();
        if self.is_orderly {
            let ended = sys.shutdown_within(PATIENCE).await;
            assert!(
                ended.is_ok(),
                "an orderly shutdown comes to its end: {ended:?}"
            );
        }
        is_over.store(true, Ordering::Relaxed);
        let mut pending = Vec::new();
        for driver in drivers {
            let left = timeout(PATIENCE, driver).await;
            pending.extend(left.expect("no driver hangs").expect("no driver fails"));
        }
        if self.is_orderly {
            let letters = sys.as_live().map(LiveSystem::dead_letters);
            assert_eq!(
                letters,
                Some(LEDGER.dead_letters()),
                "all dead letters are shown"
            );
        }
        drop(sys);
        for asked in pending {
            let answered = timeout(PATIENCE, Pending::settle(asked)).await;
            answered.expect("an ask ends");
        }
        let gone = timeout(PATIENCE, all_but(tasks)).await;
        gone.expect("every task ends");
        LEDGER.check();
        assert_eq!(
            unexpected.load(Ordering::Relaxed),
            0,
            "failures of other kinds"
        );
        peak
    }
}

/// Starts the crew and its drivers.
fn drivers(
    sys: &System,
    actors: usize,
    choices: &mut Xoshiro256PlusPlus,
    is_over: &Arc<AtomicBool>,
) -> Vec<JoinHandle<VecDeque<Pending>>> {
    let crew = Arc::new(Crew::new(actors));
    let foremen: Arc<[_]> = crew
        .shares()
        .map(|share| {
            let crew = crew.clone();
            sys.spawn_with(move || Foreman::new(crew.clone(), share.clone()))
        })
        .collect();
    let driver = |number| Driver {
        number,
        crew: crew.clone(),
        foremen: foremen.clone(),
        choices: Xoshiro256PlusPlus::seed_from_u64(choices.next_u64()),
        is_over: is_over.clone(),
    };
    let drivers = (0..DRIVERS).map(driver);
    drivers.map(|driver| tokio::spawn(driver.run())).collect()
}

/// Counts failures; returns the count of unexpected ones.
fn count(sys: &System) -> Arc<AtomicU64> {
    let unexpected = Arc::new(AtomicU64::new(0));
    if let Some(live) = sys.as_live() {
        let unexpected = unexpected.clone();
        live.on_failure(move |failure| match failure.kind {
            FailureKind::Panicked if failure.message == "injected" => LEDGER.failed(),
            FailureKind::Error => LEDGER.failed(),
            FailureKind::Exhausted => LEDGER.given_up(),
            _ => {
                eprintln!("{failure}");
                unexpected.fetch_add(1, Ordering::Relaxed);
            }
        });
        live.on_dead_letter(|letter| crew::dead_letter(letter.event));
    }
    unexpected
}

/// Waits until at most this number of tasks is left.
async fn all_but(tasks: usize) {
    while Handle::current().metrics().num_alive_tasks() > tasks {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
