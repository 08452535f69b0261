//! Errors of resuming a search from a checkpoint.

/// The reason why a search can't resume, and a remedy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CheckpointError {
    #[error(
        "there is no checkpoint {path}; a search writes one with `--checkpoint`, and takes it away when \
         it is done"
    )]
    Missing { path: String },
    #[error("can't read {path}: {error}")]
    Unreadable { path: String, error: String },
    #[error("{path} is no checkpoint of actor-test")]
    Foreign { path: String },
    #[error(
        "{path} is a damaged checkpoint: {why}; take it away, and begin anew without `--resume`"
    )]
    Damaged { path: String, why: String },
    #[error(
        "{path} is of another program: its {what} is {found}, and this one's is {expected}; go on with \
         the same build, or begin anew: without `--resume`, and for shards in an empty directory"
    )]
    OtherProgram {
        path: String,
        what: &'static str,
        found: String,
        expected: String,
    },
    #[error(
        "{path} is of a search with other settings: {what} was {found}, and is {expected} now; go on \
         with the same settings, or begin anew: without `--resume`, and for shards in an empty directory"
    )]
    OtherSettings {
        path: String,
        what: &'static str,
        found: String,
        expected: String,
    },
    #[error("can't tell which program this is: {0}")]
    NoProgram(String),
}
