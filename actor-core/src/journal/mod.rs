//! What actors write down to find it again after a crash: [`Journal`].
//!
//! [`format`] is its file, byte by byte; [`queue`] what waits to be written, and who waits for that;
//! [`recovery`] what is found at the start.

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
use queue::{Job, Queue, Turn};
use recovery::Held;

/// How many bytes a record, or a snapshot, may have.
pub const RECORD_BYTES_MAX: usize = 256 << 20;

/// How many bytes may wait for a sync, records that are being written apart.
pub const UNSYNCED_BYTES_MAX: usize = 1 << 30;

/// How many bytes a frame has in a file that is written anew, or more for a single record: a damaged
/// frame is named as a whole.
const REWRITTEN_FRAME_BYTES: usize = 64 << 10;

/// An append-only file of records, from which an actor recovers its state.
///
/// [`append`](Journal::append) takes a record, and [`sync`](Journal::sync) waits until everything that
/// was appended before survives a crash: tell nobody of a record before. [`recover`](Journal::recover)
/// gives back what survived: all that was synced, and perhaps more, always a prefix of what was
/// appended. [`snapshot`](Journal::snapshot) replaces all records so far by a state.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::{Journal, JournalError};
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
/// # Many at a time
///
/// Clones are handles to one journal, for several actors or for futures that are piped to one. While one
/// of them writes and syncs, others append; the next sync is one for all of them. An actor that awaits
/// each sync in its handler has one record in each; one that goes on meanwhile, with
/// `cx.pipe_to_self(journal.sync(), …)`, has many.
///
/// # What it stands
///
/// - A crash at any moment, also one that tears writes or keeps them in another order. What it leaves
///   behind the last sync is cut off; [`Recovered::torn_bytes`] says how much.
/// - Damage later, a flipped bit or a file that is too short: an [error](JournalError::Damaged) that says
///   where. How much was synced stands at the beginning of the file, written after each sync. Where the
///   power has failed before that reached the disk, it says nothing of the last sync alone: nobody can tell
///   damage in what was written then from a crash meanwhile, and it is cut off.
/// - A failed write or sync ends the journal, and every call from then on gives the error: nobody knows
///   what is on the disk. Recover it in a new life of the actor. Where recovery finds more than is known to
///   be synced, it writes what it has read to a new file before it says that it is there, since a disk whose
///   sync has failed may show what it has lost.
/// - A full disk: what is safe can be recovered, since that writes nothing where all that is found is known
///   to be synced.
/// - An actor that is killed in the middle of a write.
/// - A second handle, in the same process or in another: it is [refused](JournalError::InUse) by a lock of the
///   operating system, on the file `name.lock`, until the first and all its clones are dropped. A
///   [`sync`](Journal::sync) that is still awaited then fails once the journal is opened anew. Under test
///   there are no locks, and what two handles write over each other is for the tests to find.
///
/// Records wait in memory until they are synced, [a gibibyte](UNSYNCED_BYTES_MAX) at most.
#[derive(Clone)]
pub struct Journal {
    inner: Arc<Inner>,
    /// The journal is open for as long as there is a handle.
    _holder: Arc<Holder>,
}

struct Inner {
    disk: Disk,
    name: String,
    queue: Queue,
}

/// The file as it is being written: whoever works has it.
pub(crate) struct Tail {
    file: File,
    end: u64,
    /// Of this file's frames.
    salt: u64,
    marks: Marks,
}

impl Journal {
    /// Opens a journal, and gives back what survived of it. Where there is no file of that name, the
    /// journal is new; `name` is a [path](crate::fs) in a directory that exists. The files `name.new` and
    /// `name.lock` beside it belong to the journal.
    ///
    /// It reads the whole file, and writes it anew where it holds more than is known to be synced: a
    /// [snapshot](Journal::snapshot) now and then keeps it short.
    ///
    /// # Errors
    ///
    /// Where the disk fails, the journal is open already, or the file is damaged or cut in a place that was
    /// synced.
    pub async fn recover(disk: &Disk, name: &str) -> Result<Recovered, JournalError> {
        let failed = |error: io::Error| JournalError::disk(name, &error);
        let holder = Arc::new(Holder);
        let leased = disk.leased(&format!("{name}.lock"), &holder).await;
        let Some(disk) = leased.map_err(failed)? else {
            return Err(JournalError::InUse { file: name.into() });
        };
        let disk = &disk;
        // A killed actor may have left a call under way.
        disk.settled().await.map_err(failed)?;
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
                (Held::of(&bytes, parsed), tail)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (Held::default(), None),
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

    /// Takes a record, to be written with the next [sync](Journal::sync); tells its number, from zero over
    /// the whole life of the journal.
    ///
    /// # Errors
    ///
    /// Where it is too large, too much waits for a sync, or the disk has failed before.
    pub fn append(&self, record: impl AsRef<[u8]>) -> Result<u64, JournalError> {
        let record = record.as_ref();
        self.check_size(record.len())?;
        self.inner.queue.append(record, &self.inner.name)
    }

    /// Replaces all records so far by a state that they have led to, with the next
    /// [sync](Journal::sync): a crash leaves either the records or the snapshot.
    ///
    /// ```
    /// # use actor_core::{Journal, JournalError};
    /// async fn keep_short(journal: &Journal, state: &[u8]) -> Result<(), JournalError> {
    ///     journal.snapshot(state)?;
    ///     journal.sync().await
    /// }
    /// # let _ = keep_short;
    /// ```
    ///
    /// # Errors
    ///
    /// Where it is too large, or the disk has failed before.
    pub fn snapshot(&self, state: impl Into<Vec<u8>>) -> Result<(), JournalError> {
        let state = state.into();
        self.check_size(state.len())?;
        self.inner.queue.snapshot(state)
    }

    /// As [`append`](Journal::append), of a value, encoded by [`codec`](crate::codec).
    ///
    /// # Errors
    ///
    /// As there, and where the value can't be encoded.
    #[cfg(feature = "codec")]
    pub fn append_value<T: serde::Serialize>(&self, value: &T) -> Result<u64, JournalError> {
        self.append(self.encoded(value)?)
    }

    /// As [`snapshot`](Journal::snapshot), of a value, encoded by [`codec`](crate::codec).
    ///
    /// # Errors
    ///
    /// As there, and where the value can't be encoded.
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

    /// Waits until everything that was appended before this call survives a crash. Dropped before, it
    /// says nothing: some of it may be on the disk.
    ///
    /// # Errors
    ///
    /// Where the disk fails, or has failed before.
    pub fn sync(&self) -> impl Future<Output = Result<(), JournalError>> + Send + 'static {
        let inner = self.inner.clone();
        let until = inner.queue.asked();
        async move {
            loop {
                match inner.queue.turn(until).await {
                    Turn::Over(result) => return result,
                    Turn::Work(job) => inner.work(job).await,
                }
            }
        }
    }

