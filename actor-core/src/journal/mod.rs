//! Journals (write-ahead logs), from which actors recover their state after a crash: [`Journal`].

// `format` defines the file's bytes; `queue` batches records and syncs; `recovery` opens a journal.

mod error;
mod format;
mod queue;
mod recovery;
#[cfg(test)]
mod tests;

use std::fmt;
use std::future::Future;
use std::hash::Hasher;
use std::io;
use std::sync::Arc;

pub use error::JournalError;
pub use recovery::Recovered;

use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::fs::{Disk, File, OpenOptions};
use crate::production::Holder;
use format::{Header, Marks, Parsed, frame, parse, push_record};
use queue::{Queue, SyncTurn, WriteJob};
use recovery::JournalContent;

/// The largest size of a record, or of a snapshot, in bytes.
pub const RECORD_BYTES_MAX: usize = 256 << 20;

/// The largest number of bytes that may wait for a sync, not counting records that are being written.
pub const UNSYNCED_BYTES_MAX: usize = 1 << 30;

/// The size of a frame in a rewritten file in bytes; a single record may make it larger. The size is limited
/// because damage is reported for a frame as a whole.
const REWRITTEN_FRAME_BYTES: usize = 64 << 10;

/// An append-only file of records, from which an actor recovers its state.
///
/// [`append`](Journal::append) takes a record, and [`sync`](Journal::sync) waits until everything that was
/// appended before survives a crash: acknowledge no record before that. [`recover`](Journal::recover) returns
/// the records that survived: all that were synced, and perhaps more, always a prefix of the appended ones.
/// [`snapshot`](Journal::snapshot) replaces all records so far by a state.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::journal::{Journal, JournalError};
///
/// #[derive(Debug)]
/// struct Add(u8);
///
/// #[derive(Default)]
/// struct Account {
///     total: u64,
///     journal: Option<Journal>,
/// }
///
/// #[actor]
/// impl Account {
///     #[start]
///     async fn start(&mut self, cx: &mut Context<Self>) -> Result<(), JournalError> {
///         let recovered = Journal::recover(&cx.disk(), "account").await?;
///         self.total = recovered.records.iter().map(|record| u64::from(record[0])).sum();
///         self.journal = Some(recovered.journal);
///         Ok(())
///     }
///
///     /// The reply says that the amount is safe.
///     #[on]
///     async fn add(&mut self, add: Add) -> Result<u64, JournalError> {
///         let journal = self.journal.as_ref().expect("started");
///         journal.append([add.0])?;
///         journal.sync().await?;
///         self.total += u64::from(add.0);
///         Ok(self.total)
///     }
/// }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let data = std::env::temp_dir().join(format!("actor-core-journal-{}", std::process::id()));
/// # for expected in [7, 14] {
/// let sys = System::new();
/// sys.as_live().unwrap().disk_at(&data)?;
/// let account = sys.spawn(Account::default());
/// let total = account.ask(Add(7)).await??;
/// # assert_eq!(total, expected);
/// # sys.shutdown().await?;
/// # }
/// # std::fs::remove_dir_all(&data)?;
/// # Ok(())
/// # }
/// ```
///
/// # Group commit
///
/// Clones are handles to one journal, for several actors or for futures that are piped to one actor. While
/// one caller writes and syncs, others append; the next sync covers all of them. An actor that awaits each
/// sync in its handler syncs one record at a time; one that continues meanwhile, with
/// `cx.pipe_to_self(journal.sync(), …)`, syncs many at once.
///
/// # Tolerated failures
///
/// - A crash at any moment, including one that tears or reorders writes. Bytes after the last sync are cut
///   off; [`Recovered::torn_bytes`] is their number.
/// - Later damage, a flipped bit or a file that is too short: an [error](JournalError::Damaged) with the
///   offset. The synced length is stored at the beginning of the file, and written after each sync. If the
///   power fails before that write reaches the disk, only the last sync is not recorded: damage to its data
///   can't be distinguished from an incomplete write, and is cut off.
/// - A failed write or sync ends the journal, and every later call returns the error, since the content of
///   the disk is unknown. Recover the journal in a new incarnation of the actor. If recovery finds more than
///   is known to be synced, it writes everything to a new file before it returns, since a disk whose sync has
///   failed may still show data that it has lost.
/// - A full disk: durable data can be recovered, since recovery writes nothing if everything that it finds
///   is known to be synced.
/// - An actor that is killed in the middle of a write.
/// - A second handle, in the same process or in another: it is [refused](JournalError::InUse) by a lock of
///   the operating system, on the file `name.lock`, until the first handle and all its clones are dropped. A
///   [`sync`](Journal::sync) that is still awaited then fails once the journal is opened again. Under test
///   there are no locks, so that tests can find two handles that overwrite each other's data.
///
/// Records wait in memory until they are synced, [a gibibyte](UNSYNCED_BYTES_MAX) at most.
#[derive(Clone)]
pub struct Journal {
    inner: Arc<Inner>,
    /// Keeps the lock file while any handle exists.
    _holder: Arc<Holder>,
}

