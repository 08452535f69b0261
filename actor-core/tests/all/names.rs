//! The registry of actor names, in production.

use crate::support::{Journal, idle};
use actor_core::names::LookupError;
use actor_core::prelude::*;
use actor_core::supervision::FailureKind;

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

#[tokio::test]
async fn who_is_registered_is_found() {
    let sys = System::new();
    let printer = sys.spawn(Printer);
    sys.register("printer", &printer);
    assert_eq!(sys.lookup::<Printer>("printer").await, Ok(printer.clone()));
    let other = sys.lookup::<Plotter>("printer").await;
    assert!(matches!(other, Err(LookupError::OtherType(found)) if found.contains("Printer")));
    assert_eq!(
        sys.lookup::<Printer>("plotter").await,
        Err(LookupError::Unknown)
    );
    sys.unregister("printer");
    assert_eq!(
        sys.lookup::<Printer>("printer").await,
        Err(LookupError::Unknown)
    );
}

#[tokio::test]
async fn a_protocol_is_found_as_such() {
    let sys = System::new();
    let device: DeviceRef = sys.spawn(Plotter).into();
    sys.register("device", &device);
    assert_eq!(sys.lookup_ref::<DeviceRef>("device").await, Ok(device));
}

#[tokio::test]
async fn a_name_is_free_again_when_its_holder_has_stopped() {
    let sys = System::new();
    let first = sys.spawner().name("printer").registered().spawn(Printer);
    let second = sys.spawn(Printer);
    let taken = sys.try_register("printer", &second).await.unwrap_err();
    assert_eq!((taken.holder, &*taken.holder_name), (first.id(), "printer"));
    assert!(
        taken
            .to_string()
            .starts_with("the name `printer` is that of `printer`")
    );
    first.tell(Halt);
    assert_eq!(first.ask(Halt).await, Err(AskError::Stopped));
    assert_eq!(
        sys.lookup::<Printer>("printer").await,
        Err(LookupError::Unknown)
    );
    assert_eq!(sys.try_register("printer", &second).await, Ok(()));
    assert_eq!(sys.lookup::<Printer>("printer").await, Ok(second));
}

#[tokio::test(start_paused = true)]
async fn a_name_that_is_taken_is_a_failure_where_nobody_asks() {
    let sys = System::new();
    let journal = Journal::new();
    let noted = journal.clone();
    sys.as_live().unwrap().on_failure(move |failure| {
        assert_eq!(failure.kind, FailureKind::Unheard);
        noted.note(format!("{}: {}", failure.name, failure.message));
    });
    let first = sys.spawn_named("first", Printer);
    sys.register("printer", &first);
    sys.register("printer", &sys.spawn(Printer));
    // The same actor registers its name again.
    sys.register("printer", &first);
    idle().await;
    journal.expect(["registry: the name `printer` is that of `first`"]);
}

#[tokio::test]
async fn a_system_that_shuts_down_knows_nobody() {
    let sys = System::new();
    sys.register("printer", &sys.spawn(Printer));
    sys.shutdown().await.unwrap();
    assert_eq!(sys.as_live().unwrap().actor_count(), 0);
    let found = sys.lookup::<Printer>("printer").await;
    assert_eq!(found, Err(LookupError::Unknown));
}

#[tokio::test(start_paused = true)]
async fn the_registry_goes_with_its_system() {
    let sys = System::new();
    let weak = {
        let held = std::sync::Arc::new(());
        let weak = std::sync::Arc::downgrade(&held);
        sys.as_live()
            .unwrap()
            .on_failure(move |_| drop(held.clone()));
        weak
    };
    sys.register("printer", &sys.spawn(Printer));
    idle().await;
    drop(sys);
    idle().await;
    assert!(weak.upgrade().is_none());
}
