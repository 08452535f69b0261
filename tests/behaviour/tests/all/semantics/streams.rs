//! Streams attached to an actor, and blocking actors, under the tester.

use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use actor_core::Spawner;
use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};
use futures_core::Stream;

fn dfs() -> Tester {
    Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dfs(None))
}

fn assert_clean(report: &Report) {
    report.assert_clean();
    assert!(report.verdict.is_exhaustive());
}

/// A stream of the numbers up to a bound, always ready.
struct Numbers(std::ops::RangeInclusive<u32>);

impl Stream for Numbers {
    type Item = u32;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut TaskContext<'_>) -> Poll<Option<u32>> {
        Poll::Ready(self.0.next())
    }
}

#[derive(Debug)]
struct Number(u32);
#[derive(Debug)]
struct Over;
#[derive(Debug)]
struct Clear;

/// Adds numbers; has no handler for `Number` after the end.
#[derive(Default)]
struct Sum {
    numbers: u32,
    last: u32,
    unlucky: u32,
}

#[actor(states(Open, Closed))]
impl Sum {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.attach_then(Numbers(1..=self.numbers), Number, Over);
    }

    #[on(Open)]
    fn number(&mut self, number: Number) -> Result<(), u32> {
        assert_eq!(number.0, self.last + 1);
        self.last = number.0;
        if number.0 == self.unlucky {
            return Err(number.0);
        }
        Ok(())
    }

    #[on(Open)]
    fn over(&mut self, _: Over, cx: &mut Context<Self>) {
        assert_eq!(self.last, self.numbers);
        cx.goto(SumState::Closed);
    }

    #[on]
    fn clear(&mut self, _: Clear, cx: &mut Context<Self>) {
        cx.halt();
    }
}

#[test]
fn items_come_in_order_and_the_end_comes_last() {
    let report = dfs().run(|sys| {
        let sum = sys.spawn(Sum {
            numbers: 3,
            ..Sum::default()
        });
        sys.eventually("it is over", move |world| {
            world.state_of(&sum) == Some("Closed")
        });
    });
    assert_clean(&report);
}

/// Events of others come between any two items, and no item comes after the actor's end.
#[test]
fn a_stream_ends_with_its_actor() {
    let report = dfs().run(|sys| {
        let sum = sys.spawn(Sum {
            numbers: 2,
            ..Sum::default()
        });
        sum.tell(Clear);
        sys.sometimes("it stops in the middle", move |world| {
            world.get(&sum).is_some_and(|sum| sum.last == 1)
        });
    });
    assert_clean(&report);
    assert!(report.executions > 3, "{}", report.executions);
}

#[test]
fn a_failure_of_an_item_is_found() {
    let report = dfs().run(|sys| {
        sys.spawn(Sum {
            numbers: 2,
            unlucky: 2,
            ..Sum::default()
        });
    });
    let bug = &report.bugs()[0];
    assert_eq!(bug.kind(), BugKind::UnreceivedError);
    let message = bug.message();
    assert!(
        message.contains("`Number` was answered with Err(2)"),
        "{message}"
    );
}

/// The thread of the handlers in production does not affect the schedules.
#[test]
fn threads_are_for_production() {
    let program = |of: for<'a> fn(Spawner<'a>) -> Spawner<'a>| {
        dfs().run(move |sys| {
            let sum = of(sys.spawner()).spawn(Sum::default());
            sum.tell(Clear);
        })
    };
    let plain = program(|spawner| spawner);
    for report in [
        program(|spawner| spawner.blocking()),
        program(|spawner| spawner.thread()),
    ] {
        assert_clean(&report);
        assert_eq!(report.executions, plain.executions);
        assert_eq!(report.steps_total, plain.steps_total);
    }
}

#[derive(Debug)]
struct Nudge;

/// Like [`Sum`], and others send to its mailbox, too.
#[derive(Default)]
struct Crowded {
    last: u32,
    nudges: u32,
    halts_at: u32,
}

#[actor(states(Open, Closed))]
impl Crowded {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.attach_then(Numbers(1..=2), Number, Over);
    }

    #[on(Open)]
    fn number(&mut self, number: Number) {
        assert_eq!(number.0, self.last + 1);
        self.last = number.0;
    }

    #[on(Open)]
    fn over(&mut self, _: Over, cx: &mut Context<Self>) {
        assert_eq!(self.last, 2);
        cx.goto(CrowdedState::Closed);
    }

    #[on]
    fn nudge(&mut self, _: Nudge, cx: &mut Context<Self>) {
        self.nudges += 1;
        if self.nudges == self.halts_at {
            cx.halt();
        }
    }
}

/// Sends into a mailbox with a capacity of one, where the stream does as well.
struct Nudger(ActorRef<Crowded>);

#[actor]
impl Nudger {
    #[start]
    async fn start(&mut self) {
        // The actor may have stopped.
        let _ = self.0.send(Nudge).await;
    }
}

fn crowded(sys: &System, halts_at: u32) -> ActorRef<Crowded> {
    let crowded = sys.spawner().mailbox(Mailbox::bounded(1)).spawn(Crowded {
        halts_at,
        ..Crowded::default()
    });
    sys.spawn(Nudger(crowded.clone()));
    crowded
}

#[test]
fn items_wait_where_the_mailbox_is_full() {
    assert_clean(&dfs().run(|sys| {
        let crowded = crowded(&sys, 0);
        sys.eventually("all is handled", move |world| {
            let nudges = world.get(&crowded).map(|crowded| crowded.nudges);
            nudges == Some(1) && world.state_of(&crowded) == Some("Closed")
        });
    }));
}

/// The stream may be waiting for capacity at that time.
#[test]
fn a_stream_that_waits_for_room_ends_with_its_actor() {
    let report = dfs().run(|sys| {
        let crowded = crowded(&sys, 1);
        sys.sometimes("it stops before an item", move |world| {
            world.get(&crowded).is_some_and(|crowded| crowded.last == 0)
        });
    });
    assert_clean(&report);
}
