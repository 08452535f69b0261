//! From a failure to its cause.
//!
//! A failing execution comes in as it was recorded: a finding, its decisions. `hosting`, and
//! [`Tester`](crate::Tester) for a closure, have it [minimised](minimizing): what the bug can do
//! without is left out, as long as it is the same bug. Then its [`causes`] are looked for: from where
//! on it could not be helped, and which races it needs. Everything here runs the program again and
//! again, by [schedules by name](crate::data::schedule) and by continuations, within a budget that is
//! counted in steps, so that the result is the same on every machine and for any number of workers.

pub(crate) mod causes;
pub(crate) mod minimizing;
