//! References by name: whoever has the name when a message arrives gets it, after a restart too.

use std::time::Duration;

use actor_core::mailbox::{Mailbox, SendError};
use actor_core::monitor;
use actor_core::prelude::*;
use actor_core::services::Pool;
use actor_test::story::{Effect, MessageFate};
use actor_test::{BugKind, Report, Tester};
use behaviour::harness::events::Halt;
use behaviour::harness::{
    Journal, all, contract, in_production, journals, only_bug, outcomes, reported, strategy, whole,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Seen;

#[derive(Debug, Default)]
struct Keeper(Vec<u32>);

#[actor(remote)]
impl Keeper {
    #[on]
    fn note(&mut self, note: Note) {
        self.0.push(note.0);
    }

    #[on]
    fn seen(&mut self, _: Seen) -> Vec<u32> {
        self.0.clone()
    }
}

fn keeper_on(node: &System) {
    node.spawner()
        .name("keeper")
        .registered()
        .spawn(Keeper::default());
}

/// A tester that repeats every execution, and compares the two.
fn tester() -> Tester {
    Tester::new()
        .iterations(100)
        .check_every(1)
        .strategy(strategy("random"))
}

/// Sends to a keeper on another node, from its own node.
struct Writer {
    name: &'static str,
    notes: Vec<u32>,
}

#[actor]
impl Writer {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let keeper = cx.at::<Keeper>(self.name);
        for note in &self.notes {
            keeper.tell(Note(*note));
        }
    }
}

fn writer_on(sys: &System, node: &str, notes: &[u32]) {
    let notes = notes.to_vec();
    sys.node(node, move |node| {
        let (name, notes) = ("n1/keeper", notes.clone());
        node.spawn(Writer { name, notes });
    });
}

/// The node of the keeper may boot after all notes were sent, in any schedule.
#[test]
fn what_is_sent_while_the_node_boots_arrives_in_its_order() {
    let two = all(|sys| {
        writer_on(&sys, "n2", &[0, 1]);
        sys.node("n1", keeper_on);
        sys.eventually("both are there, in order", |w| {
            w.all::<Keeper>().any(|keeper| keeper.0 == [0, 1])
        });
    });
    assert_eq!(two.dead_letters, 0);
    let from_outside = all(|sys| async move {
        sys.node("n1", keeper_on);
        let keeper = sys.at::<Keeper>("n1/keeper");
        for note in [0, 1, 2] {
            keeper.tell(Note(note));
        }
        assert_eq!(keeper.ask(Seen).await, Ok(vec![0, 1, 2]));
    });
    assert_eq!(from_outside.dead_letters, 0);
}

/// Notes what it gets.
struct Clerk(Journal);

#[actor(remote)]
impl Clerk {
    #[on]
    fn note(&mut self, note: Note) {
        self.0.note(note.0.to_string());
    }
}

/// Sends its notes to the clerk on another node, by name or by a reference.
struct Sender {
    clerk: Option<ActorRef<Clerk>>,
    notes: &'static [u32],
}

#[actor]
impl Sender {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let clerk = self.clerk.clone();
        let clerk = clerk.unwrap_or_else(|| cx.at("n1/clerk"));
        for note in self.notes {
            clerk.tell(Note(*note));
        }
    }
}

/// Of two links each order is possible, and nothing else, as with references to the actor.
#[test]
fn the_orders_are_those_of_references_to_the_actor() {
    let senders = |sys: &System, clerk: Option<ActorRef<Clerk>>| {
        for (node, notes) in [("n2", &[1, 2][..]), ("n3", &[3])] {
            let clerk = clerk.clone();
            sys.node(node, move |node| {
                let clerk = clerk.clone();
                node.spawn(Sender { clerk, notes });
            });
        }
    };
    let orders = |by_name: bool| {
        let seen = journals(&whole("states"), move |sys, journal| {
            let (journal, whole) = (journal.clone(), sys.clone());
            sys.node("n1", move |node| {
                let clerk = node.spawner().name("clerk").registered();
                let clerk = clerk.spawn(Clerk(journal.clone()));
                if !by_name {
                    senders(&whole, Some(clerk));
                }
            });
            if by_name {
                senders(sys, None);
            }
        });
        let whole = seen.into_keys().filter(|notes| notes.len() == 3);
        whole.map(|notes| notes.concat()).collect::<Vec<_>>()
    };
    assert_eq!(orders(true), ["123", "132", "312"]);
    assert_eq!(orders(false), ["123", "132", "312"]);
}

