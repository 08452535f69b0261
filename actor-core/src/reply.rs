//! The two ends of an `ask`: [`Reply`] at the actor that answers, [`Ask`] at the one that waits.

use std::any::{Any, TypeId};
use std::fmt;
use std::future::Future;
use std::hash::Hasher;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use crate::crossing::{CannotCross, Carry};
use crate::event::Event;
use crate::fingerprint::{Fingerprint, Fingerprinter};
use crate::live::{Asked, Observed};
use crate::runtime::{self, AskId, Purpose};
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
    /// The slot to answer into; `None` after a `tell`, or once it was answered.
    to: Option<Arc<Slot<R>>>,
}

impl<R> Reply<R> {
    /// The event was told: no one waits.
    pub const fn nobody() -> Self {
        Self { to: None }
    }

    /// Nobody waits for this reply: the event was told, or the asker has gone.
    pub fn is_nobody(&self) -> bool {
        match &self.to {
            None => true,
            Some(slot) => match slot.origin {
                // The other end is the asker's.
                Origin::Live(..) => Arc::strong_count(slot) == 1,
                Origin::Controlled(_) => false,
            },
        }
    }

    /// The event was told.
    pub(crate) fn was_told(&self) -> bool {
        self.to.is_none()
    }

    /// The same reply as it arrives at another node: whichever is sent first counts, and the reply is
    /// lost with the last of them. `carry` makes of the answer what comes back.
    pub(crate) fn again(&self, carry: Carry<R>) -> Self {
        if let Some(slot) = &self.to {
            slot.cross(carry);
        }
        Self {
            to: self.to.clone(),
        }
    }

    /// Under test: the number of the `ask`.
    #[cfg(feature = "codec")]
    pub(crate) fn number(&self) -> Option<u32> {
        Some(self.to.as_ref()?.origin.controlled()?.index)
    }

    /// The reply that goes to a slot, where that is of this type; see [`again`](Self::again).
    #[cfg(feature = "codec")]
    pub(crate) fn travelled(slot: Arc<dyn Any + Send + Sync>, carry: Carry<R>) -> Option<Self>
    where
        R: Event,
    {
        let to = slot.downcast::<Slot<R>>().ok()?;
        to.cross(carry);
        Some(Self { to: Some(to) })
    }

    /// It is in the hands of a handler, which may keep it or send it on.
    #[doc(hidden)]
    pub fn hand_over(self) -> Self {
        if let Some(slot) = &self.to {
            slot.origin.handed_over();
        }
        self
    }

    /// Feeds to whom it goes. Under test: an ask keeps its number while anyone waits for it.
    #[doc(hidden)]
    pub fn fingerprint<'a>(&self, to: &'a mut Fingerprinter) -> &'a mut Fingerprinter {
        to.write_u64(match &self.to {
            None => 0,
            Some(slot) => slot.origin.mark(),
        });
        to
    }

    /// Answers. The value is dropped where nobody waits for it.
    #[inline]
    pub fn send(self, value: R) {
        if self.to.is_some() {
            self.answer(value);
        }
    }

    /// Puts the value in its place, without a word to who waits: under test the engine says it.
    pub(crate) fn put(mut self, value: R) {
        if let Some(slot) = self.to.take() {
            slot.lock().value = Some(value);
        }
    }

    #[inline(never)]
    fn answer(mut self, value: R) {
        let Some(slot) = self.to.take() else {
            return;
        };
        if let Origin::Live(Some(observed), _) = &slot.origin {
            (slot.show)(observed, &value);
        }
        let mut open = slot.lock();
        if let Some(crossing) = &mut open.crossing
            && std::mem::replace(&mut crossing.is_over, true)
        {
            drop(open);
            return drop(value);
        }
        open.value = Some(value);
        let waker = slot.origin.settle(&mut open.fate);
        drop(open);
        slot.origin.answered(waker);
    }
}

impl<R> Drop for Reply<R> {
    #[inline]
    fn drop(&mut self) {
        if let Some(slot) = &self.to {
            slot.unanswered();
        }
    }
}

/// Under test: which of the asks it answers that someone waits for.
impl<R> Fingerprint for Reply<R> {
    fn fingerprint(&self, to: &mut Fingerprinter) {
        Reply::fingerprint(self, to);
    }
}

impl<R> fmt::Debug for Reply<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.to {
            None => "Reply(nobody)",
            Some(_) => "Reply",
        })
    }
}

/// The future reply of an [`ask`](crate::ActorRef::ask). The event was sent when `ask` was called;
/// awaiting this, or dropping it, changes nothing for the actor that was asked.
#[must_use = "await the reply, or use `tell` where none is needed"]
pub struct Ask<R: Event> {
    from: Arc<Slot<R>>,
}

impl<R: Event> Drop for Ask<R> {
    #[inline]
    fn drop(&mut self) {
        self.from.origin.left();
    }
}

impl<R: Event> fmt::Debug for Ask<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ask")
    }
}

