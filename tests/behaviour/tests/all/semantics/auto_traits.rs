//! The tester's public types have every auto trait, since programs may
//! rely on them unknowingly. A change that removes one does not compile.

use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};

use actor_test::coverage::{Coverage, Unreached};
use actor_test::report::{
    BehaviourStatistics, Confirmation, Cycle, MergeError, Minimized, Recording, SearchKind,
    StepStatistics, StrategyStatistics, Verdict,
};
use actor_test::settings::{
    Bounds, Deny, Partition, PartitionError, Search, Semantics, TokenError,
};
use actor_test::strategy::{
    CoverageClaim, Delayed, Dfs, Effort, EventId, Fairness, Gap, MessageId, OperationId, Pct,
    Pending, Pos, Probabilistic, Random, Reduction, RoundRobin, RunToCompletion, SpecError, Step,
    StepKind, StrategySpec, Surw, Urw, Weighted, Weights,
};
use actor_test::{Bug, BugKind, Finding, Report, Tester};

fn has_every_auto_trait<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe>(
    _: PhantomData<T>,
) -> usize {
    1
}

macro_rules! count {
    ($($type:ty),* $(,)?) => {
        [$(has_every_auto_trait(PhantomData::<$type>)),*].len()
    };
}

#[test]
fn auto_traits() {
    let of_reports = count! {
        Report, Bug, BugKind, Finding, Cycle, Recording, Confirmation, Coverage, Unreached,
        BehaviourStatistics, StepStatistics, StrategyStatistics, Minimized, SearchKind,
        Verdict, MergeError,
    };
    let of_settings = count! {
        Tester, Bounds, Deny, Partition, PartitionError, Search, Semantics, TokenError,
        StrategySpec, SpecError,
    };
    let of_strategies = count! {
        Random, Probabilistic, Weighted, Weights, Pct, Pos, Surw, Urw, Dfs,
        Delayed<RoundRobin>, RunToCompletion, CoverageClaim, Gap, Reduction, Effort,
        EventId, MessageId, OperationId, Pending, Step<'static>, StepKind, Fairness,
    };
    assert_eq!((of_reports, of_settings, of_strategies), (16, 10, 22));
}
