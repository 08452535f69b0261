//! The home of the cell.

use actor_core::prelude::*;

use super::{Bug, Cache, GrantExclusive, GrantShared, InvAck, Invalidate, ReqExclusive, ReqShared};
use HomeState as To;

/// The request that is served.
#[derive(Debug, Hash)]
enum Request {
    Shared(ActorRef<Cache>),
    Exclusive(ActorRef<Cache>),
}

/// Owns the cell, and knows who has a copy.
#[derive(Debug, Hash)]
pub struct Home {
    value: u64,
    /// Who has a copy.
    sharers: Vec<ActorRef<Cache>>,
    /// It is the only one.
    exclusive: bool,
    request: Option<Request>,
    /// Who has to give a copy up for that.
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
    /// A home whose cell is zero.
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

    /// Who asks may have a shared copy already, and keeps it.
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
            // One less to wait for, whoever it is.
            self.invalidated.pop();
        } else {
            self.invalidated.retain(|cache| *cache != ack.from);
        }
        if self.invalidated.is_empty() {
            self.grant();
            cx.goto(To::Idle);
        }
    }

    /// A copy that is given up without being in anybody's way.
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
