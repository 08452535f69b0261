//! The actors of the scaling benchmark.

use std::time::Duration;

use actor_core::Actor;
use actor_core::prelude::*;
use actor_core::services::Group;
use behaviour::closures::{Handles, handler};

/// Makes an actor do its work.
#[derive(Clone, Debug)]
pub(crate) struct Go;

/// A second event, distinct from [`Go`].
#[derive(Clone, Debug)]
pub(crate) struct Tick;

/// An item of work.
#[derive(Debug)]
pub(crate) struct Item;

/// An event that a handler receives.
#[derive(Debug)]
pub(crate) struct Part;

/// Makes an actor change its state.
#[derive(Debug)]
pub(crate) struct Turn;

/// One second, the unit of the timers.
const SECOND: Duration = Duration::from_secs(1);

/// Halts when it receives [`Go`].
pub(crate) struct Mortal;
#[actor]
impl Mortal {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// Counts its events, and does nothing else.
#[derive(Default)]
pub(crate) struct Idle {
    pub(crate) heard: u32,
}
#[actor]
impl Idle {
    #[on]
    fn go(&mut self, _: Go) {
        self.heard += 1;
    }
}

/// Sleeps until its timer fires, after this number of milliseconds.
pub(crate) struct Sleeper(pub(crate) u64);
#[actor]
impl Sleeper {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(Duration::from_millis(self.0), Tick);
    }
    #[on]
    fn tick(&mut self, _: Tick) {}
}

/// Sets a timer and cancels it, a number of times.
pub(crate) struct Hesitant {
    pub(crate) left: u32,
    pub(crate) timer: Option<Timer>,
}
#[actor]
impl Hesitant {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.arm(cx);
    }
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        if let Some(timer) = self.timer.take() {
            cx.cancel(timer);
        }
        if self.left > 0 {
            self.left -= 1;
            self.arm(cx);
        }
    }
    #[on]
    fn tick(&mut self, _: Tick) {}

    fn arm(&mut self, cx: &mut Context<Self>) {
        self.timer = Some(cx.after(SECOND, Tick));
        cx.me().tell(Go);
    }
}

/// Waits for a timer and then sets the next one, a number of times.
pub(crate) struct Patient(pub(crate) u32);
#[actor]
impl Patient {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.after(SECOND, Tick);
    }
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        cx.me().tell(Go);
    }
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        if self.0 > 0 {
            self.0 -= 1;
            cx.after(SECOND, Tick);
        }
    }
}

/// Sets many timers, and cancels each when its event is in the mailbox and not handled.
pub(crate) struct Collector {
    pub(crate) timers: Vec<Timer>,
}
#[actor]
impl Collector {
    #[on]
    fn item(&mut self, _: Item, cx: &mut Context<Self>) {
        self.timers.push(cx.after(SECOND, Tick));
    }
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.sleep(2 * SECOND).await;
        for timer in self.timers.drain(..) {
            cx.cancel(timer);
        }
    }
    #[on]
    fn tick(&mut self, _: Tick) {}
}

/// Receives a part for each item, inside the handler.
pub(crate) struct Joiner;
#[actor(receive(Part))]
impl Joiner {
    #[on]
    async fn item(&mut self, _: Item, cx: &mut Context<Self>) {
        cx.receive::<Part>().await;
    }
}

/// Defers its items while it changes its state.
pub(crate) struct Busy(pub(crate) u32);
#[actor(states(Closed(defer(Item)), Ajar(defer(Item)), Open))]
impl Busy {
    #[on]
    fn turn(&mut self, _: Turn, cx: &mut Context<Self>) {
        self.0 -= 1;
        cx.goto(match cx.state() {
            _ if self.0 == 0 => BusyState::Open,
            BusyState::Closed => BusyState::Ajar,
            _ => BusyState::Closed,
        });
    }
    #[on(Open)]
    fn item(&mut self, _: Item) {}
}

