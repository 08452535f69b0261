//! A nameless temporary file, which disappears with the process: [`SpillFile`].

use std::cell::RefCell;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// The size of a read: neighbouring entries are usually read next.
const BLOCK: u64 = 1 << 12;

/// A file of bytes that are appended, and read at any offset.
#[derive(Debug)]
pub(super) struct SpillFile {
    inside: RefCell<Inside>,
}

#[derive(Debug)]
struct Inside {
    file: std::fs::File,
    len: u64,
    /// The block that was read last, and its offset; empty before the first read.
    block: Vec<u8>,
    from: u64,
}

impl SpillFile {
    pub(super) fn new() -> io::Result<Self> {
        let file = nameless()?;
        Ok(Self {
            inside: RefCell::new(Inside {
                file,
                len: 0,
                block: Vec::new(),
                from: 0,
            }),
        })
    }

    /// Appends all bytes, or none.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let inside = self.inside.get_mut();
        // The cached block may be longer now.
        inside.block.clear();
        inside.file.seek(SeekFrom::Start(inside.len))?;
        inside.file.write_all(bytes)?;
        inside.len += bytes.len() as u64;
        Ok(())
    }

    /// Passes the bytes at an offset to a function.
    ///
    /// # Panics
    ///
    /// Panics if the disk doesn't return what was written: the search can't continue.
    pub(super) fn read<T>(&self, at: u64, length: usize, take: impl FnOnce(&[u8]) -> T) -> T {
        let mut inside = self.inside.borrow_mut();
        let inside = &mut *inside;
        let end = at + length as u64;
        if at < inside.from || end > inside.from + inside.block.len() as u64 {
            let read = inside.read_block(at - at % BLOCK, end);
            read.expect("the file of states, which is gone or can't be read");
        }
        let from = (at - inside.from) as usize;
        take(&inside.block[from..from + length])
    }
}

impl Inside {
    /// Reads a block, or more if the requested bytes continue behind it.
    fn read_block(&mut self, from: u64, end: u64) -> io::Result<()> {
        let length = (from + BLOCK).max(end).min(self.len) - from;
        self.block.resize(length as usize, 0);
        self.from = from;
        self.file.seek(SeekFrom::Start(from))?;
        self.file.read_exact(&mut self.block)
    }
}

/// Creates a file and removes its name at once, so that nothing is left however the process ends.
fn nameless() -> io::Result<std::fs::File> {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("actor-test-states-{}-{number}", std::process::id());
    let path = directory().join(name);
    let mut options = std::fs::OpenOptions::new();
    let file = options
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    // On systems other than Unix the file may stay until it is removed by hand.
    let _ = std::fs::remove_file(&path);
    Ok(file)
}

/// The directory for large files: `TMPDIR`, else `/var/tmp`, since `/tmp` is in memory on many machines.
fn directory() -> PathBuf {
    let large = PathBuf::from("/var/tmp");
    match std::env::var_os("TMPDIR") {
        None if large.is_dir() => large,
        _ => std::env::temp_dir(),
    }
}
