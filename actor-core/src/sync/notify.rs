//! Async notifications: [`Notify`].

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::observed::Observed;
use crate::object::{Accessed, Object, ObjectOperation, PolledAccess};
use crate::seam::{AccessEffect, Unblock, Wait};

const KIND: &str = "Notify";

/// Notifies one waiter or all, as tokio's.
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
pub struct Notify(Observed<tokio::sync::Notify>);

impl Notify {
    /// Creates a `Notify` without a stored notification.
    #[track_caller]
    pub fn new() -> Self {
        Self(Observed::new(tokio::sync::Notify::new()))
    }

    /// As [`new`](Self::new), in a `static`.
    #[track_caller]
    pub const fn const_new() -> Self {
        Self(Observed::new(tokio::sync::Notify::const_new()))
    }

    /// Waits for a notification. [`notify_waiters`](Self::notify_waiters) wakes every future that was created
    /// before, even if it was not polled yet. [`notify_one`](Self::notify_one) wakes a future that was polled
    /// or [enabled](Notified::enable) before.
    #[track_caller]
    pub fn notified(&self) -> Notified<'_> {
        // tokio records here which calls of `notify_waiters` came before.
        let verb = "begins to wait for";
        let inner = self.0.read(KIND, verb, |inner| inner.notified());
        Notified {
            object: &self.0.object,
            operation: ObjectOperation::new(KIND, "waits for"),
            inner,
            access: PolledAccess::default(),
        }
    }

    /// Wakes the first waiter; without one, the next call to wait returns at once.
    #[track_caller]
    pub fn notify_one(&self) {
        self.notify("notifies one at", tokio::sync::Notify::notify_one);
    }

    /// Wakes the last waiter; without one, the next call to wait returns at once.
    #[track_caller]
    pub fn notify_last(&self) {
        self.notify("notifies the last at", tokio::sync::Notify::notify_last);
    }

    /// Wakes all current waiters.
    #[track_caller]
    pub fn notify_waiters(&self) {
        self.notify("notifies all at", tokio::sync::Notify::notify_waiters);
    }

    #[track_caller]
    fn notify(&self, verb: &'static str, notify: impl FnOnce(&tokio::sync::Notify)) {
        self.0.change(KIND, verb, notify);
        if let Some(object) = self.0.object.controlled() {
            object.wake(KIND, Unblock::NotifyAll);
        }
    }
}

impl Default for Notify {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

pin_project! {
    /// Waits for a notification of a [`Notify`].
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Notified<'a> {
        object: &'a Object,
        operation: ObjectOperation,
        #[pin]
        inner: tokio::sync::futures::Notified<'a>,
        access: PolledAccess,
    }
}

impl Notified<'_> {
    /// Registers as a waiter, as if polled; returns true if the notification is already there.
    ///
    /// ```
    /// use std::pin::pin;
    ///
    /// use actor_core::sync::Notify;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let ready = Notify::new();
    /// let (mut first, second) = (pin!(ready.notified()), ready.notified());
    /// assert!(!first.as_mut().enable());
    /// ready.notify_one();
    /// // It is for the first, which waits already, and not for the second.
    /// first.await;
    /// # drop(second);
    /// # }
    /// ```
    #[track_caller]
    pub fn enable(self: Pin<&mut Self>) -> bool {
        let this = self.project();
        let enable = || this.inner.enable();
        this.object.change(KIND, "enables a wait for", enable)
    }
}

impl Future for Notified<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        let Some(object) = this.object.controlled() else {
            return this.inner.poll(task);
        };
        let (operation, inner) = (*this.operation, this.inner);
        let poll = |task: &mut Context<'_>| inner.poll(task);
        let polled = this.access.poll(object, operation, Wait::News, task, poll);
        if polled.is_ready() {
            object.record(operation, AccessEffect::CHANGES);
        }
        polled
    }
}

impl std::fmt::Debug for Notified<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Notified").finish_non_exhaustive()
    }
}
