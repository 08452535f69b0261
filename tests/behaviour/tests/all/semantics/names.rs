//! Registered names: a look-up finds the registered actor, in every schedule.

use std::sync::Mutex;

use actor_core::names::LookupError;
use actor_core::prelude::*;
use actor_core::services::Proxy;
use actor_test::strategy::StrategySpec;
use actor_test::{BugKind, Report, Tester};

fn dfs() -> Tester {
    Tester::new()
        .iterations(u64::MAX)
        .strategy(StrategySpec::Dfs(None))
}

fn every<F: Future<Output = ()> + 'static>(program: impl Fn(System) -> F + Sync) {
    assert_clean(&dfs().run(program));
}

fn assert_clean(report: &Report) {
    report.assert_clean();
    assert!(report.verdict.is_exhaustive());
}

#[derive(Debug)]
struct Halt;

struct Printer;

#[actor]
impl Printer {
    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

struct Plotter;

#[actor]
impl Plotter {}

// ANCHOR: names
#[test]
fn who_is_registered_is_found() {
    every(|sys| async move {
        let printer = sys.spawner().name("printer").registered().spawn(Printer);
        assert_eq!(sys.lookup::<Printer>("printer").await, Ok(printer));
        let other = sys.lookup::<Plotter>("printer").await;
        assert!(matches!(other, Err(LookupError::OtherType(_))));
        sys.unregister("printer");
        assert_eq!(
            sys.lookup::<Printer>("printer").await,
            Err(LookupError::Unknown)
        );
    });
}
// ANCHOR_END: names

#[derive(Debug)]
struct Look;

/// Look-ups and proxies accept a borrowed name and an owned one.
#[test]
fn names_are_borrowed_or_owned() {
    every(|sys| async move {
        let printer = sys.spawner().name("printer").registered().spawn(Printer);
        let owned = String::from("printer");
        let found = [
            sys.lookup::<Printer>("printer").await,
            sys.lookup(&owned).await,
            sys.lookup(format!("print{}", "er")).await,
        ];
        assert!(found.iter().all(|found| found.as_ref() == Ok(&printer)));
        let _proxies = [
            Proxy::<Printer>::new("printer"),
            Proxy::new(&owned),
            Proxy::new(owned),
        ];
    });
}

// ANCHOR: lookup
/// Looks up the printer.
struct Seeker;

#[actor]
impl Seeker {
    #[on]
    async fn look(&mut self, _: Look, cx: &mut Context<Self>) -> bool {
        cx.lookup::<Printer>("printer").await.is_ok()
    }
}
// ANCHOR_END: lookup

/// Registers itself.
struct Herald;

#[actor]
impl Herald {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.spawner().name("printer").registered().spawn(Printer);
    }
}

/// The tester decides if a look-up comes before the registration.
#[test]
fn a_look_up_may_come_too_early() {
    static SEEN: Mutex<[u64; 2]> = Mutex::new([0; 2]);
    every(|sys| async move {
        sys.spawn(Herald);
        let found = sys.spawn(Seeker).ask(Look).await == Ok(true);
        SEEN.lock().expect("no one panics here")[usize::from(found)] += 1;
    });
    assert!(
        SEEN.lock()
            .expect("no one panics here")
            .iter()
            .all(|seen| *seen > 0)
    );
}

/// Takes over the name after the first actor has ended.
struct Successor {
    first: ActorRef<Printer>,
}

#[actor]
impl Successor {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.watch(&self.first);
    }

    #[on]
    fn terminated(&mut self, _: Terminated, cx: &mut Context<Self>) {
        cx.spawner().name("printer").registered().spawn(Printer);
    }
}

/// A name is free once its holder is known to have stopped; in no schedule is the registration refused.
#[test]
fn a_name_is_free_when_the_end_of_its_holder_is_known() {
    assert_clean(&dfs().run(|sys| {
        let first = sys.spawner().name("printer").registered().spawn(Printer);
        sys.spawn(Successor {
            first: first.clone(),
        });
        first.tell(Halt);
    }));
}

#[test]
fn a_name_that_is_taken_is_a_bug_where_nobody_asks() {
    let report = dfs().run(|sys| {
        sys.register("printer", &sys.spawn_named("first", Printer));
        sys.register("printer", &sys.spawn(Printer));
    });
    let bug = &report.bugs()[0];
    assert_eq!(bug.kind(), BugKind::UnreceivedError);
    let message = bug.message();
    assert!(
        message.contains("the name `printer` is that of `first`"),
        "{message}"
    );
}

#[test]
fn who_asks_is_told_that_a_name_is_taken() {
    every(|sys| async move {
        let first = sys.spawn_named("first", Printer);
        sys.register("printer", &first);
        let taken = sys.try_register("printer", &sys.spawn(Printer)).await;
        assert_eq!(taken.map_err(|taken| taken.holder), Err(first.id()));
        first.tell(Halt);
        // The answer to the ask says that the actor has stopped.
        assert_eq!(first.ask(Halt).await, Err(AskError::Stopped));
        let again = sys.try_register("printer", &sys.spawn(Printer)).await;
        assert_eq!(again, Ok(()));
    });
}
