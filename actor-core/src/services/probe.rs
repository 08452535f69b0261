//! Test probes: [`Probe`] is a mock actor whose events a test receives and answers.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::Location;
use std::time::Duration;

use super::table::{EVENTS_MAX, handled, joined};
use crate::actor::Scope;
use crate::actor::protocol::{EventOf, OfferedBy, Protocol, ProtocolRef};
use crate::actor::{Actor, ActorRef, Call, Context, Flow, Handler, Recipient};
use crate::asking::{Ask, Reply};
use crate::event::Event;
use crate::identity::ActorId;
use crate::slab::Slot;
use crate::system::System;
use crate::table::{ActorInfo, EventInfo, Stateless};

/// A mock actor: it offers a protocol, keeps the events that it is sent, and answers when the test says so.
///
/// A probe works under the tester and in production. Events are unread until the test takes them, in the
/// order of arrival. [`expect`](Probe::expect) takes the next event, of whatever type, and fails if the type
/// is another one; [`receive`](Probe::receive) takes the next event of its type and leaves the others. An
/// event that was sent by `ask` waits for [`answer`](Probe::answer), or for the reply of
/// [`expect_ask`](Probe::expect_ask).
///
/// Each of these calls is a request to the probe and a reply, so the tester explores events that arrive in
/// between. There is no time limit: under test every wait in vain is reported; in production, use a time-out
/// of the runtime. If a future of the probe is dropped before it is done, an event may be lost with it. The
/// protocol has 254 events at most; more is a compile error.
///
/// ```
/// use actor_core::services::Probe;
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Get(&'static str);
/// #[derive(Debug)]
/// struct Put(&'static str, u64);
///
/// #[protocol]
/// trait Store {
///     fn get(get: Get) -> Option<u64>;
///     fn put(put: Put);
/// }
///
/// #[derive(Debug)]
/// struct Hit;
///
/// struct Counter {
///     store: StoreRef,
/// }
///
/// #[actor]
/// impl Counter {
///     #[on]
///     async fn hit(&mut self, _: Hit) {
///         let before = self.store.ask(Get("hits")).await.ok().flatten();
///         self.store.tell(Put("hits", before.unwrap_or(0) + 1));
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), actor_core::Error> {
/// let sys = System::new();
/// let store = Probe::<dyn Store>::new(&sys);
/// let counter = sys.spawn(Counter { store: store.actor() });
/// counter.tell(Hit);
/// store.answer::<Get>(Some(41)).await;
/// let put = store.expect::<Put>().await;
/// assert_eq!(put.1, 42);
/// store.expect_none().await;
/// # sys.shutdown().await?;
/// # Ok(())
/// # }
/// ```
pub struct Probe<P: Protocol + ?Sized + 'static> {
    actor: ActorRef<Double<P>>,
    sys: System,
}

