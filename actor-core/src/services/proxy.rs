//! An actor that is found by name again and again: [`Proxy`].

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use super::table::{EVENTS_MAX, handled, joined};
use crate::actor::names::{LookupError, NameLookup};
use crate::actor::{Actor, ActorRef, Call, Context, Flow, Handler};
use crate::asking::Reply;
use crate::environment::forever;
use crate::event::Event;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::parts::CannotCross;
use crate::production::DeadLetterReason;
use crate::slab::Slot;
use crate::table::{ActorInfo, EventInfo, Stateless};

/// A reference to a proxy of such an actor.
pub type ProxyRef<A> = ActorRef<Proxy<A>>;

/// Stands for whoever has a name: an actor that handles what that one handles, and hands each event on
/// to it.
///
/// A reference to an actor leads to that actor, and to nobody once it has ended: not to the one that a
/// restarted [node](crate::System::node) runs in its place. A proxy looks the name up anew. It is
/// spawned as any actor and known by an [`ActorRef`], called [`ProxyRef`]: it is told and asked, watched
/// and registered as any. Who asks gets the actor's reply.
///
/// It looks the name up when it is sent something and knows nobody; what comes meanwhile is kept, and
/// handed on in its order: a thousand events unless [`room`](Proxy::room) says otherwise, and what comes
/// when there are as many is a dead letter, as with a full mailbox. Where that finds nobody, because nobody has the name or the node is down, it
/// is a dead letter, and who asked is told [`AskError::Stopped`](crate::AskError::Stopped) or
/// [`AskError::Disconnected`](crate::AskError::Disconnected). When the actor ends, the proxy hears of
/// it as whoever [watches](Context::watch) it; what it has handed on before is lost. So nothing is sent
/// twice, and not everything arrives: what has to arrive is asked, and asked again.
///
/// A node that does not exist, and an actor of another type, are reported as errors that nobody
/// receives. To monitors the event is sent when the proxy is sent it, and handled when the actor
/// handles it; what they see of its sender then is the proxy. An actor handles 255 types of events at
/// most; more is an error where the proxy is compiled.
///
/// ```
/// use actor_core::Proxy;
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
/// let node = sys.node("n1", |node| {
///     node.spawner().name("greeter").registered().spawn(Greeter);
/// });
/// let greeter = sys.spawn(Proxy::<Greeter>::new("n1/greeter"));
/// assert_eq!(greeter.ask(Greet).await?, "hello");
///
/// node.restart();
/// while greeter.ask(Greet).await.is_err() {} // until it has heard of the end
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub struct Proxy<A: Actor> {
    name: Box<str>,
    /// How many events it keeps.
    room: usize,
    known: Known<A>,
}

/// How many events it keeps unless told otherwise.
const ROOM: usize = 1_000;

/// Whom it knows by the name.
enum Known<A: Actor> {
    Nobody,
    /// It looks for one, and has been sent this.
    Looking(Vec<A::Message>),
    Actor(ActorRef<A>),
}

impl<A: Actor> Proxy<A> {
    /// A proxy of whoever has that name, where the proxy is spawned: `"n2/replica"`, or `"replica"` on
    /// the same node.
    pub fn new(name: impl AsRef<str>) -> Self {
        Self {
            name: name.as_ref().into(),
            room: ROOM,
            known: Known::Nobody,
        }
    }

    /// Keeps so many events at most while it looks the name up, which takes until a link is healed or a
    /// node has booted; one more is a dead letter, and who asked is told
    /// [`AskError::Full`](crate::AskError::Full).
    ///
    /// ```
    /// # use actor_core::prelude::*;
    /// use actor_core::Proxy;
    /// # struct Greeter;
    /// # #[actor]
    /// # impl Greeter {}
    ///
    /// let greeter = Proxy::<Greeter>::new("n1/greeter").room(10);
    /// ```
    #[must_use]
    pub fn room(mut self, room: usize) -> Self {
        self.room = room;
        self
    }

    fn pass_on(&mut self, message: A::Message, cx: &mut Context<Self>) {
        match &mut self.known {
            Known::Actor(actor) => actor.target().pass_on::<A>(&mut Slot::Full(message)),
            Known::Looking(kept) if kept.len() < self.room => kept.push(message),
            Known::Looking(_) => lose(vec![message], DeadLetterReason::Full, cx),
            Known::Nobody => {
                self.known = Known::Looking(vec![message]);
                let found = cx.lookup(&self.name);
                cx.beside(forever(follow(cx.me(), found)));
            }
        }
    }

    fn found(&mut self, found: Result<ActorRef<A>, LookupError>, cx: &Context<Self>) {
        let kept = match std::mem::replace(&mut self.known, Known::Nobody) {
            Known::Looking(kept) => kept,
            Known::Nobody | Known::Actor(_) => Vec::new(),
        };
        match found {
            Ok(actor) => {
                for message in kept {
                    actor.target().pass_on::<A>(&mut Slot::Full(message));
                }
                self.known = Known::Actor(actor);
            }
            Err(LookupError::Unreachable) => lose(kept, DeadLetterReason::Unreachable, cx),
            Err(error) => {
                if let LookupError::UnknownNode { .. } | LookupError::OtherType(_) = error {
                    cx.report(&format!("the proxy of `{}`: {error}", self.name));
                }
                lose(kept, DeadLetterReason::Unknown, cx);
            }
        }
    }

