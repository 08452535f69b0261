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

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Context as TaskContext;
use std::time::Duration;

pub use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use super::super::observed::End;
use crate::object::{Accessed, ObjectOperation};
use crate::seam::{self, AccessEffect, BlockUntil, Purpose, Wait};

const KIND: &str = "channel";

/// Creates an unbounded channel, which is limited only by memory.
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = End::pair(std::sync::mpsc::channel());
    (Sender(sender), Receiver(receiver, None))
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
    // Under test a sender into a channel of capacity zero waits by itself until its message is taken.
    let handover = (capacity == 0 && seam::is_controlled()).then(Arc::<Handover>::default);
    let capacity = capacity.max(usize::from(handover.is_some()));
    let (sender, receiver) = End::pair(std::sync::mpsc::sync_channel(capacity));
    let sender = SyncSender(sender, handover.clone());
    (sender, Receiver(receiver, handover))
}

/// The numbers of messages sent into, and taken from, a channel of capacity zero under test.
#[derive(Default)]
struct Handover {
    sent: AtomicU64,
    taken: AtomicU64,
}

/// Sends into a [`channel`].
pub struct Sender<T>(End<std::sync::mpsc::Sender<T>>);

impl<T> Sender<T> {
    /// Sends without waiting.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let sent = self
            .0
            .try_change(KIND, "sends into", |inner| inner.send(value));
        self.0.object.unblock(KIND);
        sent
    }
}

clones!(Sender);

/// Sends into a [`sync_channel`].
pub struct SyncSender<T>(End<std::sync::mpsc::SyncSender<T>>, Option<Arc<Handover>>);

impl<T> SyncSender<T> {
    /// Waits for capacity, and sends.
    ///
    /// # Errors
    ///
    /// Returns the value if the receiver is gone.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let Self(End { inner, object }, handover) = self;
        let Some(object) = object.controlled() else {
            return inner.send(value);
        };
        let operation = ObjectOperation::new(KIND, "sends into");
        let mut value = Some(value);
        let send = || match inner.try_send(value.take()?) {
            Ok(()) => Some(Ok(())),
            Err(TrySendError::Disconnected(back)) => Some(Err(SendError(back))),
            Err(TrySendError::Full(back)) => {
                value = Some(back);
                None
            }
        };
        let sent = object.block(operation, Wait::News, AccessEffect::CHANGES, send);
        object.unblock(KIND);
        if let (Some(handover), Ok(())) = (handover, &sent) {
            let own = handover.sent.fetch_add(1, Ordering::Relaxed);
            let is_taken = || (handover.taken.load(Ordering::Relaxed) > own).then_some(());
            let hands_over = operation.with_verb("hands over");
            object.block(hands_over, Wait::News, AccessEffect::READS, is_taken);
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
        let Self(End { inner, object }, handover) = self;
        let send = || match handover {
            Some(_) => Err(TrySendError::Full(value)),
            None => inner.try_send(value),
        };
        let sent = object.try_change(KIND, "tries to send into", send);
        object.unblock(KIND);
        sent
    }
}

impl<T> Clone for SyncSender<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), self.1.clone())
    }
}

/// Receives from a [`channel`] or a [`sync_channel`].
pub struct Receiver<T>(End<std::sync::mpsc::Receiver<T>>, Option<Arc<Handover>>);

impl<T> Receiver<T> {
    /// Waits for a message.
    ///
    /// # Errors
    ///
    /// If there is no message, and no sender is left.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        let End { inner, object } = &self.0;
        let Some(object) = object.controlled() else {
            return inner.recv();
        };
        let operation = ObjectOperation::new(KIND, "receives from");
        let receive = || match inner.try_recv() {
            Ok(value) => Some(Ok(value)),
            Err(TryRecvError::Disconnected) => Some(Err(RecvError)),
            Err(TryRecvError::Empty) => None,
        };
        let received = object.block(operation, Wait::News, AccessEffect::CHANGES, receive);
        self.record_taken(received.is_ok());
        received
    }

    /// Receives a message if there is one.
    ///
    /// # Errors
    ///
    /// If there is no message; the error distinguishes if one may still come.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let verb = "tries to receive from";
        let received = self.0.try_change(KIND, verb, |inner| inner.try_recv());
        self.record_taken(received.is_ok());
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
        let End { inner, object } = &self.0;
        let Some(object) = object.controlled() else {
            return inner.recv_timeout(limit);
        };
        let access = object.begin_access(ObjectOperation::new(KIND, "receives from"));
        let mut limit = pin!(crate::environment::sleep(false, limit, Purpose::Sleep));
        let mut is_over = false;
        let received = loop {
            match inner.try_recv() {
                Ok(value) => break Ok(value),
                Err(TryRecvError::Disconnected) => break Err(RecvTimeoutError::Disconnected),
                Err(TryRecvError::Empty) if is_over => break Err(RecvTimeoutError::Timeout),
                Err(TryRecvError::Empty) => {}
            }
            is_over = true;
            if let (Some(runtime), Some(access)) = (seam::current(), access) {
                let waker = seam::current_waker();
                let polled = limit.as_mut().poll(&mut TaskContext::from_waker(&waker));
                let news = BlockUntil::Changed(access, Wait::News);
                is_over = polled.is_ready() || !runtime.block(news);
            }
        };
        object.record_access(access, AccessEffect::CHANGES.if_ok(&received));
        self.record_taken(received.is_ok());
        received
    }

    /// Counts a received message, and lets senders that wait for capacity try again.
    fn record_taken(&self, is_received: bool) {
        if is_received {
            if let Some(handover) = &self.1 {
                handover.taken.fetch_add(1, Ordering::Relaxed);
            }
            self.0.object.unblock(KIND);
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

ends!(Sender, "drops a sender of");
ends!(SyncSender, "drops a sender of");
ends!(Receiver, "drops the receiver of");
