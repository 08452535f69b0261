//! Injected faults: they occur within their budgets, and are reported, replayed, reproduced and minimised.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use actor_core::Spawner;
use actor_core::mailbox::Mailbox;
use actor_core::prelude::*;
use actor_test::faults::{FaultBudgets, FaultKind};
use actor_test::settings::Deny;
use actor_test::{BugKind, Report, Tester};
use behaviour::harness::events::Go;
use behaviour::harness::{assert_contains, exhaust, strategy, whole};

use super::share_of_bugs;

#[derive(Debug)]
struct Read(u32);

/// Reads a number of times, and records the calls that failed.
#[derive(Debug)]
struct Reader {
    failed: Vec<u32>,
    bug: fn(&[u32]) -> bool,
}

#[actor]
impl Reader {
    #[on]
    fn read(&mut self, Read(times): Read, cx: &mut Context<Self>) {
        for number in 0..times {
            let read = cx.fallible("read", || Ok::<u32, io::Error>(number));
            if read.is_err() {
                self.failed.push(number);
            }
        }
        assert!(!(self.bug)(&self.failed), "what failed is too much");
    }
}

fn reads(times: u32, bug: fn(&[u32]) -> bool) -> impl Fn(System) + Sync {
    move |sys| {
        sys.fails("read", || io::Error::other("no card"));
        reader(&sys, times, bug);
    }
}

fn reader(sys: &System, times: u32, bug: fn(&[u32]) -> bool) {
    let failed = Vec::new();
    sys.spawn(Reader { failed, bug }).tell(Read(times));
}

fn calls(budget: u16) -> FaultBudgets {
    FaultBudgets::none().with(FaultKind::Call, budget)
}

#[test]
fn without_faults_no_call_fails() {
    let report = Tester::new().run(reads(10, |failed| !failed.is_empty()));
    report.assert_clean();
    assert!(report.faults.is_empty());
}

#[test]
fn a_call_that_fails_is_found_told_and_made_minimal() {
    let tester = Tester::new().faults(calls(3)).minimize(1_000_000);
    let report = tester.run(reads(6, |failed| failed.contains(&4)));
    let bug = report.assert_bug("too much");
    let minimized = bug.minimized.as_ref().expect("it was minimised");
    assert_eq!(minimized.after.faults, 1);
    assert_contains(&format!("{:?}", bug.trace.story), &["CallFailed"]);
    let report = tester.run(reads(6, |failed| failed.len() > 3));
    report.assert_clean();
}

/// One actor and one event: the only decisions are the failing calls.
#[test]
fn all_sets_of_failing_calls_are_enumerated() {
    for (times, budget, sets) in [
        (1, 1, 2),
        (5, 1, 6),
        (5, 2, 16),
        (5, 5, 32),
        (5, 9, 32),
        (0, 1, 1),
    ] {
        let tester = whole("dfs").faults(calls(budget));
        let report = exhaust(&tester, reads(times, |_| false));
        assert_eq!(report.executions, sets, "{times} calls, {budget} may fail");
    }
}

/// Returns the share of executions with the bug.
fn share(name: &str, times: u32, bug: fn(&[u32]) -> bool) -> f64 {
    let tester = Tester::new().iterations(4_000).faults(calls(1));
    let tester = tester.keep_going().strategy(strategy(name));
    share_of_bugs(&tester.run(reads(times, bug)))
}

/// A condition on the numbers of the calls that failed.
type Window = fn(&[u32]) -> bool;

/// One fault hits a window of w of n places with probability
/// w / n. Five standard errors are at most 0.04.
#[test]
fn anywhere_is_anywhere() {
    let windows: [(u32, Window, f64); 4] = [
        (20, |failed| failed == [0], 0.05),
        (20, |failed| failed == [19], 0.05),
        (
            20,
            |failed| failed.iter().any(|number| (5..10).contains(number)),
            0.25,
        ),
        (1, |failed| failed == [0], 1.0),
    ];
    for (times, bug, odds) in windows {
        let seen = share("timed-random", times, bug);
        assert!((seen - odds).abs() < 0.04, "{seen} for {odds}");
        assert_eq!(share("calm-random", times, bug), 0.0);
    }
}

