//! Containment of panics and broken rules to their actor.

use std::future::Future;
use std::task::{Context as Task, Poll};
use std::time::Duration;

use crate::support::{Halt, Journal, idle, live};
use actor_core::prelude::*;

#[derive(Debug)]
struct Panic;
#[derive(Debug)]
struct PanicLater;
#[derive(Debug)]
struct PanicOddly;
#[derive(Debug)]
struct PanicInDrop;
#[derive(Debug)]
struct PanicWithBomb;
#[derive(Debug)]
struct Decide;
#[derive(Debug)]
struct RaiseUnhandled;
#[derive(Debug)]
struct Endless;
#[derive(Debug)]
struct OnlyInThere;
#[derive(Debug)]
struct Fine;

#[derive(Default)]
struct Fragile {
    panic_in_drop: bool,
}

#[actor(states(Here, There))]
impl Fragile {
    #[on]
    fn panic(&mut self, _: Panic) {
        panic!("in a {} handler", "sync");
    }

    #[on]
    async fn panic_later(&mut self, _: PanicLater, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(1)).await;
        panic!("in an async handler");
    }

    #[on]
    fn panic_oddly(&mut self, _: PanicOddly) {
        std::panic::panic_any(7);
    }

    #[on]
    fn panic_with_bomb(&mut self, _: PanicWithBomb) {
        std::panic::panic_any(Bomb);
    }

    #[on]
    fn decide(&mut self, _: Decide, cx: &mut Context<Self>) {
        cx.goto(FragileState::There);
        cx.halt();
    }

    #[on]
    fn raise(&mut self, _: RaiseUnhandled, cx: &mut Context<Self>) {
        cx.raise(OnlyInThere);
    }

    #[on]
    fn endless(&mut self, _: Endless, cx: &mut Context<Self>) {
        cx.raise(Endless);
    }

    #[on(There)]
    fn only_in_there(&mut self, _: OnlyInThere) {}

    #[on]
    fn panic_in_drop(&mut self, _: PanicInDrop, cx: &mut Context<Self>) {
        self.panic_in_drop = true;
        cx.halt();
    }

    #[on]
    fn halt(&mut self, _: Halt, cx: &mut Context<Self>) {
        cx.halt();
    }

    #[on]
    fn mine(&mut self, _: Mine) {}

    #[on]
    fn fine(&mut self, _: Fine) {}
}

impl Drop for Fragile {
    fn drop(&mut self) {
        assert!(!self.panic_in_drop, "in a destructor");
    }
}

struct Scene {
    sys: System,
    fragile: ActorRef<Fragile>,
    sound: ActorRef<Fragile>,
    journal: Journal,
}

fn scene() -> Scene {
    let sys = System::new();
    let journal = Journal::new();
    let noted = journal.clone();
    live(&sys).on_failure(move |failure| {
        noted.note(format!(
            "{:?} {}: {}",
            failure.kind, failure.name, failure.message
        ));
    });
    Scene {
        fragile: sys.spawn_named("glass", Fragile::default()),
        sound: sys.spawn(Fragile::default()),
        sys,
        journal,
    }
}

/// Each failure is reported once, and ends its actor alone.
#[tokio::test(start_paused = true)]
async fn a_failure_stays_with_its_actor() {
    type Fails = fn(&ActorRef<Fragile>);
    let failures: [(Fails, &str); 8] = [
        (
            |glass| glass.tell(Panic),
            "Panicked glass: in a sync handler",
        ),
        (
            |glass| glass.tell(PanicLater),
            "Panicked glass: in an async handler",
        ),
        (
            |glass| glass.tell(PanicOddly),
            "Panicked glass: a panic whose payload is not a string",
        ),
        (
            |glass| glass.tell(PanicInDrop),
            "Panicked glass: in a destructor",
        ),
        (
            |glass| glass.tell(Decide),
            "BrokenRule glass: `halt()` after `goto(There)` in one handler of `Fragile`: at most one \
             of goto, raise and halt decides what follows",
        ),
        (
            |glass| glass.tell(RaiseUnhandled),
            "BrokenRule glass: `Fragile` raised OnlyInThere in state Here, which neither handles nor \
             ignores it",
        ),
        (
            |glass| glass.tell(Endless),
            "BrokenRule glass: `Fragile` raised events or changed its state 1000 times without \
             returning to its inbox",
        ),
        (
            |glass| glass.tell(OnlyInThere),
            "Unhandled glass: OnlyInThere in state Here, which neither handles, defers nor ignores it",
        ),
    ];
    for (fails, failure) in failures {
        let scene = scene();
        fails(&scene.fragile);
        scene.sys.sleep(Duration::from_secs(2)).await;
        scene.journal.expect([failure]);
        assert_eq!(scene.fragile.ask(Fine).await, Err(AskError::Stopped));
        assert_eq!(scene.sound.ask(Fine).await, Ok(()));
        assert_eq!(live(&scene.sys).actor_count(), 1);
        scene.sys.shutdown().await.unwrap();
    }
}

#[derive(Debug)]
struct Explode;

