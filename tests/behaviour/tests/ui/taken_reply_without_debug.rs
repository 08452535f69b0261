use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;
struct Pong;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping, reply: Reply<Pong>) {
        reply.send(Pong)
    }
}

fn main() {}
