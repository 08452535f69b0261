//! Which tests.

use actor_test::tool::protocol::Ignored;
use clap::{Args, ValueEnum};

/// Which tests, in the test harness's own words.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Filter {
    /// Only tests whose path contains one of these.
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,
    /// Only tests whose whole path is one of the filters.
    #[arg(long)]
    exact: bool,
    /// No test whose path contains this; with `--exact`, whose path is this.
    #[arg(long, value_name = "FILTER")]
    skip: Vec<String>,
    /// Tests marked `#[ignore]` only.
    #[arg(long, conflicts_with = "include_ignored")]
    ignored: bool,
    /// Tests marked `#[ignore]` too.
    #[arg(long)]
    include_ignored: bool,
    /// What to do if no test is left to run; `fail` ends with exit code 2 [default: fail].
    #[arg(long, value_name = "ACTION", hide_possible_values = false)]
    no_tests: Option<NoTests>,
}

/// What to do if no test is left to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum NoTests {
    /// Nothing.
    Pass,
    /// A warning.
    Warn,
    /// An error.
    #[default]
    Fail,
}

impl Filter {
    /// The test of this name, or path, is asked for.
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

    /// What is done with tests marked `#[ignore]`, where none of the options says it.
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

    /// What stands before `list`, and behind it.
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
