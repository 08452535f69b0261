//! The programs in stateright: actors over an ordered network; each state is visited once.

mod counters;
mod lock;
mod paxos;
mod philosophers;
mod ring;
mod two_phase;
mod two_phase_model;

use std::fmt::Debug;
use std::hash::Hash;
use std::thread;
use std::time::Duration;

use stateright::actor::{Actor, ActorModel, ActorModelState, Network};
use stateright::{Checker, CheckerBuilder, Expectation, Model};

use crate::Explored;
use crate::limits::Limits;
use crate::programs::Program;

/// Explores the program as actors, by `bfs` or `dfs`.
pub(crate) fn explore(program: Program, search: &str, limits: Limits) -> Option<Explored> {
    let limited = (search, limits);
    match program {
        Program::FanIn(senders, messages) => run(counters::fan_in(senders, messages), limited),
        Program::Calls(clients, calls) => run(counters::calls(clients, calls), limited),
        Program::TwoPhase(participants) => run(two_phase::model(participants), limited),
        Program::Paxos(proposers, acceptors) => run(paxos::model(proposers, acceptors), limited),
        Program::Lock(clients) => run(lock::model(clients), limited),
        Program::Philosophers(philosophers) => run(philosophers::model(philosophers), limited),
        Program::Ring(nodes) => run(ring::model(nodes), limited),
    }
}

/// Explores the program as a model without actors, by `bfs` or `dfs`, if it is written down as one.
pub(crate) fn explore_model(program: Program, search: &str, limits: Limits) -> Option<Explored> {
    match program {
        Program::TwoPhase(participants) => run(
            two_phase_model::Transaction::new(participants),
            (search, limits),
        ),
        _ => None,
    }
}

fn run<M>(model: M, (search, limits): (&str, Limits)) -> Option<Explored>
where
    M: Model + Send + Sync + 'static,
    M::State: Clone + Debug + Hash + PartialEq + Send + Sync + 'static,
    M::Action: Clone + Debug + PartialEq,
{
    let checker: CheckerBuilder<M> = model.checker();
    match search {
        "bfs" => Some(wait(checker.spawn_bfs(), limits)),
        "dfs" => Some(wait(checker.spawn_dfs(), limits)),
        _ => None,
    }
}

fn wait<M: Model>(checker: impl Checker<M>, limits: Limits) -> Explored
where
    M::State: Clone + Debug + Hash + PartialEq,
    M::Action: Clone + Debug + PartialEq,
{
    while !checker.is_done() {
        if limits.are_passed() {
            return Explored {
                count: checker.unique_state_count() as u64,
                is_proof: false,
            };
        }
        thread::sleep(Duration::from_millis(5));
    }
    let checker = checker.join();
    checker.assert_properties();
    Explored {
        count: checker.unique_state_count() as u64,
        is_proof: true,
    }
}

/// Returns these actors on an ordered network, with a property of all states.
fn actors<A>(
    actors: impl IntoIterator<Item = A>,
    name: &'static str,
    holds: fn(&ActorModel<A>, &ActorModelState<A>) -> bool,
) -> ActorModel<A>
where
    A: Actor<Timer = ()>,
    A::Msg: Ord,
{
    ActorModel::new((), ())
        .actors(actors)
        .init_network(Network::new_ordered([]))
        .property(Expectation::Always, name, holds)
}
