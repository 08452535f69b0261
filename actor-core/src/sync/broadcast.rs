//! Async multi-producer, multi-consumer broadcast channels, as tokio's.
//!
//! ```
//! use actor_core::sync::broadcast;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let (send, mut one) = broadcast::channel(4);
//! let mut other = send.subscribe();
//! send.send(7).unwrap();
//! assert_eq!((one.recv().await, other.recv().await), (Ok(7), Ok(7)));
//! # }
//! ```

use std::future::Future;

pub use tokio::sync::broadcast::error;
pub use tokio::sync::broadcast::error::{RecvError, SendError, TryRecvError};

use super::observed::End;
use crate::object::{Accessed, ObjectOperation};
use crate::seam::{AccessEffect, Wait};

const KIND: &str = "broadcast channel";

/// Creates a channel that keeps `capacity` messages for receivers that lag behind.
///
/// # Panics
///
/// If the capacity is zero.
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = End::pair(tokio::sync::broadcast::channel(capacity));
    (Sender(sender), Receiver(receiver))
}

/// Sends to all receivers.
pub struct Sender<T>(End<tokio::sync::broadcast::Sender<T>>);

impl<T> Sender<T> {
    /// Sends to all current receivers; returns their number.
    ///
    /// # Errors
    ///
    /// Returns the value if there are no receivers.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
        self.0
            .try_change(KIND, "sends into", |inner| inner.send(value))
    }

    /// Creates a receiver of later messages.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        let subscribe = |inner: &tokio::sync::broadcast::Sender<T>| inner.subscribe();
        Receiver(self.0.with(self.0.change(KIND, "subscribes to", subscribe)))
    }

    /// The number of queued messages: those that some receiver has not received.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.0.read(KIND, "looks into", |inner| inner.len())
    }

    /// True if all receivers have received everything.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.0.read(KIND, "looks into", |inner| inner.is_empty())
    }

    /// The number of receivers.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.0
            .read(KIND, "looks into", |inner| inner.receiver_count())
    }
}

clones!(Sender);

/// Receives every message that is sent after its creation.
pub struct Receiver<T>(End<tokio::sync::broadcast::Receiver<T>>);

impl<T: Clone> Receiver<T> {
    /// Waits for the next message.
    ///
    /// # Errors
    ///
    /// The future fails if the receiver has lagged and missed messages, and if no sender is left.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Result<T, RecvError>> {
        let operation = ObjectOperation::new(KIND, "receives from");
        let End { inner, object } = &mut self.0;
        object.wait(operation, Wait::News, inner.recv(), |_| {
            AccessEffect::CHANGES
        })
    }

    /// Receives the next message if there is one.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv), and if there is no message.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let End { inner, object } = &mut self.0;
        object.try_change(KIND, "tries to receive from", || inner.try_recv())
    }

    /// The number of messages for this receiver.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.0.read(KIND, "looks into", |inner| inner.len())
    }

    /// True if there is no message for this receiver.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Creates another receiver, of later messages.
    #[track_caller]
    pub fn resubscribe(&self) -> Self {
        let subscribe = |inner: &tokio::sync::broadcast::Receiver<T>| inner.resubscribe();
        Self(self.0.with(self.0.change(KIND, "subscribes to", subscribe)))
    }
}

ends!(Sender, "drops a sender of");
ends!(Receiver, "drops a receiver of");
