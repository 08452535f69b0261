//! Panic containment for futures beside an actor: [`ReportPanic`].

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use super::live_actor::LiveActor;
use crate::panics::catch_panic;
use crate::supervision::FailureKind;

/// A future whose panics, also in `drop`, are reported as its owner's. The output is `None` then.
pub(in crate::production) struct ReportPanic<T> {
    /// `None` once the future is over.
    future: Option<Pin<Box<dyn Future<Output = T> + Send>>>,
    owner: Arc<LiveActor>,
}

impl<T> ReportPanic<T> {
    pub(in crate::production) fn new(
        future: Pin<Box<dyn Future<Output = T> + Send>>,
        owner: Arc<LiveActor>,
    ) -> Self {
        Self {
            future: Some(future),
            owner,
        }
    }

    fn drop_future(&mut self) {
        let future = self.future.take();
        if let Err(message) = catch_panic(|| drop(future)) {
            self.owner.fail(FailureKind::Background, message);
        }
    }
}

impl<T> Future for ReportPanic<T> {
    type Output = Option<T>;

    fn poll(mut self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Option<T>> {
        let Some(future) = &mut self.future else {
            return Poll::Ready(None);
        };
        let output = match catch_panic(|| future.as_mut().poll(task)) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(output)) => Some(output),
            Err(message) => {
                self.owner.fail(FailureKind::Background, message);
                None
            }
        };
        self.drop_future();
        Poll::Ready(output)
    }
}

impl<T> Drop for ReportPanic<T> {
    fn drop(&mut self) {
        self.drop_future();
    }
}
