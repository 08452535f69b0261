//! An open file: [`File`].

use std::fmt;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Mutex};

use super::call_future::DiskCallFuture;
use super::disk::wrong_answer_error;
use super::{DiskOp, DiskOpResult, OpenOptions};
use crate::panics::lock;
use crate::production::LiveDisk;
use crate::seam::DiskId;

/// An open file, by [`Disk::open`](super::Disk::open). Clones are the same open file, which is closed when
/// the last one is dropped.
///
/// There is no position: reads and writes take an offset, and [`append`](File::append) writes at the end.
/// Written data is visible to all readers at once, and is certain to survive a crash after
/// [`sync_data`](File::sync_data) or [`sync_all`](File::sync_all). A new file's name needs a
/// [`sync_dir`](super::Disk::sync_dir) as well.
///
/// # Errors
///
/// Each call fails as the operating system's call does; the message contains the path. After a failed write
/// any part of it may be in the file. After a failed sync nothing is known about the earlier writes: the next
/// sync may succeed even if they are lost, so write the data again, to another place.
#[derive(Clone)]
pub struct File(Arc<FileInner>);

struct FileInner {
    path: String,
    options: OpenOptions,
    place: Backend,
}

enum Backend {
    Live(LiveDisk, Arc<OsFile>),
    Controlled(DiskId, u32),
}

/// An open file of the operating system.
struct OsFile {
    file: fs::File,
    /// Held from a seek to the read or write after it. A sync does not take the lock.
    position: Mutex<()>,
}

// A panic can only interrupt changes on the disk itself, which programs must already tolerate as crashes.
impl UnwindSafe for File {}
impl RefUnwindSafe for File {}

impl File {
    pub(super) fn live(
        path: String,
        options: OpenOptions,
        disk: LiveDisk,
        opened: fs::File,
    ) -> Self {
        let real = Arc::new(OsFile {
            file: opened,
            position: Mutex::new(()),
        });
        let place = Backend::Live(disk, real);
        Self(Arc::new(FileInner {
            path,
            options,
            place,
        }))
    }

    pub(super) fn controlled(path: String, options: OpenOptions, disk: DiskId, file: u32) -> Self {
        let place = Backend::Controlled(disk, file);
        Self(Arc::new(FileInner {
            path,
            options,
            place,
        }))
    }