// ANCHOR: restart
async fn holder_after_a_restart(sys: System) {
    sys.node("n1", keeper_on);
    let keeper = sys.at::<Keeper>("n1/keeper");
    for note in 1..=4 {
        keeper.tell(Note(note));
    }
    assert_eq!(keeper.ask(Seen).await, Ok(vec![1, 2, 3, 4]));
    sys.faults().restart("n1");
    assert_eq!(keeper.ask(Seen).await, Ok(vec![]));
    sys.faults().crash("n1");
    assert_eq!(keeper.ask(Seen).await, Err(AskError::Disconnected));
}

#[test]
fn whoever_has_the_name_after_a_restart_gets_the_message() {
    tester().run(holder_after_a_restart).assert_clean();
    in_production(holder_after_a_restart);
}
// ANCHOR_END: restart

#[test]
fn a_name_leads_to_who_has_it_at_each_message() {
    contract(&["[7] [8] Err(Stopped)"], async |sys| {
        let first = sys.spawn(Keeper(vec![7]));
        sys.register("keeper", &first);
        let keeper = sys.at::<Keeper>("keeper");
        let mut said = Vec::new();
        said.push(format!("{:?}", keeper.ask(Seen).await.expect("the first")));
        first.stop().await;
        sys.register("keeper", &sys.spawn(Keeper(vec![8])));
        said.push(format!("{:?}", keeper.ask(Seen).await.expect("the second")));
        sys.unregister("keeper");
        said.push(format!("{:?}", keeper.ask(Seen).await));
        said.join(" ")
    });
}

#[test]
fn what_nobody_gets_is_a_dead_letter() {
    let report = tester().run(|sys| async move {
        let keeper = sys.at::<Keeper>("keeper");
        keeper.tell(Note(1));
        assert_eq!(keeper.ask(Seen).await, Err(AskError::Stopped));
        assert!(!keeper.is_alive());
        sys.spawn(Keeper::default()).tell(Note(1));
    });
    report.assert_clean();
    assert_eq!(report.dead_letters, 200);
}

#[test]
fn a_dead_letter_has_the_reason_in_production() {
    let lost = Journal::default();
    in_production(|sys| {
        let (noted, live) = (lost.clone(), sys.as_live().expect("a system in production"));
        live.on_dead_letter(move |letter| {
            noted.note(format!(
                "{} {:?}: {}",
                letter.name, letter.event, letter.reason
            ));
        });
        async move {
            sys.node("n1", keeper_on);
            let nobody = sys.at::<Keeper>("n1/nobody");
            nobody.tell(Note(1));
            assert_eq!(nobody.ask(Seen).await, Err(AskError::Stopped));
            sys.faults().crash("n1");
            let keeper = sys.at::<Keeper>("n1/keeper");
            assert_eq!(keeper.ask(Seen).await, Err(AskError::Disconnected));
            let lost = sys.as_live().map(|live| live.dead_letters());
            assert_eq!(lost, Some(3));
        }
    });
    lost.expect([
        "n1/nobody Note(1): no actor has the name",
        "n1/nobody Seen: no actor has the name",
        "n1/keeper Seen: the node is down",
    ]);
}

/// Watches names, notes the ends, and halts after the last one.
struct Observer {
    names: Vec<ActorRef<Keeper>>,
    ends: usize,
    journal: Journal,
}

