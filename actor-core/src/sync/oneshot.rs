//! Async channels for one message, as tokio's.
//!
//! ```
//! use actor_core::sync::oneshot;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let (send, receive) = oneshot::channel();
//! send.send(7).unwrap();
//! assert_eq!(receive.await, Ok(7));
//! # }
//! ```

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

pub use tokio::sync::oneshot::error;
pub use tokio::sync::oneshot::error::{RecvError, TryRecvError};

use crate::object::{ObjectOperation, OwnedObject, WaitMark, blocking};
use crate::runtime::{self, AccessEffect, SourceLocation, Wait};

const KIND: &str = "oneshot channel";

/// Creates a channel for one message.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (send, receive) = tokio::sync::oneshot::channel();
    let (common, made) = (OwnedObject::new(), Location::caller());
    let sender = Sender {
        inner: Some(send),
        common: common.clone(),
        made,
    };
    let receiver = Receiver {
        inner: receive,
        common,
        made,
        has_come: false,
        waiting: WaitMark::default(),
    };
    (sender, receiver)
}

/// Sends the message.
pub struct Sender<T> {
    /// `None` once the message was sent.
    inner: Option<tokio::sync::oneshot::Sender<T>>,
    common: OwnedObject,
    made: SourceLocation,
}

impl<T> Sender<T> {
    /// Sends the message.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver is gone or closed.
    #[track_caller]
    pub fn send(mut self, value: T) -> Result<(), T> {
        let deed = ObjectOperation::new(KIND, "sends into");
        let inner = self.inner.take();
        let send = || match inner {
            Some(inner) => inner.send(value),
            None => Err(value),
        };
        self.common
            .step(deed, send, |done| AccessEffect::CHANGES.if_ok(done))
    }

    /// Waits until the receiver is gone or closed.
    #[track_caller]
    pub fn closed(&mut self) -> impl Future<Output = ()> {
        let deed = ObjectOperation::new(KIND, "sees the end of");
        let inner = self.inner.as_mut();
        let closed = async move {
            if let Some(inner) = inner {
                inner.closed().await;
            }
        };
        self.common
            .wait(deed, Wait::News, closed, |()| AccessEffect::LOOKS)
    }

    /// True if the receiver is gone or closed.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.common.look(KIND, || {
            self.inner.as_ref().is_none_or(|inner| inner.is_closed())
        })
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if self.inner.is_some() {
            self.common
                .dropped(ObjectOperation::at(KIND, "drops the sender of", self.made));
        }
    }
}

/// Receives the message; a future.
pub struct Receiver<T> {
    inner: tokio::sync::oneshot::Receiver<T>,
    common: OwnedObject,
    made: SourceLocation,
    has_come: bool,
    waiting: WaitMark,
}

impl<T> Receiver<T> {
    /// Receives the message if it was sent.
    ///
    /// # Errors
    ///
    /// If there is no message; the error distinguishes if it may still come.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let deed = ObjectOperation::new(KIND, "tries to receive from");
        self.common.step(
            deed,
            || self.inner.try_recv(),
            |done| AccessEffect::CHANGES.if_ok(done),
        )
    }

    /// Closes the channel: a message can no longer be sent, and a sent one can still be received.
    #[track_caller]
    pub fn close(&mut self) {
        let deed = ObjectOperation::new(KIND, "closes");
        let close = || self.inner.close();
        self.common.step(deed, close, |()| AccessEffect::CHANGES);
    }
}

impl<T> Receiver<T> {
    /// Waits for the message in code that blocks.
    ///
    /// # Errors
    ///
    /// If the sender was dropped without sending.
    ///
    /// # Panics
    ///
    /// If called from async code in production.
    #[track_caller]
    pub fn blocking_recv(self) -> Result<T, RecvError> {
        if runtime::is_controlled() {
            let mut ends = self;
            return match blocking(&mut ends) {
                Some(received) => received,
                None => panic!("who waits for a message was told to end"),
            };
        }
        // The fields can't be moved out of a type with a destructor.
        let mut ends = self;
        let (_, nobody) = tokio::sync::oneshot::channel();
        std::mem::replace(&mut ends.inner, nobody).blocking_recv()
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let Some(object) = this.common.get() else {
            return Pin::new(&mut this.inner).poll(task);
        };
        let Some(runtime) = runtime::current() else {
            return Pin::new(&mut this.inner).poll(task);
        };
        let deed = ObjectOperation::at(KIND, "receives from", this.made);
        let access = object.access(&*runtime, deed);
        if !std::mem::replace(&mut this.has_come, true) && !runtime.announce_access(access, false) {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        let polled = Pin::new(&mut this.inner).poll(task);
        match &polled {
            Poll::Pending => this.waiting.begin(object, deed, Wait::Alone),
            Poll::Ready(_) => {
                this.waiting = WaitMark::default();
                runtime.touch(access, AccessEffect::CHANGES);
            }
        }
        polled
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.common.dropped(ObjectOperation::at(
            KIND,
            "drops the receiver of",
            self.made,
        ));
    }
}

impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
