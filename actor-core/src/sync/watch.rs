//! A value that others watch, for async code: tokio's.
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

use crate::object::{Common, Deed, Held};
use crate::runtime::{self, Place, Touch, Wait};

const KIND: &str = "watch channel";

/// A value that others watch.
#[track_caller]
pub fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let (send, receive) = tokio::sync::watch::channel(value);
    let (common, made) = (Common::new(), Location::caller());
    let news = common.get().map(|_| Arc::new(Notify::const_new()));
    let sender = Sender {
        inner: send,
        common: common.clone(),
        made,
        news: News(news.clone()),
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
    common: Common,
    made: Place,
    // Dropped last: those that are told look whether `inner` is there.
    news: News,
}

/// What those are told by who watch, under test: tokio wakes them in an order that it draws for itself.
#[derive(Debug)]
struct News(Option<Arc<Notify>>);

impl News {
    fn tell(&self) {
        if let Some(news) = &self.0 {
            news.notify_waiters();
        }
    }
}

impl Drop for News {
    fn drop(&mut self) {
        self.tell();
    }
}

impl<T> Sender<T> {
    /// Another value.
    ///
    /// # Errors
    ///
    /// Gives it back where nobody watches.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let deed = Deed::new(KIND, "sends into");
        self.change(deed, || self.inner.send(value), Result::is_ok)
    }

    /// Changes the value.
    #[track_caller]
    pub fn send_modify(&self, modify: impl FnOnce(&mut T)) {
        let deed = Deed::new(KIND, "changes");
        self.change(deed, || self.inner.send_modify(modify), |()| true);
    }

    /// Changes the value; nobody is told where `modify` says that it has not. Tells whether it has.
    #[track_caller]
    pub fn send_if_modified(&self, modify: impl FnOnce(&mut T) -> bool) -> bool {
        let deed = Deed::new(KIND, "changes");
        let change = || self.inner.send_if_modified(modify);
        self.change(deed, change, |is_modified| *is_modified)
    }

    /// Another value, also where nobody watches; the one before comes back.
    #[track_caller]
    pub fn send_replace(&self, value: T) -> T {
        let deed = Deed::new(KIND, "sends into");
        self.change(deed, || self.inner.send_replace(value), |_| true)
    }

    /// Under test it is a step, when nobody has borrowed the value.
    fn change<R>(
        &self,
        deed: Deed,
        change: impl FnOnce() -> R,
        is_news: impl FnOnce(&R) -> bool,
    ) -> R {
        let Some(object) = self.common.get() else {
            return change();
        };
        object.block(deed, Wait::Alone, Touch::CHANGES, || {
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

    /// The value. Whoever changes it waits until this is dropped.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        let deed = Deed::new(KIND, "borrows");
        Ref::of(&self.common, deed, || self.inner.borrow())
    }

    /// Somebody who watches from now on.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        let deed = Deed::new(KIND, "subscribes to");
        let subscribe = || self.inner.subscribe();
        Receiver {
            inner: self.common.step(deed, subscribe, |_| Touch::CHANGES),
            common: self.common.clone(),
            made: self.made,
            news: self.news.0.clone(),
        }
    }

    /// Waits until nobody watches.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        let deed = Deed::new(KIND, "sees the end of");
        let closed = self.inner.closed();
        self.common
            .wait(deed, Wait::News, closed, |()| Touch::LOOKS)
    }

    /// How many watch.
    #[track_caller]
    pub fn receiver_count(&self) -> usize {
        self.common.look(KIND, || self.inner.receiver_count())
    }

    /// Nobody watches.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.common.look(KIND, || self.inner.is_closed())
    }
}

/// Watches the value.
pub struct Receiver<T> {
    inner: tokio::sync::watch::Receiver<T>,
    common: Common,
    made: Place,
    /// Under test: where it is told of changes.
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

/// Waits, under test, until `find` finds something, which it looks for at first and after each change.
async fn told<T, R>(
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
    /// Waits until the value has changed since it was seen last.
    ///
    /// # Errors
    ///
    /// The future's: where nobody will change it any more.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), RecvError>> {
        let deed = Deed::new(KIND, "sees a change of");
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
            let changed = told(inner, news, |inner| {
                inner.borrow_and_update().has_changed().then_some(())
            });
            let changed = common.wait(deed, Wait::News, changed, |_| Touch::LOOKS);
            // In a box, so that production has no room for it in its futures.
            Box::pin(changed).await
        }
    }

    /// Waits until the value is such a one, which it may be already; it counts as seen then.
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
    /// The future's: where it is not, and nobody will change it any more.
    #[track_caller]
    pub fn wait_for(
        &mut self,
        mut is_it: impl FnMut(&T) -> bool,
    ) -> impl Future<Output = Result<Ref<'_, T>, RecvError>> {
        let deed = Deed::new(KIND, "waits for a value of");
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
            let found = told(inner, news, |inner| {
                is_it(&inner.borrow_and_update()).then_some(())
            });
            let found = common.wait(deed, Wait::News, found, |found| Touch::SHARES.if_ok(found));
            // In a box, so that production has no room for it in its futures.
            Box::pin(found).await?;
            // Nobody else has taken a step since.
            let held = common.get().map(|object| Held::of(object, deed));
            let inner = inner.borrow();
            Ok(Ref { _held: held, inner })
        }
    }

    /// The value counts as changed since it was seen last.
    pub fn mark_changed(&mut self) {
        self.inner.mark_changed();
    }

    /// The value counts as seen.
    #[track_caller]
    pub fn mark_unchanged(&mut self) {
        let deed = Deed::new(KIND, "looks at");
        let mark = || self.inner.mark_unchanged();
        self.common.step(deed, mark, |()| Touch::LOOKS);
    }

    /// Both watch the same value.
    pub fn same_channel(&self, other: &Self) -> bool {
        self.inner.same_channel(&other.inner)
    }

    /// The value has changed since it was seen last.
    ///
    /// # Errors
    ///
    /// Where nobody will change it any more.
    #[track_caller]
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        let deed = Deed::new(KIND, "looks at");
        let look = || self.inner.has_changed();
        self.common.step(deed, look, |_| Touch::LOOKS)
    }

    /// The value. Whoever changes it waits until this is dropped.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        let deed = Deed::new(KIND, "borrows");
        Ref::of(&self.common, deed, || self.inner.borrow())
    }

    /// As [`borrow`](Self::borrow), and the value counts as seen.
    #[track_caller]
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let deed = Deed::new(KIND, "borrows");
        Ref::of(&self.common, deed, || self.inner.borrow_and_update())
    }
}

/// The value of a channel, borrowed.
pub struct Ref<'a, T> {
    // Dropped first: under test others may look at the value once more while it is borrowed.
    _held: Option<Held<'a>>,
    inner: tokio::sync::watch::Ref<'a, T>,
}

impl<'a, T> Ref<'a, T> {
    fn of(
        common: &'a Common,
        deed: Deed,
        borrow: impl FnOnce() -> tokio::sync::watch::Ref<'a, T>,
    ) -> Self {
        let inner = common.step(deed, borrow, |_| Touch::SHARES);
        let held = common.get().map(|object| Held::of(object, deed));
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