#[actor]
impl Observer {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for name in &self.names {
            cx.watch(name);
        }
    }

    #[on]
    fn terminated(&mut self, end: Terminated, cx: &mut Context<Self>) {
        let which = self.names.iter().position(|name| name.id() == end.actor);
        self.journal.note(format!("{which:?} {:?}", end.reason));
        self.ends += 1;
        if self.ends == self.names.len() {
            cx.halt();
        }
    }

    #[on]
    fn unwatch(&mut self, _: Halt, cx: &mut Context<Self>) {
        for name in &self.names {
            cx.unwatch(name);
        }
    }
}

#[test]
fn a_watch_has_the_name_and_the_reason() {
    let ends = [
        "Some(0) Stopped, Some(1) Unregistered, Some(2) Disconnected",
        "Some(1) Unregistered, Some(0) Stopped, Some(2) Disconnected",
        "Some(1) Unregistered, Some(2) Disconnected, Some(0) Stopped",
    ];
    let program = async |sys: System| {
        let journal = Journal::default();
        keeper_on(&sys);
        sys.node("n1", keeper_on);
        assert_eq!(sys.at::<Keeper>("n1/keeper").ask(Seen).await, Ok(vec![]));
        let names = ["keeper", "nobody", "n1/keeper"].map(|name| sys.at(name));
        let observer = sys.spawn(Observer {
            names: names.to_vec(),
            ends: 0,
            journal: journal.clone(),
        });
        observer.started().await.expect("it watches");
        sys.faults().crash("n1");
        names[0].stop().await;
        observer.stopped().await;
        journal.take().join(", ")
    };
    let report = tester().run(move |sys| {
        let ended = program(sys);
        async move {
            let ended = ended.await;
            assert!(ends.contains(&&*ended), "{ended}");
        }
    });
    report.assert_clean();
    let ended = in_production(program);
    assert!(ends.contains(&&*ended), "{ended}");
}

#[test]
fn a_watch_of_a_name_can_be_ended() {
    contract(&[""], async |sys| {
        let journal = Journal::default();
        keeper_on(&sys);
        let names = vec![sys.at("keeper")];
        let (observer, keeper) = (journal.clone(), names[0].clone());
        let observer = sys.spawn(Observer {
            names,
            ends: 0,
            journal: observer,
        });
        observer.ask(Halt).await.expect("it watches no more");
        keeper.stop().await;
        journal.take().join(", ")
    });
}

#[test]
fn an_order_to_stop_is_for_the_holder() {
    contract(&["Stopped Aborted Unregistered"], async |sys| {
        keeper_on(&sys);
        let keeper = sys.at::<Keeper>("keeper");
        assert_eq!(keeper.started().await, Ok(()));
        assert!(keeper.is_alive());
        let stopped = keeper.stop().await;
        keeper_on(&sys);
        let killed = keeper.kill().await;
        let nobody = keeper.stopped().await;
        format!("{stopped:?} {killed:?} {nobody:?}")
    });
}

/// Never ends by itself.
struct Stubborn;

#[actor]
impl Stubborn {
    #[stop]
    async fn stop(&mut self, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(3600)).await;
    }
}

#[test]
fn an_order_to_stop_has_its_limit() {
    contract(&["Aborted"], async |sys| {
        sys.register("stubborn", &sys.spawn(Stubborn));
        let stubborn = sys.at::<Stubborn>("stubborn");
        let reason = stubborn.stop().within(Duration::from_secs(1)).await;
        format!("{reason:?}")
    });
}

#[test]
fn a_send_by_name_waits_for_capacity() {
    contract(&["1 2 3 Closed(4)"], async |sys| {
        let journal = Journal::default();
        let spawner = sys.spawner().mailbox(Mailbox::bounded(1));
        let first = spawner.spawn(Clerk(journal.clone()));
        sys.register("clerk", &first);
        let clerk = sys.at::<Clerk>("clerk");
        for note in 1..=3 {
            clerk.send(Note(note)).await.expect("it is there");
        }
        first.stop().await;
        let closed = match clerk.send(Note(4)).await {
            Err(SendError::Closed(Note(note))) => format!("Closed({note})"),
            other => format!("{other:?}"),
        };
        format!("{} {closed}", journal.take().join(" "))
    });
}

