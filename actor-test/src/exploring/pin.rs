//! What a second run does before each iteration: it notes it for whoever sees the process end, or
//! looks whether the one before left threads behind.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::exploring::plan::Turn;

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
                let Turn {
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

/// The iteration noted last, its strategy, and what that was told.
pub(crate) fn pinned(path: &Path) -> Option<Turn> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut parts = text.split_whitespace();
    Some(Turn {
        iteration: parts.next()?.parse().ok()?,
        strategy: parts.next()?.parse().ok()?,
        length: match parts.next()? {
            "none" => None,
            length => Some(length.parse().ok()?),
        },
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