struct Inner {
    disk: Disk,
    name: String,
    queue: Queue,
}

/// The end of the file, held by the caller that writes.
pub(crate) struct JournalWriter {
    file: File,
    end: u64,
    salt: u64,
    marks: Marks,
}

impl Journal {
    /// Opens a journal, and returns the content that survived. If there is no file of that name, the journal
    /// is new; `name` is a [path](crate::fs) in a directory that exists. The journal also uses `name.new` and
    /// `name.lock`.
    ///
    /// Recovery reads the whole file, and rewrites it if it holds more than is known to be synced. A
    /// [snapshot](Journal::snapshot) now and then keeps the file short.
    ///
    /// # Errors
    ///
    /// If the disk fails, the journal is already open, or a synced part of the file is damaged or missing.
    pub async fn recover(disk: &Disk, name: &str) -> Result<Recovered, JournalError> {
        let failed = |error: io::Error| JournalError::disk(name, &error);
        let holder = Arc::new(Holder);
        let leased = disk
            .lock_exclusively(&format!("{name}.lock"), &holder)
            .await;
        let Some(disk) = leased.map_err(failed)? else {
            return Err(JournalError::InUse { file: name.into() });
        };
        let disk = &disk;
        // A killed actor may have left a call in progress.
        disk.drain_calls().await.map_err(failed)?;
        let options = OpenOptions::new().read(true).write(true);
        let (held, tail) = match disk.open(name, options).await {
            Ok(file) => {
                let bytes = read_all(&file).await.map_err(failed)?;
                let parsed = parse(&bytes);
                let parsed = parsed.map_err(|damage| JournalError::damaged(name, &damage))?;
                let tail = match parsed.is_synced {
                    true => Some(reopened(file, &parsed, bytes.len()).await.map_err(failed)?),
                    false => None,
                };
                (JournalContent::of(&bytes, parsed), tail)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (JournalContent::default(), None)
            }
            Err(error) => return Err(failed(error)),
        };
        let tail = match tail {
            Some(tail) => tail,
            None => {
                let salt = disk.salt();
                let content = rewritten(&held, salt);
                replace(disk, name, content, salt).await.map_err(failed)?
            }
        };
        let next = held.first + held.records.len() as u64;
        let inner = Inner {
            disk: disk.clone(),
            name: name.into(),
            queue: Queue::new(next, tail),
        };
        let journal = Self {
            inner: Arc::new(inner),
            _holder: holder,
        };
        Ok(Recovered {
            journal,
            snapshot: held.snapshot,
            records: held.records,
            first: held.first,
            torn_bytes: held.torn_bytes,
        })
    }

    /// Takes a record, which the next [sync](Journal::sync) writes; returns its number. Numbers count from
    /// zero, over all openings of the journal.
    ///
    /// # Errors
    ///
    /// If the record is too large, too many bytes wait for a sync, or the disk has failed before.
    pub fn append(&self, record: impl AsRef<[u8]>) -> Result<u64, JournalError> {
        let record = record.as_ref();
        self.check_size(record.len())?;
        self.inner.queue.append(record, &self.inner.name)
    }

