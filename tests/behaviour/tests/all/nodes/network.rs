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
use actor_test::{BugKind, Tester};
use behaviour::harness::events::Go;
use behaviour::harness::{exhaust, in_production, only_bug, whole};
use serde::{Deserialize, Serialize};

use super::{boot, booted};

/// Returns the number of behaviours; steps that concern a single actor are not interleaved.
fn count(delivery: Delivery, program: impl Fn(System) + Sync) -> u64 {
    let tester = whole("dfs:local").delivery(delivery);
    exhaust(&tester, program).behaviours.seen
}

/// A tester that repeats every execution, and compares the two.
fn tester() -> Tester {
    Tester::new()
        .iterations(100)
        .check_every(1)
        .strategy(StrategySpec::Random)
}

/// Runs a scenario many times under test, and once in production.
fn on_both<F: Future<Output = ()> + 'static>(scenario: impl Fn(System) -> F + Sync) {
    clean(&scenario);
    in_production(scenario);
}

fn clean<F: Future<Output = ()> + 'static>(scenario: impl Fn(System) -> F + Sync) {
    tester().run(scenario).assert_clean();
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

/// Boots a node that makes an actor of this target, an actor of the node `to`. No name is looked up, so that
/// only the order of what is sent differs.
fn beside<A: Actor, B: Actor>(
    sys: &System,
    to: &str,
    target: impl Fn() -> A + Send + 'static,
    from: &'static [&'static str],
    sender: impl Fn(usize, ActorRef<A>) -> B + Clone + Send + 'static,
) {
    let whole = sys.clone();
    sys.node(to, move |node| {
        let target = node.spawn(target());
        for (number, name) in from.iter().enumerate() {
            let (target, sender) = (target.clone(), sender.clone());
            whole.node(name, move |node| {
                node.spawn(sender(number, target.clone()));
            });
        }
    });
}

/// Some nodes, each of which sends to a keeper on one more node.
fn fan_in(sys: &System, senders: usize, notes: u32) {
    static NAMES: [&str; 3] = ["a", "b", "c"];
    beside(
        sys,
        "keeper",
        Keeper::default,
        &NAMES[..senders],
        move |number, to| {
            let first = number as u32 * notes;
            let notes = first..first + notes;
            Sender { to, notes }
        },
    );
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
        let found = count(delivery, |sys| fan_in(&sys, senders, notes));
        assert_eq!(found, expected, "{delivery:?} of {senders} x {notes}");
    }
}

/// Continues after a broadcast.
struct Broadcaster {
    to: [ActorRef<Keeper>; 2],
    has_gone_on: bool,
}

#[actor]
impl Broadcaster {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for to in &self.to {
            to.tell(Note(1));
        }
        cx.me().tell(Go);
    }

    #[on]
    fn go_on(&mut self, _: Go) {
        self.has_gone_on = true;
    }
}

