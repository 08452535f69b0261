//! Command-line options that filter tests by name.

use actor_test::tool::protocol::Ignored;
use clap::{Args, ValueEnum};

/// The filter of tests, with libtest's names of options.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Filter {
    /// Runs only tests whose path contains one of these.
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,
    /// Runs only tests whose whole path is one of the filters.
    #[arg(long)]
    exact: bool,
    /// Skips tests whose path contains this; with `--exact`, whose path is this.
    #[arg(long, value_name = "FILTER")]
    skip: Vec<String>,
    /// Runs only tests marked `#[ignore]`.
    #[arg(long, conflicts_with = "include_ignored")]
    ignored: bool,
    /// Runs tests marked `#[ignore]` too.
    #[arg(long)]
    include_ignored: bool,
    /// The action if no test is left to run; `fail` ends with exit code 2 [default: fail].
    #[arg(long, value_name = "ACTION", hide_possible_values = false)]
    no_tests: Option<NoTests>,
}

/// The action if no test is left to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum NoTests {
    /// Does nothing.
    Pass,
    /// Prints a warning.
    Warn,
    /// Fails with an error.
    #[default]
    Fail,
}

impl Filter {
    /// Returns true if the filter accepts a test of this name or path.
    pub(crate) fn takes(&self, name: &str, path: &str) -> bool {
        let is = |filter: &String| {
            if self.exact {
                name == filter || path == filter
            } else {
                name.contains(&**filter)
            }
        };
        (self.filters.is_empty() || self.filters.iter().any(is)) && !self.skip.iter().any(is)
    }

    /// Returns the treatment of tests marked `#[ignore]`; `otherwise` if no option sets it.
    pub(crate) fn ignored(&self, otherwise: Ignored) -> Ignored {
        match (self.ignored, self.include_ignored) {
            (true, _) => Ignored::Only,
            (_, true) => Ignored::Include,
            _ => otherwise,
        }
    }

    pub(crate) fn no_tests(&self) -> NoTests {
        self.no_tests.unwrap_or_default()
    }

    /// Combines the options before and after the word `list`.
    pub(super) fn and(mut self, more: Self) -> Self {
        self.filters.extend(more.filters);
        self.skip.extend(more.skip);
        Self {
            exact: self.exact || more.exact,
            ignored: self.ignored || more.ignored,
            include_ignored: self.include_ignored || more.include_ignored,
            no_tests: more.no_tests.or(self.no_tests),
            ..self
        }
    }
}
