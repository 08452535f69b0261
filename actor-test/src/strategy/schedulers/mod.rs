//! The schedulers: a file for each [strategy](super::Strategy), and [`StrategySpec::build`], which builds it by
//! name.

mod bounded;
mod delay;
mod dfs;
mod pct;
mod pos;
mod probabilistic;
mod random;
mod surw;
mod urw;
mod weighted;

pub use bounded::{Bdfs, Bounded};
pub use delay::{Delayed, DelayingExplorer, RoundRobin, RunToCompletion};
pub use dfs::Dfs;
pub use pct::Pct;
pub use pos::Pos;
pub use probabilistic::Probabilistic;
pub use random::Random;
pub(crate) use random::{below, generator};
pub use surw::Surw;
pub use urw::Urw;
pub use weighted::Weighted;

use super::search::{BehaviourSearch, Dpor, FrontierSearch, Source};
use super::{FairSuffix, LivePrefix, Placed, States, Strategy};
use crate::settings::strategy::{ExplorerKind, StateLimit, StrategySpec};

impl ExplorerKind {
    fn bounded(self) -> Bounded {
        match self {
            Self::RoundRobin => Bounded::delays(RoundRobin::new()),
            Self::RandomRoundRobin => Bounded::delays(RoundRobin::random()),
            Self::RunToCompletion => Bounded::delays(RunToCompletion::new()),
        }
    }

    fn delayed(self, delays: u32) -> Box<dyn Strategy> {
        match self {
            Self::RoundRobin => Box::new(Delayed::new(RoundRobin::new(), delays)),
            Self::RandomRoundRobin => Box::new(Delayed::new(RoundRobin::random(), delays)),
            Self::RunToCompletion => Box::new(Delayed::new(RunToCompletion::new(), delays)),
        }
    }

    fn stratified(self, delays: Option<u32>) -> Box<dyn Strategy> {
        match self {
            Self::RoundRobin => Box::new(Delayed::stratified(RoundRobin::new(), delays)),
            Self::RandomRoundRobin => Box::new(Delayed::stratified(RoundRobin::random(), delays)),
            Self::RunToCompletion => Box::new(Delayed::stratified(RunToCompletion::new(), delays)),
        }
    }
}

impl StrategySpec {
    /// Builds the strategy.
    pub fn build(&self) -> Box<dyn Strategy> {
        self.source().into_strategy()
    }

