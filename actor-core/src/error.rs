//! Errors of a production system.

use std::fmt;

/// The reason why a system could not carry out a request.
///
/// ```
/// use actor_core::Error;
///
/// let error = Error::ShutdownTimedOut(vec!["printer".into()]);
/// assert_eq!(
///     error.to_string(),
///     "failed to shut down in time, aborted printer; allow more time, or check what their \
///      handlers wait for",
/// );
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The actors that had not stopped by the deadline and were aborted.
    ShutdownTimedOut(Vec<String>),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ShutdownTimedOut(actors) => write!(
                f,
                "failed to shut down in time, aborted {}; allow more time, or check what their \
                 handlers wait for",
                actors.join(", ")
            ),
        }
    }
}

impl std::error::Error for Error {}
