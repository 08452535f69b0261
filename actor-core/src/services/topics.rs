//! Publish and subscribe: [`Topics`].

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};

use actor_macros::actor;

use super::group::Members;
use crate::actor::Scope;
use crate::actor::reference_macros::by_identity;
use crate::actor::{ActorRef, AnyRef, Recipient};
use crate::event::Event;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::identity::ActorId;
use crate::insertion_ordered_map::CleanupSchedule;
use crate::system::System;

/// Topics for publish and subscribe: an event published under a topic is sent to the subscribers of that
/// topic only. Publishers and subscribers need not know each other. Cheap to clone.
///
/// Like a [`Group`](crate::services::Group), this is an actor: the requests of one sender are carried out in
/// order. Subscribers receive events in the order in which they arrived here; one event is sent to them in
/// the order of subscription. There is no order between the requests of two senders. A topic exists as soon
/// as somebody subscribes; an event under a topic without subscribers is dropped. Stopped subscribers are
/// removed.
///
/// ```
/// use actor_core::prelude::*;
/// use actor_core::services::Topics;
///
/// #[derive(Clone, Debug)]
/// struct Price(u64);
/// #[derive(Debug)]
/// struct Last;
///
/// #[derive(Default)]
/// struct Trader {
///     last: u64,
/// }
///
/// #[actor]
/// impl Trader {
///     #[on]
///     fn price(&mut self, price: Price) {
///         self.last = price.0;
///     }
///
///     #[on]
///     fn last(&mut self, _: Last) -> u64 {
///         self.last
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let prices = Topics::new(&sys);
/// let (copper, tin) = (sys.spawn(Trader::default()), sys.spawn(Trader::default()));
/// prices.subscribe("copper", &copper);
/// prices.subscribe("tin", &tin);
/// prices.publish("copper", Price(8));
/// # assert_eq!(prices.subscribers("copper").await, [copper.id()]);
/// assert_eq!(copper.ask(Last).await, Ok(8));
/// assert_eq!(tin.ask(Last).await, Ok(0));
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub struct Topics<K, E: Event + Clone>
where
    K: Event + Ord + Hash + Clone,
{
    actor: ActorRef<Subscriptions<K, E>>,
}

impl<K: Event + Ord + Hash + Clone, E: Event + Clone> Topics<K, E> {
    /// Starts topics without subscribers.
    pub fn new(sys: &System) -> Self {
        Self {
            actor: sys.spawn(Subscriptions::default()),
        }
    }

    /// Starts topics with a name, which logs and reports show.
    pub fn named(sys: &System, name: &str) -> Self {
        Self {
            actor: sys.spawn_named(name, Subscriptions::default()),
        }
    }

    /// Subscribes an actor to a topic. An actor that subscribes again still receives each event once.
    pub fn subscribe(&self, topic: K, subscriber: impl Into<Recipient<E>>) {
        let request = TopicsRequest::Subscribe(topic, subscriber.into());
        self.actor.tell(request);
    }

    /// Cancels the subscription of an actor to a topic.
    pub fn unsubscribe(&self, topic: K, subscriber: &impl AnyRef) {
        let request = TopicsRequest::Unsubscribe(topic, subscriber.target().id());
        self.actor.tell(request);
    }

    /// Sends the event to all subscribers of the topic.
    pub fn publish(&self, topic: K, event: E) {
        self.actor.tell(TopicsRequest::Publish(topic, event));
    }

    /// Returns the living subscribers of the topic, after the caller's earlier requests were carried out.
    pub fn subscribers(&self, topic: K) -> impl Future<Output = Vec<ActorId>> + Send + use<K, E> {
        let subscribers = self.actor.ask(TopicsRequest::Subscribers(topic));
        async move { subscribers.await.unwrap_or_default() }
    }

    /// The identity of the actor behind the topics.
    pub fn id(&self) -> ActorId {
        self.actor.id()
    }
}

impl<K: Event + Ord + Hash + Clone, E: Event + Clone> Clone for Topics<K, E> {
    fn clone(&self) -> Self {
        Self {
            actor: self.actor.clone(),
        }
    }
}

impl<K: Event + Ord + Hash + Clone, E: Event + Clone> fmt::Debug for Topics<K, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.actor.fmt(f)
    }
}

by_identity!([K: Event + Ord + Hash + Clone, E: Event + Clone] Topics<K, E>);

/// The actor behind [`Topics`]. Topics without subscribers are removed.
struct Subscriptions<K, E: Event> {
    topics: BTreeMap<K, Members<E>>,
    sweep: CleanupSchedule,
}

impl<K, E: Event> Default for Subscriptions<K, E> {
    fn default() -> Self {
        Self {
            topics: BTreeMap::new(),
            sweep: CleanupSchedule::default(),
        }
    }
}

impl<K: Event + Ord, E: Event> Subscriptions<K, E> {
    fn subscribe(&mut self, topic: K, subscriber: Recipient<E>) {
        if self.sweep.is_due(self.topics.len()) {
            self.topics.retain(|_, members| members.are_any());
            self.sweep.record_cleanup(self.topics.len());
        }
        self.topics.entry(topic).or_default().join(subscriber);
    }

    /// Returns the subscribers of the topic, after removing the stopped ones.
    fn living(&mut self, topic: &K) -> Option<&Members<E>> {
        if !self.topics.get_mut(topic)?.are_any() {
            self.topics.remove(topic);
        }
        self.topics.get(topic)
    }
}

impl<K: Hash, E: Event> Fingerprint for Subscriptions<K, E> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        self.sweep.hash(to);
        to.write_usize(self.topics.len());
        for (topic, members) in &self.topics {
            topic.hash(to);
            members.fingerprint(to);
        }
    }
}

/// The requests to the actor. There is one event type, since one sender's requests are carried out in order.
#[derive(Debug)]
enum TopicsRequest<K, E: Event> {
    Subscribe(K, Recipient<E>),
    Unsubscribe(K, ActorId),
    Publish(K, E),
    Subscribers(K),
}

#[actor(crate = crate)]
impl<K: Event + Ord + Hash + Clone, E: Event + Clone> Subscriptions<K, E> {
    #[on]
    fn request(&mut self, request: TopicsRequest<K, E>) -> Vec<ActorId> {
        match request {
            TopicsRequest::Subscribe(topic, subscriber) => self.subscribe(topic, subscriber),
            TopicsRequest::Unsubscribe(topic, leaver) => {
                if let Some(members) = self.topics.get_mut(&topic) {
                    members.leave(leaver);
                }
            }
            TopicsRequest::Publish(topic, event) => {
                if let Some(members) = self.living(&topic) {
                    members.tell(&event);
                }
            }
            TopicsRequest::Subscribers(topic) => {
                let members = self.living(&topic);
                return members.map(Members::ids).unwrap_or_default();
            }
        }
        Vec::new()
    }
}