impl<P: OfferedBy<Double<P>> + ?Sized + 'static> Probe<P> {
    /// Starts a probe that is named after its protocol.
    pub fn new(sys: &System) -> Self {
        Self::named(sys, P::NAME)
    }

    /// Starts a probe with a name, which logs and reports show.
    pub fn named(sys: &System, name: &str) -> Self {
        let double = Double {
            unread: VecDeque::new(),
            waiting: VecDeque::new(),
            protocol: PhantomData,
        };
        Self {
            actor: sys.spawn_named(name, double),
            sys: sys.clone(),
        }
    }

    /// Returns a reference to the mock actor.
    pub fn actor(&self) -> ProtocolRef<P> {
        ProtocolRef::from(&self.actor)
    }

    /// Returns the mock actor as the recipient of one event of the protocol.
    pub fn recipient<E: EventOf<P>>(&self) -> Recipient<E> {
        self.actor().recipient()
    }

    /// The mock actor's identity.
    pub fn id(&self) -> ActorId {
        self.actor.id()
    }

    /// Takes the next event, which must be an `E`; waits if there is none. If it was sent by `ask`, the asker
    /// gets [`AskError::Dropped`](crate::AskError::Dropped).
    ///
    /// # Panics
    ///
    /// The future panics if another event came instead.
    #[track_caller]
    pub fn expect<E: EventOf<P>>(&self) -> impl Future<Output = E> + Send + use<P, E> {
        let heard = self.take_letter(TakeRequest::NEXT);
        async move { heard.await.typed::<P, E>().event }
    }

    /// Takes the next event, which must be an `E` sent by `ask`, and the reply to be sent.
    ///
    /// # Panics
    ///
    /// The future panics if another event came instead, or if nobody waits for the reply.
    #[track_caller]
    pub fn expect_ask<E: EventOf<P>>(
        &self,
    ) -> impl Future<Output = (E, Reply<E::Reply>)> + Send + use<P, E> {
        let heard = self.take_letter(TakeRequest::NEXT);
        async move { heard.await.asked::<P, E>() }
    }

    /// Takes the next event, which must be an `E` sent by `ask`, and sends the reply.
    ///
    /// # Panics
    ///
    /// As [`expect_ask`](Probe::expect_ask).
    #[track_caller]
    pub fn answer<E: EventOf<P>>(
        &self,
        reply: E::Reply,
    ) -> impl Future<Output = E> + Send + use<P, E> {
        let heard = self.take_letter(TakeRequest::NEXT);
        async move {
            let (event, to) = heard.await.asked::<P, E>();
            to.send(reply);
            event
        }
    }

    /// Takes the next `E` and leaves other events unread; waits if there is none. If the event was sent by
    /// `ask`, the asker gets [`AskError::Dropped`](crate::AskError::Dropped).
    #[track_caller]
    pub fn receive<E: EventOf<P>>(&self) -> impl Future<Output = E> + Send + use<P, E> {
        let heard = self.take_letter(TakeRequest {
            only: Some(E::EVENT),
            ..TakeRequest::NEXT
        });
        async move { heard.await.typed::<P, E>().event }
    }

    /// Asserts that no event is unread now.
    ///
    /// # Panics
    ///
    /// The future panics if an event is unread.
    #[track_caller]
    pub fn expect_none(&self) -> impl Future<Output = ()> + Send + use<P> {
        self.none(Location::caller(), Duration::MAX)
    }

    /// Asserts that no event is unread, and that none arrives for that long, in virtual time under test.
    /// Later events are ignored, even if the test resumes late.
    ///
    /// # Panics
    ///
    /// The future panics if an event is unread or arrives; in production, also without a tokio time driver.
    #[track_caller]
    pub fn expect_none_for(&self, time: Duration) -> impl Future<Output = ()> + Send + use<P> {
        let place = Location::caller();
        let probe = self.clone();
        async move {
            let until = probe.sys.time().saturating_add(time);
            probe.sys.sleep(time).await;
            probe.none(place, until).await;
        }
    }

    /// Stops the mock actor, as if it had halted: later events become dead letters, and watchers are
    /// notified. The probe must not be used afterwards.
    pub fn stop(&self) {
        self.post(Inner::Stop(StopRequest));
    }

    fn none(
        &self,
        place: &'static Location<'static>,
        before: Duration,
    ) -> impl Future<Output = ()> + Send + use<P> {
        let ask = self.take(TakeRequest {
            waits: false,
            before,
            ..TakeRequest::NEXT
        });
        async move {
            if let Ok(Some(letter)) = ask.await {
                panic!("{place}: nothing was expected, and {letter:?} came");
            }
        }
    }

    #[track_caller]
    fn take_letter(&self, take: TakeRequest) -> impl Future<Output = TakenLetter> + Send + use<P> {
        let place = Location::caller();
        let ask = self.take(take);
        async move {
            match ask.await {
                Ok(Some(letter)) => TakenLetter { letter, place },
                _ => panic!("{place}: the probe has stopped"),
            }
        }
    }

    /// Sends a request to the mock actor, without a `Handler`, since the protocol may contain any event.
    fn take(&self, take: TakeRequest) -> Ask<Option<ProbeLetter>> {
        let (reply, ask) = self.actor.target().begin_ask(None);
        self.post(Inner::Take(take, reply));
        ask
    }

    fn post(&self, message: Inner) {
        let target = self.actor.target();
        target.post::<Double<P>>(&mut Slot::Full(Message(message)));
    }
}

