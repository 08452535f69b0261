//! A watchdog thread that detects handlers that do not return.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::protocol::ChildEvent;
use crate::wall_clock::CheckTimer;
use crate::worker_registry::{self, WorkerStatus, active_workers};

/// The interval at which the watchdog checks the workers.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The interval at which a child reports progress.
pub(crate) const ALIVE: Duration = Duration::from_secs(1);

/// The callback for a worker without progress for `Duration`; it does not return.
pub(crate) type OnHang = Box<dyn Fn(&WorkerStatus, Duration) + Send>;

/// Starts the watchdog of this process, unless it is running. The watchdog has a single limit: if the tests
/// of one process have different limits, the first one applies to all.
pub(crate) fn start(limit: Duration, alive: impl Fn(ChildEvent) + Send + 'static, on_hang: OnHang) {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        let watch = move || watch(limit, alive, &on_hang);
        // If no thread can be started, tests run without a watchdog.
        let _ = std::thread::Builder::new()
            .name("actor-test watchdog".into())
            .spawn(watch);
    });
}

fn watch(limit: Duration, alive: impl Fn(ChildEvent), on_hang: &OnHang) {
    let mut seen = BTreeMap::new();
    let mut timer = CheckTimer::begin();
    let mut said = crate::wall_clock::now();
    let mut moved = false;
    loop {
        std::thread::sleep(CHECK_INTERVAL);
        let passed = timer.elapsed();
        // Only progress of a worker is reported, not the watchdog's own.
        if moved && said.elapsed() >= ALIVE {
            (said, moved) = (crate::wall_clock::now(), false);
            alive(ChildEvent::Alive);
        }
        let workers = active_workers();
        seen.retain(|known, _| workers.iter().any(|worker| key(worker) == *known));
        for worker in &workers {
            let now = (
                worker.busy.load(Ordering::Relaxed),
                worker.heartbeat.load(Ordering::Relaxed),
            );
            let still = seen.entry(key(worker)).or_insert(StallTimer::since(now));
            moved |= still.update(now, passed);
            if still.lasted >= limit {
                on_hang(worker, still.lasted);
            }
        }
    }
}

/// The time for which a worker has made no progress.
struct StallTimer {
    /// True if the worker was busy, with its heartbeat.
    last: (bool, u64),
    lasted: Duration,
}

impl StallTimer {
    fn since(last: (bool, u64)) -> Self {
        let lasted = Duration::ZERO;
        Self { last, lasted }
    }

    /// Updates the state after the time `passed`; returns true if the worker made progress.
    fn update(&mut self, now: (bool, u64), passed: Duration) -> bool {
        let (is_busy, heartbeat) = now;
        let moves = self.last != now || worker_registry::is_planning(heartbeat);
        match moves || !is_busy {
            true => *self = Self::since(now),
            false => self.lasted += passed,
        }
        moves
    }
}

fn key(worker: &Arc<WorkerStatus>) -> usize {
    Arc::as_ptr(worker) as usize
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::StallTimer;
    use crate::worker_registry::Planning;

    const SECOND: Duration = Duration::from_secs(1);

    /// Planning by a strategy may take any time; only the program under test is timed.
    #[test]
    fn who_plans_does_not_hang() {
        let heartbeat = AtomicU64::new(7);
        let now = || (true, heartbeat.load(Ordering::Relaxed));
        let mut still = StallTimer::since(now());
        let planning = Planning::begin(&heartbeat);
        assert!((0..20).all(|_| still.update(now(), SECOND)));
        assert_eq!(still.lasted, Duration::ZERO);
        drop(planning);
        assert!(still.update(now(), SECOND), "it runs the program now");
        assert!((0..9).all(|_| !still.update(now(), SECOND)));
        assert_eq!(still.lasted, 9 * SECOND);
        heartbeat.fetch_add(1, Ordering::Relaxed);
        assert!(still.update(now(), SECOND));
        assert_eq!(still.lasted, Duration::ZERO);
        still.update((false, 8), SECOND);
        assert!(!still.update((false, 8), SECOND));
        assert_eq!(still.lasted, Duration::ZERO, "it has nothing to do");
    }
}
