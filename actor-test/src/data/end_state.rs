//! The unread events and running periodic timers at the end of an execution without a bug.

use serde::{Deserialize, Serialize};

/// The state that an execution leaves behind at its end, for the report.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct EndState {
    /// The actor with unread events that no actor will handle, in words.
    pub(crate) unread: Option<String>,
    /// True if there are actors and none has taken a step, also if the strategy ended the execution early.
    pub(crate) idle: bool,
    /// The periodic timer that ran up to the fair bound, and why the execution did not end, in words.
    pub(crate) restless: Option<String>,
}
