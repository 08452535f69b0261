//! Watches and links: notification of the end of other actors, and shared failures.

use super::Context;
use crate::actor::{Actor, ActorRef, AnyRef, Handler};
use crate::asking::Reply;
use crate::dispatch::ActorExecutor;
use crate::identity::ActorId;
use crate::production::LiveActor;
use crate::seam::{self, Action, AnyMail};
use crate::slab::Slot;
use crate::supervision::{StopReason, Terminated};

/// Watches and links: notification of the end of other actors.
impl<A: Actor> Context<A> {
    /// Sends [`Terminated`] to this actor when `other` has stopped, at once if it has already. Any kind
    /// of reference will do. Each call brings one notification.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use actor_core::Actor;
    ///
    /// struct Guard<A: Actor> {
    ///     ward: ActorRef<A>,
    /// }
    ///
    /// #[actor]
    /// impl<A: Actor> Guard<A> {
    ///     #[start]
    ///     fn start(&mut self, cx: &mut Context<Self>) {
    ///         cx.watch(&self.ward);
    ///     }
    ///
    ///     #[on]
    ///     fn terminated(&mut self, end: Terminated, cx: &mut Context<Self>) {
    ///         println!("{} is gone: {:?}", end.actor, end.reason);
    ///         cx.halt();
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If one of the two actors is under test and the other in production.
    pub fn watch(&mut self, other: &impl AnyRef)
    where
        A: Handler<Terminated>,
    {
        match &mut self.home {
            ActorExecutor::Controlled(watcher) => {
                let (id, target) = (other.target().id(), other.target().address());
                let notice = Box::new(move |mail: &dyn AnyMail, reason| put::<A>(mail, id, reason));
                seam::act(Action::Watch {
                    watcher: *watcher,
                    target,
                    notice,
                });
            }
            ActorExecutor::Live(local) => {
                let target = other.target();
                local.watch(&target.watched(), target.id(), notify::<A>);
            }
        }
    }

    /// Ends this actor's watches on the other one. A [`Terminated`] that was sent before is still handled.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// struct Worker;
    /// #[actor]
    /// impl Worker {}
    ///
    /// #[derive(Debug)]
    /// struct Dismiss;
    ///
    /// struct Foreman {
    ///     worker: ActorRef<Worker>,
    /// }
    ///
    /// #[actor]
    /// impl Foreman {
    ///     #[start]
    ///     fn start(&mut self, cx: &mut Context<Self>) {
    ///         cx.watch(&self.worker);
    ///     }
    ///
    ///     #[on]
    ///     fn dismiss(&mut self, _: Dismiss, cx: &mut Context<Self>) {
    ///         cx.unwatch(&self.worker); // its end is in order
    ///         self.worker.stop();
    ///     }
    ///
    ///     #[on]
    ///     fn terminated(&mut self, end: Terminated) {
    ///         panic!("{} has left: {:?}", end.actor, end.reason);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If one of the two actors is under test and the other in production.
    pub fn unwatch(&mut self, other: &impl AnyRef) {
        match &mut self.home {
            ActorExecutor::Controlled(me) => {
                seam::act(Action::Unwatch {
                    watcher: *me,
                    target: other.target().address(),
                });
            }
            ActorExecutor::Live(local) => local.unwatch(other.target().id()),
        }
    }

    /// Links this actor and another: when the value of one fails, the other fails too, with the reason
    /// [`Linked`](crate::StopReason::Linked), and the supervisor of the second, if any, acts. The
    /// second fails even if the first one is restarted, and the failure removes the link. An actor that
    /// halts, is stopped or is killed shares nothing; its end removes the link as well.
    ///
    /// If `other` has already failed for good, its failure is shared at once.
    ///
    /// ```
    /// use actor_core::prelude::*;
    ///
    /// struct Reader;
    /// #[actor]
    /// impl Reader {}
    ///
    /// struct Session {
    ///     reader: ActorRef<Reader>,
    /// }
    ///
    /// #[actor]
    /// impl Session {
    ///     #[start]
    ///     fn start(&mut self, cx: &mut Context<Self>) {
    ///         cx.link(&self.reader);
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// If one of the two actors is under test and the other in production.
    pub fn link<B: Actor>(&mut self, other: &ActorRef<B>) {
        match &self.home {
            ActorExecutor::Controlled(me) => {
                seam::act(Action::Link(*me, other.target().address()));
            }
            ActorExecutor::Live(local) => local.live_actor().link(&other.target().watched()),
        }
    }

    /// Removes the link between this actor and another. A failure that is under way is shared nevertheless.
    ///
    /// # Panics
    ///
    /// If one of the two actors is under test and the other in production.
    pub fn unlink<B: Actor>(&mut self, other: &ActorRef<B>) {
        match &self.home {
            ActorExecutor::Controlled(me) => {
                seam::act(Action::Unlink(*me, other.target().address()));
            }
            ActorExecutor::Live(local) => local.live_actor().unlink(&other.target().watched()),
        }
    }

    /// Makes this actor get a [`Terminated`] in place of a failure of a [linked](Context::link) actor, and
    /// continue. After a restart of this actor, call this method again.
    pub fn trap_links(&mut self)
    where
        A: Handler<Terminated>,
    {
        match &self.home {
            ActorExecutor::Controlled(me) => seam::act(Action::TrapLinks(*me, put::<A>)),
            ActorExecutor::Live(local) => local.live_actor().trap_links(notify::<A>),
        }
    }
}

/// Puts the notice of an actor's end into a watcher's mail.
fn put<A: Handler<Terminated>>(
    mail: &dyn AnyMail,
    actor: ActorId,
    reason: StopReason,
) -> (u32, u16) {
    let ended = Terminated { actor, reason };
    mail.put(&mut Slot::Full(A::__message(ended, Reply::nobody())))
}

/// Sends the notice of an actor's end to a watcher in production.
fn notify<A: Handler<Terminated>>(watcher: &LiveActor, actor: ActorId, reason: StopReason) {
    let ended = Terminated { actor, reason };
    watcher.notify::<A>(A::__message(ended, Reply::nobody()), None);
}
