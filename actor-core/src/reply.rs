//! The two ends of an `ask`: [`Reply`] at the actor that answers, [`Ask`] at the one that waits.

use std::any::{Any, TypeId};
use std::fmt;
use std::future::Future;
use std::hash::Hasher;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use crate::event::Event;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::live::{Asked, Observed};
use crate::runtime::{self, AskId};
use crate::timer::{Sleep, sleep};

/// To whom the answer to an event goes: the asker, or nobody after a `tell`.
///
/// A handler that does not answer by what it returns takes it as a parameter, between the event and
/// the context, and returns nothing. It may answer at once, keep the reply in the actor's state for
/// later, or send it on in an event, so that another actor answers.
///
/// Dropping it without [`send`](Reply::send) tells the asker [`AskError::Dropped`]; where it is
/// dropped with an actor that has stopped or failed, that.
///
/// ```
/// use actor_core::prelude::*;
///
/// #[derive(Debug)]
/// struct Take;
/// #[derive(Debug)]
/// struct Put(u32);
///
/// /// Whoever takes a number waits until there is one.
/// #[derive(Default)]
/// struct Queue {
///     waiting: Option<Reply<u32>>,
/// }
///
/// #[actor(states(Empty, Waiting(defer(Take))))]
/// impl Queue {
///     #[on(Empty)]
///     fn take(&mut self, _: Take, reply: Reply<u32>, cx: &mut Context<Self>) {
///         self.waiting = Some(reply);
///         cx.goto(QueueState::Waiting);
///     }
///
///     #[on]
///     fn put(&mut self, put: Put, cx: &mut Context<Self>) {
///         if let Some(waiting) = self.waiting.take() {
///             waiting.send(put.0);
///         }
///         cx.goto(QueueState::Empty);
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let sys = System::new();
/// let queue = sys.spawn(Queue::default());
/// let taken = queue.ask(Take);
/// queue.tell(Put(7));
/// assert_eq!(taken.await, Ok(7));
/// # }
/// ```
#[must_use = "dropping it tells the asker that there is no answer"]
pub struct Reply<R> {
    to: Answering,
    value: PhantomData<fn(R)>,
}

/// The slot to answer into; `None` after a `tell`, or once it was answered. It does not know the
/// reply's type, so that one destructor serves all.
struct Answering(Option<Arc<AskSlot>>);

impl<R: Event> Reply<R> {
    /// The event was told: no one waits.
    pub const fn nobody() -> Self {
        Self {
            to: Answering(None),
            value: PhantomData,
        }
    }

    /// Nobody waits for this reply: the event was told, or the asker has gone.
    pub fn is_nobody(&self) -> bool {
        self.to.is_nobody()
    }

    /// The event was told.
    pub(crate) fn was_told(&self) -> bool {
        self.to.0.is_none()
    }

    /// It is in the hands of a handler, which may keep it or send it on.
    #[doc(hidden)]
    pub fn hand_over(self) -> Self {
        if let Some(slot) = &self.to.0 {
            slot.handed_over();
        }
        self
    }

    /// Feeds to whom it goes. Under test: an ask keeps its number while anyone waits for it.
    #[doc(hidden)]
    pub fn fingerprint<'a>(&self, to: &'a mut Fingerprinter) -> &'a mut Fingerprinter {
        let asked = self.to.0.as_ref().map(|slot| slot.controlled());
        to.write_u64(match asked {
            None => 0,
            Some(None) => 1,
            Some(Some(ask)) => 2 + u64::from(ask.index),
        });
        to
    }

    /// Answers. The value is dropped where nobody waits for it.
    #[inline]
    pub fn send(self, value: R) {
        let mut to = self.to;
        if let Some(slot) = to.0.take() {
            slot.observe(TypeId::of::<R>(), &value);
            let mut open = slot.lock();
            *place(&mut open.value) = Some(value);
            slot.answered(open);
        }
    }
}

impl Answering {
    fn is_nobody(&self) -> bool {
        match &self.0 {
            None => true,
            Some(slot) => match slot.origin {
                // The other end is the asker's.
                Origin::Live(..) => Arc::strong_count(slot) == 1,
                Origin::Controlled(_) => false,
            },
        }
    }
}

impl Drop for Answering {
    #[inline]
    fn drop(&mut self) {
        if let Some(slot) = &self.0 {
            slot.unanswered();
        }
    }
}

/// Under test: which of the asks it answers that someone waits for.
impl<R: Event> Fingerprint for Reply<R> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        Reply::fingerprint(self, to);
    }
}

impl<R> fmt::Debug for Reply<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.to.0 {
            None => "Reply(nobody)",
            Some(_) => "Reply",
        })
    }
}

