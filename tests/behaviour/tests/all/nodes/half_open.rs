//! Half-open connections: one side knows that the connection is broken, and the other one does not yet.

use actor_core::AskError;
use actor_core::prelude::*;
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::{BugKind, Report, Tester};
use behaviour::harness::events::Go;
use behaviour::harness::{
    Journal, assert_contains, expect_bug, failure_text, in_production, journals, outcomes,
    strategy, whole,
};
use serde::{Deserialize, Serialize};

use super::{SECOND, boot, booted, patient};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Note(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Write(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Meet;
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Show;
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Find;
/// A question that nobody answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Endless;

/// Watches its peer on another node, and sends to it.
struct Peer {
    other: &'static str,
    seen: Vec<u32>,
    kept: Vec<Reply<u32>>,
    answer: Option<Result<u32, AskError>>,
}

impl Peer {
    fn new(other: &'static str) -> Self {
        Self {
            other,
            seen: Vec::new(),
            kept: Vec::new(),
            answer: None,
        }
    }
}

#[actor(remote)]
impl Peer {
    /// Watches the other one; the watch is there once the other one has answered.
    #[on]
    async fn meet(&mut self, _: Meet, cx: &mut Context<Self>) {
        let other = cx.at::<Self>(self.other);
        cx.watch(&other);
        other.ask(Show).await.expect("it is there");
    }

    #[on]
    fn write(&mut self, Write(note): Write, cx: &mut Context<Self>) {
        cx.at::<Self>(self.other).tell(Note(note));
    }

    #[on]
    fn note(&mut self, Note(note): Note) {
        self.seen.push(note);
    }

    #[on]
    fn show(&mut self, _: Show) -> Vec<u32> {
        self.seen.clone()
    }

    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.answer = Some(cx.at::<Self>(self.other).ask(Endless).await);
    }

    /// The connection breaks before the answer.
    #[on]
    async fn find(&mut self, _: Find, cx: &mut Context<Self>) {
        assert!(cx.lookup::<Self>(self.other).await.is_err());
    }

    #[on]
    fn endless(&mut self, _: Endless, reply: Reply<u32>) {
        self.kept.push(reply);
    }

    /// The end of the connection is noted as 0.
    #[on]
    fn gone(&mut self, gone: Terminated) {
        assert_eq!(gone.reason, StopReason::Disconnected);
        self.seen.push(0);
    }
}

fn peer_on(sys: &System, node: &'static str, name: &'static str, other: &'static str) {
    boot(sys, node, name, move || Peer::new(other));
}

/// Starts a peer on each of two nodes, which watch each other.
async fn two_peers(sys: &System) -> [ActorRef<Peer>; 2] {
    peer_on(sys, "n1", "a", "n2/b");
    peer_on(sys, "n2", "b", "n1/a");
    let peers = [booted(sys, "n1/a").await, booted(sys, "n2/b").await];
    for peer in &peers {
        peer.ask(Meet).await.expect("it is there");
    }
    peers
}

/// Returns what both peers have seen, after everything that was under way.
async fn settled(sys: &System, peers: &[ActorRef<Peer>; 2]) -> [Vec<u32>; 2] {
    sys.sleep(SECOND).await;
    let [a, b] = peers;
    [
        a.ask(Show).await.expect("it is there"),
        b.ask(Show).await.expect("it is there"),
    ]
}

/// The first message is lost, and from then on a new connection is there.
#[test]
fn the_other_side_notices_when_it_sends() {
    let scenario = |sys: System| async move {
        let peers = two_peers(&sys).await;
        sys.faults().half_open("n1", "n2");
        let broken = settled(&sys, &peers).await;
        peers[1].tell(Write(1));
        let written = settled(&sys, &peers).await;
        peers[1].tell(Write(2));
        (broken, written, settled(&sys, &peers).await)
    };
    let expected = ([vec![0], vec![]], [vec![0], vec![0]], [vec![0, 2], vec![0]]);
    let (_, seen) = outcomes(&patient(whole("states")), scenario);
    assert_eq!(seen, [expected]);
}

#[test]
fn the_other_side_notices_when_it_is_sent_to() {
    let scenario = |sys: System| async move {
        let peers = two_peers(&sys).await;
        sys.faults().half_open("n1", "n2");
        peers[0].tell(Write(1));
        settled(&sys, &peers).await
    };
    let (_, seen) = outcomes(&patient(whole("states")), scenario);
    for [a, b] in &seen {
        // The note may have left before the connection breaks.
        assert_eq!(a, &[0]);
        assert!([&[][..], &[0, 1], &[1, 0]].contains(&&b[..]), "{b:?}");
    }
    assert!(seen.iter().any(|[_, b]| b.len() == 2), "{seen:?}");
}

/// A connection that breaks for both is whole again; so is one of which an end has crashed.
#[test]
fn a_new_connection_is_not_half_open() {
    let scenario = |sys: System| async move {
        let peers = two_peers(&sys).await;
        sys.faults().half_open("n1", "n2");
        sys.faults().break_connection("n1", "n2");
        sys.sleep(SECOND).await;
        peers[1].tell(Write(1));
        settled(&sys, &peers).await
    };
    let (_, seen) = outcomes(&patient(whole("states")), scenario);
    assert_eq!(seen, [[vec![0, 1], vec![0]]]);
    let scenario = |sys: System| async move {
        let peers = two_peers(&sys).await;
        sys.faults().half_open("n1", "n2");
        sys.faults().restart("n1");
        sys.sleep(SECOND).await;
        peers[1].tell(Write(1));
        sys.sleep(SECOND).await;
        let again: ActorRef<Peer> = booted(&sys, "n1/a").await;
        again.ask(Show).await.expect("it is there")
    };
    let (_, seen) = outcomes(&patient(whole("states")), scenario);
    assert_eq!(seen, [[1]]);
}

/// While the link is cut, nothing shows that the connection is closed.
#[test]
fn nobody_notices_over_a_cut_link() {
    let scenario = |sys: System| async move {
        let peers = two_peers(&sys).await;
        sys.faults().half_open("n1", "n2");
        sys.faults().cut("n2", "n1");
        sys.sleep(SECOND).await;
        peers[1].tell(Write(1));
        let cut = settled(&sys, &peers).await;
        sys.faults().heal();
        sys.sleep(SECOND).await;
        peers[1].tell(Write(2));
        (cut, settled(&sys, &peers).await)
    };
    let (_, seen) = outcomes(&patient(whole("states")), scenario);
    assert_eq!(seen, [([vec![0], vec![]], [vec![0], vec![0]])]);
}

/// An asker on the other side waits for ever, unless its node notices.
#[test]
fn an_ask_of_the_other_side_ends_when_its_node_notices() {
    let scenario = |writes: bool| {
        move |sys: System| async move {
            peer_on(&sys, "n1", "a", "n2/b");
            sys.node("n2", |node| {
                for name in ["b", "d"] {
                    node.spawner()
                        .name(name)
                        .registered()
                        .spawn(Peer::new("n1/a"));
                }
            });
            peer_on(&sys, "n3", "c", "n1/a");
            let b: ActorRef<Peer> = booted(&sys, "n2/b").await;
            b.tell(Go);
            sys.sleep(SECOND).await;
            sys.faults().half_open("n1", "n2");
            sys.sleep(SECOND).await;
            let writer = if writes { "n2/d" } else { "n3/c" };
            booted::<Peer>(&sys, writer).await.tell(Write(1));
        }
    };
    let tester = patient(Tester::new().strategy(strategy("random")));
    expect_bug(&tester, BugKind::Deadlock, &["awaits"], scenario(false));
    tester
        .run(|sys| {
            sys.always("the ask is lost", |world| {
                let mut peers = world.all::<Peer>();
                peers.all(|peer| matches!(peer.answer, None | Some(Err(AskError::Disconnected))))
            });
            scenario(true)(sys)
        })
        .assert_clean();
}

/// Questions that were lost with the connection end when its other end crashes, unless the link from there is cut.
#[test]
fn a_crash_shows_that_the_connection_is_broken() {
    let scenario = |asks: bool, is_cut: bool| {
        move |sys: System| async move {
            peer_on(&sys, "n1", "a", "n2/b");
            peer_on(&sys, "n2", "b", "n1/a");
            booted::<Peer>(&sys, "n1/a").await;
            let b: ActorRef<Peer> = booted(&sys, "n2/b").await;
            sys.faults().hold("n2", "n1");
            match asks {
                true => b.tell(Go),
                false => b.tell(Find),
            }
            sys.sleep(SECOND).await;
            sys.faults().half_open("n1", "n2");
            if is_cut {
                sys.faults().cut("n1", "n2");
            }
            sys.faults().restart("n1");
            let first = b.ask(Show).timeout(SECOND).await.is_ok();
            sys.faults().heal();
            sys.faults().crash("n1");
            (first, b.ask(Show).await.is_ok())
        }
    };
    for asks in [true, false] {
        for is_cut in [true, false] {
            let (_, seen) = outcomes(&patient(whole("states")), scenario(asks, is_cut));
            assert_eq!(seen, [(!is_cut, true)]);
        }
    }
}

/// Is pushed each version by the origin, which forgets it when the connection breaks.
#[derive(Debug)]
struct Cache {
    version: u32,
    is_valid: bool,
    asks_first: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Subscribe(ActorRef<Cache>);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Version(u32);
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Current;
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Check;

#[actor(remote)]
impl Cache {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        let origin = cx.at::<Origin>("n1/origin");
        cx.watch(&origin);
        origin.tell(Subscribe(cx.me()));
        cx.after(2 * SECOND, Check);
    }

    #[on]
    fn version(&mut self, Version(version): Version) {
        self.version = version;
    }

    #[on]
    fn gone(&mut self, _: Terminated) {
        self.is_valid = false;
    }

    /// One second after the second version, a cache with the first one knows that it may be old.
    #[on]
    async fn check(&mut self, _: Check, cx: &mut Context<Self>) {
        if self.asks_first {
            let origin = cx.at::<Origin>("n1/origin");
            self.is_valid &= origin.ask(Current).timeout(SECOND).await == Ok(self.version);
        }
        assert!(!self.is_valid || self.version != 1, "an old version");
    }
}

#[derive(Debug, Default)]
struct Origin {
    version: u32,
    cache: Option<ActorRef<Cache>>,
}

#[actor(remote)]
impl Origin {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.version = 1;
        cx.after(SECOND, Check);
    }

    #[on]
    fn subscribe(&mut self, Subscribe(cache): Subscribe, cx: &mut Context<Self>) {
        cx.watch(&cache);
        cache.tell(Version(self.version));
        self.cache = Some(cache);
    }

    #[on]
    fn current(&mut self, _: Current) -> u32 {
        self.version
    }

    #[on]
    fn check(&mut self, _: Check) {
        self.version = 2;
        if let Some(cache) = &self.cache {
            cache.tell(Version(2));
        }
    }

    #[on]
    fn gone(&mut self, _: Terminated) {
        self.cache = None;
    }
}

