//! Options for opening a file: [`OpenOptions`].

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