/// Accepts one item, and then defers items until the next [`Turn`].
pub(crate) struct Gate;
#[actor(states(Shut(defer(Item)), Open(defer(Turn))))]
impl Gate {
    #[on(Shut)]
    fn turn(&mut self, _: Turn, cx: &mut Context<Self>) {
        cx.goto(GateState::Open);
    }
    #[on(Open)]
    fn item(&mut self, _: Item, cx: &mut Context<Self>) {
        cx.goto(GateState::Shut);
    }
}

/// Watches other actors.
pub(crate) struct Watcher<A: Actor>(pub(crate) Vec<ActorRef<A>>);
#[actor]
impl<A: Actor> Watcher<A> {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for other in &self.0 {
            cx.watch(other);
        }
    }
    #[on]
    fn terminated(&mut self, _: Terminated) {}
}

/// Is linked to another actor, and halts.
pub(crate) struct Linked(pub(crate) Option<ActorRef<Linked>>);
#[actor]
impl Linked {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        if let Some(other) = &self.0 {
            cx.link(other);
        }
        cx.me().tell(Go);
    }
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// Joins a group, and leaves it later.
pub(crate) struct Member(pub(crate) Group<Go>);
#[actor]
impl Member {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.0.join(cx.recipient());
        cx.me().tell(Tick);
    }
    #[on]
    fn go(&mut self, _: Go) {}
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        self.0.leave(&cx.me());
    }
}

/// Sleeps in its handler.
pub(crate) struct Drowsy;
#[actor]
impl Drowsy {
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.sleep(1_000 * SECOND).await;
    }
}

/// Begins to send, and drops the send after a second.
pub(crate) struct Impatient(pub(crate) Recipient<Go>);
#[actor]
impl Impatient {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let gone = cx.sleep(SECOND);
        let sent = self.0.send(Go);
        futures_util::pin_mut!(gone, sent);
        futures_util::future::select(gone, sent).await;
    }
}

/// Pipes answers of others to itself.
pub(crate) struct Piper {
    pub(crate) of: ActorRef<Handles<Go>>,
    pub(crate) count: u32,
    pub(crate) halts: bool,
}
#[actor]
impl Piper {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        for _ in 0..self.count {
            let asked = self.of.ask(Go);
            cx.pipe_to_self(asked, |_| Tick);
        }
        if self.halts {
            cx.halt();
        }
    }
    #[on]
    fn tick(&mut self, _: Tick) {}
}

/// Supervises children that end now and then.
pub(crate) struct Parent {
    pub(crate) children: u32,
    pub(crate) fails: bool,
}
#[actor]
impl Parent {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.supervise(actor_core::Supervision::one_for_one().intensity(u32::MAX, SECOND));
        for _ in 0..self.children {
            let mut first = self.fails;
            let child = cx.spawn_with(move || {
                // Panics in its first incarnation.
                let fails = std::mem::take(&mut first);
                handler(move |_: Go, _| assert!(!fails, "as planned"))
            });
            if self.fails {
                child.tell(Go);
            }
        }
        if !self.fails {
            cx.me().tell(Go);
        }
    }
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// Spawns one child after another.
pub(crate) struct Dynasty(pub(crate) u32);
#[actor]
impl Dynasty {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.me().tell(Tick);
    }
    #[on]
    fn tick(&mut self, _: Tick, cx: &mut Context<Self>) {
        cx.spawn(Mortal).tell(Go);
        self.0 -= 1;
        if self.0 > 0 {
            cx.me().tell(Tick);
        }
    }
}

/// Has a name.
pub(crate) struct Named(pub(crate) u32);
#[actor]
impl Named {
    #[start]
    async fn start(&mut self, cx: &mut Context<Self>) {
        let name = format!("actor {}", self.0);
        cx.register(&name, &cx.me());
        let found = cx.lookup::<Named>(name).await.expect("it is registered");
        assert_eq!(found.id(), cx.me().id());
    }
}
