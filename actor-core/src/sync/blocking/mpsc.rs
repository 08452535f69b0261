//! Blocking multi-producer, single-consumer channels, as in the standard library.
//!
//! ```
//! use actor_core::sync::blocking::mpsc;
//! use actor_core::thread;
//!
//! let (send, receive) = mpsc::channel();
//! let thread = thread::spawn(move || send.send(7));
//! assert_eq!(receive.recv(), Ok(7));
//! assert!(receive.recv().is_err());
//! # assert!(thread.join().is_ok());
//! ```

use std::cell::Cell;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Context as TaskContext;
use std::time::Duration;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use crate::object::{ObjectOperation, OwnedObject};
use crate::runtime::{self, AccessEffect, Purpose, SourceLocation, Wait};

const KIND: &str = "channel";

/// Creates an unbounded channel, which is limited only by memory.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (send, receive) = std::sync::mpsc::channel();
    let (common, made) = (OwnedObject::new(), Location::caller());
    let sender = Sender {
        inner: send,
        common: common.clone(),
        made,
    };
    (sender, Receiver::new(receive, common, made))
}

/// Creates a bounded channel; with a capacity of zero, a sender waits until its message is received.
///
/// ```
/// use actor_core::sync::blocking::mpsc;
///
/// let (send, receive) = mpsc::sync_channel(1);
/// send.send(7).unwrap();
/// assert!(send.try_send(8).is_err());
/// assert_eq!(receive.recv(), Ok(7));
/// ```
#[track_caller]
pub fn sync_channel<T>(capacity: usize) -> (SyncSender<T>, Receiver<T>) {
    let (common, made) = (OwnedObject::new(), Location::caller());
    // Under test a sender into a channel of capacity zero waits by itself until its message is taken.
    let hands_over = capacity == 0 && common.get().is_some();
    let (send, receive) = std::sync::mpsc::sync_channel(capacity.max(usize::from(hands_over)));
    let receiver = Receiver::new(receive, common.clone(), made);
    let sender = SyncSender {
        inner: send,
        common,
        made,
        sent: hands_over.then(Arc::default),
        taken: receiver.taken.clone(),
    };
    (sender, receiver)
}

/// Sends into a [`channel`].
pub struct Sender<T> {
    inner: std::sync::mpsc::Sender<T>,
    common: OwnedObject,
    made: SourceLocation,
}

impl<T> Sender<T> {
    /// Sends without waiting.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let deed = ObjectOperation::new(KIND, "sends into");
        let sent = self.common.step(
            deed,
            || self.inner.send(value),
            |done| AccessEffect::CHANGES.if_ok(done),
        );
        self.common.unblock(KIND);
        sent
    }
}

clones!(Sender);

/// Sends into a [`sync_channel`].
pub struct SyncSender<T> {
    inner: std::sync::mpsc::SyncSender<T>,
    common: OwnedObject,
    made: SourceLocation,
    /// Under test, for a capacity of zero: the number of messages sent.
    sent: Option<Arc<AtomicU64>>,
    taken: Arc<AtomicU64>,
}

impl<T> SyncSender<T> {
    /// Waits for capacity, and sends.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let Some(object) = self.common.get() else {
            return self.inner.send(value);
        };
        let send = ObjectOperation::new(KIND, "sends into");
        let mut value = Some(value);
        let sent = object.block(send, Wait::News, AccessEffect::CHANGES, || {
            match self.inner.try_send(value.take()?) {
                Ok(()) => Some(Ok(())),
                Err(TrySendError::Disconnected(back)) => Some(Err(SendError(back))),
                Err(TrySendError::Full(back)) => {
                    value = Some(back);
                    None
                }
            }
        });
        self.common.unblock(KIND);
        if let (Some(count), Ok(())) = (&self.sent, &sent) {
            let own = count.fetch_add(1, Ordering::Relaxed) + 1;
            let hands = ObjectOperation::at(KIND, "hands over", send.place);
            object.block(hands, Wait::News, AccessEffect::LOOKS, || {
                (self.taken.load(Ordering::Relaxed) >= own).then_some(())
            });
        }
        sent
    }

    /// Sends if there is capacity. Under test this always fails for a channel of capacity zero.
    ///
    /// # Errors
    ///
    /// Returns the value if there is no capacity, or if the receiver is gone.
    #[track_caller]
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let deed = ObjectOperation::new(KIND, "tries to send into");
        let send = || match &self.sent {
            Some(_) => Err(TrySendError::Full(value)),
            None => self.inner.try_send(value),
        };
        let sent = self
            .common
            .step(deed, send, |done| AccessEffect::CHANGES.if_ok(done));
        self.common.unblock(KIND);
        sent
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            common: self.common.clone(),
            made: self.made,
            sent: self.sent.clone(),
            taken: self.taken.clone(),
        }
    }
}

