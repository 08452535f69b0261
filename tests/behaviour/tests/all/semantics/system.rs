//! Ordinary code under test: the tester answers hash maps, random bytes and clocks, with the
//! same values for the same execution, whatever ran before on the thread and in the process.
//!
//! On systems without this support (see `actor-test-os`), there is nothing to test.
#![cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use actor_core::actor;
use actor_core::prelude::*;
use actor_test::causes::DecisivePoint;
use actor_test::strategy::Gap;
use actor_test::{BugKind, Report, Tester};
use behaviour::harness::events::{Go, Tick};
use behaviour::harness::{self, assert_contains, failure_text, first_bug, strategy};
use uuid::Uuid;

#[derive(Debug)]
struct Word(String);

/// Stores the received words.
#[derive(Debug, Default)]
struct Book(Vec<String>);
#[actor]
impl Book {
    #[on]
    fn word(&mut self, word: Word) {
        self.0.push(word.0);
    }
}

/// Uses all of these system services, and sends the results.
struct Curious {
    names: HashMap<u32, &'static str>,
    begun: Instant,
    books: Vec<ActorRef<Book>>,
}
#[actor]
impl Curious {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::from_millis(1500), Tick);
    }
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        assert_eq!(self.begun.elapsed(), cx.now());
        let mut bytes = [0; 5];
        getrandom_02::getrandom(&mut bytes[..2]).unwrap();
        getrandom_03::fill(&mut bytes[2..]).unwrap();
        let hash = RandomState::new().hash_one(1);
        let said = format!(
            "{} {bytes:?} {:?} {hash}",
            Uuid::new_v4(),
            rand::random::<u64>()
        );
        #[expect(clippy::iter_over_hash_type, reason = "it is what the test is about")]
        for (number, name) in &self.names {
            self.books[*number as usize % 2].tell(Word(format!("{name} {said}")));
        }
    }
}

/// Fails if the iteration of a map with five keys begins with one key.
#[derive(Debug, Default)]
struct Ordered(HashMap<u32, ()>);
#[actor]
impl Ordered {
    #[on]
    fn tick(&mut self, _: Tick) {
        self.0.insert(self.0.len() as u32, ());
        let first = self.0.keys().next();
        assert!(self.0.len() < 5 || first != Some(&3), "3 comes first");
    }
}

#[test]
fn what_random_bytes_decide_is_put_down_to_them() {
    let tester = Tester::new().iterations(100).explain(4_000_000);
    let report = tester.run(|sys| {
        let ordered = sys.spawn(Ordered::default());
        for _ in 0..5 {
            ordered.tell(Tick);
        }
    });
    let bug = report.assert_bug("3 comes first");
    assert!(bug.iteration > 1, "others were fine");
    let decided = bug.causes.as_ref().map(|causes| &causes.decided);
    assert!(
        matches!(decided, Some(DecisivePoint::FromTheStart { share, same_bytes: true, .. }) if share.failed == 32),
        "{decided:?}"
    );
    let by = "decided:    from the start, by the random bytes that the program was given: ";
    assert_contains(&failure_text(&report), &[by]);
}

fn curious(sys: &System) {
    let names = ["ant", "bee", "cat", "dog", "elk", "fox"];
    let books = vec![sys.spawn(Book::default()), sys.spawn(Book::default())];
    sys.spawn(Curious {
        names: (0..).zip(names).collect(),
        begun: Instant::now(),
        books,
    });
}

/// A tester that runs each execution twice, so that every difference is found.
fn tester() -> Tester {
    Tester::new().check_every(1).iterations(40)
}

/// Removes the times from a report.
fn timeless(report: Report) -> Report {
    let mut report = harness::timeless(report);
    report.thread_s = 0.0;
    report
}

/// A program that fails, though not in its first execution.
fn failing(sys: &System) {
    curious(sys);
    sys.always("nobody has the third word", |w| {
        w.all::<Book>().all(|book| book.0.len() < 3)
    });
}

