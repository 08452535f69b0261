//! Records or checks each iteration of a second run, after a crash or a thread leak. The record shows in
//! which iteration the process ended, and the check finds the iteration that leaves threads behind.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::settings::turn::StrategyTurn;

static PIN: OnceLock<CrashMarker> = OnceLock::new();

/// The work of a second run before each iteration.
#[derive(Debug)]
enum CrashMarker {
    /// Writes the iteration to a file, for the process that observes the end.
    File(Mutex<File>),
    /// Checks whether the previous iteration left threads behind.
    Threads(Mutex<Leak>),
}

/// The search for the first iteration that leaves threads behind.
#[derive(Debug)]
struct Leak {
    threads: usize,
    last: Option<StrategyTurn>,
    leaking: Option<StrategyTurn>,
}

/// Writes each iteration to a file before it runs.
pub(crate) fn pin_to(path: &Path) -> std::io::Result<()> {
    let _ = PIN.set(CrashMarker::File(Mutex::new(File::create(path)?)));
    Ok(())
}

/// Checks each iteration for threads that it leaves behind.
pub(crate) fn pin_threads() {
    let threads = threads().unwrap_or(0);
    let _ = PIN.set(CrashMarker::Threads(Mutex::new(Leak {
        threads,
        last: None,
        leaking: None,
    })));
}

/// Returns the first iteration that left threads behind.
pub(crate) fn leaking() -> Option<StrategyTurn> {
    match PIN.get() {
        Some(CrashMarker::Threads(leak)) => {
            leak.lock().unwrap_or_else(PoisonError::into_inner).leaking
        }
        _ => None,
    }
}

/// Records or checks an iteration before it runs; does nothing in a first run.
#[inline]
pub(crate) fn pin(turn: StrategyTurn) {
    if let Some(pin) = PIN.get() {
        pin.note(turn);
    }
}

impl CrashMarker {
    fn note(&self, turn: StrategyTurn) {
        match self {
            Self::File(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                // A fixed width lets each note overwrite the last one. An unwritable note is ignored.
                let StrategyTurn {
                    iteration,
                    strategy,
                    length,
                } = turn;
                let length = length.map_or_else(|| "none".into(), |length| format!("{length:020}"));
                let note = format!("{iteration:020} {strategy:010} {length:20}\n");
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

/// Reads the last recorded iteration, with its strategy and expected length.
pub(crate) fn pinned(path: &Path) -> Option<StrategyTurn> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut parts = text.split_whitespace();
    Some(StrategyTurn {
        iteration: parts.next()?.parse().ok()?,
        strategy: parts.next()?.parse().ok()?,
        length: match parts.next()? {
            "none" => None,
            length => Some(length.parse().ok()?),
        },
    })
}

/// Returns the number of threads of this process, if the system reports it.
pub(crate) fn threads() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

/// Returns true if there are at most `limit` threads, now or soon: a thread takes a moment to end.
pub(crate) fn settle(limit: usize) -> bool {
    for _ in 0..50 {
        if threads().is_none_or(|threads| threads <= limit) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}