/// The k-th call of one name is one of three kinds of moments, beside the sending and the handling of an
/// event. With probability one half, each k is half as likely as k - 1; otherwise all are equally likely.
#[test]
fn the_first_calls_are_aimed_at() {
    let windows: [fn(&[u32]) -> bool; 3] = [
        |failed| failed == [0],
        |failed| failed == [1],
        |failed| failed == [2],
    ];
    let [first, second, third] = windows.map(|window| share("aimed-random", 20, window));
    assert!(first > second && second > third, "{first} {second} {third}");
    // The event occurs once, before all calls. Five standard errors are at most 0.02.
    assert!((second - (0.25 + 0.05) / 6.0).abs() < 0.02, "{second}");
    assert!((third - (0.125 + 0.05) / 6.0).abs() < 0.02, "{third}");
}

/// Failing calls and full mailboxes belong to nodes, too.
#[test]
fn calls_and_mailboxes_of_a_spared_node_do_not_fail() {
    let on_a_node = |is_spared| {
        let faults = "call=2,full=2".parse().expect("faults");
        Tester::new().faults(faults).run(move |sys| {
            sys.node("n1", |node| {
                reads(3, |failed| !failed.is_empty())(node.clone());
                mailbox(10, false)(node.clone());
            });
            if is_spared {
                sys.faults().spare("n1");
            }
        })
    };
    let report = on_a_node(false);
    assert!(!report.bugs().is_empty());
    on_a_node(true).assert_clean();
}

#[test]
fn an_execution_is_reproduced_by_its_token() {
    let body = reads(30, |failed| failed.contains(&17) && failed.contains(&21));
    let report = Tester::new().iterations(10_000).faults(calls(2)).run(body);
    let bug = report.assert_bug("too much");
    assert!(bug.token.contains("-fcall=2-"), "{}", bug.token);
}

/// The call may fail after its effect has taken place.
#[test]
fn a_call_may_fail_after_it_was_made() {
    let made = |after: bool| {
        let tester = Tester::new().faults(calls(1));
        tester.run(move |sys| {
            let fails = || io::Error::other("no answer");
            if after {
                sys.fails_after("charge", fails);
            } else {
                sys.fails("charge", fails);
            }
            sys.spawn(Till::default()).tell(Read(0));
        })
    };
    made(false).assert_clean();
    made(true).assert_bug("charged, and not told");
}

#[derive(Default)]
struct Till(Arc<AtomicBool>);

#[actor]
impl Till {
    #[on]
    async fn read(&mut self, _: Read, cx: &mut Context<Self>) {
        let made = self.0.clone();
        let charge = async move {
            made.store(true, Ordering::Relaxed);
            Ok::<(), io::Error>(())
        };
        let charged = cx.fallible_async("charge", charge).await.is_ok();
        let is_made = self.0.load(Ordering::Relaxed);
        assert_eq!(charged, is_made, "charged, and not told");
    }
}

struct Worker;

#[actor]
impl Worker {
    #[on]
    fn go(&mut self, _: Go) {}
}

/// Sends a job, and assumes that the mailbox has capacity.
struct Boss {
    worker: ActorRef<Worker>,
    asks: bool,
}

#[actor]
impl Boss {
    #[on]
    async fn go(&mut self, _: Go) {
        let is_sent = match self.asks {
            true => self.worker.ask(Go).await.is_ok(),
            false => self.worker.try_send(Go).await.is_ok(),
        };
        assert!(is_sent, "refused");
    }
}

fn mailbox(capacity: usize, asks: bool) -> impl Fn(System) + Sync {
    move |sys| {
        let mailbox = match capacity {
            0 => Mailbox::unbounded(),
            _ => Mailbox::bounded(capacity),
        };
        let worker = sys.spawner().mailbox(mailbox).spawn(Worker);
        sys.spawn(Boss { worker, asks }).tell(Go);
    }
}

