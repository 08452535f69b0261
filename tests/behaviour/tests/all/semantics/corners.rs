//! Corner cases of partial-order reduction: programs with dependencies that are easily
//! overlooked. Each reducing search finds what the enumeration of all schedules finds.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};

use actor_core::fs::OpenOptions;
use actor_core::prelude::*;
use actor_core::specification::MonitorContext;
use actor_core::sync::blocking::atomic::{AtomicBool, Ordering};
use actor_core::sync::{Notify, RaceCell, blocking};
use actor_core::{ActorId, Ask, actor, monitor, task, thread};
use actor_test::report::Assumption;
use actor_test::{Report, Tester};
use behaviour::harness::events::Go;
use behaviour::harness::{all, strategy};

/// The searches that reduce the set of schedules, and two that do not.
const SEARCHES: [&str; 9] = [
    "dfs",
    "dfs:local",
    "states",
    "states:local",
    "dpor",
    "ses:by=hb",
    "pb:by=hb",
    "ses:rr",
    "states:order=breadth",
];

fn searched(search: &str, program: impl Fn(&System) + Sync) -> Report {
    // Additional samples would hide the bugs that a search misses.
    let tester = Tester::new().iterations(50_000).samples_beside_proof(0);
    tester.strategy(strategy(search)).run(|sys| program(&sys))
}

fn in_every_search(program: impl Fn(&System) + Sync) -> [(&'static str, Report); 9] {
    SEARCHES.map(|search| (search, searched(search, &program)))
}

/// Asserts that every search finds the bug.
fn assert_found(program: impl Fn(&System) + Sync) {
    for (search, report) in in_every_search(program) {
        assert!(!report.is_clean(), "{search}: {:?}", report.verdict);
    }
}

/// Asserts that no search finds a bug, and that the enumeration of all schedules is complete.
fn assert_silent(program: impl Fn(&System) + Sync) {
    for (search, report) in in_every_search(program) {
        let verdict = &report.verdict;
        assert!(report.is_clean(), "{search}: {:?}", report.bugs());
        assert!(search != "dfs" || verdict.is_exhaustive(), "{verdict:?}");
    }
}

/// Asserts that a search finds the bug, or does not claim exhaustiveness; and that `dfs` finds it.
fn assert_not_proved(program: impl Fn(&System) + Sync) {
    for (search, report) in in_every_search(program) {
        let verdict = &report.verdict;
        let is_proved = report.is_clean() && verdict.is_exhaustive();
        assert!(!is_proved, "{search}: {verdict:?}");
        assert!(search != "dfs" || !report.is_clean(), "{verdict:?}");
    }
}

fn is_there<F: Future + ?Sized>(future: Pin<&mut F>) -> bool {
    let mut task = TaskContext::from_waker(Waker::noop());
    future.poll(&mut task).is_ready()
}

#[derive(Clone, Hash, Debug)]
struct Query;

#[derive(Clone, Hash, Debug)]
struct Back;

/// Answers with the answer of the next relay plus one.
#[derive(Debug, Hash)]
struct Relay(Option<ActorRef<Relay>>);

#[actor]
impl Relay {
    #[on]
    async fn query(&mut self, _: Query) -> u64 {
        match &self.0 {
            Some(next) => next.ask(Query).await.unwrap_or(0) + 1,
            None => 1,
        }
    }
}

fn relays(sys: &System, hops: usize) -> ActorRef<Relay> {
    let last = sys.spawn(Relay(None));
    (0..hops).fold(last, |next, _| sys.spawn(Relay(Some(next))))
}

/// Starts, in a step of its own.
#[derive(Debug, Hash)]
struct Idle;

#[actor]
impl Idle {
    #[start]
    fn start(&mut self) {}
}

/// Waits for the start of one actor or the answer of another, and takes the first.
#[derive(Debug)]
struct Selects {
    of: ActorRef<Idle>,
    relay: ActorRef<Relay>,
    is_strict: bool,
}

#[actor]
impl Selects {
    #[on]
    async fn go(&mut self, _: Go) {
        let started = self.of.started();
        let mut started = std::pin::pin!(async move { _ = started.await });
        let mut answer = self.relay.ask(Query);
        let is_start = std::future::poll_fn(|task| {
            if started.as_mut().poll(task).is_ready() {
                return Poll::Ready(true);
            }
            Pin::new(&mut answer).poll(task).map(|_| false)
        })
        .await;
        assert!(is_start || !self.is_strict, "the answer was first");
    }
}

fn start_or_answer(sys: &System, hops: usize, is_strict: bool) {
    let selects = Selects {
        relay: relays(sys, hops),
        of: sys.spawn(Idle),
        is_strict,
    };
    sys.spawn(selects).tell(Go);
}

#[test]
fn a_start_that_is_awaited_may_come_late() {
    for hops in [0, 2, 4] {
        assert_found(|sys| start_or_answer(sys, hops, true));
    }
    assert_silent(|sys| start_or_answer(sys, 0, false));
}

type Start = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Keeps the future of a start, and polls it when an event has passed through a chain of actors.
struct Late {
    of: ActorRef<Idle>,
    next: ActorRef<Chain>,
    start: Option<Start>,
    is_strict: bool,
}

#[derive(Debug)]
struct Hop(ActorRef<Late>);

#[derive(Debug, Hash)]
struct Chain(Option<ActorRef<Chain>>);

#[actor]
impl Chain {
    #[on]
    fn hop(&mut self, hop: Hop) {
        match &self.0 {
            Some(next) => next.tell(hop),
            None => hop.0.tell(Back),
        }
    }
}

#[actor]
impl Late {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        let started = self.of.started();
        self.start = Some(Box::pin(async move { _ = started.await }));
        self.next.tell(Hop(cx.me()));
    }

    #[on]
    fn back(&mut self, _: Back) {
        let start = self.start.as_mut().expect("it has one");
        let has_started = is_there(start.as_mut());
        assert!(has_started || !self.is_strict, "it has not started yet");
    }
}

