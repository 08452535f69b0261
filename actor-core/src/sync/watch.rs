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
use std::panic::Location;
use std::sync::Arc;

use tokio::sync::Notify;
pub use tokio::sync::watch::error;
pub use tokio::sync::watch::error::{RecvError, SendError};

use crate::object::{HoldGuard, ObjectOperation, OwnedObject};
use crate::runtime::{self, AccessEffect, SourceLocation, Wait};

const KIND: &str = "watch channel";

/// Creates a channel with an initial value.
#[track_caller]
pub fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let (send, receive) = tokio::sync::watch::channel(value);
    let (common, made) = (OwnedObject::new(), Location::caller());
    let news = common.get().map(|_| Arc::new(Notify::const_new()));
    let sender = Sender {
        inner: send,
        common: common.clone(),
        made,
        news: ChangeNotifier(news.clone()),
    };
    let receiver = Receiver {
        inner: receive,
        common,
        made,
        news,
    };
    (sender, receiver)
}

/// Changes the value.
pub struct Sender<T> {
    inner: tokio::sync::watch::Sender<T>,
    common: OwnedObject,
    made: SourceLocation,
    // Dropped last: the receivers that it wakes check if `inner` is dropped.
    news: ChangeNotifier,
}

/// The notification of receivers under test: tokio's own would wake them in a random order.
#[derive(Debug)]
struct ChangeNotifier(Option<Arc<Notify>>);

impl ChangeNotifier {
    fn tell(&self) {
        if let Some(news) = &self.0 {
            news.notify_waiters();
        }
    }
}

impl Drop for ChangeNotifier {
    fn drop(&mut self) {
        self.tell();
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
        let deed = ObjectOperation::new(KIND, "sends into");
        self.change(deed, || self.inner.send(value), Result::is_ok)
    }

    /// Modifies the value, and notifies the receivers.
    #[track_caller]
    pub fn send_modify(&self, modify: impl FnOnce(&mut T)) {
        let deed = ObjectOperation::new(KIND, "changes");
        self.change(deed, || self.inner.send_modify(modify), |()| true);
    }

    /// Modifies the value; notifies the receivers only if `modify` returns true. Returns the result of
    /// `modify`.
    #[track_caller]
    pub fn send_if_modified(&self, modify: impl FnOnce(&mut T) -> bool) -> bool {
        let deed = ObjectOperation::new(KIND, "changes");
        let change = || self.inner.send_if_modified(modify);
        self.change(deed, change, |is_modified| *is_modified)
    }

    /// Replaces the value, even without receivers; returns the old value.
    #[track_caller]
    pub fn send_replace(&self, value: T) -> T {
        let deed = ObjectOperation::new(KIND, "sends into");
        self.change(deed, || self.inner.send_replace(value), |_| true)
    }

    /// Changes the value; under test in a step, once nobody borrows the value.
    fn change<R>(
        &self,
        deed: ObjectOperation,
        change: impl FnOnce() -> R,
        is_news: impl FnOnce(&R) -> bool,
    ) -> R {
        let Some(object) = self.common.get() else {
            return change();
        };
        object.block(deed, Wait::Alone, AccessEffect::CHANGES, || {
            let runtime = runtime::current()?;
            let is_held = runtime.is_held(object.id(&*runtime, deed.kind));
            (!is_held).then_some(())
        });
        let changed = change();
        if is_news(&changed) {
            self.news.tell();
        }
        changed
    }

    /// Borrows the value. Changes wait until the borrow is dropped.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        let deed = ObjectOperation::new(KIND, "borrows");
        Ref::of(&self.common, deed, || self.inner.borrow())
    }

    /// Creates a receiver that watches from now on.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        let deed = ObjectOperation::new(KIND, "subscribes to");
        let subscribe = || self.inner.subscribe();
        Receiver {
            inner: self.common.step(deed, subscribe, |_| AccessEffect::CHANGES),
            common: self.common.clone(),
            made: self.made,
            news: self.news.0.clone(),
        }
    }

    /// Waits until no receiver is left.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        let deed = ObjectOperation::new(KIND, "sees the end of");
        let closed = self.inner.closed();
        self.common
            .wait(deed, Wait::News, closed, |()| AccessEffect::LOOKS)
    }

    /// The number of receivers.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.common.look(KIND, || self.inner.receiver_count())
    }

    /// True if no receiver is left.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.common.look(KIND, || self.inner.is_closed())
    }
}