#[test]
fn a_mailbox_may_take_nothing_though_it_has_room() {
    let full = FaultBudgets::none().with(FaultKind::Full, 1);
    for asks in [false, true] {
        Tester::new().run(mailbox(10, asks)).assert_clean();
        let report = Tester::new().faults(full).run(mailbox(10, asks));
        let bug = report.assert_bug("refused");
        assert_contains(&format!("{:?}", bug.trace.story), &["MailboxRefuses"]);
        let report = Tester::new().faults(full).run(mailbox(0, asks));
        let never = "fault `full` never had a chance: nothing was sent to a bounded mailbox";
        assert_eq!(without_a_chance(report), [never]);
    }
}

/// Records the events that it receives.
#[derive(Debug, Default)]
struct Shelf(Vec<u32>);

#[derive(Debug)]
struct Book(u32);

#[actor]
impl Shelf {
    #[on]
    fn book(&mut self, book: Book) {
        self.0.push(book.0);
    }
}

/// Spawns a shelf and sends books to it, all in one handler.
struct Librarian;

#[actor]
impl Librarian {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        fill(cx.spawner());
    }
}

fn fill(spawner: Spawner<'_>) {
    let shelf = spawner
        .mailbox(Mailbox::bounded(10))
        .spawn(Shelf::default());
    for book in 0..3 {
        shelf.tell(Book(book));
    }
}

#[test]
fn what_is_told_before_a_spawn_is_carried_out_may_find_no_room() {
    let full = FaultBudgets::none().with(FaultKind::Full, 1);
    let by_an_actor = |sys: &System| drop(sys.spawn(Librarian));
    let by_the_body = |sys: &System| fill(sys.spawner());
    let run = |tester: Tester, set_up: &(dyn Fn(&System) + Sync), lost: u32| {
        tester.run(move |sys| {
            set_up(&sys);
            sys.sometimes("one is lost", move |world| {
                world
                    .all::<Shelf>()
                    .any(|shelf| shelf.0.len() == 2 && !shelf.0.contains(&lost))
            });
        })
    };
    for set_up in [&by_an_actor as &(dyn Fn(&System) + Sync), &by_the_body] {
        let without = run(Tester::new().iterations(300), set_up, 0);
        assert_eq!(without.vacuous.len(), 1, "none is lost without a fault");
        for name in ["dfs", "random", "pct", "aimed-random"] {
            for lost in 0..3 {
                let tester = Tester::new().iterations(300).strategy(strategy(name));
                let report = run(tester.faults(full), set_up, lost);
                report.assert_clean();
                let vacuous = report.vacuous;
                assert!(vacuous.is_empty(), "{name}, {lost}: {vacuous:?}");
            }
        }
    }
}

fn without_a_chance(report: Report) -> Vec<String> {
    report.assert_clean();
    report.without_a_chance
}

#[test]
fn a_fault_without_a_chance_is_named() {
    let tester = || Tester::new().faults(calls(1));
    let named = without_a_chance(tester().run(reads(0, |_| false)));
    let never = "fault `call`: no call \"read\" was made while faults may strike";
    assert_eq!(named, [never]);
    let named = without_a_chance(tester().run(|sys| reader(&sys, 1, |_| false)));
    let [named] = &named[..] else {
        panic!("{named:?}")
    };
    assert!(named.contains("the test does not say with what"), "{named}");
    let named = without_a_chance(tester().run(|sys| sys.spawn(Worker).tell(Go)));
    let nothing = "fault `call` never had a chance: nothing called `cx.fallible`";
    assert_eq!(named, [nothing]);
    assert!(without_a_chance(tester().run(reads(1, |_| false))).is_empty());
    let denied = tester().deny(Deny::default().with_vacuous());
    let report = denied.run(reads(0, |_| false));
    assert_eq!(report.assert_bug(never).kind(), BugKind::Vacuous);
}

#[test]
fn an_error_of_another_type_is_named() {
    let report = Tester::new().faults(calls(1)).run(|sys| {
        sys.fails("read", || "no card");
        reader(&sys, 1, |_| false);
    });
    // The path of the type inside the standard library depends on the compiler.
    let error = std::any::type_name::<io::Error>();
    let bug = report.assert_bug(&format!("the call \"read\" fails with `{error}`"));
    let supplied = "and the test supplies it with `&str`";
    assert!(bug.message().contains(supplied));
    let at = bug.finding.location.as_deref().unwrap_or_default();
    assert!(at.contains("faults.rs"), "where the call is: {at}");
}