impl<P: OfferedBy<Double<P>> + ?Sized + 'static> From<&Probe<P>> for ProtocolRef<P> {
    fn from(probe: &Probe<P>) -> Self {
        probe.actor()
    }
}

impl<P: Protocol + ?Sized + 'static> Clone for Probe<P> {
    fn clone(&self) -> Self {
        Self {
            actor: self.actor.clone(),
            sys: self.sys.clone(),
        }
    }
}

impl<P: Protocol + ?Sized + 'static> fmt::Debug for Probe<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Probe").field(&self.actor).finish()
    }
}

/// A letter that the test has taken, and the place of the call.
struct TakenLetter {
    letter: ProbeLetter,
    place: &'static Location<'static>,
}

impl TakenLetter {
    fn typed<P: Protocol + ?Sized, E: EventOf<P>>(self) -> Sent<E, E::Reply> {
        let Self { letter, place } = self;
        if letter.event != E::EVENT {
            let expected = P::EVENTS[usize::from(E::EVENT)].name;
            panic!("{place}: `{expected}` was expected, and {letter:?} came");
        }
        let sent: Box<dyn Any> = letter.sent;
        match sent.downcast() {
            Ok(sent) => *sent,
            Err(_) => unreachable!("a protocol has one event of each type"),
        }
    }

    fn asked<P: Protocol + ?Sized, E: EventOf<P>>(self) -> (E, Reply<E::Reply>) {
        let place = self.place;
        let Sent { event, reply } = self.typed::<P, E>();
        if reply.is_nobody() {
            panic!(
                "{place}: nobody waits for the reply to {event:?}: it was told, or its asker has gone"
            );
        }
        (event, reply)
    }
}

/// The mock actor of a [`Probe`].
pub struct Double<P: ?Sized> {
    unread: VecDeque<ProbeLetter>,
    /// The waiting requests for a letter; at most one, unless the test waits twice at once.
    waiting: VecDeque<(TakeRequest, Reply<Option<ProbeLetter>>)>,
    protocol: PhantomData<fn(&P)>,
}

impl<P: ?Sized> fmt::Debug for Double<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Double")
            .field("unread", &self.unread)
            .finish_non_exhaustive()
    }
}

impl<P: ?Sized> Double<P> {
    fn arrived(&mut self, mut letter: ProbeLetter, now: Duration) {
        letter.arrived = now;
        let waits = self
            .waiting
            .iter()
            .position(|(take, _)| take.wants(&letter));
        match waits.and_then(|at| self.waiting.remove(at)) {
            Some((_, reply)) => reply.send(Some(letter)),
            None => self.unread.push_back(letter),
        }
    }

    fn take(&mut self, take: TakeRequest, reply: Reply<Option<ProbeLetter>>) {
        let found = self.unread.iter().position(|letter| take.wants(letter));
        match found.and_then(|at| self.unread.remove(at)) {
            None if take.waits => self.waiting.push_back((take, reply)),
            found => reply.send(found),
        }
    }
}

/// A received event of any type, and the reply to it.
struct ProbeLetter {
    event: u16,
    arrived: Duration,
    sent: Box<dyn AnySent>,
}

impl fmt::Debug for ProbeLetter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sent.event().fmt(f)
    }
}

struct Sent<E: Event, R: Event> {
    event: E,
    reply: Reply<R>,
}

/// A [`Sent`] with its types erased.
trait AnySent: Any + Send {
    fn event(&self) -> &dyn Event;
}

