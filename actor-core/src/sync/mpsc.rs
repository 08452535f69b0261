//! Async multi-producer, single-consumer channels, as tokio's.
//!
//! ```
//! use actor_core::sync::mpsc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let (send, mut receive) = mpsc::channel(1);
//! send.send(7).await.unwrap();
//! drop(send);
//! assert_eq!(receive.recv().await, Some(7));
//! assert_eq!(receive.recv().await, None);
//! # }
//! ```

use std::fmt;
use std::future::Future;
use std::panic::Location;

pub use tokio::sync::mpsc::error;
pub use tokio::sync::mpsc::error::{SendError, TryRecvError, TrySendError};

use crate::object::{ObjectOperation, OwnedObject, blocking};
use crate::runtime::{self, AccessEffect, SourceLocation, Wait};

const KIND: &str = "mpsc channel";

/// Creates a bounded channel for `capacity` messages.
///
/// # Panics
///
/// If the capacity is zero.
#[track_caller]
pub fn channel<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let (send, receive) = tokio::sync::mpsc::channel(capacity);
    let (common, made) = (OwnedObject::new(), Location::caller());
    let sender = Sender {
        inner: send,
        common: common.clone(),
        made,
    };
    let receiver = Receiver {
        inner: receive,
        common,
        made,
    };
    (sender, receiver)
}

/// Creates an unbounded channel, which is limited only by memory.
///
/// ```
/// use actor_core::sync::mpsc;
///
/// let (send, mut receive) = mpsc::unbounded_channel();
/// send.send(7).unwrap();
/// assert_eq!(receive.try_recv(), Ok(7));
/// ```
#[track_caller]
pub fn unbounded_channel<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let (send, receive) = tokio::sync::mpsc::unbounded_channel();
    let (common, made) = (OwnedObject::new(), Location::caller());
    let sender = UnboundedSender {
        inner: send,
        common: common.clone(),
        made,
    };
    let receiver = UnboundedReceiver {
        inner: receive,
        common,
        made,
    };
    (sender, receiver)
}

/// Sends into a [`channel`].
pub struct Sender<T> {
    inner: tokio::sync::mpsc::Sender<T>,
    common: OwnedObject,
    made: SourceLocation,
}

impl<T> Sender<T> {
    /// Waits for capacity, and sends.
    ///
    /// # Errors
    ///
    /// The future returns the value if the receiver is gone or closed.
    #[track_caller]
    pub fn send(&self, value: T) -> impl Future<Output = Result<(), SendError<T>>> {
        let deed = ObjectOperation::new(KIND, "sends into");
        let send = self.inner.send(value);
        self.common.wait(deed, Wait::Alone, send, |done| {
            AccessEffect::CHANGES.if_ok(done)
        })
    }

    /// Sends if there is capacity.
    ///
    /// # Errors
    ///
    /// Returns the value if there is no capacity, or if the receiver is gone or closed.
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let deed = ObjectOperation::new(KIND, "tries to send into");
        self.common.step(
            deed,
            || self.inner.try_send(value),
            |done| AccessEffect::CHANGES.if_ok(done),
        )
    }

    /// Waits until the receiver is gone or closed.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        let deed = ObjectOperation::new(KIND, "sees the end of");
        let closed = self.inner.closed();
        self.common
            .wait(deed, Wait::News, closed, |()| AccessEffect::LOOKS)
    }

    /// True if the receiver is gone or closed.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.common.look(KIND, || self.inner.is_closed())
    }

    /// The number of messages that can be sent now without waiting.
    #[track_caller]
    pub fn capacity(&self) -> usize {
        self.common.look(KIND, || self.inner.capacity())
    }
}

impl<T> Sender<T> {
    /// Waits for capacity, and reserves it for one message.
    ///
    /// ```
    /// use actor_core::sync::mpsc;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (send, mut receive) = mpsc::channel(1);
    /// let room = send.reserve().await.unwrap();
    /// assert!(send.try_send(8).is_err());
    /// room.send(7);
    /// assert_eq!(receive.recv().await, Some(7));
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The future fails if the receiver is gone or closed.
    #[track_caller]
    pub fn reserve(&self) -> impl Future<Output = Result<Permit<'_, T>, SendError<()>>> {
        let deed = ObjectOperation::new(KIND, "reserves room in");
        let reserve = self.inner.reserve();
        let reserve = self.common.wait(deed, Wait::Alone, reserve, |done| {
            AccessEffect::CHANGES.if_ok(done)
        });
        async move {
            let inner = reserve.await?;
            Ok(Permit {
                inner: Some(inner),
                common: &self.common,
                made: deed.place,
            })
        }
    }

    /// Reserves capacity for one message if there is some.
    ///
    /// # Errors
    ///
    /// If there is no capacity, or if the receiver is gone or closed.
    #[track_caller]
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        let deed = ObjectOperation::new(KIND, "tries to reserve room in");
        let tried = self.common.step(
            deed,
            || self.inner.try_reserve(),
            |done| AccessEffect::CHANGES.if_ok(done),
        );
        Ok(Permit {
            inner: Some(tried?),
            common: &self.common,
            made: deed.place,
        })
    }

    /// Waits for capacity in code that blocks, and sends.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver is gone or closed.
    ///
    /// # Panics
    ///
    /// If called from async code in production.
    #[track_caller]
    pub fn blocking_send(&self, value: T) -> Result<(), SendError<T>> {
        if !runtime::is_controlled() {
            return self.inner.blocking_send(value);
        }
        match blocking(self.send(value)) {
            Some(sent) => sent,
            None => panic!("who waits for room was told to end"),
        }
    }

    /// The capacity with which the channel was created.
    pub fn max_capacity(&self) -> usize {
        self.inner.max_capacity()
    }

    /// True if both send into the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }
}

