//! Files that one handle has to itself: [`Lease`].

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use super::lock::lock;

/// The leases of this process, by their lock files.
static HELD: Mutex<BTreeMap<PathBuf, Weak<Lease>>> = Mutex::new(BTreeMap::new());

/// Holds a lock of the operating system until nobody has it or calls by it any more.
///
/// What is left of a holder that is gone, a future that is to be aborted for instance, is no obstacle to
/// the next one in the same process: that takes the lock over, and no call by the former lease begins any
/// more.
pub(crate) struct Lease {
    /// Locked, where the file system has locks.
    file: Arc<File>,
    /// Who holds it; not what is left of that.
    holder: Weak<Holder>,
    is_void: AtomicBool,
}

/// Whoever has it, or a clone, holds the lease.
pub(crate) struct Holder;

impl Lease {
    /// Takes the lock file, which is created where it is missing; `None` where somebody else has it.
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

    /// Refuses a call where another has taken the lease over.
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
        // Then it is kept from this process alone.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => Ok(Some(file)),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
