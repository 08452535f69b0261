//! Auto traits and identity of actor references.

use std::cell::Cell;
use std::marker::PhantomData;

use actor_core::prelude::*;
use actor_core::{Actor, Event, LiveSystem, ReplyRecipient};

/// References are `Send` and `Sync` for every actor and event, even if these are not `Sync`. Never called.
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

#[tokio::test]
async fn who_answers_can_be_asked_whatever_it_is() {
    let sys = System::new();
    let texts = sys.spawn(Generic::<String>::default());
    let numbers = sys.spawn(Generic::<u8>::default());
    let all: [ReplyRecipient<Ping, u64>; 2] = [texts.reply_recipient(), (&numbers).into()];
    for one in &all {
        assert_eq!(one.ask(Ping).await, Ok(1));
        one.tell(Ping);
        one.recipient().tell(Ping);
        assert_eq!(one.ask(Ping).await, Ok(4));
    }
    assert_eq!((all[0].id(), all[0].name()), (texts.id(), texts.name()));
    assert_eq!(all[0], all[0].clone());
    assert_ne!(all[0], all[1]);
    texts.stop().await;
    assert_eq!(all[0].ask(Ping).await, Err(AskError::Stopped));
    assert!(!all[0].is_alive());
}

#[tokio::test]
async fn a_weak_reference_keeps_nothing_of_its_actor() {
    let sys = System::new();
    let actor = sys.spawn_named("actor", Generic::<String>::default());
    let weak = actor.downgrade();
    assert_eq!(weak.upgrade(), Some(actor.clone()));
    assert_eq!(format!("{weak:?}"), "WeakRef(actor)");
    actor.stop().await;
    assert_eq!(weak.upgrade(), None);
    // The name is stored with the mailbox, and both are freed with the last reference.
    assert_eq!(format!("{weak:?}"), "WeakRef(actor)");
    let id = actor.id();
    drop(actor);
    assert_eq!(format!("{weak:?}"), format!("WeakRef({id})"));
    assert_eq!(weak.id(), id);
}
