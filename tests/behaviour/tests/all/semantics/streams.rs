//! Streams attached to an actor, and blocking actors, under the tester.

use actor_core::Spawner;
use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_test::BugKind;
use behaviour::harness::events::Tick;
use behaviour::harness::{all, expect_bug, whole};
use futures_util::stream;

#[derive(Debug)]
struct Number(u32);
#[derive(Debug)]
struct Over;

/// Adds numbers; has no handler for `Number` after the end.
#[derive(Default)]
struct Sum {
    numbers: u32,
    last: u32,
    unlucky: u32,
    nudges: u32,
    /// The nudge at which it halts.
    halts_at: u32,
}

#[actor(states(Open, Closed))]
impl Sum {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.attach_then(stream::iter(1..=self.numbers), Number, Over);
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
    fn nudge(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.nudges += 1;
        if self.nudges == self.halts_at {
            cx.halt();
        }
    }
}

impl Sum {
    /// Returns an actor that adds the numbers up to this one, and halts at that nudge.
    fn new(numbers: u32, halts_at: u32) -> Self {
        Self {
            numbers,
            halts_at,
            ..Self::default()
        }
    }
}

#[test]
fn items_come_in_order_and_the_end_comes_last() {
    all(|sys| {
        let sum = sys.spawn(Sum::new(3, 0));
        sys.eventually("it is over", move |world| {
            world.state_of(&sum) == Some("Closed")
        });
    });
}

/// Events of others come between any two items, and no item comes after the actor's end.
#[test]
fn a_stream_ends_with_its_actor() {
    let report = all(|sys| {
        let sum = sys.spawn(Sum::new(2, 1));
        sum.tell(Tick);
        sys.sometimes("it stops in the middle", move |world| {
            world.get(&sum).is_some_and(|sum| sum.last == 1)
        });
    });
    assert!(report.executions > 3, "{}", report.executions);
}

#[test]
fn a_failure_of_an_item_is_found() {
    expect_bug(
        &whole("dfs"),
        BugKind::UnreceivedError,
        &["`Number` was answered with Err(2)"],
        |sys| {
            let mut sum = Sum::new(2, 0);
            sum.unlucky = 2;
            sys.spawn(sum);
        },
    );
}

/// The thread of the handlers in production does not affect the schedules.
#[test]
fn threads_are_for_production() {
    let program = |of: for<'a> fn(Spawner<'a>) -> Spawner<'a>| {
        let report = all(|sys| of(sys.spawner()).spawn(Sum::new(0, 1)).tell(Tick));
        (report.executions, report.steps_total)
    };
    let plain = program(|spawner| spawner);
    assert_eq!(program(|spawner| spawner.blocking()), plain);
    assert_eq!(program(|spawner| spawner.thread()), plain);
}

/// Sends into a mailbox with a capacity of one, where the stream does as well.
struct Nudger(ActorRef<Sum>);

#[actor]
impl Nudger {
    #[start]
    async fn start(&mut self) {
        // The actor may have stopped.
        let _ = self.0.send(Tick).await;
    }
}

fn crowded(sys: &System, halts_at: u32) -> ActorRef<Sum> {
    let spawner = sys.spawner().mailbox(Mailbox::bounded(1));
    let crowded = spawner.spawn(Sum::new(2, halts_at));
    sys.spawn(Nudger(crowded.clone()));
    crowded
}

#[test]
fn items_wait_where_the_mailbox_is_full() {
    all(|sys| {
        let crowded = crowded(&sys, 0);
        sys.eventually("all is handled", move |world| {
            let nudges = world.get(&crowded).map(|crowded| crowded.nudges);
            nudges == Some(1) && world.state_of(&crowded) == Some("Closed")
        });
    });
}

/// The stream may be waiting for capacity at that time.
#[test]
fn a_stream_that_waits_for_room_ends_with_its_actor() {
    all(|sys| {
        let crowded = crowded(&sys, 1);
        sys.sometimes("it stops before an item", move |world| {
            world.get(&crowded).is_some_and(|crowded| crowded.last == 0)
        });
    });
}