    /// Reads up to `len` bytes from `offset` on: fewer if the file ends before that, none beyond its end.
    ///
    /// ```
    /// # use actor_core::fs::{Disk, OpenOptions};
    /// # async fn f(disk: &Disk) -> std::io::Result<()> {
    /// let file = disk.open("names", OpenOptions::new().read(true)).await?;
    /// let header = file.read_at(0, 16).await?;
    /// # let _ = header;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn read_at(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.check(self.0.options.read, "to be read")?;
        let read = move |real: &OsFile| real.read(offset, len);
        let call = |file| DiskOp::Read {
            file,
            at: offset,
            len,
        };
        let bytes = |answer| match answer {
            DiskOpResult::Bytes(bytes) => Ok(bytes),
            _ => Err(wrong_answer_error()),
        };
        self.call("read", read, call, bytes).await
    }

    /// Writes all of `bytes` at `offset`. A gap between the file's end and the offset then reads as zeros.
    pub async fn write_at(&self, offset: u64, bytes: impl Into<Vec<u8>>) -> io::Result<()> {
        self.check(self.0.options.write, "to be written at any place")?;
        let bytes = bytes.into();
        if offset.checked_add(bytes.len() as u64).is_none() {
            return Err(self.refused(io::ErrorKind::InvalidInput, "the file would be too long"));
        }
        self.write("write", Some(offset), bytes).await.map(drop)
    }

    /// Writes all of `bytes` at the end, and returns their offset. Requires [`append`](OpenOptions::append).
    pub async fn append(&self, bytes: impl Into<Vec<u8>>) -> io::Result<u64> {
        self.check(self.0.options.append, "to be appended to")?;
        let bytes = bytes.into();
        self.write("append to", None, bytes).await
    }

    /// Writes at an offset, or at the end if there is none; returns the offset.
    async fn write(&self, verb: &str, at: Option<u64>, bytes: Vec<u8>) -> io::Result<u64> {
        match &self.0.place {
            Backend::Live(disk, real) => {
                let real = real.clone();
                let to = at.map_or(SeekFrom::End(0), SeekFrom::Start);
                let write = move || real.write(to, &bytes);
                disk.work(self.describe(verb), write).await
            }
            Backend::Controlled(disk, file) => {
                let file = *file;
                let call = DiskOp::Write { file, at, bytes };
                let answer = DiskCallFuture::new(*disk, call).await?;
                at.map_or_else(|| number(answer), Ok)
            }
        }
    }

    /// Truncates the file, or extends it with zeros.
    pub async fn set_len(&self, len: u64) -> io::Result<()> {
        self.check(self.0.options.writes(), "to be written")?;
        let set_len = move |real: &OsFile| real.file.set_len(len);
        let call = |file| DiskOp::SetLen { file, len };
        self.call("set the length of", set_len, call, |_| Ok(()))
            .await
    }

    /// Returns the length of the file in bytes.
    pub async fn len(&self) -> io::Result<u64> {
        let len = |real: &OsFile| Ok(real.file.metadata()?.len());
        let call = |file| DiskOp::Len { file };
        self.call("get the length of", len, call, number).await
    }

    /// Returns true if the file is empty.
    pub async fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// Makes the file's content and length durable. Other metadata, such as times, may be lost.
    pub async fn sync_data(&self) -> io::Result<()> {
        self.sync(|file| file.sync_data()).await
    }

    /// Makes everything except the file's name durable.
    pub async fn sync_all(&self) -> io::Result<()> {
        self.sync(|file| file.sync_all()).await
    }

    async fn sync(&self, sync: fn(&fs::File) -> io::Result<()>) -> io::Result<()> {
        let sync = move |real: &OsFile| sync(&real.file);
        let call = |file| DiskOp::Sync { file };
        self.call("sync", sync, call, |_| Ok(())).await
    }

    /// Writes all of `bytes` at `offset`, syncs, and writes the mark, in production by one blocking call.
    pub(crate) async fn commit_at(
        &self,
        offset: u64,
        bytes: Vec<u8>,
        mark: (u64, Vec<u8>),
    ) -> io::Result<()> {
        if let Backend::Live(disk, real) = &self.0.place {
            let real = real.clone();
            let commit = move || {
                real.write(SeekFrom::Start(offset), &bytes)?;
                real.file.sync_data()?;
                real.write(SeekFrom::Start(mark.0), &mark.1).map(drop)
            };
            return disk.work(self.describe("write and sync"), commit).await;
        }
        self.write_at(offset, bytes).await?;
        self.sync_data().await?;
        self.write_at(mark.0, mark.1).await
    }

    async fn call<T: Send + 'static>(
        &self,
        verb: &str,
        live: impl FnOnce(&OsFile) -> io::Result<T> + Send + 'static,
        controlled: impl FnOnce(u32) -> DiskOp,
        answer: impl FnOnce(DiskOpResult) -> io::Result<T>,
    ) -> io::Result<T> {
        match &self.0.place {
            Backend::Live(disk, real) => {
                let real = real.clone();
                disk.work(self.describe(verb), move || live(&real)).await
            }
            Backend::Controlled(disk, file) => {
                answer(DiskCallFuture::new(*disk, controlled(*file)).await?)
            }
        }
    }

    fn describe(&self, verb: &str) -> String {
        format!("{verb} `{}`", self.0.path)
    }

    fn check(&self, may: bool, what: &str) -> io::Result<()> {
        match may {
            true => Ok(()),
            false => {
                let why = format!("it was not opened {what}");
                Err(self.refused(io::ErrorKind::InvalidInput, &why))
            }
        }
    }

    fn refused(&self, kind: io::ErrorKind, why: &str) -> io::Error {
        io::Error::new(kind, format!("`{}`: {why}", self.0.path))
    }
}

fn number(answer: DiskOpResult) -> io::Result<u64> {
    match answer {
        DiskOpResult::Number(number) => Ok(number),
        _ => Err(wrong_answer_error()),
    }
}

impl OsFile {
    fn read(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let _position = lock(&self.position);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(len as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes at a position; returns the offset of the first byte.
    fn write(&self, to: SeekFrom, bytes: &[u8]) -> io::Result<u64> {
        let _position = lock(&self.position);
        let mut file = &self.file;
        let at = file.seek(to)?;
        file.write_all(bytes)?;
        Ok(at)
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("File").field(&self.0.path).finish()
    }
}
