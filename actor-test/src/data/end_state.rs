//! The unread events and running periodic timers at the end of an execution without a bug.

use serde::{Deserialize, Serialize};

use crate::data::problem::{Restless, Unread};

/// The state that an execution leaves behind at its end, for the report.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct EndState {
    /// The events that no actor will handle.
    pub(crate) unread: Option<Unread>,
    /// True if there are actors and none has taken a step, also if the strategy ended the execution early.
    pub(crate) idle: bool,
    /// The periodic timer that ran up to the fair bound.
    pub(crate) restless: Option<Restless>,
}
