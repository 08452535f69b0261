//! A word to those that wait, for async code: [`Notify`].

use std::future::Future;

use crate::object::{Deed, Object};
use crate::runtime::{Touch, Wait};

const KIND: &str = "Notify";

/// Wakes those that wait, one or all: tokio's.
///
/// ```
/// use actor_core::sync::Notify;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let ready = Notify::new();
/// ready.notify_one();
/// // It is kept for the next that waits.
/// ready.notified().await;
/// # }
/// ```
#[derive(Debug)]
pub struct Notify {
    object: Object,
    inner: tokio::sync::Notify,
}

impl Notify {
    /// One that nobody was notified of.
    #[track_caller]
    pub fn new() -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::Notify::new(),
        }
    }

    /// As [`new`](Self::new), for a `static`.
    #[track_caller]
    pub const fn const_new() -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::Notify::const_new(),
        }
    }

    /// Waits for a word. One to [all](Self::notify_waiters) reaches whoever has called this before, also
    /// where the future was not polled yet.
    #[track_caller]
    pub fn notified(&self) -> impl Future<Output = ()> {
        let deed = Deed::new(KIND, "waits for");
        let notified = self.inner.notified();
        self.object
            .wait(deed, Wait::News, notified, |()| Touch::CHANGES)
    }

    /// Wakes the first of those that wait; where nobody does, the next one that will.
    #[track_caller]
    pub fn notify_one(&self) {
        let deed = Deed::new(KIND, "notifies one at");
        let notify = || self.inner.notify_one();
        self.object.step(deed, notify, |()| Touch::CHANGES);
    }

    /// Wakes all that wait now.
    #[track_caller]
    pub fn notify_waiters(&self) {
        let deed = Deed::new(KIND, "notifies all at");
        let notify = || self.inner.notify_waiters();
        self.object.step(deed, notify, |()| Touch::CHANGES);
    }
}

impl Default for Notify {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}
