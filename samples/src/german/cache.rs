//! A cache: its copy of the cell, and the requests to the home.

use actor_core::prelude::*;

use super::{
    Bug, Completed, Cpu, GrantExclusive, GrantShared, Home, InvAck, Invalidate, Read, ReqExclusive,
    ReqShared, Write,
};
use CacheState as To;

/// Holds a copy of the cell, or none.
#[derive(Debug, Hash)]
pub struct Cache {
    home: ActorRef<Home>,
    cpu: Option<ActorRef<Cpu>>,
    value: u64,
    bug: Option<Bug>,
}

// ANCHOR: cache
#[actor(states(
    Invalid,
    AwaitingShared,
    Shared,
    AwaitingExclusive,
    Upgrading,
    Exclusive
))]
impl Cache {
    /// Creates a cache without a copy.
    pub fn new(home: ActorRef<Home>, bug: Option<Bug>) -> Self {
        Self {
            home,
            cpu: None,
            value: 0,
            bug,
        }
    }

    #[on(Invalid)]
    fn read_miss(&mut self, read: Read, cx: &mut Context<Self>) {
        self.cpu = Some(read.from);
        self.home.tell(ReqShared { from: cx.me() });
        cx.goto(To::AwaitingShared);
    }

    #[on(AwaitingShared)]
    fn shared(&mut self, grant: GrantShared, cx: &mut Context<Self>) {
        self.value = grant.value;
        self.complete(Completed::Read(self.value));
        cx.goto(To::Shared);
    }

    #[on(Shared, Exclusive)]
    fn read_hit(&mut self, read: Read) {
        read.from.tell(Completed::Read(self.value));
    }

    #[on(Invalid)]
    fn write_miss(&mut self, write: Write, cx: &mut Context<Self>) {
        self.cpu = Some(write.from);
        self.home.tell(ReqExclusive { from: cx.me() });
        cx.goto(To::AwaitingExclusive);
    }

    #[on(Shared)]
    fn upgrade(&mut self, write: Write, cx: &mut Context<Self>) {
        self.cpu = Some(write.from);
        if self.bug == Some(Bug::CountAcks) {
            self.acknowledge(None, cx);
        }
        self.home.tell(ReqExclusive { from: cx.me() });
        cx.goto(match self.bug {
            Some(Bug::OneWaitingState) => To::AwaitingExclusive,
            _ => To::Upgrading,
        });
    }

    #[on(AwaitingExclusive, Upgrading)]
    fn exclusive(&mut self, grant: GrantExclusive, cx: &mut Context<Self>) {
        self.value = grant.value + 1;
        self.complete(Completed::Written(self.value));
        cx.goto(To::Exclusive);
    }

    #[on(Exclusive)]
    fn write_hit(&mut self, write: Write) {
        self.value += 1;
        write.from.tell(Completed::Written(self.value));
    }

    #[on(Shared)]
    fn invalidate(&mut self, _: Invalidate, cx: &mut Context<Self>) {
        self.acknowledge(None, cx);
        cx.goto(To::Invalid);
    }

    /// Gives up the shared copy: another cache's request was served first.
    #[on(Upgrading)]
    fn invalidate_while_upgrading(&mut self, _: Invalidate, cx: &mut Context<Self>) {
        self.acknowledge(None, cx);
        cx.goto(To::AwaitingExclusive);
    }

    #[on(Exclusive)]
    fn write_back(&mut self, _: Invalidate, cx: &mut Context<Self>) {
        self.acknowledge(Some(self.value), cx);
        cx.goto(To::Invalid);
    }

    fn acknowledge(&self, written_back: Option<u64>, cx: &Context<Self>) {
        let from = cx.me();
        self.home.tell(InvAck { from, written_back });
    }

    fn complete(&mut self, completed: Completed) {
        if let Some(cpu) = self.cpu.take() {
            cpu.tell(completed);
        }
    }
}
// ANCHOR_END: cache