fn late_start(sys: &System, hops: usize, is_strict: bool) {
    let last = sys.spawn(Chain(None));
    let next = (0..hops).fold(last, |next, _| sys.spawn(Chain(Some(next))));
    let of = sys.spawn(Idle);
    let late = Late {
        of,
        next,
        start: None,
        is_strict,
    };
    sys.spawn(late).tell(Go);
}

#[test]
fn a_start_may_be_looked_for_late() {
    for hops in [0, 1, 3] {
        assert_found(|sys| late_start(sys, hops, true));
    }
    assert_silent(|sys| late_start(sys, 0, false));
}

#[derive(Debug)]
struct Have(Ask<u64>);

/// Receives the ask of another actor, and polls it.
#[derive(Debug)]
struct Keeper {
    kept: Option<Ask<u64>>,
    /// The result that must not occur; both results are possible.
    never: Option<bool>,
}

#[actor]
impl Keeper {
    #[on]
    fn have(&mut self, have: Have) {
        let mut ask = have.0;
        let found = is_there(Pin::new(&mut ask));
        self.kept = Some(ask);
        assert_ne!(Some(found), self.never, "the reply");
    }
}

/// Asks, and gives the ask away.
#[derive(Debug)]
struct Hand {
    to: ActorRef<Keeper>,
    of: ActorRef<Relay>,
}

#[actor]
impl Hand {
    #[start]
    fn start(&mut self) {
        self.to.tell(Have(self.of.ask(Query)));
    }
}

fn kept_ask(sys: &System, hops: usize, never: Option<bool>) {
    let of = relays(sys, hops);
    let to = sys.spawn(Keeper { kept: None, never });
    sys.spawn(Hand { to, of });
}

#[test]
fn an_ask_may_be_looked_at_by_who_has_not_asked() {
    for hops in [0, 2, 4] {
        for never in [true, false] {
            assert_found(|sys| kept_ask(sys, hops, Some(never)));
        }
    }
    assert_silent(|sys| kept_ask(sys, 0, None));
}

#[derive(Clone, Hash, Debug)]
struct Number(u64);

#[derive(Debug, Hash)]
struct Judge {
    heard: Vec<u64>,
    never: [u64; 2],
}

#[actor]
impl Judge {
    #[on]
    fn number(&mut self, number: Number) {
        self.heard.push(number.0);
        assert_ne!(self.heard, self.never, "the judge");
    }
}

#[derive(Debug, Hash)]
struct Feeder(ActorRef<Judge>, u64);

#[actor]
impl Feeder {
    #[start]
    fn start(&mut self) {
        self.0.tell(Number(self.1));
    }
}

fn judge(sys: &System, never: [u64; 2]) -> ActorRef<Judge> {
    let heard = Vec::new();
    sys.spawn(Judge { heard, never })
}

fn body_chooses(sys: &System, bits: u32, never: [u64; 2]) {
    let chosen = (0..bits).map(|bit| (sys.choose(2) as u64) << bit).sum();
    let judge = judge(sys, never);
    judge.tell(Number(chosen));
    sys.spawn(Feeder(judge, 1));
}

