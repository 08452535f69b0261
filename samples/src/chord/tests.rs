use actor_core::prelude::*;
use actor_test::causes::DecisivePoint;
use actor_test::{Tester, actor_test};

use super::{Bug, is_whole, set_up};

fn ring_of(sys: &System, nodes: u32, bug: Option<Bug>) {
    let ring = set_up(sys, nodes, bug);
    sys.eventually("all nodes are in one ring", move |w| {
        let next = ring
            .iter()
            .map(|node| w.get(node).and_then(|node| node.next()));
        is_whole(&next.collect::<Vec<_>>())
    });
}

#[actor_test(max_steps = 300)]
fn all_nodes_come_into_one_ring(sys: &System) {
    ring_of(sys, 3, None);
}

#[actor_test(max_steps = 300, expect_bug = "all nodes are in one ring")]
fn the_first_node_never_finds_the_others(sys: &System) {
    ring_of(sys, 2, Some(Bug::PredecessorOnly));
}

/// Every schedule fails: no step is to blame, but the program.
#[test]
fn it_is_dead_from_the_start() {
    let tester = Tester::new().iterations(1).max_steps(100);
    let report = tester.explain(1_000_000).run(|sys| {
        ring_of(&sys, 2, Some(Bug::PredecessorOnly));
    });
    let causes = report.assert_bug("one ring").causes.as_ref();
    let causes = causes.expect("they were looked for");
    let DecisivePoint::FromTheStart { share, .. } = causes.decided else {
        panic!("{causes:?}");
    };
    assert_eq!((share.step, share.escaped), (0, 0));
}