impl<R: Event> Ask<R> {
    /// The slot to wait at, as the tester keeps it.
    pub(crate) fn slot(&self) -> Arc<AskSlot> {
        self.from.clone()
    }

    /// Under test: the number of the `ask`.
    pub(crate) fn controlled(&self) -> Option<AskId> {
        self.from.origin.controlled()
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
    /// In production, outside a tokio runtime unless the crate's feature `futures` is on, or on a
    /// runtime without a time driver.
    #[track_caller]
    pub fn timeout(self, limit: Duration) -> TimedAsk<R> {
        let live = match &self.from.origin {
            Origin::Controlled(_) => false,
            Origin::Live(_, asked) => {
                asked.over();
                true
            }
        };
        TimedAsk {
            ask: self,
            limit: sleep(live, limit, Purpose::Reply),
        }
    }
}

/// The future reply of an [`ask`](crate::ActorRef::ask) with a time limit; made by
/// [`Ask::timeout`].
#[must_use = "await the reply, or use `tell` where none is needed"]
pub struct TimedAsk<R: Event> {
    ask: Ask<R>,
    limit: Sleep,
}

impl<R: Event> fmt::Debug for TimedAsk<R> {
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
        let mut open = self.from.lock();
        match open.fate.poll(task.waker()) {
            Poll::Pending => {
                drop(open);
                self.from.origin.awaited();
                Poll::Pending
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) => Poll::Ready(open.value.take().ok_or(AskError::Dropped)),
        }
    }
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
    /// The [node](crate::System::node) of the actor crashed, or the connection to it broke.
    Disconnected,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "the actor stopped before it answered",
            Self::Failed => "the actor failed before it answered",
            Self::TimedOut => "the actor did not answer in time",
            Self::Full => "the actor's mailbox is full",
            Self::Dropped => "the actor dropped the event without an answer",
            Self::Disconnected => "the connection to the actor's node broke",
        })
    }
}

impl std::error::Error for AskError {}

/// Both ends of a new `ask`.
pub(crate) fn asking<R: Event>(origin: Origin) -> (Reply<R>, Ask<R>) {
    let slot = Arc::new(Slot {
        origin,
        show: |observed, value| observed.replied(TypeId::of::<R>(), value),
        open: Mutex::new(Open {
            fate: Fate {
                status: Status::Open,
                waker: None,
            },
            value: None,
            crossing: None,
        }),
    });
    let to = Some(slot.clone());
    (Reply { to }, Ask { from: slot })
}

/// Where a reply waits for the asker; under test, until the tester delivers it.
struct Slot<R> {
    origin: Origin,
    /// Shows a reply to the monitors of a live system, before the asker can see it.
    show: fn(&Observed, &R),
    open: Mutex<Open<R>>,
}

/// From which executor the `ask` is.
pub(crate) enum Origin {
    /// Production. Who asked is kept only while a monitor is registered.
    Live(Option<Box<Observed>>, Asked),
    /// A test, once it has registered the `ask`.
    Controlled(OnceLock<AskId>),
}

// It names who asked, and is changed by nobody.
impl UnwindSafe for Origin {}
impl RefUnwindSafe for Origin {}

struct Open<R> {
    fate: Fate,
    value: Option<R>,
    /// Where the reply goes to another node.
    crossing: Option<Box<Crossing<R>>>,
}

/// What becomes of a reply that goes to another node.
struct Crossing<R> {
    /// How many may send it beside the first.
    others: u32,
    /// It was sent or lost, or the way back is broken.
    is_over: bool,
    /// Makes what arrives.
    carry: Option<Carry<R>>,
}

impl<R> Default for Crossing<R> {
    fn default() -> Self {
        Self {
            others: 0,
            is_over: false,
            carry: None,
        }
    }
}

/// What has become of an `ask`, and who wants to know.
pub struct Fate {
    status: Status,
    waker: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Open,
    Delivered,
    Lost(AskError),
}

impl Fate {
    /// Whether the reply, or its loss, is visible.
    #[inline]
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

    /// Tells whom to wake, under no lock.
    #[inline]
    fn settle(&mut self, status: Status) -> Option<Waker> {
        self.status = status;
        self.waker.take()
    }
}

#[inline]
fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

impl<R> Slot<R> {
    #[inline]
    fn lock(&self) -> MutexGuard<'_, Open<R>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more may send the reply.
    fn cross(&self, carry: Carry<R>) {
        let crossing = &mut self.lock().crossing;
        let crossing = crossing.get_or_insert_default();
        crossing.others += 1;
        crossing.carry = Some(carry);
    }

    /// One who may send the reply does not; tells whether nobody is left who may.
    fn is_given_up(&self) -> bool {
        match &mut self.lock().crossing {
            None => true,
            Some(crossing) if crossing.others > 0 => {
                crossing.others -= 1;
                false
            }
            Some(crossing) => !std::mem::replace(&mut crossing.is_over, true),
        }
    }

