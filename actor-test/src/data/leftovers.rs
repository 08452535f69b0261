//! What an execution that found no bug has left behind.

use serde::{Deserialize, Serialize};

/// What is left at the end of an execution, for the report.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Leftovers {
    /// Who has unread events that nobody will handle.
    pub(crate) unread: Option<String>,
    /// There are actors, and none of them has taken a step; or none had when it was broken off.
    pub(crate) idle: bool,
    /// The periodic timer that went on up to the fair bound, and what kept it from being all.
    pub(crate) restless: Option<String>,
}
