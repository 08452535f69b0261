//! Reports: kinds of bugs, stories, causes, minimised executions, coverage.

mod bugs;
mod causes;
pub mod coverage;
mod following;
mod identity;
mod minimizing;
mod stories;
