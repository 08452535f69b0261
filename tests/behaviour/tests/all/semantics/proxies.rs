//! Proxies: the holder of a name is found again after a restart, and no event is lost silently.

use actor_core::monitor;
use actor_core::prelude::*;
use actor_core::services::{Pool, Proxy, ProxyRef};
use actor_test::story::{Effect, MessageFate};
use actor_test::{BugKind, Report, Tester};
use behaviour::harness::events::Halt;
use behaviour::harness::{Journal, in_production, only_bug, reported, strategy};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Seen;

#[derive(Debug, Default)]
struct Keeper(Vec<u32>);

#[actor]
impl Keeper {
    #[on]
    fn note(&mut self, note: Note) {
        self.0.push(note.0);
    }

    #[on]
    fn seen(&mut self, _: Seen) -> Vec<u32> {
        self.0.clone()
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
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

/// Sends to the keeper on another node, from its own node.
struct Writer {
    name: &'static str,
    notes: u32,
}

#[actor]
impl Writer {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let keeper = cx.spawn(Proxy::<Keeper>::new(self.name));
        for note in 0..self.notes {
            keeper.tell(Note(note));
        }
    }
}

#[test]
fn what_is_sent_while_it_looks_arrives_in_its_order() {
    let report = tester().run(|sys| {
        sys.node("n1", keeper_on);
        sys.node("n2", |node| {
            node.spawn(Writer {
                name: "n1/keeper",
                notes: 5,
            });
        });
        sys.eventually("all are there, in order", |w| {
            w.all::<Keeper>().any(|keeper| keeper.0 == [0, 1, 2, 3, 4])
        });
    });
    report.assert_clean();
}

// ANCHOR: restart
async fn holder_after_a_restart(sys: System) {
    sys.node("n1", keeper_on);
    let keeper = sys.spawn(Proxy::<Keeper>::new("n1/keeper"));
    for note in 1..=4 {
        keeper.tell(Note(note));
    }
    assert_eq!(keeper.ask(Seen).await, Ok(vec![1, 2, 3, 4]));
    sys.faults().restart("n1");
    // Events that are sent before the proxy knows of the end are lost.
    let mut seen = keeper.ask(Seen).await;
    while seen == Err(AskError::Disconnected) {
        seen = keeper.ask(Seen).await;
    }
    assert_eq!(seen, Ok(vec![]));
}

#[test]
fn whoever_has_the_name_after_a_restart_is_found() {
    tester().run(holder_after_a_restart).assert_clean();
    in_production(holder_after_a_restart);
}
// ANCHOR_END: restart

#[test]
fn on_its_own_node_it_finds_who_comes_after() {
    let report = tester().run(|sys| async move {
        keeper_on(&sys);
        let keeper = sys.spawn(Proxy::<Keeper>::new("keeper"));
        assert_eq!(keeper.ask(Seen).await, Ok(vec![]));
        keeper.tell(Halt);
        while keeper.ask(Seen).await.is_ok() {}
        let next = sys.spawn(Keeper(vec![7]));
        sys.try_register("keeper", &next).await.expect("it is free");
        let mut seen = keeper.ask(Seen).await;
        while seen == Err(AskError::Stopped) {
            seen = keeper.ask(Seen).await;
        }
        assert_eq!(seen, Ok(vec![7]));
    });
    report.assert_clean();
}

#[test]
fn what_nobody_is_found_for_is_a_dead_letter() {
    let report = tester().run(|sys| async move {
        let keeper = sys.spawn(Proxy::<Keeper>::new("keeper"));
        keeper.tell(Note(1));
        assert_eq!(keeper.ask(Seen).await, Err(AskError::Stopped));
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
            noted.note(format!("{:?}: {}", letter.event, letter.reason));
        });
        async move {
            sys.node("n1", keeper_on);
            let nobody = sys.spawn(Proxy::<Keeper>::new("n1/nobody"));
            nobody.tell(Note(1));
            assert_eq!(nobody.ask(Seen).await, Err(AskError::Stopped));
            sys.faults().crash("n1");
            let keeper = sys.spawn(Proxy::<Keeper>::new("n1/keeper"));
            assert_eq!(keeper.ask(Seen).await, Err(AskError::Disconnected));
            let lost = sys.as_live().map(|live| live.dead_letters());
            assert_eq!(lost, Some(3));
        }
    });
    lost.expect([
        "Note(1): no actor has the name",
        "Seen: no actor has the name",
        "Seen: the node of that name is down",
    ]);
}

