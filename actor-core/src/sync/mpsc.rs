//! Channels from many to one, for async code: tokio's.
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

pub use tokio::sync::mpsc::error::{SendError, TryRecvError, TrySendError};

use crate::object::{Common, Deed};
use crate::runtime::{Place, Touch, Wait};

const KIND: &str = "mpsc channel";

/// A channel that holds so many messages.
///
/// # Panics
///
/// Where it could hold none.
#[track_caller]
pub fn channel<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let (send, receive) = tokio::sync::mpsc::channel(capacity);
    let (common, made) = (Common::new(), Location::caller());
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

/// A channel that holds as many messages as there is memory for.
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
    let (common, made) = (Common::new(), Location::caller());
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
    common: Common,
    made: Place,
}

impl<T> Sender<T> {
    /// Sends, when there is room.
    ///
    /// # Errors
    ///
    /// The future's: gives the value back where nobody receives.
    #[track_caller]
    pub fn send(&self, value: T) -> impl Future<Output = Result<(), SendError<T>>> {
        let deed = Deed::new(KIND, "sends into");
        let send = self.inner.send(value);
        self.common
            .wait(deed, Wait::Alone, send, |done| Touch::CHANGES.if_ok(done))
    }

    /// Sends, where there is room.
    ///
    /// # Errors
    ///
    /// Gives the value back where there is no room, or nobody receives.
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let deed = Deed::new(KIND, "tries to send into");
        self.common.step(
            deed,
            || self.inner.try_send(value),
            |done| Touch::CHANGES.if_ok(done),
        )
    }

    /// Waits until nobody receives any more.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        let deed = Deed::new(KIND, "sees the end of");
        let closed = self.inner.closed();
        self.common
            .wait(deed, Wait::News, closed, |()| Touch::LOOKS)
    }

    /// Nobody receives any more.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        let deed = Deed::new(KIND, "looks into");
        let look = || self.inner.is_closed();
        self.common.step(deed, look, |_| Touch::LOOKS)
    }

    /// How many more messages there is room for now.
    #[track_caller]
    pub fn capacity(&self) -> usize {
        let deed = Deed::new(KIND, "looks into");
        let look = || self.inner.capacity();
        self.common.step(deed, look, |_| Touch::LOOKS)
    }
}

/// Sends into an [`unbounded_channel`].
pub struct UnboundedSender<T> {
    inner: tokio::sync::mpsc::UnboundedSender<T>,
    common: Common,
    made: Place,
}

impl<T> UnboundedSender<T> {
    /// Sends.
    ///
    /// # Errors
    ///
    /// Gives the value back where nobody receives.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let deed = Deed::new(KIND, "sends into");
        self.common.step(
            deed,
            || self.inner.send(value),
            |done| Touch::CHANGES.if_ok(done),
        )
    }

    /// Nobody receives any more.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        let deed = Deed::new(KIND, "looks into");
        let look = || self.inner.is_closed();
        self.common.step(deed, look, |_| Touch::LOOKS)
    }
}

/// Receives from a [`channel`].
pub struct Receiver<T> {
    inner: tokio::sync::mpsc::Receiver<T>,
    common: Common,
    made: Place,
}

/// Receives from an [`unbounded_channel`].
pub struct UnboundedReceiver<T> {
    inner: tokio::sync::mpsc::UnboundedReceiver<T>,
    common: Common,
    made: Place,
}

macro_rules! receiver {
    ($receiver:ident) => {
        impl<T> $receiver<T> {
            /// Waits for a message; `None` where there is none, and nobody sends any more.
            #[track_caller]
            pub fn recv(&mut self) -> impl Future<Output = Option<T>> {
                let deed = Deed::new(KIND, "receives from");
                let receive = self.inner.recv();
                self.common
                    .wait(deed, Wait::News, receive, |_| Touch::CHANGES)
            }

            /// A message, where there is one.
            ///
            /// # Errors
            ///
            /// Where there is none, and whether one may still come.
            #[track_caller]
            pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
                let deed = Deed::new(KIND, "tries to receive from");
                self.common.step(
                    deed,
                    || self.inner.try_recv(),
                    |done| Touch::CHANGES.if_ok(done),
                )
            }

            /// Takes no more messages; those that were sent can still be received.
            #[track_caller]
            pub fn close(&mut self) {
                let deed = Deed::new(KIND, "closes");
                let close = || self.inner.close();
                self.common.step(deed, close, |()| Touch::CHANGES);
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
