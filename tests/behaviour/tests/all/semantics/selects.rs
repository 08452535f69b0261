//! `select!`: the tester decides which of several ready branches is taken.

use std::pin::pin;

use actor_core::prelude::*;
use actor_core::sync::{mpsc, oneshot};
use actor_core::{select, task};
use actor_test::{BugKind, Report, Tester};
use behaviour::harness::events::Go;
use behaviour::harness::{contract, failure_text, outcomes, whole};

/// Explores all schedules; returns the distinct results.
fn all<T, F>(search: &str, program: impl Fn() -> F + Sync) -> (Report, Vec<T>)
where
    T: Ord + Send + 'static,
    F: Future<Output = T> + 'static,
{
    outcomes(&whole(search), |_| program())
}

/// Two channels, each with one message.
fn both() -> [mpsc::Receiver<u32>; 2] {
    [1, 2].map(|number| {
        let (send, receive) = mpsc::channel(1);
        send.try_send(number).expect("it has room");
        receive
    })
}

const SEARCHES: [&str; 6] = [
    "dfs",
    "dfs:local",
    "states",
    "states:local",
    "ses:by=hb",
    "pb:by=hb",
];

#[test]
fn each_of_those_that_are_ready_may_be_the_first() {
    for search in SEARCHES {
        let (_, seen) = all(search, || async {
            let [mut one, mut two] = both();
            let (_keep, mut three) = mpsc::channel::<u32>(1);
            select! {
                Some(number) = one.recv() => number,
                Some(number) = three.recv() => number,
                Some(number) = two.recv() => number,
            }
        });
        assert_eq!(seen, [1, 2], "{search}");
    }
}

#[test]
fn in_order_there_is_nothing_to_decide() {
    let (report, seen) = all("dfs", || async {
        let [mut one, mut two] = both();
        select! {
            biased;
            number = two.recv() => number,
            number = one.recv() => number,
        }
    });
    assert_eq!(seen, [Some(2)]);
    assert_eq!(report.executions, 1);
}

/// A single open branch leaves no choice, even if only a pattern decides it.
#[test]
fn a_branch_is_left_out_by_its_condition_and_by_its_pattern() {
    for wants in [1, 2, 3] {
        let (_, seen) = all("dfs", move || async move {
            let [mut one, mut two] = both();
            let mut tried = 0;
            let taken = select! {
                Some(1) = one.recv(), if wants != 2 => 1,
                Some(ref number @ 2 | ref number @ 4) = two.recv(), if { tried += 1; wants != 1 } => *number,
                else => 0,
            };
            (taken, tried)
        });
        let right: &[_] = match wants {
            1 => &[(1, 1)],
            2 => &[(2, 1)],
            _ => &[(1, 1), (2, 1)],
        };
        assert_eq!(seen, right);
    }
    let (_, seen) = all("dfs", || async {
        let [mut one, mut two] = both();
        select! {
            Some(7) = one.recv() => 1,
            None = two.recv() => 2,
            else => 0,
        }
    });
    assert_eq!(seen, [0]);
}

#[test]
fn where_nothing_is_left_it_panics() {
    let report = Tester::new().run(|_| async {
        let [mut one, mut two] = both();
        select! {
            None = one.recv() => {}
            _ = two.recv(), if false => {}
        }
    });
    report.assert_bug("no branch of a `select!` is left, and it has no `else`");
}

/// Handlers may leave loops and functions; a future that is passed by reference continues.
#[test]
fn handlers_say_where_it_goes_on() {
    async fn last(of: &mut mpsc::Receiver<u32>, mut done: oneshot::Receiver<u32>) -> Option<u32> {
        let mut last = None;
        loop {
            select! {
                next = of.recv() => {
                    last = Some(next?);
                    continue;
                }
                end = &mut done => match end {
                    Ok(0) => break,
                    Ok(end) => return Some(end),
                    Err(_) => return None,
                }
            }
        }
        last
    }
    for (end, expected) in [(0, &[None, Some(1), Some(2)][..]), (9, &[Some(9)][..])] {
        let (_, seen) = all("dfs", move || async move {
            let (send, mut receive) = mpsc::channel(2);
            let (says, said) = oneshot::channel();
            for number in [1, 2] {
                send.try_send(number).expect("it has room");
            }
            says.send(end).expect("it is awaited");
            last(&mut receive, said).await
        });
        assert_eq!(seen, expected, "{end}");
    }
}

