//! The two ends of an `ask` in production.

use std::any::TypeId;
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use tokio::sync::oneshot;

use super::current::Sender;
use super::hub::Hub;
use crate::event::Event;
use crate::monitor::Moment;
use crate::reply::AskError;

thread_local! {
    /// Events are dropped on this thread because their actor has stopped.
    static STOPPED: Cell<bool> = const { Cell::new(false) };
}

/// Drops an event that its actor will never handle: whoever asked learns that it has stopped.
pub(super) fn drop_unhandled<M>(message: M) {
    struct Reset(bool);
    impl Drop for Reset {
        fn drop(&mut self) {
            STOPPED.set(self.0);
        }
    }
    let _reset = Reset(STOPPED.replace(true));
    drop(message);
}

/// Who asked, and in which system; kept only while a monitor is registered.
pub(super) struct Observed {
    pub(super) hub: Arc<Hub>,
    pub(super) asker: Sender,
}

/// The end that answers.
pub(crate) struct LiveReply<R> {
    /// `None` once it was answered.
    sender: Option<oneshot::Sender<Result<R, AskError>>>,
    observed: Option<Box<Observed>>,
}

/// The end that waits.
pub(crate) struct LiveAsk<R>(oneshot::Receiver<Result<R, AskError>>);

impl<R: Event> LiveReply<R> {
    pub(super) fn new(observed: Option<Box<Observed>>) -> (Self, LiveAsk<R>) {
        let (sender, receiver) = oneshot::channel();
        let reply = Self {
            sender: Some(sender),
            observed,
        };
        (reply, LiveAsk(receiver))
    }

    pub(crate) fn is_nobody(&self) -> bool {
        self.sender.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    pub(crate) fn send(mut self, value: R) {
        if let Some(Observed { hub, asker }) = self.observed.as_deref() {
            let answering = Sender::current();
            let target = asker.id();
            let kind = TypeId::of::<R>();
            hub.observe(Moment::Replied, kind, &value, answering, target);
        }
        if let Some(sender) = self.sender.take() {
            drop(sender.send(Ok(value)));
        }
    }
}

impl<R> Drop for LiveReply<R> {
    fn drop(&mut self) {
        if STOPPED.try_with(Cell::get).unwrap_or(false)
            && let Some(sender) = self.sender.take()
        {
            drop(sender.send(Err(AskError::Stopped)));
        }
    }
}

impl<R> LiveAsk<R> {
    pub(crate) fn poll(&mut self, task: &mut TaskContext<'_>) -> Poll<Result<R, AskError>> {
        Pin::new(&mut self.0)
            .poll(task)
            .map(|reply| reply.unwrap_or(Err(AskError::Dropped)))
    }
}
