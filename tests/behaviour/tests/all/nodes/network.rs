//! Nodes, their links, and faults between them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use actor_core::Faults;
use actor_core::ReplyRecipient;
use actor_core::actor;
use actor_core::names::LookupError;
use actor_core::prelude::*;
use actor_test::settings::Delivery;
use actor_test::strategy::StrategySpec;
use actor_test::{Bug, BugKind, Report, Tester};
use serde::{Deserialize, Serialize};

/// Returns the number of behaviours; steps that concern a single actor are not interleaved.
fn count(delivery: Delivery, program: impl Fn(&System) + Sync) -> u64 {
    let report = Tester::new()
        .iterations(u64::MAX)
        .delivery(delivery)
        .strategy(StrategySpec::DfsLocal(None))
        .run(|sys| program(&sys));
    report.assert_clean();
    assert!(report.verdict.is_exhaustive(), "the search ends by itself");
    report.behaviours.seen
}

/// A tester that repeats every execution, and compares the two.
fn tester() -> Tester {
    Tester::new()
        .iterations(100)
        .check_every(1)
        .strategy(StrategySpec::Random)
}

fn only_bug(report: &Report) -> &Bug {
    let bugs = report.bugs();
    assert_eq!(bugs.len(), 1, "{bugs:?}");
    &bugs[0]
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Last(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Seen;

/// The notes of keepers at the time of their drop.
type Journal = Arc<Mutex<BTreeSet<Vec<u32>>>>;

/// Stores the notes that it receives.
#[derive(Default, Debug)]
struct Keeper {
    notes: Vec<u32>,
    journal: Option<Journal>,
}

impl Keeper {
    fn with(journal: &Journal) -> Self {
        Self {
            notes: Vec::new(),
            journal: Some(journal.clone()),
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(journal) = &self.journal {
            journal.lock().unwrap().insert(self.notes.clone());
        }
    }
}

#[actor]
impl Keeper {
    #[on]
    fn note(&mut self, note: Note) {
        self.notes.push(note.0);
    }

    #[on]
    fn last(&mut self, last: Last) {
        self.notes.push(last.0);
    }

    #[on]
    fn seen(&mut self, _: Seen) -> Vec<u32> {
        self.notes.clone()
    }
}

/// Sends a number of notes at its start.
struct Sender {
    to: ActorRef<Keeper>,
    notes: std::ops::Range<u32>,
}

#[actor]
impl Sender {
    #[start]
    fn start(&mut self) {
        for note in self.notes.clone() {
            self.to.tell(Note(note));
        }
    }
}

/// Some nodes, each of which sends to a keeper on one more node. No
/// name is looked up, so that only the order of the notes differs.
fn fan_in(sys: &System, senders: u32, notes: u32) {
    const NAMES: [&str; 3] = ["a", "b", "c"];
    let whole = sys.clone();
    sys.node("keeper", move |node| {
        let keeper = node.spawn(Keeper::default());
        for (number, name) in (0..senders).zip(NAMES) {
            let to = keeper.clone();
            whole.node(name, move |node| {
                node.spawn(Sender {
                    to: to.clone(),
                    notes: number * notes..(number + 1) * notes,
                });
            });
        }
    });
}

#[test]
fn links_interleave_as_the_closed_form_says() {
    // In order for each pair: (n+m)!/(n!m!). In any order: (n+m)!.
    let cases = [
        (Delivery::PerPair, 1, 3, 1),
        (Delivery::PerPair, 2, 1, 2),
        (Delivery::Mailbox, 2, 1, 2),
        (Delivery::Bag, 1, 2, 2),
        (Delivery::Bag, 1, 3, 6),
    ];
    for (delivery, senders, notes, expected) in cases {
        let found = count(delivery, |sys| fan_in(sys, senders, notes));
        assert_eq!(
            found, expected,
            "{delivery:?}, {senders} senders, {notes} notes"
        );
    }
}

/// Continues after a broadcast.
struct Broadcaster {
    to: [ActorRef<Keeper>; 2],
    has_gone_on: bool,
}

#[derive(Clone, Debug)]
struct GoOn;

#[actor]
impl Broadcaster {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for to in &self.to {
            to.tell(Note(1));
        }
        cx.me().tell(GoOn);
    }

    #[on]
    fn go_on(&mut self, _: GoOn) {
        self.has_gone_on = true;
    }
}

/// Returns true if the sender of a broadcast may continue while only a part of it has arrived.
fn sees_a_part(on_nodes: bool) -> bool {
    let seen = AtomicBool::new(false);
    let leaked: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    tester()
        .run(|sys| {
            let keepers = |node: &System| {
                [
                    node.spawn_named("one", Keeper::default()),
                    node.spawn_named("other", Keeper::default()),
                ]
            };
            let broadcaster = |to| Broadcaster {
                to,
                has_gone_on: false,
            };
            if on_nodes {
                let whole = sys.clone();
                sys.node("keepers", move |node| {
                    let to = keepers(node);
                    whole.node("n1", move |node| {
                        node.spawn(broadcaster(to.clone()));
                    });
                });
            } else {
                sys.spawn(broadcaster(keepers(&sys)));
            }
            sys.always("looks", move |w| {
                let gone_on = w.all::<Broadcaster>().any(|sender| sender.has_gone_on);
                let has = w.all::<Keeper>().any(|keeper| !keeper.notes.is_empty());
                if gone_on && has && w.in_flight() > 0 {
                    leaked.store(true, Ordering::Relaxed);
                }
                true
            });
        })
        .assert_clean();
    seen.fetch_or(leaked.load(Ordering::Relaxed), Ordering::Relaxed);
    seen.into_inner()
}

#[test]
fn a_part_of_a_broadcast_arrives_while_its_sender_has_gone_on() {
    assert!(sees_a_part(true));
    assert!(!sees_a_part(false), "within a node it can't");
}

/// Holds a reference, and asks by it on request.
#[derive(Default)]
struct Holder {
    keeper: Option<ActorRef<Keeper>>,
    outcome: Option<Result<Vec<u32>, AskError>>,
    ended: Option<StopReason>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Hold(ActorRef<Keeper>);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct AskNow;

#[actor]
impl Holder {
    #[on]
    fn hold(&mut self, hold: Hold, cx: &mut Context<Self>) {
        cx.watch(&hold.0);
        self.keeper = Some(hold.0);
    }

    #[on]
    async fn ask_now(&mut self, _: AskNow) {
        let keeper = self.keeper.clone().expect("it holds one");
        keeper.tell(Note(7));
        self.outcome = Some(keeper.ask(Seen).await);
    }

    #[on]
    fn terminated(&mut self, terminated: Terminated) {
        self.ended = Some(terminated.reason);
    }

    #[on]
    fn seen(&mut self, _: Seen) -> (Option<StopReasonText>, Option<Result<Vec<u32>, String>>) {
        (
            self.ended.map(|reason| format!("{reason:?}")),
            self.outcome
                .clone()
                .map(|answer| answer.map_err(|error| format!("{error:?}"))),
        )
    }
}

type StopReasonText = String;

/// Starts a keeper on `n1`, and a holder on `n2` with a reference to it.
async fn keeper_and_holder(sys: &System) -> (ActorRef<Keeper>, ActorRef<Holder>) {
    sys.node("n1", |node| {
        node.spawner()
            .name("keeper")
            .registered()
            .spawn(Keeper::default());
    });
    sys.node("n2", |node| {
        node.spawner()
            .name("holder")
            .registered()
            .spawn(Holder::default());
    });
    let keeper = sys
        .lookup::<Keeper>("n1/keeper")
        .await
        .expect("it has booted");
    let holder = sys
        .lookup::<Holder>("n2/holder")
        .await
        .expect("it has booted");
    holder.tell(Hold(keeper.clone()));
    (keeper, holder)
}

#[test]
fn a_reference_to_an_earlier_incarnation_leads_to_nobody() {
    tester()
        .run(|sys| async move {
            let (old, holder) = keeper_and_holder(&sys).await;
            sys.faults().restart("n1");
            let new = sys.lookup::<Keeper>("n1/keeper").await.expect("it is back");
            assert_ne!(new, old);
            assert_eq!(new.name(), "n1(2)/keeper");
            holder.tell(AskNow);
            let (_, outcome) = holder.ask(Seen).await.expect("it lives");
            assert_eq!(outcome, Some(Err("Disconnected".into())));
            assert_eq!(new.ask(Seen).await, Ok(vec![]));
            assert_eq!(old.ask(Seen).await, Err(AskError::Disconnected));
        })
        .assert_clean();
}

#[test]
fn a_watcher_on_another_node_hears_of_a_crash() {
    tester()
        .run(|sys| async move {
            let (_, holder) = keeper_and_holder(&sys).await;
            let _ = holder.ask(Seen).await;
            sys.faults().crash("n1");
            sys.eventually("it hears", |w| {
                w.all::<Holder>()
                    .all(|holder| holder.ended == Some(StopReason::Disconnected))
            });
        })
        .assert_clean();
}

/// Sends three notes on request.
#[derive(Default)]
struct Teller {
    to: Option<ActorRef<Keeper>>,
}

#[actor]
impl Teller {
    #[on]
    fn hold(&mut self, hold: Hold) {
        self.to = Some(hold.0);
    }

    #[on]
    fn go_on(&mut self, _: GoOn) {
        if let Some(to) = &self.to {
            to.tell(Note(1));
            to.tell(Note(2));
            to.tell(Last(3));
        }
    }
}

/// Returns the possible notes of a keeper on `n1`, after three notes from
/// `n2`, with one script before they are sent and another one afterwards.
fn notes_after(
    before: impl Fn(&Faults<'_>) + Send + Sync + 'static,
    after: impl Fn(&Faults<'_>) + Send + Sync + 'static,
) -> BTreeSet<Vec<u32>> {
    notes_by(Delivery::PerPair, before, after)
}

/// The same with this kind of delivery.
fn notes_by(
    delivery: Delivery,
    before: impl Fn(&Faults<'_>) + Send + Sync + 'static,
    after: impl Fn(&Faults<'_>) + Send + Sync + 'static,
) -> BTreeSet<Vec<u32>> {
    let journal = Journal::default();
    let (before, after) = (Arc::new(before), Arc::new(after));
    let body = |sys: System, journal: Journal| {
        let (before, after) = (before.clone(), after.clone());
        async move {
            sys.node("n1", move |node| {
                let keeper = Keeper::with(&journal);
                node.spawner().name("keeper").registered().spawn(keeper);
            });
            sys.node("n2", |node| {
                node.spawner()
                    .name("teller")
                    .registered()
                    .spawn(Teller::default());
            });
            let keeper = sys
                .lookup::<Keeper>("n1/keeper")
                .await
                .expect("it has booted");
            let teller = sys
                .lookup::<Teller>("n2/teller")
                .await
                .expect("it has booted");
            teller.tell(Hold(keeper));
            before(&sys.faults());
            teller.ask(GoOn).await.expect("it lives");
            after(&sys.faults());
        }
    };
    let report = tester()
        .delivery(delivery)
        .run(|sys| body(sys, journal.clone()));
    report.assert_clean();
    journal.lock().unwrap().clone()
}

fn seen<const N: usize>(notes: [&[u32]; N]) -> BTreeSet<Vec<u32>> {
    notes.into_iter().map(<[u32]>::to_vec).collect()
}

#[test]
fn what_is_sent_over_a_link_that_is_cut_is_lost() {
    let nothing = |_: &Faults<'_>| {};
    assert_eq!(notes_after(nothing, nothing), seen([&[1, 2, 3]]));
    let cut = |faults: &Faults<'_>| faults.partition(&["n1"], &["n2"]);
    assert_eq!(notes_after(cut, nothing), seen([&[]]));
    // Messages on the link are lost with it; delivered ones are not. The link may be cut between any two.
    let some = notes_after(nothing, |faults| faults.cut("n2", "n1"));
    assert_eq!(some, seen([&[], &[1], &[1, 2], &[1, 2, 3]]));
    // Messages that are sent meanwhile are lost.
    let heal = |faults: &Faults<'_>| faults.heal();
    assert_eq!(notes_after(cut, heal), seen([&[]]));
    let for_a_while = |faults: &Faults<'_>| {
        faults.partition(&["n1"], &["n2"]);
        faults.heal_between("n1", "n2");
    };
    assert_eq!(notes_after(for_a_while, nothing), seen([&[1, 2, 3]]));
    // The opposite direction is open.
    let back = |faults: &Faults<'_>| faults.cut("n1", "n2");
    assert_eq!(notes_after(back, nothing), seen([&[1, 2, 3]]));
}

#[test]
fn a_link_that_is_held_loses_nothing() {
    let hold = |faults: &Faults<'_>| faults.hold("n2", "n1");
    assert_eq!(notes_after(hold, |_| {}), seen([&[]]));
    let release = |faults: &Faults<'_>| faults.release("n2", "n1");
    assert_eq!(notes_after(hold, release), seen([&[1, 2, 3]]));
}

#[test]
fn what_goes_into_mailboxes_at_once_does_not_pass_a_cut_or_a_held_link() {
    let notes = |before: fn(&Faults<'_>), after: fn(&Faults<'_>)| {
        notes_by(Delivery::Mailbox, before, after)
    };
    assert_eq!(notes(|_| {}, |_| {}), seen([&[1, 2, 3]]));
    assert_eq!(notes(|faults| faults.cut("n2", "n1"), |_| {}), seen([&[]]));
    let hold = |faults: &Faults<'_>| faults.hold("n2", "n1");
    assert_eq!(notes(hold, |_| {}), seen([&[]]));
    let released = notes(hold, |faults| faults.release("n2", "n1"));
    assert_eq!(released, seen([&[1, 2, 3]]));
}

#[test]
fn the_next_event_of_a_type_is_lost_doubled_or_overtaken() {
    let drop_it = |faults: &Faults<'_>| faults.drop_next::<Last>("n2", "n1");
    assert_eq!(notes_after(drop_it, |_| {}), seen([&[1, 2]]));
    let double = |faults: &Faults<'_>| faults.duplicate_next::<Note>("n2", "n1");
    assert_eq!(notes_after(double, |_| {}), seen([&[1, 1, 2, 3]]));
    let late = |faults: &Faults<'_>| {
        faults.hold("n2", "n1");
        faults.delay_next::<Note>("n2", "n1");
    };
    let release = |faults: &Faults<'_>| faults.release("n2", "n1");
    let overtaken = notes_after(late, release);
    // The next message overtakes the delayed one, if it is already on the link.
    assert!(overtaken.contains(&vec![2, 1, 3]), "{overtaken:?}");
    assert!(
        overtaken.is_subset(&seen([&[2, 1, 3], &[1, 2, 3]])),
        "{overtaken:?}"
    );
}

#[test]
fn what_is_on_its_way_from_a_node_survives_its_crash() {
    let all = notes_after(|_| {}, |faults| faults.crash("n2"));
    assert_eq!(all, seen([&[1, 2, 3]]));
    let to = notes_after(|_| {}, |faults| faults.crash("n1"));
    assert_eq!(to, seen([&[], &[1], &[1, 2], &[1, 2, 3]]));
}

#[test]
fn a_script_acts_as_soon_as_its_predicate_is_true() {
    let journal = Journal::default();
    let kept = &journal;
    let report = tester().run(|sys| {
        let journal = kept.clone();
        let whole = sys.clone();
        sys.node("n1", move |node| {
            let keeper = Keeper::with(&journal);
            let to = node.spawn(keeper);
            whole.node("n2", move |node| {
                node.spawn(Sender {
                    to: to.clone(),
                    notes: 0..5,
                });
            });
        });
        sys.when(
            "it has two",
            |w| w.all::<Keeper>().any(|keeper| keeper.notes.len() == 2),
            |faults| faults.crash("n1"),
        );
    });
    report.assert_clean();
    assert_eq!(*journal.lock().unwrap(), seen([&[0, 1]]));
}

#[test]
fn a_broken_connection_is_heard_of_on_both_sides() {
    tester()
        .run(|sys| async move {
            let (keeper, holder) = keeper_and_holder(&sys).await;
            let _ = holder.ask(Seen).await;
            sys.faults().break_connection("n1", "n2");
            sys.eventually("it hears", |w| {
                w.all::<Holder>()
                    .all(|holder| holder.ended == Some(StopReason::Disconnected))
            });
            // The keeper is still alive, and a new reference reaches it.
            holder.tell(AskNow);
            sys.eventually("it is told", |w| {
                w.all::<Keeper>().all(|keeper| keeper.notes == [7])
            });
            assert!(keeper.is_alive());
        })
        .assert_clean();
}

#[derive(Debug)]
struct Homebound;

struct Home;

#[actor]
impl Home {
    #[on]
    fn homebound(&mut self, _: Homebound) {}
}

struct Traveller(ActorRef<Home>);

#[actor]
impl Traveller {
    #[start]
    fn start(&mut self) {
        self.0.tell(Homebound);
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Large(Vec<u8>);

struct Depot;

#[actor]
impl Depot {
    #[on]
    fn large(&mut self, _: Large) {}
}

struct Truck(ActorRef<Depot>);

#[actor]
impl Truck {
    #[start]
    fn start(&mut self) {
        self.0
            .tell(Large(vec![0; actor_core::codec::EVENT_BYTES_MAX]));
    }
}

#[test]
fn what_can_not_cross_is_a_bug_that_says_what_is_missing() {
    let report = tester().run(|sys| {
        let whole = sys.clone();
        sys.node("n1", move |node| {
            let home = node.spawn(Home);
            whole.node("n2", move |node| {
                node.spawn(Traveller(home.clone()));
            });
        });
    });
    let bug = only_bug(&report);
    assert_eq!(bug.kind(), BugKind::CannotCross);
    assert_eq!(
        bug.message(),
        "`n2/Traveller` sent `Homebound` to `n1/Home`, and it can't go to another node: \
         `all::nodes::Homebound` does not implement serde's Serialize, Deserialize: put \
         `#[derive(Serialize, Deserialize)]` on it"
    );
    let report = tester().iterations(1).run(|sys| {
        let whole = sys.clone();
        sys.node("n1", move |node| {
            let depot = node.spawn(Depot);
            whole.node("n2", move |node| {
                node.spawn(Truck(depot.clone()));
            });
        });
    });
    let bug = only_bug(&report);
    assert_eq!(bug.kind(), BugKind::CannotCross);
    assert!(
        bug.message().contains("more than the 16777216 allowed"),
        "{}",
        bug.message()
    );
}

#[test]
fn mistakes_with_nodes_are_named() {
    let bug = |program: &(dyn Fn(&System) + Sync)| {
        let report = tester().run(|sys| program(&sys));
        let bug = only_bug(&report);
        (bug.kind(), bug.message().to_owned())
    };
    let twice = |sys: &System| {
        sys.node("n1", |_| {});
        sys.node("n1", |_| {});
    };
    let (kind, message) = bug(&twice);
    assert_eq!(kind, BugKind::Node);
    assert_eq!(
        message,
        "there is a node `n1` already: each has a name of its own"
    );
    let (_, message) = bug(&|sys| {
        sys.node("a/b", |_| {});
    });
    assert_eq!(
        message,
        "`a/b` is no name of a node: give one without a slash"
    );
    let (_, message) = bug(&|sys| {
        sys.node("n1", |_| {});
        sys.faults().crash("n2");
    });
    assert_eq!(message, "there is no node `n2`, only `n1`");
    let (_, message) = bug(&|sys| {
        sys.faults().spare("n1");
        sys.node("n1", |_| {});
    });
    assert_eq!(
        message,
        "there is no node `n1` yet, nor any other: first make it, by `sys.node(\"n1\", ..)`"
    );
    let (_, message) = bug(&|sys| {
        sys.node("n1", |_| {});
        sys.faults().cut("n1", "n1");
    });
    assert_eq!(message, "there is no link from node `n1` to itself");
    let (kind, message) = bug(&|sys| {
        sys.node("n1", |_| panic!("no disk"));
    });
    assert_eq!(kind, BugKind::Panic);
    assert_eq!(message, "`n1/boot` panicked: no disk");
    let (_, message) = bug(&|sys| {
        let whole = sys.clone();
        sys.node("n1", move |_| whole.faults().restart("n1"));
    });
    assert_eq!(message, "node `n1` was started 1000 times");
}

#[test]
fn a_look_up_says_what_is_wrong_with_the_node() {
    tester()
        .run(|sys| async move {
            sys.node("n1", |node| {
                node.spawner()
                    .name("keeper")
                    .registered()
                    .spawn(Keeper::default());
            });
            // The look-up waits until the node has booted.
            let keeper = sys.lookup::<Keeper>("n1/keeper").await;
            assert_eq!(keeper.as_ref().map(ActorRef::name), Ok("n1/keeper".into()));
            let none = sys.lookup::<Keeper>("n1/other").await;
            assert_eq!(none, Err(LookupError::Unknown));
            let none = sys.lookup::<Keeper>("n2/keeper").await;
            let known = vec!["n1".into()];
            let node = "n2".into();
            assert_eq!(none, Err(LookupError::UnknownNode { node, known }));
            let other = sys.lookup::<Holder>("n1/keeper").await;
            assert!(matches!(other, Err(LookupError::OtherType(_))), "{other:?}");
            sys.faults().crash("n1");
            sys.sleep(std::time::Duration::from_secs(1)).await;
            let none = sys.lookup::<Keeper>("n1/keeper").await;
            assert_eq!(none, Err(LookupError::Unreachable));
        })
        .assert_clean();
}

/// Sends a reply handle to another node, in an event; the answer comes from there.
#[derive(Default)]
struct Front {
    back: Option<ActorRef<Back>>,
}
struct Back;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Behind(ActorRef<Back>);
#[derive(Debug, Serialize, Deserialize)]
struct Forward {
    number: u32,
    reply: Reply<u32>,
}
#[derive(Clone, Debug)]
struct Square(u32);

#[actor]
impl Front {
    #[on]
    fn behind(&mut self, behind: Behind) {
        self.back = Some(behind.0);
    }

    #[on]
    fn square(&mut self, square: Square, reply: Reply<u32>) {
        let number = square.0;
        if let Some(back) = &self.back {
            back.tell(Forward { number, reply });
        }
    }
}

#[actor]
impl Back {
    #[on]
    fn forward(&mut self, forward: Forward) {
        if forward.number > 0 {
            forward.reply.send(forward.number * forward.number);
        }
    }
}

#[test]
fn a_reply_travels_in_an_event() {
    tester()
        .run(|sys| async move {
            sys.node("n1", |node| {
                node.spawner()
                    .name("front")
                    .registered()
                    .spawn(Front::default());
            });
            sys.node("n2", |node| {
                node.spawner().name("back").registered().spawn(Back);
            });
            let front = sys
                .lookup::<Front>("n1/front")
                .await
                .expect("it has booted");
            let back = sys.lookup::<Back>("n2/back").await.expect("it has booted");
            front.tell(Behind(back));
            assert_eq!(front.ask(Square(7)).await, Ok(49));
            assert_eq!(front.ask(Square(0)).await, Err(AskError::Dropped));
        })
        .assert_clean();
}

#[test]
fn a_task_ends_with_its_node() {
    let journal = Journal::default();
    let kept = &journal;
    let report = tester().run(|sys| {
        let keeper = sys.spawn(Keeper::with(kept));
        sys.node("n1", move |_| {
            let keeper = keeper.clone();
            actor_core::task::spawn(async move {
                for note in 1..=5 {
                    keeper.tell(Note(note));
                    actor_core::task::yield_now().await;
                }
            });
        });
        sys.when(
            "it has one",
            |w| w.all::<Keeper>().any(|keeper| keeper.notes.len() == 1),
            |faults| faults.crash("n1"),
        );
    });
    report.assert_clean();
    let notes = journal.lock().unwrap();
    assert!(notes.contains(&vec![1]), "{notes:?}");
    let whole = [1, 2, 3, 4, 5];
    assert!(
        notes.iter().all(|notes| whole.starts_with(notes)),
        "{notes:?}"
    );
}

/// Asks the receiver to send a question to this recipient, on any node.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct AskThere(ReplyRecipient<Seen, Vec<u32>>);

struct Asker;

#[actor]
impl Asker {
    #[on]
    async fn ask_there(&mut self, there: AskThere) -> Option<Vec<u32>> {
        there.0.tell(Seen);
        there.0.ask(Seen).await.ok()
    }
}

#[test]
fn who_can_be_asked_can_be_asked_from_another_node() {
    tester()
        .run(|sys| async move {
            let (keeper, _) = keeper_and_holder(&sys).await;
            sys.node("n3", |node| {
                node.spawner().name("asker").registered().spawn(Asker);
            });
            let asker = sys
                .lookup::<Asker>("n3/asker")
                .await
                .expect("it has booted");
            keeper.tell(Note(3));
            let seen = asker.ask(AskThere(keeper.reply_recipient())).await;
            assert!(matches!(seen, Ok(Some(_))), "{seen:?}");
        })
        .assert_clean();
}
