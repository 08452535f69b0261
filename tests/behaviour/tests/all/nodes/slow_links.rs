//! Slow links: what is sent over them arrives later, in order, and nothing else changes.

use actor_core::prelude::*;
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::{Report, Tester};
use behaviour::harness::{assert_contains, failure_text, strategy};
use serde::{Deserialize, Serialize};

fn slow(links: u16) -> FaultBudgets {
    FaultBudgets::none().with(FaultKind::Slow, links)
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Version(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Read;
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Hop(u32);

/// Keeps the last version that it heard of.
#[derive(Debug, Default)]
struct Cache {
    version: u32,
}

#[actor(remote)]
impl Cache {
    #[on]
    fn learn(&mut self, Version(version): Version) {
        self.version = version;
    }

    #[on]
    fn read(&mut self, _: Read) -> u32 {
        self.version
    }
}

/// Writes: tells three caches, and notifies the reader by way of a chain of messages to itself.
struct Writer {
    caches: Vec<ActorRef<Cache>>,
    reader: ActorRef<Reader>,
}

#[actor]
impl Writer {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for cache in &self.caches {
            cache.tell(Version(1));
        }
        cx.me().tell(Hop(12));
    }

    #[on]
    fn hop(&mut self, Hop(left): Hop, cx: &mut Context<Self>) {
        match left {
            0 => self.reader.tell(Version(1)),
            left => cx.me().tell(Hop(left - 1)),
        }
    }
}

/// Reads from all caches once it was told of a version, and trusts the newest answer.
struct Reader {
    caches: Vec<ActorRef<Cache>>,
    asks_writers: bool,
}

#[actor(remote)]
impl Reader {
    #[on]
    async fn written(&mut self, Version(version): Version) {
        let mut newest = if self.asks_writers { version } else { 0 };
        for cache in &self.caches {
            newest = newest.max(cache.ask(Read).await.unwrap_or(0));
        }
        assert!(newest >= version, "a stale read");
    }
}

/// Nodes with a cache each, and one with a writer. The references are handed over by the boot code.
fn caches(asks_writers: bool) -> impl Fn(System) + Sync {
    move |sys| {
        fn next(sys: &System, known: Vec<ActorRef<Cache>>, asks_writers: bool) {
            let whole = sys.clone();
            if known.len() == 3 {
                let caches = known.clone();
                sys.node("reader", move |node| {
                    let caches = caches.clone();
                    let reader = node.spawn(Reader {
                        caches: caches.clone(),
                        asks_writers,
                    });
                    whole.node("writer", move |node| {
                        let (caches, reader) = (caches.clone(), reader.clone());
                        node.spawn(Writer { caches, reader });
                    });
                });
                return;
            }
            sys.node(&format!("cache{}", known.len()), move |node| {
                let mut known = known.clone();
                known.push(node.spawn(Cache::default()));
                next(&whole, known, asks_writers);
            });
        }
        next(&sys, Vec::new(), asks_writers);
    }
}

fn explored(links: u16, executions: u64, asks_writers: bool) -> Report {
    let tester = Tester::new().strategy(strategy("random"));
    let tester = tester.iterations(executions).faults(slow(links));
    tester.run(caches(asks_writers))
}

/// The read is stale only if three messages come later than some thirty other steps.
#[test]
fn three_links_that_are_slow_at_once_are_found() {
    explored(0, 4_000, false).assert_clean();
    explored(2, 4_000, false).assert_clean();
    let report = explored(3, 8_000, false);
    report.assert_bug("a stale read");
    let text = failure_text(&report);
    let held = [
        "FAULT",
        "held: writer->cache0",
        "held: writer->cache1",
        "held: writer->cache2",
    ];
    assert_contains(&text, &held);
    explored(3, 2_000, true).assert_clean();
}

/// Notes each number that it gets.
#[derive(Debug, Default)]
struct Notes(Vec<u32>);

#[actor(remote)]
impl Notes {
    #[on]
    fn note(&mut self, Hop(number): Hop) {
        self.0.push(number);
    }
}

/// Sends some numbers at its start.
struct Numbers {
    to: ActorRef<Notes>,
    first: u32,
}

#[actor]
impl Numbers {
    #[start]
    fn start(&mut self) {
        (self.first..self.first + 4).for_each(|number| self.to.tell(Hop(number)));
    }
}

/// A slow link keeps the order of its messages, and loses none.
#[test]
fn all_messages_of_a_slow_link_arrive_in_order() {
    let tester = Tester::new().iterations(2_000).faults(slow(2));
    let report = tester.run(|sys| {
        let whole = sys.clone();
        sys.node("notes", move |node| {
            let to = node.spawn(Notes::default());
            for (name, first) in [("one", 10), ("other", 20)] {
                let to = to.clone();
                whole.node(name, move |node| {
                    let to = to.clone();
                    node.spawn(Numbers { to, first });
                });
            }
        });
        let of = |notes: &Notes, first: u32| -> Vec<u32> {
            let is_of = |number: &&u32| (first..first + 4).contains(*number);
            notes.0.iter().filter(is_of).copied().collect()
        };
        sys.always("in order", move |w| {
            let is_sorted =
                |notes: &Notes| [10, 20].iter().all(|first| of(notes, *first).is_sorted());
            w.all::<Notes>().all(is_sorted)
        });
        sys.eventually("all are there", |w| {
            w.all::<Notes>().any(|notes| notes.0.len() == 8)
        });
    });
    report.assert_clean();
    let [faults] = &report.faults[..] else {
        panic!("{:?}", report.faults);
    };
    assert!(faults.struck > 1_000, "{faults:?}");
}