/// Panics in an async handler, and again when it is dropped because of that.
struct Twice(Journal);

#[actor]
impl Twice {
    #[on]
    async fn explode(&mut self, _: Explode, cx: &mut Context<Self>) {
        cx.sleep(Duration::from_secs(1)).await;
        panic!("in an async handler");
    }
}

impl Drop for Twice {
    fn drop(&mut self) {
        self.0
            .note(format!("unwinding: {}", std::thread::panicking()));
        panic!("in a destructor");
    }
}

/// A second panic during an unwinding would abort the process.
#[tokio::test(start_paused = true)]
async fn a_panic_in_an_async_handler_and_one_in_the_destructor() {
    let Scene { sys, journal, .. } = scene();
    let twice = sys.spawn_named("glass", Twice(journal.clone()));
    assert_eq!(twice.ask(Explode).await, Err(AskError::Failed));
    idle().await;
    journal.expect([
        "Panicked glass: in an async handler",
        "unwinding: false",
        "Panicked glass: in a destructor",
    ]);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_hook_ends_there() {
    let scene = scene();
    live(&scene.sys).on_failure(|_| panic!("in the hook"));
    scene.fragile.tell(Panic);
    idle().await;
    assert_eq!(scene.sound.ask(Fine).await, Ok(()));
}

/// A panic payload that panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        std::panic::panic_any(Dud);
    }
}

/// A payload whose destructor panics with a [`Bomb`].
struct Dud;

impl Drop for Dud {
    fn drop(&mut self) {
        panic!("of a panic's payload");
    }
}

#[tokio::test(start_paused = true)]
async fn a_payload_that_panics_when_it_is_dropped() {
    let Scene {
        sys,
        journal,
        sound,
        ..
    } = scene();
    let miner = sys.spawner().name("miner").spawn_with(Fragile::default);
    for _ in 0..3 {
        assert_eq!(miner.ask(PanicWithBomb).await, Err(AskError::Failed));
        assert_eq!(miner.ask(Fine).await, Ok(()));
        idle().await;
        journal.expect(["Panicked miner: a panic whose payload is not a string"]);
    }
    assert_eq!(sound.ask(Fine).await, Ok(()));
}

/// An event that panics when it is dropped unread.
#[derive(Debug)]
struct Mine;

impl Drop for Mine {
    fn drop(&mut self) {
        std::panic::panic_any(Bomb);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_unread_may_panic_as_it_is_dropped() {
    let Scene { sys, journal, .. } = scene();
    let field = sys.spawn_named("field", Fragile::default());
    field.tell(Halt);
    field.tell(Mine);
    field.tell(Mine);
    idle().await;
    journal.expect(["Panicked field: a panic whose payload is not a string"; 2]);
    assert_eq!(live(&sys).dead_letters(), 2);
    assert!(!field.is_alive());
    field.tell(Mine);
    assert_eq!(live(&sys).dead_letters(), 3);
    sys.shutdown().await.unwrap();
}

/// A future that panics when it runs, or when it is dropped before.
struct Unsound {
    runs: bool,
}

impl Future for Unsound {
    type Output = ();

    fn poll(self: std::pin::Pin<&mut Self>, _: &mut Task<'_>) -> Poll<Self::Output> {
        match self.runs {
            true => std::panic::panic_any(Bomb),
            false => Poll::Pending,
        }
    }
}

impl Drop for Unsound {
    fn drop(&mut self) {
        assert!(self.runs, "in the destructor of a future");
    }
}

struct Piper;

#[actor]
impl Piper {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        cx.pipe_to_self(Unsound { runs: true }, |()| Fine);
        cx.pipe_to_self(Unsound { runs: false }, |()| Fine);
    }

    #[on]
    fn fine(&mut self, _: Fine) {}
}

#[tokio::test(start_paused = true)]
async fn futures_beside_an_actor_may_panic() {
    let Scene { sys, journal, .. } = scene();
    let piper = sys.spawn_named("piper", Piper);
    idle().await;
    journal.expect(["Background piper: a panic whose payload is not a string"]);
    assert_eq!(piper.ask(Fine).await, Ok(()));
    piper.stop();
    idle().await;
    journal.expect(["Background piper: in the destructor of a future"]);
}

/// User hooks that panic in the worst way.
#[tokio::test(start_paused = true)]
async fn hooks_that_panic_end_nobody() {
    let Scene { sys, sound, .. } = scene();
    live(&sys).on_failure(|_| std::panic::panic_any(Bomb));
    live(&sys).on_dead_letter(|_| std::panic::panic_any(Bomb));
    let miner = sys.spawner().name("miner").spawn_with(Fragile::default);
    for _ in 0..3 {
        assert_eq!(miner.ask(PanicWithBomb).await, Err(AskError::Failed));
    }
    miner.stop();
    idle().await;
    assert_eq!(miner.ask(Fine).await, Err(AskError::Stopped));
    assert_eq!(live(&sys).dead_letters(), 1);
    assert_eq!(sound.ask(Fine).await, Ok(()));
    sys.shutdown().await.unwrap();
}
