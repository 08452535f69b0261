//! What is asked of a disk under test, and what it answers.

pub use super::options::OpenOptions;

/// A call of one operation to its disk. Paths are names separated by slashes; the root is empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Call {
    /// Opens a file, for [`Answer::File`].
    Open {
        /// Which.
        path: String,
        /// How.
        options: OpenOptions,
    },
    /// Reads, for [`Answer::Bytes`].
    Read {
        /// An open file.
        file: u32,
        /// From where.
        at: u64,
        /// How many bytes at most.
        len: usize,
    },
    /// Writes.
    Write {
        /// An open file.
        file: u32,
        /// To where; to the end where nothing is said, for [`Answer::Number`].
        at: Option<u64>,
        /// What.
        bytes: Vec<u8>,
    },
    /// Cuts or extends a file.
    SetLen {
        /// An open file.
        file: u32,
        /// How long it is to be.
        len: u64,
    },
    /// The length of a file, for [`Answer::Number`].
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
        /// Which directory.
        path: String,
    },
    /// Gives a file or directory another name.
    Rename {
        /// The name it has.
        from: String,
        /// The name it gets; what had it is gone.
        to: String,
    },
    /// Removes a file.
    RemoveFile {
        /// Which.
        path: String,
    },
    /// Creates a directory.
    CreateDir {
        /// Which.
        path: String,
    },
    /// Removes an empty directory.
    RemoveDir {
        /// Which.
        path: String,
    },
    /// Waits until every call is over that nobody waits for any more.
    Settle,
    /// Lists a directory, for [`Answer::Entries`].
    ReadDir {
        /// Which.
        path: String,
    },
}

/// What a call brings where it succeeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is done.
    Done,
    /// An open file.
    File(u32),
    /// What was read.
    Bytes(Vec<u8>),
    /// A length or a place.
    Number(u64),
    /// What a directory holds, by name.
    Entries(Vec<DirEntry>),
}

/// What a directory holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub struct DirEntry {
    /// Its name in the directory.
    pub name: String,
    /// It is a directory itself.
    pub is_dir: bool,
}

impl DirEntry {
    /// An entry of that name.
    #[doc(hidden)]
    pub fn new(name: String, is_dir: bool) -> Self {
        Self { name, is_dir }
    }
}