#[test]
fn the_story_tells_of_it() {
    let report = Tester::new().iterations(1).run(|sys| async move {
        let keeper = sys.at::<Keeper>("keeper");
        keeper.ask(Seen).await.expect("nobody has the name");
    });
    let story = &only_bug(&report).trace.story;
    let effects = story.steps.iter().flat_map(|step| &step.effects);
    let lost = effects.filter_map(|effect| match effect {
        Effect::Sent {
            message,
            arrival: MessageFate::Unclaimed,
            ..
        } => story.message(*message).map(|sent| sent.event.clone()),
        _ => None,
    });
    assert_eq!(lost.collect::<Vec<_>>(), ["Seen"]);
}

struct Counter;

#[actor]
impl Counter {
    #[on]
    fn note(&mut self, _: Note) {}
}

#[test]
fn an_actor_of_another_type_is_a_bug() {
    let other = tester().run(|sys| {
        sys.node("n1", keeper_on);
        sys.at::<Counter>("n1/keeper").tell(Note(1));
    });
    let bug = only_bug(&other);
    assert_eq!(bug.kind(), BugKind::UnreceivedError);
    assert!(bug.message().contains("another type"), "{}", bug.message());
    let said = reported(|sys| async move {
        sys.node("n1", keeper_on);
        sys.at::<Counter>("n1/keeper").tell(Note(1));
    });
    assert!(said[0].contains("another type"), "{said:?}");
}

#[test]
fn two_of_one_name_are_equal() {
    contract(&["true true false false n1/keeper"], async |sys| {
        let journal = Journal::default();
        let noted = journal.clone();
        sys.node("n1", move |node| {
            keeper_on(node);
            let own = node.at::<Keeper>("keeper");
            noted.note(format!("{}", own == node.at("n1/keeper")));
        });
        let keeper = sys.at::<Keeper>("n1/keeper");
        let direct = sys.lookup::<Keeper>("n1/keeper").await.expect("it is up");
        let equal = [
            keeper == sys.at("n1/keeper"),
            keeper == direct,
            keeper == sys.at("keeper"),
        ];
        let [same, is_direct, elsewhere] = equal;
        assert_eq!(keeper.ask(Seen).await, Ok(vec![]));
        let own = journal.take().join("");
        format!("{own} {same} {is_direct} {elsewhere} {keeper:?}")
    });
}

/// Sends one note to the recipient that it was given.
#[derive(Debug)]
struct Teller;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Given(ActorRef<Keeper>);
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ByPool(ActorRef<Pool<Keeper>>);

#[actor(remote)]
impl Teller {
    #[on]
    fn given(&mut self, keeper: Given) {
        keeper.0.tell(Note(1));
    }

    #[on]
    fn by_pool(&mut self, keeper: ByPool) {
        keeper.0.tell(Note(1));
    }
}

/// Each note is observed once when it is sent, and once later when it is handled.
#[derive(Debug, Default)]
struct Once {
    /// The sender's name, which the tester knows.
    teller: Option<&'static str>,
    sent: u32,
    handled: u32,
}

#[monitor(hot(Waiting), cold(Quiet))]
impl Once {
    #[on]
    fn note(&mut self, _: &Note, cx: &mut MonitorContext<Self>) {
        self.sent += 1;
        assert_eq!(self.sent, 1);
        if let Some(teller) = self.teller {
            assert_eq!(cx.sender().expect("a teller").to_string(), teller);
        }
        cx.goto(OnceState::Waiting);
    }

    #[on(handled)]
    fn noted(&mut self, _: &Note, cx: &mut MonitorContext<Self>) {
        self.handled += 1;
        assert_eq!((self.sent, self.handled), (1, 1));
        if self.teller.is_some() {
            let target = cx.target().expect("an actor").to_string();
            assert!(target.contains("eeper"), "{target}");
        }
        cx.goto(OnceState::Quiet);
    }
}

