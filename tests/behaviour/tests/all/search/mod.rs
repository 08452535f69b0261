//! Searches that prove: exact counts, reductions, states, bounds, and what they assume.

use actor_core::Handler;
use actor_core::prelude::*;
use actor_test::Report;
use actor_test::report::SearchKind;
use actor_test::strategy::Reduction;
use behaviour::closures::at_start;
use behaviour::harness::whole;

mod bounded;
mod checkpoints;
mod counts;
mod differential;
mod dpor;
mod exhausting;
mod extents;
mod for_granted;
mod lattice;
mod model_search;
mod races;
mod shortest;
mod states;
mod step_faults;
mod symmetry;
mod ticks;
mod trying;

/// A program without variables.
type Program = fn(&System);

/// Returns the number of random programs; the environment variable raises it for a nightly run.
pub(crate) fn programs(variable: &str, usual: u64) -> u64 {
    let given = std::env::var(variable).ok();
    given.map_or(usual, |given| given.parse().expect("a number"))
}

/// Runs a search to its end, past all bugs, and no execution twice.
pub(crate) fn search(name: &str, program: impl Fn(&System) + Sync) -> Report {
    let tester = whole(name).check_every(0).keep_going();
    tester.run(|sys| program(&sys))
}

/// Returns what a search leaves out.
fn reduction(report: &Report) -> &Reduction {
    match &report.verdict.searched {
        SearchKind::Systematic { reduction, .. } => reduction,
        other => panic!("{other:?}"),
    }
}

/// Runs at most this number of executions of a search.
fn limited(name: &str, iterations: u64, program: impl Fn(&System) + Sync) -> Report {
    whole(name).iterations(iterations).run(|sys| program(&sys))
}

/// The number of a caller.
#[derive(Debug)]
struct Here(u32);
/// Spawns callers, each of which sends its number at its start.
fn callers(
    sys: &System,
    to: &ActorRef<impl Handler<Here>>,
    numbers: impl IntoIterator<Item = u32>,
) {
    for number in numbers {
        let to = to.clone();
        at_start(sys, move |_| to.tell(Here(number)));
    }
}