#[test]
fn what_the_test_body_has_chosen_is_known_by_what_it_has_sent() {
    for never in [[15, 1], [7, 1], [0, 1]] {
        assert_found(|sys| body_chooses(sys, 4, never));
    }
    assert_silent(|sys| body_chooses(sys, 3, [8, 1]));
}

fn number_of(actor: Option<ActorId>) -> u64 {
    let name = format!("{actor:?}");
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// A monitor that depends on the identities of the senders.
#[derive(Default, Hash)]
struct Senders;

#[monitor(cold(Quiet))]
impl Senders {
    #[on]
    fn number(&mut self, number: &Number, cx: &mut MonitorContext<Self>) {
        let sender = number_of(cx.sender());
        assert!(number.0 != 1 || sender != 0, "the second came first");
    }
}

#[derive(Debug, Hash)]
struct Nanny(ActorRef<Judge>, u64);

#[actor]
impl Nanny {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.spawn(Feeder(self.0.clone(), self.1));
    }
}

#[derive(Debug)]
struct Present(ActorId, u64);

#[derive(Debug, Default)]
struct Registrar {
    known: std::collections::BTreeMap<ActorId, u64>,
    is_strict: bool,
}

#[actor]
impl Registrar {
    #[on]
    fn present(&mut self, present: Present) {
        self.known.insert(present.0, present.1);
        let eldest = self.known.values().next();
        let is_wrong = self.known.len() == 2 && eldest == Some(&1);
        assert!(!(is_wrong && self.is_strict), "the second is the eldest");
    }
}

#[derive(Debug)]
struct Child(ActorRef<Registrar>, u64);

#[actor]
impl Child {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.0.tell(Present(cx.me().id(), self.1));
    }
}

#[derive(Debug)]
struct Mother(ActorRef<Registrar>, u64);

#[actor]
impl Mother {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.spawn(Child(self.0.clone(), self.1));
    }
}

/// Halts at its start, and leaves nothing behind but the numbers of actors after it.
#[derive(Debug, Hash)]
struct Brief;

#[actor]
impl Brief {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// Halts at its start, or looks at its own name late.
#[derive(Debug, Hash)]
struct Named {
    halts: bool,
    never: u64,
}

#[actor]
impl Named {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        if self.halts {
            cx.halt();
        } else {
            cx.me().tell(Query);
        }
    }

    #[on]
    fn query(&mut self, _: Query, cx: &mut Context<Self>) {
        let number = number_of(Some(cx.me().id()));
        assert_ne!(number, self.never, "the name");
    }
}

/// Spawns one of two actors that end at once, and one whose name depends on which one it was.
fn named_after_who_is_gone(sys: &System, never: u64) {
    if sys.choose(2) == 0 {
        sys.spawn(Brief);
    } else {
        sys.spawn(Named { halts: true, never });
    }
    sys.spawn(Named {
        halts: false,
        never,
    });
}

/// Spawns an actor that halts at once, late, or none.
#[derive(Debug, Hash)]
struct LateSpawner;

#[actor]
impl LateSpawner {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        if cx.choose_bool() {
            cx.spawn(Named {
                halts: true,
                never: 9,
            });
        }
    }
}

/// The first of a type has a number in its name once there is a second one.
#[test]
fn names_depend_on_those_who_come_late() {
    let program = |sys: &System, never| {
        sys.spawn(Named {
            halts: false,
            never,
        });
        sys.spawn(LateSpawner);
    };
    for never in [0, 1] {
        assert_found(|sys| program(sys, never));
    }
    assert_silent(|sys| program(sys, 2));
}

#[test]
fn names_depend_on_those_who_are_gone() {
    for never in [0, 2] {
        assert_found(|sys| named_after_who_is_gone(sys, never));
    }
    assert_silent(|sys| named_after_who_is_gone(sys, 3));
}

#[test]
fn identities_depend_on_who_was_created_first() {
    let named = |sys: &System| {
        sys.monitor::<Senders>();
        let judge = judge(sys, [9, 9]);
        for number in 0..2 {
            sys.spawn(Nanny(judge.clone(), number));
        }
    };
    assert_found(named);
    let ordered = |is_strict| {
        move |sys: &System| {
            let registrar = sys.spawn(Registrar {
                is_strict,
                ..Registrar::default()
            });
            for number in 0..2 {
                sys.spawn(Mother(registrar.clone(), number));
            }
        }
    };
    assert_found(ordered(true));
    assert_silent(ordered(false));
}

