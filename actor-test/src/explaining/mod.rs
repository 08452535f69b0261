//! Explains failures: minimisation and causes.
//!
//! The input is a recorded failing execution: a finding and its decisions. `hosting`, and
//! [`Tester`](crate::Tester) for a closure, have the execution [minimised](minimizing) first: steps are
//! dropped as long as the bug stays the same. Then the [`causes`] are searched for: the critical step, and
//! the needed races. Both run the program again and again, by [schedules by name](crate::data::schedule)
//! and by continuations, within a budget of steps. So the result is the same on every machine and for any
//! number of workers.

pub(crate) mod causes;
pub(crate) mod minimizing;
