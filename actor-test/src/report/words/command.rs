//! The context of a printed report and its commands: [`CommandContext`].

use std::path::PathBuf;
use std::time::Duration;

use crate::report::shell;

/// The default width of a story.
pub const WIDTH: usize = 120;

/// The context of a printed report and its commands: the directory, cargo's selection of packages, and what is
/// asked for.
#[derive(Clone, Debug)]
pub struct CommandContext {
    /// The directory in which the commands are typed.
    pub here: PathBuf,
    /// The flags for cargo, `-p samples` for instance.
    pub selection: Vec<String>,
    /// The largest width of a line of the story.
    pub width: usize,
    /// The time limit of a handler, if one was given.
    pub hang_timeout: Option<Duration>,
    /// The name of the test in the commands, if it differs from the report's.
    pub test: Option<String>,
    /// True if the contribution of each strategy is listed.
    pub lists_strategies: bool,
}

impl CommandContext {
    /// Returns the context of a run under `cargo test`.
    pub(crate) fn of_shell() -> Self {
        let here = shell::directory();
        Self {
            selection: shell::package(&here),
            here,
            width: WIDTH,
            hang_timeout: None,
            test: None,
            lists_strategies: false,
        }
    }

    pub(super) fn selection(&self) -> String {
        self.selection
            .iter()
            .map(|flag| format!(" {flag}"))
            .collect()
    }
}
