//! Reports of tests: their data, merging, judging, and formatting as text.
//!
//! `exploring` fills a [report](data) in, `trace` adds the paths of traces, `hosting` and the tool print
//! it. This module and the tool's `words` format text for people, by one function for each situation, except
//! the sentences that the engine gives its findings; nothing here prints. Reports know of executions what `data` holds, and never run one.

pub(crate) mod behaviours;
pub(crate) mod confirmation;
pub(crate) mod data;
pub(crate) mod judging;
pub(crate) mod merge;
pub(crate) mod minimized;
pub(crate) mod shell;
pub(crate) mod verdict;
pub mod words;
