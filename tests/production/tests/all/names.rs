//! The registry of actor names, as far as production alone has it.

use crate::support::{Journal, Mortal, idle, live};
use actor_core::names::LookupError;
use actor_core::prelude::*;
use actor_core::supervision::FailureKind;

#[tokio::test(start_paused = true)]
async fn a_name_that_is_taken_is_a_failure_where_nobody_asks() {
    let (sys, journal) = (System::new(), Journal::new());
    let noted = journal.clone();
    live(&sys).on_failure(move |failure| {
        assert_eq!(failure.kind, FailureKind::Unheard);
        noted.note(format!("{}: {}", failure.name, failure.message));
    });
    let first = sys.spawn_named("first", Mortal);
    sys.register("printer", &first);
    sys.register("printer", &sys.spawn(Mortal));
    // The same actor registers its name again.
    sys.register("printer", &first);
    idle().await;
    journal.expect(["registry: the name `printer` is that of `first`"]);
}

#[tokio::test]
async fn a_system_that_shuts_down_knows_nobody() {
    let sys = System::new();
    sys.register("printer", &sys.spawn(Mortal));
    sys.shutdown().await.unwrap();
    assert_eq!(live(&sys).actor_count(), 0);
    let found = sys.lookup::<Mortal>("printer").await;
    assert_eq!(found, Err(LookupError::Unknown));
}

#[tokio::test(start_paused = true)]
async fn the_registry_goes_with_its_system() {
    let sys = System::new();
    let weak = {
        let held = std::sync::Arc::new(());
        let weak = std::sync::Arc::downgrade(&held);
        live(&sys).on_failure(move |_| drop(held.clone()));
        weak
    };
    sys.register("printer", &sys.spawn(Mortal));
    idle().await;
    drop(sys);
    idle().await;
    assert!(weak.upgrade().is_none());
}