fn cached(fault: FaultKind, asks_first: bool) -> Report {
    let tester = patient(Tester::new().iterations(2_000));
    let faults = FaultBudgets::none().with(fault, 1);
    tester.faults(faults).run(|sys| {
        boot(&sys, "n1", "origin", Origin::default);
        boot(&sys, "n2", "cache", move || Cache {
            version: 0,
            is_valid: true,
            asks_first,
        });
    })
}

/// If the connection breaks for both sides at once, the cache knows in time; if for the origin alone, it does
/// not, unless it asks before it answers.
#[test]
fn a_cache_that_waits_to_be_told_is_stale() {
    let report = cached(FaultKind::HalfOpen, false);
    report.assert_bug("an old version");
    assert_contains(
        &failure_text(&report),
        &["the connection breaks for n1 alone, and n2 does not notice"],
    );
    cached(FaultKind::Break, false).assert_clean();
    cached(FaultKind::HalfOpen, true).assert_clean();
}

/// In production the fault has no effect.
/// Looks up the peer on the other node, and notes the outcome.
struct Seeker(Journal);

#[actor]
impl Seeker {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let found = cx.lookup::<Peer>("n1/a").await;
        self.0.note(match found {
            Ok(_) => "found",
            Err(_) => "broken",
        });
    }
}

