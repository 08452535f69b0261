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

pub use tokio::sync::watch::error::{RecvError, SendError};

use crate::object::{Common, Deed, Held};
use crate::runtime::{self, Place, Touch, Wait};

fn deed(what: &'static str, place: Place) -> Deed {
    Deed {
        kind: "watch channel",
        what,
        place,
    }
}

/// A value that others watch.
#[track_caller]
pub fn channel<T>(value: T) -> (Sender<T>, Receiver<T>) {
    let (send, receive) = tokio::sync::watch::channel(value);
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

/// Changes the value.
pub struct Sender<T> {
    inner: tokio::sync::watch::Sender<T>,
    common: Common,
    made: Place,
}

impl<T> Sender<T> {
    /// Another value.
    ///
    /// # Errors
    ///
    /// Gives it back where nobody watches.
    #[track_caller]
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let deed = deed("sends into", Location::caller());
        self.change(deed, || self.inner.send(value))
    }

    /// Changes the value.
    #[track_caller]
    pub fn send_modify(&self, modify: impl FnOnce(&mut T)) {
        let deed = deed("changes", Location::caller());
        self.change(deed, || self.inner.send_modify(modify));
    }

    /// Changes the value; nobody is told where `modify` says that it has not. Tells whether it has.
    #[track_caller]
    pub fn send_if_modified(&self, modify: impl FnOnce(&mut T) -> bool) -> bool {
        let deed = deed("changes", Location::caller());
        self.change(deed, || self.inner.send_if_modified(modify))
    }

    /// Another value, also where nobody watches; the one before comes back.
    #[track_caller]
    pub fn send_replace(&self, value: T) -> T {
        let deed = deed("sends into", Location::caller());
        self.change(deed, || self.inner.send_replace(value))
    }

    /// Under test it is a step, when nobody has borrowed the value.
    fn change<R>(&self, deed: Deed, change: impl FnOnce() -> R) -> R {
        let Some(object) = self.common.get() else {
            return change();
        };
        object.block(deed, Wait::Alone, Touch::CHANGES, || {
            let runtime = runtime::current()?;
            let is_held = runtime.is_held(object.id(&*runtime, deed.kind));
            (!is_held).then_some(())
        });
        change()
    }

    /// The value. Whoever changes it waits until this is dropped.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        let deed = deed("borrows", Location::caller());
        let borrow = || self.inner.borrow();
        let inner = self.common.step(deed, borrow, |_| Touch::SHARES);
        Ref::of(&self.common, deed, inner)
    }

    /// Somebody who watches from now on.
    #[track_caller]
    pub fn subscribe(&self) -> Receiver<T> {
        let deed = deed("subscribes to", Location::caller());
        let subscribe = || self.inner.subscribe();
        Receiver {
            inner: self.common.step(deed, subscribe, |_| Touch::CHANGES),
            common: self.common.clone(),
            made: self.made,
        }
    }

    /// Waits until nobody watches.
    #[track_caller]
    pub fn closed(&self) -> impl Future<Output = ()> {
        let deed = deed("sees the end of", Location::caller());
        let closed = self.inner.closed();
        self.common
            .wait(deed, Wait::News, closed, |()| Touch::LOOKS)
    }

    /// Nobody watches.
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        let deed = deed("looks into", Location::caller());
        let look = || self.inner.is_closed();
        self.common.step(deed, look, |_| Touch::LOOKS)
    }
}

/// Watches the value.
pub struct Receiver<T> {
    inner: tokio::sync::watch::Receiver<T>,
    common: Common,
    made: Place,
}

impl<T> Receiver<T> {
    /// Waits until the value has changed since it was seen last.
    ///
    /// # Errors
    ///
    /// The future's: where nobody will change it any more.
    #[track_caller]
    pub fn changed(&mut self) -> impl Future<Output = Result<(), RecvError>> {
        let deed = deed("sees a change of", Location::caller());
        let changed = self.inner.changed();
        self.common
            .wait(deed, Wait::News, changed, |_| Touch::LOOKS)
    }

    /// The value has changed since it was seen last.
    ///
    /// # Errors
    ///
    /// Where nobody will change it any more.
    #[track_caller]
    pub fn has_changed(&self) -> Result<bool, RecvError> {
        let deed = deed("looks at", Location::caller());
        let look = || self.inner.has_changed();
        self.common.step(deed, look, |_| Touch::LOOKS)
    }

    /// The value. Whoever changes it waits until this is dropped.
    #[track_caller]
    pub fn borrow(&self) -> Ref<'_, T> {
        let deed = deed("borrows", Location::caller());
        let borrow = || self.inner.borrow();
        let inner = self.common.step(deed, borrow, |_| Touch::SHARES);
        Ref::of(&self.common, deed, inner)
    }

    /// As [`borrow`](Self::borrow), and the value counts as seen.
    #[track_caller]
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let deed = deed("borrows", Location::caller());
        let access = self.common.get().and_then(|object| object.reach(deed));
        let inner = self.inner.borrow_and_update();
        if let Some(object) = self.common.get() {
            object.touch(access, Touch::SHARES);
        }
        Ref::of(&self.common, deed, inner)
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            common: self.common.clone(),
            made: self.made,
        }
    }
}

/// The value of a channel, borrowed.
pub struct Ref<'a, T> {
    // Dropped first: under test others may look at the value once more while it is borrowed.
    _held: Option<Held<'a>>,
    inner: tokio::sync::watch::Ref<'a, T>,
}

impl<'a, T> Ref<'a, T> {
    fn of(common: &'a Common, deed: Deed, inner: tokio::sync::watch::Ref<'a, T>) -> Self {
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

macro_rules! ends {
    ($end:ident, $what:literal) => {
        impl<T> Drop for $end<T> {
            fn drop(&mut self) {
                self.common.dropped(deed($what, self.made));
            }
        }

        impl<T> fmt::Debug for $end<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($end)).finish_non_exhaustive()
            }
        }
    };
}

ends!(Sender, "drops a sender of");
ends!(Receiver, "drops a receiver of");
