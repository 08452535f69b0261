//! A deterministic tester for the actors of `actor-core`.
//!
//! Actors fail in orders of events that happen once a month. The tester runs the very actors that go
//! to production on an executor of its own, which decides every interleaving, timer and random
//! choice, and tries many. What it finds is replayed, told step by step, and found again with the
//! same seed on any machine.
//!
//! # The smallest test
//!
//! ```
//! use actor_core::prelude::*;
//! use actor_test::actor_test;
//!
//! #[derive(Debug)]
//! struct Add(u64);
//!
//! #[derive(Default)]
//! struct Sum {
//!     total: u64,
//! }
//!
//! #[actor]
//! impl Sum {
//!     #[on]
//!     fn add(&mut self, add: Add) {
//!         self.total += add.0;
//!     }
//! }
//!
//! #[actor_test]
//! fn everything_is_added(sys: &System) {
//!     let sum = sys.spawn(Sum::default());
//!     sum.tell(Add(2));
//!     sum.tell(Add(3));
//!     sys.eventually("the sum is five", move |w| w.get(&sum).is_some_and(|sum| sum.total == 5));
//! }
//! ```
//!
//! It runs under `cargo test`, `cargo nextest run` and, with a portfolio of strategies on all cores,
//! under `cargo actor-test`. [`Tester`] does the same for a closure, as a library.
//!
//! # What an execution is
//!
//! A sequence of steps on one thread. Before each, a [strategy](strategy::Strategy) picks one enabled
//! operation: an actor that handles its next event, an actor that carries out its next effect (a send
//! is a step of its own, so what others see between two sends is explored), a suspended handler whose
//! wake-up is due, or a timer. A message is two steps. Time is virtual: it moves when a timer fires.
//! An execution ends when nothing is enabled, at a bug, or at a [bound](Bounds).
//!
//! # What is found
//!
//! Without being asked: panics, unhandled events, an `Err` nobody receives, deadlocks (who awaits
//! what), events deferred for ever, actors that only talk to themselves, handlers that do not return,
//! waits on what the tester does not control, and executions that differ when they are run twice. By
//! specification: monitors that assert; monitors that stay hot, by Coyote's temperature rule; and
//! `always`, `eventually`, `always_eventually` and `sometimes` over the states of all actors. See
//! [`BugKind`].
//!
//! # What is guaranteed, and what is not
//!
//! The same seed and settings give the same [`Report`], whatever the machine and the number of
//! workers. A recorded schedule replays, or the replay says at which step it differs. A clean report
//! means that the schedules that were tried were clean; only an exhaustive search
//! ([`Dfs`](strategy::Dfs)) that ends by itself says more. What the program asks the operating system
//! for, random bytes and the time, is answered from the execution's seed and the virtual clock, on Linux
//! with glibc. Code that keeps state in statics or starts threads is outside the tester's control, and so
//! is, on other systems, code that reads the clock or iterates a `HashMap`; it is reported when
//! executions differ because of it.

//!
//! # From `#[actor_test]` to its report
//!
//! For who reads the sources: the folders of this crate are rooms, and each imports those below it
//! alone. Their first lines say what lives there and who calls it.
//!
//! 1. The macro expands to a libtest test that calls `hosting::run` with its `declaration`: name,
//!    place, options, parameters, body. `cargo actor-test`, a package of its own,
//!    starts the same test as a child.
//! 2. `hosting` puts `settings` together, from flags, variables, attributes and the manifest, and
//!    starts the watchdog. Schedules that were saved run first, by `trace`.
//! 3. `exploring` plans which strategy each iteration runs under, has its workers run them, and adds
//!    up what they show in the order of the iterations. [`Tester`] enters here.
//! 4. `engine` runs one iteration: step by step it asks the `strategy` who is next, and ends with an
//!    outcome: steps, class, decisions, perhaps a finding (`data`).
//! 5. An execution that failed is confirmed, and run again with full recording by `trace`, which
//!    writes it to disk.
//! 6. `report` holds what came of it, judges the whole, and has the words for it. `hosting` prints
//!    them, or sends the report to the tool.

mod attendance;
mod codec;
mod data;
mod debugging;
mod declaration;
mod engine;
mod explaining;
mod exploring;
mod hash;
mod hosting;
mod in_order;
mod plural;
mod report;
mod settings;
pub mod strategy;
mod tester;
#[doc(hidden)]
pub mod tool;
mod trace;
mod wall_clock;

pub use actor_macros::actor_test;
pub use data::bug::{BugKind, Cycle, Demand, Finding, Reason};
pub use data::causes;
pub use data::clocks::{Clocks, ClocksError};
pub use data::coverage::{
    ActorCoverage, Coverage, HandlerCoverage, StateCoverage, Transition, Unreached,
};
pub use data::faults::{Fault, FaultBudgets, FaultBudgetsError, FaultKind};
pub use data::story;
pub use exploring::pinned::Followed;
pub use hosting::pinned::follow;
pub use report::confirmation::Confirmation;
pub use report::facts::{
    BehaviourStatistics, Bug, FaultStatistics, Recording, Report, StepStatistics,
    StrategyStatistics, Tried,
};
pub use report::merge::MergeError;
pub use report::minimized::{Dead, Minimized, Size};
pub use report::verdict::{Assumption, Searched, Verdict, Within};
pub use settings::partition::PartitionError;
pub use settings::token::TokenError;
pub use settings::{Bounds, Delivery, Deny, Partition, Search, Semantics, Settings};
pub use strategy::Gap;
pub use tester::Tester;

/// What `#[actor_test]` expands to.
#[doc(hidden)]
pub mod __private {
    pub use actor_core::System;
    pub use inventory;

    pub use crate::declaration::attribute::{
        ActorTest, Attributes, Pending, Registered, TestBody, TestOutcome, finish,
    };
    pub use crate::declaration::parameters::{Values, values};
    pub use crate::hosting::run::run;
}
