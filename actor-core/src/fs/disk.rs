//! The disk of a system: [`Disk`].

use std::fmt;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::Path;
use std::sync::Arc;

use super::call_future::DiskCallFuture;
use super::path::{below, normal};
use super::{DirEntry, DiskOp, DiskOpResult, File, OpenOptions};
use crate::production::{Holder, LiveDisk};
use crate::seam::{self, Action, DiskId, Query};

/// A handle to the disk of a system. Clones are handles to the same disk.
///
/// Names need a sync of their own. The effect of [`open`](Disk::open) with creation,
/// [`rename`](Disk::rename), [`remove_file`](Disk::remove_file), [`create_dir`](Disk::create_dir) and
/// [`remove_dir`](Disk::remove_dir) is certain to survive a crash only after [`sync_dir`](Disk::sync_dir) of
/// the directory that contains the name.
///
/// # Errors
///
/// Each call fails as the operating system's call does; the message contains the path. A path that leaves the
/// root, or has another meaning on another system, is refused with
/// [`InvalidInput`](io::ErrorKind::InvalidInput). In production every call fails with
/// [`Unsupported`](io::ErrorKind::Unsupported) until the disk has a [root](crate::LiveSystem::disk_at).
#[derive(Clone)]
pub struct Disk(Inner);

#[derive(Clone)]
enum Inner {
    Live(LiveDisk),
    Controlled(DiskId),
}

// A panic can only interrupt changes on the disk itself, which programs must already tolerate as crashes.
impl UnwindSafe for Disk {}
impl RefUnwindSafe for Disk {}

impl Disk {
    pub(crate) fn live(disk: LiveDisk) -> Self {
        Self(Inner::Live(disk))
    }

    /// Returns the disk of the running operation.
    pub(crate) fn controlled() -> Self {
        Self(Inner::Controlled(seam::query(|to| Query::Disk(to))))
    }

    /// Opens a file.
    ///
    /// ```
    /// # use actor_core::fs::{Disk, OpenOptions};
    /// # async fn f(disk: &Disk) -> std::io::Result<()> {
    /// let log = disk.open("log", OpenOptions::new().append(true).create(true)).await?;
    /// log.append(b"a line\n").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open(&self, path: &str, options: OpenOptions) -> io::Result<File> {
        let path = below(path)?;
        options.check(&path)?;
        match &self.0 {
            Inner::Live(disk) => {
                let opened = open_real(disk, &path, options).await?;
                Ok(File::live(path, options, disk.clone(), opened))
            }
            Inner::Controlled(disk) => {
                let call = DiskOp::Open {
                    path: path.clone(),
                    options,
                };
                match DiskCallFuture::new(*disk, call).await? {
                    DiskOpResult::File(file) => Ok(File::controlled(path, options, *disk, file)),
                    _ => Err(wrong_answer_error()),
                }
            }
        }
    }

    /// Renames or moves a file or a directory. A file that had the new name is replaced atomically.
    pub async fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let (from, to) = (below(from)?, below(to)?);
        let what = format!("rename `{from}` to `{to}`");
        let op = DiskOp::Rename {
            from: from.clone(),
            to: to.clone(),
        };
        let rename = move |root: &Path| fs::rename(root.join(from), root.join(to));
        self.change(what, rename, op).await
    }

    /// Removes a file. Handles that have the file open continue to read and write it.
    pub async fn remove_file(&self, path: &str) -> io::Result<()> {
        let path = below(path)?;
        let what = format!("remove `{path}`");
        let op = DiskOp::RemoveFile { path: path.clone() };
        self.change(what, move |root| fs::remove_file(root.join(path)), op)
            .await
    }

    /// Creates a directory, whose parent must exist.
    pub async fn create_dir(&self, path: &str) -> io::Result<()> {
        let path = below(path)?;
        let what = format!("create the directory `{path}`");
        let op = DiskOp::CreateDir { path: path.clone() };
        self.change(what, move |root| fs::create_dir(root.join(path)), op)
            .await
    }

    /// Removes a directory, which must be empty.
    pub async fn remove_dir(&self, path: &str) -> io::Result<()> {
        let path = below(path)?;
        let what = format!("remove the directory `{path}`");
        let op = DiskOp::RemoveDir { path: path.clone() };
        self.change(what, move |root| fs::remove_dir(root.join(path)), op)
            .await
    }

    /// Returns the entries of a directory, sorted by name. The root is `.`.
    pub async fn read_dir(&self, path: &str) -> io::Result<Vec<DirEntry>> {
        let path = normal(path)?;
        match &self.0 {
            Inner::Live(disk) => {
                let what = format!("list `{}`", shown(&path));
                disk.run(what, move |root| list_real(&root.join(path)))
                    .await
            }
            Inner::Controlled(disk) => {
                match DiskCallFuture::new(*disk, DiskOp::ReadDir { path }).await? {
                    DiskOpResult::Entries(entries) => Ok(entries),
                    _ => Err(wrong_answer_error()),
                }
            }
        }
    }

    /// Makes the names in a directory durable: the list of its files and directories, with their names,
    /// survives a crash. The root is `.`. Does nothing on Windows, where names are always durable.
    pub async fn sync_dir(&self, path: &str) -> io::Result<()> {
        let path = normal(path)?;
        let what = format!("sync the directory `{}`", shown(&path));
        let op = DiskOp::SyncDir { path: path.clone() };
        self.change(what, move |root| sync_real(&root.join(path)), op)
            .await
    }

    /// Changes the disk: by `live` in production, by `op` under test.
    async fn change(
        &self,
        what: String,
        live: impl FnOnce(&Path) -> io::Result<()> + Send + 'static,
        op: DiskOp,
    ) -> io::Result<()> {
        match &self.0 {
            Inner::Live(disk) => disk.run(what, live).await,
            Inner::Controlled(disk) => done(*disk, op).await,
        }
    }

    /// Takes the lock file, and returns the disk for the lock's holder; `None` if somebody else holds the
    /// lock. Under test there are no locks.
    pub(crate) async fn lock_exclusively(
        &self,
        file: &str,
        holder: &Arc<Holder>,
    ) -> io::Result<Option<Self>> {
        match &self.0 {
            Inner::Live(disk) => {
                let leased = disk.leased(below(file)?, holder.clone()).await?;
                Ok(leased.map(Self::live))
            }
            Inner::Controlled(_) => Ok(Some(self.clone())),
        }
    }

    /// Waits until every call that has begun is over, including the calls of killed actors.
    pub(crate) async fn drain_calls(&self) -> io::Result<()> {
        match &self.0 {
            Inner::Live(disk) => {
                disk.settled().await;
                Ok(())
            }
            Inner::Controlled(disk) => done(*disk, DiskOp::Settle).await,
        }
    }

    /// Returns a number that other files are unlikely to have; always the same under test.
    pub(crate) fn salt(&self) -> u64 {
        match &self.0 {
            Inner::Live(_) => RandomState::new().hash_one(0),
            Inner::Controlled(_) => 0,
        }
    }

    /// Returns the handle that injects faults into the disk; `None` in production.
    pub fn faults(&self) -> Option<DiskFaults> {
        match &self.0 {
            Inner::Live(_) => None,
            Inner::Controlled(disk) => Some(DiskFaults(*disk)),
        }
    }
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Inner::Live(disk) => write!(f, "Disk({disk:?})"),
            Inner::Controlled(_) => f.write_str("Disk(controlled)"),
        }
    }
}

