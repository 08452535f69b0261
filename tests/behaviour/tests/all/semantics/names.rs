//! Registered names: a look-up finds the registered actor, in every schedule.

use actor_core::names::LookupError;
use actor_core::prelude::*;
use actor_test::BugKind;
use behaviour::harness::events::Halt;
use behaviour::harness::{all, bug, in_production, outcomes, whole};

/// Runs a program in every schedule under test, and once in production.
fn everywhere<F: Future<Output = ()> + 'static>(program: impl Fn(System) -> F + Sync) {
    all(&program);
    in_production(program);
}

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
impl Plotter {
    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

#[protocol]
trait Device {
    fn halt(halt: Halt);
}

// ANCHOR: names
#[test]
fn who_is_registered_is_found() {
    everywhere(|sys| async move {
        let printer = sys.spawner().name("printer").registered().spawn(Printer);
        assert_eq!(sys.lookup::<Printer>("printer").await, Ok(printer.clone()));
        let other = sys.lookup::<Plotter>("printer").await;
        assert!(matches!(other, Err(LookupError::OtherType(_))));
        sys.unregister("printer");
        assert_eq!(
            sys.lookup::<Printer>("printer").await,
            Err(LookupError::Unknown)
        );
        printer.tell(Halt);
    });
}
// ANCHOR_END: names

#[test]
fn a_protocol_is_found_as_such() {
    everywhere(|sys| async move {
        let device: DeviceRef = sys.spawn(Plotter).into();
        sys.register("device", &device);
        let found = sys.lookup_ref::<DeviceRef>("device").await;
        assert_eq!(found, Ok(device.clone()));
        device.tell(Halt);
    });
}

#[derive(Debug)]
struct Look;

/// A name is borrowed or owned.
#[test]
fn names_are_borrowed_or_owned() {
    everywhere(|sys| async move {
        let printer = sys.spawner().name("printer").registered().spawn(Printer);
        let owned = String::from("printer");
        let found = [
            sys.lookup::<Printer>("printer").await,
            sys.lookup(&owned).await,
            sys.lookup(format!("print{}", "er")).await,
        ];
        assert!(found.iter().all(|found| found.as_ref() == Ok(&printer)));
        let named = [sys.at("printer"), sys.at(&owned), sys.at(owned)];
        assert!(
            named
                .iter()
                .all(|named| *named == sys.at::<Printer>("printer"))
        );
        printer.tell(Halt);
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
    let (_, found) = outcomes(&whole("dfs"), |sys| async move {
        sys.spawn(Herald);
        sys.spawn(Seeker).ask(Look).await == Ok(true)
    });
    assert_eq!(found, [false, true]);
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
    all(|sys: System| {
        let first = sys.spawner().name("printer").registered().spawn(Printer);
        sys.spawn(Successor {
            first: first.clone(),
        });
        first.tell(Halt);
    });
}

#[test]
fn a_name_that_is_taken_is_a_bug_where_nobody_asks() {
    let (kind, message) = bug(&whole("dfs"), |sys| {
        sys.register("printer", &sys.spawn_named("first", Printer));
        sys.register("printer", &sys.spawn(Printer));
    });
    assert_eq!(kind, BugKind::UnreceivedError);
    let taken = "the name `printer` is that of `first`";
    assert!(message.contains(taken), "{message}");
}

#[test]
fn who_asks_is_told_that_a_name_is_taken() {
    everywhere(|sys| async move {
        let first = sys.spawn_named("first", Printer);
        sys.register("printer", &first);
        let (second, other) = (sys.spawn(Printer), sys.lookup::<Plotter>("printer").await);
        assert!(matches!(other, Err(LookupError::OtherType(found)) if found.contains("Printer")));
        let taken = sys.try_register("printer", &second).await.unwrap_err();
        assert_eq!((taken.holder, &*taken.holder_name), (first.id(), "first"));
        let text = taken.to_string();
        assert!(
            text.starts_with("the name `printer` is that of `first`"),
            "{text}"
        );
        first.tell(Halt);
        // The answer to the ask says that the actor has stopped.
        assert_eq!(first.ask(Halt).await, Err(AskError::Stopped));
        let found = sys.lookup::<Printer>("printer").await;
        assert_eq!(found, Err(LookupError::Unknown));
        assert_eq!(sys.try_register("printer", &second).await, Ok(()));
        assert_eq!(sys.lookup::<Printer>("printer").await, Ok(second));
    });
}
