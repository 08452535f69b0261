//! Errors of the directory of a search: its files can't be used by this process.

use std::path::{Path, PathBuf};

/// The reason why a search can't go on in its directory, and a remedy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckpointError {
    #[error("can't read {}: {error}", path.display())]
    Unreadable {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("can't write {}: {error}", path.display())]
    Unwritable {
        path: PathBuf,
        error: std::io::Error,
    },
    #[error("{} is no checkpoint of actor-test; {}", path.display(), another(path))]
    Foreign { path: PathBuf },
    #[error("{} is a damaged checkpoint: {why}; {}", path.display(), another(path))]
    Damaged { path: PathBuf, why: String },
    #[error(
        "{} is of another program: its {what} is {found}, and this one's is {expected}; go on with the \
         same build, {}", path.display(), another(path)
    )]
    OtherProgram {
        path: PathBuf,
        what: &'static str,
        found: String,
        expected: String,
    },
    #[error(
        "{} is of a search with other settings: {what} was {found}, and is {expected} now; go on with \
         the same settings, {}", path.display(), another(path)
    )]
    OtherSettings {
        path: PathBuf,
        what: &'static str,
        found: String,
        expected: String,
    },
    #[error("can't tell which program this is: {0}")]
    NoProgram(String),
}

/// Returns the remedies that begin a new search.
fn another(path: &Path) -> String {
    let directory = path.parent().unwrap_or(path).display();
    format!("name another directory, or remove {directory}")
}