/// The future reply of an [`ask`](crate::ActorRef::ask). The event was sent when `ask` was called;
/// awaiting this, or dropping it, changes nothing for the actor that was asked.
#[must_use = "await the reply, or use `tell` where none is needed"]
pub struct Ask<R> {
    from: Asking,
    value: PhantomData<fn() -> R>,
}

/// The slot to wait at, without the reply's type.
struct Asking(Arc<AskSlot>);

impl Drop for Asking {
    fn drop(&mut self) {
        match &self.0.origin {
            Origin::Live(_, asked) => asked.over(),
            Origin::Controlled(_) => {
                if let Some(id) = self.0.controlled() {
                    runtime::try_with(|rt| rt.ask_dropped(id));
                }
            }
        }
    }
}

impl<R> fmt::Debug for Ask<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask")
    }
}

impl<R> Ask<R> {
    /// The slot to wait at, as the tester keeps it.
    pub(crate) fn slot(&self) -> &Arc<AskSlot> {
        &self.from.0
    }
}

impl<R: Event> Ask<R> {
    /// Gives up after `limit`, counted from now, with [`AskError::TimedOut`]. Under test it is
    /// virtual time, and whether the reply or the timer comes first is a matter of scheduling.
    ///
    /// To give up changes nothing for the actor that was asked, which may answer later to nobody.
    ///
    /// ```
    /// use actor_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// #[derive(Debug)]
    /// struct Fetch;
    ///
    /// struct Distant;
    ///
    /// #[actor]
    /// impl Distant {
    ///     #[on]
    ///     async fn fetch(&mut self, _: Fetch, cx: &mut Context<Self>) -> u32 {
    ///         cx.sleep(Duration::from_secs(60)).await;
    ///         7
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let sys = System::new();
    /// let distant = sys.spawn(Distant);
    /// let answer = distant.ask(Fetch).timeout(Duration::from_secs(1)).await;
    /// assert_eq!(answer, Err(AskError::TimedOut));
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// In production, outside a tokio runtime, or on one without a time driver.
    #[track_caller]
    pub fn timeout(self, limit: Duration) -> TimedAsk<R> {
        let live = match &self.from.0.origin {
            Origin::Controlled(_) => false,
            Origin::Live(_, asked) => {
                asked.over();
                true
            }
        };
        TimedAsk {
            ask: self,
            limit: sleep(live, limit),
        }
    }
}

/// The future reply of an [`ask`](crate::ActorRef::ask) with a time limit; made by
/// [`Ask::timeout`].
#[must_use = "await the reply, or use `tell` where none is needed"]
pub struct TimedAsk<R> {
    ask: Ask<R>,
    limit: Sleep,
}

impl<R> fmt::Debug for TimedAsk<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TimedAsk")
    }
}

impl<R: Event> Future for TimedAsk<R> {
    type Output = Result<R, AskError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(answer) = Pin::new(&mut self.ask).poll(task) {
            return Poll::Ready(answer);
        }
        let late = Pin::new(&mut self.limit).poll(task);
        late.map(|()| Err(AskError::TimedOut))
    }
}

impl<R: Event> Future for Ask<R> {
    type Output = Result<R, AskError>;

    fn poll(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let mut open = self.from.0.lock();
        match open.poll(task.waker()) {
            Poll::Pending => {
                drop(open);
                self.from.0.awaited();
                Poll::Pending
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) => Poll::Ready(match place(&mut open.value).take() {
                Some(value) => Ok(value),
                None => Err(AskError::Dropped),
            }),
        }
    }
}

/// The place of a value, by its type.
fn place<R: Event>(value: &mut dyn AnyValue) -> &mut Option<R> {
    let value: &mut dyn Any = value;
    value
        .downcast_mut()
        .expect("both ends of an ask are of one type")
}

/// Why an [`ask`](crate::ActorRef::ask) got no reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AskError {
    /// The actor had stopped, or stopped before it answered.
    Stopped,
    /// The actor failed before it answered: its handler panicked or broke a rule, or its state has no
    /// use for the event.
    Failed,
    /// There was no answer within the [limit](Ask::timeout).
    TimedOut,
    /// The actor's [bounded mailbox](crate::Mailbox) was full, or the event had to make room for a
    /// newer one.
    Full,
    /// The actor dropped the reply: it ignored the event, or did not answer it.
    Dropped,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "the actor stopped before it answered",
            Self::Failed => "the actor failed before it answered",
            Self::TimedOut => "the actor did not answer in time",
            Self::Full => "the actor's mailbox is full",
            Self::Dropped => "the actor dropped the event without an answer",
        })
    }
}

impl std::error::Error for AskError {}

