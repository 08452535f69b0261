//! Calls to a disk under test, and their answers.

pub use super::options::OpenOptions;

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
