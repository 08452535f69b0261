//! The actors of the table's programs.

use std::time::Duration;

use actor_core::prelude::*;
use actor_core::{Actor, Group};
use futures_util::future::join_all;

/// Do what you are for.
#[derive(Clone, Debug)]
pub(crate) struct Go;

/// The same, to be told from the other.
#[derive(Clone, Debug)]
pub(crate) struct Tick;

/// Something to be worked off.
#[derive(Debug)]
pub(crate) struct Item;

/// Something to be received within a handler.
#[derive(Debug)]
pub(crate) struct Part;

/// Goes from one state to another.
#[derive(Debug)]
pub(crate) struct Turn;

/// A second, as timers have it.
const SECOND: Duration = Duration::from_secs(1);

/// Halts when it is told to go.
pub(crate) struct Mortal;
#[actor]
impl Mortal {
    #[on]
    fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.halt();
    }
}

/// Is there.
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

/// Sleeps until its timer goes off, after so many milliseconds.
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

/// Arms a timer so many times, and cancels it each time.
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

/// Waits for a timer and then does something, so many times.
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

/// Arms many timers of its own, and cancels each when its event is there but not read.
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

/// Answers when it has had a look at somebody else.
pub(crate) struct Server(pub(crate) ActorRef<Mirror>);
#[actor]
impl Server {
    #[on]
    async fn item(&mut self, _: Item) {
        self.0.ask(Go).await.expect("it lives");
    }
}

/// Answers at once.
pub(crate) struct Mirror;
#[actor]
impl Mirror {
    #[on]
    fn go(&mut self, _: Go) {}
}

/// Needs a part for each item.
pub(crate) struct Joiner;
#[actor(receive(Part))]
impl Joiner {
    #[on]
    async fn item(&mut self, _: Item, cx: &mut Context<Self>) {
        cx.receive::<Part>().await;
    }
}

/// Sends so many items, then as many parts.
pub(crate) struct Feeder {
    pub(crate) to: ActorRef<Joiner>,
    pub(crate) count: u32,
}
#[actor]
impl Feeder {
    #[start]
    fn start(&mut self) {
        for _ in 0..self.count {
            self.to.tell(Item);
        }
        for _ in 0..self.count {
            self.to.tell(Part);
        }
    }
}

/// Keeps its items for later, while it hears the clock.
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

/// Opens for one item at a time.
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

/// Asks so many at once, and awaits the answers one by one or all together.
pub(crate) struct Asker {
    pub(crate) of: ActorRef<Mirror>,
    pub(crate) count: u32,
    pub(crate) together: bool,
}
#[actor]
impl Asker {
    #[start]
    async fn start(&mut self) {
        let asks: Vec<_> = (0..self.count).map(|_| self.of.ask(Go)).collect();
        if self.together {
            join_all(asks).await;
        } else {
            for ask in asks {
                ask.await.expect("it lives");
            }
        }
    }
}

/// Asks a server that is busy.
pub(crate) struct Customer(pub(crate) ActorRef<Server>);
#[actor]
impl Customer {
    #[start]
    async fn start(&mut self) {
        let (one, other) = (self.0.ask(Item), self.0.ask(Item));
        one.await.expect("it lives");
        other.await.expect("it lives");
    }
}

/// Wants to know of the end of others.
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

/// Is linked to somebody, and halts when it is told to.
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

/// Is in a group for a while.
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

/// Sends into a mailbox that has little room.
pub(crate) struct Sender(pub(crate) ActorRef<Idle>);
#[actor]
impl Sender {
    #[start]
    async fn start(&mut self) {
        self.0.send(Go).await.expect("it lives");
    }
}

/// Sleeps over what it hears.
pub(crate) struct Drowsy;
#[actor]
impl Drowsy {
    #[on]
    async fn go(&mut self, _: Go, cx: &mut Context<Self>) {
        cx.sleep(1_000 * SECOND).await;
    }
}

/// Wants to send, and thinks better of it.
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

/// Takes in what others bring.
pub(crate) struct Piper {
    pub(crate) of: ActorRef<Mirror>,
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

/// Has children that end now and then.
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
            let child = cx.spawn_with(move || Child(std::mem::take(&mut first)));
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

/// Fails in its first life.
pub(crate) struct Child(pub(crate) bool);
#[actor]
impl Child {
    #[on]
    fn go(&mut self, _: Go) {
        assert!(!self.0, "as planned");
    }
}

/// Has one child after another.
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

/// Does a job.
pub(crate) struct Worker;
#[actor]
impl Worker {
    #[on]
    fn item(&mut self, _: Item) {}
}
