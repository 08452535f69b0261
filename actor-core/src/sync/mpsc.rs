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

use std::future::Future;
use std::panic::Location;

pub use tokio::sync::mpsc::error;
pub use tokio::sync::mpsc::error::{SendError, TryRecvError, TrySendError};

use super::observed::End;
use crate::object::{Accessed, ObjectOperation, OwnedObject, blocking};
use crate::seam::{self, AccessEffect, SourceLocation, Wait};

const KIND: &str = "mpsc channel";

/// Creates a bounded channel for `capacity` messages.
///
/// # Panics
///
/// If the capacity is zero.
#[track_caller]
pub fn channel<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = End::pair(tokio::sync::mpsc::channel(capacity));
    (Sender(sender), Receiver(receiver))
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
    let (sender, receiver) = End::pair(tokio::sync::mpsc::unbounded_channel());
    (UnboundedSender(sender), UnboundedReceiver(receiver))
}

/// Sends into a [`channel`].
pub struct Sender<T>(End<tokio::sync::mpsc::Sender<T>>);

/// Sends into an [`unbounded_channel`].
pub struct UnboundedSender<T>(End<tokio::sync::mpsc::UnboundedSender<T>>);

/// Receives from a [`channel`].
pub struct Receiver<T>(End<tokio::sync::mpsc::Receiver<T>>);

/// Receives from an [`unbounded_channel`].
pub struct UnboundedReceiver<T>(End<tokio::sync::mpsc::UnboundedReceiver<T>>);

