//! The executor of an actor, production or test, as its context holds it: [`ActorExecutor`].

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};
use std::time::Duration;

use super::SpawnParent;
use crate::identity::Address;
use crate::parts::{Mailed, SpawnOptions, mail_of};
use crate::production::{self, Factory, Hub, NamesOn, Spawn, Target};
use crate::runtime;
use crate::supervision::Supervision;

/// The executor that runs an actor, with the actor's local half in production.
pub(crate) enum ActorExecutor {
    Live(production::LocalActor),
    Controlled(Address),
}

impl ActorExecutor {
    pub(crate) fn of(target: &Target) -> Self {
        match target.live_actor() {
            Some(actor) => Self::Live(production::LocalActor::new(actor.clone())),
            None => Self::Controlled(target.address()),
        }
    }

    pub(crate) fn target(&self) -> Target {
        match self {
            Self::Live(side) => Target::live(side.live_actor().clone()),
            Self::Controlled(address) => Target::controlled(*address),
        }
    }

    pub(crate) fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    pub(crate) fn now(&self) -> Duration {
        match self {
            Self::Live(side) => side.now(),
            Self::Controlled(_) => runtime::with(|rt| rt.now()),
        }
    }

    pub(crate) fn node(&self) -> Option<String> {
        match self {
            Self::Live(side) => side.node(),
            Self::Controlled(address) => runtime::with(|rt| rt.node_of(*address)),
        }
    }

    /// Reports a state transition to the tester, which counts transitions.
    pub(crate) fn entered(&self, from: Option<usize>, to: usize) {
        if let Self::Controlled(owner) = self {
            runtime::entered(*owner, from, to);
        }
    }

    pub(crate) fn raised(&self, state: usize, event: u16) {
        if let Self::Controlled(owner) = self {
            runtime::raised(*owner, state, event);
        }
    }

    pub(crate) fn pipe(&mut self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        match self {
            Self::Live(side) => side.pipe(future),
            Self::Controlled(address) => runtime::with(|rt| rt.pipe(*address, future)),
        }
    }

    /// Takes the first queued event of one kind, or waits for it.
    pub(crate) fn poll_receive<A: Mailed>(
        &mut self,
        event: u16,
        task: &TaskContext<'_>,
    ) -> Poll<A::Message> {
        match self {
            Self::Live(side) => {
                let slot = ready!(side.poll_receive(event, task));
                Poll::Ready(mail_of::<A>(side.mail()).take(slot))
            }
            Self::Controlled(owner) => {
                let (mail, slot) = ready!(runtime::receive(*owner, event, task.waker()));
                Poll::Ready(mail_of::<A>(&*mail).take(slot))
            }
        }
    }

    /// Notifies the tester that the wait for the event is over.
    pub(crate) fn receive_dropped(&self, event: u16) {
        if let Self::Controlled(owner) = self {
            runtime::try_with(|rt| rt.receive_dropped(*owner, event));
        }
    }

    /// Returns the actor's local half in production.
    pub(crate) fn side(&mut self) -> &mut production::LocalActor {
        match self {
            Self::Live(side) => side,
            Self::Controlled(_) => unreachable!("production runs live actors"),
        }
    }
}

impl SpawnParent for ActorExecutor {
    fn start(&self, actor: &mut dyn Spawn, options: &SpawnOptions) -> Target {
        match self {
            Self::Live(side) => side.spawn(actor, options),
            Self::Controlled(_) => runtime::spawn(actor, options),
        }
    }

    fn start_with(&self, factory: Factory, options: &SpawnOptions) -> Target {
        match self {
            Self::Live(side) => side.spawn_with(factory, options),
            Self::Controlled(me) => runtime::spawn_with(Some(*me), factory, options),
        }
    }

    fn names(&self, registry: &mut dyn Spawn) -> Target {
        match self {
            Self::Live(side) => side.names(registry),
            Self::Controlled(_) => runtime::names(registry),
        }
    }

    fn names_on(&self, node: &str) -> NamesOn {
        match self {
            Self::Live(side) => side.names_on(node),
            Self::Controlled(_) => runtime::with(|rt| rt.names_on(node)),
        }
    }

    fn supervise(&self, supervision: Supervision) {
        match self {
            Self::Live(local) => local.supervise(supervision),
            Self::Controlled(me) => runtime::with(|rt| rt.supervise(*me, supervision)),
        }
    }

    fn hub(&self) -> Option<&Hub> {
        match self {
            Self::Live(local) => Some(local.hub()),
            Self::Controlled(_) => None,
        }
    }
}
