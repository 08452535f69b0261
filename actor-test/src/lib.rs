//! A deterministic tester for the actors of `actor-core`.
//!
//! Concurrency bugs need an order of events that happens once a month. The tester runs the actors that go to
//! production on its own executor. The executor controls every interleaving, timer and random choice, and
//! tries many of them. Each bug found can be replayed, read step by step, and found again with the same seed
//! on any machine.
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
//! The test runs under `cargo test` and `cargo nextest run`. Under `cargo actor-test`, it runs with a
//! portfolio of strategies on all cores. [`Tester`] explores a closure in the same way, as a library.
//!
//! # Executions
//!
//! An execution is a sequence of steps on one thread. Before each step, a [strategy](strategy::Strategy)
//! picks one enabled operation. An operation is an actor with an event to handle, an actor with an effect to
//! carry out, a suspended handler whose wake-up is due, or a timer. A send is an effect, so a message takes
//! two steps, and states that others observe between two sends are explored. Time is virtual: it advances
//! when a timer fires. An execution ends when nothing is enabled, at a bug, or at a
//! [bound](settings::Bounds).
//!
//! # Kinds of bugs
//!
//! Some bugs need no specification: panics, unhandled events, an `Err` nobody receives, deadlocks (with the
//! actors and what each of them awaits), events deferred for ever, actors that only send to themselves,
//! handlers that do not return, waits on something that the tester does not control, and executions that
//! differ when they are run twice. Others violate a specification: monitors that assert; monitors that stay
//! hot, by Coyote's temperature rule; and `always`, `eventually`, `always_eventually` and `sometimes` over
//! the states of all actors. See [`BugKind`].
//!
//! # Guarantees and limits
//!
//! The same seed and settings give the same [`Report`] on any machine and with any number of workers. A
//! recorded schedule replays, or the replay reports the step at which it diverges. A clean report covers only
//! the schedules that were tried; only an exhaustive search ([`Dfs`](strategy::Dfs)) that ends by itself
//! covers all of them. Random bytes and the time that a program requests from the operating system come from
//! the execution's seed and the virtual clock, on Linux with glibc. Code that keeps state in statics or
//! starts threads is outside the tester's control. On other systems, so is code that reads the clock or
//! iterates a `HashMap`. Executions that differ because of such code are reported.
//!
//! # From `#[actor_test]` to its report
//!
//! For readers of the sources: each folder of this crate is a layer and imports only those below it. The
//! first lines of a folder describe its contents and its callers. Layers that run nothing build without the
//! default feature `engine`: they are what `cargo actor-test` needs.
//!
//! 1. The macro expands to a libtest test that calls `hosting::run` with its `declaration`: name, place,
//!    options, parameters, body. `cargo actor-test`, a package of its own, starts the same test as a child.
//! 2. `hosting` reads `settings` from flags, variables, attributes and the manifest, and starts the watchdog.
//!    Then `replay` runs saved schedules first.
//! 3. `exploring` plans the strategy of each iteration, runs the iterations on workers, and merges their
//!    results in the order of the iterations. [`Tester`] enters here.
//! 4. `engine` runs one iteration: before each step it asks the `strategy` for an operation. The iteration
//!    ends with an outcome: steps, class, decisions, perhaps a finding (`data`).
//! 5. A failing execution is confirmed. Then `replay` runs it again with full recording, and `trace` writes it to
//!    disk.
//! 6. `report` holds the results, computes the verdict and has the words for both. `hosting` prints them, or
//!    sends the report to the tool.

// The tool uses a part of what the layers without `engine` hold.
#![cfg_attr(
    not(feature = "engine"),
    allow(dead_code, unreachable_pub, unused_imports)
)]

mod data;
mod hash;
mod parallel;
mod plural;
#[doc(hidden)]
pub mod protocol;
pub mod report;
mod search_dir;
pub mod settings;
#[doc(hidden)]
pub mod tool;
mod trace;
mod wall_clock;

#[cfg(feature = "engine")]
mod codec;
#[cfg(feature = "engine")]
mod debugging;
#[cfg(feature = "engine")]
mod declaration;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "engine")]
mod explaining;
#[cfg(feature = "engine")]
mod exploring;
#[cfg(feature = "engine")]
mod hosting;
#[cfg(feature = "engine")]
mod number_table;
#[cfg(feature = "engine")]
mod records;
#[cfg(feature = "engine")]
mod replay;
#[cfg(feature = "engine")]
pub mod strategy;
#[cfg(feature = "engine")]
mod tester;
#[cfg(feature = "engine")]
mod worker_registry;

pub use data::bug::{BugKind, Finding};
pub use data::causes;
pub use data::story;
pub use report::data::{Bug, Report};