impl<T> Sender<T> {
    /// Waits for capacity, and sends.
    ///
    /// # Errors
    ///
    /// The future returns the value if the receiver is gone or closed.
    #[track_caller]
    pub fn send(&self, value: T) -> impl Future<Output = Result<(), SendError<T>>> {
        let operation = ObjectOperation::new(KIND, "sends into");
        let send = self.0.inner.send(value);
        self.0.object.wait(operation, Wait::Alone, send, |done| {
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
        self.0
            .try_change(KIND, "tries to send into", |inner| inner.try_send(value))
    }

    /// The number of messages that can be sent now without waiting.
    #[track_caller]
    pub fn capacity(&self) -> usize {
        self.0.read(KIND, "looks into", |inner| inner.capacity())
    }

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
        let operation = ObjectOperation::new(KIND, "reserves room in");
        let End { inner, object } = &self.0;
        let reserve = object.wait(operation, Wait::Alone, inner.reserve(), |done| {
            AccessEffect::CHANGES.if_ok(done)
        });
        async move {
            Ok(Permit {
                inner: Some(reserve.await?),
                object,
                place: operation.place,
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
        let verb = "tries to reserve room in";
        let inner = self.0.try_change(KIND, verb, |inner| inner.try_reserve())?;
        Ok(Permit {
            inner: Some(inner),
            object: &self.0.object,
            place: Location::caller(),
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
        if !seam::is_controlled() {
            return self.0.inner.blocking_send(value);
        }
        match blocking(self.send(value)) {
            Some(sent) => sent,
            None => panic!("an operation that waits for capacity was aborted"),
        }
    }

    /// The capacity with which the channel was created.
    pub fn max_capacity(&self) -> usize {
        self.0.inner.max_capacity()
    }
}

/// Reserved capacity for one message in a [`channel`], by [`Sender::reserve`]; released on drop.
pub struct Permit<'a, T> {
    /// `None` once the message was sent.
    inner: Option<tokio::sync::mpsc::Permit<'a, T>>,
    object: &'a OwnedObject,
    /// The place of the reservation.
    place: SourceLocation,
}

impl<T> Permit<'_, T> {
    /// Sends the message.
    #[track_caller]
    pub fn send(mut self, value: T) {
        let inner = self.inner.take();
        let send = || inner.map(|inner| inner.send(value));
        self.object.change(KIND, "sends into", send);
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.take() {
            let operation = ObjectOperation::at(KIND, "gives back room in", self.place);
            self.object
                .step(operation, || drop(inner), |()| AccessEffect::CHANGES);
        }
    }
}

debug_opaque!(Permit<'_, T>);

impl<T> UnboundedSender<T> {
    /// Sends without waiting.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver is gone or closed.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        self.0
            .try_change(KIND, "sends into", |inner| inner.send(value))
    }
}

macro_rules! sender {
    ($sender:ident) => {
        impl<T> $sender<T> {
            /// Waits until the receiver is gone or closed.
            #[track_caller]
            pub fn closed(&self) -> impl Future<Output = ()> {
                let End { inner, object } = &self.0;
                object.wait_for_end(KIND, inner.closed())
            }

            /// True if the receiver is gone or closed.
            #[track_caller]
            pub fn is_closed(&self) -> bool {
                self.0.read(KIND, "looks into", |inner| inner.is_closed())
            }

            /// True if both send into the same channel.
            pub fn same_channel(&self, other: &Self) -> bool {
                self.0.inner.same_channel(&other.0.inner)
            }
        }

        clones!($sender);
        ends!($sender, "drops a sender of");
    };
}

sender!(Sender);
sender!(UnboundedSender);

macro_rules! receiver {
    ($receiver:ident) => {
        impl<T> $receiver<T> {
            /// Waits for a message; `None` if there is none, and no sender is left or the receiver is closed.
            #[track_caller]
            pub fn recv(&mut self) -> impl Future<Output = Option<T>> {
                let operation = ObjectOperation::new(KIND, "receives from");
                let End { inner, object } = &mut self.0;
                object.wait(operation, Wait::News, inner.recv(), |_| {
                    AccessEffect::CHANGES
                })
            }

            /// Receives a message if there is one.
            ///
            /// # Errors
            ///
            /// If there is no message; the error distinguishes if one may still come.
            #[track_caller]
            pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                let End { inner, object } = &mut self.0;
                object.try_change(KIND, "tries to receive from", || inner.try_recv())
            }

            /// Waits for messages, and appends up to `limit` of them to the buffer; returns their number.
            /// Returns zero if there are none and no sender is left, or if the limit is zero.
            #[track_caller]
            pub fn recv_many(
                &mut self,
                buffer: &mut Vec<T>,
                limit: usize,
            ) -> impl Future<Output = usize> {
                let operation = ObjectOperation::new(KIND, "receives from");
                let End { inner, object } = &mut self.0;
                let receive = inner.recv_many(buffer, limit);
                object.wait(operation, Wait::News, receive, |_| AccessEffect::CHANGES)
            }

            /// As [`recv`](Self::recv), in code that blocks.
            ///
            /// # Panics
            ///
            /// If called from async code in production.
            #[track_caller]
            pub fn blocking_recv(&mut self) -> Option<T> {
                match seam::is_controlled() {
                    true => blocking(self.recv()).flatten(),
                    false => self.0.inner.blocking_recv(),
                }
            }

            /// The number of queued messages.
            #[track_caller]
            pub fn len(&self) -> usize {
                self.0.read(KIND, "looks into", |inner| inner.len())
            }

            /// True if there is no message.
            #[track_caller]
            pub fn is_empty(&self) -> bool {
                self.0.read(KIND, "looks into", |inner| inner.is_empty())
            }

            /// True if the receiver is closed, or no sender is left.
            #[track_caller]
            pub fn is_closed(&self) -> bool {
                self.0.read(KIND, "looks into", |inner| inner.is_closed())
            }

            /// Closes the channel: no more messages can be sent, and queued ones can still be received.
            #[track_caller]
            pub fn close(&mut self) {
                let End { inner, object } = &mut self.0;
                object.change(KIND, "closes", || inner.close());
            }
        }

        ends!($receiver, "drops the receiver of");
    };
}

receiver!(Receiver);
receiver!(UnboundedReceiver);