    /// Replaces all records so far by the state that they have led to, at the next [sync](Journal::sync): a
    /// crash leaves either the records or the snapshot.
    ///
    /// ```
    /// # use actor_core::journal::{Journal, JournalError};
    /// async fn keep_short(journal: &Journal, state: &[u8]) -> Result<(), JournalError> {
    ///     journal.snapshot(state)?;
    ///     journal.sync().await
    /// }
    /// # let _ = keep_short;
    /// ```
    ///
    /// # Errors
    ///
    /// If the snapshot is too large, or the disk has failed before.
    pub fn snapshot(&self, state: impl Into<Vec<u8>>) -> Result<(), JournalError> {
        let state = state.into();
        self.check_size(state.len())?;
        self.inner.queue.snapshot(state)
    }

    /// As [`append`](Journal::append), for a value, which is encoded by [`codec`](crate::codec).
    ///
    /// # Errors
    ///
    /// As for [`append`](Journal::append), and if the value can't be encoded.
    #[cfg(feature = "codec")]
    pub fn append_value<T: serde::Serialize>(&self, value: &T) -> Result<u64, JournalError> {
        self.append(self.encoded(value)?)
    }

    /// As [`snapshot`](Journal::snapshot), for a value, which is encoded by [`codec`](crate::codec).
    ///
    /// # Errors
    ///
    /// As for [`snapshot`](Journal::snapshot), and if the value can't be encoded.
    #[cfg(feature = "codec")]
    pub fn snapshot_value<T: serde::Serialize>(&self, value: &T) -> Result<(), JournalError> {
        self.snapshot(self.encoded(value)?)
    }

    #[cfg(feature = "codec")]
    fn encoded<T: serde::Serialize>(&self, value: &T) -> Result<Vec<u8>, JournalError> {
        crate::codec::encode(value).map_err(|error| JournalError::Codec {
            file: self.inner.name.clone(),
            record: None,
            message: error.to_string(),
        })
    }

    /// Waits until everything that was appended before this call survives a crash. If the future is dropped
    /// before, some of it may be on the disk or not.
    ///
    /// # Errors
    ///
    /// If the disk fails, or has failed before.
    pub fn sync(&self) -> impl Future<Output = Result<(), JournalError>> + Send + 'static {
        let inner = self.inner.clone();
        let until = inner.queue.asked();
        async move {
            loop {
                match inner.queue.wait_for_turn(until).await {
                    SyncTurn::Over(result) => return result,
                    SyncTurn::Work(job) => inner.work(job).await,
                }
            }
        }
    }

    /// Returns the number of the next record: the count of records ever appended.
    pub fn next(&self) -> u64 {
        self.inner.queue.next()
    }

    /// Returns the path of the journal's file.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    fn check_size(&self, bytes: usize) -> Result<(), JournalError> {
        match bytes <= RECORD_BYTES_MAX {
            true => Ok(()),
            false => Err(JournalError::TooLarge {
                file: self.inner.name.clone(),
                bytes,
            }),
        }
    }
}

impl Inner {
    /// Writes the waiting records, and syncs them.
    async fn work(&self, mut job: WriteJob<'_>) {
        let written = self.write(&mut job).await;
        job.done(written.map_err(|error| JournalError::disk(&self.name, &error)));
    }

    async fn write(&self, job: &mut WriteJob<'_>) -> io::Result<()> {
        if job.interrupted {
            // The previous writer was dropped, and its call may still be in progress.
            self.disk.drain_calls().await?;
            // The records of that writer were never reported as durable, and will be overwritten.
            job.tail().marks_end().await?;
        }
        if u32::try_from(job.batch.body.len()).is_err() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let salt = job.tail().salt;
        let bytes = match job.batch.records {
            0 => Vec::new(),
            records => frame(job.batch.first, records, &job.batch.body, salt),
        };
        if let Some(snapshot) = &job.batch.snapshot {
            let mut content = begin(job.batch.first, salt, Some(snapshot));
            content.extend(bytes);
            let content = sealed(content);
            *job.tail() = replace(&self.disk, &self.name, content, salt).await?;
        } else if !bytes.is_empty() {
            job.tail().commit(bytes).await?;
        }
        Ok(())
    }
}

