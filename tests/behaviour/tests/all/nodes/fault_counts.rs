//! Exhaustive search over faults between steps: the number of executions equals the number of placements.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use actor_core::prelude::*;
use actor_test::Tester;
use actor_test::faults::FaultBudgets;
use actor_test::strategy::{Choice, Enabled, Execution, Fairness, Needs, Pruned, Strategy};
use behaviour::harness::events::Go;
use behaviour::harness::{exhaust, whole};

/// Sends to itself a number of times, one after the other.
struct Chain(u32);

#[actor]
impl Chain {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.go_on(cx);
    }

    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.go_on(cx);
    }
}

impl Chain {
    fn go_on(&mut self, cx: &mut Context<Self>) {
        if self.0 > 0 {
            self.0 -= 1;
            cx.me().tell(Go);
        }
    }
}

/// Returns the number of executions with a chain on a node.
fn count(length: u32, faults: &str) -> u64 {
    let faults: FaultBudgets = faults.parse().expect("faults");
    let report = exhaust(&whole("dfs").faults(faults), |sys| {
        sys.node("n1", move |node| {
            node.spawn(Chain(length));
        });
    });
    report.executions
}

/// The chain starts, and continues n times in two steps each, so there is one order, and there are 2n+2 places
/// in it: before, between and after the steps. The node is up in three earlier places: before the test's body
/// spawns the boot code, before the boot code starts, and before it spawns the chain.
///
/// After a stop of the node, nothing is left to do. After a restart, the boot code starts, spawns the chain,
/// and the chain runs. In the first of the three places the body also has a step left, which may come before,
/// between or after the 2n+3 steps of the new incarnation.
#[test]
fn each_place_between_two_steps_is_enumerated() {
    for n in [0, 1, 2, 8] {
        let places = 2 * n + 2;
        let length = n as u32;
        assert_eq!(count(length, "none"), 1, "{n}");
        assert_eq!(count(length, "stop=1"), 1 + places + 3, "{n}");
        let restarts = places + 2 + (2 * n + 4);
        assert_eq!(count(length, "restart=1"), 1 + restarts, "{n}");
        assert_eq!(count(length, "wipe=1"), 1 + restarts, "{n}");
    }
}

/// After a pause, the steps that are left follow. There are r = 2n+4 places from which on nothing but the node has
/// a step left: a pause there ends by itself or as the last one of the faults. In the place before, a pause also
/// ends before the step of the body. That is 1 + 2r + 3 executions.
///
/// With two pauses, the second one may come in each place from the end of the first one on, unless all faults
/// have ended. That is 2 + 2r' executions for the first one in a place that has r' - 1 others behind it. In the
/// place before them it is 1 + 2r + 3 if the pause ends before the step of the body, and else 2 + 2r.
#[test]
fn each_place_of_a_pause_is_enumerated() {
    for n in [0, 1, 2, 8] {
        let r = 2 * n + 4;
        let behind: u64 = (1..=r).map(|behind| 2 + 2 * behind).sum();
        let two = 1 + behind + (1 + 2 * r + 3) + (2 + 2 * r);
        let length = n as u32;
        assert_eq!(count(length, "pause=1"), 1 + 2 * r + 3, "{n}");
        assert_eq!(count(length, "pause=2"), two, "{n}");
    }
}

/// Continues without faults, and records the partitions that are offered.
#[derive(Debug)]
struct Listing(Arc<Mutex<BTreeSet<(u64, u8)>>>);

impl Strategy for Listing {
    fn name(&self) -> String {
        "listing".into()
    }
    fn begin(&mut self, _: &Execution) -> Option<Fairness> {
        Some(Fairness::Unfair)
    }
    fn pick(&mut self, _: &Enabled<'_>) -> Result<usize, Pruned> {
        Ok(0)
    }
    fn choose(&mut self, choice: Choice<'_>) -> Option<u32> {
        if let Choice::FaultBetween(_, faults) = choice {
            let cuts = faults.iter().map(|fault| (fault.nodes, fault.way));
            self.0.lock().expect("no panic").extend(cuts);
        }
        None
    }
    fn needs(&self) -> Needs {
        Needs {
            faults: true,
            ..Needs::default()
        }
    }
}

/// Returns the number of faults of a kind that a strategy may choose, for so many nodes.
fn listed(faults: &str, nodes: u32) -> usize {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let strategy = Box::new(Listing(Arc::clone(&seen)));
    let faults = faults.parse().expect("faults");
    let tester = Tester::new().iterations(1).faults(faults);
    let report = tester.custom_strategy(strategy).run(move |sys| {
        for number in 0..nodes {
            sys.node(&format!("n{number}"), |node| {
                node.spawn(Chain(0));
            });
        }
    });
    report.assert_clean();
    let seen = seen.lock().expect("no panic");
    seen.len()
}

/// Up to five nodes are partitioned in every way, with either
/// direction cut or both; of more nodes, one is isolated.
#[test]
fn nodes_are_parted_in_every_way_or_one_is_cut_off() {
    for (nodes, sides) in [(1, 0), (2, 1), (4, 7), (5, 15), (6, 6), (9, 9)] {
        assert_eq!(listed("partition=1", nodes), 3 * sides, "{nodes}");
    }
}

/// A node that is paused is not paused again, and a spared one is never.
#[test]
fn each_node_may_be_paused() {
    for nodes in [1, 2, 4, 9] {
        assert_eq!(listed("pause=1", nodes), nodes as usize, "{nodes}");
    }
}

#[test]
fn each_link_may_be_slow_in_either_direction() {
    for nodes in [1, 2, 4, 9] {
        let links = (nodes * (nodes - 1)) as usize;
        assert_eq!(listed("slow=1", nodes), links, "{nodes}");
    }
}

#[test]
fn each_connection_may_break_for_either_side() {
    for nodes in [1, 2, 4, 9] {
        let sides = (nodes * (nodes - 1)) as usize;
        assert_eq!(listed("half_open=1", nodes), sides, "{nodes}");
        assert_eq!(listed("full_link=1", nodes), sides, "{nodes}");
        assert_eq!(listed("break=1", nodes), sides / 2, "{nodes}");
    }
}
