//! The executor of an actor, production or test, as its context holds it: [`ActorExecutor`].

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll, ready};
use std::time::Duration;

use super::{Parent, Target};
use crate::identity::Address;
use crate::production::LocalActor;
use crate::seam::{self, Dropped, Mailed, NewOperation, Note, Query, mail_of};

/// The executor that runs an actor, with the actor's local half in production.
pub(crate) enum ActorExecutor {
    Live(LocalActor),
    Controlled(Address),
}

impl ActorExecutor {
    pub(crate) fn of(target: &Target) -> Self {
        match target.live_actor() {
            Some(actor) => Self::Live(LocalActor::new(actor.into_owned())),
            None => Self::Controlled(target.address()),
        }
    }

    pub(crate) fn target(&self) -> Target {
        match self {
            Self::Live(local) => local.live_actor().clone().into(),
            Self::Controlled(address) => (*address).into(),
        }
    }

    /// Returns this actor as the parent of the actors that it spawns.
    pub(crate) fn parent(&self) -> Parent<'_> {
        match self {
            Self::Live(local) => Parent::live(local.hub(), Some(local.live_actor())),
            Self::Controlled(address) => Parent::controlled(Some(*address)),
        }
    }

    pub(crate) fn is_live(&self) -> bool {
        matches!(self, Self::Live(_))
    }

    pub(crate) fn now(&self) -> Duration {
        match self {
            Self::Live(local) => local.now(),
            Self::Controlled(_) => seam::with(|rt| rt.now(false)),
        }
    }

    pub(crate) fn node(&self) -> Option<String> {
        match self {
            Self::Live(local) => local.node(),
            Self::Controlled(address) => seam::query(|to| Query::NodeName(*address, to)),
        }
    }

    /// Reports a state transition to the tester, which counts transitions.
    pub(crate) fn entered(&self, from: Option<usize>, to: usize) {
        if let Self::Controlled(owner) = self {
            let owner = *owner;
            seam::note(Note::Entered { owner, from, to });
        }
    }

    pub(crate) fn raised(&self, state: usize, event: u16) {
        if let Self::Controlled(owner) = self {
            let owner = *owner;
            seam::note(Note::Raised {
                owner,
                state,
                event,
            });
        }
    }

    pub(crate) fn pipe(&mut self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        match self {
            Self::Live(local) => local.pipe(future),
            Self::Controlled(address) => {
                seam::with(|rt| rt.spawn(NewOperation::Future(*address, future)));
            }
        }
    }

    /// Takes the first queued event of one kind, or waits for it.
    pub(crate) fn poll_receive<A: Mailed>(
        &mut self,
        event: u16,
        task: &TaskContext<'_>,
    ) -> Poll<A::Message> {
        match self {
            Self::Live(local) => {
                let slot = ready!(local.poll_receive(event, task));
                Poll::Ready(mail_of::<A>(local.mail()).take(slot))
            }
            Self::Controlled(owner) => {
                let (mail, slot) = ready!(seam::poll_event(*owner, event, task.waker()));
                Poll::Ready(mail_of::<A>(&*mail).take(slot))
            }
        }
    }

    /// Notifies the tester that the wait for the event is over.
    pub(crate) fn receive_dropped(&self, event: u16) {
        if let Self::Controlled(owner) = self {
            seam::dropped(Dropped::Receive(*owner, event));
        }
    }

    /// Returns the actor's local half in production.
    pub(crate) fn local(&mut self) -> &mut LocalActor {
        match self {
            Self::Live(local) => local,
            Self::Controlled(_) => unreachable!("production runs live actors"),
        }
    }
}