/// Faults of a disk under test, by [`Disk::faults`]. They take effect in program order, as a `tell`.
///
/// ```
/// use actor_core::{Scope, System};
///
/// /// Everything that runs on the disk has to be stopped first: what is left of it would go on.
/// fn pull_the_plug(sys: &System) {
///     if let Some(faults) = sys.disk().faults() {
///         faults.fail_power();
///     }
/// }
/// # let _ = pull_the_plug;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DiskFaults(DiskId);

impl DiskFaults {
    /// Fails the power: keeps synced data, and as much of the rest as the tester chooses. Open files fail.
    pub fn fail_power(&self) {
        seam::act(Action::FailPower(self.0));
    }

    /// Lets a crash keep a part of a write from now on: any of the blocks that the write overlaps, of that
    /// many bytes each, at multiples of that size. Real disks have sectors of 512 or 4096 bytes; small tests
    /// find as much with a few bytes. By default, or with zero, a write is kept as a whole or not at all.
    pub fn tear_writes(&self, block: u32) {
        seam::act(Action::TearWrites(self.0, block));
    }
}

async fn done(disk: DiskId, call: DiskOp) -> io::Result<()> {
    DiskCallFuture::new(disk, call).await.map(drop)
}

/// Returns the error for an answer of the tester that belongs to another call.
pub(super) fn wrong_answer_error() -> io::Error {
    io::Error::other("the disk has answered another call")
}

fn shown(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

async fn open_real(disk: &LiveDisk, path: &str, options: OpenOptions) -> io::Result<fs::File> {
    let what = format!("open `{path}`");
    let path = path.to_owned();
    let open = move |root: &Path| {
        let path = root.join(path);
        let opened = fs::OpenOptions::new()
            .read(options.read)
            .write(options.write)
            .append(options.append)
            .truncate(options.truncate)
            .create(options.create)
            .create_new(options.create_new)
            .open(&path)?;
        // Some systems open directories for reading.
        if opened.metadata()?.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(opened)
    };
    disk.run(what, open).await
}

fn list_real(path: &Path) -> io::Result<Vec<DirEntry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|name| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the name {name:?} is not UTF-8"),
            )
        })?;
        entries.push(DirEntry::new(name, entry.file_type()?.is_dir()));
    }
    entries.sort();
    Ok(entries)
}

fn sync_real(path: &Path) -> io::Result<()> {
    if cfg!(windows) {
        return fs::metadata(path).map(drop);
    }
    let directory = fs::File::open(path)?;
    if !directory.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    directory.sync_all()
}
