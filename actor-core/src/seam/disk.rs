//! Calls to a disk, their answers, and the options for opening a file: [`OpenOptions`].

use std::io;

/// Options for opening a file: as [`std::fs::OpenOptions`], by value.
///
/// ```
/// use actor_core::fs::OpenOptions;
///
/// let log = OpenOptions::new().append(true).create(true);
/// let table = OpenOptions::new().read(true).write(true);
/// assert_ne!(log, table);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct OpenOptions {
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) append: bool,
    pub(crate) truncate: bool,
    pub(crate) create: bool,
    pub(crate) create_new: bool,
}

impl OpenOptions {
    /// Returns options that allow nothing: set at least one of `read`, `write` and `append`.
    pub const fn new() -> Self {
        Self {
            read: false,
            write: false,
            append: false,
            truncate: false,
            create: false,
            create_new: false,
        }
    }

    /// Allows reading.
    pub const fn read(mut self, read: bool) -> Self {
        self.read = read;
        self
    }

    /// Allows writing at any offset.
    pub const fn write(mut self, write: bool) -> Self {
        self.write = write;
        self
    }

    /// Allows writing at the end alone, with [`File::append`](crate::fs::File::append).
    pub const fn append(mut self, append: bool) -> Self {
        self.append = append;
        self
    }

    /// Truncates an existing file when it is opened.
    pub const fn truncate(mut self, truncate: bool) -> Self {
        self.truncate = truncate;
        self
    }

    /// Creates the file if there is none.
    pub const fn create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// Creates the file, and fails if there is one.
    pub const fn create_new(mut self, create_new: bool) -> Self {
        self.create_new = create_new;
        self
    }

    /// Returns true if the file may be read.
    pub const fn reads(&self) -> bool {
        self.read
    }

    /// Returns true if the file may be written.
    pub const fn writes(&self) -> bool {
        self.write || self.append
    }

    /// Returns true if opening empties the file.
    pub const fn truncates(&self) -> bool {
        self.truncate
    }

    /// Returns true if opening creates the file if there is none.
    pub const fn creates(&self) -> bool {
        self.create || self.create_new
    }

    /// Returns true if the file must not exist yet.
    pub const fn is_exclusive(&self) -> bool {
        self.create_new
    }

    /// Checks the options by the rules of the standard library, on every system.
    pub(crate) fn check(&self, path: &str) -> io::Result<()> {
        let why = if !self.read && !self.writes() {
            "say `read`, `write` or `append`"
        } else if self.write && self.append {
            "`write` and `append` exclude each other"
        } else if self.creates() && !self.writes() {
            "what is created must be opened with `write` or `append`"
        } else if self.truncate && !self.write {
            "`truncate` needs `write`"
        } else {
            return Ok(());
        };
        let message = format!("open `{path}`: {why}");
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }
}

/// A call of one operation to its disk. Paths are names separated by slashes; the root is empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum DiskOp {
    /// Opens a file, for [`DiskOpResult::File`].
    Open {
        /// The path of the file.
        path: String,
        /// The options to open with.
        options: OpenOptions,
    },
    /// Reads, for [`DiskOpResult::Bytes`].
    Read {
        /// An open file.
        file: u32,
        /// The offset to read from.
        at: u64,
        /// The maximum number of bytes.
        len: usize,
    },
    /// Writes.
    Write {
        /// An open file.
        file: u32,
        /// The offset to write at; `None` appends, for [`DiskOpResult::Number`].
        at: Option<u64>,
        /// The bytes to write.
        bytes: Vec<u8>,
    },
    /// Truncates or extends a file.
    SetLen {
        /// An open file.
        file: u32,
        /// The new length.
        len: u64,
    },
    /// Gets the length of a file, for [`DiskOpResult::Number`].
    Len {
        /// An open file.
        file: u32,
    },
    /// Makes a file's content survive a crash.
    Sync {
        /// An open file.
        file: u32,
    },
    /// Makes the names in a directory survive a crash.
    SyncDir {
        /// The path of the directory.
        path: String,
    },
    /// Renames a file or directory.
    Rename {
        /// The old path.
        from: String,
        /// The new path; a file of that name is replaced.
        to: String,
    },
    /// Removes a file.
    RemoveFile {
        /// The path of the file.
        path: String,
    },
    /// Creates a directory.
    CreateDir {
        /// The path of the directory.
        path: String,
    },
    /// Removes an empty directory.
    RemoveDir {
        /// The path of the directory.
        path: String,
    },
    /// Waits until every call is over whose answer nobody awaits any more.
    Settle,
    /// Lists a directory, for [`DiskOpResult::Entries`].
    ReadDir {
        /// The path of the directory.
        path: String,
    },
}

/// The result of a successful call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiskOpResult {
    /// The call is done.
    Done,
    /// An open file.
    File(u32),
    /// The bytes that were read.
    Bytes(Vec<u8>),
    /// A length or an offset.
    Number(u64),
    /// The entries of a directory, ordered by name.
    Entries(Vec<DirEntry>),
}

/// An entry of a directory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub struct DirEntry {
    /// The name of the entry.
    pub name: String,
    /// True if the entry is a directory itself.
    pub is_dir: bool,
}

impl DirEntry {
    /// Makes an entry of that name.
    #[doc(hidden)]
    pub fn new(name: String, is_dir: bool) -> Self {
        Self { name, is_dir }
    }
}