/// Receives from a [`channel`] or a [`sync_channel`].
pub struct Receiver<T> {
    inner: std::sync::mpsc::Receiver<T>,
    common: OwnedObject,
    made: SourceLocation,
    taken: Arc<AtomicU64>,
    /// Makes the type `!Sync`, as the standard library's.
    _one: std::marker::PhantomData<Cell<()>>,
}

impl<T> Receiver<T> {
    fn new(inner: std::sync::mpsc::Receiver<T>, common: OwnedObject, made: SourceLocation) -> Self {
        Self {
            inner,
            common,
            made,
            taken: Arc::default(),
            _one: std::marker::PhantomData,
        }
    }

    /// Waits for a message.
    ///
    /// # Errors
    ///
    /// If there is no message, and no sender is left.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        let Some(object) = self.common.get() else {
            return self.inner.recv();
        };
        let receive = ObjectOperation::new(KIND, "receives from");
        let received = object.block(receive, Wait::News, AccessEffect::CHANGES, || {
            match self.inner.try_recv() {
                Ok(value) => Some(Ok(value)),
                Err(TryRecvError::Disconnected) => Some(Err(RecvError)),
                Err(TryRecvError::Empty) => None,
            }
        });
        self.took(received.is_ok());
        received
    }

    /// Receives a message if there is one.
    ///
    /// # Errors
    ///
    /// If there is no message; the error distinguishes if one may still come.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let deed = ObjectOperation::new(KIND, "tries to receive from");
        let received = self.common.step(
            deed,
            || self.inner.try_recv(),
            |done| AccessEffect::CHANGES.if_ok(done),
        );
        self.took(received.is_ok());
        received
    }

    /// Waits for a message, with a time limit, in virtual time under test.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use actor_core::sync::blocking::mpsc::{self, RecvTimeoutError};
    ///
    /// let (send, receive) = mpsc::channel();
    /// let limit = Duration::from_millis(1);
    /// assert_eq!(receive.recv_timeout(limit), Err(RecvTimeoutError::Timeout));
    /// send.send(7).unwrap();
    /// assert_eq!(receive.recv_timeout(limit), Ok(7));
    /// drop(send);
    /// assert_eq!(receive.recv_timeout(limit), Err(RecvTimeoutError::Disconnected));
    /// ```
    ///
    /// # Errors
    ///
    /// If no message has come; the error distinguishes if one may still come.
    #[track_caller]
    pub fn recv_timeout(&self, limit: Duration) -> Result<T, RecvTimeoutError> {
        let Some(object) = self.common.get() else {
            return self.inner.recv_timeout(limit);
        };
        let access = object.begin_access(ObjectOperation::new(KIND, "receives from"));
        let mut limit = pin!(crate::environment::sleep(false, limit, Purpose::Sleep));
        let mut is_over = false;
        let received = loop {
            match self.inner.try_recv() {
                Ok(value) => break Ok(value),
                Err(TryRecvError::Disconnected) => break Err(RecvTimeoutError::Disconnected),
                Err(TryRecvError::Empty) if is_over => break Err(RecvTimeoutError::Timeout),
                Err(TryRecvError::Empty) => {}
            }
            is_over = true;
            if let (Some(runtime), Some(access)) = (runtime::current(), access) {
                let waker = runtime.waker();
                let polled = limit.as_mut().poll(&mut TaskContext::from_waker(&waker));
                is_over = polled.is_ready() || !runtime.block(access, Wait::News);
            }
        };
        object.record_access(access, AccessEffect::CHANGES.if_ok(&received));
        self.took(received.is_ok());
        received
    }

    /// Counts a received message, and lets senders that wait for capacity try again.
    fn took(&self, some: bool) {
        if some && self.common.get().is_some() {
            self.taken.fetch_add(1, Ordering::Relaxed);
            self.common.unblock(KIND);
        }
    }

    /// Iterates over all messages, until no sender is left.
    #[track_caller]
    pub fn iter(&self) -> impl Iterator<Item = T> {
        std::iter::from_fn(|| self.recv().ok())
    }

    /// Iterates over the messages that are queued now.
    #[track_caller]
    pub fn try_iter(&self) -> impl Iterator<Item = T> {
        std::iter::from_fn(|| self.try_recv().ok())
    }
}

/// Iterates over all messages, until no sender is left; see [`Receiver::into_iter`].
#[derive(Debug)]
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}

ends!(KIND, Sender, "drops a sender of");
ends!(KIND, SyncSender, "drops a sender of");
ends!(KIND, Receiver, "drops the receiver of");
