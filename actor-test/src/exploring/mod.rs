//! The exploration loop of a test: plan, workers, learning, confirmation and summary.
//!
//! `hosting`, and [`Tester`](crate::Tester) for a closure, call [`explore`](explore::explore). The [`plan`]
//! assigns a strategy to each iteration. [`workers`] run the iterations, each with an [`explorer`] around
//! an engine, and take them from a [`work_queue`]. Suspected liveness bugs are [confirmed](confirmation). The
//! [`summary`] adds up the executions in the order of their iterations, so that the number of workers does
//! not matter, and has failures [recorded](recording). A proof is [checked](cross_check) by samples. If only a
//! proof is wanted, one search is [tried after another](exhausting). The result is a report.
//!
//! A long search writes [checkpoints](checkpoint), from which it can resume. After a fix, the
//! [neighbourhood] of a saved failure is explored. A [script] schedule is one execution that a test
//! describes step by step.

pub(crate) mod bandit;
pub(crate) mod calibration;
pub(crate) mod checkpoint;
pub(crate) mod confirmation;
mod contribution;
mod coverage_claim;
mod cross_check;
mod exhausting;
pub(crate) mod explore;
pub(crate) mod explorer;
pub(crate) mod lengths;
pub(crate) mod neighbourhood;
pub(crate) mod plan;
pub(crate) mod progress;
mod prove;
pub(crate) mod recording;
pub(crate) mod reproduction;
mod rounds;
pub(crate) mod script;
pub(crate) mod summary;
mod unused_faults;
pub(crate) mod work_queue;
pub(crate) mod workers;