#[test]
fn it_keeps_as_much_as_it_has_room_for() {
    let report = tester().run(|sys| async move {
        sys.node("n1", keeper_on);
        sys.node("n2", |node| {
            let proxy = Proxy::<Keeper>::new("n1/keeper").capacity(2);
            node.spawner().name("proxy").registered().spawn(proxy);
        });
        let keeper = sys.lookup::<Keeper>("n1/keeper").await.expect("it is up");
        let proxy = sys.lookup::<Proxy<Keeper>>("n2/proxy").await;
        let proxy = proxy.expect("it is up");
        sys.faults().cut("n2", "n1");
        for note in 0..4 {
            proxy.tell(Note(note));
        }
        assert_eq!(proxy.ask(Seen).await, Err(AskError::Full));
        sys.faults().heal();
        // The proxy may have to wait for the answer to its look-up.
        let mut seen = proxy.ask(Seen).await;
        while seen == Err(AskError::Full) {
            seen = proxy.ask(Seen).await;
        }
        assert_eq!(seen, Ok(vec![0, 1]));
        assert_eq!(keeper.ask(Seen).await, Ok(vec![0, 1]));
    });
    report.assert_clean();
    // Two notes of each execution, and at least one question.
    assert!(report.dead_letters >= 300, "{}", report.dead_letters);
}

#[test]
fn a_node_that_is_down_is_not_found() {
    let report = tester().run(|sys| async move {
        sys.node("n1", keeper_on);
        sys.faults().crash("n1");
        sys.sleep(std::time::Duration::from_secs(1)).await;
        let keeper = sys.spawn(Proxy::<Keeper>::new("n1/keeper"));
        assert_eq!(keeper.ask(Seen).await, Err(AskError::Disconnected));
    });
    report.assert_clean();
}

#[test]
fn the_story_tells_of_it() {
    let report = Tester::new().iterations(1).run(|sys| async move {
        let keeper = sys.spawn(Proxy::<Keeper>::new("keeper"));
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

#[test]
fn a_name_on_no_node_and_one_of_another_type_are_bugs() {
    let says = |report: &Report, expected: &str| {
        let bug = only_bug(report);
        assert_eq!(bug.kind(), BugKind::UnreceivedError);
        assert!(bug.message().contains(expected), "{}", bug.message());
    };
    let no_node = "the proxy of `m1/keeper`: there is no node `m1`, only `n1`";
    let misspelt = tester().run(|sys| {
        sys.node("n1", keeper_on);
        sys.spawn(Proxy::<Keeper>::new("m1/keeper")).tell(Note(1));
    });
    says(&misspelt, no_node);
    let other = tester().run(|sys| {
        sys.node("n1", keeper_on);
        sys.spawn(Proxy::<Writer>::new("n1/keeper"));
        sys.spawn(Proxy::<Counter>::new("n1/keeper")).tell(Note(1));
    });
    says(&other, "is another type");

    let said = reported(|sys| async move {
        sys.node("n1", keeper_on);
        let keeper = sys.spawn(Proxy::<Keeper>::new("m1/keeper"));
        assert_eq!(keeper.ask(Seen).await, Err(AskError::Stopped));
    });
    assert_eq!(said, [no_node]);
}

struct Counter;

#[actor]
impl Counter {
    #[on]
    fn note(&mut self, _: Note) {}
}

/// Sends one note to the recipient that it was given.
#[derive(Debug)]
struct Teller;

#[derive(Debug, Clone, Serialize, Deserialize)]
struct ByProxy(ProxyRef<Keeper>);
#[derive(Debug, Clone, Serialize, Deserialize)]
struct ByPool(ActorRef<Pool<Keeper>>);

#[actor(remote)]
impl Teller {
    #[on]
    fn by_proxy(&mut self, keeper: ByProxy) {
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
        let teller = sys.lookup::<Teller>("n2/teller").await.expect("it is up");
        match message(&sys) {
            Message::ByProxy(keeper) => teller.tell(ByProxy(keeper)),
            Message::ByPool(keeper) => teller.tell(ByPool(keeper)),
        }
    });
    report.assert_clean();

    let violated = reported(|sys| async move {
        sys.monitor::<Once>();
        let seen = match message(&sys) {
            Message::ByProxy(keeper) => {
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
    ByProxy(ProxyRef<Keeper>),
    ByPool(ActorRef<Pool<Keeper>>),
}

#[test]
fn monitors_see_what_a_relay_hands_on_once() {
    sent_across(|sys| {
        keeper_on(sys);
        Message::ByProxy(sys.spawn(Proxy::new("keeper")))
    });
    sent_across(|sys| Message::ByPool(sys.spawn(Pool::round_robin(1, |_| Keeper::default()))));
    sent_across(|sys| Message::ByPool(sys.spawn(Pool::least_busy(1, |_| Keeper::default()))));
}
