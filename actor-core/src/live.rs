//! The production executor, on tokio.

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use crate::actor::{Actor, Handler};
use crate::error::Error;
use crate::event::Event;
use crate::monitor::AnyMonitor;
use crate::reference::{ActorId, ActorRef};
use crate::system::System;
use crate::timer::Timer;
use crate::watch::StopReason;

/// A production system's own settings.
#[derive(Clone)]
pub struct LiveSystem;

impl LiveSystem {
    pub(crate) fn new() -> Self {
        todo!()
    }
    pub(crate) fn spawn<A: Actor>(&self, _actor: A, _name: Option<&str>) -> ActorRef<A> {
        todo!()
    }
    pub(crate) fn monitor(&self, _monitor: Box<dyn AnyMonitor>) {
        todo!()
    }
    pub(crate) fn announce(&self, _event: &dyn Event, _sender: Option<ActorId>) {
        todo!()
    }
    pub(crate) fn now(&self) -> Duration {
        todo!()
    }
    pub(crate) async fn shutdown(&self, _deadline: Duration) -> Result<(), Error> {
        todo!()
    }
}

/// Where events for a live actor go.
pub(crate) struct Cell<A: Actor>(PhantomData<fn() -> A>);

impl<A: Actor> Cell<A> {
    pub(crate) fn id(&self) -> ActorId {
        ActorId::live(0)
    }
    pub(crate) fn name(&self) -> &str {
        todo!()
    }
    /// Sends; what can't be delivered becomes a dead letter.
    pub(crate) fn tell(&self, _message: A::Message) {
        todo!()
    }
    /// Sends, or gives the message back where the actor has stopped.
    pub(crate) fn post(&self, _message: A::Message) -> Result<(), A::Message> {
        todo!()
    }
}

/// A cell by one of the events that its actor handles.
pub(crate) trait Accept<E>: Send + Sync {
    fn tell(&self, event: E);
    fn id(&self) -> ActorId;
    fn name(&self) -> &str;
}

impl<A: Actor + Handler<E>, E: Event> Accept<E> for Cell<A> {
    fn tell(&self, event: E) {
        Cell::tell(self, A::message(event, crate::reply::Reply::nobody()));
    }
    fn id(&self) -> ActorId {
        Cell::id(self)
    }
    fn name(&self) -> &str {
        Cell::name(self)
    }
}

/// The live part of a context.
pub(crate) struct Side<A: Actor>(PhantomData<fn() -> A>);

impl<A: Actor> Side<A> {
    pub(crate) fn system(&self) -> &System {
        todo!()
    }
    pub(crate) fn announce(&self, _event: &dyn Event) {
        todo!()
    }
    pub(crate) fn after(&self, _delay: Duration, _message: A::Message) -> Timer {
        todo!()
    }
    pub(crate) fn every(
        &self,
        _period: Duration,
        _next: impl Fn() -> A::Message + Send + 'static,
    ) -> Timer {
        todo!()
    }
    pub(crate) fn watch<B: Actor>(
        &self,
        _other: &ActorRef<B>,
        _notice: impl FnOnce(StopReason) -> A::Message + Send + 'static,
    ) {
        todo!()
    }
    pub(crate) fn pipe(&self, _future: impl Future<Output = ()> + Send + 'static) {
        todo!()
    }
    pub(crate) fn failed(&self, _event: &str, _error: &str) {
        todo!()
    }
    /// Takes the first queued event of that kind, keeping the others in their order.
    pub(crate) fn poll_receive(
        &mut self,
        _event: u16,
        _task: &mut TaskContext<'_>,
    ) -> Poll<A::Message> {
        todo!()
    }
}

/// An armed timer.
#[derive(Clone, Debug)]
pub(crate) struct LiveTimer(Arc<()>);

impl LiveTimer {
    pub(crate) fn cancel(self) {}
}