#[test]
fn a_program_that_asks_the_system_does_the_same_twice() {
    let report = tester().run(|sys| curious(&sys));
    report.assert_clean();
    assert_eq!((report.asked_for_bytes, report.asked_for_time), (40, 40));
    assert!(report.thread_s > 0.0);
}

/// The result, up to the last byte of the report, depends
/// neither on the workers nor on earlier activity of a thread.
#[test]
fn what_was_asked_before_changes_nothing() {
    let find = |workers| timeless(tester().workers(workers).run(|sys| failing(&sys)));
    let first = find(1);
    assert_eq!(first_bug(&first).0, BugKind::Invariant);
    assert!(first.bugs()[0].trace.system.is_some());
    // This thread now has its own keys for hash maps.
    let _ = RandomState::new();
    assert_eq!(find(1), first);
    assert_eq!(find(3), first);
}

/// Executions differ in their answers, so the orders of a hash map are explored, too.
#[test]
fn another_execution_has_another_order() {
    let orders = Mutex::new(BTreeSet::new());
    let report = tester().run(|_| {
        let map: HashMap<u32, ()> = (0..4).map(|key| (key, ())).collect();
        let order: Vec<u32> = map.into_keys().collect();
        orders.lock().unwrap().insert(order);
    });
    assert_eq!(report.asked_for_bytes, 40);
    let orders = orders.into_inner().unwrap().len();
    // Of 24 orders, 40 draws miss fewer than 5 on average.
    assert!((12..=24).contains(&orders), "{orders} orders");
}

/// A bug that depends on the order of a map is found, and is
/// replayed by its decisions, also in its minimised form.
#[test]
fn a_bug_that_needs_an_order_is_found_and_made_shorter() {
    let report = tester().minimize(100_000).run(|sys| {
        let book = sys.spawn(Book::default());
        let map: HashMap<u32, ()> = (0..3).map(|key| (key, ())).collect();
        for key in map.into_keys() {
            book.tell(Word(key.to_string()));
        }
        let is_backwards = |book: &Book| book.0 == ["2", "1", "0"];
        sys.always("not backwards", move |w| {
            w.get(&book).is_none_or(|book| !is_backwards(book))
        });
    });
    let bug = report.assert_bug("not backwards");
    assert_eq!(bug.kind(), BugKind::Invariant);
}

#[test]
fn the_clock_is_virtual_and_begins_at_a_date() {
    let report = tester().run(|sys| async move {
        let (begun, date) = (Instant::now(), SystemTime::now());
        let since = date.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(since, Duration::from_secs(1_767_225_600));
        let now = Instant::now();
        assert_eq!(now, begun, "it stands still while a step is taken");
        sys.sleep(Duration::from_nanos(3_000_000_007)).await;
        assert_eq!(begun.elapsed(), Duration::from_nanos(3_000_000_007));
        assert_eq!(date.elapsed().unwrap(), begun.elapsed());
    });
    report.assert_clean();
    assert_eq!((report.asked_for_bytes, report.asked_for_time), (0, 40));
    let thread_s = report.thread_s;
    assert_eq!(thread_s, 0.0, "who asks for the time alone needs no thread");
}

/// Threads that run no execution get the system's own answers, and so does this one before and after.
#[test]
fn nobody_else_is_answered() {
    let (began, date) = (Instant::now(), SystemTime::now());
    let others = Mutex::new(Vec::new());
    tester().iterations(2).run(|_| {
        let virtual_time = Instant::now();
        let other = std::thread::spawn(|| (Instant::now(), Uuid::new_v4()));
        let other = other.join().unwrap();
        assert!(other.0 > virtual_time);
        others.lock().unwrap().push(other);
    });
    let others = others.into_inner().unwrap();
    let meanwhile = began..=Instant::now();
    assert!(others.iter().all(|(time, _)| meanwhile.contains(time)));
    assert_ne!(others[0].1, others[1].1, "the system's bytes");
    assert!(date.elapsed().is_ok());
    assert_ne!(Uuid::new_v4(), Uuid::new_v4());
}

