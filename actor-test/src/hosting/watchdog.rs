//! Finds handlers that do not return, and tells the iteration of a crash.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::exploring::explorer::{WorkerStatus, active_workers};
use crate::exploring::plan::Turn;
use crate::hosting::protocol::Event;
use crate::hosting::wall_clock::Looks;

/// How long a handler may take unless said otherwise.
pub(crate) const HANG_TIMEOUT: Duration = Duration::from_secs(10);

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
    let mut said = crate::hosting::wall_clock::now();
    let mut moved = false;
    loop {
        std::thread::sleep(LOOK);
        let passed = looks.look();
        // That the watchdog lives is no news; that a worker does something is.
        if moved && said.elapsed() >= ALIVE {
            (said, moved) = (crate::hosting::wall_clock::now(), false);
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

static PIN: OnceLock<Pin> = OnceLock::new();

/// What a second run, after a crash or a leak, does before each iteration.
#[derive(Debug)]
enum Pin {
    /// Notes it, for whoever sees the process end.
    File(Mutex<File>),
    /// Looks whether the one before left threads behind.
    Threads(Mutex<Leak>),
}

/// The first iteration that leaves threads behind.
#[derive(Debug)]
struct Leak {
    threads: usize,
    last: Option<Turn>,
    leaking: Option<Turn>,
}

/// Has each iteration noted in a file before it runs.
pub(crate) fn pin_to(path: &Path) -> std::io::Result<()> {
    let _ = PIN.set(Pin::File(Mutex::new(File::create(path)?)));
    Ok(())
}

/// Has each iteration looked at for threads that it leaves behind.
pub(crate) fn pin_threads() {
    let threads = threads().unwrap_or(0);
    let _ = PIN.set(Pin::Threads(Mutex::new(Leak {
        threads,
        last: None,
        leaking: None,
    })));
}

/// The first iteration that left threads behind.
pub(crate) fn leaking() -> Option<Turn> {
    match PIN.get() {
        Some(Pin::Threads(leak)) => leak.lock().unwrap_or_else(PoisonError::into_inner).leaking,
        _ => None,
    }
}

/// Called before each iteration; does nothing but where a run before crashed or leaked.
#[inline]
pub(crate) fn pin(turn: Turn) {
    if let Some(pin) = PIN.get() {
        pin.note(turn);
    }
}

impl Pin {
    fn note(&self, turn: Turn) {
        match self {
            Self::File(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                // A fixed width, so that each note covers the one before. What can't be noted stays
                // unknown.
                let note = format!("{:020} {:010}\n", turn.iteration, turn.strategy);
                let _ = file
                    .seek(SeekFrom::Start(0))
                    .and_then(|_| file.write_all(note.as_bytes()));
            }
            Self::Threads(leak) => {
                let mut leak = leak.lock().unwrap_or_else(PoisonError::into_inner);
                if leak.leaking.is_none() && !settle(leak.threads) {
                    leak.leaking = leak.last;
                }
                leak.last = Some(turn);
            }
        }
    }
}

/// The iteration noted last, and its strategy.
#[cfg(feature = "cli")]
pub(crate) fn pinned(path: &Path) -> Option<Turn> {
    let text = std::fs::read_to_string(path).ok()?;
    let (iteration, strategy) = text.trim_end().split_once(' ')?;
    Some(Turn {
        iteration: iteration.parse().ok()?,
        strategy: strategy.parse().ok()?,
    })
}

/// How many threads this process has, where the system tells.
pub(crate) fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

/// Whether there are no more than so many threads, at once or soon: a thread takes a moment to end.
pub(crate) fn settle(limit: usize) -> bool {
    for _ in 0..50 {
        if threads().is_none_or(|threads| threads <= limit) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}
