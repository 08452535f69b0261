//! Reports of tests: the parts of a [`Report`](crate::Report), from its verdict to its statistics.

// `exploring` fills a report in, `trace` adds the paths of traces, `hosting` and the tool print it. This
// module and the tool's `words` format text for people, by one function for each situation, except the
// sentences that the engine gives its findings; nothing here prints. Reports know of executions what `data`
// holds, and never run one.

pub(crate) mod assertions;
pub(crate) mod behaviours;
pub(crate) mod confirmation;
pub(crate) mod data;
pub(crate) mod judged;
pub(crate) mod judging;
pub(crate) mod merge;
pub(crate) mod minimized;
pub(crate) mod shell;
pub(crate) mod verdict;
#[doc(hidden)]
pub mod words;

pub use crate::data::bug::{Cycle, Demand, Reason};
pub use behaviours::BehaviourStatistics;
pub use confirmation::Confirmation;
pub use data::{
    Counted, FaultStatistics, ProofAttempt, Recording, StepStatistics, StrategyStatistics,
};
pub use merge::MergeError;
pub use minimized::{Dead, Minimized, Size};
pub use verdict::{Assumption, DeviationBound, SearchKind, Verdict};
