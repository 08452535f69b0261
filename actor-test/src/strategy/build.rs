//! Builds strategies from their specs.

use crate::settings::strategy::{ExplorerKind, StateLimit, StrategySpec};

use super::search::{BehaviourSearch, Dpor, SearchStrategy};
use super::{
    Bdfs, Bounded, Delayed, Dfs, FairSuffix, LivePrefix, Pct, Placed, Pos, Probabilistic, Random,
    RoundRobin, RunToCompletion, States, Strategy, Surw, Urw, Weighted,
};

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
            Self::Random => Box::new(Random::new()),
            Self::Weighted(weights) => Box::new(Weighted::new(*weights)),
            Self::WeightedEvents(weights, events) => {
                let walk = Weighted::new(*weights);
                let of = |walk: Weighted, (name, weight): &(String, u32)| walk.event(name, *weight);
                Box::new(events.iter().fold(walk, of))
            }
            Self::Probabilistic(halvings) => Box::new(Probabilistic::new(*halvings)),
            Self::Pct(None) => Box::new(Pct::new()),
            Self::Pct(Some(depth)) => Box::new(Pct::with_depth(*depth)),
            Self::Pos => Box::new(Pos::new()),
            Self::PosLocal => Box::new(Pos::new().local_first()),
            Self::Urw => Box::new(Urw::new()),
            Self::Surw => Box::new(Surw::new()),
            Self::Delay(explorer, delays) => explorer.delayed(*delays),
            Self::Stratified(explorer, delays) => explorer.stratified(*delays),
            Self::BoundedDelays(same, explorer, bound) => {
                at_most(explorer.bounded().by(*same), *bound).build()
            }
            Self::SampledDelays(explorer, bound) => {
                let bounded = explorer.bounded().by_states().at_most(*bound);
                bounded.then_sample().build()
            }
            Self::BoundedPreemptions(same, bound) => {
                at_most(Bounded::preemptions().by(*same), *bound).build()
            }
            Self::FairPreemptions(bound) => at_most(Bounded::fair_preemptions(), *bound).build(),
            Self::Bdfs(None) => Box::new(Bdfs::deepening()),
            Self::Bdfs(Some(depth)) => Box::new(Bdfs::to(*depth)),
            Self::Dfs(bound) => Box::new(limited(Dfs::new(), *bound)),
            Self::DfsLocal(bound) => Box::new(limited(Dfs::new().local_first(), *bound)),
            Self::Breadth(bound) => Box::new(known(States::breadth_first(), *bound)),
            Self::States(bound) => Box::new(known(States::depth_first(), *bound)),
            Self::StatesLocal(bound) => {
                Box::new(known(States::depth_first().local_first(), *bound))
            }
            Self::Dpor(bound) => {
                let dpor = match bound {
                    None => Dpor::new(),
                    Some(bound) => Dpor::new().histories_max(*bound),
                };
                Box::new(SearchStrategy::new(BehaviourSearch::new(dpor)))
            }
            Self::HoppingDpor(behaviours) => {
                Box::new(SearchStrategy::new(Dpor::new().hopping(*behaviours)))
            }
            Self::Fair(spec) => Box::new(FairSuffix::at_max_steps(spec.build())),
            Self::EarlyFair(spec) => Box::new(FairSuffix::anywhere(spec.build())),
            Self::Live(spec) => Box::new(LivePrefix::new(spec.build())),
            Self::Placed(placement, spec) => Box::new(Placed::new(spec.build()).by(*placement)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::strategy::PARTS_MAX;
    use crate::strategy::Fairness;

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
            let built = check(name).expect("a name of a strategy");
            let is_dpor = name.starts_with("dpor");
            let is_unfair = built.fairness() == Fairness::Unfair && !built.wants_states();
            let is_search = built.has_memory() && !built.wants_states();
            let prefixed = [
                (format!("fair-{name}"), is_unfair && !is_dpor),
                (
                    format!("early-fair-{name}"),
                    is_unfair && !built.has_memory(),
                ),
                (format!("live-{name}"), is_search && !is_dpor),
            ];
            for (name, is_known) in [(name.to_owned(), true)].into_iter().chain(prefixed) {
                let strategy = check(&name);
                assert_eq!(strategy.is_some(), is_known, "{name}");
                let placed = check(&format!("timed-{name}")).is_some();
                assert_eq!(
                    placed,
                    strategy.is_some_and(|it| !it.places_faults()),
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
        let built = spec.build();
        assert_eq!((spec.to_string(), built.name()), (name.into(), name.into()));
        assert_eq!(spec.has_memory(), built.has_memory(), "memory of {name}");
        assert_eq!(
            spec.places_faults(),
            built.places_faults(),
            "faults of {name}"
        );
        assert_eq!(spec.can_be_saved(), built.can_be_saved(), "saving {name}");
        let parts = if spec.is_divisible() { PARTS_MAX } else { 0 };
        assert_eq!(parts as usize, built.parts_max(), "parts of {name}");
        Some(built)
    }
}