impl JournalWriter {
    /// Writes a frame, syncs it, and records the new end in a mark.
    async fn commit(&mut self, frame: Vec<u8>) -> io::Result<()> {
        let end = self.end + frame.len() as u64;
        let mark = self.marks.advance(end, self.salt);
        let (at, mark) = (self.end, (mark.at, mark.bytes));
        self.file.commit_at(at, frame, mark).await?;
        self.end = end;
        Ok(())
    }

    /// Records in both marks that nothing behind the end is known to be synced.
    async fn marks_end(&mut self) -> io::Result<()> {
        for _ in 0..2 {
            self.mark().await?;
        }
        self.file.sync_data().await
    }

    /// Records in a mark that everything is synced.
    async fn mark(&mut self) -> io::Result<()> {
        let mark = self.marks.advance(self.end, self.salt);
        self.file.write_at(mark.at, mark.bytes).await
    }
}

/// Continues a file of `len` bytes, all of whose records are known to be synced.
async fn reopened(file: File, parsed: &Parsed, len: usize) -> io::Result<JournalWriter> {
    if parsed.end < len {
        file.set_len(parsed.end as u64).await?;
    }
    Ok(JournalWriter {
        file,
        end: parsed.end as u64,
        salt: parsed.salt,
        marks: parsed.marks,
    })
}

async fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let len = file.len().await?;
    let len = usize::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge)?;
    file.read_at(0, len).await
}

fn begin(first: u64, salt: u64, snapshot: Option<&[u8]>) -> Vec<u8> {
    let mut content = Header::new(first, salt, snapshot).encode();
    content.extend(snapshot.unwrap_or_default());
    content
}

/// Seals the content of a file, which is synced before the file gets its name.
fn sealed(mut content: Vec<u8>) -> Vec<u8> {
    let len = content.len() as u64;
    format::seal(&mut content, len);
    content
}

/// Returns the content of a file, rewritten for a new file.
fn rewritten(held: &JournalContent, salt: u64) -> Vec<u8> {
    let mut content = begin(held.first, salt, held.snapshot.as_deref());
    let mut records = held.records.iter().peekable();
    let mut first = held.first;
    while records.peek().is_some() {
        let (mut body, mut count) = (Vec::new(), 0);
        while body.len() < REWRITTEN_FRAME_BYTES
            && let Some(record) = records.next()
        {
            push_record(&mut body, record);
            count += 1;
        }
        content.extend(frame(first, count, &body, salt));
        first += u64::from(count);
    }
    sealed(content)
}

/// Replaces the journal's file atomically: a crash leaves the old one or the new one.
async fn replace(
    disk: &Disk,
    name: &str,
    content: Vec<u8>,
    salt: u64,
) -> io::Result<JournalWriter> {
    let new = format!("{name}.new");
    let directory = name
        .rsplit_once('/')
        .map_or(".", |(directory, _)| directory);
    let options = OpenOptions::new().write(true).create(true).truncate(true);
    let end = content.len() as u64;
    let file = disk.open(&new, options).await?;
    let written = async {
        file.write_at(0, content).await?;
        file.sync_all().await
    };
    if let Err(error) = written.await {
        // A partial file would take up space on a disk that may be full. The first error is returned.
        drop(disk.remove_file(&new).await);
        return Err(error);
    }
    disk.rename(&new, name).await?;
    disk.sync_dir(directory).await?;
    let mut tail = JournalWriter {
        file,
        end,
        salt,
        marks: Marks::default(),
    };
    tail.mark().await?;
    Ok(tail)
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal")
            .field("name", &self.inner.name)
            .field("next", &self.next())
            .finish()
    }
}

/// The fingerprint covers the name and the waiting records; written records belong to the disk.
impl Fingerprint for Journal {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.write(self.inner.name.as_bytes());
        self.inner.queue.fingerprint(to);
    }
}
