//! The client of the chain, which sends updates to the head and queries to the tail.

use std::time::Duration;

use actor_core::prelude::*;

use super::{
    HeadTailChanged, HowManyReplies, Query, QueryReply, Request, ServerRef, Update, UpdateReply,
};
use ClientState as To;

/// The time that the client waits for a reply before it asks a random server.
const PATIENCE: Duration = Duration::from_millis(100);
/// The number of such attempts per request. After them the client waits for news of the master.
const TRIES: u32 = 2;

/// A timer: the reply to a request is late.
#[derive(Debug)]
pub struct Impatience {
    request: Request,
    tries_left: u32,
}

/// Sends updates and queries, in a random order.
#[derive(Debug)]
pub struct Client {
    id: u32,
    servers: Vec<ServerRef>,
    requests: u32,
    /// The number of the client's last request.
    number: u32,
    /// The current head and tail, as announced by the master.
    view: Option<HeadTailChanged>,
}

// ANCHOR: client
#[actor(states(
    Connecting(defer(HowManyReplies)),
    Updating(defer(HowManyReplies), ignore(QueryReply)),
    Querying(defer(HowManyReplies), ignore(UpdateReply)),
    Done(ignore(HeadTailChanged, Impatience, QueryReply, UpdateReply)),
))]
impl Client {
    /// Creates a client of these servers that sends this number of requests.
    pub fn new(id: u32, servers: Vec<ServerRef>, requests: u32) -> Self {
        Self {
            id,
            servers,
            requests,
            number: 0,
            view: None,
        }
    }

    #[on(Connecting)]
    fn connected(&mut self, view: HeadTailChanged, cx: &mut Context<Self>) {
        self.view = Some(view);
        self.go_on(cx);
    }

    fn go_on(&mut self, cx: &mut Context<Self>) {
        let next = match (self.number < self.requests, cx.choose_bool()) {
            (false, _) => To::Done,
            (true, false) => To::Updating,
            (true, true) => To::Querying,
        };
        cx.goto(next);
    }

    #[entry(Updating, Querying)]
    fn begin(&mut self, cx: &mut Context<Self>) {
        self.number += 1;
        self.ask_whom_it_concerns(cx);
        cx.after(
            PATIENCE,
            Impatience {
                request: self.request(),
                tries_left: TRIES,
            },
        );
    }

    /// Sends the request again: a failed server has lost it.
    #[on(Updating, Querying)]
    fn head_tail_changed(&mut self, view: HeadTailChanged, cx: &mut Context<Self>) {
        self.view = Some(view);
        self.ask_whom_it_concerns(cx);
    }

    #[on(Updating, Querying)]
    fn ask_around(&mut self, impatience: Impatience, cx: &mut Context<Self>) {
        if impatience.request == self.request() && impatience.tries_left > 0 {
            let server = cx.choose(self.servers.len());
            self.ask(&self.servers[server], cx);
            cx.after(
                PATIENCE,
                Impatience {
                    tries_left: impatience.tries_left - 1,
                    ..impatience
                },
            );
        }
    }

    fn ask_whom_it_concerns(&self, cx: &Context<Self>) {
        if let Some(HeadTailChanged { head, tail }) = &self.view {
            match cx.state() {
                To::Updating => self.ask(head, cx),
                _ => self.ask(tail, cx),
            }
        }
    }

    fn ask(&self, server: &ServerRef, cx: &Context<Self>) {
        let (request, client) = (self.request(), cx.me());
        if cx.state() == To::Updating {
            let value = u64::from(request.number);
            server.tell(Update {
                request,
                value,
                client,
            });
        } else {
            server.tell(Query { request, client });
        }
    }

    /// Ignores replies to earlier requests.
    #[on(Updating)]
    fn updated(&mut self, reply: UpdateReply, cx: &mut Context<Self>) {
        if reply.request == self.request() {
            self.go_on(cx);
        }
    }

    #[on(Querying)]
    fn answered(&mut self, reply: QueryReply, cx: &mut Context<Self>) {
        if reply.request == self.request() {
            self.go_on(cx);
        }
    }

    #[on(Done)]
    fn how_many_replies(&mut self, _: HowManyReplies) -> u32 {
        self.number
    }

    fn request(&self) -> Request {
        Request {
            client: self.id,
            number: self.number,
        }
    }
}
// ANCHOR_END: client
