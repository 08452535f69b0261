//! The queues of the task contenders: tokio's channels, and a hand-written mailbox.

use std::future::{Future, poll_fn};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::tasks::Tasks;
use crate::contender::ROOM;
use crate::entrant::Entrant;

/// A queue with many senders and one receiver.
pub(crate) trait Channel: Copy + Send + Sync + 'static {
    /// The name of the queue in the table.
    const NAME: &'static str;
    /// The sending half.
    type Sender<M: Send + 'static>: Clone + Send + Sync + 'static;
    /// The receiving half.
    type Receiver<M: Send + 'static>: Send + 'static;
    /// Returns the same queue with a capacity of [`ROOM`] messages; `None` if it has no bounded variant.
    fn bounded() -> Option<Box<dyn Entrant>>;
    /// Creates both halves.
    fn new<M: Send + 'static>() -> (Self::Sender<M>, Self::Receiver<M>);
    /// Appends a message, and waits for capacity if the queue is bounded.
    fn send<M: Send + 'static>(
        sender: &Self::Sender<M>,
        message: M,
    ) -> impl Future<Output = ()> + Send;
    /// Takes the next message; `None` if no more can come.
    fn receive<M: Send + 'static>(
        receiver: &mut Self::Receiver<M>,
    ) -> impl Future<Output = Option<M>> + Send;
}

/// `tokio::sync::mpsc`, unbounded.
#[derive(Clone, Copy)]
pub(crate) struct Mpsc;

impl Channel for Mpsc {
    const NAME: &'static str = "tokio-mpsc";
    type Sender<M: Send + 'static> = UnboundedSender<M>;
    type Receiver<M: Send + 'static> = UnboundedReceiver<M>;

    fn bounded() -> Option<Box<dyn Entrant>> {
        Some(Box::new(Tasks(BoundedMpsc)))
    }

    fn new<M: Send + 'static>() -> (UnboundedSender<M>, UnboundedReceiver<M>) {
        unbounded_channel()
    }

    async fn send<M: Send + 'static>(sender: &UnboundedSender<M>, message: M) {
        // The receiver is closed only when the scenario is over.
        let _ = sender.send(message);
    }

    fn receive<M: Send + 'static>(
        receiver: &mut UnboundedReceiver<M>,
    ) -> impl Future<Output = Option<M>> + Send {
        receiver.recv()
    }
}

/// `tokio::sync::mpsc`, bounded.
#[derive(Clone, Copy)]
struct BoundedMpsc;

impl Channel for BoundedMpsc {
    const NAME: &'static str = Mpsc::NAME;
    type Sender<M: Send + 'static> = mpsc::Sender<M>;
    type Receiver<M: Send + 'static> = mpsc::Receiver<M>;

    fn bounded() -> Option<Box<dyn Entrant>> {
        Some(Box::new(Tasks(Self)))
    }

    fn new<M: Send + 'static>() -> (mpsc::Sender<M>, mpsc::Receiver<M>) {
        mpsc::channel(ROOM)
    }

    async fn send<M: Send + 'static>(sender: &mpsc::Sender<M>, message: M) {
        let _ = sender.send(message).await;
    }

    fn receive<M: Send + 'static>(
        receiver: &mut mpsc::Receiver<M>,
    ) -> impl Future<Output = Option<M>> + Send {
        receiver.recv()
    }
}

/// A mutex, a vector and a waker: a minimal hand-written mailbox. The receiver takes the
/// whole vector. The mailbox is never closed, so the receiver's task ends with its runtime.
#[derive(Clone, Copy)]
pub(crate) struct Mailbox;

/// The shared state of a [`Mailbox`].
pub(crate) struct Shared<M>(Mutex<Queue<M>>);

struct Queue<M> {
    messages: Vec<M>,
    reader: Option<Waker>,
}

/// The receiving half of a [`Mailbox`].
pub(crate) struct Reader<M> {
    shared: Arc<Shared<M>>,
    /// The messages that were taken, the next one last.
    taken: Vec<M>,
}

impl<M> Reader<M> {
    fn fetch(&mut self, waker: &Waker) -> bool {
        let mut queue = self.shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.messages.is_empty() {
            queue.reader = Some(waker.clone());
            return false;
        }
        std::mem::swap(&mut queue.messages, &mut self.taken);
        drop(queue);
        self.taken.reverse();
        true
    }
}

impl Channel for Mailbox {
    const NAME: &'static str = "mutex-and-waker";
    type Sender<M: Send + 'static> = Arc<Shared<M>>;
    type Receiver<M: Send + 'static> = Reader<M>;

    fn bounded() -> Option<Box<dyn Entrant>> {
        None
    }

    fn new<M: Send + 'static>() -> (Arc<Shared<M>>, Reader<M>) {
        let shared = Arc::new(Shared(Mutex::new(Queue {
            messages: Vec::new(),
            reader: None,
        })));
        let reader = Reader {
            shared: shared.clone(),
            taken: Vec::new(),
        };
        (shared, reader)
    }

    async fn send<M: Send + 'static>(sender: &Arc<Shared<M>>, message: M) {
        let mut queue = sender.0.lock().unwrap_or_else(PoisonError::into_inner);
        queue.messages.push(message);
        let reader = queue.reader.take();
        drop(queue);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    async fn receive<M: Send + 'static>(receiver: &mut Reader<M>) -> Option<M> {
        poll_fn(|task| {
            if receiver.taken.is_empty() && !receiver.fetch(task.waker()) {
                return Poll::Pending;
            }
            Poll::Ready(receiver.taken.pop())
        })
        .await
    }
}
