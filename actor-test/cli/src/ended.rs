//! The end of a test in its child process.

use std::time::Duration;

use super::verdict::TestVerdict;
use crate::words;
use actor_test::tool::process::ChildEnd;

/// The end of a test.
pub(crate) struct TestEnd {
    pub(crate) verdict: TestVerdict,
    /// The elapsed time, including the start of the process.
    pub(crate) elapsed: Duration,
    /// The test's source file, as passed to rustc, and its line; `None` if the test did not begin.
    pub(crate) source: Option<(String, u32)>,
    /// The output of the program, if it is shown.
    pub(crate) printed: Option<String>,
}

/// Returns the reason why a test did not begin.
pub(crate) fn never_began(ending: &ChildEnd) -> String {
    if ending.stdout.contains("running 0 tests") {
        return words::not_in_executable();
    }
    if ending.stdout.is_empty() && ending.how.contains("exit code 0") {
        return words::no_harness();
    }
    words::crash(&ending.how, None, &ending.stderr)
}