/// The reference travels to another node, and an event that is sent by it comes back; in production, the
/// event is sent from outside.
fn sent_across(message: fn(&System) -> Message) {
    let report = tester().run(move |sys| async move {
        let teller = Some("n2/teller");
        sys.monitor_with(Once {
            teller,
            ..Once::default()
        });
        sys.node("n2", |node| {
            node.spawner().name("teller").registered().spawn(Teller);
        });
        let teller = sys.at::<Teller>("n2/teller");
        match message(&sys) {
            Message::ByName(keeper) => teller.tell(Given(keeper)),
            Message::ByPool(keeper) => teller.tell(ByPool(keeper)),
        }
    });
    report.assert_clean();

    let violated = reported(|sys| async move {
        sys.monitor::<Once>();
        let seen = match message(&sys) {
            Message::ByName(keeper) => {
                keeper.tell(Note(1));
                keeper.ask(Seen).await
            }
            Message::ByPool(keeper) => {
                keeper.tell(Note(1));
                keeper.ask(Seen).await
            }
        };
        assert_eq!(seen, Ok(vec![1]));
        sys.shutdown().await.expect("in time");
    });
    assert_eq!(violated, [""; 0]);
}

enum Message {
    ByName(ActorRef<Keeper>),
    ByPool(ActorRef<Pool<Keeper>>),
}

#[test]
fn monitors_see_each_message_once() {
    sent_across(|sys| {
        keeper_on(sys);
        Message::ByName(sys.at("keeper"))
    });
    sent_across(|sys| Message::ByPool(sys.spawn(Pool::round_robin(1, |_| Keeper::default()))));
    sent_across(|sys| Message::ByPool(sys.spawn(Pool::least_busy(1, |_| Keeper::default()))));
}

/// A crash of the node while it boots loses what has waited, as a crash afterwards does.
#[test]
fn a_crash_of_a_node_that_boots_loses_what_waits() {
    let (_, seen) = outcomes(&whole("dfs"), |sys| async move {
        sys.node("n1", keeper_on);
        let keeper = sys.at::<Keeper>("n1/keeper");
        let asked = keeper.ask(Seen);
        sys.faults().crash("n1");
        asked.await == Err(AskError::Disconnected)
    });
    assert_eq!(seen, [false, true]);
}

/// Returns how the watch of a name on a node ends in each schedule, where the watcher has nothing else to do.
fn ends_of_a_watch(during_the_boot: impl Fn(&System) + Sync) -> Vec<String> {
    let (_, seen) = outcomes(&whole("dfs"), |sys| {
        let journal = Journal::default();
        sys.node("n1", |_| {});
        let observer = sys.spawn(Observer {
            names: vec![sys.at("n1/keeper")],
            ends: 0,
            journal: journal.clone(),
        });
        during_the_boot(&sys);
        async move {
            observer.stopped().await;
            journal.take().join(", ")
        }
    });
    seen
}

/// A watch that has waited for the boot of its node is told that the node has crashed, or that nobody has the name.
#[test]
fn a_watch_that_waits_for_a_boot_ends_with_it() {
    assert_eq!(ends_of_a_watch(|_| ()), ["Some(0) Unregistered"]);
    let crashed = ends_of_a_watch(|sys| sys.faults().crash("n1"));
    assert_eq!(crashed, ["Some(0) Disconnected", "Some(0) Unregistered"]);
}

#[test]
fn a_lookup_on_another_node_is_answered_over_the_link() {
    let report: Report = tester().run(|sys| async move {
        sys.node("n1", keeper_on);
        sys.node("n2", |node| {
            node.spawn(Finder);
        });
        sys.eventually("it has found the keeper", |w| {
            w.all::<Keeper>().any(|keeper| keeper.0 == [5])
        });
    });
    report.assert_clean();
}

/// Looks up the keeper on another node, and sends it a note.
struct Finder;

#[actor]
impl Finder {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let keeper = cx.lookup::<Keeper>("n1/keeper").await.expect("it is up");
        keeper.tell(Note(5));
    }
}
