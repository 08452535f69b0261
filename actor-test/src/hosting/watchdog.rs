//! Finds handlers that do not return.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::attendance::{WorkerStatus, active_workers};
use crate::hosting::protocol::Event;
use crate::wall_clock::Looks;

/// How long a handler may take unless said otherwise.
pub const HANG_TIMEOUT: Duration = Duration::from_secs(10);

/// How often the watchdog looks.
const LOOK: Duration = Duration::from_millis(100);

/// How often a child says that it makes progress.
pub(crate) const ALIVE: Duration = Duration::from_secs(1);

/// What the watchdog calls when a worker stands still for `Duration`; it does not return.
pub(crate) type Bark = Box<dyn Fn(&WorkerStatus, Duration) + Send>;

/// Starts the watchdog of this process, where it is not running yet. It has a single limit: the
/// tests of one process that differ in theirs get the first one's.
pub(crate) fn start(limit: Duration, alive: impl Fn(Event) + Send + 'static, bark: Bark) {
    static STARTED: OnceLock<()> = OnceLock::new();
    STARTED.get_or_init(|| {
        let watch = move || watch(limit, alive, &bark);
        // Without a thread to spare there is no watchdog; tests run all the same.
        let _ = std::thread::Builder::new()
            .name("actor-test watchdog".into())
            .spawn(watch);
    });
}

fn watch(limit: Duration, alive: impl Fn(Event), bark: &Bark) {
    let mut seen = BTreeMap::new();
    let mut looks = Looks::begin();
    let mut said = crate::wall_clock::now();
    let mut moved = false;
    loop {
        std::thread::sleep(LOOK);
        let passed = looks.look();
        // That the watchdog lives is no news; that a worker does something is.
        if moved && said.elapsed() >= ALIVE {
            (said, moved) = (crate::wall_clock::now(), false);
            alive(Event::Alive);
        }
        let workers = active_workers();
        seen.retain(|known, _| workers.iter().any(|worker| key(worker) == *known));
        for worker in &workers {
            let now = (
                worker.busy.load(Ordering::Relaxed),
                worker.heartbeat.load(Ordering::Relaxed),
            );
            let (last, still) = seen.entry(key(worker)).or_insert((now, Duration::ZERO));
            moved |= *last != now;
            if *last != now || !now.0 {
                (*last, *still) = (now, Duration::ZERO);
                continue;
            }
            *still += passed;
            if *still >= limit {
                bark(worker, *still);
            }
        }
    }
}

fn key(worker: &Arc<WorkerStatus>) -> usize {
    Arc::as_ptr(worker) as usize
}
