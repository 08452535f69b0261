//! Observations of specifications, actors and calls by one engine, over all its executions.

use actor_core::generated::Disposition;
use serde::{Deserialize, Serialize};

use crate::data::coverage::{ActorCoverage, Coverage, HandlerCoverage, StateCoverage, Transition};
use crate::engine::specs::calls::Calls;
use crate::engine::specs::specifications::SpecificationStats;
use crate::engine::specs::tally::TypeCoverage;

/// The observations over all executions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Observations {
    pub(crate) specifications: Vec<SpecificationStats>,
    pub(crate) coverage: Coverage,
    pub(crate) calls: Calls,
}

impl Observations {
    /// Adds up the observations of several workers.
    pub(crate) fn merge(all: Vec<Self>) -> Self {
        let mut merged = Self::default();
        let mut specifications = Vec::new();
        for seen in all {
            merged.coverage.add(&seen.coverage);
            merged.calls.add(&seen.calls);
            specifications.push(seen.specifications);
        }
        merged.specifications = SpecificationStats::merge(specifications);
        merged
    }
}

/// Returns the coverage of the actor types that are part of the program under test.
pub(crate) fn coverage(tallies: &[TypeCoverage]) -> Coverage {
    let mut coverage = Coverage::default();
    let own = tallies.iter().filter(|tally| !tally.is_foreign());
    let actors = own.map(of_type);
    coverage.add(&Coverage {
        actors: actors.collect(),
    });
    coverage
}

fn of_type(tally: &TypeCoverage) -> ActorCoverage {
    let (info, counts) = (tally.info(), tally.counts());
    let names: Vec<&str> = match info.states {
        [] => vec![""],
        states => states.to_vec(),
    };
    let count = names.len();
    let state = |(number, name): (usize, &&str)| {
        let arrivals = (0..count).map(|from| counts.moved[from * count + number]);
        StateCoverage {
            name: (*name).to_owned(),
            started: counts.started[number],
            entered: counts.started[number] + arrivals.sum::<u64>(),
            handlers: handlers(tally, number),
        }
    };
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
    let transition = |(from, to): (usize, usize)| {
        let seen = counts.moved[from * count + to];
        (seen > 0).then(|| Transition {
            from: names[from].into(),
            to: names[to].into(),
            count: seen,
        })
    };
    ActorCoverage {
        path: without_parameters(tally.path()).into(),
        name: info.name.into(),
        states: names.iter().enumerate().map(state).collect(),
        transitions: pairs.filter_map(transition).collect(),
    }
}

fn handlers(tally: &TypeCoverage, state: usize) -> Vec<HandlerCoverage> {
    let events = tally.info().events;
    let handled = (0..events.len())
        .filter(|event| tally.info().disposition(state, *event as u16) == Disposition::Handle);
    handled
        .map(|event| HandlerCoverage {
            event: events[event].name.into(),
            ran: tally.counts().handled[state * events.len() + event],
        })
        .collect()
}

fn without_parameters(path: &str) -> &str {
    path.find('<').map_or(path, |at| &path[..at])
}