    fn stop(&mut self, cx: &Context<Self>) {
        if let Known::Looking(kept) = std::mem::replace(&mut self.known, Known::Nobody) {
            lose(kept, DeadLetterReason::Stopped, cx);
        }
    }
}

fn lose<A: Actor>(kept: Vec<A::Message>, why: DeadLetterReason, cx: &Context<Proxy<A>>) {
    let me = cx.me();
    for message in kept {
        let message = Message(Inner::Passed(message));
        me.target().lose::<Proxy<A>>(message, why);
    }
}

/// Tells a proxy who was found, and of the end of that actor.
async fn follow<A: Actor>(proxy: ProxyRef<A>, found: NameLookup<ActorRef<A>>) {
    let found = found.await;
    let actor = found.clone().ok();
    let tell = |inner| {
        proxy.target().tell_own::<Proxy<A>>(Message(inner));
    };
    tell(Inner::Found(Found(found)));
    if let Some(actor) = actor {
        actor.stopped().await;
        tell(Inner::Ended(Ended));
    }
}

impl<A: Actor> fmt::Debug for Proxy<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Proxy");
        shown.field("name", &self.name);
        match &self.known {
            Known::Nobody => {}
            Known::Looking(kept) => drop(shown.field("kept", &kept.len())),
            Known::Actor(actor) => drop(shown.field("actor", actor)),
        }
        shown.finish()
    }
}

/// What a proxy is sent.
pub struct Message<A: Actor>(Inner<A>);

enum Inner<A: Actor> {
    /// An event for the actor.
    Passed(A::Message),
    Found(Found<A>),
    Ended(Ended),
}

/// A look-up is over.
struct Found<A: Actor>(Result<ActorRef<A>, LookupError>);

impl<A: Actor> fmt::Debug for Found<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Found").field(&self.0).finish()
    }
}

/// The actor has ended.
#[derive(Debug)]
struct Ended;

/// The events of the actor, and the proxy's own.
struct Table<A>(PhantomData<A>);

impl<A: Actor> Table<A> {
    const OWN: [EventInfo; 2] = [
        EventInfo::own::<Found<A>>("Found"),
        EventInfo::own::<Ended>("Ended"),
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

    fn event_index(message: &Message<A>) -> u16 {
        let own = A::INFO.events.len() as u16;
        match &message.0 {
            Inner::Passed(message) => A::event_index(message),
            Inner::Found(_) => own,
            Inner::Ended(_) => own + 1,
        }
    }

    fn event(message: &Message<A>) -> &dyn Event {
        match &message.0 {
            Inner::Passed(message) => A::event(message),
            Inner::Found(found) => found,
            Inner::Ended(ended) => ended,
        }
    }

    fn debug(&self) -> Option<&dyn fmt::Debug> {
        Some(self)
    }

    /// Whom it knows, or what it keeps for whom it looks for.
    fn offer(&self, to: &mut Fingerprinter) -> bool {
        match &self.known {
            Known::Nobody => to.write_u8(0),
            Known::Looking(kept) => {
                to.write_u8(1);
                return kept.iter().all(|message| A::offer_event(message, to));
            }
            Known::Actor(actor) => {
                to.write_u8(2);
                actor.fingerprint(to);
            }
        }
        true
    }

    fn offer_event(message: &Message<A>, to: &mut Fingerprinter) -> bool {
        match &message.0 {
            Inner::Passed(message) => return A::offer_event(message, to),
            Inner::Found(Found(Ok(actor))) => actor.fingerprint(to),
            Inner::Found(Found(Err(error))) => error.to_string().hash(to),
            Inner::Ended(_) => {}
        }
        true
    }

    fn carry(message: &Message<A>) -> Result<Message<A>, CannotCross> {
        match &message.0 {
            Inner::Passed(message) => Ok(Message(Inner::Passed(A::carry(message)?))),
            Inner::Found(_) | Inner::Ended(_) => {
                unreachable!("a proxy tells itself, on its own node")
            }
        }
    }

    fn call(&mut self, call: Call<Self>, cx: &mut Context<Self>) -> Flow<Self> {
        match call {
            Call::Event(Message(Inner::Passed(message))) => self.pass_on(message, cx),
            Call::Event(Message(Inner::Found(Found(found)))) => self.found(found, cx),
            Call::Event(Message(Inner::Ended(_))) => self.known = Known::Nobody,
            Call::Stop => self.stop(cx),
            Call::Start | Call::Entry(_) | Call::Exit(_) => {}
        }
        Flow::Done
    }
}

impl<E: Event, A: Handler<E>> Handler<E> for Proxy<A> {
    type Reply = A::Reply;
    const EVENT: u16 = A::EVENT;

    fn message(event: E, reply: Reply<A::Reply>) -> Message<A> {
        Message(Inner::Passed(A::message(event, reply)))
    }

    fn unwrap(message: Message<A>) -> Result<(E, Reply<A::Reply>), Message<A>> {
        match message.0 {
            Inner::Passed(message) => {
                A::unwrap(message).map_err(|message| Message(Inner::Passed(message)))
            }
            own => Err(Message(own)),
        }
    }
}