impl<E: Event, R: Event> AnySent for Sent<E, R> {
    fn event(&self) -> &dyn Event {
        &self.event
    }
}

/// The test's request for a letter.
#[derive(Debug)]
struct TakeRequest {
    /// The only event type that is wanted; `None` for any.
    only: Option<u16>,
    /// True if the request waits for a letter.
    waits: bool,
    /// The time before which the letter must have arrived.
    before: Duration,
}

impl TakeRequest {
    const NEXT: Self = Self {
        only: None,
        waits: true,
        before: Duration::MAX,
    };

    fn wants(&self, letter: &ProbeLetter) -> bool {
        self.only.is_none_or(|event| event == letter.event) && letter.arrived < self.before
    }
}

#[derive(Debug)]
struct StopRequest;

/// The messages of a mock actor.
pub struct Message(Inner);

enum Inner {
    Heard(ProbeLetter),
    Take(TakeRequest, Reply<Option<ProbeLetter>>),
    Stop(StopRequest),
}

/// The event table of a mock actor: those of the protocol, and those of every probe.
struct Table<P: ?Sized>(PhantomData<P>);

impl<P: Protocol + ?Sized> Table<P> {
    const OWN: [EventInfo; 2] = [
        EventInfo::of::<TakeRequest>("Take"),
        EventInfo::of::<StopRequest>("Stop"),
    ];
    const LEN: usize = P::EVENTS.len() + Self::OWN.len();
    const ALL: &'static [EventInfo; EVENTS_MAX] = &joined(P::EVENTS, Self::OWN);
    const EVENTS: &'static [EventInfo] = Self::ALL.split_at(Self::LEN).0;
}

impl<P: Protocol + ?Sized + 'static> Actor for Double<P> {
    type Message = Message;
    type State = Stateless;
    const INFO: &'static ActorInfo = &ActorInfo {
        name: "Probe",
        events: Table::<P>::EVENTS,
        states: &[],
        dispositions: handled(Table::<P>::LEN),
        starts: false,
        defers: false,
        relays: false,
    };

    fn first_state() -> Stateless {
        Stateless
    }

    fn __event_index(message: &Message) -> u16 {
        let own = P::EVENTS.len() as u16;
        match &message.0 {
            Inner::Heard(letter) => letter.event,
            Inner::Take(..) => own,
            Inner::Stop(_) => own + 1,
        }
    }

    fn __event(message: &Message) -> &dyn Event {
        match &message.0 {
            Inner::Heard(letter) => letter.sent.event(),
            Inner::Take(take, _) => take,
            Inner::Stop(stop) => stop,
        }
    }

    fn __call(&mut self, call: Call<Self>, cx: &mut Context<Self>) -> Flow<Self> {
        if let Call::Event(message) = call {
            match message.0 {
                Inner::Heard(letter) => self.arrived(letter, cx.time()),
                Inner::Take(take, reply) => self.take(take, reply),
                Inner::Stop(_) => cx.halt(),
            }
        }
        Flow::Done
    }
}

impl<E: EventOf<P>, P: Protocol + ?Sized + 'static> Handler<E> for Double<P> {
    type Reply = E::Reply;
    const EVENT: u16 = E::EVENT;

    fn __message(event: E, reply: Reply<E::Reply>) -> Message {
        Message(Inner::Heard(ProbeLetter {
            event: E::EVENT,
            arrived: Duration::ZERO,
            sent: Box::new(Sent { event, reply }),
        }))
    }

    fn __unwrap(message: Message) -> Result<(E, Reply<E::Reply>), Message> {
        let Inner::Heard(letter) = message.0 else {
            return Err(message);
        };
        if letter.event != E::EVENT {
            return Err(Message(Inner::Heard(letter)));
        }
        let sent: Box<dyn Any> = letter.sent;
        match sent.downcast::<Sent<E, E::Reply>>() {
            Ok(sent) => Ok((sent.event, sent.reply)),
            Err(_) => unreachable!("a protocol has one event of each type"),
        }
    }
}
