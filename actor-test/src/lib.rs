//! A deterministic tester for actors.

mod attribute;
mod behaviours;
mod bug;
mod child;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod engine;
mod environment;
mod explorer;
mod hash;
mod overrides;
mod protocol;
mod report;
mod reproduction;
mod run;
mod saved;
mod settings;
pub mod story;
pub mod strategy;
mod summary;
mod tester;
mod trace;
mod watchdog;
mod words;

pub use actor_macros::actor_test;
pub use bug::{BugKind, Finding};
pub use report::{
    BehaviourStatistics, Bug, Recording, Report, StepStatistics, StrategyStatistics,
};
pub use settings::{Bounds, Search, Semantics, Settings};
pub use reproduction::TokenError;
pub use tester::Tester;

/// What `#[actor_test]` expands to.
#[doc(hidden)]
pub mod __private {
    pub use actor_core::System;
    pub use inventory;

    pub use crate::attribute::{
        ActorTest, Attributes, Registered, TestBody, TestOutcome, finish,
    };
    pub use crate::run::run;
}
