//! Proxies of named actors, which survive a restart of the actor's node: [`Proxy`].

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use super::table::{EVENTS_MAX, handled, joined};
use crate::actor::Scope;
use crate::actor::names::{LookupError, NameLookup};
use crate::actor::{Actor, ActorRef, Call, Context, Flow, Handler};
use crate::asking::Reply;
use crate::environment::forever;
use crate::event::Event;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::production::DeadLetterReason;
use crate::seam::CannotCross;
use crate::slab::Slot;
use crate::table::{ActorInfo, EventInfo, Stateless};

/// A reference to a [`Proxy`] of an `A`.
pub type ProxyRef<A> = ActorRef<Proxy<A>>;

/// A proxy of a named actor: it accepts the same events, and forwards each to the current actor.
///
/// An ordinary reference leads to one actor, never to its successor on a restarted
/// [node](crate::System::node). A proxy looks the name up again. A proxy is spawned like any actor, and used
/// by an [`ActorRef`], called [`ProxyRef`]: it supports `tell`, `ask`, watching and registration. An asker
/// gets the actor's reply.
///
/// The proxy looks the name up when an event arrives while no actor is known. Events that arrive during the
/// look-up are kept, and forwarded in order: a thousand unless [`capacity`](Proxy::capacity) sets another
/// limit. An event beyond the limit is a dead letter, as with a full mailbox. If the look-up fails, because
/// nobody has the name or the node is down, the kept events are dead letters, and askers get
/// [`AskError::Stopped`](crate::AskError::Stopped) or
/// [`AskError::Disconnected`](crate::AskError::Disconnected). The proxy [watches](Context::watch) the actor.
/// Events forwarded to an actor that ends may be lost. So no event is sent twice, and not every event
/// arrives: use `ask` for an event that must arrive, and repeat it.
///
/// A node that does not exist, and an actor of another type, are reported as errors that nobody receives.
/// Monitors observe an event as sent when it is sent to the proxy, and as handled when the actor handles it,
/// with the proxy as its sender. An actor has 255 types of events at most; more is a compile error.
///
/// ```
/// use actor_core::services::Proxy;
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Greet;
///
/// struct Greeter;
///
/// #[actor]
/// impl Greeter {
///     #[on]
///     fn greet(&mut self, _: Greet) -> &'static str {
///         "hello"
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let sys = System::new();
/// sys.node("n1", |node| {
///     node.spawner().name("greeter").registered().spawn(Greeter);
/// });
/// let greeter = sys.spawn(Proxy::<Greeter>::new("n1/greeter"));
/// assert_eq!(greeter.ask(Greet).await?, "hello");
///
/// sys.faults().restart("n1");
/// while greeter.ask(Greet).await.is_err() {} // until it has heard of the end
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub struct Proxy<A: Actor> {
    name: Box<str>,
    /// The largest number of kept events.
    room: usize,
    known: Resolution<A>,
}

const ROOM: usize = 1_000;

/// The result of the latest look-up.
enum Resolution<A: Actor> {
    Nobody,
    /// A look-up is in progress; the messages wait for its end.
    Pending(Vec<A::Message>),
    Actor(ActorRef<A>),
}

impl<A: Actor> Proxy<A> {
    /// Returns a proxy of the actor with that name, as seen from where the proxy is spawned: `"n2/replica"`,
    /// or `"replica"` on the same node.
    pub fn new(name: impl AsRef<str>) -> Self {
        Self {
            name: name.as_ref().into(),
            room: ROOM,
            known: Resolution::Nobody,
        }
    }

    /// Limits the number of events that are kept during a look-up, which lasts until a link is healed or a
    /// node has booted. One more event is a dead letter, and its asker gets
    /// [`AskError::Full`](crate::AskError::Full).
    ///
    /// ```
    /// # use actor_core::prelude::*;
    /// use actor_core::services::Proxy;
    /// # struct Greeter;
    /// # #[actor]
    /// # impl Greeter {}
    ///
    /// let greeter = Proxy::<Greeter>::new("n1/greeter").capacity(10);
    /// ```
    #[must_use]
    pub fn capacity(mut self, room: usize) -> Self {
        self.room = room;
        self
    }