    /// Builds the strategy, as a search if it is one.
    pub(crate) fn source(&self) -> Source {
        let at_most = |bounded: Bounded, bound: Option<u32>| match bound {
            None => bounded,
            Some(bound) => bounded.at_most(bound),
        };
        let limited = |dfs: Dfs, bound: Option<u64>| match bound {
            None => dfs,
            Some(bound) => dfs.executions_max(bound),
        };
        let known = |states: States, state_limit: Option<StateLimit>| {
            states.limit(state_limit.unwrap_or_default())
        };
        match self {
            Self::Random => Source::new(Random::new()),
            Self::Weighted(weights) => Source::new(Weighted::new(*weights)),
            Self::WeightedEvents(weights, events) => {
                let walk = Weighted::new(*weights);
                let of = |walk: Weighted, (name, weight): &(String, u32)| walk.event(name, *weight);
                Source::new(events.iter().fold(walk, of))
            }
            Self::Probabilistic(halvings) => Source::new(Probabilistic::new(*halvings)),
            Self::Pct(None) => Source::new(Pct::new()),
            Self::Pct(Some(depth)) => Source::new(Pct::with_depth(*depth)),
            Self::Pos => Source::new(Pos::new()),
            Self::PosLocal => Source::new(Pos::new().local_first()),
            Self::Urw => Source::new(Urw::new()),
            Self::Surw => Source::new(Surw::new()),
            Self::Delay(explorer, delays) => Source::Strategy(explorer.delayed(*delays)),
            Self::Stratified(explorer, delays) => Source::Strategy(explorer.stratified(*delays)),
            Self::BoundedDelays(same, explorer, bound) => {
                at_most(explorer.bounded().by(*same), *bound).source()
            }
            Self::SampledDelays(explorer, bound) => {
                let bounded = explorer.bounded().by_states().at_most(*bound);
                bounded.then_sample().source()
            }
            Self::BoundedPreemptions(same, bound) => {
                at_most(Bounded::preemptions().by(*same), *bound).source()
            }
            Self::FairPreemptions(bound) => at_most(Bounded::fair_preemptions(), *bound).source(),
            Self::Bdfs(None) => Source::new(Bdfs::deepening()),
            Self::Bdfs(Some(depth)) => Source::new(Bdfs::to(*depth)),
            Self::Dfs(bound) => Source::by(limited(Dfs::new(), *bound)),
            Self::DfsLocal(bound) => Source::by(limited(Dfs::new().local_first(), *bound)),
            Self::Breadth(bound) => Source::by(known(States::breadth_first(), *bound)),
            Self::States(bound) => Source::by(known(States::depth_first(), *bound)),
            Self::StatesLocal(bound) => {
                Source::by(known(States::depth_first().local_first(), *bound))
            }
            Self::Dpor(bound) => {
                let dpor = match bound {
                    None => Dpor::new(),
                    Some(bound) => Dpor::new().histories_max(*bound),
                };
                Source::by(FrontierSearch::new(BehaviourSearch::new(dpor)))
            }
            Self::HoppingDpor(behaviours) => {
                Source::by(FrontierSearch::new(Dpor::new().hopping(*behaviours)))
            }
            Self::Fair(spec) => Source::new(FairSuffix::at_max_steps(spec.build())),
            Self::EarlyFair(spec) => Source::new(FairSuffix::anywhere(spec.build())),
            Self::Live(spec) => Source::new(LivePrefix::new(spec.build())),
            Self::Placed(placement, spec) => Source::new(Placed::new(spec.build()).by(*placement)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::search::not_saved;
    use crate::strategy::{Execution, Fairness, Needs};

    /// Everything that a spec states about its strategy holds for the strategy that it builds.
    #[test]
    fn a_spec_describes_the_strategy_that_it_builds() {
        let plain = [
            "random",
            "weighted",
            "weighted:3/2",
            "weighted:8/1/Vote=20",
            "prob",
            "prob:5",
            "pct",
            "pct:4",
            "pos",
            "pos:local",
            "urw",
            "surw",
            "delay",
            "delay:rtc/5",
            "delay:prr/2",
            "ss",
            "ss:rr",
            "ss:prr/3",
            "ses",
            "ses:4",
            "ses:rr/4",
            "ses:by=hb",
            "ses:prr/by=schedules",
            "ses:3/then=ss",
            "pb",
            "pb:2",
            "pb:by=states",
            "pb:2/by=hb",
            "pb:fair",
            "pb:1/fair",
            "bdfs",
            "bdfs:7",
            "dfs",
            "dfs:100",
            "dfs:local",
            "dfs:100/local",
            "states",
            "states:500",
            "states:2GB/local",
            "states:order=breadth",
            "states:9/order=breadth",
            "dpor",
            "dpor:99",
            "dpor:order=random",
            "dpor:7/order=random",
        ];
        let mut described = 0;
        for name in plain {
            let mut built = check(name).expect("a name of a strategy");
            let is_dpor = name.starts_with("dpor");
            let Needs { memory, states, .. } = built.needs();
            let fairness = built.begin(&Execution::alone(1));
            let is_unfair = fairness == Some(Fairness::Unfair) && !states;
            let is_search = memory && !states;
            let prefixed = [
                (format!("fair-{name}"), is_unfair && !is_dpor),
                (format!("early-fair-{name}"), is_unfair && !memory),
                (format!("live-{name}"), is_search && !is_dpor),
            ];
            for (name, is_known) in [(name.to_owned(), true)].into_iter().chain(prefixed) {
                let strategy = check(&name);
                assert_eq!(strategy.is_some(), is_known, "{name}");
                let placed = check(&format!("timed-{name}")).is_some();
                assert_eq!(
                    placed,
                    strategy.is_some_and(|it| !it.needs().faults),
                    "timed-{name}"
                );
                described += u32::from(is_known) + u32::from(placed);
            }
        }
        assert_eq!(described, 145);
    }

    /// Builds a strategy by its name, and checks its description; `None` if there is no such strategy.
    fn check(name: &str) -> Option<Box<dyn Strategy>> {
        let spec = name.parse::<StrategySpec>().ok()?;
        let search = || match spec.source() {
            Source::Search(search) => Some(search),
            Source::Strategy(_) => None,
        };
        let is_saved = search().is_some_and(|mut it| it.restore(&[]) != Err(not_saved()));
        assert_eq!(spec.can_be_saved(), is_saved, "saving {name}");
        let parts = search().zip(search());
        let is_divisible = parts.is_some_and(|(mut it, part)| it.unite(part));
        assert_eq!(spec.is_divisible(), is_divisible, "parts of {name}");
        let built = spec.build();
        assert_eq!((spec.to_string(), built.name()), (name.into(), name.into()));
        assert_eq!(spec.has_memory(), built.needs().memory, "memory of {name}");
        assert_eq!(
            spec.places_faults(),
            built.needs().faults,
            "faults of {name}"
        );
        Some(built)
    }
}
