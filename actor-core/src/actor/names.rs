//! Names of actors: registration, lookups, and references by name.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use super::AnyRef;
use crate::asking::Ask;
use crate::dispatch::{Parent, Target};
use crate::environment::{ClockSleep, sleep};
use crate::event::Event;
use crate::identity::Address;
use crate::production::{LiveActor, LiveLookup};
use crate::seam::{
    self, Action, LookupError, NameEntry, NameTaken, NameUse, NewOperation, Purpose, RegisteredRef,
};

/// Registers an actor, and reports a name that is taken as an error that nobody receives.
pub(crate) fn register(
    parent: Parent<'_>,
    name: String,
    target: &Target,
    reference: RegisteredRef,
    with_spawn: bool,
) {
    match parent.hub() {
        Some(hub) => hub.register(name, live_entry(target, reference)),
        None => seam::act(Action::Name(NameUse::Register {
            name,
            entry: controlled_entry(target, reference),
            with_spawn,
        })),
    }
}

fn live_entry(target: &Target, reference: RegisteredRef) -> NameEntry<Arc<LiveActor>> {
    let actor = target.watched().into_owned();
    NameEntry { actor, reference }
}

fn controlled_entry(target: &Target, reference: RegisteredRef) -> NameEntry<Address> {
    let actor = target.address();
    NameEntry { actor, reference }
}

/// Registers an actor; the future returns the outcome.
pub(crate) fn try_register<R: AnyRef>(
    parent: Parent<'_>,
    name: &str,
    actor: &R,
) -> impl Future<Output = Result<(), NameTaken>> + Send + use<R> {
    let (target, reference) = (actor.target(), actor.registered());
    let answer = match parent.hub() {
        Some(hub) => Ok(hub
            .names
            .enter(name.to_owned(), live_entry(target, reference))),
        None => Err(asked(target, |ask, put| {
            let entry = controlled_entry(target, reference);
            NameUse::TryRegister(ask, name.to_owned(), entry, put)
        })),
    };
    async move {
        match answer {
            Ok(answer) => answer,
            Err(ask) => ask.await.unwrap_or(Ok(())),
        }
    }
}

pub(crate) fn unregister(parent: Parent<'_>, name: &str) {
    match parent.hub() {
        Some(hub) => drop(hub.names.remove(name)),
        None => seam::act(Action::Name(NameUse::Unregister(name.to_owned()))),
    }
}

/// Looks up a name, in this registry or in that of a node.
pub(crate) fn find<R: AnyRef>(parent: Parent<'_>, name: &str) -> NameLookup<R> {
    let (source, limit) = match parent.hub() {
        Some(hub) => match hub.find(name) {
            LiveLookup::Now(found) => (LookupSource::Ready(Some(found)), None),
            LiveLookup::Booting(found) => {
                let limit = hub.begin_ask_limit().map(ClockSleep::Live);
                (LookupSource::Booting(found), limit)
            }
        },
        None => {
            let target: Target = seam::with(|rt| rt.spawn(NewOperation::Name(name, None))).into();
            let ask = asked(&target, NameUse::Lookup);
            let limit = match name.contains('/') {
                true => target.ask_limit(),
                false => None,
            };
            (LookupSource::Asked(ask), limit)
        }
    };
    NameLookup {
        source,
        limit,
        reference: PhantomData,
    }
}

/// Uses the registry under test, which answers an `ask` without an event.
fn asked<T: Event>(
    target: &Target,
    name_use: impl FnOnce(seam::AskId, Box<dyn FnOnce(T)>) -> NameUse,
) -> Ask<T> {
    let (reply, ask) = target.begin_ask_beside();
    if let Some(id) = ask.controlled() {
        seam::act(Action::Name(name_use(id, Box::new(|of| reply.put(of)))));
    }
    ask
}

/// The future of a look-up; made by [`Scope::lookup`](crate::Scope::lookup).
#[must_use = "await the answer"]
pub struct NameLookup<R> {
    source: LookupSource,
    /// The limit of the system, or one of this look-up.
    limit: Option<ClockSleep>,
    reference: PhantomData<fn() -> R>,
}

type Found = Result<RegisteredRef, LookupError>;

enum LookupSource {
    /// The answer, until it was returned.
    Ready(Option<Found>),
    /// In production: the node boots.
    Booting(Pin<Box<dyn Future<Output = Found> + Send>>),
    /// Under test.
    Asked(Ask<Found>),
}

impl<R> NameLookup<R> {
    /// Limits the wait for the answer; a lookup that exceeds the limit is [`LookupError::TimedOut`].
    /// Without a limit, a lookup on a node that does not come up, or over a link that is cut, waits for
    /// ever. The limit counts from now, and a later one replaces it; it replaces the limit that
    /// [`ask_limit`](crate::System::ask_limit) gives a lookup on another node.
    ///
    /// ```
    /// # use std::time::Duration;
    /// use actor_core::names::LookupError;
    /// use actor_core::prelude::*;
    /// # struct Store;
    /// # #[actor]
    /// # impl Store {}
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let sys = System::new();
    /// let store = sys.lookup::<Store>("store").timeout(Duration::from_secs(5)).await;
    /// assert_eq!(store, Err(LookupError::Unknown));
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If [`Ask::timeout`](crate::Ask::timeout) would panic.
    #[track_caller]
    pub fn timeout(mut self, limit: Duration) -> Self {
        let is_live = match &self.source {
            LookupSource::Ready(_) => return self,
            LookupSource::Booting(_) => true,
            LookupSource::Asked(_) => false,
        };
        self.limit = Some(sleep(is_live, limit, Purpose::Reply));
        self
    }
}

impl<R> fmt::Debug for NameLookup<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NameLookup")
    }
}

impl<R: AnyRef> Future for NameLookup<R> {
    type Output = Result<R, LookupError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let found = match &mut self.source {
            LookupSource::Ready(found) => Poll::Ready(
                found
                    .take()
                    .expect("a future is not polled once it is done"),
            ),
            LookupSource::Booting(found) => found.as_mut().poll(task),
            // The connection broke.
            LookupSource::Asked(ask) => Pin::new(ask)
                .poll(task)
                .map(|found| found.unwrap_or(Err(LookupError::Unreachable))),
        };
        if let Poll::Ready(found) = found {
            return Poll::Ready(found.and_then(|found| {
                R::found(&found).ok_or(LookupError::OtherType(found.type_name()))
            }));
        }
        match &mut self.limit {
            Some(limit) => limit.poll_limit(task).map(|()| Err(LookupError::TimedOut)),
            None => Poll::Pending,
        }
    }
}
