//! The programs of the scaling benchmark, one per row of the table.

use actor_core::Scope;
use actor_core::System;
use actor_core::mailbox::Mailbox;
use actor_core::services::{Group, Pool};
use benchmarks::ping_pong::ping_pong;

use crate::Row;
use crate::actors::*;

const ROW: Row = Row {
    name: "",
    program: |_, _| {},
    patient: false,
    supervised: false,
};

/// The number of rounds of an actor in programs where another quantity grows.
const ROUNDS: u32 = 8;

pub(crate) const PROGRAMS: &[Row] = &[
    Row {
        name: "ping-pong",
        program: |sys, n| ping_pong(sys, n, ROUNDS),
        ..ROW
    },
    Row {
        name: "actors that halt",
        program: |sys, n| (0..n).for_each(|_| sys.spawn(Mortal).tell(Go)),
        ..ROW
    },
    Row {
        name: "timers of one deadline",
        program: |sys, n| spawn(sys, n, |_| Sleeper(1_000)),
        ..ROW
    },
    Row {
        name: "timers of many deadlines",
        program: |sys, n| spawn(sys, n, |index| Sleeper(u64::from(index) * 7 % 1_009)),
        ..ROW
    },
    Row {
        name: "timers that are cancelled",
        program: |sys, n| {
            spawn(sys, n, |_| Hesitant {
                left: ROUNDS,
                timer: None,
            });
        },
        ..ROW
    },
    Row {
        name: "timers cancelled when they have fired",
        program: |sys, n| {
            let collector = sys.spawn(Collector { timers: Vec::new() });
            (0..n).for_each(|_| collector.tell(Item));
            collector.tell(Go);
        },
        ..ROW
    },
    Row {
        name: "patient timers",
        program: |sys, n| spawn(sys, n, |_| Patient(ROUNDS)),
        patient: true,
        ..ROW
    },
    Row {
        name: "deep inbox, async handlers",
        program: |sys, n| {
            let server = sys.spawn(Server(sys.spawn(Mirror)));
            (0..n).for_each(|_| server.tell(Item));
        },
        ..ROW
    },
    Row {
        name: "deep inbox, receiving",
        program: |sys, count| {
            let to = sys.spawn(Joiner);
            sys.spawn(Feeder { to, count });
        },
        ..ROW
    },
    Row {
        name: "deferred events",
        program: |sys, n| {
            let busy = sys.spawn(Busy(n));
            (0..n).for_each(|_| busy.tell(Item));
            (0..n).for_each(|_| busy.tell(Turn));
        },
        ..ROW
    },
    Row {
        name: "events deferred by turns",
        program: |sys, n| {
            let gate = sys.spawn(Gate);
            (0..n).for_each(|_| gate.tell(Item));
            (0..n).for_each(|_| gate.tell(Turn));
        },
        ..ROW
    },
    Row {
        name: "asks of one, awaited in turn",
        program: |sys, count| ask(sys, count, false),
        ..ROW
    },
    Row {
        name: "asks of one, awaited together",
        program: |sys, count| ask(sys, count, true),
        ..ROW
    },
    Row {
        name: "asks of many",
        program: |sys, n| {
            let server = sys.spawn(Server(sys.spawn(Mirror)));
            spawn(sys, n, |_| Customer(server.clone()));
        },
        ..ROW
    },
    Row {
        name: "watched by one",
        program: |sys, n| {
            let others: Vec<_> = (0..n).map(|_| sys.spawn(Mortal)).collect();
            sys.spawn(Watcher(others.clone()));
            others.iter().for_each(|other| other.tell(Go));
        },
        ..ROW
    },
    Row {
        name: "watchers of one",
        program: |sys, n| {
            let other = sys.spawn(Mortal);
            spawn(sys, n, |_| Watcher(vec![other.clone()]));
            other.tell(Go);
        },
        ..ROW
    },
    Row {
        name: "links in a chain",
        program: |sys, n| {
            let mut last = None;
            for _ in 0..n {
                last = Some(sys.spawn(Linked(last.take())));
            }
        },
        ..ROW
    },
    Row {
        name: "links to one",
        program: |sys, n| {
            let hub = sys.spawn(Linked(None));
            spawn(sys, n, |_| Linked(Some(hub.clone())));
        },
        ..ROW
    },
    Row {
        name: "members of a group",
        program: |sys, n| {
            let group = Group::new(sys);
            spawn(sys, n, |_| Member(group.clone()));
        },
        ..ROW
    },
    Row {
        name: "names",
        program: |sys, n| spawn(sys, n, Named),
        ..ROW
    },
    Row {
        name: "workers of a pool",
        program: |sys, n| {
            let pool = sys.spawn(Pool::round_robin(n as usize, |_| Worker));
            (0..ROUNDS * n).for_each(|_| pool.tell(Item));
        },
        ..ROW
    },
    Row {
        name: "senders that wait for room",
        program: |sys, n| {
            let mailbox = Mailbox::bounded(1);
            let to = sys.spawner().mailbox(mailbox).spawn(Idle::default());
            spawn(sys, n, |_| Sender(to.clone()));
        },
        ..ROW
    },
    Row {
        name: "senders that don't wait long",
        program: |sys, n| {
            let mailbox = Mailbox::bounded(1);
            let to = sys.spawner().mailbox(mailbox).spawn(Mortal);
            spawn(sys, n, |_| Impatient(to.recipient()));
        },
        ..ROW
    },
    Row {
        name: "senders that give up",
        program: |sys, n| {
            let mailbox = Mailbox::bounded(1);
            let to = sys.spawner().mailbox(mailbox).spawn(Drowsy);
            (0..2).for_each(|_| to.tell(Go));
            spawn(sys, n, |_| Impatient(to.recipient()));
        },
        ..ROW
    },
    Row {
        name: "futures of one",
        program: |sys, count| pipe(sys, 1, count, false),
        ..ROW
    },
    Row {
        name: "futures of actors that halt",
        program: |sys, n| pipe(sys, n, 1, true),
        ..ROW
    },
    Row {
        name: "children that fail",
        program: |sys, children| {
            sys.spawn(Parent {
                children,
                fails: true,
            });
        },
        supervised: true,
        ..ROW
    },
    Row {
        name: "children that are stopped",
        program: |sys, children| {
            sys.spawn(Parent {
                children,
                fails: false,
            });
        },
        ..ROW
    },
    Row {
        name: "a predicate over one of many",
        program: |sys, n| {
            ping_pong(sys, 3, n);
            let one = sys.spawn(Idle::default());
            spawn(sys, n, |_| Idle::default());
            sys.always("it hears nothing", move |world| {
                world.get(&one).is_none_or(|one| one.heard == 0)
            });
        },
        ..ROW
    },
    Row {
        name: "a predicate over few, many gone",
        program: |sys, n| {
            sys.spawn(Dynasty(n));
            sys.always("few live", |world| world.all::<Mortal>().count() <= 1_000);
        },
        ..ROW
    },
];

fn spawn<A: actor_core::Actor>(sys: &System, count: u32, make: impl Fn(u32) -> A) {
    for index in 0..count {
        sys.spawn(make(index));
    }
}

fn ask(sys: &System, count: u32, together: bool) {
    let of = sys.spawn(Mirror);
    sys.spawn(Asker {
        of,
        count,
        together,
    });
}

fn pipe(sys: &System, pipers: u32, count: u32, halts: bool) {
    let of = sys.spawn(Mirror);
    spawn(sys, pipers, |_| Piper {
        of: of.clone(),
        count,
        halts,
    });
}
