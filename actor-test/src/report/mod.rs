//! What is said of a test: the data of its report, adding reports up, judging the whole, words.
//!
//! `exploring` fills a [report](facts) in, `trace` adds where it wrote what failed, `hosting` and
//! the tool print it. Words are made here and in the tool's `words` alone: one function for each situation,
//! and nothing in this room prints. Reports know of executions what `data` says, and never run one.

pub(crate) mod behaviours;
pub(crate) mod confirmation;
pub(crate) mod facts;
pub(crate) mod judging;
pub(crate) mod merge;
pub(crate) mod minimized;
pub(crate) mod shell;
pub(crate) mod verdict;
pub mod words;
