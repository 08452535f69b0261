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

pub use tokio::sync::mpsc::error;
pub use tokio::sync::mpsc::error::{SendError, TryRecvError, TrySendError};

use crate::object::{Common, Deed, blocking};
use crate::runtime::{self, Place, Touch, Wait};

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
        self.common.look(KIND, || self.inner.is_closed())
    }

    /// How many more messages there is room for now.
    #[track_caller]
    pub fn capacity(&self) -> usize {
        self.common.look(KIND, || self.inner.capacity())
    }
}

impl<T> Sender<T> {
    /// Waits until there is room, and keeps it for one message.
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
    /// The future's: where nobody receives.
    #[track_caller]
    pub fn reserve(&self) -> impl Future<Output = Result<Permit<'_, T>, SendError<()>>> {
        let deed = Deed::new(KIND, "reserves room in");
        let reserve = self.inner.reserve();
        let reserve = self.common.wait(deed, Wait::Alone, reserve, |done| {
            Touch::CHANGES.if_ok(done)
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

    /// Keeps room for one message, where there is some.
    ///
    /// # Errors
    ///
    /// Where there is no room, or nobody receives.
    #[track_caller]
    pub fn try_reserve(&self) -> Result<Permit<'_, T>, TrySendError<()>> {
        let deed = Deed::new(KIND, "tries to reserve room in");
        let tried = self.common.step(
            deed,
            || self.inner.try_reserve(),
            |done| Touch::CHANGES.if_ok(done),
        );
        Ok(Permit {
            inner: Some(tried?),
            common: &self.common,
            made: deed.place,
        })
    }

    /// Sends in code that blocks, when there is room.
    ///
    /// # Errors
    ///
    /// Gives the value back where nobody receives.
    ///
    /// # Panics
    ///
    /// In async code in production.
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

    /// How many messages the channel can hold.
    pub fn max_capacity(&self) -> usize {
        self.inner.max_capacity()
    }

    /// Both send into the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }
}

/// Room for one message in a [`channel`], by [`Sender::reserve`]; given back when it is dropped.
pub struct Permit<'a, T> {
    /// There until it has sent.
    inner: Option<tokio::sync::mpsc::Permit<'a, T>>,
    common: &'a Common,
    made: Place,
}

impl<T> Permit<'_, T> {
    /// Sends.
    #[track_caller]
    pub fn send(mut self, value: T) {
        let deed = Deed::new(KIND, "sends into");
        let inner = self.inner.take();
        let send = || {
            if let Some(inner) = inner {
                inner.send(value);
            }
        };
        self.common.step(deed, send, |()| Touch::CHANGES);
    }
}

impl<T> Drop for Permit<'_, T> {
    fn drop(&mut self) {
        if let Some(inner) = self.inner.take() {
            let deed = Deed::at(KIND, "gives back room in", self.made);
            self.common.step(deed, || drop(inner), |()| Touch::CHANGES);
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

    /// Waits until nobody receives any more.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        let deed = Deed::new(KIND, "sees the end of");
        let closed = self.inner.closed();
        self.common
            .wait(deed, Wait::News, closed, |()| Touch::LOOKS)
    }

    /// Both send into the same channel.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// Nobody receives any more.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.common.look(KIND, || self.inner.is_closed())
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

            /// Waits for messages, and adds as many as there are to the buffer, at most so many; tells how
            /// many. Zero where there are none and nobody sends any more, or none are wanted.
            #[track_caller]
            pub fn recv_many(
                &mut self,
                buffer: &mut Vec<T>,
                limit: usize,
            ) -> impl Future<Output = usize> {
                let deed = Deed::new(KIND, "receives from");
                let receive = self.inner.recv_many(buffer, limit);
                self.common
                    .wait(deed, Wait::News, receive, |_| Touch::CHANGES)
            }

            /// Waits for a message in code that blocks; `None` where there is none, and nobody sends any
            /// more.
            ///
            /// # Panics
            ///
            /// In async code in production.
            #[track_caller]
            pub fn blocking_recv(&mut self) -> Option<T> {
                match runtime::is_controlled() {
                    true => blocking(self.recv()).flatten(),
                    false => self.inner.blocking_recv(),
                }
            }

            /// How many messages there are.
            #[track_caller]
            pub fn len(&self) -> usize {
                self.common.look(KIND, || self.inner.len())
            }

            /// There is no message.
            #[track_caller]
            pub fn is_empty(&self) -> bool {
                self.common.look(KIND, || self.inner.is_empty())
            }

            /// It takes no more messages, or nobody sends any more.
            #[track_caller]
            pub fn is_closed(&self) -> bool {
                self.common.look(KIND, || self.inner.is_closed())
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
