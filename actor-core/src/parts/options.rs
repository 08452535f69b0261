//! How a file is opened: [`OpenOptions`].

use std::io;

/// How a file is opened: as [`std::fs::OpenOptions`], by value.
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
    /// Nothing is allowed yet: say at least one of `read`, `write` and `append`.
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

    /// To read.
    pub const fn read(mut self, read: bool) -> Self {
        self.read = read;
        self
    }

    /// To write at any place.
    pub const fn write(mut self, write: bool) -> Self {
        self.write = write;
        self
    }

    /// To write at the end alone, with [`File::append`](crate::fs::File::append).
    pub const fn append(mut self, append: bool) -> Self {
        self.append = append;
        self
    }

    /// To begin with an empty file, whatever it held.
    pub const fn truncate(mut self, truncate: bool) -> Self {
        self.truncate = truncate;
        self
    }

    /// To create the file where there is none.
    pub const fn create(mut self, create: bool) -> Self {
        self.create = create;
        self
    }

    /// To create the file, and to fail where there is one.
    pub const fn create_new(mut self, create_new: bool) -> Self {
        self.create_new = create_new;
        self
    }

    /// Whether it may be read.
    pub const fn reads(&self) -> bool {
        self.read
    }

    /// Whether it may be written.
    pub const fn writes(&self) -> bool {
        self.write || self.append
    }

    /// Whether it is emptied.
    pub const fn truncates(&self) -> bool {
        self.truncate
    }

    /// Whether it is created where there is none.
    pub const fn creates(&self) -> bool {
        self.create || self.create_new
    }

    /// Whether there must be none.
    pub const fn is_exclusive(&self) -> bool {
        self.create_new
    }

    /// The same rules as the standard library's, on every system.
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
