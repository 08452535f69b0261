//! Actors that are closures: most programs of tests need a single handler of each actor.

use std::hash::{Hash, Hasher};
use std::pin::Pin;

use actor_core::prelude::*;
use actor_core::{Event, Handler, actor};

type Start = Box<dyn FnOnce(&mut Context<AtStart>) + Send>;

/// Calls a closure at its start.
pub struct AtStart(Option<Start>);

#[actor]
impl AtStart {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        if let Some(start) = self.0.take() {
            start(cx);
        }
    }
}

/// Returns an actor that calls this closure at its start.
pub fn starter(start: impl FnOnce(&mut Context<AtStart>) + Send + 'static) -> AtStart {
    AtStart(Some(Box::new(start)))
}

/// Spawns an actor that calls this closure at its start.
pub fn at_start(
    sys: &System,
    start: impl FnOnce(&mut Context<AtStart>) + Send + 'static,
) -> ActorRef<AtStart> {
    sys.spawn(starter(start))
}

/// Awaits a future at its start.
pub struct Awaiting(Option<Pin<Box<dyn Future<Output = ()> + Send>>>);

#[actor]
impl Awaiting {
    #[start]
    async fn start(&mut self) {
        if let Some(future) = self.0.take() {
            future.await;
        }
    }
}

/// Spawns an actor that awaits this future at its start.
pub fn awaiting(
    sys: &System,
    future: impl Future<Output = ()> + Send + 'static,
) -> ActorRef<Awaiting> {
    sys.spawn(Awaiting(Some(Box::pin(future))))
}

type Handle<E, R> = Box<dyn FnMut(E, &mut Context<Handles<E, R>>) -> R + Send>;

/// Calls a closure with each event of one type, and answers with what it returns.
pub struct Handles<E: Event, R: Event = ()>(Handle<E, R>);

#[actor]
impl<E: Event, R: Event> Handles<E, R> {
    #[on]
    fn handle(&mut self, event: E, cx: &mut Context<Self>) -> R {
        (self.0)(event, cx)
    }
}

/// Returns an actor that calls this closure with each event of a type.
pub fn handler<E: Event, R: Event>(
    handle: impl FnMut(E, &mut Context<Handles<E, R>>) -> R + Send + 'static,
) -> Handles<E, R> {
    Handles(Box::new(handle))
}

/// Spawns an actor that calls this closure with each event of a type.
pub fn handles<E: Event, R: Event>(
    sys: &System,
    handle: impl FnMut(E, &mut Context<Handles<E, R>>) -> R + Send + 'static,
) -> ActorRef<Handles<E, R>> {
    sys.spawn(handler(handle))
}

type HandleAsync<E> = Box<dyn FnMut(E) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// Awaits the future that a closure makes of each event of one type.
pub struct HandlesAsync<E: Event>(HandleAsync<E>);

#[actor]
impl<E: Event> HandlesAsync<E> {
    #[on]
    async fn handle(&mut self, event: E) {
        (self.0)(event).await;
    }
}

/// Spawns an actor that awaits the future that this closure makes of each event of a type.
pub fn handles_async<E: Event, F: Future<Output = ()> + Send + 'static>(
    sys: &System,
    mut handle: impl FnMut(E) -> F + Send + 'static,
) -> ActorRef<HandlesAsync<E>> {
    sys.spawn(HandlesAsync(Box::new(move |event| Box::pin(handle(event)))))
}

/// A ball, with the player who has hit it.
#[derive(Debug)]
pub struct Ball(pub Recipient<Ball>);

/// Two actors answer each other for ever.
pub fn volley(sys: &System) {
    let [one, other] = [(); 2].map(|()| {
        handles(sys, |ball: Ball, cx| {
            ball.0.tell(Ball(cx.recipient()));
        })
    });
    one.tell(Ball(other.recipient()));
}

/// Sends an event at its start. States can be compared.
#[derive(Hash)]
pub struct Tells<E: Event>(Recipient<E>, E);

#[actor]
impl<E: Event + Hash + Clone> Tells<E> {
    #[start]
    fn start(&mut self) {
        self.0.tell(self.1.clone());
    }
}

/// Spawns an actor that sends this event at its start.
pub fn tells<E: Event + Hash + Clone, A: Handler<E>>(sys: &System, to: &ActorRef<A>, event: E) {
    sys.spawn(Tells(to.recipient(), event));
}

type Step<S, E> = Box<dyn FnMut(&mut S, E, &mut Context<Machine<S, E>>) + Send>;

/// Calls a closure with its state and each event of one type. States can be compared.
pub struct Machine<S: Hash + Send + 'static, E: Event + Hash> {
    /// The state.
    pub state: S,
    step: Step<S, E>,
}

impl<S: Hash + Send + 'static, E: Event + Hash> Hash for Machine<S, E> {
    fn hash<H: Hasher>(&self, to: &mut H) {
        self.state.hash(to);
    }
}

#[actor]
impl<S: Hash + Send + 'static, E: Event + Hash> Machine<S, E> {
    #[on]
    fn step(&mut self, event: E, cx: &mut Context<Self>) {
        (self.step)(&mut self.state, event, cx);
    }
}

/// Spawns an actor that calls this closure with its state and each event of a type.
pub fn machine<S: Hash + Send + 'static, E: Event + Hash>(
    sys: &System,
    state: S,
    step: impl FnMut(&mut S, E, &mut Context<Machine<S, E>>) + Send + 'static,
) -> ActorRef<Machine<S, E>> {
    let step = Box::new(step);
    sys.spawn(Machine { state, step })
}