/// Turns a function into a test: the tester runs it many times, under different schedules.
///
/// The function takes the system, and optional parameters (see [Parameters](#parameters)). The function may
/// be `async`, and returns nothing or a `Result<(), E>` whose error is a failure. The macro generates a
/// `#[test]` of the same name: in a `#[cfg(test)]` module or in `tests/`, under `cargo test` and under
/// `cargo actor-test`.
///
/// An execution continues after the body has returned, an async one too: all events that it has sent are
/// handled, and so is everything that follows, until nothing but periodic timers is left. For a program that
/// never becomes quiescent, `sys.finish()` at the end of an async body ends the execution. A test whose
/// actors take no step in any execution fails.
///
/// ```
/// # use actor_test::actor_test;
/// use actor_core::System;
///
/// #[actor_test(iterations = 1000, max_steps = 500)]
/// fn nothing_happens(sys: &System) {
///     sys.always("time stands still without timers", |_| true);
/// }
///
/// #[actor_test(strategy = "random", seed = 7)]
/// async fn time_passes(_sys: &System) -> Result<(), std::fmt::Error> {
///     Ok(())
/// }
/// ```
///
/// # Options
///
/// | option | what it sets |
/// | --- | --- |
/// | `iterations = 1000` | how many schedules are tried |
/// | `max_steps = 500`, `max_steps = "500:2000"` | when a schedule is cut: an unfair one, and a fair one |
/// | `temperature = 2500` | for how many steps a monitor may be hot |
/// | `seed = 7` | what all choices derive from |
/// | `strategy = "pct:3"` | how schedules are chosen; may be repeated |
/// | `expect_bug = "part of its message"` | the test passes where this bug is found; `iterations` is then the least, whatever `-i` says |
/// | `deny = "vacuous"`, `"unreached"`, or both with a comma | specifications that could not have failed, states and handlers never reached: the test fails for them |
/// | `timers = patient` | timers fire only when no event can be handled |
/// | `atomic_handlers` | what a handler sends arrives in one step |
/// | `supervised` | a failure of a supervised actor is no bug: its supervisor acts |
/// | `faults(drop = 3, crash = 1)` | how many faults of each kind an execution may have; `actor_test::faults::FaultKind` lists the kinds |
/// | `clocks(offset = "20ms", drift = 0.001)` | how far the clocks of nodes are apart: at the start, by how much they go faster or slower, by how much a fault has one `jump`, and the `resolution` of timestamps |
/// | `clock_error_ms = 5` | how far apart timers may be and still fire in either order |
/// | `n in 2..=4` | the values of a parameter, see below |
/// | `pairwise`, `t_wise = 3` | which combinations of parameters are run, see below |
/// | `crate = path` | where `actor_test` is, if not at `::actor_test` |
///
/// `#[ignore]` works as in any test. `#[should_panic]` does not: name the bug with `expect_bug`.
///
/// # Parameters
///
/// A parameter of the function after the system takes the values that `name in values` lists, where `values`
/// is any `IntoIterator` over the parameter's type, which is `Clone + Debug + Send + Sync + 'static`. The
/// test is run for each combination of values:
///
/// ```
/// # use actor_test::actor_test;
/// use actor_core::System;
///
/// #[derive(Clone, Copy, Debug)]
/// enum Loss {
///     None,
///     Some,
/// }
///
/// #[actor_test(size in 2..=4, loss in [Loss::None, Loss::Some], iterations = 50)]
/// fn a_leader_is_elected(sys: &System, size: u32, loss: Loss) {
///     // ..
/// }
///
/// // 4 combinations of 8, in which each two values of two parameters meet.
/// #[actor_test(batched in [false, true], eager in [false, true], cached in [false, true], pairwise)]
/// fn what_is_written_is_read(sys: &System, batched: bool, eager: bool, cached: bool) {
///     // ..
/// }
/// ```
///
/// A combination is named after its values, as their `Debug` prints them:
/// `tests::a_leader_is_elected[size=2, loss=Some]`. `cargo actor-test` lists, filters, runs and reports each
/// separately; `cargo test` runs them one after the other in one test, which fails if one of them does. Each
/// is explored with all iterations, and its schedules depend on the seed and on its own values alone: they
/// stay the same when other values are added or removed.
///
/// `pairwise` runs fewer combinations, enough that each value of a parameter is combined with each value of
/// any other. With `t_wise = 3` each three parameters take all combinations of their values, and so on, up to
/// the number of parameters; `t_wise = 1` runs each value at least once. Most bugs depend on few parameters.
///
/// With `expect_bug` at least one combination must have the bug, and those without a bug pass.
///
/// The values are evaluated once in a process, and must be the same in each process. Every parameter has
/// values, no two values of one print the same, and there are 10 000 combinations at most.
#[cfg(feature = "engine")]
pub use actor_macros::actor_test;

#[cfg(feature = "engine")]
pub use declaration::attribute::BodyOutput;
#[cfg(feature = "engine")]
pub use tester::{CustomTester, Tester};

/// The clocks of nodes: their offset and drift, their jumps, and the resolution of timestamps.
pub mod clocks {
    pub use crate::data::clocks::{Clocks, ClocksError};
}

/// The coverage of a test: the states, transitions and handlers of actors that its executions reached.
pub mod coverage {
    pub use crate::data::coverage::{
        ActorCoverage, Coverage, HandlerCoverage, StateCoverage, Transition, Unreached,
    };
}

/// Faults that the tester injects: their kinds, and the budgets of an execution.
pub mod faults {
    pub use crate::data::faults::{Fault, FaultBudgets, FaultBudgetsError, FaultKind};
}

/// Schedules that a test describes step by step, for one execution.
#[cfg(feature = "engine")]
pub mod script {
    pub use crate::exploring::script::ScriptResult;
    pub use crate::hosting::script::follow;
}

/// The items that the expansion of `#[actor_test]` uses.
#[cfg(feature = "engine")]
#[doc(hidden)]
pub mod __private {
    pub use actor_core::System;
    pub use inventory;

    pub use crate::declaration::attribute::{
        ActorTest, Pending, Registered, TestBody, TestOutcome, finish,
    };
    pub use crate::declaration::parameters::{Values, values};
    pub use crate::hosting::run::run;
    pub use crate::settings::attributes::Attributes;
}
