//! Async watch channels, which keep the latest value, as tokio's.
//!
//! ```
//! use actor_core::sync::watch;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let (send, mut seen) = watch::channel(1);
//! send.send(2).unwrap();
//! seen.changed().await.unwrap();
//! assert_eq!(*seen.borrow_and_update(), 2);
//! # }
//! ```

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;

use tokio::sync::Notify;
pub use tokio::sync::watch::error;
pub use tokio::sync::watch::error::{RecvError, SendError};

use super::observed::End;
use crate::object::{Accessed, HoldGuard, ObjectOperation, OwnedObject};
use crate::seam::{self, AccessEffect, Query, Wait};

const KIND: &str = "watch channel";

/// Creates a channel with an initial value.
#[track_caller]
pub fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = End::pair(tokio::sync::watch::channel(value));
    let notify = sender.object.controlled().map(|_| Arc::default());
    let sender = Sender(sender, ChangeNotifier(notify.clone()));
    (sender, Receiver(receiver, notify))
}

/// Changes the value.
// The notifier is dropped last: the receivers that it wakes check if the inner sender is dropped.
pub struct Sender<T>(End<tokio::sync::watch::Sender<T>>, ChangeNotifier);

/// The notification of receivers under test: tokio's own would wake them in a random order.
#[derive(Debug)]
struct ChangeNotifier(Option<Arc<Notify>>);

impl ChangeNotifier {
    fn notify(&self) {
        if let Some(notify) = &self.0 {
            notify.notify_waiters();
        }
    }
}

impl Drop for ChangeNotifier {
    fn drop(&mut self) {
        self.notify();
    }
}

impl<T> Sender<T> {
    /// Replaces the value, and notifies the receivers.
    ///
    /// # Errors
    ///
    /// Returns the value if there are no receivers.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let send = || self.0.inner.send(value);
        self.change("sends into", send, Result::is_ok)
    }

    /// Modifies the value, and notifies the receivers.
    #[track_caller]
    pub fn send_modify(&self, modify: impl FnOnce(&mut T)) {
        let change = || self.0.inner.send_modify(modify);
        self.change("changes", change, |()| true);
    }

    /// Modifies the value; notifies the receivers only if `modify` returns true. Returns the result of
    /// `modify`.
    #[track_caller]
    pub fn send_if_modified(&self, modify: impl FnOnce(&mut T) -> bool) -> bool {
        let change = || self.0.inner.send_if_modified(modify);
        self.change("changes", change, |is_modified| *is_modified)
    }

    /// Replaces the value, even without receivers; returns the old value.
    #[track_caller]
    pub fn send_replace(&self, value: T) -> T {
        let send = || self.0.inner.send_replace(value);
        self.change("sends into", send, |_| true)
    }

    /// Changes the value; under test in a step, once nobody borrows the value.
    #[track_caller]
    fn change<R>(
        &self,
        verb: &'static str,
        change: impl FnOnce() -> R,
        notifies: impl FnOnce(&R) -> bool,
    ) -> R {
        let Some(object) = self.0.object.controlled() else {
            return change();
        };
        let operation = ObjectOperation::new(KIND, verb);
        object.block(operation, Wait::Alone, AccessEffect::CHANGES, || {
            let id = object.id(&*seam::current()?, KIND);
            let is_held = seam::query(|to| Query::IsHeld(id, to));
            (!is_held).then_some(())
        });
        let changed = change();
        if notifies(&changed) {
            self.1.notify();
        }
        changed
    }

    /// Borrows the value. Changes wait until the borrow is dropped.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref::of(&self.0.object, || self.0.inner.borrow())
    }

    /// Creates a receiver that watches from now on.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        let subscribe = |inner: &tokio::sync::watch::Sender<T>| inner.subscribe();
        let inner = self.0.change(KIND, "subscribes to", subscribe);
        Receiver(self.0.with(inner), self.1.0.clone())
    }

    /// Waits until no receiver is left.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        let End { inner, object } = &self.0;
        object.wait_for_end(KIND, inner.closed())
    }

    /// The number of receivers.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.0
            .read(KIND, "looks into", |inner| inner.receiver_count())
    }

    /// True if no receiver is left.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.0.read(KIND, "looks into", |inner| inner.is_closed())
    }
}

/// Watches the value.
pub struct Receiver<T>(End<tokio::sync::watch::Receiver<T>>, Option<Arc<Notify>>);

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), self.1.clone())
    }
}