    fn pass_on(&mut self, message: A::Message, cx: &mut Context<Self>) {
        match &mut self.known {
            Resolution::Actor(actor) => actor.target().pass_on::<A>(&mut Slot::Full(message)),
            Resolution::Pending(kept) if kept.len() < self.room => kept.push(message),
            Resolution::Pending(_) => {
                record_dead_letters(vec![message], DeadLetterReason::Full, cx)
            }
            Resolution::Nobody => {
                self.known = Resolution::Pending(vec![message]);
                let found = cx.lookup(&self.name);
                cx.beside(forever(follow(cx.me(), found)));
            }
        }
    }

    fn found(&mut self, found: Result<ActorRef<A>, LookupError>, cx: &Context<Self>) {
        let kept = match std::mem::replace(&mut self.known, Resolution::Nobody) {
            Resolution::Pending(kept) => kept,
            Resolution::Nobody | Resolution::Actor(_) => Vec::new(),
        };
        match found {
            Ok(actor) => {
                for message in kept {
                    actor.target().pass_on::<A>(&mut Slot::Full(message));
                }
                self.known = Resolution::Actor(actor);
            }
            Err(LookupError::Unreachable) => {
                record_dead_letters(kept, DeadLetterReason::Unreachable, cx)
            }
            Err(error) => {
                if let LookupError::UnknownNode { .. } | LookupError::OtherType(_) = error {
                    cx.report(&format!("the proxy of `{}`: {error}", self.name));
                }
                record_dead_letters(kept, DeadLetterReason::Unknown, cx);
            }
        }
    }

    fn stop(&mut self, cx: &Context<Self>) {
        if let Resolution::Pending(kept) = std::mem::replace(&mut self.known, Resolution::Nobody) {
            record_dead_letters(kept, DeadLetterReason::Stopped, cx);
        }
    }
}

fn record_dead_letters<A: Actor>(
    kept: Vec<A::Message>,
    why: DeadLetterReason,
    cx: &Context<Proxy<A>>,
) {
    let me = cx.me();
    for message in kept {
        let message = Message(Inner::Passed(message));
        me.target().lose::<Proxy<A>>(message, why);
    }
}

/// Reports the result of a look-up to the proxy, and later the end of the actor found.
async fn follow<A: Actor>(proxy: ProxyRef<A>, found: NameLookup<ActorRef<A>>) {
    let found = found.await;
    let actor = found.clone().ok();
    let tell = |inner| {
        proxy.target().tell_own::<Proxy<A>>(Message(inner));
    };
    tell(Inner::Found(LookupDone(found)));
    if let Some(actor) = actor {
        actor.stopped().await;
        tell(Inner::Ended(TargetEnded));
    }
}

impl<A: Actor> fmt::Debug for Proxy<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Proxy");
        shown.field("name", &self.name);
        match &self.known {
            Resolution::Nobody => {}
            Resolution::Pending(kept) => drop(shown.field("kept", &kept.len())),
            Resolution::Actor(actor) => drop(shown.field("actor", actor)),
        }
        shown.finish()
    }
}

/// The messages of a proxy.
pub struct Message<A: Actor>(Inner<A>);

enum Inner<A: Actor> {
    Passed(A::Message),
    Found(LookupDone<A>),
    Ended(TargetEnded),
}

struct LookupDone<A: Actor>(Result<ActorRef<A>, LookupError>);

impl<A: Actor> fmt::Debug for LookupDone<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Found").field(&self.0).finish()
    }
}

#[derive(Debug)]
struct TargetEnded;

/// The event table of a proxy: the actor's events, and the proxy's own.
struct Table<A>(PhantomData<A>);

