//! Exhaustive search over faults between steps: as many executions as there are ways to place them.

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{FaultBudgets, Tester};

#[derive(Debug)]
struct Next;

/// Tells itself so many times to go on, one time after the other.
struct Chain(u32);

#[actor]
impl Chain {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.go_on(cx);
    }

    #[on]
    fn next(&mut self, _: Next, cx: &mut Context<Self>) {
        self.go_on(cx);
    }
}

impl Chain {
    fn go_on(&mut self, cx: &mut Context<Self>) {
        if self.0 > 0 {
            self.0 -= 1;
            cx.me().tell(Next);
        }
    }
}

/// How many executions there are of a chain on a node.
fn count(length: u32, faults: &str) -> u64 {
    let faults: FaultBudgets = faults.parse().expect("faults");
    let tester = Tester::new().iterations(100_000).faults(faults);
    let report = tester.strategy(StrategySpec::Dfs(None)).run(move |sys| {
        sys.node("n1", move |node| {
            node.spawn(Chain(length));
        });
    });
    report.assert_clean();
    assert!(report.verdict.is_exhaustive(), "{faults}");
    report.executions
}

fn choose(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

/// The chain starts, and goes on n times in two steps each; beside it the boot code says that it is done,
/// which is a flush and a step of the registry's. So there are C(2n+3, 2) orders, and C(2n+5, 3) - 1 places
/// in them: beginnings of one or more of these orders, the empty one included. Before them the node is up in
/// three more places: before the test's body spawns the boot code, before that starts, and before it spawns
/// the chain.
///
/// A node that stops leaves nothing more to do. One that boots anew has all orders before it; in the first
/// of the three places also what the body has left to do, a step that may come before, between or after the
/// 2n+5 of the new life.
#[test]
fn each_place_between_two_steps_is_enumerated() {
    for n in 0..=2 {
        let orders = choose(2 * n + 3, 2);
        let places = choose(2 * n + 5, 3) - 1;
        let length = n as u32;
        assert_eq!(count(length, "none"), orders, "{n}");
        assert_eq!(count(length, "stop=1"), orders + places + 3, "{n}");
        let restarts = orders * (places + 2 + (2 * n + 6));
        assert_eq!(count(length, "restart=1"), orders + restarts, "{n}");
        assert_eq!(count(length, "wipe=1"), orders + restarts, "{n}");
    }
}