/// No execution exceeds its budget, and the report counts the faults.
#[test]
fn budgets_are_kept_and_counted() {
    let report = Tester::new()
        .iterations(2_000)
        .faults(calls(3))
        .run(reads(6, |failed| failed.len() > 3));
    report.assert_clean();
    let [calls] = report.faults[..] else {
        panic!("one kind was asked for")
    };
    let (struck, executions) = (calls.struck, calls.executions);
    assert!(struck > 1_000 && struck <= 3 * executions, "{calls:?}");
    // About a quarter has none.
    assert!((1_000..1_600).contains(&executions), "{calls:?}");
}

/// Faults of nodes and links.
mod nodes {
    use std::time::Duration;

    use actor_core::prelude::*;
    use actor_test::faults::{FaultBudgets, FaultKind};
    use actor_test::{Report, Tester};
    use behaviour::harness::events::Go;
    use behaviour::harness::{assert_contains, failure_text, strategy};
    use serde::{Deserialize, Serialize};

    use crate::nodes::{assert_about, share_of_bugs};

    #[derive(Clone, Debug, Serialize, Deserialize)]
    struct Put(u32);

    /// Keeps the last number in memory, which no crash survives.
    #[derive(Debug, Default)]
    struct Store {
        last: u32,
        is_strict: bool,
    }

    #[actor]
    impl Store {
        #[on]
        fn put(&mut self, Put(number): Put) {
            assert!(
                !self.is_strict || number == self.last + 1,
                "{number} after {}",
                self.last
            );
            self.last = self.last.max(number);
        }
    }

    const NUMBERS: u32 = 3;

    /// Sends the numbers, each until it is acknowledged,
    /// or once; the store is known, or looked up each time.
    struct Sender {
        store: Option<ActorRef<Store>>,
        tries_again: bool,
        sent: u32,
    }