    /// The number that the next record gets: how many were appended, over the journal's whole life.
    pub fn next(&self) -> u64 {
        self.inner.queue.next()
    }

    /// The path of its file.
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
    /// Writes what waited, and syncs it.
    async fn work(&self, mut job: Job<'_>) {
        let written = self.write(&mut job).await;
        job.done(written.map_err(|error| JournalError::disk(&self.name, &error)));
    }

    async fn write(&self, job: &mut Job<'_>) -> io::Result<()> {
        if job.was_interrupted() {
            // Whoever wrote before was dropped, and its call may be under way.
            self.disk.settled().await?;
            // Nobody was told that what it wrote is safe, and it is written over.
            job.tail().marks_end().await?;
        }
        if u32::try_from(job.body().len()).is_err() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let salt = job.tail().salt;
        let bytes = match job.records() {
            0 => Vec::new(),
            records => frame(job.first(), records, job.body(), salt),
        };
        if let Some(snapshot) = job.snapshot() {
            let mut content = begin(job.first(), salt, Some(snapshot));
            content.extend(bytes);
            let content = sealed(content);
            *job.tail() = replace(&self.disk, &self.name, content, salt).await?;
        } else if !bytes.is_empty() {
            job.tail().commit(bytes).await?;
        }
        Ok(())
    }
}

impl Tail {
    /// Writes a frame, syncs it, and marks that.
    async fn commit(&mut self, frame: Vec<u8>) -> io::Result<()> {
        let end = self.end + frame.len() as u64;
        let mark = self.marks.advance(end, self.salt);
        let (at, mark) = (self.end, (mark.at, mark.bytes));
        self.file.commit_at(at, frame, mark).await?;
        self.end = end;
        Ok(())
    }

    /// Marks that nothing behind the end is known to be synced.
    async fn marks_end(&mut self) -> io::Result<()> {
        for _ in 0..2 {
            self.mark().await?;
        }
        self.file.sync_data().await
    }

    /// Marks that everything is synced.
    async fn mark(&mut self) -> io::Result<()> {
        let mark = self.marks.advance(self.end, self.salt);
        self.file.write_at(mark.at, mark.bytes).await
    }
}

/// Goes on with a file that held so many bytes, all of whose records are known to be synced.
async fn reopened(file: File, parsed: &Parsed, len: usize) -> io::Result<Tail> {
    if parsed.end < len {
        file.set_len(parsed.end as u64).await?;
    }
    Ok(Tail {
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

/// A header and a snapshot.
fn begin(first: u64, salt: u64, snapshot: Option<&[u8]>) -> Vec<u8> {
    let mut content = Header::new(first, salt, snapshot).encode();
    content.extend(snapshot.unwrap_or_default());
    content
}

/// The content of a file that is synced before it gets its name.
fn sealed(mut content: Vec<u8>) -> Vec<u8> {
    let len = content.len() as u64;
    format::seal(&mut content, len);
    content
}

/// What a file held, as a new one.
fn rewritten(held: &Held, salt: u64) -> Vec<u8> {
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

/// Puts a file into the place of the journal's, in one step: a crash leaves the old one or the new one.
async fn replace(disk: &Disk, name: &str, content: Vec<u8>, salt: u64) -> io::Result<Tail> {
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
        // What there is of it takes the room of others. The first error is the one to be told.
        drop(disk.remove_file(&new).await);
        return Err(error);
    }
    disk.rename(&new, name).await?;
    disk.sync_dir(directory).await?;
    let mut tail = Tail {
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

/// What waits in it; what it has written is the disk's.
impl Fingerprint for Journal {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        to.write(self.inner.name.as_bytes());
        self.inner.queue.fingerprint(to);
    }
}