impl<A: Actor> Table<A> {
    const OWN: [EventInfo; 2] = [
        EventInfo::own::<LookupDone<A>>("Found"),
        EventInfo::own::<TargetEnded>("Ended"),
    ];
    const LEN: usize = A::INFO.events.len() + Self::OWN.len();
    const ALL: &'static [EventInfo; EVENTS_MAX] = &joined(A::INFO.events, Self::OWN);
    const EVENTS: &'static [EventInfo] = Self::ALL.split_at(Self::LEN).0;
}

impl<A: Actor> Actor for Proxy<A> {
    type Message = Message<A>;
    type State = Stateless;
    const INFO: &'static ActorInfo = &ActorInfo {
        name: "Proxy",
        events: Table::<A>::EVENTS,
        states: &[],
        dispositions: handled(Table::<A>::LEN),
        starts: false,
        defers: false,
        relays: true,
    };

    fn first_state() -> Stateless {
        Stateless
    }

    fn __event_index(message: &Message<A>) -> u16 {
        let own = A::INFO.events.len() as u16;
        match &message.0 {
            Inner::Passed(message) => A::__event_index(message),
            Inner::Found(_) => own,
            Inner::Ended(_) => own + 1,
        }
    }

    fn __event(message: &Message<A>) -> &dyn Event {
        match &message.0 {
            Inner::Passed(message) => A::__event(message),
            Inner::Found(found) => found,
            Inner::Ended(ended) => ended,
        }
    }

    fn __debug(&self) -> Option<&dyn fmt::Debug> {
        Some(self)
    }

    /// The fingerprint covers the known actor, or the messages that wait for the look-up.
    fn __offer(&self, to: &mut Fingerprinter) -> bool {
        match &self.known {
            Resolution::Nobody => to.write_u8(0),
            Resolution::Pending(kept) => {
                to.write_u8(1);
                return kept.iter().all(|message| A::__offer_event(message, to));
            }
            Resolution::Actor(actor) => {
                to.write_u8(2);
                actor.fingerprint(to);
            }
        }
        true
    }

    fn __offer_event(message: &Message<A>, to: &mut Fingerprinter) -> bool {
        match &message.0 {
            Inner::Passed(message) => return A::__offer_event(message, to),
            Inner::Found(LookupDone(Ok(actor))) => actor.fingerprint(to),
            Inner::Found(LookupDone(Err(error))) => error.to_string().hash(to),
            Inner::Ended(_) => {}
        }
        true
    }

    fn __carry(message: &Message<A>) -> Result<Message<A>, CannotCross> {
        match &message.0 {
            Inner::Passed(message) => Ok(Message(Inner::Passed(A::__carry(message)?))),
            Inner::Found(_) | Inner::Ended(_) => {
                unreachable!("a proxy tells itself, on its own node")
            }
        }
    }

    fn __call(&mut self, call: Call<Self>, cx: &mut Context<Self>) -> Flow<Self> {
        match call {
            Call::Event(Message(Inner::Passed(message))) => self.pass_on(message, cx),
            Call::Event(Message(Inner::Found(LookupDone(found)))) => self.found(found, cx),
            Call::Event(Message(Inner::Ended(_))) => self.known = Resolution::Nobody,
            Call::Stop => self.stop(cx),
            Call::Start | Call::Entry(_) | Call::Exit(_) => {}
        }
        Flow::Done
    }
}

impl<E: Event, A: Handler<E>> Handler<E> for Proxy<A> {
    type Reply = A::Reply;
    const EVENT: u16 = A::EVENT;

    fn __message(event: E, reply: Reply<A::Reply>) -> Message<A> {
        Message(Inner::Passed(A::__message(event, reply)))
    }

    fn __unwrap(message: Message<A>) -> Result<(E, Reply<A::Reply>), Message<A>> {
        match message.0 {
            Inner::Passed(message) => {
                A::__unwrap(message).map_err(|message| Message(Inner::Passed(message)))
            }
            own => Err(Message(own)),
        }
    }
}
