//! Scaling of the production executor: prints the cost of each service at one
//! size and at eight times that size, and the services whose cost grows. No
//! cost may grow with the number of actors, children, timers, members or links.
//!
//! `services 20000` begins with 20000 actors instead of 40000. The default
//! size exceeds most CPU caches.

use std::env;
use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use actor_core::Supervision;
use actor_core::prelude::*;
use actor_core::services::{Group, Pool};
use futures_util::stream;
use tokio::runtime::Builder;

/// The ratio of the second size to the first.
const FACTOR: usize = 8;

/// The ratio of the costs above which a cost grows; cache misses explain smaller ratios.
const GROWS: f64 = 2.5;

/// The number of runs, of which the best counts.
const RUNS: usize = 3;

/// A measured run, which returns the time of its relevant part.
type Run = Pin<Box<dyn Future<Output = Duration>>>;

/// A measured service: its name and its run.
type Service = (&'static str, fn(usize) -> Run);

const SERVICES: [Service; 17] = [
    ("actors: spawn", |n| Box::pin(spawn(n))),
    ("actors: shut down", |n| Box::pin(shut_down(n))),
    ("names: register", |n| Box::pin(register(n))),
    ("names: look up", |n| Box::pin(look_up(n))),
    ("groups: join", |n| Box::pin(join(n))),
    ("groups: leave", |n| Box::pin(leave(n))),
    ("pools: least busy", |n| Box::pin(pool(n))),
    ("links: link", |n| Box::pin(link(n))),
    ("links: end of the others", |n| Box::pin(unlink(n))),
    ("watchers: watch", |n| Box::pin(watch(n))),
    ("watchers: end of the watched", |n| Box::pin(end(n))),
    ("timers: arm", |n| Box::pin(arm(n))),
    ("timers: arm beside n", |n| Box::pin(arm_beside(n))),
    ("streams: attach", |n| Box::pin(attach(n))),
    ("children: stop half", |n| Box::pin(stop_half(n))),
    ("children: end with theirs", |n| Box::pin(end_children(n))),
    ("monitors: an event observed", |n| Box::pin(observe(n))),
];

fn main() -> ExitCode {
    let first = match env::args().nth(1).map(|size| size.parse()) {
        None => 40_000,
        Some(Ok(size)) if size > 0 => size,
        Some(_) => {
            eprintln!("the size is a number above zero, for instance 40000");
            return ExitCode::from(2);
        }
    };
    let second = first * FACTOR;
    println!("| ns for each | n = {first} | n = {second} | times |");
    println!("|---|---:|---:|---:|");
    let mut grows = Vec::new();
    for (name, run) in SERVICES {
        let [few, many] = [first, second].map(|n| best(n, run));
        let times = many / few;
        println!("| {name} | {few:.0} | {many:.0} | {times:.2} |");
        if times > GROWS {
            grows.push(name);
        }
    }
    if grows.is_empty() {
        println!("\nnothing grows");
        ExitCode::SUCCESS
    } else {
        println!("\nit grows: {}", grows.join(", "));
        ExitCode::FAILURE
    }
}

/// Returns nanoseconds per item.
fn best(n: usize, run: fn(usize) -> Run) -> f64 {
    let runs = (0..RUNS).map(|_| {
        let runtime = Builder::new_current_thread().enable_time().build();
        let runtime = runtime.expect("a runtime starts");
        runtime.block_on(run(n)).as_nanos() as f64 / n as f64
    });
    runs.fold(f64::INFINITY, f64::min)
}

#[derive(Clone, Debug)]
struct Tick;
#[derive(Debug)]
struct Fence;
#[derive(Debug)]
struct Link(ActorRef<Idle>);
#[derive(Debug)]
struct Watch(ActorRef<Idle>);
#[derive(Debug)]
struct Arm;
#[derive(Debug)]
struct Attach;
#[derive(Debug)]
struct Halt;

/// Executes one event at a time.
#[derive(Default)]
struct Idle;

#[actor]
impl Idle {
    #[on]
    fn tick(&mut self, _: Tick) {}

    #[on]
    fn fence(&mut self, _: Fence) {}

    #[on]
    fn link(&mut self, link: Link, cx: &mut Context<Self>) {
        cx.link(&link.0);
    }

    #[on]
    fn watch(&mut self, watch: Watch, cx: &mut Context<Self>) {
        cx.watch(&watch.0);
    }

    #[on]
    fn terminated(&mut self, _: Terminated) {}

    #[on]
    fn arm(&mut self, _: Arm, cx: &mut Context<Self>) {
        cx.after(Duration::from_secs(1_000_000), Tick);
    }

    #[on]
    fn attach(&mut self, _: Attach, cx: &mut Context<Self>) {
        cx.attach(stream::pending::<Tick>(), |tick| tick);
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

fn idle(sys: &System, n: usize) -> Vec<ActorRef<Idle>> {
    (0..n).map(|_| sys.spawn(Idle)).collect()
}

/// Waits until all actors have handled their earlier events.
async fn fence(actors: &[ActorRef<Idle>]) {
    let asked: Vec<_> = actors.iter().map(|actor| actor.ask(Fence)).collect();
    for ask in asked {
        ask.await.expect("it answers");
    }
}

/// Waits until at most this number of actors is left.
async fn wait_for(sys: &System, left: usize) {
    let live = sys.as_live().expect("a production system");
    while live.actor_count() > left {
        tokio::task::yield_now().await;
    }
}

async fn timed(run: impl Future) -> Duration {
    let begun = Instant::now();
    run.await;
    begun.elapsed()
}

async fn spawn(n: usize) -> Duration {
    let sys = System::new();
    timed(async { fence(&idle(&sys, n)).await }).await
}

async fn shut_down(n: usize) -> Duration {
    let sys = System::new();
    fence(&idle(&sys, n)).await;
    timed(async { sys.shutdown().await.expect("all stop") }).await
}

async fn register(n: usize) -> Duration {
    let sys = System::new();
    let actor = sys.spawn(Idle);
    let names: Vec<_> = (0..n).map(|name| name.to_string()).collect();
    timed(async {
        for name in &names {
            sys.register(name, &actor);
        }
        sys.lookup::<Idle>("0").await.expect("it is known");
    })
    .await
}

async fn look_up(n: usize) -> Duration {
    let sys = System::new();
    let actor = sys.spawn(Idle);
    let names: Vec<_> = (0..n).map(|name| name.to_string()).collect();
    for name in &names {
        sys.register(name, &actor);
    }
    timed(async {
        for name in &names {
            sys.lookup::<Idle>(name).await.expect("it is known");
        }
    })
    .await
}

async fn join(n: usize) -> Duration {
    let sys = System::new();
    let actors = idle(&sys, n);
    let group = Group::<Tick>::new(&sys);
    timed(async {
        for actor in &actors {
            group.join(actor);
        }
        assert_eq!(group.members().await.len(), n, "all have joined");
    })
    .await
}

async fn leave(n: usize) -> Duration {
    let sys = System::new();
    let actors = idle(&sys, n);
    let group = Group::<Tick>::new(&sys);
    for actor in &actors {
        group.join(actor);
    }
    group.members().await;
    timed(async {
        for actor in &actors {
            group.leave(actor);
        }
        assert_eq!(group.members().await.len(), 0, "all have left");
    })
    .await
}

async fn pool(n: usize) -> Duration {
    let sys = System::new();
    let pool = sys.spawn(Pool::least_busy(n, |_| Idle));
    pool.ask(Fence).await.expect("it answers");
    timed(async {
        let asked: Vec<_> = (0..n).map(|_| pool.ask(Fence)).collect();
        for ask in asked {
            ask.await.expect("it answers");
        }
    })
    .await
}

async fn link(n: usize) -> Duration {
    let sys = System::new();
    let (hub, others) = (sys.spawn(Idle), idle(&sys, n));
    fence(&others).await;
    timed(async {
        for other in &others {
            hub.tell(Link(other.clone()));
        }
        fence(&[hub]).await;
    })
    .await
}

async fn unlink(n: usize) -> Duration {
    let sys = System::new();
    let (hub, others) = (sys.spawn(Idle), idle(&sys, n));
    for other in &others {
        hub.tell(Link(other.clone()));
    }
    fence(&[hub]).await;
    timed(async {
        for other in &others {
            other.tell(Halt);
        }
        wait_for(&sys, 1).await;
    })
    .await
}

async fn watch(n: usize) -> Duration {
    let sys = System::new();
    let (hub, others) = (sys.spawn(Idle), idle(&sys, n));
    fence(&others).await;
    timed(async {
        for other in &others {
            other.tell(Watch(hub.clone()));
        }
        fence(&others).await;
    })
    .await
}

async fn end(n: usize) -> Duration {
    let sys = System::new();
    let (hub, others) = (sys.spawn(Idle), idle(&sys, n));
    for other in &others {
        other.tell(Watch(hub.clone()));
    }
    fence(&others).await;
    timed(async {
        hub.tell(Halt);
        wait_for(&sys, n).await;
        fence(&others).await;
    })
    .await
}

async fn arm(n: usize) -> Duration {
    let sys = System::new();
    let actor = sys.spawn(Idle);
    timed(async {
        for _ in 0..n {
            actor.tell(Arm);
        }
        fence(&[actor]).await;
    })
    .await
}

/// Sets few timers while many are set; returns the time per timer, multiplied by `n`.
async fn arm_beside(n: usize) -> Duration {
    let sys = System::new();
    let actor = sys.spawn(Idle);
    // The lists are full at one below a power of two.
    for _ in 1..n.next_power_of_two() {
        actor.tell(Arm);
    }
    fence(std::slice::from_ref(&actor)).await;
    let few = 1_000;
    let time = timed(async {
        for _ in 0..few {
            actor.tell(Arm);
        }
        fence(&[actor]).await;
    })
    .await;
    time.mul_f64(n as f64 / f64::from(few))
}

async fn attach(n: usize) -> Duration {
    let sys = System::new();
    let actor = sys.spawn(Idle);
    timed(async {
        for _ in 0..n {
            actor.tell(Attach);
        }
        fence(&[actor]).await;
    })
    .await
}

#[derive(Debug)]
struct StopHalf;
#[derive(Debug)]
struct Ready;

/// Has many children.
struct Parent {
    count: usize,
    children: Vec<ActorRef<Idle>>,
}

#[actor]
impl Parent {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.supervise(Supervision::one_for_one());
        let child = |_| cx.spawn_with(Idle::default);
        self.children = (0..self.count).map(child).collect();
    }

    #[on]
    fn ready(&mut self, _: Ready) {}

    #[on]
    fn stop_half(&mut self, _: StopHalf) {
        for child in self.children.iter().step_by(2) {
            child.stop();
        }
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }
}

async fn parent(sys: &System, count: usize) -> ActorRef<Parent> {
    let children = Vec::new();
    let parent = sys.spawn(Parent { count, children });
    parent.ask(Ready).await.expect("it answers");
    parent
}

async fn stop_half(n: usize) -> Duration {
    let sys = System::new();
    let parent = parent(&sys, n).await;
    timed(async {
        parent.tell(StopHalf);
        wait_for(&sys, n / 2 + 1).await;
    })
    .await
}

async fn end_children(n: usize) -> Duration {
    let sys = System::new();
    let parent = parent(&sys, n).await;
    timed(async {
        parent.tell(Halt);
        wait_for(&sys, 0).await;
    })
    .await
}

#[derive(Default)]
struct Ticks {
    seen: u64,
}

#[monitor(hot, cold)]
impl Ticks {
    #[on]
    fn tick(&mut self, _: &Tick, cx: &mut MonitorContext<Self>) {
        self.seen += 1;
        cx.goto(if self.seen.is_multiple_of(2) {
            TicksState::Cold
        } else {
            TicksState::Hot
        });
    }
}

async fn observe(n: usize) -> Duration {
    let sys = System::new();
    sys.monitor::<Ticks>();
    let actor = sys.spawn(Idle);
    timed(async {
        for _ in 0..n {
            actor.tell(Tick);
        }
        fence(&[actor]).await;
    })
    .await
}
