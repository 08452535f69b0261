//! Identity of bugs: executions with the same bug are counted as one.

use actor_core::prelude::*;
use actor_test::strategy::StrategySpec;
use actor_test::{Report, Tester};
use behaviour::closures::{Handles, handles};
use behaviour::harness::events::Go;
use behaviour::harness::{only_bug, same_for_workers, timeless};

use super::client;

/// Fails in several ways at one place.
fn three_reasons(sys: &System) {
    let mut seen: Vec<u64> = Vec::new();
    let sum = handles(sys, move |number: u64, _| {
        let last = seen.last().copied();
        seen.push(number);
        let problem = match (last, number) {
            (Some(3), 7) => format!("a seven after a three: {seen:?}"),
            (Some(7), 7) => format!("two sevens in a row: {seen:?}"),
            (Some(9), 3) => format!("a three after a nine: {seen:?}"),
            _ => return,
        };
        panic!("{problem}");
    });
    for number in [3, 7, 9] {
        client(sys, &sum, number, 2).tell(Go);
    }
}

/// The second guest fails, with a list that differs in each execution.
struct Guest {
    host: ActorRef<Handles<Hello>>,
}

#[derive(Debug)]
struct Hello(ActorRef<Guest>);
#[derive(Debug)]
struct Welcome(Vec<u64>);

#[actor]
impl Guest {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        self.host.tell(Hello(cx.me().clone()));
    }

    #[on]
    fn welcome(&mut self, welcome: Welcome) {
        let left = welcome.0;
        assert!(left.is_empty(), "{} before me: {left:?}", left.len());
    }
}

/// The host answers with a list of earlier guests, or with an empty one.
fn one_reason(sys: &System) {
    let mut guests = Vec::new();
    let host = handles(sys, move |hello: Hello, cx| {
        let before = match cx.choose_bool() {
            true => guests.clone(),
            false => Vec::new(),
        };
        hello.0.tell(Welcome(before));
        guests.push(1 + guests.len() as u64);
    });
    for _ in 0..4 {
        let host = host.clone();
        sys.spawn(Guest { host }).tell(Go);
    }
}

fn random() -> Tester {
    Tester::new().strategy(StrategySpec::Random).iterations(300)
}

fn tester() -> Tester {
    random().keep_going()
}

/// Asserts that the report is the same for any number of workers.
fn explored(tester: &Tester, program: fn(&System)) -> Report {
    same_for_workers(&[1, 2], |workers| {
        timeless(tester.clone().workers(workers).run(|sys| program(&sys)))
    })
}

#[test]
fn each_reason_is_one_bug() {
    let report = explored(&tester(), three_reasons);
    let found = report.bugs.iter().map(|bug| {
        let (_, what) = bug.message().split_once("panicked: ").expect("a panic");
        what.split(':').next().unwrap_or_default()
    });
    let mut found: Vec<&str> = found.collect();
    let lengths: Vec<u64> = report.bugs.iter().map(|bug| bug.step()).collect();
    assert!(lengths.is_sorted(), "{lengths:?}");
    found.sort_unstable();
    let expected = [
        "a seven after a three",
        "a three after a nine",
        "two sevens in a row",
    ];
    assert_eq!(found, expected);
    // Each failing execution is counted for one of the bugs.
    let seen: u64 = report.bugs.iter().map(|bug| bug.seen).sum();
    assert_eq!(seen, report.strategies[0].bugs);
    assert!(report.bugs.iter().all(|bug| bug.seen > 1), "{report:?}");
}

#[test]
fn a_reason_in_many_forms_is_one_bug() {
    let mut forms = std::collections::BTreeSet::new();
    for seed in 0..20 {
        let tester = tester().seed(seed).iterations(20);
        let report = tester.run(|sys| one_reason(&sys));
        forms.extend(report.bugs.iter().map(|bug| bug.message().to_owned()));
        assert!(report.bugs.len() <= 1, "{:?}", report.bugs);
    }
    assert!(forms.len() > 1, "{forms:?}");
    let report = explored(&tester(), one_reason);
    let bug = only_bug(&report);
    assert_eq!(bug.seen, report.strategies[0].bugs);
    assert!(bug.seen > 100, "{}", bug.seen);
}

/// The reported execution is the shortest with its bug.
#[test]
fn the_shortest_is_told() {
    let run = |count| tester().iterations(count).run(|sys| three_reasons(&sys));
    let (few, many) = (run(20), run(300));
    let lengths = few.bugs.iter().map(|bug| {
        let mut known = many.bugs.iter();
        let known = known.find(|known| known.finding.is_like(&bug.finding));
        (known.expect("it was found before").step(), bug.step())
    });
    let lengths: Vec<(u64, u64)> = lengths.collect();
    assert!(lengths.iter().all(|(many, few)| many <= few), "{lengths:?}");
    assert!(lengths.iter().any(|(many, few)| many < few), "{lengths:?}");
    // The order of the minimised bugs follows their lengths.
    let report = explored(&tester().minimize(100_000), three_reasons);
    let left = report.bugs.iter().map(|bug| bug.trace.story.steps.len());
    assert!(left.is_sorted());
    assert_eq!(report.bugs.len(), 3);
}

#[test]
fn parts_add_up() {
    let run = |tester: Tester| timeless(tester.run(|sys| three_reasons(&sys)));
    let part = |part: &str| run(tester().partition(part.parse().expect("a part")));
    let merged = Report::merge([part("2/3"), part("3/3"), part("1/3")]);
    let (merged, whole) = (merged.expect("all parts"), run(tester()));
    assert_eq!(merged.bugs, whole.bugs);
    assert_eq!(merged.bugs.len(), 3);
}

/// Without `keep_going`, there is one bug, seen once.
#[test]
fn the_first_bug_is_seen_once() {
    let report = random().run(|sys| three_reasons(&sys));
    assert_eq!(only_bug(&report).seen, 1);
}
