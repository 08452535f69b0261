//! Many executions of one test: the plan, the workers, what they learn, and adding up what they found.
//!
//! `hosting`, and [`Tester`](crate::Tester) for a closure, call [`explore`](workers::explore). The
//! [`plan`] says which strategy each iteration has; [`workers`] run them, each with an
//! [`explorer`] around an engine, and fetch them from a [`desk`]; what is owed for too long is
//! [confirmed](confirmation), in the order of the iterations; the
//! [`summary`] takes the contributions in the order of their iterations, so that the number of
//! workers changes nothing, and has what failed [recorded](recording). A proof is
//! [doubted](doubting), by executions beside it; where nothing less is wanted, one search is
//! [tried after the other](exhausting). Out comes a report. A long search
//! leaves [checkpoints](checkpoint) behind, from which it can go on. After a fix,
//! the [neighbourhood] of what once failed is explored. A [pinned] schedule is one execution, which a test
//! names step by step.

pub(crate) mod bandit;
pub(crate) mod calibration;
mod chances;
pub(crate) mod checkpoint;
mod claim;
pub(crate) mod confirmation;
pub(crate) mod desk;
mod doubting;
mod exhausting;
pub(crate) mod explorer;
pub(crate) mod lengths;
pub(crate) mod neighbourhood;
pub(crate) mod pin;
pub(crate) mod pinned;
pub(crate) mod plan;
mod proving;
pub(crate) mod recording;
pub(crate) mod reproduction;
mod rounds;
pub(crate) mod summary;
pub(crate) mod workers;