#[test]
fn those_that_are_not_ready_are_awaited() {
    contract(&["[0, 1, 2]"], async |_| {
        let (send, mut receive) = mpsc::channel(1);
        let sender = task::spawn(async move {
            for number in 0..3 {
                send.send(number).await.expect("it is received");
            }
        });
        let mut received = Vec::new();
        let mut joined = pin!(sender);
        loop {
            select! {
                biased;
                Some(number) = receive.recv() => received.push(number),
                end = &mut joined => break end.expect("it ends"),
            }
        }
        while let Ok(number) = receive.try_recv() {
            received.push(number);
        }
        format!("{received:?}")
    });
}

/// Awaits two others, and reports the first answer.
struct Chooser {
    others: [ActorRef<Echo>; 2],
    to: ActorRef<Judge>,
}

struct Echo(u32);

struct Judge;

#[derive(Clone, Debug)]
struct Who;

#[derive(Clone, Debug)]
struct First(u32);

#[actor]
impl Echo {
    #[on]
    fn who(&mut self, _: Who) -> u32 {
        self.0
    }
}

#[actor]
impl Judge {
    #[on]
    fn first(&mut self, first: First) {
        assert_eq!(first.0, 1, "the second came first");
    }
}

#[actor]
impl Chooser {
    #[on]
    async fn go(&mut self, _: Go) {
        let [one, two] = &self.others;
        let first = select! {
            Ok(first) = one.ask(Who) => first,
            Ok(first) = two.ask(Who) => first,
            else => return,
        };
        self.to.tell(First(first));
    }
}

#[test]
fn a_handler_decides_as_well() {
    let program = |sys: System| {
        let others = [1, 2].map(|number| sys.spawn(Echo(number)));
        let to = sys.spawn(Judge);
        sys.spawn(Chooser { others, to }).tell(Go);
    };
    for search in [
        "dfs",
        "dpor",
        "states",
        "dfs:local",
        "ses:by=hb",
        "pb:by=hb",
    ] {
        let report = whole(search).run(program);
        report.assert_bug("the second came first");
    }
}

#[test]
fn every_execution_runs_the_same_way_again() {
    let report = Tester::new()
        .iterations(2_000)
        .check_every(1)
        .keep_going()
        .run(|_| async {
            let taken = task::spawn(async {
                let [mut one, mut two] = both();
                select! {
                    number = one.recv() => number,
                    number = two.recv() => number,
                }
            });
            assert_eq!(taken.await.expect("it ends"), Some(1));
        });
    assert!(report.bugs().iter().all(|bug| bug.kind() == BugKind::Panic));
    assert!(!report.is_clean());
}

/// tokio's own `select!` draws the order itself; the report names the place and the replacement.
#[test]
fn a_foreign_select_is_named() {
    let line = line!() + 4;
    let report = Tester::new().run(|_| async {
        let [mut one, mut two] = both();
        let _keep = &mut one;
        let number = tokio::select! {
            number = two.recv() => number,
            number = async { std::future::pending().await } => number,
        };
        assert_eq!(number, Some(1));
    });
    assert!(report.asked_for_bytes > 0);
    let said = format!(
        "`tokio::select!` at tests/behaviour/tests/all/semantics/selects.rs:{line} draws its order from a generator of \
         its own: write `actor_core::select!`, or `biased;` in it"
    );
    let text = failure_text(&report);
    assert!(text.contains(&said), "{text}");
}
