//! File locks that a new holder in the same process may take over: [`Lease`].

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use crate::panics::lock;

/// The leases of this process, by their lock files.
static HELD: Mutex<BTreeMap<PathBuf, Weak<Lease>>> = Mutex::new(BTreeMap::new());

/// Holds a lock of the operating system until no holder and no call has the lease any more.
///
/// A dropped holder whose calls are still running, such as an aborted future, does not block the next
/// holder in the same process: the new one takes the lock over, and later calls by the old lease fail.
pub(crate) struct Lease {
    /// Locked, if the file system supports locks.
    file: Arc<File>,
    /// The holder; calls in progress don't count.
    holder: Weak<Holder>,
    is_void: AtomicBool,
}

/// A holder of a lease: the lease is held while any clone of the `Arc` exists.
pub(crate) struct Holder;

impl Lease {
    /// Takes the lock file, and creates it if it is missing; `None` if another holder has it.
    pub(super) fn take(path: &Path, holder: &Arc<Holder>) -> io::Result<Option<Arc<Self>>> {
        let mut held = lock(&HELD);
        held.retain(|_, lease| lease.strong_count() > 0);
        let before = held.get(path).and_then(Weak::upgrade);
        let file = match before {
            Some(before) if before.holder.strong_count() > 0 => return Ok(None),
            Some(before) => {
                before.is_void.store(true, Ordering::Release);
                before.file.clone()
            }
            None => match locked(path)? {
                Some(file) => Arc::new(file),
                None => return Ok(None),
            },
        };
        let lease = Arc::new(Self {
            file,
            holder: Arc::downgrade(holder),
            is_void: AtomicBool::new(false),
        });
        held.insert(path.to_owned(), Arc::downgrade(&lease));
        Ok(Some(lease))
    }

    /// Fails if another holder has taken the lease over.
    pub(super) fn check(&self) -> io::Result<()> {
        match self.is_void.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(io::Error::other("it was opened anew since")),
        }
    }
}

fn locked(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        // Without locks, only this process is excluded.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(Some(file)),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
