//! The queue between everyone who sends to an actor and its task: [`Mailbox`].
//!
//! A mutex and a waker. It is chosen over a tokio channel because closing it is exact: under the
//! lock an item is either queued, and so handled or a dead letter, or handed back to its sender.
//! The reader takes the whole queue at once, so it locks once for each batch, and a sender pays for
//! a wake-up only where the reader found the queue empty.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Context as TaskContext, Poll, Waker};

use super::current::Sender;
use super::lock;
use super::timer::Fired;

/// Above this capacity, an emptied queue gives its memory back.
const CAPACITY_KEPT: usize = 4096;

/// What waits in a mailbox.
pub(super) enum Item<M> {
    /// An event that was told or asked. The sender is recorded only while a monitor is registered.
    Event { message: M, sender: Sender },
    /// An event that nobody sent: word of an actor's end, or a timer's, void once the timer is
    /// cancelled. It ends with the actor and is never a dead letter.
    Notice {
        message: M,
        timer: Option<Arc<Fired>>,
    },
    /// The system stops the actor, when it has handled what came before.
    Stop,
}

impl<M> Item<M> {
    /// It belongs to a timer that was cancelled since it fired.
    #[inline]
    pub(super) fn is_void(&self) -> bool {
        match self {
            Self::Notice {
                timer: Some(timer), ..
            } => timer.is_cancelled(),
            Self::Notice { .. } | Self::Event { .. } | Self::Stop => false,
        }
    }

    /// The event, unless it is the system's stop.
    pub(super) fn message(&self) -> Option<&M> {
        match self {
            Self::Event { message, .. } | Self::Notice { message, .. } => Some(message),
            Self::Stop => None,
        }
    }
}

pub(super) struct Mailbox<M> {
    queue: Mutex<Queue<M>>,
}

struct Queue<M> {
    items: VecDeque<Item<M>>,
    /// Set where the reader found nothing; taken by the next sender.
    reader: Option<Waker>,
    closed: bool,
}

impl<M> Mailbox<M> {
    pub(super) fn new() -> Self {
        Self {
            queue: Mutex::new(Queue {
                items: VecDeque::new(),
                reader: None,
                closed: false,
            }),
        }
    }

    /// Appends, or gives the item back where the mailbox is closed.
    #[inline]
    pub(super) fn push(&self, item: Item<M>) -> Result<(), Item<M>> {
        let reader = {
            let mut queue = lock(&self.queue);
            if queue.closed {
                return Err(item);
            }
            queue.items.push_back(item);
            queue.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
        Ok(())
    }

    /// Moves everything queued to the end of `items`, or waits for the next item.
    pub(super) fn poll_fetch(
        &self,
        items: &mut VecDeque<Item<M>>,
        task: &TaskContext<'_>,
    ) -> Poll<()> {
        let mut emptied = VecDeque::new();
        let mut queue = lock(&self.queue);
        if queue.items.is_empty() {
            queue.reader = Some(task.waker().clone());
            return Poll::Pending;
        }
        if items.is_empty() {
            std::mem::swap(&mut queue.items, items);
        } else {
            items.append(&mut queue.items);
        }
        if queue.items.capacity() > CAPACITY_KEPT {
            std::mem::swap(&mut queue.items, &mut emptied);
        }
        drop(queue); // before `emptied` frees its memory
        Poll::Ready(())
    }

    /// Refuses what comes from now on, and returns what was queued.
    pub(super) fn close(&self) -> VecDeque<Item<M>> {
        let mut queue = lock(&self.queue);
        queue.closed = true;
        queue.reader = None;
        std::mem::take(&mut queue.items)
    }

    pub(super) fn is_closed(&self) -> bool {
        lock(&self.queue).closed
    }
}
