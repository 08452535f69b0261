//! Elastic pools: automatic growth and shrinking of a [`Pool`].

use std::time::Duration;

use super::{Pool, events};
use crate::actor::Scope;
use crate::actor::{Actor, Context};

#[derive(Clone, Copy, Debug)]
pub(super) struct Elastic {
    max: usize,
    idle: Duration,
    /// True if a check for idle workers is scheduled.
    is_armed: bool,
}

impl Elastic {
    pub(super) fn new(max: usize, idle: Duration) -> Self {
        Self {
            max,
            idle,
            is_armed: false,
        }
    }

    pub(super) fn max(&self) -> usize {
        self.max
    }
}

impl<A: Actor> Pool<A> {
    /// Records that a worker has handled an event, and may be idle now.
    pub(super) fn may_be_idle(&mut self, index: usize, cx: &mut Context<Self>) {
        if self.elastic.is_none() || self.workers[index].busy > 0 {
            return;
        }
        self.workers[index].idle_since = cx.now();
        self.watch_for_idle(cx);
    }

    /// Schedules a check for idle workers, if the last worker is idle and exceeds the initial size.
    pub(super) fn watch_for_idle(&mut self, cx: &mut Context<Self>) {
        let is_idle = self.workers.last().is_some_and(|last| last.busy == 0);
        let Some(elastic) = &mut self.elastic else {
            return;
        };
        if elastic.is_armed || !is_idle || self.workers.len() <= self.first {
            return;
        }
        elastic.is_armed = true;
        let (sleep, pool) = (cx.sleep(elastic.idle), cx.me());
        cx.beside(async move {
            sleep.await;
            pool.target().tell_own::<Self>(events::idle());
        });
    }

    /// Stops the last workers while they have been idle for long enough.
    pub(super) fn stop_idle_workers(&mut self, cx: &mut Context<Self>) {
        let Some(elastic) = &mut self.elastic else {
            return;
        };
        elastic.is_armed = false;
        let (now, idle) = (cx.now(), elastic.idle);
        while self.workers.len() > self.first {
            let last = self.workers.last();
            let is_idle = |since: Duration| now.saturating_sub(since) >= idle;
            if !last.is_some_and(|last| last.busy == 0 && is_idle(last.idle_since)) {
                break;
            }
            self.stop_last_worker();
        }
        self.watch_for_idle(cx);
    }
}