    #[actor]
    impl Sender {
        #[on]
        async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
            for number in 1..=NUMBERS {
                loop {
                    let found = match self.store.clone() {
                        Some(store) => Ok(store),
                        None => cx.lookup::<Store>("store/store").await,
                    };
                    if let Ok(store) = found {
                        if !self.tries_again {
                            store.tell(Put(number));
                            break;
                        }
                        let put = store.ask(Put(number)).timeout(Duration::from_secs(1));
                        if put.await.is_ok() {
                            break;
                        }
                    }
                    cx.sleep(Duration::from_millis(100)).await;
                }
                self.sent += 1;
            }
        }
    }

    fn nodes(is_strict: bool, tries_again: bool, looks_up: bool) -> impl Fn(&System) + Sync {
        move |sys| {
            let sender = move |node: &System, store| {
                let sender = Sender {
                    store,
                    tries_again,
                    sent: 0,
                };
                node.spawn(sender).tell(Go);
            };
            let whole = sys.clone();
            sys.node("store", move |node| {
                let store = Store { last: 0, is_strict };
                let store = node.spawner().name("store").registered().spawn(store);
                if !looks_up {
                    whole.node("client", move |node| sender(node, Some(store.clone())));
                }
            });
            if looks_up {
                sys.node("client", move |node| sender(node, None));
            }
            match tries_again {
                true => sys.eventually("all were sent", |world| {
                    world.all::<Sender>().any(|sender| sender.sent == NUMBERS)
                }),
                false => sys.eventually("all have arrived", |world| {
                    world.all::<Store>().any(|store| store.last == NUMBERS)
                }),
            }
        }
    }

    fn run(faults: &str, body: impl Fn(&System) + Sync) -> Report {
        let faults: FaultBudgets = faults.parse().expect("faults");
        Tester::new()
            .iterations(500)
            .faults(faults)
            .minimize(200_000)
            .run(|sys| body(&sys))
    }

    #[test]
    fn each_kind_between_nodes_is_found() {
        run("none", nodes(true, false, false)).assert_clean();
        for kind in ["drop", "duplicate", "delay", "partition", "break"] {
            let report = run(&format!("{kind}=1"), nodes(true, false, false));
            let bug = report.bugs().first().unwrap_or_else(|| panic!("{kind}"));
            let struck: u64 = report.faults.iter().map(|faults| faults.struck).sum();
            assert!(struck > 0, "{kind}: {bug:?}");
            if let Some(minimized) = &bug.minimized {
                assert_eq!(minimized.after.faults, 1, "{kind}");
            }
        }
    }

    #[test]
    fn what_is_sent_until_it_arrives_is_clean_under_all_faults() {
        let all = "drop=2,duplicate=2,delay=2,partition=1,break=1";
        let report = run(all, nodes(false, true, false));
        report.assert_clean();
        assert_eq!(report.without_a_chance, Vec::<String>::new());
        for faults in &report.faults {
            assert!(faults.struck > 15, "{faults:?}");
        }
    }

    /// A look-up can't be repeated by its caller.
    #[test]
    fn a_look_up_waits_until_a_partition_is_healed() {
        let report = run("drop=2,partition=2", nodes(false, true, true));
        report.assert_clean();
        assert_eq!(report.without_a_chance, Vec::<String>::new());
    }

    #[test]
    fn nodes_that_crash_come_back_before_liveness_is_judged() {
        let report = run("crash=2,restart=1,wipe=1", nodes(false, true, true));
        report.assert_clean();
        for faults in &report.faults {
            assert!(faults.struck > 30, "{faults:?}");
        }
        // A message that is sent once is lost.
        let report = run("crash=1", nodes(false, false, true));
        let bug = report.assert_bug("all have arrived");
        assert!(bug.is_liveness());
        assert_contains(&format!("{:?}", bug.trace.story), &["crash"]);
        assert_contains(&failure_text(&report), &["FAULT", "node store crashes"]);
    }

    /// A paused node loses nothing, so it is enough to send once.
    #[test]
    fn nodes_that_are_paused_go_on_before_liveness_is_judged() {
        let report = run("pause=2", nodes(true, false, true));
        report.assert_clean();
        assert!(report.faults[0].struck > 100, "{:?}", report.faults);
    }

    /// A repeated message arrives eventually, although the restarted
    /// store has lost its state; unless the node does not restart.
    #[test]
    fn a_node_that_stops_stays_down() {
        let sends = nodes(false, true, true);
        run("crash=1", &sends).assert_clean();
        let report = run("stop=1", &sends);
        let bug = report.assert_bug("all were sent");
        assert!(bug.is_liveness());
        assert_contains(&failure_text(&report), &["1 node that stays down"]);
    }

    /// A partition cuts the links between nodes that are not spared, and no others.
    #[test]
    fn who_is_spared_is_on_no_side_of_a_partition() {
        let with_others = |sys: &System| {
            for name in ["one", "other"] {
                sys.node(name, |_| {});
            }
            nodes(true, false, false)(sys);
            sys.faults().spare("store");
        };
        let report = run("partition=1", with_others);
        report.assert_clean();
        assert!(report.faults[0].struck > 100, "{:?}", report.faults);
    }

    /// Each execution is replayed by its decisions alone, and must be the same.
    #[test]
    fn what_is_decided_between_steps_is_done_again() {
        for (faults, body) in [
            ("crash=2,restart=1,wipe=1", nodes(false, true, true)),
            ("pause=3", nodes(false, true, true)),
            (
                "drop=2,duplicate=2,delay=2,partition=2,break=1",
                nodes(false, true, false),
            ),
        ] {
            let report = Tester::new()
                .iterations(200)
                .check_every(1)
                .faults(faults.parse().expect("faults"))
                .run(|sys| body(&sys));
            report.assert_clean();
            let faults = &report.faults;
            assert!(faults.iter().all(|faults| faults.struck > 5), "{faults:?}");
        }
    }

    #[test]
    fn where_nothing_fails_nothing_does() {
        let spared = |sys: &System| {
            nodes(true, false, true)(sys);
            sys.faults().spare("store");
            sys.faults().spare("client");
            sys.faults().spare_link("store", "client");
        };
        let all = "drop=2,duplicate=2,delay=2,partition=1,break=1,crash=1,restart=1,wipe=1";
        run(all, spared).assert_clean();
    }

    /// Counts its events, and reports a crash of the node after exactly this number.
    #[derive(Debug)]
    struct Counter(u32);

    #[actor]
    impl Counter {
        #[on]
        fn go(&mut self, _: Go, cx: &mut Context<Self>) {
            self.0 += 1;
            if self.0 < 20 {
                cx.me().tell(Go);
            }
        }
    }

    impl Drop for Counter {
        fn drop(&mut self) {
            assert!(!(5..9).contains(&self.0), "in the window");
        }
    }

    /// A window of four rounds of two steps each, in an execution of twenty
    /// rounds and a few steps to boot. The share is within a factor of 1.5.
    #[test]
    fn a_crash_is_as_likely_anywhere() {
        let tester = Tester::new()
            .iterations(2_000)
            .faults("restart=1".parse().expect("faults"))
            .keep_going();
        let tester = tester.strategy(strategy("timed-random"));
        let report = tester.run(|sys| {
            sys.node("n1", |node| {
                node.spawn(Counter(0)).tell(Go);
            });
        });
        assert_about(share_of_bugs(&report), 8.0 / 46.0);
    }

    /// Without nodes, these faults can't occur, and the report says so.
    #[test]
    fn without_nodes_no_node_fails() {
        let kinds = [FaultKind::Crash, FaultKind::Partition, FaultKind::Drop];
        let faults = kinds
            .into_iter()
            .fold(FaultBudgets::none(), |all, kind| all.with(kind, 1));
        let report = Tester::new().faults(faults).run(|sys| {
            sys.spawn(Store::default()).tell(Put(1));
        });
        report.assert_clean();
        let named = report.without_a_chance;
        assert_eq!(named.len(), 3, "{named:?}");
    }
}

