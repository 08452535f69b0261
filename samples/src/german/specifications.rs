//! The specifications of coherent caches.

use std::collections::BTreeSet;

use actor_core::prelude::*;

use super::{Completed, GrantExclusive, GrantShared, InvAck, ReqExclusive, ReqShared};

// ANCHOR: exclusion
/// A safety property: while a cache has the exclusive copy, no other cache has a copy.
#[derive(Debug, Default, Hash)]
pub struct Exclusion {
    holders: BTreeSet<ActorId>,
    exclusive: bool,
}

#[monitor(cold(Watching))]
impl Exclusion {
    /// A cache has a copy from the moment when it handles the grant.
    #[on(handled)]
    fn shared(&mut self, _: &GrantShared, cx: &mut MonitorContext<Self>) {
        assert!(
            !self.exclusive,
            "incoherent: a shared copy beside an exclusive one"
        );
        self.holders.extend(cx.target());
    }

    #[on(handled)]
    fn exclusive(&mut self, _: &GrantExclusive, cx: &mut MonitorContext<Self>) {
        let mut others = self.holders.iter().filter(|id| Some(**id) != cx.target());
        assert!(
            others.next().is_none(),
            "incoherent: an exclusive copy beside another copy"
        );
        self.holders.extend(cx.target());
        self.exclusive = true;
    }

    #[on]
    fn given_up(&mut self, _: &InvAck, cx: &mut MonitorContext<Self>) {
        if let Some(cache) = cx.sender()
            && self.holders.remove(&cache)
        {
            self.exclusive = false;
        }
    }
}
// ANCHOR_END: exclusion

/// A safety property: every read returns the last written value, and no write is lost.
#[derive(Debug, Default, Hash)]
pub struct LastWrite {
    value: u64,
}

#[monitor(cold(Watching))]
impl LastWrite {
    #[on]
    fn completed(&mut self, completed: &Completed) {
        let last = self.value;
        match *completed {
            Completed::Read(value) => {
                assert!(
                    value == last,
                    "incoherent: {value} read, {last} written last"
                );
            }
            Completed::Written(value) => {
                assert!(
                    value == last + 1,
                    "incoherent: {value} written over {last}, by adding one"
                );
                self.value = value;
            }
        }
    }
}

/// A liveness property: every cache that asks for a copy gets one eventually.
#[derive(Debug, Default, Hash)]
pub struct Service {
    waiting: BTreeSet<ActorId>,
}

#[monitor(hot(Waiting), cold(Served))]
impl Service {
    #[on]
    fn shared_wanted(&mut self, _: &ReqShared, cx: &mut MonitorContext<Self>) {
        self.wait(cx);
    }

    #[on]
    fn exclusive_wanted(&mut self, _: &ReqExclusive, cx: &mut MonitorContext<Self>) {
        self.wait(cx);
    }

    #[on]
    fn shared(&mut self, _: &GrantShared, cx: &mut MonitorContext<Self>) {
        self.serve(cx);
    }

    #[on]
    fn exclusive(&mut self, _: &GrantExclusive, cx: &mut MonitorContext<Self>) {
        self.serve(cx);
    }

    fn wait(&mut self, cx: &mut MonitorContext<Self>) {
        self.waiting.extend(cx.sender());
        cx.goto(ServiceState::Waiting);
    }

    fn serve(&mut self, cx: &mut MonitorContext<Self>) {
        if let Some(cache) = cx.target() {
            self.waiting.remove(&cache);
        }
        if self.waiting.is_empty() {
            cx.goto(ServiceState::Served);
        }
    }
}
