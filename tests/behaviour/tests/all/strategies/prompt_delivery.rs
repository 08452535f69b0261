//! Deliveries whose receiver handles the message in the next step, as in every other execution of a portfolio.

use actor_core::prelude::*;
use actor_test::Tester;
use actor_test::settings::Search;
use actor_test::strategy::StepKind;
use behaviour::harness::strategy;
use serde::{Deserialize, Serialize};

const NOTES: u32 = 6;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note(u32);

/// Fails at the last note.
struct Clerk;

#[actor(remote)]
impl Clerk {
    #[on]
    fn note(&mut self, note: Note) {
        assert!(note.0 < NOTES, "the last note");
    }
}

/// Sends itself the next number, so that it always has a step.
struct Clock;

#[actor]
impl Clock {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.me().tell(Tick(200));
    }

    #[on]
    fn tick(&mut self, tick: Tick, cx: &mut Context<Self>) {
        if tick.0 > 0 {
            cx.me().tell(Tick(tick.0 - 1));
        }
    }
}

#[derive(Debug)]
struct Tick(u32);

fn program(sys: &System) {
    sys.node("n0", |node| {
        node.spawner().name("clerk").registered().spawn(Clerk);
    });
    sys.node("n1", |node| {
        let clerk = node.at::<Clerk>("n0/clerk");
        for note in 1..=NOTES {
            clerk.tell(Note(note));
        }
    });
    for _ in 0..4 {
        sys.spawn(Clock);
    }
}

/// Returns in how many of forty executions the receiver handled each note right after its delivery.
fn prompt_executions(search: Search) -> usize {
    let is_prompt = |seed: &u64| {
        let tester = Tester::new()
            .iterations(1)
            .seed(*seed)
            .search(search.clone());
        let report = tester.minimize(0).explain(0).run(|sys| program(&sys));
        let steps = &report.assert_bug("the last note").trace.story.steps;
        let mut delivered = steps
            .windows(2)
            .filter(|pair| pair[0].kind == StepKind::Deliver);
        delivered.all(|pair| pair[1].kind == StepKind::Handle && pair[1].who != pair[0].who)
    };
    (0..40).filter(is_prompt).count()
}

#[test]
fn half_of_a_portfolios_executions_deliver_promptly() {
    let prompt = prompt_executions(Search::Portfolio);
    assert!((10..=30).contains(&prompt), "{prompt}");
}

/// A strategy by itself picks every step.
#[test]
fn a_single_strategy_delivers_as_it_picks() {
    let random = Search::Strategies(vec![strategy("random")]);
    assert_eq!(prompt_executions(random), 0);
}
