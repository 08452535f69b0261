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

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

pub use tokio::sync::oneshot::error;
pub use tokio::sync::oneshot::error::{RecvError, TryRecvError};

use super::observed::End;
use crate::object::{Accessed, ObjectOperation, PolledAccess, blocking};
use crate::seam::{self, AccessEffect, Wait};

const KIND: &str = "oneshot channel";

/// Creates a channel for one message.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let (sender, receiver) = End::pair((Some(sender), receiver));
    (Sender(sender), Receiver(receiver, PolledAccess::default()))
}

/// Sends the message.
// `None` once the message was sent.
pub struct Sender<T>(End<Option<tokio::sync::oneshot::Sender<T>>>);

impl<T> Sender<T> {
    /// Sends the message.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver is gone or closed.
    #[track_caller]
    pub fn send(mut self, value: T) -> Result<(), T> {
        let inner = self.0.inner.take();
        let send = || match inner {
            Some(inner) => inner.send(value),
            None => Err(value),
        };
        self.0.object.try_change(KIND, "sends into", send)
    }

    /// Waits until the receiver is gone or closed.
    #[track_caller]
    pub fn closed(&mut self) -> impl Future<Output = ()> {
        let End { inner, object } = &mut self.0;
        let inner = inner.as_mut();
        let closed = async move {
            if let Some(inner) = inner {
                inner.closed().await;
            }
        };
        object.wait_for_end(KIND, closed)
    }

    /// True if the receiver is gone or closed.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        let End { inner, object } = &self.0;
        let is_closed = || inner.as_ref().is_none_or(|inner| inner.is_closed());
        object.read(KIND, "looks into", is_closed)
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if self.0.inner.is_some() {
            self.0.object.record_drop(KIND, "drops the sender of");
        }
    }
}

/// Receives the message; a future.
pub struct Receiver<T>(End<tokio::sync::oneshot::Receiver<T>>, PolledAccess);

impl<T> Receiver<T> {
    /// Receives the message if it was sent.
    ///
    /// # Errors
    ///
    /// If there is no message; the error distinguishes if it may still come.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let End { inner, object } = &mut self.0;
        object.try_change(KIND, "tries to receive from", || inner.try_recv())
    }

    /// Closes the channel: a message can no longer be sent, and a sent one can still be received.
    #[track_caller]
    pub fn close(&mut self) {
        let End { inner, object } = &mut self.0;
        object.change(KIND, "closes", || inner.close());
    }

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
    pub fn blocking_recv(mut self) -> Result<T, RecvError> {
        if seam::is_controlled() {
            return match blocking(&mut self) {
                Some(received) => received,
                None => panic!("an operation that waits for a message was aborted"),
            };
        }
        // The fields can't be moved out of a type with a destructor.
        let (_, nobody) = tokio::sync::oneshot::channel();
        std::mem::replace(&mut self.0.inner, nobody).blocking_recv()
    }
}

impl<T> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let Self(End { inner, object }, access) = &mut *self;
        let Some(object) = object.controlled() else {
            return Pin::new(inner).poll(task);
        };
        let operation = ObjectOperation::at(KIND, "receives from", object.created_at);
        let poll = |task: &mut TaskContext<'_>| Pin::new(inner).poll(task);
        let polled = access.poll(object, operation, Wait::Alone, task, poll);
        if polled.is_ready() {
            object.record(operation, AccessEffect::CHANGES);
        }
        polled
    }
}

debug_opaque!(Sender<T>);
ends!(Receiver, "drops the receiver of");
