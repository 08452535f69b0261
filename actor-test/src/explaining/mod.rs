//! From a failure to its cause.
//!
//! A failing execution comes in as it was recorded: a finding, its decisions. `hosting`, and
//! [`Tester`](crate::Tester) for a closure, have it [minimised](minimizing): what the bug can do
//! without is left out, as long as it is the same bug. Everything here runs the program again and
//! again by following [schedules by name](crate::data::schedule), within a budget that is counted in
//! steps, so that the result is the same on every machine and for any number of workers.

pub(crate) mod minimizing;
