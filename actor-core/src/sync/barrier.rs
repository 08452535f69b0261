//! A place to meet, for async code: [`Barrier`].

use std::future::Future;

use tokio::sync::BarrierWaitResult;

use crate::object::{Deed, Object};
use crate::runtime::{Touch, Wait};

/// A place where so many wait for each other: tokio's.
///
/// ```
/// use std::sync::Arc;
///
/// use actor_core::sync::Barrier;
/// use actor_core::task;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let both = Arc::new(Barrier::new(2));
/// let other = both.clone();
/// let other = task::spawn(async move { other.wait().await.is_leader() });
/// let leads = both.wait().await.is_leader();
/// assert_ne!(other.await.ok(), Some(leads));
/// # }
/// ```
#[derive(Debug)]
pub struct Barrier {
    object: Object,
    inner: tokio::sync::Barrier,
}

impl Barrier {
    /// For so many.
    #[track_caller]
    pub fn new(count: usize) -> Self {
        Self {
            object: Object::new(),
            inner: tokio::sync::Barrier::new(count),
        }
    }

    /// Waits for the others; the last to come is their leader.
    #[track_caller]
    pub fn wait(&self) -> impl Future<Output = BarrierWaitResult> {
        let deed = Deed::new("Barrier", "passes");
        let wait = self.inner.wait();
        self.object
            .wait(deed, Wait::Alone, wait, |_| Touch::CHANGES)
    }
}
