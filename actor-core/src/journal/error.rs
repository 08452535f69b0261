//! Errors of a journal: [`JournalError`].

use std::fmt;
use std::io;

/// The reason why a journal can't be read or written.
///
/// An error of the disk ends the journal: the state of unsynced data is unknown. Drop the journal, and
/// [recover](super::Journal::recover) it; everything that was synced is there.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JournalError {
    /// The disk has failed.
    Disk {
        /// The path of the journal.
        file: String,
        /// The kind of the I/O error.
        kind: io::ErrorKind,
        /// The message of the I/O error.
        message: String,
    },
    /// Another handle has the journal open, in this process or in another.
    InUse {
        /// The path of the journal.
        file: String,
    },
    /// A synced part of the file is damaged: somebody else has written to it, or the disk has lost data.
    Damaged {
        /// The path of the journal.
        file: String,
        /// The offset of the damage in the file.
        offset: u64,
        /// The number of the first record that can't be read.
        record: u64,
        /// A description of the damage.
        why: &'static str,
    },
    /// A record or a snapshot is larger than [`RECORD_BYTES_MAX`](super::RECORD_BYTES_MAX).
    TooLarge {
        /// The path of the journal.
        file: String,
        /// The size of the record or snapshot in bytes.
        bytes: usize,
    },
    /// More than [`UNSYNCED_BYTES_MAX`](super::UNSYNCED_BYTES_MAX) bytes would wait for a sync.
    Full {
        /// The path of the journal.
        file: String,
    },
    /// A value can't be encoded or decoded.
    Codec {
        /// The path of the journal.
        file: String,
        /// The number of the record; `None` for a snapshot.
        record: Option<u64>,
        /// A description of the error.
        message: String,
    },
}

impl JournalError {
    pub(super) fn disk(file: &str, error: &io::Error) -> Self {
        Self::Disk {
            file: file.into(),
            kind: error.kind(),
            message: error.to_string(),
        }
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disk { file, message, .. } => write!(f, "the journal `{file}`: {message}"),
            Self::InUse { file } => write!(
                f,
                "the journal `{file}` is open already, here or in another process: share that handle, \
                 which is cloned, or drop it before"
            ),
            Self::Damaged {
                file,
                offset,
                record,
                why,
            } => write!(
                f,
                "the journal `{file}` is damaged at byte {offset}, record {record}: {why}; take the \
                 file from a copy, or cut it there by hand if you can do without the rest"
            ),
            Self::TooLarge { file, bytes } => write!(
                f,
                "the journal `{file}`: {bytes} bytes are more than the {} that a record may have",
                super::RECORD_BYTES_MAX
            ),
            Self::Full { file } => write!(
                f,
                "the journal `{file}`: more than {} bytes would wait for a sync; sync before you \
                 append more",
                super::UNSYNCED_BYTES_MAX
            ),
            Self::Codec {
                file,
                record: Some(record),
                message,
            } => write!(f, "the journal `{file}`: record {record}: {message}"),
            Self::Codec { file, message, .. } => {
                write!(f, "the journal `{file}`: the snapshot: {message}")
            }
        }
    }
}

impl std::error::Error for JournalError {}
