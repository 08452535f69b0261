//! The bug that a test with parameters is expected to have: one combination at least has it.

use super::discover::{Parameters, Test};

/// Hears of tests in their order, the combinations of one after the other.
#[derive(Debug, Default)]
pub(crate) struct Expectation {
    /// The combinations of the last test that are clean.
    without: Vec<Test>,
}

/// None of a test's combinations has the bug.
#[derive(Debug)]
pub(crate) struct Missing {
    /// One of them.
    pub(crate) test: Test,
    /// How many there are.
    pub(crate) combinations: usize,
}

impl Expectation {
    /// A combination is clean that might have the bug. Tells when that holds for all of them; where
    /// some are not run, nobody knows.
    pub(crate) fn without(&mut self, test: &Test) -> Option<Missing> {
        let same = |other: &Test| {
            other.path() == test.path() && other.executable.path == test.executable.path
        };
        self.without.retain(same);
        self.without.push(test.clone());
        let combinations = self.without.len();
        (test.parameters == Parameters::OneOf(combinations)).then(|| Missing {
            test: test.clone(),
            combinations,
        })
    }
}
