//! A file without a name, which is gone with the process: [`File`].

use std::cell::RefCell;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much is read at once: who asks for an entry asks for the next ones, as a rule.
const BLOCK: u64 = 1 << 12;

/// Bytes that are appended, and read anywhere.
#[derive(Debug)]
pub(super) struct SpillFile {
    inside: RefCell<Inside>,
}

#[derive(Debug)]
struct Inside {
    file: std::fs::File,
    len: u64,
    /// The block that was read last, and where it begins; nothing has a length of its own.
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

    /// Appends them, or nothing.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let inside = self.inside.get_mut();
        // The last block was shorter than it is now.
        inside.block.clear();
        inside.file.seek(SeekFrom::Start(inside.len))?;
        inside.file.write_all(bytes)?;
        inside.len += bytes.len() as u64;
        Ok(())
    }

    /// Hands over what was written there.
    ///
    /// # Panics
    ///
    /// Where the disk does not give back what it took: there is no way to go on.
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
    /// Reads a block, and more where what is wanted goes on behind it.
    fn read_block(&mut self, from: u64, end: u64) -> io::Result<()> {
        let length = (from + BLOCK).max(end).min(self.len) - from;
        self.block.resize(length as usize, 0);
        self.from = from;
        self.file.seek(SeekFrom::Start(from))?;
        self.file.read_exact(&mut self.block)
    }
}

/// A new file, whose name is taken away at once, so that nothing of it is left whatever ends the process.
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
    // Elsewhere than on Unix it may stay until somebody tidies up.
    let _ = std::fs::remove_file(&path);
    Ok(file)
}

/// What is meant for large files: `TMPDIR`, else `/var/tmp`, since `/tmp` is in memory on many machines.
fn directory() -> PathBuf {
    let large = PathBuf::from("/var/tmp");
    match std::env::var_os("TMPDIR") {
        None if large.is_dir() => large,
        _ => std::env::temp_dir(),
    }
}
