//! A deterministic tester for actors.

#[doc(hidden)]
mod attribute;
mod behaviours;
mod bug;
mod engine;
mod hash;
mod report;
mod settings;
pub mod story;
pub mod strategy;
mod summary;
mod tester;
mod watchdog;
mod words;

pub use bug::{BugKind, Finding};
pub use report::{
    BehaviourStatistics, Bug, Recording, Report, StepStatistics, StrategyStatistics,
};
pub use settings::{Bounds, Search, Semantics, Settings};
pub use tester::{Tester, TokenError};