/// Reserved capacity for one message in a [`channel`], by [`Sender::reserve`]; released on drop.
pub struct Permit<'a, T> {
    /// `None` once the message was sent.
    inner: Option<tokio::sync::mpsc::Permit<'a, T>>,
    common: &'a OwnedObject,
    made: SourceLocation,
}

impl<T> Permit<'_, T> {
    /// Sends the message.
    #[track_caller]
    pub fn send(mut self, value: T) {
        let deed = ObjectOperation::new(KIND, "sends into");
        let inner = self.inner.take();
        let send = || {
            if let Some(inner) = inner {
                inner.send(value);
            }
        };
        self.common.step(deed, send, |()| AccessEffect::CHANGES);
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.take() {
            let deed = ObjectOperation::at(KIND, "gives back room in", self.made);
            self.common
                .step(deed, || drop(inner), |()| AccessEffect::CHANGES);
        }
    }
}

impl<T> fmt::Debug for Permit<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").finish_non_exhaustive()
    }
}

/// Sends into an [`unbounded_channel`].
pub struct UnboundedSender<T> {
    inner: tokio::sync::mpsc::UnboundedSender<T>,
    common: OwnedObject,
    made: SourceLocation,
}

impl<T> UnboundedSender<T> {
    /// Sends without waiting.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver is gone or closed.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let deed = ObjectOperation::new(KIND, "sends into");
        self.common.step(
            deed,
            || self.inner.send(value),
            |done| AccessEffect::CHANGES.if_ok(done),
        )
    }

    /// Waits until the receiver is gone or closed.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        let deed = ObjectOperation::new(KIND, "sees the end of");
        let closed = self.inner.closed();
        self.common
            .wait(deed, Wait::News, closed, |()| AccessEffect::LOOKS)
    }

    /// True if both send into the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// True if the receiver is gone or closed.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.common.look(KIND, || self.inner.is_closed())
    }
}

/// Receives from a [`channel`].
pub struct Receiver<T> {
    inner: tokio::sync::mpsc::Receiver<T>,
    common: OwnedObject,
    made: SourceLocation,
}

/// Receives from an [`unbounded_channel`].
pub struct UnboundedReceiver<T> {
    inner: tokio::sync::mpsc::UnboundedReceiver<T>,
    common: OwnedObject,
    made: SourceLocation,
}

macro_rules! receiver {
    ($receiver:ident) => {
        impl<T> $receiver<T> {
            /// Waits for a message; `None` if there is none, and no sender is left or the receiver is closed.
            #[track_caller]
            pub fn recv(&mut self) -> impl Future<Output = Option<T>> {
                let deed = ObjectOperation::new(KIND, "receives from");
                let receive = self.inner.recv();
                self.common
                    .wait(deed, Wait::News, receive, |_| AccessEffect::CHANGES)
            }

            /// Receives a message if there is one.
            ///
            /// # Errors
            ///
            /// If there is no message; the error distinguishes if one may still come.
            #[track_caller]
            pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                let deed = ObjectOperation::new(KIND, "tries to receive from");
                self.common.step(
                    deed,
                    || self.inner.try_recv(),
                    |done| AccessEffect::CHANGES.if_ok(done),
                )
            }

            /// Waits for messages, and appends up to `limit` of them to the buffer; returns their number.
            /// Returns zero if there are none and no sender is left, or if the limit is zero.
            #[track_caller]
            pub fn recv_many(
                &mut self,
                buffer: &mut Vec<T>,
                limit: usize,
            ) -> impl Future<Output = usize> {
                let deed = ObjectOperation::new(KIND, "receives from");
                let receive = self.inner.recv_many(buffer, limit);
                self.common
                    .wait(deed, Wait::News, receive, |_| AccessEffect::CHANGES)
            }

            /// As [`recv`](Self::recv), in code that blocks.
            ///
            /// # Panics
            ///
            /// If called from async code in production.
            #[track_caller]
            pub fn blocking_recv(&mut self) -> Option<T> {
                match runtime::is_controlled() {
                    true => blocking(self.recv()).flatten(),
                    false => self.inner.blocking_recv(),
                }
            }

            /// The number of queued messages.
            #[track_caller]
            pub fn len(&self) -> usize {
                self.common.look(KIND, || self.inner.len())
            }

            /// True if there is no message.
            #[track_caller]
            pub fn is_empty(&self) -> bool {
                self.common.look(KIND, || self.inner.is_empty())
            }

            /// True if the receiver is closed, or no sender is left.
            #[track_caller]
            pub fn is_closed(&self) -> bool {
                self.common.look(KIND, || self.inner.is_closed())
            }

            /// Closes the channel: no more messages can be sent, and queued ones can still be received.
            #[track_caller]
            pub fn close(&mut self) {
                let deed = ObjectOperation::new(KIND, "closes");
                let close = || self.inner.close();
                self.common.step(deed, close, |()| AccessEffect::CHANGES);
            }
        }
    };
}

receiver!(Receiver);
receiver!(UnboundedReceiver);

clones!(Sender);
clones!(UnboundedSender);

ends!(KIND, Sender, "drops a sender of");
ends!(KIND, UnboundedSender, "drops a sender of");
ends!(KIND, Receiver, "drops the receiver of");
ends!(KIND, UnboundedReceiver, "drops the receiver of");