/// Waits unless the flag is set. A `notify_waiters` between the check and the wait is lost.
fn word_between(begins_first: bool) {
    let shared = Arc::new((Notify::new(), AtomicBool::new(false)));
    let own = shared.clone();
    let waits = task::spawn(async move {
        let (notify, is_there) = &*own;
        if begins_first {
            let notified = notify.notified();
            if !is_there.load(Ordering::SeqCst) {
                notified.await;
            }
        } else if !is_there.load(Ordering::SeqCst) {
            notify.notified().await;
        }
    });
    drop(task::spawn(async move { _ = waits.await }));
    drop(task::spawn(async move {
        let (notify, is_there) = &*shared;
        is_there.store(true, Ordering::SeqCst);
        notify.notify_waiters();
    }));
}

#[test]
fn a_word_to_all_may_come_before_who_has_looked_waits() {
    // `dpor` does not follow tasks, and says so.
    for search in SEARCHES.into_iter().filter(|search| *search != "dpor") {
        let report = searched(search, |_| word_between(false));
        assert!(!report.is_clean(), "{search}: {:?}", report.verdict);
    }
    assert_silent(|_| word_between(true));
}

/// Spawns a worker, and sends an event to it.
#[derive(Debug, Hash)]
struct Foreman;

#[actor]
impl Foreman {
    #[on]
    fn go(&mut self, go: Go, cx: &mut Context<Self>) {
        cx.spawn(Worker).tell(go);
    }
}

#[derive(Debug, Hash)]
struct Worker;

#[actor]
impl Worker {
    #[on]
    fn go(&mut self, _: Go) {}
}

/// Shuts the system down while a worker is spawned: the worker starts before that, or never.
fn shut_down(sys: &System, is_lost: fn(u64) -> bool) {
    sys.spawn(Foreman).tell(Go);
    let sys = sys.clone();
    task::spawn(async move {
        let summary = sys.shutdown().await.expect("all of them stop");
        assert!(is_lost(summary.dead_letters), "{summary:?}");
    });
}

#[test]
fn a_shutdown_comes_before_and_after_a_start() {
    assert_not_proved(|sys| shut_down(sys, |lost| lost == 0));
    assert_not_proved(|sys| shut_down(sys, |lost| lost == 1));
    assert_silent(|sys| shut_down(sys, |lost| lost <= 1));
}

/// Yields three times; the first step of another operation decides the result, or its second step.
fn yields_thrice(sys: &System) {
    let flag = Arc::new(AtomicBool::new(false));
    sys.spawn(Idle);
    sys.spawn(Raiser(flag.clone()));
    drop(thread::spawn(move || {
        for _ in 0..3 {
            thread::yield_now();
        }
        assert!(flag.load(Ordering::SeqCst), "nobody has raised it");
    }));
}

struct Raiser(Arc<AtomicBool>);

#[actor]
impl Raiser {
    #[start]
    fn start(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Any step ends a yield, even an independent one.
#[test]
fn a_yield_ends_by_any_step() {
    assert_not_proved(yields_thrice);
    let report = searched("dfs", |_| {
        let other = thread::spawn(|| ());
        thread::yield_now();
        thread::yield_now();
        drop(other);
    });
    let assumptions = [Assumption::Threads, Assumption::Yields];
    assert_eq!(report.verdict.assumptions, assumptions);
}

/// Opens a file, while the power fails.
fn power_fails(sys: &System) {
    let disk = sys.disk();
    drop(task::spawn(async move {
        let new = OpenOptions::new().write(true).create(true);
        let opened = disk.open("one", new).await;
        assert!(opened.is_ok(), "the power has failed first");
    }));
    let disk = sys.disk();
    drop(task::spawn(async move {
        disk.faults().expect("it is under test").fail_power();
    }));
}

#[test]
fn a_call_to_a_disk_may_come_too_late() {
    assert_not_proved(power_fails);
}

/// Poisons a lock while an actor reads the flag; or clears the poison of a lock.
fn poisons(clears: bool) -> impl Fn(&System) + Sync {
    move |sys| {
        let lock = Arc::new(blocking::Mutex::new(0));
        sys.spawn(Looker(lock.clone(), clears));
        drop(thread::spawn(move || {
            let held = lock.lock();
            let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
                let _held = held;
                std::panic::resume_unwind(Box::new(()));
            }));
            assert!(panicked.is_err());
            assert!(!clears || lock.is_poisoned(), "it was cleared");
        }));
    }
}

struct Looker(Arc<blocking::Mutex<u32>>, bool);

#[actor]
impl Looker {
    #[start]
    fn start(&mut self) {
        match self.1 {
            true => self.0.clear_poison(),
            false => assert!(!self.0.is_poisoned(), "it is poisoned"),
        }
    }
}

