//! Expected bugs of parametrised tests: at least one combination must have the bug.

use super::discover::{Parameters, Test};

/// Collects the clean combinations of each test; the combinations of a test must follow each other.
#[derive(Debug, Default)]
pub(crate) struct ExpectedOutcome {
    /// The clean combinations of the last test.
    without: Vec<Test>,
}

/// A test none of whose combinations has the expected bug.
#[derive(Debug)]
pub(crate) struct MissingBug {
    /// One of the combinations.
    pub(crate) test: Test,
    pub(crate) combinations: usize,
}

impl ExpectedOutcome {
    /// Records a clean combination; returns the test once all of its combinations have run and are clean.
    pub(crate) fn without(&mut self, test: &Test) -> Option<MissingBug> {
        let same = |other: &Test| {
            other.path() == test.path() && other.executable.path == test.executable.path
        };
        self.without.retain(same);
        self.without.push(test.clone());
        let combinations = self.without.len();
        (test.parameters == Parameters::OneOf(combinations)).then(|| MissingBug {
            test: test.clone(),
            combinations,
        })
    }
}