/// Waits, under test, until `find` succeeds; it is called at first and after each change.
async fn wait_until_found<T, R>(
    inner: &mut tokio::sync::watch::Receiver<T>,
    notify: &Notify,
    mut find: impl FnMut(&mut tokio::sync::watch::Receiver<T>) -> Option<R>,
) -> Result<R, RecvError> {
    loop {
        let notified = notify.notified();
        if let Some(found) = find(inner) {
            return Ok(found);
        }
        inner.has_changed()?;
        notified.await;
    }
}

impl<T> Receiver<T> {
    /// Waits until the value has changed since this receiver last saw it.
    ///
    /// # Errors
    ///
    /// The future fails if the value is unchanged and no sender is left.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), RecvError>> {
        let operation = ObjectOperation::new(KIND, "sees a change of");
        let Self(End { inner, object }, notify) = self;
        async move {
            let Some(notify) = notify else {
                return inner.changed().await;
            };
            let changed = wait_until_found(inner, notify, |inner| {
                inner.borrow_and_update().has_changed().then_some(())
            });
            let changed = object.wait(operation, Wait::News, changed, |_| AccessEffect::READS);
            // The box keeps the controlled future out of the size of production futures.
            Box::pin(changed).await
        }
    }

    /// Waits until the value meets the condition, which it may already do; the value then counts as seen.
    ///
    /// ```
    /// use actor_core::sync::watch;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let (send, mut seen) = watch::channel(1);
    /// send.send(3).unwrap();
    /// assert_eq!(*seen.wait_for(|value| *value > 2).await.unwrap(), 3);
    /// drop(send);
    /// assert!(seen.wait_for(|value| *value > 3).await.is_err());
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The future fails if the condition is not met and no sender is left.
    #[track_caller]
    pub fn wait_for(
        &mut self,
        mut is_met: impl FnMut(&T) -> bool,
    ) -> impl Future<Output = Result<Ref<'_, T>, RecvError>> {
        let operation = ObjectOperation::new(KIND, "waits for a value of");
        let Self(End { inner, object }, notify) = self;
        async move {
            let Some(notify) = notify else {
                let inner = inner.wait_for(is_met).await?;
                return Ok(Ref::held(object, operation, inner));
            };
            let found = wait_until_found(inner, notify, |inner| {
                is_met(&inner.borrow_and_update()).then_some(())
            });
            let found = object.wait(operation, Wait::News, found, |found| {
                AccessEffect::SHARES.if_ok(found)
            });
            // The box keeps the controlled future out of the size of production futures.
            Box::pin(found).await?;
            // No other operation has taken a step since.
            Ok(Ref::held(object, operation, inner.borrow()))
        }
    }

    /// Marks the value as changed since this receiver last saw it.
    pub fn mark_changed(&mut self) {
        self.0.inner.mark_changed();
    }

    /// Marks the value as seen.
    #[track_caller]
    pub fn mark_unchanged(&mut self) {
        let End { inner, object } = &mut self.0;
        object.read(KIND, "looks at", || inner.mark_unchanged());
    }

    /// True if both watch the same value.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.0.inner.same_channel(&other.0.inner)
    }

    /// Returns true if the value has changed since this receiver last saw it.
    ///
    /// # Errors
    ///
    /// If no sender is left.
    #[track_caller]
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        self.0.read(KIND, "looks at", |inner| inner.has_changed())
    }

    /// Borrows the value. Changes wait until the borrow is dropped.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref::of(&self.0.object, || self.0.inner.borrow())
    }

    /// As [`borrow`](Self::borrow), and marks the value as seen.
    #[track_caller]
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let End { inner, object } = &mut self.0;
        Ref::of(object, || inner.borrow_and_update())
    }
}

/// The value of a channel, borrowed.
pub struct Ref<'a, T> {
    // Dropped first: under test another operation may try to access the value while it is still borrowed.
    _hold: Option<HoldGuard<'a>>,
    inner: tokio::sync::watch::Ref<'a, T>,
}

impl<'a, T> Ref<'a, T> {
    #[track_caller]
    fn of(
        object: &'a OwnedObject,
        borrow: impl FnOnce() -> tokio::sync::watch::Ref<'a, T>,
    ) -> Self {
        let operation = ObjectOperation::new(KIND, "borrows");
        let inner = object.step(operation, borrow, |_| AccessEffect::SHARES);
        Self::held(object, operation, inner)
    }

    /// Makes a borrow that the current operation has just begun.
    fn held(
        object: &'a OwnedObject,
        operation: ObjectOperation,
        inner: tokio::sync::watch::Ref<'a, T>,
    ) -> Self {
        let object = object.controlled();
        let _hold = object.map(|object| HoldGuard::of(object, operation));
        Self { _hold, inner }
    }
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T: fmt::Debug> fmt::Debug for Ref<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

ends!(Sender, "drops a sender of");
ends!(Receiver, "drops a receiver of");