/// Both ends of a new `ask`.
pub(crate) fn asking<R: Event>(origin: Origin) -> (Reply<R>, Ask<R>) {
    let slot = Arc::new(AskSlot {
        origin,
        open: Mutex::new(Open {
            status: Status::Open,
            waker: None,
            value: None::<R>,
        }),
    });
    let slot: Arc<AskSlot> = slot;
    let reply = Reply {
        to: Answering(Some(slot.clone())),
        value: PhantomData,
    };
    let ask = Ask {
        from: Asking(slot),
        value: PhantomData,
    };
    (reply, ask)
}

/// Where a reply waits for the asker; under test, until the tester delivers it.
///
/// The value comes last, so that a slot is used without its type.
pub struct AskSlot<V: AnyValue + ?Sized = dyn AnyValue> {
    origin: Origin,
    open: Mutex<Open<V>>,
}

/// From which executor the `ask` is.
pub(crate) enum Origin {
    /// Production. Who asked is kept only while a monitor is registered.
    Live(Option<Box<Observed>>, Asked),
    /// A test, once it has registered the `ask`.
    Controlled(OnceLock<AskId>),
}

struct Open<V: ?Sized> {
    status: Status,
    waker: Option<Waker>,
    value: V,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Open,
    Delivered,
    Lost(AskError),
}

/// A reply without its type, where one was sent.
pub trait AnyValue: Any + Send {
    /// The reply.
    fn event(&self) -> Option<&dyn Event>;
}

impl<R: Event> AnyValue for Option<R> {
    fn event(&self) -> Option<&dyn Event> {
        match self {
            Some(value) => Some(value),
            None => None,
        }
    }
}

impl Open<dyn AnyValue> {
    /// Whether the reply, or its loss, is visible.
    fn poll(&mut self, waker: &Waker) -> Poll<Result<(), AskError>> {
        match self.status {
            Status::Delivered => Poll::Ready(Ok(())),
            Status::Lost(error) => Poll::Ready(Err(error)),
            Status::Open => {
                self.waker = Some(waker.clone());
                Poll::Pending
            }
        }
    }
}

impl AskSlot {
    fn lock(&self) -> MutexGuard<'_, Open<dyn AnyValue>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tester has registered the `ask`.
    pub(crate) fn register(&self, id: AskId) {
        if let Origin::Controlled(registered) = &self.origin {
            registered.get_or_init(|| id);
        }
    }

    fn controlled(&self) -> Option<AskId> {
        match &self.origin {
            Origin::Live(..) => None,
            Origin::Controlled(id) => id.get().copied(),
        }
    }

    /// Shows a reply to the monitors of a live system, before the asker can see it.
    fn observe(&self, kind: TypeId, value: &dyn Event) {
        if let Origin::Live(Some(observed), _) = &self.origin {
            observed.replied(kind, value);
        }
    }

    /// The reply is awaited here.
    fn awaited(&self) {
        if let Origin::Live(_, asked) = &self.origin {
            asked.awaited();
        }
    }

    /// Whoever was asked may not be the one who answers.
    fn handed_over(&self) {
        match &self.origin {
            Origin::Live(_, asked) => asked.over(),
            Origin::Controlled(_) => {
                if let Some(id) = self.controlled() {
                    runtime::try_with(|rt| rt.reply_handed_over(id));
                }
            }
        }
    }

    /// The value is in its place.
    fn answered(&self, open: MutexGuard<'_, Open<dyn AnyValue>>) {
        match &self.origin {
            Origin::Live(_, asked) => {
                asked.over();
                settle(open, Status::Delivered);
            }
            Origin::Controlled(_) => {
                drop(open);
                if let Some(id) = self.controlled() {
                    runtime::with(|rt| rt.replied(id));
                }
            }
        }
    }

    fn unanswered(&self) {
        match &self.origin {
            Origin::Controlled(_) => {
                if let Some(id) = self.controlled() {
                    runtime::try_with(|rt| rt.reply_dropped(id));
                }
            }
            Origin::Live(_, asked) => {
                asked.over();
                self.deliver(Some(crate::live::why_lost()));
            }
        }
    }

    /// Someone awaits the reply.
    pub fn is_awaited(&self) -> bool {
        self.lock().waker.is_some()
    }

    /// Makes the reply, or its loss, visible to the asker.
    pub fn deliver(&self, lost: Option<AskError>) {
        settle(self.lock(), lost.map_or(Status::Delivered, Status::Lost));
    }

    /// Shows the reply, where one was sent.
    pub fn inspect(&self, f: &mut dyn FnMut(&dyn Event)) {
        let open = self.lock();
        if let Some(event) = open.value.event() {
            f(event);
        }
    }
}

/// Wakes the asker, under no lock.
fn settle(mut open: MutexGuard<'_, Open<dyn AnyValue>>, status: Status) {
    open.status = status;
    let waker = open.waker.take();
    drop(open);
    if let Some(waker) = waker {
        waker.wake();
    }
}