/// The example of the book.
mod book {
    use std::collections::BTreeSet;
    use std::io;

    use actor_core::prelude::*;
    use actor_test::actor_test;

    // ANCHOR: till
    #[derive(Debug)]
    struct Pay(u64);

    /// The payments that the bank knows. In production this would be a client of the bank's service.
    #[derive(Debug, Default)]
    struct Bank {
        charged: u64,
        known: BTreeSet<u64>,
    }

    impl Bank {
        fn charge(&mut self, amount: u64) -> io::Result<()> {
            self.charged += amount;
            Ok(())
        }

        /// Charges the card, but only once for each order.
        fn charge_once(&mut self, order: u64, amount: u64) -> io::Result<()> {
            match self.known.insert(order) {
                true => self.charge(amount),
                false => Ok(()),
            }
        }
    }

    #[derive(Debug, Default)]
    struct Till {
        bank: Bank,
        numbers_orders: bool,
        orders: u64,
        owed: u64,
    }

    #[actor]
    impl Till {
        #[on]
        fn pay(&mut self, Pay(amount): Pay, cx: &mut Context<Self>) {
            self.orders += 1;
            self.owed += amount;
            for _attempt in 0..3 {
                let charged = cx.fallible("charge the card", || match self.numbers_orders {
                    true => self.bank.charge_once(self.orders, amount),
                    false => self.bank.charge(amount),
                });
                if charged.is_ok() {
                    return;
                }
            }
        }
    }
    // ANCHOR_END: till

    // ANCHOR: test
    fn shop(sys: &System, numbers_orders: bool) {
        sys.fails("charge the card", || io::Error::other("no connection"));
        sys.fails_after("charge the card", || {
            io::Error::from(io::ErrorKind::TimedOut)
        });
        let till = sys.spawn(Till {
            numbers_orders,
            ..Till::default()
        });
        till.tell(Pay(7));
        till.tell(Pay(5));
        sys.always("nobody pays twice", move |world| {
            let till = world.get(&till);
            till.is_none_or(|till| till.bank.charged <= till.owed)
        });
    }

    #[actor_test(faults(call = 2), expect_bug = "nobody pays twice")]
    fn a_payment_that_is_tried_again(sys: &System) {
        shop(sys, false);
    }

    #[actor_test(faults(call = 2))]
    fn an_order_that_has_a_number(sys: &System) {
        shop(sys, true);
    }
    // ANCHOR_END: test
}
