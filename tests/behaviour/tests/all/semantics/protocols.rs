//! Protocols: a handle to any actor that implements the protocol.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use actor_core::Fingerprinter;
use actor_core::prelude::*;
use actor_core::protocols::Protocol;
use behaviour::harness::{all, outcomes, whole};

// ANCHOR: protocol
#[derive(Debug)]
struct Get(u32);
#[derive(Debug)]
struct Put(u32, u32);

#[protocol]
trait Store {
    fn get(get: Get) -> Option<u32>;
    fn put(put: Put);
}
// ANCHOR_END: protocol

#[derive(Default)]
struct Memory(BTreeMap<u32, u32>);

#[actor]
impl Memory {
    #[on]
    fn get(&mut self, get: Get) -> Option<u32> {
        self.0.get(&get.0).copied()
    }

    #[on]
    fn put(&mut self, put: Put) {
        self.0.insert(put.0, put.1);
    }
}

/// A model of a store that has failed: forgets everything.
struct Void;

#[actor(states(Only(ignore(Put))))]
impl Void {
    #[on]
    fn get(&mut self, _: Get) -> Option<u32> {
        None
    }
}

// ANCHOR: client
/// Writes and reads back.
struct Client {
    store: StoreRef,
}

#[derive(Debug)]
struct Check;

#[actor]
impl Client {
    #[on]
    async fn check(&mut self, _: Check) -> Option<u32> {
        self.store.tell(Put(1, 7));
        self.store.ask(Get(1)).await.ok().flatten()
    }
}
// ANCHOR_END: client

// ANCHOR: offered
#[test]
fn whoever_offers_it_will_do() {
    all(|sys| async move {
        let memory = sys.spawn(Memory::default());
        let void = sys.spawn(Void);
        let stores: [StoreRef; 2] = [memory.into(), void.into()];
        for (store, read) in stores.into_iter().zip([Some(7), None]) {
            let client = sys.spawn(Client { store });
            assert_eq!(client.ask(Check).await, Ok(read));
        }
    });
}
// ANCHOR_END: offered

/// The number of schedules is the same as with an `ActorRef`: a handle adds no step.
#[test]
fn a_handle_adds_no_step() {
    let direct = all(|sys| async move {
        let memory = sys.spawn(Memory::default());
        memory.tell(Put(1, 7));
        assert_eq!(memory.ask(Get(1)).await, Ok(Some(7)));
    });
    let through = all(|sys| async move {
        let memory: StoreRef = sys.spawn(Memory::default()).into();
        memory.tell(Put(1, 7));
        assert_eq!(memory.ask(Get(1)).await, Ok(Some(7)));
    });
    assert_eq!(direct.executions, through.executions);
    assert_eq!(direct.steps_total, through.steps_total);
}

#[test]
fn it_is_the_actor() {
    all(|sys| async move {
        let memory = sys.spawn(Memory::default());
        let (one, other) = (StoreRef::from(&memory), StoreRef::from(memory.clone()));
        let void: StoreRef = sys.spawn(Void).into();
        assert_eq!(one, other);
        assert_ne!(one, void);
        assert_eq!(one.id(), memory.id());
        assert_eq!(format!("{one:?} {void:?}"), "Memory Void");
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        assert_eq!(hasher.hash_one(&one), hasher.hash_one(&memory));
        assert_eq!(Fingerprinter::of(&one), Fingerprinter::of(&memory));
        let puts: Recipient<Put> = one.recipient();
        puts.tell(Put(2, 9));
        assert_eq!(memory.ask(Get(2)).await, Ok(Some(9)));
    });
}

/// Observes the end of an actor behind a protocol handle.
struct Guard {
    ward: StoreRef,
    over: bool,
}

#[derive(Debug)]
struct IsOver;

#[actor]
impl Guard {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.watch(&self.ward);
    }

    #[on]
    fn terminated(&mut self, end: Terminated) {
        assert_eq!(end.actor, self.ward.id());
        self.over = true;
    }

    #[on]
    fn is_over(&mut self, _: IsOver) -> bool {
        self.over
    }
}

struct Brief;

#[actor(states(Only(ignore(Put))))]
impl Brief {
    #[on]
    fn get(&mut self, _: Get, cx: &mut Context<Self>) -> Option<u32> {
        cx.halt();
        None
    }
}

#[test]
fn it_can_be_watched() {
    let (_, seen) = outcomes(&whole("dfs"), |sys| async move {
        let ward: StoreRef = sys.spawn(Brief).into();
        let guard = sys.spawn(Guard {
            ward: ward.clone(),
            over: false,
        });
        assert_eq!(ward.ask(Get(0)).await, Ok(None));
        guard.ask(IsOver).await == Ok(true)
    });
    assert!(seen.contains(&true));
}

#[test]
fn it_knows_its_events() {
    let names = <dyn Store as Protocol>::EVENTS
        .iter()
        .map(|event| event.name);
    assert_eq!(names.collect::<Vec<_>>(), ["Get", "Put"]);
    assert_eq!(<dyn Store as Protocol>::NAME, "Store");
}