/// A look-up over the closed connection is lost; it isn't answered later, while the seeker is about to go on.
#[test]
fn a_look_up_ends_with_its_connection() {
    for search in ["dfs", "dfs:local", "states"] {
        let tester = whole(search).keep_going().atomic_handlers(true);
        let seen = journals(&tester, |sys, journal| {
            boot(sys, "n1", "a", || Peer::new("n2/b"));
            let journal = journal.clone();
            sys.node("n2", move |node| {
                node.spawn(Seeker(journal.clone()));
            });
            sys.faults().half_open("n1", "n2");
        });
        assert!(seen.into_keys().eq([["broken".to_owned()]]), "{search}");
    }
}

/// The name of a sentinel that takes a broken connection for a crash.
const USURPER: &str = "usurper";

/// Notes its name when the connection to the other one breaks.
struct Sentinel {
    name: &'static str,
    other: Option<&'static str>,
    journal: Journal,
}

#[actor(remote)]
impl Sentinel {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        if let Some(other) = self.other {
            let other = cx.at::<Self>(other);
            cx.watch(&other);
        }
    }

    #[on]
    fn gone(&mut self, gone: Terminated) {
        assert_eq!(gone.reason, StopReason::Disconnected);
        assert_ne!(self.name, USURPER, "the other one may be alive");
        self.journal.note(self.name);
    }
}