/// Watches the value.
pub struct Receiver<T> {
    inner: tokio::sync::watch::Receiver<T>,
    common: OwnedObject,
    made: SourceLocation,
    news: Option<Arc<Notify>>,
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            common: self.common.clone(),
            made: self.made,
            news: self.news.clone(),
        }
    }
}

/// Waits, under test, until `find` succeeds; it is called at first and after each change.
async fn wait_until_found<T, R>(
    inner: &mut tokio::sync::watch::Receiver<T>,
    news: &Notify,
    mut find: impl FnMut(&mut tokio::sync::watch::Receiver<T>) -> Option<R>,
) -> Result<R, RecvError> {
    loop {
        let told = news.notified();
        if let Some(found) = find(inner) {
            return Ok(found);
        }
        inner.has_changed()?;
        told.await;
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
        let deed = ObjectOperation::new(KIND, "sees a change of");
        let Self {
            inner,
            common,
            news,
            ..
        } = self;
        async move {
            let Some(news) = news else {
                return inner.changed().await;
            };
            let changed = wait_until_found(inner, news, |inner| {
                inner.borrow_and_update().has_changed().then_some(())
            });
            let changed = common.wait(deed, Wait::News, changed, |_| AccessEffect::LOOKS);
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
        mut is_it: impl FnMut(&T) -> bool,
    ) -> impl Future<Output = Result<Ref<'_, T>, RecvError>> {
        let deed = ObjectOperation::new(KIND, "waits for a value of");
        let Self {
            inner,
            common,
            news,
            ..
        } = self;
        async move {
            let Some(news) = news else {
                let inner = inner.wait_for(is_it).await?;
                return Ok(Ref { _held: None, inner });
            };
            let found = wait_until_found(inner, news, |inner| {
                is_it(&inner.borrow_and_update()).then_some(())
            });
            let found = common.wait(deed, Wait::News, found, |found| {
                AccessEffect::SHARES.if_ok(found)
            });
            // The box keeps the controlled future out of the size of production futures.
            Box::pin(found).await?;
            // No other operation has taken a step since.
            let held = common.get().map(|object| HoldGuard::of(object, deed));
            let inner = inner.borrow();
            Ok(Ref { _held: held, inner })
        }
    }

    /// Marks the value as changed since this receiver last saw it.
    pub fn mark_changed(&mut self) {
        self.inner.mark_changed();
    }

    /// Marks the value as seen.
    #[track_caller]
    pub fn mark_unchanged(&mut self) {
        let deed = ObjectOperation::new(KIND, "looks at");
        let mark = || self.inner.mark_unchanged();
        self.common.step(deed, mark, |()| AccessEffect::LOOKS);
    }

    /// True if both watch the same value.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// Returns true if the value has changed since this receiver last saw it.
    ///
    /// # Errors
    ///
    /// If no sender is left.
    #[track_caller]
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        let deed = ObjectOperation::new(KIND, "looks at");
        let look = || self.inner.has_changed();
        self.common.step(deed, look, |_| AccessEffect::LOOKS)
    }

    /// Borrows the value. Changes wait until the borrow is dropped.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        let deed = ObjectOperation::new(KIND, "borrows");
        Ref::of(&self.common, deed, || self.inner.borrow())
    }

    /// As [`borrow`](Self::borrow), and marks the value as seen.
    #[track_caller]
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let deed = ObjectOperation::new(KIND, "borrows");
        Ref::of(&self.common, deed, || self.inner.borrow_and_update())
    }
}

/// The value of a channel, borrowed.
pub struct Ref<'a, T> {
    // Dropped first: under test another operation may try to access the value while it is still borrowed.
    _held: Option<HoldGuard<'a>>,
    inner: tokio::sync::watch::Ref<'a, T>,
}

impl<'a, T> Ref<'a, T> {
    fn of(
        common: &'a OwnedObject,
        deed: ObjectOperation,
        borrow: impl FnOnce() -> tokio::sync::watch::Ref<'a, T>,
    ) -> Self {
        let inner = common.step(deed, borrow, |_| AccessEffect::SHARES);
        let held = common.get().map(|object| HoldGuard::of(object, deed));
        Self { _held: held, inner }
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

ends!(KIND, Sender, "drops a sender of");
ends!(KIND, Receiver, "drops a receiver of");
