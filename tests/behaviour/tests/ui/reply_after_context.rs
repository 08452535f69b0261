use actor_core::prelude::*;

#[derive(Debug)]
struct Ping;

struct Server;

#[actor]
impl Server {
    #[on]
    fn ping(&mut self, _: Ping, _: &mut Context<Self>, reply: Reply<u64>) {
        reply.send(1);
    }
}

fn main() {}