/// Returns the notes of two sentinels in all schedules, with so many partitions at most.
fn sentinels(search: &str, partitions: u16, second_watches: bool) -> Vec<String> {
    let faults = FaultBudgets::none().with(FaultKind::Partition, partitions);
    let seen = journals(&whole(search).faults(faults), |sys, journal| {
        let others = [Some("n2/b"), second_watches.then_some("n1/a")];
        for ((node, name), other) in [("n1", "a"), ("n2", "b")].into_iter().zip(others) {
            let journal = journal.clone();
            boot(sys, node, name, move || Sentinel {
                name,
                other,
                journal: journal.clone(),
            });
        }
    });
    let mut seen: Vec<String> = seen.into_keys().map(|notes| notes.concat()).collect();
    seen.sort();
    seen
}

/// The connection breaks of itself, on each side at its own time, once for each partition; the watch ends with it.
#[test]
fn a_partition_that_lasts_breaks_connections() {
    assert_eq!(sentinels("states", 0, true), [""; 0]);
    assert_eq!(sentinels("states", 1, true), ["a", "ab", "b", "ba"]);
    for search in ["dpor", "states"] {
        assert_eq!(sentinels(search, 1, false), ["a"], "{search}");
    }
}

/// A client that takes a broken connection for a crash is found with partitions alone, by the default.
#[test]
fn who_takes_a_lasting_partition_for_a_crash_is_found() {
    let run = |kind| {
        let faults = FaultBudgets::none().with(kind, 1);
        Tester::new().faults(faults).iterations(300).run(|sys| {
            boot(&sys, "n1", "a", || Sentinel {
                name: USURPER,
                other: Some("n2/b"),
                journal: Journal::default(),
            });
            boot(&sys, "n2", "b", || Sentinel {
                name: "b",
                other: None,
                journal: Journal::default(),
            });
        })
    };
    run(FaultKind::Partition).assert_bug("the other one may be alive");
    run(FaultKind::Slow).assert_clean();
}

#[test]
fn in_production_no_connection_is_half_open() {
    let seen = in_production(|sys| async move {
        let peers = two_peers(&sys).await;
        sys.faults().half_open("n1", "n2");
        peers[1].tell(Write(1));
        settled(&sys, &peers).await
    });
    assert_eq!(seen, [vec![1], vec![]]);
}
