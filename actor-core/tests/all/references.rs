//! References: what they promise to the compiler, and their identity.

use std::cell::Cell;
use std::marker::PhantomData;

use actor_core::prelude::*;
use actor_core::{Actor, Event, LiveSystem};

/// `Send` and `Sync` for every actor and event, whether or not those are `Sync`. Never called.
#[expect(dead_code, reason = "its body is checked, which is the test")]
fn references_are_send_and_sync<A: Actor, E: Event>() {
    fn check<T: Send + Sync>() {}
    check::<ActorRef<A>>();
    check::<Recipient<E>>();
    check::<System>();
    check::<LiveSystem>();
    check::<Timer>();
    fn send<T: Send>() {}
    send::<Ask<E>>();
    send::<Context<A>>();
}

#[derive(Debug)]
struct Ping;
#[derive(Debug)]
struct NotSync(#[expect(dead_code, reason = "its type matters")] Cell<u8>);

#[derive(Default)]
struct Generic<T> {
    _of: PhantomData<T>,
    not_sync: Cell<u64>,
}

#[actor]
impl<T: Send + 'static> Generic<T> {
    #[on]
    fn ping(&mut self, _: Ping) -> u64 {
        self.not_sync.set(self.not_sync.get() + 1);
        self.not_sync.get()
    }

    #[on]
    fn not_sync(&mut self, _: NotSync) {}
}

#[tokio::test]
async fn references_compare_by_identity() {
    let sys = System::new();
    let first = sys.spawn(Generic::<String>::default());
    let second = sys.spawn(Generic::<String>::default());
    assert_eq!(first, first.clone());
    assert_ne!(first, second);
    let recipient: Recipient<Ping> = first.recipient();
    assert_eq!(recipient, Recipient::from(&first));
    assert_eq!(recipient.id(), first.id());
    assert_eq!(first.ask(Ping).await, Ok(1));
    recipient.tell(Ping);
    first.tell(NotSync(Cell::new(1)));
    assert_eq!(first.ask(Ping).await, Ok(3));
    assert_eq!(second.ask(Ping).await, Ok(1));
}

#[tokio::test]
async fn references_print_as_names() {
    let sys = System::new();
    let named = sys.spawn_named("alpha", Generic::<u8>::default());
    let unnamed = sys.spawn(Generic::<u8>::default());
    assert_eq!(format!("{named:?}"), "alpha");
    assert_eq!(format!("{unnamed:?}"), format!("Generic{}", unnamed.id()));
    assert_eq!(format!("{:?}", named.recipient::<Ping>()), "alpha");
}
