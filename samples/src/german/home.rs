//! The home node of the cell: the directory of the coherence protocol.

use actor_core::prelude::*;

use super::{Bug, Cache, GrantExclusive, GrantShared, InvAck, Invalidate, ReqExclusive, ReqShared};
use HomeState as To;

/// The request that is being served.
#[derive(Debug, Hash)]
enum Request {
    Shared(ActorRef<Cache>),
    Exclusive(ActorRef<Cache>),
}

/// Owns the cell, and keeps the list of caches with a copy.
#[derive(Debug, Hash)]
pub struct Home {
    value: u64,
    /// The caches that have a copy.
    sharers: Vec<ActorRef<Cache>>,
    /// True if the copy is the exclusive one.
    exclusive: bool,
    request: Option<Request>,
    /// The caches that must give up their copies before the request is granted.
    invalidated: Vec<ActorRef<Cache>>,
    bug: Option<Bug>,
}

// ANCHOR: home
#[actor(states(
    Idle,
    Invalidating(defer(ReqShared, ReqExclusive)),
    InvalidatingDeaf(ignore(ReqShared, ReqExclusive)),
))]
impl Home {
    /// Creates a home whose cell is zero.
    pub fn new(bug: Option<Bug>) -> Self {
        Self {
            value: 0,
            sharers: Vec::new(),
            exclusive: false,
            request: None,
            invalidated: Vec::new(),
            bug,
        }
    }

    #[on(Idle)]
    fn shared(&mut self, request: ReqShared, cx: &mut Context<Self>) {
        self.request = Some(Request::Shared(request.from));
        if self.exclusive {
            self.invalidated = self.sharers.clone();
        }
        self.serve(cx);
    }

    /// Invalidates all other copies. The requesting cache may keep a shared copy.
    #[on(Idle)]
    fn exclusive(&mut self, request: ReqExclusive, cx: &mut Context<Self>) {
        self.invalidated = self.sharers.clone();
        self.invalidated.retain(|sharer| *sharer != request.from);
        self.request = Some(Request::Exclusive(request.from));
        self.serve(cx);
    }

    fn serve(&mut self, cx: &mut Context<Self>) {
        for sharer in &self.invalidated {
            sharer.tell(Invalidate);
        }
        if self.bug == Some(Bug::ClearOnSend) {
            self.sharers.clear();
            self.invalidated.clear();
        }
        if self.invalidated.is_empty() {
            return self.grant();
        }
        cx.goto(match self.bug {
            Some(Bug::DropRequests) => To::InvalidatingDeaf,
            _ => To::Invalidating,
        });
    }

    #[on(Invalidating, InvalidatingDeaf)]
    fn acknowledged(&mut self, ack: InvAck, cx: &mut Context<Self>) {
        self.take_back(&ack);
        if self.bug == Some(Bug::CountAcks) {
            // One acknowledgement less to wait for, from any cache.
            self.invalidated.pop();
        } else {
            self.invalidated.retain(|cache| *cache != ack.from);
        }
        if self.invalidated.is_empty() {
            self.grant();
            cx.goto(To::Idle);
        }
    }

    /// Takes back a copy that a cache gave up without being asked.
    #[on(Idle)]
    fn given_up(&mut self, ack: InvAck) {
        self.take_back(&ack);
    }

    fn take_back(&mut self, ack: &InvAck) {
        self.sharers.retain(|sharer| *sharer != ack.from);
        if let Some(value) = ack.written_back {
            self.value = value;
        }
    }

    fn grant(&mut self) {
        let value = self.value;
        match self.request.take() {
            Some(Request::Shared(cache)) => {
                cache.tell(GrantShared { value });
                self.exclusive = false;
                self.sharers.push(cache);
            }
            Some(Request::Exclusive(cache)) => {
                cache.tell(GrantExclusive { value });
                self.exclusive = true;
                self.sharers = vec![cache];
            }
            None => {}
        }
    }
}
// ANCHOR_END: home
