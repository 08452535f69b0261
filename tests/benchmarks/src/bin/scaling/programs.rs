//! The programs of the scaling benchmark, one per row of the table.

use actor_core::ActorRef;
use actor_core::Scope;
use actor_core::System;
use actor_core::mailbox::Mailbox;
use actor_core::services::{Group, Pool};
use behaviour::closures::{
    Handles, HandlesAsync, at_start, awaiting, handler, handles, handles_async,
};
use benchmarks::ping_pong::ping_pong;
use futures_util::future::join_all;

use crate::Row;
use crate::actors::*;

const fn row(name: &'static str, program: fn(&System, u32)) -> Row {
    Row {
        name,
        program,
        patient: false,
        supervised: false,
    }
}

/// The number of rounds of an actor in programs where another quantity grows.
const ROUNDS: u32 = 8;

pub(crate) const PROGRAMS: &[Row] = &[
    row("ping-pong", |sys, n| ping_pong(sys, n, ROUNDS)),
    row("actors that halt", |sys, n| {
        (0..n).for_each(|_| sys.spawn(Mortal).tell(Go))
    }),
    row("timers of one deadline", |sys, n| {
        spawn(sys, n, |_| Sleeper(1_000))
    }),
    row("timers of many deadlines", |sys, n| {
        spawn(sys, n, |index| Sleeper(u64::from(index) * 7 % 1_009))
    }),
    row("timers that are cancelled", |sys, n| {
        spawn(sys, n, |_| Hesitant {
            left: ROUNDS,
            timer: None,
        });
    }),
    row("timers cancelled when they have fired", |sys, n| {
        let collector = sys.spawn(Collector { timers: Vec::new() });
        (0..n).for_each(|_| collector.tell(Item));
        collector.tell(Go);
    }),
    Row {
        patient: true,
        ..row("patient timers", |sys, n| {
            spawn(sys, n, |_| Patient(ROUNDS))
        })
    },
    row("deep inbox, async handlers", |sys, n| {
        let server = server(sys);
        (0..n).for_each(|_| server.tell(Item));
    }),
    row("deep inbox, receiving", |sys, count| {
        let to = sys.spawn(Joiner);
        at_start(sys, move |_| {
            (0..count).for_each(|_| to.tell(Item));
            (0..count).for_each(|_| to.tell(Part));
        });
    }),
    row("deferred events", |sys, n| {
        let busy = sys.spawn(Busy(n));
        (0..n).for_each(|_| busy.tell(Item));
        (0..n).for_each(|_| busy.tell(Turn));
    }),
    row("events deferred by turns", |sys, n| {
        let gate = sys.spawn(Gate);
        (0..n).for_each(|_| gate.tell(Item));
        (0..n).for_each(|_| gate.tell(Turn));
    }),
    row("asks of one, awaited in turn", |sys, count| {
        ask(sys, count, false)
    }),
    row("asks of one, awaited together", |sys, count| {
        ask(sys, count, true)
    }),
    row("asks of many", |sys, n| {
        let server = server(sys);
        for _ in 0..n {
            let (one, other) = (server.clone(), server.clone());
            awaiting(sys, async move {
                let (one, other) = (one.ask(Item), other.ask(Item));
                one.await.expect("it lives");
                other.await.expect("it lives");
            });
        }
    }),
    row("watched by one", |sys, n| {
        let others: Vec<_> = (0..n).map(|_| sys.spawn(Mortal)).collect();
        sys.spawn(Watcher(others.clone()));
        others.iter().for_each(|other| other.tell(Go));
    }),
    row("watchers of one", |sys, n| {
        let other = sys.spawn(Mortal);
        spawn(sys, n, |_| Watcher(vec![other.clone()]));
        other.tell(Go);
    }),
    row("links in a chain", |sys, n| {
        let mut last = None;
        for _ in 0..n {
            last = Some(sys.spawn(Linked(last.take())));
        }
    }),
    row("links to one", |sys, n| {
        let hub = sys.spawn(Linked(None));
        spawn(sys, n, |_| Linked(Some(hub.clone())));
    }),
    row("members of a group", |sys, n| {
        let group = Group::new(sys);
        spawn(sys, n, |_| Member(group.clone()));
    }),
    row("names", |sys, n| spawn(sys, n, Named)),
    row("workers of a pool", |sys, n| {
        let pool = sys.spawn(Pool::round_robin(n as usize, |_| handler(|_: Item, _| {})));
        (0..ROUNDS * n).for_each(|_| pool.tell(Item));
    }),
    row("senders that wait for room", |sys, n| {
        let mailbox = Mailbox::bounded(1);
        let to = sys.spawner().mailbox(mailbox).spawn(Idle::default());
        for _ in 0..n {
            let to = to.clone();
            awaiting(sys, async move { to.send(Go).await.expect("it lives") });
        }
    }),
    row("senders that don't wait long", |sys, n| {
        let mailbox = Mailbox::bounded(1);
        let to = sys.spawner().mailbox(mailbox).spawn(Mortal);
        spawn(sys, n, |_| Impatient(to.recipient()));
    }),
    row("senders that give up", |sys, n| {
        let mailbox = Mailbox::bounded(1);
        let to = sys.spawner().mailbox(mailbox).spawn(Drowsy);
        (0..2).for_each(|_| to.tell(Go));
        spawn(sys, n, |_| Impatient(to.recipient()));
    }),
    row("futures of one", |sys, count| pipe(sys, 1, count, false)),
    row("futures of actors that halt", |sys, n| {
        pipe(sys, n, 1, true)
    }),
    Row {
        supervised: true,
        ..row("children that fail", |sys, children| {
            sys.spawn(Parent {
                children,
                fails: true,
            });
        })
    },
    row("children that are stopped", |sys, children| {
        sys.spawn(Parent {
            children,
            fails: false,
        });
    }),
    row("a predicate over one of many", |sys, n| {
        ping_pong(sys, 3, n);
        let one = sys.spawn(Idle::default());
        spawn(sys, n, |_| Idle::default());
        sys.always("it hears nothing", move |world| {
            world.get(&one).is_none_or(|one| one.heard == 0)
        });
    }),
    row("a predicate over few, many gone", |sys, n| {
        sys.spawn(Dynasty(n));
        sys.always("few live", |world| world.all::<Mortal>().count() <= 1_000);
    }),
];

fn spawn<A: actor_core::Actor>(sys: &System, count: u32, make: impl Fn(u32) -> A) {
    for index in 0..count {
        sys.spawn(make(index));
    }
}

/// Answers at once.
fn mirror(sys: &System) -> ActorRef<Handles<Go>> {
    handles(sys, |_: Go, _| {})
}

/// Answers after it has asked another actor.
fn server(sys: &System) -> ActorRef<HandlesAsync<Item>> {
    let mirror = mirror(sys);
    handles_async(sys, move |_: Item| {
        let asked = mirror.ask(Go);
        async { asked.await.expect("it lives") }
    })
}

/// Asks a number of times, and awaits the answers one by one or all together.
fn ask(sys: &System, count: u32, together: bool) {
    let of = mirror(sys);
    awaiting(sys, async move {
        let asks: Vec<_> = (0..count).map(|_| of.ask(Go)).collect();
        if together {
            join_all(asks).await;
        } else {
            for ask in asks {
                ask.await.expect("it lives");
            }
        }
    });
}

fn pipe(sys: &System, pipers: u32, count: u32, halts: bool) {
    let of = mirror(sys);
    spawn(sys, pipers, |_| Piper {
        of: of.clone(),
        count,
        halts,
    });
}