#[test]
fn who_looks_whether_a_lock_is_poisoned_may_come_late() {
    assert_not_proved(poisons(false));
    assert_not_proved(poisons(true));
}

/// Answers with the number of questions so far.
#[derive(Debug, Hash)]
struct Teller(u64);

#[actor]
impl Teller {
    #[on]
    fn query(&mut self, _: Query) -> u64 {
        self.0 += 1;
        self.0
    }
}

#[derive(Debug)]
struct Handed(Ask<u64>);

/// Asks once at its start, and polls the ask of another actor in its last step.
struct Peeks {
    of: ActorRef<Teller>,
    first: u64,
    is_strict: bool,
}

#[actor]
impl Peeks {
    #[start]
    async fn start(&mut self) {
        self.first = self.of.ask(Query).await.unwrap_or(0);
    }

    #[on]
    fn handed(&mut self, mut handed: Handed) {
        let is_there = is_there(Pin::new(&mut handed.0));
        let is_early = self.first == 1 && !is_there;
        assert!(!is_early || !self.is_strict, "the answer was not there");
    }
}

fn peeks(sys: &System, is_strict: bool) {
    let teller = sys.spawn(Teller(0));
    let peeks = sys.spawn(Peeks {
        of: teller.clone(),
        first: 0,
        is_strict,
    });
    peeks.tell(Handed(teller.ask(Query)));
}

#[test]
fn an_ask_may_be_looked_at_in_the_last_step() {
    assert_found(|sys| peeks(sys, true));
    assert_silent(|sys| peeks(sys, false));
}

/// A cell, and two flags, that two actors and a thread share.
struct Shared {
    cell: RaceCell<u32>,
    is_written: AtomicBool,
    is_released: AtomicBool,
}

/// Writes the cell, and says so without an order; or releases what has happened so far.
struct Accesses {
    shared: Arc<Shared>,
    writes: bool,
}

impl std::fmt::Debug for Accesses {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "writes: {}", self.writes)
    }
}

impl std::hash::Hash for Accesses {
    fn hash<H: std::hash::Hasher>(&self, to: &mut H) {
        self.writes.hash(to);
    }
}

#[actor]
impl Accesses {
    #[start]
    fn start(&mut self) {
        if self.writes {
            self.shared.cell.set(1);
            self.shared.is_written.store(true, Ordering::Relaxed);
        } else {
            self.shared.is_released.store(true, Ordering::Release);
        }
    }
}

/// All actors have one vector clock, so the order of accesses of two of them to different objects decides
/// whether a race of a thread with the first is seen.
#[test]
fn a_race_depends_on_the_order_of_accesses_of_actors() {
    for first_writes in [true, false] {
        let reports = in_every_search(move |sys| {
            let shared = Arc::new(Shared {
                cell: RaceCell::new(0),
                is_written: AtomicBool::new(false),
                is_released: AtomicBool::new(false),
            });
            for writes in [first_writes, !first_writes] {
                let shared = shared.clone();
                sys.spawn(Accesses { shared, writes });
            }
            thread::spawn(move || {
                let is_released = shared.is_released.load(Ordering::Acquire);
                if is_released && shared.is_written.load(Ordering::Relaxed) {
                    shared.cell.get();
                }
            });
        });
        // `dpor` does not follow shared memory.
        for (search, report) in reports.iter().filter(|(search, _)| *search != "dpor") {
            assert!(!report.is_clean(), "{search}: {:?}", report.verdict);
        }
    }
}

#[derive(Debug)]
struct Said(u32);

/// Announces its number when it starts.
#[derive(Debug, Hash)]
struct Announces(u32);

#[actor]
impl Announces {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.announce(Said(self.0));
    }
}

#[derive(Debug, Default, Hash)]
struct Rising(u32);

#[monitor]
impl Rising {
    #[on]
    fn said(&mut self, said: &Said) {
        assert!(self.0 < said.0);
        self.0 = said.0;
    }
}

/// An announcement depends on those of others: the monitors see them in order.
#[test]
fn announcements_come_in_each_order() {
    for first in [1, 2] {
        assert_found(|sys| {
            sys.monitor::<Rising>();
            sys.spawn(Announces(first));
            sys.spawn(Announces(3 - first));
        });
    }
}

/// Spawns an actor without a start hook, in the last step of all.
struct Founder;

#[actor]
impl Founder {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.spawn(Settler);
    }
}

struct Settler;

#[actor]
impl Settler {}

#[test]
fn a_predicate_sees_an_actor_that_is_spawned_last() {
    all(|sys: System| {
        sys.eventually("a settler is there", |w| w.all::<Settler>().count() == 1);
        sys.spawn(Founder);
    });
}
