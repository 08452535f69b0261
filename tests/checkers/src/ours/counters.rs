//! Clients that call a server, and senders that fill an inbox.

use actor_core::prelude::*;

/// A call to the server, or a message to the receiver.
#[derive(Clone, Hash, Debug)]
struct Call {
    from: Recipient<Reply>,
}

#[derive(Clone, Copy, Hash, Debug)]
struct Reply;

#[derive(Clone, Copy, Hash, Debug)]
struct Item;

#[derive(Hash)]
struct Server;

#[actor]
impl Server {
    #[on]
    fn call(&mut self, call: Call) {
        call.from.tell(Reply);
    }

    #[on]
    fn item(&mut self, _: Item) {}
}

#[derive(Hash)]
struct Client {
    server: ActorRef<Server>,
    left: u32,
}

#[actor]
impl Client {
    #[start]
    fn start(&mut self, cx: &mut Context<Self>) {
        self.send(cx);
    }

    #[on]
    fn reply(&mut self, _: Reply, cx: &mut Context<Self>) {
        self.left -= 1;
        if self.left > 0 {
            self.send(cx);
        }
    }

    fn send(&self, cx: &mut Context<Self>) {
        self.server.tell(Call {
            from: cx.recipient(),
        });
    }
}

#[derive(Hash)]
struct Sender {
    to: ActorRef<Server>,
    messages: u32,
}

#[actor]
impl Sender {
    #[start]
    fn start(&mut self) {
        (0..self.messages).for_each(|_| self.to.tell(Item));
    }
}

pub(super) fn fan_in(sys: &System, senders: u32, messages: u32) {
    let server = sys.spawn(Server);
    for _ in 0..senders {
        let to = server.clone();
        sys.spawn(Sender { to, messages });
    }
}

pub(super) fn calls(sys: &System, clients: u32, left: u32) {
    let server = sys.spawn(Server);
    for _ in 0..clients {
        let server = server.clone();
        sys.spawn(Client { server, left });
    }
}
