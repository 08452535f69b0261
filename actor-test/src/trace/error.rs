//! Errors of reading a trace file: missing, truncated, foreign, damaged, edited or too new.

use crate::trace::format::{BYTES_MAX, VERSION};

/// The reasons why a file is not a trace that can be replayed.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error("there is no trace {path}; a failing test prints where it wrote its trace")]
    Missing { path: String },
    #[error("can't read {path}: {error}")]
    Unreadable { path: String, error: String },
    #[error("{path} has more than {} MiB, which no trace has", BYTES_MAX >> 20)]
    TooLarge { path: String },
    #[error("{path} is empty: it was truncated; run the test again to write it anew")]
    Empty { path: String },
    #[error(
        "{path} is a truncated trace: it ends in line {line}, in the middle of the document; run the \
         test again to write it anew"
    )]
    Truncated { path: String, line: usize },
    #[error("{path} is not a trace of actor-test: {why}")]
    Foreign { path: String, why: String },
    #[error(
        "{path} has version {found} of the trace format, and this actor-test ({tool}) reads versions \
         up to {VERSION}; update actor-test to read it"
    )]
    TooNew {
        path: String,
        found: u64,
        tool: &'static str,
    },
    #[error("{path} is a damaged trace: {why}; run the test again to write it anew")]
    Damaged { path: String, why: String },
    #[error(
        "{path} was edited: its decisions or settings don't match their digest, so it is no longer \
         an execution that took place; run the test again to write it anew"
    )]
    Edited { path: String },
}
