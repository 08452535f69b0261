//! Helpers in an actor, a monitor or an event: no method of the traits that the macros implement hides one.
//!
//! Rust looks for a method by its receiver: a trait's `call(&mut self)` comes before a type's own `call(&self)`.
//! So each helper here has another receiver than the trait's method once had.

use actor_core::prelude::*;
#[expect(unused_imports, reason = "the methods of these traits are in scope")]
use actor_core::{protocols::AcceptedBy as _, specification::Monitor as _};

#[derive(Debug)]
struct Total(u64);

impl Total {
    #[expect(clippy::wrong_self_convention, reason = "the receiver is the point")]
    fn into_message(&self) -> u64 {
        self.0
    }

    fn entry(&self) -> u64 {
        self.0
    }
}

#[derive(Clone, Copy)]
struct Adder {
    base: u64,
}

#[actor]
impl Adder {
    #[on]
    async fn total(&mut self, total: Total) -> u64 {
        let mut copy = *self;
        let of_event = total.into_message() + total.entry();
        let by_value = self.debug() + self.first_state();
        of_event + by_value + copy.offer() + self.shared()
    }

    fn shared(&mut self) -> u64 {
        let of_messages = self.message() + self.unwrap() + self.carry();
        let of_events = self.event() + self.event_index() + self.offer_event();
        of_messages + of_events + self.call() + self.call_async() + self.driver()
    }

    fn offer(&mut self) -> u64 {
        self.base += 1;
        self.base
    }

    fn debug(self) -> u64 {
        self.base
    }

    fn first_state(self) -> u64 {
        self.base
    }

    fn call(&self) -> u64 {
        self.base
    }

    fn call_async(&self) -> u64 {
        self.base
    }

    fn driver(&self) -> u64 {
        self.base
    }

    fn message(&self) -> u64 {
        self.base
    }

    fn unwrap(&self) -> u64 {
        self.base
    }

    fn carry(&self) -> u64 {
        self.base
    }

    fn event(&self) -> u64 {
        self.base
    }

    fn event_index(&self) -> u64 {
        self.base
    }

    fn offer_event(&self) -> u64 {
        self.base
    }
}

#[tokio::test]
async fn an_actors_helpers_are_its_own() {
    let sys = System::new();
    let adder = sys.spawn(Adder { base: 10 });
    assert_eq!(adder.ask(Total(1)).await, Ok(2 + 12 * 10 + 1));
}

#[derive(Clone, Copy, Default)]
struct Observer {
    seen: u64,
}

#[monitor]
impl Observer {
    #[on]
    fn total(&mut self, total: &Total) {
        let mut copy = *self;
        self.seen = total.0 + self.observe() + self.first_state() + copy.offer();
    }

    fn observe(&self) -> u64 {
        self.seen
    }

    fn first_state(&self) -> u64 {
        self.seen
    }

    fn offer(&mut self) -> u64 {
        self.seen
    }
}

#[test]
fn a_monitors_helpers_are_its_own() {
    let mut observer = Observer { seen: 1 };
    observer.total(&Total(4));
    assert_eq!(observer.seen, 7);
}
