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

use std::fmt;
use std::future::Future;
use std::panic::Location;

pub use tokio::sync::broadcast::error;
pub use tokio::sync::broadcast::error::{RecvError, SendError, TryRecvError};

use crate::object::{ObjectOperation, OwnedObject};
use crate::runtime::{AccessEffect, SourceLocation, Wait};

const KIND: &str = "broadcast channel";

/// Creates a channel that keeps `capacity` messages for receivers that lag behind.
///
/// # Panics
///
/// If the capacity is zero.
#[track_caller]
pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let (send, receive) = tokio::sync::broadcast::channel(capacity);
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

/// Sends to all receivers.
pub struct Sender<T> {
    inner: tokio::sync::broadcast::Sender<T>,
    common: OwnedObject,
    made: SourceLocation,
}

impl<T> Sender<T> {
    /// Sends to all current receivers; returns their number.
    ///
    /// # Errors
    ///
    /// Returns the value if there are no receivers.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
        let deed = ObjectOperation::new(KIND, "sends into");
        self.common.step(
            deed,
            || self.inner.send(value),
            |done| AccessEffect::CHANGES.if_ok(done),
        )
    }

    /// Creates a receiver of later messages.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        let deed = ObjectOperation::new(KIND, "subscribes to");
        let subscribe = || self.inner.subscribe();
        Receiver {
            inner: self.common.step(deed, subscribe, |_| AccessEffect::CHANGES),
            common: self.common.clone(),
            made: self.made,
        }
    }

    /// The number of queued messages: those that some receiver has not received.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.common.look(KIND, || self.inner.len())
    }

    /// True if all receivers have received everything.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.common.look(KIND, || self.inner.is_empty())
    }

    /// The number of receivers.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.common.look(KIND, || self.inner.receiver_count())
    }
}

clones!(Sender);

/// Receives every message that is sent after its creation.
pub struct Receiver<T> {
    inner: tokio::sync::broadcast::Receiver<T>,
    common: OwnedObject,
    made: SourceLocation,
}

impl<T: Clone> Receiver<T> {
    /// Waits for the next message.
    ///
    /// # Errors
    ///
    /// The future fails if the receiver has lagged and missed messages, and if no sender is left.
    #[track_caller]
    pub fn recv(&mut self) -> impl Future<Output = Result<T, RecvError>> {
        let deed = ObjectOperation::new(KIND, "receives from");
        let receive = self.inner.recv();
        self.common
            .wait(deed, Wait::News, receive, |_| AccessEffect::CHANGES)
    }

    /// Receives the next message if there is one.
    ///
    /// # Errors
    ///
    /// As [`recv`](Self::recv), and if there is no message.
    #[track_caller]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let deed = ObjectOperation::new(KIND, "tries to receive from");
        self.common.step(
            deed,
            || self.inner.try_recv(),
            |done| AccessEffect::CHANGES.if_ok(done),
        )
    }

    /// The number of messages for this receiver.
    #[track_caller]
    pub fn len(&self) -> usize {
        self.common.look(KIND, || self.inner.len())
    }

    /// True if there is no message for this receiver.
    #[track_caller]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Creates another receiver, of later messages.
    #[track_caller]
    pub fn resubscribe(&self) -> Self {
        let deed = ObjectOperation::new(KIND, "subscribes to");
        let subscribe = || self.inner.resubscribe();
        Self {
            inner: self.common.step(deed, subscribe, |_| AccessEffect::CHANGES),
            common: self.common.clone(),
            made: self.made,
        }
    }
}

ends!(KIND, Sender, "drops a sender of");
ends!(KIND, Receiver, "drops a receiver of");
