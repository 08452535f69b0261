use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};

use super::{Bug, set_up};

const FAIR: [&str; 2] = ["random", "weighted"];

fn explore(strategy: &str, seed: u64, bug: Option<Bug>) -> Report {
    let strategy: StrategySpec = strategy.parse().expect("a strategy");
    let tester = Tester::new().strategy(strategy).seed(seed).max_steps(100);
    tester.run(move |sys| {
        set_up(sys, bug);
    })
}
#[test]
fn t() {
    for s in FAIR { for seed in 0..3 {
        let r = explore(s, seed, None); r.assert_clean(); println!("{r:?}");
        let r = explore(s, seed, Some(Bug::DropStop)); println!("{:?}", r.bugs[0].finding);
    }}
    let r = explore("dfs:1000", 0, None); println!("{r:?}");
    let r = explore("dfs:1000", 0, Some(Bug::DropStop)); println!("{r:?}");
}