    /// The reply was dropped.
    #[cold]
    fn unanswered(&self) {
        match &self.origin {
            Origin::Controlled(id) => {
                if !self.is_given_up() {
                    return;
                }
                if let Some(id) = id.get() {
                    runtime::try_with(|rt| rt.reply_dropped(*id));
                }
            }
            Origin::Live(_, asked) => {
                asked.over();
                let lost = Status::Lost(crate::live::why_lost());
                let waker = self.lock().fate.settle(lost);
                wake(waker);
            }
        }
    }
}

impl Origin {
    fn register(&self, id: AskId) {
        if let Self::Controlled(registered) = self {
            registered.get_or_init(|| id);
        }
    }

    fn controlled(&self) -> Option<AskId> {
        match self {
            Self::Live(..) => None,
            Self::Controlled(id) => id.get().copied(),
        }
    }

    /// Under test: the number of the `ask`, counted from two.
    fn mark(&self) -> u64 {
        match self.controlled() {
            None => 1,
            Some(ask) => 2 + u64::from(ask.index),
        }
    }

    /// The value is in its place. In production that is all; under test the tester delivers it.
    #[inline]
    fn settle(&self, fate: &mut Fate) -> Option<Waker> {
        match self {
            Self::Live(_, asked) => {
                asked.over();
                fate.settle(Status::Delivered)
            }
            Self::Controlled(_) => None,
        }
    }

    /// Tells who waits for the value, under no lock.
    #[inline]
    fn answered(&self, waker: Option<Waker>) {
        match self {
            Self::Live(..) => wake(waker),
            Self::Controlled(id) => {
                if let Some(id) = id.get() {
                    runtime::with(|rt| rt.replied(*id));
                }
            }
        }
    }

    /// The reply is awaited here.
    #[inline]
    fn awaited(&self) {
        match self {
            Self::Live(_, asked) => asked.awaited(),
            Self::Controlled(id) => {
                if let Some(id) = id.get() {
                    runtime::with(|rt| rt.reply_awaited(*id));
                }
            }
        }
    }

    /// The asker is gone.
    #[inline]
    fn left(&self) {
        match self {
            Self::Live(_, asked) => asked.over(),
            Self::Controlled(id) => {
                if let Some(id) = id.get() {
                    runtime::try_with(|rt| rt.ask_dropped(*id));
                }
            }
        }
    }

    /// Whoever was asked may not be the one who answers.
    fn handed_over(&self) {
        match self {
            Self::Live(_, asked) => asked.over(),
            Self::Controlled(id) => {
                if let Some(id) = id.get() {
                    runtime::try_with(|rt| rt.reply_handed_over(*id));
                }
            }
        }
    }
}

/// A slot without the type of its reply, as the tester keeps it.
pub type AskSlot = dyn AnySlot;

/// See [`AskSlot`].
pub trait AnySlot: Send + Sync {
    /// The tester has registered the `ask`.
    fn register(&self, id: AskId);

    /// The slot by its type.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;

    /// Makes of the reply what arrives at another node.
    fn carry(&self) -> Result<(), CannotCross>;

    /// Nobody may answer any more: the way back is broken.
    fn sever(&self);

    /// Shows what has become of the `ask`, and the reply where one was sent.
    fn look(&self, f: &mut dyn FnMut(&mut Fate, Option<&dyn Event>));
}

impl<R: Event> AnySlot for Slot<R> {
    fn register(&self, id: AskId) {
        self.origin.register(id);
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }

    fn carry(&self) -> Result<(), CannotCross> {
        let carry = {
            let open = self.lock();
            open.crossing.as_ref().and_then(|crossing| crossing.carry)
        };
        // Not under the lock: what is encoded is the user's, and so is what is dropped.
        let (Some(carry), Some(value)) = (carry, self.lock().value.take()) else {
            return Ok(());
        };
        let carried = carry(&value)?;
        self.lock().value = Some(carried);
        drop(value);
        Ok(())
    }

    fn sever(&self) {
        self.lock().crossing.get_or_insert_default().is_over = true;
    }

    fn look(&self, f: &mut dyn FnMut(&mut Fate, Option<&dyn Event>)) {
        let Open { fate, value, .. } = &mut *self.lock();
        match value {
            Some(value) => f(fate, Some(value)),
            None => f(fate, None),
        }
    }
}

impl dyn AnySlot {
    /// Makes the reply, or its loss, visible to the asker.
    pub fn deliver(&self, lost: Option<AskError>) {
        let status = lost.map_or(Status::Delivered, Status::Lost);
        let mut waker = None;
        self.look(&mut |fate, _| waker = fate.settle(status));
        wake(waker);
    }

    /// Shows the reply, where one was sent.
    pub fn inspect(&self, f: &mut dyn FnMut(&dyn Event)) {
        self.look(&mut |_, reply| {
            if let Some(event) = reply {
                f(event);
            }
        });
    }
}