/// Returns true if the sender of a broadcast may continue while only a part of it has arrived.
fn sees_a_part(on_nodes: bool) -> bool {
    let keepers =
        |node: &System| ["one", "other"].map(|name| node.spawn_named(name, Keeper::default()));
    let broadcaster = |to| Broadcaster {
        to,
        has_gone_on: false,
    };
    let seen = Arc::new(AtomicBool::new(false));
    let report = tester().run(|sys| {
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
        let seen = seen.clone();
        sys.always("looks", move |w| {
            let gone_on = w.all::<Broadcaster>().any(|sender| sender.has_gone_on);
            let has = w.all::<Keeper>().any(|keeper| !keeper.notes.is_empty());
            if gone_on && has && w.in_flight() > 0 {
                seen.store(true, Ordering::Relaxed);
            }
            true
        });
    });
    report.assert_clean();
    seen.load(Ordering::Relaxed)
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

#[actor]
impl Holder {
    #[on]
    fn hold(&mut self, hold: Hold, cx: &mut Context<Self>) {
        cx.watch(&hold.0);
        self.keeper = Some(hold.0);
    }

    #[on]
    async fn ask_now(&mut self, _: Go) {
        let keeper = self.keeper.clone().expect("it holds one");
        keeper.tell(Note(7));
        self.outcome = Some(keeper.ask(Seen).await);
    }

    #[on]
    fn terminated(&mut self, terminated: Terminated) {
        self.ended = Some(terminated.reason);
    }

    #[on]
    fn seen(&mut self, _: Seen) -> Option<Result<Vec<u32>, String>> {
        let outcome = self.outcome.clone();
        outcome.map(|answer| answer.map_err(|error| format!("{error:?}")))
    }
}

/// Starts a keeper on `n1`, and a holder on `n2` with a reference to it.
async fn keeper_and_holder(sys: &System) -> (ActorRef<Keeper>, ActorRef<Holder>) {
    boot(sys, "n1", "keeper", Keeper::default);
    boot(sys, "n2", "holder", Holder::default);
    let keeper = booted(sys, "n1/keeper").await;
    let holder: ActorRef<Holder> = booted(sys, "n2/holder").await;
    holder.tell(Hold(keeper.clone()));
    (keeper, holder)
}

/// Every holder is notified that its keeper is disconnected.
fn hears_of_it(sys: &System) {
    sys.eventually("it hears", |w| {
        let mut holders = w.all::<Holder>();
        holders.all(|holder| holder.ended == Some(StopReason::Disconnected))
    });
}

#[test]
fn a_reference_to_an_earlier_incarnation_leads_to_nobody() {
    clean(async |sys| {
        let (old, holder) = keeper_and_holder(&sys).await;
        sys.faults().restart("n1");
        let new = sys.lookup::<Keeper>("n1/keeper").await.expect("it is back");
        assert_ne!(new, old);
        assert_eq!(new.name(), "n1(2)/keeper");
        holder.tell(Go);
        let outcome = holder.ask(Seen).await.expect("it lives");
        assert_eq!(outcome, Some(Err("Disconnected".into())));
        assert_eq!(new.ask(Seen).await, Ok(vec![]));
        assert_eq!(old.ask(Seen).await, Err(AskError::Disconnected));
    });
}

#[test]
fn a_node_is_restarted_under_its_name_with_new_actors() {
    on_both(async |sys| {
        boot(&sys, "n1", "keeper", Keeper::default);
        let old: ActorRef<Keeper> = booted(&sys, "n1/keeper").await;
        assert_eq!(old.name(), "n1/keeper");
        old.tell(Note(2));
        assert_eq!(old.ask(Seen).await, Ok(vec![2]));
        sys.faults().restart("n1");
        let new: ActorRef<Keeper> = booted(&sys, "n1/keeper").await;
        assert_ne!(new, old);
        assert_eq!(new.ask(Seen).await, Ok(vec![]));
        assert_eq!(old.ask(Seen).await, Err(AskError::Disconnected));
        sys.faults().crash("n1");
        assert_eq!(new.stopped().await, StopReason::Disconnected);
        let none = sys.lookup::<Keeper>("n1/keeper").await;
        assert_eq!(none, Err(LookupError::Unreachable));
        sys.faults().restart("n1");
        let newer: ActorRef<Keeper> = booted(&sys, "n1/keeper").await;
        assert_eq!(newer.ask(Seen).await, Ok(vec![]));
        sys.shutdown().await.expect("it shuts down");
        assert!(!newer.is_alive());
    });
}

#[test]
fn a_watcher_on_another_node_hears_of_a_crash() {
    clean(async |sys| {
        let (_, holder) = keeper_and_holder(&sys).await;
        let _ = holder.ask(Seen).await;
        sys.faults().crash("n1");
        hears_of_it(&sys);
    });
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
    fn go_on(&mut self, _: Go) {
        if let Some(to) = &self.to {
            to.tell(Note(1));
            to.tell(Note(2));
            to.tell(Last(3));
        }
    }
}

/// Returns the possible notes of a keeper on `n1`, after three notes from
/// `n2`, with one script before they are sent and another one afterwards.
fn notes_after(before: Script, after: Script) -> BTreeSet<Vec<u32>> {
    notes_by(Delivery::PerPair, before, after)
}

type Script = fn(&Faults<'_>);

/// The same with this kind of delivery.
fn notes_by(delivery: Delivery, before: Script, after: Script) -> BTreeSet<Vec<u32>> {
    let journal = Journal::default();
    let report = tester().delivery(delivery).run(|sys| {
        let journal = journal.clone();
        async move {
            boot(&sys, "n1", "keeper", move || Keeper::with(&journal));
            boot(&sys, "n2", "teller", Teller::default);
            let keeper = booted(&sys, "n1/keeper").await;
            let teller: ActorRef<Teller> = booted(&sys, "n2/teller").await;
            teller.tell(Hold(keeper));
            before(&sys.faults());
            teller.ask(Go).await.expect("it lives");
            after(&sys.faults());
        }
    });
    report.assert_clean();
    journal.lock().unwrap().clone()
}

/// Each number of the three notes, in order.
const PREFIXES: &[&[u32]] = &[&[], &[1], &[1, 2], &[1, 2, 3]];

fn seen(notes: &[&[u32]]) -> BTreeSet<Vec<u32>> {
    notes.iter().map(|notes| notes.to_vec()).collect()
}

#[test]
fn what_is_sent_over_a_link_that_is_cut_is_lost() {
    let nothing: Script = |_| {};
    let cut: Script = |faults| faults.partition(&["n1"], &["n2"]);
    let for_a_while: Script = |faults| {
        faults.partition(&["n1"], &["n2"]);
        faults.heal_between("n1", "n2");
    };
    let rows: [(_, _, Script, &[&[u32]]); 6] = [
        ("no cut", nothing, nothing, &[&[1, 2, 3]]),
        ("a cut before", cut, nothing, &[&[]]),
        // Messages on the link are lost with it; delivered ones are not. Any two may be apart.
        (
            "a cut meanwhile",
            nothing,
            |faults| faults.cut("n2", "n1"),
            PREFIXES,
        ),
        (
            "a cut that is healed afterwards",
            cut,
            |faults| faults.heal(),
            &[&[]],
        ),
        (
            "a cut that is healed before",
            for_a_while,
            nothing,
            &[&[1, 2, 3]],
        ),
        (
            "the opposite direction",
            |faults| faults.cut("n1", "n2"),
            nothing,
            &[&[1, 2, 3]],
        ),
    ];
    for (name, before, after, expected) in rows {
        assert_eq!(notes_after(before, after), seen(expected), "{name}");
    }
}

const HOLD: Script = |faults| faults.hold("n2", "n1");
const RELEASE: Script = |faults| faults.release("n2", "n1");

#[test]
fn a_link_that_is_held_loses_nothing() {
    assert_eq!(notes_after(HOLD, |_| {}), seen(&[&[]]));
    assert_eq!(notes_after(HOLD, RELEASE), seen(&[&[1, 2, 3]]));
}

#[test]
fn what_goes_into_mailboxes_at_once_does_not_pass_a_cut_or_a_held_link() {
    let notes = |before, after| notes_by(Delivery::Mailbox, before, after);
    assert_eq!(notes(|_| {}, |_| {}), seen(&[&[1, 2, 3]]));
    assert_eq!(notes(|faults| faults.cut("n2", "n1"), |_| {}), seen(&[&[]]));
    assert_eq!(notes(HOLD, |_| {}), seen(&[&[]]));
    assert_eq!(notes(HOLD, RELEASE), seen(&[&[1, 2, 3]]));
}

#[test]
fn the_next_event_of_a_type_is_lost_doubled_or_overtaken() {
    let drop_it: Script = |faults| faults.drop_next::<Last>("n2", "n1");
    assert_eq!(notes_after(drop_it, |_| {}), seen(&[&[1, 2]]));
    let double: Script = |faults| faults.duplicate_next::<Note>("n2", "n1");
    assert_eq!(notes_after(double, |_| {}), seen(&[&[1, 1, 2, 3]]));
    let late: Script = |faults| {
        faults.hold("n2", "n1");
        faults.delay_next::<Note>("n2", "n1");
    };
    let overtaken = notes_after(late, RELEASE);
    // The next message overtakes the delayed one, if it is already on the link.
    assert!(overtaken.contains(&vec![2, 1, 3]), "{overtaken:?}");
    let either = seen(&[&[2, 1, 3], &[1, 2, 3]]);
    assert!(overtaken.is_subset(&either), "{overtaken:?}");
}

#[test]
fn what_is_on_its_way_from_a_node_survives_its_crash() {
    let all = notes_after(|_| {}, |faults| faults.crash("n2"));
    assert_eq!(all, seen(&[&[1, 2, 3]]));
    let to = notes_after(|_| {}, |faults| faults.crash("n1"));
    assert_eq!(to, seen(PREFIXES));
}

#[test]
fn a_script_acts_as_soon_as_its_predicate_is_true() {
    let journal = Journal::default();
    let kept = &journal;
    let report = tester().run(|sys| {
        let journal = kept.clone();
        let keeper = move || Keeper::with(&journal);
        beside(&sys, "n1", keeper, &["n2"], |_, to| Sender {
            to,
            notes: 0..5,
        });
        sys.when(
            "it has two",
            |w| w.all::<Keeper>().any(|keeper| keeper.notes.len() == 2),
            |faults| faults.crash("n1"),
        );
    });
    report.assert_clean();
    assert_eq!(*journal.lock().unwrap(), seen(&[&[0, 1]]));
}

#[test]
fn a_broken_connection_is_heard_of_on_both_sides() {
    clean(async |sys| {
        let (keeper, holder) = keeper_and_holder(&sys).await;
        let _ = holder.ask(Seen).await;
        sys.faults().break_connection("n1", "n2");
        hears_of_it(&sys);
        // The keeper is still alive, and a new reference reaches it.
        holder.tell(Go);
        sys.eventually("it is told", |w| {
            w.all::<Keeper>().all(|keeper| keeper.notes == [7])
        });
        assert!(keeper.is_alive());
    });
}

#[derive(Debug)]
struct Homebound;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Large(Vec<u8>);

struct Home;

#[actor]
impl Home {
    #[on]
    fn homebound(&mut self, _: Homebound) {}

    #[on]
    fn large(&mut self, _: Large) {}
}

struct Traveller(ActorRef<Home>, fn(&ActorRef<Home>));

#[actor]
impl Traveller {
    #[start]
    fn start(&mut self) {
        (self.1)(&self.0);
    }
}

#[test]
fn what_can_not_cross_is_a_bug_that_says_what_is_missing() {
    let bug = |executions, send: fn(&ActorRef<Home>)| {
        let report = tester().iterations(executions).run(move |sys| {
            beside(
                &sys,
                "n1",
                || Home,
                &["n2"],
                move |_, home| Traveller(home, send),
            );
        });
        let bug = only_bug(&report);
        assert_eq!(bug.kind(), BugKind::CannotCross);
        bug.message().to_owned()
    };
    assert_eq!(
        bug(100, |home| home.tell(Homebound)),
        "`n2/Traveller` sent `Homebound` to `n1/Home`, and it can't go to another node: \
         `all::nodes::network::Homebound` does not implement serde's Serialize, Deserialize: put \
         `#[derive(Serialize, Deserialize)]` on it"
    );
    let large = bug(1, |home| {
        home.tell(Large(vec![0; actor_core::codec::EVENT_BYTES_MAX]))
    });
    assert!(large.contains("more than the 16777216 allowed"), "{large}");
}

#[test]
fn mistakes_with_nodes_are_named() {
    type Mistake = (&'static str, fn(System));
    let mistakes: [Mistake; 5] = [
        (
            "there is a node `n1` already: each has a name of its own",
            |sys| {
                sys.node("n1", |_| {});
                sys.node("n1", |_| {});
            },
        ),
        (
            "`a/b` is no name of a node: give one without a slash",
            |sys| {
                sys.node("a/b", |_| {});
            },
        ),
        ("there is no node `n2`, only `n1`", |sys| {
            sys.node("n1", |_| {});
            sys.faults().crash("n2");
        }),
        (
            "there is no node `n1` yet, nor any other: first make it, by `sys.node(\"n1\", ..)`",
            |sys| {
                sys.faults().spare("n1");
                sys.node("n1", |_| {});
            },
        ),
        ("there is no link from node `n1` to itself", |sys| {
            sys.node("n1", |_| {});
            sys.faults().cut("n1", "n1");
        }),
    ];
    for (message, program) in mistakes {
        assert_bug(BugKind::Node, message, program);
    }
    assert_bug(BugKind::Panic, "`n1/boot` panicked: no disk", |sys| {
        sys.node("n1", |_| panic!("no disk"));
    });
    let endless = "node `n1` was started 1000 times";
    assert_bug(BugKind::EndlessChain, endless, |sys| {
        let whole = sys.clone();
        sys.node("n1", move |_| whole.faults().restart("n1"));
    });
}

/// Asserts the only bug of a program.
#[track_caller]
fn assert_bug(kind: BugKind, message: &str, program: fn(System)) {
    let report = tester().run(program);
    let bug = only_bug(&report);
    assert_eq!((bug.kind(), bug.message()), (kind, message));
}

#[test]
fn a_look_up_says_what_is_wrong_with_the_node() {
    on_both(async |sys| {
        boot(&sys, "n1", "keeper", Keeper::default);
        boot(&sys, "n3", "keeper", Keeper::default);
        // The look-up waits until the node has booted.
        let keeper = sys.lookup::<Keeper>("n1/keeper").await;
        assert_eq!(keeper.as_ref().map(ActorRef::name), Ok("n1/keeper".into()));
        let other = sys.lookup::<Keeper>("n3/keeper").await;
        assert_ne!(keeper, other);
        for unknown in ["n1/other", "keeper"] {
            let none = sys.lookup::<Keeper>(unknown).await;
            assert_eq!(none, Err(LookupError::Unknown));
        }
        let none = sys.lookup::<Keeper>("n2/keeper").await;
        let known = vec!["n1".into(), "n3".into()];
        let node = "n2".into();
        assert_eq!(none, Err(LookupError::UnknownNode { node, known }));
        let other = sys.lookup::<Holder>("n1/keeper").await;
        assert!(matches!(other, Err(LookupError::OtherType(_))), "{other:?}");
        sys.faults().crash("n1");
        sys.sleep(std::time::Duration::from_secs(1)).await;
        let none = sys.lookup::<Keeper>("n1/keeper").await;
        assert_eq!(none, Err(LookupError::Unreachable));
    });
}

/// Sends a reply handle to another node, in an event; the answer comes from there.
struct Front;
struct Back;

#[derive(Debug, Serialize, Deserialize)]
struct Forward {
    number: u32,
    reply: Reply<u32>,
}
#[derive(Clone, Debug)]
struct Square(ActorRef<Back>, u32);

#[actor]
impl Front {
    #[on]
    fn square(&mut self, Square(back, number): Square, reply: Reply<u32>) {
        back.tell(Forward { number, reply });
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
    clean(async |sys| {
        boot(&sys, "n1", "front", || Front);
        boot(&sys, "n2", "back", || Back);
        let front: ActorRef<Front> = booted(&sys, "n1/front").await;
        let back: ActorRef<Back> = booted(&sys, "n2/back").await;
        assert_eq!(front.ask(Square(back.clone(), 7)).await, Ok(49));
        assert_eq!(front.ask(Square(back, 0)).await, Err(AskError::Dropped));
    });
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
    let is_part = |notes: &Vec<u32>| whole.starts_with(notes);
    assert!(notes.iter().all(is_part), "{notes:?}");
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
    clean(async |sys| {
        let (keeper, _) = keeper_and_holder(&sys).await;
        boot(&sys, "n3", "asker", || Asker);
        let asker: ActorRef<Asker> = booted(&sys, "n3/asker").await;
        keeper.tell(Note(3));
        let seen = asker.ask(AskThere(keeper.reply_recipient())).await;
        assert!(matches!(seen, Ok(Some(_))), "{seen:?}");
    });
}