/// An exhaustive search reports that it has seen only one answer
/// of the system; a program that asks only for the time is proved.
#[test]
fn a_search_says_that_it_saw_one_answer() {
    let dfs = || tester().strategy(strategy("dfs"));
    let asks = dfs().run(|sys| {
        let map = HashMap::from([(1, ()), (2, ())]);
        let first = map.into_keys().next();
        let book = sys.spawn(Book::default());
        for _ in 0..first.unwrap() {
            sys.spawn(Sender(book.clone())).tell(Go);
        }
    });
    asks.assert_clean();
    let executions = asks.executions;
    assert_eq!(asks.verdict.gaps, [Gap::System { executions }]);
    let reads = dfs().run(|sys| {
        let _ = Instant::now();
        sys.spawn(Sender(sys.spawn(Book::default()))).tell(Go);
    });
    assert!(reads.verdict.is_exhaustive(), "{:?}", reads.verdict);
}

struct Sender(ActorRef<Book>);
#[actor]
impl Sender {
    #[on]
    fn go(&mut self, _: Go) {
        self.0.tell(Word("go".into()));
    }
}

/// Draws a random byte of the system, and reports it.
struct Drawer(&'static str, ActorRef<Ends>);
#[actor]
impl Drawer {
    #[on]
    fn go(&mut self, _: Go) {
        let mut byte = [0];
        getrandom_03::fill(&mut byte).unwrap();
        self.1.tell(Word(format!("{} {}", self.0, byte[0])));
    }
}

/// Records the order of the received words.
struct Ends(Vec<String>, Arc<Mutex<BTreeSet<Vec<String>>>>);
#[actor]
impl Ends {
    #[on]
    fn word(&mut self, word: Word) {
        self.0.push(word.0);
        if self.0.len() == 2 {
            self.1.lock().unwrap().insert(self.0.clone());
        }
    }
}

/// The first draw gets the first number, so a draw is no local step: both orders are explored.
#[test]
fn a_draw_is_no_local_step() {
    let ends = |search| {
        let ends = Arc::default();
        let tester = tester().iterations(10_000).strategy(strategy(search));
        let report = tester.run(|sys| {
            let to = sys.spawn(Ends(Vec::new(), Arc::clone(&ends)));
            for name in ["one", "other"] {
                sys.spawn(Drawer(name, to.clone())).tell(Go);
            }
        });
        report.assert_clean();
        (report.executions, ends.lock().unwrap().clone())
    };
    let (all, found) = ends("dfs");
    assert_eq!(found.len(), 4, "who draws first, and who is heard first");
    let (local, found_locally) = ends("dfs:local");
    assert_eq!(found_locally, found);
    assert!(local < all, "{local} of {all}");
}

const PRINT: &str = "ACTOR_TEST_BEHAVIOUR_PRINT";

/// The path of the test that prints.
const PRINTS: &str = "semantics::system::prints_what_it_showed";

/// Prints the result of an exploration, for the next test.
#[test]
fn prints_what_it_showed() {
    if std::env::var_os(PRINT).is_none() {
        return;
    }
    let report = timeless(tester().run(|sys| failing(&sys)));
    println!("{PRINT} {:?}", report.bugs()[0]);
}

/// Two processes explore the same executions, byte for byte.
#[test]
fn another_process_does_the_same() {
    let said = || {
        let mut own = Command::new(std::env::current_exe().unwrap());
        let own = own.args(["--exact", PRINTS, "--nocapture"]);
        let output = own.env(PRINT, "1").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.lines().find(|line| line.contains(PRINT));
        line.map(str::to_owned)
            .unwrap_or_else(|| panic!("nothing was printed: {text}"))
    };
    let first = said();
    assert!(first.contains("Word(\\\"ant "), "{first}");
    assert_eq!(said(), first);
}
